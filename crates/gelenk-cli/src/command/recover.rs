use std::path::PathBuf;

use gelenk_io::{Damage, Recovery};
use serde_json::json;

use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk recover runs/long.parts
  gelenk recover runs/long.parquet --damaged skip -o runs/rest.parquet";

/// Arguments of `recover`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder that ends in `.parts`, or the recording that it belongs to.
    path: PathBuf,
    /// The recording to write [default: next to the folder].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// What to do about a damaged or missing part before the last one.
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    damaged: Damaged,
    /// Replace a recording even if it has more samples than the parts.
    #[arg(long)]
    replace: bool,
}

/// What to do about a damaged part.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Damaged {
    /// Change nothing, and name the part.
    Refuse,
    /// End the recording before it.
    Stop,
    /// Leave a gap in its place.
    Skip,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let is_parts = args.path.extension().is_some_and(|e| e == "parts");
    let (parts, beside) = if is_parts {
        (args.path.clone(), args.path.with_extension("parquet"))
    } else {
        (gelenk_io::parts_folder(&args.path), args.path.clone())
    };
    let damage = match args.damaged {
        Damaged::Refuse => Damage::Refuse,
        Damaged::Stop => Damage::Stop,
        Damaged::Skip => Damage::Skip,
    };
    let recovery = Recovery { damage, replace: args.replace };
    let path = args.output.clone().unwrap_or(beside);
    let recovered = recovery.recover(&parts, &path)?;
    for notice in &recovered.notices {
        out.note(notice);
    }
    let how = if recovered.already { "was complete already" } else { "recovered" };
    say!(out, "{}: {} samples, {how}", path.display(), recovered.rows);
    out.extend(json!({
        "recording": path.display().to_string(),
        "rows": recovered.rows,
        "was_complete": recovered.already,
    }));
    Ok(DONE)
}
