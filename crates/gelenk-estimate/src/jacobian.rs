//! The Jacobian by finite differences within the bounds.

use gelenk_solve::least_squares::Failure;
use rayon::prelude::*;

use crate::FitError;
use crate::objective::{Objective, Point};

/// A slope up to this keeps its square, and any sum of such squares, finite.
const LARGEST_SLOPE: f64 = 1e140;

/// Columns `dr/du_k` of the Jacobian and what they took.
pub(crate) struct Jacobian {
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) evaluations: usize,
}

/// A column that could not be computed.
pub(crate) struct ColumnFailure {
    /// Position of the unknown that was varied.
    pub(crate) unknown: usize,
    pub(crate) failure: Failure<FitError>,
    /// Evaluations made for the whole Jacobian.
    pub(crate) evaluations: usize,
}

/// Differences the residual at `point` with the relative step `difference`.
///
/// Columns are computed in parallel and put together in their order; no sum
/// crosses columns, so the result is the same for any number of threads.
pub(crate) fn jacobian(
    objective: &Objective<'_>,
    point: &Point,
    residual: &[f64],
    difference: f64,
) -> Result<Jacobian, ColumnFailure> {
    let results: Vec<_> = (0..point.u.len())
        .into_par_iter()
        .map(|k| column(objective, point, residual, k, difference))
        .collect();
    let evaluations = results.iter().map(|(_, evaluations)| evaluations).sum();
    let mut columns = Vec::with_capacity(results.len());
    for (unknown, (column, _)) in results.into_iter().enumerate() {
        columns.push(column.map_err(|failure| ColumnFailure { unknown, failure, evaluations })?);
    }
    Ok(Jacobian { columns, evaluations })
}

/// One column, with the number of evaluations it took.
///
/// Three formulas of second order are tried in turn: central, then one-sided
/// (`-3 r(u) + 4 r(u + h) - r(u + 2h)`) upwards and downwards, for a bound or a
/// point that fails on one side.
fn column(
    objective: &Objective<'_>,
    point: &Point,
    residual: &[f64],
    k: usize,
    difference: f64,
) -> (Result<Vec<f64>, Failure<FitError>>, usize) {
    let (Some(&u), Some(coordinate)) = (point.u.get(k), objective.coordinates.get(k)) else {
        return (Ok(vec![0.0; residual.len()]), 0);
    };
    // A quarter of the range leaves room for one of the one-sided formulas.
    let step = (difference * coordinate.size(u)).min(0.25 * (coordinate.upper - coordinate.lower));
    let mut evaluations = 0;
    let mut last = None;
    for (near, far) in [(-step, step), (step, 2.0 * step), (-step, -2.0 * step)] {
        let ends = [u + near, u + far];
        if ends.iter().any(|&end| end < coordinate.lower || end > coordinate.upper) {
            continue;
        }
        // The steps that rounding left, so that the division is exact.
        let steps = [ends[0] - u, ends[1] - u];
        if steps[0] == 0.0 || steps[1] == 0.0 || steps[0] == steps[1] {
            continue;
        }
        let mut residuals = Vec::with_capacity(2);
        for end in ends {
            let mut moved = point.u.clone();
            if let Some(entry) = moved.get_mut(k) {
                *entry = end;
            }
            evaluations += 1;
            match objective.point(moved).and_then(|point| objective.residual_at(&point)) {
                Ok(residual) => residuals.push(residual),
                Err(Failure::Point(message)) => {
                    last = Some(Failure::Point(message));
                    break;
                }
                Err(problem) => return (Err(problem), evaluations),
            }
        }
        let [near, far] = residuals.as_slice() else {
            continue;
        };
        let column = slope(residual, near, far, steps);
        if column.iter().all(|d| d.abs() < LARGEST_SLOPE) {
            return (Ok(column), evaluations);
        }
        last = Some(Failure::Point("the derivative of the residual is not finite".to_owned()));
    }
    match last {
        Some(failure) => (Err(failure), evaluations),
        // A range too narrow to move in: the unknown is constant.
        None => (Ok(vec![0.0; residual.len()]), evaluations),
    }
}

/// Derivative at zero of the parabola through the residuals at 0 and at the two
/// steps `a` and `b`: `(r_a - r_0) b / (a (b - a)) - (r_b - r_0) a / (b (b - a))`.
fn slope(origin: &[f64], near: &[f64], far: &[f64], [a, b]: [f64; 2]) -> Vec<f64> {
    // Quotients first: products of small steps could underflow.
    let (weight_near, weight_far) = ((b / (b - a)) / a, (a / (b - a)) / b);
    origin
        .iter()
        .zip(near.iter().zip(far))
        .map(|(r, (near, far))| (near - r) * weight_near - (far - r) * weight_far)
        .collect()
}
