//! A robot as the document of a model file.

mod elements;

use crate::Format;
use crate::formulas::{self, Effort, value};
use crate::names::shown;
use crate::primitives::Solid;
use crate::robot::{Frame, Joint, Link, Motion, Robot};
use gelenk_file::document::Value;
use gelenk_file::draft::{Draft, Section, number};
use gelenk_math::rotation::{Sequence, about_axis};
use gelenk_math::spatial::{Mat3, Pose, Vec3};

/// Largest part of a number that counts as rounding where a rotation made it.
const NOISE: f64 = 1e-15;

/// The model file; `source` is the name of the file that was read.
pub(crate) fn draft(robot: &Robot, format: Format, source: Option<&str>) -> Draft {
    let mut draft = Draft { remarks: head(robot, format, source), ..Draft::default() };
    draft.root.key("schema", 1.0);
    if let Some(title) = &robot.title {
        draft.root.key("title", title.as_str());
    }
    draft.root.key("gravity", vector(&robot.gravity));
    let sections = &mut draft.sections;
    sections.extend(elements::commands(robot));
    let passive = formulas::passive(robot);
    for (i, link) in robot.links.iter().enumerate() {
        let passive: Vec<&Effort> = passive.iter().filter(|effort| effort.link == i).collect();
        sections.push(joint_table(robot, link, &passive));
        sections.push(body_table(link));
    }
    for link in &robot.links {
        sections.extend(rotor_tables(robot, &link.joint).into_iter().flatten());
    }
    sections.extend(robot.frames.iter().map(|frame| frame_table(robot, frame)));
    for item in &robot.loops {
        let name = |i: usize| robot.frames.get(i).map_or("", |frame| frame.name.chosen.as_str());
        let mut table = Section::new(&["loops", &item.name.chosen]);
        remark(&mut table, item.name.remark());
        table.key("type", item.kind);
        table.key("between", item.between.map(|i| name(i).into()).to_vec());
        sections.push(table);
    }
    sections.extend(elements::couplings(robot));
    sections.extend(elements::loose_joints(robot));
    sections.extend(elements::compensations(robot));
    sections.extend(elements::drives(robot));
    draft
}

/// Where the file comes from and what it lacks.
fn head(robot: &Robot, format: Format, source: Option<&str>) -> Vec<String> {
    let source = source.map(|source| format!(" {}", shown(source))).unwrap_or_default();
    let mut lines = vec![format!("Converted from the {} file{source} by gelenk convert.", format.name())];
    lines.extend(robot.remarks.iter().cloned());
    let mut left_out = robot.left_out.iter().peekable();
    if left_out.peek().is_some() {
        lines.extend([String::new(), "Not converted:".to_owned()]);
    }
    lines.extend(left_out.map(|entry| format!("  {entry}")));
    lines
}

fn joint_table(robot: &Robot, link: &Link, passive: &[&Effort]) -> Section {
    let joint = &link.joint;
    let mut table = Section::new(&["joints", &joint.name.chosen]);
    remark(&mut table, joint.name.remark());
    let kind = match joint.motion {
        Motion::Fixed => "fixed",
        Motion::Revolute => "revolute",
        Motion::Prismatic => "prismatic",
        Motion::Ball => "ball",
        Motion::Free => "free",
    };
    table.key("type", kind);
    table.key("parent", body_name(robot, joint.parent));
    table.key("child", link.name.chosen.as_str());
    pose(&mut table, &placement(joint));
    if joint.is_scalar() {
        given(&mut table, "axis", &clean(&joint.axis), &Vec3::z());
    }
    if let Some(start) = start(joint) {
        table.key("start", start);
    }
    match value(robot, joint) {
        Some(value) => table.key("value", value.as_str()),
        None => {
            let mut settings = Vec::new();
            let start = joint.start_value.unwrap_or(joint.reference);
            if start != 0.0 {
                settings.push(("start", coordinate_value(joint, start)));
            }
            if joint.start_rate != 0.0 {
                settings.push(("rate", joint.start_rate.into()));
            }
            if joint.armature != 0.0 && joint.is_scalar() {
                settings.push(("rotor_inertia", joint.armature.into()));
            }
            if !settings.is_empty() {
                table.key("coordinate", Value::table(settings));
            }
        }
    }
    if joint.coupling.is_none() && joint.is_scalar() {
        own_forces(&mut table, joint, passive);
    }
    if let Some(stop) = &joint.stop {
        let stop = [
            ("range", stop.range.map(|end| coordinate_value(joint, end)).to_vec().into()),
            ("stiffness", stop.stiffness.into()),
            ("damping", stop.damping.into()),
            ("depth", stop.depth.into()),
        ];
        table.key("stop", Value::table(stop));
    }
    table
}

