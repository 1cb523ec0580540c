//! Set-valued Stribeck friction with a choice of decays.

use gelenk_math::Real;

use super::curve::{BREAKAWAY, COULOMB, EXPONENT, STRIBECK, VISCOUS, check_exponent, decay, larger, sign};
use super::power_viscous::{VISCOUS_EXPONENT, power};
use crate::contract::{Law, LawError, LawSpec, Modes, ParamSpec, Properties, Stance, Sticking, fixed};

/// `F = sgn(v) (F_C + (F_S - F_C) g(v)) + F_v |v|^delta_v sgn(v)`, held at rest up to its level there.
///
/// | decay | `g(v)` |
/// |---|---|
/// | `bo-pavelescu` | `exp(-abs(v/v_S)^delta)` |
/// | `gauss` | `exp(-(v/v_S)^2)` |
/// | `tustin` | `exp(-abs(v)/v_S)` |
/// | `hess-soom` | `1/(1 + (v/v_S)^2)` |
/// | `popp-stelter` | `1/(1 + abs(v)/v_S)` |
///
/// Sources: specker 3.1, ruderman 3.1 (2.5, 2.6), kubisch 3.2. With a negative exponent the level rises from `F_C` at
/// rest to `F_S` in fast sliding, as all identified sets of ruderman do.
pub struct Stribeck;

/// Names of the decays, in the order of their places.
pub(crate) const DECAYS: &[&str] = &["bo-pavelescu", "gauss", "tustin", "hess-soom", "popp-stelter"];

/// The share `g(v)` of the level at rest that is left at velocity `v`.
#[inline]
pub(crate) fn share<T: Real>(law: T, v: T, width: T, exponent: T) -> T {
    let one = T::c(1.0);
    match law.re() as usize {
        1 => decay(v, width, T::c(2.0)),
        2 => decay(v, width, one),
        3 => one / (one + (v / width) * (v / width)),
        4 => one / (one + (v / width).abs()),
        _ => decay(v, width, exponent),
    }
}

/// Resistance of sliding in the direction `sign`, continued to rest.
#[inline]
pub(crate) fn sliding<T: Real>(p: &[T], v: T, sign: f64) -> T {
    let [coulomb, breakaway, stribeck, law, exponent, viscous, viscous_exponent] = fixed(p);
    let fast = coulomb * T::c(sign) + power(viscous, viscous_exponent, v);
    fast + (breakaway - coulomb) * T::c(sign) * share(law, v, stribeck, exponent)
}

/// Parameters of this law and of its raw form.
pub(crate) const PARAMS: &[ParamSpec] = &[
    COULOMB,
    BREAKAWAY,
    STRIBECK,
    ParamSpec::choice("decay", "g", DECAYS, "How the level falls with the velocity."),
    EXPONENT,
    VISCOUS,
    VISCOUS_EXPONENT,
];

/// Checks that this law and its raw form share.
pub(crate) fn validate(spec: &'static LawSpec, p: &[f64]) -> Result<(), LawError> {
    let [_, _, _, _, exponent, ..]: [f64; 7] = fixed(p);
    check_exponent(spec, exponent, 4)
}

impl Law for Stribeck {
    const SPEC: LawSpec = LawSpec {
        name: "stribeck",
        title: "Set-valued Stribeck friction",
        equation: "F = sgn(v) (F_C + (F_S - F_C) g(v)) + F_v |v|^delta_v sgn(v); at rest |F| <= F_S",
        source: "specker 3.1 (2.7, 2.8, 2.15), ruderman 3.1 (2.5, 2.6), kubisch 3.2 (2.4)",
        params: PARAMS,
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::SET_VALUED,
    };

    fn states(_: usize) -> usize {
        0
    }

    fn memory(_: usize) -> usize {
        1
    }

    fn switches(_: usize) -> usize {
        2
    }

    #[inline]
    fn rate<T: Real>(p: &[T], _: &[T], m: &[f64], v: T, _: &mut [T]) -> T {
        Stance::direction(m).map_or(T::c(0.0), |sign| sliding(p, v, sign))
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate(p, z, m, v, z1)
    }

    fn commit(_: &[f64], _: &[f64], v: f64, m: &mut [f64]) {
        m.fill(Stance::at(v, 0.0).memory());
    }

    #[inline]
    fn sticking<T: Real>(p: &[T]) -> Option<Sticking<T>> {
        let [coulomb, breakaway, _, law, exponent, ..]: [T; 7] = fixed(p);
        let rising = law.re() == 0.0 && exponent.re() < 0.0;
        Some(Sticking {
            breakaway: if rising { coulomb } else { larger(coulomb, breakaway) },
            band: T::c(0.0),
        })
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        if v == 0.0 { 0.0 } else { sliding(p, v, sign(v)) }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        validate(&Self::SPEC, p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(decay: f64, exponent: f64) -> [f64; 7] {
        [1.0, 1.5, 0.1, decay, exponent, 0.4, 1.0]
    }

    /// SP-R1: the five decays at one Stribeck velocity, in closed form (specker 3.1).
    #[test]
    fn five_decays() {
        let e = (-1.0f64).exp();
        for (decay, left) in [(0.0, e), (1.0, e), (2.0, e), (3.0, 0.5), (4.0, 0.5)] {
            let expected = 1.0 + 0.5 * left + 0.04;
            assert!((Stribeck::steady(&set(decay, 3.0), 0.1) - expected).abs() < 1e-14, "{decay}");
        }
        let twice = 1.0 + 0.5 * (-8.0f64).exp() + 0.08;
        assert!((Stribeck::steady(&set(0.0, 3.0), 0.2) - twice).abs() < 1e-14);
        assert!((Stribeck::steady(&set(4.0, 2.0), -0.3) + 1.125 + 0.12).abs() < 1e-14);
    }

    /// RU-R1: with a negative exponent the level at rest is that of `F_C`, and a zero one is refused with a way out.
    #[test]
    fn negative_exponent_rises() {
        let p = set(0.0, -1.5);
        assert_eq!(Stribeck::sticking(&p).map(|s| s.breakaway), Some(1.0));
        assert!(Stribeck::steady(&p, 1e-9) < 1.0 + 1e-6);
        assert!((Stribeck::steady(&p, 1e6) - 1.5 - 0.4e6).abs() < 1e-6);
        assert!(Stribeck::validate(&set(0.0, 0.0)).is_err_and(|error| error.reason.contains("give 2")));
        assert!(crate::Friction::Stribeck.validate(&set(5.0, 2.0), 0).is_err());
    }
}
