//! Two faces of boxes that lie against each other.

use super::boxes::{CORNERS, NOTHING};
use super::{PlacedBox, Spots, clamped, direction, sign};
use gelenk_math::Real;
use gelenk_math::spatial::{Vec3, length};

/// Square of the sine between two faces from which on they do not lie against each other: 18 degrees.
const FLAT: f64 = 0.1;

/// The axis of a box that is most along a direction, and how far a face there lies against one across the direction: all of
/// it where they are parallel, nothing from [`FLAT`] on.
pub(super) fn aligned<T: Real>(direction: &Vec3<T>, cuboid: &PlacedBox<T>) -> (usize, T) {
    let cosines = cuboid.axes.tr_mul(direction);
    let mut best = 0;
    for k in 1..3 {
        if cosines[k].re().abs() > cosines[best].re().abs() {
            best = k;
        }
    }
    let sine_squared = T::c(1.0) - cosines[best] * cosines[best];
    (best, T::c(1.0) - clamped(sine_squared / T::c(FLAT)))
}

/// What the side of a common face belongs to that begins at a corner.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// The outline of the first face.
    First,
    /// That of the second face.
    Second,
}

/// Two faces that lie against each other: the corners of what they have in common, seen along the middle of their normals.
/// A side on the outline of one face has depths below the other face and the normal of that one, at both its ends, with its
/// share of the way around. So force and depth belong together wherever a corner of a box counts, and sides come and go with
/// no length and no force. Only the shares, which change with the place on the faces and not with the depth, are without
/// their part in the force.
pub(super) fn against<T: Real>(
    (a, i): (&PlacedBox<T>, usize),
    (b, k): (&PlacedBox<T>, usize),
    offset: &Vec3<T>,
    weight: T,
    spots: &mut Spots<T>,
) {
    let (out_a, out_b) = {
        let (one, two) = (a.axis(i), b.axis(k));
        (one * sign(one.dot(offset)), two * -sign(two.dot(offset)))
    };
    let (middle, _) = direction(&(out_a - out_b), &out_a);
    let on = [a.centre + out_a * a.half[i], b.centre + out_b * b.half[k]];
    // Two directions of the plane across the middle.
    let (across, _) = direction(&(a.axis((i + 1) % 3) - middle * middle.dot(&a.axis((i + 1) % 3))), &out_a);
    let beside = middle.cross(&across);
    let flat = |place: &Vec3<T>| [across.dot(&(place - on[0])), beside.dot(&(place - on[0]))];
    let corners = |cuboid: &PlacedBox<T>, n: usize, place: &Vec3<T>, out: &Vec3<T>| {
        let (u, v) = (cuboid.axis((n + 1) % 3), cuboid.axis((n + 2) % 3));
        let (u, v) = (u * cuboid.half[(n + 1) % 3], v * cuboid.half[(n + 2) % 3]);
        // Anticlockwise seen along the middle, on either body.
        let v = if u.cross(&v).dot(out).re() * middle.dot(out).re() > 0.0 { v } else { -v };
        [place - u - v, place + u - v, place + u + v, place - u + v]
    };
    let [faces_a, faces_b] = [corners(a, i, &on[0], &out_a), corners(b, k, &on[1], &out_b)];
    let mut polygon = [([T::c(0.0); 2], Side::First); CORNERS];
    let mut len = 4;
    for (slot, corner) in polygon.iter_mut().zip(&faces_b) {
        *slot = (flat(corner), Side::Second);
    }
    let outline = faces_a.map(|corner| flat(&corner));
    for n in 0..4 {
        let (from, to) = (outline[n], outline[(n + 1) % 4]);
        let way = [to[0] - from[0], to[1] - from[1]];
        let beyond = |p: &[T; 2]| way[1] * (p[0] - from[0]) - way[0] * (p[1] - from[1]);
        (polygon, len) = cut_along(&polygon, len, Side::First, beyond);
    }
    if len < 3 {
        return;
    }
    let foot = |n: usize| on[0] + across * polygon[n % len].0[0] + beside * polygon[n % len].0[1];
    // Heights of both faces over a foot; the first one ends above the second where they overlap.
    let outs = [out_a, out_b];
    let height =
        |which: usize, foot: &Vec3<T>| outs[which].dot(&(on[which] - foot)) / outs[which].dot(&middle);
    // As long as it is on its own face, so that a whole face has the weights of one.
    let side = |n: usize| {
        let which = usize::from(matches!(polygon[n % len].1, Side::Second));
        let [from, to] = [foot(n), foot(n + 1)].map(|foot| foot + middle * height(which, &foot));
        length(&(to - from))
    };
    let round = (0..len).fold(T::c(0.0), |sum, n| sum + side(n));
    if round.re() <= f64::MIN_POSITIVE {
        return;
    }
    let parallel = out_a.dot(&out_b).re() <= -1.0 + NOTHING * NOTHING;
    for n in 0..len {
        let foot = foot(n);
        let [top, bottom] = [0, 1].map(|which| height(which, &foot));
        let depth = top - bottom;
        let (before, after) = (n + len - 1, n);
        let shares = [before, after].map(|n| side(n) * T::c(2.0) / round * weight);
        let kinds = [before, after].map(|n| matches!(polygon[n % len].1, Side::Second));
        let mut put = |second: bool, share: T| {
            let (normal, from, half) = match second {
                true => (out_a, foot + middle * bottom, T::c(0.5)),
                false => (-out_b, foot + middle * top, T::c(-0.5)),
            };
            let depth = depth * normal.dot(&middle);
            spots.push(from + normal * (depth * half), -normal, depth, share);
        };
        if parallel || kinds[0] == kinds[1] {
            put(kinds[1], shares[0] + shares[1]);
        } else {
            put(kinds[0], shares[0]);
            put(kinds[1], shares[1]);
        }
    }
}

/// Corners of a flat polygon, each with where the edge from it on comes from.
type Outline<T> = [([T; 2], Side); CORNERS];

/// Cuts away what of a flat polygon is beyond a line, which becomes a side of it.
fn cut_along<T: Real>(
    polygon: &Outline<T>,
    len: usize,
    line: Side,
    beyond: impl Fn(&[T; 2]) -> T,
) -> (Outline<T>, usize) {
    let mut result = *polygon;
    let mut count = 0;
    let mut put = |corner: ([T; 2], Side)| {
        if let Some(slot) = result.get_mut(count) {
            *slot = corner;
            count += 1;
        }
    };
    for n in 0..len {
        let ((from, side), (to, _)) = (polygon[n], polygon[(n + 1) % len]);
        let (p, q) = (beyond(&from), beyond(&to));
        let crossing = || {
            let share = p / (p - q);
            [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]
        };
        if p.re() <= 0.0 {
            // A corner on the line itself goes on along it.
            put((from, if q.re() > 0.0 && p.re() == 0.0 { line } else { side }));
            if q.re() > 0.0 && p.re() < 0.0 {
                put((crossing(), line));
            }
        } else if q.re() < 0.0 {
            put((crossing(), side));
        }
    }
    (result, count)
}
