//! Along the motion of a run, inverse dynamics needs no further drive, and kinematics tells the same poses.

use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_model::study_file::StudyKind;
use gelenk_multibody::Convention;
use gelenk_system::System;
use gelenk_testing::guard::{Dice, Scale, Sketch, Wishes};
use nalgebra::{DMatrix, DVector};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Run, Way, prepared, text, without_jitter};

/// There is nothing to go along.
pub(crate) const NOTHING: &str = "has none of the coordinates";

/// A study along the motion that the model makes by itself.
pub(crate) fn study(sketch: &Sketch, way: &Way<'_>, kind: StudyKind) -> Result<Run, String> {
    let open = opened(sketch, way, kind)?;
    let recording = match kind {
        StudyKind::InverseDynamics => open.inverse_dynamics(),
        _ => open.kinematics(),
    };
    Ok(Run { recording: recording.map_err(|error| error.to_string())?, summary: Default::default() })
}

fn opened(sketch: &Sketch, way: &Way<'_>, kind: StudyKind) -> Result<MotionStudy, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).map_err(|e| e.to_string());
    write("model.toml", &text(sketch, way))?;
    for log in &sketch.logs {
        let (t, y) = sketch.log(&log.file, &Scale::default()).unwrap_or_default();
        let rows = t.iter().zip(&y).map(|(t, y)| format!("{t:e},{y:e}\n")).collect::<String>();
        write(&log.file, &format!("t,y\n{rows}"))?;
    }
    let inverse = if kind == StudyKind::InverseDynamics { "inverse = { drives = \"apply\" }\n" } else { "" };
    let word = kind.word();
    let study = format!(
        "schema = 1\nkind = \"{word}\"\nmodel = \"model.toml\"\nmotion = {{ simulate = true }}\n{inverse}"
    );
    write("study.toml", &study)?;
    let path = folder.path().join("study.toml");
    MotionStudy::open(&path, kind, word, None, &Overrides::default()).map_err(|error| error.to_string())
}

/// With rows at all sample times: between rows a motion is only interpolated.
fn sampled_at_rows(sketch: &Sketch) -> Sketch {
    Sketch { output: 0.001, ..without_jitter(sketch) }
}

fn inverse(sketch: &Sketch, _: &mut Dice) -> Finding {
    let sketch = &sampled_at_rows(sketch);
    let solver = r#"{ method = "dop853", rtol = 1e-9, atol = 1e-10 }"#;
    let way = Way { solver, reactions: true, ..Way::default() };
    let reference = match Reference::with(sketch, &way, 0) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let found = study(sketch, &way, StudyKind::InverseDynamics);
    let found = match found {
        Err(reason) if reason.contains(NOTHING) => return Ok(Outcome::Refused(reason)),
        found => found.map_err(|reason| format!("refused along the motion of a run: {reason}"))?,
    };
    let a = &reference.run.recording;
    let events: Vec<f64> = a.events().iter().map(|event| event.t).collect();
    let b = &found.recording;
    // What efforts are small beside: those that act on the bodies.
    let sizes = ["N", "N m"].map(|unit| {
        let columns = b.columns().iter().enumerate().filter(|(_, c)| c.unit == unit);
        columns
            .flat_map(|(k, _)| b.values(k).unwrap().to_vec())
            .fold(1.0f64, |max, value| max.max(value.abs()))
    });
    let size = sizes[0].max(sizes[1]);
    for (k, column) in b.columns().iter().enumerate() {
        if !column.name.starts_with("drives.") && !column.name.starts_with("missing.") {
            continue;
        }
        for (t, value) in b.time().iter().zip(b.values(k).unwrap()) {
            let near = events.iter().any(|event| (event - t).abs() < 1e-5);
            if !near && value.abs() > 1e-6 * size {
                return Err(format!("{} at {t} s is {value:e} instead of 0, beside {size:.2e}", column.name));
            }
        }
    }
    // Where loops and friction at rest hold the same joint, what each of them carries is not unique.
    let holds = prepared(sketch, &way).is_ok_and(|built| built.mechanism.layout().nh > 0);
    if holds && sketch.group("loops").next().is_some() {
        return Ok(Outcome::Held);
    }
    let of = |name: &str, _: &str| {
        let end = name.strip_prefix("reactions.")?;
        let (joint, part) = end.rsplit_once('.')?;
        Some((format!("joints.{joint}.wrench.{part}"), 1.0))
    };
    let terms = Terms { of: &of, ..Terms::same(3e-6) };
    reference.compare(&found, &terms).map_err(|text| format!("wrenches: {text}"))?;
    Ok(Outcome::Held)
}

/// What inverse dynamics follows to the order of the rows only: friction with memory, friction that is pressed by a joint
/// with a lag, and impacts, whose accelerations have no meaning.
const ALONG: Wishes = Wishes { memory: false, pressed: false, impacts: false, ..Wishes::ALL };

#[test]
fn inverse_dynamics() {
    guard("inverse", ALONG, 40, inverse);
}

