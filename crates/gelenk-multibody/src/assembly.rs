//! How a mechanism comes together at its start.

use gelenk_system::{Fault, System};

use crate::mechanism::Mechanism;

/// A start value that the loops changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The coordinate.
    pub coordinate: String,
    /// Whether its rate was changed; else its value.
    pub rate: bool,
    /// What the model gives (SI).
    pub given: f64,
    /// What it became (SI).
    pub found: f64,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { coordinate, rate, given, found } = self;
        let what = if *rate { "rate" } else { "value" };
        let by = found - given;
        write!(f, "the start {what} of coordinate {coordinate} is {found:.6} instead of {given:.6} (SI), ")?;
        write!(f, "by {by:+.3e}: the loops do not admit it")
    }
}

/// Largest change of a start value that is put down to the digits people write, relative to one.
const WRITTEN: f64 = 1e-6;

impl Mechanism {
    /// Assembles the mechanism and tells which start values of coordinates the loops changed: every rate that is not
    /// zero, and, where `values` says so, positions too, which are usually given only near the closed loop.
    ///
    /// # Errors
    /// A loop that cannot be closed, with its name and gap; velocities that contradict each other.
    pub fn assembly(&self, values: bool) -> Result<Vec<Change>, Fault> {
        let mut d = self.data::<f64>();
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        let nq = self.layout.nq;
        let worst = {
            let constraints = self.constraints(&mut d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
            let rates = constraints.rate.iter().enumerate();
            rates.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|(row, rate)| (row, *rate))
        };
        if let Some((row, rate)) = worst
            && rate.abs() > WRITTEN
        {
            let closure = self.loops.iter().find(|closure| closure.rows.contains(&row));
            let element = closure.map_or_else(String::new, |closure| format!("loop {}", closure.name));
            let reason = format!(
                "no velocities satisfy the loops at the start: {rate:.3e} (SI) is left; the loops contradict each other"
            );
            return Err(Fault::Refused { element, reason });
        }
        let mut changes = Vec::new();
        for (a, coordinate) in self.coordinates.iter().enumerate() {
            let starts = [
                (false, d.param(self, coordinate.start), x[a]),
                (true, d.param(self, coordinate.rate), x[nq + a]),
            ];
            for (rate, given, found) in starts {
                let told = if rate { given != 0.0 } else { values };
                if told && (found - given).abs() > WRITTEN * (1.0 + given.abs()) {
                    changes.push(Change { coordinate: coordinate.name.clone(), rate, given, found });
                }
            }
        }
        Ok(changes)
    }
}
