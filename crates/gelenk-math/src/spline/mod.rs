//! Curves through points: a scalar as a function of one argument, with exact first and second derivatives.
//!
//! | file | content |
//! |---|---|
//! | [`curve`](Curve) | the one interface: value, slope, curvature, domain |
//! | [`cubic`](CubicSpline) | piecewise cubic with continuous second derivative |
//! | [`linear`](LinearTable) | straight lines between the points |
//! | [`points`](CurveError) | what points have to fulfil, and the errors |
//!
//! Data are `f64`; the argument is any [`Real`](crate::Real). Outside the knots every curve goes on as the
//! straight line that touches its end, so value and slope stay continuous and a joint driven a little beyond its
//! data does not fly off as a cubic would; [`Curve::contains`] lets a caller warn. Evaluation searches the piece
//! by bisection and allocates nothing.

mod cubic;
mod curve;
mod linear;
mod points;
#[cfg(test)]
mod tests;

pub use cubic::{CubicSpline, End};
pub use curve::{Curve, Jet};
pub use linear::LinearTable;
pub use points::CurveError;
