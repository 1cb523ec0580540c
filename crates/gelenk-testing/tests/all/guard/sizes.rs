//! Machines of any size, mass and slowness move alike.

use gelenk_math::units::{Dimension, Unit};
use gelenk_testing::guard::{Dice, Dim, Scale, Sketch, Value, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::settled::settled;
use super::trial::{Way, first_row, prepared, run, without_jitter};

/// The powers of length, mass and time in the unit of a column.
fn dim(unit: &str) -> Option<Dim> {
    let found = Unit::parse(unit).ok()?.dimension.without_angle();
    let powers = [-4, -3, -2, -1, 0, 1, 2, 3, 4i8];
    for (l, m, t) in
        powers.into_iter().flat_map(|l| powers.into_iter().flat_map(move |m| powers.map(|t| (l, m, t))))
    {
        if Dimension::new([m, l, t, 0, 0, 0]) == found {
            return Some(Dim::of(f64::from(l), f64::from(m), f64::from(t), 0.0));
        }
    }
    None
}

/// A viscous share with an exponent is told for the velocity 1 m/s or 1 rad/s, and a model of another size has another one there:
/// its dimension is that of an effort over the power of a rate.
fn raise_viscous(value: &mut Value) {
    match value {
        Value::Table(_) => {
            if let (Some(&Value::Number(exponent, _)), Some(Value::Number(_, dim))) =
                (value.get("viscous_exponent").cloned().as_ref(), value.get_mut("viscous"))
            {
                let angle = dim.length != 0.0;
                let effort = if angle { Dim::TORQUE } else { Dim::FORCE };
                let rate = if angle { Dim::SPIN } else { Dim::VELOCITY };
                *dim = effort.over(rate.power(exponent));
            }
            if let Value::Table(keys) = value {
                keys.iter_mut().for_each(|(_, value)| raise_viscous(value));
            }
        }
        Value::List(list) => list.iter_mut().for_each(raise_viscous),
        _ => {}
    }
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let method = dice.below(5);
    let solver = |[length, _, time]: [f64; 3]| match method {
        // The absolute tolerance is in SI.
        0 => {
            let least = [1.0, length, length / time, 1.0 / time].into_iter().fold(1.0f64, f64::min);
            format!(r#"{{ method = "dopri5", rtol = 1e-9, atol = {:e} }}"#, 1e-9 * least)
        }
        1 => format!(r#"{{ method = "rk4", step = {:e} }}"#, 1e-3 * time),
        2 => format!(r#"{{ method = "stepped2", step = {:e} }}"#, 2e-3 * time),
        3 => format!(r#"{{ method = "stepped", step = {:e} }}"#, 2e-3 * time),
        _ => format!(r#"{{ method = "real-time", step = {:e} }}"#, 1e-3 * time),
    };
    let mut sketch = without_jitter(sketch);
    sketch.entries.iter_mut().for_each(|entry| raise_viscous(&mut entry.value));
    let one = solver([1.0; 3]);
    let way = Way { solver: &one, reactions: true, ..Way::default() };
    // Loops are closed by the least change of metres and radians as they are, which is another one in another size.
    let start = match prepared(&sketch, &way).and_then(|built| first_row(&built)) {
        Ok(start) => start,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    if sketch.group("loops").next().is_some() {
        let closed = settled(&sketch, &start, 0);
        let Some(closed) = closed else { return Ok(Outcome::Refused("no start that is closed".into())) };
        sketch = closed;
    }
    let reference = match Reference::new(&sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    // An explicit step that is too long for a stiff law explodes, and rounding decides how far it gets; the program's verdict on the
    // energy refuses such a run.
    if method < 2 && !(reference.run.summary.energy.relative_residue().abs() <= 0.1) {
        return Ok(Outcome::Refused("the energy of the run is not kept".into()));
    }
    let mut decade = |low: usize, high: usize| 10f64.powi(dice.below(low + high + 1) as i32 - low as i32);
    let mut factors = [decade(6, 6), decade(6, 6), decade(2, 6)];
    // What is slower than 1e-12 m/s rests.
    if factors[0] / factors[2] < 1e-6 {
        factors[2] = 1.0;
        factors[0] = factors[0].max(1e-4);
    }
    let scale = Scale::sized(factors);
    let other_solver = solver(factors);
    let other_way = Way { scale: scale.clone(), solver: &other_solver, ..way.clone() };
    let other =
        run(&sketch, &other_way).map_err(|reason| format!("{one}: refused at {factors:?}: {reason}"))?;
    // Of reactions that are not unique those of least norm are taken, in N and N m as they are.
    let shared = prepared(&sketch, &way).ok().and_then(|p| p.shared_reactions()).is_some();
    let of = |name: &str, unit: &str| {
        let wrench = name.starts_with("loops.") || name.starts_with("reactions.");
        if shared && wrench { None } else { Some((name.to_owned(), 1.0 / scale.factor(dim(unit)?))) }
    };
    let terms = Terms { of: &of, time: factors[2], ..Terms::same(if method > 1 { 1e-4 } else { 1e-5 }) };
    reference.compare(&other, &terms).map_err(|text| format!("{one} times {factors:?}: {text}"))?;
    Ok(Outcome::Held)
}

#[test]
fn sizes() {
    guard("sizes", Wishes::ALL, 45, check);
}
