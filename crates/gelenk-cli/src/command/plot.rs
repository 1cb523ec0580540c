use std::path::PathBuf;

use gelenk::plot::PlotOptions;
use gelenk::run::plotted_by_default;
use gelenk_record::Recording;

use super::Usage;
use super::tables::TableArgs;
use super::time::maybe_seconds;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk plot runs/swing.parquet
  gelenk plot runs/swing.parquet -c phi,energy --events -o swing.png
  gelenk plot runs/swing.parquet -x phi -c phi.rate -o phase.svg
  gelenk plot runs/soft.parquet runs/stiff.parquet -c phi --from \"1 s\" --to \"1500 ms\" -o both.svg
  gelenk plot runs/arm.parquet measured.csv -c phi,angle --unit angle=deg --offset \"0.35 s\" -o beside.svg";

/// Arguments of `plot`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One or more recordings or tables (CSV, Parquet), drawn over each other.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Columns or groups of columns, separated by commas [default: coordinates and outputs].
    #[arg(short, long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Column of the horizontal axis [default: time].
    #[arg(short, long, value_name = "COLUMN")]
    x: Option<String>,
    /// Columns or groups of one unit, drawn in the first panel over an axis on its right.
    #[arg(short, long, value_delimiter = ',', value_name = "COLUMNS")]
    right: Vec<String>,
    /// The picture, .svg or .png [default: .svg next to the first recording].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Earliest time drawn, such as "1 s".
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Latest time drawn, such as "1500 ms".
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// One panel for each column, not for each unit.
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
    /// Height in pixels [default: what the panels need].
    #[arg(long)]
    height: Option<u32>,
    /// Pixels of a PNG for each pixel of width and height.
    #[arg(long, default_value_t = 2.0)]
    scale: f64,
    #[command(flatten)]
    tables: TableArgs,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let labels = super::names::names(&args.recordings);
    let (from, to) =
        (maybe_seconds("--from", args.from.as_deref())?, maybe_seconds("--to", args.to.as_deref())?);
    let opened = super::tables::open(out, &args.recordings, &labels, &args.tables)?;
    let more = args.x.iter().chain(&args.right).cloned().collect();
    let (recordings, columns) =
        super::long::for_plot(out, &opened, &labels, (&args.columns, plotted_by_default, more), (from, to))?;
    if recordings.is_empty() {
        return Err("name a recording".into());
    }
    if let Some(x) = &args.x {
        let unit =
            |recording: &Recording| recording.columns().iter().find(|c| c.name == *x).map(|c| c.unit.clone());
        let units: Vec<Option<String>> = recordings.iter().map(unit).collect();
        if let Some(k) = units.iter().position(|unit| *unit != units[0]) {
            let unit = |k: usize| format!("[{}] in {}", units[k].as_deref().unwrap_or("none"), labels[k]);
            return Err(Usage::refusal(format!(
                "column {x:?} has the unit {} and {}, and one axis cannot show both; plot the recordings separately",
                unit(0),
                unit(k)
            )));
        }
    }
    let options = PlotOptions {
        width: args.width,
        height: args.height,
        title: args.title.clone().or_else(|| common_title(&recordings)),
        x: args.x.clone(),
        right: args.right.clone(),
        from,
        to,
        apart: args.apart,
        equal: args.equal,
        events: args.events,
    };
    let labelled: Vec<_> = labels.iter().map(String::as_str).zip(&recordings).collect();
    let path = args.output.clone().unwrap_or_else(|| args.recordings[0].with_extension("svg"));
    super::write::drawing(&path, &labelled, &columns, &options, args.scale)?;
    say!(out, "{}", path.display());
    out.set("picture", path.display().to_string());
    out.set("columns", columns);
    Ok(DONE)
}

/// The title that all recordings have; several runs with different titles have none, as their names are in the legend.
fn common_title(recordings: &[Recording]) -> Option<String> {
    let title = recordings.first()?.meta().get("title");
    recordings
        .iter()
        .all(|recording| recording.meta().get("title") == title)
        .then(|| title.cloned())
        .flatten()
}
