//! Bounded nonlinear least squares by the method of Levenberg and Marquardt.
//!
//! Minimised is the cost `1/2 |r(x)|^2` over `lower <= x <= upper`. At a point
//! the residual is linearised with a Jacobian by finite differences, and the
//! step minimises `|r + J delta|^2 + mu |D delta|^2` within the bounds, `D` being
//! the largest column norms of `J` met so far (Moré 1978,
//! doi:10.1007/BFb0067700), which makes the path independent of the units. A
//! step that lowers the cost is taken. The damping `mu` follows the ratio of the
//! actual to the predicted decrease by Nielsen's rule (Damping parameter in
//! Marquardt's method, IMM-REP-1999-05, Technical University of Denmark):
//! `mu <- mu max(1/3, 1 - (2 rho - 1)^3)` after a success, `mu <- nu mu`,
//! `nu <- 2 nu` after a failure. A trial point where the residual fails, is not
//! finite or has no derivative counts as a failure: the search goes around such
//! regions.
//!
//! # Why not a library
//!
//! The crate `basin` 3.2 was tried first, on Misra1a, MGH09 and MGH10 of the NIST
//! collection. Its trust-region-reflective solver reaches the certified values
//! from all starts, which ours does on MGH10's far start only with unknowns on a
//! log scale. What decided against it is the contract around the numerics:
//! - an error of the residual at a trial point ends the run and drops the state,
//!   where we want a rejected step; failures would have to be disguised as vectors
//!   of NaN, and a failure in the Jacobian ends the run in any case;
//! - its gradient test is absolute and so depends on units: having arrived at the
//!   solutions of Misra1a (without bounds) and MGH10, it reports a numerical
//!   failure;
//! - its iterates stay strictly inside the bounds, so a start on a bound is moved,
//!   and a solution on a bound is approached rather than met (Misra1a with the
//!   upper bound 230 ends at 229.99999999999994);
//! - malformed shapes and settings panic.

use std::cell::Cell;

use crate::FitError;
use crate::fit::{Fit, StopReason};
use crate::jacobian::{ColumnFailure, jacobian};
use crate::linearisation::Linearisation;
use crate::objective::{Failure, Objective, Point};
use crate::options::{FitOptions, Progress};
use crate::statistics::Statistics;
use crate::unknown::{Coordinate, Unknown, coordinates, describe};

/// A residual as a function of the unknowns; it may fail with a message.
pub type Residual<'a> = dyn Fn(&[f64]) -> Result<Vec<f64>, String> + Sync + 'a;

/// Damping of the first step, relative to the squared column norms.
const FIRST_DAMPING: f64 = 1e-2;
/// The damping never falls below this, so that a system without full rank stays
/// solvable, nor rises above the other, where no number would move.
const DAMPING_RANGE: (f64, f64) = (1e-18, 1e40);
/// Least ratio of actual to predicted decrease of an accepted step.
const LEAST_GAIN: f64 = 1e-4;

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
    let (objective, start) = Objective::start(unknowns, &coordinates, residual)?;
    let mut search = Search::begin(&objective, start, options)?;
    let start_cost = search.point.cost;
    let mut accepted = true;
    let stop = loop {
        let now = Progress {
            iteration: search.iterations,
            evaluations: search.evaluations,
            cost: search.point.cost,
            damping: search.damping,
            accepted,
            values: &search.point.values,
            stop: Cell::new(false),
        };
        progress(&now);
        if now.stop.get() {
            break StopReason::Interrupted;
        }
        match search.advance(start_cost)? {
            Outcome::Trial { accepted: taken } => accepted = taken,
            Outcome::Stop(reason) => break reason,
        }
    };
    Ok(search.finish(start_cost, stop))
}

/// The state of a search between two trial steps.
struct Search<'a> {
    objective: &'a Objective<'a>,
    options: &'a FitOptions,
    point: Point,
    linear: Linearisation,
    /// Largest column norms of the Jacobian so far.
    scales: Vec<f64>,
    damping: f64,
    /// Factor by which the next failure raises the damping.
    raise: f64,
    /// What the residual said if the last trial from this point failed.
    failing: Option<String>,
    iterations: usize,
    evaluations: usize,
}

/// What one call of [`Search::advance`] did.
enum Outcome {
    Trial { accepted: bool },
    Stop(StopReason),
}

