use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::open::{self, Overrides};
use gelenk::splined::{self, SplineRequest};
use gelenk_math::units::Quantity;
use gelenk_model::import::{self, Imported, Options};
use gelenk_model::load_model;

/// Arguments of `convert`.
#[derive(clap::Args)]
pub struct Args {
    /// A URDF or MJCF file, or with `--spline` a model.
    robot: PathBuf,
    /// Make the coordinates of this joint curves over one coordinate, instead of the loops that hold them; may be
    /// given again.
    #[arg(long, value_name = "JOINT", requires_all = ["over", "from", "to"])]
    spline: Vec<String>,
    /// The coordinate that stays.
    #[arg(long, value_name = "COORDINATE", requires = "spline")]
    over: Option<String>,
    /// Where the curves begin, such as `--from "-130 deg"`.
    #[arg(long, value_name = "VALUE", requires = "spline", allow_hyphen_values = true)]
    from: Option<String>,
    /// Where they end.
    #[arg(long, value_name = "VALUE", requires = "spline", allow_hyphen_values = true)]
    to: Option<String>,
    /// Number of knots.
    #[arg(long, value_name = "N", requires = "spline", default_value_t = 65)]
    knots: usize,
    /// The model file; standard output where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Let the root link of a URDF move freely; else it is fixed to the ground.
    #[arg(long)]
    free_base: bool,
    /// Leave out rotor inertias (armature).
    #[arg(long)]
    without_armature: bool,
    /// Leave out the limits of joints, which become elastic stops.
    #[arg(long)]
    without_stops: bool,
}

pub fn run(args: &Args) -> super::Done {
    if !args.spline.is_empty() {
        return spline(args);
    }
    let options =
        Options { free_base: args.free_base, armature: !args.without_armature, stops: !args.without_stops };
    let imported = import::import_file(&args.robot, &options)?;
    match &args.output {
        Some(path) => {
            super::write::beside(path, &args.robot, imported.text.as_bytes())?;
            tell(&imported);
            check(path);
        }
        None => {
            say!("{}", imported.text.trim_end());
            tell(&imported);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a model whose joints follow curves instead of loops, and says how well.
fn spline(args: &Args) -> super::Done {
    let bound = |name: &str, text: &Option<String>| number(name, text.as_deref().unwrap_or_default());
    let request = SplineRequest {
        joints: args.spline.clone(),
        over: args.over.clone().unwrap_or_default(),
        range: [bound("--from", &args.from)?, bound("--to", &args.to)?],
        knots: args.knots,
    };
    let splined = splined::spline(&load_model(&args.robot)?, &request)?;
    for name in &splined.loops {
        tell!("loop {name} is gone");
    }
    for (name, unit, deviation) in &splined.deviations {
        tell!(
            "{name} is a curve over {}, off by {deviation:.2e} {unit} at most between the knots",
            request.over
        );
    }
    match &args.output {
        Some(path) => {
            super::write::beside(path, &args.robot, splined.text.as_bytes())?;
            check(path);
        }
        None => say!("{}", splined.text.trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

/// A number, in SI or with a unit.
fn number(name: &str, text: &str) -> Result<f64, String> {
    if let Ok(value) = text.trim().parse::<f64>() {
        return Ok(value);
    }
    Quantity::parse(text)
        .map(|quantity| quantity.value)
        .map_err(|error| format!("{name} \"{text}\": {error}"))
}

/// Says on standard error what the reader of the model should know.
fn tell(imported: &Imported) {
    for remark in &imported.remarks {
        tell!("note: {remark}");
    }
    if !imported.left_out.is_empty() {
        tell!("Not converted:");
    }
    for entry in &imported.left_out {
        tell!("  {entry}");
    }
}

/// A robot may be wrong in ways that its own format does not mind, such as an inertia that no body has.
fn check(path: &Path) {
    match open::simulation(path, &Overrides::default()) {
        Ok(prepared) => tell!(
            "{}: a model of {} bodies, {} velocities and {} loop equations",
            path.display(),
            prepared.mechanism.body_count(),
            prepared.mechanism.velocity_count(),
            prepared.mechanism.constraint_count(),
        ),
        Err(error) => tell!("{error}\n\nwarning: {} needs corrections before it can run", path.display()),
    }
}
