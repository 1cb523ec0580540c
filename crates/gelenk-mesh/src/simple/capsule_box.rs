//! Spheres and capsules with boxes, in the axes of the box.

use super::round::{lines, support};
use super::{PlacedBall, PlacedBox, PlacedCapsule, Spots, both_ends, crossing, direction, sign};
use gelenk_math::Real;
use gelenk_math::spatial::{Vec3, length};

/// How much deeper a face may be than two crossing edges and still count, so that the choice does not flicker.
const PREFER_FACES: f64 = 1.05;

/// Hands candidates in the axes of a box to the spots in those of the first body.
struct Out<'s, T: Real> {
    cuboid: PlacedBox<T>,
    swapped: bool,
    spots: &'s mut Spots<T>,
}

impl<T: Real> Out<'_, T> {
    /// A sphere at `centre` whose surface is to be pushed out along `normal`.
    fn push(&mut self, centre: &Vec3<T>, radius: T, normal: &Vec3<T>, depth: T, weight: T) {
        let place = centre - normal * (radius - depth * T::c(0.5));
        let normal = self.cuboid.axes * normal;
        let position = self.cuboid.centre + self.cuboid.axes * place;
        self.spots.push(position, if self.swapped { -normal } else { normal }, depth, weight);
    }
}

/// A ball and a box; the box is the first body where `swapped`.
pub(super) fn ball_box<T: Real>(
    ball: &PlacedBall<T>,
    cuboid: &PlacedBox<T>,
    swapped: bool,
    spots: &mut Spots<T>,
) {
    let centre = cuboid.axes.tr_mul(&(ball.centre - cuboid.centre));
    let (normal, distance) = way_out(&centre, &cuboid.half);
    let mut out = Out { cuboid: *cuboid, swapped, spots };
    out.push(&centre, ball.radius, &normal, ball.radius - distance, T::c(1.0));
}

/// Direction out of a box at a place, and the distance from its surface; negative inside.
fn way_out<T: Real>(place: &Vec3<T>, half: &Vec3<T>) -> (Vec3<T>, T) {
    let beyond = excess(place, half);
    if beyond.iter().any(|part| part.re() != 0.0) {
        return direction(&beyond, &Vec3::from_element(T::c(0.0)));
    }
    let mut face = 0;
    let depth = |k: usize| half[k] - sign(place[k]) * place[k];
    for k in 1..3 {
        if depth(k).re() < depth(face).re() {
            face = k;
        }
    }
    let mut normal = Vec3::from_element(T::c(0.0));
    normal[face] = sign(place[face]);
    (normal, -depth(face))
}

/// How far a place is beyond the faces of a box, along each axis.
fn excess<T: Real>(place: &Vec3<T>, half: &Vec3<T>) -> Vec3<T> {
    Vec3::from_fn(|k, _| match (place[k], half[k]) {
        (x, h) if x.re() > h.re() => x - h,
        (x, h) if x.re() < -h.re() => x + h,
        _ => T::c(0.0),
    })
}

/// A capsule and a box: where they are nearest; the more the capsule lies along a face, the ends of what is over that
/// face instead.
pub(super) fn capsule_box<T: Real>(
    capsule: &PlacedCapsule<T>,
    cuboid: &PlacedBox<T>,
    swapped: bool,
    spots: &mut Spots<T>,
) {
    let half = cuboid.half;
    let start = cuboid.axes.tr_mul(&(capsule.ends[0] - cuboid.centre));
    let along = cuboid.axes.tr_mul(&capsule.along());
    let mut out = Out { cuboid: *cuboid, swapped, spots };
    let (one, radius) = (T::c(1.0), capsule.radius);
    let centre = start + along * nearest(&start, &along, &half);
    let beyond = excess(&centre, &half);
    let (normal, distance) = direction(&beyond, &Vec3::from_element(T::c(0.0)));
    if distance.re() > 0.0 {
        let mut face = 0;
        for k in 1..3 {
            if normal[k].re().abs() > normal[face].re().abs() {
                face = k;
            }
        }
        let square = along.norm_squared();
        let slope = if square.re() > f64::MIN_POSITIVE { along[face] * along[face] / square } else { one };
        let mut cross = crossing(slope + one - normal[face] * normal[face]);
        match over(&start, &along, &half, face) {
            Some(range) if cross.re() < 1.0 => {
                let common = (range[1] - range[0]) * length(&along);
                let weight = (one - cross) * both_ends(common, radius);
                flat(&mut out, &start, &along, radius, (face, sign(normal[face])), range, weight);
            }
            _ => cross = one,
        }
        out.push(&centre, radius, &normal, radius - distance, cross);
        return;
    }
    inside(&mut out, &start, &along, radius);
}

/// Both ends of the part of an axis that is over a face.
fn flat<T: Real>(
    out: &mut Out<'_, T>,
    start: &Vec3<T>,
    along: &Vec3<T>,
    radius: T,
    (face, side): (usize, T),
    range: [T; 2],
    weight: T,
) {
    let mut normal = Vec3::from_element(T::c(0.0));
    normal[face] = side;
    for share in range {
        let centre = start + along * share;
        let depth = radius + out.cuboid.half[face] - side * centre[face];
        out.push(&centre, radius, &normal, depth, weight);
    }
}

