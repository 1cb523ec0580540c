//! Two boxes: the axes along which they overlap least, then the common part of two faces or one place on two edges.
//!
//! Which axis is the least one changes with the pose. So that the force does not jump there, the two least axes of faces
//! share it while they are alike, and two edges take over by and by as they overlap less than any face. Weights that change
//! with the depth make or lose energy, so that two faces which lie against each other are one thing: no share passes from one
//! to the other, or to their edges, as a box rocks on another one.

use super::flush::{against, aligned};
use super::round::{lines, nearest, support};
use super::{PlacedBox, PlacedCapsule, Spots, clamped, crossing, direction, sign};
use gelenk_math::Real;
use gelenk_math::spatial::{Vec3, length};

/// How much more than the least overlap another one may be and still count, as part of it.
const ALIKE: f64 = 0.25;
/// How much less than the faces two edges must overlap to count alone, as part of it. They begin to count where they
/// overlap less at all: of boxes that lie flat, edges overlap as much as faces.
const EDGES_ALONE: f64 = 0.1;
/// Shares below this are nothing: faces that are parallel but for rounding count once.
pub(super) const NOTHING: f64 = 1e-9;
/// Shortest cross product of two edges that counts as an axis. What is left out changes the overlap by as much of the size;
/// what is kept has a direction that is wrong by the rounding of the axes over this: both are alike here.
const PARALLEL: f64 = 1e-8;
/// Most corners of two rectangles that clip each other.
pub(super) const CORNERS: usize = 8;

/// An axis that may separate two boxes, from the first to the second.
#[derive(Clone, Copy)]
struct Axis<T: Real> {
    kind: Kind,
    normal: Vec3<T>,
    /// How far the boxes overlap along it; negative where it separates them.
    overlap: T,
    /// By what it is chosen: the overlap, or somewhat more where another axis says the same.
    rank: T,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Of a face of the first or the second box.
    Face(bool, usize),
    /// Across an edge of each.
    Edges(usize, usize),
    /// Of a face of either that lie against each other.
    Flush(usize, usize),
}

/// The least axes of a kind, in order.
struct Least<T: Real>([Option<Axis<T>>; 3]);

impl<T: Real> Least<T> {
    fn take(&mut self, axis: Axis<T>) {
        let mut axis = Some(axis);
        for slot in &mut self.0 {
            let better = match (&axis, &*slot) {
                (Some(new), Some(old)) => new.rank.re() < old.rank.re(),
                (new, old) => new.is_some() && old.is_none(),
            };
            if better {
                std::mem::swap(&mut axis, slot);
            }
        }
    }

    /// The least two with their shares, which are continuous as the order changes: the second one's begins where it is as
    /// near to the first as the third, or as [`ALIKE`], is.
    fn shares(&self) -> [(Option<Axis<T>>, T); 2] {
        let none = T::c(0.0);
        let [Some(first), Some(second), third] = self.0 else {
            return [(self.0[0], T::c(1.0)), (None, none)];
        };
        let mut limit = first.rank * T::c(1.0 + ALIKE);
        if let Some(third) = third
            && third.rank.re() < limit.re()
        {
            limit = third.rank;
        }
        let room = limit - first.rank;
        if second.rank.re() >= limit.re() || room.re() <= 0.0 {
            return [(Some(first), T::c(1.0)), (None, none)];
        }
        let part = (limit - second.rank) / room;
        if part.re() < NOTHING {
            return [(Some(first), T::c(1.0)), (None, none)];
        }
        let sum = part + T::c(1.0);
        [(Some(first), T::c(1.0) / sum), (Some(second), part / sum)]
    }
}

