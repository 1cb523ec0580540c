//! Intervals: what a formula can be while its arguments move.
//!
//! Bounds are rounded to nearest, not outward: they serve to look for places, which are then looked at in numbers.

use std::f64::consts::{PI, TAU};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// All numbers from `low` to `high`, both included; infinite where nothing is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// All numbers.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Nothing but zero.
    pub const ZERO: Self = Self { low: 0.0, high: 0.0 };

    /// The interval between two numbers in any order; all numbers where one is not a number.
    pub fn new(a: f64, b: f64) -> Self {
        if a <= b {
            Self { low: a, high: b }
        } else if b < a {
            Self { low: b, high: a }
        } else {
            Self::ALL
        }
    }

    /// One number.
    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// All numbers that are at most `size` away from zero.
    pub fn about_zero(size: f64) -> Self {
        Self::new(-size, size)
    }

    /// Length.
    pub fn width(self) -> f64 {
        if self.low == self.high { 0.0 } else { self.high - self.low }
    }

    /// Largest distance from zero.
    pub fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Whether `x` lies in it.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The smallest interval around both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The smaller of one number of each.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// The larger of one number of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// A function that only rises or only falls.
    #[must_use]
    pub fn monotone(self, f: impl Fn(f64) -> f64) -> Self {
        Self::new(f(self.low), f(self.high))
    }

    /// A monotone function on the part that lies between `low` and `high`; all numbers where there is none.
    #[must_use]
    pub fn within(self, low: f64, high: f64, f: impl Fn(f64) -> f64) -> Self {
        if self.high < low || self.low > high {
            return Self::ALL;
        }
        Self::new(self.low.max(low), self.high.min(high)).monotone(f)
    }

    /// Distance from zero.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            -self
        } else {
            Self { low: 0.0, high: self.size() }
        }
    }

    /// `x^n`.
    #[must_use]
    pub fn power(self, n: f64) -> Self {
        if n == 0.0 {
            return Self::point(1.0);
        }
        let whole = n.fract() == 0.0;
        if n < 0.0 {
            return Self::point(1.0) / self.power(-n);
        }
        if whole && n % 2.0 == 0.0 {
            return self.abs().monotone(|x| x.powf(n));
        }
        if whole {
            return self.monotone(|x| x.signum() * x.abs().powf(n));
        }
        self.within(0.0, f64::INFINITY, |x| x.powf(n))
    }

    /// The sine (rad).
    #[must_use]
    pub fn sin(self) -> Self {
        (self - Self::point(0.5 * PI)).cos()
    }

    /// The cosine (rad).
    #[must_use]
    pub fn cos(self) -> Self {
        // Rounding of large arguments is no reason to lose a crest.
        if self.width().is_nan() || self.width() >= TAU || self.size() > 1e12 {
            return Self::new(-1.0, 1.0);
        }
        let mut range = Self::new(self.low.cos(), self.high.cos());
        let meets = |phase: f64| ((self.high - phase) / TAU).floor() >= ((self.low - phase) / TAU).ceil();
        if meets(0.0) {
            range.high = 1.0;
        }
        if meets(PI) {
            range.low = -1.0;
        }
        range
    }
}

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.low - other.high, self.high - other.low)
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // Zero times what has no bound is zero: every number in it is finite.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let ends = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self::new(low, high)
    }
}

impl Div for Interval {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        if other.low < 0.0 && other.high > 0.0 || other == Self::ZERO {
            return Self::ALL;
        }
        // A zero at the end of the divisor is approached from inside.
        let low = if other.high == 0.0 { f64::NEG_INFINITY } else { 1.0 / other.high };
        let high = if other.low == 0.0 { f64::INFINITY } else { 1.0 / other.low };
        self * Self::new(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation contains what it gives for numbers inside.
    #[test]
    fn operations_contain_their_values() {
        let ends = [-3.0, -1.0, -0.2, 0.0, 0.3, 1.0, 2.5];
        let pairs = ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b))).filter(|(a, b)| a <= b);
        let intervals: Vec<Interval> = pairs.map(|(a, b)| Interval::new(a, b)).collect();
        let inside = |i: Interval| (0..=10).map(move |k| i.low + i.width() * f64::from(k) / 10.0);
        let holds = |i: Interval, x: f64| !x.is_finite() || i.low - 1e-12 <= x && x <= i.high + 1e-12;
        for &a in &intervals {
            for x in inside(a) {
                assert!(holds(a.sin(), x.sin()) && holds(a.cos(), x.cos()) && holds(a.abs(), x.abs()));
                for n in [-2.0, -1.0, 0.5, 2.0, 3.0, 4.0] {
                    assert!(holds(a.power(n), x.powf(n)), "{a:?} {x} {n} {:?}", a.power(n));
                }
            }
            for &b in &intervals {
                for (x, y) in inside(a).flat_map(|x| inside(b).map(move |y| (x, y))) {
                    assert!(holds(a + b, x + y) && holds(a - b, x - y) && holds(a * b, x * y));
                    assert!(y == 0.0 || holds(a / b, x / y), "{a:?} {b:?} {x} {y}");
                    assert!(holds(a.min(b), x.min(y)) && holds(a.max(b), x.max(y)));
                }
            }
        }
    }

    #[test]
    fn no_bounds_and_no_numbers() {
        let late = Interval::new(0.0, f64::INFINITY);
        assert_eq!((late * Interval::ZERO, late.cos()), (Interval::ZERO, Interval::new(-1.0, 1.0)));
        assert_eq!((-late.power(2.0)).monotone(f64::exp), Interval::new(0.0, 1.0));
        assert_eq!(Interval::point(f64::NAN), Interval::ALL);
        assert_eq!(late - late, Interval::ALL);
        assert_eq!(Interval::new(1.0, 4.0).power(0.5), Interval::new(1.0, 2.0));
    }
}
