//! How the freedoms of a joint answer.

use gelenk_math::Real;
use gelenk_math::dense::{backward, forward};
use gelenk_math::spatial::{Mat3, Vec3, Wrench};

use crate::data::LinkData;
use crate::mechanism::LinkKind;
use crate::tree::kernels::{dot, turn_into};

/// How the freedoms of a joint that gives way answer to efforts.
pub(super) enum JointInverse<T: Real> {
    /// One freedom: a turn or a shift along an axis, the wrench of its unit acceleration, and the acceleration by a unit
    /// effort.
    One { turns: bool, axis: Vec3<T>, response: Wrench<T>, compliance: T },
    /// A ball: factor of the angular inertia, and the force that an angular acceleration needs.
    Ball { factor: [T; 9], cross: Mat3<T> },
    /// All six: factor of the inertia.
    All { factor: [T; 36] },
}

impl<T: Real> JointInverse<T> {
    pub(super) fn new(kind: &LinkKind, link: &LinkData<T>) -> Self {
        let body = &link.articulated;
        match kind {
            LinkKind::Ball { .. } => Self::Ball { factor: body.turn_factor().0, cross: body.cross },
            LinkKind::Free { .. } => Self::All { factor: body.factor().0 },
            _ => {
                let turns = matches!(kind, LinkKind::Revolute { .. });
                let axis = link.axis;
                let response = if turns { body.of_turn(&axis) } else { body.of_shift(&axis) };
                Self::One { turns, axis, response, compliance: link.compliance }
            }
        }
    }

    /// Efforts of a wrench on the freedoms; `slope` acts on a single one directly.
    #[inline]
    pub(super) fn effort(&self, wrench: &Wrench<T>, slope: T) -> [T; 6] {
        let mut effort = [T::c(0.0); 6];
        let Wrench { ang, lin } = wrench;
        match self {
            Self::One { turns, axis, .. } => effort[0] = dot(axis, if *turns { ang } else { lin }) + slope,
            Self::Ball { .. } => effort[..3].copy_from_slice(ang.as_slice()),
            Self::All { .. } => {
                effort[..3].copy_from_slice(ang.as_slice());
                effort[3..].copy_from_slice(lin.as_slice());
            }
        }
        effort
    }

    /// Efforts times rates, over all freedoms.
    #[inline]
    pub(super) fn dot(&self, effort: &[T; 6], rate: &[T; 6]) -> T {
        let freedoms = match self {
            Self::One { .. } => return effort[0] * rate[0],
            Self::Ball { .. } => 3,
            Self::All { .. } => 6,
        };
        effort.iter().zip(rate).take(freedoms).fold(T::c(0.0), |sum, (&e, &r)| sum + e * r)
    }

    /// Accelerations under efforts.
    #[inline]
    pub(super) fn times(&self, mut effort: [T; 6]) -> [T; 6] {
        match self {
            Self::One { compliance, .. } => effort[0] *= *compliance,
            Self::Ball { factor, .. } => {
                forward(factor, 3, &mut effort);
                backward(factor, 3, &mut effort);
            }
            Self::All { factor } => {
                forward(factor, 6, &mut effort);
                backward(factor, 6, &mut effort);
            }
        }
        effort
    }

    /// What is left of a wrench when the freedoms have answered to it.
    #[inline]
    pub(super) fn left(&self, wrench: &Wrench<T>, gain: &[T; 6]) -> Wrench<T> {
        match self {
            Self::One { response, .. } => *wrench - response.scale(gain[0]),
            Self::Ball { cross, .. } => {
                let turn = Vec3::new(gain[0], gain[1], gain[2]);
                Wrench::new(Vec3::from_element(T::c(0.0)), wrench.lin - turn_into(cross, &turn))
            }
            Self::All { .. } => Wrench::zero(),
        }
    }
}
