//! What is worth a note along a run or a motion: outputs that are not numbers, and curves that are left beyond their ends.

use gelenk_multibody::{Data, Mechanism};
use gelenk_record::Column;
use gelenk_system::System;

/// Share of the length of a curve by which its argument may pass an end.
const BESIDE: f64 = 1e-9;

/// Looks at rows and instants, and says what was found.
pub struct Notes<'m> {
    mechanism: &'m Mechanism,
    data: Data<f64>,
    rows: u64,
    /// Outputs by their columns: rows that are not finite, and the time of the first one (s).
    outputs: Vec<(usize, String, u64, f64)>,
    curves: Vec<Left>,
}

/// A call of a curve.
struct Left {
    name: String,
    ends: [f64; 2],
    /// First time at which it was left (s), and the argument that went furthest.
    found: Option<(f64, f64)>,
}

impl<'m> Notes<'m> {
    /// For a mechanism with these parameters, and rows with these columns.
    pub fn new(mechanism: &'m Mechanism, p: &[f64], columns: &[Column]) -> Self {
        let mut data = mechanism.data();
        mechanism.bind(&mut data, p);
        let outputs = columns.iter().enumerate().filter(|(_, column)| column.meaning == "output");
        let left = |(name, ends): (&str, [f64; 2])| Left { name: name.into(), ends, found: None };
        Self {
            mechanism,
            data,
            rows: 0,
            outputs: outputs.map(|(k, column)| (k, column.name.clone(), 0, 0.0)).collect(),
            curves: mechanism.curve_calls().map(left).collect(),
        }
    }

    /// Looks at a row of a run.
    pub fn row(&mut self, row: &[f64]) {
        self.outputs_in(row);
        if !self.curves.is_empty() {
            self.mechanism.load_row(&mut self.data, row);
            look(self.mechanism, &mut self.curves, &mut self.data);
        }
    }

    /// Looks at a row of a study, and at the instant that was evaluated for it.
    pub fn instant(&mut self, row: &[f64], data: &mut Data<f64>) {
        self.outputs_in(row);
        look(self.mechanism, &mut self.curves, data);
    }

    fn outputs_in(&mut self, row: &[f64]) {
        self.rows += 1;
        for (column, _, count, first) in &mut self.outputs {
            if row.get(*column).is_some_and(|value| !value.is_finite()) {
                if *count == 0 {
                    *first = row.first().copied().unwrap_or(0.0);
                }
                *count += 1;
            }
        }
    }

    /// What was found.
    pub fn texts(&self) -> Vec<String> {
        let outputs =
            self.outputs.iter().filter(|(_, _, count, _)| *count > 0).map(|(_, name, count, first)| {
                format!(
                    "output {name} is not a number in {count} of {} samples, first at {first} s",
                    self.rows
                )
            });
        let mut curves: Vec<String> = Vec::new();
        for left in &self.curves {
            let (Some((t, furthest)), [from, to]) = (left.found, left.ends) else { continue };
            let text = format!(
                "the argument of curve {} leaves its range, {from} to {to}, at t = {t} s and reaches {furthest:.6}; beyond \
                 its ends the curve continues as a straight line",
                left.name
            );
            if !curves.contains(&text) {
                curves.push(text);
            }
        }
        outputs.chain(curves).collect()
    }
}

/// Looks at the arguments of all curves at the loaded instant.
fn look(mechanism: &Mechanism, curves: &mut [Left], data: &mut Data<f64>) {
    let t = data.time();
    mechanism.curve_arguments(data, |index, argument| {
        let left = &mut curves[index];
        let [from, to] = left.ends;
        let beyond = |argument: f64| (from - argument).max(argument - to);
        if beyond(argument) > BESIDE * (to - from) {
            left.found = match left.found {
                Some((first, furthest)) if beyond(furthest) >= beyond(argument) => Some((first, furthest)),
                Some((first, _)) => Some((first, argument)),
                None => Some((t, argument)),
            };
        }
    });
}
