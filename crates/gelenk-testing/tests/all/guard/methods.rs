//! Every method goes to the same motion as its step falls.

use gelenk_testing::guard::{Dice, Sketch, Wishes};

use super::compare::Reference;
use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, run};

/// Methods with a fixed step and their orders.
const FIXED: [(&str, f64); 8] = [
    ("euler", 1.0),
    ("semi-implicit-euler", 1.0),
    ("heun", 2.0),
    ("bs23", 3.0),
    ("rk4", 4.0),
    ("stepped", 1.0),
    ("stepped2", 2.0),
    ("real-time", 1.0),
];

/// Steps (us), until the error is small. Laws with presliding of some micrometres relax within microseconds in fast sliding,
/// where explicit methods are not stable at longer steps.
const STEPS: [u32; 9] = [1000, 500, 250, 125, 50, 25, 10, 5, LEAST];
const LEAST: u32 = 2;

/// Error that is small beside the motion.
const SMALL: f64 = 1e-3;

/// The error of a method at a step (s).
fn error(reference: &Reference, sketch: &Sketch, method: &str, step: f64) -> Result<f64, String> {
    let solver = format!(r#"{{ method = "{method}", step = "{} us" }}"#, (step * 1e6).round());
    Ok(reference.error(&run(sketch, &Way { solver: &solver, ..Way::default() })?, 4.0 * step))
}

fn falls(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let reference = match Reference::new(sketch, &Way::default()) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let (method, _) = FIXED[dice.below(FIXED.len())];
    let adaptive = dice.word(&["bs23", "dopri5", "dop853"]);
    let solver = format!(r#"{{ method = "{adaptive}", rtol = 1e-7, atol = 1e-7 }}"#);
    match run(sketch, &Way { solver: &solver, ..Way::default() }) {
        Ok(other) => {
            let off = reference.error(&other, 1e-4);
            if off > SMALL {
                return Err(format!("{solver}: off by {off:.2e}"));
            }
        }
        Err(reason) => return Ok(Outcome::Refused(reason)),
    }
    let mut errors = vec![];
    let mut refused = None;
    for step in STEPS {
        match error(&reference, sketch, method, f64::from(step) * 1e-6) {
            Ok(error) if error < SMALL => return Ok(Outcome::Held),
            Ok(error) => errors.push((step, error)),
            // Large steps may be too large for a method; the smallest must not be.
            Err(reason) => refused = Some(reason),
        }
    }
    match (errors.first(), errors.last(), refused) {
        // What falls with the step gets there in the end.
        (Some((_, first)), Some((LEAST, last)), _) if errors.len() > 1 && *last < 0.2 * first => {
            Ok(Outcome::Held)
        }
        (_, Some((LEAST, _)), _) | (_, _, None) => {
            Err(format!("{method}: errors {errors:?} at steps in us do not fall"))
        }
        (.., Some(reason)) => Ok(Outcome::Refused(reason)),
    }
}

#[test]
fn methods() {
    guard("methods", Wishes::ALL, 25, falls);
}

fn ordered(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let reference = match Reference::new(sketch, &Way::default()) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let (method, order) = FIXED[dice.below(FIXED.len())];
    let mut errors: Vec<f64> = vec![];
    let mut steps = vec![];
    for step in [2000, 1000, 500, 250, 125] {
        let error = match error(&reference, sketch, method, f64::from(step) * 1e-6) {
            Ok(error) => error,
            Err(reason) => return Ok(Outcome::Refused(reason)),
        };
        let (last, before) = (error, errors.last().copied().unwrap_or(f64::INFINITY));
        // What is this small may be the error of what it is compared with.
        if last < 1e-8 || (before.is_finite() && (before / last).log2() > order - 0.4) {
            return Ok(Outcome::Held);
        }
        errors.push(error);
        steps.push(step);
    }
    Err(format!("{method} of order {order}: errors {errors:?} at {steps:?} us"))
}

/// Where everything is smooth, errors fall with the order of the method.
#[test]
fn orders() {
    guard("orders", Wishes { laws: true, ..Wishes::SMOOTH }, 30, ordered);
}
