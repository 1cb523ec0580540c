//! A rigid displacement as a screw: a turn about an axis in space and a shift along it (stelzner 3.1).
//!
//! A pose `X_AB` is read as the displacement that takes the frame `A` into `B`: a point at `p` goes to
//! `R_AB p + p_AoBo_A`, both positions measured in `A`. By Chasles' theorem every such displacement is a screw.

use crate::Real;
use crate::rotation::{AxisAngle, Margin, Parametrisation, SingularError, about_axis, to_axis_angle};
use crate::spatial::{Pose, Vec3};

/// A turn of at most this angle (rad) counts as none in [`Screw::of`]: the axis would lie 1e12 times as far
/// away as the displacement is long.
pub const ANGLE_TOLERANCE: f64 = 1e-12;

/// A screw displacement; vectors in components of the frame `A` in which the displacement is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Screw<T> {
    /// Nothing moves.
    Rest,
    /// Every point moves by the same vector.
    Translation {
        /// Unit vector along which everything moves.
        direction: Vec3<T>,
        /// Length of the way (m), positive.
        shift: T,
    },
    /// A turn about an axis with a shift along it.
    Turn {
        /// Unit vector along the axis; the turn about it is positive.
        axis: Vec3<T>,
        /// Angle (rad), 0 to pi.
        angle: T,
        /// Shift along the axis (m), of either sign.
        shift: T,
        /// The point of the axis that is nearest to the origin (m). Any other point of the axis may stand here
        /// in a screw made by hand.
        point: Vec3<T>,
    },
}

impl<T: Real> Screw<T> {
    /// The screw of a displacement, where turns up to [`ANGLE_TOLERANCE`] and no way at all count as none.
    ///
    /// ```
    /// use gelenk_math::{rotation::cardan, screw::Screw, spatial::{Pose, Vec3}};
    /// // A quarter turn about the vertical through (1, 0, 0), raised by 0.2 m.
    /// let pose = Pose::new(cardan([0.0, 0.0, std::f64::consts::FRAC_PI_2]), Vec3::new(1.0, -1.0, 0.2));
    /// let Screw::Turn { point, shift, .. } = Screw::of(&pose) else { unreachable!() };
    /// assert!((point - Vec3::new(1.0, 0.0, 0.0)).norm() < 1e-15 && (shift - 0.2).abs() < 1e-15);
    /// ```
    pub fn of(pose: &Pose<T>) -> Self {
        Self::with_tolerance(pose, ANGLE_TOLERANCE, 0.0)
    }

    /// The screw of a displacement, where turns up to `angle` (rad) and, without a turn, ways up to `length`
    /// (m) count as none.
    ///
    /// With `d` the position of the pose, `d_perp` its part across the axis `u`: the shift is `u^T d` and the
    /// point `(d_perp + cot(phi/2) u x d_perp) / 2`.
    pub fn with_tolerance(pose: &Pose<T>, angle: f64, length: f64) -> Self {
        let d = &pose.position;
        let AxisAngle { axis, angle: phi } = to_axis_angle(&pose.rotation).parameters;
        if phi.re() <= angle {
            // Scaled before squaring, so that the shortest ways do not vanish.
            let largest = d.iter().fold(0.0f64, |largest, x| largest.max(x.re().abs()));
            if largest == 0.0 {
                return Self::Rest;
            }
            let shift = d.map(|x| x / T::c(largest)).norm() * T::c(largest);
            if shift.re() <= length {
                return Self::Rest;
            }
            return Self::Translation { direction: d / shift, shift };
        }
        let shift = axis.dot(d);
        let across = d - axis * shift;
        let half = phi * T::c(0.5);
        let point = (across + axis.cross(&across) * (half.cos() / half.sin())) * T::c(0.5);
        Self::Turn { axis, angle: phi, shift, point }
    }

    /// The displacement as a pose `X_AB`.
    pub fn pose(&self) -> Pose<T> {
        match self {
            Self::Rest => Pose::identity(),
            Self::Translation { direction, shift } => {
                Pose::new(nalgebra::Matrix3::identity(), direction * *shift)
            }
            Self::Turn { axis, angle, shift, point } => {
                let rotation = about_axis(axis, *angle);
                Pose::new(rotation, point - rotation * point + axis * *shift)
            }
        }
    }

