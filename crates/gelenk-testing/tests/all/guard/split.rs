//! A body moves as two that a fixed joint holds together.

use gelenk_testing::guard::{Dice, Dim, Entry, Sketch, Value, Wishes, table};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, prepared, run};

/// Numbers times a factor.
fn times(value: &Value, factor: f64) -> Value {
    match value {
        Value::Number(number, dim) => Value::Number(number * factor, *dim),
        Value::List(list) => Value::List(list.iter().map(|value| times(value, factor)).collect()),
        other => other.clone(),
    }
}

/// A vector less another one; one that is not there is zero.
fn less(value: Option<&Value>, offset: [f64; 3]) -> Option<Value> {
    let old = match value {
        Some(value) => value.as_vector()?,
        None => [0.0; 3],
    };
    Some(Value::vector([0, 1, 2].map(|k| old[k] - offset[k]), Dim::LENGTH))
}

/// The model with a body in two; `None` where no body has numbers for mass and inertia.
fn in_two(sketch: &Sketch, dice: &mut Dice) -> Option<Sketch> {
    let bodies: Vec<&Entry> = sketch.group("bodies").filter(|b| b.value.get("inertia").is_some()).collect();
    let body = (*dice.pick(&bodies)?).clone();
    let (share, offset) = (dice.between(0.1, 0.9), dice.vector(0.4));
    let mut second = body.value.clone();
    second.set("centre", less(body.value.get("centre"), offset)?);
    let mut other = sketch.clone();
    for key in ["mass", "inertia"] {
        let old = body.value.get(key)?;
        second.set(key, times(old, 1.0 - share));
        let first = other.entries.iter_mut().find(|e| e.group == "bodies" && e.name == body.name)?;
        first.value.set(key, times(old, share));
    }
    // Some of what is on the body goes to its second half.
    for entry in &mut other.entries {
        let key = match entry.group.as_str() {
            "frames" => "body",
            "joints" => "parent",
            _ => continue,
        };
        let on = entry.value.get(key).and_then(Value::as_word) == Some(&body.name);
        if on && dice.chance(60) {
            let Some(position) = less(entry.value.get("position"), offset) else { continue };
            entry.value.set("position", position);
            entry.value.set(key, Value::word("half"));
        }
    }
    other.add("bodies", "half", second);
    let joint = [
        ("type", Value::word("fixed")),
        ("parent", Value::word(&body.name)),
        ("child", Value::word("half")),
        ("position", Value::vector(offset, Dim::LENGTH)),
    ];
    other.add("joints", "glue", table(joint));
    Some(other)
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
        r#"{ method = "real-time", step = "1 ms" }"#,
    ]);
    let way = Way { solver, poses: true, ..Way::default() };
    let Some(other) = in_two(sketch, dice) else { return Ok(Outcome::Refused("no body to split".into())) };
    let reference = match Reference::new(sketch, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let other = run(&other, &way).map_err(|reason| format!("{solver}: refused in two: {reason}"))?;
    // Of reactions that are not unique those of least norm are taken, over all joints, of which there are more.
    let shared = prepared(sketch, &way).ok().and_then(|built| built.shared_reactions()).is_some();
    let of = |name: &str, _: &str| (!shared || !name.starts_with("loops.")).then(|| (name.to_owned(), 1.0));
    reference
        .compare(&other, &Terms { of: &of, ..Terms::same(1e-6) })
        .map_err(|text| format!("{solver}: {text}"))?;
    Ok(Outcome::Held)
}

#[test]
fn split() {
    guard("split", Wishes::ALL, 40, check);
}
