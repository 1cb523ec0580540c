//! Linear viscous friction.

use gelenk_math::Lockstep;

use crate::contract::{Kind, Law, LawSpec, Memory, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// `F = F_v v`: no state, no stiction (kubisch 3.2, eq. 2.2).
pub struct Viscous;

impl Law for Viscous {
    const SPEC: LawSpec = LawSpec {
        name: "viscous",
        title: "Linear viscous friction",
        equation: "F = F_v v",
        source: "kubisch 3.2 (2.2)",
        params: &[ParamSpec::positive("viscous", "F_v", Kind::Damping, "Effort per velocity.")
            .or_zero()
            .typical(&[0.4])],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties {
            bounded: true,
            odd: true,
            rate_independent: false,
            memory: Memory::None,
            drifts: true,
            sticks: false,
            passive: true,
        },
    };

    fn states(_: usize) -> usize {
        0
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], _: &[T], _: &[T::Plain], v: T, _: &mut [T]) -> T {
        let [viscous] = fixed(p);
        viscous * v
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

    /// K-R1: the linear viscous law, closed form; it has no stiction.
    #[test]
    fn force_is_proportional_to_velocity() {
        assert_eq!(Viscous::steady(&[0.2], -3.0), -0.2 * 3.0);
        assert_eq!(Viscous::steady(&[0.2], 0.0), 0.0);
        assert_eq!(Viscous::tangent(&[0.2], &[], &[], 5.0, 1e-3), (1.0, 0.2));
    }
}
