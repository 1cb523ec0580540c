//! Whether a formula has the dimension that its field needs.

use crate::quantity::Formula;
use crate::report::Diagnostic;
use gelenk_math::units::{Dimension, Unit};

/// What is wrong with the dimension of a formula in a field that needs `expected`; `None` if nothing is.
///
/// A plain number counts as SI. `lookup` gives the dimensions of names; names that it does not know are
/// reported elsewhere and leave the dimension open.
pub fn mismatch(
    formula: &Formula,
    expected: Dimension,
    lookup: &dyn Fn(&str) -> Option<Dimension>,
) -> Option<Diagnostic> {
    if formula.expression.is_plain_number() {
        return None;
    }
    match of(formula, lookup) {
        Err(diagnostic) => Some(*diagnostic),
        Ok(None) => None,
        Ok(Some(found)) if found.compatible(expected) => None,
        Ok(Some(found)) => {
            let diagnostic =
                Diagnostic::error(formula.span, format!("{} was expected here", expected.describe()))
                    .label(format!("this is {}", found.describe()));
            Some(diagnostic.maybe_help(way_out(formula, found, expected)))
        }
    }
}

/// The dimension of a formula; `Ok(None)` if a name in it is unknown.
pub fn of(
    formula: &Formula,
    lookup: &dyn Fn(&str) -> Option<Dimension>,
) -> Result<Option<Dimension>, Box<Diagnostic>> {
    if formula.expression.variables().any(|(name, _)| lookup(name).is_none()) {
        return Ok(None);
    }
    match formula.expression.dimension(lookup) {
        Ok(dimension) => Ok(Some(dimension)),
        Err(error) => {
            let diagnostic = Diagnostic::error(formula.place(error.span), error.message);
            Err(Box::new(diagnostic.maybe_help(error.help)))
        }
    }
}

fn way_out(formula: &Formula, found: Dimension, expected: Dimension) -> Option<String> {
    if let Some(unit) = formula.unit()
        && let Some(meant) = Unit::lookalike(unit, expected)
    {
        return Some(format!("did you mean \"{meant}\"?"));
    }
    let mut names = formula.expression.variables();
    match (names.next(), names.next()) {
        (Some((name, _)), None) if found == Dimension::NONE => Some(format!(
            "if \"{name}\" is a plain number, give it a unit where it is defined, such as \"1 {expected}\""
        )),
        _ => Some(format!("give it in {expected}")),
    }
}
