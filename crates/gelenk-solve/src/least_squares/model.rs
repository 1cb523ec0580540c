//! The linear model of the residuals at a point, and its damped step.

use nalgebra::DMatrix;

use super::rows::{Rows, Triangle};

/// `r(delta) ~ r + J delta`, reduced by `J D^-1 = Q R` to a triangle. `D` holds the column scales.
#[derive(Clone, Debug)]
pub struct LinearModel {
    /// `R`, in the scaled components `p = D delta`, with the part of `Q^T r` that steps can reach.
    triangle: Triangle,
    work: Triangle,
    /// `R^T Q^T r`, the gradient of the cost in the scaled components.
    gradient: Vec<f64>,
    scales: Vec<f64>,
    norms: Vec<f64>,
    held: Vec<bool>,
    /// How far every component may go down and up.
    room: Vec<[f64; 2]>,
}

/// A step within the room.
pub(super) struct Step {
    pub(super) delta: Vec<f64>,
    /// Decrease of the cost that the linear model promises.
    pub(super) predicted: f64,
}

impl LinearModel {
    pub(super) fn new(
        rows: &Rows,
        r: &[f64],
        scales: Vec<f64>,
        norms: Vec<f64>,
        room: Vec<[f64; 2]>,
    ) -> Self {
        let triangle = Triangle::of(rows, r, &scales);
        let gradient = triangle.transposed_times(&triangle.right);
        let outwards =
            |(&[lower, upper], &g): (&[f64; 2], &f64)| lower >= 0.0 && g > 0.0 || upper <= 0.0 && g < 0.0;
        let held = room.iter().zip(&gradient).map(outwards).collect();
        Self { work: Triangle::new(rows.shape()), triangle, gradient, scales, norms, held, room }
    }

    /// Which components a bound holds: the cost falls only outwards.
    pub fn held(&self) -> &[bool] {
        &self.held
    }

    /// Column norms of the Jacobian.
    pub fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// `R` with columns of length one (or zero).
    pub fn unit_triangle(&self) -> DMatrix<f64> {
        let mut unit = self.triangle.dense();
        for (mut column, norm) in unit.column_iter_mut().zip(&self.norms) {
            let length = column.norm();
            if length > 0.0 && *norm > 0.0 {
                column /= length;
            }
        }
        unit
    }

    /// Largest cosine between residuals of squared norm `squares` and a column of a free component.
    pub(super) fn largest_cosine(&self, squares: f64) -> f64 {
        let length = squares.sqrt();
        let free = (0..self.held.len()).filter(|&k| !self.held[k] && self.norms[k] > 0.0);
        free.map(|k| self.gradient[k].abs() / (self.norms[k] / self.scales[k]) / length).fold(0.0, f64::max)
    }

    /// The step that minimises `|r + J delta|^2 + damping |D delta|^2` within the room, found by fixing the components that would
    /// leave it and solving again for the others. `None` if it is not finite.
    pub(super) fn step(&mut self, damping: f64) -> Option<Step> {
        let n = self.held.len();
        let (mut delta, mut p) = (vec![0.0; n], vec![0.0; n]);
        // A component without influence here stays where it is.
        let mut free: Vec<bool> = (0..n).map(|k| !self.held[k] && self.norms[k] > 0.0).collect();
        // Every round fixes at least one component or is the last.
        while free.contains(&true) {
            let there = self.triangle.times(&p);
            let target: Vec<f64> = there.iter().zip(&self.triangle.right).map(|(a, b)| -(a + b)).collect();
            let solution = self.triangle.solve(&free, &target, damping, &mut self.work)?;
            let mut fixed = false;
            for k in (0..n).filter(|&k| free[k]).collect::<Vec<_>>() {
                let end = solution[k] / self.scales[k];
                let [lower, upper] = self.room[k];
                if end < lower || end > upper {
                    delta[k] = end.clamp(lower.min(0.0), upper.max(0.0));
                    p[k] = delta[k] * self.scales[k];
                    free[k] = false;
                    fixed = true;
                }
            }
            if !fixed {
                for k in (0..n).filter(|&k| free[k]) {
                    delta[k] = solution[k] / self.scales[k];
                    p[k] = solution[k];
                }
                break;
            }
        }
        let along: f64 = self.gradient.iter().zip(&p).map(|(g, p)| g * p).sum();
        let curved: f64 = self.triangle.times(&p).iter().map(|x| x * x).sum();
        let predicted = -along - 0.5 * curved;
        predicted.is_finite().then_some(Step { delta, predicted })
    }
}
