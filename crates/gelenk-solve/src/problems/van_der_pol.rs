//! Van der Pol's oscillator.

use gelenk_math::Real;

use super::Ode;

/// `x'' = mu (1 - x^2) x' - x` from `(2, 0)`, with `mu = 1`.
#[derive(Clone, Copy, Debug)]
pub struct VanDerPol;

impl VanDerPol {
    /// `x` and `x'` at `t = 10` (SciPy 1.17, DOP853, rtol 1e-13, atol 1e-14).
    pub const AT_10: [f64; 2] = [-2.008_340_782_579_707, 0.032_907_065_863_313_9];
}

impl Ode for VanDerPol {
    const STATES: &'static [&'static str] = &["x", "x.rate"];
    const PARAMETERS: &'static [(&'static str, f64)] = &[("mu", 1.0)];

    fn start(&self) -> Vec<f64> {
        vec![2.0, 0.0]
    }

    fn rates<T: Real>(&self, p: &[T], _: T, x: &[T], dx: &mut [T]) {
        dx[0] = x[1];
        dx[1] = p[0] * (T::c(1.0) - x[0] * x[0]) * x[1] - x[0];
    }
}
