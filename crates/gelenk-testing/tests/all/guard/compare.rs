//! Two recordings of the same motion, compared within what the model itself makes of a small change.

use std::cell::Cell;
use std::f64::consts::PI;

use gelenk_record::Recording;
use gelenk_testing::guard::{Dice, Sketch, Value};

use super::trial::{Run, Way, run};

/// Relative change of the numbers of a model whose effect is looked at.
const NUDGE: f64 = 1e-9;
/// Neighbours that are run; a failure is looked at again with [`MORE`] of them, because where an event turns on a hair's breadth
/// two may miss it.
const FEW: usize = 2;
const MORE: usize = 10;
/// A difference may be so many times what the changes make.
const MARGIN: f64 = 50.0;
/// Where the changes have grown so far, nothing can be said any more.
const LOST: f64 = 1e-3;

/// A reference run with what small changes of the model do to it.
pub(crate) struct Reference {
    pub run: Run,
    /// For every row, the largest relative effect of the changes up to there.
    blur: Vec<f64>,
    scales: Vec<f64>,
}

/// Name and factor of the column that is compared with one of the reference, from the name and unit of that.
pub(crate) type Naming<'a> = dyn Fn(&str, &str) -> Option<(String, f64)> + 'a;

/// How the columns of another recording are told.
pub(crate) struct Terms<'a> {
    /// Least relative difference that counts.
    pub floor: f64,
    /// Rows this near to an event (s, of the reference) are left out, because values jump there.
    pub window: f64,
    /// Time of the other recording over that of the reference.
    pub time: f64,
    /// Name and factor of the column of the other recording that is compared with one of the reference; `None` leaves it out.
    pub of: &'a Naming<'a>,
}

impl Terms<'_> {
    /// The same names and numbers.
    pub(crate) fn same(floor: f64) -> Self {
        Self { floor, window: 1e-5, time: 1.0, of: &|name, _| Some((name.to_owned(), 1.0)) }
    }
}

thread_local! {
    static CLOSER: Cell<bool> = const { Cell::new(false) };
}

/// Does something with more neighbours of every model.
pub(crate) fn closer<R>(f: impl FnOnce() -> R) -> R {
    CLOSER.set(true);
    let result = f();
    CLOSER.set(false);
    result
}

impl Reference {
    /// Runs a model and some neighbours of it.
    pub(crate) fn new(sketch: &Sketch, way: &Way<'_>) -> Result<Self, String> {
        Self::with(sketch, way, if CLOSER.get() { MORE } else { FEW })
    }

    /// The same with a number of neighbours.
    pub(crate) fn with(sketch: &Sketch, way: &Way<'_>, count: usize) -> Result<Self, String> {
        let run0 = run(sketch, way)?;
        let scales = scales(&run0.recording);
        let mut blur = vec![0.0f64; run0.recording.len()];
        // Chance of its own, so that the choices of a relation do not depend on the size of the model.
        let mut dice = Dice::new(1);
        for _ in 0..count {
            let near = run(&nudged(sketch, &mut dice), way);
            // A neighbour that is refused says nothing.
            let Ok(near) = near else { continue };
            let mut worst = 0.0f64;
            for (k, row) in blur.iter_mut().enumerate() {
                for (column, scale) in scales.iter().enumerate().skip(1) {
                    worst =
                        worst.max(apart(&run0.recording, column, &near.recording, column, k, 1.0) / scale);
                }
                *row = row.max(worst);
            }
        }
        Ok(Self { run: run0, blur, scales })
    }

    /// Whether another recording agrees; tells the first row and column that do not.
    pub(crate) fn compare(&self, other: &Run, terms: &Terms<'_>) -> Result<(), String> {
        let (a, b) = (&self.run.recording, &other.recording);
        let pairs: Vec<(usize, usize, f64)> = (1..a.columns().len())
            .filter_map(|k| {
                let column = &a.columns()[k];
                let (name, factor) = (terms.of)(&column.name, &column.unit)?;
                Some((k, b.index(&name).ok()?, factor))
            })
            .collect();
        let events: Vec<f64> = a
            .events()
            .iter()
            .map(|event| event.t)
            .chain(b.events().iter().map(|event| event.t / terms.time))
            .collect();
        for row in 0..a.len().min(b.len()) {
            let t = a.time()[row];
            if self.blur[row] > LOST {
                return Ok(());
            }
            if events.iter().any(|event| (event - t).abs() < terms.window) {
                continue;
            }
            if (b.time()[row] / terms.time - t).abs() > 1e-9 * t.abs().max(1e-3) {
                return Err(format!("row {row} is at {} s instead of {t} s", b.time()[row] / terms.time));
            }
            let allowed = terms.floor + MARGIN * self.blur[row];
            for &(k, j, factor) in &pairs {
                // At the start rounding decides which way something at rest goes, and so what holds it.
                if row == 0 && !is_state(&a.columns()[k].meaning) {
                    continue;
                }
                let off = apart(a, k, b, j, row, factor) / self.scales[k];
                if !(off <= allowed) {
                    let (x, y) = (a.values(k).unwrap()[row], b.values(j).unwrap()[row] * factor);
                    let name = &a.columns()[k].name;
                    return Err(format!(
                        "{name} at {t} s: {x:e} and {y:e}, {off:.2e} of the largest apart where {allowed:.2e} is allowed"
                    ));
                }
            }
        }
        if a.len() != b.len() {
            return Err(format!("{} rows and {}", a.len(), b.len()));
        }
        Ok(())
    }

