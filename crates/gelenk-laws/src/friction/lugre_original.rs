//! LuGre friction as it was published.

use gelenk_math::{Lockstep, Real};

use super::curve::{BREAKAWAY, COULOMB, EXPONENT, STRIBECK, VISCOUS, bend, check_exponent, level, sign};
use super::lugre::{LIMIT, SIGMA0, SIGMA1, active, gauss};
use super::power_viscous::{VISCOUS_EXPONENT, power};
use crate::contract::{Law, LawError, LawSpec, Modes, Properties, fixed};
use crate::in_lanes;

/// LuGre with the deflection of the bristles as its state (kubisch 3.3, eq. 2.5 to 2.9; ruderman 3.4, eq. 2.9, 2.10):
///
/// ```text
/// dz/dt = v - sigma0 |v| z / g(v)
/// F = sigma0 z + sigma1 exp(-(v/v_d)^2) dz/dt + F_v |v|^delta_v sgn(v)
/// ```
///
/// It is the same law as [`LuGre`](super::LuGre) in other units of its state: for comparison with texts and programs that
/// keep the deflection.
pub struct LuGreOriginal;

impl Law for LuGreOriginal {
    const SPEC: LawSpec = LawSpec {
        name: "lugre-original",
        title: "LuGre friction as published",
        equation: "dz/dt = v - sigma0 |v| z/g(v),  F = sigma0 z + sigma1 exp(-(v/v_d)^2) dz/dt + F_v |v|^delta_v sgn(v)",
        source: "kubisch 3.3 (2.5-2.9), ruderman 3.4 (2.9, 2.10); Canudas de Wit et al. 1995",
        params: &[COULOMB, BREAKAWAY, STRIBECK, SIGMA0, SIGMA1, LIMIT, VISCOUS, EXPONENT, VISCOUS_EXPONENT],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::BRISTLE,
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let [coulomb, breakaway, stribeck, sigma0, sigma1, limit, viscous, exponent, power_v] = fixed(p);
        let rate = v - sigma0 * v.abs() * z[0] / level([coulomb, breakaway, stribeck, exponent], v);
        dz[0] = rate;
        let damping = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit));
        sigma0 * z[0] + damping * rate + power(viscous, power_v, v)
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let [coulomb, breakaway, stribeck, sigma0, sigma1, limit, viscous, exponent, power_v] = fixed(p);
        let level = level([coulomb, breakaway, stribeck, exponent], v);
        // In units of force, as the scaled law.
        let (way, share) = bend(sigma0 * z[0], v, h, sigma0, level);
        z1[0] = z[0] + way / sigma0 * share;
        let damping = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit) / sigma0);
        sigma0 * z[0] + power(viscous, power_v, v) + (T::of(1.0) + damping * T::of(1.0 / h)) * way * share
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] * p[3] / T::c(2.0)
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[1].max(p[0]) / p[3]);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let p: [f64; 9] = fixed(p);
        if v == 0.0 { 0.0 } else { level([p[0], p[1], p[2], p[7]], v) * sign(v) + power(p[6], p[8], v) }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check_exponent(&Self::SPEC, p[7], 7)
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        let p: [f64; 9] = fixed(p);
        active(Self::SPEC.name, 5, [p[0], p[4], p[5]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::LuGre;

    const P: [f64; 9] = [0.077, 0.43, 0.1, 23.8, 0.5, 0.6, 0.2, 2.0, 1.0];

    /// K-R2, K-R3: scaled and original form are the same law: equal rates of the force and equal efforts.
    #[test]
    fn both_forms_are_one_law() {
        let mut scaled = [0.0; 11];
        scaled[..9].copy_from_slice(&P);
        for (z, v) in [(0.01, 0.3), (-0.004, 0.02), (0.015, -0.7)] {
            let (mut a, mut b) = ([0.0], [0.0]);
            let original = LuGreOriginal::rate(&P, &[z], &[], v, &mut a);
            let other = LuGre::rate(&scaled, &[z * P[3]], &[], v, &mut b);
            assert!((original - other).abs() < 1e-14 && (a[0] * P[3] - b[0]).abs() < 1e-12);
        }
    }

    /// K-R5, in part (the exponential scheme): a step is exact at held velocity, and equals that of the scaled form.
    #[test]
    fn step_is_exact() {
        let (mut z, mut one, mut two, mut scaled) = ([0.0], [0.0], [0.0], [0.0]);
        LuGreOriginal::advance(&P, &[0.01], &[], 0.3, 0.01, &mut z);
        let effort = LuGreOriginal::advance(&P, &[0.01], &[], 0.3, 0.02, &mut one);
        LuGreOriginal::advance(&P, &z, &[], 0.3, 0.01, &mut two);
        assert!((one[0] - two[0]).abs() < 1e-16);
        let mut p = [0.0; 11];
        p[..9].copy_from_slice(&P);
        assert!((LuGre::advance(&p, &[0.01 * P[3]], &[], 0.3, 0.02, &mut scaled) - effort).abs() < 1e-13);
    }
}
