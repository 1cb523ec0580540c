//! What each property of a law means: every law of the registry is moved at random with its typical parameters, and has
//! to behave as it says, whichever way it answers. A law that says no has to be caught.
//!
//! A hundred motions a law, or ten thousand with `GELENK_FULL=1`.

use gelenk_testing::random::Random;

use crate::rig::{Mass, motion, motions};
use gelenk_laws::{Driven, Friction, Memory, Properties};

/// Typical presliding (m): the level over the stiffness, `F_C/sigma0`.
const PRESLIDING: f64 = 1e-5;
/// Typical Stribeck velocity (m/s).
const STRIBECK: f64 = 1e-3;
/// Mass on a law (kg): it rings on the typical stiffness with 110 Hz.
const MASS: f64 = 0.2;

/// Runs a measure on every law and collects the laws that do not do what they say.
fn every_law(says: impl Fn(Properties) -> bool, does: impl Fn(Friction) -> (bool, String)) {
    let mut wrong = Vec::new();
    for &law in Friction::ALL {
        let answer = says(law.spec().properties);
        let (found, measured) = does(law);
        if answer != found {
            wrong.push(format!("{} says {answer}, does {found}: {measured}", law.spec().name));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The largest measure over random motions.
fn largest(law: Friction, measure: impl Fn(Friction, &[(f64, f64)]) -> f64) -> f64 {
    let mut random = Random::new(7);
    (0..motions()).map(|_| measure(law, &motion(&mut random, 30))).fold(0.0, f64::max)
}

/// Efforts along a motion, with velocities multiplied and steps divided.
fn efforts(law: Friction, moves: &[(f64, f64)], factor: f64, slower: f64) -> Vec<f64> {
    let mut driven = Driven::typical(law).unwrap();
    moves.iter().map(|&(v, h)| driven.step(factor * v / slower, slower * h)).collect()
}

/// Level of fast sliding with typical parameters.
fn sliding_level(law: Friction) -> f64 {
    law.steady(&law.spec().typical().0, 0.5).abs()
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + a.abs())).fold(0.0, f64::max)
}

/// The typical parameters are admissible, without a caution.
#[test]
fn typical_parameters_are_admissible() {
    for &law in Friction::ALL {
        let (p, elements) = law.spec().typical();
        assert_eq!(p.len(), law.spec().param_count(elements), "{}", law.spec().name);
        assert_eq!(law.validate(&p, elements), Ok(()));
        assert_eq!(law.caution(&p), None);
        assert!(law.spec().params.iter().all(|param| !param.meaning.is_empty()));
    }
}

/// Trial steps have a finite tangent at any velocity, also at rest and far beyond the typical ones.
#[test]
fn tangents_are_finite() {
    for &law in Friction::ALL {
        let (p, elements) = law.spec().typical();
        let z = vec![0.0; law.states(elements)];
        let mut m = vec![0.0; law.memory(elements)];
        law.commit(&p, &z, 1.0, &mut m);
        for v in [-1e6, -10.0, -1e-9, 0.0, 1e-300, 1e-9, 1e-3, 1.0, 1e3, 1e6] {
            let (y, slope) = law.tangent(&p, &z, &m, v, 1e-3);
            assert!(y.is_finite() && slope.is_finite(), "{} at {v}: {y} {slope}", law.spec().name);
        }
    }
}

/// RU-R10, bounded: over any motion up to 3 m/s, in steps from 0.1 ms to 1000 s, no state exceeds ten times its scale;
/// a law that says no exceeds a hundred times it in long sliding or long creeping.
#[test]
fn bounded() {
    let over = |driven: &Driven, scale: &[f64]| {
        driven.state().0.iter().zip(scale).map(|(z, scale)| z.abs() / scale).fold(0.0, f64::max)
    };
    every_law(
        |says| says.bounded,
        |law| {
            let (p, elements) = law.spec().typical();
            let mut scale = vec![1.0; law.states(elements)];
            law.scale(&p, &mut scale);
            let mut worst: f64 = 0.0;
            let mut random = Random::new(11);
            for _ in 0..motions() {
                let mut driven = Driven::typical(law).unwrap();
                for (v, h) in motion(&mut random, 30) {
                    driven.step(100.0 * v, if h > 0.1 { 1e4 * h } else { h });
                    worst = worst.max(over(&driven, &scale));
                }
            }
            for (v, h) in [(0.5, 1e-2), (5e-8, 1.0)] {
                let mut driven = Driven::typical(law).unwrap();
                driven.run(v, h, 100_000);
                worst = worst.max(over(&driven, &scale));
            }
            assert!(!(10.0..100.0).contains(&worst), "{}: {worst}", law.spec().name);
            (worst < 10.0, format!("{worst} times the scale"))
        },
    );
}

/// RU-R10, odd: the mirrored motion gives the mirrored effort to rounding.
#[test]
fn odd() {
    every_law(
        |says| says.odd,
        |law| {
            let worst = largest(law, |law, moves| {
                let mirrored: Vec<f64> = efforts(law, moves, -1.0, 1.0).iter().map(|y| -y).collect();
                difference(&efforts(law, moves, 1.0, 1.0), &mirrored)
            });
            assert!(!(1e-9..1e-3).contains(&worst), "{}: {worst}", law.spec().name);
            (worst < 1e-9, format!("differs by {worst}"))
        },
    );
}

/// RU-R14, rate-independent: the same path ten times slower or a thousand times faster gives the same efforts.
#[test]
fn rate_independent() {
    every_law(
        |says| says.rate_independent,
        |law| {
            let worst = largest(law, |law, moves| {
                let plain = efforts(law, moves, 1.0, 1.0);
                let slow = difference(&plain, &efforts(law, moves, 1.0, 10.0));
                slow.max(difference(&plain, &efforts(law, moves, 1.0, 1e-3)))
            });
            assert!(!(1e-9..1e-3).contains(&worst), "{}: {worst}", law.spec().name);
            (worst < 1e-9, format!("differs by {worst}"))
        },
    );
}

/// The opening of a small loop of this length at constant speed after a random history, in shares of the level.
fn opening(law: Friction, [length, speed]: [f64; 2], random: &mut Random) -> f64 {
    let mut driven = Driven::typical(law).unwrap();
    let mut go = |dx: f64| {
        let n = (dx.abs() / (5e-3 * length)).ceil().max(1.0);
        driven.run(speed * dx.signum(), dx.abs() / n / speed, n as usize)
    };
    for k in 0..4 {
        let dx = length * random.decades(-1.3, 0.4);
        go(if k % 2 == 0 { -dx } else { dx });
    }
    let out = length * random.decades(-0.8, 0.4);
    go(-length * random.decades(-1.3, 0.4));
    let before = go(out);
    let back = out * random.between(0.05, 0.45);
    go(-back);
    (go(back) - before).abs() / sliding_level(law)
}

/// RU-R13, memory: none if the effort of a step does not depend on what came before; non-local if every small loop at
/// constant speed closes to 1e-9 of the level; local if one stays open by more than 1e-3.
#[test]
fn memory() {
    let found = |law: Friction| {
        let remembered = largest(law, |law, moves| {
            let mut driven = Driven::typical(law).unwrap();
            moves.iter().for_each(|&(v, h)| {
                driven.step(v, h);
            });
            let (v, h) = (0.5 * STRIBECK, 0.05 * PRESLIDING / STRIBECK);
            let fresh = Driven::typical(law).unwrap().step(v, h);
            (driven.step(v, h) - fresh).abs() / sliding_level(law)
        });
        if remembered < 1e-9 {
            return (Memory::None, remembered);
        }
        let mut random = Random::new(5);
        // Loops of presliding, and long ones for laws whose memory is a matter of time.
        let loops = [[PRESLIDING, 0.2 * STRIBECK], [2e-2, 2e-2]];
        let of = |random: &mut Random| {
            loops.map(|size| opening(law, size, random)).into_iter().fold(0.0, f64::max)
        };
        let open = (0..motions()).map(|_| of(&mut random)).fold(0.0, f64::max);
        assert!(!(1e-9..1e-3).contains(&open), "{}: {open}", law.spec().name);
        (if open < 1e-9 { Memory::NonLocal } else { Memory::Local }, open)
    };
    every_law(
        |_| true,
        |law| {
            let (memory, open) = found(law);
            let says = law.spec().properties.memory;
            (memory == says, format!("memory {}: {open}", memory.name()))
        },
    );
}

/// RU-R13, drifts: a free mass under `F_C (0.6 + 0.25 sin 2 pi t)` (RU-13) goes on creeping: within twenty-four cycles, after
/// as many to settle, its mean place leaves the swing of a cycle. What rings without going anywhere does not.
#[test]
fn drifts() {
    every_law(
        |says| says.drifts,
        |law| {
            let level = sliding_level(law);
            let mut mass = Mass::new(law, MASS);
            let (cycle, h) = (1000, 1e-3);
            let (mut means, mut swing) = (Vec::new(), 0.0);
            for k in 0..48 {
                let (mut low, mut high, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
                for i in 0..cycle {
                    let t = h * f64::from(k * cycle + i + 1);
                    mass.step(level * (0.6 + 0.25 * (std::f64::consts::TAU * t).sin()), h);
                    (low, high) = (mass.x.min(low), mass.x.max(high));
                    sum += mass.x;
                }
                means.push(sum / f64::from(cycle));
                swing = high - low;
            }
            let swings = (means[47] - means[23]).abs() / swing.max(1e-12);
            // No law is near the border: the slowest leaves its swing ten times over.
            assert!(!(0.1..5.0).contains(&swings), "{}: {swings}", law.spec().name);
            (swings > 1.0, format!("moved by {swings} times the swing {swing}"))
        },
    );
}

/// RU-R13, sticks: a free mass under a load that rises within a second to half the level and stays there does not move by
/// more than 1e-9 m in the ten seconds that follow one second of rest.
#[test]
fn sticks() {
    every_law(
        |says| says.sticks,
        |law| {
            let level = sliding_level(law);
            let mut mass = Mass::new(law, MASS);
            let mut early = 0.0;
            for k in 1..=12_000 {
                let t = 1e-3 * f64::from(k);
                mass.step(0.5 * level * t.min(1.0), 1e-3);
                if k == 2000 {
                    early = mass.x;
                }
            }
            let moved = (mass.x - early).abs();
            assert!(!(1e-9..1e-7).contains(&moved), "{}: {moved}", law.spec().name);
            (moved < 1e-9, format!("moved by {moved}"))
        },
    );
}

/// Legs of a random motion with cycles: displacements and speeds. Each leg begins at one speed and ends at another.
fn cycles(random: &mut Random) -> Vec<(f64, f64)> {
    let side = random.sign();
    let mut leg = |sign: f64, most: f64| {
        let (dx, share) = ((PRESLIDING * random.decades(-1.8, 0.4)).min(most), random.between(0.1, 0.9));
        [share, 1.0 - share].map(|share| (side * sign * dx * share, STRIBECK * random.decades(-2.0, 1.3)))
    };
    let first = leg(1.0, 1.0);
    let back = leg(-1.0, 1.0);
    let forth = leg(1.0, -side * (back[0].0 + back[1].0));
    let round = [back, forth].concat();
    first.into_iter().chain(round.into_iter().cycle().take(16)).collect()
}

/// The deepest debt of the work over a motion in steps of `1/n` of a leg, in shares of all work that went in and out.
fn debt(law: Friction, legs: &[(f64, f64)], n: u32) -> f64 {
    let mut driven = Driven::typical(law).unwrap();
    let (mut moved, mut worst) = (0.0, 0.0f64);
    for &(dx, speed) in legs {
        for _ in 0..n {
            let before = driven.work();
            driven.step(speed * dx.signum(), dx.abs() / f64::from(n) / speed);
            moved += (driven.work() - before).abs();
            worst = worst.min(driven.work() / (moved + 1e-15));
        }
    }
    -worst
}

/// RU-R16, passive: no motion from the start takes out more than went in. A debt counts if it is still there in steps a
/// quarter as long, so that the error of the steps does not; a law that says no is caught with more than a thousandth of
/// what was moved.
#[test]
fn passive() {
    every_law(
        |says| says.passive,
        |law| {
            let mut random = Random::new(3);
            let of = |legs: Vec<(f64, f64)>| match debt(law, &legs, 60) {
                found if found > 0.0 => debt(law, &legs, 240),
                none => none,
            };
            let worst = (0..motions().max(300)).map(|_| of(cycles(&mut random))).fold(0.0, f64::max);
            assert!(!(1e-12..1e-3).contains(&worst), "{}: {worst}", law.spec().name);
            (worst < 1e-12, format!("gives out {worst} of what was moved"))
        },
    );
}

/// What a law says that it stores is what was put in: a small, slow displacement from rest stays far below sliding, so its
/// work is stored up to the share of the level that was reached, `1e-4` here (closed form: `F x/2` of a spring). A law that
/// stores twice that, or without the half of the square, is caught.
#[test]
fn a_small_displacement_is_stored() {
    let mut storing = Vec::new();
    for &law in Friction::ALL {
        let mut driven = Driven::typical(law).unwrap();
        let (steps, h) = (2000, 1.0);
        driven.run(5e-5 * PRESLIDING / f64::from(steps), h, steps as usize);
        let (work, stored) = (driven.work(), driven.stored());
        let name = law.spec().name;
        if stored == 0.0 {
            continue;
        }
        storing.push(name);
        assert!((stored / work - 1.0).abs() < 2e-3, "{name}: {stored} J of {work} J");
        assert!(driven.effort().abs() < 1e-3 * sliding_level(law), "{name}: {} N", driven.effort());
    }
    assert!(storing.len() >= 10 && storing.contains(&"lugre"), "{storing:?}");
}
