use std::path::PathBuf;

use gelenk::open::{self, Overrides};
use serde_json::json;

use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk parameters swing/model.toml
  gelenk parameters cases/fit-friction/study.toml --json";

/// Arguments of `parameters`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model or a study.
    file: PathBuf,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let prepared = open::simulation(&args.file, &Overrides::default())?;
    let values = prepared.parameters.values();
    let width = prepared.parameters.iter().map(|(_, p)| p.path.chars().count()).max().unwrap_or(0);
    let mut parameters = Vec::new();
    for (param, entry) in prepared.parameters.iter() {
        let (value, derived) = (param.of(&values), entry.is_derived());
        let mark = if derived { "  (derived)" } else { "" };
        say!(out, "{:width$}  {value:>14}  {}{mark}", entry.path, entry.unit);
        parameters
            .push(json!({ "path": entry.path, "value": value, "unit": entry.unit, "derived": derived }));
    }
    out.set("parameters", parameters);
    Ok(DONE)
}
