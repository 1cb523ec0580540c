use std::path::PathBuf;

use gelenk::foreign;
use gelenk::open::{self, OpenError, Overrides};
use gelenk::splined::{self, SplineRequest};
use gelenk_import::{self as import, Entry, Imported};
use gelenk_math::units::Quantity;
use gelenk_model::{Failure, LoadedModel, compile, load_model};
use gelenk_multibody::Mechanism;
use gelenk_solve::{Method, Options};
use gelenk_system::{Nanos, System};
use serde_json::{Value, json};

use super::{Refusal, Usage};
use crate::console::{Console, DONE, FAILED};

const EXAMPLES: &str = "\
Examples:
  gelenk convert robot.urdf -o robot.toml
  gelenk convert scene.xml --repair-inertia -o scene.toml
  gelenk convert robot.urdf --free-base --json
  gelenk convert cases/knee-four-bar/model.toml --spline knee --over turn --from \"-130 deg\" --to \"0 deg\" -o knee.toml";

/// A run this long shows whether a model can move at all.
const INSTANT: Nanos = Nanos(1000);

/// Arguments of `convert`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A URDF, xacro, MJCF or SDF file, or with `--spline` a model.
    robot: PathBuf,
    /// Replace the loops that hold this joint by curves of its coordinates over one coordinate; may be repeated.
    #[arg(long, value_name = "JOINT", requires_all = ["over", "from", "to"])]
    spline: Vec<String>,
    /// The coordinate that the curves depend on.
    #[arg(long, value_name = "COORDINATE", requires = "spline")]
    over: Option<String>,
    /// First value of that coordinate, such as `--from "-130 deg"`.
    #[arg(long, value_name = "VALUE", requires = "spline", allow_hyphen_values = true)]
    from: Option<String>,
    /// Last value of that coordinate.
    #[arg(long, value_name = "VALUE", requires = "spline", allow_hyphen_values = true)]
    to: Option<String>,
    /// Number of knots.
    #[arg(long, value_name = "N", requires = "spline", default_value_t = 65)]
    knots: usize,
    /// The model file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Let the root link of a URDF move freely; otherwise it is fixed to the ground.
    #[arg(long)]
    free_base: bool,
    /// Omit rotor inertias (armature).
    #[arg(long)]
    without_armature: bool,
    /// Omit dry friction of joints.
    #[arg(long)]
    without_friction: bool,
    /// What joint limits become: elastic stops, ranges without force, or nothing.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = LimitsChoice::Stops)]
    limits: LimitsChoice,
    /// Time constant of elastic stops, such as `5 ms` [default: that of the file, or 20 ms].
    #[arg(long, value_name = "TIME")]
    stop_time: Option<String>,
    /// Omit actuators and effort limits, which become drives.
    #[arg(long)]
    without_drives: bool,
    /// Start at a keyframe of an MJCF file.
    #[arg(long, value_name = "KEYFRAME")]
    start: Option<String>,
    /// Replace inertias that are physically impossible by the nearest possible ones, and list them.
    #[arg(long)]
    repair_inertia: bool,
    /// Raise the principal moments of inertia of links with mass to this value, such as `1e-5 kg m^2`, and list them.
    #[arg(long, value_name = "MOMENT")]
    least_inertia: Option<String>,
    /// Copy the meshes into a folder next to the model, or link to them where they are [default: copy with `-o`].
    #[arg(long, value_name = "HOW")]
    meshes: Option<MeshesWord>,
    /// Folder of a package that the robot names, such as `--package-path my_robot=../my_robot`; may be repeated.
    #[arg(long, value_name = "NAME=FOLDER")]
    package_path: Vec<String>,
    /// Value of an argument of a xacro file, such as `--argument hand=true`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    argument: Vec<String>,
    /// What the collision shapes of the robot collide with.
    #[arg(long, value_name = "WHAT", default_value = "none")]
    collide: CollideWord,
}

#[derive(Clone, Copy, PartialEq, Debug, clap::ValueEnum)]
enum MeshesWord {
    Copy,
    Link,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CollideWord {
    /// Nothing: collision shapes are omitted.
    None,
    /// The ground plane.
    Ground,
    /// Other links, except neighbours at a joint.
    #[value(name = "self")]
    Own,
    /// The ground plane and other links.
    All,
}

/// Where the meshes of the model go.
fn mesh_files(args: &Args) -> import::MeshFiles {
    let stem = args.output.as_deref().and_then(|path| path.file_stem());
    let stem = stem.map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let base = args.output.as_deref().or(Some(&args.robot)).and_then(std::path::Path::parent);
    import::MeshFiles {
        copy: args.output.is_some() && args.meshes != Some(MeshesWord::Link),
        folder: format!("{stem}_meshes"),
        base: base.unwrap_or(std::path::Path::new("")).to_path_buf(),
    }
}

/// `NAME=FOLDER`.
fn packages(args: &Args) -> Result<Vec<import::Package>, Refusal> {
    let package = |text: &String| match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && std::path::Path::new(folder).is_dir() => {
            Ok(import::Package { name: name.to_owned(), folder: PathBuf::from(folder) })
        }
        Some((_, folder)) => {
            Err(Usage::refusal(format!("--package-path {text}: there is no folder {folder}")))
        }
        None => Err(Usage::refusal(format!("--package-path {text}: give NAME=FOLDER"))),
    };
    args.package_path.iter().map(package).collect()
}