impl<'a> Search<'a> {
    fn begin(objective: &'a Objective<'a>, point: Point, options: &'a FitOptions) -> Result<Self, FitError> {
        let jacobian = jacobian(objective, &point, options.difference).map_err(
            |ColumnFailure { unknown, failure, .. }| match failure {
                Failure::Problem(error) => error,
                Failure::Point(message) => FitError::DerivativeAtStart {
                    name: objective.unknowns.get(unknown).map(|k| k.name.clone()).unwrap_or_default(),
                    values: describe(objective.unknowns, &point.values),
                    message,
                },
            },
        )?;
        let evaluations = 1 + jacobian.evaluations;
        let mut scales = vec![0.0; objective.unknowns.len()];
        let linear = Linearisation::new(jacobian, &point, objective.coordinates, &mut scales);
        Ok(Self {
            objective,
            options,
            point,
            linear,
            scales,
            damping: FIRST_DAMPING,
            raise: 2.0,
            failing: None,
            iterations: 0,
            evaluations,
        })
    }

    /// Stops by a rule, or makes one trial step.
    fn advance(&mut self, start_cost: f64) -> Result<Outcome, FitError> {
        let tolerance = self.options.tolerance;
        if self.point.cost <= tolerance.powi(4) * start_cost {
            return Ok(Outcome::Stop(StopReason::Cost));
        }
        if self.linear.largest_cosine(self.point.cost) <= tolerance {
            return Ok(Outcome::Stop(StopReason::Gradient));
        }
        if self.iterations >= self.options.max_iterations {
            return Ok(Outcome::Stop(StopReason::MaxIterations));
        }
        let step = self.linear.step(&self.point, self.objective.coordinates, self.damping);
        let Some(step) = step else {
            if self.damping >= DAMPING_RANGE.1 {
                let message = "no finite step exists".to_owned();
                return Ok(Outcome::Stop(StopReason::ResidualFails(message)));
            }
            return Ok(self.reject());
        };
        // A step that failures have made small is no sign of a minimum.
        let ended = |reason: StopReason, failing: &Option<String>| {
            Outcome::Stop(match failing {
                Some(message) => StopReason::ResidualFails(message.clone()),
                None => reason,
            })
        };
        if step.relative <= tolerance {
            return Ok(ended(StopReason::Step, &self.failing));
        }
        let hidden = tolerance.powi(2).max(f64::EPSILON) * self.point.cost;
        if step.predicted.abs() <= hidden {
            return Ok(ended(StopReason::Reduction, &self.failing));
        }

        self.evaluations += 1;
        let trial = match self.objective.at(step.u) {
            Ok(trial) => trial,
            Err(Failure::Problem(error)) => return Err(error),
            Err(Failure::Point(message)) => {
                self.failing = Some(message);
                return Ok(self.reject());
            }
        };
        let gain = (self.point.cost - trial.cost) / step.predicted;
        if !(step.predicted > 0.0 && gain > LEAST_GAIN) {
            self.failing = None;
            return Ok(self.reject());
        }
        // A point is taken only with its derivative, so that the search can
        // always go on from where it stands.
        match jacobian(self.objective, &trial, self.options.difference) {
            Ok(jacobian) => {
                self.evaluations += jacobian.evaluations;
                let coordinates: &[Coordinate] = self.objective.coordinates;
                self.linear = Linearisation::new(jacobian, &trial, coordinates, &mut self.scales);
            }
            Err(ColumnFailure { failure: Failure::Problem(error), .. }) => return Err(error),
            Err(ColumnFailure { failure: Failure::Point(message), evaluations, .. }) => {
                self.evaluations += evaluations;
                self.failing = Some(message);
                return Ok(self.reject());
            }
        }
        self.point = trial;
        self.failing = None;
        self.iterations += 1;
        let factor = (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
        self.damping = (self.damping * factor).max(DAMPING_RANGE.0);
        self.raise = 2.0;
        Ok(Outcome::Trial { accepted: true })
    }

    /// Counts a failed trial and raises the damping.
    fn reject(&mut self) -> Outcome {
        self.iterations += 1;
        self.damping = (self.damping * self.raise).min(DAMPING_RANGE.1);
        self.raise = (2.0 * self.raise).min(DAMPING_RANGE.1);
        Outcome::Trial { accepted: false }
    }

    fn finish(self, start_cost: f64, stop: StopReason) -> Fit {
        let unknowns = self.objective.unknowns;
        let statistics =
            Statistics::new(&self.linear, &self.point, self.objective.coordinates, self.options.difference);
        let at_bound =
            unknowns.iter().zip(&self.point.values).map(|(k, &v)| v <= k.lower || v >= k.upper).collect();
        Fit {
            names: unknowns.iter().map(|k| k.name.clone()).collect(),
            start_cost,
            cost: self.point.cost,
            iterations: self.iterations,
            evaluations: self.evaluations,
            standard_errors: statistics.standard_errors,
            correlation: statistics.correlation,
            rank: statistics.rank,
            unidentifiable: unknowns
                .iter()
                .zip(statistics.unidentifiable)
                .filter(|(_, lost)| *lost)
                .map(|(k, _)| k.name.clone())
                .collect(),
            stop,
            at_bound,
            values: self.point.values,
        }
    }
}
