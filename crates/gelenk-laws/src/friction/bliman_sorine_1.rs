//! First-order Bliman-Sorine friction.

use gelenk_math::{Lockstep, Real};

use super::curve::{relaxed_to, sign};
use crate::contract::{Kind, Law, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// Friction over the path length `s`: `dF/ds = (f_1 sgn(v) - F)/eps` (specker 3.5; Bliman and Sorine 1991). It is
/// Dahl's law with the stiffness `f_1/eps`.
pub struct BlimanSorine1;

impl Law for BlimanSorine1 {
    const SPEC: LawSpec = LawSpec {
        name: "bliman-sorine-1",
        title: "Bliman-Sorine friction of first order",
        equation: "dF/ds = (f_1 sgn(v) - F)/eps,  ds = |v| dt",
        source: "specker 3.5; Bliman and Sorine 1991",
        params: &[
            ParamSpec::positive("coulomb", "f_1", Kind::Effort, "Level in sliding.").typical(&[1.0]),
            ParamSpec::positive(
                "distance",
                "eps",
                Kind::Displacement,
                "Distance over which the level is reached.",
            )
            .typical(&[1e-5]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { rate_independent: true, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let [coulomb, distance] = fixed(p);
        dz[0] = (coulomb * v - z[0] * v.abs()) / distance;
        z[0]
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let [coulomb, distance] = fixed(p);
        z1[0] = relaxed_to(z[0], v, T::of(h) / distance, coulomb);
        z1[0]
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] * p[1] / (T::c(2.0) * p[0])
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[0]);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        sign(v) * p[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::Dahl;

    /// SP-R9: the same as Dahl's law with `d = 1` and `sigma0 = f_1/eps` (specker 3.5).
    #[test]
    fn equals_dahl() {
        let (mut a, mut b) = ([0.0], [0.0]);
        for k in 0..500 {
            let v = (0.05 * f64::from(k)).sin() + 0.3;
            let (old_a, old_b) = (a, b);
            BlimanSorine1::advance(&[1.2, 0.04], &old_a, &[], v, 2e-3, &mut a);
            Dahl::advance(&[1.2, 30.0, 1.0], &old_b, &[], v, 2e-3, &mut b);
            assert!((a[0] - b[0]).abs() < 1e-13);
        }
    }
}
