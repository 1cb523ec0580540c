use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    /// The recording.
    recording: PathBuf,
    /// The CSV file; standard output where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Columns or groups of columns, separated by commas; all where none are given.
    #[arg(short, long, value_delimiter = ',')]
    columns: Vec<String>,
}

pub fn run(args: &Args) -> super::Done {
    let recording = gelenk_io::read(&args.recording)?;
    match &args.output {
        Some(path) => gelenk_io::write_csv(&recording, path, &args.columns)?,
        None => gelenk_io::write_csv_to(&recording, &args.columns, &mut std::io::stdout().lock())?,
    }
    Ok(ExitCode::SUCCESS)
}
