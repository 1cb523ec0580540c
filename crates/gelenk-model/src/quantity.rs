//! Numbers with units and formulas, as fields of a file.

use crate::dimensions::NoNames;
use crate::document::{Node, Value};
use crate::read::{Definitions, Read, Reader, Visitor};
use crate::report::Diagnostic;
use crate::source::Span;
use gelenk_laws::Kind;
use gelenk_math::expression::Expression;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::CoordinateKind;
use serde_json::{Value as Json, json};
use std::marker::PhantomData;
use std::ops::{Deref, Range};

/// A formula with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// What it says.
    pub expression: Expression,
    /// Its text; empty for a number outside a string.
    pub text: String,
    /// Place of the whole value.
    pub span: Span,
    /// Whether bytes of the text correspond to bytes of the file.
    verbatim: bool,
}

impl Formula {
    /// Minus the formula.
    pub fn negate(&mut self) {
        self.expression = self.expression.negated();
    }

    /// The unit, if the whole formula is a number with a unit.
    pub fn unit(&self) -> Option<&str> {
        gelenk_math::units::Quantity::parse(&self.text).ok()?;
        let unit =
            self.text.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE \t".contains(c)).trim();
        (!unit.is_empty()).then_some(unit)
    }

    /// The place of a part of the formula, given in bytes of its text.
    pub fn place(&self, range: Range<usize>) -> Span {
        let Span { file, start, end } = self.span;
        if self.verbatim && end > start + 1 {
            Span { file, start: start + 1, end: end - 1 }.part(range)
        } else {
            self.span
        }
    }
}

impl Read for Formula {
    const EXPECTED: &'static str = "an expression in a string, or a number";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        read_formula(node, reader, Self::EXPECTED, false)
    }

    fn schema(definitions: &mut Definitions) -> Json {
        definitions.define("Expression", |_| {
            json!({
                "type": ["number", "string"],
                "description": "An expression over time t, coordinates, signals and parameters.",
                "examples": ["motor.torque * phi.rate", "2 [N m/rad] * phi"],
            })
        })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        visitor.formula(self);
    }
}

/// A condition with its place: a formula that is positive where it holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition(pub Formula);

impl Read for Condition {
    const EXPECTED: &'static str = "a condition in a string, such as \"phi > 30 deg\"";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::String { text, verbatim } = &node.value else {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        };
        match Expression::parse_condition(text) {
            Ok(expression) => {
                Some(Self(Formula { expression, text: text.clone(), span: node.span, verbatim: *verbatim }))
            }
            Err(error) => {
                reader.push(Diagnostic::error(node.inside(error.span), error.message).maybe_help(error.help));
                None
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        definitions.define("Condition", |_| {
            json!({
                "type": "string",
                "description": "Comparisons of expressions, joined by and, or and not.",
                "examples": ["phi > 30 deg", "phi > 30 deg and phi.rate < 0"],
            })
        })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        visitor.formula(&mut self.0);
    }
}

fn read_formula(node: &Node, reader: &mut Reader<'_>, expected: &str, infinite: bool) -> Option<Formula> {
    let (expression, text, verbatim) = match &node.value {
        Value::Number { value, .. } if value.is_finite() || (infinite && value.is_infinite()) => {
            (Expression::plain_number(*value), String::new(), false)
        }
        Value::Number { .. } => {
            reader.push(Diagnostic::error(node.span, "this number must be finite"));
            return None;
        }
        Value::String { text, verbatim } => match Expression::parse(text) {
            Ok(expression) => (expression, text.clone(), *verbatim),
            Err(error) => {
                reader.push(Diagnostic::error(node.inside(error.span), error.message).maybe_help(error.help));
                return None;
            }
        },
        _ => {
            reader.wrong_type(node, expected);
            return None;
        }
    };
    Some(Formula { expression, text, span: node.span, verbatim })
}

/// A frequency counts cycles: where it is given as an angle over time, such as 60 rpm or 360 deg/s, a cycle is a turn.
fn in_cycles(mut formula: Formula, measure: Measure) -> Formula {
    if measure == Measure::Fixed(Dimension::FREQUENCY)
        && matches!(crate::dimensions::of(&formula, &NoNames), Ok(Some(Dimension::ANGULAR_VELOCITY)))
        && let Some(value) = formula.expression.compile(&|_| None).ok().and_then(|program| program.constant())
    {
        formula.expression = Expression::number(value / std::f64::consts::TAU, Dimension::FREQUENCY);
    }
    formula
}

/// What a number of a file measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// One dimension, whatever stands around.
    Fixed(Dimension),
    /// Angle or length, as the coordinate it belongs to.
    Displacement,
    /// Rate of such a coordinate.
    Rate,
    /// Torque or force on such a coordinate.
    Effort,
    /// Effort over displacement.
    Stiffness,
    /// Effort over rate.
    Damping,
    /// Effort over acceleration.
    Inertia,
    /// Inverse of a displacement.
    PerDisplacement,
    /// Effort over time.
    EffortRate,
    /// Inverse of a rate.
    PerRate,
    /// Any dimension.
    Any,
}

