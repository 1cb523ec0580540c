//! Shells through cross sections, such as the body of a car.

use super::built;
use crate::TriMesh;
use crate::vector::V3;
use std::f64::consts::PI;

/// Pieces of a cross section on which its length is measured.
const FINE: usize = 4000;

/// A cross section of a loft: a rounded rectangle in a plane across x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Its place along x (m).
    pub x: f64,
    /// Lowest and highest z (m).
    pub heights: [f64; 2],
    /// Width along y (m), about y = 0.
    pub width: f64,
}

/// A closed shell through cross sections, in their order along x either way. Between two of them there are `divisions`
/// strips, straight ones. Every section has `around` vertices at equal distances on the superellipse
/// `|2 y/width|^p + |2 (z - middle)/height|^p = 1` with the power `p`; 2 is an ellipse, large ones are rectangles. Both
/// ends are closed by fans about their middles, so that there are `2 around ((n - 1) divisions + 1)` triangles.
pub fn loft(sections: &[Section], divisions: usize, around: usize, power: f64) -> TriMesh {
    let (n, divisions) = (around.max(3), divisions.max(1));
    let forward = match sections {
        [first, .., last] if first.x != last.x => last.x > first.x,
        _ => return TriMesh::default(),
    };
    if !sections.windows(2).all(|pair| (pair[1].x > pair[0].x) == forward && pair[1].x != pair[0].x) {
        return TriMesh::default();
    }
    let mut vertices: Vec<V3> = Vec::new();
    let middle = |s: &Section| [s.x, 0.0, f64::midpoint(s.heights[0], s.heights[1])];
    vertices.push(middle(&sections[0]));
    let mut rings = 0;
    let mut ring = |s: &Section| {
        rings += 1;
        vertices.extend(outline(s, n, power));
    };
    ring(&sections[0]);
    for pair in sections.windows(2) {
        for i in 1..=divisions {
            let share = i as f64 / divisions as f64;
            let between = |a: f64, b: f64| if i == divisions { b } else { a + share * (b - a) };
            ring(&Section {
                x: between(pair[0].x, pair[1].x),
                heights: [0, 1].map(|k| between(pair[0].heights[k], pair[1].heights[k])),
                width: between(pair[0].width, pair[1].width),
            });
        }
    }
    let end = vertices.len() as u32;
    vertices.push(middle(&sections[sections.len() - 1]));
    // Rings run from the top to +y: seen along +x against the clock reversed.
    let at = |ring: usize, j: usize| 1 + (ring * n + j % n) as u32;
    let mut triangles = Vec::with_capacity(2 * n * rings);
    for j in 0..n {
        triangles.push([0, at(0, j), at(0, j + 1)]);
        for ring in 1..rings {
            let (a, b, c, d) = (at(ring - 1, j), at(ring - 1, j + 1), at(ring, j + 1), at(ring, j));
            triangles.extend([[a, d, c], [a, c, b]]);
        }
        triangles.push([at(rings - 1, j), end, at(rings - 1, j + 1)]);
    }
    if !forward {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    built(vertices, triangles)
}

/// Vertices of a cross section, from its top towards +y, at equal distances.
fn outline(section: &Section, n: usize, power: f64) -> Vec<V3> {
    let (high, wide) = ((section.heights[1] - section.heights[0]) / 2.0, section.width / 2.0);
    let middle = f64::midpoint(section.heights[0], section.heights[1]);
    let power = power.max(1.0);
    let bend = |x: f64| x.signum() * x.abs().powf(2.0 / power);
    // A quarter from the top to the side; the others are its images, so that left and right are exactly alike.
    let quarter = |t: f64| {
        let angle = PI / 2.0 * t;
        let y = if t <= 0.0 { 0.0 } else { wide * bend(angle.sin()) };
        let z = if t >= 1.0 { 0.0 } else { high * bend(angle.cos()) };
        [y, z]
    };
    let points: Vec<[f64; 2]> = (0..=FINE).map(|i| quarter(i as f64 / FINE as f64)).collect();
    let mut lengths = vec![0.0];
    for (pair, i) in points.windows(2).zip(0..) {
        let so_far: f64 = lengths[i];
        lengths.push(so_far + (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]));
    }
    let place = |share: f64| {
        // Four quarters: down on +y, on to the bottom, up on -y, back to the top.
        let turn = share * 4.0;
        let (side, along) = ((turn.floor() as usize).min(3), turn.fract());
        let along = if side % 2 == 0 { along } else { 1.0 - along };
        let at = along * lengths[FINE];
        let k = lengths.partition_point(|&so_far| so_far < at).clamp(1, FINE);
        let part = (at - lengths[k - 1]) / (lengths[k] - lengths[k - 1]).max(f64::MIN_POSITIVE);
        let part = part.clamp(0.0, 1.0);
        let [y, z] = [0, 1].map(|i| points[k - 1][i] + part * (points[k][i] - points[k - 1][i]));
        let (right, up) = ([1.0, 1.0, -1.0, -1.0][side], [1.0, -1.0, -1.0, 1.0][side]);
        [section.x, right * y, middle + up * z]
    };
    (0..n).map(|j| place(j as f64 / n as f64)).collect()
}