    /// Shift per angle (m/rad) of a turn; a pure turn has zero, a translation or rest none.
    pub fn pitch(&self) -> Option<T> {
        match self {
            Self::Turn { angle, shift, .. } => Some(*shift / *angle),
            _ => None,
        }
    }

    /// The Rodrigues screw formula: the displacement of a point from the **sum** of its positions (m) before and
    /// after, `R - Rbar = S (R + Rbar - 2 c) + d u` with `S = tan(phi/2) skew(u)`, a point `c` of the axis and
    /// the shift `d` (eq. 1.26; eq. 1.25 for `d = 0`).
    ///
    /// Twice the midpoint between two measured positions is such a sum; the formula is linear in it and in `c`,
    /// which is what makes it useful for estimating an axis.
    ///
    /// # Errors
    /// The turn is a half turn, where `S` is infinite.
    pub fn displacement(&self, sum: &Vec3<T>) -> Result<Vec3<T>, SingularError> {
        match self {
            Self::Rest => Ok(Vec3::from_element(T::c(0.0))),
            Self::Translation { direction, shift } => Ok(direction * *shift),
            Self::Turn { axis, angle, shift, point } => {
                let half = *angle * T::c(0.5);
                let value = half.re().cos().abs();
                Margin { parametrisation: Parametrisation::Rodrigues, value }.check()?;
                let s = axis * (half.sin() / half.cos());
                Ok(s.cross(&(sum - point * T::c(2.0))) + axis * *shift)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::{Sequence, from_rotation_vector};
    use crate::{partial, seed};
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn gap(a: &Pose<f64>, b: &Pose<f64>) -> f64 {
        (a.rotation - b.rotation).norm() + (a.position - b.position).norm()
    }

    fn vector() -> impl Strategy<Value = Vec3<f64>> {
        proptest::array::uniform3(-2.0f64..2.0).prop_map(Vec3::from)
    }

    proptest! {
        /// ST-R2: the screw of a displacement gives the displacement back; its axis is carried along itself by
        /// the shift, and the point is the one nearest to the origin.
        #[test]
        fn screw_of_a_pose_and_back(angles in proptest::array::uniform3(-3.0f64..3.0), position in vector()) {
            let pose = Pose::new(Sequence::Xyz.matrix(angles), position);
            let screw = Screw::of(&pose);
            let Screw::Turn { axis, angle, shift, point } = screw else { panic!("{screw:?}") };
            // The axis of a small turn is far away and as inaccurate as it is far.
            let scale = 1.0 / angle;
            prop_assert!(gap(&screw.pose(), &pose) < 1e-13 * scale);
            for along in [0.0, 0.7, -1.3] {
                let on_axis = point + axis * along;
                prop_assert!((pose.point(&on_axis) - on_axis - axis * shift).norm() < 1e-13 * scale);
            }
            prop_assert!(point.dot(&axis).abs() < 1e-13 * scale && (0.0..=PI).contains(&angle));
        }

        /// ST-R2: axis, angle, shift and point are found again in a displacement composed by hand: carry the
        /// axis into the origin, turn, shift, carry it back.
        #[test]
        fn screw_data_are_found(direction in vector(), angle in 0.05f64..3.1, shift in -1.0f64..1.0, through in vector()) {
            prop_assume!(direction.norm() > 0.1);
            let axis = direction.normalize();
            let away = Pose::new(nalgebra::Matrix3::identity(), through);
            let back = Pose::new(nalgebra::Matrix3::identity(), -through);
            let turn = Pose::new(from_rotation_vector(&(axis * angle)), axis * shift);
            let Screw::Turn { axis: u, angle: phi, shift: d, point } = Screw::of(&(away * turn * back)) else { panic!() };
            let foot = through - axis * axis.dot(&through);
            prop_assert!((u - axis).norm() < 1e-12 && (phi - angle).abs() < 1e-13, "{u} {phi}");
            prop_assert!((d - shift).abs() < 1e-12 && (point - foot).norm() < 1e-11, "{d} {point}");
        }

        /// ST-R2: the Rodrigues screw formula (1.26) holds for positions before and after.
        #[test]
        fn rodrigues_formula(angles in proptest::array::uniform3(-1.2f64..1.2), position in vector(), before in vector()) {
            let pose = Pose::new(Sequence::Zxy.matrix(angles), position);
            let after = pose.point(&before);
            let moved = Screw::of(&pose).displacement(&(before + after)).unwrap();
            prop_assert!((moved - (after - before)).norm() < 1e-10);
        }
    }

    /// ST-R2: the formula without shift (1.25) by hand: a quarter turn about z through (1, 0, 0) takes
    /// (2, 0, 0) to (1, 1, 0).
    #[test]
    fn pure_turn_by_hand() {
        let screw =
            Screw::Turn { axis: Vec3::z(), angle: PI / 2.0, shift: 0.0, point: Vec3::new(1.0, 0.0, 5.0) };
        let (before, after) = (Vec3::new(2.0, 0.0, 0.0), Vec3::new(1.0, 1.0, 0.0));
        assert!((screw.pose().point(&before) - after).norm() < 1e-15);
        assert!((screw.displacement(&(before + after)).unwrap() - (after - before)).norm() < 1e-15);
        assert_eq!(screw.pitch(), Some(0.0));
    }

    /// ST-R2: translation and rest are cases of their own.
    #[test]
    fn translation_and_rest() {
        let still = Screw::of(&Pose::<f64>::identity());
        assert_eq!(still, Screw::Rest);
        assert_eq!(still.pose(), Pose::identity());
        assert_eq!(still.displacement(&Vec3::x()).unwrap(), Vec3::zeros());
        let pose = Pose::new(nalgebra::Matrix3::identity(), Vec3::new(0.0, 3.0, -4.0));
        let slide = Screw::of(&pose);
        let Screw::Translation { direction, shift } = slide else { panic!("{slide:?}") };
        assert!((shift - 5.0).abs() < 1e-15 && (direction - Vec3::new(0.0, 0.6, -0.8)).norm() < 1e-15);
        assert!(gap(&slide.pose(), &pose) < 1e-15 && slide.pitch().is_none());
        assert_eq!(slide.displacement(&Vec3::x()).unwrap(), pose.position);
        // The shortest ways and turns near the tolerance.
        let tiny = Pose::new(nalgebra::Matrix3::identity(), Vec3::new(0.0, 1e-200, 0.0));
        assert!(matches!(Screw::of(&tiny), Screw::Translation { shift, .. } if shift == 1e-200));
        assert!(matches!(Screw::with_tolerance(&tiny, 0.0, 1e-9), Screw::Rest));
        let turned = |angle: f64| Pose::new(Sequence::Xyz.matrix([angle, 0.0, 0.0]), Vec3::y());
        assert!(matches!(Screw::of(&turned(1e-13)), Screw::Translation { .. }));
        assert!(matches!(Screw::of(&turned(1e-10)), Screw::Turn { .. }));
    }

    /// ST-R2: a half turn has its screw, but no Rodrigues vector; the formula says so.
    #[test]
    fn half_turn() {
        let pose = Pose::new(
            nalgebra::Matrix3::from_diagonal(&Vec3::new(-1.0, -1.0, 1.0)),
            Vec3::new(2.0, 0.0, 0.5),
        );
        let screw = Screw::of(&pose);
        let Screw::Turn { axis, angle, point, .. } = screw else { panic!("{screw:?}") };
        assert!((axis.z.abs() - 1.0).abs() < 1e-15 && (angle - PI).abs() < 1e-15);
        assert!((point - Vec3::x()).norm() < 1e-15 && gap(&screw.pose(), &pose) < 1e-15);
        let error = screw.displacement(&Vec3::x()).unwrap_err();
        assert_eq!(error.margin.parametrisation, Parametrisation::Rodrigues);
    }

    /// Duals through the screw and back give the derivatives of the displacement, also at the half turn.
    #[test]
    fn duals_pass_through() {
        for angle in [0.3, PI] {
            let x = seed(angle, 0);
            let c = |v: f64| crate::Dual::c(v);
            let rotation = Sequence::Zxy.matrix([x, c(0.0), c(0.0)]);
            let pose = Pose::new(rotation, Vec3::new(x * x, c(0.4), x));
            let again = Screw::of(&pose).pose();
            for (a, b) in again.rotation.iter().zip(pose.rotation.iter()) {
                assert!((partial(*a, 0) - partial(*b, 0)).abs() < 1e-13, "{angle}");
            }
            for (a, b) in again.position.iter().zip(pose.position.iter()) {
                assert!((partial(*a, 0) - partial(*b, 0)).abs() < 1e-12, "{angle}");
            }
        }
    }
}