    /// The largest relative difference of the states at the rows that can be compared.
    pub(crate) fn error(&self, other: &Run, window: f64) -> f64 {
        let (a, b) = (&self.run.recording, &other.recording);
        let states: Vec<usize> =
            (1..a.columns().len()).filter(|k| is_state(&a.columns()[*k].meaning)).collect();
        let mut worst = 0.0f64;
        for row in 0..a.len().min(b.len()) {
            let t = a.time()[row];
            let near = |r: &Recording| r.events().iter().any(|event| (event.t - t).abs() < window);
            if near(a) || near(b) {
                continue;
            }
            for &k in &states {
                let off = apart(a, k, b, k, row, 1.0) / self.scales[k];
                worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
            }
        }
        worst
    }
}

/// Positions and velocities.
fn is_state(meaning: &str) -> bool {
    meaning.contains("coordinate")
        || meaning.contains("rate")
        || meaning.contains("velocity")
        || meaning.contains("position")
}

/// Largest magnitudes by unit: what is small beside others of its kind need not be right to its last digit.
fn scales(recording: &Recording) -> Vec<f64> {
    let size = |k: usize| recording.values(k).unwrap().iter().fold(0.0f64, |max, v| max.max(v.abs()));
    let unit = |k: usize| recording.columns()[k].unit.as_str();
    (0..recording.columns().len())
        .map(|k| {
            let largest = |unit_of: &str| {
                let alike = (1..recording.columns().len()).filter(|j| unit(*j) == unit_of);
                alike.map(size).fold(0.0f64, f64::max)
            };
            // Moments are forces with lever arms of centimetres and more, whose rounding they have.
            let of_forces = if unit(k) == "N m" { 0.01 * largest("N") } else { 0.0 };
            let largest = largest(unit(k)).max(of_forces);
            // Models are of human size, so what is smaller is rounding.
            largest.max(1e-4)
        })
        .collect()
}

/// How far two columns are apart in a row; quaternions up to their sign, angles up to whole turns.
fn apart(a: &Recording, k: usize, b: &Recording, j: usize, row: usize, factor: f64) -> f64 {
    let value = |r: &Recording, column: usize| r.values(column).and_then(|v| v.get(row)).copied();
    let (Some(x), Some(y)) = (value(a, k), value(b, j)) else { return 0.0 };
    let (off, column) = ((x - y * factor).abs(), &a.columns()[k]);
    if column.name.ends_with(".qw") || [".qx", ".qy", ".qz"].iter().any(|end| column.name.ends_with(end)) {
        return off.min((x + y * factor).abs());
    }
    if column.unit == "rad" {
        let turns = off / (2.0 * PI);
        return (turns - turns.round()).abs() * 2.0 * PI;
    }
    off
}

/// The model with numbers that move its motion changed a little: starts, rates, forces, laws, masses, but no geometry.
pub(crate) fn nudged(sketch: &Sketch, dice: &mut Dice) -> Sketch {
    let mut near = sketch.clone();
    let mut change = |value: &mut f64| *value *= 1.0 + NUDGE * (2.0 * dice.unit() - 1.0);
    near.gravity.iter_mut().for_each(&mut change);
    for entry in &mut near.entries {
        if !["frames", "loops", "parameters", "curves", "signals", "sensors", "surfaces"]
            .contains(&entry.group.as_str())
        {
            nudge(&mut entry.value, &mut change);
        }
    }
    near
}

fn nudge(value: &mut Value, change: &mut dyn FnMut(&mut f64)) {
    match value {
        Value::Number(number, dim) | Value::Quantity(number, dim)
            if number.is_finite() && (dim.length != 0.0 || dim.angle != 0.0 || dim.mass != 0.0) =>
        {
            change(number);
        }
        Value::Table(entries) => {
            let fixed = ["position", "orientation", "axis", "lead", "sequence", "value", "motion", "shape"];
            for (_, value) in entries.iter_mut().filter(|(key, _)| !fixed.contains(&key.as_str())) {
                nudge(value, change);
            }
        }
        Value::List(list) => list.iter_mut().for_each(|value| nudge(value, change)),
        _ => {}
    }
}