/// The spots of two boxes.
pub(super) fn boxes<T: Real>(a: &PlacedBox<T>, b: &PlacedBox<T>, spots: &mut Spots<T>) {
    let zero = Vec3::from_element(T::c(0.0));
    let offset = b.centre - a.centre;
    let along = |kind: Kind, along: &Vec3<T>| {
        let reach = |cuboid: &PlacedBox<T>| {
            (0..3).fold(T::c(0.0), |sum, k| {
                let part = cuboid.axis(k).dot(along);
                sum + cuboid.half[k] * part * sign(part)
            })
        };
        let away = offset.dot(along);
        let side = sign(away);
        let overlap = reach(a) + reach(b) - away * side;
        Axis { kind, normal: along * side, overlap, rank: overlap }
    };
    let (mut faces, mut flush, mut edges) = (Least([None; 3]), Least([None; 3]), Least([None; 3]));
    // Faces that lie against each other are one thing, whichever of them overlaps less.
    let facing: [(usize, T); 3] = [0, 1, 2].map(|i| aligned(&a.axis(i), b));
    // The least overlap of faces by itself, whatever is preferred.
    let mut face = along(Kind::Face(false, 0), &a.axis(0));
    for k in 0..3 {
        let axis = along(Kind::Face(false, k), &a.axis(k));
        if axis.overlap.re() < face.overlap.re() {
            face = axis;
        }
        faces.take(axis);
        let (other, flat) = facing[k];
        if flat.re() <= 0.0 {
            flush.take(axis);
            continue;
        }
        let back = along(Kind::Face(true, other), &b.axis(other));
        let rank = if back.overlap.re() < axis.overlap.re() { back.rank } else { axis.rank };
        flush.take(Axis { kind: Kind::Flush(k, other), rank, ..axis });
    }
    for k in 0..3 {
        let mut axis = along(Kind::Face(true, k), &b.axis(k));
        if axis.overlap.re() < face.overlap.re() {
            face = axis;
        }
        // Along a face of the first box it would tell the same once more.
        let cosine = a.axes.tr_mul(&b.axis(k));
        let square =
            cosine.iter().fold(T::c(0.0), |most, &c| if c.re() * c.re() > most.re() { c * c } else { most });
        axis.rank *= T::c(1.0) + (T::c(1.0) - crossing(T::c(1.0) - square)) * T::c(ALIKE);
        faces.take(axis);
        if facing.iter().all(|(other, flat)| *other != k || flat.re() <= 0.0) {
            flush.take(axis);
        }
    }
    // How far the nearest faces lie against each other.
    let flush = flush.shares();
    let flat = flush.iter().fold(T::c(0.0), |sum, (axis, share)| match axis.map(|axis| axis.kind) {
        Some(Kind::Flush(k, _)) => sum + facing[k].1 * *share,
        _ => sum,
    });
    for i in 0..3 {
        for k in 0..3 {
            let (along_both, sine) = direction(&a.axis(i).cross(&b.axis(k)), &zero);
            if sine.re() >= PARALLEL {
                edges.take(along(Kind::Edges(i, k), &along_both));
            }
        }
    }
    let least = edges.0[0].filter(|edge| edge.overlap.re() < face.overlap.re()).unwrap_or(face);
    let place = middle(a, b, &least);
    if least.overlap.re() > 0.0 {
        let mut rest = T::c(1.0);
        if flat.re() > NOTHING {
            rest = T::c(1.0) - flat;
            for (axis, share) in flush {
                let Some(axis) = axis else { continue };
                match axis.kind {
                    Kind::Flush(i, k) => against((a, i), (b, k), &offset, share * flat, spots),
                    _ => clip(a, b, &axis, share * flat, spots),
                }
            }
        }
        let across = match edges.0[0] {
            Some(edge) => clamped((face.overlap - edge.overlap) / (face.overlap * T::c(EDGES_ALONE))),
            None => T::c(0.0),
        };
        let across = across * rest;
        for (axis, share) in faces.shares() {
            let weight = share * (rest - across);
            if let Some(axis) = axis {
                clip(a, b, &axis, weight, spots);
            }
        }
        for (axis, share) in edges.shares() {
            if let Some(axis) = axis {
                spots.push(middle(a, b, &axis), -axis.normal, axis.overlap, share * across);
            }
        }
        if spots.all().is_empty() {
            spots.push(place, -least.normal, least.overlap, T::c(1.0));
        }
    }
    spots.gap = -least.overlap;
    spots.nearest = [place, -least.normal];
}

