use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::picture::figure::Figure;
use gelenk::picture::gltf::glb;

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    /// The recording.
    recording: PathBuf,
    /// The file: a table (CSV), or the motion as animated glTF where it ends in .glb; CSV on standard output where none is
    /// given.
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
    let recording = gelenk_io::read(&args.recording)?;
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    match &args.output {
        Some(path) if is(path, "glb") => {
            let figure =
                Figure::of(&recording).map_err(|error| format!("{}: {error}", args.recording.display()))?;
            let file = glb(&figure, args.fps)?;
            std::fs::write(path, file)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        }
        Some(path) if is(path, "gltf") => {
            let better = path.with_extension("glb");
            return Err(format!("glTF is written as one binary file: ask for {}", better.display()).into());
        }
        Some(path) => gelenk_io::write_csv(&recording, path, &args.columns)?,
        None => gelenk_io::write_csv_to(&recording, &args.columns, &mut std::io::stdout().lock())?,
    }
    Ok(ExitCode::SUCCESS)
}
