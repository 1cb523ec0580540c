//! Friction of a slider on a plane.
//!
//! The laws whose physics goes over to two dimensions, with the parameters of the law on a line: the velocity, the state
//! and the effort are vectors. They are isotropic (turning the motion turns the effort) and on a straight line they are
//! the law of one dimension; the filter per axis is the exception, as in the thesis that it comes from.

use gelenk_math::Real;

use super::Friction;
use super::curve::relaxation;
use super::elasto_plastic::{PIECES, elastic, flow};
use super::lugre::{N, gauss, terms};
use super::power::secant;
use super::power_lpv::{bandwidth, filter_velocity};
use super::regularised::ramp;
use crate::contract::fixed;

/// A vector in the plane.
pub type Vec2<T> = [T; 2];

/// A friction law on a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planar {
    /// Regularised Coulomb friction: the ramp of the speed along the velocity.
    Regularised,
    /// Power-based friction without memory (specker 3.2, eq. 2.23).
    Power,
    /// Power-based friction filtered per friction point: the bandwidth follows the speed (specker 3.3, beyond the
    /// thesis), so the axes do not matter.
    PowerPoint,
    /// Power-based friction filtered per coordinate, as in the thesis (specker 3.3, eq. 2.26): each axis has the bandwidth
    /// of its own velocity, so turned axes give another result.
    PowerAxes,
    /// Dahl friction with a vector of bristle forces and exponent one.
    Dahl,
    /// LuGre friction with a vector of bristle forces (an extension: specker 3.5).
    LuGre,
    /// Elasto-plastic friction with a vector of bristle forces: flow by its magnitude.
    ElastoPlastic,
    /// Maxwell-slip hysteresis: each element a slider on a spring, which follows where its force exceeds its level.
    MaxwellSlip,
}

/// Length of a vector; its derivative at zero is taken as zero.
#[inline]
fn norm<T: Real>([x, y]: Vec2<T>) -> T {
    let square = x * x + y * y;
    if square.re() == 0.0 { T::c(0.0) } else { square.sqrt() }
}

#[inline]
fn scaled<T: Real>([x, y]: Vec2<T>, by: T) -> Vec2<T> {
    [x * by, y * by]
}

#[inline]
fn sum<T: Real>(a: Vec2<T>, b: Vec2<T>) -> Vec2<T> {
    [a[0] + b[0], a[1] + b[1]]
}

