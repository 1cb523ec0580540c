//! The description of a model that its recordings carry for pictures.
//!
//! It is JSON in the metadata of a recording, under the key `scene`; `gelenk::scene` writes it and tells its form.

use std::fmt::Display;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gelenk_math::rotation::from_quaternion;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_record::Recording;
use serde_json::Value;

/// Key of the scene in the metadata of a recording.
pub const KEY: &str = "scene";

/// Why a recording has no 3-D picture.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// There is no description.
    #[error(
        "the recording contains no bodies: 3-D pictures need a recording of `gelenk run`; other tables can only be plotted"
    )]
    Missing,
    /// The description was written by a later version of the program.
    #[error("the scene has version {0}, and this program knows version 1: use a newer gelenk")]
    Version(String),
    /// Something in it does not make sense.
    #[error("the scene of the recording is damaged at {0}")]
    Damaged(String),
    /// There are no poses.
    #[error("no poses of bodies were recorded: run again without --no-poses")]
    NoPoses,
    /// There are no rows.
    #[error("the recording has no rows")]
    Empty,
    /// A body that is not there.
    #[error("there is no body `{name}`{hint}")]
    UnknownBody {
        /// Name asked for.
        name: String,
        /// The closest names.
        hint: String,
    },
}

/// What there is to see. Lengths in m.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Unit vector that points up in the picture.
    pub up: Vec3<f64>,
    /// The bodies in the order of the model.
    pub bodies: Vec<SceneBody>,
    /// The joints.
    pub joints: Vec<SceneJoint>,
    /// Frames on bodies.
    pub frames: Vec<SceneFrame>,
    /// Frames that loops join: type, and the two frames by their numbers.
    pub loops: Vec<(String, [usize; 2])>,
    /// What acts between two frames: type, and the frames by their numbers.
    pub links: Vec<(String, [usize; 2])>,
    /// Frames on which single forces and torques act, by their numbers.
    pub loaded: Vec<usize>,
    /// Names of the loops.
    pub loop_names: Vec<String>,
    /// What acts, with where its columns are.
    pub elements: Vec<SceneElement>,
    /// What stands on the ground, only to be seen.
    pub ground: Vec<SceneShape>,
    /// Surfaces of contacts: the frame that carries each by its number, and its mesh.
    pub surfaces: Vec<(usize, Form)>,
}

/// Something that acts.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneElement {
    /// Name in the model, which its columns begin with.
    pub name: String,
    /// `spring`, `contact` and so on.
    pub kind: String,
    /// Frames that it acts between, by their numbers.
    pub between: Option<[usize; 2]>,
    /// Frame that it acts on, by its number.
    pub frame: Option<usize>,
    /// Of an effort: its column, the joint that it acts along or about by its number, and its sign.
    pub effort: Option<(String, usize, f64)>,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneBody {
    /// Name in the model.
    pub name: String,
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the axes of the body.
    pub centre: Vec3<f64>,
    /// What it looks like; perhaps nothing.
    pub shapes: Vec<SceneShape>,
    /// Whether the shapes are what it looks like in reality, apart from mass and contact.
    pub visual: bool,
}

/// A form at a place of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneShape {
    /// The form.
    pub form: Form,
    /// Its place in the axes of the body.
    pub pose: Pose<f64>,
    /// Red, green, blue and opacity, 0 to 1, where it has a colour of its own.
    pub colour: Option<[f64; 4]>,
}

/// Forms; round ones stand along z, and all are centred.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Full lengths of the edges.
    Box(Vec3<f64>),
    /// Radius.
    Sphere(f64),
    /// Radius and length.
    Cylinder(f64, f64),
    /// Radius, and length without the caps.
    Capsule(f64, f64),
    /// Half axes.
    Ellipsoid(Vec3<f64>),
    /// Vertices, and corners of the triangles.
    Mesh(Vec<[f64; 3]>, Vec<[u32; 3]>),
}

/// What carries something: the ground, or a body by its number.
pub type Carrier = Option<usize>;

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneJoint {
    /// Name in the model.
    pub name: String,
    /// `revolute`, `prismatic` and so on.
    pub kind: String,
    /// What it stands on.
    pub parent: Carrier,
    /// What it moves.
    pub child: Carrier,
    /// Its frame on the parent.
    pub pose: Pose<f64>,
    /// Its axis in its frame, where it has one.
    pub axis: Option<Vec3<f64>>,
}

