//! The scalar that every kernel and law is generic over.

use nalgebra::RealField;
use num_dual::{Derivative, DualSVec64};

/// Number of directions that one [`Dual`] carries.
pub const LANES: usize = 8;

/// The dual number of the project: a value with [`LANES`] first derivatives.
///
/// Seeding eight inputs at once and evaluating a kernel gives eight columns of its exact Jacobian.
pub type Dual = DualSVec64<LANES>;

/// A real scalar: `f64`, or [`Dual`] where derivatives are wanted.
///
/// Kernels never branch on derivatives; where physics branches (a stop that is open, a slider that
/// slips) they branch on [`Real::re`], so both scalars take the same path.
pub trait Real: RealField + Copy {
    /// The value without derivatives.
    fn re(self) -> f64;

    /// A constant: a value whose derivatives vanish.
    fn c(value: f64) -> Self;

    /// Whether it is the constant `value`: a shortcut for one value of a parameter must not lose its derivative.
    fn is(self, value: f64) -> bool;

    /// Whether the value falls where `x` rises, in the directions that both carry; never for `f64`.
    fn falls_with(self, x: Self) -> bool;
}

impl Real for f64 {
    #[inline]
    fn re(self) -> f64 {
        self
    }

    #[inline]
    fn c(value: f64) -> Self {
        value
    }

    #[inline]
    fn is(self, value: f64) -> bool {
        self == value
    }

    #[inline]
    fn falls_with(self, _: Self) -> bool {
        false
    }
}

impl Real for Dual {
    #[inline]
    fn re(self) -> f64 {
        self.re
    }

    #[inline]
    fn c(value: f64) -> Self {
        Dual::from_re(value)
    }

    #[inline]
    fn is(self, value: f64) -> bool {
        let constant = match self.eps {
            Derivative(Some(eps), ..) => eps.iter().all(|&e| e == 0.0),
            _ => true,
        };
        constant && self.re == value
    }

    #[inline]
    fn falls_with(self, x: Self) -> bool {
        match (self.eps, x.eps) {
            (Derivative(Some(own), ..), Derivative(Some(other), ..)) => own.dot(&other) < 0.0,
            _ => false,
        }
    }
}

/// `value` as the independent variable of direction `lane`; lanes beyond [`LANES`] give a constant.
///
/// ```
/// use gelenk_math::{Real, partial, seed};
/// let x = seed(3.0, 1);
/// assert_eq!(partial(x * x, 1), 6.0);
/// assert_eq!(partial(x * x, 0), 0.0);
/// ```
#[inline]
pub fn seed(value: f64, lane: usize) -> Dual {
    let dual = Dual::from_re(value);
    if lane < LANES { dual.derivative(lane) } else { dual }
}

/// The derivative of `x` in direction `lane`.
#[inline]
pub fn partial(x: Dual, lane: usize) -> f64 {
    match x.eps {
        Derivative(Some(eps), ..) if lane < LANES => eps[lane],
        _ => 0.0,
    }
}
