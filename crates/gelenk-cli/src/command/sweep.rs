use std::path::{Path, PathBuf};

use gelenk::digits::digits;
use gelenk::picture::drawing::Drawing;
use gelenk::picture::paint::paint;
use gelenk::picture::svg::svg;
use gelenk::plot::PlotOptions;
use gelenk::plot::map::{Side, map};
use gelenk::sweep_study::{FAILED, SweepStudy};
use gelenk_io::{Follows, PartOptions, PartWriter, Pieces};
use gelenk_record::{Event, Recording, Sink, SinkError};
use serde_json::{Value, json};

use super::progress::Progress;
use super::write::Target;
use super::{Refusal, Usage};
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk sweep cases/bounce-map/study.toml --picture map.svg
  gelenk sweep study.toml -o runs/sweep.parquet --resume
  gelenk sweep study.toml -o sweep.csv --json
  gelenk plot runs/sweep.parquet -x bodies.ball.mass -c height";

/// Metadata entry of a table of results: what they depend on.
const KEY: &str = "sweep";

/// Failures that are listed.
const LISTED: usize = 5;

/// Arguments of `sweep`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A study of kind `sweep`.
    study: PathBuf,
    /// Write the table of results here (.parquet, or a table .csv, .txt) [default: runs/NAME.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Continue a sweep that was killed or interrupted; points with a result are not run again.
    #[arg(long)]
    resume: bool,
    /// Draw the results here (.svg, .png): over one parameter as curves, over two or more as a map of the first pick over the
    /// first two.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let target = Target::new(args.output.as_ref(), || super::write::default_output(&args.study, ""))?;
    if let Some(picture) = &args.picture
        && !matches!(ending(picture).as_str(), "svg" | "png")
    {
        return Err(Usage::refusal(format!("{}: a picture is an .svg or a .png file", picture.display())));
    }
    let mut study = SweepStudy::open(&args.study)?;
    study.interrupt = super::signals::interrupt();
    let recording = target.recording();
    super::write::make_folder(&recording)?;
    let begun = if args.resume { gelenk_io::begun(&recording)? } else { None };
    let columns = study.columns().to_vec();
    let mut meta = std::collections::BTreeMap::from([
        ("title".to_owned(), study.title().to_owned()),
        (KEY.to_owned(), study.fingerprint().to_owned()),
    ]);
    // Rows come slowly, and each is worth keeping.
    let parts = PartOptions { rows: 64, period: std::time::Duration::from_millis(100) };
    let (mut writer, done) = match &begun {
        Some(begun) => {
            let done = finished_points(&begun.recording, &study)?;
            begun.notices.iter().for_each(|notice| out.note(notice));
            let follows = Follows::new(done as u64, begun.recording.events().len() as u64);
            (PartWriter::resume(&recording, columns, meta.clone(), parts, follows)?, done)
        }
        None => {
            if args.resume {
                out.note(format_args!(
                    "nothing is recorded in {} yet; the sweep starts from the beginning",
                    recording.display()
                ));
            }
            (PartWriter::create(&recording, columns, meta.clone(), parts)?, 0)
        }
    };
    let total = study.points().values.len();
    let mut progress = Progress::new("point", (total - done) as u64);
    let (mut failures, mut stored) = (Vec::new(), Ok(()));
    study.run(done, &mut |result| {
        stored = store(&mut writer, &result.row, result.failure.as_deref(), study.fingerprint());
        if let Some(reason) = result.failure {
            failures.push((result.row[0] as usize, reason));
        }
        progress.advance();
        stored.is_ok()
    });
    progress.finish();
    let interrupted = study.interrupt.asked();
    if interrupted {
        writer.set_meta(gelenk_io::STATE, study.fingerprint());
    } else {
        meta.insert("summary.time".into(), total.to_string());
    }
    for (key, value) in meta {
        writer.set_meta(key, value);
    }
    let finished = if interrupted { writer.finish_early()? } else { writer.finish()? };
    stored?;
    let results = gelenk_io::read(&recording)?;
    say!(out, "{}", study.title());
    let failed = results.column(FAILED)?.iter().filter(|failed| **failed != 0.0).count();
    say!(out, "  points      {} of {total}, {failed} failed", results.len());
    for (number, reason) in failures.iter().take(LISTED) {
        say!(out, "  point {number}: {reason}");
    }
    if failures.len() > LISTED {
        say!(out, "  ... and {} more; the events of the table have the reasons", failures.len() - LISTED);
    }
    let picks = ranges(&study, &results, out)?;
    out.extend(json!({
        "title": study.title(),
        "points": total,
        "completed": results.len(),
        "failed": failed,
        "results": picks,
        "recording": Value::Null,
        "picture": Value::Null,
    }));
    match &target {
        Target::Recording(path) => {
            say!(
                out,
                "\n  recording   {} ({} points, {} bytes)",
                path.display(),
                finished.rows,
                finished.bytes
            );
            let path = path.display().to_string();
            out.set("recording", json!({ "path": path, "rows": finished.rows, "bytes": finished.bytes }));
        }
        Target::Table(path) => {
            super::write::table(&Pieces::open(&recording)?, path, &[])?;
            say!(out, "\n  table       {} ({} points)", path.display(), finished.rows);
            out.set("table", json!({ "path": path.display().to_string(), "rows": finished.rows }));
        }
    }
    if let Some(picture) = &args.picture {
        draw(&study, &results, picture)?;
        say!(out, "  picture     {}", picture.display());
        out.set("picture", picture.display().to_string());
    }
    if interrupted {
        return Ok(super::signals::interrupted(out, "the same command with --resume continues the sweep"));
    }
    if matches!(target, Target::Table(_)) {
        std::fs::remove_file(&recording)
            .map_err(|error| format!("{} cannot be removed: {error}", recording.display()))?;
    }
    Ok(DONE)
}

