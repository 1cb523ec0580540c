//! Static friction with parameters of each direction.

use gelenk_math::Lockstep;

use super::curve::{EXPONENT, check_exponent, decay, tanh};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// Coulomb, Stribeck and viscous friction with levels of each direction, and a ramp `tanh(2 v/v_eps)` through rest
/// (kubisch 3.3: the curve need not be even).
pub struct Asymmetric;

/// Parameters of one direction, by its sign: `[coulomb, breakaway, stribeck, viscous]`.
#[inline]
fn side<T: Lockstep>(p: [T; 10], v: T) -> [T; 4] {
    T::either(v.below(T::of(0.0)), || [p[4], p[5], p[6], p[7]], || [p[0], p[1], p[2], p[3]])
}

/// Levels of both directions, and the exponent of their fall.
pub(crate) const SIDES: [ParamSpec; 9] = [
    ParamSpec::positive("coulomb", "F_C+", Kind::Effort, "Level in fast forward sliding.").typical(&[1.0]),
    ParamSpec::positive("breakaway", "F_S+", Kind::Effort, "Level at the start of forward sliding.")
        .typical(&[1.5])
        .at_least("coulomb"),
    ParamSpec::positive("stribeck", "v_S+", Kind::Rate, "Velocity over which the forward level falls.")
        .or(0.01)
        .typical(&[0.01]),
    ParamSpec::positive("viscous", "F_v+", Kind::Damping, "Forward effort per velocity.").or_zero().or(0.0),
    ParamSpec::positive("coulomb_back", "F_C-", Kind::Effort, "Level in fast backward sliding.")
        .typical(&[0.7]),
    ParamSpec::positive("breakaway_back", "F_S-", Kind::Effort, "Level at the start of backward sliding.")
        .typical(&[1.0])
        .at_least("coulomb_back"),
    ParamSpec::positive("stribeck_back", "v_S-", Kind::Rate, "Velocity over which the backward level falls.")
        .or(0.01)
        .typical(&[0.01]),
    ParamSpec::positive("viscous_back", "F_v-", Kind::Damping, "Backward effort per velocity.")
        .or_zero()
        .or(0.0),
    EXPONENT,
];

impl Law for Asymmetric {
    const SPEC: LawSpec = LawSpec {
        name: "asymmetric",
        title: "Direction-dependent static friction",
        equation: "F = (F_C + (F_S - F_C) exp(-|v/v_S|^delta)) tanh(2 v/v_eps) + F_v v, levels of the direction of v",
        source: "kubisch 3.3 (after 2.9)",
        params: &[
            SIDES[0],
            SIDES[1],
            SIDES[2],
            SIDES[3],
            SIDES[4],
            SIDES[5],
            SIDES[6],
            SIDES[7],
            SIDES[8],
            ParamSpec::positive("band", "v_eps", Kind::Rate, "Velocity of the ramp through rest.").or(1e-3),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { odd: false, ..Properties::CURVE },
    };

    fn states(_: usize) -> usize {
        0
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], _: &[T], _: &[T::Plain], v: T, _: &mut [T]) -> T {
        let p: [T; 10] = fixed(p);
        let [coulomb, breakaway, stribeck, viscous] = side(p, v);
        let level = coulomb + (breakaway - coulomb) * decay(v, stribeck, p[8]);
        level * tanh(v * T::of(2.0) / p[9]) + viscous * v
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate_lanes(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        Self::rate(p, &[], &[], v, &mut [])
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check_exponent(&Self::SPEC, p[8], 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-R3: each direction follows its own curve (closed form).
    #[test]
    fn levels_of_both_directions() {
        let p = [1.0, 1.5, 0.1, 0.2, 0.7, 0.9, 0.2, 0.1, 2.0, 1e-4];
        let e = (-1.0f64).exp();
        assert!((Asymmetric::steady(&p, 0.1) - (1.0 + 0.5 * e + 0.02)).abs() < 1e-12);
        assert!((Asymmetric::steady(&p, -0.2) + (0.7 + 0.2 * e + 0.02)).abs() < 1e-12);
        let below = [1.0, 1.5, 0.1, 0.2, 0.7, 0.6, 0.2, 0.1, 2.0, 1e-4];
        assert!(crate::Friction::Asymmetric.validate(&below, 0).is_err());
    }
}
