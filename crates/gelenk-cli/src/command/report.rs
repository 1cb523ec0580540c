use std::path::PathBuf;
use std::process::ExitCode;

use gelenk_studio::Run;
use gelenk_studio::report::{ReportOptions, write};

/// Arguments of `report`.
#[derive(clap::Args)]
pub struct Args {
    /// One or more recordings; the second one is drawn over the first.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// The report, an .html file; beside the first recording where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Most rows of each recording; longer ones are thinned with their extremes kept. By default as many as make about
    /// four million numbers.
    #[arg(long)]
    rows: Option<usize>,
}

pub fn run(args: &Args) -> super::Done {
    let runs = open(&args.recordings)?;
    let out = args.output.clone().unwrap_or_else(|| args.recordings[0].with_extension("html"));
    if !out.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm")) {
        return Err(format!("{}: a report is an .html file", out.display()).into());
    }
    // In memory first, so that a program without the page leaves nothing behind.
    let mut page = Vec::new();
    let facts = write(&runs, &ReportOptions { rows: args.rows }, &mut page)?;
    super::write::file(&out, &page)?;
    say!("{} ({} bytes)", out.display(), facts.bytes);
    for (Run { name, .. }, (kept, all)) in runs.iter().zip(facts.rows).filter(|(_, (kept, all))| kept < all) {
        say!("  {name}: {kept} of {all} rows, extremes kept; `gelenk view` shows all of them");
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens recordings under names that differ.
pub fn open(paths: &[PathBuf]) -> Result<Vec<Run>, gelenk_io::IoError> {
    let mut runs = Vec::new();
    for (path, name) in paths.iter().zip(super::names::names(paths)) {
        let run = Run::open(name, path)?;
        if let Some(notice) = &run.notice {
            tell!("note: {notice}");
        }
        runs.push(run);
    }
    Ok(runs)
}
