//! What a quantity measures, as exponents of base units.

use std::fmt;

/// Exponents of the base units kg, m, s, A, K and rad, whole or with up to two decimals (a stiffness in N/m^1.5).
///
/// The radian is kept so that messages can say `N m/rad`, but it is no dimension of its own:
/// [`Dimension::compatible`] ignores it, as the SI does.
///
/// ```
/// use gelenk_math::units::Dimension;
/// assert_eq!(Dimension::TORQUE.to_string(), "N m");
/// assert_eq!(Dimension::new([1, 1, -2, 0, 0, 0]), Dimension::FORCE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Dimension {
    /// In hundredths.
    exponents: [i16; 6],
}

/// A whole exponent in hundredths.
const WHOLE: i16 = 100;
/// Largest exponent, in hundredths.
const LARGEST: i16 = 127 * WHOLE;

/// Symbols of the base units in the order of the exponents.
const BASE: [&str; 6] = ["kg", "m", "s", "A", "K", "rad"];
const ANGLE: usize = 5;

/// Units with names of their own that serve to print dimensions shortly.
const DERIVED: [(&str, Dimension); 6] = [
    ("N", Dimension::FORCE),
    ("W", Dimension::POWER),
    ("Pa", Dimension::PRESSURE),
    ("V", Dimension::VOLTAGE),
    ("Ohm", Dimension::RESISTANCE),
    ("H", Dimension::INDUCTANCE),
];

/// Dimensions that are printed otherwise than with the fewest symbols, because that is how they are written.
const PREFERRED: [(Dimension, &str); 2] =
    [(Dimension::DAMPING, "N s/m"), (Dimension::new([1, 2, -2, -1, 0, 0]), "N m/A")];

/// What people call a dimension; the first entry that matches exactly is used.
const NAMES: [(Dimension, &str); 27] = [
    (Dimension::NONE, "a plain number"),
    (Dimension::MASS, "a mass"),
    (Dimension::LENGTH, "a length"),
    (Dimension::TIME, "a time"),
    (Dimension::ANGLE, "an angle"),
    (Dimension::CURRENT, "a current"),
    (Dimension::TEMPERATURE, "a temperature"),
    (Dimension::VELOCITY, "a velocity"),
    (Dimension::ANGULAR_VELOCITY, "an angular velocity"),
    (Dimension::ACCELERATION, "an acceleration"),
    (Dimension::FREQUENCY, "a frequency"),
    (Dimension::FORCE, "a force"),
    (Dimension::TORQUE, "a torque"),
    (Dimension::POWER, "a power"),
    (Dimension::PRESSURE, "a pressure"),
    (Dimension::INERTIA, "a moment of inertia"),
    (Dimension::DENSITY, "a density"),
    (Dimension::STIFFNESS, "a stiffness"),
    (Dimension::DAMPING, "a damping"),
    (Dimension::ANGULAR_STIFFNESS, "a stiffness about an axis"),
    (Dimension::ANGULAR_DAMPING, "a damping about an axis"),
    (Dimension::VOLTAGE, "a voltage"),
    (Dimension::RESISTANCE, "a resistance"),
    (Dimension::INDUCTANCE, "an inductance"),
    (Dimension::new([0, 2, 0, 0, 0, 0]), "an area"),
    (Dimension::new([0, 3, 0, 0, 0, 0]), "a volume"),
    (Dimension::new([0, 0, -2, 0, 0, 1]), "an angular acceleration"),
];