/// An axis that passes through the box: out by the shortest way. The gap is that way, whichever of the spots are found: it is
/// the same for faces that are as near as others.
fn inside<T: Real>(out: &mut Out<'_, T>, start: &Vec3<T>, along: &Vec3<T>, radius: T) {
    let half = out.cuboid.half;
    let end = start + along;
    let (mut face, mut side, mut out_of_face) = (0, T::c(1.0), T::c(f64::INFINITY));
    for k in 0..3 {
        for sense in [1.0, -1.0].map(T::c) {
            let [one, two] = [start[k] * sense, end[k] * sense];
            let depth = half[k] - if one.re() < two.re() { one } else { two };
            if depth.re() < out_of_face.re() {
                (face, side, out_of_face) = (k, sense, depth);
            }
        }
    }
    let (mut least, mut way) = (out_of_face.re(), out_of_face);
    let zero = Vec3::from_element(T::c(0.0));
    let mut across = None;
    for k in 0..3 {
        let mut edge = zero;
        edge[k] = T::c(1.0);
        let (mut normal, length) = direction(&along.cross(&edge), &zero);
        if length.re() <= 1e-9 * along.norm_squared().re().sqrt() {
            continue;
        }
        if normal.dot(start).re() < 0.0 {
            normal = -normal;
        }
        let corner = support(&half, &normal);
        let depth = normal.dot(&corner) - normal.dot(start);
        if depth.re() < way.re() {
            way = depth;
        }
        if depth.re() * PREFER_FACES < least {
            least = depth.re() * PREFER_FACES;
            across = Some((corner, edge, normal, depth));
        }
    }
    if let Some((corner, edge, normal, depth)) = across {
        let [on_axis, _] = lines(start, along, &corner, &edge);
        out.push(&on_axis, radius, &normal, radius + depth, T::c(1.0));
    } else {
        let whole = [T::c(0.0), T::c(1.0)];
        let range = over(start, along, &half, face).unwrap_or(whole);
        flat(out, start, along, radius, (face, side), range, T::c(1.0));
    }
    out.spots.gap = -(radius + way);
}

/// Shares of an axis between which it is over a face; `None` where it is nowhere.
fn over<T: Real>(start: &Vec3<T>, along: &Vec3<T>, half: &Vec3<T>, face: usize) -> Option<[T; 2]> {
    let [mut low, mut high] = [T::c(0.0), T::c(1.0)];
    for k in (0..3).filter(|&k| k != face) {
        if along[k].re().abs() <= f64::MIN_POSITIVE {
            if start[k].re().abs() > half[k].re() {
                return None;
            }
            continue;
        }
        let side = sign(along[k]);
        let (enter, leave) =
            ((-side * half[k] - start[k]) / along[k], (side * half[k] - start[k]) / along[k]);
        if enter.re() > low.re() {
            low = enter;
        }
        if leave.re() < high.re() {
            high = leave;
        }
    }
    (low.re() < high.re()).then_some([low, high])
}

/// Share of an axis at which it is nearest to a box: half the square of the distance is convex, with a slope that is
/// linear between the places where the axis passes the planes of the faces.
fn nearest<T: Real>(start: &Vec3<T>, along: &Vec3<T>, half: &Vec3<T>) -> T {
    let slope = |share: f64| {
        (0..3).fold(0.0, |sum, k| {
            let (x, h) = (start[k].re() + share * along[k].re(), half[k].re());
            sum + (x - x.clamp(-h, h)) * along[k].re()
        })
    };
    // Passes of planes on the way, in order.
    let mut passes = [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    let mut count = 1;
    for k in 0..3 {
        for side in [-1.0, 1.0] {
            let share = (side * half[k].re() - start[k].re()) / along[k].re();
            if share > 0.0 && share < 1.0 {
                passes[count] = share;
                count += 1;
            }
        }
    }
    passes[1..count].sort_unstable_by(f64::total_cmp);
    let last = passes[..=count].iter().rposition(|&share| slope(share) <= 0.0);
    let first = passes[..=count].iter().position(|&share| slope(share) >= 0.0);
    let (low, high) = match (last, first) {
        (None, _) => return T::c(0.0),
        (_, None) => return T::c(1.0),
        (Some(last), Some(first)) => (passes[last.min(first)], passes[last.max(first)]),
    };
    let middle = 0.5 * (low + high);
    let (mut moment, mut square) = (T::c(0.0), T::c(0.0));
    for k in 0..3 {
        let x = start[k].re() + middle * along[k].re();
        if x.abs() > half[k].re() {
            let side = T::c(x.signum());
            moment += (start[k] - side * half[k]) * along[k];
            square += along[k] * along[k];
        }
    }
    // Along a face, or inside, every place is as near.
    if square.re() <= 1e-20 * along.norm_squared().re() {
        return T::c(middle);
    }
    let share = -moment / square;
    if share.re() <= low {
        T::c(low)
    } else if share.re() >= high {
        T::c(high)
    } else {
        share
    }
}
