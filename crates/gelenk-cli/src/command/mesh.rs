//! Meshes: inspect, check, repair and make them.

use std::path::{Path, PathBuf};

use super::measure::measure;
use super::{Refusal, Usage};
use crate::console::{Console, DONE, FAILED};
use gelenk::foreign;
use gelenk_math::units::Dimension;
use gelenk_mesh::make::{self, Axis};
use gelenk_mesh::{Format, Repair, Survey, TriMesh};
use serde_json::{Value, json};

const INFO: &str = "\
Examples:
  gelenk mesh info part.stl
  gelenk mesh info part.stl --json";

const CHECK: &str = "\
Examples:
  gelenk mesh check part.stl hull.obj
  gelenk mesh check part.stl --json";

const REPAIR: &str = "\
Examples:
  gelenk mesh repair part.stl -o part.ply --weld 1e-6
  gelenk mesh repair scan.obj -o scan.ply --decimate 2000 --scale 0.001";

const MAKE: &str = "\
Examples:
  gelenk mesh make icosphere --radius \"10 cm\" --depth 4 -o ball.obj
  gelenk mesh make box --size \"2 m, 1 m, 10 cm\" --rings 4 -o plate.stl
  gelenk mesh make wheel --profile \"-100 mm 280 mm, 100 mm 280 mm\" -o wheel.ply";

/// What is done with a mesh.
#[derive(clap::Subcommand)]
pub enum Args {
    /// Show the size, area, volume and mass properties of a mesh file.
    #[command(after_help = INFO)]
    Info {
        /// STL, OBJ, PLY, DAE, glTF or MSH file.
        file: PathBuf,
    },
    /// Report all defects of mesh files that affect contact or mass properties, and what helps.
    #[command(after_help = CHECK)]
    Check {
        /// STL, OBJ, PLY, DAE, glTF or MSH files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Weld vertices, orient triangles outwards, drop degenerate ones; refine, coarsen, scale.
    Repair(RepairArgs),
    /// Make the mesh of a simple body.
    Make(MakeArgs),
}

/// Arguments of `mesh repair`.
#[derive(clap::Args)]
#[command(after_help = REPAIR)]
pub struct RepairArgs {
    /// STL, OBJ, PLY, DAE, glTF or MSH file.
    file: PathBuf,
    /// File to write: .stl, .obj or .ply.
    #[arg(short, long)]
    output: PathBuf,
    /// Merge vertices that are not farther apart than this, in units of the file.
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0)]
    weld: f64,
    /// Keep the orientation of the triangles.
    #[arg(long)]
    keep_orientation: bool,
    /// Keep triangles of zero area.
    #[arg(long)]
    keep_degenerate: bool,
    /// Swap inside and outside, as the last operation.
    #[arg(long)]
    reverse: bool,
    /// Multiply all coordinates.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    scale: f64,
    /// Split every triangle in four, this many times.
    #[arg(long, value_name = "TIMES", default_value_t = 0)]
    subdivide: usize,
    /// Coarsen to about this many triangles.
    #[arg(long, value_name = "TRIANGLES")]
    decimate: Option<usize>,
}

