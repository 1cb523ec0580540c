//! Newton's and Euler's laws for every body, and the balance of every hinge and slide, from recorded columns alone.

use std::collections::BTreeMap;

use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_model::study_file::StudyKind;
use gelenk_record::Recording;
use gelenk_testing::guard::{Dice, Sketch, Value, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::studies::{NOTHING, study};
use super::trial::{Way, prepared, run};

type V = Vec3<f64>;

/// Numbers of a row by name.
struct Row<'a> {
    run: &'a Recording,
    motion: &'a Recording,
    row: usize,
}

impl Row<'_> {
    fn of(&self, recording: &Recording, name: &str) -> Option<f64> {
        recording.column(name).ok().map(|column| column[self.row])
    }

    fn recorded(&self, name: &str) -> Option<f64> {
        self.of(self.run, name)
    }

    fn three(&self, recording: &Recording, name: &str, ends: [&str; 3]) -> Option<V> {
        let [x, y, z] = ends.map(|end| self.of(recording, &format!("{name}.{end}")));
        Some(V::new(x?, y?, z?))
    }

    fn force(&self, name: &str) -> Option<V> {
        self.three(self.run, name, ["fx", "fy", "fz"])
    }

    fn moment(&self, name: &str) -> Option<V> {
        self.three(self.run, name, ["mx", "my", "mz"])
    }

    /// Rotation and position of a body.
    fn pose(&self, body: &str) -> Option<(Mat3<f64>, V)> {
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

/// The body of a frame, and the frame's rotation and position in ground axes.
fn frame(sketch: &Sketch, row: &Row<'_>, name: &str) -> Option<(String, Mat3<f64>, V)> {
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

fn pair(entry: &Value) -> Option<[&str; 2]> {
    let Value::List(list) = entry.get("between")? else { return None };
    let names: Vec<&str> = list.iter().filter_map(Value::as_word).collect();
    names.try_into().ok()
}

/// Force and moment about the ground's origin that act on every body, without gravity.
fn loads(sketch: &Sketch, row: &Row<'_>) -> Option<BTreeMap<String, (V, V)>> {
    let mut loads: BTreeMap<String, (V, V)> = BTreeMap::new();
    let mut put = |body: &str, at: V, force: V, moment: V| {
        let load = loads.entry(body.to_owned()).or_insert((V::zeros(), V::zeros()));
        load.0 += force;
        load.1 += moment + at.cross(&force);
    };
    for entry in &sketch.entries {
        let name = format!("{}.{}", entry.group, entry.name);
        let word = |key: &str| entry.value.get(key).and_then(Value::as_word);
        match entry.group.as_str() {
            "joints" => {
                let reaction = format!("reactions.{}", entry.name);
                let (rotation, at) = row.pose(word("child")?)?;
                let (force, moment) = (rotation * row.force(&reaction)?, rotation * row.moment(&reaction)?);
                put(word("child")?, at, force, moment);
                put(word("parent")?, at, -force, -moment);
            }
            "loops" if word("type") != Some("coupling") => {
                let [first, second] = pair(&entry.value)?;
                let (_, _, at) = frame(sketch, row, second)?;
                let (force, moment) = (row.force(&name)?, row.moment(&name)?);
                put(&frame(sketch, row, second)?.0, at, force, moment);
                put(&frame(sketch, row, first)?.0, at, -force, -moment);
            }
            "springs" | "lines" => {
                let [first, second] = pair(&entry.value)?;
                let (a, b) = (frame(sketch, row, first)?, frame(sketch, row, second)?);
                let pull = (b.2 - a.2).normalize() * row.recorded(&name)?;
                put(&a.0, a.2, pull, V::zeros());
                put(&b.0, b.2, -pull, V::zeros());
            }
            "torques" => {
                let [first, second] = pair(&entry.value)?;
                let (a, b) = (frame(sketch, row, first)?, frame(sketch, row, second)?);
                let torque = a.1 * V::new(0.0, 0.0, row.recorded(&name)?);
                put(&b.0, V::zeros(), V::zeros(), torque);
                put(&a.0, V::zeros(), V::zeros(), -torque);
            }
            "forces" => {
                let (body, _, at) = frame(sketch, row, word("on")?)?;
                // A torque has no force, and a force no moment at its point.
                let (force, moment) = (row.force(&name), row.moment(&name));
                force.or(moment)?;
                put(&body, at, force.unwrap_or_default(), moment.unwrap_or_default());
            }
            _ => {}
        }
    }
    Some(loads)
}

fn check(sketch: &Sketch, _: &mut Dice) -> Finding {
    let mut sketch = sketch.clone();
    // Their wrenches are not recorded with places and axes.
    sketch.entries.retain(|entry| {
        let between = entry.group == "friction" && entry.value.get("between").is_some();
        !between && entry.group != "bushings"
    });
    let way = Way {
        solver: r#"{ method = "dop853", rtol = 1e-9, atol = 1e-10 }"#,
        reactions: true,
        poses: true,
        ..Way::default()
    };
    let results = prepared(&sketch, &way).and_then(|built| Ok((built, run(&sketch, &way)?)));
    let (built, run) = match results {
        Ok(results) => results,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let motion = study(&sketch, &way, StudyKind::Kinematics);
    let motion = match motion {
        Err(reason) if reason.contains(NOTHING) => return Ok(Outcome::Refused(reason)),
        motion => motion.map_err(|reason| format!("refused along the motion of a run: {reason}"))?,
    };
    let values = built.parameters.values();
    let numbers: BTreeMap<&str, f64> =
        built.parameters.iter().map(|(k, p)| (p.path.as_str(), values[k.index()])).collect();
    let number = |path: String| numbers.get(path.as_str()).copied().ok_or(format!("no parameter {path}"));
    for row in 0..run.recording.len() {
        let t = run.recording.time()[row];
        if run.recording.events().iter().any(|event| (event.t - t).abs() < 1e-5) {
            continue;
        }
        let row = Row { run: &run.recording, motion: &motion.recording, row };
        let loads = loads(&sketch, &row).ok_or("a column is missing")?;
        let size = loads.values().map(|(f, m)| f.norm().max(m.norm())).fold(1.0f64, f64::max);
        for body in sketch.group("bodies") {
            let name = &body.name;
            let tell = |end: &str| number(format!("bodies.{name}.{end}"));
            let mass = tell("mass")?;
            let centre = V::new(tell("centre.x")?, tell("centre.y")?, tell("centre.z")?);
            let [xx, yy, zz] = [tell("inertia.xx")?, tell("inertia.yy")?, tell("inertia.zz")?];
            let [xy, xz, yz] = ["xy", "xz", "yz"].map(|end| tell(&format!("inertia.{end}")).unwrap_or(0.0));
            let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let place = format!("bodies.{name}");
            let three = |ends| row.three(row.motion, &place, ends).ok_or(format!("no motion of {name}"));
            let (a, alpha, w) = (
                three(["ax", "ay", "az"])?,
                three(["alphax", "alphay", "alphaz"])?,
                three(["wx", "wy", "wz"])?,
            );
            let (rotation, origin) = row.pose(name).ok_or("no pose")?;
            let (c, i) = (rotation * centre, rotation * inertia * rotation.transpose());
            let middle = a + alpha.cross(&c) + w.cross(&w.cross(&c));
            let weight = mass * V::from(sketch.gravity);
            let (force, moment) = loads.get(name).copied().unwrap_or((V::zeros(), V::zeros()));
            let off = force + weight - mass * middle;
            let at = origin + c;
            let spin = i * alpha + w.cross(&(i * w));
            let off_moment = moment + at.cross(&weight) - spin - at.cross(&(mass * middle));
            if !(off.norm().max(off_moment.norm()) <= 1e-6 * size) {
                return Err(format!(
                    "{name} at {t} s: forces are off by {off:?} N, moments by {off_moment:?} N m, beside {size:.3e}"
                ));
            }
        }
        along(&sketch, &row, size)?;
    }
    Ok(Outcome::Held)
}

/// What goes through a hinge or slide along its freedom is what acts on its coordinate.
fn along(sketch: &Sketch, row: &Row<'_>, size: f64) -> Result<(), String> {
    if sketch.group("loops").any(|entry| entry.value.get("equation").is_some()) {
        return Ok(());
    }
    for entry in sketch.group("joints") {
        let kind = entry.value.get("type").and_then(Value::as_word).unwrap_or_default();
        let Some(coordinate) =
            entry.value.get("coordinate").filter(|_| ["revolute", "prismatic"].contains(&kind))
        else {
            continue;
        };
        let axis = entry.value.get("axis").and_then(Value::as_vector).map_or(V::new(0.0, 0.0, 1.0), V::from);
        let reaction = format!("reactions.{}", entry.name);
        let wrench = if kind == "revolute" { row.moment(&reaction) } else { row.force(&reaction) };
        let through = wrench.ok_or("no reaction")?.dot(&axis.normalize());
        let place = format!("joints.{}.coordinate", entry.name);
        let mut acting = 0.0;
        for (key, sign) in [("spring", 1.0), ("stop", 1.0), ("friction", -1.0)] {
            if coordinate.get(key).is_some() {
                acting += sign
                    * row.recorded(&format!("{place}.{key}")).ok_or(format!("no column {place}.{key}"))?;
            }
        }
        let name = coordinate.get("name").and_then(Value::as_word).unwrap_or(&entry.name);
        for element in sketch.group("drives").chain(sketch.group("friction")) {
            if element.value.get("on").and_then(Value::as_word) == Some(name) {
                let reported = if element.group == "drives" {
                    row.recorded(&element.name)
                } else {
                    row.recorded(&format!("friction.{}", element.name)).map(|force| -force)
                };
                acting += reported.ok_or("no column")?;
            }
        }
        if !((through - acting).abs() <= 1e-6 * size) {
            let t = row.recorded("t").unwrap_or_default();
            let name = &entry.name;
            return Err(format!(
                "{name} at {t} s: {through:e} goes along it, and {acting:e} acts on its coordinate"
            ));
        }
    }
    Ok(())
}

#[test]
fn newton() {
    let wishes = Wishes { functions: false, rotors: false, contacts: false, switches: false, ..Wishes::ALL };
    guard("newton", wishes, 40, check);
}
