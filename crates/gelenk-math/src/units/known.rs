//! The table of unit symbols and prefixes.

use super::Dimension;
use super::unit::Ratio;
use std::f64::consts::PI;

/// A unit symbol with its value and whether it takes prefixes.
struct Symbol {
    text: &'static str,
    factor: f64,
    dimension: Dimension,
    prefixed: bool,
}

const fn symbol(text: &'static str, factor: f64, dimension: Dimension, prefixed: bool) -> Symbol {
    Symbol { text, factor, dimension, prefixed }
}

/// All symbols; a symbol is looked up here before it is split into prefix and symbol, so `min` is a minute.
const SYMBOLS: [Symbol; 30] = [
    symbol("m", 1.0, Dimension::LENGTH, true),
    symbol("kg", 1.0, Dimension::MASS, false),
    symbol("g", 1e-3, Dimension::MASS, true),
    symbol("s", 1.0, Dimension::TIME, true),
    symbol("min", 60.0, Dimension::TIME, false),
    symbol("h", 3600.0, Dimension::TIME, false),
    symbol("N", 1.0, Dimension::FORCE, true),
    symbol("Pa", 1.0, Dimension::PRESSURE, true),
    symbol("J", 1.0, Dimension::TORQUE, true),
    symbol("W", 1.0, Dimension::POWER, true),
    symbol("V", 1.0, Dimension::VOLTAGE, true),
    symbol("A", 1.0, Dimension::CURRENT, true),
    symbol("Ohm", 1.0, Dimension::RESISTANCE, true),
    symbol("ohm", 1.0, Dimension::RESISTANCE, true),
    // The Greek letter and the compatibility character look alike.
    symbol("\u{3a9}", 1.0, Dimension::RESISTANCE, true),
    symbol("\u{2126}", 1.0, Dimension::RESISTANCE, true),
    symbol("H", 1.0, Dimension::INDUCTANCE, true),
    symbol("F", 1.0, Dimension::CAPACITANCE, true),
    symbol("K", 1.0, Dimension::TEMPERATURE, true),
    symbol("rad", 1.0, Dimension::ANGLE, true),
    symbol("deg", PI / 180.0, Dimension::ANGLE, false),
    symbol("\u{b0}", PI / 180.0, Dimension::ANGLE, false),
    symbol("rev", 2.0 * PI, Dimension::ANGLE, false),
    symbol("rpm", PI / 30.0, Dimension::ANGULAR_VELOCITY, false),
    symbol("Hz", 1.0, Dimension::FREQUENCY, true),
    symbol("l", 1e-3, Dimension::new([0, 3, 0, 0, 0, 0]), true),
    symbol("L", 1e-3, Dimension::new([0, 3, 0, 0, 0, 0]), true),
    symbol("bar", 1e5, Dimension::PRESSURE, true),
    symbol("%", 1e-2, Dimension::NONE, false),
    symbol("1", 1.0, Dimension::NONE, false),
];

/// Prefixes with their powers of ten; micro in its three spellings.
const PREFIXES: [(&str, i32); 13] = [
    ("m", -3),
    ("k", 3),
    ("c", -2),
    ("u", -6),
    ("\u{b5}", -6),
    ("\u{3bc}", -6),
    ("n", -9),
    ("p", -12),
    ("d", -1),
    ("h", 2),
    ("M", 6),
    ("G", 9),
    ("T", 12),
];

/// The unit that one word names, as a ratio: prefixes and small units are whole numbers above or below.
pub(super) fn lookup(word: &str) -> Option<Ratio> {
    if let Some(found) = SYMBOLS.iter().find(|s| s.text == word) {
        return Some(found.ratio(0));
    }
    PREFIXES.iter().find_map(|(prefix, power)| {
        let rest = word.strip_prefix(prefix)?;
        SYMBOLS.iter().find(|s| s.prefixed && s.text == rest).map(|s| s.ratio(*power))
    })
}

impl Symbol {
    fn ratio(&self, power: i32) -> Ratio {
        let (mut above, mut below) = (self.factor, 1.0);
        if above < 0.1 && self.whole_fraction() {
            (above, below) = (1.0, (1.0 / above).round());
        }
        let scale = 10f64.powi(power.abs());
        if power < 0 {
            below *= scale;
        } else {
            above *= scale;
        }
        Ratio { above, below, dimension: self.dimension }
    }

    fn whole_fraction(&self) -> bool {
        1.0 / (1.0 / self.factor).round() == self.factor
    }
}

/// Every word that [`lookup`] knows, for suggestions; plain symbols first.
pub(super) fn words() -> impl Iterator<Item = String> {
    let plain = SYMBOLS.iter().map(|s| s.text.to_owned());
    let prefixed = PREFIXES.iter().flat_map(|(prefix, _)| {
        SYMBOLS.iter().filter(|s| s.prefixed && s.text.is_ascii()).map(move |s| format!("{prefix}{}", s.text))
    });
    plain.chain(prefixed)
}

/// Compound units that people often write without the space, for suggestions.
pub(super) const COMPOUNDS: [&str; 12] = [
    "N m",
    "mN m",
    "kN m",
    "N m/rad",
    "N m/deg",
    "N m s/rad",
    "N s/m",
    "N m s",
    "W h",
    "V s",
    "kg m^2",
    "g cm^2",
];
