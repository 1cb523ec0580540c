//! Scalars that may stand for several runs in lockstep.
//!
//! A kernel on `T: Lockstep` does the same for every lane: where physics branches it asks for a [`Mask`] and chooses. On one
//! lane (`f64`, [`Dual`](crate::Dual)) a mask is a `bool` and a choice is an `if`, so that the same kernel costs nothing there.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, Neg, Not};

use nalgebra::{ClosedAddAssign, ClosedDivAssign, ClosedMulAssign, ClosedSubAssign};
use num_traits::{One, Zero};

use crate::Real;

/// What a comparison gives: one answer for every lane.
pub trait Mask:
    Copy + Debug + Send + Sync + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> + 'static
{
    /// The same answer for every lane.
    fn of(answer: bool) -> Self;

    /// Whether it holds in every lane.
    fn all(self) -> bool;

    /// Whether it holds in some lane.
    fn any(self) -> bool;
}

impl Mask for bool {
    #[inline(always)]
    fn of(answer: bool) -> Self {
        answer
    }

    #[inline(always)]
    fn all(self) -> bool {
        self
    }

    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

/// What can be chosen lane by lane: scalars, and pairs and arrays of them.
pub trait Blend<M>: Copy {
    /// `yes` where the mask holds, else `no`.
    fn blend(mask: M, yes: Self, no: Self) -> Self;
}

impl<M: Copy, A: Blend<M>, B: Blend<M>> Blend<M> for (A, B) {
    #[inline(always)]
    fn blend(mask: M, yes: Self, no: Self) -> Self {
        (A::blend(mask, yes.0, no.0), B::blend(mask, yes.1, no.1))
    }
}

impl<M: Copy, A: Blend<M>, const K: usize> Blend<M> for [A; K] {
    #[inline(always)]
    fn blend(mask: M, yes: Self, no: Self) -> Self {
        std::array::from_fn(|k| A::blend(mask, yes[k], no[k]))
    }
}

/// What a kernel that branches as it likes does on one lane, and how it is done lane by lane; see [`Lockstep::run`].
pub trait Job<T: Lockstep>: Sized {
    /// What comes out.
    type Out;

    /// On a scalar that stands for one run.
    fn single(self) -> Self::Out
    where
        T: Real;

