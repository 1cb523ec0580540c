//! Second-order Bliman-Sorine friction.

use gelenk_math::Lockstep;

use super::curve::{sign, signs};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// Two first-order parts over the path length `s`, one fast and one slow, whose difference has a peak at break-away
/// (specker 3.5; Bliman and Sorine 1995):
///
/// ```text
/// dx_1/ds = ( f_1 sgn(v) - x_1)/(eta eps)
/// dx_2/ds = (-f_2 sgn(v) - x_2)/eps,      F = x_1 + x_2
/// ```
pub struct BlimanSorine2;

impl Law for BlimanSorine2 {
    const SPEC: LawSpec = LawSpec {
        name: "bliman-sorine-2",
        title: "Bliman-Sorine friction of second order",
        equation: "dx_1/ds = (f_1 sgn(v) - x_1)/(eta eps),  dx_2/ds = (-f_2 sgn(v) - x_2)/eps,  F = x_1 + x_2",
        source: "specker 3.5; Bliman and Sorine 1995",
        params: &[
            ParamSpec::positive("rise", "f_1", Kind::Effort, "Level of the fast part.").typical(&[1.8]),
            ParamSpec::positive("drop", "f_2", Kind::Effort, "Level of the slow part, which is subtracted.")
                .typical(&[0.8]),
            ParamSpec::positive("distance", "eps", Kind::Displacement, "Distance of the slow part.")
                .typical(&[2.5e-5]),
            ParamSpec::positive(
                "ratio",
                "eta",
                Kind::Ratio,
                "Distance of the fast part over that of the slow one.",
            )
            .or(0.2),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { rate_independent: true, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        2
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let [rise, drop, distance, ratio] = fixed(p);
        dz[0] = (rise * v - z[0] * v.abs()) / (ratio * distance);
        dz[1] = (-drop * v - z[1] * v.abs()) / distance;
        z[0] + z[1]
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let [rise, drop, distance, ratio] = fixed(p);
        let s = signs(v);
        let slow = v * T::of(h) / distance;
        let fast = slow / ratio;
        (z1[0], z1[1]) = T::either(
            s.equals(T::of(0.0)),
            || (z[0] + rise * fast, z[1] - drop * slow),
            || {
                (
                    z[0] + (rise * s - z[0]) * fast.abs().decayed(),
                    z[1] - (drop * s + z[1]) * slow.abs().decayed(),
                )
            },
        );
        z1[0] + z1[1]
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale[0] = p[0];
        scale[1] = p[1];
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        sign(v) * (p[0] - p[1])
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        let refuse = |param, reason| Err(LawError { law: Self::SPEC.name, param, reason });
        if p[1] >= p[0] {
            return refuse(
                1,
                format!("drop = {} leaves no friction in sliding; give less than rise = {}", p[1], p[0]),
            );
        }
        if p[3] >= 1.0 {
            return refuse(3, format!("ratio = {} makes the fast part the slow one; give less than 1", p[3]));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP-R9: from rest `F = f_1 (1 - exp(-s/(eta eps))) - f_2 (1 - exp(-s/eps))`, with its peak where the slopes are
    /// equal, `s = eta eps/(1 - eta) ln(f_1/(eta f_2))`, and the end `f_1 - f_2` (closed forms).
    #[test]
    fn breakaway_peak_in_closed_form() {
        let p = [1.8, 0.8, 0.05, 0.2];
        let force = |s: f64| 1.8 * (1.0 - (-s / 0.01).exp()) - 0.8 * (1.0 - (-s / 0.05).exp());
        let top = 0.01 / 0.8 * (1.8f64 / 0.16).ln();
        let at = |s: f64| BlimanSorine2::advance(&p, &[0.0; 2], &[], 1.0, s, &mut [0.0; 2]);
        for s in [0.001, 0.5 * top, top, 3.0 * top] {
            assert!((at(s) - force(s)).abs() < 1e-14);
        }
        assert!(at(top) > at(0.98 * top) && at(top) > at(1.02 * top) && at(top) > 1.3);
        assert!((at(10.0) - 1.0).abs() < 1e-12);
    }
}
