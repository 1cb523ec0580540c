//! Numbers with units, as fields of a file.

use crate::dimensions::NoNames;
use crate::document::{Node, Value};
use crate::formula::{Formula, read_formula};
use crate::read::{Definitions, Read, Reader};
use crate::report::Diagnostic;
use crate::role::Role;
use crate::source::Span;
use crate::visit::Visitor;
use gelenk_math::expression::Expression;
use gelenk_math::units::Dimension;
use serde_json::{Value as Json, json};
use std::marker::PhantomData;
use std::ops::Deref;

/// What a number of a file measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// One dimension, whatever stands around.
    Fixed(Dimension),
    /// One of two, as what it belongs to: something that slides or something that turns.
    Varies {
        /// For a length.
        length: Dimension,
        /// For an angle.
        angle: Dimension,
    },
    /// Any dimension.
    Any,
}

impl Measure {
    /// The dimension of what belongs to an angle or else to a length; `None` if any is admitted.
    pub fn dimension(self, of_angle: bool) -> Option<Dimension> {
        match self {
            Self::Fixed(dimension) => Some(dimension),
            Self::Varies { angle, .. } if of_angle => Some(angle),
            Self::Varies { length, .. } => Some(length),
            Self::Any => None,
        }
    }

    fn units(self) -> String {
        match (self.dimension(false), self.dimension(true)) {
            (Some(length), Some(angle)) if length == angle => format!("A number in {length}"),
            (Some(length), Some(angle)) => format!("A number in {length} or {angle}, as the coordinate"),
            _ => "A number in any unit".to_owned(),
        }
    }
}

/// A frequency counts cycles: where it is given as an angle over time, such as 60 rpm or 360 deg/s, a cycle is a turn.
pub(crate) fn in_cycles(mut formula: Formula, measure: Measure) -> Formula {
    if measure == Measure::Fixed(Dimension::FREQUENCY)
        && matches!(crate::dimensions::of(&formula, &NoNames), Ok(Some(Dimension::ANGULAR_VELOCITY)))
        && let Some(value) = formula.expression.compile(&|_| None).ok().and_then(|program| program.constant())
    {
        formula.expression = Expression::number(value / std::f64::consts::TAU, Dimension::FREQUENCY);
    }
    formula
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

    /// A number that should be there and is not, or is wrong: it stands for the place that a report tells of.
    pub fn open(path: String, measure: Measure, span: Span) -> Self {
        Self::implied(path, f64::NAN, measure, span)
    }

    /// Whether it stands for a number that is missing or wrong.
    pub fn is_open(&self) -> bool {
        // No file can give it: numbers are finite or infinite, and other texts are no plain numbers.
        let expression = &self.formula.expression;
        expression.is_plain_number()
            && expression
                .compile(&|_| None)
                .ok()
                .and_then(|program| program.constant())
                .is_some_and(f64::is_nan)
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

/// Declares kinds of quantities: types without content that implement [`Quantitative`].
#[macro_export]
macro_rules! quantities {
    ($($(#[doc = $doc:literal])+ $name:ident = $measure:expr;)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $name;

            impl $crate::quantity::Quantitative for $name {
                const MEASURE: $crate::quantity::Measure = $measure;
            }
        )+
    };
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

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        visitor.number(role, &mut self.0);
    }
}

/// Reads an array whose entries have names in the path; `counts` says in words how many there should be.
pub fn read_array<Q: Quantitative, const N: usize>(
    node: &Node,
    reader: &mut Reader<'_>,
    names: [&str; N],
    counts: &str,
) -> Option<Vec<Quantity<Q>>> {
    read_named(node, reader, &names, counts, Quantity::read)
}

fn read_named<T>(
    node: &Node,
    reader: &mut Reader<'_>,
    names: &[&str],
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

/// Complains about an array with `found` entries instead of `expected`.
pub fn wrong_count(node: &Node, reader: &mut Reader<'_>, expected: &str, found: usize) {
    reader.push(
        Diagnostic::error(node.span, format!("{expected} numbers were expected here"))
            .label(format!("this array has {found}")),
    );
}

/// Reads two or three numbers that measure `measure`, with paths that end in these names.
pub fn read_parts(
    node: &Node,
    reader: &mut Reader<'_>,
    names: &[&str],
    measure: Measure,
    infinite: bool,
) -> Option<Vec<Number>> {
    let counts = if names.len() == 2 { "two" } else { "three" };
    let list = read_named(node, reader, names, counts, |item, reader| {
        Number::read_as(item, reader, measure, infinite)
    })?;
    if list.len() != names.len() {
        wrong_count(node, reader, counts, list.len());
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

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        self.0.iter_mut().enumerate().for_each(|(k, quantity)| quantity.walk(role.component(k), visitor));
    }
}
