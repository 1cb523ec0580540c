//! Simple bodies in contact.

use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_mesh::simple::{Simple, Spots};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const BALL: Simple<f64> = Simple::Sphere { radius: 0.1 };
const CAPSULE: Simple<f64> = Simple::Capsule { radius: 0.05, length: 0.3 };
const BOX: Simple<f64> = Simple::Box { size: [0.4, 0.3, 0.2] };
const ALL: [Simple<f64>; 5] = [Simple::Point, Simple::Plane, BALL, CAPSULE, BOX];

fn found(first: Simple<f64>, second: Simple<f64>, place: [f64; 3], turn: [f64; 3]) -> Spots<f64> {
    let mut spots = Spots::new();
    spots.find(&first, &second, &Pose::new(cardan(turn), Vec3::from(place)));
    spots
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// H-R39, closed forms: depth, place and normal of every pair in a plain pose, the second body above the first.
#[test]
fn plain_poses() {
    let turned = [std::f64::consts::FRAC_PI_2, 0.0, 0.0];
    let flat = [0.0; 3];
    // First, second, height of the second, its turn, number of spots; all 10 mm deep.
    type Case = (Simple<f64>, Simple<f64>, f64, [f64; 3], usize);
    let cases: [Case; 16] = [
        (Simple::Plane, Simple::Point, -0.01, flat, 1),
        (Simple::Plane, BALL, 0.09, flat, 1),
        (Simple::Plane, CAPSULE, 0.19, flat, 1),
        (Simple::Plane, CAPSULE, 0.04, turned, 2),
        (Simple::Plane, BOX, 0.09, flat, 4),
        (BALL, Simple::Point, 0.09, flat, 1),
        (BALL, BALL, 0.19, flat, 1),
        (BALL, CAPSULE, 0.14, turned, 1),
        (BALL, BOX, 0.19, flat, 1),
        (CAPSULE, Simple::Point, 0.19, flat, 1),
        (CAPSULE, CAPSULE, 0.39, flat, 1),
        (CAPSULE, BOX, 0.29, flat, 1),
        (BOX, Simple::Point, 0.09, flat, 1),
        (BOX, BALL, 0.19, flat, 1),
        (BOX, CAPSULE, 0.14, turned, 2),
        (BOX, BOX, 0.19, flat, 4),
    ];
    for (first, second, height, turn, count) in cases {
        let spots = found(first, second, [0.0, 0.0, height], turn);
        assert_eq!(spots.all().len(), count, "{first:?} {second:?}");
        near(spots.gap, -0.01);
        for spot in spots.all() {
            near(spot.depth * spot.weight, 0.01);
            near((spot.normal - Vec3::new(0.0, 0.0, -1.0)).norm(), 0.0);
        }
        let apart = found(first, second, [0.0, 0.0, height + 0.03], turn);
        assert!(apart.all().is_empty());
        near(apart.gap, 0.02);
    }
    assert!(found(Simple::Plane, Simple::Plane, [0.0; 3], flat).all().is_empty());
}

/// Capsules beside each other rest on both ends of their common length; crossed ones on one place.
#[test]
fn capsules_lie_on_each_other() {
    let spots = found(CAPSULE, CAPSULE, [0.09, 0.0, 0.1], [0.0; 3]);
    let places: Vec<f64> = spots.all().iter().map(|spot| spot.position.z).collect();
    assert_eq!(places.len(), 2);
    near(places[0], -0.05);
    near(places[1], 0.15);
    let crossed = found(CAPSULE, CAPSULE, [0.09, 0.0, 0.02], [0.7, 0.0, 0.0]);
    assert_eq!(crossed.all().len(), 1);
    near(crossed.all()[0].depth, 0.01);
    // The normal is along x, across both.
    near(crossed.all()[0].normal.x, -1.0);
}

/// Two plates on each other, turned by 45 degrees: the common octagon.
#[test]
fn faces_are_clipped() {
    let plate = Simple::Box { size: [1.0, 1.0, 0.1] };
    let spots = found(plate, plate, [0.0, 0.0, 0.098], [0.0, 0.0, std::f64::consts::FRAC_PI_4]);
    assert_eq!(spots.all().len(), 8);
    // Together as stiff as the four corners of a rectangle.
    spots.all().iter().for_each(|spot| near(spot.weight, 0.5));
    // A regular octagon of width 1 has its corners at 1/(2 cos 22.5 deg).
    let radius = 0.5 / (std::f64::consts::PI / 8.0).cos();
    for spot in spots.all() {
        near(spot.position.xy().norm(), radius);
        near(spot.depth, 0.002);
    }
    // Two long bars across each other, edges first: one place.
    let bar = Simple::Box { size: [2.0, 0.1, 0.1] };
    let quarter = std::f64::consts::FRAC_PI_4;
    let height = 2.0 * 0.05 * 2f64.sqrt() - 0.003;
    let mut spots = Spots::new();
    let lower = cardan([quarter, 0.0, 0.0]);
    let upper = cardan([0.0, 0.0, std::f64::consts::FRAC_PI_2]) * cardan([quarter, 0.0, 0.0]);
    let pose = Pose::new(lower.transpose() * upper, lower.transpose() * Vec3::new(0.0, 0.0, height));
    spots.find(&bar, &bar, &pose);
    assert_eq!(spots.all().len(), 1);
    near(spots.all()[0].depth, 0.003);
}

/// Wrench on the first body, the moment about its origin, of a law of 1 N/m.
fn wrench(spots: &Spots<f64>) -> [Vec3<f64>; 2] {
    spots.all().iter().fold([Vec3::zeros(); 2], |[force, moment], spot| {
        let part = spot.normal * (spot.depth * spot.weight);
        [force + part, moment + spot.position.cross(&part)]
    })
}

/// The largest change of the wrench in a step of a path along which two boxes, up to 30 mm deep, slide and turn on each
/// other.
fn roughest(first: &Simple<f64>, second: &Simple<f64>, path: u32, steps: u32) -> f64 {
    let golden = |k: f64| (f64::from(path) * k).fract() * 2.0 - 1.0;
    let towards = Vec3::new(golden(0.618), golden(0.414), golden(0.732)).normalize();
    let way = Vec3::new(golden(0.302), golden(0.236), golden(0.449)) * 0.1;
    let turn = [0.123, 0.321, 0.567].map(|k| 3.0 * golden(k));
    let more = [0.789, 0.147, 0.963].map(|k| 0.5 * golden(k));
    let mut spots = Spots::new();
    let mut at = |distance: f64, s: f64| {
        let angles = [0, 1, 2].map(|k| turn[k] + s * more[k]);
        spots.find(first, second, &Pose::new(cardan(angles), towards * distance + way * s));
        (spots.gap, wrench(&spots))
    };
    // Ten millimetres deep half way.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if at(middle, 0.5).0 < -0.01 { low = middle } else { high = middle }
    }
    let mut before: Option<[Vec3<f64>; 2]> = None;
    let mut worst = 0.0f64;
    for step in 0..=steps {
        let (gap, now) = at(low, f64::from(step) / f64::from(steps));
        if let Some([force, moment]) = before {
            worst = worst.max((now[0] - force).norm() + (now[1] - moment).norm() / 0.2);
        }
        before = (gap > -0.03).then_some(now);
    }
    worst
}