/// Points of a table that was begun; refuses that of another sweep, and one that is complete.
fn finished_points(begun: &Pieces, study: &SweepStudy) -> Result<usize, Refusal> {
    let same = begun.meta().get(KEY).is_some_and(|key| key == study.fingerprint());
    if !same || begun.columns() != study.columns() {
        return Err("the table belongs to another sweep, or its model or study has changed; start again without --resume".into());
    }
    let rows = begun.rows();
    if rows >= study.points().values.len() && begun.meta().contains_key("summary.time") {
        return Err("the sweep is complete; there is nothing to resume".into());
    }
    Ok(rows)
}

fn store(writer: &mut PartWriter, row: &[f64], failure: Option<&str>, state: &str) -> Result<(), SinkError> {
    if let Some(reason) = failure {
        let what = reason.lines().next().unwrap_or_default().to_owned();
        writer.event(Event { t: row[0], element: format!("point {}", row[0]), what })?;
    }
    writer.row(row)?;
    writer.state(state.to_owned())
}

/// Smallest and largest value of every pick.
fn ranges(study: &SweepStudy, results: &Recording, out: &mut Console) -> Result<Vec<Value>, Refusal> {
    let width = study.picked().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut list = Vec::new();
    for name in study.picked() {
        let column = results.columns().iter().find(|column| column.name == name);
        let unit = column.map(|column| column.unit.clone()).unwrap_or_default();
        let values: Vec<f64> = results.column(name)?.iter().copied().filter(|v| v.is_finite()).collect();
        let low = values.iter().copied().reduce(f64::min);
        let high = values.iter().copied().reduce(f64::max);
        if let (Some(low), Some(high)) = (low, high) {
            say!(out, "  {name:width$}  {} to {} {unit}", digits(low, 6), digits(high, 6));
        }
        list.push(json!({ "name": name, "unit": unit, "min": low, "max": high }));
    }
    Ok(list)
}

fn ending(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Draws the results over what was varied: over one parameter as curves, else as a map.
fn draw(study: &SweepStudy, results: &Recording, out: &Path) -> Result<(), Refusal> {
    let Some(drawing) = map_of(study, results)? else {
        let x = study.points().swept.first().map(|swept| swept.path.clone());
        let picks: Vec<String> = study.picked().map(str::to_owned).collect();
        let options = PlotOptions { title: Some(study.title().into()), x, ..PlotOptions::default() };
        return super::write::drawing(out, &[("", results)], &picks, &options, 2.0);
    };
    let picture = match ending(out).as_str() {
        "svg" => svg(&drawing).into_bytes(),
        _ => paint(&drawing, 2.0)?.png()?,
    };
    Ok(super::write::file(out, &picture)?)
}

/// The first pick in colours over the first two parameters; nothing where fewer are varied.
pub(super) fn map_of(study: &SweepStudy, results: &Recording) -> Result<Option<Drawing>, Refusal> {
    let points = study.points();
    let [x, y, ..] = points.swept.as_slice() else { return Ok(None) };
    let pick = study.picked().next().unwrap_or_default();
    let side = |name: &str| -> Result<(String, Vec<f64>), Refusal> {
        let unit = results.columns().iter().find(|column| column.name == name).map(|c| c.unit.clone());
        Ok((unit.unwrap_or_default(), results.column(name)?.to_vec()))
    };
    let (xs, ys, values) = (side(&x.path)?, side(&y.path)?, side(pick)?);
    let cells = match points.grid.as_slice() {
        [nx, ny] if is_even(&xs.1) && is_even(&ys.1) => Some([*nx, *ny]),
        _ => None,
    };
    let sides = [(x.path.as_str(), &xs), (y.path.as_str(), &ys), (pick, &values)]
        .map(|(name, (unit, values))| Side { name, unit, values });
    Ok(Some(map(study.title(), sides, cells)))
}

/// Whether values have even steps on the axis of a map; cells of other values would have wrong borders.
fn is_even(values: &[f64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let steps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let ratios: Vec<f64> = sorted.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let alike = |list: &[f64]| list.iter().all(|v| (v - list[0]).abs() <= 1e-6 * list[0].abs());
    let decades = sorted.first().zip(sorted.last()).is_some_and(|(a, b)| *a > 0.0 && *b > 100.0 * a);
    if decades { alike(&ratios) } else { alike(&steps) }
}
