//! Equations that the state must satisfy.

use gelenk_math::Real;

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

    /// Velocities that each constraint equation depends on at any state, rising: the pattern of `C_q`. By default all of them.
    fn pattern(&self) -> Vec<Vec<usize>> {
        let layout = self.layout();
        vec![(0..layout.nv).collect(); layout.nc]
    }

    /// Writes the entries of `C_q` at `(t, q)` that [`Constrained::pattern`] names, row by row.
    fn constraint_entries(&self, data: &mut Self::Data<f64>, t: f64, q: &[f64], entries: &mut [f64]) {
        self.constraint_rows(data, t, q, entries);
    }

    /// Writes the gaps of the constraints on three levels, each of length `nc`: the positions `C(t, q)`, the velocities
    /// `C_q v + C_t`, and the right sides `gamma` of the accelerations `C_q dv/dt = gamma`. Zero without constraints.
    fn gaps(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], gaps: [&mut [f64]; 3]) {
        let _ = (data, t, x);
        gaps.into_iter().for_each(|gaps| gaps.fill(0.0));
    }

    /// Writes the residual of the equations of motion, of length `nv`, at given accelerations `a` and multipliers `lambda`:
    ///
    /// ```text
    /// M(q) a + c(q, v) - Q(t, x; m) + C_q^T lambda
    /// ```
    ///
    /// Index reduction and solvers for constrained equations are made of it, of [`Constrained::gaps`] and of the pattern.
    ///
    /// # Errors
    /// A system without equations of motion, and faults of the evaluation.
    fn balance<T: Real>(
        &self,
        data: &mut Self::Data<T>,
        (t, x, m): (T, &[T], &[f64]),
        [a, lambda]: [&[T]; 2],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let _ = (data, t, x, m, a, lambda, r);
        let reason = "it does not give its equations of motion in residual form".into();
        Err(Fault::Refused { element: "the system".into(), reason })
    }

    /// Whether [`Constrained::project`] can change a state at all.
    fn needs_projection(&self) -> bool {
        false
    }
}