impl Dimension {
    /// No dimension: a plain number.
    pub const NONE: Self = Self::new([0; 6]);
    /// Mass in kg.
    pub const MASS: Self = Self::new([1, 0, 0, 0, 0, 0]);
    /// Length in m.
    pub const LENGTH: Self = Self::new([0, 1, 0, 0, 0, 0]);
    /// Time in s.
    pub const TIME: Self = Self::new([0, 0, 1, 0, 0, 0]);
    /// Electric current in A.
    pub const CURRENT: Self = Self::new([0, 0, 0, 1, 0, 0]);
    /// Temperature in K.
    pub const TEMPERATURE: Self = Self::new([0, 0, 0, 0, 1, 0]);
    /// Angle in rad.
    pub const ANGLE: Self = Self::new([0, 0, 0, 0, 0, 1]);
    /// Velocity in m/s.
    pub const VELOCITY: Self = Self::new([0, 1, -1, 0, 0, 0]);
    /// Angular velocity in rad/s.
    pub const ANGULAR_VELOCITY: Self = Self::new([0, 0, -1, 0, 0, 1]);
    /// Acceleration in m/s^2.
    pub const ACCELERATION: Self = Self::new([0, 1, -2, 0, 0, 0]);
    /// Frequency in 1/s.
    pub const FREQUENCY: Self = Self::new([0, 0, -1, 0, 0, 0]);
    /// Force in N.
    pub const FORCE: Self = Self::new([1, 1, -2, 0, 0, 0]);
    /// Torque in N m; also energy in J.
    pub const TORQUE: Self = Self::new([1, 2, -2, 0, 0, 0]);
    /// Power in W.
    pub const POWER: Self = Self::new([1, 2, -3, 0, 0, 0]);
    /// Pressure in Pa.
    pub const PRESSURE: Self = Self::new([1, -1, -2, 0, 0, 0]);
    /// Moment of inertia in kg m^2.
    pub const INERTIA: Self = Self::new([1, 2, 0, 0, 0, 0]);
    /// Density in kg/m^3.
    pub const DENSITY: Self = Self::new([1, -3, 0, 0, 0, 0]);
    /// Stiffness in N/m.
    pub const STIFFNESS: Self = Self::new([1, 0, -2, 0, 0, 0]);
    /// Damping in N s/m.
    pub const DAMPING: Self = Self::new([1, 0, -1, 0, 0, 0]);
    /// Stiffness about an axis in N m/rad.
    pub const ANGULAR_STIFFNESS: Self = Self::new([1, 2, -2, 0, 0, -1]);
    /// Damping about an axis in N m s/rad.
    pub const ANGULAR_DAMPING: Self = Self::new([1, 2, -1, 0, 0, -1]);
    /// Voltage in V.
    pub const VOLTAGE: Self = Self::new([1, 2, -3, -1, 0, 0]);
    /// Electric resistance in Ohm.
    pub const RESISTANCE: Self = Self::new([1, 2, -3, -2, 0, 0]);
    /// Inductance in H.
    pub const INDUCTANCE: Self = Self::new([1, 2, -2, -2, 0, 0]);
    /// Capacitance in F.
    pub const CAPACITANCE: Self = Self::new([-1, -2, 4, 2, 0, 0]);

    /// The dimension with these exponents of kg, m, s, A, K and rad.
    pub const fn new(whole: [i8; 6]) -> Self {
        let mut exponents = [0; 6];
        let mut i = 0;
        while i < 6 {
            exponents[i] = whole[i] as i16 * WHOLE;
            i += 1;
        }
        Self { exponents }
    }

    /// Whether quantities of the two dimensions may be added or assigned; angles count as plain numbers, but an angle is no
    /// inverse angle.
    pub fn compatible(self, other: Self) -> bool {
        self.without_angle() == other.without_angle()
            && self.exponents[ANGLE].signum() * other.exponents[ANGLE].signum() >= 0
    }

    /// Whether this is a plain number or an angle.
    pub fn is_angle_or_none(self) -> bool {
        self.compatible(Self::NONE)
    }

    /// The dimension with the exponent of the radian set to zero.
    pub fn without_angle(mut self) -> Self {
        self.exponents[ANGLE] = 0;
        self
    }

    /// The dimension as people write it: a radian that only multiplies other units is dropped, so that torque
    /// times angular velocity is in W and radius times angle in m.
    #[must_use]
    pub fn tidy(self) -> Self {
        let others = self.exponents.iter().enumerate().any(|(i, e)| *e != 0 && i != ANGLE && BASE[i] != "s");
        if others && self.exponents[ANGLE] > 0 { self.without_angle() } else { self }
    }

