//! Meshes of simple bodies, as analytic tests and cases need them (H-R7).
//!
//! Normals point outwards, of open surfaces upwards. Numbers of divisions below the least sensible one are raised to
//! it. Lengths in m, or in any unit of the caller's.

mod even;
mod loft;

use crate::vector::{V3, scale, unit};
use crate::{Repair, TriMesh};
use std::f64::consts::PI;

pub use even::{ellipsoid, even, tapered_capsule};
pub use loft::{Section, loft};

/// The axis that a body of revolution turns about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    Z,
}

/// What a profile ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Points on the axis, where a profile begins or ends there; else open rims.
    Open,
    /// The last point goes on with the first one.
    Ring,
}

/// A surface of revolution about z: points `[z, r]` of the profile, upwards with the outside on the right, are turned
/// in `segments` steps, the first of them at the angle `phase` (rad) from the x axis. All quadrangles are split along
/// the same diagonal.
pub fn revolved(profile: &[[f64; 2]], segments: usize, phase: f64, ends: Ends) -> TriMesh {
    let n = segments.max(3);
    let mut vertices: Vec<V3> = Vec::with_capacity(profile.len() * n);
    // First vertex and number of vertices of every ring.
    let mut rings: Vec<(u32, usize)> = Vec::with_capacity(profile.len());
    for &[z, r] in profile {
        let count = if r > 0.0 { n } else { 1 };
        rings.push((vertices.len() as u32, count));
        for j in 0..count {
            let angle = phase + 2.0 * PI * j as f64 / n as f64;
            vertices.push([r * angle.cos(), r * angle.sin(), z]);
        }
    }
    let mut triangles = Vec::with_capacity(2 * n * profile.len());
    let last = if ends == Ends::Ring { rings.len() } else { rings.len().saturating_sub(1) };
    for i in 0..last {
        let (low, high) = (rings[i], rings[(i + 1) % rings.len()]);
        let at = |(first, count): (u32, usize), j: usize| first + (j % count) as u32;
        for j in 0..n {
            let (a, b, c, d) = (at(low, j), at(low, j + 1), at(high, j + 1), at(high, j));
            if a != b {
                triangles.push([a, b, c]);
            }
            if c != d {
                triangles.push([a, c, d]);
            }
        }
    }
    built(vertices, triangles)
}

/// The mesh turned so that what was along z is along `axis`.
#[must_use]
pub fn along(mesh: &TriMesh, axis: Axis) -> TriMesh {
    mesh.moved(|[x, y, z]| match axis {
        Axis::X => [z, x, y],
        Axis::Y => [y, z, x],
        Axis::Z => [x, y, z],
    })
    .unwrap_or_default()
}

/// A rectangle in the plane z = 0 about the origin, of `nx` times `ny` pairs of triangles, facing up.
pub fn plane(size: [f64; 2], [nx, ny]: [usize; 2]) -> TriMesh {
    grid(size, [nx + 1, ny + 1], |_, _| 0.0)
}

/// The paraboloid `z = (x^2 + y^2)/(2 R)` over a square of edge `size` about the origin, with `n` times `n` vertices;
/// a negative radius bends it down. It faces up.
pub fn paraboloid(radius: f64, size: f64, n: usize) -> TriMesh {
    grid([size, size], [n, n], |x, y| (x * x + y * y) / (2.0 * radius))
}

/// A height over a grid of `nx` times `ny` vertices, facing up; all squares split along the same diagonal.
pub fn grid(size: [f64; 2], n: [usize; 2], height: impl Fn(f64, f64) -> f64) -> TriMesh {
    let [nx, ny] = n.map(|n| n.max(2));
    let place = |i: usize, n: usize, size: f64| size * (i as f64 / (n - 1) as f64 - 0.5);
    let vertices = (0..nx * ny)
        .map(|k| {
            let (x, y) = (place(k % nx, nx, size[0]), place(k / nx, ny, size[1]));
            [x, y, height(x, y)]
        })
        .collect();
    let mut triangles = Vec::with_capacity(2 * (nx - 1) * (ny - 1));
    for k in 0..ny - 1 {
        for i in 0..nx - 1 {
            let a = (k * nx + i) as u32;
            let (b, c, d) = (a + 1, a + nx as u32 + 1, a + nx as u32);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    built(vertices, triangles)
}

/// A funnel: a square pyramid standing on its tip at the origin, open above, of four triangles that face up and in.
/// The opening is a square of edge `opening` at the height `height`.
pub fn funnel(opening: f64, height: f64) -> TriMesh {
    let (h, z) = (opening / 2.0, height);
    let vertices = vec![[0.0; 3], [-h, -h, z], [h, -h, z], [h, h, z], [-h, h, z]];
    built(vertices, vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]])
}

