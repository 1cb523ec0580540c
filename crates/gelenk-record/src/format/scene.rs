//! What pictures need to know of a model, as JSON in the metadata of its recordings. With the columns `bodies.NAME.x` to `.qz`
//! it is all that a 3-D view needs. Lengths are in m, quaternions have their real part first.

use super::Format;
use super::contract::alias;
use serde_json::{Value, json};

words! {
    /// Types of joints.
    pub enum JointWord {
        /// It lets nothing move.
        Fixed = "fixed",
        /// About an axis.
        Revolute = "revolute",
        /// Along an axis.
        Prismatic = "prismatic",
        /// Along and about several axes.
        General = "general",
        /// About a point.
        Ball = "ball",
        /// Freely.
        Free = "free",
    }
    /// Types of loops that are between frames.
    pub enum LoopWord {
        /// The origins coincide.
        Point = "point",
        /// The z axes are parallel.
        Parallel = "parallel",
        /// The z axes are perpendicular.
        Perpendicular = "perpendicular",
        /// All axes are parallel.
        Orientation = "orientation",
        /// The origins keep a distance.
        Distance = "distance",
        /// The second origin is in a plane of the first frame.
        Plane = "plane",
        /// The second origin is on an ellipsoid around the first frame.
        Ellipsoid = "ellipsoid",
        /// Nothing moves.
        Rigid = "rigid",
        /// A hinge.
        Revolute = "revolute",
        /// A hinge that slides.
        Cylindrical = "cylindrical",
        /// A slide.
        Prismatic = "prismatic",
        /// A universal joint.
        Universal = "universal",
    }
    /// How an element is drawn.
    pub enum ElementWord {
        /// Between two frames.
        Spring = "spring",
        /// Between two frames.
        Line = "line",
        /// Between two frames.
        Bushing = "bushing",
        /// At a frame.
        Force = "force",
        /// About an axis of a frame.
        Torque = "torque",
        /// Along or about the axis of a joint.
        Effort = "effort",
        /// Between two bodies.
        Contact = "contact",
    }
}

tables! {
    /// A place on what carries something. The quaternion has its real part first.
    pub struct Placed {
        /// Origin (m).
        "position" position: [f64; 3],
        /// Orientation, real part first.
        "quaternion" quaternion: [f64; 4],
    }
    /// A form at a place of a body.
    pub struct Shape {
        /// Red, green, blue and opacity, 0 to 1.
        "colour" colour: Option<[f64; 4]>,
        .. /// Its place.
        place: Placed,
        .. /// What it looks like.
        form: Form,
    }
    /// A body.
    pub struct Body {
        /// Name in the model.
        "name" name: String,
        /// Mass (kg).
        "mass" mass: f64,
        /// Centre of mass in the axes of the body (m).
        "centre" centre: [f64; 3],
        /// What it looks like; perhaps nothing.
        "shapes" shapes: Vec<Shape>,
        /// Whether the shapes are what it looks like in reality.
        "visual" visual: Option<bool>,
    }
    /// What is seen on the ground.
    pub struct GroundShapes {
        /// Shapes.
        "shapes" shapes: Vec<Shape>,
    }
    /// A joint; its place is on the parent.
    pub struct Joint {
        /// Name in the model.
        "name" name: String,
        /// How it moves.
        "type" kind: JointWord,
        /// The body that carries it, or `ground`.
        "parent" parent: String,
        /// The body that it moves.
        "child" child: String,
        /// Its axis in its frame, where it has one.
        "axis" axis: Option<[f64; 3]>,
        .. /// Its frame on the parent.
        place: Placed,
    }
    /// A frame on a body.
    pub struct Frame {
        /// Name in the model.
        "name" name: String,
        /// The body that carries it, or `ground`.
        "body" body: String,
        .. /// Its place there.
        place: Placed,
    }
    /// A loop.
    pub struct Loop {
        /// Name in the model.
        "name" name: String,
        /// What it demands.
        "type" kind: LoopWord,
        /// The frames, by their numbers.
        "between" between: [usize; 2],
        /// Half axes of an ellipsoid (m).
        "radii" radii: Option<[f64; 3]>,
    }
    /// What acts between frames, on a frame or on the coordinate of a joint.
    pub struct Element {
        /// Name in the model, which its columns begin with.
        "name" name: String,
        /// How it is drawn.
        "type" kind: ElementWord,
        /// Frames that it acts between, by their numbers.
        "between" between: Option<[usize; 2]>,
        /// Frame that it acts on, by its number.
        "frame" frame: Option<usize>,
        /// Column of an effort.
        "column" column: Option<String>,
        /// The joint that an effort acts along or about.
        "joint" joint: Option<String>,
        /// Sign of an effort.
        "sign" sign: Option<f64>,
    }
    /// Vertices (f32) and corners (u32) of triangles as base64, little endian.
    pub struct Surface {
        /// Coordinates of the vertices (m).
        "vertices" vertices: String,
        /// Numbers of the corners.
        "triangles" triangles: String,
    }
    /// A surface of contacts.
    pub struct SurfacePlace {
        /// The frame that carries it, by its number.
        "frame" frame: usize,
        /// Its mesh, by its number.
        "mesh" mesh: usize,
    }
    /// What pictures need to know of a model.
    pub struct Scene {
        /// Version of the format: 1.
        "version" version: usize,
        /// Unit vector that points up in the picture.
        "up" up: [f64; 3],
        /// Gravity at the start (m/s^2).
        "gravity" gravity: [f64; 3],
        /// Bodies in the order of the model.
        "bodies" bodies: Vec<Body>,
        /// What is seen on the ground.
        "ground" ground: Option<GroundShapes>,
        /// Joints.
        "joints" joints: Vec<Joint>,
        /// Frames; others refer to them by their numbers.
        "frames" frames: Vec<Frame>,
        /// Loops between frames.
        "loops" loops: Vec<Loop>,
        /// What acts.
        "elements" elements: Vec<Element>,
        /// Surfaces of contacts.
        "surfaces" surfaces: Option<Vec<SurfacePlace>>,
        /// Meshes of shapes and surfaces.
        "meshes" meshes: Vec<Surface>,
    }
}

