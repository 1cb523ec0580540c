//! Equations that the state must satisfy.

use crate::{Fault, System};

/// A system whose state satisfies constraints: quaternion norms, closed loops.
pub trait Constrained: System {
    /// [`System::rates`] as a run integrates them: continued along the motion where they cannot be evaluated, at singular
    /// positions of loops.
    fn continued_rates(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        dx: &mut [f64],
    ) -> Result<(), Fault> {
        self.rates(data, t, x, m, dx)
    }

    /// The loop that has passed a singular position in the step that led to memory `m`, and when (s).
    fn passed(&self, m: &[f64]) -> Option<(&str, f64)> {
        let _ = m;
        None
    }

    /// Puts an accepted `x` back on the constraints (quaternion norms, loops in position and velocity) and returns
    /// how far it was off. May note in `m` how the constraints are best solved from there.
    fn project(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<f64, Fault> {
        let _ = (data, t, x, m);
        Ok(0.0)
    }

    /// Writes the constraint matrix `C_q` at `(t, q)`, row by row, `nc x nv`.
    fn constraint_rows(&self, data: &mut Self::Data<f64>, t: f64, q: &[f64], rows: &mut [f64]) {
        let _ = (data, t, q, rows);
    }

    /// Whether [`Constrained::project`] can change a state at all.
    fn needs_projection(&self) -> bool {
        false
    }
}
