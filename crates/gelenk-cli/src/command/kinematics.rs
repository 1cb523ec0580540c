use std::path::PathBuf;

use gelenk::digits::digits;
use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;
use serde_json::{Value, json};

use super::write::Target;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk kinematics cases/arm-kinematics/study.toml
  gelenk kinematics swing/model.toml
  gelenk kinematics swing/model.toml --motion runs/swing.parquet -o poses.csv --json";

/// Arguments of `kinematics`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A study of kind `kinematics`, or a model, whose start is shown unless --motion is given.
    file: PathBuf,
    /// For a model: the recording whose motion is used.
    #[arg(long, value_name = "RECORDING")]
    motion: Option<PathBuf>,
    /// Set a parameter, such as `--set bodies.arm.mass="0.2 kg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording (.parquet), or a table (.csv, .txt) [default: runs/NAME-kinematics.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Plot columns or groups, separated by commas [default: coordinates and outputs].
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let target =
        Target::new(args.output.as_ref(), || super::write::default_output(&args.file, "-kinematics"))?;
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study = MotionStudy::open(
        &args.file,
        StudyKind::Kinematics,
        "kinematics",
        args.motion.as_deref(),
        &overrides,
    )?;
    out.warnings(&study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let recording = study.kinematics()?;
    if recording.len() < study.motion.times.len() {
        out.progress("interrupted; what was computed is being written");
    }
    report_motion(out, &study);
    report_notes(out, &recording);
    if recording.len() == 1 && args.output.is_none() {
        // One instant is a table, not a recording.
        let width = recording.columns().iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
        let mut values = Vec::new();
        for (k, column) in recording.columns().iter().enumerate().skip(1) {
            let value = recording.values(k).and_then(|v| v.first()).copied().unwrap_or(f64::NAN);
            say!(out, "  {:width$}  {:>16}  {}", column.name, digits(value, 10), column.unit);
            values.push(json!({ "name": column.name, "value": value, "unit": column.unit }));
        }
        out.set("values", values);
        return Ok(DONE);
    }
    super::write::recording(out, &recording, &target, "samples")?;
    if let Some(selection) = &args.plot {
        super::write::picture(out, &recording, &target, &study.prepared.title, selection)?;
    }
    if recording.len() < study.motion.times.len() {
        return Ok(super::signals::interrupted(out, "the instants so far are recorded"));
    }
    Ok(DONE)
}

/// Reports what was found along the motion.
pub fn report_notes(out: &mut Console, recording: &gelenk_record::Recording) {
    for note in recording.meta().get("notes").into_iter().flat_map(|notes| notes.lines()) {
        out.note(note);
    }
}

/// Reports the title, where the motion comes from and which coordinates it does not give.
pub fn report_motion(out: &mut Console, study: &MotionStudy) {
    let (motion, mechanism) = (&study.motion, &study.prepared.mechanism);
    say!(out, "{}", study.prepared.title);
    say!(out, "  motion      {}", motion.about);
    let mut document =
        json!({ "source": motion.about, "instants": motion.times.len(), "not_given": Value::Null });
    if let (Some(first), Some(last)) = (motion.times.first(), motion.times.last()) {
        document["from"] = json!(first);
        document["to"] = json!(last);
        if motion.times.len() > 1 {
            say!(out, "  times       {first} s to {last} s, {} samples", motion.times.len());
            let held = motion.held(mechanism);
            if !held.is_empty() {
                let verb = if mechanism.loop_count() > 0 {
                    "determined by the loops, or constant"
                } else {
                    "constant"
                };
                say!(out, "  not given   {} ({verb})", held.join(", "));
            }
            document["not_given"] = json!(held);
        }
    }
    out.set("title", study.prepared.title.as_str());
    out.set("motion", document);
}