/// A frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFrame {
    /// What carries it.
    pub body: Carrier,
    /// Its place there.
    pub pose: Pose<f64>,
}

impl Scene {
    /// The scene of a recording.
    ///
    /// # Errors
    /// [`SceneError`] where there is none that can be read.
    pub fn of(recording: &Recording) -> Result<Self, SceneError> {
        let text = recording.meta().get(KEY).ok_or(SceneError::Missing)?;
        Self::parse(text)
    }

    /// The scene that a JSON text describes.
    ///
    /// # Errors
    /// [`SceneError::Version`] and [`SceneError::Damaged`].
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let json: Value = serde_json::from_str(text).map_err(|e| SceneError::Damaged(e.to_string()))?;
        if json["version"] != 1 {
            return Err(SceneError::Version(json["version"].to_string()));
        }
        let meshes = list(&json, "meshes").iter().map(mesh).collect::<Result<Vec<_>, _>>()?;
        let bodies = list(&json, "bodies").iter().map(|b| body(b, &meshes)).collect::<Result<Vec<_>, _>>()?;
        let carrier = |value: &Value, key: &str| match value[key].as_str() {
            Some("ground") => Ok(None),
            Some(name) => match bodies.iter().position(|b| b.name == name) {
                Some(index) => Ok(Some(index)),
                None => Err(damaged(name)),
            },
            None => Err(damaged(key)),
        };
        let joint = |value: &Value| {
            Ok(SceneJoint {
                name: value["name"].as_str().unwrap_or_default().to_owned(),
                kind: value["type"].as_str().unwrap_or_default().to_owned(),
                parent: carrier(value, "parent")?,
                child: carrier(value, "child")?,
                pose: pose(value)?,
                axis: if value["axis"].is_null() { None } else { Some(vector(value, "axis")?) },
            })
        };
        let joints = list(&json, "joints").iter().map(joint).collect::<Result<Vec<_>, SceneError>>()?;
        let frame = |value: &Value| Ok(SceneFrame { body: carrier(value, "body")?, pose: pose(value)? });
        let frames = list(&json, "frames").iter().map(frame).collect::<Result<Vec<_>, SceneError>>()?;
        let number = |value: &Value| match value.as_u64().map(usize::try_from) {
            Some(Ok(index)) if index < frames.len() => Ok(index),
            _ => Err(damaged("a number of a frame")),
        };
        let pair = |value: &Value| {
            let kind = value["type"].as_str().unwrap_or_default().to_owned();
            Ok((kind, [number(&value["between"][0])?, number(&value["between"][1])?]))
        };
        let pairs = |key: &str| {
            let both = list(&json, key).iter().filter(|value| !value["between"].is_null());
            both.map(pair).collect::<Result<Vec<_>, SceneError>>()
        };
        let single = list(&json, "elements").iter().filter(|value| !value["frame"].is_null());
        let loaded = single.map(|value| number(&value["frame"])).collect::<Result<Vec<_>, _>>()?;
        let element = |value: &Value| {
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let joint = joints.iter().position(|joint| Some(joint.name.as_str()) == value["joint"].as_str());
            Ok(SceneElement {
                name: text("name"),
                kind: text("type"),
                between: if value["between"].is_null() { None } else { Some(pair(value)?.1) },
                frame: if value["frame"].is_null() { None } else { Some(number(&value["frame"])?) },
                effort: joint.map(|joint| (text("column"), joint, value["sign"].as_f64().unwrap_or(1.0))),
            })
        };
        let elements = list(&json, "elements").iter().map(element).collect::<Result<Vec<_>, SceneError>>()?;
        let surface = |value: &Value| Ok((number(&value["frame"])?, numbered(value, &meshes)?));
        let surfaces = list(&json, "surfaces").iter().map(surface).collect::<Result<Vec<_>, SceneError>>()?;
        let loops = list(&json, "loops").iter();
        let loop_names = loops.map(|value| value["name"].as_str().unwrap_or_default().to_owned()).collect();
        let up = vector(&json, "up")?;
        if (up.norm() - 1.0).abs() > 1e-6 {
            return Err(damaged("up"));
        }
        let (loops, links) = (pairs("loops")?, pairs("elements")?);
        let ground = shapes(&json["ground"], &meshes)?;
        Ok(Self { up, loops, links, loaded, loop_names, elements, ground, surfaces, joints, frames, bodies })
    }
}

