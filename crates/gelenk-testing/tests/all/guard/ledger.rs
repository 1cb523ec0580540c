//! The work of every element is its recorded effort times the rate, summed over the run.

use gelenk_model::study_file::StudyKind;
use gelenk_record::Recording;
use gelenk_testing::guard::{Dice, Sketch, Value, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::studies::{NOTHING, study};
use super::trial::{Run, Way, run};
use super::wrenches::{Row, is_recorded, wrenches};

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

/// `sum of effort times rate`, see [`integral`].
fn work(run: &Run, element: &Element) -> Option<(f64, f64)> {
    let recording = &run.recording;
    let effort = recording.column(&element.column).ok()?;
    let rate = recording.column(&format!("{}.rate", element.coordinate)).ok()?;
    let power: Vec<f64> = effort.iter().zip(rate).map(|(f, v)| element.sign * f * v).collect();
    Some(integral(recording, &power))
}

/// The work of a power by the trapezoidal rule, with a bound of its error: what the rule gives beside that of every second row.
fn integral(recording: &Recording, power: &[f64]) -> (f64, f64) {
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
    (fine, (fine - coarse).abs() + jump * step * events.min(50.0))
}

/// The place of accounts, with the work that they should have and a bound of its error (J), see [`integral`].
type Expected = (String, (f64, f64));

/// Elements between frames: the places of their accounts with the work of their wrenches, see [`integral`]. Nothing where there
/// is no coordinate that a motion could be looked at along.
fn between_frames(sketch: &Sketch, run: &Run, way: &Way<'_>) -> Result<Vec<Expected>, String> {
    let elements: Vec<_> =
        sketch.entries.iter().filter(|e| is_recorded(sketch, e) && !stops_at_once(&e.value)).collect();
    if elements.is_empty() {
        return Ok(vec![]);
    }
    let motion = match study(sketch, way, StudyKind::Kinematics) {
        Err(reason) if reason.contains(NOTHING) => return Ok(vec![]),
        motion => motion.map_err(|reason| format!("refused along the motion of a run: {reason}"))?,
    };
    let works = elements.into_iter().map(|entry| {
        let name = format!("{}.{}", entry.group, entry.name);
        let power = (0..run.recording.len().min(motion.recording.len())).map(|row| {
            let row = Row { run: &run.recording, motion: &motion.recording, row };
            let wrenches = wrenches(sketch, &row, entry)?;
            wrenches.iter().map(|wrench| wrench.power(&row)).sum::<Option<f64>>()
        });
        let power: Option<Vec<f64>> = power.collect();
        let power = power.ok_or_else(|| format!("a column of {name} is missing"))?;
        Ok((name, integral(&run.recording, &power)))
    });
    works.collect()
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "dop853", rtol = 1e-9, atol = 1e-9 }"#,
        r#"{ method = "rk4", step = "0.2 ms" }"#,
    ]);
    let sketch = Sketch { output: 0.0002, ..sketch.clone() };
    let way = Way { solver, poses: true, ..Way::default() };
    let run = match run(&sketch, &way) {
        Ok(run) => run,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let energy = &run.summary.energy;
    // Work is outside of error control: where all that moves is prescribed, only sines bound the steps.
    if solver.contains("do") && energy.relative_residue().abs() > 3e-3 && energy.residue.abs() > 1e-12 {
        return Err(format!("{solver}: a residue of {:e} J", energy.residue));
    }
    let mut works = Vec::new();
    for element in elements(&sketch) {
        let work = work(&run, &element);
        let work = work.ok_or_else(|| format!("no column {} or {}.rate", element.column, element.coordinate));
        works.push((element.accounts, work?));
    }
    for (place, work) in between_frames(&sketch, &run, &way)? {
        let accounts = energy.works.iter().map(|work| &work.name);
        let own = accounts.filter(|name| **name == place || name.starts_with(&format!("{place}.")));
        works.push((own.cloned().collect(), work));
    }
    for (accounts, (expected, error)) in works {
        let booked: Vec<_> = energy.works.iter().filter(|work| accounts.contains(&work.name)).collect();
        if booked.is_empty() {
            return Err(format!("no account {accounts:?}"));
        }
        let found: f64 = booked.iter().map(|work| work.work).sum();
        // A fixed step does not resolve the rise of friction within a narrow band; rows see other instants of it. Work is
        // outside of error control: where all that moves is prescribed, steps follow nothing.
        let chatter = if solver.contains("rk4") { 3e-2 * found.abs() } else { 1e-3 * found.abs() };
        let allowed = 2.0 * error + 1e-5 * energy.scale + chatter + 1e-9;
        if !((found - expected).abs() <= allowed) {
            let name = &accounts[0];
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
    guard("ledger", Wishes { impacts: false, ..Wishes::ALL }, 40, check);
}
