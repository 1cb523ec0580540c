//! Newton's method on the residual of an implicit step.

use gelenk_math::dense::solve_general;
use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_system::{Fault, System, Trial};

use crate::summary::Summary;

/// Iterations after which the step is given up.
const ITERATIONS: usize = 30;
/// Halvings of a Newton step that does not reduce the residual.
const HALVINGS: usize = 10;
/// Change of the velocities, relative to their size, at which the iteration ends.
const TOLERANCE: f64 = 1e-11;

/// Unknowns and workspace of the iteration; the Jacobian comes from dual numbers and is exact, the laws'
/// algorithmic tangents included.
pub(crate) struct Newton<S: System> {
    data: S::Data<Dual>,
    /// Velocities after the step, then multipliers.
    pub(crate) y: Vec<f64>,
    trial_y: Vec<f64>,
    y_dual: Vec<Dual>,
    r_dual: Vec<Dual>,
    r: Vec<f64>,
    weight: Vec<f64>,
    jacobian: Vec<f64>,
    delta: Vec<f64>,
    columns: Vec<usize>,
    nv: usize,
}

impl<S: System> Newton<S> {
    pub(crate) fn new(system: &S, p: &[f64]) -> Self {
        let layout = system.layout();
        let n = layout.nv + layout.nc;
        let mut data = system.data();
        let p: Vec<Dual> = p.iter().map(|&value| Dual::c(value)).collect();
        system.bind(&mut data, &p);
        Self {
            data,
            y: vec![0.0; n],
            trial_y: vec![0.0; n],
            y_dual: vec![Dual::c(0.0); n],
            r_dual: vec![Dual::c(0.0); n],
            r: vec![0.0; n],
            weight: vec![1.0; n],
            jacobian: vec![0.0; n * n],
            delta: vec![0.0; n],
            columns: vec![0; n],
            nv: layout.nv,
        }
    }

    /// Forgets the last multipliers, from which the next iteration would start.
    pub(crate) fn forget(&mut self) {
        self.y.fill(0.0);
    }

    /// Solves for the end of the step, starting from the committed velocities and the last multipliers;
    /// `false` where it does not converge.
    pub(crate) fn solve(
        &mut self,
        system: &S,
        data: &mut S::Data<f64>,
        trial: &Trial,
        summary: &mut Summary,
    ) -> Result<bool, Fault> {
        let (n, nv) = (self.y.len(), self.nv);
        self.y[..nv].copy_from_slice(&trial.x[system.layout().v()]);
        for iteration in 0..ITERATIONS {
            self.linearise(system, trial, summary)?;
            summary.iterations += 1;
            if iteration == 0 {
                for i in 0..n {
                    let diagonal = self.jacobian[i * n + i].abs();
                    self.weight[i] = if i < nv && diagonal > 0.0 { 1.0 / diagonal } else { 1.0 };
                }
            }
            let merit = self.merit();
            if !merit.is_finite() {
                return Ok(false);
            }
            solve_general(&mut self.jacobian, n, &mut self.r, &mut self.columns, &mut self.delta);
            let Some(share) = self.search(system, data, trial, merit, summary) else { return Ok(false) };
            let size = self.y[..nv].iter().fold(0.0f64, |max, v| max.max(v.abs()));
            let change = self.delta[..nv].iter().fold(0.0f64, |max, d| max.max(d.abs()));
            if share == 1.0 && change <= TOLERANCE * (1.0 + size) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Residual and Jacobian at `y`, eight columns a time.
    fn linearise(&mut self, system: &S, trial: &Trial, summary: &mut Summary) -> Result<(), Fault> {
        let n = self.y.len();
        for first in (0..n).step_by(LANES) {
            for k in 0..n {
                let lane = k.checked_sub(first).unwrap_or(LANES);
                self.y_dual[k] = seed(self.y[k], lane);
            }
            let (v1, lambda) = self.y_dual.split_at(self.nv);
            system.residual(&mut self.data, trial, v1, lambda, &mut self.r_dual)?;
            summary.evaluations += 1;
            for i in 0..n {
                self.r[i] = self.r_dual[i].re();
                for k in first..n.min(first + LANES) {
                    self.jacobian[i * n + k] = partial(self.r_dual[i], k - first);
                }
            }
        }
        Ok(())
    }

    fn merit(&self) -> f64 {
        self.r.iter().zip(&self.weight).map(|(r, w)| (r * w).powi(2)).sum()
    }

    /// Takes the largest share of the Newton step that reduces the residual; `None` where none does.
    fn search(
        &mut self,
        system: &S,
        data: &mut S::Data<f64>,
        trial: &Trial,
        merit: f64,
        summary: &mut Summary,
    ) -> Option<f64> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            for k in 0..self.y.len() {
                self.trial_y[k] = self.y[k] - share * self.delta[k];
            }
            let (v1, lambda) = self.trial_y.split_at(self.nv);
            let evaluated = system.residual(data, trial, v1, lambda, &mut self.r);
            summary.evaluations += 1;
            let size = self.trial_y[..self.nv].iter().fold(0.0f64, |max, v| max.max(v.abs()));
            // At rounding level the residual cannot fall any more, and the step is as good as done.
            let tiny = (0..self.nv).all(|k| self.delta[k].abs() <= TOLERANCE * (1.0 + size));
            if evaluated.is_ok() && (tiny || self.merit() <= merit * (1.0 - 1e-4 * share)) {
                std::mem::swap(&mut self.y, &mut self.trial_y);
                return Some(share);
            }
            share *= 0.5;
        }
        None
    }
}
