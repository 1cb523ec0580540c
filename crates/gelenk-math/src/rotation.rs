//! Rotations: elementary, Cardan and quaternions.
//!
//! A quaternion is `[w, x, y, z]`, and `R_AB` turns components in `B` into components in `A`.

use crate::Real;
use crate::spatial::{Mat3, Vec3};

/// Rotation by `angle` (rad) about the unit vector `axis`: `I + sin a skew(u) + (1 - cos a) skew(u)^2`
/// (stelzner 3.1).
#[inline]
pub fn about_axis<T: Real>(axis: &Vec3<T>, angle: T) -> Mat3<T> {
    let (sin, cos) = (angle.sin(), angle.cos());
    let k = T::c(1.0) - cos;
    let (x, y, z) = (axis.x, axis.y, axis.z);
    Mat3::new(
        cos + k * x * x,
        k * x * y - sin * z,
        k * x * z + sin * y,
        k * x * y + sin * z,
        cos + k * y * y,
        k * y * z - sin * x,
        k * x * z - sin * y,
        k * y * z + sin * x,
        cos + k * z * z,
    )
}

/// Cardan x-y-z rotation `Ax(a) Ay(b) Az(c)` with angles in rad (stelzner 3.1, eq. 1.22).
pub fn cardan<T: Real>([a, b, c]: [T; 3]) -> Mat3<T> {
    about_axis(&Vec3::x(), a) * about_axis(&Vec3::y(), b) * about_axis(&Vec3::z(), c)
}

/// Rotation matrix of a quaternion `[w, x, y, z]` of any nonzero norm.
#[inline]
pub fn from_quaternion<T: Real>([w, x, y, z]: [T; 4]) -> Mat3<T> {
    let s = T::c(2.0) / (w * w + x * x + y * y + z * z);
    let one = T::c(1.0);
    Mat3::new(
        one - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        one - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        one - s * (x * x + y * y),
    )
}

/// Unit quaternion `[w, x, y, z]` with `w >= 0` of a rotation matrix (Shepperd's method).
pub fn to_quaternion<T: Real>(r: &Mat3<T>) -> [T; 4] {
    let (half, quarter, one) = (T::c(0.5), T::c(0.25), T::c(1.0));
    let trace = r[(0, 0)] + r[(1, 1)] + r[(2, 2)];
    let mut i = 0;
    for k in 1..3 {
        if r[(k, k)].re() > r[(i, i)].re() {
            i = k;
        }
    }
    let q = if trace.re() > r[(i, i)].re() {
        let root = (one + trace).sqrt();
        let s = half / root;
        [half * root, s * (r[(2, 1)] - r[(1, 2)]), s * (r[(0, 2)] - r[(2, 0)]), s * (r[(1, 0)] - r[(0, 1)])]
    } else {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let root = (one + r[(i, i)] - r[(j, j)] - r[(k, k)]).sqrt();
        let s = quarter / (half * root);
        let mut q = [T::c(0.0); 4];
        q[0] = s * (r[(k, j)] - r[(j, k)]);
        q[1 + i] = half * root;
        q[1 + j] = s * (r[(j, i)] + r[(i, j)]);
        q[1 + k] = s * (r[(k, i)] + r[(i, k)]);
        q
    };
    if q[0].re() < 0.0 { q.map(|x| -x) } else { q }
}

