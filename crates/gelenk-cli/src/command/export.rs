use std::io::ErrorKind;
use std::path::PathBuf;

use gelenk::picture::figure::Figure;
use gelenk::picture::gltf::{glb, instants};
use gelenk_io::{IoError, Opened, Pieces};
use serde_json::{Value, json};

use super::tables::TableArgs;
use super::{Refusal, Usage};
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk export runs/swing.parquet -c phi,energy
  gelenk export runs/swing.parquet -o swing.csv
  gelenk export runs/swing.parquet -o swing.glb --fps 30
  gelenk export runs/swing.parquet -c phi --json";

/// Arguments of `export`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The recording, or a table (CSV, Parquet).
    recording: PathBuf,
    /// The file: a table (.csv, .txt), or the motion as animated glTF (.glb) [default: CSV on standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Columns or groups of columns of a table, separated by commas [default: all].
    #[arg(short, long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Keyframes per second of an animation.
    #[arg(long, default_value_t = 60.0)]
    fps: f64,
    #[command(flatten)]
    tables: TableArgs,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let (paths, labels) = (std::slice::from_ref(&args.recording), [args.recording.display().to_string()]);
    let mut opened = super::tables::open(out, paths, &labels, &args.tables)?;
    let Some(Opened { pieces, .. }) = opened.pop() else { return Err(Usage::refusal("name a recording")) };
    let Some(path) = &args.output else {
        if out.json() {
            out.set("columns", columns(&pieces, &args.columns)?);
            return Ok(DONE);
        }
        return match gelenk_io::write_csv_to(&pieces, &args.columns, &mut std::io::stdout().lock()) {
            // Whoever reads has seen enough (`gelenk export run.parquet | head`).
            Err(IoError::File { source, .. }) if source.kind() == ErrorKind::BrokenPipe => Ok(DONE),
            written => Ok(written.map(|()| DONE)?),
        };
    };
    super::write::spare_input(path, &args.recording)?;
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "glb" => super::write::file(path, &animation(&pieces, args)?)?,
        "csv" | "txt" => super::write::table(&pieces, path, &args.columns)?,
        "gltf" => {
            let better = path.with_extension("glb");
            let message = format!("glTF is written as one binary file: use -o {}", better.display());
            return Err(Usage::refusal(message));
        }
        _ => {
            let what = "a table is a .csv or .txt file, and an animation a .glb file";
            return Err(Usage::refusal(format!("{}: {what}", path.display())));
        }
    }
    out.set("output", path.display().to_string());
    out.set("rows", pieces.rows());
    Ok(DONE)
}

/// Columns with their values for the document, time first.
fn columns(pieces: &Pieces, selectors: &[String]) -> Result<Vec<Value>, Refusal> {
    let empty = pieces.without_rows()?;
    let mut chosen: Vec<usize> = match selectors {
        [] => (0..pieces.columns().len()).collect(),
        _ => vec![0],
    };
    for selector in selectors {
        for index in empty.select(selector)? {
            if !chosen.contains(&index) {
                chosen.push(index);
            }
        }
    }
    let mut data: Vec<Vec<f64>> = vec![Vec::new(); chosen.len()];
    pieces.read(&chosen, 0..pieces.rows(), &mut |piece| {
        data.iter_mut().zip(piece).for_each(|(all, more)| all.extend_from_slice(more));
    })?;
    let described = chosen.iter().zip(data).filter_map(|(&k, values)| {
        let column = pieces.columns().get(k)?;
        Some(json!({ "name": column.name, "unit": column.shown_unit(), "meaning": column.meaning, "values": values }))
    });
    Ok(described.collect())
}

/// The motion as animated glTF. Only the rows around its instants are read.
fn animation(pieces: &Pieces, args: &Args) -> Result<Vec<u8>, Refusal> {
    let name = args.recording.display();
    let Some(span) = pieces.span() else {
        return Err(format!("{name} has no rows: there is no motion to write").into());
    };
    let recording = super::long::for_scene(pieces, &instants(span, args.fps)?)?;
    let figure = Figure::of(&recording).map_err(|error| format!("{name}: {error}"))?;
    Ok(glb(&figure, args.fps)?)
}
