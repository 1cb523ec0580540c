//! Two boxes: the axis along which they overlap least, then the common part of two faces or one place on two edges.

use super::round::{lines, support};
use super::{PlacedBox, SPOTS, Spots, direction, sign};
use gelenk_math::Real;
use gelenk_math::spatial::Vec3;

/// How much a face may overlap more than two edges and still count, so that the choice does not flicker.
const PREFER_FACES: f64 = 1.05;
/// How much the second box's face must overlap less than the first one's.
const PREFER_FIRST: f64 = 1e-6;

/// Which axis separates two boxes best.
#[derive(Clone, Copy)]
enum Axis {
    /// Of a face of the first or the second box.
    Face(bool, usize),
    /// Across an edge of each.
    Edges(usize, usize),
}

/// The spots of two boxes.
pub(super) fn boxes<T: Real>(a: &PlacedBox<T>, b: &PlacedBox<T>, spots: &mut Spots<T>) {
    let offset = b.centre - a.centre;
    let zero = Vec3::from_element(T::c(0.0));
    // Distance along a unit vector; negative where the boxes overlap.
    let distance = |axis: &Vec3<T>| {
        let reach = |cuboid: &PlacedBox<T>| {
            (0..3).fold(T::c(0.0), |sum, k| {
                let part = cuboid.axis(k).dot(axis);
                sum + cuboid.half[k] * part * sign(part)
            })
        };
        let along = offset.dot(axis);
        along * sign(along) - reach(a) - reach(b)
    };
    let size = a.half.iter().chain(&b.half).fold(0.0, |size: f64, half| size.max(half.re()));
    let (mut best, mut gap) = (Axis::Face(false, 0), T::c(f64::NEG_INFINITY));
    for (second, cuboid) in [(false, a), (true, b)] {
        for k in 0..3 {
            let found = distance(&cuboid.axis(k));
            let margin = if second { PREFER_FIRST * size } else { 0.0 };
            if found.re() > gap.re() + margin {
                (best, gap) = (Axis::Face(second, k), found);
            }
        }
    }
    let mut greatest = gap;
    for i in 0..3 {
        for k in 0..3 {
            let (axis, length) = direction(&a.axis(i).cross(&b.axis(k)), &zero);
            if length.re() < 1e-6 {
                continue;
            }
            let found = distance(&axis);
            if found.re() > greatest.re() {
                greatest = found;
                // Both negative where they overlap: less deep by more than the margin.
                if found.re() * PREFER_FACES > gap.re() || found.re() > 0.0 {
                    best = Axis::Edges(i, k);
                }
            }
        }
    }
    let normal = match best {
        Axis::Face(false, k) => a.axis(k),
        Axis::Face(true, k) => b.axis(k),
        Axis::Edges(i, k) => direction(&a.axis(i).cross(&b.axis(k)), &zero).0,
    };
    // From the first box to the second.
    let normal = normal * sign(offset.dot(&normal));
    let depth = -distance(&normal);
    let place = match best {
        Axis::Edges(i, k) => {
            let on_a = a.centre + a.axes * support(&a.half, &a.axes.tr_mul(&normal));
            let on_b = b.centre - b.axes * support(&b.half, &b.axes.tr_mul(&normal));
            let [p, q] = lines(&on_a, &a.axis(i), &on_b, &b.axis(k));
            (p + q) * T::c(0.5)
        }
        Axis::Face(false, _) => {
            b.centre - b.axes * support(&b.half, &b.axes.tr_mul(&normal)) + normal * (depth * T::c(0.5))
        }
        Axis::Face(true, _) => {
            a.centre + a.axes * support(&a.half, &a.axes.tr_mul(&normal)) - normal * (depth * T::c(0.5))
        }
    };
    if greatest.re() <= 0.0 {
        match best {
            Axis::Face(false, k) => clip((a, k, normal), b, -normal, spots),
            Axis::Face(true, k) => clip((b, k, -normal), a, -normal, spots),
            Axis::Edges(..) => {}
        }
    }
    if spots.all().is_empty() {
        spots.push(place, -normal, depth, T::c(1.0));
    }
    spots.gap = -depth;
    spots.nearest = [place, -normal];
}

/// The corners of what is common to a face and the face of the other box that looks at it, seen along `out`, the outward
/// normal of the first one.
fn clip<T: Real>(
    (cuboid, face, out): (&PlacedBox<T>, usize, Vec3<T>),
    other: &PlacedBox<T>,
    into_first: Vec3<T>,
    spots: &mut Spots<T>,
) {
    let facing = other.axes.tr_mul(&out);
    let mut k = 0;
    for i in 1..3 {
        if facing[i].re().abs() > facing[k].re().abs() {
            k = i;
        }
    }
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    let mut polygon = [Vec3::from_element(T::c(0.0)); SPOTS];
    let mut len = 4;
    for (corner, (x, y)) in polygon.iter_mut().zip([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) {
        let mut local = Vec3::from_element(T::c(0.0));
        local[k] = -sign(facing[k]) * other.half[k];
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
    for place in &polygon[..len] {
        let depth = cuboid.half[face] - out.dot(&(place - cuboid.centre));
        spots.push(place + out * (depth * T::c(0.5)), into_first, depth, T::c(1.0));
    }
}

/// Cuts away what of a polygon is beyond a plane.
fn cut<T: Real>(
    polygon: &[Vec3<T>; SPOTS],
    len: usize,
    beyond: impl Fn(&Vec3<T>) -> T,
) -> ([Vec3<T>; SPOTS], usize) {
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
