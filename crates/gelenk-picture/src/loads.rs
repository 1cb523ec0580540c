//! Forces and torques that a recording has columns for, as arrows.

use gelenk_math::spatial::{Pose, Vec3};
use gelenk_record::Recording;

use crate::drawing::Colour;
use crate::figure::{Figure, FigurePart, FigurePlace, Item, Transform};
use crate::motion::SceneMotion;
use crate::scene::{Carrier, Scene};
use crate::solid::{Solid, along};

/// Length of the longest arrow of a kind, and radius of all, as shares of the size of the mechanism.
const LONGEST: f64 = 0.32;
const RADIUS: f64 = 0.007;

/// What an arrow stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadKind {
    /// A force.
    Force,
    /// A torque, with two heads.
    Torque,
    /// The force of a contact, with a ball where it acts.
    Contact,
}

impl LoadKind {
    const ALL: [Self; 3] = [Self::Force, Self::Torque, Self::Contact];

    /// The same colours as on the page of `gelenk report`.
    fn colour(self) -> Colour {
        match self {
            Self::Force => Colour(0xe8, 0x59, 0x0c),
            Self::Torque => Colour(0x9c, 0x36, 0xb5),
            Self::Contact => Colour(0xd6, 0x33, 0x6c),
        }
    }
}

/// A column of a recording.
type Values<'a> = &'a [f64];

