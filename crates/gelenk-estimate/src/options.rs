//! Options of the search, and what is reported while it runs.

use std::cell::Cell;

use gelenk_solve::least_squares::Loss;

use crate::FitError;

/// Options of [`least_squares`](crate::least_squares()).
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// Largest number of trial steps, accepted or not. Zero evaluates the start
    /// and its uncertainties only.
    pub max_iterations: usize,
    /// Relative tolerance of the stopping rules, see
    /// [`StopReason`](crate::StopReason); above 0 and below 1.
    pub tolerance: f64,
    /// Relative step of the finite difference, above 0 and at most 0.1. The
    /// default, the cube root of the rounding unit, suits a residual that is
    /// smooth to rounding. A residual that is computed to a relative accuracy
    /// `e` (a simulation with error control) wants about the cube root of `e`.
    pub difference: f64,
    /// What a component of the residual costs: its square, or less where it is an outlier.
    pub loss: Loss,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { max_iterations: 200, tolerance: 1e-8, difference: f64::EPSILON.cbrt(), loss: Loss::Squares }
    }
}

impl FitOptions {
    /// Refuses options out of their ranges.
    pub(crate) fn check(&self) -> Result<(), FitError> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(FitError::Option {
                option: "tolerance",
                value: self.tolerance,
                expected: "above 0 and below 1, for example 1e-8",
            });
        }
        // A step below the rounding unit would not move a number at all.
        if !(self.difference > f64::EPSILON && self.difference <= 0.1) {
            return Err(FitError::Option {
                option: "difference",
                value: self.difference,
                expected: "above 2.3e-16 and at most 0.1, for example 6e-6",
            });
        }
        Ok(())
    }
}

/// What is reported at the start (iteration 0) and after every trial step.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Number of trial steps so far.
    pub iteration: usize,
    /// Number of evaluations of the residual so far.
    pub evaluations: usize,
    /// Cost of the best point so far, half the sum of squares.
    pub cost: f64,
    /// Damping of the next step, relative to the squared column norms of the
    /// Jacobian.
    pub damping: f64,
    /// Whether the last trial step was accepted.
    pub accepted: bool,
    /// The best unknowns so far, in the order in which they were given.
    pub values: &'a [f64],
    pub(crate) stop: Cell<bool>,
}

impl Progress<'_> {
    /// Asks the search to end here; the best point so far is returned with
    /// [`StopReason::Interrupted`](crate::StopReason::Interrupted).
    pub fn stop(&self) {
        self.stop.set(true);
    }
}
