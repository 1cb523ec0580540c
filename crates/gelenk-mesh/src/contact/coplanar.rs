//! Two triangles as Möller's test sees them, those in one plane included. H-R12.
//!
//! Contact uses the segments alone: with exact signs and a rule for what lies exactly on a plane, two triangles in one plane
//! have none, and the lines of the others are closed without them. Whether such triangles overlap is a question of its own,
//! with an answer in two dimensions: edges that cut each other, or a corner of one inside the other.

use robust::{Coord, Coord3D, orient2d, orient3d};

use super::detect::{End, cut};
use crate::vector::{V3, doubled_area};

/// How two triangles meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// Not at all, or in a single point.
    Apart,
    /// In a segment, between these edges.
    Segment(End, End),
    /// They lie in one plane and have at least a point in common.
    Coplanar,
}

/// How two triangles meet.
pub fn meeting(e: [V3; 3], f: [V3; 3]) -> Meeting {
    if coplanar(e, f) {
        return if overlap(e, f) { Meeting::Coplanar } else { Meeting::Apart };
    }
    cut(e, f).map_or(Meeting::Apart, |(start, end)| Meeting::Segment(start, end))
}

/// Whether all corners lie in one plane, exactly.
fn coplanar(e: [V3; 3], f: [V3; 3]) -> bool {
    let point = |[x, y, z]: V3| Coord3D { x, y, z };
    let [a, b, c] = e.map(point);
    f.into_iter().all(|corner| orient3d(a, b, c, point(corner)) == 0.0)
}

/// Whether two triangles in one plane have a point in common, borders included.
fn overlap(e: [V3; 3], f: [V3; 3]) -> bool {
    // Seen along the axis in which the plane is widest.
    let normal = doubled_area(e).map(f64::abs);
    let across = (0..3).fold(0, |most, k| if normal[k] > normal[most] { k } else { most });
    let flat = |place: V3| Coord { x: place[(across + 1) % 3], y: place[(across + 2) % 3] };
    let (e, f) = (e.map(flat), f.map(flat));
    let edges = |t: [Coord<f64>; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(e).into_iter().any(|one| edges(f).into_iter().any(|two| meet(one, two)))
        || holds(e, f[0])
        || holds(f, e[0])
}

/// Whether two edges have a point in common.
fn meet([a, b]: [Coord<f64>; 2], [c, d]: [Coord<f64>; 2]) -> bool {
    let side = |a, b, c| {
        let turn = orient2d(a, b, c);
        if turn > 0.0 { 1 } else { -i32::from(turn < 0.0) }
    };
    let sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
    if sides == [0; 4] {
        // On one line: their spans overlap along both axes.
        let spans = |p: f64, q: f64, r: f64, s: f64| p.min(q) <= r.max(s) && r.min(s) <= p.max(q);
        return spans(a.x, b.x, c.x, d.x) && spans(a.y, b.y, c.y, d.y);
    }
    sides[0] * sides[1] <= 0 && sides[2] * sides[3] <= 0
}

/// Whether a triangle holds a point, its border included.
fn holds(t: [Coord<f64>; 3], place: Coord<f64>) -> bool {
    let turns = [0, 1, 2].map(|k| orient2d(t[k], t[(k + 1) % 3], place));
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number from 0 to below `n`.
    fn draw(state: &mut u64, n: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % n
    }

    /// Whether two triangles with whole coordinates share a point, by another way: three of the half planes' lines of one
    /// separate the other, or none of six does (separating axes of convex sets, in whole numbers).
    fn separated(e: [[i64; 2]; 3], f: [[i64; 2]; 3]) -> bool {
        let sides = |t: [[i64; 2]; 3], other: [[i64; 2]; 3]| {
            (0..3).any(|k| {
                let ([ax, ay], [bx, by]) = (t[k], t[(k + 1) % 3]);
                let normal = [by - ay, ax - bx];
                let reach = |s: [[i64; 2]; 3]| s.map(|[x, y]| normal[0] * x + normal[1] * y);
                let (own, far) = (reach(t), reach(other));
                let (low, high) = (own.into_iter().min(), own.into_iter().max());
                far.into_iter().min() > high || far.into_iter().max() < low
            })
        };
        sides(e, f) || sides(f, e)
    }

    /// H-R12: the coplanar branch agrees with separating axes in whole numbers for thousands of triangles of a small grid,
    /// where shared corners, edges along each other and triangles inside each other are common, in any plane; and with the
    /// roles exchanged.
    #[test]
    fn triangles_in_one_plane() {
        let mut state = 7;
        let mut found = [0; 2];
        for _ in 0..20_000 {
            let mut triangle = || loop {
                let t: [[i64; 2]; 3] =
                    std::array::from_fn(|_| std::array::from_fn(|_| draw(&mut state, 7) as i64));
                let [[ax, ay], [bx, by], [cx, cy]] = t;
                if (bx - ax) * (cy - ay) != (by - ay) * (cx - ax) {
                    return t;
                }
            };
            let (e, f) = (triangle(), triangle());
            // Planes through the grid that no rounding leaves: z = x + 2 y, and turned axes.
            let place = |t: [[i64; 2]; 3]| t.map(|[x, y]| [y as f64, (x + 2 * y) as f64, x as f64]);
            let apart = separated(e, f);
            let expected = if apart { Meeting::Apart } else { Meeting::Coplanar };
            assert_eq!(meeting(place(e), place(f)), expected, "{e:?} {f:?}");
            assert_eq!(meeting(place(f), place(e)), expected, "{e:?} {f:?}");
            found[usize::from(apart)] += 1;
        }
        assert!(found.iter().all(|&count| count > 1000), "{found:?}");
    }

    /// Triangles that are not in one plane meet as the search for segments says.
    #[test]
    fn triangles_across_each_other() {
        let flat = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let upright = [[0.5, 0.2, -1.0], [0.5, 3.0, 0.5], [0.5, 0.2, 1.0]];
        assert!(matches!(meeting(flat, upright), Meeting::Segment(..)));
        assert_eq!(meeting(flat, upright.map(|[x, y, z]| [x, y, z + 2.0])), Meeting::Apart);
        assert_eq!(meeting(flat, flat.map(|[x, y, z]| [x, y, z + 1e-9])), Meeting::Apart);
    }
}