/// The force of two boxes is continuous in their pose: with steps a sixteenth as long it changes by far less, too,
/// where corners of the common part come and go, faces take over from faces and edges from faces.
#[test]
fn boxes_slide_without_jumps() {
    let other = Simple::Box { size: [0.25, 0.35, 0.3] };
    for path in [59, 161, 171, 294, 300].into_iter().chain(1..=30) {
        let (coarse, fine) = (roughest(&BOX, &other, path, 600), roughest(&BOX, &other, path, 9600));
        assert!(fine < 0.4 * coarse + 1e-9, "path {path}: {coarse} {fine}");
    }
}

/// A capsule that slides off the end of a box, or off another capsule, along itself passes over from two places to one
/// without a jump.
#[test]
fn capsules_slide_off_without_jumps() {
    let turn = [0.0, std::f64::consts::FRAC_PI_2, 0.0];
    for (first, turned, height) in [(BOX, [0.0; 3], 0.14), (CAPSULE, turn, 0.09)] {
        let mut before = None;
        for i in 0..=4000 {
            let x = 0.2 + 1e-4 * f64::from(i);
            let (lower, upper) = (cardan(turned), cardan([turn[0], turn[1] + 1e-3, turn[2]]));
            let mut spots = Spots::new();
            let place = lower.transpose() * Vec3::new(x, 0.0, height);
            spots.find(&first, &CAPSULE, &Pose::new(lower.transpose() * upper, place));
            let force = wrench(&spots)[0].norm();
            if let Some(before) = before {
                // Ten millimetres deep, and a hundredth of a percent of the way.
                assert!((force - before) * (force - before) < 1e-4f64.powi(2), "{x}: {before} {force}");
            } else {
                assert!((force - 0.02).abs() < 5e-4, "{force}");
            }
            before = Some(force);
        }
    }
}