impl Planar {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Regularised,
        Self::Power,
        Self::PowerPoint,
        Self::PowerAxes,
        Self::Dahl,
        Self::LuGre,
        Self::ElastoPlastic,
        Self::MaxwellSlip,
    ];

    /// The law on a line, whose parameters it takes.
    pub const fn line(self) -> Friction {
        match self {
            Self::Regularised => Friction::Regularised,
            Self::Power => Friction::PowerBased,
            Self::PowerPoint | Self::PowerAxes => Friction::PowerLpv,
            Self::Dahl => Friction::Dahl,
            Self::LuGre => Friction::LuGre,
            Self::ElastoPlastic => Friction::ElastoPlastic,
            Self::MaxwellSlip => Friction::MaxwellSlip,
        }
    }

    /// The form on a plane of a law on a line, where there is one; `per_axis` picks [`Planar::PowerAxes`] instead of
    /// [`Planar::PowerPoint`].
    pub fn of(line: Friction, per_axis: bool) -> Option<Self> {
        let fits = |law: &&Self| law.line() == line && per_axis == (**law == Self::PowerAxes);
        Self::ALL.iter().find(fits).copied()
    }

    /// Whether [`Planar::rate`] describes it. The sliders of Maxwell-slip elements turn at once where they reach their
    /// level, so only their steps are well defined.
    pub const fn continuous(self) -> bool {
        !matches!(self, Self::MaxwellSlip)
    }

    /// Number of vector states of a law with `elements` elements.
    pub const fn states(self, elements: usize) -> usize {
        match self {
            Self::Regularised | Self::Power => 0,
            Self::MaxwellSlip => elements,
            _ => 1,
        }
    }

    /// Writes the states after a step `h > 0` (s) at the velocity `v` and returns the effort against it at the end.
    ///
    /// `p` are the parameters of [`Planar::line`]. Bounded for any step; exact at held velocity for Dahl, LuGre and the
    /// power-based laws.
    #[inline]
    pub fn advance<T: Real>(self, p: &[T], z: &[Vec2<T>], v: Vec2<T>, h: f64, z1: &mut [Vec2<T>]) -> Vec2<T> {
        let speed = norm(v);
        match self {
            Self::Regularised => {
                let [coulomb, band, shape, viscous] = fixed(p);
                let q = speed / band;
                let secant = if q.re() < 1e-9 { T::c(2.0) / band } else { ramp(shape, q) / speed };
                scaled(v, coulomb * secant + viscous)
            }
            Self::Power => scaled(v, secant(fixed(p), speed)),
            Self::PowerPoint => {
                let (force, set) = power(p, v, speed);
                let (lost, _) = relaxation(bandwidth(speed, filter_velocity(set), set[5]) * T::c(h));
                z1[0] = sum(z[0], scaled(sum(force, scaled(z[0], T::c(-1.0))), lost));
                z1[0]
            }
            Self::PowerAxes => {
                let (force, set) = power(p, v, speed);
                for axis in 0..2 {
                    let (lost, _) = relaxation(bandwidth(v[axis], filter_velocity(set), set[5]) * T::c(h));
                    z1[0][axis] = z[0][axis] + (force[axis] - z[0][axis]) * lost;
                }
                z1[0]
            }
            Self::Dahl => {
                let [coulomb, sigma0, _] = fixed(p);
                z1[0] = bristle(z[0], v, sigma0 * speed / coulomb, sigma0, h);
                z1[0]
            }
            Self::LuGre => {
                let p: [T; N] = fixed(p);
                let (level, damping) = terms(p, speed);
                z1[0] = bristle(z[0], v, p[3] * speed / level, p[3], h);
                let change = sum(z1[0], scaled(z[0], T::c(-1.0)));
                sum(sum(z1[0], scaled(change, damping / T::c(h))), scaled(v, viscous(p, speed)))
            }
            Self::ElastoPlastic => {
                let p: [T; 9] = fixed(p);
                let [coulomb, breakaway, stribeck, exponent, sigma0, sigma1, limit, viscous, _] = p;
                let level = super::curve::level([coulomb, breakaway, stribeck, exponent], speed);
                z1[0] = flowed(z[0], v, speed, sigma0 * speed * T::c(h), elastic(p), level);
                let change = sum(z1[0], scaled(z[0], T::c(-1.0)));
                let damping = if sigma1.is(0.0) { sigma1 } else { sigma1 * gauss(speed, limit) / sigma0 };
                sum(sum(z1[0], scaled(change, damping / T::c(h))), scaled(v, viscous))
            }
            Self::MaxwellSlip => {
                let (stiffness, level) = elements(p);
                let mut effort = [T::c(0.0); 2];
                for i in 0..stiffness.len() {
                    let trial = sum(z[i], scaled(v, stiffness[i] * T::c(h)));
                    let size = norm(trial);
                    // The slider follows along the force that pulls it.
                    let slips = size.re() > level[i].re();
                    z1[i] = if slips { scaled(trial, level[i] / size) } else { trial };
                    effort = sum(effort, z1[i]);
                }
                effort
            }
        }
    }
}

