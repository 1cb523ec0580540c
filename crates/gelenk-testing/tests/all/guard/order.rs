//! The order of the tables in a file says nothing.

use gelenk_testing::guard::{Dice, Sketch, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, run};

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
        r#"{ method = "stepped", step = "2 ms" }"#,
        r#"{ method = "real-time", step = "1 ms" }"#,
    ]);
    let way = Way { solver, reactions: true, poses: true, ..Way::default() };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let mut other = sketch.clone();
    dice.shuffle(&mut other.entries);
    let other =
        run(&other, &way).map_err(|reason| format!("{solver}: refused in another order: {reason}"))?;
    // Error control weighs states by their number, not by their order, but rounding is another one.
    let floor = if solver.contains("dopri5") { 1e-6 } else { 1e-8 };
    reference.compare(&other, &Terms::same(floor)).map_err(|text| format!("{solver}: {text}"))?;
    Ok(Outcome::Held)
}

#[test]
fn order() {
    guard("order", Wishes::ALL, 50, check);
}
