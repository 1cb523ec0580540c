//! Closed bodies of revolution of a given number of triangles, all of about the same size.

use super::built;
use crate::TriMesh;
use crate::vector::V3;
use std::f64::consts::PI;

/// Pieces of a profile on which its length is measured.
const FINE: usize = 2000;

/// A closed body of revolution about z of exactly `triangles` triangles; odd numbers are raised by one, and 8 is the
/// least. `profile` goes from its lower pole (0) to its upper one (1), `[z, r]` in m.
///
/// Rings of vertices stand at equal distances along the profile, each with as many vertices as its circumference asks
/// for, so that the triangles are nearly equilateral everywhere. With `n_i` vertices on ring `i` there are `2 sum n_i`
/// triangles; the numbers are rounded so that the sum is met.
pub fn even(profile: impl Fn(f64) -> [f64; 2], triangles: usize) -> TriMesh {
    let points: Vec<[f64; 2]> = (0..=FINE).map(|i| profile(i as f64 / FINE as f64)).collect();
    // Length along the profile up to every point, and the area of the surface.
    let mut lengths = vec![0.0];
    let mut area = 0.0;
    for (pair, i) in points.windows(2).zip(0..) {
        let step = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        area += PI * (pair[0][1] + pair[1][1]) * step;
        let so_far: f64 = lengths[i];
        lengths.push(so_far + step);
    }
    let length = lengths[FINE];
    if !(length > 0.0 && area > 0.0 && area.is_finite()) {
        return TriMesh::default();
    }
    let half = triangles.div_ceil(2).clamp(4, 4_000_000);
    let edge = (area / half as f64 * 2.0 / 3f64.sqrt()).sqrt();
    let strips = (length / (edge * 3f64.sqrt() / 2.0)).round().max(2.0) as usize;
    // No ring has fewer than three vertices.
    let rings = (strips - 1).min(half / 3).max(1);
    let places: Vec<[f64; 2]> = (1..=rings)
        .map(|i| {
            let at = length * i as f64 / (rings + 1) as f64;
            let k = lengths.partition_point(|&so_far| so_far < at).clamp(1, FINE);
            let share = ((at - lengths[k - 1]) / (lengths[k] - lengths[k - 1])).clamp(0.0, 1.0);
            [0, 1].map(|n| points[k - 1][n] + share * (points[k][n] - points[k - 1][n]))
        })
        .collect();
    let counts = shares(&places, half);
    let mut vertices: Vec<V3> = vec![[0.0, 0.0, points[0][0]]];
    let mut starts = Vec::with_capacity(rings);
    for (i, (&[z, r], &n)) in places.iter().zip(&counts).enumerate() {
        starts.push(vertices.len() as u32);
        vertices.extend((0..n).map(|j| {
            let angle = 2.0 * PI * (j as f64 + turn(i)) / n as f64;
            [r * angle.cos(), r * angle.sin(), z]
        }));
    }
    let top = vertices.len() as u32;
    vertices.push([0.0, 0.0, points[FINE][0]]);
    let mut faces = Vec::with_capacity(2 * half);
    let at = |ring: usize, j: usize| starts[ring] + (j % counts[ring]) as u32;
    faces.extend((0..counts[0]).map(|j| [0, at(0, j + 1), at(0, j)]));
    for ring in 1..rings {
        // Two rings are joined in the order of the angles of their vertices.
        let (low, high) = (ring - 1, ring);
        let (mut j, mut k) = (0, 0);
        while j < counts[low] || k < counts[high] {
            let next = |ring: usize, j: usize| (j as f64 + 1.0 + turn(ring)) / counts[ring] as f64;
            if k >= counts[high] || (j < counts[low] && next(low, j) <= next(high, k)) {
                faces.push([at(low, j), at(low, j + 1), at(high, k)]);
                j += 1;
            } else {
                faces.push([at(low, j), at(high, k + 1), at(high, k)]);
                k += 1;
            }
        }
    }
    faces.extend((0..counts[rings - 1]).map(|j| [at(rings - 1, j), at(rings - 1, j + 1), top]));
    built(vertices, faces)
}

