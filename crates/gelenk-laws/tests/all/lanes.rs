//! Laws in lockstep are those of single runs, lane by lane.

use gelenk_laws::{Driven, Friction};
use gelenk_math::{Dual, Lanes, Lockstep, Slope, partial, seed};

use gelenk_testing::random::Random;

/// Lanes of the tests: no power of two of the products, so that nothing hides in the last lane.
const N: usize = 5;

/// Parameters, states, memory and velocity of one run.
struct Case {
    p: Vec<f64>,
    z: Vec<f64>,
    m: Vec<f64>,
    v: f64,
}

/// A law after a random motion, with parameters of its own; the first lane keeps the typical ones, for which laws have
/// shortcuts.
fn case(law: Friction, lane: usize, random: &mut Random) -> Case {
    let mut driven = Driven::typical(law).unwrap();
    for _ in 0..random.between(0.0, 30.0) as usize {
        driven.step(velocity(random), step(random));
    }
    let (z, m) = driven.state();
    let choice = |k: usize| law.spec().params.get(k).is_some_and(|param| !param.choices.is_empty());
    let own = |(k, &p): (usize, &f64)| {
        if lane == 0 || choice(k) { p } else { p * random.between(1.0, 1.2) }
    };
    let p = driven.parameters().iter().enumerate().map(own).collect();
    let (z, m) = (z.to_vec(), m.to_vec());
    Case { p, z, m, v: velocity(random) }
}

/// Zero, both signs, and all magnitudes from creeping to fast sliding.
fn velocity(random: &mut Random) -> f64 {
    let size = random.sign() * random.decades(-6.0, 1.0);
    if random.between(0.0, 1.0) < 0.2 { 0.0 } else { size }
}

fn step(random: &mut Random) -> f64 {
    random.decades(-6.0, -1.0)
}

/// Lists of the cases side by side.
fn beside<T: Lockstep>(lists: [&[f64]; N], lanes: impl Fn([f64; N]) -> T) -> Vec<T> {
    (0..lists[0].len()).map(|k| lanes(lists.map(|list| list[k]))).collect()
}

fn near(a: f64, b: f64, scale: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (b.abs() + scale)
}

/// Effort and states of a form on one run; `None` for the continuous one.
fn single<T: gelenk_math::Real>(law: Friction, case: &Case, h: Option<f64>, v: T) -> (T, Vec<T>) {
    let constants = |list: &[f64]| list.iter().map(|&x| T::c(x)).collect::<Vec<T>>();
    let (p, z) = (constants(&case.p), constants(&case.z));
    let mut out = z.clone();
    let y = match h {
        None => law.rate(&p, &z, &case.m, v, &mut out),
        Some(h) => law.advance(&p, &z, &case.m, v, h, &mut out),
    };
    (y, out)
}

/// The same of all cases at once.
fn together<T: Lockstep<Plain = Lanes<N>>>(
    law: Friction,
    cases: &[Case; N],
    h: Option<f64>,
    v: T,
) -> (T, Vec<T>) {
    let constants =
        |list: fn(&Case) -> &[f64]| beside(std::array::from_fn(|k| list(&cases[k])), |x| T::fixed(Lanes(x)));
    let (p, z) = (constants(|case| &case.p), constants(|case| &case.z));
    let m = beside(std::array::from_fn(|k| cases[k].m.as_slice()), Lanes);
    let mut out = z.clone();
    let y = match h {
        None => law.rate_lanes(&p, &z, &m, v, &mut out),
        Some(h) => law.advance_lanes(&p, &z, &m, v, h, &mut out),
    };
    (y, out)
}

/// Every law, in both forms, with its derivative by the velocity: as on single runs to rounding, for random parameters, states
/// and velocities, zero among them.
#[test]
fn every_law_in_lockstep() {
    let mut random = Random::new(25);
    for &law in Friction::ALL {
        let name = law.spec().name;
        for round in 0..300 {
            let cases: [Case; N] = std::array::from_fn(|lane| case(law, lane, &mut random));
            let v = Lanes(std::array::from_fn(|k| cases[k].v));
            let h = (round % 2 == 0).then(|| step(&mut random));
            let (y, z) = together(law, &cases, h, v);
            let (slope, slopes) = together(law, &cases, h, Slope::seed(v));
            for (k, case) in cases.iter().enumerate() {
                let (expected, states) = single(law, case, h, case.v);
                let at = format!("{name}, step {h:?}, v = {}", case.v);
                assert!(near(y.0[k], expected, 1.0, 1e-12), "{at}: {} instead of {expected}", y.0[k]);
                let size = states.iter().fold(0.0f64, |size, z| size.max(z.abs()));
                for (z, &expected) in z.iter().zip(&states) {
                    assert!(near(z.0[k], expected, size, 1e-12), "{at}: {} instead of {expected}", z.0[k]);
                }
                let (dual, duals) = single::<Dual>(law, case, h, seed(case.v, 0));
                let (own, wanted) = (slope.eps.0[k], partial(dual, 0));
                assert!(near(own, wanted, 1.0, 1e-9), "{at}: slope {own} instead of {wanted}");
                assert!(near(slope.re.0[k], expected, 1.0, 1e-12), "{at}");
                for (z, expected) in slopes.iter().zip(duals) {
                    let (own, wanted) = (z.eps.0[k], partial(expected, 0));
                    assert!(near(own, wanted, 1.0, 1e-9), "{at}: slope {own} instead of {wanted}");
                }
            }
        }
    }
}
