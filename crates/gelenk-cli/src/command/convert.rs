use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::open::{self, OpenError, Overrides};
use gelenk::splined::{self, SplineRequest};
use gelenk_import::{self as import, Imported};
use gelenk_math::units::Quantity;
use gelenk_model::{Failure, Loaded, ModelFile, compile, load_model};
use gelenk_multibody::Mechanism;
use gelenk_solve::{Method, Options};
use gelenk_system::{Nanos, System};

/// A run this long shows whether a model can move at all.
const INSTANT: Nanos = Nanos(1000);

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
    /// Replace inertias that no body has by the nearest possible ones, and list them.
    #[arg(long)]
    repair_inertia: bool,
}

pub fn run(args: &Args) -> super::Done {
    if !args.spline.is_empty() {
        return spline(args);
    }
    let options = import::Options {
        free_base: args.free_base,
        armature: !args.without_armature,
        stops: !args.without_stops,
        repair_inertia: args.repair_inertia,
    };
    let imported = import::import_file(&args.robot, &options)?;
    let folder = args.robot.parent();
    match &args.output {
        Some(path) => super::write::beside(path, &args.robot, imported.text().as_bytes())?,
        None => say!("{}", imported.text().trim_end()),
    }
    tell(&imported);
    let opened = match &args.output {
        Some(path) => load_model(path),
        None => imported.model(folder),
    };
    let name = args.output.as_deref().map_or_else(|| "the model".into(), |path| path.display().to_string());
    Ok(check(&name, opened, &imported.impossible))
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
            return Ok(check(&path.display().to_string(), load_model(path), &[]));
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
    for repair in &imported.repairs {
        tell!("repaired: {repair}");
    }
    if !imported.left_out.is_empty() {
        tell!("Not converted:");
    }
    for entry in &imported.left_out {
        tell!("  {entry}");
    }
}

/// Tries whether the model runs: a robot may be wrong in ways that its own format does not mind.
fn check(name: &str, opened: Result<Loaded<ModelFile>, Failure>, impossible: &[String]) -> ExitCode {
    let prepared = opened.map_err(OpenError::from).and_then(|model| {
        let compiled = compile(&model, &mut open::read_log)?;
        open::prepare(&model, None, compiled, &Overrides::default())
    });
    match prepared {
        Ok(prepared) => {
            tell_text!("{}", prepared.warnings);
            let mechanism = &prepared.mechanism;
            tell!(
                "{name}: a model of {} bodies, {} velocities and {} loop equations",
                mechanism.body_count(),
                mechanism.velocity_count(),
                mechanism.constraint_count(),
            );
            match try_out(mechanism, &prepared.parameters.values()) {
                Ok(()) => return ExitCode::SUCCESS,
                Err(reason) => tell!("error: {reason}"),
            }
        }
        Err(error) => tell!("{error}"),
    }
    tell!("\nerror: {name} cannot run as it is");
    if let [first, rest @ ..] = impossible {
        let names: String = rest.iter().map(|name| format!(", \"{name}\"")).collect();
        tell!("  no body has the inertias of these links: \"{first}\"{names}");
        tell!("  = help: convert with --repair-inertia to take the nearest possible ones, or correct them");
    }
    ExitCode::FAILURE
}

/// Takes one short step, in bounded time whatever the model is like.
fn try_out(mechanism: &Mechanism, p: &[f64]) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    if mechanism.constraint_count() == 0 {
        let mut data = mechanism.data();
        mechanism.bind(&mut data, p);
        let layout = mechanism.layout();
        let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut x, &mut memory).map_err(|error| said(&error))?;
        let mut mass = vec![0.0; layout.nv * layout.nv];
        mechanism.mass_matrix(&mut data, 0.0, &x[layout.q()], &mut mass).map_err(|error| said(&error))?;
        if let Some(dependent) = dependent(&mut mass, layout.nv) {
            return Err(format!(
                "at the start {} can move without moving any mass, if others move along: \
                 give inertia to the bodies that it carries",
                mechanism.velocity_name(dependent)
            ));
        }
    }
    let options = Options { until: INSTANT, output: INSTANT, method: Method::Rk4 { step: INSTANT } };
    gelenk::run::run(mechanism, p, &options).map(|_| ()).map_err(|error| said(&error))
}

/// The first row of a mass matrix that depends on those before it, up to rounding. The matrix is overwritten.
fn dependent(mass: &mut [f64], n: usize) -> Option<usize> {
    // What is left of a diagonal entry when the motions before it are taken out, beside the entry itself.
    const RANK: f64 = 1e-12;
    for k in 0..n {
        let whole = mass[k * n + k];
        for j in 0..k {
            let mut sum = mass[k * n + j];
            for i in 0..j {
                sum -= mass[k * n + i] * mass[j * n + i];
            }
            mass[k * n + j] = sum / mass[j * n + j];
        }
        // A coordinate that moves nothing at all is named by the run.
        if whole <= 0.0 {
            return None;
        }
        let rest = whole - (0..k).map(|j| mass[k * n + j] * mass[k * n + j]).sum::<f64>();
        if rest.is_nan() || rest <= RANK * whole {
            return Some(k);
        }
        mass[k * n + k] = rest.sqrt();
    }
    None
}
