//! Answers of all lanes.

use std::ops::{BitAnd, BitOr, Not};

use crate::lockstep::Mask;

/// An answer for every lane: all bits where it holds, else none, so that a choice is bit arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct LaneMask<const N: usize>(pub(super) [u64; N]);

impl<const N: usize> LaneMask<N> {
    /// Those lanes for which a function says so.
    pub fn from_fn(f: impl Fn(usize) -> bool) -> Self {
        Self(std::array::from_fn(|k| if f(k) { u64::MAX } else { 0 }))
    }

    /// Whether it holds in lane `k`; it does not where there is none.
    pub fn holds(self, k: usize) -> bool {
        self.0.get(k).is_some_and(|&bits| bits != 0)
    }
}

impl<const N: usize> BitAnd for LaneMask<N> {
    type Output = Self;

    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] &= other.0[k];
        }
        self
    }
}

impl<const N: usize> BitOr for LaneMask<N> {
    type Output = Self;

    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] |= other.0[k];
        }
        self
    }
}

impl<const N: usize> Not for LaneMask<N> {
    type Output = Self;

    #[inline(always)]
    fn not(mut self) -> Self {
        for k in 0..N {
            self.0[k] = !self.0[k];
        }
        self
    }
}

impl<const N: usize> Mask for LaneMask<N> {
    #[inline(always)]
    fn of(answer: bool) -> Self {
        Self([if answer { u64::MAX } else { 0 }; N])
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.0.iter().fold(u64::MAX, |all, bits| all & bits) != 0
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |any, bits| any | bits) != 0
    }
}
