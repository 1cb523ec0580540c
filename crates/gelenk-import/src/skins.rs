//! What links look like and what they collide with, apart from their mass.

use crate::MeshFiles;
use crate::assets::Assets;
use crate::names::Name;
use crate::primitives::Solid;
use crate::robot::Robot;
use crate::writer::{place, shape_value};
use gelenk_file::document::Value;
use gelenk_file::draft::Section;
use gelenk_file::source::{Sources, Span};
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_mesh::decimate::{Budget, MOST_DRAWN};
use gelenk_mesh::{Painted, Rgba, TriMesh};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Longest path that is printed.
const LONGEST: usize = 300;
/// Missing meshes that are named.
const MOST_SAID: usize = 12;
/// Colour of what has none.
const GREY: Rgba = [0.72, 0.74, 0.77, 1.0];

/// The form of a skin.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Form {
    Solid(Solid),
    /// A mesh by its number, with factors of its coordinates.
    Mesh {
        asset: usize,
        scale: [f64; 3],
    },
    /// The plane z = 0 and all below it.
    Plane,
}

/// A shape that is only seen.
pub(crate) struct Skin {
    pub(crate) name: Name,
    /// The link; none for the ground.
    pub(crate) body: Option<usize>,
    pub(crate) pose: Pose<f64>,
    pub(crate) form: Form,
    pub(crate) colour: Option<Rgba>,
}

/// A shape that collides with others.
pub(crate) struct Collider {
    pub(crate) name: Name,
    pub(crate) body: Option<usize>,
    pub(crate) pose: Pose<f64>,
    pub(crate) form: Form,
    /// Coefficient of friction, where the file says one.
    pub(crate) friction: Option<f64>,
}

impl Form {
    /// Whether it can be drawn and used for collisions.
    pub(crate) fn is_proper(&self) -> bool {
        match self {
            Self::Solid(solid) => solid.is_proper(),
            Self::Mesh { scale, .. } => scale.iter().all(|x| x.is_finite() && *x != 0.0),
            Self::Plane => true,
        }
    }
}

/// A mesh file that belongs to a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeshFile {
    /// Its name in the folder of meshes.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// What the meshes of a robot are called in the model, and the files that have to be written.
pub(crate) struct Library<'o> {
    mode: &'o MeshFiles,
    /// Names that are taken, in small letters: some systems do not tell large ones apart.
    taken: BTreeSet<String>,
    pub(crate) files: Vec<MeshFile>,
    /// What an asset has become: names and colours of its parts.
    visuals: BTreeMap<usize, Vec<(String, Option<Rgba>)>>,
    surfaces: BTreeMap<usize, String>,
    /// What visuals may keep of their triangles.
    budget: Budget,
}

impl<'o> Library<'o> {
    fn new(mode: &'o MeshFiles, budget: Budget) -> Self {
        Self {
            mode,
            taken: BTreeSet::new(),
            files: Vec::new(),
            visuals: BTreeMap::new(),
            surfaces: BTreeMap::new(),
            budget,
        }
    }

    /// The paths of a mesh in the model, one for every colour of it.
    fn visual(&mut self, asset: usize, assets: &Assets) -> Vec<(String, Option<Rgba>)> {
        if let Some(known) = self.visuals.get(&asset) {
            return known.clone();
        }
        let Some(file) = assets.list.get(asset) else { return Vec::new() };
        let mut parts = file.painted.by_colour();
        let linked = self.mode.link(&file.path).filter(|_| !file.bytes.is_empty());
        let made = if let Some(path) = linked {
            // The file itself has the colours where there are several.
            let colour = if let [(colour, _)] = parts.as_slice() { *colour } else { None };
            vec![(path, colour)]
        } else {
            let stem = stem(&file.path);
            let several = parts.len() > 1;
            let mut made = Vec::new();
            for (i, (colour, mesh)) in parts.drain(..).enumerate() {
                let target = self.budget.target(mesh.triangles().len());
                let coarse = target.and_then(|target| mesh.decimated(target).ok());
                let plain = !several && coarse.is_none() && !file.bytes.is_empty() && is_plain(&file.path);
                let name = if plain {
                    self.add(&stem, &extension(&file.path), file.bytes.clone())
                } else {
                    let stem = if several { format!("{stem}_{}", i + 1) } else { stem.clone() };
                    self.add(&stem, "ply", coarse.as_ref().unwrap_or(&mesh).to_ply())
                };
                made.push((name, colour));
            }
            made
        };
        self.visuals.insert(asset, made.clone());
        made
    }

