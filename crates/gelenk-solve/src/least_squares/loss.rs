//! How much a residual costs.

use super::rows::Rows;

/// Share of the slope that the curvature of a residual keeps at least: without one an outlier would have no weight in the model,
/// and all of it in the norm that tells when nothing is left to gain.
const LEAST_CURVATURE: f64 = 0.1;

/// The cost `1/2 s^2 rho((r/s)^2)` of a residual `r`; `s` is the size from which on a residual counts as an outlier, in the unit
/// of the residuals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Loss {
    /// `rho(z) = z`: least squares.
    #[default]
    Squares,
    /// `rho(z) = z` up to one, `2 sqrt(z) - 1` beyond (Huber 1964, doi:10.1214/aoms/1177703732): large residuals count by their
    /// size, not by its square.
    Huber(
        /// `s`.
        f64,
    ),
    /// `rho(z) = ln(1 + z)`: large residuals hardly count. There can be several minima.
    Cauchy(
        /// `s`.
        f64,
    ),
}

impl Loss {
    /// `s`, where there is one.
    pub fn size(self) -> Option<f64> {
        match self {
            Self::Squares => None,
            Self::Huber(size) | Self::Cauchy(size) => Some(size),
        }
    }

    /// `rho` and its first two derivatives at `z`.
    fn rho(self, z: f64) -> [f64; 3] {
        match self {
            Self::Squares => [z, 1.0, 0.0],
            Self::Huber(_) if z <= 1.0 => [z, 1.0, 0.0],
            Self::Huber(_) => [2.0 * z.sqrt() - 1.0, z.powf(-0.5), -0.5 * z.powf(-1.5)],
            Self::Cauchy(_) => [z.ln_1p(), 1.0 / (1.0 + z), -1.0 / (1.0 + z).powi(2)],
        }
    }

    /// The cost of all residuals.
    pub(super) fn cost(self, r: &[f64]) -> f64 {
        let size = self.size().unwrap_or(1.0);
        0.5 * r.iter().map(|r| size * size * self.rho((r / size).powi(2))[0]).sum::<f64>()
    }

    /// Scales residuals and their derivatives so that the plain squares have the gradient of the cost and, as far as that is
    /// clearly positive, its curvature (Triggs et al. 2000, doi:10.1007/3-540-44480-7_21).
    pub(super) fn apply(self, r: &mut [f64], rows: &mut Rows) {
        let Some(size) = self.size() else { return };
        for (row, r) in r.iter_mut().enumerate() {
            let z = (*r / size).powi(2);
            let [_, slope, bend] = self.rho(z);
            let curvature = (slope + 2.0 * bend * z).max(LEAST_CURVATURE * slope).sqrt();
            rows.scale(row, curvature);
            *r *= slope / curvature;
        }
    }
}
