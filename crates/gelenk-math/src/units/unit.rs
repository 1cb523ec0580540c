//! Units and their notation.

use super::Dimension;
use super::known::{COMPOUNDS, lookup, words};
use crate::suggest::closest;
use std::ops::Range;

/// A unit: the factor that turns a number in this unit into SI, and what it measures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// Multiply a number in this unit by this factor to have it in SI.
    pub factor: f64,
    /// What the unit measures.
    pub dimension: Dimension,
}

/// A unit that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct UnitError {
    /// Bytes of the text that are wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// The way out, as a full phrase.
    pub help: Option<String>,
}

impl Unit {
    /// The plain number one.
    pub const ONE: Self = Self { factor: 1.0, dimension: Dimension::NONE };

    /// Reads a unit such as `mm`, `N m s/rad`, `kg·m²`, `m/s^2` or `W/(m^2 K)`.
    ///
    /// Products are written with a space, `*` or `·`, powers with `^2` or `²`. After a `/` only one factor
    /// follows: `N/m s` is refused because it is read in two ways.
    ///
    /// ```
    /// use gelenk_math::units::{Dimension, Unit};
    /// let unit = Unit::parse("N mm/deg")?;
    /// assert!((unit.factor - 1e-3 * 180.0 / std::f64::consts::PI).abs() < 1e-15);
    /// assert_eq!(unit.dimension, Dimension::ANGULAR_STIFFNESS);
    /// # Ok::<(), gelenk_math::units::UnitError>(())
    /// ```
    ///
    /// # Errors
    /// Unknown symbols (with the closest known one), ambiguous quotients, powers that are not small or have more than two decimals.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let unit = reader.product()?;
        reader.skip_space();
        match reader.peek() {
            None => Ok(unit.unit()),
            Some(found) => Err(reader.error_here(format!("unexpected `{found}` in a unit"), None)),
        }
    }

    /// A number in this unit as SI.
    ///
    /// Where the unit is a whole fraction of the SI unit the result is rounded only once: 250 mm is exactly
    /// 0.25 m.
    pub fn to_si(self, value: f64) -> f64 {
        let inverse = (1.0 / self.factor).round();
        if self.factor < 1.0 && 1.0 / inverse == self.factor { value / inverse } else { value * self.factor }
    }

    /// An SI number in this unit.
    pub fn of_si(self, value: f64) -> f64 {
        let inverse = (1.0 / self.factor).round();
        if self.factor < 1.0 && 1.0 / inverse == self.factor { value * inverse } else { value / self.factor }
    }

    /// A unit of dimension `expected` that looks like `text`: `nm` for a torque was probably `N m`.
    pub fn lookalike(text: &str, expected: Dimension) -> Option<String> {
        let plain = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
        let wanted = plain(text);
        COMPOUNDS
            .iter()
            .map(|c| (*c).to_owned())
            .chain(words())
            .filter(|word| plain(word) == wanted && word != text)
            .find(|word| Unit::parse(word).is_ok_and(|unit| unit.dimension.compatible(expected)))
    }
}

/// A unit under construction: kept as a ratio so that decimal fractions are rounded only once.
#[derive(Clone, Copy)]
pub(super) struct Ratio {
    pub(super) above: f64,
    pub(super) below: f64,
    pub(super) dimension: Dimension,
}

impl Ratio {
    fn mul(self, other: Self) -> Option<Self> {
        let dimension = self.dimension.checked_mul(other.dimension)?;
        Self { above: self.above * other.above, below: self.below * other.below, dimension }.finite()
    }

    fn div(self, other: Self) -> Option<Self> {
        let dimension = self.dimension.checked_div(other.dimension)?;
        Self { above: self.above * other.below, below: self.below * other.above, dimension }.finite()
    }

    fn pow(self, power: f64) -> Option<Self> {
        let dimension = self.dimension.checked_decimal(power)?;
        let (above, below) = if power < 0.0 { (self.below, self.above) } else { (self.above, self.below) };
        // Whole powers are rounded as products are.
        let raised = |x: f64| match power.abs() {
            whole if whole.fract() == 0.0 => x.powi(whole as i32),
            broken => x.powf(broken),
        };
        Self { above: raised(above), below: raised(below), dimension }.finite()
    }

    fn finite(self) -> Option<Self> {
        let factor = self.above / self.below;
        (factor.is_finite() && factor > 0.0).then_some(self)
    }

    fn unit(self) -> Unit {
        Unit { factor: self.above / self.below, dimension: self.dimension }
    }
}

