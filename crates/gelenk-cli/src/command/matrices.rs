use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;
use gelenk_multibody::Convention;

/// Arguments of `matrices`.
#[derive(clap::Args)]
pub struct Args {
    /// A model, whose start is shown where no motion is given, or a study of kind `kinematics`.
    file: PathBuf,
    /// Of a model: a recording whose motion is taken.
    #[arg(long, value_name = "RECORDING")]
    motion: Option<PathBuf>,
    /// A frame or body whose Jacobian is shown; all frames of the model where none is named.
    #[arg(long, value_name = "NAME")]
    frame: Vec<String>,
    /// Of what point and in which axes the Jacobians are.
    #[arg(long, value_enum, default_value_t = Axes::Origin)]
    jacobian: Axes,
    /// Give a parameter another value, such as `--set bodies.arm.mass="0.2 kg"`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// A file `.json`, or a recording; `runs/NAME-matrices.parquet` for a motion where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Conventions of Jacobians.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Axes {
    /// Of the point at the ground's origin, in ground axes.
    Ground,
    /// Of the origin of the frame, in its own axes.
    Body,
    /// Of the origin of the frame, in ground axes.
    Origin,
}

pub fn run(args: &Args) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study =
        MotionStudy::open(&args.file, StudyKind::Kinematics, "matrices", args.motion.as_deref(), &overrides)?;
    tell_text!("{}", study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let convention = match args.jacobian {
        Axes::Ground => Convention::Ground,
        Axes::Body => Convention::Body,
        Axes::Origin => Convention::Origin,
    };
    let along = study.matrices(&args.frame, convention)?;
    say!("{}", study.prepared.title);
    super::kinematics::tell_motion(&study);
    match (along.instants.as_slice(), &args.output) {
        ([at], None) => {
            say!("  M dv/dt + c + C_q^T lambda = Q, SI");
            say!("{}", along.text(at).trim_end());
        }
        (_, Some(path)) if path.extension().is_some_and(|end| end == "json") => {
            let text = serde_json::to_string(&along.json()).map_err(|error| error.to_string())?;
            super::write::beside(path, &args.file, text.as_bytes())?;
            say!("  matrices    {} ({} instants)", path.display(), along.instants.len());
        }
        (_, output) => {
            let default = || super::write::default_output(&args.file, "-matrices");
            let out = output.clone().unwrap_or_else(default);
            super::write::recording(&along.recording()?, &out)?;
            say!("  recording   {} ({} instants)", out.display(), along.instants.len());
        }
    }
    if along.instants.len() < study.motion.times.len() {
        return Ok(super::signals::interrupted("the instants so far are written"));
    }
    Ok(ExitCode::SUCCESS)
}
