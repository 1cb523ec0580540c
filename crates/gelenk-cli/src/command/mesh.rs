//! Meshes: look at them, check, repair and make them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::measure::measure;
use gelenk_math::units::Dimension;
use gelenk_mesh::make::{self, Axis};
use gelenk_mesh::{Format, Repair, Survey, TriMesh};

/// What is done with a mesh.
#[derive(clap::Subcommand)]
pub enum Args {
    /// Tell the size, area, volume and mass properties of a mesh file.
    Info {
        /// STL, OBJ or PLY file.
        file: PathBuf,
    },
    /// Report all mistakes of mesh files that contact or mass properties would suffer from, and what helps.
    Check {
        /// STL, OBJ or PLY files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Weld vertices, turn triangles outwards, drop flat ones; refine, coarsen, scale.
    Repair(RepairArgs),
    /// Make the mesh of a simple body.
    Make(MakeArgs),
}

/// Arguments of `mesh repair`.
#[derive(clap::Args)]
pub struct RepairArgs {
    /// STL, OBJ or PLY file.
    file: PathBuf,
    /// File to write; the ending of its name says the format.
    #[arg(short, long)]
    output: PathBuf,
    /// Make vertices one that are not farther apart than this, in units of the file.
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0)]
    weld: f64,
    /// Leave the sense of the triangles as it is.
    #[arg(long)]
    keep_orientation: bool,
    /// Leave triangles without an area.
    #[arg(long)]
    keep_degenerate: bool,
    /// Exchange inside and outside, after everything else.
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
pub struct MakeArgs {
    /// The body.
    shape: ShapeName,
    /// File to write; the ending of its name says the format.
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
    /// Distance of the spheres of a dumb-bell from its middle; by default its radius.
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
    /// Half axes of an ellipsoid, such as "10 cm, 8 cm, 12 cm"; of a tapered capsule the radii of its lower and upper
    /// sphere.
    #[arg(long, default_value = "1 m")]
    radii: String,
    /// Number of triangles of an ellipsoid or a tapered capsule, even.
    #[arg(long, default_value_t = 1000)]
    triangles: usize,
    /// Axis of a body of revolution, z where none is given; a wheel turns about y.
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

pub fn run(args: &Args) -> super::Done {
    match args {
        Args::Info { file } => info(file),
        Args::Check { files } => check(files),
        Args::Repair(args) => repair(args),
        Args::Make(args) => make_one(args),
    }
}

fn read(path: &Path) -> Result<TriMesh, String> {
    let name = path.display();
    let format = format_of(path)?;
    // A device or a pipe may never end.
    if std::fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
        return Err(format!("{name} cannot be read: it is not a file"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("{name} cannot be read: {error}"))?;
    TriMesh::from_bytes(format, &bytes).map_err(|error| format!("{name}: {error}"))
}

fn format_of(path: &Path) -> Result<Format, String> {
    Format::of_name(&path.to_string_lossy())
        .ok_or_else(|| format!("{}: the name of a mesh file ends in .stl, .obj or .ply", path.display()))
}

fn write(path: &Path, mesh: &TriMesh) -> Result<(), String> {
    super::write::file(path, &mesh.to_bytes(format_of(path)?))
}

fn survey(path: &Path, mesh: &TriMesh) -> Result<Survey, String> {
    mesh.survey().map_err(|error| format!("{}: {error}", path.display()))
}

fn info(path: &Path) -> super::Done {
    let mesh = read(path)?;
    let survey = survey(path, &mesh)?;
    let [low, high] = survey.bounds;
    say!(
        "{}: {} triangles, {} edges, {} vertices, {} part{}",
        path.display(),
        survey.triangles,
        survey.edges,
        survey.vertices,
        survey.components,
        if survey.components == 1 { "" } else { "s" }
    );
    // Files of meshes have no units: the numbers are in theirs, as long as nobody says what they mean.
    say!("  lengths are in units of the file, L");
    let size = low.iter().chain(&high).fold(0.0, |size: f64, x| size.max(x.abs()));
    say!("  from    {} L", triple(low, size));
    say!("  to      {} L", triple(high, size));
    say!("  edges   {} to {} L", digits(survey.edge_lengths[0]), digits(survey.edge_lengths[1]));
    say!("  area    {} L^2", digits(survey.area));
    match mesh.solid() {
        Ok(solid) => {
            say!("  closed, volume {} L^3", digits(solid.volume));
            say!("  centre  {} L", triple(solid.centre, size));
            let [xx, yy, zz, xy, xz, yz] = solid.inertia;
            let largest = xx.max(yy).max(zz);
            let (moments, products) = (triple([xx, yy, zz], largest), triple([xy, xz, yz], largest));
            say!("  inertia about the centre at density 1: {moments} L^5; products {products} L^5");
        }
        Err(error) => say!("  no body: {error}"),
    }
    let mistakes: usize = survey.findings.iter().map(|finding| finding.count).sum();
    if mistakes > 0 {
        say!("  {mistakes} mistakes; `gelenk mesh check` tells which");
    }
    Ok(ExitCode::SUCCESS)
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

fn check(files: &[PathBuf]) -> super::Done {
    let mut serious = false;
    for path in files {
        let mesh = match read(path) {
            Ok(mesh) => mesh,
            Err(error) => {
                serious = true;
                say!("error: {error}");
                continue;
            }
        };
        let survey = survey(path, &mesh)?;
        let name = path.display();
        if survey.findings.is_empty() {
            let [x, y, z] = [0, 1, 2].map(|k| digits(survey.bounds[1][k] - survey.bounds[0][k]));
            say!(
                "{name}: {} triangles, closed, {x} x {y} x {z}, nothing to complain about",
                survey.triangles
            );
        }
        for finding in &survey.findings {
            let (what, help) = (finding.kind.told(finding.count), finding.kind.advice());
            let grade = if finding.kind.is_serious() { "error" } else { "warning" };
            serious |= finding.kind.is_serious();
            say!("{grade}: {name}: {what}, first at {}", triple(finding.place, 0.0));
            say!("  help: {help}");
        }
        if survey.holes > 0 {
            say!("  {} rim{} of holes", survey.holes, if survey.holes == 1 { "" } else { "s" });
        }
        if survey.components > 1 {
            say!("note: {name}: {} parts that do not hang together", survey.components);
        }
    }
    Ok(if serious { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn repair(args: &RepairArgs) -> super::Done {
    let mesh = read(&args.file)?;
    if !(args.weld >= 0.0 && args.weld.is_finite()) {
        return Err("--weld is a distance, not less than 0".into());
    }
    if args.scale == 0.0 || !args.scale.is_finite() {
        return Err("--scale is a finite factor other than 0".into());
    }
    // As many as a generator may make.
    let most = 4_000_000.0 / mesh.triangles().len().max(1) as f64;
    if 4f64.powf(args.subdivide as f64) > most.max(1.0) {
        return Err(format!(
            "--subdivide {} would make more than 4 million triangles of {}",
            args.subdivide,
            mesh.triangles().len()
        )
        .into());
    }
    let told = |error: gelenk_mesh::MeshError| format!("{}: {error}", args.file.display());
    let repair =
        Repair { weld: args.weld, orient: !args.keep_orientation, degenerate: !args.keep_degenerate };
    let (mut mesh, done) = mesh.repaired(&repair).map_err(told)?;
    for _ in 0..args.subdivide {
        mesh = mesh.subdivided();
    }
    let mut changed = None;
    if let Some(target) = args.decimate {
        let before = survey(&args.file, &mesh)?;
        mesh = mesh.decimated(target).map_err(told)?;
        let after = survey(&args.file, &mesh)?;
        let (what, old, new) = match before.closed && after.closed {
            true => ("volume", before.volume, after.volume),
            false => ("area", before.area, after.area),
        };
        changed = (old != 0.0).then(|| (what, 100.0 * (new / old - 1.0)));
    }
    if args.scale != 1.0 {
        mesh = mesh.moved(|place| place.map(|x| x * args.scale)).map_err(told)?;
        if args.scale < 0.0 {
            mesh = mesh.reversed();
        }
    }
    if args.reverse {
        mesh = mesh.reversed();
    }
    write(&args.output, &mesh)?;
    say!(
        "{} vertices welded, {} unused dropped; {} triangles dropped, {} turned",
        done.welded,
        done.unused,
        done.dropped,
        done.turned
    );
    if let Some((what, change)) = changed {
        say!("decimated: the {what} changed by {change:+.2} %");
    }
    let survey = survey(&args.file, &mesh)?;
    let state = if survey.closed { "closed" } else { "open" };
    say!(
        "{}: {} triangles, {state}, {}",
        args.output.display(),
        survey.triangles,
        match survey.findings.len() {
            0 => "nothing to complain about".into(),
            1 => "1 finding left; `gelenk mesh check` tells which".into(),
            n => format!("{n} findings left; `gelenk mesh check` tells which"),
        }
    );
    Ok(ExitCode::SUCCESS)
}

/// A count within bounds; more would take all memory.
fn within(name: &str, count: usize, least: usize, most: usize) -> Result<usize, String> {
    if (least..=most).contains(&count) {
        Ok(count)
    } else {
        Err(format!("--{name} is a number from {least} to {most}"))
    }
}

/// A length in m, or with a unit.
fn length(text: &str) -> Result<f64, String> {
    measure("length", text, Dimension::LENGTH, "a length was expected, such as \"10 cm\"")
}

/// One to three lengths; missing ones are the last one again.
fn lengths(text: &str) -> Result<[f64; 3], String> {
    let given: Vec<f64> = text.split(',').map(length).collect::<Result<_, _>>()?;
    let last = given.last().copied().unwrap_or(0.0);
    Ok(std::array::from_fn(|i| given.get(i).copied().unwrap_or(last)))
}

/// Pairs `place radius`, separated by commas; each of the two may carry a unit.
fn profile(text: &str) -> Result<Vec<[f64; 2]>, String> {
    let pair = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let half = words.len() / 2;
        if words.is_empty() || words.len() % 2 == 1 {
            return Err(format!("\"{text}\" is not a place and a radius, such as \"-10 mm 30 mm\""));
        }
        Ok([length(&words[..half].join(" "))?, length(&words[half..].join(" "))?])
    };
    text.split(',').map(pair).collect()
}

fn make_one(args: &MakeArgs) -> super::Done {
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
        return Err("--axis is for bodies of revolution; turn this one where it is placed".into());
    }
    let axis = match (args.axis, args.shape) {
        (Some(AxisName::X), _) => Axis::X,
        (Some(AxisName::Y), _) | (None, ShapeName::Wheel) => Axis::Y,
        (Some(AxisName::Z) | None, _) => Axis::Z,
    };
    let single = matches!(args.shape, ShapeName::Funnel | ShapeName::Paraboloid);
    if single && args.size.contains(',') {
        return Err("this body has a square opening: give one --size".into());
    }
    let (radius, tube) = (length(&args.radius)?, length(&args.tube)?);
    let (long, high, size) = (length(&args.length)?, length(&args.height)?, lengths(&args.size)?);
    let (n, m) = (within("segments", args.segments, 3, 2000)?, within("rings", args.rings, 1, 2000)?);
    let even = || match args.triangles {
        count @ 8..=4_000_000 if count % 2 == 0 => Ok(count),
        _ => Err("--triangles is an even number from 8 to 4000000"),
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
            return Err(
                "the tube of a torus is thinner than the radius of its ring, or it cuts itself".into()
            );
        }
        ShapeName::Torus => make::along(&make::torus(radius, tube, n, m), axis),
        ShapeName::DumbBell => {
            let offset = args.offset.as_deref().map_or(Ok(radius), length)?;
            make::along(&make::dumbbell(radius, offset, tube, n, m), axis)
        }
        ShapeName::Wheel => {
            let text = args.profile.as_deref().ok_or("a wheel needs --profile")?;
            let wheel = make::wheel(&profile(text)?, n);
            match axis {
                Axis::Y => wheel,
                // As if it had been turned about z and then laid along the axis.
                Axis::X => wheel.moved(|[x, y, z]| [y, z, x]).map_err(|error| error.to_string())?,
                Axis::Z => wheel.moved(|[x, y, z]| [z, x, y]).map_err(|error| error.to_string())?,
            }
        }
        ShapeName::Ellipsoid => make::ellipsoid(lengths(&args.radii)?, even()?),
        ShapeName::TaperedCapsule => {
            let [low, high, _] = lengths(&args.radii)?;
            make::along(&make::tapered_capsule([low, high], long, even()?), axis)
        }
    };
    let survey = survey(&args.output, &mesh)
        .map_err(|_| "these lengths give no body; all must be finite and greater than zero")?;
    write(&args.output, &mesh)?;
    let state = if survey.closed { "closed" } else { "open" };
    say!("{}: {} triangles, {state}", args.output.display(), survey.triangles);
    Ok(ExitCode::SUCCESS)
}