impl Measure {
    /// The dimension for a coordinate of this kind; `None` if any is admitted.
    pub fn dimension(self, kind: CoordinateKind) -> Option<Dimension> {
        let angle = kind == CoordinateKind::Angle;
        Some(match self {
            Self::Fixed(dimension) => dimension,
            Self::Displacement if angle => Dimension::ANGLE,
            Self::Displacement => Dimension::LENGTH,
            Self::Rate if angle => Dimension::ANGULAR_VELOCITY,
            Self::Rate => Dimension::VELOCITY,
            Self::Effort if angle => Dimension::TORQUE,
            Self::Effort => Dimension::FORCE,
            Self::Stiffness if angle => Dimension::ANGULAR_STIFFNESS,
            Self::Stiffness => Dimension::STIFFNESS,
            Self::Damping if angle => Dimension::ANGULAR_DAMPING,
            Self::Damping => Dimension::DAMPING,
            Self::Inertia if angle => Dimension::INERTIA,
            Self::Inertia => Dimension::MASS,
            Self::PerDisplacement if angle => Dimension::new([0, 0, 0, 0, 0, -1]),
            Self::PerDisplacement => Dimension::new([0, -1, 0, 0, 0, 0]),
            Self::EffortRate if angle => Dimension::POWER,
            Self::EffortRate => Dimension::new([1, 1, -3, 0, 0, 0]),
            Self::PerRate if angle => Dimension::new([0, 0, 1, 0, 0, -1]),
            Self::PerRate => Dimension::new([0, -1, 1, 0, 0, 0]),
            Self::Any => return None,
        })
    }

    fn units(self) -> String {
        match (self.dimension(CoordinateKind::Length), self.dimension(CoordinateKind::Angle)) {
            (Some(length), Some(angle)) if length == angle => format!("A number in {length}"),
            (Some(length), Some(angle)) => format!("A number in {length} or {angle}, as the coordinate"),
            _ => "A number in any unit".to_owned(),
        }
    }
}

impl From<Kind> for Measure {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Effort => Self::Effort,
            Kind::Stiffness => Self::Stiffness,
            Kind::Damping => Self::Damping,
            Kind::Rate => Self::Rate,
            Kind::Displacement => Self::Displacement,
            Kind::Time => Self::Fixed(Dimension::TIME),
            Kind::Inertia => Self::Inertia,
            Kind::PerDisplacement => Self::PerDisplacement,
            Kind::EffortRate => Self::EffortRate,
            Kind::PerRate => Self::PerRate,
            Kind::Ratio => Self::Fixed(Dimension::NONE),
            Kind::Fixed(dimension) => Self::Fixed(dimension),
            Kind::Relative { .. } => Self::Any,
        }
    }
}

/// A number of a file: a formula over parameters, with a path of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    /// The value, perhaps in terms of parameters.
    pub formula: Formula,
    /// What it measures.
    pub measure: Measure,
    /// Its path, such as `bodies.rod.mass`.
    pub path: String,
}

impl Formula {
    /// A number that the file leaves out.
    pub(crate) fn constant(value: f64, span: Span) -> Self {
        let span = Span { file: span.file, start: span.start, end: span.start };
        Self { expression: Expression::plain_number(value), text: String::new(), span, verbatim: false }
    }
}