/// Arguments of `mesh make`.
#[derive(clap::Args)]
#[command(after_help = MAKE)]
pub struct MakeArgs {
    /// The body.
    shape: ShapeName,
    /// File to write: .stl, .obj or .ply.
    #[arg(short, long)]
    output: PathBuf,
    /// Radius; of a paraboloid its radius of curvature, negative to bend it down; of a torus that of its ring.
    #[arg(long, default_value = "1 m", allow_hyphen_values = true)]
    radius: String,
    /// Length along the axis; of a capsule without its half spheres.
    #[arg(long, default_value = "1 m")]
    length: String,
    /// Height of a cone or funnel.
    #[arg(long, default_value = "1 m")]
    height: String,
    /// Edges of a plane or box, such as "2 m, 1 m"; the opening of a funnel; the square of a paraboloid.
    #[arg(long, default_value = "1 m")]
    size: String,
    /// Radius of the tube of a torus, of the groove of a dumb-bell.
    #[arg(long, default_value = "0.25 m")]
    tube: String,
    /// Distance of the spheres of a dumb-bell from its middle [default: its radius].
    #[arg(long)]
    offset: Option<String>,
    /// Divisions around the axis.
    #[arg(long, default_value_t = 32)]
    segments: usize,
    /// Divisions along the profile; of a plane or box along an edge; vertices along an edge of a paraboloid.
    #[arg(long, default_value_t = 16)]
    rings: usize,
    /// Divisions of the edges of a funnel.
    #[arg(long, default_value_t = 1)]
    divisions: usize,
    /// How often the triangles of an icosphere are split in four.
    #[arg(long, default_value_t = 3)]
    depth: usize,
    /// Profile of a wheel from left to right, pairs of place along the axis and radius, such as
    /// "-100 mm 280 mm, 100 mm 280 mm".
    #[arg(long, allow_hyphen_values = true)]
    profile: Option<String>,
    /// Semi-axes of an ellipsoid, such as "10 cm, 8 cm, 12 cm"; for a tapered capsule the radii of its lower and upper
    /// sphere.
    #[arg(long, default_value = "1 m")]
    radii: String,
    /// Number of triangles of an ellipsoid or a tapered capsule, even.
    #[arg(long, default_value_t = 1000)]
    triangles: usize,
    /// Axis of a body of revolution [default: z; of a wheel: y].
    #[arg(long)]
    axis: Option<AxisName>,
}

/// Bodies that can be made.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ShapeName {
    Plane,
    Box,
    Funnel,
    Sphere,
    Icosphere,
    Paraboloid,
    Cylinder,
    Cone,
    Capsule,
    Torus,
    DumbBell,
    Wheel,
    Ellipsoid,
    TaperedCapsule,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum AxisName {
    X,
    Y,
    Z,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    match args {
        Args::Info { file } => info(out, file),
        Args::Check { files } => check(out, files),
        Args::Repair(args) => repair(args, out),
        Args::Make(args) => make_one(args, out),
    }
}

fn read(path: &Path) -> Result<TriMesh, Refusal> {
    let name = path.display();
    if let Some(message) = foreign::mesh(path) {
        return Err(message.into());
    }
    let format = format_of(path)?;
    // A device or a pipe may never end.
    if std::fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
        return Err(format!("{name} cannot be read: it is not a file").into());
    }
    let bytes = std::fs::read(path).map_err(|error| format!("{name} cannot be read: {error}"))?;
    Ok(TriMesh::from_bytes(format, &bytes).map_err(|error| format!("{name}: {error}"))?)
}

fn format_of(path: &Path) -> Result<Format, Refusal> {
    Format::of_name(&path.to_string_lossy()).ok_or_else(|| {
        Usage::refusal(format!(
            "{}: a mesh file is an .stl, .obj, .ply, .dae, .gltf, .glb or .msh file",
            path.display()
        ))
    })
}

fn write(path: &Path, mesh: &TriMesh) -> Result<(), Refusal> {
    let bytes = mesh.to_bytes(format_of(path)?);
    let bytes = bytes.map_err(|error| Usage::refusal(format!("{}: {error}", path.display())))?;
    Ok(super::write::file(path, &bytes)?)
}

fn survey(path: &Path, mesh: &TriMesh) -> Result<Survey, String> {
    mesh.survey().map_err(|error| format!("{}: {error}", path.display()))
}

fn info(out: &mut Console, path: &Path) -> super::Done {
    let mesh = read(path)?;
    let survey = survey(path, &mesh)?;
    let [low, high] = survey.bounds;
    say!(
        out,
        "{}: {} triangles, {} edges, {} vertices, {} component{}",
        path.display(),
        survey.triangles,
        survey.edges,
        survey.vertices,
        survey.components,
        if survey.components == 1 { "" } else { "s" }
    );
    // Files of meshes have no units: the numbers are in theirs, as long as nobody says what they mean.
    say!(out, "  lengths are in units of the file, L");
    let size = low.iter().chain(&high).fold(0.0, |size: f64, x| size.max(x.abs()));
    say!(out, "  from    {} L", triple(low, size));
    say!(out, "  to      {} L", triple(high, size));
    say!(out, "  edges   {} to {} L", digits(survey.edge_lengths[0]), digits(survey.edge_lengths[1]));
    say!(out, "  area    {} L^2", digits(survey.area));
    let solid = match mesh.solid() {
        Ok(solid) => {
            say!(out, "  closed, volume {} L^3", digits(solid.volume));
            say!(out, "  centre  {} L", triple(solid.centre, size));
            let [xx, yy, zz, xy, xz, yz] = solid.inertia;
            let largest = xx.max(yy).max(zz);
            let (moments, products) = (triple([xx, yy, zz], largest), triple([xy, xz, yz], largest));
            say!(out, "  inertia about the centre at density 1: {moments} L^5; products {products} L^5");
            json!({ "volume": solid.volume, "centre": solid.centre, "inertia": solid.inertia })
        }
        Err(error) => {
            say!(out, "  not a solid: {error}");
            Value::Null
        }
    };
    let defects: usize = survey.findings.iter().map(|finding| finding.count).sum();
    if defects > 0 {
        say!(out, "  {defects} defects; `gelenk mesh check` lists them");
    }
    out.extend(described(path, &survey));
    out.set("solid", solid);
    out.set("defects", defects);
    Ok(DONE)
}