/// `NAME=VALUE`.
fn arguments(args: &Args) -> Result<Vec<(String, String)>, Refusal> {
    let argument = |text: &String| match text.split_once('=').or_else(|| text.split_once(":=")) {
        Some((name, value)) if !name.is_empty() => {
            Ok((name.trim_end_matches(':').to_owned(), value.to_owned()))
        }
        _ => Err(Usage::refusal(format!("--argument {text}: give NAME=VALUE"))),
    };
    args.argument.iter().map(argument).collect()
}

/// What joint limits become.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum LimitsChoice {
    Stops,
    Ranges,
    None,
}

impl From<LimitsChoice> for import::Limits {
    fn from(choice: LimitsChoice) -> Self {
        match choice {
            LimitsChoice::Stops => Self::Stops,
            LimitsChoice::Ranges => Self::Ranges,
            LimitsChoice::None => Self::Omitted,
        }
    }
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    if !args.spline.is_empty() {
        return spline(args, out);
    }
    if let Some(message) = foreign::robot(&args.robot) {
        return Err(message.into());
    }
    let options = import::Options {
        free_base: args.free_base,
        armature: !args.without_armature,
        friction: !args.without_friction,
        limits: args.limits.into(),
        stop_time: args.stop_time.as_deref().map(|text| positive("--stop-time", text)).transpose()?,
        drives: !args.without_drives,
        start: args.start.clone(),
        repair_inertia: args.repair_inertia,
        least_inertia: args
            .least_inertia
            .as_deref()
            .map(|text| positive("--least-inertia", text))
            .transpose()?,
        packages: packages(args)?,
        arguments: arguments(args)?,
        meshes: mesh_files(args),
        collide: match args.collide {
            CollideWord::None => import::Collide::None,
            CollideWord::Ground => import::Collide::Ground,
            CollideWord::Own => import::Collide::Own,
            CollideWord::All => import::Collide::All,
        },
    };
    if args.meshes == Some(MeshesWord::Copy) && args.output.is_none() {
        return Err(Usage::refusal("--meshes copy needs -o FILE: meshes are copied next to the model"));
    }
    let imported = import::import_file(&args.robot, &options)?;
    let folder = args.robot.parent();
    write(args, out, &imported.text())?;
    write_meshes(args, &options.meshes, out, &imported)?;
    report(out, &imported);
    let opened = match &args.output {
        Some(path) => load_model(path),
        None => imported.model(folder),
    };
    let name = args.output.as_deref().map_or_else(|| "the model".into(), |path| path.display().to_string());
    Ok(check(out, &name, opened, &imported.impossible))
}

/// Writes the model to its file, or to standard output.
fn write(args: &Args, out: &mut Console, text: &str) -> Result<(), Refusal> {
    match &args.output {
        Some(path) => {
            super::write::beside(path, &args.robot, text.as_bytes())?;
            out.set("output", path.display().to_string());
        }
        None => {
            say!(out, "{}", text.trim_end());
            out.set("model", text);
        }
    }
    Ok(())
}

/// Writes the meshes of a model into their folder.
fn write_meshes(
    args: &Args,
    place: &import::MeshFiles,
    out: &mut Console,
    imported: &Imported,
) -> Result<(), Refusal> {
    let Some(path) = args.output.as_deref().filter(|_| !imported.files.is_empty()) else { return Ok(()) };
    let folder = path.parent().unwrap_or(std::path::Path::new("")).join(&place.folder);
    let mut bytes = 0;
    for file in &imported.files {
        super::write::file(&folder.join(&file.name), &file.bytes)?;
        bytes += file.bytes.len();
    }
    let megabytes = bytes as f64 / 1e6;
    out.progress(format_args!(
        "{} mesh files ({megabytes:.1} MB) are in {}",
        imported.files.len(),
        folder.display()
    ));
    out.extend(json!({ "meshes": { "folder": folder.display().to_string(), "files": imported.files.len(), "bytes": bytes } }));
    Ok(())
}

/// Writes a model whose joints follow curves instead of loops, and says how well.
fn spline(args: &Args, out: &mut Console) -> super::Done {
    let bound = |name: &str, text: &Option<String>| number(name, text.as_deref().unwrap_or_default());
    let request = SplineRequest {
        joints: args.spline.clone(),
        over: args.over.clone().unwrap_or_default(),
        range: [bound("--from", &args.from)?, bound("--to", &args.to)?],
        knots: args.knots,
    };
    let splined = splined::spline(&load_model(&args.robot)?, &request)?;
    for name in &splined.loops {
        out.progress(format_args!("loop {name} is removed"));
    }
    let mut curves = Vec::new();
    for (name, unit, deviation) in &splined.deviations {
        out.progress(format_args!(
            "{name} is a curve over {}; the largest error between the knots is {deviation:.2e} {unit}",
            request.over
        ));
        curves.push(json!({ "name": name, "error": deviation, "unit": unit }));
    }
    out.extend(
        json!({ "format": "model", "over": request.over, "loops_removed": splined.loops, "curves": curves }),
    );
    write(args, out, &splined.text)?;
    match &args.output {
        Some(path) => Ok(check(out, &path.display().to_string(), load_model(path), &[])),
        None => Ok(DONE),
    }
}

