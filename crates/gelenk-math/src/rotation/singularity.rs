//! How far a parametrisation is from the place where it fails.

use std::fmt;

use super::Sequence;

/// At or below this margin a parametrisation counts as singular.
///
/// Angles taken from a matrix lose `1/margin` in accuracy and rates grow by the same factor, so here half of
/// the sixteen digits are gone.
pub const SINGULAR_MARGIN: f64 = 1e-8;

/// A way to write a rotation that fails somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parametrisation {
    /// Three angles about successive axes.
    Angles(Sequence),
    /// The Rodrigues vector `tan(phi/2) u`.
    Rodrigues,
    /// Axis and angle.
    AxisAngle,
    /// The rotation vector `phi u`, taken from a matrix (margin `cos(phi/2)`: its sign at the half turn).
    RotationVector,
    /// The rate map of the rotation vector (margin `sin(phi/2) / (phi/2)`: whole turns).
    RotationVectorRate,
}

impl fmt::Display for Parametrisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Angles(sequence) => write!(f, "the sequence {sequence}"),
            Self::Rodrigues => f.write_str("the Rodrigues vector"),
            Self::AxisAngle => f.write_str("the rotation axis"),
            Self::RotationVector => f.write_str("the rotation vector"),
            Self::RotationVectorRate => f.write_str("the rate of the rotation vector"),
        }
    }
}

/// The distance of a rotation from the singularity of a parametrisation.
///
/// The value lies between 0 (singular) and 1 (as far away as possible):
///
/// | parametrisation | value |
/// |---|---|
/// | Cardan sequences | `abs(cos b)` of the middle angle, which is `abs(det G)` |
/// | Euler sequences | `abs(sin b)` of the middle angle, which is `abs(det G)` |
/// | Rodrigues vector | `cos(phi/2)`; `det G` is 8 times its fourth power |
/// | axis and angle | `abs(sin(phi/2))` |
/// | rotation vector from a matrix | `cos(phi/2)`; at zero its sign is arbitrary |
/// | rate map of the rotation vector | `abs(sin(phi/2) / (phi/2))`, whose square is `det G` |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// What may be singular.
    pub parametrisation: Parametrisation,
    /// 0 at the singularity, 1 as far from it as possible; not a number where the rotation is not.
    pub value: f64,
}

impl Margin {
    /// Whether the value is at most [`SINGULAR_MARGIN`] or not a number.
    #[inline]
    pub fn is_singular(&self) -> bool {
        self.value.is_nan() || self.value <= SINGULAR_MARGIN
    }

    /// Nothing, where the parametrisation can be used.
    ///
    /// # Errors
    /// The margin is singular.
    #[inline]
    pub fn check(&self) -> Result<(), SingularError> {
        if self.is_singular() { Err(SingularError { margin: *self }) } else { Ok(()) }
    }
}

/// A parametrisation was used at its singularity.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{} is singular here (margin {:.1e}, at least {SINGULAR_MARGIN:e} is needed): {}",
    .margin.parametrisation, .margin.value, way_out(.margin.parametrisation)
)]
pub struct SingularError {
    /// What is singular and how much.
    pub margin: Margin,
}

fn way_out(parametrisation: Parametrisation) -> &'static str {
    match parametrisation {
        Parametrisation::Angles(_) => {
            "choose a sequence whose middle angle stays away from there, or use a quaternion"
        }
        Parametrisation::Rodrigues => {
            "keep the angle below 180 deg, or use the rotation vector or a quaternion"
        }
        Parametrisation::AxisAngle => {
            "a rotation by zero has no axis; use the rotation vector or a quaternion"
        }
        Parametrisation::RotationVector => "both signs mean the same half revolution; use a quaternion",
        Parametrisation::RotationVectorRate => "bring the angle into -180..180 deg, or use a quaternion",
    }
}

/// Parameters taken from a rotation matrix, with their distance from the singularity.
///
/// The parameters always give the matrix back. At a singularity ([`Extracted::is_singular`]) they are one
/// choice of many, which the extracting function documents.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Extracted<P> {
    /// The parameters.
    pub parameters: P,
    /// How far the rotation is from the singularity.
    pub margin: Margin,
}

impl<P> Extracted<P> {
    /// Whether the parameters are only one choice of many.
    #[inline]
    pub fn is_singular(&self) -> bool {
        self.margin.is_singular()
    }

    /// The parameters, where they are the only choice.
    ///
    /// # Errors
    /// The rotation is at the singularity.
    #[inline]
    pub fn regular(self) -> Result<P, SingularError> {
        self.margin.check().map(|()| self.parameters)
    }
}
