//! `--set` does what another number in the file does.

use gelenk_testing::guard::{Dice, Sketch, Value, Wishes};

use super::compare::{Reference, Terms};
use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, prepared, run};

/// Places of numbers with the paths that they may have.
fn numbers(value: &Value, path: &[String], place: &[usize], found: &mut Vec<(Vec<usize>, Vec<String>)>) {
    let deeper = |k: usize, names: &[&str], value: &Value, found: &mut Vec<_>| {
        let paths: Vec<String> =
            path.iter().flat_map(|path| names.iter().map(move |name| format!("{path}.{name}"))).collect();
        let place: Vec<usize> = place.iter().copied().chain([k]).collect();
        numbers(value, &paths, &place, found);
    };
    match value {
        Value::Number(number, _) | Value::Quantity(number, _) if number.is_finite() && *number != 0.0 => {
            found.push((place.to_vec(), path.to_vec()));
        }
        Value::Table(keys) => {
            keys.iter().enumerate().for_each(|(k, (key, value))| deeper(k, &[key], value, found))
        }
        Value::List(list) => {
            for (k, value) in list.iter().enumerate() {
                let names = [
                    k.to_string(),
                    ["x", "y", "z"].get(k).copied().unwrap_or_default().into(),
                    ["lower", "upper"].get(k).copied().unwrap_or_default().into(),
                    ["xx", "yy", "zz", "xy", "xz", "yz"].get(k).copied().unwrap_or_default().into(),
                ];
                deeper(k, &names.each_ref().map(String::as_str), value, found);
            }
        }
        _ => {}
    }
}

fn at<'a>(value: &'a mut Value, place: &[usize]) -> Option<&'a mut f64> {
    match (value, place) {
        (Value::Number(number, _) | Value::Quantity(number, _), []) => Some(number),
        (Value::Table(keys), [k, rest @ ..]) => at(&mut keys.get_mut(*k)?.1, rest),
        (Value::List(list), [k, rest @ ..]) => at(list.get_mut(*k)?, rest),
        _ => None,
    }
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
    ]);
    let way = Way { solver, ..Way::default() };
    let built = match prepared(sketch, &way) {
        Ok(built) => built,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let known: Vec<&str> = built.parameters.iter().map(|(_, parameter)| parameter.path.as_str()).collect();
    let mut found = vec![];
    for (k, entry) in sketch.entries.iter().enumerate() {
        let path = format!("{}.{}", entry.group, entry.name);
        numbers(&entry.value, &[path], &[k], &mut found);
    }
    // Up to three numbers at once.
    let mut edited = sketch.clone();
    let mut set = vec![];
    dice.shuffle(&mut found);
    for (place, paths) in found {
        let Some(path) = paths.iter().find(|path| known.contains(&path.as_str())) else { continue };
        let Some(number) = at(&mut edited.entries[place[0]].value, &place[1..]) else { continue };
        *number *= 1.03;
        set.push(format!("{path}={number:e}"));
        if set.len() == 3 {
            break;
        }
    }
    let reference = match Reference::new(&edited, &way) {
        Ok(reference) => reference,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let other = match run(sketch, &Way { set: set.clone(), ..way.clone() }) {
        Ok(other) => other,
        // What follows from others, as the inertia of a shape, is refused by name.
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    reference.compare(&other, &Terms::same(1e-10)).map_err(|text| format!("{solver} {set:?}: {text}"))?;
    Ok(Outcome::Held)
}

#[test]
fn settings() {
    guard("settings", Wishes::ALL, 40, check);
}