    /// On a scalar that stands for several.
    fn lanes(self) -> Self::Out;
}

/// A scalar that may stand for several runs in lockstep: `f64`, [`Dual`](crate::Dual), [`Lanes`](crate::Lanes), and lanes with
/// a derivative, [`Slope`](crate::Slope).
///
/// Kernels on it do not branch on values but choose: [`either`](Self::either), [`fork`](Self::fork). Functions take `&self`, so
/// that on a [`Real`] those of `RealField`, which are the same, go first.
///
/// ```
/// use gelenk_math::{Lanes, Lockstep};
/// fn ramp<T: Lockstep>(x: T) -> T {
///     T::either(x.above(T::of(0.0)), || x, || T::of(0.0))
/// }
/// assert_eq!(ramp(-2.0), 0.0);
/// assert_eq!(ramp(Lanes([-2.0, 3.0])), Lanes([0.0, 3.0]));
/// ```
pub trait Lockstep:
    Copy
    + Debug
    + PartialEq
    + Send
    + Sync
    + Zero
    + One
    + ClosedAddAssign
    + ClosedSubAssign
    + ClosedMulAssign
    + ClosedDivAssign
    + Neg<Output = Self>
    + Blend<Self::Mask>
    + 'static
{
    /// Number of runs.
    const WIDTH: usize;
    /// An answer for every lane.
    type Mask: Mask;
    /// The same without derivatives.
    type Plain: Lockstep<Mask = Self::Mask, Plain = Self::Plain, One = f64>;
    /// The scalar of a single lane.
    type One: Real;

    /// A constant: the same in all lanes, with derivatives that vanish.
    fn of(value: f64) -> Self;

    /// The values without derivatives.
    fn plain(self) -> Self::Plain;

    /// Constants with these values.
    fn fixed(plain: Self::Plain) -> Self;

    /// The scalar of lane `k`; of the last one where there are fewer.
    fn lane(self, k: usize) -> Self::One;

    /// Writes the scalar of lane `k`; nothing where there are fewer.
    fn set_lane(&mut self, k: usize, value: Self::One);

    /// Whether it is the constant `value`: a shortcut for one value of a parameter must not lose its derivative.
    fn is(self, value: f64) -> Self::Mask;

    /// Whether the value falls where `x` rises, in the directions that both carry; never where there are none.
    fn falls_with(self, x: Self) -> Self::Mask;

    /// Whether the value lies below that of `other`; like all comparisons, derivatives do not count.
    fn below(self, other: Self) -> Self::Mask;

    /// Whether the value is at most that of `other`.
    fn at_most(self, other: Self) -> Self::Mask;

    /// Whether the values are equal.
    fn equals(self, other: Self) -> Self::Mask;

    /// Whether the value is neither infinite nor no number.
    fn finite(self) -> Self::Mask;

    /// Whether the value lies above that of `other`.
    #[inline(always)]
    fn above(self, other: Self) -> Self::Mask {
        other.below(self)
    }

    /// Whether the value is at least that of `other`.
    #[inline(always)]
    fn at_least(self, other: Self) -> Self::Mask {
        other.at_most(self)
    }

    /// `yes` where the mask holds, else `no`. One lane evaluates one of them, several lanes both: for sides that cost little.
    fn either<R: Blend<Self::Mask>>(mask: Self::Mask, yes: impl FnOnce() -> R, no: impl FnOnce() -> R) -> R;

    /// The same for sides that cost much: only those that some lane needs are evaluated.
    #[inline(always)]
    fn fork<R: Blend<Self::Mask>>(mask: Self::Mask, yes: impl FnOnce() -> R, no: impl FnOnce() -> R) -> R {
        if mask.all() {
            yes()
        } else if mask.any() {
            R::blend(mask, yes(), no())
        } else {
            no()
        }
    }

    /// Runs a job that branches as it likes: at once on one lane, lane by lane on several.
    fn run<J: Job<Self>>(job: J) -> J::Out;

    /// `1 - exp(-x)` without cancellation: what a decay over `x` has lost.
    fn decayed(self) -> Self;

    /// The magnitude.
    fn abs(&self) -> Self;
    /// The square root.
    fn sqrt(&self) -> Self;
    /// The exponential.
    fn exp(&self) -> Self;
    /// The natural logarithm.
    fn ln(&self) -> Self;
    /// The decimal logarithm.
    fn log10(&self) -> Self;
    /// The sine.
    fn sin(&self) -> Self;
    /// The cosine.
    fn cos(&self) -> Self;
    /// Sine and cosine.
    fn sin_cos(&self) -> (Self, Self);
    /// The tangent.
    fn tan(&self) -> Self;
    /// The inverse sine.
    fn asin(&self) -> Self;
    /// The inverse cosine.
    fn acos(&self) -> Self;
    /// The inverse tangent.
    fn atan(&self) -> Self;
    /// The hyperbolic sine.
    fn sinh(&self) -> Self;
    /// The hyperbolic cosine.
    fn cosh(&self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(&self) -> Self;
    /// A power.
    fn powf(&self, exponent: Self) -> Self;
    /// A whole power.
    fn powi(&self, exponent: i32) -> Self;
    /// The reciprocal.
    fn recip(&self) -> Self;
    /// The smallest whole number that is not below.
    fn ceil(&self) -> Self;
    /// The nearest whole number.
    fn round(&self) -> Self;
    /// `exp(x) - 1` without cancellation.
    fn exp_m1(&self) -> Self;
    /// `self b + c`, rounded once where the processor does that.
    fn mul_add(&self, b: Self, c: Self) -> Self;
}

/// The entries of a list on lane `k`, in `near` where they fit there, else in `far`.
#[inline]
pub fn of_lane<'a, T: Lockstep>(
    list: &[T],
    k: usize,
    near: &'a mut [T::One],
    far: &'a mut Vec<T::One>,
) -> &'a mut [T::One] {
    let room = match near.get_mut(..list.len()) {
        Some(room) => room,
        None => {
            far.resize(list.len(), T::One::c(0.0));
            far
        }
    };
    room.iter_mut().zip(list).for_each(|(slot, x)| *slot = x.lane(k));
    room
}

/// A function of few scalars that branches as it likes; see [`each`].
pub trait Formula<const K: usize> {
    /// The value on one run.
    fn eval<T: Real>(&self, x: [T; K]) -> T;
}

/// The value of a formula on any scalar: lane by lane where there are several.
#[inline(always)]
pub fn each<T: Lockstep, F: Formula<K>, const K: usize>(formula: &F, x: [T; K]) -> T {
    T::run(Each { formula, x })
}

struct Each<'a, F, T, const K: usize> {
    formula: &'a F,
    x: [T; K],
}

impl<T: Lockstep, F: Formula<K>, const K: usize> Job<T> for Each<'_, F, T, K> {
    type Out = T;

    #[inline(always)]
    fn single(self) -> T
    where
        T: Real,
    {
        self.formula.eval(self.x)
    }

    fn lanes(self) -> T {
        let mut out = T::of(0.0);
        for k in 0..T::WIDTH {
            out.set_lane(k, self.formula.eval(self.x.map(|x| x.lane(k))));
        }
        out
    }
}