/// Counts and sizes of a mesh for the document; lengths are in units of the file.
fn described(path: &Path, survey: &Survey) -> Value {
    let size: [f64; 3] = std::array::from_fn(|k| survey.bounds[1][k] - survey.bounds[0][k]);
    json!({
        "file": path.display().to_string(),
        "triangles": survey.triangles,
        "edges": survey.edges,
        "vertices": survey.vertices,
        "components": survey.components,
        "closed": survey.closed,
        "holes": survey.holes,
        "from": survey.bounds[0],
        "to": survey.bounds[1],
        "size": size,
        "edge_lengths": survey.edge_lengths,
        "area": survey.area,
    })
}

/// A number as meshes have them: single precision has seven digits.
fn digits(value: f64) -> String {
    gelenk::digits::digits(value, 7)
}

/// Three numbers; what lies far below `scale` is rounding.
fn triple(numbers: [f64; 3], scale: f64) -> String {
    let [x, y, z] = numbers.map(|x| digits(if x.abs() <= 1e-12 * scale { 0.0 } else { x }));
    format!("({x}, {y}, {z})")
}

fn check(out: &mut Console, files: &[PathBuf]) -> super::Done {
    let (mut serious, mut meshes) = (false, Vec::new());
    for path in files {
        let found = read(path).and_then(|mesh| Ok(survey(path, &mesh)?));
        let survey = match found {
            Ok(survey) => survey,
            Err(error) => {
                serious = true;
                say!(out, "error: {error}");
                let file = path.display().to_string();
                meshes.push(json!({ "file": file, "ok": false, "error": error.to_string() }));
                continue;
            }
        };
        let name = path.display();
        if survey.findings.is_empty() {
            let [x, y, z] = [0, 1, 2].map(|k| digits(survey.bounds[1][k] - survey.bounds[0][k]));
            say!(out, "{name}: {} triangles, closed, {x} x {y} x {z}, no defects", survey.triangles);
        }
        let mut findings = Vec::new();
        for finding in &survey.findings {
            let (what, help) = (finding.kind.describe(finding.count), finding.kind.advice());
            let grade = if finding.kind.is_serious() { "error" } else { "warning" };
            serious |= finding.kind.is_serious();
            say!(out, "{grade}: {name}: {what}, first at {}", triple(finding.place, 0.0));
            say!(out, "  help: {help}");
            findings.push(json!({
                "grade": grade, "text": what, "count": finding.count, "first_at": finding.place, "help": help,
            }));
        }
        if survey.holes > 0 {
            say!(out, "  {} rim{} of holes", survey.holes, if survey.holes == 1 { "" } else { "s" });
        }
        if survey.components > 1 {
            say!(out, "note: {name}: {} disconnected components", survey.components);
        }
        let mut document = described(path, &survey);
        document["ok"] = json!(!survey.findings.iter().any(|finding| finding.kind.is_serious()));
        document["findings"] = json!(findings);
        meshes.push(document);
    }
    out.set("meshes", meshes);
    Ok(if serious { FAILED } else { DONE })
}

