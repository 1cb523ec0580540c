use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::digits::cell;
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
    say!("{}", study.prepared.title);
    super::kinematics::tell_motion(&study);
    let drives: Vec<_> = recording
        .columns()
        .iter()
        .filter(|c| c.name.starts_with("drives.") || c.name.starts_with("missing."))
        .collect();
    let width = drives.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    say!("\n  {:width$}  {:>14}  {:>14}", "", "least", "largest");
    for column in drives {
        if let Some((least, largest)) = recording.extremes(&column.name)? {
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