/// What gives direction and length.
#[derive(Debug, Clone, PartialEq)]
enum Along<'a> {
    /// Three components in the axes of a body or of the ground.
    Vector([Values<'a>; 3], Carrier),
    /// An effort along an axis of a body.
    Axis(Values<'a>, Vec3<f64>, Carrier),
    /// A tension that pulls the second end to the first.
    Tension(Values<'a>, [usize; 2]),
}

/// Where it acts.
#[derive(Debug, Clone, PartialEq)]
enum At<'a> {
    /// In a frame by its number, perhaps beside its origin.
    Frame(usize, Option<[Values<'a>; 3]>),
    /// At a point of a body.
    Body(Carrier, Vec3<f64>),
    /// At a point in ground axes.
    Point([Values<'a>; 3]),
}

/// A force or torque.
#[derive(Debug, Clone, PartialEq)]
pub struct Load<'a> {
    /// Name in the model.
    pub name: String,
    /// What it is.
    pub kind: LoadKind,
    along: Along<'a>,
    at: At<'a>,
    /// Length of its arrow for each unit (m/N or m/(N m)).
    scale: f64,
}

/// A piece of an arrow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ArrowPart {
    /// The shaft, of unit length.
    Shaft,
    /// A head whose tip is so far behind the end (m).
    Head(f64),
    /// Where it acts.
    Foot,
}

impl Load<'_> {
    /// Where it acts and its arrow at a time (m); nothing where it is too small to see.
    fn arrow(&self, figure: &Figure, t: f64) -> Option<(Vec3<f64>, Vec3<f64>)> {
        let motion = &figure.motion;
        let three = |columns: &[Values; 3]| Vec3::from(columns.map(|column| motion.value(column, t)));
        let frame = |index: usize, offset: &Vec3<f64>| {
            let frame = figure.scene.frames.get(index)?;
            Some((motion.pose(frame.body, t)? * frame.pose).point(offset))
        };
        let way = match &self.along {
            Along::Vector(columns, axes) => motion.pose(*axes, t)?.rotation * three(columns),
            Along::Axis(column, axis, body) => {
                motion.pose(*body, t)?.rotation * axis * motion.value(column, t)
            }
            Along::Tension(column, [from, to]) => {
                let pull: Vec3<f64> = frame(*from, &Vec3::zeros())? - frame(*to, &Vec3::zeros())?;
                let length = pull.norm();
                if length > 0.0 { pull * (motion.value(column, t) / length) } else { pull }
            }
        };
        let at = match &self.at {
            At::Frame(index, offset) => frame(*index, &offset.as_ref().map_or(Vec3::zeros(), three))?,
            At::Body(body, point) => motion.pose(*body, t)?.point(point),
            At::Point(columns) => three(columns),
        };
        let arrow = way * self.scale;
        let seen = arrow.norm() > 3.0 * RADIUS * figure.size;
        (seen && arrow.iter().chain(&at).all(|v| v.is_finite())).then_some((at, arrow))
    }

    /// Where a piece of its arrow is at a time.
    pub(crate) fn transform(&self, figure: &Figure, piece: ArrowPart, t: f64) -> Option<Transform> {
        let (at, arrow) = self.arrow(figure, t)?;
        let (length, head) = (arrow.norm(), 6.0 * RADIUS * figure.size);
        let rotation = along(&arrow);
        let point = |s: f64| at + arrow * (s / length);
        Some(match piece {
            ArrowPart::Shaft => {
                let shaft = (length - 0.8 * head).max(1e-9 * figure.size);
                Transform { pose: Pose::new(rotation, point(0.5 * shaft)), stretch: shaft }
            }
            ArrowPart::Head(behind) => {
                Transform { pose: Pose::new(rotation, point(length - behind)), stretch: 1.0 }
            }
            ArrowPart::Foot => Transform { pose: Pose::new(rotation, at), stretch: 1.0 },
        })
    }

    /// Largest magnitude over the whole recording.
    fn largest(&self) -> f64 {
        let columns: Vec<Values> = match &self.along {
            Along::Vector(columns, _) => columns.to_vec(),
            Along::Axis(column, ..) | Along::Tension(column, _) => vec![column],
        };
        let rows = columns.iter().map(|values| values.len()).min().unwrap_or(0);
        let square = |row: usize| columns.iter().map(|values| values[row] * values[row]).sum::<f64>();
        (0..rows).map(square).filter(|s| s.is_finite()).fold(0.0, f64::max).sqrt()
    }
}

/// The loads of a motion whose columns are there, scaled so that the largest of each kind has an arrow of good length.
pub(crate) fn of<'a>(
    recording: &'a Recording,
    scene: &Scene,
    motion: &SceneMotion<'a>,
    size: f64,
) -> Vec<Load<'a>> {
    let mut found = Finder { recording, prefix: motion.prefix(), loads: Vec::new() };
    found.elements(scene);
    for (name, (_, between)) in scene.loop_names.iter().zip(&scene.loops) {
        found.both(&format!("loops.{name}"), None, &At::Frame(between[1], None));
    }
    for joint in &scene.joints {
        let at = At::Body(joint.child, Vec3::zeros());
        for name in [format!("reactions.{}", joint.name), format!("joints.{}.wrench", joint.name)] {
            found.both(&name, joint.child, &at);
        }
    }
    found.points();
    let mut loads = found.loads;
    for kind in LoadKind::ALL {
        let same = || loads.iter().filter(|load| load.kind == kind);
        let largest = same().map(Load::largest).fold(0.0, f64::max);
        let scale = if largest > 0.0 { LONGEST * size / largest } else { 0.0 };
        loads.iter_mut().filter(|load| load.kind == kind).for_each(|load| load.scale = scale);
    }
    loads
}

/// The pieces of the arrows of loads.
pub(crate) fn items(loads: &[Load], size: f64) -> Vec<Item> {
    let radius = RADIUS * size;
    let mut items = Vec::new();
    for (k, load) in loads.iter().enumerate() {
        let mut add = |piece: ArrowPart, solid: Solid| {
            let (name, colour, place) = (load.name.clone(), load.kind.colour(), FigurePlace::Load(k, piece));
            items.push(Item { name, colour, solid, place, part: FigurePart::Load, opacity: 1.0 });
        };
        add(ArrowPart::Shaft, Solid::cylinder(0.6 * radius, 1.0));
        add(ArrowPart::Head(0.0), Solid::tip(2.0 * radius, 6.0 * radius));
        match load.kind {
            LoadKind::Force => {}
            LoadKind::Torque => add(ArrowPart::Head(6.0 * radius), Solid::tip(2.0 * radius, 6.0 * radius)),
            LoadKind::Contact => add(ArrowPart::Foot, Solid::ball(&Vec3::zeros(), 1.6 * radius)),
        }
    }
    items
}

struct Finder<'a> {
    recording: &'a Recording,
    prefix: &'a str,
    loads: Vec<Load<'a>>,
}