fn damaged(what: impl Display) -> SceneError {
    SceneError::Damaged(format!("`{what}`"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> Result<f64, SceneError> {
    value[key].as_f64().filter(|v| v.is_finite()).ok_or_else(|| damaged(key))
}

/// A length that is not negative.
fn length(value: &Value, key: &str) -> Result<f64, SceneError> {
    Ok(number(value, key)?.max(0.0))
}

fn numbers<const N: usize>(value: &Value, key: &str) -> Result<[f64; N], SceneError> {
    let given: Vec<f64> =
        list(value, key).iter().filter_map(Value::as_f64).filter(|v| v.is_finite()).collect();
    given.try_into().map_err(|_| damaged(key))
}

fn vector(value: &Value, key: &str) -> Result<Vec3<f64>, SceneError> {
    Ok(Vec3::from(numbers::<3>(value, key)?))
}

fn pose(value: &Value) -> Result<Pose<f64>, SceneError> {
    let quaternion = numbers::<4>(value, "quaternion")?;
    if (quaternion.iter().map(|q| q * q).sum::<f64>() - 1.0).abs() > 1e-6 {
        return Err(damaged("quaternion"));
    }
    Ok(Pose::new(from_quaternion(quaternion), vector(value, "position")?))
}

fn body(value: &Value, meshes: &[Form]) -> Result<SceneBody, SceneError> {
    let name = value["name"].as_str().ok_or_else(|| damaged("name"))?.to_owned();
    let (shapes, visual) = (shapes(value, meshes)?, value["visual"].as_bool().unwrap_or(false));
    Ok(SceneBody { name, mass: number(value, "mass")?, centre: vector(value, "centre")?, shapes, visual })
}

/// The shapes of a body or of the ground.
fn shapes(value: &Value, meshes: &[Form]) -> Result<Vec<SceneShape>, SceneError> {
    let shape = |value: &Value| {
        let form = match value["kind"].as_str() {
            Some("box") => Form::Box(vector(value, "size")?),
            Some("sphere") => Form::Sphere(length(value, "radius")?),
            Some("cylinder") => Form::Cylinder(length(value, "radius")?, length(value, "length")?),
            Some("capsule") => Form::Capsule(length(value, "radius")?, length(value, "length")?),
            Some("ellipsoid") => Form::Ellipsoid(vector(value, "radii")?),
            Some("mesh") => numbered(value, meshes)?,
            _ => return Err(damaged("kind")),
        };
        let colour = if value["colour"].is_null() { None } else { Some(numbers::<4>(value, "colour")?) };
        Ok(SceneShape { form, pose: pose(value)?, colour })
    };
    list(value, "shapes").iter().map(shape).collect()
}

/// The mesh that a value names by its number.
fn numbered(value: &Value, meshes: &[Form]) -> Result<Form, SceneError> {
    let index = value["mesh"].as_u64().and_then(|i| usize::try_from(i).ok());
    index.and_then(|i| meshes.get(i)).cloned().ok_or_else(|| damaged("mesh"))
}

fn mesh(value: &Value) -> Result<Form, SceneError> {
    let words = |key: &str| {
        let bytes = STANDARD.decode(value[key].as_str().unwrap_or_default()).map_err(|_| damaged(key))?;
        Ok::<_, SceneError>(bytes.as_chunks::<4>().0.to_vec())
    };
    let floats: Vec<f64> = words("vertices")?.into_iter().map(|b| f64::from(f32::from_le_bytes(b))).collect();
    let vertices = floats.as_chunks::<3>().0.to_vec();
    let corners: Vec<u32> = words("triangles")?.into_iter().map(u32::from_le_bytes).collect();
    let triangles = corners.as_chunks::<3>().0.to_vec();
    if triangles.iter().flatten().any(|&corner| corner as usize >= vertices.len())
        || vertices.iter().flatten().any(|x| !x.is_finite())
    {
        return Err(damaged("meshes"));
    }
    Ok(Form::Mesh(vertices, triangles))
}
