//! Order, values and dimensions of `[parameters]`.

use super::curves::Curves;
use crate::model_file::ModelFile;
use crate::quantity::{Formula, Number, OnCoordinate};
use gelenk_file::dimensions::{self, Dimensions};
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::expression::CurveDimensions;
use gelenk_math::graph;
use gelenk_math::suggest::closest;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::CoordinateKind;
use std::collections::BTreeMap;

/// One entry of `[parameters]`.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Text,
    pub(crate) number: Number,
    /// Its dimension, where it could be found.
    pub(crate) dimension: Option<Dimension>,
    /// Its value; NaN where it could not be found.
    pub(crate) value: f64,
    used: bool,
}

/// All of `[parameters]`, and the curves that numbers may call.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(crate) list: Vec<Parameter>,
    pub(crate) curves: Curves,
    index: BTreeMap<String, usize>,
    /// Names of parameters that could not be read.
    broken: Vec<String>,
}

impl Parameters {
    /// Orders the parameters, finds their dimensions and values, and complains about cycles.
    pub(crate) fn collect(model: &ModelFile, curves: Curves, report: &mut Report) -> Self {
        let list: Vec<Parameter> = model
            .parameters
            .iter()
            .map(|(name, number)| Parameter {
                name: name.clone(),
                number: Number::clone(number),
                dimension: None,
                value: f64::NAN,
                used: false,
            })
            .collect();
        let index = list.iter().enumerate().map(|(i, p)| (p.name.text.clone(), i)).collect();
        let broken = model.parameters.broken.iter().map(|name| name.text.clone()).collect();
        let mut parameters = Self { list, curves, index, broken };
        let needs: Vec<Vec<usize>> = parameters
            .list
            .iter()
            .map(|p| {
                p.number.formula.expression.variables().filter_map(|(n, _)| parameters.find(n)).collect()
            })
            .collect();
        let order = graph::order(&needs);
        if let Some(&first) = order.cycle.first() {
            let mut names: Vec<&str> =
                order.cycle.iter().map(|&i| parameters.list[i].name.text.as_str()).collect();
            names.push(names[0]);
            let mut diagnostic = Diagnostic::error(
                parameters.list[first].number.formula.span,
                format!("parameters depend on each other: {}", names.join(" -> ")),
            );
            for &other in order.cycle.iter().skip(1).take(4) {
                diagnostic = diagnostic.related(parameters.list[other].number.formula.span, "");
            }
            report.push(diagnostic);
        }
        let mut refused = vec![false; parameters.list.len()];
        for &i in &order.nodes {
            let number = parameters.list[i].number.clone();
            let known = parameters.check_names(&number.formula, report);
            if known {
                match dimensions::of(&number.formula, &parameters) {
                    Ok(dimension) => parameters.list[i].dimension = dimension,
                    Err(diagnostic) => {
                        refused[i] = true;
                        report.push(*diagnostic);
                    }
                }
                parameters.list[i].value = parameters.value(&number.formula);
            }
        }
        // A unit may have the name of a parameter that stands further down.
        for i in (0..refused.len()).filter(|&i| !refused[i]) {
            let formula = &parameters.list[i].number.formula;
            dimensions::contested(formula, &parameters).into_iter().for_each(|found| report.push(found));
        }
        // Parameters on a cycle or behind one may also use names that do not exist.
        let mut done = vec![false; parameters.list.len()];
        order.nodes.iter().for_each(|&i| done[i] = true);
        for i in (0..done.len()).filter(|&i| !done[i]) {
            let number = parameters.list[i].number.clone();
            parameters.check_names(&number.formula, report);
        }
        parameters
    }

