use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use gelenk_studio::server::Server;

/// Arguments of `view`.
#[derive(clap::Args)]
pub struct Args {
    /// One or more recordings; the second one is drawn over the first.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Port on 127.0.0.1; a free one where none is given.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Print the address without opening a browser.
    #[arg(long)]
    no_open: bool,
}

pub fn run(args: &Args) -> super::Done {
    let runs = super::report::open(&args.recordings)?;
    let server = Server::bind(runs, args.port)?;
    let address = format!("http://{}/", server.address());
    say!("{address}  (ends with Ctrl-C)");
    if !args.no_open && !browse(&address) {
        say!("  open this address in a browser");
    }
    server.serve();
    Ok(ExitCode::SUCCESS)
}

/// Opens the address in the browser of the desktop, where there is one.
fn browse(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