/// Every second ring is turned by half a step, which makes better triangles.
fn turn(ring: usize) -> f64 {
    if ring % 2 == 1 { 0.5 } else { 0.0 }
}

/// Numbers of vertices on rings, in proportion to their radii, at least three each, whose sum is `total`.
fn shares(places: &[[f64; 2]], total: usize) -> Vec<usize> {
    let radii: f64 = places.iter().map(|place| place[1]).sum();
    let wish: Vec<f64> = places.iter().map(|place| total as f64 * place[1] / radii).collect();
    let mut counts: Vec<usize> = wish.iter().map(|wish| (wish.round() as usize).max(3)).collect();
    // One by one where the wish is missed most.
    loop {
        let sum: usize = counts.iter().sum();
        let missed = |i: usize| wish[i] - counts[i] as f64;
        let found = match sum.cmp(&total) {
            std::cmp::Ordering::Equal => return counts,
            std::cmp::Ordering::Less => {
                (0..counts.len()).reduce(|best, i| if missed(i) > missed(best) { i } else { best })
            }
            std::cmp::Ordering::Greater => (0..counts.len())
                .filter(|&i| counts[i] > 3)
                .reduce(|best, i| if missed(i) < missed(best) { i } else { best }),
        };
        match found {
            Some(i) if sum < total => counts[i] += 1,
            Some(i) => counts[i] -= 1,
            None => return counts,
        }
    }
}

/// An ellipsoid about the origin with the half axes `radii`, of an even number of triangles.
pub fn ellipsoid(radii: [f64; 3], triangles: usize) -> TriMesh {
    let [a, b, c] = radii;
    let mean = f64::midpoint(a, b);
    let profile = |t: f64| {
        let angle = PI * (t - 0.5);
        [c * angle.sin(), if t <= 0.0 || t >= 1.0 { 0.0 } else { mean * angle.cos() }]
    };
    even(profile, triangles).moved(|[x, y, z]| [x * a / mean, y * b / mean, z]).unwrap_or_default()
}

/// The hull of two spheres on z, of the radii `radii` at `-length/2` and `+length/2`, of an even number of triangles: a
/// capsule where both radii are the same. Empty where one sphere lies inside the other.
pub fn tapered_capsule(radii: [f64; 2], length: f64, triangles: usize) -> TriMesh {
    let (low, high) = (-length / 2.0, length / 2.0);
    let slope = (radii[0] - radii[1]) / length;
    if !(slope.abs() < 1.0 && radii.iter().all(|&radius| radius > 0.0)) {
        return TriMesh::default();
    }
    // Both spheres meet the cone between them at this latitude.
    let latitude = slope.asin();
    let arcs = [radii[0] * (latitude + PI / 2.0), radii[1] * (PI / 2.0 - latitude)];
    let side = length * latitude.cos();
    let total = arcs[0] + side + arcs[1];
    let profile = |t: f64| {
        let way = t * total;
        if t <= 0.0 {
            [low - radii[0], 0.0]
        } else if t >= 1.0 {
            [high + radii[1], 0.0]
        } else if way < arcs[0] {
            let angle = way / radii[0] - PI / 2.0;
            [low + radii[0] * angle.sin(), radii[0] * angle.cos()]
        } else if way > total - arcs[1] {
            let angle = PI / 2.0 - (total - way) / radii[1];
            [high + radii[1] * angle.sin(), radii[1] * angle.cos()]
        } else {
            let along = (way - arcs[0]) / side;
            let end = |z: f64, radius: f64| [z + radius * latitude.sin(), radius * latitude.cos()];
            let (a, b) = (end(low, radii[0]), end(high, radii[1]));
            [0, 1].map(|n| a[n] + along * (b[n] - a[n]))
        }
    };
    even(profile, triangles)
}
