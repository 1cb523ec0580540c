use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `recover`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder that ends in `.parts`, or the recording that it belongs to.
    path: PathBuf,
    /// The recording to write; beside the folder where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> super::Done {
    let is_parts = args.path.extension().is_some_and(|e| e == "parts");
    let (parts, beside) = if is_parts {
        (args.path.clone(), args.path.with_extension("parquet"))
    } else {
        (gelenk_io::parts_folder(&args.path), args.path.clone())
    };
    let out = args.output.clone().unwrap_or(beside);
    let recovered = gelenk_io::recover(&parts, &out)?;
    for notice in &recovered.notices {
        eprintln!("note: {notice}");
    }
    let how = if recovered.already { "was complete already" } else { "recovered" };
    say!("{}: {} samples, {how}", out.display(), recovered.rows);
    Ok(ExitCode::SUCCESS)
}
