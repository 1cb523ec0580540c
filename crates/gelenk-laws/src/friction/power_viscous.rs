//! Viscous friction by a power of the velocity.

use gelenk_math::Lockstep;

use super::curve::signs;
use crate::contract::{Kind, Law, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// `F = F_v |v|^delta_v sgn(v)`, with the velocity in units of 1 m/s or 1 rad/s (kubisch 3.2, eq. 2.3).
pub struct PowerViscous;

/// `F_v |v|^delta sgn(v)`; the first power without evaluating one.
#[inline]
pub(crate) fn power<T: Lockstep>(viscous: T, exponent: T, v: T) -> T {
    let zero = T::of(0.0);
    let other = || T::fork(v.equals(zero), || zero, || viscous * v.abs().powf(exponent) * signs(v));
    T::fork(exponent.is(1.0), || viscous * v, other)
}

/// Exponent of the viscous share of other laws.
pub(crate) const VISCOUS_EXPONENT: ParamSpec = ParamSpec::positive(
    "viscous_exponent",
    "delta_v",
    Kind::Ratio,
    "Power of the velocity in the viscous share, usually between 1 and 2.",
)
.or(1.0);

impl Law for PowerViscous {
    const SPEC: LawSpec = LawSpec {
        name: "power-viscous",
        title: "Viscous friction by a power of the velocity",
        equation: "F = F_v |v|^delta_v sgn(v)",
        source: "kubisch 3.2 (2.3)",
        params: &[
            ParamSpec::positive("viscous", "F_v", Kind::Damping, "Effort at the velocity 1.")
                .or_zero()
                .typical(&[0.4]),
            VISCOUS_EXPONENT.typical(&[1.6]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::CURVE,
    };

    fn states(_: usize) -> usize {
        0
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], _: &[T], _: &[T::Plain], v: T, _: &mut [T]) -> T {
        let [viscous, exponent] = fixed(p);
        power(viscous, exponent, v)
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate_lanes(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        Self::rate(p, &[], &[], v, &mut [])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-R1: closed form with exponent 2, odd; exponent 1 is the linear law.
    #[test]
    fn power_of_the_velocity() {
        assert!((PowerViscous::steady(&[0.2, 2.0], -3.0) + 1.8).abs() < 1e-15);
        assert_eq!(PowerViscous::steady(&[0.2, 1.0], 3.0), 0.2 * 3.0);
        assert_eq!(PowerViscous::tangent(&[0.2, 1.5], &[], &[], 0.0, 1e-3), (0.0, 0.0));
        let (_, slope) = PowerViscous::tangent(&[0.2, 2.0], &[], &[], -3.0, 1e-3);
        assert!((slope - 1.2).abs() < 1e-14);
    }
}
