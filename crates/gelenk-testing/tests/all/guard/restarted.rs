//! A model that starts where a run was, with time shifted by that much, goes on as the run did.

use gelenk_testing::guard::{Dice, Dim, Sketch, Term, Value, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::settled::settled;
use super::trial::{Run, Way, run};

/// The expression with `t` moved on by `later` (s).
fn later(value: &mut Value, seconds: f64) {
    match value {
        Value::Expression(pieces) => {
            let mut moved = vec![];
            for piece in pieces.drain(..) {
                let Term::Text(text) = piece else {
                    moved.push(piece);
                    continue;
                };
                let mut word = String::new();
                let mut rest = String::new();
                for c in text.chars().chain([' ']) {
                    if c.is_alphanumeric() || c == '_' || c == '.' {
                        word.push(c);
                        continue;
                    }
                    if word == "t" {
                        moved.push(Term::Text(format!("{rest}(t + ")));
                        moved.push(Term::Number(seconds, Dim::TIME));
                        rest = ")".into();
                    } else {
                        rest += &word;
                    }
                    word.clear();
                    rest.push(c);
                }
                moved.push(Term::Text(rest));
            }
            *pieces = moved;
        }
        Value::List(list) => list.iter_mut().for_each(|value| later(value, seconds)),
        Value::Table(keys) => keys.iter_mut().for_each(|(_, value)| later(value, seconds)),
        _ => {}
    }
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    // Not real-time: a step without iteration begins with the last multipliers, which a start does not have.
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "semi-implicit-euler", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
        r#"{ method = "stepped", step = "2 ms" }"#,
    ]);
    let way = Way { solver, poses: true, ..Way::default() };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let row = 3 + dice.below(10);
    let Some(mut other) = settled(sketch, &reference.run.recording, row) else {
        return Ok(Outcome::Refused("no start".into()));
    };
    let seconds = row as f64 * sketch.output;
    other.until -= seconds;
    for entry in &mut other.entries {
        later(&mut entry.value, seconds);
    }
    let other =
        run(&other, &way).map_err(|reason| format!("{solver}: refused from {seconds} s on: {reason}"))?;
    // Back on the clock of the reference: the rows before are its own.
    let (a, b) = (&reference.run.recording, &other.recording);
    let mut joined =
        gelenk_record::Recording::new(a.columns().to_vec()).map_err(|error| error.to_string())?;
    for k in 0..a.len() {
        let values = (0..a.columns().len()).map(|c| a.values(c).unwrap()[k]);
        let mut line: Vec<f64> = values.collect();
        if k >= row {
            for (c, column) in a.columns().iter().enumerate().skip(1) {
                if let Some(value) = b.column(&column.name).ok().and_then(|v| v.get(k - row)) {
                    line[c] = *value;
                }
            }
        }
        joined.push(&line).map_err(|error| error.to_string())?;
    }
    let joined = Run { recording: joined, summary: other.summary };
    let floor = if solver.contains("dopri5") { 1e-5 } else { 1e-8 };
    // The speed of the last impact is remembered, too.
    let of = |name: &str, _: &str| (!name.ends_with(".impact")).then(|| (name.to_owned(), 1.0));
    reference
        .compare(&joined, &Terms { of: &of, ..Terms::same(floor) })
        .map_err(|text| format!("{solver} from {seconds} s on: {text}"))?;
    Ok(Outcome::Held)
}

/// Nothing that remembers more than positions and velocities.
const FORGETFUL: Wishes =
    Wishes { memory: false, sampled: false, switches: false, pressed: false, signals: false, ..Wishes::ALL };

#[test]
fn restarted() {
    guard("restarted", FORGETFUL, 40, check);
}
