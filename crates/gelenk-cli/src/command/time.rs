//! Times among the options.

use super::Refusal;
use super::measure::measure;
use gelenk_math::units::Dimension;

/// A time in s from a text such as `10 ms`; a plain number is in seconds.
pub fn seconds(name: &str, text: &str) -> Result<f64, Refusal> {
    measure(name, text, Dimension::TIME, "a time was expected, such as \"10 ms\"")
}

/// The same for an option that may be missing.
pub fn maybe_seconds(name: &str, text: Option<&str>) -> Result<Option<f64>, Refusal> {
    text.map(|text| seconds(name, text)).transpose()
}
