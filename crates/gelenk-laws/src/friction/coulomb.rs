//! Set-valued Coulomb friction.

use gelenk_math::Real;

use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, Stance, Sticking, fixed};

/// Coulomb friction with true sticking, break-away level, Stribeck branch and viscous part: in sliding
/// `F = sgn(v) (F_C + (F_S - F_C) exp(-(v/v_S)^2)) + F_v v`, at rest any `|F| <= F_S` (ruderman 2.1, hippmann 3.5.2).
pub struct Coulomb;

impl Law for Coulomb {
    const SPEC: LawSpec = LawSpec {
        name: "coulomb",
        title: "Set-valued Coulomb friction",
        equation: "F = sgn(v) (F_C + (F_S - F_C) exp(-(v/v_S)^2)) + F_v v; at rest |F| <= F_S",
        source: "ruderman 2.1; hippmann 3.5.2",
        params: &[
            ParamSpec::positive("coulomb", "F_C", Kind::Effort, "Level in sliding.")
                .or_zero()
                .typical(&[1.0]),
            ParamSpec::positive("breakaway", "F_S", Kind::Effort, "Level at rest; 0 for that of sliding.")
                .or_zero()
                .or(0.0)
                .typical(&[1.5]),
            ParamSpec::positive(
                "stribeck",
                "v_S",
                Kind::Rate,
                "Velocity over which the level falls; with 0 it falls at once.",
            )
            .or_zero()
            .or(0.0)
            .typical(&[1e-3]),
            ParamSpec::positive("viscous", "F_v", Kind::Damping, "Effort per velocity.").or_zero().or(0.0),
        ],
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
        let [coulomb, breakaway, ..]: [T; 4] = fixed(p);
        let breakaway = if breakaway.re() > coulomb.re() { breakaway } else { coulomb };
        Some(Sticking { breakaway, band: T::c(0.0) })
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        if v == 0.0 { 0.0 } else { sliding(p, v, v.signum()) }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        let [coulomb, breakaway, ..]: [f64; 4] = fixed(p);
        if breakaway != 0.0 && breakaway < coulomb {
            let reason = format!("breakaway = {breakaway} must be 0 or at least coulomb = {coulomb}");
            return Err(LawError { law: Self::SPEC.name, param: 1, reason });
        }
        Ok(())
    }
}

/// Resistance in sliding in the direction `sign`, continued to `v = 0`.
#[inline]
fn sliding<T: Real>(p: &[T], v: T, sign: f64) -> T {
    let [coulomb, breakaway, stribeck, viscous] = fixed(p);
    let fast = coulomb * T::c(sign) + viscous * v;
    if stribeck.re() > 0.0 && breakaway.re() > coulomb.re() {
        let share = v * (T::c(1.0) / stribeck);
        return fast + (breakaway - coulomb) * T::c(sign) * (-(share * share)).exp();
    }
    fast
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RU-R2: levels at rest and in sliding, closed form; the direction is that of the memory, not of the velocity.
    #[test]
    fn levels() {
        let p = [1.0, 1.5, 0.1, 0.4];
        assert_eq!(Coulomb::sticking(&p), Some(Sticking { breakaway: 1.5, band: 0.0 }));
        assert_eq!(Coulomb::rate(&p, &[], &[1.0], 0.0, &mut []), 1.5);
        assert_eq!(Coulomb::rate(&p, &[], &[-1.0], 0.0, &mut []), -1.5);
        assert_eq!(Coulomb::rate(&p, &[], &[0.0], 0.0, &mut []), 0.0);
        let expected = 1.0 + 0.5 * (-1.0f64).exp() + 0.04;
        assert!((Coulomb::steady(&p, 0.1) - expected).abs() < 1e-15);
        assert!((Coulomb::steady(&p, -10.0) + 5.0).abs() < 1e-15);
    }

    /// Without a break-away level the one of sliding holds; a smaller one is refused.
    #[test]
    fn breakaway_is_at_least_coulomb() {
        assert_eq!(Coulomb::sticking(&[2.0, 0.0, 0.0, 0.0]).map(|s| s.breakaway), Some(2.0));
        assert!(Coulomb::validate(&[2.0, 0.0, 0.0, 0.0]).is_ok());
        assert!(Coulomb::validate(&[2.0, 1.9, 0.0, 0.0]).is_err());
    }
}
