use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::plot::PlotOptions;
use gelenk::run::plotted_by_default;
use gelenk_record::Recording;

use super::time::maybe_seconds;

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
    #[arg(short, long, value_name = "COLUMN")]
    x: Option<String>,
    /// Columns or groups of one unit that are drawn in the first panel over an axis on its right.
    #[arg(short, long, value_delimiter = ',', value_name = "COLUMNS")]
    right: Vec<String>,
    /// The picture, SVG or PNG by its ending; SVG beside the first recording where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Earliest time drawn, such as "1 s".
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Latest time drawn, such as "1500 ms".
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// A panel for every column, not one for every unit.
    #[arg(long)]
    apart: bool,
    /// The same scale on both axes, for paths in a plane.
    #[arg(long)]
    equal: bool,
    /// Mark the events of the runs.
    #[arg(long)]
    events: bool,
    /// Title above the panels.
    #[arg(long)]
    title: Option<String>,
    /// Width in pixels.
    #[arg(long, default_value_t = 960)]
    width: u32,
    /// Height in pixels; what the panels need where none is given.
    #[arg(long)]
    height: Option<u32>,
    /// Pixels of a PNG for each pixel of width and height.
    #[arg(long, default_value_t = 2.0)]
    scale: f64,
}

pub fn run(args: &Args) -> super::Done {
    let labels = super::names::names(&args.recordings);
    let (from, to) =
        (maybe_seconds("--from", args.from.as_deref())?, maybe_seconds("--to", args.to.as_deref())?);
    let chosen = |first: &Recording| {
        if args.columns.is_empty() { plotted_by_default(first) } else { args.columns.clone() }
    };
    let (recordings, columns) = super::long::for_plot(
        &args.recordings,
        &labels,
        (chosen, args.x.iter().chain(&args.right).cloned().collect()),
        (from, to),
    )?;
    let Some(first) = recordings.first() else { return Err("name a recording".into()) };
    if let Some(x) = &args.x {
        let unit =
            |recording: &Recording| recording.columns().iter().find(|c| c.name == *x).map(|c| c.unit.clone());
        let units: Vec<Option<String>> = recordings.iter().map(unit).collect();
        if let Some(k) = units.iter().position(|unit| *unit != units[0]) {
            let told = |k: usize| format!("[{}] in {}", units[k].as_deref().unwrap_or("none"), labels[k]);
            return Err(format!(
                "column {x:?} has the unit {} and {}: they have no common axis; plot the recordings apart",
                told(0),
                told(k)
            )
            .into());
        }
    }
    let options = PlotOptions {
        width: args.width,
        height: args.height,
        title: args.title.clone().or_else(|| first.meta().get("title").cloned()),
        x: args.x.clone(),
        right: args.right.clone(),
        from,
        to,
        apart: args.apart,
        equal: args.equal,
        events: args.events,
    };
    let labelled: Vec<_> = labels.iter().map(String::as_str).zip(&recordings).collect();
    let out = args.output.clone().unwrap_or_else(|| args.recordings[0].with_extension("svg"));
    super::write::drawing(&out, &labelled, &columns, &options, args.scale)?;
    say!("{}", out.display());
    Ok(ExitCode::SUCCESS)
}
