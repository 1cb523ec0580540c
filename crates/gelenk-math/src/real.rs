//! The scalar that every kernel and law is generic over.

use nalgebra::{ComplexField, RealField};
use num_dual::{Derivative, DualSVec64};

use crate::lockstep::{Blend, Job, Lockstep};

/// Number of directions that one [`Dual`] carries.
pub const LANES: usize = 8;

/// The dual number of the project: a value with [`LANES`] first derivatives.
///
/// Seeding eight inputs at once and evaluating a kernel gives eight columns of its exact Jacobian.
pub type Dual = DualSVec64<LANES>;

/// A real scalar that stands for one run: `f64`, or [`Dual`] where derivatives are wanted.
///
/// Kernels never branch on derivatives; where physics branches (a stop that is open, a slider that
/// slips) they branch on [`Real::re`], so both scalars take the same path. Kernels that also run many systems in lockstep are
/// written on [`Lockstep`] and choose instead.
pub trait Real: Lockstep<Mask = bool, Plain = f64, One = Self> + RealField {
    /// Whether derivatives are carried along.
    const VARIES: bool;

    /// The value without derivatives.
    fn re(self) -> f64;

    /// A constant: a value whose derivatives vanish.
    fn c(value: f64) -> Self;
}

/// Coefficients of `(1 - exp(-x))/x` in powers of `x`: `(-1)^k/(k + 1)!`.
const LOST: [f64; 12] = {
    let mut list = [1.0; 12];
    let mut k = 1;
    while k < list.len() {
        list[k] = -list[k - 1] / (k + 1) as f64;
        k += 1;
    }
    list
};

/// Up to here the series is exact to rounding: its next term is `0.25^12/13!`, below 1e-17. Beyond, the difference loses two
/// bits at most.
pub(crate) const SMALL: f64 = 0.25;

/// `1 - exp(-x)` by its series, for `|x| < SMALL`.
#[inline(always)]
pub(crate) fn lost(x: f64) -> f64 {
    // In pairs, so that the products do not wait for each other.
    let [a, b, c, d, e, f, g, h, i, j, k, l] = LOST;
    let x2 = x * x;
    let (low, middle, high) =
        ((a + b * x) + (c + d * x) * x2, (e + f * x) + (g + h * x) * x2, (i + j * x) + (k + l * x) * x2);
    let x4 = x2 * x2;
    x * (low + (middle + high * x4) * x4)
}

impl Real for f64 {
    const VARIES: bool = false;

    #[inline]
    fn re(self) -> f64 {
        self
    }

    #[inline]
    fn c(value: f64) -> Self {
        value
    }
}

impl Blend<bool> for f64 {
    #[inline(always)]
    fn blend(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

impl Blend<bool> for Dual {
    #[inline(always)]
    fn blend(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

/// What both scalars of one lane do alike.
macro_rules! single {
    () => {
        const WIDTH: usize = 1;
        type Mask = bool;
        type Plain = f64;
        type One = Self;

        #[inline(always)]
        fn of(value: f64) -> Self {
            Self::c(value)
        }

        #[inline(always)]
        fn plain(self) -> f64 {
            self.re()
        }

        #[inline(always)]
        fn fixed(plain: f64) -> Self {
            Self::c(plain)
        }

        #[inline(always)]
        fn lane(self, _: usize) -> Self {
            self
        }

        #[inline(always)]
        fn set_lane(&mut self, k: usize, value: Self) {
            if k == 0 {
                *self = value;
            }
        }

        #[inline(always)]
        fn below(self, other: Self) -> bool {
            self.re() < other.re()
        }

        #[inline(always)]
        fn at_most(self, other: Self) -> bool {
            self.re() <= other.re()
        }

        #[inline(always)]
        fn equals(self, other: Self) -> bool {
            self.re() == other.re()
        }

        #[inline(always)]
        fn finite(self) -> bool {
            self.re().is_finite()
        }

        #[inline(always)]
        fn either<R: Blend<bool>>(mask: bool, yes: impl FnOnce() -> R, no: impl FnOnce() -> R) -> R {
            if mask { yes() } else { no() }
        }

        #[inline(always)]
        fn fork<R: Blend<bool>>(mask: bool, yes: impl FnOnce() -> R, no: impl FnOnce() -> R) -> R {
            if mask { yes() } else { no() }
        }

        #[inline(always)]
        fn run<J: Job<Self>>(job: J) -> J::Out {
            job.single()
        }

        forwarded! { abs sqrt exp ln log10 sin cos tan asin acos atan sinh cosh tanh recip exp_m1 ceil round }

        #[inline(always)]
        fn sin_cos(&self) -> (Self, Self) {
            ComplexField::sin_cos(*self)
        }

        #[inline(always)]
        fn powf(&self, exponent: Self) -> Self {
            ComplexField::powf(*self, exponent)
        }

        #[inline(always)]
        fn mul_add(&self, b: Self, c: Self) -> Self {
            ComplexField::mul_add(*self, b, c)
        }

        #[inline(always)]
        fn powi(&self, exponent: i32) -> Self {
            ComplexField::powi(*self, exponent)
        }
    };
}

/// Functions as `RealField` has them.
macro_rules! forwarded {
    ($($name:ident)+) => {$(
        #[inline(always)]
        fn $name(&self) -> Self {
            ComplexField::$name(*self)
        }
    )+};
}

impl Lockstep for f64 {
    single! {}

    #[inline]
    fn is(self, value: f64) -> bool {
        self == value
    }

    #[inline]
    fn falls_with(self, _: Self) -> bool {
        false
    }

    #[inline]
    fn decayed(self) -> Self {
        // Far below zero nothing cancels either, and an argument that is no number stays none.
        if f64::abs(self) >= SMALL { 1.0 - f64::exp(-self) } else { lost(self) }
    }
}

impl Real for Dual {
    const VARIES: bool = true;

    #[inline]
    fn re(self) -> f64 {
        self.re
    }

    #[inline]
    fn c(value: f64) -> Self {
        Dual::from_re(value)
    }
}

impl Lockstep for Dual {
    single! {}

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

    #[inline]
    fn decayed(self) -> Self {
        let value = self.re.decayed();
        // d/dx (1 - exp(-x)) = exp(-x).
        Dual::from_re(value) + (self - Dual::from_re(self.re)) * (1.0 - value)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `1 - exp(-x)` over all magnitudes beside `exp_m1` of the standard library, to four units in the last place; its
    /// derivative is `exp(-x)`.
    #[test]
    fn decayed_is_exact_to_rounding() {
        for k in -2000..=300 {
            let x = 10f64.powf(f64::from(k) / 100.0);
            for x in [x, -x.min(300.0)] {
                let (value, expected) = (x.decayed(), -(-x).exp_m1());
                assert!(
                    (value - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(),
                    "{x}: {value} {expected}"
                );
                let slope = partial(seed(x, 0).decayed(), 0);
                assert!((slope - (-x).exp()).abs() <= 4.0 * f64::EPSILON * (1.0 + slope), "{x}: {slope}");
            }
        }
        assert_eq!((0.0.decayed(), f64::INFINITY.decayed()), (0.0, 1.0));
        assert!(f64::NAN.decayed().is_nan());
    }
}
