//! The answer of a fit.

pub use gelenk_solve::least_squares::Stop as StopReason;

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
