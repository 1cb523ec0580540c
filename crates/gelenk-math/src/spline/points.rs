//! The points of a curve: what they have to fulfil.

use crate::Real;

/// Points that make no curve. Indices count from zero.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CurveError {
    /// Knots and values come in pairs.
    #[error("{knots} knots but {values} values: give one value for each knot")]
    Lengths {
        /// Number of knots.
        knots: usize,
        /// Number of values.
        values: usize,
    },
    /// A curve needs two points.
    #[error("a curve through {found} points: at least {needed} are needed")]
    TooFew {
        /// Number of points given.
        found: usize,
        /// Number of points needed.
        needed: usize,
    },
    /// A knot is infinite or not a number.
    #[error("knot {index} (counted from 0) is {knot}: it has to be a finite number")]
    KnotNotFinite {
        /// Index of the knot.
        index: usize,
        /// The knot.
        knot: f64,
    },
    /// A value is infinite or not a number.
    #[error("value {index} (counted from 0) is {value}: it has to be a finite number")]
    ValueNotFinite {
        /// Index of the value.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A slope prescribed at an end is infinite or not a number.
    #[error("the prescribed slope at the {} end is {slope}: it has to be a finite number", if *.last { "upper" } else { "lower" })]
    SlopeNotFinite {
        /// Whether it is the slope at the last knot.
        last: bool,
        /// The slope.
        slope: f64,
    },
    /// A knot lies below the one before it.
    #[error(
        "knot {index} (counted from 0) is {knot} and lies below the one before it, {before}: sort the points by their knots"
    )]
    Unsorted {
        /// Index of the later knot.
        index: usize,
        /// The later knot.
        knot: f64,
        /// The knot before it.
        before: f64,
    },
    /// A knot equals the one before it.
    #[error("knot {index} (counted from 0) repeats {knot}: remove one of the two points, or average them")]
    Duplicate {
        /// Index of the later knot.
        index: usize,
        /// The knot.
        knot: f64,
    },
    /// Differences of knots or values leave the range of floating-point numbers.
    #[error(
        "the piece after knot {index} (counted from 0) overflows: its knots are too close together or too far apart for its values"
    )]
    Overflow {
        /// Index of the knot at which the piece begins.
        index: usize,
    },
}

/// Refuses points through which no curve can go; reports the first one that is wrong.
pub(super) fn check(knots: &[f64], values: &[f64]) -> Result<(), CurveError> {
    if knots.len() != values.len() {
        return Err(CurveError::Lengths { knots: knots.len(), values: values.len() });
    }
    if knots.len() < 2 {
        return Err(CurveError::TooFew { found: knots.len(), needed: 2 });
    }
    let mut before = f64::NEG_INFINITY;
    for (index, (&knot, &value)) in knots.iter().zip(values).enumerate() {
        if !knot.is_finite() {
            return Err(CurveError::KnotNotFinite { index, knot });
        }
        if !value.is_finite() {
            return Err(CurveError::ValueNotFinite { index, value });
        }
        if knot == before {
            return Err(CurveError::Duplicate { index, knot });
        }
        if knot < before {
            return Err(CurveError::Unsorted { index, knot, before });
        }
        before = knot;
    }
    Ok(())
}

/// Where an argument lies.
pub(super) enum Place {
    /// Below the first knot.
    Below,
    /// In the piece with this index; a knot belongs to the piece that it begins, the last one to the last piece.
    Piece(usize),
    /// Above the last knot.
    Above,
}

/// The place of `x` among sorted knots, by bisection; what is not a number falls into the first piece.
#[inline]
pub(super) fn place<T: Real>(knots: &[f64], x: T) -> Place {
    let x = x.re();
    let (Some(&first), Some(&last)) = (knots.first(), knots.last()) else { return Place::Below };
    if x < first {
        Place::Below
    } else if x > last {
        Place::Above
    } else {
        let above = knots.partition_point(|&knot| knot <= x);
        Place::Piece(above.saturating_sub(1).min(knots.len().saturating_sub(2)))
    }
}

/// First and last knot.
#[inline]
pub(super) fn domain(knots: &[f64]) -> [f64; 2] {
    match (knots.first(), knots.last()) {
        (Some(&first), Some(&last)) => [first, last],
        _ => [0.0, 0.0],
    }
}
