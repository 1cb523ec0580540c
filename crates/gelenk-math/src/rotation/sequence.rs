//! Three successive rotations about basis vectors: Cardan and Euler angles.

use std::fmt;

use super::matrix::about_basis;
use super::{Extracted, Margin, Parametrisation, SingularError, polar_angle};
use crate::spatial::Mat3;
use crate::{Lockstep, Real};

/// Below this value of `cos b` or `sin b` the first angle is nothing but rounding.
const NOISE: f64 = 16.0 * f64::EPSILON;

/// The order of the axes of three successive rotations, each about an axis of the frame that the rotation
/// before has produced: `R_AB = A1(a) A2(b) A3(c)` (stelzner 3.1, eqs. 1.22 and 1.23).
///
/// With three different axes they are called Cardan angles, with the first axis repeated Euler angles.
/// Angles are in rad, rates in rad/s; angular velocities are in components of the parent frame `A`.
///
/// ```
/// use gelenk_math::rotation::Sequence;
/// let r = Sequence::Zxz.matrix([0.3, 0.7, -1.1]);
/// let angles = Sequence::Zxz.angles(&r);
/// assert!((angles.parameters[1] - 0.7).abs() < 1e-15 && !angles.is_singular());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sequence {
    /// Cardan x-y-z, singular at `b = pi/2 + n pi`.
    Xyz,
    /// Cardan y-z-x, singular at `b = pi/2 + n pi`.
    Yzx,
    /// Cardan z-x-y, singular at `b = pi/2 + n pi`.
    Zxy,
    /// Euler z-x-z, singular at `b = n pi`.
    Zxz,
    /// Euler x-y-x, singular at `b = n pi`.
    Xyx,
    /// Euler y-z-y, singular at `b = n pi`.
    Yzy,
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xyz => "x-y-z",
            Self::Yzx => "y-z-x",
            Self::Zxy => "z-x-y",
            Self::Zxz => "z-x-z",
            Self::Xyx => "x-y-x",
            Self::Yzy => "y-z-y",
        })
    }
}

impl Sequence {
    /// Every sequence, Cardan first.
    pub const ALL: [Self; 6] = [Self::Xyz, Self::Yzx, Self::Zxy, Self::Zxz, Self::Xyx, Self::Yzy];

    /// Whether the three axes differ.
    #[inline]
    pub fn is_cardan(self) -> bool {
        matches!(self, Self::Xyz | Self::Yzx | Self::Zxy)
    }

    /// The axes of the three rotations: 0, 1, 2 for x, y, z.
    #[inline]
    pub fn axes(self) -> [usize; 3] {
        let [i, j, k] = self.cycle();
        [i, j, if self.is_cardan() { k } else { i }]
    }

    /// First axis, second axis and the third of the right-handed frame. All six sequences run in the order
    /// x, y, z, x, ..., so after this renumbering each is x-y-z or x-y-x.
    #[inline]
    fn cycle(self) -> [usize; 3] {
        match self {
            Self::Xyz | Self::Xyx => [0, 1, 2],
            Self::Yzx | Self::Yzy => [1, 2, 0],
            Self::Zxy | Self::Zxz => [2, 0, 1],
        }
    }

    /// The rotation matrix `R_AB` of the angles (rad).
    #[inline]
    pub fn matrix<T: Lockstep>(self, [a, b, c]: [T; 3]) -> Mat3<T> {
        let [i, j, k] = self.axes();
        about_basis(i, a) * about_basis(j, b) * about_basis(k, c)
    }

    /// The angles (rad) of a rotation matrix.
    ///
    /// The outer angles lie in `(-pi, pi]`, the middle one in `[-pi/2, pi/2]` for Cardan and in `[0, pi]` for
    /// Euler sequences. At the singularity only the sum or difference of the outer angles is determined; there
    /// the first is set to zero and the angles still give the matrix back.
    pub fn angles<T: Real>(self, r: &Mat3<T>) -> Extracted<[T; 3]> {
        let cycle = self.cycle();
        let e = |row: usize, column: usize| r[(cycle[row], cycle[column])];
        let (y, x) = if self.is_cardan() { (-e(1, 2), e(2, 2)) } else { (e(1, 0), -e(2, 0)) };
        let size = y.re().hypot(x.re());
        let a = if size > NOISE { polar_angle(y, x) } else { T::c(0.0) };
        // The other two follow from A1^T R = A2 A3 with the first angle as it is, so that all three fit
        // together however little is left of it near the singularity.
        let (sin, cos) = (a.sin(), a.cos());
        let turned = |column: usize| cos * e(1, column) + sin * e(2, column);
        let (b, c) = if self.is_cardan() {
            (polar_angle(e(0, 2), cos * x + sin * y), polar_angle(turned(0), turned(1)))
        } else {
            (polar_angle(cos * x + sin * y, e(0, 0)), polar_angle(-turned(2), turned(1)))
        };
        Extracted { parameters: [a, b, c], margin: self.margin_of(size) }
    }