/// Product `a b` of two quaternions.
#[inline]
pub fn product<T: Real>([aw, ax, ay, az]: [T; 4], [bw, bx, by, bz]: [T; 4]) -> [T; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Rate of a quaternion under the angular velocity `w_B` (rad/s, body frame): `q' = 1/2 q (0, w)`.
#[inline]
pub fn quaternion_rate<T: Real>(q: [T; 4], w: &Vec3<T>) -> [T; 4] {
    product(q, [T::c(0.0), w.x, w.y, w.z]).map(|x| x * T::c(0.5))
}

/// The quaternion turned on by the rotation vector `phi` (rad, body frame): `q exp(phi/2)`.
#[inline]
pub fn retract<T: Real>(q: [T; 4], phi: &Vec3<T>) -> [T; 4] {
    let square = phi.dot(phi) * T::c(0.25);
    // Series below the level at which its next term is under the rounding of the sum.
    let (cos, sinc) = if square.re() < 1e-4 {
        (
            T::c(1.0) - square * (T::c(0.5) - square * (T::c(1.0 / 24.0) - square * T::c(1.0 / 720.0))),
            T::c(1.0)
                - square * (T::c(1.0 / 6.0) - square * (T::c(1.0 / 120.0) - square * T::c(1.0 / 5040.0))),
        )
    } else {
        let half = square.sqrt();
        (half.cos(), half.sin() / half)
    };
    let s = sinc * T::c(0.5);
    product(q, [cos, phi.x * s, phi.y * s, phi.z * s])
}

/// The rotation vector (rad, body frame of `a`) that turns `a` into `b`; inverse of [`retract`].
pub fn difference<T: Real>(a: [T; 4], b: [T; 4]) -> Vec3<T> {
    let [w, x, y, z] = product([a[0], -a[1], -a[2], -a[3]], b);
    let (w, v) = if w.re() < 0.0 { (-w, Vec3::new(-x, -y, -z)) } else { (w, Vec3::new(x, y, z)) };
    let square = v.dot(&v);
    if square.re() < 1e-24 {
        return v * (T::c(2.0) / w);
    }
    let norm = square.sqrt();
    v * (T::c(2.0) * norm.atan2(w) / norm)
}

/// The quaternion divided by its norm; the identity for a zero quaternion.
pub fn normalised<T: Real>(q: [T; 4]) -> [T; 4] {
    let norm = q.iter().fold(T::c(0.0), |sum, &x| sum + x * x).sqrt();
    if norm.re() > 0.0 { q.map(|x| x / norm) } else { [T::c(1.0), T::c(0.0), T::c(0.0), T::c(0.0)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANGLES: [[f64; 3]; 5] =
        [[0.3, -0.7, 1.1], [3.0, 0.2, -2.9], [0.0; 3], [-1.2, 1.5, 0.4], [3.1, -3.1, 3.1]];

    /// ST-R1: matrix to quaternion and back, in all branches.
    #[test]
    fn quaternion_round_trip() {
        for angles in ANGLES {
            let r = cardan(angles);
            assert!((from_quaternion(to_quaternion(&r)) - r).norm() < 1e-14, "{angles:?}");
        }
    }

    /// ST-R1: Cardan matrix against the product written out (stelzner 3.1 table: first row).
    #[test]
    fn cardan_matrix_entries() {
        let [a, b, c] = ANGLES[0];
        let r = cardan([a, b, c]);
        assert!((r[(0, 0)] - b.cos() * c.cos()).abs() < 1e-15);
        assert!((r[(0, 2)] - b.sin()).abs() < 1e-15);
        assert!((r[(1, 2)] + a.sin() * b.cos()).abs() < 1e-15);
    }

    #[test]
    fn retract_and_difference_are_inverse() {
        let q = to_quaternion(&cardan(ANGLES[3]));
        for phi in [Vec3::new(0.3, -1.2, 0.7), Vec3::new(1e-9, 2e-9, 0.0), Vec3::new(1e-3, 0.015, -0.01)] {
            let back: Vec3<f64> = difference(q, retract(q, &phi));
            assert!((back - phi).norm() < 1e-14 * (1.0 + phi.norm()), "{phi:?}");
        }
    }

    /// The rate is the derivative of the retraction: `A' = A skew(w_B)`.
    #[test]
    fn rate_is_the_slope_of_the_retraction() {
        let (q, w, h) = (to_quaternion(&cardan(ANGLES[0])), Vec3::new(0.4, -0.9, 1.3), 1e-6);
        let (plus, minus) = (retract(q, &(w * h)), retract(q, &(w * -h)));
        for (i, rate) in quaternion_rate(q, &w).into_iter().enumerate() {
            assert!((rate - (plus[i] - minus[i]) / (2.0 * h)).abs() < 1e-9);
        }
    }
}