/// The gap of two boxes is that of the least axis from either side, of a needle inside a block, too, whose faces are nearly
/// parallel (found by fuzzing).
#[test]
fn a_needle_in_a_block() {
    let (block, needle) =
        (Simple::Box { size: [1.55, 0.8125, 0.8125] }, Simple::Box { size: [1e-3, 1e-3, 0.0625] });
    let rotation = cardan([1.5 * std::f64::consts::PI; 3]) * cardan([-0.0064, 0.0043, -0.0065]);
    let pose = Pose::new(rotation, Vec3::new(-0.22628, -0.00128, -0.00128));
    let back = rotation.transpose();
    let (mut one, mut two) = (Spots::new(), Spots::new());
    one.find(&block, &needle, &pose);
    two.find(&needle, &block, &Pose::new(back, -(back * pose.position)));
    near(one.gap, two.gap);
}

fn pose() -> impl Strategy<Value = Pose<f64>> {
    let angle = -3.0..3.0f64;
    let place = -0.3..0.3f64;
    ([angle.clone(), angle.clone(), angle], [place.clone(), place.clone(), place])
        .prop_map(|(turn, place)| Pose::new(cardan(turn), Vec3::from(place)))
}

/// Axes and edges that are nearly parallel: the gap is the same from both sides, and that of capsules is the least distance
/// of their axes, found by alternate projections, which converge for two segments. The fuzz target `simple_pair` had found
/// gaps that differed by 9e-7 m.
#[test]
fn nearly_parallel_bodies_have_one_gap() {
    let mut worst: f64 = 0.0;
    for (case, power) in (0..400).zip((2..14).cycle()) {
        let spread = |k: i32| (f64::from(case) * 0.618_034 * f64::from(k)).fract() - 0.5;
        let tilt = [1, 2, 3].map(|k| spread(k) * 10f64.powi(-power));
        let place = [0.5 * spread(4), 0.4 * spread(5), 0.6 * spread(6)];
        let pose = Pose::new(cardan(tilt), Vec3::from(place));
        let back = pose.rotation.transpose();
        for body in [CAPSULE, BOX] {
            let (mut one, mut two) = (Spots::new(), Spots::new());
            one.find(&body, &body, &pose);
            two.find(&body, &body, &Pose::new(back, -(back * pose.position)));
            worst = worst.max((one.gap - two.gap).abs());
            if let Simple::Capsule { radius, length } = body {
                let (mut on_first, mut on_second) = (Vec3::zeros(), pose.position);
                for _ in 0..100_000 {
                    let before = (on_first - on_second).norm();
                    on_first = Vec3::new(0.0, 0.0, on_second.z.clamp(-length / 2.0, length / 2.0));
                    let along = (back * (on_first - pose.position)).z.clamp(-length / 2.0, length / 2.0);
                    on_second = pose.position + pose.rotation * Vec3::new(0.0, 0.0, along);
                    if before - (on_first - on_second).norm() < 1e-16 {
                        break;
                    }
                }
                let gap = (on_first - on_second).norm() - 2.0 * radius;
                // Ends of the common length stand for axes that are parallel but for five degrees.
                assert!(one.gap < gap + 1e-7 || power < 4, "{case}: {} {gap}", one.gap);
            }
        }
    }
    assert!(worst < 1e-7, "{worst}");
}

