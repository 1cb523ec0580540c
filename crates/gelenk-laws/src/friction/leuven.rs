//! The modified Leuven law.

use gelenk_math::Real;
use gelenk_record::Change;

use super::curve::{BREAKAWAY, COULOMB, EXPONENT, STRIBECK, VISCOUS, check_exponent, level, sign, within};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};

/// Bristles that are a Maxwell-slip hysteresis (ruderman 3.12; Lampaert, Swevers, Al-Bender 2002):
///
/// ```text
/// dz/dt = v (1 - sgn(r) |r|^n),   r = F_h(z)/(sgn(v) g(v)),   F_h = sum of elements (k_i, W_i) driven by z
/// F = F_h + sigma1 dz/dt + F_v v
/// ```
///
/// The states are the forces of the elements, the memory holds their slip flags. The stepped form cuts the path of
/// the step into pieces and takes the slope of `F_h` into account; the elements never leave their levels.
pub struct Leuven;

/// Single parameters, before the lists.
const SINGLE: usize = 7;
/// Pieces of a step, at most.
const PIECES: f64 = 16.0;
/// An element that slips sticks once its bristle goes back by this share of the motion. In steady sliding the bristle rests at
/// `r = 1`, where rounding decides the sign of its rate; without the share the elements would stick and slip without end there.
const BACK: f64 = 1e-9;

/// Stiffnesses and levels of the elements.
#[inline]
fn lists<T>(p: &[T]) -> (&[T], &[T]) {
    let lists = p.get(SINGLE..).unwrap_or_default();
    lists.split_at(lists.len() / 2)
}

/// The single parameters: `(curve, shape n, sigma1, viscous)`.
#[inline]
fn single<T: Real>(p: &[T]) -> ([T; 4], T, T, T) {
    let [coulomb, breakaway, stribeck, exponent, shape, sigma1, viscous] =
        fixed(p.get(..SINGLE).unwrap_or_default());
    ([coulomb, breakaway, stribeck, exponent], shape, sigma1, viscous)
}

/// `dz/dx` along the motion at the share `r` of the level, and how fast it falls with `r`.
#[inline]
fn slide<T: Real>(r: T, shape: T) -> (T, T) {
    if shape.is(1.0) {
        return (T::c(1.0) - r, T::c(1.0));
    }
    let size = r.abs();
    if shape.is(2.0) {
        return (T::c(1.0) - size * r, size * T::c(2.0));
    }
    if size.re() == 0.0 {
        return (T::c(1.0), T::c(0.0));
    }
    let power = size.powf(shape - T::c(1.0));
    (T::c(1.0) - power * r, shape * power)
}

fn total<T: Real>(z: &[T]) -> T {
    z.iter().fold(T::c(0.0), |sum, &z| sum + z)
}

/// `dz/dt` at a state.
#[inline]
fn bristle_rate<T: Real>(p: &[T], z: &[T], v: T) -> T {
    let (curve, shape, ..) = single(p);
    let r = total(z) * T::c(sign(v)) / level(curve, v);
    v * slide(r, shape).0
}

