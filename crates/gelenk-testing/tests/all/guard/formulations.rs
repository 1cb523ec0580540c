//! Minimal and absolute coordinates, and all ways to keep loops closed, give the same motion.

use gelenk_testing::guard::{Dice, Sketch, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, run};

fn check(sketch: &Sketch, _: &mut Dice) -> Finding {
    let solver = r#"{ method = "dop853", rtol = 1e-10, atol = 1e-11 }"#;
    let way = Way { solver, poses: true, ..Way::default() };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let mut refused = None;
    match run(sketch, &Way { formulation: "absolute", ..way.clone() }) {
        // Joints are loops there, whose names and wrenches are others.
        Ok(other) => {
            let of = |name: &str, _: &str| {
                let reported =
                    name.starts_with("bodies.") || name.starts_with("energy.") || !name.contains('.');
                reported.then(|| (name.to_owned(), 1.0))
            };
            let terms = Terms { floor: 1e-6, of: &of, ..Terms::same(0.0) };
            reference.compare(&other, &terms).map_err(|text| format!("absolute: {text}"))?;
        }
        Err(reason) => refused = Some(reason),
    }
    if sketch.group("loops").next().is_some() {
        for loops in ["partition", "baumgarte"] {
            let solver = format!(r#"{{ method = "dop853", rtol = 1e-10, atol = 1e-11, loops = "{loops}" }}"#);
            let other = run(sketch, &Way { solver: &solver, ..way.clone() });
            let other = match other {
                Ok(other) => other,
                Err(reason) => return Ok(Outcome::Refused(reason)),
            };
            reference.compare(&other, &Terms::same(1e-6)).map_err(|text| format!("{loops}: {text}"))?;
        }
        refused = None;
    }
    Ok(refused.map_or(Outcome::Held, Outcome::Refused))
}

/// What absolute coordinates refuse by name is not drawn.
const WISHES: Wishes = Wishes {
    functions: false,
    holds: false,
    impacts: false,
    pressed: false,
    varying: false,
    rotors: false,
    ..Wishes::ALL
};

#[test]
fn formulations() {
    guard("formulations", WISHES, 25, check);
}
