//! Whether a formula has the dimension that its field needs.

use crate::fixed::Literal;
use crate::formula::Formula;
use crate::report::Diagnostic;
use crate::source::Span;
use gelenk_math::expression::CurveDimensions;
use gelenk_math::units::{Dimension, Unit};

/// What formulas may name, with dimensions where they are known.
pub trait Dimensions {
    /// The dimension of a variable.
    fn of_name(&self, name: &str) -> Option<Dimension>;

    /// The dimensions of a curve.
    fn of_curve(&self, name: &str) -> Option<CurveDimensions>;
}

/// The names of a formula that may use none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoNames;

impl Dimensions for NoNames {
    fn of_name(&self, _: &str) -> Option<Dimension> {
        None
    }

    fn of_curve(&self, _: &str) -> Option<CurveDimensions> {
        None
    }
}

/// What is wrong with the dimension of a formula in a field that needs `expected`; `None` if nothing is.
///
/// A plain number counts as SI. Names that `names` does not know are reported elsewhere and leave the dimension
/// open.
pub fn mismatch(formula: &Formula, expected: Dimension, names: &dyn Dimensions) -> Option<Diagnostic> {
    if formula.expression.is_plain_number() {
        return None;
    }
    match of(formula, names) {
        Err(diagnostic) => Some(*diagnostic),
        Ok(None) => None,
        // With names in it nobody can say whether cycles or radians are meant.
        Ok(Some(found)) if expected == Dimension::FREQUENCY && found == Dimension::ANGULAR_VELOCITY => {
            let help = "a frequency counts cycles: divide by one revolution, as in `w/(1 rev)`";
            Some(unexpected(formula.span, found, expected).help(help))
        }
        Ok(Some(found)) if found.compatible(expected) => None,
        Ok(Some(found)) => {
            let diagnostic = unexpected(formula.span, found, expected);
            Some(diagnostic.help(way_out(formula, found, expected, names)))
        }
    }
}

/// The same for a number without names.
pub fn literal_mismatch(literal: &Literal, expected: Dimension) -> Option<Diagnostic> {
    let found = literal.dimension.filter(|found| !found.compatible(expected))?;
    Some(unexpected(literal.span, found, expected).help(format!("give it in {expected}")))
}

fn unexpected(span: Span, found: Dimension, expected: Dimension) -> Diagnostic {
    Diagnostic::error(span, format!("{} was expected here", expected.describe()))
        .label(format!("this is {}", found.describe()))
}

/// The dimension of a formula; `Ok(None)` if a name in it is unknown.
pub fn of(formula: &Formula, names: &dyn Dimensions) -> Result<Option<Dimension>, Box<Diagnostic>> {
    let expression = &formula.expression;
    if let Some(diagnostic) = contested(formula, names) {
        return Err(Box::new(diagnostic));
    }
    if expression.variables().any(|(name, _)| names.of_name(name).is_none())
        || expression.curves().any(|(name, _)| names.of_curve(name).is_none())
    {
        return Ok(None);
    }
    match expression.dimension_with_curves(&|name| names.of_name(name), &|name| names.of_curve(name)) {
        Ok(dimension) => Ok(Some(dimension)),
        Err(error) => {
            let diagnostic = Diagnostic::error(formula.place(error.span), error.message);
            Err(Box::new(diagnostic.maybe_help(error.help)))
        }
    }
}

/// A word that is both a unit and a name of the model and means the same kind of quantity as either: nobody could tell which of
/// the two a person had in mind.
pub fn contested(formula: &Formula, names: &dyn Dimensions) -> Option<Diagnostic> {
    formula.expression.contested().find_map(|(word, range)| {
        let (name, unit) = (names.of_name(word)?, Unit::parse(word).ok()?);
        name.compatible(unit.dimension).then(|| {
            let message = format!("\"{word}\" is a unit and a name of this model");
            Diagnostic::error(formula.place(range), message)
                .label("this is ambiguous")
                .help("put the unit in brackets, as in \"10 [N/g]\", or rename what has the name of a unit")
        })
    })
}

fn way_out(formula: &Formula, found: Dimension, expected: Dimension, names: &dyn Dimensions) -> String {
    if let Some(unit) = formula.unit()
        && let Some(meant) = Unit::lookalike(unit, expected)
    {
        return format!("did you mean \"{meant}\"?");
    }
    if found != Dimension::NONE {
        return format!("give it in {expected}");
    }
    if let Some((name, _)) = formula.expression.curves().next() {
        return format!(
            "if the values of the curve \"{name}\" are plain numbers, give it y_unit = \"{expected}\""
        );
    }
    let mut variables = formula.expression.variables();
    match (variables.next(), variables.next()) {
        (Some((name, _)), None) if names.of_name(name) == Some(Dimension::NONE) => format!(
            "if \"{name}\" is a plain number, give it a unit where it is defined, such as \"1 {expected}\""
        ),
        _ => format!("multiply it by a number with a unit, as in `1 [{expected}]`"),
    }
}
