//! The Brusselator.

use gelenk_math::Real;

use super::Ode;

/// `x' = a + x^2 y - (b + 1) x`, `y' = b x - x^2 y` from `(1.5, 3)`, with `a = 1`, `b = 3`.
#[derive(Clone, Copy, Debug)]
pub struct Brusselator;

impl Brusselator {
    /// `x` and `y` at `t = 20` (Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations I*, II.4; SciPy's DOP853 agrees).
    pub const AT_20: [f64; 2] = [0.498_637_071_268_347_8, 4.596_780_349_452_011];
}

impl Ode for Brusselator {
    const STATES: &'static [&'static str] = &["x", "y"];
    const PARAMETERS: &'static [(&'static str, f64)] = &[("a", 1.0), ("b", 3.0)];

    fn start(&self) -> Vec<f64> {
        vec![1.5, 3.0]
    }

    fn rates<T: Real>(&self, p: &[T], _: T, x: &[T], dx: &mut [T]) {
        let product = x[0] * x[0] * x[1];
        dx[0] = p[0] + product - (p[1] + T::c(1.0)) * x[0];
        dx[1] = p[1] * x[0] - product;
    }
}
