//! Dahl friction.

use gelenk_math::{Formula, Lockstep, Real, each};

use super::curve::{relaxed_to, sign, signs};
use crate::contract::{Kind, Law, LawSpec, Memory, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// Dahl's law with any exponent (ruderman 3.3, eq. 2.8):
///
/// ```text
/// dF/dx = sigma0 |y|^d sgn(y),   y = 1 - F sgn(v)/F_C
/// ```
///
/// The stepped form is the exact solution over the path of the step: `y' = y exp(-sigma0 |dx|/F_C)` for `d = 1`, else
/// `|y'| = (|y|^(1-d) + (d - 1) sigma0 |dx|/F_C)^(1/(1-d))`.
pub struct Dahl;

/// `|y|^d` after a path `x` in units of `F_C/sigma0`.
#[inline]
pub(crate) fn relaxed<T: Lockstep>(y: T, exponent: T, x: T) -> T {
    T::fork(exponent.is(1.0), || y * (-x).exp(), || each(&Powers, [y, exponent, x]))
}

/// The same for an exponent other than one.
struct Powers;

impl Formula<3> for Powers {
    #[inline]
    fn eval<T: Real>(&self, [y, exponent, x]: [T; 3]) -> T {
        powers(y, exponent, x)
    }
}

#[inline]
fn powers<T: Real>(y: T, exponent: T, x: T) -> T {
    let one = T::c(1.0);
    let size = y.abs();
    if size.re() == 0.0 {
        return y;
    }
    let rest = one - exponent;
    // Near one the powers cancel: |y'| = exp(ln(1 + r w)/r) with w = (|y|^r - 1)/r - x, both by their series in r.
    let log = size.ln();
    if rest.re().abs() * (log.re().abs() + x.re()) < 1e-5 {
        let series = |a: T, second: f64, third: f64| {
            a + rest * a * a * T::c(second) + rest * rest * a * a * a * T::c(third)
        };
        let w = series(log, 0.5, 1.0 / 6.0) - x;
        return series(w, -0.5, 1.0 / 3.0).exp() * T::c(sign(y));
    }
    let power = size.powf(rest) - rest * x;
    // Below an exponent of one the level is reached after a finite path.
    if power.re() <= 0.0 {
        return T::c(0.0);
    }
    power.powf(one / rest) * T::c(sign(y))
}

impl Law for Dahl {
    const SPEC: LawSpec = LawSpec {
        name: "dahl",
        title: "Dahl friction",
        equation: "dF/dx = sigma0 |1 - F sgn(v)/F_C|^d sgn(1 - F sgn(v)/F_C)",
        source: "ruderman 3.3 (2.8); Dahl 1968",
        params: &[
            super::curve::COULOMB,
            ParamSpec::positive("sigma0", "sigma0", Kind::Stiffness, "Stiffness at a reversal.")
                .typical(&[1e5]),
            ParamSpec::positive("exponent", "d", Kind::Ratio, "Shape of the loops; 1 is the common one.")
                .or(1.0),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { rate_independent: true, memory: Memory::Local, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let [coulomb, sigma0, exponent] = fixed(p);
        let y = T::of(1.0) - z[0] * signs(v) / coulomb;
        let zero = T::of(0.0);
        let power = || T::fork(y.equals(zero), || zero, || y.abs().powf(exponent) * signs(y));
        let shape = T::fork(exponent.is(1.0), || y, power);
        dz[0] = sigma0 * v * shape;
        z[0]
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let [coulomb, sigma0, exponent] = fixed(p);
        let usual = || relaxed_to(z[0], v, sigma0 * T::of(h) / coulomb, coulomb);
        let moved = || {
            let s = signs(v);
            let y = T::of(1.0) - z[0] * s / coulomb;
            s * coulomb * (T::of(1.0) - relaxed(y, exponent, sigma0 * v.abs() * T::of(h) / coulomb))
        };
        // The slope with the velocity at rest is that of the spring.
        let other = || T::fork(v.equals(T::of(0.0)), || z[0] + sigma0 * v * T::of(h), moved);
        z1[0] = T::fork(exponent.is(1.0), usual, other);
        z1[0]
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] / (T::c(2.0) * p[1])
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[0]);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        sign(v) * p[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RU-R3: the exact update equals a fine integration of the rate for exponents on both sides of one.
    #[test]
    fn step_equals_fine_integration() {
        for exponent in [0.5, 1.0, 1.5, 2.0] {
            let p = [2.0, 30.0, exponent];
            let mut one = [0.0];
            Dahl::advance(&p, &[-0.8], &[], 0.4, 0.25, &mut one);
            let (mut z, n) = ([-0.8], 20_000);
            for _ in 0..n {
                let (mut dz, mut mid) = ([0.0], [0.0]);
                let h = 0.25 / f64::from(n);
                Dahl::rate(&p, &z, &[], 0.4, &mut dz);
                mid[0] = z[0] + 0.5 * h * dz[0];
                Dahl::rate(&p, &mid, &[], 0.4, &mut dz);
                z[0] += h * dz[0];
            }
            assert!((one[0] - z[0]).abs() < 1e-5, "{exponent}: {one:?} {z:?}");
        }
    }

    /// RU-R3: with `d = 1/2` the level is reached after the finite path `2 F_C/sigma0` from zero (closed form), and not
    /// left; with `d = 1` the force is `F_C (1 - exp(-sigma0 x/F_C))`.
    #[test]
    fn paths_to_the_level() {
        let mut z = [0.0];
        Dahl::advance(&[1.0, 10.0, 0.5], &[0.0], &[], 1.0, 0.1999, &mut z);
        assert!(z[0] < 1.0);
        Dahl::advance(&[1.0, 10.0, 0.5], &[0.0], &[], 1.0, 0.2001, &mut z);
        assert_eq!(z[0], 1.0);
        Dahl::advance(&[1.0, 10.0, 1.0], &[0.0], &[], 1.0, 0.1, &mut z);
        assert!((z[0] - (1.0 - (-1.0f64).exp())).abs() < 1e-15);
    }

    /// RU-2: on equal paths the loops do not depend on the speed, to 1e-9.
    #[test]
    fn equal_paths_give_equal_loops() {
        let path = |scale: f64| {
            let mut z = [0.0];
            let mut forces = Vec::new();
            for k in 0..4000 {
                let x = |k: i32| 0.2 * f64::from(k) / 4000.0 * (f64::from(k) * 0.01).sin();
                let old = z;
                let dx = x(k + 1) - x(k);
                Dahl::advance(&[1.0, 50.0, 1.5], &old, &[], dx * scale, 1.0 / scale, &mut z);
                forces.push(z[0]);
            }
            forces
        };
        let (slow, fast) = (path(1.0), path(1e4));
        let worst = slow.iter().zip(&fast).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{worst}");
        assert!(slow.iter().all(|force| force.abs() <= 1.0));
    }
}
