use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `info`.
#[derive(clap::Args)]
pub struct Args {
    /// A recording, or the parts of an unfinished one.
    recording: PathBuf,
    /// List all events, not only the first and last ones.
    #[arg(long)]
    events: bool,
}

/// Events at each end of a list that is shown in part.
const ENDS: usize = 12;

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
        let count = info.events.len();
        let left_out = if args.events || count <= 2 * ENDS { 0 } else { count - 2 * ENDS };
        say!("\n  {count} event{}:", if count == 1 { "" } else { "s" });
        for (k, event) in info.events.iter().enumerate() {
            if left_out > 0 && k == ENDS {
                say!("  {:>14}    {left_out} more: `gelenk info --events` lists all", "...");
            }
            if left_out == 0 || k < ENDS || k >= ENDS + left_out {
                say!("  {:>14.9} s  {}  {}", event.t, event.element, event.what);
            }
        }
    }
    for notice in &info.notices {
        tell!("note: {notice}");
    }
    Ok(ExitCode::SUCCESS)
}
