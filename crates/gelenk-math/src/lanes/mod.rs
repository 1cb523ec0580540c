//! Several numbers side by side, one for each of several runs in lockstep.
//!
//! Arithmetic is plain loops over arrays, which the compiler turns into vector instructions; so are `exp`, `sin`, `cos` and
//! `tanh`. What is seldom used goes lane by lane.

// Loops over indices are what the compiler turns into vector instructions.
#![allow(clippy::needless_range_loop)]

mod functions;
mod mask;
mod slope;
#[cfg(test)]
mod tests;

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_traits::{One, Zero};

pub use mask::LaneMask;
pub use slope::Slope;

use crate::lockstep::{Blend, Job, Lockstep, Mask};
use crate::real::{SMALL, lost};

/// `N` numbers, one for each of `N` runs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Lanes<N> {
    /// The function of every lane.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let mut out = [0.0; N];
        for k in 0..N {
            out[k] = f(self.0[k]);
        }
        Self(out)
    }

    /// The function of every lane of both.
    #[inline(always)]
    pub fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = [0.0; N];
        for k in 0..N {
            out[k] = f(self.0[k], other.0[k]);
        }
        Self(out)
    }

    /// The answer of every lane of both.
    #[inline(always)]
    fn ask(self, other: Self, f: impl Fn(f64, f64) -> bool) -> LaneMask<N> {
        let mut out = [0; N];
        for k in 0..N {
            out[k] = if f(self.0[k], other.0[k]) { u64::MAX } else { 0 };
        }
        LaneMask(out)
    }
}

/// Operators between lanes, and their assigning forms.
macro_rules! operators {
    ($($trait:ident $name:ident $assign_trait:ident $assign:ident $op:tt;)+) => {$(
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.with(other, |a, b| a $op b)
            }
        }

        impl<const N: usize> $assign_trait for Lanes<N> {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )+};
}

operators! {
    Add add AddAssign add_assign +;
    Sub sub SubAssign sub_assign -;
    Mul mul MulAssign mul_assign *;
    Div div DivAssign div_assign /;
}

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl<const N: usize> Zero for Lanes<N> {
    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; N])
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|&x| x == 0.0)
    }
}

impl<const N: usize> One for Lanes<N> {
    #[inline(always)]
    fn one() -> Self {
        Self([1.0; N])
    }
}

impl<const N: usize> Blend<LaneMask<N>> for Lanes<N> {
    #[inline(always)]
    fn blend(mask: LaneMask<N>, yes: Self, no: Self) -> Self {
        let mut out = [0.0; N];
        for k in 0..N {
            out[k] = f64::from_bits((yes.0[k].to_bits() & mask.0[k]) | (no.0[k].to_bits() & !mask.0[k]));
        }
        Self(out)
    }
}

impl<const N: usize> Lockstep for Lanes<N> {
    const WIDTH: usize = N;
    type Mask = LaneMask<N>;
    type Plain = Self;
    type One = f64;

    #[inline(always)]
    fn of(value: f64) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    fn plain(self) -> Self {
        self
    }

    #[inline(always)]
    fn fixed(plain: Self) -> Self {
        plain
    }

    #[inline]
    fn lane(self, k: usize) -> f64 {
        self.0[k.min(N - 1)]
    }

    #[inline]
    fn set_lane(&mut self, k: usize, value: f64) {
        if let Some(slot) = self.0.get_mut(k) {
            *slot = value;
        }
    }

    #[inline(always)]
    fn is(self, value: f64) -> LaneMask<N> {
        self.equals(Self::of(value))
    }

    #[inline(always)]
    fn falls_with(self, _: Self) -> LaneMask<N> {
        LaneMask::of(false)
    }

    #[inline(always)]
    fn below(self, other: Self) -> LaneMask<N> {
        self.ask(other, |a, b| a < b)
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> LaneMask<N> {
        self.ask(other, |a, b| a <= b)
    }

    #[inline(always)]
    fn equals(self, other: Self) -> LaneMask<N> {
        self.ask(other, |a, b| a == b)
    }

    #[inline(always)]
    fn finite(self) -> LaneMask<N> {
        self.ask(self, |a, _| a.abs() < f64::INFINITY)
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
        Self::fork(
            Lockstep::abs(&self).below(Self::of(SMALL)),
            || self.map(lost),
            || Self::of(1.0) - Lockstep::exp(&-self),
        )
    }

    #[inline(always)]
    fn abs(&self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    fn sqrt(&self) -> Self {
        self.map(f64::sqrt)
    }

    #[inline]
    fn exp(&self) -> Self {
        functions::exp(*self)
    }

    fn ln(&self) -> Self {
        self.map(f64::ln)
    }

    fn log10(&self) -> Self {
        self.map(f64::log10)
    }

    #[inline]
    fn sin(&self) -> Self {
        functions::sin_cos(*self).0
    }

    #[inline]
    fn cos(&self) -> Self {
        functions::sin_cos(*self).1
    }

    #[inline]
    fn sin_cos(&self) -> (Self, Self) {
        functions::sin_cos(*self)
    }

    fn tan(&self) -> Self {
        self.map(f64::tan)
    }

    fn asin(&self) -> Self {
        self.map(f64::asin)
    }

    fn acos(&self) -> Self {
        self.map(f64::acos)
    }

    fn atan(&self) -> Self {
        self.map(f64::atan)
    }

    fn sinh(&self) -> Self {
        self.map(f64::sinh)
    }

    fn cosh(&self) -> Self {
        self.map(f64::cosh)
    }

    #[inline]
    fn tanh(&self) -> Self {
        functions::tanh(*self)
    }

    fn powf(&self, exponent: Self) -> Self {
        self.with(exponent, f64::powf)
    }

    #[inline]
    fn powi(&self, exponent: i32) -> Self {
        self.map(|x| x.powi(exponent))
    }

    #[inline(always)]
    fn recip(&self) -> Self {
        self.map(f64::recip)
    }

    #[inline]
    fn ceil(&self) -> Self {
        self.map(f64::ceil)
    }

    #[inline]
    fn round(&self) -> Self {
        self.map(f64::round)
    }

    #[inline]
    fn exp_m1(&self) -> Self {
        -(-*self).decayed()
    }

    #[inline(always)]
    fn mul_add(&self, b: Self, c: Self) -> Self {
        let mut out = [0.0; N];
        for k in 0..N {
            // Without the instruction a call would cost more than it saves.
            out[k] = if cfg!(target_feature = "fma") {
                self.0[k].mul_add(b.0[k], c.0[k])
            } else {
                self.0[k] * b.0[k] + c.0[k]
            };
        }
        Self(out)
    }
}
