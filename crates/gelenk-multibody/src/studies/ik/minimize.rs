//! Bounded least squares: Levenberg and Marquardt in the directions that loops and bounds leave.

use gelenk_system::Fault;
use nalgebra::{DMatrix, DVector};

use super::algebra::null_space;
use super::tasks::{Form, Rows};
use super::{IkOptions, SURE, Task, room};
use crate::data::Data;
use crate::loops::following::largest;
use crate::mechanism::Mechanism;

/// Tries of one iteration with more and more damping.
const TRIES: usize = 40;
/// Cosine between the residual and what can change it below which nothing is left to gain.
const FLAT: f64 = 1e-9;

impl Mechanism {
    /// Minimises `1/2 sum w f^2` with all loops closed; returns the steps taken and the most components of one.
    pub(super) fn minimize(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        q: &mut [f64],
        options: &IkOptions,
    ) -> Result<(usize, usize), Fault> {
        let nv = self.layout.nv;
        for (value, [lower, upper]) in q.iter_mut().zip(&options.bounds) {
            *value = value.max(*lower).min(*upper);
        }
        self.close(d, t, q, &vec![true; nv], None)?;
        let mut damping = None;
        let mut entries = 0;
        for iteration in 0..options.iterations {
            let forms = self.forms(d, t, tasks, q)?;
            let rows = self.task_rows(d, t, tasks, &forms, q)?;
            if largest(rows.f.as_slice()) < SURE * options.tolerance {
                return Ok((iteration, entries));
            }
            let weighted = DMatrix::from_fn(rows.j.nrows(), nv, |i, k| rows.w[i] * rows.j[(i, k)]);
            let gradient = weighted.tr_mul(&rows.f.component_mul(&rows.w));
            let free: Vec<usize> = (0..nv)
                .filter(|&k| {
                    let [lower, upper] = room(&options.bounds, q, k);
                    !(lower >= 0.0 && gradient[k] > 0.0 || upper <= 0.0 && gradient[k] < 0.0)
                })
                .collect();
            let basis = null_space(&select(&rows.cj, &free), rows.cj.norm())?;
            let j = select(&weighted, &free) * &basis;
            let right = -j.tr_mul(&rows.f.component_mul(&rows.w));
            let normal = j.tr_mul(&j);
            let size = normal.diagonal().amax();
            let mut mu = damping.unwrap_or(1e-3) * size;
            // The residual stands across all directions that are left: nothing lowers it.
            let steepest = FLAT * size.sqrt() * rows.f.component_mul(&rows.w).norm();
            if size == 0.0 || right.amax() <= steepest {
                return Ok((iteration, entries));
            }
            let Some((next, step, used)) =
                self.descend(d, t, tasks, &forms, &rows, q, &free, &basis, (&normal, &right, mu), options)?
            else {
                // No direction is left that lowers the cost.
                return Ok((iteration, entries));
            };
            mu = (used / 10.0).max(1e-13 * size);
            damping = Some(mu / size);
            entries = entries.max(step.iter().filter(|x| **x != 0.0).count());
            q.copy_from_slice(&next);
            if largest(&step) < 1e-15 {
                return Ok((iteration + 1, entries));
            }
        }
        Ok((options.iterations, entries))
    }

    /// The next position with a lower cost, its step and the damping that gave it.
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn descend(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        forms: &[Form],
        rows: &Rows,
        q: &[f64],
        free: &[usize],
        basis: &DMatrix<f64>,
        (normal, right, mut mu): (&DMatrix<f64>, &DVector<f64>, f64),
        options: &IkOptions,
    ) -> Result<Option<(Vec<f64>, Vec<f64>, f64)>, Fault> {
        let nv = self.layout.nv;
        let before = cost(rows);
        let mut next = q.to_vec();
        for _ in 0..TRIES {
            let damped = normal + DMatrix::identity(normal.nrows(), normal.ncols()) * mu;
            let Some(factor) = damped.cholesky() else {
                mu *= 10.0;
                continue;
            };
            let own = basis * factor.solve(right);
            let (longest, limit) = (largest(own.as_slice()), options.longest_step());
            let scale = if longest > limit { limit / longest } else { 1.0 };
            let (mut step, mut moves) = (vec![0.0; nv], vec![false; nv]);
            for (i, &k) in free.iter().enumerate() {
                let [lower, upper] = room(&options.bounds, q, k);
                let wanted = own[i] * scale;
                step[k] = wanted.max(lower.min(0.0)).min(upper.max(0.0));
                moves[k] = step[k] == wanted;
            }
            self.retract_origin(q, &step, &mut next);
            let closed = self.layout.nc == 0 || self.close(d, t, &mut next, &moves, None).is_ok();
            if closed {
                // The same form of the rotations, so that costs can be compared.
                let trial = cost(&self.task_rows(d, t, tasks, forms, &next)?);
                if trial < before {
                    return Ok(Some((next, step, mu)));
                }
            }
            mu *= 10.0;
        }
        Ok(None)
    }
}

fn cost(rows: &Rows) -> f64 {
    0.5 * rows.f.component_mul(&rows.w).norm_squared()
}

fn select(a: &DMatrix<f64>, columns: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(a.nrows(), columns.len(), |i, k| a[(i, columns[k])])
}
