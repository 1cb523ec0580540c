use std::path::PathBuf;

use gelenk::digits::{cell, digits};
use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;
use serde_json::json;

use super::write::Target;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk inverse cases/four-bar-drive/study.toml
  gelenk inverse swing/model.toml --motion runs/swing.parquet --plot drives
  gelenk inverse swing/model.toml --json";

/// Arguments of `inverse`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A study of kind `inverse-dynamics`, or a model, whose start is shown unless --motion is given.
    file: PathBuf,
    /// For a model: the recording whose motion is used.
    #[arg(long, value_name = "RECORDING")]
    motion: Option<PathBuf>,
    /// Set a parameter, such as `--set bodies.arm.mass="0.2 kg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording (.parquet), or a table (.csv, .txt) [default: runs/NAME-inverse.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Plot columns or groups, separated by commas [default: drives].
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "drives")]
    plot: Option<String>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let target = Target::new(args.output.as_ref(), || super::write::default_output(&args.file, "-inverse"))?;
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study = MotionStudy::open(
        &args.file,
        StudyKind::InverseDynamics,
        "inverse",
        args.motion.as_deref(),
        &overrides,
    )?;
    out.warnings(&study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let recording = study.inverse_dynamics()?;
    if recording.len() < study.motion.times.len() {
        out.progress("interrupted; what was computed is being written");
    }
    super::kinematics::report_motion(out, &study);
    super::kinematics::report_notes(out, &recording);
    let sure = sure_rows(out, &study, &recording);
    let drives: Vec<_> = recording
        .columns()
        .iter()
        .filter(|c| c.name.starts_with("drives.") || c.name.starts_with("missing."))
        .collect();
    let width = drives.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    say!(out, "\n  {:width$}  {:>14}  {:>14}", "", "least", "largest");
    let mut ranges = Vec::new();
    for column in drives {
        let values = recording.column(&column.name)?.get(sure.clone()).unwrap_or_default();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least <= largest {
            let scale = least.abs().max(largest.abs());
            let (shown_least, shown_largest) = (cell(least, scale), cell(largest, scale));
            say!(out, "  {:width$}  {shown_least:>14}  {shown_largest:>14}  {}", column.name, column.unit);
            let range =
                json!({ "name": column.name, "least": least, "largest": largest, "unit": column.unit });
            ranges.push(range);
        }
    }
    out.set("drives", ranges);
    say!(out);
    super::write::recording(out, &recording, &target, "samples")?;
    if let Some(selection) = &args.plot {
        super::write::picture(out, &recording, &target, &study.prepared.title, selection)?;
    }
    if recording.len() < study.motion.times.len() {
        return Ok(super::signals::interrupted(out, "the instants so far are recorded"));
    }
    Ok(DONE)
}

/// Rows whose accelerations the samples decide: those away from the ends of a motion that was filtered. Says which were left out.
fn sure_rows(
    out: &mut Console,
    study: &MotionStudy,
    recording: &gelenk_record::Recording,
) -> std::ops::Range<usize> {
    let (time, unsure) = (recording.time(), study.motion.unsure);
    let all = 0..time.len();
    let (Some(&first), Some(&last)) = (time.first(), time.last()) else { return all };
    if unsure == 0.0 {
        return all;
    }
    let sure = time.partition_point(|&t| t < first + unsure)..time.partition_point(|&t| t <= last - unsure);
    if sure.is_empty() {
        out.note(
            "the motion is shorter than two periods of the filter; its accelerations depend on how the filter continues it \
             beyond its ends",
        );
        return all;
    }
    let (from, to) = (time[sure.start], time[sure.end - 1]);
    say!(
        out,
        "  range       {} s to {} s: within {} s of the ends the accelerations depend on how the filter continues the motion",
        digits(from, 6),
        digits(to, 6),
        digits(unsure, 3)
    );
    out.set("range", json!({ "from": from, "to": to, "left_out_at_each_end": unsure }));
    sure
}
