//! LuGre friction with parameters of each direction.

use gelenk_math::{Lockstep, Real};

use super::asymmetric::SIDES;
use super::curve::{bend, check_exponent, level, sign};
use super::lugre::{LIMIT, SIGMA0, SIGMA1, active, gauss};
use crate::contract::{Law, LawError, LawSpec, Modes, Properties, fixed};
use crate::in_lanes;

/// [`LuGre`](super::LuGre) in scaled form with a curve `g(v)` and a viscous share of each direction (kubisch 3.3: `g`
/// need not be even).
pub struct LuGreAsymmetric;

/// The curve and the viscous share of the direction of `v`: `([F_C, F_S, v_S, delta], F_v)`.
#[inline]
fn side<T: Lockstep>(p: [T; 12], v: T) -> ([T; 4], T) {
    let back = v.below(T::of(0.0));
    T::either(back, || ([p[4], p[5], p[6], p[8]], p[7]), || ([p[0], p[1], p[2], p[8]], p[3]))
}

impl Law for LuGreAsymmetric {
    const SPEC: LawSpec = LawSpec {
        name: "lugre-asymmetric",
        title: "Direction-dependent LuGre friction",
        equation: "dz/dt = sigma0 (v - |v| z/g(v)),  F = z + sigma1 exp(-(v/v_d)^2)/sigma0 dz/dt + F_v v,  \
                   g and F_v of the direction of v",
        source: "kubisch 3.3 (after 2.9)",
        params: &[
            SIDES[0], SIDES[1], SIDES[2], SIDES[3], SIDES[4], SIDES[5], SIDES[6], SIDES[7], SIDES[8], SIGMA0,
            SIGMA1, LIMIT,
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { odd: false, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let p: [T; 12] = fixed(p);
        let [.., sigma0, sigma1, limit] = p;
        let (curve, viscous) = side(p, v);
        let rate = sigma0 * (v - v.abs() * z[0] / level(curve, v));
        dz[0] = rate;
        let damping = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit) / sigma0);
        z[0] + damping * rate + viscous * v
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let p: [T; 12] = fixed(p);
        let [.., sigma0, sigma1, limit] = p;
        let (curve, viscous) = side(p, v);
        let (way, share) = bend(z[0], v, h, sigma0, level(curve, v));
        z1[0] = z[0] + way * share;
        let damping = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit) / sigma0);
        z[0] + viscous * v + (T::of(1.0) + damping * T::of(1.0 / h)) * way * share
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] / (T::c(2.0) * p[9])
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[1].max(p[5]));
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let (curve, viscous) = side(fixed(p), v);
        if v == 0.0 { 0.0 } else { level(curve, v) * sign(v) + viscous * v }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check_exponent(&Self::SPEC, p[8], 8)
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        active(Self::SPEC.name, 11, [p[0].min(p[4]), p[10], p[11]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::LuGre;

    /// K-R3: forward it is the symmetric law with the forward levels, backward that with the backward ones.
    #[test]
    fn each_direction_is_a_symmetric_law() {
        let p = [1.0, 1.5, 0.1, 0.2, 0.7, 0.9, 0.2, 0.3, 2.0, 50.0, 0.4, 0.5];
        let forward = [1.0, 1.5, 0.1, 50.0, 0.4, 0.5, 0.2, 2.0, 1.0, 0.0, 0.0];
        let backward = [0.7, 0.9, 0.2, 50.0, 0.4, 0.5, 0.3, 2.0, 1.0, 0.0, 0.0];
        for (v, other) in [(0.15, forward), (-0.15, backward)] {
            let (mut a, mut b) = ([0.0], [0.0]);
            let effort = LuGreAsymmetric::advance(&p, &[0.3], &[], v, 0.05, &mut a);
            let expected = LuGre::advance(&other, &[0.3], &[], v, 0.05, &mut b);
            assert!((effort - expected).abs() < 1e-14 && (a[0] - b[0]).abs() < 1e-15);
            assert!((LuGreAsymmetric::steady(&p, v) - LuGre::steady(&other, v)).abs() < 1e-15);
        }
    }
}
