//! Interpolating cubic splines.

use super::points::{Place, check, domain, place};
use super::{CurveError, Jet};
use crate::Real;

/// What closes the equations of a cubic spline at its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum End {
    /// The third derivative is continuous at the second and the last but one knot, so that a cubic polynomial is
    /// reproduced exactly; MATLAB's `csapi`. Three points give the parabola through them, two the line.
    #[default]
    NotAKnot,
    /// The second derivative vanishes at both ends.
    Natural,
    /// The slopes at both ends are given (value unit per argument unit).
    Clamped {
        /// Slope at the first knot.
        first: f64,
        /// Slope at the last knot.
        last: f64,
    },
}

/// A piecewise cubic curve through points, with continuous second derivative between the end knots.
///
/// Beyond the ends it goes on as the touching straight line: value and slope are continuous there, the second
/// derivative drops to zero (for [`End::Natural`] without a jump).
#[derive(Clone, Debug, PartialEq)]
pub struct CubicSpline {
    knots: Vec<f64>,
    /// Coefficients of every piece in powers 0 to 3 of the distance from its lower knot.
    pieces: Vec<[f64; 4]>,
    /// Value and slope at the last knot.
    last: [f64; 2],
}

impl CubicSpline {
    /// The spline through the points `(knots[i], values[i])`; knots rise strictly, two points suffice.
    ///
    /// # Errors
    /// Points or end slopes that make no curve, see [`CurveError`].
    pub fn new(knots: &[f64], values: &[f64], end: End) -> Result<Self, CurveError> {
        check(knots, values)?;
        if let End::Clamped { first, last } = end {
            for (slope, is_last) in [(first, false), (last, true)] {
                if !slope.is_finite() {
                    return Err(CurveError::SlopeNotFinite { last: is_last, slope });
                }
            }
        }
        let steps: Vec<f64> = knots.windows(2).map(|x| x[1] - x[0]).collect();
        let chords: Vec<f64> = values.windows(2).zip(&steps).map(|(y, h)| (y[1] - y[0]) / h).collect();
        let slopes = slopes(&steps, &chords, end);
        let mut pieces = Vec::with_capacity(steps.len());
        for (index, (&h, &chord)) in steps.iter().zip(&chords).enumerate() {
            let (s0, s1) = (slopes[index], slopes[index + 1]);
            let cubic = (s0 + s1 - 2.0 * chord) / h;
            let piece = [values[index], s0, (chord - s0) / h - cubic, cubic / h];
            if !h.is_finite() || !s1.is_finite() || piece.iter().any(|c| !c.is_finite()) {
                return Err(CurveError::Overflow { index });
            }
            pieces.push(piece);
        }
        let last = [values[values.len() - 1], slopes[slopes.len() - 1]];
        Ok(Self { knots: knots.to_vec(), pieces, last })
    }

    /// Value, first and second derivative at `x`.
    #[inline]
    pub fn jet<T: Real>(&self, x: T) -> Jet<T> {
        match place(&self.knots, x) {
            Place::Below => {
                let [value, slope, ..] = self.pieces[0];
                Jet::line(value, slope, x - T::c(self.knots[0]))
            }
            Place::Piece(piece) => {
                let [a, b, c, d] = self.pieces[piece].map(T::c);
                let (two, three) = (T::c(2.0), T::c(3.0));
                let distance = x - T::c(self.knots[piece]);
                Jet {
                    value: a + distance * (b + distance * (c + distance * d)),
                    first: b + distance * (two * c + distance * three * d),
                    second: two * (c + distance * three * d),
                }
            }
            Place::Above => {
                let [value, slope] = self.last;
                Jet::line(value, slope, x - T::c(self.domain()[1]))
            }
        }
    }

    /// The third derivative at `x`, constant in every piece and zero beyond the ends.
    #[inline]
    pub fn third<T: Real>(&self, x: T) -> T {
        match place(&self.knots, x) {
            Place::Piece(piece) => T::c(6.0 * self.pieces[piece][3]),
            Place::Below | Place::Above => T::c(0.0),
        }
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

    /// The coefficients of every piece in powers 0 to 3 of the distance from its lower knot.
    #[inline]
    pub fn pieces(&self) -> &[[f64; 4]] {
        &self.pieces
    }
}

/// The slopes at the knots, from the continuity of the second derivative (de Boor, *A Practical Guide to
/// Splines*, chapter IV):
/// `h[i] s[i-1] + 2 (h[i-1] + h[i]) s[i] + h[i-1] s[i+1] = 3 (h[i] d[i-1] + h[i-1] d[i])`
/// with the steps `h` between the knots and the slopes `d` of the chords.
fn slopes(h: &[f64], d: &[f64], end: End) -> Vec<f64> {
    let n = h.len();
    // Through two or three points the not-a-knot conditions do not fix a cubic; the parabola or line does.
    if end == End::NotAKnot && n == 1 {
        return vec![d[0]; 2];
    }
    if end == End::NotAKnot && n == 2 {
        let curvature = (d[1] - d[0]) / (h[0] + h[1]);
        return vec![d[0] - h[0] * curvature, d[0] + h[0] * curvature, d[1] + h[1] * curvature];
    }
    // Rows `[below, diagonal, above, right side]` of a tridiagonal system.
    let mut rows = vec![[0.0; 4]; n + 1];
    for i in 1..n {
        rows[i] = [h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1], 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i])];
    }
    (rows[0], rows[n]) = match end {
        End::Clamped { first, last } => ([0.0, 1.0, 0.0, first], [0.0, 1.0, 0.0, last]),
        End::Natural => ([0.0, 2.0, 1.0, 3.0 * d[0]], [1.0, 2.0, 0.0, 3.0 * d[n - 1]]),
        End::NotAKnot => {
            let condition = |h0: f64, h1: f64, d0: f64, d1: f64| {
                ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1)
            };
            (
                [0.0, h[1], h[0] + h[1], condition(h[0], h[1], d[0], d[1])],
                [h[n - 1] + h[n - 2], h[n - 2], 0.0, condition(h[n - 1], h[n - 2], d[n - 1], d[n - 2])],
            )
        }
    };
    // Elimination without pivoting: the inner rows are diagonally dominant, and subtracting a not-a-knot row
    // leaves its neighbour dominant, so every pivot is positive.
    for i in 1..=n {
        let [_, diagonal, above, right] = rows[i - 1];
        let factor = rows[i][0] / diagonal;
        rows[i][1] -= factor * above;
        rows[i][3] -= factor * right;
    }
    let mut slopes = vec![0.0; n + 1];
    let mut next = 0.0;
    for i in (0..=n).rev() {
        let [_, diagonal, above, right] = rows[i];
        next = (right - above * next) / diagonal;
        slopes[i] = next;
    }
    slopes
}
