use std::path::PathBuf;

use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;
use gelenk_multibody::Convention;
use serde_json::json;

use super::write::Target;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk matrices swing/model.toml
  gelenk matrices arm.toml --frame hand --jacobian body --json
  gelenk matrices arm.toml --motion runs/arm.parquet -o arm.json";

/// Arguments of `matrices`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model, whose start is shown unless --motion is given, or a study of kind `kinematics`.
    file: PathBuf,
    /// For a model: the recording whose motion is used.
    #[arg(long, value_name = "RECORDING")]
    motion: Option<PathBuf>,
    /// A frame or body whose Jacobian is shown; may be repeated [default: all frames of the model].
    #[arg(long, value_name = "NAME")]
    frame: Vec<String>,
    /// Reference point and axes of the Jacobians.
    #[arg(long, value_enum, default_value_t = Axes::Origin)]
    jacobian: Axes,
    /// Set a parameter, such as `--set bodies.arm.mass="0.2 kg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The matrices (.json), a recording (.parquet) or a table (.csv, .txt) [default for a motion:
    /// runs/NAME-matrices.parquet].
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

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let as_json = args.output.as_ref().filter(|path| path.extension().is_some_and(|end| end == "json"));
    let target = Target::new(args.output.as_ref().filter(|_| as_json.is_none()), || {
        super::write::default_output(&args.file, "-matrices")
    })?;
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study =
        MotionStudy::open(&args.file, StudyKind::Kinematics, "matrices", args.motion.as_deref(), &overrides)?;
    out.warnings(&study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let convention = match args.jacobian {
        Axes::Ground => Convention::Ground,
        Axes::Body => Convention::Body,
        Axes::Origin => Convention::Origin,
    };
    let along = study.matrices(&args.frame, convention)?;
    super::kinematics::report_motion(out, &study);
    match (along.instants.as_slice(), as_json) {
        ([at], None) if args.output.is_none() => {
            say!(out, "  M dv/dt + c + C_q^T lambda = Q, SI");
            say!(out, "{}", along.text(at).trim_end());
            out.set("matrices", along.json());
        }
        (_, Some(path)) => {
            let text = serde_json::to_string(&along.json()).map_err(|error| error.to_string())?;
            super::write::beside(path, &args.file, text.as_bytes())?;
            say!(out, "  matrices    {} ({} instants)", path.display(), along.instants.len());
            let file = json!({ "path": path.display().to_string(), "instants": along.instants.len() });
            out.set("file", file);
        }
        _ => super::write::recording(out, &along.recording()?, &target, "instants")?,
    }
    if along.instants.len() < study.motion.times.len() {
        return Ok(super::signals::interrupted(out, "the instants so far are written"));
    }
    Ok(DONE)
}
