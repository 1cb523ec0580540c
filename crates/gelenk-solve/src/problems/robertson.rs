//! Robertson's chemical kinetics.

use gelenk_math::Real;

use super::Ode;

/// `a -> b` slowly, `2 b -> b + c` very fast, `b + c -> a + c` fast, from `a = 1`: stiff.
#[derive(Clone, Copy, Debug)]
pub struct Robertson;

impl Robertson {
    /// The three shares at `t = 0.4` and at `t = 40` (SciPy 1.17, Radau, rtol 1e-10, atol 1e-14).
    pub const AT_0_4_AND_40: [[f64; 3]; 2] = [
        [9.851_721_14e-1, 3.386_395_38e-5, 1.479_402_22e-2],
        [7.158_270_69e-1, 9.185_534_76e-6, 2.841_637_46e-1],
    ];
}

impl Ode for Robertson {
    const STATES: &'static [&'static str] = &["a", "b", "c"];
    const PARAMETERS: &'static [(&'static str, f64)] = &[("slow", 0.04), ("fast", 1e4), ("very_fast", 3e7)];

    fn start(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0]
    }

    fn rates<T: Real>(&self, p: &[T], _: T, x: &[T], dx: &mut [T]) {
        let (first, second, third) = (p[0] * x[0], p[2] * x[1] * x[1], p[1] * x[1] * x[2]);
        dx[0] = third - first;
        dx[1] = first - third - second;
        dx[2] = second;
    }
}
