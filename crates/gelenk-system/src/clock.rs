//! Time on an integer grid.

use std::fmt;

/// A time since the start of a run in whole nanoseconds.
///
/// Samples, steps and outputs that should coincide do so exactly; a sum of periods never drifts. The range
/// is 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The start.
    pub const ZERO: Self = Self(0);

    /// The nearest grid time to `seconds`; `None` if negative, not finite or out of range.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        let nanos = (seconds * 1e9).round();
        (0.0..1.8e19).contains(&nanos).then_some(Self(nanos as u64))
    }

    /// The time in seconds: the number that is nearest to its decimal fraction, so that 300 ms is 0.3.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The first multiple of `period` after this time; `None` for a zero period or past the range.
    pub fn next_multiple(self, period: Self) -> Option<Self> {
        (self.0.checked_div(period.0)?).checked_add(1)?.checked_mul(period.0).map(Self)
    }

    /// Whether this time is a multiple of `period`.
    pub fn is_multiple(self, period: Self) -> bool {
        self.0.checked_rem(period.0) == Some(0)
    }

    /// The time `span` later, at most the end of the range.
    pub fn after(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds are what reading the decimal fraction gives.
    #[test]
    fn seconds_are_the_nearest_numbers() {
        for n in (0..2000u64)
            .map(|k| k * k * 1_000_003 % 9_007_199_254_740_992)
            .chain((1..100).map(|k| k * 100_000_000))
        {
            let text = format!("{}.{:09}", n / 1_000_000_000, n % 1_000_000_000);
            assert_eq!(text.parse(), Ok(Nanos(n).seconds()), "{text}");
        }
    }

    #[test]
    fn multiples_do_not_drift() {
        let period = Nanos::from_seconds(1e-3).unwrap();
        let mut t = Nanos::ZERO;
        for _ in 0..1_000_000 {
            t = t.next_multiple(period).unwrap();
        }
        assert_eq!(t, Nanos::from_seconds(1000.0).unwrap());
        assert!(t.is_multiple(period));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Nanos::from_seconds(-1.0), None);
        assert_eq!(Nanos::from_seconds(f64::NAN), None);
        assert_eq!(Nanos(5).next_multiple(Nanos::ZERO), None);
    }
}
