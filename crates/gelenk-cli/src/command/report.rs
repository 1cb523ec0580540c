use std::path::{Path, PathBuf};

use gelenk_io::Opened;
use gelenk_studio::Run;
use gelenk_studio::report::{ReportOptions, write};
use serde_json::{Value, json};

use super::tables::TableArgs;
use super::{Refusal, Usage};
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk report runs/swing.parquet
  gelenk report runs/soft.parquet runs/stiff.parquet -o both.html
  gelenk report runs/arm.parquet measured.csv --unit angle=deg --offset \"0.35 s\"
  gelenk report runs/long.parquet --rows 20000 --json";

/// Arguments of `report`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One or more recordings or tables (CSV, Parquet); later ones are drawn over the first.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// The report, an .html file [default: next to the first recording].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Maximum rows of each recording; longer ones are thinned, with their extremes kept [default: as many as make about four
    /// million numbers].
    #[arg(long)]
    rows: Option<usize>,
    #[command(flatten)]
    tables: TableArgs,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let path = args.output.clone().unwrap_or_else(|| args.recordings[0].with_extension("html"));
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm")) {
        return Err(Usage::refusal(format!("{}: a report is an .html file", path.display())));
    }
    let runs = open(out, &args.recordings, &args.tables, false)?;
    // In memory first, so that a program without the page leaves nothing behind.
    let mut page = Vec::new();
    let facts = write(&runs, &ReportOptions { rows: args.rows }, &mut page)?;
    super::write::file(&path, &page)?;
    say!(out, "{} ({} bytes)", path.display(), facts.bytes);
    let mut described: Vec<Value> = Vec::new();
    for (Run { name, .. }, (kept, all)) in runs.iter().zip(facts.rows) {
        if kept < all {
            say!(out, "  {name}: {kept} of {all} rows, extremes kept; `gelenk view` shows all of them");
        }
        described.push(json!({ "name": name, "rows": kept, "recorded_rows": all }));
    }
    out.extend(
        json!({ "report": path.display().to_string(), "bytes": facts.bytes, "recordings": described }),
    );
    Ok(DONE)
}

/// Opens recordings and tables under names that differ; with `follow` also the parts of runs that go on.
pub fn open(
    out: &mut Console,
    paths: &[PathBuf],
    tables: &TableArgs,
    follow: bool,
) -> Result<Vec<Run>, Refusal> {
    let labels = super::names::names(paths);
    let unfinished = |path: &Path| !path.exists() && gelenk_io::parts_folder(path).is_dir();
    let grows: Vec<bool> = paths.iter().map(|path| follow && (path.is_dir() || unfinished(path))).collect();
    let complete: (Vec<PathBuf>, Vec<String>) = paths
        .iter()
        .cloned()
        .zip(labels.iter().cloned())
        .zip(&grows)
        .filter_map(|(file, grows)| (!grows).then_some(file))
        .unzip();
    let mut opened = super::tables::open(out, &complete.0, &complete.1, tables)?.into_iter();
    let mut runs = Vec::new();
    for ((path, name), grows) in paths.iter().zip(labels).zip(grows) {
        let run = match grows {
            true => Run::follow(name, path)?,
            false => match opened.next() {
                Some(Opened { pieces, table: Some(_) }) => Run::new(name, pieces),
                _ => Run::open(name, path)?,
            },
        };
        if let Some(notice) = &run.notice {
            out.note(notice);
        }
        if follow && !run.is_growing() && gelenk_io::parts_folder(path).is_dir() {
            let parts = gelenk_io::parts_folder(path);
            out.note(format_args!(
                "a newer run writes into {0}; `gelenk view {0}` follows it",
                parts.display()
            ));
        }
        runs.push(run);
    }
    Ok(runs)
}
