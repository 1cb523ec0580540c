//! Curves: their points, what they measure, and who calls them.

use super::names::check_usable;
use super::signals::check_file;
use crate::curve::{Curve, CurveEnd, CurveFile, CurveKind};
use crate::model_file::ModelFile;
use crate::quantity::{Formula, Literal};
use gelenk_file::fields::UnitText;
use gelenk_file::read::{Spanned, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::{Sources, Span};
use gelenk_math::expression::{self, CurveDimensions, Expression, ExpressionError};
use gelenk_math::spline::{self, CubicSpline, CurveError, End, LinearTable};
use gelenk_math::suggest::closest;
use gelenk_math::units::{Dimension, Unit};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All of `[curves]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curves {
    map: BTreeMap<String, Known>,
}

/// Reads arguments and values from a file, unconverted.
type ReadColumns<'r> = dyn FnMut(&CurveFile) -> Result<[Vec<f64>; 2], String> + 'r;

/// One curve, as far as it is known.
#[derive(Clone, Debug)]
struct Known {
    name: Text,
    dimensions: Option<CurveDimensions>,
    /// Open for one with errors, and for one from a file that is not yet read.
    curve: Option<Arc<spline::Curve>>,
    used: bool,
}

impl Curves {
    /// Checks all curves and makes those whose points stand in the model.
    pub(crate) fn collect(model: &ModelFile, sources: &Sources, report: &mut Report) -> Self {
        let mut map = BTreeMap::new();
        for (name, table) in model.curves.iter() {
            check_usable("curve", name, report);
            if let Some(file) = &table.file {
                check_file(&file.file, sources, report);
            }
            let made = make(name, table, report);
            let (dimensions, curve) =
                made.map_or((None, None), |(dimensions, curve)| (Some(dimensions), curve));
            map.insert(name.text.clone(), Known { name: name.clone(), dimensions, curve, used: false });
        }
        for name in &model.curves.broken {
            map.insert(
                name.text.clone(),
                Known { name: name.clone(), dimensions: None, curve: None, used: true },
            );
        }
        Self { map }
    }

    /// Makes the curves whose points stand in files; `read` gives the two columns as they stand there.
    pub(crate) fn complete(&mut self, model: &ModelFile, read: &mut ReadColumns<'_>, report: &mut Report) {
        for (name, table) in model.curves.iter() {
            let (Some(file), Some(known)) = (&table.file, self.map.get_mut(name.text.as_str())) else {
                continue;
            };
            let Some(end) = known.dimensions.and_then(|dimensions| end(name, table, dimensions, report))
            else {
                continue;
            };
            let made = read(file).and_then(|[x, y]| {
                let x: Vec<f64> = x.iter().map(|&x| file.x_unit.unit.to_si(x)).collect();
                let y: Vec<f64> = y.iter().map(|&y| file.y_unit.unit.to_si(y)).collect();
                through(&x, &y, table.kind, end).map_err(|error| error.to_string())
            });
            match made {
                Ok(curve) => known.curve = Some(Arc::new(curve)),
                Err(reason) => report.push(Diagnostic::error(file.file.span, reason)),
            }
        }
    }

    /// Whether there is such a curve, be it readable or not.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// What a curve is over and what it gives, where known.
    pub(crate) fn dimensions(&self, name: &str) -> Option<CurveDimensions> {
        self.map.get(name)?.dimensions
    }

    /// Whether the values of a formula wait for a curve that is not yet there.
    pub(crate) fn is_open(&self, expression: &Expression) -> bool {
        expression.curves().any(|(name, _)| self.map.get(name).is_none_or(|known| known.curve.is_none()))
    }

    /// The expression with its curves.
    pub(crate) fn bind(&self, expression: &Expression) -> Result<Expression, ExpressionError> {
        expression.with_curves(&|name| self.map.get(name)?.curve.clone())
    }

    /// The way out where a curve stands without its argument.
    pub(crate) fn how_to_call(&self, name: &str) -> String {
        format!("\"{name}\" is a curve; call it with its argument, as in {name}(x)")
    }

    /// Names of curves that nothing calls.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &Text> {
        self.map.values().filter(|known| !known.used).map(|known| &known.name)
    }

    /// Marks the curves that a formula calls; complains about those that do not exist; `true` if all do.
    pub(crate) fn check_calls(&mut self, formula: &Formula, report: &mut Report) -> bool {
        let mut all = true;
        for (name, range) in formula.expression.curves() {
            if let Some(known) = self.map.get_mut(name) {
                known.used = true;
                continue;
            }
            all = false;
            let candidates = self
                .map
                .keys()
                .map(String::as_str)
                .chain(expression::functions().map(|function| function as &str));
            let near = closest(name, candidates);
            let message = format!("there is no function or curve \"{name}\"");
            let diagnostic = Diagnostic::error(formula.place(range), message);
            report.push(match near {
                Some(_) => diagnostic.meant(near),
                None => diagnostic.help(format!(
                    "define it in [curves.{name}]; a product with parentheses is written with *"
                )),
            });
        }
        all
    }
}

/// The dimensions of a curve, and the curve itself if its points stand in the model; `None` if the report says why.
fn make(
    name: &Text,
    table: &Curve,
    report: &mut Report,
) -> Option<(CurveDimensions, Option<Arc<spline::Curve>>)> {
    let (x, y) = match (&table.x, &table.y, &table.file) {
        (None, None, Some(file)) => {
            for unit in table.x_unit.iter().chain(&table.y_unit) {
                let message = "the units of the columns of a file are given with the file";
                report.push(
                    Diagnostic::error(unit.text.span, message)
                        .help("put \"x_unit\" and \"y_unit\" into the table of \"file\""),
                );
            }
            let (argument, value) = (file.x_unit.unit.dimension, file.y_unit.unit.dimension);
            let dimensions = CurveDimensions { argument, value };
            end(name, table, dimensions, report)?;
            return Some((dimensions, None));
        }
        (Some(x), Some(y), None) => (x, y),
        (None, None, None) => {
            let message = format!("curve \"{}\" needs \"x\" and \"y\", or a \"file\"", name.text);
            report.push(Diagnostic::error(table.span, message));
            return None;
        }
        (_, _, Some(file)) => {
            let message = format!("curve \"{}\" has its points both in the model and in a file", name.text);
            report.push(
                Diagnostic::error(file.span, message).help("give either \"x\" and \"y\", or a \"file\""),
            );
            return None;
        }
        (given, _, None) => {
            let missing = if given.is_some() { "y" } else { "x" };
            let message = format!("curve \"{}\" needs the key \"{missing}\"", name.text);
            report.push(Diagnostic::error(table.span, message));
            return None;
        }
    };
    let argument = axis("x", &x.value, table.x_unit.as_ref(), report);
    let value = axis("y", &y.value, table.y_unit.as_ref(), report);
    let ((argument, knots), (value, values)) = (argument?, value?);
    let dimensions = CurveDimensions { argument, value };
    let end = end(name, table, dimensions, report)?;
    match through(&knots, &values, table.kind, end) {
        Ok(curve) => Some((dimensions, Some(Arc::new(curve)))),
        Err(error) => {
            report.push(explain(error, x, y));
            None
        }
    }
}

/// The dimension of one axis and its numbers in SI.
fn axis(
    key: &str,
    points: &[Literal],
    unit: Option<&UnitText>,
    report: &mut Report,
) -> Option<(Dimension, Vec<f64>)> {
    let measured = points.iter().find_map(|p| Some((p.dimension.filter(|d| *d != Dimension::NONE)?, p.span)));
    let (dimension, origin) = match (unit, measured) {
        (Some(unit), _) => (unit.unit.dimension, Some(unit.text.span)),
        (None, Some((dimension, span))) => (dimension, Some(span)),
        (None, None) => (Dimension::NONE, None),
    };
    let mut fits = true;
    let mut values = Vec::with_capacity(points.len());
    for point in points {
        let wrong = match point.dimension {
            Some(found) if !found.compatible(dimension) => Some((
                format!("all numbers of \"{key}\" must have the same dimension"),
                format!("this is {}", found.describe()),
                format!("give it in {dimension}"),
            )),
            // Zero is the same in all units.
            None if unit.is_none() && origin.is_some() && point.value != 0.0 => Some((
                "this number needs a unit, as others of its list have one".to_owned(),
                String::new(),
                format!("write it with its unit, or give plain numbers and \"{key}_unit\""),
            )),
            _ => None,
        };
        if let Some((message, label, help)) = wrong {
            fits = false;
            let diagnostic = Diagnostic::error(point.span, message).label(label).help(help);
            report.push(match origin {
                Some(span) => diagnostic.related(span, format!("this is {}", dimension.describe())),
                None => diagnostic,
            });
        }
        values.push(match (point.dimension, unit) {
            (None, Some(unit)) => unit.unit.to_si(point.value),
            _ => point.value,
        });
    }
    fits.then_some((dimension, values))
}

/// What closes the curve at its ends.
fn end(name: &Text, table: &Curve, dimensions: CurveDimensions, report: &mut Report) -> Option<End> {
    let word = table.end.as_ref().map(|end| end.value);
    if table.kind == CurveKind::Linear {
        let given = table.end.as_ref().map(|end| (end.span, "end"));
        for (span, key) in
            given.into_iter().chain(table.slopes.as_ref().map(|slopes| (slopes.span, "slopes")))
        {
            let message = format!("a linear curve has no \"{key}\"");
            report.push(Diagnostic::error(span, message).help("omit it, or make the curve cubic"));
        }
        return Some(End::default());
    }
    match (word.unwrap_or(CurveEnd::NotAKnot), &table.slopes) {
        (CurveEnd::NotAKnot, None) => Some(End::NotAKnot),
        (CurveEnd::Natural, None) => Some(End::Natural),
        (CurveEnd::Clamped, Some(slopes)) => {
            let [first, last] = &slopes.value.0;
            let slopes = [first, last].map(|slope| slope_of(slope, table, dimensions, report));
            Some(End::Clamped { first: slopes[0]?, last: slopes[1]? })
        }
        (CurveEnd::Clamped, None) => {
            let span = table.end.as_ref().map_or(table.span, |end| end.span);
            let message = format!("the clamped curve \"{}\" needs its \"slopes\" at both ends", name.text);
            report.push(Diagnostic::error(span, message).help("level ends have slopes = [0, 0]"));
            None
        }
        (_, Some(slopes)) => {
            let message = "only a clamped curve has \"slopes\"";
            report.push(Diagnostic::error(slopes.span, message).help("give end = \"clamped\", or omit them"));
            None
        }
    }
}

/// A slope in SI.
fn slope_of(slope: &Literal, table: &Curve, dimensions: CurveDimensions, report: &mut Report) -> Option<f64> {
    let Some(expected) = dimensions.value.checked_div(dimensions.argument) else {
        report.push(Diagnostic::error(slope.span, "the powers in the dimension of this slope are too large"));
        return None;
    };
    let Some(found) = slope.dimension else {
        let unit = |outer: &Option<UnitText>, column: Option<&UnitText>| {
            outer.as_ref().or(column).map_or(Unit::ONE, |unit| unit.unit)
        };
        let file = table.file.as_ref();
        let x = unit(&table.x_unit, file.map(|file| &file.x_unit));
        let y = unit(&table.y_unit, file.map(|file| &file.y_unit));
        let value = y.to_si(slope.value) / x.factor;
        if !value.is_finite() {
            report.push(Diagnostic::error(slope.span, "this number must be finite"));
            return None;
        }
        return Some(value);
    };
    if !found.compatible(expected) {
        let message = format!("{} was expected here", expected.describe());
        report.push(
            Diagnostic::error(slope.span, message)
                .label(format!("this is {}", found.describe()))
                .help(format!("give it in {expected}")),
        );
        return None;
    }
    Some(slope.value)
}

fn through(x: &[f64], y: &[f64], kind: CurveKind, end: End) -> Result<spline::Curve, CurveError> {
    match kind {
        CurveKind::Cubic => CubicSpline::new(x, y, end).map(spline::Curve::from),
        CurveKind::Linear => LinearTable::new(x, y).map(spline::Curve::from),
    }
}

/// Why no curve goes through points of the model, at the point that is wrong.
fn explain(error: CurveError, x: &Spanned<Vec<Literal>>, y: &Spanned<Vec<Literal>>) -> Diagnostic {
    let at = |axis: &Spanned<Vec<Literal>>, index: usize| -> Span {
        axis.value.get(index).map_or(axis.span, |point| point.span)
    };
    match error {
        CurveError::Lengths { knots, values } => {
            Diagnostic::error(y.span, format!("\"x\" has {knots} numbers but \"y\" has {values}"))
                .related(x.span, "\"x\" of the same curve")
                .help("give one value for each argument")
        }
        CurveError::TooFew { found, needed } => {
            Diagnostic::error(x.span, format!("a curve needs at least {needed} points"))
                .label(format!("this array has {found}"))
        }
        CurveError::Unsorted { index, .. } => {
            Diagnostic::error(at(x, index), "the arguments of a curve must increase")
                .label("less than the one before it")
                .related(at(x, index.saturating_sub(1)), "the one before")
                .help("sort the points by x")
        }
        CurveError::Duplicate { index, .. } => {
            Diagnostic::error(at(x, index), "the arguments of a curve must increase")
                .label("equal to the one before it")
                .help("remove one of the two points, or average them")
        }
        CurveError::KnotNotFinite { index, .. } => {
            Diagnostic::error(at(x, index), "this number must be finite")
        }
        CurveError::ValueNotFinite { index, .. } => {
            Diagnostic::error(at(y, index), "this number must be finite")
        }
        CurveError::Overflow { index } => {
            Diagnostic::error(at(x, index), "the curve overflows after this argument")
                .help("its neighbours are too close together or too far apart for the values")
        }
        CurveError::SlopeNotFinite { .. } => Diagnostic::error(x.span, error.to_string()),
    }
}