/// A value of a coordinate. One of more than a revolution names its unit: a plain number could be meant in degrees.
fn coordinate_value(joint: &Joint, value: f64) -> Value {
    if joint.motion == Motion::Revolute && value.abs() > std::f64::consts::TAU && value.is_finite() {
        return Value::from(format!("{} rad", gelenk_file::draft::number(value)).as_str());
    }
    value.into()
}

/// Friction and springs on the coordinate of a joint.
fn own_forces(table: &mut Section, joint: &Joint, passive: &[&Effort]) {
    if joint.dry_friction != 0.0 {
        let mut law = vec![("law", "coulomb".into()), ("coulomb", joint.dry_friction.into())];
        if joint.damping != 0.0 {
            law.push(("viscous", joint.damping.into()));
        }
        table.key("friction", Value::table(law));
    } else if joint.damping != 0.0 {
        let viscous = [("law", "viscous".into()), ("viscous", joint.damping.into())];
        table.key("friction", Value::table(viscous));
    }
    if !passive.is_empty() {
        let own = (joint.stiffness != 0.0).then(|| formulas::own_spring(joint));
        let others = passive.iter().map(|effort| (false, effort.expression.clone()));
        let sum = formulas::sum(own.into_iter().chain(others));
        table.key("spring", Value::table([("effort", sum.as_str().into())]));
    } else if joint.stiffness != 0.0 {
        let mut spring = vec![("stiffness", joint.stiffness.into())];
        if joint.rest != 0.0 {
            spring.push(("rest", joint.rest.into()));
        }
        table.key("spring", Value::table(spring));
    }
}

/// Pose and velocity of a ball or free joint at the start, where they are not zero.
fn start(joint: &Joint) -> Option<Value> {
    if !matches!(joint.motion, Motion::Free | Motion::Ball) {
        return None;
    }
    let mut start = Vec::new();
    let mut given = |key, v: &Vec3<f64>| {
        if *v != Vec3::zeros() {
            start.push((key, vector(v)));
        }
    };
    let [angular, linear] = &joint.start_velocity;
    if joint.motion == Motion::Free {
        given("position", &joint.start.position);
        given("velocity", linear);
    }
    given("angular_velocity", angular);
    start.extend(orientation(&joint.start.rotation).map(|angles| ("orientation", angles)));
    (!start.is_empty()).then(|| Value::table(start))
}

/// The joint frame at the zero of the coordinate. A joint that follows another has its zero at the reference.
fn placement(joint: &Joint) -> Pose<f64> {
    let Pose { rotation, position } = joint.placement;
    let back = if joint.coupling.is_some() { 0.0 } else { -joint.reference };
    match joint.motion {
        Motion::Revolute if back != 0.0 => Pose::new(rotation * about_axis(&joint.axis, back), position),
        Motion::Prismatic if back != 0.0 => Pose::new(rotation, position + rotation * joint.axis * back),
        _ => joint.placement,
    }
}

fn body_table(link: &Link) -> Section {
    let mut table = Section::new(&["bodies", &link.name.chosen]);
    remark(&mut table, link.name.remark());
    link.remarks.iter().for_each(|remark| table.remark(remark.as_str()));
    table.key("mass", link.mass);
    given(&mut table, "centre", &link.centre, &Vec3::zeros());
    if !link.inertia_from_shape {
        table.key("inertia", inertia(&link.inertia));
    }
    if let Some(shape) = link.shape.and_then(|shape| shape_table(&shape)) {
        table.key("shape", shape);
    }
    table
}

/// The armature of a joint that follows others is a body on the ground that turns as the joint does: it adds `J v^2/2` to
/// the energy, and no weight.
fn rotor_tables(robot: &Robot, joint: &Joint) -> Option<[Section; 2]> {
    let rotor = joint.rotor.as_ref()?;
    let value = value(robot, joint).unwrap_or_else(|| joint.name.chosen.clone());
    let value = match joint.motion {
        Motion::Prismatic => format!("({value})/(1 m)"),
        _ => value,
    };
    let mut turning = Section::new(&["joints", &rotor.joint.chosen]);
    turning.key("type", "revolute");
    turning.key("parent", "ground");
    turning.key("child", rotor.body.chosen.as_str());
    turning.key("value", value.as_str());
    let mut body = Section::new(&["bodies", &rotor.body.chosen]);
    body.remark(format!("armature of {}", joint.name.chosen));
    body.key("mass", 0.0);
    body.key("inertia", vec![joint.armature.into(); 3]);
    Some([turning, body])
}

