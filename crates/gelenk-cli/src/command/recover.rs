use std::path::PathBuf;
use std::process::ExitCode;

use gelenk_io::{Damage, Recovery};

/// Arguments of `recover`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder that ends in `.parts`, or the recording that it belongs to.
    path: PathBuf,
    /// The recording to write; beside the folder where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// What to do about a damaged or missing part before the last one: refuse, stop (end the recording before it) or skip
    /// (leave a gap in its place).
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    damaged: Damaged,
    /// Replace a recording even where it has more samples than the parts.
    #[arg(long)]
    replace: bool,
}

/// What to do about a damaged part.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Damaged {
    Refuse,
    Stop,
    Skip,
}

pub fn run(args: &Args) -> super::Done {
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
    let out = args.output.clone().unwrap_or(beside);
    let recovered = recovery.recover(&parts, &out)?;
    for notice in &recovered.notices {
        tell!("note: {notice}");
    }
    let how = if recovered.already { "was complete already" } else { "recovered" };
    say!("{}: {} samples, {how}", out.display(), recovered.rows);
    Ok(ExitCode::SUCCESS)
}