/// Parentheses may be nested this deep; no unit needs more.
const DEEPEST: usize = 8;
/// Largest power that is accepted.
const LARGEST: f64 = 99.0;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn error(&self, span: Range<usize>, message: String, help: Option<String>) -> UnitError {
        UnitError { span, message, help }
    }

    fn error_here(&self, message: String, help: Option<String>) -> UnitError {
        let width = self.peek().map_or(0, char::len_utf8);
        self.error(self.at..self.at + width, message, help)
    }

    fn too_large(&self, start: usize) -> UnitError {
        self.error(start..self.at, "the powers of this unit are too large".to_owned(), None)
    }

    fn product(&mut self) -> Result<Ratio, UnitError> {
        let start = self.at;
        let mut unit = self.factor()?;
        let mut divided = false;
        loop {
            self.skip_space();
            let operator = self.at;
            match self.peek() {
                Some('/') => {
                    self.at += 1;
                    let divisor = self.factor()?;
                    unit = unit.div(divisor).ok_or_else(|| self.too_large(start))?;
                    divided = true;
                }
                Some(c) if c == '*' || c == '\u{b7}' || c == '\u{22c5}' || starts_factor(c) => {
                    if !starts_factor(c) {
                        self.at += c.len_utf8();
                    }
                    let factor_at = self.at;
                    let factor = self.factor()?;
                    if divided {
                        return Err(self.error(
                            factor_at.max(operator)..self.at,
                            "a product after `/` is ambiguous".to_owned(),
                            Some("put the divisor in parentheses, as in `N/(m s)`, or the factor before the `/`".to_owned()),
                        ));
                    }
                    unit = unit.mul(factor).ok_or_else(|| self.too_large(start))?;
                }
                _ => return Ok(unit),
            }
        }
    }

    fn factor(&mut self) -> Result<Ratio, UnitError> {
        self.skip_space();
        let start = self.at;
        let unit = match self.peek() {
            None => return Err(self.error_here("a unit is missing here".to_owned(), None)),
            Some('(') => {
                if self.depth >= DEEPEST {
                    return Err(self.error_here("too many nested parentheses".to_owned(), None));
                }
                self.depth += 1;
                self.at += 1;
                let unit = self.product()?;
                self.skip_space();
                if self.peek() != Some(')') {
                    return Err(self.error(start..start + 1, "this `(` is not closed".to_owned(), None));
                }
                self.at += 1;
                self.depth -= 1;
                unit
            }
            Some(c) if starts_factor(c) => {
                let word = if c == '1' || c == '%' {
                    self.at += 1;
                    &self.text[start..self.at]
                } else {
                    self.take_while(|c| is_letter(c) || c.is_ascii_digit())
                };
                match lookup(word) {
                    Some(unit) => unit,
                    None => return Err(self.unknown(start, word)),
                }
            }
            Some(c) => return Err(self.error_here(format!("unexpected `{c}` in a unit"), None)),
        };
        self.power(start, unit)
    }

    fn power(&mut self, start: usize, unit: Ratio) -> Result<Ratio, UnitError> {
        let before = self.at;
        let digits: String = if self.peek() == Some('^') {
            self.at += 1;
            let bracket = self.peek() == Some('(');
            if bracket {
                self.at += 1;
            }
            let digits = self.take_while(|c| c.is_ascii_digit() || "+-.".contains(c)).to_owned();
            if bracket {
                if self.peek() != Some(')') {
                    return Err(self.error_here("`)` is missing after the power".to_owned(), None));
                }
                self.at += 1;
            }
            digits
        } else {
            self.take_while(|c| superscript(c).is_some()).chars().filter_map(superscript).collect()
        };
        if before == self.at {
            return Ok(unit);
        }
        let decimals = |p: f64| (p * 100.0 - (p * 100.0).round()).abs() < 1e-9;
        let power = digits.parse::<f64>().ok().filter(|&p| p.abs() <= LARGEST && decimals(p));
        let power = power.ok_or_else(|| {
            let message = "the power of a unit must be a small number with at most two decimals";
            self.error(before..self.at, message.to_owned(), None)
        })?;
        unit.pow(power).ok_or_else(|| self.too_large(start))
    }

    fn unknown(&self, start: usize, word: &str) -> UnitError {
        let help = suggestion(word).map(|s| format!("did you mean `{s}`?"));
        self.error(start..start + word.len(), format!("unknown unit `{word}`"), help)
    }
}

/// What an unknown unit word probably meant.
fn suggestion(word: &str) -> Option<String> {
    // `m2` was meant as a power.
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.len() < word.len() && lookup(letters).is_some() {
        return Some(format!("{letters}^{}", &word[letters.len()..]));
    }
    if let Some(compound) = COMPOUNDS.iter().find(|c| c.replace(' ', "") == word) {
        return Some((*compound).to_owned());
    }
    // `Nm` is a torque rather than a misspelt nanometre.
    if let Some(product) = split(word)
        && product.split(' ').any(|piece| piece.ends_with('N'))
    {
        return Some(product);
    }
    let known: Vec<String> = words().collect();
    let folded = word.to_lowercase();
    if let Some(same) = known.iter().find(|k| k.to_lowercase() == folded) {
        return Some(same.clone());
    }
    closest(word, known.iter().map(String::as_str)).map(str::to_owned).or_else(|| split(word))
}