impl Number {
    /// Reads a number that measures `measure`.
    pub fn read_as(node: &Node, reader: &mut Reader<'_>, measure: Measure, infinite: bool) -> Option<Self> {
        let formula = read_formula(node, reader, "a number, or a string with a number and a unit", infinite)?;
        let formula = in_cycles(formula, measure);
        Some(Self { formula, measure, path: reader.path() })
    }

    /// A number that the file leaves out.
    pub fn implied(path: String, value: f64, measure: Measure, span: Span) -> Self {
        Self { formula: Formula::constant(value, span), measure, path }
    }

    /// Whether the file gives it, rather than a default.
    pub fn is_given(&self) -> bool {
        self.formula.span.end > self.formula.span.start
    }

    /// The schema of a number that measures `measure`.
    pub fn schema_of(measure: Measure) -> Json {
        json!({
            "type": ["number", "string"],
            "description": format!("{}: SI if plain, else with a unit, or an expression over parameters.", measure.units()),
        })
    }
}

/// A kind of quantity, known when the program is compiled.
pub trait Quantitative {
    /// What it measures.
    const MEASURE: Measure;
    /// Whether it may be infinite.
    const INFINITE: bool = false;
}

macro_rules! quantities {
    ($($(#[doc = $doc:literal])+ $name:ident = $measure:expr;)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $name;

            impl Quantitative for $name {
                const MEASURE: Measure = $measure;
            }
        )+
    };
}

quantities! {
    /// A mass in kg.
    Mass = Measure::Fixed(Dimension::MASS);
    /// A density in kg/m^3.
    Density = Measure::Fixed(Dimension::DENSITY);
    /// A length in m.
    Length = Measure::Fixed(Dimension::LENGTH);
    /// An angle in rad.
    Angle = Measure::Fixed(Dimension::ANGLE);
    /// A time in s.
    Time = Measure::Fixed(Dimension::TIME);
    /// A frequency in Hz.
    Frequency = Measure::Fixed(Dimension::FREQUENCY);
    /// A plain number.
    Ratio = Measure::Fixed(Dimension::NONE);
    /// A velocity in m/s.
    Velocity = Measure::Fixed(Dimension::VELOCITY);
    /// An angular velocity in rad/s.
    AngularVelocity = Measure::Fixed(Dimension::ANGULAR_VELOCITY);
    /// An acceleration in m/s^2.
    Acceleration = Measure::Fixed(Dimension::ACCELERATION);
    /// A moment of inertia in kg m^2.
    MomentOfInertia = Measure::Fixed(Dimension::INERTIA);
    /// A stiffness in N/m.
    LinearStiffness = Measure::Fixed(Dimension::STIFFNESS);
    /// A damping in N s/m.
    LinearDamping = Measure::Fixed(Dimension::DAMPING);
    /// A stiffness in N m/rad.
    AngularStiffness = Measure::Fixed(Dimension::ANGULAR_STIFFNESS);
    /// A damping in N m s/rad.
    AngularDamping = Measure::Fixed(Dimension::ANGULAR_DAMPING);
    /// A modulus of elasticity in N/m^2.
    Modulus = Measure::Fixed(Dimension::PRESSURE);
    /// A stiffness per area in N/m^3.
    ArealStiffness = Measure::Fixed(Dimension::new([1, -2, -2, 0, 0, 0]));
    /// A damping per area in N s/m^3.
    ArealDamping = Measure::Fixed(Dimension::new([1, -2, -1, 0, 0, 0]));
    /// The inverse of a speed in s/m.
    PerSpeed = Measure::Fixed(Dimension::new([0, -1, 1, 0, 0, 0]));
    /// A displacement of a coordinate.
    Displacement = Measure::Displacement;
    /// A rate of a coordinate.
    Rate = Measure::Rate;
    /// A force or torque on a coordinate.
    Effort = Measure::Effort;
    /// A force or torque on a coordinate over time.
    EffortRate = Measure::EffortRate;
    /// A stiffness on a coordinate.
    Stiffness = Measure::Stiffness;
    /// A damping on a coordinate.
    Damping = Measure::Damping;
    /// An inertia that moves with a coordinate: kg m^2 or kg.
    RotorInertia = Measure::Inertia;
    /// Anything.
    Anything = Measure::Any;
}

/// A limit of a coordinate, which may be infinite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit;

impl Quantitative for Limit {
    const MEASURE: Measure = Measure::Displacement;
    const INFINITE: bool = true;
}

/// A number that measures a `Q`.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity<Q>(pub Number, PhantomData<Q>);

impl<Q> Quantity<Q> {
    /// A number that was read as something else.
    pub fn of(number: Number) -> Self {
        Self(number, PhantomData)
    }
}

impl<Q> Deref for Quantity<Q> {
    type Target = Number;

    fn deref(&self) -> &Number {
        &self.0
    }
}

impl<Q: Quantitative> Read for Quantity<Q> {
    const EXPECTED: &'static str = "a number, or a string with a number and a unit";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        Number::read_as(node, reader, Q::MEASURE, Q::INFINITE).map(|number| Self(number, PhantomData))
    }

    fn schema(_: &mut Definitions) -> Json {
        Number::schema_of(Q::MEASURE)
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        visitor.number(&mut self.0);
    }
}

