//! Numbers with units.

use super::{Dimension, Unit, UnitError};

/// A number in SI with its dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quantity {
    /// The value in SI; angles in rad.
    pub value: f64,
    /// What it measures.
    pub dimension: Dimension,
}

impl Quantity {
    /// Reads a number that may be followed by a unit: `250 mm`, `-1.5e3 N m/rad`, `0.3`.
    ///
    /// ```
    /// use gelenk_math::units::{Dimension, Quantity};
    /// let rod = Quantity::parse("250 mm")?;
    /// assert_eq!((rod.value, rod.dimension), (0.25, Dimension::LENGTH));
    /// # Ok::<(), gelenk_math::units::UnitError>(())
    /// ```
    ///
    /// # Errors
    /// No number at the start, a number that is not finite, or a unit that [`Unit::parse`] refuses.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let start = text.len() - text.trim_start().len();
        let length = number_length(&text[start..]);
        let word = &text[start..start + length];
        let first = text[start..].chars().next().map_or(0, char::len_utf8);
        let error = |message: &str| UnitError {
            span: start..start + length.max(first),
            message: message.to_owned(),
            help: Some("write a number and a unit, as in `250 mm`".to_owned()),
        };
        let number: f64 = match word.parse() {
            Ok(number) if length > 0 => number,
            _ => return Err(error("a number was expected here")),
        };
        let rest = start + length;
        let unit = if text[rest..].trim().is_empty() {
            Unit::ONE
        } else {
            Unit::parse(&text[rest..])
                .map_err(|e| UnitError { span: e.span.start + rest..e.span.end + rest, ..e })?
        };
        let value = unit.to_si(number);
        if value.is_finite() {
            Ok(Self { value, dimension: unit.dimension })
        } else {
            Err(error("this number is too large"))
        }
    }
}

/// Length in bytes of the decimal number at the start of `text`, with sign and exponent; 0 if there is none.
pub(crate) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return 0;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_and_without_units() {
        let value = |text: &str| Quantity::parse(text).unwrap().value;
        assert_eq!(value("2.4e3 N m/rad"), 2400.0);
        assert_eq!(value(" -5 "), -5.0);
        assert_eq!(value(".5"), 0.5);
        assert_eq!(value("3m"), 3.0);
        assert_eq!(value("1e-3kg"), 1e-3);
        assert_eq!(value("1.e2"), 100.0);
        assert_eq!(value("60 rpm"), 2.0 * std::f64::consts::PI);
    }

    #[test]
    fn errors_count_bytes_from_the_start_of_the_text() {
        assert_eq!(Quantity::parse("  5 foo").unwrap_err().span, 4..7);
        assert_eq!(Quantity::parse("mm").unwrap_err().span, 0..1);
        assert!(Quantity::parse("1e999 m").is_err());
        assert!(Quantity::parse("inf").is_err());
        assert!(Quantity::parse("nan").is_err());
        assert!(Quantity::parse("").is_err());
        assert!(Quantity::parse("-").is_err());
        assert!(Quantity::parse("\u{b2}").is_err());
    }
}