    /// The distance of these angles from the singularity.
    #[inline]
    pub fn margin<T: Real>(self, [_, b, _]: [T; 3]) -> Margin {
        let b = b.re();
        self.margin_of(if self.is_cardan() { b.cos() } else { b.sin() }.abs())
    }

    fn margin_of(self, value: f64) -> Margin {
        Margin { parametrisation: Parametrisation::Angles(self), value }
    }

    /// The rate map `G` of `w_AB_A = G [a', b', c']` (eqs. 1.38 and 1.42).
    pub fn rate_map<T: Real>(self, [a, b, _]: [T; 3]) -> Mat3<T> {
        let (zero, one) = (T::c(0.0), T::c(1.0));
        let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sin(), b.cos());
        let last = if self.is_cardan() { [sb, -sa * cb, ca * cb] } else { [cb, sa * sb, -ca * sb] };
        self.with_rows([[one, zero, last[0]], [zero, ca, last[1]], [zero, sa, last[2]]])
    }

    /// The time derivative `G'` of the rate map under the rates (rad/s): `w_AB_A' = G theta'' + G' theta'`.
    pub fn rate_map_dot<T: Real>(self, [a, b, _]: [T; 3], [da, db, _]: [T; 3]) -> Mat3<T> {
        let zero = T::c(0.0);
        let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sin(), b.cos());
        let last = if self.is_cardan() {
            [cb * db, sa * sb * db - ca * cb * da, -sa * cb * da - ca * sb * db]
        } else {
            [-sb * db, ca * sb * da + sa * cb * db, sa * sb * da - ca * cb * db]
        };
        self.with_rows([[zero, zero, last[0]], [zero, -sa * da, last[1]], [zero, ca * da, last[2]]])
    }

    /// The inverse of the rate map: `[a', b', c'] = G^-1 w_AB_A` (eqs. 1.39 and 1.43).
    ///
    /// # Errors
    /// The angles are at the singularity.
    pub fn rate_map_inverse<T: Real>(self, angles: [T; 3]) -> Result<Mat3<T>, SingularError> {
        self.margin(angles).check()?;
        let [a, b, _] = angles;
        let (zero, one) = (T::c(0.0), T::c(1.0));
        let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sin(), b.cos());
        let (last, part) =
            if self.is_cardan() { ([zero, -sa / cb, ca / cb], sb) } else { ([zero, sa / sb, -ca / sb], cb) };
        let rows = [[one, -part * last[1], -part * last[2]], [zero, ca, sa], last];
        Ok(self.with_columns(rows))
    }

    /// The matrix whose rows, which are components in `A`, were written for the renumbered axes.
    #[inline]
    fn with_rows<T: Real>(self, rows: [[T; 3]; 3]) -> Mat3<T> {
        let cycle = self.cycle();
        let mut m = Mat3::from_element(T::c(0.0));
        for (row, &at) in rows.iter().zip(&cycle) {
            for (column, &x) in row.iter().enumerate() {
                m[(at, column)] = x;
            }
        }
        m
    }

    /// The matrix whose columns, which belong to components in `A`, were written for the renumbered axes.
    #[inline]
    fn with_columns<T: Real>(self, rows: [[T; 3]; 3]) -> Mat3<T> {
        let cycle = self.cycle();
        let mut m = Mat3::from_element(T::c(0.0));
        for (row, entries) in rows.iter().enumerate() {
            for (&x, &at) in entries.iter().zip(&cycle) {
                m[(row, at)] = x;
            }
        }
        m
    }
}

/// Cardan x-y-z rotation `Ax(a) Ay(b) Az(c)` with angles in rad (stelzner 3.1, eq. 1.22).
#[inline]
pub fn cardan<T: Lockstep>(angles: [T; 3]) -> Mat3<T> {
    Sequence::Xyz.matrix(angles)
}