impl<'a> Finder<'a> {
    fn column(&self, name: &str) -> Option<Values<'a>> {
        self.recording.column(&format!("{}{name}", self.prefix)).ok()
    }

    fn three(&self, name: &str, parts: [&str; 3]) -> Option<[Values<'a>; 3]> {
        let [a, b, c] = parts.map(|part| self.column(&format!("{name}.{part}")));
        Some([a?, b?, c?])
    }

    fn add(&mut self, name: &str, kind: LoadKind, along: Along<'a>, at: At<'a>) {
        self.loads.push(Load { name: name.to_owned(), kind, along, at, scale: 0.0 });
    }

    /// Force and torque of one name.
    fn both(&mut self, name: &str, axes: Carrier, at: &At<'a>) {
        for (kind, parts) in [(LoadKind::Force, ["fx", "fy", "fz"]), (LoadKind::Torque, ["mx", "my", "mz"])] {
            if let Some(columns) = self.three(name, parts) {
                self.add(name, kind, Along::Vector(columns, axes), at.clone());
            }
        }
    }

    fn elements(&mut self, scene: &Scene) {
        for element in &scene.elements {
            let name = &element.name;
            match (element.kind.as_str(), element.between, element.frame, &element.effort) {
                ("contact", Some([first, _]), ..) => {
                    // The middle of the contact is told from the origin of the first surface, in its frame.
                    let at = self.three(name, ["position.x", "position.y", "position.z"]);
                    if let (Some(columns), Some(at)) = (self.three(name, ["fx", "fy", "fz"]), at) {
                        let along = Along::Vector(columns, None);
                        self.add(name, LoadKind::Contact, along, At::Frame(first, Some(at)));
                    }
                }
                (_, _, _, Some((column, joint, sign))) => {
                    let joint = &scene.joints[*joint];
                    if let (Some(column), Some(axis)) = (self.column(column), joint.axis) {
                        let slides = joint.kind == "prismatic";
                        // A force that slides a body is best seen at its centre.
                        let centre =
                            joint.child.filter(|_| slides).map_or(Vec3::zeros(), |b| scene.bodies[b].centre);
                        let kind = if slides { LoadKind::Force } else { LoadKind::Torque };
                        let along = Along::Axis(column, axis.normalize() * *sign, joint.child);
                        self.add(name, kind, along, At::Body(joint.child, centre));
                    }
                }
                (_, _, Some(frame), _) => self.both(name, None, &At::Frame(frame, None)),
                ("spring" | "line", Some(between), ..) => {
                    if let Some(column) = self.column(name) {
                        let along = Along::Tension(column, between);
                        self.add(name, LoadKind::Force, along, At::Frame(between[1], None));
                    }
                }
                _ => {}
            }
        }
    }

    /// Contact points: every group of columns with a point `.px .py .pz` and a force `.fx .fy .fz`, in ground axes.
    fn points(&mut self) {
        let groups = self.recording.columns().iter().filter_map(|c| c.name.strip_suffix(".px"));
        for group in groups {
            let group = group.strip_prefix(self.prefix).unwrap_or(group);
            let (at, force) = (self.three(group, ["px", "py", "pz"]), self.three(group, ["fx", "fy", "fz"]));
            if let (Some(at), Some(force)) = (at, force) {
                self.add(group, LoadKind::Contact, Along::Vector(force, None), At::Point(at));
            }
        }
    }
}

/// Columns of points that stand for themselves, such as measured markers: `markers.NAME.x`, `.y` and `.z`.
pub(crate) fn markers(recording: &Recording) -> Vec<(String, [Values<'_>; 3])> {
    let group = |c: &'_ gelenk_record::Column| {
        let group = c.name.strip_suffix(".x")?.to_owned();
        let (before, name) = group.rsplit_once('.')?;
        (before == "markers" || before.ends_with(".markers")).then_some(())?;
        let name = name.to_owned();
        let [x, y, z] = ["x", "y", "z"].map(|part| recording.column(&format!("{group}.{part}")).ok());
        Some((name, [x?, y?, z?]))
    };
    recording.columns().iter().filter_map(group).collect()
}
