//! Quantities among the options.

use gelenk_math::units::{Dimension, Quantity};

use super::{Refusal, Usage};

/// A finite quantity of a dimension from a text such as `10 ms`; a plain number is in SI. `word` names what was expected,
/// such as "a time was expected, such as \"10 ms\"".
pub fn measure(name: &str, text: &str, dimension: Dimension, word: &str) -> Result<f64, Refusal> {
    let refuse = |why: &str| Err(Usage::refusal(format!("{name} \"{}\": {why}", text.trim())));
    if let Ok(value) = text.trim().parse::<f64>() {
        return if value.is_finite() { Ok(value) } else { refuse("a finite number was expected") };
    }
    match Quantity::parse(text) {
        Err(error) => refuse(&error.to_string()),
        Ok(quantity) if !quantity.value.is_finite() => refuse("a finite number was expected"),
        Ok(quantity) if !quantity.dimension.compatible(dimension) => refuse(word),
        Ok(quantity) => Ok(quantity.value),
    }
}