impl Law for Leuven {
    const SPEC: LawSpec = LawSpec {
        name: "leuven",
        title: "Modified Leuven friction",
        equation: "dz/dt = v (1 - sgn(r) |r|^n),  r = F_h/(sgn(v) g(v)),  F_h Maxwell-slip in z,  F = F_h + sigma1 dz/dt + F_v v",
        source: "ruderman 3.12; Lampaert, Swevers, Al-Bender 2002",
        params: &[
            COULOMB,
            BREAKAWAY,
            STRIBECK,
            EXPONENT,
            ParamSpec::positive("shape", "n", Kind::Ratio, "Shape of the transition to sliding.")
                .or(1.0)
                .typical(&[2.0]),
            super::lugre::SIGMA1,
            VISCOUS,
            ParamSpec::positive("stiffness", "k_i", Kind::Stiffness, "Stiffness of each element.")
                .each()
                .typical(&[4e4, 2.5e4, 1.5e4, 1.2e4, 8e3]),
            ParamSpec::positive("level", "W_i", Kind::Effort, "Effort at which each element slips.")
                .each()
                .typical(&[0.2, 0.3, 0.4, 0.5, 0.6]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::BRISTLE,
    };

    fn states(elements: usize) -> usize {
        elements
    }

    fn memory(elements: usize) -> usize {
        elements
    }

    fn switches(elements: usize) -> usize {
        elements
    }

    #[inline]
    fn rate<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, dz: &mut [T]) -> T {
        let (_, _, sigma1, viscous) = single(p);
        let rate = bristle_rate(p, z, v);
        for (i, &k) in lists(p).0.iter().enumerate() {
            dz[i] = if m[i] == 0.0 { k * rate } else { T::c(0.0) };
        }
        total(z) + sigma1 * rate + viscous * v
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], _: &[f64], v: T, h: f64, z1: &mut [T]) -> T {
        let ((curve, shape, sigma1, viscous), (stiffness, levels)) = (single(p), lists(p));
        let s = sign(v);
        let path = v * T::c(h);
        if s == 0.0 {
            // The slope with the velocity there is that of the springs.
            for ((z1, &z), &k) in z1.iter_mut().zip(z).zip(stiffness) {
                *z1 = z + k * path;
            }
            return total(z1) + (sigma1 + viscous) * v;
        }
        let (s, level) = (T::c(s), level(curve, v));
        // One division by the level, which waits for an exponential.
        let per_level = T::c(1.0) / level;
        let pieces = (4.0 * (total(stiffness) * path.abs() * per_level).re()).ceil().clamp(1.0, PIECES);
        let piece = path.abs() * T::c(1.0 / pieces);
        // How far the bristles are bent over a piece of the path that begins with these forces.
        let bend = |z: &[T]| {
            let (mut force, mut stiff) = (T::c(0.0), T::c(0.0));
            for ((&z, &k), &level) in z.iter().zip(stiffness).zip(levels) {
                force += z;
                // Only those elements follow that do not slip.
                stiff += if (s * z).re() < level.re() { k } else { T::c(0.0) };
            }
            let force = s * force;
            let (rate, falls) = slide(force * per_level, shape);
            let dz = piece * rate / (T::c(1.0) + piece * falls * stiff * per_level);
            // Towards the level, never past it.
            let left = level - force;
            s * if left.re() * (left - dz * stiff).re() < 0.0 { left / stiff } else { dz }
        };
        let mut moved = bend(z);
        for (((z1, &z), &k), &level) in z1.iter_mut().zip(z).zip(stiffness).zip(levels) {
            *z1 = within(z + k * moved, level);
        }
        for _ in 1..pieces as usize {
            let dz = bend(z1);
            moved += dz;
            for ((z1, &k), &level) in z1.iter_mut().zip(stiffness).zip(levels) {
                *z1 = within(*z1 + k * dz, level);
            }
        }
        total(z1) + sigma1 * moved * T::c(1.0 / h) + viscous * v
    }

    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        let rate = bristle_rate(p, z, v);
        for (i, level) in lists(p).1.iter().enumerate() {
            let at_level = z[i].abs() >= level * (1.0 - 1e-12);
            m[i] = if at_level && sign(z[i]) * rate > -BACK * v.abs() { sign(z[i]) } else { 0.0 };
        }
    }

    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        let rate = bristle_rate(p, z, v);
        for (i, level) in lists(p).1.iter().enumerate() {
            g[i] = if m[i] == 0.0 { level - z[i].abs() } else { m[i] * rate + BACK * v.abs() };
        }
    }

    fn switch(p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        if m[index] == 0.0 {
            m[index] = sign(z[index]);
            z[index] = m[index] * lists(p).1[index];
            Some(Change::ElementSlips)
        } else {
            m[index] = 0.0;
            Some(Change::ElementSticks)
        }
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        let mut energy = T::c(0.0);
        for (&k, &force) in lists(p).0.iter().zip(z) {
            energy += force * force / (T::c(2.0) * k);
        }
        energy
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.copy_from_slice(lists(p).1);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let (curve, _, _, viscous) = single(p);
        if v == 0.0 { 0.0 } else { sign(v) * level(curve, v) + viscous * v }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check_exponent(&Self::SPEC, p[3], 3)?;
        let sum: f64 = lists(p).1.iter().sum();
        if sum < p[1] {
            let reason = format!(
                "the levels have the sum {sum}, below breakaway = {}, which is then never reached; multiply each by {:.4}",
                p[1],
                1.05 * p[1] / sum
            );
            return Err(LawError { law: Self::SPEC.name, param: 8, reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::friction::MaxwellSlip;
    use crate::{Driven, Friction};

    const P: [f64; 17] =
        [1.0, 1.5, 0.1, 2.0, 2.0, 0.3, 0.2, 20.0, 12.5, 7.5, 6.0, 4.0, 0.2, 0.3, 0.4, 0.5, 0.6];

    /// RU-R9: steady sliding is the Stribeck curve, at any step.
    #[test]
    fn steady_sliding_is_the_curve() {
        for (v, h) in [(0.05, 1e-3), (-0.4, 1e-2), (0.3, 10.0)] {
            let mut law = Driven::new(Friction::Leuven, &P, 5).unwrap();
            law.run(v, h, 60_000);
            let force: f64 = law.state().0.iter().sum();
            assert!((force + P[6] * v - Leuven::steady(&P, v)).abs() < 1e-6, "{v}: {force}");
        }
    }

    /// Far below the level the law is the Maxwell-slip hysteresis, `dz/dt = v`: to second order of `F/g` with `n = 2`.
    #[test]
    fn small_motion_is_maxwell_slip() {
        let mut p = P;
        (p[0], p[1]) = (100.0, 150.0);
        p[12..].iter_mut().for_each(|level| *level *= 0.05);
        let (mut a, mut b) = ([0.0; 5], [0.0; 5]);
        for v in [0.02, -0.01, 0.03, -0.05] {
            let (old_a, old_b) = (a, b);
            Leuven::advance(&p, &old_a, &[0.0; 5], v, 0.2, &mut a);
            MaxwellSlip::advance(&p[7..], &old_b, &[0.0; 5], v, 0.2, &mut b);
        }
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} {b:?}");
    }

    /// One step against a fine integration of the rate over a path with slipping elements.
    #[test]
    fn step_against_fine_integration() {
        let run = |n: usize| {
            let mut law = Driven::new(Friction::Leuven, &P, 5).unwrap();
            law.run(0.1, 0.5 / n as f64, n);
            law.state().0.iter().sum::<f64>()
        };
        assert!((run(1) - run(20_000)).abs() < 0.03, "{} {}", run(1), run(20_000));
        assert!((run(40) - run(20_000)).abs() < 0.005, "{} {}", run(40), run(20_000));
    }
}