/// A number, in SI or with a unit.
fn number(name: &str, text: &str) -> Result<f64, Refusal> {
    if let Ok(value) = text.trim().parse::<f64>() {
        return Ok(value);
    }
    Quantity::parse(text)
        .map(|quantity| quantity.value)
        .map_err(|error| Usage::refusal(format!("{name} \"{text}\": {error}")))
}

/// Reports what the reader of the model should know.
fn report(out: &mut Console, imported: &Imported) {
    for remark in &imported.remarks {
        out.note(remark);
    }
    for missing in &imported.missing {
        out.warning(missing);
    }
    for repair in &imported.repairs {
        out.progress(format_args!("repaired: {repair}"));
    }
    for line in table(imported) {
        out.progress(line);
    }
    let repairs: Vec<Value> = imported
        .repairs
        .iter()
        .map(|repair| json!({ "link": repair.link, "before": repair.before, "after": repair.after }))
        .collect();
    let list = |entries: &[Entry]| -> Vec<Value> {
        let entry = |entry: &Entry| json!({ "kind": entry.kind, "count": entry.count, "names": entry.names, "places": entry.places });
        entries.iter().map(entry).collect()
    };
    out.extend(json!({
        "format": imported.format.name(),
        "remarks": imported.remarks,
        "repairs": repairs,
        "converted": list(&imported.taken),
        "changed": list(&imported.changed),
        "omitted": list(&imported.left_out),
        "impossible_inertias": imported.impossible,
    }));
}

/// What was converted, changed and omitted: a line a kind, with its number, the first names and their places.
fn table(imported: &Imported) -> Vec<String> {
    let parts =
        [("converted", &imported.taken), ("changed", &imported.changed), ("omitted", &imported.left_out)];
    let all = parts.iter().flat_map(|(_, entries)| entries.iter());
    // Long kinds do not move the numbers of all others to the right.
    let width = all.map(|entry| entry.kind.chars().count()).filter(|n| *n <= 60).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (title, entries) in parts {
        for (i, entry) in entries.iter().enumerate() {
            let title = if i == 0 { title } else { "" };
            let mut place = entry.examples();
            if let [first, ..] = entry.places.as_slice() {
                let space = if place.is_empty() { "" } else { " " };
                place += &format!("{space}[{first}]");
            }
            let line = format!("  {title:<9} {:<width$} {:>6}  {place}", entry.kind, entry.count);
            lines.push(line.trim_end().to_owned());
        }
    }
    lines
}

/// A number greater than zero.
fn positive(name: &str, text: &str) -> Result<f64, Refusal> {
    let value = number(name, text)?;
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Usage::refusal(format!("{name} \"{text}\" must be greater than 0")))
}

/// Tries whether the model runs: a robot may be wrong in ways that its own format does not mind.
fn check(out: &mut Console, name: &str, opened: Result<LoadedModel, Failure>, impossible: &[String]) -> u8 {
    let prepared = opened.map_err(OpenError::from).and_then(|model| {
        let compiled = compile(&model, &mut open::read_log)?;
        open::prepare(&model, None, compiled, &Overrides::default())
    });
    let mut points = false;
    match prepared {
        Ok(prepared) => {
            out.warnings(&prepared.warnings);
            let mechanism = &prepared.mechanism;
            let counts = [mechanism.body_count(), mechanism.velocity_count(), mechanism.constraint_count()];
            let [bodies, velocities, equations] = counts;
            out.progress(format_args!(
                "{name}: bodies: {bodies}, velocities: {velocities}, loop equations: {equations}"
            ));
            out.extend(json!({ "bodies": bodies, "velocities": velocities, "loop_equations": equations }));
            match try_out(mechanism, &prepared.parameters.values()) {
                Ok(()) => return DONE,
                Err(reason) => {
                    points = reason.contains("mass");
                    out.error(reason);
                }
            }
        }
        Err(error) => out.error(error),
    }
    let mut message = format!("{name} cannot run as it is");
    if let [first, rest @ ..] = impossible {
        let names: String = rest.iter().map(|name| format!(", \"{name}\"")).collect();
        message += &format!("\n  the inertias of these links are physically impossible: \"{first}\"{names}");
        message +=
            "\n  = help: convert with --repair-inertia to use the nearest possible ones, or correct them";
    } else if points {
        message += "\n  = help: point masses resist no rotation: convert with --least-inertia \"1e-5 kg m^2\", or correct them";
    }
    out.progress("");
    out.error(message);
    FAILED
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
                "at the start, {} can move without moving any mass if others move with it: the bodies that it carries need \
                 a moment of inertia",
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