fn config(seed: u64) -> ProptestConfig {
    ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(seed), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(7))]

    /// Exchanging the bodies exchanges the sides: same depths, opposite normals at the same places.
    #[test]
    fn pairs_are_symmetric(pose in pose(), first in 0..5usize, second in 0..5usize) {
        let (a, b) = (ALL[first], ALL[second]);
        let (mut one, mut two) = (Spots::new(), Spots::new());
        one.find(&a, &b, &pose);
        let back = pose.rotation.transpose();
        two.find(&b, &a, &Pose::new(back, -(back * pose.position)));
        let gap = |spots: &Spots<f64>| if spots.gap.is_finite() { spots.gap } else { 0.0 };
        prop_assert!((gap(&one) - gap(&two)).abs() < 1e-12, "{} {}", one.gap, two.gap);
        // The common part of faces is taken on either face, which differ by their tilt.
        if a != b || first < 4 {
            prop_assert_eq!(one.all().len(), two.all().len());
            let sum = |spots: &Spots<f64>, pose: Option<&Pose<f64>>| {
                spots.all().iter().fold(Vec3::zeros(), |sum: Vec3<f64>, spot| {
                    let along = pose.map_or(spot.normal, |pose| -(pose.rotation * spot.normal));
                    let place = pose.map_or(spot.position, |pose| pose.rotation * spot.position + pose.position);
                    sum + (along + place.cross(&along)) * spot.depth * spot.weight
                })
            };
            prop_assert!((sum(&one, None) - sum(&two, Some(&pose))).norm() < 1e-9);
        }
    }

    /// Everything found is finite, normals are units, no depth exceeds what the gap says by more than the bias.
    #[test]
    fn spots_are_sound(pose in pose(), first in 0..5usize, second in 0..5usize) {
        let mut spots = Spots::new();
        spots.find(&ALL[first], &ALL[second], &pose);
        prop_assert_eq!(spots.all().is_empty(), spots.gap.is_nan() || spots.gap >= 0.0);
        for spot in spots.all() {
            prop_assert!((spot.normal.norm() - 1.0).abs() < 1e-12);
            // Faces of boxes share the force where they are alike to a quarter, edges up to a tenth less deep.
            prop_assert!(spot.depth > 0.0 && spot.depth < -1.75 * spots.gap + 1e-6);
            prop_assert!(spot.weight > 0.0 && spot.weight <= 2.0);
            prop_assert!(spot.position.iter().all(|x| x.is_finite()));
        }
    }

    /// Derivatives by dual numbers are those of differences, of the gap along any motion that changes no feature.
    #[test]
    fn gaps_have_their_derivatives(pose in pose(), first in 0..5usize, second in 0..5usize, k in 0..3usize) {
        let gap = |e: f64| {
            let mut moved = pose;
            moved.position[k] += e;
            let mut spots = Spots::new();
            spots.find(&ALL[first], &ALL[second], &moved);
            spots.gap
        };
        let e = 1e-6;
        let (up, down, here) = (gap(e), gap(-e), gap(0.0));
        // Left out where a feature changes between the two.
        if here.is_finite() && ((up - here) - (here - down)).abs() < 1e-10 {
            let mut position = pose.position.map(Dual::c);
            position[k] = seed(pose.position[k], 0);
            let lifted = Pose::new(Mat3::from_fn(|i, j| Dual::c(pose.rotation[(i, j)])), position);
            let mut spots = Spots::new();
            spots.find(&lift(&ALL[first]), &lift(&ALL[second]), &lifted);
            prop_assert!((partial(spots.gap, 0) - (up - down) / (2.0 * e)).abs() < 1e-5);
        }
    }
}

fn lift(shape: &Simple<f64>) -> Simple<Dual> {
    match *shape {
        Simple::Point => Simple::Point,
        Simple::Plane => Simple::Plane,
        Simple::Sphere { radius } => Simple::Sphere { radius: Dual::c(radius) },
        Simple::Capsule { radius, length } => {
            Simple::Capsule { radius: Dual::c(radius), length: Dual::c(length) }
        }
        Simple::Box { size } => Simple::Box { size: size.map(Dual::c) },
    }
}
