//! A model that starts where another run of it is.

use gelenk_record::Recording;
use gelenk_testing::guard::{Dim, Sketch, Value, table};

/// The sketch with the positions and velocities of a row as its start. `None` where a column is missing.
pub(crate) fn settled(sketch: &Sketch, recording: &Recording, row: usize) -> Option<Sketch> {
    let mut other = sketch.clone();
    let value = |name: &str| recording.column(name).ok().and_then(|column| column.get(row)).copied();
    for entry in &mut other.entries {
        if entry.group == "coordinates" {
            let name = entry.name.clone();
            let dims = dims(&name, recording)?;
            entry.value.set("start", Value::Number(value(&name)?, dims.0));
            entry.value.set("rate", Value::Number(value(&format!("{name}.rate"))?, dims.1));
        }
        if entry.group != "joints" {
            continue;
        }
        let named = ["coordinate", "coordinates", "value"].iter().any(|key| entry.value.get(key).is_some());
        let kind = entry.value.get("type").and_then(Value::as_word).unwrap_or_default();
        if !named && !["fixed", "free", "ball", "general"].contains(&kind) {
            return None;
        }
        let tables = match &mut entry.value {
            Value::Table(keys) => keys,
            _ => continue,
        };
        for (key, held) in tables.iter_mut() {
            let list: Vec<&mut Value> = match (key.as_str(), held) {
                ("coordinate", held) => vec![held],
                ("coordinates", Value::List(list)) => list.iter_mut().collect(),
                _ => continue,
            };
            for held in list {
                let name = held.get("name").and_then(Value::as_word)?.to_owned();
                let dims = dims(&name, recording)?;
                held.set("start", Value::Number(value(&name)?, dims.0));
                held.set("rate", Value::Number(value(&format!("{name}.rate"))?, dims.1));
            }
        }
        let joint = entry.name.clone();
        let three = |ends: [&str; 3]| -> Option<[f64; 3]> {
            let [a, b, c] = ends.map(|end| value(&format!("{joint}.{end}")));
            Some([a?, b?, c?])
        };
        let quaternion = ["qw", "qx", "qy", "qz"].map(|end| value(&format!("{joint}.{end}")));
        if let [Some(w), Some(x), Some(y), Some(z)] = quaternion {
            let mut start = table([("orientation", Value::vector(cardan(w, x, y, z), Dim::ANGLE))]);
            start.set("angular_velocity", Value::vector(three(["wx", "wy", "wz"])?, Dim::SPIN));
            if let Some(position) = three(["x", "y", "z"]) {
                start.set("position", Value::vector(position, Dim::LENGTH));
                start.set("velocity", Value::vector(three(["vx", "vy", "vz"])?, Dim::VELOCITY));
            }
            entry.value.set("start", start);
        }
    }
    Some(other)
}

/// Dimensions of a coordinate and of its rate.
fn dims(name: &str, recording: &Recording) -> Option<(Dim, Dim)> {
    let column = recording.columns().iter().find(|column| column.name == name)?;
    Some(if column.unit == "rad" { (Dim::ANGLE, Dim::SPIN) } else { (Dim::LENGTH, Dim::VELOCITY) })
}

/// Cardan x-y-z angles of a quaternion.
fn cardan(w: f64, x: f64, y: f64, z: f64) -> [f64; 3] {
    let b = 2.0 * (x * z + w * y);
    let a = (2.0 * (w * x - y * z)).atan2(1.0 - 2.0 * (x * x + y * y));
    let c = (2.0 * (w * z - x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
    [a, b.clamp(-1.0, 1.0).asin(), c]
}