    /// Dimension of a product; `None` if an exponent exceeds 127.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        self.combine(other, i16::checked_add)
    }

    /// Dimension of a quotient; `None` if an exponent exceeds 127.
    pub fn checked_div(self, other: Self) -> Option<Self> {
        self.combine(other, i16::checked_sub)
    }

    /// Dimension of an integer power; `None` if an exponent exceeds 127.
    pub fn checked_powi(self, power: i32) -> Option<Self> {
        self.checked_decimal(f64::from(power))
    }

    /// Dimension of a power such as 1.5; `None` if an exponent has more than two decimals or exceeds 127.
    pub fn checked_decimal(self, power: f64) -> Option<Self> {
        let mut exponents = [0; 6];
        for (result, exponent) in exponents.iter_mut().zip(self.exponents) {
            let scaled = f64::from(exponent) * power;
            let hundredths = scaled.round();
            if (scaled - hundredths).abs() >= 1e-6 || hundredths.abs() > f64::from(LARGEST) || power.is_nan()
            {
                return None;
            }
            *result = hundredths as i16;
        }
        Some(Self { exponents })
    }

    /// Dimension of a real power; `None` if an exponent becomes fractional or leaves the range.
    ///
    /// A fractional power of an angle drops the angle, because the radian is no dimension of its own.
    pub fn checked_powf(self, power: f64) -> Option<Self> {
        let mut exponents = [0; 6];
        for (i, exponent) in self.exponents.into_iter().enumerate() {
            let scaled = f64::from(exponent) / f64::from(WHOLE) * power;
            let whole = scaled.round();
            if (scaled - whole).abs() < 1e-9 && whole.abs() <= 127.0 {
                exponents[i] = whole as i16 * WHOLE;
            } else if i != ANGLE {
                return None;
            }
        }
        Some(Self { exponents })
    }

    /// What people call it, with article: "a length", "an angular velocity"; `None` for others.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find(|(dimension, _)| *dimension == self).map(|(_, name)| *name)
    }

    /// Name and unit for a message: "a length (m)", "a plain number", "a quantity in kg m".
    pub fn describe(self) -> String {
        match self.name() {
            Some(name) if self == Self::NONE => name.to_owned(),
            Some(name) => format!("{name} ({self})"),
            None => format!("a quantity in {self}"),
        }
    }

    fn combine(self, other: Self, apply: impl Fn(i16, i16) -> Option<i16>) -> Option<Self> {
        let mut exponents = [0; 6];
        for (i, result) in exponents.iter_mut().enumerate() {
            *result = apply(self.exponents[i], other.exponents[i]).filter(|e| e.abs() <= LARGEST)?;
        }
        Some(Self { exponents })
    }

    /// Number of symbols that printing with base units takes, in hundredths.
    fn complexity(self) -> u32 {
        self.exponents.iter().map(|e| u32::from(e.unsigned_abs())).sum()
    }
}

