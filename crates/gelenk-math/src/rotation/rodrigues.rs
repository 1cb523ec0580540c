//! The Rodrigues vector `s = tan(phi/2) u`, which is Cayley's form of a rotation (stelzner 3.1).

use super::{Margin, Parametrisation, SingularError, to_quaternion};
use crate::Real;
use crate::spatial::{Mat3, Vec3, skew};

/// The rotation matrix of a Rodrigues vector: `I + 2 (S + S S) / (1 + s^T s)` with `S = skew(s)` (eq. 1.18).
#[inline]
pub fn from_rodrigues<T: Real>(s: &Vec3<T>) -> Mat3<T> {
    let cross = skew(s);
    Mat3::identity() + (cross + cross * cross) * (T::c(2.0) / (T::c(1.0) + s.dot(s)))
}

/// The Rodrigues vector of a rotation matrix and its margin `cos(phi/2)` from the half turn.
///
/// It equals `[R32 - R23, R13 - R31, R21 - R12] / (1 + tr R)` but is computed through the quaternion, which
/// keeps its accuracy near the half turn.
///
/// # Errors
/// The rotation is a half turn, where the vector is infinite.
pub fn to_rodrigues<T: Real>(r: &Mat3<T>) -> Result<super::Extracted<Vec3<T>>, SingularError> {
    let [w, x, y, z] = to_quaternion(r);
    let margin = Margin { parametrisation: Parametrisation::Rodrigues, value: w.re() };
    margin.check()?;
    Ok(super::Extracted { parameters: Vec3::new(x / w, y / w, z / w), margin })
}

/// The rate map `G = 2 (I + skew(s)) / (1 + s^T s)` of `w_AB_A = G s'` (eq. 1.44), in the parent frame.
#[inline]
pub fn rodrigues_rate_map<T: Real>(s: &Vec3<T>) -> Mat3<T> {
    (Mat3::identity() + skew(s)) * (T::c(2.0) / (T::c(1.0) + s.dot(s)))
}

/// The time derivative of [`rodrigues_rate_map`] under the rate `ds` (1/s).
#[inline]
pub fn rodrigues_rate_map_dot<T: Real>(s: &Vec3<T>, ds: &Vec3<T>) -> Mat3<T> {
    let (two, square) = (T::c(2.0), T::c(1.0) + s.dot(s));
    (skew(ds) - (Mat3::identity() + skew(s)) * (two * s.dot(ds) / square)) * (two / square)
}

/// The inverse of the rate map, `s' = 1/2 (I + s s^T - skew(s)) w_AB_A`; it exists for every vector.
#[inline]
pub fn rodrigues_rate_map_inverse<T: Real>(s: &Vec3<T>) -> Mat3<T> {
    (Mat3::identity() + s * s.transpose() - skew(s)) * T::c(0.5)
}
