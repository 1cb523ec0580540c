use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::digits::{cell, digits};
use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;

/// Arguments of `inverse`.
#[derive(clap::Args)]
pub struct Args {
    /// A study of kind `inverse-dynamics`, or a model, whose start is shown where no motion is given.
    file: PathBuf,
    /// Of a model: a recording whose motion is taken.
    #[arg(long, value_name = "RECORDING")]
    motion: Option<PathBuf>,
    /// Give a parameter another value, such as `--set bodies.arm.mass="0.2 kg"`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording; `runs/NAME-inverse.parquet` where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw columns or groups, separated by commas; the drives where none are named.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "drives")]
    plot: Option<String>,
}

pub fn run(args: &Args) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study = MotionStudy::open(
        &args.file,
        StudyKind::InverseDynamics,
        "inverse",
        args.motion.as_deref(),
        &overrides,
    )?;
    tell_text!("{}", study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let recording = study.inverse_dynamics()?;
    if recording.len() < study.motion.times.len() {
        tell!("interrupted; what was computed is being written");
    }
    say!("{}", study.prepared.title);
    super::kinematics::tell_motion(&study);
    super::kinematics::tell_notes(&recording);
    let sure = sure_rows(&study, &recording);
    let drives: Vec<_> = recording
        .columns()
        .iter()
        .filter(|c| c.name.starts_with("drives.") || c.name.starts_with("missing."))
        .collect();
    let width = drives.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    say!("\n  {:width$}  {:>14}  {:>14}", "", "least", "largest");
    for column in drives {
        let values = recording.column(&column.name)?.get(sure.clone()).unwrap_or_default();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least <= largest {
            let scale = least.abs().max(largest.abs());
            let (least, largest) = (cell(least, scale), cell(largest, scale));
            say!("  {:width$}  {least:>14}  {largest:>14}  {}", column.name, column.unit);
        }
    }
    let out = args.output.clone().unwrap_or_else(|| super::write::default_output(&args.file, "-inverse"));
    super::write::recording(&recording, &out)?;
    say!("\n  recording   {} ({} samples)", out.display(), recording.len());
    if let Some(selection) = &args.plot {
        super::write::picture(&recording, &out, &study.prepared.title, selection)?;
    }
    if recording.len() < study.motion.times.len() {
        return Ok(super::signals::interrupted("the instants so far are recorded"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Rows whose accelerations the samples decide: those away from the ends of a motion that was filtered. Says which were left out.
fn sure_rows(study: &MotionStudy, recording: &gelenk_record::Recording) -> std::ops::Range<usize> {
    let (time, unsure) = (recording.time(), study.motion.unsure);
    let all = 0..time.len();
    let (Some(&first), Some(&last)) = (time.first(), time.last()) else { return all };
    if unsure == 0.0 {
        return all;
    }
    let sure = time.partition_point(|&t| t < first + unsure)..time.partition_point(|&t| t <= last - unsure);
    if sure.is_empty() {
        tell!(
            "note: the motion is shorter than two periods of the filter; its accelerations follow from how the filter goes on \
             beyond the ends"
        );
        return all;
    }
    say!(
        "  range       {} s to {} s: nearer to the ends, within {} s, the accelerations follow from how the filter goes on \
         there",
        digits(time[sure.start], 6),
        digits(time[sure.end - 1], 6),
        digits(unsure, 3)
    );
    sure
}