fn repair(args: &RepairArgs, out: &mut Console) -> super::Done {
    let mesh = read(&args.file)?;
    if !(args.weld >= 0.0 && args.weld.is_finite()) {
        return Err(Usage::refusal("--weld must be a distance of at least 0"));
    }
    if args.scale == 0.0 || !args.scale.is_finite() {
        return Err(Usage::refusal("--scale must be finite and not 0"));
    }
    // As many as a generator may make.
    let most = 4_000_000.0 / mesh.triangles().len().max(1) as f64;
    if 4f64.powf(args.subdivide as f64) > most.max(1.0) {
        return Err(Usage::refusal(format!(
            "--subdivide {} would make more than 4 million triangles of {}",
            args.subdivide,
            mesh.triangles().len()
        )));
    }
    let named = |error: gelenk_mesh::MeshError| format!("{}: {error}", args.file.display());
    let repair =
        Repair { weld: args.weld, orient: !args.keep_orientation, degenerate: !args.keep_degenerate };
    let (mut mesh, done) = mesh.repaired(&repair).map_err(named)?;
    for _ in 0..args.subdivide {
        mesh = mesh.subdivided();
    }
    let mut changed = None;
    if let Some(target) = args.decimate {
        let before = survey(&args.file, &mesh)?;
        mesh = mesh.decimated(target).map_err(named)?;
        let after = survey(&args.file, &mesh)?;
        let (what, old, new) = match before.closed && after.closed {
            true => ("volume", before.volume, after.volume),
            false => ("area", before.area, after.area),
        };
        changed = (old != 0.0).then(|| (what, 100.0 * (new / old - 1.0)));
    }
    if args.scale != 1.0 {
        mesh = mesh.moved(|place| place.map(|x| x * args.scale)).map_err(named)?;
        if args.scale < 0.0 {
            mesh = mesh.reversed();
        }
    }
    if args.reverse {
        mesh = mesh.reversed();
    }
    write(&args.output, &mesh)?;
    say!(
        out,
        "{} vertices welded, {} unused dropped; {} triangles dropped, {} reversed",
        done.welded,
        done.unused,
        done.dropped,
        done.turned
    );
    if let Some((what, change)) = changed {
        say!(out, "decimated: the {what} changed by {change:+.2} %");
    }
    let survey = survey(&args.file, &mesh)?;
    let state = if survey.closed { "closed" } else { "open" };
    let left = survey.findings.len();
    say!(
        out,
        "{}: {} triangles, {state}, {}",
        args.output.display(),
        survey.triangles,
        match left {
            0 => "no defects".into(),
            1 => "1 kind of defect left; `gelenk mesh check` shows it".into(),
            n => format!("{n} kinds of defects left; `gelenk mesh check` shows them"),
        }
    );
    out.extend(described(&args.output, &survey));
    out.extend(json!({
        "welded": done.welded,
        "unused_dropped": done.unused,
        "triangles_dropped": done.dropped,
        "triangles_reversed": done.turned,
        "decimated": changed.map(|(what, change)| json!({ "of": what, "change_percent": change })),
        "defects_left": left,
    }));
    Ok(DONE)
}

/// A count within bounds; more would take all memory.
fn within(name: &str, count: usize, least: usize, most: usize) -> Result<usize, Refusal> {
    if (least..=most).contains(&count) {
        Ok(count)
    } else {
        Err(Usage::refusal(format!("--{name} is a number from {least} to {most}")))
    }
}

/// A length in m, or with a unit.
fn length(option: &str, text: &str) -> Result<f64, Refusal> {
    measure(option, text, Dimension::LENGTH, "a length was expected, such as \"10 cm\"")
}

/// One to three lengths; missing ones are the last one again.
fn lengths(option: &str, text: &str) -> Result<[f64; 3], Refusal> {
    let given: Vec<f64> = text.split(',').map(|part| length(option, part)).collect::<Result<_, _>>()?;
    let last = given.last().copied().unwrap_or(0.0);
    Ok(std::array::from_fn(|i| given.get(i).copied().unwrap_or(last)))
}

/// Pairs `place radius`, separated by commas; each of the two may carry a unit.
fn profile(text: &str) -> Result<Vec<[f64; 2]>, Refusal> {
    let pair = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let half = words.len() / 2;
        if words.is_empty() || words.len() % 2 == 1 {
            let message = format!(
                "--profile \"{text}\": a position and a radius were expected, such as \"-10 mm 30 mm\""
            );
            return Err(Usage::refusal(message));
        }
        let number = |words: &[&str]| length("--profile", &words.join(" "));
        Ok([number(&words[..half])?, number(&words[half..])?])
    };
    text.split(',').map(pair).collect()
}

