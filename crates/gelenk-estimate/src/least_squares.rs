//! Fits by bounded nonlinear least squares.
//!
//! The search is that of [`gelenk_solve::least_squares`], over the unknowns or their logarithms, with a Jacobian by finite
//! differences whose columns are computed in parallel.

use std::cell::Cell;

use gelenk_solve::least_squares::{
    Failure, Found, LeastSquares, Report, Rows, Scaling, SearchError, SearchOptions, Shape, minimise,
};

use crate::FitError;
use crate::fit::Fit;
use crate::jacobian::{ColumnFailure, jacobian};
use crate::objective::{Objective, Point};
use crate::options::{FitOptions, Progress};
use crate::statistics::Statistics;
use crate::unknown::{Unknown, coordinates, describe};

/// A residual as a function of the unknowns; it may fail with a message.
pub type Residual<'a> = dyn Fn(&[f64]) -> Result<Vec<f64>, String> + Sync + 'a;

/// Fits the unknowns so that half the sum of the squared components of
/// `residual` is least.
///
/// # Arguments
/// - `unknowns`: what is searched, with starts and bounds.
/// - `residual`: called with the unknowns in their order, from several threads
///   of the current rayon pool at once, never outside the bounds. It must always
///   return the same number of components. An `Err` at a trial point only
///   rejects the point.
/// - `options`: see [`FitOptions`].
/// - `progress`: called at the start and after every trial step; it may ask to
///   [stop](Progress::stop).
///
/// # Returns
/// The best point found, also when the search did not converge: look at
/// [`Fit::stop`]. The result is the same to the bit for any number of threads,
/// provided that `residual` is.
///
/// # Errors
/// [`FitError`] if the unknowns or options are malformed, if the residual or its
/// derivative cannot be computed at the start, or if the number of components
/// changes.
pub fn least_squares(
    unknowns: &[Unknown],
    residual: &Residual<'_>,
    options: &FitOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Fit, FitError> {
    options.check()?;
    let coordinates = coordinates(unknowns)?;
    let (objective, start, first) = Objective::start(unknowns, &coordinates, residual)?;
    let evaluations = Cell::new(1);
    let mut search = Search {
        objective: &objective,
        difference: options.difference,
        first: Some(first),
        evaluations: &evaluations,
        varied: 0,
    };
    let settings = SearchOptions {
        max_iterations: options.max_iterations,
        tolerance: options.tolerance,
        scaling: Scaling::Columns,
        loss: options.loss,
    };
    let mut report = |report: &Report<'_, Point>| {
        let now = Progress {
            iteration: report.iteration,
            evaluations: evaluations.get(),
            cost: report.cost,
            damping: report.damping,
            accepted: report.accepted,
            values: &report.point.values,
            stop: Cell::new(false),
        };
        progress(&now);
        if now.stop.get() {
            report.stop();
        }
    };
    let at_start = describe(unknowns, &start.values);
    let found = minimise(&mut search, start, &settings, &mut report).map_err(|error| match error {
        SearchError::Problem(error) => error,
        SearchError::Start(message) => FitError::ResidualAtStart { values: at_start, message },
        SearchError::Derivative(message) => {
            let name = unknowns.get(search.varied).map(|k| k.name.clone()).unwrap_or_default();
            FitError::DerivativeAtStart { name, values: at_start, message }
        }
        SearchError::Length { expected, got } => FitError::ResidualLength { expected, got, values: at_start },
        SearchError::Option { option, value, expected } => FitError::Option { option, value, expected },
    })?;
    Ok(answer(&objective, found, evaluations.get(), options.difference))
}

/// The residual as the search sees it.
struct Search<'a> {
    objective: &'a Objective<'a>,
    difference: f64,
    /// The residual at the start, which is known already.
    first: Option<Vec<f64>>,
    evaluations: &'a Cell<usize>,
    /// The unknown whose variation failed last.
    varied: usize,
}

impl LeastSquares for Search<'_> {
    type Point = Point;
    type Error = FitError;

    fn residuals(&mut self, at: &Point, r: &mut Vec<f64>) -> Result<(), Failure<FitError>> {
        *r = match self.first.take() {
            Some(first) => first,
            None => {
                self.evaluations.set(self.evaluations.get() + 1);
                self.objective.residual_at(at)?
            }
        };
        Ok(())
    }

    fn jacobian(&mut self, at: &Point, r: &mut Vec<f64>, rows: &mut Rows) -> Result<(), Failure<FitError>> {
        let found = jacobian(self.objective, at, r, self.difference);
        let made = match &found {
            Ok(jacobian) => jacobian.evaluations,
            Err(ColumnFailure { evaluations, .. }) => *evaluations,
        };
        self.evaluations.set(self.evaluations.get() + made);
        let columns = found.map_err(|failure| {
            self.varied = failure.unknown;
            failure.failure
        })?;
        let columns = columns.columns;
        rows.clear(Shape::dense(columns.len()));
        let mut row = vec![0.0; columns.len()];
        for i in 0..r.len() {
            row.iter_mut().zip(&columns).for_each(|(entry, column)| *entry = column[i]);
            rows.push(0, &row, &[]);
        }
        Ok(())
    }

    fn retract(&mut self, at: &Point, step: &[f64]) -> Result<Point, Failure<FitError>> {
        let moved = |(k, (&u, &step)): (usize, (&f64, &f64))| {
            let c = &self.objective.coordinates[k];
            // A bound is met exactly.
            if step >= c.upper - u {
                c.upper
            } else if step <= c.lower - u {
                c.lower
            } else {
                u + step
            }
        };
        self.objective.point(at.u.iter().zip(step).enumerate().map(moved).collect())
    }

    fn room(&self, at: &Point, k: usize) -> [f64; 2] {
        let c = &self.objective.coordinates[k];
        [c.lower - at.u[k], c.upper - at.u[k]]
    }

    fn size(&self, at: &Point, k: usize) -> f64 {
        self.objective.coordinates[k].size(at.u[k])
    }
}

/// The answer, with its uncertainties.
fn answer(objective: &Objective<'_>, found: Found<Point>, evaluations: usize, difference: f64) -> Fit {
    let unknowns = objective.unknowns;
    let statistics = Statistics::new(&found, objective.coordinates, difference);
    let Found { point, costs: [start_cost, cost], iterations, stop, .. } = found;
    let at_bound = unknowns.iter().zip(&point.values).map(|(k, &v)| v <= k.lower || v >= k.upper).collect();
    let lost = unknowns.iter().zip(statistics.unidentifiable).filter(|(_, lost)| *lost);
    Fit {
        names: unknowns.iter().map(|k| k.name.clone()).collect(),
        start_cost,
        cost,
        iterations,
        evaluations,
        standard_errors: statistics.standard_errors,
        correlation: statistics.correlation,
        rank: statistics.rank,
        unidentifiable: lost.map(|(k, _)| k.name.clone()).collect(),
        stop,
        at_bound,
        values: point.values,
    }
}
