//! Rotations in every usual parametrisation, with their rate maps and singularities (stelzner 3.1).
//!
//! `R_AB` turns components in `B` into components in `A` (`v_A = R_AB v_B`); its columns are the basis of `B`
//! seen from `A`. A rate map `G` gives the angular velocity of `B` in `A` **in components of the parent frame
//! `A`**: `w_AB_A = G p'` for parameters `p`, with `R_AB' R_AB^T = skew(w_AB_A)`. Its rate `G'` gives the
//! angular acceleration `G p'' + G' p'`. In components of `B` it is `R_AB^T w_AB_A`; only the quaternion
//! functions, which serve the free joint, speak of the body frame directly.
//!
//! | file | parametrisation | undetermined or singular |
//! |---|---|---|
//! | [`matrix`](is_rotation) | the matrix itself: test, nearest rotation, angular velocity | - |
//! | [`sequence`](Sequence) | Cardan x-y-z, y-z-x, z-x-y; Euler z-x-z, x-y-x, y-z-y | cos or sin of the middle angle vanishes |
//! | [`rodrigues`](from_rodrigues) | Rodrigues vector `tan(phi/2) u` (Cayley) | half turn |
//! | [`axis_angle`](AxisAngle) | axis and angle | no turn |
//! | [`rotation_vector`](from_rotation_vector) | rotation vector `phi u` (exponential and logarithm) | whole turn; sign at the half turn |
//! | [`quaternion`](from_quaternion) | unit quaternion `[w, x, y, z]` | never |
//! | [`singularity`](Margin) | how far from the singularity, as a typed result | |
//!
//! Conversions between two parametrisations go through the matrix.

mod axis_angle;
mod matrix;
mod quaternion;
mod rodrigues;
mod rotation_vector;
mod sequence;
mod singularity;
#[cfg(test)]
mod tests;

pub use axis_angle::{AxisAngle, about_axis, to_axis_angle};
pub use matrix::{NotARotation, angular_velocity, is_rotation, nearest_rotation, unskew};
pub use quaternion::{
    difference, from_quaternion, normalised, product, quaternion_angular_velocity, quaternion_rate, retract,
    to_quaternion,
};
pub use rodrigues::{
    from_rodrigues, rodrigues_rate_map, rodrigues_rate_map_dot, rodrigues_rate_map_inverse, to_rodrigues,
};
pub use rotation_vector::{
    from_rotation_vector, rotation_vector_rate_map, rotation_vector_rate_map_dot,
    rotation_vector_rate_map_inverse, to_rotation_vector,
};
pub use sequence::{Sequence, cardan};
pub use singularity::{Extracted, Margin, Parametrisation, SINGULAR_MARGIN, SingularError};

use crate::Real;

/// The angle of the point `(x, y)` from the x axis, in (-pi, pi].
///
/// The `atan2` of the dual numbers divides by `x` and so loses its derivatives on the y axis; here the
/// division is by the larger of the two.
#[inline]
pub(crate) fn polar_angle<T: Real>(y: T, x: T) -> T {
    if y.re().abs() > x.re().abs() {
        T::c(std::f64::consts::FRAC_PI_2.copysign(y.re())) - (x / y).atan()
    } else {
        y.atan2(x)
    }
}
