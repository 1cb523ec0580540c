//! Motions through turning points: loops, their closure, memory and work.

use super::Scales;
use crate::Driven;
use crate::contract::Memory;

/// A point of a driven motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time (s).
    pub t: f64,
    /// Position (m, rad).
    pub x: f64,
    /// Velocity (m/s, rad/s).
    pub v: f64,
    /// Force (N, N m).
    pub force: f64,
}

/// Moves `driven` from where it is through the positions of `turns` at `speed`, with `samples` samples a leg.
pub fn path(driven: &mut Driven, turns: &[f64], speed: f64, samples: usize) -> Vec<Sample> {
    let mut out = Vec::with_capacity(turns.len() * samples);
    let mut t = 0.0;
    for &to in turns {
        let from = driven.travel();
        let v = speed * (to - from).signum();
        for k in 1..=samples {
            // Every sample ends where it must, so that errors of position do not add up over a leg.
            let x = from + (to - from) * (k as f64 / samples as f64);
            let h = (x - driven.travel()) / v;
            if h <= 0.0 || !h.is_finite() {
                continue;
            }
            driven.step(v, h);
            t += h;
            out.push(Sample { t, x: driven.travel(), v, force: driven.effort() });
        }
    }
    out
}

/// How a minor loop closes (ruderman 3.9).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closure {
    /// Force when the loop comes back to where it left, less the force it left with (N, N m).
    pub error: f64,
    /// The same as a share of the largest force on the way.
    pub relative: f64,
    /// Work of the branch back less that of the branch forth, each measured from its turning point (J): zero for
    /// non-local memory (2.21), the plastic share for local memory (2.22).
    pub work: f64,
}

/// A minor loop: from no history to `2 a`, back by `a`, forth by `a`, all at `speed`.
pub fn closure(driven: &mut Driven, a: f64, speed: f64) -> Closure {
    const SAMPLES: usize = 400;
    driven.reset();
    let virgin = path(driven, &[2.0 * a], speed, SAMPLES);
    let left = driven.effort();
    let back = path(driven, &[a], speed, SAMPLES);
    let turned = driven.effort();
    let forth = path(driven, &[2.0 * a], speed, SAMPLES);
    let error = driven.effort() - left;
    let most = virgin.iter().chain(&back).chain(&forth).map(|s| s.force.abs()).fold(0.0, f64::max);
    // Both branches as change of force since their turning point.
    let area = |branch: &[Sample], start: f64| {
        let mut before = (0.0, 0.0);
        let origin = branch.first().map_or(0.0, |s| s.x);
        branch.iter().fold(0.0, |sum, s| {
            let now = ((s.x - origin).abs(), (s.force - start).abs());
            let step = 0.5 * (now.0 - before.0) * (now.1 + before.1);
            before = now;
            sum + step
        })
    };
    let work = area(&forth, turned) - area(&back, left);
    let relative = if most > 0.0 { error / most } else { 0.0 };
    Closure { error, relative, work }
}

/// The memory of a law, from the closure of nested minor loops of several sizes, each at one slow speed.
pub fn memory(driven: &mut Driven, scales: &Scales) -> Memory {
    let speed = scales.slow;
    driven.reset();
    path(driven, &[3.0 * scales.distance], speed, 200);
    let moving = driven.effort();
    let reversed = driven.trial(-speed, 1e-6 * scales.distance / speed);
    path(driven, &[0.0], speed, 200);
    // Without memory the force after a reversal is at once what it stays.
    if (reversed - driven.effort()).abs() <= 1e-3 * moving.abs().max(reversed.abs()) {
        return Memory::None;
    }
    let sizes = [0.1, 0.25, 0.5, 1.0];
    let worst = sizes.iter().map(|share| closure(driven, share * scales.distance, speed).relative.abs());
    if worst.fold(0.0, f64::max) < 1e-3 { Memory::NonLocal } else { Memory::Local }
}

/// Largest difference of the force along one path at `speed` and at `factor` times it, as a share of the largest force
/// (ruderman 3.5.3: rate independence under an affine change of time).
pub fn rate_dependence(driven: &mut Driven, distance: f64, speed: f64, factor: f64) -> f64 {
    let turns = [1.0, -0.4, 0.7, -1.0, 0.1, -0.3].map(|x| x * distance);
    let mut run = |speed: f64| {
        driven.reset();
        path(driven, &turns, speed, 100)
    };
    let (slow, fast) = (run(speed), run(factor * speed));
    let most = slow.iter().map(|s| s.force.abs()).fold(f64::MIN_POSITIVE, f64::max);
    slow.iter().zip(&fast).map(|(a, b)| (a.force - b.force).abs() / most).fold(0.0, f64::max)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Friction;

    fn lugre() -> Driven {
        Driven::with(Friction::LuGre, &[("breakaway", &[1.5]), ("stribeck", &[1e-3]), ("sigma0", &[1e5])])
            .unwrap()
    }

    fn maxwell() -> Driven {
        Driven::with(
            Friction::MaxwellSlip,
            &[("stiffness", &[50.0, 30.0, 20.0]), ("level", &[0.4, 0.6, 1.0])],
        )
        .unwrap()
    }

    /// RU-R13: sliders remember all turning points (ruderman 3.2), the bristle only where it stands (table 3.10).
    #[test]
    fn memory_tells_bristles_from_sliders() {
        for (mut driven, expected) in [(lugre(), Memory::Local), (maxwell(), Memory::NonLocal)] {
            let scales = Scales::of(&mut driven);
            assert_eq!(memory(&mut driven, &scales), expected);
        }
        let mut coulomb = Driven::typical(Friction::Coulomb).unwrap();
        let scales = Scales::of(&mut coulomb);
        assert_eq!(memory(&mut coulomb, &scales), Memory::None);
    }

    /// RU-R13, closed form of a bristle at `v -> 0` (`z' = sigma0 (1 - z/F_S)`): the branch back of length `a` and the
    /// one forth leave an open loop of known height.
    #[test]
    fn closure_error_of_the_bristle_is_the_closed_form() {
        let (level, sigma0, a) = (1.5, 1e5, 1e-5);
        let up = |z: f64, x: f64| level - (level - z) * (-sigma0 * x / level).exp();
        let left = up(0.0, 2.0 * a);
        let again = up(-up(-left, a), a);
        let found = closure(&mut lugre(), a, 1e-9);
        assert!((found.error - (again - left)).abs() < 1e-6, "{found:?} {}", again - left);
        assert!(closure(&mut maxwell(), 0.01, 1.0).relative.abs() < 1e-12);
    }

    /// RU-R14: sliders do not know time; LuGre with a Stribeck curve does.
    #[test]
    fn rate_independence_is_seen() {
        assert!(rate_dependence(&mut maxwell(), 0.05, 1.0, 1000.0) < 1e-12);
        assert!(rate_dependence(&mut lugre(), 5e-5, 1e-5, 1000.0) > 0.05);
    }
}
