//! The linear model of the residual at a point, and its damped step.

use nalgebra::{DMatrix, DVector};

use crate::jacobian::Jacobian;
use crate::objective::Point;
use crate::unknown::Coordinate;

/// `r(u + delta) ~ r + J delta`, reduced by `J D^-1 = Q R` to a triangle. `D`
/// holds the column scales, which make every search direction comparable
/// whatever its unit.
pub(crate) struct Linearisation {
    /// `R`, in the scaled coordinates `p = D delta`.
    triangle: DMatrix<f64>,
    /// The part of `Q^T r` that steps can reach.
    reached: DVector<f64>,
    /// `R^T Q^T r`, the gradient of the cost in the scaled coordinates.
    gradient: DVector<f64>,
    scales: Vec<f64>,
    /// Column norms of `J`, in the search coordinates.
    norms: Vec<f64>,
    /// Which unknowns a bound holds: the cost falls only outwards.
    held: Vec<bool>,
}

/// A step that respects the bounds.
pub(crate) struct Step {
    pub(crate) u: Vec<f64>,
    /// Decrease of the cost that the linear model promises.
    pub(crate) predicted: f64,
    /// Largest change of a search coordinate relative to its size.
    pub(crate) relative: f64,
}

impl Linearisation {
    /// Linearises at `point`. `scales` are the largest column norms met so far;
    /// they grow here and never fall, as Moré proposed, so that a direction
    /// whose influence fades is not searched ever more wildly.
    pub(crate) fn new(
        jacobian: Jacobian,
        point: &Point,
        coordinates: &[Coordinate],
        scales: &mut [f64],
    ) -> Self {
        let norms: Vec<f64> = jacobian.columns.iter().map(|c| norm(c)).collect();
        for (scale, &norm) in scales.iter_mut().zip(&norms) {
            *scale = scale.max(norm);
        }
        let scales: Vec<f64> = scales.iter().map(|&s| if s > 0.0 { s } else { 1.0 }).collect();
        let rows = point.residual.len();
        let scaled = DMatrix::from_iterator(
            rows,
            jacobian.columns.len(),
            jacobian
                .columns
                .iter()
                .zip(&scales)
                .flat_map(|(column, &scale)| column.iter().map(move |d| d / scale)),
        );
        let qr = scaled.qr();
        let triangle = qr.r();
        let mut reached = DVector::from_column_slice(&point.residual);
        qr.q_tr_mul(&mut reached);
        let reached = reached.rows(0, triangle.nrows()).into_owned();
        let gradient = triangle.tr_mul(&reached);
        let held = coordinates
            .iter()
            .zip(&point.u)
            .zip(gradient.iter())
            .map(|((c, &u), &g)| (u <= c.lower && g > 0.0) || (u >= c.upper && g < 0.0))
            .collect();
        Self { triangle, reached, gradient, scales, norms, held }
    }

    /// Which unknowns a bound holds.
    pub(crate) fn held(&self) -> &[bool] {
        &self.held
    }

    /// `R` with columns of the length one (or zero) over all unknowns, and the
    /// column norms taken out of it.
    pub(crate) fn unit_triangle(&self) -> (DMatrix<f64>, &[f64]) {
        let mut unit = self.triangle.clone();
        for (k, mut column) in unit.column_iter_mut().enumerate() {
            let length = column.norm();
            if length > 0.0 && self.norms.get(k).is_some_and(|n| *n > 0.0) {
                column /= length;
            }
        }
        (unit, &self.norms)
    }

    /// Largest cosine between the residual and a column of a free unknown.
    pub(crate) fn largest_cosine(&self, cost: f64) -> f64 {
        let length = (2.0 * cost).sqrt();
        self.gradient
            .iter()
            .enumerate()
            .filter(|(k, _)| self.held.get(*k) == Some(&false))
            .filter_map(|(k, g)| {
                let norm = *self.norms.get(k)? / self.scales.get(k)?;
                (norm > 0.0).then(|| g.abs() / norm / length)
            })
            .fold(0.0, f64::max)
    }

    /// The step that minimises `|r + J delta|^2 + damping |D delta|^2` within
    /// the bounds, found by fixing the unknowns that would leave them and
    /// solving again for the others. `None` if it is not finite.
    pub(crate) fn step(&self, point: &Point, coordinates: &[Coordinate], damping: f64) -> Option<Step> {
        let n = coordinates.len();
        let mut u = point.u.clone();
        let mut p = DVector::zeros(n);
        // An unknown without influence here stays where it is.
        let mut free: Vec<usize> = (0..n)
            .filter(|&k| self.held.get(k) == Some(&false))
            .filter(|&k| self.norms.get(k).is_some_and(|norm| *norm > 0.0))
            .collect();
        // Every round fixes at least one unknown or is the last.
        while !free.is_empty() {
            let target = -(&self.reached + &self.triangle * &p);
            let solution = self.solve(&free, target, damping)?;
            let before = free.len();
            let mut kept = Vec::with_capacity(before);
            let mut moves = Vec::with_capacity(before);
            for (&k, &scaled) in free.iter().zip(solution.iter()) {
                let (origin, c) = (*point.u.get(k)?, coordinates.get(k)?);
                let scale = *self.scales.get(k)?;
                let end = origin + scaled / scale;
                if end < c.lower || end > c.upper {
                    let bound = end.clamp(c.lower, c.upper);
                    *u.get_mut(k)? = bound;
                    *p.get_mut(k)? = (bound - origin) * scale;
                } else {
                    kept.push(k);
                    moves.push((k, end, scaled));
                }
            }
            if kept.len() == before {
                for (k, end, scaled) in moves {
                    *u.get_mut(k)? = end;
                    *p.get_mut(k)? = scaled;
                }
                break;
            }
            free = kept;
        }
        let predicted = -self.gradient.dot(&p) - 0.5 * (&self.triangle * &p).norm_squared();
        let relative = coordinates
            .iter()
            .zip(u.iter().zip(&point.u))
            .map(|(c, (new, old))| (new - old).abs() / c.size(*old))
            .fold(0.0, f64::max);
        predicted.is_finite().then_some(Step { u, predicted, relative })
    }

    /// Least-squares solution of `[R_free; sqrt(damping) I] p = [target; 0]` by
    /// QR; the normal equations would square the condition number.
    fn solve(&self, free: &[usize], target: DVector<f64>, damping: f64) -> Option<DVector<f64>> {
        let (rows, columns) = (self.triangle.nrows(), free.len());
        let mut system = DMatrix::zeros(rows + columns, columns);
        for (j, &k) in free.iter().enumerate() {
            system.view_mut((0, j), (rows, 1)).copy_from(&self.triangle.column(k));
            *system.get_mut((rows + j, j))? = damping.sqrt();
        }
        let qr = system.qr();
        let mut right = target.resize_vertically(rows + columns, 0.0);
        qr.q_tr_mul(&mut right);
        let right = right.rows(0, columns).into_owned();
        let solution = qr.r().solve_upper_triangular(&right)?;
        solution.iter().all(|p| p.is_finite()).then_some(solution)
    }
}

/// Euclidean norm that neither overflows nor underflows on the way.
fn norm(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * values.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}
