//! Single-state elasto-plastic friction.

use gelenk_math::{Lockstep, Real};

use super::curve::{
    BREAKAWAY, COULOMB, EXPONENT, STRIBECK, VISCOUS, check_exponent, level, relaxation, sign, signs, smaller,
};
use super::lugre::{LIMIT, SIGMA0, SIGMA1, active, gauss};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// LuGre with a purely elastic range (ruderman 3.5; Dupont et al. 2002), in scaled form: the state is the bristle force.
///
/// ```text
/// dz/dt = sigma0 (v - chi |v| z/g(v)),   F = z + sigma1 exp(-(v/v_d)^2)/sigma0 dz/dt + F_v v
/// chi = 0                  where z points against v or |z| <= F_e
/// chi = 1                  where |z| >= g(v)
/// chi = (1 + sin(pi (|z| - (g + F_e)/2)/(g - F_e)))/2     between
/// ```
///
/// The stepped form follows the path of the step: the elastic part and the part beyond the level exactly, the part
/// between in pieces whose slope is taken into account, never beyond the level.
pub struct ElastoPlastic;

/// Pieces of a step between the elastic limit and the level, at most.
pub(crate) const PIECES: f64 = 16.0;

/// Share of plastic flow and its derivative with the force `u` along the motion.
#[inline]
pub(crate) fn flow<T: Lockstep>(u: T, elastic: T, level: T) -> (T, T) {
    let (zero, one) = (T::of(0.0), T::of(1.0));
    let between = || {
        let width = level - elastic;
        let angle = T::of(std::f64::consts::PI) * (u - (level + elastic) * T::of(0.5)) / width;
        let (sin, cos) = angle.sin_cos();
        ((sin + one) * T::of(0.5), cos * T::of(0.5 * std::f64::consts::PI) / width)
    };
    let above = || T::fork(u.at_least(level), || (one, zero), between);
    T::fork(u.at_most(elastic), || (zero, zero), above)
}

/// The force `u` along the motion after a path `x` in units of force (`sigma0 |dx|`).
#[inline]
pub(crate) fn flowed<T: Lockstep>(u: T, x: T, elastic: T, level: T) -> T {
    let falls = || level + (u - level) * (-x / level).exp();
    T::fork(u.at_least(level), falls, || rises(u, x, elastic, level))
}

/// The same from below the level.
#[inline]
fn rises<T: Lockstep>(u: T, x: T, elastic: T, level: T) -> T {
    let inside = u.below(elastic);
    let free = elastic - u;
    let slides = || {
        let (u, x) = T::either(inside, || (elastic, x - free), || (u, x));
        // Twenty relaxation lengths beyond the elastic limit nothing is left to do.
        let far = x.plain().above(T::Plain::of(40.0) * level.plain());
        T::fork(far, || level, || in_pieces(u, x, elastic, level))
    };
    T::fork(inside & x.at_most(free), || u + x, slides)
}

/// The same between the elastic limit and the level, by exponential steps.
#[inline]
fn in_pieces<T: Lockstep>(mut u: T, x: T, elastic: T, level: T) -> T {
    let number = T::Plain::of;
    let wanted = (number(8.0) * x.plain() / level.plain()).ceil();
    let pieces = T::either(wanted.below(number(1.0)), || number(1.0), || wanted);
    let pieces = T::either(pieces.above(number(PIECES)), || number(PIECES), || pieces);
    let piece = x / T::fixed(pieces);
    // As many as the lane with the most of them needs; the others wait.
    let count = (0..T::WIDTH).fold(0.0, |most: f64, lane| most.max(pieces.lane(lane)));
    for k in 0..count as usize {
        let (share, slope) = flow(u, elastic, level);
        let rate = T::of(1.0) - share * u / level;
        let falls = (slope * u + share) / level;
        let (_, mean) = relaxation(falls * piece);
        let next = smaller(level, u + piece * rate * mean);
        u = if T::WIDTH == 1 { next } else { T::either(number(k as f64).below(pieces), || next, || u) };
    }
    u
}

