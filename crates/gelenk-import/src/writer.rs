//! A robot as the text of a model file.

use crate::Format;
use crate::names::shown;
use crate::primitives::Solid;
use crate::robot::{Frame, Joint, Link, Motion, Robot};
use gelenk_math::rotation::{Sequence, about_axis};
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use std::fmt::Write as _;

/// Largest part of a number that counts as rounding where a rotation made it.
const NOISE: f64 = 1e-15;

/// Writes the model file; `source` is the name of the file that was read.
pub(crate) fn write(robot: &Robot, format: Format, source: Option<&str>) -> String {
    let mut text = String::new();
    head(&mut text, robot, format, source);
    for link in &robot.links {
        joint_table(&mut text, robot, link);
        body_table(&mut text, link);
    }
    for link in &robot.links {
        rotor_tables(&mut text, robot, &link.joint);
    }
    for frame in &robot.frames {
        frame_table(&mut text, robot, frame);
    }
    for item in &robot.loops {
        let name = |i: usize| robot.frames.get(i).map_or("", |frame| frame.name.chosen.as_str());
        let [first, second] = item.between.map(name);
        let mut table = Table::new("loops", &item.name.chosen);
        table.remark(item.name.remark());
        table.key("type", quoted(item.kind));
        table.key("between", format!("[{}, {}]", quoted(first), quoted(second)));
        table.write(&mut text);
    }
    text
}

/// Where the file comes from, what it lacks, and what holds for all of it.
fn head(text: &mut String, robot: &Robot, format: Format, source: Option<&str>) {
    let source = source.map(|source| format!(" {}", shown(source))).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# Converted from the {} file{source} by gelenk convert.", format.name());
    for remark in &robot.remarks {
        let _ = writeln!(text, "# {remark}");
    }
    let mut left_out = robot.left_out.iter().peekable();
    if left_out.peek().is_some() {
        let _ = writeln!(text, "#\n# Not converted:");
    }
    for entry in left_out {
        let _ = writeln!(text, "#   {entry}");
    }
    let _ = writeln!(text, "\nschema  = 1");
    if let Some(title) = &robot.title {
        let _ = writeln!(text, "title   = {}", quoted(title));
    }
    let _ = writeln!(text, "gravity = {}", vector(&robot.gravity));
}