impl Planar {
    /// Writes the rates of the states at the velocity `v` and returns the effort against it: the continuous form.
    #[inline]
    pub fn rate<T: Real>(self, p: &[T], z: &[Vec2<T>], v: Vec2<T>, dz: &mut [Vec2<T>]) -> Vec2<T> {
        let speed = norm(v);
        match self {
            // Without states a step of any length gives the effort.
            Self::Regularised | Self::Power => self.advance(p, z, v, 1.0, dz),
            Self::PowerPoint => {
                let (force, set) = power(p, v, speed);
                let rate = bandwidth(speed, filter_velocity(set), set[5]);
                dz[0] = scaled(sum(force, scaled(z[0], T::c(-1.0))), rate);
                z[0]
            }
            Self::PowerAxes => {
                let (force, set) = power(p, v, speed);
                for axis in 0..2 {
                    let rate = bandwidth(v[axis], filter_velocity(set), set[5]);
                    dz[0][axis] = rate * (force[axis] - z[0][axis]);
                }
                z[0]
            }
            Self::Dahl => {
                let [coulomb, sigma0, _] = fixed(p);
                dz[0] = sum(scaled(v, sigma0), scaled(z[0], -sigma0 * speed / coulomb));
                z[0]
            }
            Self::LuGre => {
                let p: [T; N] = fixed(p);
                let (level, damping) = terms(p, speed);
                dz[0] = sum(scaled(v, p[3]), scaled(z[0], -p[3] * speed / level));
                sum(sum(z[0], scaled(dz[0], damping)), scaled(v, viscous(p, speed)))
            }
            Self::ElastoPlastic => {
                let p: [T; 9] = fixed(p);
                let [coulomb, breakaway, stribeck, exponent, sigma0, sigma1, limit, viscous, _] = p;
                let level = super::curve::level([coulomb, breakaway, stribeck, exponent], speed);
                // Bristles that are bent against the motion straighten without flowing.
                let along = z[0][0] * v[0] + z[0][1] * v[1];
                let size = if along.re() < 0.0 { -norm(z[0]) } else { norm(z[0]) };
                let (share, _) = flow(size, elastic(p), level);
                dz[0] = sum(scaled(v, sigma0), scaled(z[0], -sigma0 * share * speed / level));
                let damping = if sigma1.is(0.0) { sigma1 } else { sigma1 * gauss(speed, limit) / sigma0 };
                sum(sum(z[0], scaled(dz[0], damping)), scaled(v, viscous))
            }
            Self::MaxwellSlip => {
                let (stiffness, level) = elements(p);
                let mut effort = [T::c(0.0); 2];
                for i in 0..stiffness.len() {
                    let pull = scaled(v, stiffness[i]);
                    let (size, outward) = (norm(z[i]), z[i][0] * pull[0] + z[i][1] * pull[1]);
                    let slips = size.re() >= level[i].re() && outward.re() > 0.0;
                    dz[i] = if slips { sum(pull, scaled(z[i], -outward / (size * size))) } else { pull };
                    effort = sum(effort, z[i]);
                }
                effort
            }
        }
    }

    /// Energy (J) that the bristles hold.
    pub fn stored<T: Real>(self, p: &[T], z: &[Vec2<T>]) -> T {
        let energy = |z: Vec2<T>, stiffness: T| (z[0] * z[0] + z[1] * z[1]) / (T::c(2.0) * stiffness);
        match self {
            Self::Regularised | Self::Power | Self::PowerPoint | Self::PowerAxes => T::c(0.0),
            Self::Dahl => energy(z[0], p[1]),
            Self::LuGre => energy(z[0], p[3]),
            Self::ElastoPlastic => energy(z[0], p[4]),
            Self::MaxwellSlip => {
                z.iter().zip(elements(p).0).fold(T::c(0.0), |total, (&z, &k)| total + energy(z, k))
            }
        }
    }

    /// Typical magnitude of each vector state, for error norms.
    pub fn scale(self, p: &[f64], scale: &mut [f64]) {
        if !scale.is_empty() {
            self.line().scale(p, scale);
        }
    }
}

/// Stiffness and level of every element.
#[inline]
fn elements<T>(p: &[T]) -> (&[T], &[T]) {
    p.split_at(p.len() / 2)
}

/// Viscous force of the LuGre law over the speed.
#[inline]
fn viscous<T: Real>(p: [T; N], speed: T) -> T {
    if p[8].is(1.0) {
        p[6]
    } else if speed.re() == 0.0 {
        T::c(0.0)
    } else {
        super::power_viscous::power(p[6], p[8], speed) / speed
    }
}

/// The static force of the power-based laws, and all their parameters.
#[inline]
fn power<T: Real>(p: &[T], v: Vec2<T>, speed: T) -> (Vec2<T>, [T; 7]) {
    let set: [T; 7] = fixed(p);
    let [a, b, c, d, e, ..] = set;
    (scaled(v, secant([a, b, c, d, e], speed)), set)
}

/// `dz/dt = sigma0 v - a z` over a step, exactly.
#[inline]
fn bristle<T: Real>(z: Vec2<T>, v: Vec2<T>, a: T, sigma0: T, h: f64) -> Vec2<T> {
    let h = T::c(h);
    let (lost, mean) = relaxation(a * h);
    sum(scaled(z, T::c(1.0) - lost), scaled(v, h * sigma0 * mean))
}

