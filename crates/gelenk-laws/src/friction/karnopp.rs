//! Karnopp's friction with a band of sticking.

use gelenk_math::Real;

use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, Stance, Sticking, fixed};

/// Karnopp's law: `F = F_C sgn(v) + F_v v` outside the band `|v| < v_K`; sliding that slows down into the band ends in
/// sticking, which holds up to `F_S` (Karnopp, *Computer simulation of stick-slip friction in mechanical dynamic
/// systems*, 1985; ruderman 2.1).
pub struct Karnopp;

impl Law for Karnopp {
    const SPEC: LawSpec = LawSpec {
        name: "karnopp",
        title: "Karnopp friction",
        equation: "F = F_C sgn(v) + F_v v; sticks below |v| = v_K while |F| <= F_S",
        source: "Karnopp 1985; ruderman 2.1",
        params: &[
            ParamSpec::positive("coulomb", "F_C", Kind::Effort, "Level in sliding.")
                .or_zero()
                .typical(&[1.0]),
            ParamSpec::positive("breakaway", "F_S", Kind::Effort, "Level at rest; 0 for that of sliding.")
                .or_zero()
                .or(0.0)
                .typical(&[1.5]),
            ParamSpec::positive("band", "v_K", Kind::Rate, "Speed below which sliding ends in sticking.")
                .or(1e-3),
            ParamSpec::positive("viscous", "F_v", Kind::Damping, "Effort per velocity.")
                .or_zero()
                .or(0.0)
                .typical(&[0.4]),
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
        let [coulomb, _, _, viscous] = fixed(p);
        Stance::direction(m).map_or(T::c(0.0), |sign| coulomb * T::c(sign) + viscous * v)
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate(p, z, m, v, z1)
    }

    fn commit(p: &[f64], _: &[f64], v: f64, m: &mut [f64]) {
        let [_, _, band, _] = fixed(p);
        m.fill(Stance::at(v, band).memory());
    }

    #[inline]
    fn sticking<T: Real>(p: &[T]) -> Option<Sticking<T>> {
        let [coulomb, breakaway, band, _] = fixed(p);
        let breakaway = if breakaway.re() > coulomb.re() { breakaway } else { coulomb };
        Some(Sticking { breakaway, band })
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        if v == 0.0 { 0.0 } else { Self::rate(p, &[], &[v.signum()], v, &mut []) }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// RU-R2: levels and band (closed form); inside the band the start of a run leaves it in its direction.
    #[test]
    fn levels_and_band() {
        let p = [1.0, 1.5, 0.01, 0.4];
        assert_eq!(Karnopp::sticking(&p), Some(Sticking { breakaway: 1.5, band: 0.01 }));
        assert_eq!(Karnopp::steady(&p, -2.0), -1.8);
        let mut m = [7.0];
        for (v, stance) in [(0.0, 0.0), (0.005, 2.0), (-0.005, -2.0), (-0.02, -1.0)] {
            Karnopp::commit(&p, &[], v, &mut m);
            assert_eq!(m, [stance]);
            assert_eq!(Stance::read(m[0]).memory(), stance);
        }
    }
}