/// The same funnel with every triangle divided in `n` times `n` equal ones: `4 n^2` triangles.
pub fn divided_funnel(opening: f64, height: f64, n: usize) -> TriMesh {
    if n <= 1 {
        return funnel(opening, height);
    }
    let mut corners: Vec<[V3; 3]> = Vec::with_capacity(4 * n * n);
    for [tip, a, b] in funnel(opening, height).corners() {
        // Row i, place k from the tip outwards, along the rim from a to b.
        let at = |i: usize, k: usize| -> V3 {
            let (i, k, n) = (i as f64, k as f64, n as f64);
            std::array::from_fn(|x| (tip[x] * (n - i) + a[x] * (i - k) + b[x] * k) / n)
        };
        for i in 0..n {
            for k in 0..=i {
                corners.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
                if k < i {
                    corners.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
                }
            }
        }
    }
    let vertices: Vec<V3> = corners.iter().flatten().copied().collect();
    let numbers = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let welded =
        built(vertices, numbers).repaired(&Repair { weld: 1e-9 * opening, orient: false, degenerate: false });
    welded.map(|(mesh, _)| mesh).unwrap_or_default()
}

/// A box about the origin, every face of `n` times `n` pairs of triangles.
pub fn cuboid(size: [f64; 3], n: usize) -> TriMesh {
    let n = n.max(1);
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let at = |i: usize, k: usize| {
                let mut place = [0.0; 3];
                place[axis] = side * size[axis] / 2.0;
                place[u] = size[u] * (i as f64 / n as f64 - 0.5);
                place[v] = size[v] * (k as f64 / n as f64 - 0.5);
                place
            };
            for i in 0..n {
                for k in 0..n {
                    let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
                    let pair = [[a, b, c], [a, c, d]];
                    triangles.extend(pair.map(|[a, b, c]| if side > 0.0 { [a, b, c] } else { [a, c, b] }));
                }
            }
        }
    }
    let vertices: Vec<V3> = triangles.iter().flatten().copied().collect();
    let numbers = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    built(vertices, numbers).welded().unwrap_or_default()
}

/// A sphere about the origin with poles on z: `rings` circles of latitude between the poles.
pub fn sphere(radius: f64, meridians: usize, rings: usize) -> TriMesh {
    let n = rings.max(1) + 1;
    revolved(&arc(0.0, radius, -PI / 2.0, PI / 2.0, n), meridians, 0.0, Ends::Open)
}

/// A sphere about the origin from an icosahedron whose triangles are `depth` times split in four: `20 * 4^depth`.
pub fn icosphere(radius: f64, depth: usize) -> TriMesh {
    let g = f64::midpoint(1.0, 5f64.sqrt());
    let mut vertices: Vec<V3> = Vec::new();
    for a in [-1.0, 1.0] {
        for b in [-g, g] {
            vertices.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
        }
    }
    // Faces of the icosahedron: triples of vertices at the distance 2, seen from outside against the clock.
    let near = |i: usize, k: usize| {
        let d: f64 = (0..3).map(|n| (vertices[i][n] - vertices[k][n]).powi(2)).sum();
        (d - 4.0).abs() < 1e-9
    };
    let mut triangles = Vec::new();
    for i in 0..12 {
        for k in i + 1..12 {
            for l in k + 1..12 {
                if near(i, k) && near(k, l) && near(l, i) {
                    let normal = crate::vector::doubled_area([vertices[i], vertices[k], vertices[l]]);
                    let out = crate::vector::dot(normal, vertices[i]) > 0.0;
                    triangles.push(if out { [i, k, l] } else { [i, l, k] }.map(|n| n as u32));
                }
            }
        }
    }
    let mut mesh = built(vertices, triangles);
    for _ in 0..depth.min(8) {
        let onto = |place: V3| unit(place).unwrap_or(place);
        mesh = mesh.subdivided().moved(onto).unwrap_or_default();
    }
    mesh.moved(|place| scale(unit(place).unwrap_or(place), radius)).unwrap_or_default()
}

/// A cylinder about the origin along z, closed by discs; `rings` strips along its length.
pub fn cylinder(radius: f64, length: f64, segments: usize, rings: usize) -> TriMesh {
    let (h, n) = (length / 2.0, rings.max(1));
    let mut profile = vec![[-h, 0.0]];
    profile.extend((0..=n).map(|i| [length * (i as f64 / n as f64) - h, radius]));
    profile.push([h, 0.0]);
    revolved(&profile, segments, 0.0, Ends::Open)
}

