//! Unit quaternions `[w, x, y, z]`.

use super::polar_angle;
use crate::spatial::{Mat3, Vec3};
use crate::{Lockstep, Real};

/// Rotation matrix of a quaternion `[w, x, y, z]` of any nonzero norm.
#[inline]
pub fn from_quaternion<T: Lockstep>([w, x, y, z]: [T; 4]) -> Mat3<T> {
    let s = T::of(2.0) / (w * w + x * x + y * y + z * z);
    let one = T::of(1.0);
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
pub fn product<T: Lockstep>([aw, ax, ay, az]: [T; 4], [bw, bx, by, bz]: [T; 4]) -> [T; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Rate of a quaternion under the angular velocity `w_B` (rad/s, body frame): `q' = 1/2 q (0, w)`.
#[inline]
pub fn quaternion_rate<T: Lockstep>(q: [T; 4], w: &Vec3<T>) -> [T; 4] {
    product(q, [T::of(0.0), w.x, w.y, w.z]).map(|x| x * T::of(0.5))
}

/// The angular velocity `w_AB_B` (rad/s, body frame) of a quaternion with the rate `rate` (1/s), the inverse of
/// [`quaternion_rate`]: `(0, w) = 2 q^-1 q'`. A rate of the norm does not matter.
#[inline]
pub fn quaternion_angular_velocity<T: Lockstep>(q: [T; 4], rate: [T; 4]) -> Vec3<T> {
    let square = q.iter().fold(T::of(0.0), |sum, &x| sum + x * x);
    let [_, x, y, z] = product([q[0], -q[1], -q[2], -q[3]], rate);
    Vec3::new(x, y, z) * (T::of(2.0) / square)
}

/// The quaternion turned on by the rotation vector `phi` (rad, body frame): `q exp(phi/2)`.
#[inline]
pub fn retract<T: Lockstep>(q: [T; 4], phi: &Vec3<T>) -> [T; 4] {
    let square = phi.dot(phi) * T::of(0.25);
    // Series below the level at which its next term is under the rounding of the sum.
    let (cos, sinc) = T::fork(
        square.below(T::of(1e-4)),
        || {
            (
                T::of(1.0)
                    - square * (T::of(0.5) - square * (T::of(1.0 / 24.0) - square * T::of(1.0 / 720.0))),
                T::of(1.0)
                    - square
                        * (T::of(1.0 / 6.0) - square * (T::of(1.0 / 120.0) - square * T::of(1.0 / 5040.0))),
            )
        },
        || {
            let half = square.sqrt();
            (half.cos(), half.sin() / half)
        },
    );
    let s = sinc * T::of(0.5);
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
    v * (T::c(2.0) * polar_angle(norm, w) / norm)
}

/// The quaternion divided by its norm; the identity for a zero quaternion.
pub fn normalised<T: Real>(q: [T; 4]) -> [T; 4] {
    let norm = q.iter().fold(T::c(0.0), |sum, &x| sum + x * x).sqrt();
    if norm.re() > 0.0 { q.map(|x| x / norm) } else { [T::c(1.0), T::c(0.0), T::c(0.0), T::c(0.0)] }
}
