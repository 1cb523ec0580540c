//! Dimensions, units of a file, and models of another size.

/// Powers of length, mass, time and angle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Dim {
    /// Of metres.
    pub length: f64,
    /// Of kilograms.
    pub mass: f64,
    /// Of seconds.
    pub time: f64,
    /// Of radians.
    pub angle: f64,
}

impl Dim {
    /// A plain number.
    pub const NONE: Self = Self::of(0.0, 0.0, 0.0, 0.0);
    /// m
    pub const LENGTH: Self = Self::of(1.0, 0.0, 0.0, 0.0);
    /// kg
    pub const MASS: Self = Self::of(0.0, 1.0, 0.0, 0.0);
    /// s
    pub const TIME: Self = Self::of(0.0, 0.0, 1.0, 0.0);
    /// rad
    pub const ANGLE: Self = Self::of(0.0, 0.0, 0.0, 1.0);
    /// m/s
    pub const VELOCITY: Self = Self::LENGTH.over(Self::TIME);
    /// rad/s
    pub const SPIN: Self = Self::ANGLE.over(Self::TIME);
    /// m/s^2
    pub const ACCELERATION: Self = Self::VELOCITY.over(Self::TIME);
    /// Hz
    pub const FREQUENCY: Self = Self::NONE.over(Self::TIME);
    /// N
    pub const FORCE: Self = Self::MASS.times(Self::ACCELERATION);
    /// N m
    pub const TORQUE: Self = Self::FORCE.times(Self::LENGTH);
    /// kg m^2
    pub const INERTIA: Self = Self::MASS.times(Self::LENGTH).times(Self::LENGTH);
    /// N/m
    pub const STIFFNESS: Self = Self::FORCE.over(Self::LENGTH);
    /// N s/m
    pub const DAMPING: Self = Self::FORCE.over(Self::VELOCITY);
    /// N m/rad
    pub const TORSION: Self = Self::TORQUE.over(Self::ANGLE);
    /// N m s/rad
    pub const TORSION_DAMPING: Self = Self::TORQUE.over(Self::SPIN);
    /// N/m^2
    pub const PRESSURE: Self = Self::STIFFNESS.over(Self::LENGTH);

    /// Powers of length, mass, time and angle.
    pub const fn of(length: f64, mass: f64, time: f64, angle: f64) -> Self {
        Self { length, mass, time, angle }
    }

    /// The product.
    pub const fn times(self, other: Self) -> Self {
        Self::of(
            self.length + other.length,
            self.mass + other.mass,
            self.time + other.time,
            self.angle + other.angle,
        )
    }

    /// The quotient.
    pub const fn over(self, other: Self) -> Self {
        Self::of(
            self.length - other.length,
            self.mass - other.mass,
            self.time - other.time,
            self.angle - other.angle,
        )
    }

    /// A power.
    pub fn power(self, n: f64) -> Self {
        Self::of(self.length * n, self.mass * n, self.time * n, self.angle * n)
    }

    fn powers(self) -> [f64; 4] {
        [self.length, self.mass, self.time, self.angle]
    }
}

/// How the numbers of a model become those of a file: multiplied for a model of another size, and told in units.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// Lengths, masses and times are multiplied by these.
    pub factors: [f64; 3],
    /// Units of length, mass, time and angle with what they are in SI; `None` writes plain SI numbers.
    pub units: Option<[(&'static str, f64); 4]>,
}

/// The base units of SI.
const SI: [(&str, f64); 4] = [("m", 1.0), ("kg", 1.0), ("s", 1.0), ("rad", 1.0)];

impl Default for Scale {
    fn default() -> Self {
        Self { factors: [1.0; 3], units: None }
    }
}

impl Scale {
    /// A model whose lengths, masses and times are multiplied.
    pub fn sized(factors: [f64; 3]) -> Self {
        Self { factors, units: None }
    }

    /// The same model told in units.
    pub fn told_in(units: [(&'static str, f64); 4]) -> Self {
        Self { factors: [1.0; 3], units: Some(units) }
    }

    /// What a quantity of this dimension is multiplied by in the model of another size.
    pub fn factor(&self, dim: Dim) -> f64 {
        self.factors.iter().zip(dim.powers()).map(|(factor, power)| factor.powf(power)).product()
    }

    /// The number in the file of what is `value` in SI before it is scaled.
    pub fn number(&self, value: f64, dim: Dim) -> f64 {
        // A factor of 1 must not change a bit; powers of ten are divided by, which rounds once.
        let factor = self.factor(dim);
        let unit: f64 =
            self.units().iter().zip(dim.powers()).map(|((_, si), power)| si.powf(power)).product();
        let sized =
            if factor < 1.0 { value / (1.0 / factor).round_to_ten() } else { value * factor.round_to_ten() };
        if unit < 1.0 { sized * (1.0 / unit).round_to_ten() } else { sized / unit.round_to_ten() }
    }

    fn units(&self) -> [(&'static str, f64); 4] {
        self.units.unwrap_or(SI)
    }

    /// The unit as text; empty for a plain number.
    pub fn unit(&self, dim: Dim) -> String {
        let side = |sign: f64| -> Vec<String> {
            let parts = self.units().into_iter().zip(dim.powers()).filter(|(_, power)| power * sign > 0.0);
            parts
                .map(|((name, _), power)| match power * sign {
                    1.0 => name.to_owned(),
                    power => format!("{name}^{power}"),
                })
                .collect()
        };
        match (side(1.0).join(" "), side(-1.0)) {
            (above, below) if below.is_empty() => above,
            (above, below) => {
                let above = if above.is_empty() { "1".into() } else { above };
                format!("{above}/({})", below.join(" "))
            }
        }
    }

    /// A quantity behind a key.
    pub(super) fn quantity(&self, value: f64, dim: Dim) -> String {
        let number = self.number(value, dim);
        if number.is_infinite() {
            return if number > 0.0 { "inf".into() } else { "-inf".into() };
        }
        match self.units {
            Some(_) if dim != Dim::NONE => format!("\"{number:e} {}\"", self.unit(dim)),
            _ => format!("{number:e}"),
        }
    }

    /// A number in an expression.
    pub(super) fn term(&self, value: f64, dim: Dim) -> String {
        let number = self.number(value, dim);
        match self.unit(dim) {
            unit if unit.is_empty() => format!("({number:e})"),
            unit => format!("({number:e} [{unit}])"),
        }
    }
}

trait RoundToTen {
    fn round_to_ten(self) -> Self;
}

impl RoundToTen for f64 {
    /// A power of ten that was computed with rounding, exactly; any other number as it is.
    fn round_to_ten(self) -> f64 {
        let ten: f64 = format!("1e{}", self.log10().round()).parse().unwrap_or(self);
        if (self / ten - 1.0).abs() < 1e-12 { ten } else { self }
    }
}