    /// The path of a mesh that collides; it is always a file of its own.
    fn surface(&mut self, asset: usize, assets: &Assets) -> Option<String> {
        if let Some(known) = self.surfaces.get(&asset) {
            return Some(known.clone());
        }
        let file = assets.list.get(asset)?;
        let linked = self.mode.link(&file.path).filter(|_| !file.bytes.is_empty());
        let path = match linked {
            Some(path) => path,
            None if !file.bytes.is_empty() && is_plain(&file.path) => {
                self.add(&stem(&file.path), &extension(&file.path), file.bytes.clone())
            }
            None => self.add(&stem(&file.path), "ply", file.painted.mesh.to_ply()),
        };
        self.surfaces.insert(asset, path.clone());
        Some(path)
    }

    /// Adds a file, once for each content, and returns its path in the model.
    fn add(&mut self, stem: &str, extension: &str, bytes: Vec<u8>) -> String {
        let folder = self.mode.folder();
        if let Some(known) = self.files.iter().find(|file| file.bytes == bytes) {
            return format!("{folder}{}", known.name);
        }
        let mut name = format!("{stem}.{extension}");
        let mut number = 2;
        while !self.taken.insert(name.to_ascii_lowercase()) {
            name = format!("{stem}_{number}.{extension}");
            number += 1;
        }
        let path = format!("{folder}{name}");
        self.files.push(MeshFile { name, bytes });
        path
    }
}

/// Whether a file can be copied as it is; the colours that an OBJ file names are in the model.
fn is_plain(path: &Path) -> bool {
    matches!(extension(path).as_str(), "stl" | "ply" | "msh") || (extension(path) == "obj")
}

fn extension(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The name of a file without its ending, with letters that all systems allow.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let clean: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' }).collect();
    let clean: String = clean.chars().take(80).collect();
    if clean.is_empty() { "mesh".to_owned() } else { clean }
}

impl Robot {
    /// The tables of what is only seen, and the files that they and surfaces need.
    pub(crate) fn skin_tables(&mut self, mode: &MeshFiles) -> (Vec<Section>, Vec<Section>, Vec<MeshFile>) {
        let used: BTreeSet<usize> = self
            .skins
            .iter()
            .filter_map(|skin| match skin.form {
                Form::Mesh { asset, .. } => Some(asset),
                _ => None,
            })
            .collect();
        let copies = mode.link(Path::new("")).is_none();
        let files = used.iter().filter_map(|&asset| self.assets.list.get(asset));
        // A file of several colours becomes several meshes.
        let counts = files.flat_map(|file| file.painted.by_colour()).map(|(_, mesh)| mesh.triangles().len());
        let budget = Budget::of(counts.filter(|_| copies));
        if budget.is_exceeded() {
            self.remarks.push(format!(
                "The visual meshes have {} triangles; coarser copies with about {MOST_DRAWN} are drawn.",
                budget.all
            ));
        }
        for file in used.iter().filter_map(|&asset| self.assets.list.get(asset)) {
            if file.painted.textured {
                let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                self.left_out.add("textures of meshes", &name);
            }
        }
        let mut library = Library::new(mode, budget);
        let mut visuals = Vec::new();
        for skin in &self.skins {
            let parts = match &skin.form {
                Form::Mesh { asset, scale } => {
                    let parts = library.visual(*asset, &self.assets);
                    parts.into_iter().map(|(file, own)| (mesh_value(&file, scale), own)).collect()
                }
                Form::Solid(solid) => vec![(shape_value(solid), None)],
                Form::Plane => continue,
            };
            let several = parts.len() > 1;
            for (i, ((key, value), own)) in parts.into_iter().enumerate() {
                let name = if several {
                    format!("{}_part_{}", skin.name.chosen, i + 1)
                } else {
                    skin.name.chosen.clone()
                };
                let mut table = Section::new(&["visuals", &name]);
                if let Some(remark) = skin.name.remark() {
                    table.remark(remark);
                }
                table.key("on", crate::writer::body_name(self, skin.body));
                table.key(key, value);
                place(&mut table, &skin.pose);
                let from_file = several_colours(&skin.form, &self.assets);
                let plain = || Some(GREY).filter(|_| !from_file);
                if let Some(colour) = skin.colour.or(own).or_else(plain) {
                    table.key("colour", colour_value(&colour));
                }
                visuals.push(table);
            }
        }
        let colliders = self.contact_tables(&mut library);
        (visuals, colliders, library.files)
    }