impl Law for ElastoPlastic {
    const SPEC: LawSpec = LawSpec {
        name: "elasto-plastic",
        title: "Single-state elasto-plastic friction",
        equation: "dz/dt = sigma0 (v - chi(z,v) |v| z/g(v)),  F = z + sigma1 exp(-(v/v_d)^2)/sigma0 dz/dt + F_v v",
        source: "ruderman 3.5 (2.12); Dupont et al. 2002",
        params: &[
            COULOMB,
            BREAKAWAY,
            STRIBECK,
            EXPONENT,
            SIGMA0,
            SIGMA1,
            LIMIT,
            VISCOUS,
            ParamSpec::positive(
                "elastic",
                "F_e",
                Kind::Effort,
                "Effort up to which the bristles are purely elastic (sigma0 z_ba); 0 for 0.9 F_C.",
            )
            .or_zero()
            .or(0.0),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { drifts: false, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let p: [T; 9] = fixed(p);
        let [coulomb, breakaway, stribeck, exponent, sigma0, sigma1, limit, viscous, _] = p;
        let level = level([coulomb, breakaway, stribeck, exponent], v);
        let (share, _) = flow(z[0] * signs(v), elastic(p), level);
        let rate = sigma0 * (v - share * v.abs() * z[0] / level);
        dz[0] = rate;
        let damping = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit) / sigma0);
        z[0] + damping * rate + viscous * v
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let p: [T; 9] = fixed(p);
        let [coulomb, breakaway, stribeck, exponent, sigma0, sigma1, limit, viscous, _] = p;
        let s = signs(v);
        let path = sigma0 * v * T::of(h);
        let moved = || {
            let level = level([coulomb, breakaway, stribeck, exponent], v);
            s * flowed(s * z[0], s * path, elastic(p), level)
        };
        z1[0] = T::fork(s.equals(T::of(0.0)), || z[0] + path, moved);
        let damping = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit) / sigma0);
        z1[0] + damping * T::of(1.0 / h) * (z1[0] - z[0]) + viscous * v
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] / (T::c(2.0) * p[4])
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[1].max(p[0]));
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let p: [f64; 9] = fixed(p);
        if v == 0.0 { 0.0 } else { level([p[0], p[1], p[2], p[3]], v) * sign(v) + p[7] * v }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check_exponent(&Self::SPEC, p[3], 3)?;
        if p[8] >= p[0] {
            let reason = format!("elastic = {} must be below coulomb = {}; 0.9 of it is usual", p[8], p[0]);
            return Err(LawError { law: Self::SPEC.name, param: 8, reason });
        }
        Ok(())
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        active(Self::SPEC.name, 6, [p[0], p[5], p[6]])
    }
}

/// The elastic limit that is in force.
#[inline]
pub(crate) fn elastic<T: Lockstep>(p: [T; 9]) -> T {
    T::either(p[8].above(T::of(0.0)), || p[8], || p[0] * T::of(0.9))
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 9] = [1.0, 1.2, 0.05, 2.0, 20.0, 0.0, f64::INFINITY, 0.05, 0.7];

    /// RU-R5: elastic below the limit and when it is unloaded, whatever the size of the step: it comes back exactly.
    #[test]
    fn elastic_range_is_reversible() {
        let (mut out, mut back) = ([0.0], [0.0]);
        ElastoPlastic::advance(&P, &[0.0], &[], 0.03, 1.0, &mut out);
        assert!((out[0] - 0.6).abs() < 1e-15);
        ElastoPlastic::advance(&P, &out, &[], -0.03, 1.0, &mut back);
        assert!(back[0].abs() < 1e-15);
    }

    /// RU-R5: one step equals a fine integration of the rate to 1 %, and it ends on the level of steady sliding.
    #[test]
    fn step_against_fine_integration() {
        for travel in [0.04, 0.05, 0.07, 0.15] {
            let mut one = [0.0];
            ElastoPlastic::advance(&P, &[-0.3], &[], 0.2, travel / 0.2, &mut one);
            let mut z = [-0.3];
            for _ in 0..20_000 {
                let mut dz = [0.0];
                ElastoPlastic::rate(&P, &z, &[], 0.2, &mut dz);
                z[0] += travel / 0.2 / 2e4 * dz[0];
            }
            assert!((one[0] - z[0]).abs() < 0.01, "{travel}: {one:?} {z:?}");
        }
        let mut far = [0.0];
        ElastoPlastic::advance(&P, &[-1.0], &[], 0.2, 100.0, &mut far);
        assert!((far[0] + 0.05 * 0.2 - ElastoPlastic::steady(&P, 0.2)).abs() < 1e-12);
    }

    /// The share of flow is continuous at both ends (ruderman 3.5).
    #[test]
    fn share_is_continuous() {
        assert!(flow(0.7 + 1e-9, 0.7, 1.0).0 < 1e-12);
        assert!((flow(1.0 - 1e-9, 0.7, 1.0).0 - 1.0).abs() < 1e-12);
        assert!((flow(0.85, 0.7, 1.0).0 - 0.5).abs() < 1e-12);
        assert!(ElastoPlastic::validate(&[1.0, 1.2, 0.05, 2.0, 20.0, 0.0, 1.0, 0.05, 1.0]).is_err());
    }
}
