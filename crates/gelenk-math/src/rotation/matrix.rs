//! The rotation matrix itself.

use crate::spatial::{Mat3, Vec3};
use crate::{Lockstep, Real};

/// Rotation by `angle` (rad) about basis vector `i` (0, 1, 2 for x, y, z; counted modulo 3).
#[inline]
pub(super) fn about_basis<T: Lockstep>(i: usize, angle: T) -> Mat3<T> {
    let (i, j, k) = (i % 3, (i + 1) % 3, (i + 2) % 3);
    let (sin, cos) = (angle.sin(), angle.cos());
    let mut r = Mat3::from_element(T::of(0.0));
    r[(i, i)] = T::of(1.0);
    r[(j, j)] = cos;
    r[(j, k)] = -sin;
    r[(k, j)] = sin;
    r[(k, k)] = cos;
    r
}

/// The vector `a` of the skew part of `m`: `unskew(skew(a)) = a`; a symmetric part is ignored.
#[inline]
pub fn unskew<T: Lockstep>(m: &Mat3<T>) -> Vec3<T> {
    let half = T::of(0.5);
    Vec3::new(half * (m[(2, 1)] - m[(1, 2)]), half * (m[(0, 2)] - m[(2, 0)]), half * (m[(1, 0)] - m[(0, 1)]))
}

/// The angular velocity `w_AB_A` (rad/s, components in the parent frame `A`) of a matrix `R_AB` with the rate
/// `R_AB'` (1/s): `skew(w) = R' R^T` (stelzner 3.1, eq. 1.33).
#[inline]
pub fn angular_velocity<T: Real>(r: &Mat3<T>, rate: &Mat3<T>) -> Vec3<T> {
    unskew(&(rate * r.transpose()))
}

/// Whether `m` is a rotation: every entry of `m^T m - I` at most `tolerance`, and right-handed.
pub fn is_rotation<T: Real>(m: &Mat3<T>, tolerance: f64) -> bool {
    let defect = m.tr_mul(m) - Mat3::identity();
    defect.iter().all(|x| x.re().abs() <= tolerance) && m.determinant().re() > 0.0
}

/// A matrix that is no perturbed rotation.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "no nearest rotation: with its largest entry scaled to one the matrix has the determinant \
     {determinant:.1e}, and it has to be finite and clearly positive; check the handedness of the axes and \
     that no two of them are parallel"
)]
pub struct NotARotation {
    /// Determinant after the largest entry has been scaled to one; not a number where the matrix is not finite.
    pub determinant: f64,
}

/// The rotation nearest to `m` in the Frobenius norm: the orthogonal factor of its polar decomposition.
///
/// Positive multiples of `m` have the same nearest rotation. Newton's iteration with Higham's scaling (Higham,
/// *Computing the polar decomposition*, SIAM J. Sci. Stat. Comput. 7, 1986, doi:10.1137/0907079) converges
/// quadratically, so the derivatives of a dual matrix converge along with it.
///
/// # Errors
/// `m` is not finite, left-handed, or so flat that the volume of its scaled columns is below 1e-12.
pub fn nearest_rotation<T: Real>(m: &Mat3<T>) -> Result<Mat3<T>, NotARotation> {
    const FLAT: f64 = 1e-12;
    // A maximum skips over what is not a number, so that is looked for by itself.
    if m.iter().any(|x| !x.re().is_finite()) {
        return Err(NotARotation { determinant: f64::NAN });
    }
    let largest = m.iter().fold(0.0f64, |largest, x| largest.max(x.re().abs()));
    if largest == 0.0 {
        return Err(NotARotation { determinant: 0.0 });
    }
    // Divided, not multiplied by the inverse, which overflows for tiny entries.
    let mut x = m.map(|entry| entry / T::c(largest));
    let mut determinant = f64::NAN;
    let mut converged = false;
    // The scaled iteration needs fewer than ten steps for any matrix that passes the first test.
    for step in 0..30 {
        let (inverse, det) = inverse_transposed(&x);
        if step == 0 {
            determinant = det.re();
        }
        if det.re().is_nan() || det.re() <= if step == 0 { FLAT } else { 0.0 } {
            return Err(NotARotation { determinant });
        }
        // The polar factor is the same for every scaling, so its derivative may be left out.
        let scale = if converged { 1.0 } else { (size(&inverse) / size(&x)).sqrt() };
        let next = x * T::c(0.5 * scale) + inverse * T::c(0.5 / scale);
        if converged {
            return Ok(next);
        }
        // One more step after this one brings value and derivatives to rounding.
        converged = size(&(next - x)) < 1e-9;
        x = next;
    }
    Err(NotARotation { determinant })
}

/// Frobenius norm of the values.
fn size<T: Real>(m: &Mat3<T>) -> f64 {
    m.iter().fold(0.0, |sum, x| sum + x.re() * x.re()).sqrt()
}

/// `m^-T` through cofactors, and the determinant.
fn inverse_transposed<T: Real>(m: &Mat3<T>) -> (Mat3<T>, T) {
    let (a, b, c) = (m.column(0), m.column(1), m.column(2));
    let cofactors = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let determinant = a.dot(&cofactors[0]);
    (Mat3::from_columns(&cofactors) / determinant, determinant)
}
