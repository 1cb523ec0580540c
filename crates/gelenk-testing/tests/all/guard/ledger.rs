//! The work of every element is its recorded effort times the rate, summed over the run.

use gelenk_testing::guard::{Dice, Sketch, Value, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::trial::{Run, Way, run};

/// Elements on coordinates: the accounts, the column of their effort, the coordinate and the sign of its work.
struct Element {
    accounts: Vec<String>,
    column: String,
    coordinate: String,
    sign: f64,
}

/// Karnopp's law stops what is slower than its band by an impulse, whose work rows do not show.
fn stops_at_once(element: &Value) -> bool {
    element.get("law").and_then(Value::as_word) == Some("karnopp")
}

fn elements(sketch: &Sketch) -> Vec<Element> {
    let mut found = vec![];
    let mut on_coordinate = |place: &str, name: &str, table: &Value| {
        for (key, sign) in [("spring", 1.0), ("stop", 1.0), ("friction", -1.0)] {
            if table.get(key).is_some_and(|element| !stops_at_once(element)) {
                let column = format!("{place}.{key}");
                let accounts = vec![column.clone(), format!("{column}.damping")];
                found.push(Element { accounts, column, coordinate: name.to_owned(), sign });
            }
        }
    };
    for entry in &sketch.entries {
        let place = format!("{}.{}", entry.group, entry.name);
        if entry.group == "coordinates" {
            on_coordinate(&place, &entry.name, &entry.value);
        }
        if let Some(table) = entry.value.get("coordinate") {
            let name = table.get("name").and_then(Value::as_word).unwrap_or(&entry.name);
            on_coordinate(&format!("{place}.coordinate"), name, table);
        }
        if let Some(Value::List(list)) = entry.value.get("coordinates") {
            for (k, table) in list.iter().enumerate() {
                let name = table.get("name").and_then(Value::as_word).unwrap_or_default();
                on_coordinate(&format!("{place}.coordinates.{k}"), name, table);
            }
        }
    }
    for entry in sketch.group("drives").chain(sketch.group("friction")) {
        if let Some(on) =
            entry.value.get("on").and_then(Value::as_word).filter(|_| !stops_at_once(&entry.value))
        {
            let drive = entry.group == "drives";
            let account = format!("{}.{}", entry.group, entry.name);
            let column = if drive { entry.name.clone() } else { account.clone() };
            let sign = if drive { 1.0 } else { -1.0 };
            found.push(Element { accounts: vec![account], column, coordinate: on.to_owned(), sign });
        }
    }
    found
}

/// `sum of effort times rate` by the trapezoidal rule, with a bound of its error: what the rule gives beside that of every
/// second row.
fn work(run: &Run, element: &Element) -> Option<(f64, f64)> {
    let recording = &run.recording;
    let effort = recording.column(&element.column).ok()?;
    let rate = recording.column(&format!("{}.rate", element.coordinate)).ok()?;
    let power: Vec<f64> = effort.iter().zip(rate).map(|(f, v)| element.sign * f * v).collect();
    let rule = |stride: usize| -> f64 {
        let rows: Vec<usize> = (0..power.len()).step_by(stride).collect();
        rows.windows(2)
            .map(|w| 0.5 * (power[w[0]] + power[w[1]]) * (recording.time()[w[1]] - recording.time()[w[0]]))
            .sum()
    };
    let (fine, coarse) = (rule(1), rule(2));
    // A jump of the power by an event lies anywhere between two rows.
    let jump = power.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0f64, f64::max);
    let step = recording.time().get(1).copied().unwrap_or(0.0);
    let events = 1.0 + recording.events().len() as f64;
    Some((fine, (fine - coarse).abs() + jump * step * events.min(50.0)))
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "dop853", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "0.2 ms" }"#,
    ]);
    let sketch = Sketch { output: 0.0002, ..sketch.clone() };
    let run = match run(&sketch, &Way { solver, ..Way::default() }) {
        Ok(run) => run,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let energy = &run.summary.energy;
    // Work is outside of error control: where all that moves is prescribed, only sines bound the steps.
    if solver.contains("do") && energy.relative_residue().abs() > 3e-3 && energy.residue.abs() > 1e-12 {
        return Err(format!("{solver}: a residue of {:e} J", energy.residue));
    }
    for element in elements(&sketch) {
        let booked: Vec<_> =
            energy.works.iter().filter(|work| element.accounts.contains(&work.name)).collect();
        let Some((expected, error)) = work(&run, &element) else {
            return Err(format!("no column {} or {}.rate", element.column, element.coordinate));
        };
        if booked.is_empty() {
            return Err(format!("no account {:?}", element.accounts));
        }
        let found: f64 = booked.iter().map(|work| work.work).sum();
        // A fixed step does not resolve the rise of friction within a narrow band; rows see other instants of it.
        let chatter = if solver.contains("rk4") { 5e-3 * found.abs() } else { 0.0 };
        let allowed = 2.0 * error + 1e-5 * energy.scale + chatter + 1e-9;
        if !((found - expected).abs() <= allowed) {
            let name = &element.column;
            return Err(format!(
                "{solver}: {name} is booked with {found:e} J and did {expected:e} J, within {allowed:e}"
            ));
        }
    }
    // What a conservative account takes it stores. A fixed step has no error control; a run with a mismatch of 1 % warns.
    let share = if solver.contains("do") { 1e-3 } else { 1e-2 };
    for work in energy.works.iter().filter(|work| work.conservative) {
        let mismatch = work.work + work.stored;
        if !(mismatch.abs() <= share * energy.scale + 1e-9) {
            return Err(format!(
                "{solver}: {} does {:e} J and stores {:e} J",
                work.name, work.work, work.stored
            ));
        }
    }
    Ok(Outcome::Held)
}

/// Impacts do work in no time, which rows do not show.
#[test]
fn ledger() {
    guard("ledger", Wishes { impacts: false, contacts: false, ..Wishes::ALL }, 40, check);
}
