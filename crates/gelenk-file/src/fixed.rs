//! Numbers that set the structure: plain or with a unit, but without names.

use crate::dimensions::NoNames;
use crate::document::Node;
use crate::formula::{Formula, read_formula};
use crate::quantity::{Measure, Number, Quantitative, in_cycles};
use crate::read::{Definitions, Read, Reader};
use crate::report::Diagnostic;
use crate::role::Role;
use crate::source::Span;
use crate::visit::Visitor;
use gelenk_math::units::Dimension;
use serde_json::{Value as Json, json};
use std::marker::PhantomData;

/// A number that sets the structure, such as a sampling period: it has no parameters and is none.
#[derive(Clone, PartialEq, Debug)]
pub struct Fixed<Q> {
    /// The value in SI.
    pub value: f64,
    /// Its place.
    pub span: Span,
    /// Its path; it is not a parameter.
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
                .label(format!("\"{name}\" is a parameter, which can change without recompiling the model"))
                .help("give a number and a unit"),
        );
        return None;
    }
    if let Some((name, range)) = formula.expression.curves().next() {
        let near = gelenk_math::suggest::closest(name, gelenk_math::expression::functions());
        let message = format!("a structural number cannot call \"{name}\", which is not a function");
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
        if let Some(expected) = Q::MEASURE.dimension(true)
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

    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        visitor.path(&mut self.path);
        visitor.settled();
    }
}

/// A number that sets the structure and whose unit says what it measures, such as a point of a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    /// The value: in SI with a dimension, else as it is written.
    pub value: f64,
    /// What it measures; `None` for a plain number, whose unit is given elsewhere.
    pub dimension: Option<Dimension>,
    /// Its place.
    pub span: Span,
    /// Its path; it is not a parameter.
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

    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        visitor.path(&mut self.path);
        visitor.settled();
    }
}
