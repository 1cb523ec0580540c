//! Newton's and Euler's laws for every body, and the balance of every hinge and slide, from recorded columns alone.

use std::collections::BTreeMap;

use gelenk_math::spatial::Mat3;
use gelenk_model::study_file::StudyKind;
use gelenk_testing::guard::{Dice, Sketch, Value, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::studies::{NOTHING, study};
use super::trial::{Way, prepared, run};
use super::wrenches::{Row, V, frame, is_recorded, pair, wrenches};

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
            _ if is_recorded(sketch, entry) => {
                for wrench in wrenches(sketch, row, entry)? {
                    put(&wrench.body, wrench.at, wrench.force, wrench.moment);
                }
            }
            _ => {}
        }
    }
    Some(loads)
}

fn check(sketch: &Sketch, _: &mut Dice) -> Finding {
    let mut sketch = sketch.clone();
    // Their wrenches are not recorded with places and axes.
    let whole = sketch.clone();
    sketch.entries.retain(|entry| {
        !["bushings", "contacts"].contains(&entry.group.as_str()) || is_recorded(&whole, entry)
    });
    let way = Way {
        solver: r#"{ method = "dop853", rtol = 1e-9, atol = 1e-10 }"#,
        reactions: true,
        poses: true,
        accelerations: true,
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
        // What other joints have of the coordinate acts on it, too.
        if sketch.group("joints").any(|other| other.name != entry.name && uses(&other.value, name)) {
            continue;
        }
        if let Some(Value::Number(rotor, _)) = coordinate.get("rotor_inertia") {
            acting -= rotor * row.recorded(&format!("{name}.acceleration")).ok_or("no acceleration")?;
        }
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

/// Whether a joint is a function of a coordinate.
fn uses(joint: &Value, coordinate: &str) -> bool {
    let mut found = false;
    joint.texts(&mut |text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        found |= words.any(|word| word == coordinate);
    });
    found
}

#[test]
fn newton() {
    guard("newton", Wishes::ALL, 40, check);
}
