use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::digits::digits;
use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;

/// Arguments of `kinematics`.
#[derive(clap::Args)]
pub struct Args {
    /// A study of kind `kinematics`, or a model, whose start is shown where no motion is given.
    file: PathBuf,
    /// Of a model: a recording whose motion is taken.
    #[arg(long, value_name = "RECORDING")]
    motion: Option<PathBuf>,
    /// Give a parameter another value, such as `--set bodies.arm.mass="0.2 kg"`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording; `runs/NAME-kinematics.parquet` where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw columns or groups, separated by commas; the coordinates and outputs where none are named.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
}

pub fn run(args: &Args) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study = MotionStudy::open(
        &args.file,
        StudyKind::Kinematics,
        "kinematics",
        args.motion.as_deref(),
        &overrides,
    )?;
    tell_text!("{}", study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let recording = study.kinematics()?;
    if recording.len() < study.motion.times.len() {
        tell!("interrupted; what was computed is being written");
    }
    say!("{}", study.prepared.title);
    tell_motion(&study);
    tell_notes(&recording);
    let rows = recording.len();
    if rows == 1 && args.output.is_none() {
        // One instant is a table, not a recording.
        let width = recording.columns().iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
        for (k, column) in recording.columns().iter().enumerate().skip(1) {
            let value = recording.values(k).and_then(|v| v.first()).copied().unwrap_or(f64::NAN);
            say!("  {:width$}  {:>16}  {}", column.name, digits(value, 10), column.unit);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let out = args.output.clone().unwrap_or_else(|| super::write::default_output(&args.file, "-kinematics"));
    super::write::recording(&recording, &out)?;
    say!("  recording   {} ({rows} samples)", out.display());
    if let Some(selection) = &args.plot {
        super::write::picture(&recording, &out, &study.prepared.title, selection)?;
    }
    if recording.len() < study.motion.times.len() {
        return Ok(super::signals::interrupted("the instants so far are recorded"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what was found along the motion.
pub fn tell_notes(recording: &gelenk_record::Recording) {
    for note in recording.meta().get("notes").into_iter().flat_map(|notes| notes.lines()) {
        tell!("note: {note}");
    }
}

/// Says where the motion comes from and what it leaves open.
pub fn tell_motion(study: &MotionStudy) {
    let (motion, mechanism) = (&study.motion, &study.prepared.mechanism);
    let (first, last) = (motion.times.first().copied(), motion.times.last().copied());
    say!("  motion      {}", motion.about);
    if let (Some(first), Some(last)) = (first, last)
        && motion.times.len() > 1
    {
        say!("  times       {first} s to {last} s, {} samples", motion.times.len());
        let held = motion.held(mechanism);
        if !held.is_empty() {
            let verb = if mechanism.loop_count() > 0 { "follow the loops, or stay" } else { "stay" };
            say!("  not given   {} ({verb})", held.join(", "));
        }
    }
}