/// Reads an array whose entries have names in the path.
fn read_array<Q: Quantitative, const N: usize>(
    node: &Node,
    reader: &mut Reader<'_>,
    names: [&str; N],
    counts: &str,
) -> Option<Vec<Quantity<Q>>> {
    read_named(node, reader, names, counts, Quantity::read)
}

fn read_named<T, const N: usize>(
    node: &Node,
    reader: &mut Reader<'_>,
    names: [&str; N],
    counts: &str,
    read: impl Fn(&Node, &mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let Value::Array(items) = &node.value else {
        reader.wrong_type(node, &format!("an array of {counts} numbers"));
        return None;
    };
    let read: Vec<Option<T>> = items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            let key = names.get(i).map_or_else(|| i.to_string(), |name| (*name).to_owned());
            reader.within(&key, |reader| read(item, reader))
        })
        .collect();
    read.into_iter().collect()
}

fn wrong_count(node: &Node, reader: &mut Reader<'_>, expected: &str, found: usize) {
    reader.push(
        Diagnostic::error(node.span, format!("{expected} numbers were expected here"))
            .label(format!("this array has {found}")),
    );
}

/// Reads three numbers that measure `measure`, with paths that end in `x`, `y` and `z`.
pub(crate) fn read_triple(node: &Node, reader: &mut Reader<'_>, measure: Measure) -> Option<Vec<Number>> {
    let names = ["x", "y", "z"];
    let list = read_named(node, reader, names, "three", |item, reader| {
        Number::read_as(item, reader, measure, false)
    })?;
    if list.len() != names.len() {
        wrong_count(node, reader, "three", list.len());
        return None;
    }
    Some(list)
}

/// Three numbers, with paths that end in `x`, `y` and `z`.
#[derive(Clone, PartialEq, Debug)]
pub struct Vec3<Q>(pub [Quantity<Q>; 3]);

impl<Q: Quantitative> Read for Vec3<Q> {
    const EXPECTED: &'static str = "an array of three numbers";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let list = read_array(node, reader, ["x", "y", "z"], "three")?;
        let found = list.len();
        let Ok(list) = <[Quantity<Q>; 3]>::try_from(list) else {
            wrong_count(node, reader, "three", found);
            return None;
        };
        Some(Self(list))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "array", "items": Number::schema_of(Q::MEASURE), "minItems": 3, "maxItems": 3 })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        self.0.iter_mut().for_each(|quantity| quantity.walk(visitor));
    }
}

/// The limits of a range, with paths that end in `lower` and `upper`.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits(pub [Quantity<Limit>; 2]);

impl Read for Limits {
    const EXPECTED: &'static str = "an array of two numbers";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let list = read_array(node, reader, ["lower", "upper"], "two")?;
        let found = list.len();
        let Ok(list) = <[Quantity<Limit>; 2]>::try_from(list) else {
            wrong_count(node, reader, "two", found);
            return None;
        };
        Some(Self(list))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "array", "items": Number::schema_of(Measure::Displacement), "minItems": 2, "maxItems": 2 })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        self.0.iter_mut().for_each(|quantity| quantity.walk(visitor));
    }
}

/// Three or six moments of inertia: xx, yy, zz and perhaps xy, xz, yz.
#[derive(Clone, PartialEq, Debug)]
pub struct Inertia(pub Vec<Quantity<MomentOfInertia>>);

