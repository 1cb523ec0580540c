//! What is at its equilibrium stays there, and near it a run moves as the linear equations say.

use gelenk_record::Recording;
use gelenk_solve::{equilibrium, linearise};
use gelenk_system::System;
use gelenk_testing::guard::{Dice, Sketch, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::settled::settled;
use super::trial::{Way, prepared, run};

const SOLVER: &str = r#"{ method = "dop853", rtol = 1e-10, atol = 1e-11 }"#;

/// The state at rest as a recording of one row.
fn row(
    mechanism: &gelenk_multibody::Mechanism,
    p: &[f64],
    x: &[f64],
    m: &[f64],
) -> Result<Recording, String> {
    let mut data = mechanism.data();
    mechanism.bind(&mut data, p);
    let mut y = vec![0.0; mechanism.channels().len()];
    mechanism.outputs(&mut data, 0.0, x, m, &mut y).map_err(|error| error.to_string())?;
    let mut recording = Recording::new(gelenk::run::columns(mechanism)).map_err(|error| error.to_string())?;
    y.insert(0, 0.0);
    recording.push(&y).map_err(|error| error.to_string())?;
    Ok(recording)
}

/// Whether the state at rest is told by the positions: some friction laws remember the way there.
fn forgets(built: &gelenk::open::Prepared) -> bool {
    built.mechanism.laws_of_position().next().is_none()
}

fn stays(sketch: &Sketch, _: &mut Dice) -> Finding {
    let way = Way { solver: SOLVER, ..Way::default() };
    let built = match prepared(sketch, &way) {
        Ok(built) => built,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let p = built.parameters.values();
    if !forgets(&built) {
        return Ok(Outcome::Refused("friction remembers the way".into()));
    }
    let (x, m) = match equilibrium(&built.mechanism, &p, 1e-8) {
        Ok(found) => found,
        Err(error) => return Ok(Outcome::Refused(error.to_string())),
    };
    let start = row(&built.mechanism, &p, &x, &m)?;
    let Some(resting) = settled(sketch, &start, 0) else {
        return Ok(Outcome::Refused("no columns of the state".into()));
    };
    let run = run(&resting, &way).map_err(|reason| format!("refused at the equilibrium: {reason}"))?;
    let layout = built.mechanism.layout();
    for k in 1..=layout.nq + layout.nv {
        let values = run.recording.values(k).unwrap();
        let name = &run.recording.columns()[k].name;
        // Accelerations below 1e-8 remain, and roundings of angles.
        if let Some(row) = values.iter().position(|value| (value - values[0]).abs() > 1e-6) {
            let t = run.recording.time()[row];
            return Err(format!(
                "{name} leaves the equilibrium: {:e} at 0 s, {:e} at {t} s",
                values[0], values[row]
            ));
        }
    }
    Ok(Outcome::Held)
}

/// Nothing that follows time, and a spring on everything.
const ANCHORED: Wishes =
    Wishes { time: false, sampled: false, switches: false, anchored: true, ..Wishes::ALL };

#[test]
fn at_equilibrium() {
    guard("equilibrium", ANCHORED, 25, stays);
}

fn small(sketch: &Sketch, dice: &mut Dice) -> Finding {
    const SIZE: f64 = 1e-5;
    let way = Way { solver: SOLVER, ..Way::default() };
    let built = match prepared(sketch, &way) {
        Ok(built) => built,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let (mechanism, p) = (&built.mechanism, built.parameters.values());
    if !forgets(&built) {
        return Ok(Outcome::Refused("friction remembers the way".into()));
    }
    let (mut x, m) = match equilibrium(mechanism, &p, 1e-8) {
        Ok(found) => found,
        Err(error) => return Ok(Outcome::Refused(error.to_string())),
    };
    let linear = linearise(mechanism, &p, 0.0, &x, &m).map_err(|error| format!("refused: {error}"))?;
    let (layout, k) = (mechanism.layout(), linear.directions.ncols());
    if k == 0 || layout.nq != layout.nv || layout.nz > 0 {
        return Ok(Outcome::Refused("not of coordinates alone".into()));
    }
    let rest = x[layout.q()].to_vec();
    let begin = linear.a.column(0).map(|_| 0.0);
    let mut begin = begin;
    for j in 0..k {
        begin[j] = SIZE * dice.between(-1.0, 1.0);
    }
    let moved = &linear.directions * begin.rows(0, k);
    for (slot, step) in x[layout.q()].iter_mut().zip(moved.iter()) {
        *slot += step;
    }
    let start = row(mechanism, &p, &x, &m)?;
    let Some(sketch) = settled(sketch, &start, 0) else {
        return Ok(Outcome::Refused("no columns of the state".into()));
    };
    let run = run(&sketch, &way).map_err(|reason| format!("refused near the equilibrium: {reason}"))?;
    let largest = |t: f64| ((linear.a.clone() * t).exp() * &begin).rows(0, k).amax();
    for (at, t) in run.recording.time().iter().enumerate().step_by(5) {
        let expected = &linear.directions * ((linear.a.clone() * *t).exp() * &begin).rows(0, k);
        for i in 0..layout.nq {
            let value = run.recording.values(1 + i).unwrap()[at] - rest[i];
            // Terms of second order, with their growth.
            if !((value - expected[i]).abs() <= 2e-3 * (SIZE + largest(*t)) + 1e-9) {
                let name = &run.recording.columns()[1 + i].name;
                return Err(format!(
                    "{name} at {t} s: {value:e} from rest, {:e} by the linear equations",
                    expected[i]
                ));
            }
        }
    }
    Ok(Outcome::Held)
}

#[test]
fn near_equilibrium() {
    let wishes = Wishes { time: false, anchored: true, ..Wishes::SMOOTH };
    guard("linear", wishes, 40, small);
}
