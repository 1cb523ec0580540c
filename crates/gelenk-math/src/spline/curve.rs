//! The one interface to every curve.

use super::{CubicSpline, LinearTable};
use crate::Real;
use crate::interval::Interval;

/// A value with its first and second derivative with respect to the argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<T> {
    /// The value.
    pub value: T,
    /// The first derivative.
    pub first: T,
    /// The second derivative.
    pub second: T,
}

impl<T: Real> Jet<T> {
    /// The straight line with this slope, `distance` away from the point where it has this value.
    #[inline]
    pub(super) fn line(value: f64, slope: f64, distance: T) -> Self {
        Self { value: T::c(value) + T::c(slope) * distance, first: T::c(slope), second: T::c(0.0) }
    }
}

/// A scalar curve through given points.
///
/// ```
/// use gelenk_math::spline::{CubicSpline, Curve, End};
/// let knots = [0.0, 1.0, 2.0, 4.0];
/// let curve = Curve::from(CubicSpline::new(&knots, &knots.map(|x| x * x * x), End::NotAKnot)?);
/// let jet = curve.jet(3.0);
/// assert!((jet.value - 27.0).abs() < 1e-13 && (jet.second - 18.0).abs() < 1e-13);
/// assert!(!curve.contains(5.0));
/// # Ok::<(), gelenk_math::spline::CurveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// A cubic spline, with continuous second derivative between its end knots.
    Cubic(CubicSpline),
    /// A table with straight lines between its points.
    Linear(LinearTable),
}

impl Curve {
    /// Value, first and second derivative at `x`.
    #[inline]
    pub fn jet<T: Real>(&self, x: T) -> Jet<T> {
        match self {
            Self::Cubic(spline) => spline.jet(x),
            Self::Linear(table) => table.jet(x),
        }
    }

    /// The value at `x`.
    #[inline]
    pub fn value<T: Real>(&self, x: T) -> T {
        self.jet(x).value
    }

    /// The derivative of this order at `x`: the value for 0, zero beyond [`Curve::degree`].
    ///
    /// The highest one is constant in every piece and jumps at the knots, where the piece above counts.
    #[inline]
    pub fn derivative<T: Real>(&self, order: u8, x: T) -> T {
        match (self, order) {
            (_, 0) => self.jet(x).value,
            (_, 1) => self.jet(x).first,
            (_, 2) => self.jet(x).second,
            (Self::Cubic(spline), 3) => spline.third(x),
            _ => T::c(0.0),
        }
    }

    /// The degree of the pieces: derivatives of a higher order vanish.
    #[inline]
    pub fn degree(&self) -> u8 {
        match self {
            Self::Cubic(_) => 3,
            Self::Linear(_) => 1,
        }
    }

    /// The knots, rising.
    #[inline]
    pub fn knots(&self) -> &[f64] {
        match self {
            Self::Cubic(spline) => spline.knots(),
            Self::Linear(table) => table.knots(),
        }
    }

    /// What the derivative of this order can be over `x`; all numbers where more than a few knots lie inside.
    pub fn over(&self, order: u8, x: Interval) -> Interval {
        let knots = self.knots();
        let below = knots.partition_point(|&knot| knot <= x.low);
        let above = knots.partition_point(|&knot| knot < x.high).max(below);
        if above - below > 8 || x == Interval::ALL {
            return Interval::ALL;
        }
        let inside = |piece: usize| {
            let low = if piece > below { knots[piece - 1] } else { x.low };
            let high = if piece < above { knots[piece] } else { x.high };
            self.over_piece(order, piece, Interval::new(low, high))
        };
        (below + 1..=above).fold(inside(below), |range, piece| range.hull(inside(piece)))
    }

    /// The same over the piece below knot `above`.
    fn over_piece(&self, order: u8, above: usize, x: Interval) -> Interval {
        // The polynomial of the piece by its derivatives at its lower knot; beyond the ends it is a line.
        let knots = self.knots();
        let base = knots[above.saturating_sub(1)];
        let degree = if above == 0 || above == knots.len() { 1 } else { self.degree() };
        let (distance, mut sum) = (x - Interval::point(base), Interval::ZERO);
        for k in (order..=degree).rev() {
            let left = Interval::point(1.0 / f64::from(k - order + 1));
            sum = Interval::point(self.derivative(k, base)) + distance * left * sum;
        }
        sum
    }

    /// First and last knot.
    #[inline]
    pub fn domain(&self) -> [f64; 2] {
        match self {
            Self::Cubic(spline) => spline.domain(),
            Self::Linear(table) => table.domain(),
        }
    }

    /// Whether `x` lies between the first and the last knot (both included), where the curve rests on data.
    #[inline]
    pub fn contains(&self, x: f64) -> bool {
        let [first, last] = self.domain();
        first <= x && x <= last
    }
}

impl From<CubicSpline> for Curve {
    fn from(spline: CubicSpline) -> Self {
        Self::Cubic(spline)
    }
}

impl From<LinearTable> for Curve {
    fn from(table: LinearTable) -> Self {
        Self::Linear(table)
    }
}
