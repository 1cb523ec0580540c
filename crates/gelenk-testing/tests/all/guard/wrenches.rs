//! What elements exert on bodies, from recorded columns alone.

use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_record::Recording;
use gelenk_testing::guard::{Entry, Sketch, Value};

pub(crate) type V = Vec3<f64>;

/// Numbers of a row by name.
pub(crate) struct Row<'a> {
    pub run: &'a Recording,
    pub motion: &'a Recording,
    pub row: usize,
}

impl Row<'_> {
    fn of(&self, recording: &Recording, name: &str) -> Option<f64> {
        recording.column(name).ok().map(|column| column[self.row])
    }

    pub(crate) fn recorded(&self, name: &str) -> Option<f64> {
        self.of(self.run, name)
    }

    pub(crate) fn three(&self, recording: &Recording, name: &str, ends: [&str; 3]) -> Option<V> {
        let [x, y, z] = ends.map(|end| self.of(recording, &format!("{name}.{end}")));
        Some(V::new(x?, y?, z?))
    }

    pub(crate) fn force(&self, name: &str) -> Option<V> {
        self.three(self.run, name, ["fx", "fy", "fz"])
    }

    pub(crate) fn moment(&self, name: &str) -> Option<V> {
        self.three(self.run, name, ["mx", "my", "mz"])
    }

    /// Velocity of a place (m, ground axes) that moves with a body, and the body's angular velocity.
    pub(crate) fn motion_at(&self, body: &str, at: V) -> Option<(V, V)> {
        if body == "ground" {
            return Some((V::zeros(), V::zeros()));
        }
        let name = format!("bodies.{body}");
        let spin = self.three(self.motion, &name, ["wx", "wy", "wz"])?;
        let origin = self.three(self.motion, &name, ["x", "y", "z"])?;
        Some((self.three(self.motion, &name, ["vx", "vy", "vz"])? + spin.cross(&(at - origin)), spin))
    }

    /// Rotation and position of a body.
    pub(crate) fn pose(&self, body: &str) -> Option<(Mat3<f64>, V)> {
        if body == "ground" {
            return Some((Mat3::identity(), V::zeros()));
        }
        let name = format!("bodies.{body}");
        let [w, x, y, z] = ["qw", "qx", "qy", "qz"].map(|end| self.of(self.motion, &format!("{name}.{end}")));
        let (w, x, y, z) = (w?, x?, y?, z?);
        let rotation = Mat3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        );
        Some((rotation, self.three(self.motion, &name, ["x", "y", "z"])?))
    }
}

/// A force with its point and a moment on a body, all in ground axes.
pub(crate) struct Wrench {
    pub body: String,
    pub at: V,
    pub force: V,
    pub moment: V,
}

impl Wrench {
    /// The work that it does in unit time (W).
    pub(crate) fn power(&self, row: &Row<'_>) -> Option<f64> {
        let (velocity, spin) = row.motion_at(&self.body, self.at)?;
        Some(self.force.dot(&velocity) + self.moment.dot(&spin))
    }
}

/// A force and a moment on the second body at a point, and their reaction on the first at the same point.
fn between(first: String, second: String, at: V, force: V, moment: V) -> Vec<Wrench> {
    vec![
        Wrench { body: second, at, force, moment },
        Wrench { body: first, at, force: -force, moment: -moment },
    ]
}

/// The body of a frame, and the frame's rotation and position in ground axes.
pub(crate) fn frame(sketch: &Sketch, row: &Row<'_>, name: &str) -> Option<(String, Mat3<f64>, V)> {
    let Some(entry) = sketch.find("frames", name) else {
        let (rotation, position) = row.pose(name)?;
        return Some((name.to_owned(), rotation, position));
    };
    let body = entry.value.get("body").and_then(Value::as_word)?.to_owned();
    let (rotation, position) = row.pose(&body)?;
    let local = entry.value.get("position").and_then(Value::as_vector).unwrap_or_default();
    let [a, b, c] = entry.value.get("orientation").and_then(Value::as_vector).unwrap_or_default();
    let turn = |k: usize, angle: f64| {
        let (s, c) = angle.sin_cos();
        match k {
            0 => Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c),
            1 => Mat3::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c),
            _ => Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0),
        }
    };
    let inside = turn(0, a) * turn(1, b) * turn(2, c);
    Some((body, rotation * inside, position + rotation * V::from(local)))
}

