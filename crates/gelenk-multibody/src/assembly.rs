//! Putting a mechanism together: what closing the loops did to the given start values.

use gelenk_system::{Fault, System};

use crate::data::Data;
use crate::mechanism::Mechanism;

/// How the start of a mechanism was closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// Every loop with its largest gap at the given start and after closing (m, or dimensionless for axes).
    pub loops: Vec<(String, [f64; 2])>,
    /// Every velocity whose coordinate had to move: its name and the displacement (rad or m).
    pub moved: Vec<(String, f64)>,
    /// Every velocity that had to change: its name and the change (rad/s or m/s).
    pub hurried: Vec<(String, f64)>,
    /// Velocities that a partition of the assembled state leaves independent: the freedoms of the mechanism.
    pub independent: Vec<String>,
}

/// A change below this is rounding.
const CHANGE: f64 = 1e-12;

impl Mechanism {
    /// Closes the loops at the start, in position and velocity, and says what that took.
    ///
    /// # Errors
    /// A loop that cannot be closed, by name.
    pub fn assemble(&self, d: &mut Data<f64>) -> Result<Assembly, Fault> {
        let layout = self.layout;
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        self.given_start(d, &mut x);
        let given = x.clone();
        let before = self.gaps(d, &x);
        self.start(d, &mut x, &mut m)?;
        let after = self.gaps(d, &x);
        let loops = self.loops.iter().zip(before.into_iter().zip(after));
        let loops = loops.map(|(closure, (before, after))| (closure.name.clone(), [before, after])).collect();
        let mut shift = vec![0.0; layout.nv];
        self.difference(&given[layout.q()], &x[layout.q()], &mut shift);
        let faster: Vec<f64> =
            x[layout.v()].iter().zip(&given[layout.v()]).map(|(after, before)| after - before).collect();
        let named = |values: Vec<f64>| {
            let large = self.velocity_names.iter().cloned().zip(values).filter(|(_, v)| v.abs() > CHANGE);
            large.collect()
        };
        Ok(Assembly { loops, moved: named(shift), hurried: named(faster), independent: self.independent(d) })
    }

    /// The largest gap of every loop at a state.
    fn gaps(&self, d: &mut Data<f64>, x: &[f64]) -> Vec<f64> {
        self.constraints(d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        let largest = |gaps: &[f64]| gaps.iter().fold(0.0f64, |max, gap| max.max(gap.abs()));
        self.loops.iter().map(|closure| largest(&d.gap[closure.rows.clone()])).collect()
    }
}
