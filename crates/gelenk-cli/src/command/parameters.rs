use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::open::{self, Overrides};

/// Arguments of `parameters`.
#[derive(clap::Args)]
pub struct Args {
    /// A model or a study.
    file: PathBuf,
}

pub fn run(args: &Args) -> super::Done {
    let prepared = open::simulation(&args.file, &Overrides::default())?;
    let values = prepared.parameters.values();
    let width = prepared.parameters.iter().map(|(_, p)| p.path.chars().count()).max().unwrap_or(0);
    for (param, entry) in prepared.parameters.iter() {
        let derived = if entry.is_derived() { "  (derived)" } else { "" };
        say!("{:width$}  {:>14}  {}{derived}", entry.path, param.of(&values), entry.unit);
    }
    Ok(ExitCode::SUCCESS)
}
