//! Exact signs, so that neighbouring triangles never disagree.
//!
//! Which edges of one mesh pierce which triangles of the other follows from signs of volumes of tetrahedra alone. They
//! are computed exactly (`robust`, after Shewchuk 1997). A volume of zero (a vertex in a plane, edges that meet, faces
//! that lie on each other) is settled as if the second surface stood an infinitesimal step `(d, d^2, d^3)` farther along
//! x, y and z (simulation of simplicity, Edelsbrunner and Mücke 1990): a small enough step of that kind takes every pair
//! of surfaces out of every degenerate position, and only its direction is needed, not its length.

use crate::vector::{V3, dot, sub};
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

/// How far the rounded volume may be off, in the sum of the magnitudes of its products (Shewchuk 1997, the bound of the
/// first stage of `orient3d`; it does not depend on which corner is subtracted).
const BOUND: f64 = (7.0 + 56.0 * f64::EPSILON / 2.0) * f64::EPSILON / 2.0;

/// A triangle with what is common to the signs of all places beside its plane.
pub(crate) struct Plane {
    corners: [V3; 3],
    minors: V3,
    /// The same with magnitudes instead of signed products.
    sizes: V3,
}

impl Plane {
    #[inline]
    pub(crate) fn new(corners: [V3; 3]) -> Self {
        let [a, b, c] = corners;
        let (u, v) = (sub(b, a), sub(c, a));
        let products = [u[1] * v[2], u[2] * v[1], u[2] * v[0], u[0] * v[2], u[0] * v[1], u[1] * v[0]];
        let [p, q, r, s, t, w] = products;
        Self {
            corners,
            minors: [p - q, r - s, t - w],
            sizes: [p.abs() + q.abs(), r.abs() + s.abs(), t.abs() + w.abs()],
        }
    }

    /// Whether a place lies on the side of the normal, where rounding leaves no doubt.
    #[inline]
    fn clearly(&self, place: V3) -> Option<bool> {
        let arm = sub(place, self.corners[0]);
        let height = dot(self.minors, arm);
        let doubt = BOUND * dot(self.sizes, [arm[0].abs(), arm[1].abs(), arm[2].abs()]);
        (height.abs() > doubt).then_some(height > 0.0)
    }

    /// Whether a vertex of the second surface lies outside this triangle of the first one.
    #[inline]
    pub(crate) fn second_outside(&self, vertex: V3) -> bool {
        self.clearly(vertex).unwrap_or_else(|| second_outside(self.corners, vertex))
    }

    /// Whether a vertex of the first surface lies outside this triangle of the second one.
    #[inline]
    pub(crate) fn first_outside(&self, vertex: V3) -> bool {
        self.clearly(vertex).unwrap_or_else(|| first_outside(self.corners, vertex))
    }
}

/// Whether a vertex of the second surface lies outside a triangle of the first one, on the side of its normal.
#[cold]
pub(crate) fn second_outside(first_triangle: [V3; 3], second_vertex: V3) -> bool {
    let [a, b, c] = first_triangle;
    // Positive below the plane.
    let below = orient3d(at(a), at(b), at(c), at(second_vertex));
    if below != 0.0 { below < 0.0 } else { first(normal_signs(first_triangle)) > 0.0 }
}

/// Whether a vertex of the first surface lies outside a triangle of the second one.
#[cold]
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

    /// Near the plane the quick sign and the exact one agree wherever the quick one dares to answer, and it leaves the
    /// plane itself to the exact one.
    #[test]
    fn quick_signs_agree_with_exact_ones() {
        let triangle = [[0.1, 0.2, 0.3], [1.3, 0.7, 0.11], [0.4, 1.9, -0.7]];
        let plane = Plane::new(triangle);
        let [a, b, c] = triangle;
        let mut answered = 0;
        for k in 0..2000 {
            let (s, t) = (f64::from(k % 50) / 50.0, f64::from(k % 37) / 37.0);
            let height = f64::from(k - 1000) * 1e-18;
            let place: V3 = std::array::from_fn(|i| {
                a[i] + s * (b[i] - a[i]) + t * (c[i] - a[i]) + height * [1.0, 2.0, 3.0][i]
            });
            if let Some(outside) = plane.clearly(place) {
                answered += 1;
                assert_eq!(outside, second_outside(triangle, place));
                assert_eq!(outside, first_outside(triangle, place));
            }
        }
        assert!(answered < 1900, "{answered}");
        assert_eq!(plane.clearly(a), None);
        assert_eq!(plane.clearly([0.1, 0.2, 5.0]), Some(true));
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
