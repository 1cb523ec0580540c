//! Spheres and capsules with each other, everything with the plane.

use super::{
    PlacedBall, PlacedBox, PlacedCapsule, PlacedPlane, Spots, both_ends, clamped, crossing, direction, sign,
};
use gelenk_math::Real;
use gelenk_math::spatial::Vec3;

/// A ball and the plane; the plane is the first body where `swapped`.
pub(super) fn ball_plane<T: Real>(
    ball: &PlacedBall<T>,
    plane: &PlacedPlane<T>,
    swapped: bool,
    spots: &mut Spots<T>,
) {
    let depth = ball.radius - plane.normal.dot(&(ball.centre - plane.origin));
    let position = ball.centre - plane.normal * (ball.radius - depth * T::c(0.5));
    spots.push(position, if swapped { -plane.normal } else { plane.normal }, depth, T::c(1.0));
}

/// Both ends of a capsule and the plane.
pub(super) fn capsule_plane<T: Real>(
    capsule: &PlacedCapsule<T>,
    plane: &PlacedPlane<T>,
    swapped: bool,
    spots: &mut Spots<T>,
) {
    for centre in capsule.ends {
        ball_plane(&PlacedBall { centre, radius: capsule.radius }, plane, swapped, spots);
    }
}

/// The corners of a box and the plane.
pub(super) fn box_plane<T: Real>(
    cuboid: &PlacedBox<T>,
    plane: &PlacedPlane<T>,
    swapped: bool,
    spots: &mut Spots<T>,
) {
    for corner in 0..8 {
        let side = |k: usize| if corner >> k & 1 == 0 { -cuboid.half[k] } else { cuboid.half[k] };
        let centre = cuboid.centre + cuboid.axes * Vec3::new(side(0), side(1), side(2));
        ball_plane(&PlacedBall { centre, radius: T::c(0.0) }, plane, swapped, spots);
    }
}

/// Two balls.
pub(super) fn balls<T: Real>(a: &PlacedBall<T>, b: &PlacedBall<T>, weight: T, spots: &mut Spots<T>) {
    // Where the middles coincide any normal is as good as another.
    let up = Vec3::new(T::c(0.0), T::c(0.0), T::c(1.0));
    let (normal, distance) = direction(&(a.centre - b.centre), &up);
    let depth = a.radius + b.radius - distance;
    spots.push(b.centre + normal * (b.radius - depth * T::c(0.5)), normal, depth, weight);
}

/// Two capsules: where they are nearest; the more they are parallel, the ends of their common length instead.
pub(super) fn capsules<T: Real>(a: &PlacedCapsule<T>, b: &PlacedCapsule<T>, spots: &mut Spots<T>) {
    let (u, v) = (a.along(), b.along());
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let long = uu.re() > f64::MIN_POSITIVE && vv.re() > f64::MIN_POSITIVE;
    let one = T::c(1.0);
    let mut cross = if long { crossing(one - uv * uv / (uu * vv)) } else { one };
    if long && cross.re() < 1.0 {
        let [from, to] = b.ends.map(|end| (end - a.ends[0]).dot(&u) / uu);
        let (low, high) =
            if from.re() < to.re() { (clamped(from), clamped(to)) } else { (clamped(to), clamped(from)) };
        if low.re() < high.re() {
            let radius = if a.radius.re() < b.radius.re() { a.radius } else { b.radius };
            let weight = (one - cross) * both_ends((high - low) * uu.sqrt(), radius);
            for share in [low, high] {
                let ball = a.at(share);
                balls(&ball, &b.at(b.nearest(&ball.centre)), weight, spots);
            }
        } else {
            cross = one;
        }
    }
    if cross.re() > 0.0 {
        let [s, t] = nearest(a, b, [uu, uv, vv]);
        balls(&a.at(s), &b.at(t), cross, spots);
    }
}

/// Shares of the two axes at which they are nearest to each other.
pub(super) fn nearest<T: Real>(a: &PlacedCapsule<T>, b: &PlacedCapsule<T>, [uu, uv, vv]: [T; 3]) -> [T; 2] {
    let offset = a.ends[0] - b.ends[0];
    let determinant = uu * vv - uv * uv;
    let s = if determinant.re() > 1e-24 * uu.re() * vv.re() && determinant.re() > f64::MIN_POSITIVE {
        clamped((uv * b.along().dot(&offset) - vv * a.along().dot(&offset)) / determinant)
    } else {
        T::c(0.5)
    };
    // Each from the other: the second step is exact where the first one met an end.
    let t = b.nearest(&a.at(s).centre);
    let s = a.nearest(&b.at(t).centre);
    // Where the axes are nearly parallel the determinant has lost its digits, and an end of one of them may be nearer.
    let apart = |[s, t]: [T; 2]| (a.at(s).centre - b.at(t).centre).norm_squared().re();
    let (zero, one) = (T::c(0.0), T::c(1.0));
    let mut best = [s, t];
    for end in [zero, one] {
        for shares in [[end, b.nearest(&a.at(end).centre)], [a.nearest(&b.at(end).centre), end]] {
            if apart(shares) < apart(best) {
                best = shares;
            }
        }
    }
    best
}

/// Places where two lines through points along directions are nearest; the points themselves where they are parallel.
pub(super) fn lines<T: Real>(p: &Vec3<T>, u: &Vec3<T>, q: &Vec3<T>, v: &Vec3<T>) -> [Vec3<T>; 2] {
    let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
    let determinant = uu * vv - uv * uv;
    if determinant.re() <= f64::MIN_POSITIVE {
        return [*p, *q];
    }
    let offset = p - q;
    let (a, b) = (u.dot(&offset), v.dot(&offset));
    let s = (uv * b - vv * a) / determinant;
    let t = (uu * b - uv * a) / determinant;
    [p + u * s, q + v * t]
}

/// Corner of a box that is farthest along a direction of its own axes.
pub(super) fn support<T: Real>(half: &Vec3<T>, along: &Vec3<T>) -> Vec3<T> {
    Vec3::new(sign(along.x) * half.x, sign(along.y) * half.y, sign(along.z) * half.z)
}
