//! Lanes with a derivative.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_traits::{One, Zero};

use super::{LaneMask, Lanes};
use crate::lockstep::{Blend, Job, Lockstep};
use crate::{Dual, partial, seed};

/// Values with one derivative each: the dual number of several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope<const N: usize> {
    /// Values.
    pub re: Lanes<N>,
    /// Derivatives.
    pub eps: Lanes<N>,
}

impl<const N: usize> Slope<N> {
    /// Values as the independent variable.
    #[inline(always)]
    pub fn seed(re: Lanes<N>) -> Self {
        Self { re, eps: Lanes::of(1.0) }
    }

    #[inline(always)]
    fn constant(re: Lanes<N>) -> Self {
        Self { re, eps: Lanes::of(0.0) }
    }

    /// A function with this value and this slope here.
    #[inline(always)]
    fn chain(self, re: Lanes<N>, slope: Lanes<N>) -> Self {
        Self { re, eps: self.eps * slope }
    }
}

impl<const N: usize> Add for Slope<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, eps: self.eps + other.eps }
    }
}

impl<const N: usize> Sub for Slope<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, eps: self.eps - other.eps }
    }
}

impl<const N: usize> Mul for Slope<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re, eps: self.eps * other.re + self.re * other.eps }
    }
}

impl<const N: usize> Div for Slope<N> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let re = self.re / other.re;
        Self { re, eps: (self.eps - re * other.eps) / other.re }
    }
}

/// The assigning forms.
macro_rules! assigning {
    ($($trait:ident $name:ident $op:tt;)+) => {$(
        impl<const N: usize> $trait for Slope<N> {
            #[inline(always)]
            fn $name(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )+};
}

assigning! { AddAssign add_assign +; SubAssign sub_assign -; MulAssign mul_assign *; DivAssign div_assign /; }

impl<const N: usize> Neg for Slope<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { re: -self.re, eps: -self.eps }
    }
}

impl<const N: usize> Zero for Slope<N> {
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }

    fn is_zero(&self) -> bool {
        self.re.is_zero() && self.eps.is_zero()
    }
}

impl<const N: usize> One for Slope<N> {
    #[inline(always)]
    fn one() -> Self {
        Self::of(1.0)
    }
}

impl<const N: usize> Blend<LaneMask<N>> for Slope<N> {
    #[inline(always)]
    fn blend(mask: LaneMask<N>, yes: Self, no: Self) -> Self {
        Self { re: Lanes::blend(mask, yes.re, no.re), eps: Lanes::blend(mask, yes.eps, no.eps) }
    }
}

/// Functions by their value and slope.
macro_rules! functions {
    ($($name:ident($x:ident, $y:ident) $slope:expr;)+) => {$(
        #[inline]
        fn $name(&self) -> Self {
            let $x = self.re;
            let $y = Lockstep::$name(&$x);
            self.chain($y, $slope)
        }
    )+};
}

impl<const N: usize> Lockstep for Slope<N> {
    const WIDTH: usize = N;
    type Mask = LaneMask<N>;
    type Plain = Lanes<N>;
    type One = Dual;

    #[inline(always)]
    fn of(value: f64) -> Self {
        Self::constant(Lanes::of(value))
    }

    #[inline(always)]
    fn plain(self) -> Lanes<N> {
        self.re
    }

    #[inline(always)]
    fn fixed(plain: Lanes<N>) -> Self {
        Self::constant(plain)
    }

    fn lane(self, k: usize) -> Dual {
        let (value, slope) = (self.re.lane(k), self.eps.lane(k));
        Dual::from_re(value) + (seed(value, 0) - Dual::from_re(value)) * slope
    }

    fn set_lane(&mut self, k: usize, value: Dual) {
        self.re.set_lane(k, value.re);
        self.eps.set_lane(k, partial(value, 0));
    }

    #[inline(always)]
    fn is(self, value: f64) -> LaneMask<N> {
        self.re.is(value) & self.eps.is(0.0)
    }