    /// Meshes of colliders, by their paths in the model.
    pub(crate) fn surface_file(&self, asset: usize, library: &mut Library<'_>) -> Option<String> {
        library.surface(asset, &self.assets)
    }

    /// Says which meshes are missing, and where the robot names them.
    pub(crate) fn missing_meshes(&self, sources: &Sources) -> Vec<String> {
        let say = |(path, reason, span): &(String, String, Span)| {
            let path: String = path.escape_debug().take(LONGEST).collect();
            let place = crate::account::place(sources, *span);
            let place = place.map(|place| format!(" [{place}]")).unwrap_or_default();
            format!("mesh \"{path}\" was not read: {reason}{place}")
        };
        let missing = &self.assets.missing;
        let mut said: Vec<String> = missing.iter().take(MOST_SAID).map(say).collect();
        if missing.len() > MOST_SAID {
            said.push(format!("{} more meshes were not read", missing.len() - MOST_SAID));
        }
        said
    }
}

/// Whether the colours of a mesh are in its file.
fn several_colours(form: &Form, assets: &Assets) -> bool {
    let Form::Mesh { asset, .. } = form else { return false };
    let file = assets.list.get(*asset);
    file.is_some_and(|file| file.painted.patches.iter().any(|patch| patch.colour.is_some()))
}

/// A mesh as a value of a model file.
pub(crate) fn mesh_value(file: &str, scale: &[f64; 3]) -> (&'static str, Value) {
    let mut keys = vec![("file", Value::from(file))];
    match scale {
        [1.0, 1.0, 1.0] => {}
        [x, y, z] if x == y && y == z => keys.push(("scale", (*x).into())),
        scale => keys.push(("scale", scale.map(Value::from).to_vec().into())),
    }
    ("mesh", Value::table(keys))
}

fn colour_value(colour: &Rgba) -> Value {
    let [r, g, b, a] = colour.map(|x| (x.clamp(0.0, 1.0) * 1e4).round() / 1e4);
    let mut list: Vec<Value> = vec![r.into(), g.into(), b.into()];
    if a < 1.0 {
        list.push(a.into());
    }
    list.into()
}

/// The surface of a form in its own axes.
pub(crate) fn triangles(form: &Form, assets: &Assets) -> Option<TriMesh> {
    use gelenk_mesh::make;
    match form {
        Form::Plane => None,
        Form::Mesh { asset, scale } => {
            let painted: &Painted = &assets.list.get(*asset)?.painted;
            painted.mesh.moved(|place| std::array::from_fn(|k| place[k] * scale[k])).ok()
        }
        Form::Solid(Solid::Box(size)) => {
            let half = size * 0.5;
            let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 > 0 { half[k] } else { -half[k] });
            gelenk_mesh::hull::hull(&(0..8).map(corner).collect::<Vec<_>>()).ok()
        }
        Form::Solid(Solid::Sphere { radius }) => Some(make::icosphere(*radius, 3)),
        Form::Solid(Solid::Ellipsoid(half)) => {
            make::icosphere(1.0, 3).moved(|p| std::array::from_fn(|k| p[k] * half[k])).ok()
        }
        Form::Solid(Solid::Cylinder { radius, length }) => ends(*radius, 0.5 * length, false),
        Form::Solid(Solid::Capsule { radius, length }) => ends(*radius, 0.5 * length, true),
    }
}

/// Two circles, or two spheres, and all between them.
fn ends(radius: f64, half: f64, round: bool) -> Option<TriMesh> {
    let mut points = Vec::new();
    for side in [-1.0, 1.0] {
        if round {
            let ball = gelenk_mesh::make::icosphere(radius, 2);
            points.extend(ball.vertices().iter().map(|p| [p[0], p[1], p[2] + side * half]));
        } else {
            for k in 0..32 {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 32.0).sin_cos();
                points.push([radius * cos, radius * sin, side * half]);
            }
        }
    }
    gelenk_mesh::hull::hull(&points).ok()
}

/// Lowest height of a form at a pose.
pub(crate) fn lowest(form: &Form, pose: &Pose<f64>, assets: &Assets) -> Option<f64> {
    let mesh = triangles(form, assets)?;
    let heights = mesh.vertices().iter().map(|p| pose.point(&Vec3::from(*p)).z);
    heights.min_by(f64::total_cmp)
}
