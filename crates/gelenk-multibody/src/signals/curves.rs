//! Calls of curves in formulas, so that it can be told where a curve is left.

use gelenk_math::expression::Program;

use crate::data::Data;
use crate::mechanism::{Mechanism, TableLayout};

/// A call of a curve in a formula.
#[derive(Clone, Debug)]
pub(crate) struct CurveCall {
    /// Where the formula stands.
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) argument: Program,
    pub(crate) ends: [f64; 2],
}

impl Mechanism {
    /// Calls of curves in formulas: the curve, and the ends between which it is given (SI).
    pub fn curve_calls(&self) -> impl Iterator<Item = (&str, [f64; 2])> {
        self.signals.calls.iter().map(|call| (call.name.as_str(), call.ends))
    }

    /// Hands the argument of every call of a curve at the loaded instant to `put`, with the number of the call.
    pub fn curve_arguments(&self, d: &mut Data<f64>, mut put: impl FnMut(usize, f64)) {
        for (index, call) in self.signals.calls.iter().enumerate() {
            put(index, call.argument.eval(&d.table, &mut d.scratch));
        }
    }

    /// Takes time, positions, velocities and signals from a recorded row of a run.
    pub fn load_row(&self, d: &mut Data<f64>, row: &[f64]) {
        let TableLayout { q, p, signals, .. } = self.table;
        let values = row.get(1..).unwrap_or_default();
        d.table[0] = row.first().copied().unwrap_or(0.0);
        let (motion, rest) = values.split_at((p - q).min(values.len()));
        d.table[q..p].iter_mut().zip(motion).for_each(|(slot, &value)| *slot = value);
        d.table[signals..].iter_mut().zip(rest).for_each(|(slot, &value)| *slot = value);
    }
}