/// A cone with its base in the plane z = 0 and its tip at the height `height`; `rings` strips along its side.
pub fn cone(radius: f64, height: f64, segments: usize, rings: usize) -> TriMesh {
    let n = rings.max(1);
    let mut profile = vec![[0.0, 0.0]];
    profile.extend((0..n).map(|i| {
        let part = i as f64 / n as f64;
        [height * part, radius * (1.0 - part)]
    }));
    profile.push([height, 0.0]);
    revolved(&profile, segments, 0.0, Ends::Open)
}

/// A cylinder of `length` along z with half spheres at its ends, about the origin; `rings` circles on each of them.
pub fn capsule(radius: f64, length: f64, segments: usize, rings: usize) -> TriMesh {
    let (h, n) = (length / 2.0, rings.max(1));
    let mut profile = arc(-h, radius, -PI / 2.0, 0.0, n);
    profile.extend(arc(h, radius, 0.0, PI / 2.0, n));
    revolved(&profile, segments, 0.0, Ends::Open)
}

/// A torus about z: the tube of radius `tube` around the circle of radius `radius`.
pub fn torus(radius: f64, tube: f64, segments: usize, around: usize) -> TriMesh {
    let n = around.max(3);
    let profile: Vec<[f64; 2]> = (0..n)
        .map(|i| {
            let angle = 2.0 * PI * i as f64 / n as f64;
            [tube * angle.sin(), radius + tube * angle.cos()]
        })
        .collect();
    revolved(&profile, segments, 0.0, Ends::Ring)
}

/// A dumb-bell along z about the origin: spheres of `radius` centred at `z = +-offset`, joined by a groove, a circle of
/// radius `fillet` in the profile that touches both. `rings` circles of latitude at equal distances along the profile,
/// and two poles.
///
/// The bubble of hippmann H-3 is `dumbbell(0.1, 0.1, 0.025, 25, 19)` of 950 triangles.
pub fn dumbbell(radius: f64, offset: f64, fillet: f64, meridians: usize, rings: usize) -> TriMesh {
    // The groove's centre stands at the height 0 and touches the spheres: (radius + fillet)^2 = offset^2 + r^2.
    let out = ((radius + fillet).powi(2) - offset * offset).max(0.0).sqrt();
    // Angle of the line of centres against the axis, and arc lengths of half a profile.
    let angle = out.atan2(offset);
    let (outer, inner) = (radius * (PI - angle), fillet * (PI / 2.0 - angle));
    let half = outer + inner;
    let n = rings.max(1) + 1;
    let point = |s: f64| {
        // From the waist outwards, mirrored for the lower half.
        let way = (s - half).abs();
        let [z, r] = if way <= inner {
            let turn = way / fillet.max(f64::MIN_POSITIVE);
            [fillet * turn.sin(), out - fillet * turn.cos()]
        } else {
            let polar = (half - way) / radius;
            [offset + radius * polar.cos(), radius * polar.sin()]
        };
        [if s < half { -z } else { z }, r]
    };
    let mut profile: Vec<[f64; 2]> = (0..=n).map(|i| point(2.0 * half * i as f64 / n as f64)).collect();
    profile[0] = [-(offset + radius), 0.0];
    profile[n] = [offset + radius, 0.0];
    revolved(&profile, meridians, 0.0, Ends::Open)
}

/// A wheel about y, open inside: its profile `[y, r]` from left to right is turned in `segments` steps, with a row of
/// vertices at the bottom, under the axis.
///
/// The wheel of hippmann H-1 as the specification proposes it has 52 segments and the profile `[-100.5, 150],
/// [-100.5, 275.94], [0, 285.5], [100.5, 277.82], [100.5, 150]` in mm.
pub fn wheel(profile: &[[f64; 2]], segments: usize) -> TriMesh {
    // Along y, what was x is z.
    along(&revolved(profile, segments, PI, Ends::Open), Axis::Y)
}

/// Points of a circle about `[z, 0]` at equal angles from the equator; poles lie on the axis exactly.
fn arc(z: f64, radius: f64, from: f64, to: f64, n: usize) -> Vec<[f64; 2]> {
    (0..=n)
        .map(|i| {
            let angle = from + (to - from) * i as f64 / n as f64;
            let r = if angle.abs() >= PI / 2.0 { 0.0 } else { radius * angle.cos() };
            [z + radius * angle.sin(), r]
        })
        .collect()
}

/// Generators name only vertices that they made; places that are not finite leave an empty mesh.
fn built(vertices: Vec<V3>, triangles: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::new(vertices, triangles).unwrap_or_default()
}