/// Distance of two boxes that are apart: a corner of one from the other one, or an edge from an edge.
pub(super) fn distance<T: Real>(a: &PlacedBox<T>, b: &PlacedBox<T>) -> T {
    const SIGNS: [f64; 2] = [-1.0, 1.0];
    let corner = |cuboid: &PlacedBox<T>, n: usize| {
        let local = Vec3::from_fn(|k, _| cuboid.half[k] * T::c(SIGNS[n >> k & 1]));
        cuboid.centre + cuboid.axes * local
    };
    let mut least = T::c(f64::INFINITY);
    let mut keep = |square: T| {
        if square.re() < least.re() {
            least = square;
        }
    };
    for (one, other) in [(a, b), (b, a)] {
        for n in 0..8 {
            let local: Vec3<T> = other.axes.tr_mul(&(corner(one, n) - other.centre));
            keep((0..3).fold(T::c(0.0), |sum, k| {
                let beyond = local[k] * sign(local[k]) - other.half[k];
                if beyond.re() > 0.0 { sum + beyond * beyond } else { sum }
            }));
        }
    }
    // An edge is named by the corner at its lower end and its direction.
    let edges = |cuboid: &PlacedBox<T>, n: usize, k: usize| {
        (n >> k & 1 == 0).then(|| PlacedCapsule {
            ends: [corner(cuboid, n), corner(cuboid, n | 1 << k)],
            radius: T::c(0.0),
        })
    };
    for (n, k) in (0..8).flat_map(|n| (0..3).map(move |k| (n, k))) {
        let Some(one) = edges(a, n, k) else { continue };
        for (m, l) in (0..8).flat_map(|m| (0..3).map(move |l| (m, l))) {
            let Some(two) = edges(b, m, l) else { continue };
            let (u, v) = (one.along(), two.along());
            let [s, t] = nearest(&one, &two, [u.norm_squared(), u.dot(&v), v.norm_squared()]);
            keep((two.at(t).centre - one.at(s).centre).norm_squared());
        }
    }
    least.sqrt()
}

/// The middle between two boxes along an axis: of the points of two edges that are nearest to each other, or below the
/// corner that is farthest over a face.
fn middle<T: Real>(a: &PlacedBox<T>, b: &PlacedBox<T>, axis: &Axis<T>) -> Vec3<T> {
    let normal = &axis.normal;
    let on_a = a.centre + a.axes * support(&a.half, &a.axes.tr_mul(normal));
    let on_b = b.centre - b.axes * support(&b.half, &b.axes.tr_mul(normal));
    let half = T::c(0.5);
    match axis.kind {
        Kind::Edges(i, k) => {
            // On the edges themselves: lines that are nearly parallel meet far away.
            let on = |cuboid: &PlacedBox<T>, k: usize, place: Vec3<T>| {
                let (edge, reach) = (cuboid.axis(k), cuboid.half[k]);
                let along = edge.dot(&(place - cuboid.centre));
                let beyond = along * sign(along) - reach;
                if beyond.re() > 0.0 { place - edge * (beyond * sign(along)) } else { place }
            };
            let [p, q] = lines(&on_a, &a.axis(i), &on_b, &b.axis(k));
            (on(a, i, p) + on(b, k, q)) * half
        }
        Kind::Face(false, _) | Kind::Flush(..) => on_b + normal * (axis.overlap * half),
        Kind::Face(true, _) => on_a - normal * (axis.overlap * half),
    }
}

