//! The answer of a fit.

use std::fmt;

/// Why the search ended. `e` is [`FitOptions::tolerance`](crate::FitOptions).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The residual is at a right angle to what every free unknown can change:
    /// `|J_k . r| <= e |J_k| |r|` for every unknown that no bound holds.
    Gradient,
    /// The next step changes no unknown by more than `e` of its size.
    Step,
    /// The next step promises a decrease of the cost by less than `e^2` of it,
    /// which rounding hides.
    Reduction,
    /// The norm of the residual has fallen to `e^2` of its start, or to zero.
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

impl StopReason {
    /// Whether the values are a (local) minimum to the tolerance.
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

impl fmt::Display for StopReason {
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

/// The result of [`least_squares`](crate::least_squares()). Vectors are in the
/// order of the unknowns.
///
/// Uncertainties are those of the linearised problem at the solution, with the
/// variance of the residual estimated from the fit: the covariance is
/// `2 cost / (m - rank) (J^T J)^-1` with `m` residual components, `J` and its
/// rank taken over the unknowns that no bound holds. They say nothing about
/// other minima.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Names of the unknowns.
    pub names: Vec<String>,
    /// The best values found.
    pub values: Vec<f64>,
    /// Cost at the start, half the sum of squares.
    pub start_cost: f64,
    /// Cost at [`values`](Self::values).
    pub cost: f64,
    /// Number of trial steps, accepted or not.
    pub iterations: usize,
    /// Number of evaluations of the residual, those of the Jacobian included.
    pub evaluations: usize,
    /// Standard errors in the unknowns' own units, also for those on a log
    /// scale. `None` for an unknown that is held by a bound or cannot be
    /// identified, and for all if there are not more residual components than
    /// unknowns.
    pub standard_errors: Vec<Option<f64>>,
    /// Correlation of the estimates, row by row, in the search coordinates.
    /// `None` where one of the two is held by a bound or cannot be identified.
    pub correlation: Vec<Option<f64>>,
    /// Rank of the Jacobian at the solution, at most the number of unknowns.
    pub rank: usize,
    /// Names of the unknowns that the residual does not determine: changed
    /// alone, or together in some combination, they leave it as it is. Their
    /// values are near where they started and mean nothing by themselves.
    pub unidentifiable: Vec<String>,
    /// Why the search ended.
    pub stop: StopReason,
    /// Whether the value lies on one of its bounds.
    pub at_bound: Vec<bool>,
}

impl Fit {
    /// Correlation of the estimates of two unknowns by position; `None` where
    /// it is not defined or a position is out of range.
    pub fn correlation_of(&self, row: usize, column: usize) -> Option<f64> {
        let n = self.values.len();
        if row >= n || column >= n {
            return None;
        }
        self.correlation.get(row * n + column).copied().flatten()
    }
}