fn frame_table(robot: &Robot, frame: &Frame) -> Section {
    let mut table = Section::new(&["frames", &frame.name.chosen]);
    remark(&mut table, frame.name.remark());
    remark(&mut table, frame.remark.map(str::to_owned));
    table.key("body", body_name(robot, frame.body));
    pose(&mut table, &frame.pose);
    table
}

pub(crate) fn body_name(robot: &Robot, link: Option<usize>) -> &str {
    link.and_then(|link| robot.links.get(link)).map_or("ground", |link| link.name.chosen.as_str())
}

fn shape_table(shape: &Solid) -> Option<Value> {
    let (word, value) = shape_value(shape);
    (word != "ellipsoid").then(|| Value::table([(word, value)]))
}

/// The key and the sizes of a shape.
pub(crate) fn shape_value(shape: &Solid) -> (&'static str, Value) {
    let round = |radius: f64, length: f64| vec![("radius", radius.into()), ("length", length.into())];
    let (word, keys) = match *shape {
        Solid::Box(size) => ("box", vec![("size", vector(&size))]),
        Solid::Cylinder { radius, length } => ("cylinder", round(radius, length)),
        Solid::Capsule { radius, length } => ("capsule", round(radius, length)),
        Solid::Sphere { radius } => ("sphere", vec![("radius", radius.into())]),
        Solid::Ellipsoid(half) => ("ellipsoid", vec![("radii", vector(&half))]),
    };
    (word, Value::table(keys))
}

fn remark(table: &mut Section, remark: Option<String>) {
    remark.into_iter().for_each(|remark| table.remark(remark));
}

/// A vector, unless it is the default.
fn given(table: &mut Section, key: &str, value: &Vec3<f64>, default: &Vec3<f64>) {
    if value != default {
        table.key(key, vector(value));
    }
}

/// Position and orientation, unless they are zero.
pub(crate) fn place(table: &mut Section, at: &Pose<f64>) {
    pose(table, at);
}

fn pose(table: &mut Section, pose: &Pose<f64>) {
    given(table, "position", &pose.position, &Vec3::zeros());
    if let Some(angles) = orientation(&pose.rotation) {
        table.key("orientation", angles);
    }
}

fn vector(v: &Vec3<f64>) -> Value {
    vec![v.x.into(), v.y.into(), v.z.into()].into()
}

/// Six numbers, or three where the axes are principal ones.
fn inertia(tensor: &Mat3<f64>) -> Value {
    let largest = tensor.amax();
    let entry = |i: usize, j: usize| {
        let mean = (tensor[(i, j)] + tensor[(j, i)]) / 2.0;
        if mean.abs() <= NOISE * largest { 0.0 } else { mean }
    };
    let mut entries = vec![entry(0, 0), entry(1, 1), entry(2, 2)];
    let products = [entry(0, 1), entry(0, 2), entry(1, 2)];
    if products.iter().any(|product| *product != 0.0) {
        entries.extend(products);
    }
    entries.into_iter().map(Value::from).collect::<Vec<_>>().into()
}

/// Cardan x-y-z angles; nothing for no turn.
fn orientation(rotation: &Mat3<f64>) -> Option<Value> {
    let angles = Sequence::Xyz.angles(rotation).parameters.map(angle);
    angles.iter().any(|angle| *angle != Value::from(0.0)).then(|| angles.to_vec().into())
}

/// An angle in radians, or in degrees where that is a round number.
fn angle(x: f64) -> Value {
    let degrees = x.to_degrees().round();
    if x.abs() <= NOISE {
        0.0.into()
    } else if degrees % 5.0 == 0.0 && (degrees.to_radians() - x).abs() <= NOISE * x.abs() {
        format!("{} deg", number(degrees)).as_str().into()
    } else {
        x.into()
    }
}

/// A unit vector without the noise of rotations.
fn clean(axis: &Vec3<f64>) -> Vec3<f64> {
    axis.map(|x| if x.abs() <= NOISE { 0.0 } else { x })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_angles_are_in_degrees() {
        use std::f64::consts::PI;
        let written = [PI / 2.0, -PI / 12.0, PI / 7.0, 1e-16, -PI].map(angle);
        let expected: [Value; 5] =
            ["90 deg".into(), "-15 deg".into(), (PI / 7.0).into(), 0.0.into(), "-180 deg".into()];
        assert_eq!(written, expected);
    }
}
