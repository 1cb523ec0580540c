//! What is searched: a named number between bounds, on a linear or log scale.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::FitError;

/// An unknown of a fit. The unit is the caller's; it is the same for the start
/// and the bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Name in reports and errors, for example the path of a parameter.
    pub name: String,
    /// Where the search starts; within the bounds.
    pub start: f64,
    /// Lower bound; minus infinity for none.
    pub lower: f64,
    /// Upper bound; infinity for none.
    pub upper: f64,
    /// Search the logarithm: for positive unknowns whose order of magnitude is
    /// in question. Needs `lower > 0`.
    pub log: bool,
}

impl Unknown {
    /// An unknown searched on a linear scale.
    pub fn new(name: impl Into<String>, start: f64, lower: f64, upper: f64) -> Self {
        Self { name: name.into(), start, lower, upper, log: false }
    }

    /// The same unknown, searched on a log scale.
    pub fn on_log_scale(mut self) -> Self {
        self.log = true;
        self
    }

    fn check(&self) -> Result<(), FitError> {
        let name = || self.name.clone();
        let &Self { start, lower, upper, .. } = self;
        if lower.is_nan() || upper.is_nan() {
            return Err(FitError::BoundNotANumber { name: name() });
        }
        if lower >= upper {
            return Err(FitError::EmptyRange { name: name(), lower, upper });
        }
        if !start.is_finite() {
            return Err(FitError::StartNotFinite { name: name(), start });
        }
        if self.log && lower <= 0.0 {
            let example =
                if start > 0.0 { format!(", for example {:e}", start * 1e-3) } else { String::new() };
            return Err(FitError::LogNeedsPositiveBound { name: name(), lower, example });
        }
        if start < lower || start > upper {
            return Err(FitError::StartOutsideBounds { name: name(), start, lower, upper });
        }
        Ok(())
    }

    /// Size below which a change of a linear unknown does not count. An
    /// unknown may pass through zero, where its own magnitude says nothing.
    fn least_size(&self) -> f64 {
        let range = self.upper - self.lower;
        if self.start != 0.0 {
            1e-3 * self.start.abs()
        } else if range.is_finite() {
            1e-2 * range
        } else {
            1.0
        }
    }
}

/// One search coordinate `u`: the unknown itself, or its logarithm.
#[derive(Debug, Clone)]
pub(crate) struct Coordinate {
    log: bool,
    pub(crate) start: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    value_lower: f64,
    value_upper: f64,
    least_size: f64,
}

impl Coordinate {
    fn new(unknown: &Unknown) -> Self {
        let map = |x: f64| if unknown.log { x.ln() } else { x };
        Self {
            log: unknown.log,
            start: map(unknown.start),
            lower: map(unknown.lower),
            upper: map(unknown.upper),
            value_lower: unknown.lower,
            value_upper: unknown.upper,
            least_size: unknown.least_size(),
        }
    }

    /// The unknown at the coordinate `u`; exactly its bound at a bound.
    pub(crate) fn value(&self, u: f64) -> f64 {
        if u <= self.lower {
            self.value_lower
        } else if u >= self.upper {
            self.value_upper
        } else if self.log {
            u.exp().clamp(self.value_lower, self.value_upper)
        } else {
            u
        }
    }

    /// Size of `u` to which relative tolerances and steps refer; a logarithm is
    /// relative by itself.
    pub(crate) fn size(&self, u: f64) -> f64 {
        if self.log { 1.0 } else { u.abs().max(self.least_size) }
    }

    /// Derivative of the unknown with respect to `u` where it has `value`.
    pub(crate) fn slope(&self, value: f64) -> f64 {
        if self.log { value } else { 1.0 }
    }
}

/// Checks the unknowns and makes their search coordinates.
pub(crate) fn coordinates(unknowns: &[Unknown]) -> Result<Vec<Coordinate>, FitError> {
    if unknowns.is_empty() {
        return Err(FitError::NoUnknowns);
    }
    let mut seen = BTreeSet::new();
    for unknown in unknowns {
        if !seen.insert(unknown.name.as_str()) {
            return Err(FitError::DuplicateUnknown { name: unknown.name.clone() });
        }
        unknown.check()?;
    }
    Ok(unknowns.iter().map(Coordinate::new).collect())
}

/// The values as `name = value`, for messages.
pub(crate) fn describe(unknowns: &[Unknown], values: &[f64]) -> String {
    let mut text = String::new();
    for (unknown, value) in unknowns.iter().zip(values) {
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(text, "{separator}{} = {value:?}", unknown.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(unknown: Unknown) -> FitError {
        coordinates(&[unknown]).unwrap_err()
    }

    #[test]
    fn an_unusable_unknown_is_refused_by_name_with_the_way_out() {
        let cases = [
            (Unknown::new("k", 5.0, 0.0, 2.0), "start between 0.0 and 2.0"),
            (Unknown::new("k", 1.0, 2.0, 2.0), "lower smaller than upper"),
            (Unknown::new("k", 1.0, 3.0, 2.0), "lower smaller than upper"),
            (Unknown::new("k", f64::NAN, 0.0, 2.0), "finite number"),
            (Unknown::new("k", 1.0, f64::NAN, 2.0), "not a number"),
            (Unknown::new("k", 2.0, 0.0, 9.0).on_log_scale(), "for example 2e-3"),
            (Unknown::new("k", -2.0, -3.0, 9.0).on_log_scale(), "above zero, or search it on a linear scale"),
        ];
        for (unknown, hint) in cases {
            let message = refusal(unknown).to_string();
            assert!(message.contains("`k`") && message.contains(hint), "{message}");
        }
        assert_eq!(coordinates(&[]).unwrap_err(), FitError::NoUnknowns);
        let k = Unknown::new("k", 1.0, 0.0, 2.0);
        assert_eq!(
            coordinates(&[k.clone(), k]).unwrap_err(),
            FitError::DuplicateUnknown { name: "k".to_owned() }
        );
    }

    #[test]
    fn a_log_coordinate_meets_its_bounds_exactly() {
        let unknown = Unknown::new("k", 0.3, 0.1, 0.7).on_log_scale();
        let coordinate = &coordinates(&[unknown]).unwrap()[0];
        assert_eq!(coordinate.value(coordinate.lower), 0.1);
        assert_eq!(coordinate.value(coordinate.upper), 0.7);
        assert_eq!(coordinate.value(1e9), 0.7);
        assert!((coordinate.value(coordinate.start) - 0.3).abs() < 1e-16);
    }
}
