use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `info`.
#[derive(clap::Args)]
pub struct Args {
    /// A recording, or the parts of an unfinished one.
    recording: PathBuf,
}

pub fn run(args: &Args) -> super::Done {
    let info = gelenk_io::info(&args.recording)?;
    say!("{}", args.recording.display());
    for (key, value) in &info.meta {
        if [gelenk::scene::KEY, gelenk::run::ENERGY].contains(&key.as_str()) {
            say!("  {key}: {} bytes for the report", value.len());
        } else if key == gelenk_io::STATE {
            say!("  {key}: {} bytes for `run --resume`", value.len());
        } else {
            say!("  {key}: {value}");
        }
    }
    let state = info.parts.map(|parts| format!(" in {parts} parts, not finished")).unwrap_or_default();
    say!("  {} rows, {} columns, {} bytes{state}\n", info.rows, info.columns.len(), info.bytes);
    let width = info.columns.iter().map(|c| c.column.name.chars().count()).max().unwrap_or(0);
    say!("  {:width$}  {:8}  {:>13}  {:>13}  {:>13}  meaning", "column", "unit", "min", "max", "last");
    for info in &info.columns {
        let (min, max) = info.range.map_or((f64::NAN, f64::NAN), |range| range);
        let last = info.last.unwrap_or(f64::NAN);
        let column = &info.column;
        say!(
            "  {:width$}  {:8}  {min:13.6e}  {max:13.6e}  {last:13.6e}  {}",
            column.name,
            column.shown_unit(),
            column.meaning
        );
    }
    if !info.events.is_empty() {
        say!("\n  {} events; the first ones:", info.events.len());
        for event in info.events.iter().take(12) {
            say!("  {:>14.9} s  {}  {}", event.t, event.element, event.what);
        }
    }
    for notice in &info.notices {
        eprintln!("note: {notice}");
    }
    Ok(ExitCode::SUCCESS)
}
