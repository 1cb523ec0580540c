//! Tasks as a problem of least squares, in the directions that loops and bounds leave.

use gelenk_solve::least_squares::{
    Failure, LeastSquares, Loss, Rows as Jacobian, Scaling, SearchError, SearchOptions, Shape, minimise,
};
use gelenk_system::Fault;
use nalgebra::{DMatrix, DVector};

use super::algebra::null_space;
use super::tasks::{Form, Rows};
use super::{IkOptions, SURE, Task, room};
use crate::data::Data;
use crate::loops::following::largest;
use crate::mechanism::Mechanism;

/// Cosine between the residual and what can change it below which nothing is left to gain.
const FLAT: f64 = 1e-9;
/// Steps (rad, m) below this times [`FLAT`] are rounding.
const UNIT: f64 = 1e-6;

impl Mechanism {
    /// Minimises `1/2 sum w f^2` with all loops closed; returns the steps tried and the most components of one that was taken.
    pub(super) fn minimize(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        q: &mut [f64],
        options: &IkOptions,
    ) -> Result<(usize, usize), Fault> {
        for (value, [lower, upper]) in q.iter_mut().zip(&options.bounds) {
            *value = value.max(*lower).min(*upper);
        }
        self.close(d, t, q, &vec![true; self.layout.nv], None)?;
        if tasks.is_empty() {
            return Ok((0, 0));
        }
        let settings = SearchOptions {
            max_iterations: options.iterations,
            tolerance: FLAT,
            scaling: Scaling::Uniform,
            loss: Loss::Squares,
        };
        let forms = self.forms(d, t, tasks, q)?;
        let mut posture = Posture {
            mechanism: self,
            d,
            t,
            tasks,
            options,
            forms,
            open: f64::INFINITY,
            free: Vec::new(),
            basis: DMatrix::zeros(0, 0),
            tried: 0,
            entries: 0,
        };
        let found =
            minimise(&mut posture, q.to_vec(), &settings, &mut |_| {}).map_err(|error| match error {
                SearchError::Problem(fault) => fault,
                error => Fault::Refused { element: "the tasks".to_owned(), reason: error.to_string() },
            })?;
        q.copy_from_slice(&found.point);
        Ok((found.iterations, posture.entries))
    }
}

/// The tasks at positions with closed loops. A step has a component for every direction that is left at the position from which
/// it begins.
struct Posture<'a> {
    mechanism: &'a Mechanism,
    d: &'a mut Data<f64>,
    t: f64,
    tasks: &'a [Task],
    options: &'a IkOptions,
    /// How rotations are written: chosen at a position, and kept for the trials from it, so that costs can be compared.
    forms: Vec<Form>,
    /// Largest residual where the search is, without weights.
    open: f64,
    /// Velocity components that no bound holds, and the directions that the loops leave them.
    free: Vec<usize>,
    basis: DMatrix<f64>,
    /// Components of the last step, and the most of one that was taken.
    tried: usize,
    entries: usize,
}

impl Posture<'_> {
    fn rows(&mut self, q: &[f64]) -> Result<Rows, Failure<Fault>> {
        self.mechanism.task_rows(self.d, self.t, self.tasks, &self.forms, q).map_err(Failure::Problem)
    }
}

fn weighted(rows: &Rows) -> impl Iterator<Item = f64> + '_ {
    rows.f.iter().zip(&rows.w).map(|(f, w)| f * w)
}

impl LeastSquares for Posture<'_> {
    type Point = Vec<f64>;
    type Error = Fault;

    fn residuals(&mut self, q: &Vec<f64>, r: &mut Vec<f64>) -> Result<(), Failure<Fault>> {
        let rows = self.rows(q)?;
        r.clear();
        r.extend(weighted(&rows));
        Ok(())
    }

    fn jacobian(
        &mut self,
        q: &Vec<f64>,
        r: &mut Vec<f64>,
        jacobian: &mut Jacobian,
    ) -> Result<(), Failure<Fault>> {
        self.forms = self.mechanism.forms(self.d, self.t, self.tasks, q).map_err(Failure::Problem)?;
        let rows = self.rows(q)?;
        r.clear();
        r.extend(weighted(&rows));
        self.open = largest(rows.f.as_slice());
        self.entries = self.entries.max(self.tried);
        let nv = self.mechanism.layout.nv;
        let j = DMatrix::from_fn(rows.j.nrows(), nv, |i, k| rows.w[i] * rows.j[(i, k)]);
        let gradient = j.tr_mul(&DVector::from_column_slice(r));
        let bounds = &self.options.bounds;
        self.free = (0..nv)
            .filter(|&k| {
                let [lower, upper] = room(bounds, q, k);
                !(lower >= 0.0 && gradient[k] > 0.0 || upper <= 0.0 && gradient[k] < 0.0)
            })
            .collect();
        self.basis =
            null_space(&rows.cj.select_columns(&self.free), rows.cj.norm()).map_err(Failure::Problem)?;
        let j = j.select_columns(&self.free) * &self.basis;
        jacobian.clear(Shape::dense(j.ncols()));
        for row in j.row_iter() {
            jacobian.push(0, row.transpose().as_slice(), &[]);
        }
        Ok(())
    }

    fn retract(&mut self, q: &Vec<f64>, step: &[f64]) -> Result<Vec<f64>, Failure<Fault>> {
        let nv = self.mechanism.layout.nv;
        let own = &self.basis * DVector::from_column_slice(step);
        let (longest, limit) = (largest(own.as_slice()), self.options.longest_step());
        let scale = if longest > limit { limit / longest } else { 1.0 };
        let (mut step, mut moves) = (vec![0.0; nv], vec![false; nv]);
        for (&k, own) in self.free.iter().zip(own.iter()) {
            let [lower, upper] = room(&self.options.bounds, q, k);
            let wanted = own * scale;
            step[k] = wanted.max(lower.min(0.0)).min(upper.max(0.0));
            moves[k] = step[k] == wanted;
        }
        let mut next = q.clone();
        self.mechanism.retract_origin(q, &step, &mut next);
        if self.mechanism.layout.nc > 0 {
            let closed = self.mechanism.close(self.d, self.t, &mut next, &moves, None);
            closed.map_err(|fault| Failure::Point(fault.to_string()))?;
        }
        self.tried = step.iter().filter(|x| **x != 0.0).count();
        Ok(next)
    }

    fn size(&self, _: &Vec<f64>, _: usize) -> f64 {
        UNIT
    }

    fn met(&self, _: &[f64]) -> bool {
        self.open < SURE * self.options.tolerance
    }
}
