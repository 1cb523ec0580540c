//! Pairs of simple bodies at any pose.

use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_mesh::simple::{Simple, Spots};

/// A body of a kind with sizes that the bytes say, from hair-thin to metres; a capsule may have no length.
fn body(mut next: impl FnMut() -> i32) -> Simple<f64> {
    let kind = next();
    let mut size = || {
        let n = next();
        if n & 1 == 0 { f64::from(n / 2 + 1) * 0.0125 } else { 1e-9 * 10f64.powi(n / 28) }
    };
    match kind % 5 {
        0 => Simple::Point,
        1 => Simple::Plane,
        2 => Simple::Sphere { radius: size() },
        3 => Simple::Capsule { radius: size(), length: if kind & 64 == 0 { size() } else { 0.0 } },
        _ => Simple::Box { size: [size(), size(), size()] },
    }
}

fn lift(body: &Simple<f64>) -> Simple<Dual> {
    match *body {
        Simple::Point => Simple::Point,
        Simple::Plane => Simple::Plane,
        Simple::Sphere { radius } => Simple::Sphere { radius: Dual::c(radius) },
        Simple::Capsule { radius, length } => {
            Simple::Capsule { radius: Dual::c(radius), length: Dual::c(length) }
        }
        Simple::Box { size } => Simple::Box { size: size.map(Dual::c) },
    }
}

/// Puts two bodies at a pose that the bytes say: spots are finite with unit normals and weights, the gap says whether
/// there are any and is the same with the bodies exchanged, and derivatives are finite. Returns whether
/// they touch.
pub fn pair(bytes: &[u8]) -> bool {
    let mut bytes = bytes.iter().copied();
    let mut next = || i32::from(bytes.next().unwrap_or(0));
    let (first, second) = (body(&mut next), body(&mut next));
    let exact = next();
    let turns = [next(), next(), next()].map(|n| f64::from(n % 8) * std::f64::consts::FRAC_PI_4);
    let mut position = Vec3::from([next(), next(), next()].map(|n| f64::from(n - 128) * 0.0125));
    let mut rotation = cardan(turns);
    if exact % 2 == 0 {
        let quarters = turns.map(|turn| (turn / std::f64::consts::FRAC_PI_2).floor());
        rotation = cardan(quarters.map(|n| n * std::f64::consts::FRAC_PI_2));
        rotation.iter_mut().for_each(|entry| *entry = entry.round());
    } else {
        let scale = 10f64.powi(-(exact / 16));
        rotation *= cardan([next(), next(), next()].map(|n| f64::from(n - 128) * 0.01 * scale));
        position += Vec3::from([next(), next(), next()].map(|n| f64::from(n - 128) * 1e-3 * scale));
    }
    let pose = Pose::new(rotation, position);
    let mut spots = Spots::new();
    spots.find(&first, &second, &pose);
    let reach = 20.0;
    for spot in spots.all() {
        assert!(spot.depth > 0.0 && spot.depth < reach, "a depth of {}", spot.depth);
        assert!(spot.weight > 0.0 && spot.weight <= 2.0 + 1e-9, "a weight of {}", spot.weight);
        assert!((spot.normal.norm() - 1.0).abs() < 1e-9, "a normal of {:?}", spot.normal);
        assert!(spot.position.norm() < reach, "a place at {:?}", spot.position);
    }
    assert_eq!(spots.all().is_empty(), spots.gap >= 0.0, "a gap of {}", spots.gap);
    let back = rotation.transpose();
    let mut exchanged = Spots::new();
    exchanged.find(&second, &first, &Pose::new(back, -(back * position)));
    // The cross product of edges that are nearly parallel loses digits.
    let same = spots.gap == exchanged.gap || (spots.gap - exchanged.gap).abs() < 1e-7;
    assert!(same, "gaps of {} and {}", spots.gap, exchanged.gap);
    let mut moved = pose.position.map(Dual::c);
    for k in 0..3 {
        moved[k] = seed(pose.position[k], k);
    }
    let lifted = Pose::new(Mat3::from_fn(|i, k| Dual::c(rotation[(i, k)])), moved);
    let mut dual = Spots::new();
    dual.find(&lift(&first), &lift(&second), &lifted);
    for spot in dual.all() {
        let slopes = (0..3).map(|k| partial(spot.depth * spot.weight, k));
        assert!(slopes.into_iter().all(f64::is_finite), "a slope that is not finite");
    }
    spots.gap < 0.0
}
