use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::plot::{PlotOptions, plot};

/// Arguments of `plot`.
#[derive(clap::Args)]
pub struct Args {
    /// One or more recordings, drawn over each other.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Columns or groups of columns, separated by commas; the coordinates where none are given.
    #[arg(short, long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Column of the horizontal axis; time where none is given.
    #[arg(short)]
    x: Option<String>,
    /// The picture (SVG); beside the first recording where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Title above the panels.
    #[arg(long)]
    title: Option<String>,
    /// Width in pixels.
    #[arg(long, default_value_t = 960)]
    width: u32,
    /// Height in pixels; what the panels need where none is given.
    #[arg(long)]
    height: Option<u32>,
}

pub fn run(args: &Args) -> super::Done {
    let mut recordings = Vec::new();
    for path in &args.recordings {
        let label = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        recordings.push((label, gelenk_io::read(path)?));
    }
    let first = &recordings[0].1;
    let columns =
        if args.columns.is_empty() { gelenk::run::plotted_by_default(first) } else { args.columns.clone() };
    let title = args.title.clone().or_else(|| first.meta().get("title").cloned());
    let options = PlotOptions { width: args.width, height: args.height, title, x: args.x.clone() };
    let labelled: Vec<_> = recordings.iter().map(|(label, r)| (label.as_str(), r)).collect();
    let picture = plot(&labelled, &columns, &options)?;
    let out = args.output.clone().unwrap_or_else(|| args.recordings[0].with_extension("svg"));
    std::fs::write(&out, picture).map_err(|error| format!("{} cannot be written: {error}", out.display()))?;
    say!("{}", out.display());
    Ok(ExitCode::SUCCESS)
}
