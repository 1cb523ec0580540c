//! Bounded nonlinear least squares by the method of Levenberg and Marquardt: the one that fits, assembly and inverse kinematics
//! use.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the problem, and the search |
//! | `model` | the linear model at a point and its damped step |
//! | `rows` | dense, banded and arrow-shaped Jacobians, turned into a triangle |
//! | `loss` | squares, and robust losses |
//!
//! Minimised is the cost `1/2 |r(x)|^2`, or a robust [`Loss`]. A point `x` is what the problem says it is: numbers, rotations, a
//! mechanism with closed loops; steps are vectors `delta`, and the problem moves along them ([`LeastSquares::retract`]). At a
//! point the residual is linearised, and the step minimises `|r + J delta|^2 + mu |D delta|^2` within the bounds, `D` being
//! the largest column norms of `J` met so far (Moré 1978, doi:10.1007/BFb0067700), which makes the path independent of the
//! units, or one number for all columns. A step that lowers the cost is taken. The damping `mu` follows the ratio of the actual to
//! the predicted decrease by Nielsen's rule (Damping parameter in Marquardt's method, IMM-REP-1999-05, Technical
//! University of Denmark): `mu <- mu max(1/3, 1 - (2 rho - 1)^3)` after a success, `mu <- nu mu`, `nu <- 2 nu` after a
//! failure. A trial point where the residual fails, is not finite or has no derivative counts as a failure: the search goes
//! around such regions.
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

mod loss;
mod model;
mod rows;

use std::cell::Cell;
use std::fmt;

pub use loss::Loss;
pub use model::LinearModel;
pub use rows::{Rows, Shape};

/// Damping of the first step, relative to the squared column norms.
const FIRST_DAMPING: f64 = 1e-2;
/// The damping never falls below this, so that a system without full rank stays
/// solvable, nor rises above the other, where no number would move.
const DAMPING_RANGE: (f64, f64) = (1e-18, 1e40);
/// Least ratio of actual to predicted decrease of an accepted step.
const LEAST_GAIN: f64 = 1e-4;

/// Why a point cannot be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure<E> {
    /// This point cannot be used; another may.
    Point(String),
    /// The problem itself is malformed: the search ends.
    Problem(E),
}

/// Residuals over points, with their derivatives.
pub trait LeastSquares {
    /// Where the residuals are evaluated.
    type Point: Clone;
    /// What ends a search.
    type Error;

    /// Writes the residuals at a point; always the same number of them.
    ///
    /// # Errors
    /// [`Failure`].
    fn residuals(&mut self, at: &Self::Point, r: &mut Vec<f64>) -> Result<(), Failure<Self::Error>>;

    /// Writes the derivatives of the residuals `r` at a point by the components of a step from it. The residuals may be written
    /// anew, in another form that suits this point better; those of trial points are then written in that form.
    ///
    /// # Errors
    /// [`Failure`].
    fn jacobian(
        &mut self,
        at: &Self::Point,
        r: &mut Vec<f64>,
        rows: &mut Rows,
    ) -> Result<(), Failure<Self::Error>>;

    /// The point that a step leads to.
    ///
    /// # Errors
    /// [`Failure`].
    fn retract(&mut self, at: &Self::Point, step: &[f64]) -> Result<Self::Point, Failure<Self::Error>>;

    /// How far component `k` of a step from a point may go down (at most zero) and up (at least zero).
    fn room(&self, _at: &Self::Point, _k: usize) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }

    /// Size of component `k` at a point to which the tolerance of steps is relative.
    fn size(&self, _at: &Self::Point, _k: usize) -> f64 {
        1.0
    }

    /// Whether the residuals are small enough, whatever is left to gain.
    fn met(&self, _r: &[f64]) -> bool {
        false
    }
}

/// What makes the components of a step comparable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// The largest norm of each column of the Jacobian met so far: components of different units.
    #[default]
    Columns,
    /// The largest norm of all columns at the point: components that are alike.
    Uniform,
}

/// Options of [`minimise`].
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// Largest number of trial steps, accepted or not. Zero evaluates the start only.
    pub max_iterations: usize,
    /// Relative tolerance of the stopping rules, see [`Stop`]; above 0 and below 1.
    pub tolerance: f64,
    /// How components are scaled.
    pub scaling: Scaling,
    /// What residuals cost.
    pub loss: Loss,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { max_iterations: 200, tolerance: 1e-8, scaling: Scaling::Columns, loss: Loss::Squares }
    }
}

