use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Usage;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk completions bash > ~/.local/share/bash-completion/completions/gelenk
  gelenk completions zsh > ~/.zfunc/_gelenk        # with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  gelenk completions fish > ~/.config/fish/completions/gelenk.fish
  source <(gelenk completions bash)                # for this shell only";

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    if out.json() {
        return Err(Usage::refusal("a completion script is not JSON: omit --json"));
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "gelenk", &mut script);
    // Nobody may be listening any more.
    let _ = std::io::stdout().write_all(&script);
    Ok(DONE)
}