    /// The parameter that an expression names `rod` or `parameters.rod`.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name.strip_prefix("parameters.").unwrap_or(name)).copied()
    }

    /// Whether there is such a parameter, be it readable or not.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        let short = name.strip_prefix("parameters.").unwrap_or(name);
        self.find(name).is_some() || self.broken.iter().any(|known| known == short)
    }

    /// The dimension of a parameter, where known.
    pub(crate) fn dimension(&self, name: &str) -> Option<Dimension> {
        self.list.get(self.find(name)?)?.dimension
    }

    /// Marks a parameter as used.
    pub(crate) fn mention(&mut self, name: &str) {
        if let Some(i) = self.find(name) {
            self.list[i].used = true;
        }
    }

    /// Names of parameters that nothing uses.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &Text> {
        self.list.iter().filter(|p| !p.used).map(|p| &p.name)
    }

    /// Complains about names that are not parameters; `true` if all are.
    pub(crate) fn check_names(&mut self, formula: &Formula, report: &mut Report) -> bool {
        let mut known = self.curves.check_calls(formula, report);
        for (name, range) in formula.expression.variables() {
            self.mention(name);
            if !self.is_known(name) {
                known = false;
                let near = closest(name, self.index.keys().map(String::as_str));
                let diagnostic =
                    Diagnostic::error(formula.place(range), format!("unknown parameter \"{name}\""));
                report.push(match near {
                    Some(_) => diagnostic.meant(near),
                    None if self.curves.is_known(name) => diagnostic.help(self.curves.how_to_call(name)),
                    None => diagnostic.help("numbers may use the names of [parameters]"),
                });
            }
        }
        known
    }

    /// The value of a formula over parameters; NaN where something in it is unknown.
    pub(crate) fn value(&self, formula: &Formula) -> f64 {
        let bound = self.curves.bind(&formula.expression);
        let Ok(program) = bound.and_then(|expression| expression.compile(&|name| self.find(name))) else {
            return f64::NAN;
        };
        let mut slots = vec![0.0; program.slots().last().map_or(0, |last| last + 1)];
        for slot in program.slots() {
            slots[slot] = self.list[slot].value;
        }
        let mut scratch = vec![0.0; program.scratch_len()];
        program.eval(&slots, &mut scratch)
    }

    /// Checks names and dimension of a number on a coordinate of `kind`; its value if all is right.
    pub(crate) fn check(
        &mut self,
        number: &Number,
        kind: Option<CoordinateKind>,
        report: &mut Report,
    ) -> Option<f64> {
        if !self.check_names(&number.formula, report) {
            return None;
        }
        // A coordinate of unknown kind leaves the dimension open unless it does not matter.
        let dimension = match (kind, number.measure) {
            (Some(kind), measure) => measure.on(kind),
            (None, crate::quantity::Measure::Fixed(dimension)) => Some(dimension),
            (None, _) => None,
        };
        self.check_dimension(number, dimension, report)
    }

    /// Checks the dimension of a number whose names are known; its value if all is right.
    pub(crate) fn check_dimension(
        &self,
        number: &Number,
        dimension: Option<Dimension>,
        report: &mut Report,
    ) -> Option<f64> {
        if number.is_open() {
            return None;
        }
        let finding = match dimension {
            Some(expected) => dimensions::mismatch(&number.formula, expected, self),
            None => dimensions::of(&number.formula, self).err().map(|diagnostic| *diagnostic),
        };
        if let Some(diagnostic) = finding {
            report.push(diagnostic);
            return None;
        }
        let value = self.value(&number.formula);
        if value.is_nan() {
            // Parameters without a value were reported where they stand.
            let expression = &number.formula.expression;
            let open = self.curves.is_open(expression)
                || expression
                    .variables()
                    .any(|(name, _)| self.find(name).is_none_or(|i| self.list[i].value.is_nan()));
            if !open {
                report.push(
                    Diagnostic::error(number.formula.span, "this number is not defined")
                        .label("the value of the expression is not a real number"),
                );
            }
            return None;
        }
        if value.is_infinite() && !number.formula.expression.is_plain_number() {
            report.push(
                Diagnostic::error(number.formula.span, "this number is infinite")
                    .label("the expression divides by zero, or is too large"),
            );
            return None;
        }
        if dimension == Some(Dimension::ANGLE) && number.formula.expression.is_plain_number() {
            warn_about_degrees(number, value, report);
        }
        Some(value)
    }
}

impl Dimensions for Parameters {
    fn of_name(&self, name: &str) -> Option<Dimension> {
        self.dimension(name)
    }

    fn of_curve(&self, name: &str) -> Option<CurveDimensions> {
        self.curves.dimensions(name)
    }
}

/// A plain number of more than one turn in an angle was probably meant in degrees.
fn warn_about_degrees(number: &Number, value: f64, report: &mut Report) {
    if value.is_finite() && value.abs() > 6.3 && number.is_given() {
        let turns = value.abs() / (2.0 * std::f64::consts::PI);
        report.push(
            Diagnostic::warning(
                number.formula.span,
                format!("plain angles are in rad; this is {turns:.1} revolutions"),
            )
            .help(format!("did you mean \"{value} deg\"?")),
        );
    }
}