/// Why the search ended. `e` is [`SearchOptions::tolerance`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The residual is at a right angle to what every free unknown can change:
    /// `|J_k . r| <= e |J_k| |r|` for every unknown that no bound holds.
    Gradient,
    /// The next step changes no unknown by more than `e` of its size.
    Step,
    /// The next step promises a decrease of the cost by less than `e^2` of it,
    /// which rounding hides.
    Reduction,
    /// The norm of the residual has fallen to `e^2` of its start, or to zero, or as far as the problem wants.
    Cost,
    /// The allowed number of trial steps was made.
    MaxIterations,
    /// However small the step, the residual cannot be computed near this
    /// point; the text is what the last failure said.
    ResidualFails(
        /// What the last failure said.
        String,
    ),
    /// The progress callback asked to stop.
    Interrupted,
}

impl Stop {
    /// Whether the point is a (local) minimum to the tolerance.
    pub fn converged(&self) -> bool {
        matches!(self, Self::Gradient | Self::Step | Self::Reduction | Self::Cost)
    }

    /// A word for scripts, such as `step`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Gradient => "gradient",
            Self::Step => "step",
            Self::Reduction => "reduction",
            Self::Cost => "cost",
            Self::MaxIterations => "max-iterations",
            Self::ResidualFails(_) => "residual-fails",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gradient => write!(f, "converged: the gradient is zero"),
            Self::Step => write!(f, "converged: the next step is below the tolerance"),
            Self::Reduction => write!(f, "converged: the expected reduction of the cost is below rounding"),
            Self::Cost => write!(f, "converged: the residual is practically zero"),
            Self::MaxIterations => write!(f, "not converged: the maximum number of iterations is reached"),
            Self::ResidualFails(message) => {
                write!(f, "not converged: the residual cannot be computed near this point: {message}")
            }
            Self::Interrupted => write!(f, "not converged: interrupted"),
        }
    }
}

/// A search that cannot begin, or cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError<E> {
    /// The start cannot be evaluated.
    #[error("the residual cannot be computed at the start: {0}")]
    Start(String),
    /// The start has no derivatives.
    #[error("the residual has no derivatives at the start: {0}")]
    Derivative(String),
    /// The number of residuals or of rows changed.
    #[error(
        "there are {got} residuals, but {expected} are expected; compare at the same samples at every point"
    )]
    Length {
        /// At the start.
        expected: usize,
        /// Now.
        got: usize,
    },
    /// An option is out of its range.
    #[error("the option `{option}` is {value:?}; it must be {expected}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The problem is malformed.
    #[error("{0}")]
    Problem(E),
}

/// What is reported at the start (iteration 0) and after every trial step.
#[derive(Debug)]
pub struct Report<'a, P> {
    /// Number of trial steps so far.
    pub iteration: usize,
    /// Cost of the best point so far.
    pub cost: f64,
    /// Damping of the next step, relative to the squared column norms of the Jacobian.
    pub damping: f64,
    /// Whether the last trial step was accepted.
    pub accepted: bool,
    /// The best point so far.
    pub point: &'a P,
    stop: Cell<bool>,
}

impl<P> Report<'_, P> {
    /// Asks the search to end here; the best point so far is returned with [`Stop::Interrupted`].
    pub fn stop(&self) {
        self.stop.set(true);
    }
}

/// Where a search ended.
#[derive(Clone, Debug)]
pub struct Found<P> {
    /// The best point.
    pub point: P,
    /// The residuals there.
    pub residuals: Vec<f64>,
    /// Cost at the start, and at the point.
    pub costs: [f64; 2],
    /// Trial steps, accepted or not.
    pub iterations: usize,
    /// Why it ended.
    pub stop: Stop,
    /// The linear model at the point.
    pub model: LinearModel,
}