/// The bristle forces of the elasto-plastic law after a path `x` in units of force: elastic while they point against the
/// motion or are below the limit, then flowing by their magnitude, never beyond the level.
#[inline]
fn flowed<T: Real>(z: Vec2<T>, v: Vec2<T>, speed: T, mut x: T, elastic: T, level: T) -> Vec2<T> {
    if speed.re() == 0.0 {
        return z;
    }
    let along = scaled(v, T::c(1.0) / speed);
    let across = [-along[1], along[0]];
    let mut u = z[0] * along[0] + z[1] * along[1];
    let mut w = z[0] * across[0] + z[1] * across[1];
    let back = |u: T, w: T| sum(scaled(along, u), scaled(across, w));
    let room = elastic * elastic - w * w;
    let free = if room.re() > 0.0 { room.sqrt() - u } else { -u };
    if free.re() > 0.0 {
        if x.re() <= free.re() {
            return back(u + x, w);
        }
        (u, x) = (u + free, x - free);
    }
    if x.re() > 40.0 * level.re() {
        return back(level, T::c(0.0));
    }
    let pieces = (8.0 * x.re() / level.re()).ceil().clamp(1.0, PIECES);
    let piece = x / T::c(pieces);
    for _ in 0..pieces as usize {
        let size = norm([u, w]);
        // What is beyond the level comes back to it; what is within stays within.
        let limit = if size.re() > level.re() { size } else { level };
        let (share, slope) = flow(size, elastic, level);
        let tilt = if size.re() > 0.0 { u / size } else { T::c(1.0) };
        let falls = (slope * u * tilt + share) / level;
        let (_, mean) = relaxation(falls * piece);
        u += piece * (T::c(1.0) - share * u / level) * mean;
        w *= (-share * piece / level).exp();
        let size = norm([u, w]);
        if size.re() > limit.re() {
            (u, w) = (u * limit / size, w * limit / size);
        }
    }
    back(u, w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(law: Planar, moves: &[([f64; 2], f64)]) -> Vec<[f64; 2]> {
        let (p, elements) = law.line().spec().typical();
        let mut z = vec![[0.0; 2]; law.states(elements)];
        let mut next = z.clone();
        moves
            .iter()
            .map(|&(v, h)| {
                let effort = law.advance(&p, &z, v, h, &mut next);
                z.copy_from_slice(&next);
                effort
            })
            .collect()
    }

    fn turned([x, y]: [f64; 2], angle: f64) -> [f64; 2] {
        let (sin, cos) = angle.sin_cos();
        [cos * x - sin * y, sin * x + cos * y]
    }

    fn far(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
    }

    fn moves() -> impl Strategy<Value = Vec<([f64; 2], f64)>> {
        let step = ((-5.0..-1.0f64), (0.0..std::f64::consts::TAU), (-4.0..0.0f64))
            .prop_map(|(speed, angle, h)| (turned([10f64.powf(speed), 0.0], angle), 10f64.powf(h)));
        prop::collection::vec(step, 1..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

        /// SP-R6: turning the motion turns the effort, for all laws but the filter per axis.
        #[test]
        fn isotropic(moves in moves(), angle in 0.0..std::f64::consts::TAU) {
            for &law in Planar::ALL.iter().filter(|law| **law != Planar::PowerAxes) {
                let turned_moves: Vec<_> = moves.iter().map(|&(v, h)| (turned(v, angle), h)).collect();
                let expected: Vec<_> = run(law, &moves).into_iter().map(|y| turned(y, angle)).collect();
                prop_assert!(far(&run(law, &turned_moves), &expected) < 1e-9, "{law:?}");
            }
        }

        /// On a straight line every one is the law of one dimension.
        #[test]
        fn a_line_is_the_law_of_one_dimension(moves in moves(), angle in 0.0..std::f64::consts::TAU) {
            for &law in Planar::ALL {
                let angle = if law == Planar::PowerAxes { 0.0 } else { angle };
                let (p, elements) = law.line().spec().typical();
                let line: Vec<(f64, f64)> = moves.iter().map(|&(v, h)| (v[0], h)).collect();
                let planar: Vec<_> = line.iter().map(|&(v, h)| (turned([v, 0.0], angle), h)).collect();
                let mut z = vec![0.0; law.line().states(elements)];
                let (mut next, mut m) = (z.clone(), vec![0.0; law.line().memory(elements)]);
                let expected: Vec<[f64; 2]> = line.iter().map(|&(v, h)| {
                    let effort = law.line().advance(&p, &z, &m, v, h, &mut next);
                    z.copy_from_slice(&next);
                    law.line().commit(&p, &z, v, &mut m);
                    turned([effort, 0.0], angle)
                }).collect();
                prop_assert!(far(&run(law, &planar), &expected) < 1e-7, "{law:?}");
            }
        }

        /// Many short steps at a held velocity are what the rates say: the two forms are one law.
        #[test]
        fn rates_are_steps_in_the_limit(first in moves(), last in moves()) {
            for &law in Planar::ALL.iter().filter(|law| law.continuous()) {
                let (p, elements) = law.line().spec().typical();
                let mut z = vec![[0.0; 2]; law.states(elements)];
                let (mut next, mut rates) = (z.clone(), z.clone());
                for &(v, h) in &first {
                    law.advance(&p, &z, v, h, &mut next);
                    z.copy_from_slice(&next);
                }
                let (v, h) = (last[0].0, 1e-11);
                let effort = law.rate(&p, &z, v, &mut rates);
                let stepped = law.advance(&p, &z, v, h, &mut next);
                let size = 1.0 + f64::hypot(effort[0], effort[1]);
                prop_assert!(far(&[effort], &[stepped]) < 1e-4 * size, "{law:?} {effort:?} {stepped:?}");
                for ((&z, &z1), &rate) in z.iter().zip(&next).zip(&rates) {
                    let expected = [(z1[0] - z[0]) / h, (z1[1] - z[1]) / h];
                    let size = 1.0 + rate[0].hypot(rate[1]) + z[0].hypot(z[1]) * 1e3;
                    prop_assert!(far(&[rate], &[expected]) < 1e-4 * size, "{law:?} {rate:?} {expected:?}");
                }
            }
        }

        /// The effort of the bristles stays within the level at rest for any motion and step.
        #[test]
        fn effort_is_bounded(moves in moves()) {
            for (law, level) in [(Planar::Dahl, 1.0), (Planar::LuGre, 1.5), (Planar::ElastoPlastic, 1.5), (Planar::MaxwellSlip, 1.0)] {
                for y in run(law, &moves) {
                    prop_assert!(y[0].hypot(y[1]) <= level * (1.0 + 1e-9), "{law:?} {y:?}");
                }
            }
        }
    }

    /// Specker 3.3: the filter per coordinate does depend on the axes, that per friction point does not.
    #[test]
    fn filter_per_axis_depends_on_the_axes() {
        let path = |angle: f64| -> Vec<([f64; 2], f64)> {
            (0..300)
                .map(|k| {
                    let t = 0.01 * f64::from(k);
                    (turned([0.02 * (7.0 * t).cos(), 0.004 * (3.0 * t).sin()], angle), 0.01)
                })
                .collect()
        };
        let open = |law: Planar| {
            let expected: Vec<_> = run(law, &path(0.0)).into_iter().map(|y| turned(y, 0.6)).collect();
            far(&run(law, &path(0.6)), &expected)
        };
        assert!(open(Planar::PowerAxes) > 0.01);
        assert!(open(Planar::PowerPoint) < 1e-12);
    }

    /// SP-R6: the planar force of (2.23) at a velocity at 45 degrees, and dissipation.
    #[test]
    fn power_force_is_along_the_velocity() {
        let p = [1.0, 1.4, 5e-3, 1e-2, 0.1];
        let y = Planar::Power.advance(&p, &[], [6e-3, 8e-3], 1e-3, &mut []);
        assert!((y[0].hypot(y[1]) - 1.4).abs() < 1e-12 && (y[0] / y[1] - 0.75).abs() < 1e-12);
    }

    /// Sliding round a circle, a bristle lags behind the velocity: the effort has a part across it that vanishes with the
    /// curvature.
    #[test]
    fn effort_lags_on_a_curve() {
        const SPEED: f64 = 1.5e-4;
        let across = |radius: f64| {
            let moves: Vec<_> = (0..4000)
                .map(|k| (turned([SPEED, 0.0], SPEED / radius * 1e-3 * f64::from(k)), 1e-3))
                .collect();
            let (y, v) = (run(Planar::Dahl, &moves)[3999], moves[3999].0);
            (y[0] * v[1] - y[1] * v[0]) / SPEED
        };
        assert!(across(5e-5).abs() > 5.0 * across(5e-4).abs() && across(5e-5).abs() > 0.1);
    }
}