impl fmt::Display for Dimension {
    /// In the notation that [`Unit::parse`](super::Unit::parse) reads: `m`, `N m s/rad`, `kg/(m s)`, `1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, text)) = PREFERRED.iter().find(|(dimension, _)| dimension == self) {
            return f.write_str(text);
        }
        const ONE: u32 = WHOLE.unsigned_abs() as u32;
        let mut best = (None, *self, self.complexity());
        for (symbol, unit) in DERIVED {
            // A named unit is of use only where it takes the mass away: m/s^2 is not N/kg. All but the newton
            // are used alone: a torque over angle and time is in N m/(s rad), not in W/rad.
            if let Some(rest) = self.checked_div(unit)
                && rest.exponents[0] == 0
                && (unit == Self::FORCE || rest == Self::NONE)
                && rest.complexity() + ONE < best.2
            {
                best = (Some(symbol), rest, rest.complexity() + ONE);
            }
        }
        let (symbol, rest, _) = best;
        let mut above: Vec<String> = symbol.iter().map(|s| (*s).to_owned()).collect();
        let mut below: Vec<String> = Vec::new();
        for (base, exponent) in BASE.iter().zip(rest.exponents) {
            let list = if exponent > 0 { &mut above } else { &mut below };
            match exponent.unsigned_abs() {
                0 => {}
                100 => list.push((*base).to_owned()),
                power => list.push(format!("{base}^{}", f64::from(power) / f64::from(WHOLE))),
            }
        }
        let above = if above.is_empty() { "1".to_owned() } else { above.join(" ") };
        match below.as_slice() {
            [] => f.write_str(&above),
            [one] => write!(f, "{above}/{one}"),
            many => write!(f, "{above}/({})", many.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Unit;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_dimensions_print_as_people_write_them() {
        for (dimension, text) in [
            (Dimension::NONE, "1"),
            (Dimension::FORCE, "N"),
            (Dimension::TORQUE, "N m"),
            (Dimension::ANGULAR_STIFFNESS, "N m/rad"),
            (Dimension::ANGULAR_DAMPING, "N m s/rad"),
            (Dimension::STIFFNESS, "N/m"),
            (Dimension::DAMPING, "N s/m"),
            (Dimension::INERTIA, "kg m^2"),
            (Dimension::ACCELERATION, "m/s^2"),
            (Dimension::ANGULAR_VELOCITY, "rad/s"),
            (Dimension::POWER, "W"),
            (Dimension::RESISTANCE, "Ohm"),
            (Dimension::FREQUENCY, "1/s"),
        ] {
            assert_eq!(dimension.to_string(), text);
        }
    }

    #[test]
    fn radian_is_ignored_where_dimensions_are_compared() {
        assert!(Dimension::ANGULAR_STIFFNESS.compatible(Dimension::TORQUE));
        assert!(!Dimension::TORQUE.compatible(Dimension::FORCE));
        let inverse = Dimension::new([0, 0, 0, 0, 0, -1]);
        assert!(inverse.compatible(Dimension::NONE) && !inverse.compatible(Dimension::ANGLE));
        assert_ne!(Dimension::ANGULAR_STIFFNESS, Dimension::TORQUE);
        let power = Dimension::TORQUE.checked_mul(Dimension::ANGULAR_VELOCITY).unwrap();
        assert_eq!(power.tidy(), Dimension::POWER);
        assert_eq!(Dimension::ANGULAR_VELOCITY.tidy(), Dimension::ANGULAR_VELOCITY);
        assert_eq!(Dimension::ANGULAR_STIFFNESS.tidy(), Dimension::ANGULAR_STIFFNESS);
    }

    #[test]
    fn exponents_never_overflow() {
        let big = Dimension::new([127, 0, 0, 0, 0, 0]);
        assert_eq!(big.checked_mul(Dimension::MASS), None);
        assert_eq!(big.checked_powi(i32::MAX), None);
        assert_eq!(Dimension::LENGTH.checked_powf(0.5), None);
        assert_eq!(
            Dimension::LENGTH.checked_powi(2).and_then(|d| d.checked_powf(0.5)),
            Some(Dimension::LENGTH)
        );
        assert_eq!(Dimension::LENGTH.checked_powf(f64::NAN), None);
        assert_eq!(Dimension::LENGTH.checked_decimal(f64::NAN), None);
        assert_eq!(Dimension::LENGTH.checked_decimal(1.0 / 3.0), None);
        let hertz = Dimension::FORCE.checked_div(Dimension::LENGTH.checked_decimal(1.5).unwrap()).unwrap();
        assert_eq!(hertz.to_string(), "N/m^1.5");
    }

    proptest! {
        #[test]
        fn printed_dimensions_are_read_back(exponents in proptest::array::uniform6(-9i8..=9), power in 1i32..300) {
            let dimension = Dimension::new(exponents);
            let length = Dimension::LENGTH.checked_decimal(f64::from(power)/100.0).unwrap();
            let fractional = dimension.checked_div(length).unwrap();
            prop_assert_eq!(Unit::parse(&fractional.to_string()).unwrap().dimension, fractional);
            let unit = Unit::parse(&dimension.to_string()).unwrap();
            prop_assert_eq!(unit.dimension, dimension);
            prop_assert_eq!(unit.factor, 1.0);
        }
    }
}