/// Searches the point with the least cost from `start`.
///
/// # Errors
/// [`SearchError`]. A search that did not converge is none: see [`Found::stop`].
pub fn minimise<L: LeastSquares>(
    problem: &mut L,
    start: L::Point,
    options: &SearchOptions,
    progress: &mut dyn FnMut(&Report<'_, L::Point>),
) -> Result<Found<L::Point>, SearchError<L::Error>> {
    options.check()?;
    let mut search = Search::begin(problem, start, options)?;
    let start_cost = search.cost;
    let mut accepted = true;
    let stop = loop {
        let now = Report {
            iteration: search.iterations,
            cost: search.cost,
            damping: search.damping,
            accepted,
            point: &search.point,
            stop: Cell::new(false),
        };
        progress(&now);
        if now.stop.get() {
            break Stop::Interrupted;
        }
        match search.advance(start_cost)? {
            Outcome::Trial { accepted: taken } => accepted = taken,
            Outcome::Stop(reason) => break reason,
        }
    };
    let Search { point, residuals, cost, iterations, model, .. } = search;
    Ok(Found { point, residuals, costs: [start_cost, cost], iterations, stop, model })
}

impl SearchOptions {
    fn check<E>(&self) -> Result<(), SearchError<E>> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let expected = "above 0 and below 1, for example 1e-8";
            return Err(SearchError::Option { option: "tolerance", value: self.tolerance, expected });
        }
        match self.loss.size() {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(SearchError::Option { option: "loss", value, expected: "above 0" })
            }
            _ => Ok(()),
        }
    }
}

/// The state of a search between two trial steps.
struct Search<'a, L: LeastSquares> {
    problem: &'a mut L,
    options: &'a SearchOptions,
    point: L::Point,
    residuals: Vec<f64>,
    cost: f64,
    model: LinearModel,
    /// Squared norm of the residuals as the loss weighs them.
    squares: f64,
    rows: Rows,
    /// Largest column norms of the Jacobian so far.
    scales: Vec<f64>,
    damping: f64,
    /// Factor by which the next failure raises the damping.
    raise: f64,
    /// What the residual said if the last trial from this point failed.
    failing: Option<String>,
    iterations: usize,
}

/// What one call of [`Search::advance`] did.
enum Outcome {
    Trial { accepted: bool },
    Stop(Stop),
}

/// The cost of residuals, or what is not finite.
fn checked_cost(loss: Loss, r: &[f64]) -> Result<f64, String> {
    if let Some(i) = r.iter().position(|r| !r.is_finite()) {
        return Err(format!("component {i} of the residual is not finite"));
    }
    let cost = loss.cost(r);
    if cost.is_finite() {
        Ok(cost)
    } else {
        Err("the sum of squares of the residual is not finite".to_owned())
    }
}

/// The linear model at a point, its cost and the squared norm of its residuals.
type Linearised = (LinearModel, f64, f64);

impl<'a, L: LeastSquares> Search<'a, L> {
    fn begin(
        problem: &'a mut L,
        point: L::Point,
        options: &'a SearchOptions,
    ) -> Result<Self, SearchError<L::Error>> {
        let mut residuals = Vec::new();
        let at_start = |failure| match failure {
            Failure::Point(message) => SearchError::Start(message),
            Failure::Problem(error) => SearchError::Problem(error),
        };
        problem.residuals(&point, &mut residuals).map_err(at_start)?;
        checked_cost(options.loss, &residuals).map_err(SearchError::Start)?;
        let (mut rows, mut scales) = (Rows::new(Shape::dense(0)), Vec::new());
        let linearised = linearise(problem, options, &point, &mut residuals, &mut rows, &mut scales);
        let (model, cost, squares) = linearised?.map_err(SearchError::Derivative)?;
        Ok(Self {
            problem,
            options,
            point,
            residuals,
            cost,
            model,
            squares,
            rows,
            scales,
            damping: FIRST_DAMPING,
            raise: 2.0,
            failing: None,
            iterations: 0,
        })
    }

