//! Uncertainties of a fit from the linear model at its solution.

use gelenk_solve::least_squares::Found;
use nalgebra::DMatrix;

use crate::objective::Point;
use crate::unknown::Coordinate;

/// Share of a direction without influence above which an unknown counts as
/// part of it; rounding leaves shares of about 1e-16.
const SHARE: f64 = 1e-8;

/// What the linear model says about the unknowns.
pub(crate) struct Statistics {
    pub(crate) standard_errors: Vec<Option<f64>>,
    pub(crate) correlation: Vec<Option<f64>>,
    pub(crate) rank: usize,
    pub(crate) unidentifiable: Vec<bool>,
}

impl Statistics {
    /// Evaluates the linear model at the end of a search. `difference` is the relative
    /// step of the finite difference, which limits how well a rank is known.
    pub(crate) fn new(found: &Found<Point>, coordinates: &[Coordinate], difference: f64) -> Self {
        let Found { model: linear, point, residuals, costs: [_, cost], .. } = found;
        let n = coordinates.len();
        let (unit, norms) = (linear.unit_triangle(), linear.norms());
        // Truncation and rounding error of a central difference.
        let tolerance = 10.0 * (difference.powi(2) + f64::EPSILON / difference);

        let all: Vec<usize> = (0..n).collect();
        let whole = Directions::of(&unit, &all, tolerance);
        let free: Vec<usize> = (0..n).filter(|&k| linear.held().get(k) == Some(&false)).collect();
        let directions = Directions::of(&unit, &free, tolerance);

        let m = residuals.len();
        let freedom = m.saturating_sub(free.len());
        let variance = (freedom > 0).then(|| 2.0 * cost / (m - directions.rank().min(m - 1)) as f64);

        let mut standard_errors = vec![None; n];
        let mut correlation = vec![None; n * n];
        let known = |i: usize| directions.null_share(i) <= SHARE;
        for (i, &row) in free.iter().enumerate() {
            if !known(i) {
                continue;
            }
            let own = directions.covariance(i, i);
            if let (Some(variance), Some(c), Some(value), Some(norm)) =
                (variance, coordinates.get(row), point.values.get(row), norms.get(row))
            {
                let error = (variance * own).sqrt() / norm * c.slope(*value);
                standard_errors[row] = error.is_finite().then_some(error);
            }
            for (j, &column) in free.iter().enumerate() {
                if known(j) {
                    let other = directions.covariance(j, j);
                    let r = directions.covariance(i, j) / (own.sqrt() * other.sqrt());
                    let r = if i == j { 1.0 } else { r.clamp(-1.0, 1.0) };
                    correlation[row * n + column] = r.is_finite().then_some(r);
                }
            }
        }
        Self {
            standard_errors,
            correlation,
            rank: whole.rank(),
            unidentifiable: all.iter().map(|&k| whole.null_share(k) > SHARE).collect(),
        }
    }
}

/// Right singular directions of a matrix, split by influence.
struct Directions {
    /// Directions as columns.
    v: DMatrix<f64>,
    /// Singular values, `None` for a direction without influence.
    sizes: Vec<Option<f64>>,
}

impl Directions {
    /// Directions of the given columns of `matrix` by one-sided Jacobi
    /// rotations, which find small singular values to full relative accuracy.
    fn of(matrix: &DMatrix<f64>, columns: &[usize], tolerance: f64) -> Self {
        let n = columns.len();
        let mut a = matrix.select_columns(columns);
        let mut v = DMatrix::<f64>::identity(n, n);
        // Convergence is quadratic; a dozen sweeps are already unusual.
        for _ in 0..60 {
            let mut rotated = false;
            for i in 0..n {
                for j in i + 1..n {
                    let alpha = a.column(i).norm_squared();
                    let beta = a.column(j).norm_squared();
                    let gamma = a.column(i).dot(&a.column(j));
                    if gamma == 0.0 || gamma.abs() <= f64::EPSILON * (alpha * beta).sqrt() {
                        continue;
                    }
                    rotated = true;
                    let zeta = (beta - alpha) / (2.0 * gamma);
                    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    let c = 1.0 / t.hypot(1.0);
                    rotate(&mut a, i, j, c, c * t);
                    rotate(&mut v, i, j, c, c * t);
                }
            }
            if !rotated {
                break;
            }
        }
        let sizes: Vec<f64> = a.column_iter().map(|c| c.norm()).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let sizes = sizes.into_iter().map(|s| (s > tolerance * largest).then_some(s)).collect();
        Self { v, sizes }
    }

    fn rank(&self) -> usize {
        self.sizes.iter().flatten().count()
    }

    /// Share (0 to 1) of unknown `k` in the directions without influence.
    fn null_share(&self, k: usize) -> f64 {
        self.sizes
            .iter()
            .enumerate()
            .filter(|(_, size)| size.is_none())
            .map(|(d, _)| self.v[(k, d)].powi(2))
            .sum()
    }

    /// Entry of `(A^T A)^-1` over the directions with influence.
    fn covariance(&self, i: usize, j: usize) -> f64 {
        self.sizes
            .iter()
            .enumerate()
            .filter_map(|(d, size)| size.map(|s| (self.v[(i, d)] / s) * (self.v[(j, d)] / s)))
            .sum()
    }
}

/// Rotates two columns by the angle with cosine `c` and sine `s`.
fn rotate(matrix: &mut DMatrix<f64>, i: usize, j: usize, c: f64, s: f64) {
    for row in 0..matrix.nrows() {
        let (x, y) = (matrix[(row, i)], matrix[(row, j)]);
        matrix[(row, i)] = c * x - s * y;
        matrix[(row, j)] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_a_known_matrix() {
        // Singular values of [[3, 0], [4, 5]] are sqrt(45) and sqrt(5), and
        // (A^T A)^-1 = [[25, -20], [-20, 25]] / 225 (by hand).
        let a = DMatrix::from_row_slice(2, 2, &[3.0, 0.0, 4.0, 5.0]);
        let directions = Directions::of(&a, &[0, 1], 1e-12);
        let mut sizes: Vec<f64> = directions.sizes.iter().flatten().copied().collect();
        sizes.sort_by(f64::total_cmp);
        assert!((sizes[0] - 5f64.sqrt()).abs() < 1e-14);
        assert!((sizes[1] - 45f64.sqrt()).abs() < 1e-14);
        assert!((directions.covariance(0, 0) - 25.0 / 225.0).abs() < 1e-15);
        assert!((directions.covariance(0, 1) + 20.0 / 225.0).abs() < 1e-15);
    }

    #[test]
    fn a_direction_without_influence_is_found() {
        // The first two columns are equal, the third is independent.
        let a = DMatrix::from_row_slice(3, 3, &[0.6, 0.6, 0.0, 0.8, 0.8, 0.0, 0.0, 0.0, 1.0]);
        let directions = Directions::of(&a, &[0, 1, 2], 1e-9);
        assert_eq!(directions.rank(), 2);
        assert!((directions.null_share(0) - 0.5).abs() < 1e-12);
        assert!((directions.null_share(1) - 0.5).abs() < 1e-12);
        assert!(directions.null_share(2) < 1e-12);
    }
}
