//! A model as a part of another one: turned with gravity, or mirrored.

use std::path::Path;

use gelenk::open::{Overrides, simulation};
use gelenk_testing::guard::{Dice, Scale, Sketch, Value, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Run, Way, go, run, text};

/// Components of vectors in ground axes, or in axes that a mirror changes.
fn component(name: &str) -> Option<(bool, usize)> {
    let end = name.rsplit('.').next().unwrap_or_default();
    let polar = [["x", "y", "z"], ["vx", "vy", "vz"], ["fx", "fy", "fz"]];
    let axial = [["qx", "qy", "qz"], ["wx", "wy", "wz"], ["mx", "my", "mz"]];
    let find = |sets: &[[&str; 3]]| sets.iter().find_map(|set| set.iter().position(|known| *known == end));
    find(&polar).map(|k| (false, k)).or_else(|| find(&axial).map(|k| (true, k)))
}

/// Runs a sketch as a part under other gravity.
fn whole(sketch: &Sketch, way: &Way<'_>, gravity: [f64; 3], keys: &str) -> Result<Run, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).map_err(|e| e.to_string());
    write("part.toml", &sketch.text(&Scale::default()))?;
    for log in &sketch.logs {
        let rows = log.time.iter().zip(&log.value).map(|(t, y)| format!("{t:e},{y:e}\n")).collect::<String>();
        write(&log.file, &format!("t,y\n{rows}"))?;
    }
    let empty = Sketch { entries: vec![], logs: vec![], gravity, ..sketch.clone() };
    let text = text(&empty, way) + &format!("[parts.p]\nfile = \"part.toml\"\nprefix = \"\"\n{keys}\n");
    write("whole.toml", &text)?;
    let path = folder.path().join("whole.toml");
    let mut prepared =
        simulation(Path::new(&path), &Overrides::default()).map_err(|error| error.to_string())?;
    prepared.mechanism.record_poses();
    go(&prepared)
}

fn solver(dice: &mut Dice) -> &'static str {
    dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
        r#"{ method = "stepped", step = "2 ms" }"#,
    ])
}

fn mirrored(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = solver(dice);
    let way = Way { solver, poses: true, ..Way::default() };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let normal = dice.below(3);
    let mut gravity = sketch.gravity;
    gravity[normal] = -gravity[normal];
    let plane = ["yz", "xz", "xy"][normal];
    let other = whole(sketch, &way, gravity, &format!("mirror = \"{plane}\""));
    let other = other.map_err(|reason| format!("{solver} {plane}: refused: {reason}"))?;
    let of = |name: &str, _: &str| match component(name) {
        // Told in frames of surfaces and of friction, which have their own signs.
        Some(_) if name.starts_with("contacts.") || name.starts_with("friction.") => None,
        Some((axial, k)) => Some((name.to_owned(), if axial == (k == normal) { 1.0 } else { -1.0 })),
        // A torque about the z axis of a reflected frame, which keeps its direction along all planes but xy (model-file.md).
        None if name.starts_with("torques.") => Some((name.to_owned(), if normal == 2 { 1.0 } else { -1.0 })),
        None => Some((name.to_owned(), 1.0)),
    };
    // Quaternions are compared up to their sign, component by component.
    let terms = Terms { of: &of, ..Terms::same(1e-6) };
    reference.compare(&other, &terms).map_err(|text| format!("{solver} {plane}: {text}"))?;
    Ok(Outcome::Held)
}

/// A polar vector changes its sign along the normal, an axial one across it.
#[test]
fn mirror() {
    guard("mirror", Wishes::ALL, 30, mirrored);
}

/// The rotation of Cardan x-y-z angles, applied to a vector.
fn turned(angles: [f64; 3], v: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = angles;
    let z = [c.cos() * v[0] - c.sin() * v[1], c.sin() * v[0] + c.cos() * v[1], v[2]];
    let y = [b.cos() * z[0] + b.sin() * z[2], z[1], -b.sin() * z[0] + b.cos() * z[2]];
    [y[0], a.cos() * y[1] - a.sin() * y[2], a.sin() * y[1] + a.cos() * y[2]]
}

/// What is told in ground axes is told otherwise.
fn in_ground_axes(name: &str) -> bool {
    let reported = ["bodies.", "loops.", "forces.", "contacts."].iter().any(|group| name.starts_with(group));
    reported && component(name).is_some() || name.starts_with("bodies.")
}

fn turns(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = solver(dice);
    let way = Way { solver, ..Way::default() };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let angles = dice.vector(3.0);
    let place = dice.vector(2.0);
    let gravity = turned(angles, sketch.gravity);
    let as_part = dice.chance(50);
    let other = if as_part {
        whole(sketch, &way, gravity, &format!("position = {place:?}\norientation = {angles:?}"))
    } else {
        run(&on_a_base(sketch, gravity, place, angles), &way)
    };
    let how = if as_part { "as a part" } else { "on a frame" };
    let other = other.map_err(|reason| format!("{solver} {how}: refused: {reason}"))?;
    // The energy of gravity counts from the ground's origin.
    let of = |name: &str, _: &str| {
        (!in_ground_axes(name) && name != "energy.stored").then(|| (name.to_owned(), 1.0))
    };
    let terms = Terms { of: &of, ..Terms::same(1e-6) };
    let what = format!("{solver} {how} at {place:?} by {angles:?}");
    reference.compare(&other, &terms).map_err(|text| format!("{what}: {text}"))?;
    Ok(Outcome::Held)
}

/// The model on a frame of the ground instead of the ground.
fn on_a_base(sketch: &Sketch, gravity: [f64; 3], place: [f64; 3], angles: [f64; 3]) -> Sketch {
    let mut other = Sketch { gravity, ..sketch.clone() };
    for entry in &mut other.entries {
        entry.value.change_words(&mut |word| {
            if word == "ground" {
                *word = "base".into();
            }
        });
        if entry.group == "forces" && entry.value.get("axes").is_none() {
            entry.value.set("axes", Value::word("base"));
        }
    }
    let dims = [gelenk_testing::guard::Dim::LENGTH, gelenk_testing::guard::Dim::ANGLE];
    let base = gelenk_testing::guard::table([
        ("body", Value::word("ground")),
        ("position", Value::vector(place, dims[0])),
        ("orientation", Value::vector(angles, dims[1])),
    ]);
    other.add("frames", "base", base);
    other
}

#[test]
fn turned_with_gravity() {
    guard("turned", Wishes::ALL, 30, turns);
}
