//! Formulas and conditions, as fields of a file.

use crate::document::{Node, Value};
use crate::read::{Definitions, Read, Reader};
use crate::report::Diagnostic;
use crate::role::Role;
use crate::source::Span;
use crate::visit::Visitor;
use gelenk_math::expression::Expression;
use serde_json::{Value as Json, json};
use std::ops::Range;

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
    /// A number that the file leaves out.
    pub fn constant(value: f64, span: Span) -> Self {
        let span = Span { file: span.file, start: span.start, end: span.start };
        Self { expression: Expression::plain_number(value), text: String::new(), span, verbatim: false }
    }

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

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        visitor.formula(role, self);
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

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        visitor.formula(role, &mut self.0);
    }
}

pub(crate) fn read_formula(
    node: &Node,
    reader: &mut Reader<'_>,
    expected: &str,
    infinite: bool,
) -> Option<Formula> {
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