    #[inline(always)]
    fn falls_with(self, x: Self) -> LaneMask<N> {
        (self.eps * x.eps).below(Lanes::of(0.0))
    }

    #[inline(always)]
    fn below(self, other: Self) -> LaneMask<N> {
        self.re.below(other.re)
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> LaneMask<N> {
        self.re.at_most(other.re)
    }

    #[inline(always)]
    fn equals(self, other: Self) -> LaneMask<N> {
        self.re.equals(other.re)
    }

    #[inline(always)]
    fn finite(self) -> LaneMask<N> {
        self.re.finite()
    }

    #[inline(always)]
    fn either<R: Blend<LaneMask<N>>>(
        mask: LaneMask<N>,
        yes: impl FnOnce() -> R,
        no: impl FnOnce() -> R,
    ) -> R {
        R::blend(mask, yes(), no())
    }

    #[inline]
    fn run<J: Job<Self>>(job: J) -> J::Out {
        job.lanes()
    }

    #[inline]
    fn decayed(self) -> Self {
        let value = self.re.decayed();
        // d/dx (1 - exp(-x)) = exp(-x).
        self.chain(value, Lanes::of(1.0) - value)
    }

    #[inline(always)]
    fn abs(&self) -> Self {
        // At zero as the dual numbers have it: the slope of the positive side for +0.0.
        let sign = self.re.map(f64::signum);
        Self { re: Lockstep::abs(&self.re), eps: self.eps * sign }
    }

    #[inline(always)]
    fn sin_cos(&self) -> (Self, Self) {
        let (sin, cos) = self.re.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    #[inline]
    fn sin(&self) -> Self {
        Lockstep::sin_cos(self).0
    }

    #[inline]
    fn cos(&self) -> Self {
        Lockstep::sin_cos(self).1
    }

    functions! {
        sqrt(_x, y) Lanes::of(0.5) / y;
        exp(_x, y) y;
        ln(x, _y) Lockstep::recip(&x);
        log10(x, _y) Lockstep::recip(&x) * Lanes::of(std::f64::consts::LOG10_E);
        tan(_x, y) Lanes::of(1.0) + y * y;
        asin(x, _y) Lockstep::recip(&Lockstep::sqrt(&(Lanes::of(1.0) - x * x)));
        acos(x, _y) -Lockstep::recip(&Lockstep::sqrt(&(Lanes::of(1.0) - x * x)));
        atan(x, _y) Lockstep::recip(&(Lanes::of(1.0) + x * x));
        sinh(x, _y) Lockstep::cosh(&x);
        cosh(x, _y) Lockstep::sinh(&x);
        tanh(_x, y) Lanes::of(1.0) - y * y;
        recip(_x, y) -(y * y);
        ceil(_x, _y) Lanes::of(0.0);
        round(_x, _y) Lanes::of(0.0);
        exp_m1(_x, y) y + Lanes::of(1.0);
    }

    #[inline(always)]
    fn mul_add(&self, b: Self, c: Self) -> Self {
        let slope = self.eps.mul_add(b.re, self.re.mul_add(b.eps, c.eps));
        Self { re: self.re.mul_add(b.re, c.re), eps: slope }
    }

    fn powf(&self, exponent: Self) -> Self {
        let (x, n) = (self.re, exponent.re);
        let value = Lockstep::powf(&x, n);
        let one = Lanes::of(1.0);
        let slope = n * Lockstep::powf(&x, n - one);
        // A constant exponent has no part in the slope, also where the base has no logarithm.
        let zero = Lanes::of(0.0);
        let share = Lanes::either(exponent.eps.is(0.0), || zero, || exponent.eps * value * Lockstep::ln(&x));
        let base = Lanes::either(self.eps.is(0.0), || zero, || self.eps * slope);
        Self { re: value, eps: base + share }
    }

    #[inline]
    fn powi(&self, exponent: i32) -> Self {
        let slope = Lanes::of(f64::from(exponent)) * Lockstep::powi(&self.re, exponent.saturating_sub(1));
        self.chain(Lockstep::powi(&self.re, exponent), slope)
    }
}