fn joint_table(text: &mut String, robot: &Robot, link: &Link) {
    let joint = &link.joint;
    let mut table = Table::new("joints", &joint.name.chosen);
    table.remark(joint.name.remark());
    let kind = match joint.motion {
        Motion::Fixed => "fixed",
        Motion::Revolute => "revolute",
        Motion::Prismatic => "prismatic",
        Motion::Ball => "ball",
        Motion::Free => "free",
    };
    table.key("type", quoted(kind));
    table.key("parent", quoted(body_name(robot, joint.parent)));
    table.key("child", quoted(&link.name.chosen));
    table.pose(&placement(joint));
    if joint.is_scalar() {
        table.given("axis", &clean(&joint.axis), &Vec3::z());
    }
    if joint.motion == Motion::Free {
        let mut start = Vec::new();
        if joint.start.position != Vec3::zeros() {
            start.push(format!("position = {}", vector(&joint.start.position)));
        }
        start.extend(orientation(&joint.start.rotation).map(|angles| format!("orientation = {angles}")));
        if !start.is_empty() {
            table.key("start", format!("{{ {} }}", start.join(", ")));
        }
    }
    match value(robot, joint) {
        Some(value) => table.key("value", quoted(&value)),
        None => {
            let mut settings = Vec::new();
            if joint.reference != 0.0 {
                settings.push(format!("start = {}", number(joint.reference)));
            }
            if joint.armature != 0.0 && joint.is_scalar() {
                settings.push(format!("rotor_inertia = {}", number(joint.armature)));
            }
            if !settings.is_empty() {
                table.key("coordinate", format!("{{ {} }}", settings.join(", ")));
            }
        }
    }
    if joint.damping != 0.0 {
        let damping = number(joint.damping);
        table.key("friction", format!("{{ law = \"viscous\", viscous = {damping} }}"));
    }
    if joint.stiffness != 0.0 {
        let mut spring = format!("stiffness = {}", number(joint.stiffness));
        if joint.rest != 0.0 {
            let _ = write!(spring, ", rest = {}", number(joint.rest));
        }
        table.key("spring", format!("{{ {spring} }}"));
    }
    if let Some(stop) = &joint.stop {
        let [lower, upper] = stop.range.map(number);
        let (stiffness, damping) = (number(stop.stiffness), number(stop.damping));
        let depth = quoted(stop.depth);
        table.key(
            "stop",
            format!(
                "{{ range = [{lower}, {upper}], stiffness = {stiffness}, damping = {damping}, depth = {depth} }}"
            ),
        );
    }
    table.write(text);
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

/// The motion of a joint that follows another, as an expression.
fn value(robot: &Robot, joint: &Joint) -> Option<String> {
    let coupling = joint.coupling.as_ref()?;
    let is_length = |joint: &Joint| i32::from(joint.motion == Motion::Prismatic);
    let master = coupling.master.and_then(|master| robot.links.get(master)).map(|link| &link.joint);
    let variable = master.map_or_else(String::new, |master| {
        let name = &master.name.chosen;
        match master.reference {
            0.0 => name.clone(),
            reference => {
                let sign = if reference < 0.0 { "+" } else { "-" };
                format!("({name} {sign} {})", with_unit(reference.abs(), is_length(master)))
            }
        }
    });
    let of_variable = master.map_or(0, is_length);
    let mut text = String::new();
    for (power, &coefficient) in coupling.coefficients.iter().enumerate() {
        if coefficient == 0.0 || (power > 0 && master.is_none()) {
            continue;
        }
        let exponent = i32::try_from(power).unwrap_or(0);
        let factor = with_unit(coefficient.abs(), is_length(joint) - of_variable * exponent);
        let term = match power {
            0 => factor,
            1 if factor == "1" => variable.clone(),
            1 => format!("{factor}*{variable}"),
            _ => format!("{factor}*{variable}^{power}"),
        };
        let sign = match (text.is_empty(), coefficient < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let _ = write!(text, "{sign}{term}");
    }
    Some(if text.is_empty() { "0".to_owned() } else { text })
}

/// A number in an expression with a power of the metre.
fn with_unit(x: f64, metres: i32) -> String {
    let x = number(x);
    match metres {
        0 => x,
        1 => format!("{x} m"),
        -1 => format!("{x} [1/m]"),
        _ => format!("{x} [1/m^{}]", -metres),
    }
}

fn body_table(text: &mut String, link: &Link) {
    let mut table = Table::new("bodies", &link.name.chosen);
    table.remark(link.name.remark());
    link.remarks.iter().for_each(|remark| table.remark(Some(remark.clone())));
    table.key("mass", number(link.mass));
    table.given("centre", &link.centre, &Vec3::zeros());
    if !link.inertia_from_shape {
        table.key("inertia", inertia(&link.inertia));
    }
    if let Some(shape) = link.shape.and_then(|shape| shape_text(&shape)) {
        table.key("shape", shape);
    }
    table.write(text);
}

/// The armature of a joint that follows others is a body on the ground that turns as the joint does: it adds `J v^2/2` to
/// the energy, and no weight.
fn rotor_tables(text: &mut String, robot: &Robot, joint: &Joint) {
    let Some(rotor) = &joint.rotor else { return };
    let value = value(robot, joint).unwrap_or_else(|| joint.name.chosen.clone());
    let value = match joint.motion {
        Motion::Prismatic => format!("({value})/(1 m)"),
        _ => value,
    };
    let mut table = Table::new("joints", &rotor.joint.chosen);
    table.key("type", quoted("revolute"));
    table.key("parent", quoted("ground"));
    table.key("child", quoted(&rotor.body.chosen));
    table.key("value", quoted(&value));
    table.write(text);
    let mut table = Table::new("bodies", &rotor.body.chosen);
    table.remark(Some(format!("armature of {}", joint.name.chosen)));
    let moment = number(joint.armature);
    table.key("mass", "0".to_owned());
    table.key("inertia", format!("[{moment}, {moment}, {moment}]"));
    table.write(text);
}

fn frame_table(text: &mut String, robot: &Robot, frame: &Frame) {
    let mut table = Table::new("frames", &frame.name.chosen);
    table.remark(frame.name.remark());
    table.remark(frame.remark.map(str::to_owned));
    table.key("body", quoted(body_name(robot, frame.body)));
    table.pose(&frame.pose);
    table.write(text);
}

fn body_name(robot: &Robot, link: Option<usize>) -> &str {
    link.and_then(|link| robot.links.get(link)).map_or("ground", |link| link.name.chosen.as_str())
}

fn shape_text(shape: &Solid) -> Option<String> {
    let round = |word: &str, radius: f64, length: f64| {
        format!("{{ {word} = {{ radius = {}, length = {} }} }}", number(radius), number(length))
    };
    match *shape {
        Solid::Box(size) => Some(format!("{{ box = {{ size = {} }} }}", vector(&size))),
        Solid::Cylinder { radius, length } => Some(round("cylinder", radius, length)),
        Solid::Capsule { radius, length } => Some(round("capsule", radius, length)),
        Solid::Sphere { radius } => Some(format!("{{ sphere = {{ radius = {} }} }}", number(radius))),
        Solid::Ellipsoid(_) => None,
    }
}

/// A table with its keys in a column.
struct Table {
    header: String,
    remarks: Vec<String>,
    keys: Vec<(&'static str, String)>,
}

impl Table {
    fn new(kind: &str, name: &str) -> Self {
        Self { header: format!("[{kind}.{name}]"), remarks: Vec::new(), keys: Vec::new() }
    }

    fn remark(&mut self, remark: Option<String>) {
        self.remarks.extend(remark);
    }

    fn key(&mut self, key: &'static str, value: String) {
        self.keys.push((key, value));
    }

    /// A vector, unless it is the default.
    fn given(&mut self, key: &'static str, value: &Vec3<f64>, default: &Vec3<f64>) {
        if value != default {
            self.key(key, vector(value));
        }
    }

    /// Position and orientation, unless they are zero.
    fn pose(&mut self, pose: &Pose<f64>) {
        self.given("position", &pose.position, &Vec3::zeros());
        if let Some(angles) = orientation(&pose.rotation) {
            self.key("orientation", angles);
        }
    }

    fn write(self, text: &mut String) {
        let width = self.keys.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let remarks = self.remarks.join("; ");
        let remarks = if remarks.is_empty() { remarks } else { format!("  # {remarks}") };
        let _ = writeln!(text, "\n{}{remarks}", self.header);
        for (key, value) in self.keys {
            let _ = writeln!(text, "{key:width$} = {value}");
        }
    }
}

/// The shortest decimal number that reads as the same value.
pub(crate) fn number(x: f64) -> String {
    // Whole numbers stay whole, and there is only one zero.
    if x == x.trunc() && x.abs() < 1e15 {
        return format!("{}", x as i64);
    }
    format!("{x:?}")
}

fn vector(v: &Vec3<f64>) -> String {
    format!("[{}, {}, {}]", number(v.x), number(v.y), number(v.z))
}

/// Six numbers, or three where the axes are principal ones.
fn inertia(tensor: &Mat3<f64>) -> String {
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
    let entries: Vec<String> = entries.into_iter().map(number).collect();
    format!("[{}]", entries.join(", "))
}

/// Cardan x-y-z angles; nothing for no turn.
fn orientation(rotation: &Mat3<f64>) -> Option<String> {
    let angles = Sequence::Xyz.angles(rotation).parameters;
    let texts = angles.map(angle);
    texts.iter().any(|text| text != "0").then(|| format!("[{}]", texts.join(", ")))
}

/// An angle in radians, or in degrees where that is a round number.
fn angle(x: f64) -> String {
    let degrees = x.to_degrees().round();
    if x.abs() <= NOISE {
        "0".to_owned()
    } else if degrees % 5.0 == 0.0 && (degrees.to_radians() - x).abs() <= NOISE * x.abs() {
        quoted(&format!("{} deg", number(degrees)))
    } else {
        number(x)
    }
}

/// A unit vector without the noise of rotations.
fn clean(axis: &Vec3<f64>) -> Vec3<f64> {
    axis.map(|x| if x.abs() <= NOISE { 0.0 } else { x })
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back_exactly() {
        let written = [0.0, -0.0, 2.0, -9.81, 1e-7, 1e300, 0.1 + 0.2, 123_456_789.0].map(number);
        assert_eq!(
            written,
            ["0", "0", "2", "-9.81", "1e-7", "1e300", "0.30000000000000004", "123456789"].map(String::from)
        );
    }

    #[test]
    fn round_angles_are_in_degrees() {
        use std::f64::consts::PI;
        let written = [PI / 2.0, -PI / 12.0, PI / 7.0, 1e-16, -PI].map(angle);
        assert_eq!(
            written,
            ["\"90 deg\"", "\"-15 deg\"", &number(PI / 7.0), "0", "\"-180 deg\""].map(String::from)
        );
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"b\\c\n\u{7f}"), "\"a\\\"b\\\\c\\u000A\\u007F\"");
    }
}
