//! A model told in other units is the same model.

use gelenk_testing::guard::{Dice, Scale, Sketch, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, run};

/// Units of length, mass, time and angle with what they are in SI.
const UNITS: [[(&str, f64); 4]; 4] = [
    [("mm", 1e-3), ("Mg", 1e3), ("ms", 1e-3), ("rad", 1.0)],
    [("cm", 1e-2), ("g", 1e-3), ("s", 1.0), ("deg", std::f64::consts::PI / 180.0)],
    [("km", 1e3), ("kg", 1.0), ("us", 1e-6), ("rev", 2.0 * std::f64::consts::PI)],
    [("um", 1e-6), ("mg", 1e-6), ("min", 60.0), ("mrad", 1e-3)],
];

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
        r#"{ method = "stepped", step = "2 ms" }"#,
    ]);
    let way = Way { solver, ..Way::default() };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let units = UNITS[dice.below(UNITS.len())];
    let other = run(sketch, &Way { scale: Scale::told_in(units), ..way.clone() });
    let other = other.map_err(|reason| format!("{solver}: refused in {units:?}: {reason}"))?;
    reference.compare(&other, &Terms::same(1e-9)).map_err(|text| format!("{solver} in {units:?}: {text}"))?;
    Ok(Outcome::Held)
}

#[test]
fn units() {
    guard("units", Wishes::ALL, 45, check);
}