/// Ends of the paths of an inertia, in its order.
pub const INERTIA_NAMES: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

impl Read for Inertia {
    const EXPECTED: &'static str = "an array of three or six numbers";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let list = read_array(node, reader, INERTIA_NAMES, "three or six")?;
        if list.len() != 3 && list.len() != 6 {
            wrong_count(node, reader, "three or six", list.len());
            return None;
        }
        Some(Self(list))
    }

    fn schema(_: &mut Definitions) -> Json {
        let items = Number::schema_of(MomentOfInertia::MEASURE);
        json!({ "oneOf": [
            { "type": "array", "items": items, "minItems": 3, "maxItems": 3 },
            { "type": "array", "items": items, "minItems": 6, "maxItems": 6 },
        ] })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        self.0.iter_mut().for_each(|quantity| quantity.walk(visitor));
    }
}

/// A number that sets the structure, such as a sampling period: it has no parameters and is none.
#[derive(Clone, PartialEq, Debug)]
pub struct Fixed<Q> {
    /// The value in SI.
    pub value: f64,
    /// Its place.
    pub span: Span,
    /// Its path, which is no parameter.
    pub path: String,
    kind: PhantomData<Q>,
}

/// Reads a formula without names and its value, which must be finite.
fn read_constant(node: &Node, reader: &mut Reader<'_>, measure: Measure) -> Option<(Formula, f64)> {
    let formula = read_formula(node, reader, "a number, or a string with a number and a unit", false)?;
    let formula = in_cycles(formula, measure);
    if let Some((name, range)) = formula.expression.variables().next() {
        reader.push(
            Diagnostic::error(formula.place(range), "a structural number cannot depend on parameters")
                .label(format!("\"{name}\" may change without compiling again"))
                .help("give a number and a unit"),
        );
        return None;
    }
    if let Some((name, range)) = formula.expression.curves().next() {
        let near = gelenk_math::suggest::closest(name, gelenk_math::expression::functions());
        let message = format!("a structural number cannot call \"{name}\", which is no function");
        reader.push(Diagnostic::error(formula.place(range), message).meant(near));
        return None;
    }
    let program = formula.expression.compile(&|_| None).ok()?;
    let value = program.constant().unwrap_or(f64::NAN);
    if !value.is_finite() {
        reader.push(Diagnostic::error(formula.span, "this number must be finite"));
        return None;
    }
    Some((formula, value))
}

impl<Q: Quantitative> Read for Fixed<Q> {
    const EXPECTED: &'static str = "a number, or a string with a number and a unit";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let (formula, value) = read_constant(node, reader, Q::MEASURE)?;
        if let Some(expected) = Q::MEASURE.dimension(CoordinateKind::Angle)
            && let Some(diagnostic) = crate::dimensions::mismatch(&formula, expected, &NoNames)
        {
            reader.push(diagnostic);
            return None;
        }
        Some(Self { value, span: formula.span, path: reader.path(), kind: PhantomData })
    }

    fn schema(_: &mut Definitions) -> Json {
        Number::schema_of(Q::MEASURE)
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        visitor.path(&mut self.path);
    }
}

/// A number that sets the structure and whose unit says what it measures, such as a point of a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    /// The value: in SI with a dimension, else as it is written.
    pub value: f64,
    /// What it measures; `None` for a plain number, whose unit is told elsewhere.
    pub dimension: Option<Dimension>,
    /// Its place.
    pub span: Span,
    /// Its path, which is no parameter.
    pub path: String,
}

impl Read for Literal {
    const EXPECTED: &'static str = "a number, or a string with a number and a unit";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let (formula, value) = read_constant(node, reader, Measure::Any)?;
        let dimension = match crate::dimensions::of(&formula, &NoNames) {
            Ok(dimension) => dimension.filter(|_| !formula.expression.is_plain_number()),
            Err(diagnostic) => {
                reader.push(*diagnostic);
                return None;
            }
        };
        Some(Self { value, dimension, span: formula.span, path: reader.path() })
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({
            "type": ["number", "string"],
            "description": "A plain number, or one with a unit.",
            "examples": [0.25, "10 deg"],
        })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        visitor.path(&mut self.path);
    }
}