    /// Stops by a rule, or makes one trial step.
    fn advance(&mut self, start_cost: f64) -> Result<Outcome, SearchError<L::Error>> {
        let tolerance = self.options.tolerance;
        if self.cost <= tolerance.powi(4) * start_cost || self.problem.met(&self.residuals) {
            return Ok(Outcome::Stop(Stop::Cost));
        }
        if self.model.largest_cosine(self.squares) <= tolerance {
            return Ok(Outcome::Stop(Stop::Gradient));
        }
        if self.iterations >= self.options.max_iterations {
            return Ok(Outcome::Stop(Stop::MaxIterations));
        }
        let Some(step) = self.model.step(self.damping) else {
            if self.damping >= DAMPING_RANGE.1 {
                return Ok(Outcome::Stop(Stop::ResidualFails("no finite step exists".to_owned())));
            }
            return Ok(self.reject());
        };
        // A step that failures have made small is no sign of a minimum.
        let ended = |reason: Stop, failing: &Option<String>| {
            Outcome::Stop(match failing {
                Some(message) => Stop::ResidualFails(message.clone()),
                None => reason,
            })
        };
        let relative = |(k, delta): (usize, &f64)| delta.abs() / self.problem.size(&self.point, k);
        if step.delta.iter().enumerate().map(relative).fold(0.0, f64::max) <= tolerance {
            return Ok(ended(Stop::Step, &self.failing));
        }
        let hidden = tolerance.powi(2).max(f64::EPSILON) * self.cost;
        if step.predicted.abs() <= hidden {
            return Ok(ended(Stop::Reduction, &self.failing));
        }

        let mut residuals = Vec::with_capacity(self.residuals.len());
        let trial = self.problem.retract(&self.point, &step.delta);
        let trial = trial.and_then(|trial| self.problem.residuals(&trial, &mut residuals).map(|()| trial));
        let trial = match trial {
            Ok(trial) => trial,
            Err(Failure::Problem(error)) => return Err(SearchError::Problem(error)),
            Err(Failure::Point(message)) => return Ok(self.failed(message)),
        };
        if residuals.len() != self.residuals.len() {
            return Err(SearchError::Length { expected: self.residuals.len(), got: residuals.len() });
        }
        let cost = match checked_cost(self.options.loss, &residuals) {
            Ok(cost) => cost,
            Err(message) => return Ok(self.failed(message)),
        };
        let gain = (self.cost - cost) / step.predicted;
        if !(step.predicted > 0.0 && gain > LEAST_GAIN) {
            self.failing = None;
            return Ok(self.reject());
        }
        // A point is taken only with its derivative, so that the search can always go on from where it stands.
        let Self { problem, options, rows, scales, .. } = self;
        match linearise(*problem, options, &trial, &mut residuals, rows, scales)? {
            Ok((model, cost, squares)) => {
                (self.model, self.cost, self.squares) = (model, cost, squares);
                (self.point, self.residuals) = (trial, residuals);
            }
            Err(message) => return Ok(self.failed(message)),
        }
        self.failing = None;
        self.iterations += 1;
        let factor = (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
        self.damping = (self.damping * factor).max(DAMPING_RANGE.0);
        self.raise = 2.0;
        Ok(Outcome::Trial { accepted: true })
    }

    /// Counts a trial point that could not be evaluated.
    fn failed(&mut self, message: String) -> Outcome {
        self.failing = Some(message);
        self.reject()
    }

    /// Counts a failed trial and raises the damping.
    fn reject(&mut self) -> Outcome {
        self.iterations += 1;
        self.damping = (self.damping * self.raise).min(DAMPING_RANGE.1);
        self.raise = (2.0 * self.raise).min(DAMPING_RANGE.1);
        Outcome::Trial { accepted: false }
    }
}

/// Linearises at `point`; the inner error says why it has no derivatives. Scales by columns grow here and never fall, as Moré
/// proposed, so that a direction whose influence fades is not searched ever more wildly.
fn linearise<L: LeastSquares>(
    problem: &mut L,
    options: &SearchOptions,
    point: &L::Point,
    residuals: &mut Vec<f64>,
    rows: &mut Rows,
    scales: &mut Vec<f64>,
) -> Result<Result<Linearised, String>, SearchError<L::Error>> {
    match problem.jacobian(point, residuals, rows) {
        Ok(()) => {}
        Err(Failure::Problem(error)) => return Err(SearchError::Problem(error)),
        Err(Failure::Point(message)) => return Ok(Err(message)),
    }
    if rows.len() != residuals.len() {
        return Err(SearchError::Length { expected: residuals.len(), got: rows.len() });
    }
    if !rows.is_finite() {
        return Ok(Err("the derivative of the residual is not finite".to_owned()));
    }
    let cost = match checked_cost(options.loss, residuals) {
        Ok(cost) => cost,
        Err(message) => return Ok(Err(message)),
    };
    let mut weighed = residuals.clone();
    options.loss.apply(&mut weighed, rows);
    let norms = rows.norms();
    let scales = match options.scaling {
        Scaling::Columns => {
            scales.resize(norms.len(), 0.0);
            scales.iter_mut().zip(&norms).for_each(|(scale, &norm)| *scale = scale.max(norm));
            scales.iter().map(|&scale| if scale > 0.0 { scale } else { 1.0 }).collect()
        }
        Scaling::Uniform => {
            let largest = norms.iter().copied().fold(0.0, f64::max);
            vec![if largest > 0.0 { largest } else { 1.0 }; norms.len()]
        }
    };
    let room = (0..norms.len()).map(|k| problem.room(point, k)).collect();
    let squares = weighed.iter().map(|r| r * r).sum();
    Ok(Ok((LinearModel::new(rows, &weighed, scales, norms, room), cost, squares)))
}