/// Forms; round ones are along z, and all are centred. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Lengths of the edges.
    Box([f64; 3]),
    /// Radius.
    Sphere(f64),
    /// Radius and length.
    Cylinder(f64, f64),
    /// Radius, and length without the caps.
    Capsule(f64, f64),
    /// Half axes.
    Ellipsoid([f64; 3]),
    /// A mesh by its number.
    Mesh(usize),
}

impl Format for Form {
    fn value(&self) -> Option<Value> {
        Some(match *self {
            Self::Box(size) => json!({ "kind": "box", "size": size }),
            Self::Sphere(radius) => json!({ "kind": "sphere", "radius": radius }),
            Self::Cylinder(radius, length) => {
                json!({ "kind": "cylinder", "radius": radius, "length": length })
            }
            Self::Capsule(radius, length) => json!({ "kind": "capsule", "radius": radius, "length": length }),
            Self::Ellipsoid(radii) => json!({ "kind": "ellipsoid", "radii": radii }),
            Self::Mesh(mesh) => json!({ "kind": "mesh", "mesh": mesh }),
        })
    }

    fn name() -> String {
        "Form".to_owned()
    }
}

impl Form {
    /// Made from one value of every kind, so that it cannot differ from what is written.
    fn declaration() -> String {
        let all = [
            Self::Box([0.0; 3]),
            Self::Sphere(0.0),
            Self::Cylinder(0.0, 0.0),
            Self::Capsule(0.0, 0.0),
            Self::Ellipsoid([0.0; 3]),
            Self::Mesh(0),
        ];
        let kinds = all.iter().filter_map(Format::value).map(|value| {
            let entries = value.as_object().into_iter().flatten().map(|(key, value)| match value {
                Value::String(word) => format!("readonly {key}: \"{word}\""),
                Value::Array(_) => format!("readonly {key}: {}", <[f64; 3]>::name()),
                _ => format!("readonly {key}: number"),
            });
            format!("  | {{ {} }}", entries.collect::<Vec<_>>().join("; "))
        });
        let kinds = kinds.collect::<Vec<_>>().join("\n");
        format!(
            "/** Forms; round ones are along z, and all are centred. Lengths in m. */\nexport type Form =\n{kinds};\n"
        )
    }
}

pub(super) fn declarations() -> Vec<String> {
    vec![
        alias::<[f64; 3]>("Vector", "Three components."),
        alias::<[f64; 4]>("Quaternion", "Real part first."),
        JointWord::declaration(),
        LoopWord::declaration(),
        ElementWord::declaration(),
        Placed::declaration(),
        Form::declaration(),
        Shape::declaration(),
        Body::declaration(),
        GroundShapes::declaration(),
        Joint::declaration(),
        Frame::declaration(),
        Loop::declaration(),
        Element::declaration(),
        Surface::declaration(),
        SurfacePlace::declaration(),
        Scene::declaration(),
    ]
}
