//! Stribeck friction with the bare sign function.

use gelenk_math::Real;

use super::curve::sign;
use super::stribeck::{PARAMS, sliding, validate};
use crate::contract::{Law, LawError, LawSpec, Modes, Properties};

/// The curve of [`Stribeck`](super::Stribeck) with `sgn(0) = 0` and nothing that holds at rest: what a simulation gets
/// that takes the formula as it stands. It chatters (ruderman 3.1, RU-1); it is here for comparison.
pub struct StribeckRaw;

impl Law for StribeckRaw {
    const SPEC: LawSpec = LawSpec {
        name: "stribeck-raw",
        title: "Stribeck friction with the bare sign",
        equation: "F = sgn(v) (F_C + (F_S - F_C) g(v)) + F_v |v|^delta_v sgn(v), sgn(0) = 0",
        source: "ruderman 3.1 (2.5, 2.6), kubisch 3.2 (2.1)",
        params: PARAMS,
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::CURVE,
    };

    fn states(_: usize) -> usize {
        0
    }

    #[inline]
    fn rate<T: Real>(p: &[T], _: &[T], _: &[f64], v: T, _: &mut [T]) -> T {
        match sign(v) {
            0.0 => T::c(0.0),
            sign => sliding(p, v, sign),
        }
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        Self::rate(p, &[], &[], v, &mut [])
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        validate(&Self::SPEC, p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::Stribeck;

    /// RU-R2: the same curve as the set-valued law, and zero at rest.
    #[test]
    fn curve_of_the_set_valued_law() {
        let p = [1.0, 1.5, 0.1, 0.0, 2.0, 0.4, 2.0];
        for v in [-0.3, -1e-9, 0.0, 0.05, 2.0] {
            assert_eq!(StribeckRaw::steady(&p, v), Stribeck::steady(&p, v));
        }
    }
}