pub(crate) fn pair(entry: &Value) -> Option<[&str; 2]> {
    let Value::List(list) = entry.get("between")? else { return None };
    let names: Vec<&str> = list.iter().filter_map(Value::as_word).collect();
    names.try_into().ok()
}

/// The body of the surface that a contact names, where it has one contact point with any other: a sphere or a point.
fn single_spot<'a>(sketch: &'a Sketch, surface: &str) -> Option<&'a str> {
    let value = &sketch.find("surfaces", surface)?.value;
    let simple = value.get("simple")?;
    let single = simple.get("sphere").is_some() || simple.as_word() == Some("point");
    value.get("on").and_then(Value::as_word).filter(|_| single)
}

/// Whether the wrenches of an element follow from its columns and the places of bodies: those of bushings and of several
/// contact points at once are recorded as sums only.
pub(crate) fn is_recorded(sketch: &Sketch, entry: &Entry) -> bool {
    match entry.group.as_str() {
        "springs" | "lines" | "torques" | "forces" => true,
        "friction" => entry.value.get("between").is_some(),
        "contacts" => pair(&entry.value).is_some_and(|[first, _]| single_spot(sketch, first).is_some()),
        _ => false,
    }
}

/// The wrenches of an element with [`is_recorded`]; `None` where a column is missing.
pub(crate) fn wrenches(sketch: &Sketch, row: &Row<'_>, entry: &Entry) -> Option<Vec<Wrench>> {
    let name = format!("{}.{}", entry.group, entry.name);
    let word = |key: &str| entry.value.get(key).and_then(Value::as_word);
    if entry.group == "forces" {
        let (body, _, at) = frame(sketch, row, word("on")?)?;
        // A torque has no force, and a force no moment at its point.
        let (force, moment) = (row.force(&name), row.moment(&name));
        force.or(moment)?;
        let (force, moment) = (force.unwrap_or_default(), moment.unwrap_or_default());
        return Some(vec![Wrench { body, at, force, moment }]);
    }
    let [first, second] = pair(&entry.value)?;
    if entry.group == "contacts" {
        let body = single_spot(sketch, first)?;
        let other = sketch.find("surfaces", second)?.value.get("on").and_then(Value::as_word)?;
        let (rotation, origin) = row.pose(body)?;
        let at = origin + rotation * row.three(row.run, &format!("{name}.position"), ["x", "y", "z"])?;
        let (other, ..) = frame(sketch, row, other)?;
        return Some(between(body.to_owned(), other, at, -row.force(&name)?, V::zeros()));
    }
    let (a, b) = (frame(sketch, row, first)?, frame(sketch, row, second)?);
    let axis = |k: usize| V::from(a.1.column(k));
    Some(match entry.group.as_str() {
        "springs" | "lines" => {
            let pull = (b.2 - a.2).normalize() * row.recorded(&name)?;
            vec![
                Wrench { body: a.0, at: a.2, force: pull, moment: V::zeros() },
                Wrench { body: b.0, at: b.2, force: -pull, moment: V::zeros() },
            ]
        }
        "torques" => between(a.0, b.0, b.2, V::zeros(), axis(2) * row.recorded(&name)?),
        _ if word("along") == Some("plane") => {
            let [x, y] = ["x", "y"].map(|end| row.recorded(&format!("{name}.{end}")));
            between(a.0, b.0, b.2, -axis(0) * x? - axis(1) * y?, V::zeros())
        }
        _ => {
            let of = |key: &str| word(key).and_then(|axis| ["x", "y", "z"].iter().position(|k| *k == axis));
            let resistance = row.recorded(&name)?;
            match (of("along"), of("about")) {
                (Some(k), _) => between(a.0, b.0, b.2, -axis(k) * resistance, V::zeros()),
                (None, about) => between(a.0, b.0, b.2, V::zeros(), -axis(about?) * resistance),
            }
        }
    })
}
