//! Numbers for people to read.

/// A number with up to `significant` digits, whatever its size: `0.0123`, `1.5e-9`. Zeros at the end are left out.
///
/// ```
/// use gelenk::digits::digits;
///
/// assert_eq!(digits(4.2e-8, 6), "4.2e-8");
/// assert_eq!(digits(1.0 / 3.0, 6), "0.333333");
/// assert_eq!(digits(-0.0, 6), "0");
/// ```
pub fn digits(value: f64, significant: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0);
    }
    let precision = significant.max(1) - 1;
    // Rounding may carry over to the next power of ten; the text tells.
    let long = format!("{value:.precision$e}");
    let (mantissa, exponent) = long.split_once('e').unwrap_or((&long, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..significant.max(6) as i32).contains(&exponent) {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = usize::try_from(precision as i32 - exponent).unwrap_or(0);
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

/// A number for a column of numbers of about the size `scale`: with six decimals where these show it, with an exponent
/// where they would not, and zero where it is only what rounding leaves.
pub fn cell(value: f64, scale: f64) -> String {
    let small = value.abs();
    if small <= 1e-12 * scale.abs() || value == 0.0 {
        format!("{:.6}", 0.0)
    } else if small < 1e-4 {
        format!("{value:.4e}")
    } else {
        format!("{value:.6}")
    }
}

/// The text of a number without zeros behind its last decimal.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_keeps_its_digits() {
        let shown = [
            (1e-30, "1e-30"),
            (-1.234_567_89e-7, "-1.23457e-7"),
            (0.000_123_456_789, "0.000123457"),
            (0.999_999_99, "1"),
            (9.81, "9.81"),
            (123_456.7, "123457"),
            (999_999.9, "1e6"),
            (1e6, "1e6"),
            (1.5e20, "1.5e20"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in shown {
            assert_eq!(digits(value, 6), text);
        }
        assert_eq!(cell(2e-9, 1e-8), "2.0000e-9");
        assert_eq!(cell(2e-17, 1.0), "0.000000");
        assert_eq!(cell(-0.25, 1.0), "-0.250000");
        assert_eq!(digits(1.0 / 3.0, 10), "0.3333333333");
        assert_eq!(digits(1_234_567.0, 8), "1234567");
    }
}
