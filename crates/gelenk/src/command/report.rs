use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk_studio::Run;
use gelenk_studio::report::{ReportOptions, write};

/// Arguments of `report`.
#[derive(clap::Args)]
pub struct Args {
    /// One or more recordings; the second one is drawn over the first.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// The report; beside the first recording where none is given.
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
    super::write::make_folder(&out)?;
    // In memory first, so that a program without the page leaves nothing behind.
    let mut page = Vec::new();
    let facts = write(&runs, &ReportOptions { rows: args.rows }, &mut page)?;
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", out.display());
    let mut file = BufWriter::new(File::create(&out).map_err(failed)?);
    std::io::Write::write_all(&mut file, &page).map_err(failed)?;
    std::io::Write::flush(&mut file).map_err(failed)?;
    say!("{} ({} bytes)", out.display(), facts.bytes);
    for (Run { name, .. }, (kept, all)) in runs.iter().zip(facts.rows).filter(|(_, (kept, all))| kept < all) {
        say!("  {name}: {kept} of {all} rows, extremes kept; `gelenk view` shows all of them");
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens recordings under names that differ: the name of the file, or what comes before it where that does not do.
pub fn open(paths: &[PathBuf]) -> Result<Vec<Run>, gelenk_io::IoError> {
    let stem = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let stems: Vec<String> = paths.iter().map(|path| stem(path)).collect();
    let mut runs = Vec::new();
    for (path, name) in paths.iter().zip(&stems) {
        let alone = stems.iter().filter(|other| *other == name).count() == 1;
        let name = if alone { name.clone() } else { path.with_extension("").display().to_string() };
        let run = Run::open(name, path)?;
        if let Some(notice) = &run.notice {
            eprintln!("note: {notice}");
        }
        runs.push(run);
    }
    Ok(runs)
}
