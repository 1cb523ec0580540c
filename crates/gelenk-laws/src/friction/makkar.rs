//! The smooth static law of Makkar.

use gelenk_math::Lockstep;

use super::curve::tanh;
use crate::contract::{Kind, Law, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// `F = g1 (tanh(g2 v) - tanh(g3 v)) + g4 tanh(g5 v) + g6 v`: Stribeck, Coulomb and viscous friction in one smooth
/// curve (specker 3.1; Makkar et al. 2005).
pub struct Makkar;

impl Law for Makkar {
    const SPEC: LawSpec = LawSpec {
        name: "makkar",
        title: "Makkar friction",
        equation: "F = g1 (tanh(g2 v) - tanh(g3 v)) + g4 tanh(g5 v) + g6 v",
        source: "specker 3.1; Makkar et al. 2005",
        params: &[
            ParamSpec::positive(
                "peak",
                "g1",
                Kind::Effort,
                "Height of the Stribeck peak over the Coulomb level.",
            )
            .or_zero()
            .typical(&[0.5]),
            ParamSpec::positive("rise", "g2", Kind::PerRate, "Steepness with which the peak rises.")
                .typical(&[2e4]),
            ParamSpec::positive("fall", "g3", Kind::PerRate, "Steepness with which the peak falls.")
                .typical(&[500.0]),
            ParamSpec::positive("coulomb", "g4", Kind::Effort, "Level in fast sliding.")
                .or_zero()
                .typical(&[1.0]),
            ParamSpec::positive("steepness", "g5", Kind::PerRate, "Steepness of the Coulomb part.")
                .typical(&[2e4]),
            ParamSpec::positive("viscous", "g6", Kind::Damping, "Effort per velocity.").or_zero().or(0.0),
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
        let [peak, rise, fall, coulomb, steepness, viscous] = fixed(p);
        peak * (tanh(rise * v) - tanh(fall * v)) + coulomb * tanh(steepness * v) + viscous * v
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate_lanes(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        Self::rate(p, &[], &[], v, &mut [])
    }

    fn validate(p: &[f64]) -> Result<(), crate::LawError> {
        let [_, rise, fall, ..]: [f64; 6] = fixed(p);
        if fall > rise {
            let reason =
                format!("fall = {fall} above rise = {rise} turns the peak into a dip; give fall <= {rise}");
            return Err(crate::LawError { law: Self::SPEC.name, param: 2, reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP-R9: slope at rest `g1 (g2 - g3) + g4 g5 + g6` and the line of fast sliding `g4 + g6 v` (closed forms).
    #[test]
    fn slope_and_asymptote() {
        let p = [0.5, 100.0, 10.0, 1.0, 50.0, 0.4];
        let (_, slope) = Makkar::tangent(&p, &[], &[], 0.0, 1e-3);
        assert!((slope - (0.5 * 90.0 + 50.0 + 0.4)).abs() < 1e-12);
        assert!((Makkar::steady(&p, -20.0) + 1.0 + 8.0).abs() < 1e-12);
        assert!(Makkar::validate(&[0.5, 10.0, 100.0, 1.0, 50.0, 0.4]).is_err());
    }
}