/// `Nm` was meant as the product `N m`: known units written without spaces, the longest first piece wins.
fn split(word: &str) -> Option<String> {
    let ends: Vec<usize> = word.char_indices().map(|(i, _)| i).skip(1).collect();
    for &end in ends.iter().rev() {
        let (first, rest) = word.split_at(end);
        if lookup(first).is_none() {
            continue;
        }
        if lookup(rest).is_some() {
            return Some(format!("{first} {rest}"));
        }
        // Three pieces at most: `Nms` is `N m s`.
        for cut in rest.char_indices().map(|(i, _)| i).skip(1) {
            let (second, third) = rest.split_at(cut);
            if lookup(second).is_some() && lookup(third).is_some() {
                return Some(format!("{first} {second} {third}"));
            }
        }
    }
    None
}

fn is_letter(c: char) -> bool {
    (c.is_alphabetic() && superscript(c).is_none()) || c == '\u{b0}' || c == '_'
}

fn starts_factor(c: char) -> bool {
    is_letter(c) || c == '1' || c == '%' || c == '('
}

/// The ASCII character that a superscript stands for.
fn superscript(c: char) -> Option<char> {
    Some(match c {
        '\u{207b}' => '-',
        '\u{b9}' => '1',
        '\u{b2}' => '2',
        '\u{b3}' => '3',
        '\u{2070}' => '0',
        '\u{2074}'..='\u{2079}' => char::from(b'4' + (c as u32 - 0x2074) as u8),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn unit(text: &str) -> Unit {
        Unit::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn help(text: &str) -> String {
        Unit::parse(text).unwrap_err().help.unwrap_or_default()
    }

    #[test]
    fn factors_of_single_units() {
        // Definitions of the SI brochure (9th edition): minute, hour, degree, litre.
        for (text, factor) in [
            ("mm", 1e-3),
            ("km", 1e3),
            ("g", 1e-3),
            ("mg", 1e-6),
            ("kg", 1.0),
            ("min", 60.0),
            ("ms", 1e-3),
            ("h", 3600.0),
            ("deg", PI / 180.0),
            ("rev", 2.0 * PI),
            ("rpm", 2.0 * PI / 60.0),
            ("kHz", 1e3),
            ("ml", 1e-6),
            ("%", 0.01),
            ("µm", 1e-6),
            ("MPa", 1e6),
        ] {
            assert_eq!(unit(text).factor, factor, "{text}");
        }
    }

    #[test]
    fn products_quotients_and_powers() {
        assert_eq!(unit("N m s/rad").dimension, Dimension::ANGULAR_DAMPING);
        assert_eq!(unit("N*m"), unit("N·m"));
        assert_eq!(unit("kg m²"), unit("kg*m^2"));
        assert_eq!(unit("m/s/s"), unit("m/s^2"));
        assert_eq!(unit("m s⁻²"), unit("m/s^2"));
        assert_eq!(unit("N/(m s)"), unit("N/m/s"));
        assert_eq!(unit("1/s"), unit("Hz"));
        assert_eq!(unit("g cm^2").factor, 1e-7);
        assert_eq!(unit("(N m)^2/rad^(-1)").dimension, Dimension::new([2, 4, -4, 0, 0, 1]));
        assert_eq!(unit("N/m^1.5").dimension.to_string(), "N/m^1.5");
        assert!((unit("N/mm^1.5").factor - 1e4 * 10f64.sqrt()).abs() < 1e-9);
        // One watt hour is 3600 J.
        assert_eq!(unit("W h").factor, 3600.0);
    }

    #[test]
    fn decimal_fractions_are_rounded_once() {
        assert_eq!(unit("mm").to_si(250.0), 0.25);
        assert_eq!(unit("mm").to_si(0.3), 0.0003);
        assert_eq!(unit("um").to_si(7.0), 7e-6);
        assert_eq!(unit("mm^2").to_si(3.0), 3e-6);
        assert_eq!(unit("mm").of_si(0.0003), 0.3);
    }

    #[test]
    fn suggestions_for_unknown_units() {
        assert_eq!(help("Nm"), "did you mean `N m`?");
        assert_eq!(help("mNm"), "did you mean `mN m`?");
        assert_eq!(help("Nms/rad"), "did you mean `N m s`?");
        assert_eq!(help("KG"), "did you mean `kg`?");
        assert_eq!(help("m2"), "did you mean `m^2`?");
        assert_eq!(help("dge"), "did you mean `deg`?");
        assert_eq!(Unit::lookalike("nm", Dimension::TORQUE).as_deref(), Some("N m"));
        assert_eq!(Unit::lookalike("nm", Dimension::LENGTH), None);
        assert_eq!(Unit::lookalike("S", Dimension::TIME).as_deref(), Some("s"));
    }

    #[test]
    fn wrong_units_name_the_place() {
        for (text, span) in [
            ("N foo", 2..5),
            ("N/m s", 4..5),
            ("m^x", 1..2),
            ("m^2.555", 1..7),
            ("", 0..0),
            ("m/", 2..2),
            ("(m", 0..1),
            ("m)", 1..2),
            ("m^123456", 1..8),
        ] {
            assert_eq!(Unit::parse(text).unwrap_err().span, span, "{text}");
        }
        assert!(Unit::parse(&"(".repeat(100_000)).is_err());
        assert!(Unit::parse("km^99 km^99 km^99").is_err());
    }
}