/// Efforts of drives that inverse dynamics finds along the motion of a run, root of the mean square, with rows in this distance (s).
fn left(sketch: &Sketch, output: f64) -> Result<Option<f64>, String> {
    let sketch = &Sketch { output, ..without_jitter(sketch) };
    let solver = r#"{ method = "dop853", rtol = 1e-9, atol = 1e-10 }"#;
    let way = Way { solver, ..Way::default() };
    let Ok(reference) = Reference::with(sketch, &way, 0) else { return Ok(None) };
    let found = match study(sketch, &way, StudyKind::InverseDynamics) {
        Err(reason) if reason.contains(NOTHING) => return Ok(None),
        found => found.map_err(|reason| format!("refused along the motion of a run: {reason}"))?.recording,
    };
    // Beside an event a memory is somewhere between its rows.
    let events: Vec<f64> = reference.run.recording.events().iter().map(|event| event.t).collect();
    let far = |t: f64| events.iter().all(|event| (event - t).abs() > 2.5 * output);
    let (mut sum, mut count) = (0.0, 0.0);
    for (k, column) in found.columns().iter().enumerate() {
        if column.name.starts_with("drives.") || column.name.starts_with("missing.") {
            for (_, value) in found.time().iter().zip(found.values(k).unwrap()).filter(|(t, _)| far(**t)) {
                sum += value * value;
                count += 1.0;
            }
        }
    }
    Ok((count > 0.0).then(|| f64::sqrt(sum / count)))
}

/// Friction with memory or states, and friction that is pressed by a joint, go along a motion from row to row: what is left of the
/// drives falls with the distance of the rows.
fn by_rows(sketch: &Sketch, _: &mut Dice) -> Finding {
    let (Some(coarse), Some(fine)) = (left(sketch, 0.001)?, left(sketch, 0.00025)?) else {
        return Ok(Outcome::Refused("nothing to go along, or refused".into()));
    };
    // Of order one at least, with room for corners within the rows.
    if !(fine <= 0.5 * coarse + 1e-5) {
        return Err(format!("drives of {coarse:e} with rows every 1 ms, and of {fine:e} every 0.25 ms"));
    }
    Ok(Outcome::Held)
}

#[test]
fn inverse_dynamics_by_rows() {
    let wishes = Wishes { impacts: false, loops: false, ..Wishes::ALL };
    guard("inverse-rows", wishes, 15, by_rows);
}

fn kinematics(sketch: &Sketch, _: &mut Dice) -> Finding {
    let sketch = &sampled_at_rows(sketch);
    let solver = r#"{ method = "dop853", rtol = 1e-9, atol = 1e-10 }"#;
    let way = Way { solver, poses: true, ..Way::default() };
    let reference = match Reference::with(sketch, &way, 0) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let found = study(sketch, &way, StudyKind::Kinematics);
    let found = match found {
        Err(reason) if reason.contains(NOTHING) => return Ok(Outcome::Refused(reason)),
        found => found.map_err(|reason| format!("refused along the motion of a run: {reason}"))?,
    };
    let of = |name: &str, _: &str| Some((name.to_owned(), 1.0)).filter(|_| name != "energy.stored");
    let terms = Terms { of: &of, ..Terms::same(1e-7) };
    reference.compare(&found, &terms)?;
    Ok(Outcome::Held)
}

#[test]
fn along_a_motion() {
    guard("kinematics", Wishes::ALL, 40, kinematics);
}

/// Along the motion of a run `M a + c - Q` is a combination of the rows of `C_q`, `C` and `C_q v + C_t` vanish, and
/// `C_q a = Gamma` (the equations of motion, stelzner 3.7).
fn matrices(sketch: &Sketch, _: &mut Dice) -> Finding {
    let sketch = &sampled_at_rows(sketch);
    let way = Way { solver: r#"{ method = "dop853", rtol = 1e-9, atol = 1e-10 }"#, ..Way::default() };
    let reference = match Reference::with(sketch, &way, 0) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let along = opened(sketch, &way, StudyKind::Kinematics)
        .and_then(|study| study.matrices(&[], Convention::Body).map_err(|error| error.to_string()));
    let along = match along {
        Err(reason) if reason.contains(NOTHING) => return Ok(Outcome::Refused(reason)),
        along => along.map_err(|reason| format!("refused along the motion of a run: {reason}"))?,
    };
    let events: Vec<f64> = reference.run.recording.events().iter().map(|event| event.t).collect();
    for at in along.instants.iter().step_by(7) {
        if events.iter().any(|event| (event - at.t).abs() < 1e-5) {
            continue;
        }
        let (m, n) = (&at.matrices, at.v.len());
        let (a, v) = (DVector::from_column_slice(&at.a), DVector::from_column_slice(&at.v));
        let mass = DMatrix::from_row_slice(n, n, &m.mass);
        let rows = DMatrix::from_row_slice(m.gap.len(), n, &m.rows);
        let list = |list: &[f64]| DVector::from_column_slice(list);
        let left = &mass * &a + list(&m.bias) - list(&m.efforts);
        let size = 1.0 + (&mass * &a).amax() + list(&m.bias).amax() + list(&m.efforts).amax();
        let (mut balance, mut rate, mut acceleration) = (left.amax(), 0.0, 0.0);
        if !m.gap.is_empty() {
            let lambda = rows.transpose().svd(true, true).solve(&left, 1e-9)?;
            balance = (left - rows.transpose() * lambda).amax();
            rate = (&rows * &v + list(&m.explicit)).amax() / (1.0 + v.amax());
            acceleration = (&rows * &a - list(&m.gamma)).amax() / (1.0 + a.amax() + list(&m.gamma).amax());
        }
        if !(balance <= 1e-6 * size && rate <= 1e-7 && acceleration <= 1e-6) {
            return Err(format!(
                "at {} s: M a + c - Q leaves {balance:e} beside {size:e}; loops are off by {rate:e} and {acceleration:e}",
                at.t
            ));
        }
    }
    Ok(Outcome::Held)
}

/// What friction and limits hold at rest is a reaction, and no part of `Q`.
#[test]
fn equations_of_motion() {
    guard("matrices", Wishes { holds: false, ..ALONG }, 40, matrices);
}
