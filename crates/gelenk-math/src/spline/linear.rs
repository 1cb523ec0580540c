//! Straight lines between points.

use super::points::{Place, check, domain, place};
use super::{CurveError, Jet};
use crate::Real;

/// A table that is interpolated by straight lines.
///
/// The value is continuous, the slope jumps at the knots (at a knot it is that of the piece above, at the last
/// one that of the piece below) and the second derivative is zero. A joint whose accelerations matter wants a
/// [`CubicSpline`](super::CubicSpline).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTable {
    knots: Vec<f64>,
    /// Value at the lower knot and slope of every piece.
    pieces: Vec<[f64; 2]>,
}

impl LinearTable {
    /// The table through the points `(knots[i], values[i])`; knots rise strictly.
    ///
    /// # Errors
    /// Points that make no curve, see [`CurveError`].
    pub fn new(knots: &[f64], values: &[f64]) -> Result<Self, CurveError> {
        check(knots, values)?;
        let mut pieces = Vec::with_capacity(knots.len() - 1);
        for (index, (x, y)) in knots.windows(2).zip(values.windows(2)).enumerate() {
            let slope = (y[1] - y[0]) / (x[1] - x[0]);
            if !slope.is_finite() || !(x[1] - x[0]).is_finite() {
                return Err(CurveError::Overflow { index });
            }
            pieces.push([y[0], slope]);
        }
        Ok(Self { knots: knots.to_vec(), pieces })
    }

    /// Value, first and second derivative at `x`.
    #[inline]
    pub fn jet<T: Real>(&self, x: T) -> Jet<T> {
        let piece = match place(&self.knots, x) {
            Place::Below => 0,
            Place::Piece(piece) => piece,
            Place::Above => self.pieces.len() - 1,
        };
        let [value, slope] = self.pieces[piece];
        Jet::line(value, slope, x - T::c(self.knots[piece]))
    }

    /// First and last knot.
    #[inline]
    pub fn domain(&self) -> [f64; 2] {
        domain(&self.knots)
    }

    /// The knots, rising.
    #[inline]
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }
}
