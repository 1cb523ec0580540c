use std::path::PathBuf;

use gelenk_io::{Info, Opened, Pieces};
use serde_json::{Map, Value, json};

use super::Refusal;
use super::tables::TableArgs;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk info runs/swing.parquet
  gelenk info runs/swing.parquet --events
  gelenk info runs/swing.parts
  gelenk info measured.csv --unit angle=deg
  gelenk info runs/swing.parquet --json";

/// Arguments of `info`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A recording, the parts of an unfinished one, or a table (CSV, Parquet).
    recording: PathBuf,
    /// List all events, not only the first and last ones.
    #[arg(long)]
    events: bool,
    #[command(flatten)]
    tables: TableArgs,
}

/// Events at each end of a list that is shown in part.
const ENDS: usize = 12;

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let (paths, labels) = (std::slice::from_ref(&args.recording), [args.recording.display().to_string()]);
    // A folder of parts is read as it is, with what was left out of it.
    let info = match args.recording.is_dir() {
        true => gelenk_io::info(&args.recording)?,
        false => match super::tables::open(out, paths, &labels, &args.tables)?.into_iter().next() {
            Some(Opened { pieces, table: Some(_) }) => table(args, &pieces)?,
            _ => gelenk_io::info(&args.recording)?,
        },
    };
    say!(out, "{}", args.recording.display());
    for (key, value) in &info.meta {
        match purpose(key) {
            Some(purpose) => say!(out, "  {key}: {} bytes for {purpose}", value.len()),
            None => say!(out, "  {key}: {value}"),
        }
    }
    let state = info.parts.map(|parts| format!(" in {parts} parts, not finished")).unwrap_or_default();
    say!(out, "  {} rows, {} columns, {} bytes{state}\n", info.rows, info.columns.len(), info.bytes);
    let width = info.columns.iter().map(|c| c.column.name.chars().count()).max().unwrap_or(0);
    say!(out, "  {:width$}  {:8}  {:>13}  {:>13}  {:>13}  meaning", "column", "unit", "min", "max", "last");
    for info in &info.columns {
        let (min, max) = info.range.map_or((f64::NAN, f64::NAN), |range| range);
        let last = info.last.unwrap_or(f64::NAN);
        let column = &info.column;
        say!(
            out,
            "  {:width$}  {:8}  {min:13.6e}  {max:13.6e}  {last:13.6e}  {}",
            column.name,
            column.shown_unit(),
            column.meaning
        );
    }
    if !info.events.is_empty() {
        let count = info.events.len();
        let left_out = if args.events || count <= 2 * ENDS { 0 } else { count - 2 * ENDS };
        say!(out, "\n  {count} event{}:", if count == 1 { "" } else { "s" });
        for (k, event) in info.events.iter().enumerate() {
            if left_out > 0 && k == ENDS {
                say!(out, "  {:>14}    {left_out} more: `gelenk info --events` lists all", "...");
            }
            if left_out == 0 || k < ENDS || k >= ENDS + left_out {
                say!(out, "  {:>14.9} s  {}  {}", event.t, event.element, event.what);
            }
        }
    }
    out.extend(document(args, &info));
    for notice in &info.notices {
        out.note(notice);
    }
    Ok(DONE)
}

/// What is known about a table of another program.
fn table(args: &Args, pieces: &Pieces) -> Result<Info, Refusal> {
    let bytes = std::fs::metadata(&args.recording).map_or(0, |facts| facts.len());
    let all: Vec<usize> = (0..pieces.columns().len()).collect();
    let mut data = vec![Vec::new(); all.len()];
    pieces.read(&all, 0..pieces.rows(), &mut |piece| {
        data.iter_mut().zip(piece).for_each(|(values, more)| values.extend_from_slice(more));
    })?;
    Ok(Info::of(&pieces.with_data(all, data)?, bytes))
}

/// What a long entry of the metadata is for; people have no use for its text.
fn purpose(key: &str) -> Option<&'static str> {
    match key {
        gelenk::scene::KEY
        | gelenk::run::ENERGY
        | gelenk::parameters::KEY
        | gelenk::law::merged::VARIANTS => Some("the report"),
        gelenk_io::STATE => Some("`run --resume`"),
        _ => None,
    }
}

fn document(args: &Args, info: &Info) -> Value {
    let meta: Map<String, Value> = info
        .meta
        .iter()
        .map(|(key, value)| match purpose(key) {
            Some(_) => (format!("{key}.bytes"), json!(value.len())),
            None => (key.clone(), json!(value)),
        })
        .collect();
    let columns: Vec<Value> = info
        .columns
        .iter()
        .map(|info| {
            json!({
                "name": info.column.name,
                "unit": info.column.shown_unit(),
                "meaning": info.column.meaning,
                "min": info.range.map(|(min, _)| min),
                "max": info.range.map(|(_, max)| max),
                "last": info.last,
            })
        })
        .collect();
    let events: Vec<Value> =
        info.events.iter().map(|e| json!({ "t": e.t, "element": e.element, "what": e.what })).collect();
    json!({
        "path": args.recording.display().to_string(),
        "rows": info.rows,
        "bytes": info.bytes,
        "finished": info.parts.is_none(),
        "parts": info.parts,
        "metadata": meta,
        "column_count": info.columns.len(),
        "columns": columns,
        "event_count": info.events.len(),
        "events": events,
    })
}