fn make_one(args: &MakeArgs, out: &mut Console) -> super::Done {
    let fixed = matches!(
        args.shape,
        ShapeName::Plane
            | ShapeName::Box
            | ShapeName::Funnel
            | ShapeName::Icosphere
            | ShapeName::Paraboloid
            | ShapeName::Ellipsoid
    );
    if fixed && args.axis.is_some() {
        return Err(Usage::refusal("--axis is for bodies of revolution; rotate this one in the model"));
    }
    let axis = match (args.axis, args.shape) {
        (Some(AxisName::X), _) => Axis::X,
        (Some(AxisName::Y), _) | (None, ShapeName::Wheel) => Axis::Y,
        (Some(AxisName::Z) | None, _) => Axis::Z,
    };
    let single = matches!(args.shape, ShapeName::Funnel | ShapeName::Paraboloid);
    if single && args.size.contains(',') {
        return Err(Usage::refusal("this body has a square opening: give one --size"));
    }
    let (radius, tube) = (length("--radius", &args.radius)?, length("--tube", &args.tube)?);
    let (long, high, size) = (
        length("--length", &args.length)?,
        length("--height", &args.height)?,
        lengths("--size", &args.size)?,
    );
    let (n, m) = (within("segments", args.segments, 3, 2000)?, within("rings", args.rings, 1, 2000)?);
    let even = || match args.triangles {
        count @ 8..=4_000_000 if count % 2 == 0 => Ok(count),
        _ => Err(Usage::refusal("--triangles is an even number from 8 to 4000000")),
    };
    let mesh = match args.shape {
        ShapeName::Plane => make::plane([size[0], size[1]], [m, m]),
        ShapeName::Box => make::cuboid(size, m),
        ShapeName::Funnel => {
            make::divided_funnel(size[0], high, within("divisions", args.divisions, 1, 1000)?)
        }
        ShapeName::Sphere => make::along(&make::sphere(radius, n, m), axis),
        ShapeName::Icosphere => make::icosphere(radius, within("depth", args.depth, 0, 7)?),
        ShapeName::Paraboloid => make::paraboloid(radius, size[0], m),
        ShapeName::Cylinder => make::along(&make::cylinder(radius, long, n, m), axis),
        ShapeName::Cone => make::along(&make::cone(radius, high, n, m), axis),
        ShapeName::Capsule => make::along(&make::capsule(radius, long, n, m), axis),
        ShapeName::Torus if tube >= radius => {
            let message = "--tube: the tube of a torus must be thinner than the radius of its ring, or it intersects itself";
            return Err(Usage::refusal(message));
        }
        ShapeName::Torus => make::along(&make::torus(radius, tube, n, m), axis),
        ShapeName::DumbBell => {
            let offset = args.offset.as_deref().map_or(Ok(radius), |text| length("--offset", text))?;
            make::along(&make::dumbbell(radius, offset, tube, n, m), axis)
        }
        ShapeName::Wheel => {
            let text = args.profile.as_deref().ok_or_else(|| Usage::refusal("a wheel needs --profile"))?;
            let wheel = make::wheel(&profile(text)?, n);
            match axis {
                Axis::Y => wheel,
                // As if it had been turned about z and then laid along the axis.
                Axis::X => wheel.moved(|[x, y, z]| [y, z, x]).map_err(|error| error.to_string())?,
                Axis::Z => wheel.moved(|[x, y, z]| [z, x, y]).map_err(|error| error.to_string())?,
            }
        }
        ShapeName::Ellipsoid => make::ellipsoid(lengths("--radii", &args.radii)?, even()?),
        ShapeName::TaperedCapsule => {
            let [low, high, _] = lengths("--radii", &args.radii)?;
            make::along(&make::tapered_capsule([low, high], long, even()?), axis)
        }
    };
    let survey = survey(&args.output, &mesh).map_err(|_| {
        Usage::refusal("these lengths do not define a body; all must be finite and greater than zero")
    })?;
    write(&args.output, &mesh)?;
    let state = if survey.closed { "closed" } else { "open" };
    say!(out, "{}: {} triangles, {state}", args.output.display(), survey.triangles);
    out.extend(described(&args.output, &survey));
    Ok(DONE)
}