/// What a face of one box and the faces of the other one that look at it have in common. Near an angle at which two faces
/// look at it alike, both count, so that the choice does not jump.
fn clip<T: Real>(a: &PlacedBox<T>, b: &PlacedBox<T>, axis: &Axis<T>, weight: T, spots: &mut Spots<T>) {
    let Kind::Face(second, face) = axis.kind else { return };
    let (cuboid, other, out) = if second { (b, a, -axis.normal) } else { (a, b, axis.normal) };
    let facing = other.axes.tr_mul(&out);
    let cosine = |k: usize| facing[k] * sign(facing[k]);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &k| cosine(k).re().total_cmp(&cosine(i).re()));
    let [first, second, third] = order;
    let mut limit = cosine(first) * T::c(1.0 - ALIKE);
    if cosine(third).re() > limit.re() {
        limit = cosine(third);
    }
    let room = cosine(first) - limit;
    let part = if room.re() > 0.0 { clamped((cosine(second) - limit) / room) } else { T::c(0.0) };
    let sum = part + T::c(1.0);
    let into_first = -axis.normal;
    for (k, share) in [(first, T::c(1.0) / sum), (second, part / sum)] {
        if share.re() > NOTHING {
            let side = -sign(facing[k]);
            common((cuboid, face, out), (other, k, side), into_first, weight * share, spots);
        }
    }
}

/// The corners of what is common to a face, with its outward normal, and a face of the other box, seen along that normal.
/// Corners have the weight four together, so that a rectangle has one at each of them, shared by the length of the sides
/// beside them: where a corner is cut off, the two new ones begin with its weight.
fn common<T: Real>(
    (cuboid, face, out): (&PlacedBox<T>, usize, Vec3<T>),
    (other, k, side): (&PlacedBox<T>, usize, T),
    into_first: Vec3<T>,
    weight: T,
    spots: &mut Spots<T>,
) {
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    let mut polygon = [Vec3::from_element(T::c(0.0)); CORNERS];
    let mut len = 4;
    for (corner, (x, y)) in polygon.iter_mut().zip([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) {
        let mut local = Vec3::from_element(T::c(0.0));
        local[k] = side * other.half[k];
        local[u] = other.half[u] * T::c(x);
        local[v] = other.half[v] * T::c(y);
        *corner = other.centre + other.axes * local;
    }
    for side in (0..3).filter(|&side| side != face) {
        for sense in [1.0, -1.0] {
            let axis = cuboid.axis(side) * T::c(sense);
            let beyond = |place: &Vec3<T>| axis.dot(&(place - cuboid.centre)) - cuboid.half[side];
            (polygon, len) = cut(&polygon, len, beyond);
        }
    }
    if len == 1 {
        // All four corners are one place; no spot has more than the weight of two.
        (polygon[1], len) = (polygon[0], 2);
    }
    let side = |i: usize| length(&(polygon[(i + 1) % len] - polygon[i]));
    let round = (0..len).fold(T::c(0.0), |sum, i| sum + side(i));
    for (i, place) in polygon[..len].iter().enumerate() {
        let share = if round.re() > f64::MIN_POSITIVE {
            (side((i + len - 1) % len) + side(i)) * T::c(2.0) / round
        } else {
            T::c(4.0 / len as f64)
        };
        let depth = cuboid.half[face] - out.dot(&(place - cuboid.centre));
        spots.push(place + out * (depth * T::c(0.5)), into_first, depth, share * weight);
    }
}

/// Cuts away what of a polygon is beyond a plane.
fn cut<T: Real>(
    polygon: &[Vec3<T>; CORNERS],
    len: usize,
    beyond: impl Fn(&Vec3<T>) -> T,
) -> ([Vec3<T>; CORNERS], usize) {
    let mut result = *polygon;
    let mut count = 0;
    let mut put = |place: Vec3<T>| {
        if let Some(slot) = result.get_mut(count) {
            *slot = place;
            count += 1;
        }
    };
    for i in 0..len {
        let (from, to) = (polygon[i], polygon[(i + 1) % len]);
        let (a, b) = (beyond(&from), beyond(&to));
        if a.re() <= 0.0 {
            put(from);
        }
        if (a.re() < 0.0 && b.re() > 0.0) || (a.re() > 0.0 && b.re() < 0.0) {
            put(from + (to - from) * (a / (a - b)));
        }
    }
    (result, count)
}
