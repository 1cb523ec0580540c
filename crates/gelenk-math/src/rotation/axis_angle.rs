//! Axis and angle.

use nalgebra::{Matrix3x4, Matrix4x3};

use super::{Extracted, Margin, Parametrisation, SingularError, polar_angle, to_quaternion};
use crate::spatial::{Mat3, Vec3, skew};
use crate::{Lockstep, Real};

/// Rotation by `angle` (rad) about the unit vector `axis`: `I + sin a skew(u) + (1 - cos a) skew(u)^2`
/// (stelzner 3.1).
#[inline]
pub fn about_axis<T: Lockstep>(axis: &Vec3<T>, angle: T) -> Mat3<T> {
    let (sin, cos) = (angle.sin(), angle.cos());
    let k = T::of(1.0) - cos;
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

/// A rotation as a unit axis and an angle. The axis has the same components in both frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisAngle<T> {
    /// Unit vector.
    pub axis: Vec3<T>,
    /// Angle about it (rad).
    pub angle: T,
}

/// Axis and angle (0 to pi) of a rotation matrix, with the margin `sin(phi/2)`.
///
/// Without a turn the axis is undetermined; it is set to x where the matrix is exactly the identity. A half
/// turn about `u` is also one about `-u`; which of the two comes out there is not promised.
pub fn to_axis_angle<T: Real>(r: &Mat3<T>) -> Extracted<AxisAngle<T>> {
    let [w, x, y, z] = to_quaternion(r);
    let v = Vec3::new(x, y, z);
    let square = v.dot(&v);
    // A square root of zero would lose the derivatives of the rest.
    if square.re() == 0.0 {
        let margin = Margin { parametrisation: Parametrisation::AxisAngle, value: 0.0 };
        return Extracted { parameters: AxisAngle { axis: Vec3::x(), angle: T::c(0.0) }, margin };
    }
    let norm = square.sqrt();
    let margin = Margin { parametrisation: Parametrisation::AxisAngle, value: norm.re() };
    let parameters = AxisAngle { axis: v / norm, angle: T::c(2.0) * polar_angle(norm, w) };
    Extracted { parameters, margin }
}

impl<T: Real> AxisAngle<T> {
    /// The rotation matrix (eq. 1.19).
    #[inline]
    pub fn matrix(&self) -> Mat3<T> {
        about_axis(&self.axis, self.angle)
    }

    /// The distance from the rotations without a turn, where the axis has no rate.
    #[inline]
    pub fn margin(&self) -> Margin {
        let value = (0.5 * self.angle.re()).sin().abs();
        Margin { parametrisation: Parametrisation::AxisAngle, value }
    }

    /// The rate map of `w_AB_A = G [phi', u']` (eq. 1.45), in the parent frame:
    /// `w = phi' u + sin phi u' + (1 - cos phi) u x u'`, for rates `u'` at right angles to `u`.
    pub fn rate_map(&self) -> Matrix3x4<T> {
        let turning = Mat3::identity() * self.angle.sin() + skew(&self.axis) * (T::c(1.0) - self.angle.cos());
        beside(&self.axis, &turning)
    }

    /// The time derivative of [`AxisAngle::rate_map`] under the rates of the angle (rad/s) and the axis (1/s).
    pub fn rate_map_dot(&self, angle_rate: T, axis_rate: &Vec3<T>) -> Matrix3x4<T> {
        let (sin, cos) = (self.angle.sin(), self.angle.cos());
        let turning = Mat3::identity() * (cos * angle_rate)
            + skew(&self.axis) * (sin * angle_rate)
            + skew(axis_rate) * (T::c(1.0) - cos);
        beside(axis_rate, &turning)
    }

    /// The inverse of the rate map: `phi' = u^T w`, `u' = 1/2 (cot(phi/2) (w - u u^T w) - u x w)` with
    /// `w = w_AB_A`.
    ///
    /// # Errors
    /// The angle is a multiple of a whole turn, where the axis has no rate.
    pub fn rate_map_inverse(&self) -> Result<Matrix4x3<T>, SingularError> {
        self.margin().check()?;
        let half = self.angle * T::c(0.5);
        let across = Mat3::identity() - self.axis * self.axis.transpose();
        let turning = (across * (half.cos() / half.sin()) - skew(&self.axis)) * T::c(0.5);
        let mut m = Matrix4x3::from_element(T::c(0.0));
        m.fixed_view_mut::<1, 3>(0, 0).copy_from(&self.axis.transpose());
        m.fixed_view_mut::<3, 3>(1, 0).copy_from(&turning);
        Ok(m)
    }
}

fn beside<T: Real>(first: &Vec3<T>, rest: &Mat3<T>) -> Matrix3x4<T> {
    let mut m = Matrix3x4::from_element(T::c(0.0));
    m.fixed_view_mut::<3, 1>(0, 0).copy_from(first);
    m.fixed_view_mut::<3, 3>(0, 1).copy_from(rest);
    m
}
