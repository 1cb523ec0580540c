//! Times among the options.

use gelenk_math::units::{Dimension, Quantity};

/// A time in s from a text such as `10 ms`; a plain number is in seconds.
pub fn seconds(name: &str, text: &str) -> Result<f64, String> {
    if let Ok(value) = text.trim().parse::<f64>()
        && value.is_finite()
    {
        return Ok(value);
    }
    let quantity = Quantity::parse(text).map_err(|error| format!("{name} \"{text}\": {error}"))?;
    if quantity.dimension.compatible(Dimension::TIME) && quantity.value.is_finite() {
        Ok(quantity.value)
    } else {
        Err(format!("{name} \"{text}\": a time was expected, such as \"10 ms\""))
    }
}

/// The same for an option that may be missing.
pub fn maybe_seconds(name: &str, text: Option<&str>) -> Result<Option<f64>, String> {
    text.map(|text| seconds(name, text)).transpose()
}
