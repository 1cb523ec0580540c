use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::picture::figure::Figure;
use gelenk::picture::gltf::{glb, instants};
use gelenk_io::{IoError, Pieces};

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    /// The recording.
    recording: PathBuf,
    /// The file: a table (.csv, .txt), or the motion as animated glTF (.glb); CSV on standard output where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Columns or groups of columns of a table, separated by commas; all where none are given.
    #[arg(short, long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Instants in a second of an animation.
    #[arg(long, default_value_t = 60.0)]
    fps: f64,
}

pub fn run(args: &Args) -> super::Done {
    let pieces = Pieces::open(&args.recording)?;
    let Some(path) = &args.output else {
        return match gelenk_io::write_csv_to(&pieces, &args.columns, &mut std::io::stdout().lock()) {
            // Whoever reads has seen enough (`gelenk export run.parquet | head`).
            Err(IoError::File { source, .. }) if source.kind() == ErrorKind::BrokenPipe => {
                Ok(ExitCode::SUCCESS)
            }
            written => Ok(written.map(|()| ExitCode::SUCCESS)?),
        };
    };
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "glb" => super::write::file(path, &animation(&pieces, args)?)?,
        "csv" | "txt" => {
            super::write::spare(path)?;
            super::write::make_folder(path)?;
            gelenk_io::write_csv(&pieces, path, &args.columns)?;
        }
        "gltf" => {
            let better = path.with_extension("glb");
            return Err(format!("glTF is written as one binary file: ask for {}", better.display()).into());
        }
        _ => {
            let what = "a table is a .csv or .txt file, and a motion a .glb file";
            return Err(format!("{}: {what}", path.display()).into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The motion as animated glTF. Only the rows around its instants are read.
fn animation(pieces: &Pieces, args: &Args) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let name = args.recording.display();
    let Some(span) = pieces.span() else {
        return Err(format!("{name} has no rows: there is no motion to write").into());
    };
    let recording = super::long::for_scene(pieces, &instants(span, args.fps)?)?;
    let figure = Figure::of(&recording).map_err(|error| format!("{name}: {error}"))?;
    Ok(glb(&figure, args.fps)?)
}
