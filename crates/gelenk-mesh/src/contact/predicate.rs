//! Exact signs, so that neighbouring triangles never disagree.
//!
//! Which edges of one mesh pierce which triangles of the other follows from signs of volumes of tetrahedra alone. They
//! are computed exactly (`robust`, after Shewchuk 1997). A volume of zero (a vertex in a plane, edges that meet, faces
//! that lie on each other) is settled as if the second surface stood an infinitesimal step `(d, d^2, d^3)` farther along
//! x, y and z (simulation of simplicity, Edelsbrunner and Mücke 1990): a small enough step of that kind takes every pair
//! of surfaces out of every degenerate position, and only its direction is needed, not its length.

use crate::vector::V3;
use robust::{Coord, Coord3D, orient2d, orient3d};

#[inline]
fn at(p: V3) -> Coord3D<f64> {
    Coord3D { x: p[0], y: p[1], z: p[2] }
}

/// The first number that is not zero decides.
fn first(signs: [f64; 3]) -> f64 {
    signs.into_iter().find(|sign| *sign != 0.0).unwrap_or(1.0)
}

/// Exact signs of the components of the normal of a triangle.
fn normal_signs([a, b, c]: [V3; 3]) -> [f64; 3] {
    let flat = |i: usize, k: usize| {
        let [a, b, c] = [a, b, c].map(|p| Coord { x: p[i], y: p[k] });
        orient2d(a, b, c)
    };
    [flat(1, 2), flat(2, 0), flat(0, 1)]
}

/// Whether a vertex of the second surface lies outside a triangle of the first one, on the side of its normal.
#[inline]
pub(crate) fn second_outside(first_triangle: [V3; 3], second_vertex: V3) -> bool {
    let [a, b, c] = first_triangle;
    // Positive below the plane.
    let below = orient3d(at(a), at(b), at(c), at(second_vertex));
    if below != 0.0 { below < 0.0 } else { first(normal_signs(first_triangle)) > 0.0 }
}

/// Whether a vertex of the first surface lies outside a triangle of the second one.
#[inline]
pub(crate) fn first_outside(second_triangle: [V3; 3], first_vertex: V3) -> bool {
    let [a, b, c] = second_triangle;
    let below = orient3d(at(a), at(b), at(c), at(first_vertex));
    if below != 0.0 { below < 0.0 } else { first(normal_signs(second_triangle)) < 0.0 }
}

/// Sign of the tetrahedron of an edge `p q` of the first and an edge `a b` of the second surface.
#[inline]
pub(crate) fn edges([p, q]: [V3; 2], [a, b]: [V3; 2]) -> bool {
    let volume = orient3d(at(p), at(q), at(a), at(b));
    if volume != 0.0 {
        return volume > 0.0;
    }
    // A shift of the second edge changes the volume along (p - q) x (a - b).
    let minor = |i: usize, k: usize| {
        let products = [
            (p[i], a[k]),
            (-p[i], b[k]),
            (-q[i], a[k]),
            (q[i], b[k]),
            (-p[k], a[i]),
            (p[k], b[i]),
            (q[k], a[i]),
            (-q[k], b[i]),
        ];
        sign_of_sum(products)
    };
    first([minor(1, 2), minor(2, 0), minor(0, 1)]) > 0.0
}

/// Exact sign of a sum of products: an expansion of non-overlapping parts that grows by one part at a time.
fn sign_of_sum(products: [(f64, f64); 8]) -> f64 {
    let mut parts = [0.0; 17];
    let mut count = 0;
    for (x, y) in products {
        let high = x * y;
        let low = x.mul_add(y, -high);
        for part in [low, high] {
            let mut sum = part;
            for slot in &mut parts[..count] {
                let (old, new) = (*slot, sum + *slot);
                let back = new - sum;
                *slot = (sum - (new - back)) + (old - back);
                sum = new;
            }
            parts[count] = sum;
            count += 1;
        }
    }
    // The largest part that is not zero has the sign of the sum.
    parts[..count].iter().rev().copied().find(|part| *part != 0.0).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed form: products that cancel but for the last place.
    #[test]
    fn cancelling_sums_keep_their_sign() {
        let big = 1e8 + 1.0;
        let mut products = [(0.0, 0.0); 8];
        products[0] = (big, big);
        products[1] = (-1e8, 1e8);
        products[2] = (-2e8, 1.0);
        products[3] = (-1.0, 1.0);
        assert_eq!(sign_of_sum(products), 0.0);
        products[4] = (1e-30, 1e-30);
        assert!(sign_of_sum(products) > 0.0);
        products[4] = (1e-30, -1e-30);
        assert!(sign_of_sum(products) < 0.0);
    }

    /// A vertex in the plane of a triangle is on one side for the one surface and on the other for the other one: what
    /// is shifted is always the second.
    #[test]
    fn ties_follow_the_shift() {
        let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let point = [0.25, 0.25, 0.0];
        assert!(second_outside(triangle, point));
        assert!(!first_outside(triangle, point));
    }
}
