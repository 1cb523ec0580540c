//! Robots that fall on the ground: converted with their collision shapes, released above it, and judged by the lowest
//! point of these shapes.

use gelenk_import::{Collide, MeshFiles, Options, import_file};
use gelenk_math::spatial::Vec3;
use gelenk_mesh::simple::Simple;
use gelenk_model::{Compiled, LogColumns, compile, load_model};
use gelenk_multibody::{Acting, Data, Mechanism, Place};
use gelenk_solve::{Method, Simulation, Summary};
use gelenk_system::{Param, ParameterTable, System};
use std::path::{Path, PathBuf};

use crate::rig::nanos;

/// A robot above the ground.
pub struct Dropped {
    /// The robot with its contacts.
    pub mechanism: Mechanism,
    /// Its numbers.
    pub parameters: ParameterTable,
    /// Points of the collision shapes by the frames they are on, with the radius (m) around them.
    shapes: Vec<(Place, Vec<Vec3<f64>>, f64)>,
}

/// What became of it.
pub struct Fall {
    /// Lowest point of all collision shapes (m) over the run, at every hundredth of it.
    pub lowest: f64,
    /// The same at the end.
    pub at_end: f64,
    /// Largest velocity at the end (m/s, rad/s).
    pub speed: f64,
    /// Counts and balances.
    pub summary: Summary,
}

impl Dropped {
    /// Converts a robot so that it touches the ground, and raises its free base by `height` (m).
    ///
    /// # Errors
    /// Everything that conversion, model and mechanism refuse, as a text.
    pub fn new(robot: &Path, free_base: bool, height: f64) -> Result<Self, String> {
        let folder = scratch(robot)?;
        let made = Self::in_folder(robot, free_base, height, &folder);
        std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        made
    }

    fn in_folder(robot: &Path, free_base: bool, height: f64, folder: &Path) -> Result<Self, String> {
        let meshes = MeshFiles { copy: true, folder: "meshes".into(), base: folder.into() };
        let options = Options { free_base, collide: Collide::Ground, meshes, ..Options::default() };
        let imported = import_file(robot, &options).map_err(|failure| failure.to_string())?;
        let write = |path: PathBuf, bytes: &[u8]| std::fs::write(path, bytes).map_err(|e| e.to_string());
        for file in &imported.files {
            write(folder.join("meshes").join(&file.name), &file.bytes)?;
        }
        let path = folder.join("robot.toml");
        write(path.clone(), imported.text().as_bytes())?;
        let model = load_model(&path).map_err(|failure| failure.to_string())?;
        let mut no_logs = |_: &_| -> Result<LogColumns, String> { Err("a robot has no logs".into()) };
        let mut compiled = compile(&model, &mut no_logs).map_err(|failure| failure.to_string())?;
        for (name, z) in bases(&compiled) {
            compiled.set(&name, &format!("{} [m]", z + height)).map_err(|error| error.to_string())?;
        }
        let named = shapes(&compiled);
        let parameters = compiled.parameters.clone();
        let mechanism = compiled.build().map_err(|error| error.to_string())?;
        let place = |(name, points, radius): (String, _, _)| Some((mechanism.place(&name)?, points, radius));
        let shapes = named.into_iter().filter_map(place).collect();
        Ok(Self { mechanism, parameters, shapes })
    }

    /// Lets it fall for `until` (s).
    ///
    /// # Errors
    /// A run that fails, as a text.
    pub fn fall(&self, method: Method, until: f64) -> Result<Fall, String> {
        let p = self.parameters.values();
        let mut simulation =
            Simulation::new(&self.mechanism, &p, method).map_err(|error| error.to_string())?;
        let mut data = self.mechanism.data();
        self.mechanism.bind(&mut data, &p);
        let (mut lowest, mut at_end) = (f64::INFINITY, f64::INFINITY);
        for k in 1..=100 {
            simulation.advance_to(nanos(until * f64::from(k) / 100.0)).map_err(|error| error.to_string())?;
            at_end = self.lowest(&mut data, simulation.state()).map_err(|fault| fault.to_string())?;
            lowest = lowest.min(at_end);
        }
        let v = &simulation.state()[self.mechanism.layout().v()];
        let speed = v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        Ok(Fall { lowest, at_end, speed, summary: simulation.summary().clone() })
    }

    /// Lowest point of all collision shapes (m) in a state.
    fn lowest(&self, data: &mut Data<f64>, x: &[f64]) -> Result<f64, gelenk_system::Fault> {
        let layout = self.mechanism.layout();
        let (mut q, mut v) = (x[layout.q()].to_vec(), x[layout.v()].to_vec());
        self.mechanism.state_to_origin(data, &mut q, &mut v);
        self.mechanism.set_state(data, 0.0, &q, &v)?;
        let height = |(place, points, radius): &(Place, Vec<Vec3<f64>>, f64)| {
            let pose = self.mechanism.pose_of(data, place);
            points.iter().map(|point| pose.point(point).z).fold(f64::INFINITY, f64::min) - radius
        };
        Ok(self.shapes.iter().map(height).fold(f64::INFINITY, f64::min))
    }
}

/// An empty folder for a model and its meshes.
fn scratch(robot: &Path) -> Result<PathBuf, String> {
    let stem = robot.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("gelenk-dropped-{}-{:?}-{stem}", std::process::id(), std::thread::current().id());
    let folder = std::env::temp_dir().join(name.replace(['(', ')'], ""));
    std::fs::create_dir_all(folder.join("meshes")).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// Heights of free bases, by the paths of their parameters.
fn bases(compiled: &Compiled) -> Vec<(String, f64)> {
    let p = compiled.parameters.values();
    let height = |path: &str| path.starts_with("joints.") && path.ends_with(".start.position.z");
    let bases = compiled.parameters.iter().filter(|(_, parameter)| height(&parameter.path));
    bases.map(|(param, parameter)| (parameter.path.clone(), param.of(&p))).collect()
}

/// Points of everything that touches the ground, by the names of the frames.
fn shapes(compiled: &Compiled) -> Vec<(String, Vec<Vec3<f64>>, f64)> {
    let p = compiled.parameters.values();
    let elements = compiled.blueprint.elements.iter();
    let named = elements.filter_map(|element| {
        let [robot, _] = element.on.between()?;
        let frame = compiled.blueprint.frames.get(robot.index())?.name.clone();
        let (points, radius) = match &element.kind {
            Acting::MeshContact(contact) => {
                (contact.pair.first.mesh().vertices().iter().map(|point| Vec3::from(*point)).collect(), 0.0)
            }
            Acting::SimpleContact(contact) => corners(&contact.shapes[0], &p),
            _ => return None,
        };
        Some((frame, points, radius))
    });
    named.collect()
}

/// The points that span a simple body, and the radius around them (m).
fn corners(shape: &Simple<Param>, p: &[f64]) -> (Vec<Vec3<f64>>, f64) {
    match shape {
        Simple::Point | Simple::Plane => (vec![Vec3::zeros()], 0.0),
        Simple::Sphere { radius } => (vec![Vec3::zeros()], radius.of(p)),
        Simple::Capsule { radius, length } => {
            let half = length.of(p) / 2.0;
            (vec![Vec3::new(0.0, 0.0, half), Vec3::new(0.0, 0.0, -half)], radius.of(p))
        }
        Simple::Box { size } => {
            let half = |axis: usize, corner: usize| {
                size[axis].of(p) * if corner >> axis & 1 > 0 { 0.5 } else { -0.5 }
            };
            ((0..8).map(|corner| Vec3::from_fn(|axis, _| half(axis, corner))).collect(), 0.0)
        }
    }
}
