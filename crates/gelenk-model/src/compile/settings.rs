//! Values given from outside: `--set path=value`, the `set` and `vary` of a study.

use super::{Compiled, Power};
use crate::check::numbers::power_stiffness;
use crate::load::{Failure, Loaded};
use crate::quantity::{Anything, Formula, Quantity};
use crate::study_file::{Scale, StudyFile, Vary};
use gelenk_file::read::ByPath;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::expression::Expression;
use gelenk_math::suggest::closest;
use gelenk_math::units::Dimension;
use gelenk_multibody::inertia::Verdict;
use gelenk_system::{Param, ParameterError};
use thiserror::Error;

/// A value that a parameter refuses, or a path that names none.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SetError {
    /// The path names no number of the model.
    #[error("the model has no parameter \"{path}\"{}", .help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    Unknown {
        /// The path.
        path: String,
        /// The way out.
        help: Option<String>,
    },
    /// The path names a number that sets the structure.
    #[error("\"{path}\" sets the structure of the model and can only be changed in the file")]
    Structural {
        /// The path.
        path: String,
    },
    /// The path names a number that the shapes of a body give.
    #[error(
        "\"{path}\" follows from the shapes of the body; set their sizes, positions or densities, or give it in the file"
    )]
    Follows {
        /// The path.
        path: String,
    },
    /// The value is not a number of the right dimension.
    #[error("{path}: {message}{}", .help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    Value {
        /// The path.
        path: String,
        /// What is wrong with the value.
        message: String,
        /// The way out.
        help: Option<String>,
    },
    /// The value lies outside the bounds.
    #[error(transparent)]
    Refused(#[from] ParameterError),
}

/// A parameter that a fit varies.
#[derive(Clone, PartialEq, Debug)]
pub struct Variation {
    /// The parameter; it is free.
    pub param: Param,
    /// Its path.
    pub path: String,
    /// Smallest value (SI).
    pub lower: f64,
    /// Largest value (SI).
    pub upper: f64,
    /// Whether its logarithm is searched evenly.
    pub logarithmic: bool,
}

impl Compiled {
    /// Sets the parameter at `path` to a number with a unit, such as `"300 mm"`; a plain number is SI.
    /// A derived parameter becomes free.
    ///
    /// # Errors
    /// Unknown and structural paths, with the path that was probably meant; values of another dimension, and
    /// values outside the bounds.
    pub fn set(&mut self, path: &str, text: &str) -> Result<(), SetError> {
        let refuse = |message: String, help: Option<String>| {
            let message = format!("\"{text}\" cannot be its value: {message}");
            SetError::Value { path: path.to_owned(), message, help }
        };
        let param = self.find(path)?;
        let expression = Expression::parse(text).map_err(|error| refuse(error.message, error.help))?;
        let value = self.convert(path, &expression).map_err(|(message, help)| refuse(message, help))?;
        self.parameters.set(param, value)?;
        self.follow_exponent(path, value);
        Ok(())
    }

    /// The stiffness of `k x^e` has the unit of the exponent that is set; its number stays.
    fn follow_exponent(&mut self, path: &str, exponent: f64) {
        for Power { stiffness, kind } in self.powers.get(path).into_iter().flatten() {
            let dimension = power_stiffness(*kind, exponent);
            let unit = dimension.map_or_else(String::new, |dimension| dimension.to_string());
            if let Ok(param) = self.parameters.find(stiffness) {
                self.parameters.relabel(param, &unit);
                self.dimensions.insert(stiffness.clone(), dimension);
            }
        }
    }

    /// The parameter at `path`.
    ///
    /// # Errors
    /// Unknown and structural paths.
    pub fn find(&self, path: &str) -> Result<Param, SetError> {
        if self.structural.iter().any(|known| known == path) {
            return Err(SetError::Structural { path: path.to_owned() });
        }
        if self.following.iter().any(|known| known == path) {
            return Err(SetError::Follows { path: path.to_owned() });
        }
        self.parameters.find(path).map_err(|_| match self.is_settled(path) {
            true => SetError::Structural { path: path.to_owned() },
            false => SetError::Unknown { path: path.to_owned(), help: self.meant(path) },
        })
    }

    /// Whether a path that is not a parameter names something of the structure, or a table or list that holds nothing else.
    fn is_settled(&self, path: &str) -> bool {
        let inside = |known: &str| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        self.settled.iter().any(|known| known == path)
            || (self.settled.iter().any(|known| inside(known))
                && !self.parameters.iter().any(|(_, entry)| inside(&entry.path)))
    }

    /// What was probably meant by a path that does not exist.
    fn meant(&self, path: &str) -> Option<String> {
        let paths = || self.parameters.iter().map(|(_, entry)| entry.path.as_str());
        let inside: Vec<&str> = paths()
            .filter(|known| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
            .collect();
        match inside.as_slice() {
            [] => {}
            [one] => return Some(format!("did you mean \"{one}\"?")),
            [first, second, ..] => return Some(format!("it is a table with \"{first}\", \"{second}\", ...")),
        }
        let short = format!("parameters.{path}");
        let near =
            if paths().any(|known| known == short) { Some(short.as_str()) } else { closest(path, paths()) };
        near.map(|near| format!("did you mean \"{near}\"?"))
    }

    /// The SI value of an expression without names for the parameter at `path`.
    fn convert(&self, path: &str, expression: &Expression) -> Result<f64, (String, Option<String>)> {
        convert(self.dimension(path), expression)
    }

    /// Checks all values as they stand: bounds, also of derived parameters, and relations that laws demand.
    ///
    /// # Errors
    /// The first parameter that is refused.
    pub fn validate(&self) -> Result<(), SetError> {
        let values = self.parameters.values();
        for (param, entry) in self.parameters.iter() {
            let value = param.of(&values);
            // Negated, so that a NaN is refused as well; only a limit that the file gives plainly may be infinite.
            if !(value >= entry.lower && value <= entry.upper) || (entry.is_derived() && value.is_infinite())
            {
                return Err(entry.outside(value).into());
            }
        }
        let refused =
            self.blueprint.inertias(&values).iter().position(|verdict| *verdict == Verdict::Impossible);
        if let Some(body) = refused.and_then(|body| self.blueprint.bodies.get(body)) {
            return Err(SetError::Value {
                path: format!("bodies.{}.inertia", body.name),
                message: "this inertia is physically impossible".to_owned(),
                help: Some(super::inertias::REASON.to_owned()),
            });
        }
        for element in &self.blueprint.elements {
            let p: Vec<f64> = element.parameters.iter().map(|param| param.of(&values)).collect();
            element.kind.validate(&p, element.size).map_err(|message| SetError::Value {
                path: element.name.clone(),
                message,
                help: None,
            })?;
        }
        Ok(())
    }

    /// Parameters of laws of which the first must not lie below the second, such as a level at rest and one of sliding.
    pub fn orders(&self) -> Vec<(Param, Param)> {
        let mut orders = Vec::new();
        for element in &self.blueprint.elements {
            let parameters = &element.parameters;
            for (greater, lesser) in element.kind.spec().orders() {
                if let (Some(&greater), Some(&lesser)) = (parameters.get(greater), parameters.get(lesser)) {
                    orders.push((greater, lesser));
                }
            }
        }
        orders
    }

    /// Sets what the `set` table of a study says.
    ///
    /// # Errors
    /// All refused entries, each with its place in the study.
    pub fn apply(&mut self, study: &Loaded<StudyFile>) -> Result<(), Failure> {
        for (param, value) in self.settings(&study.file.set, study)? {
            // The table has accepted it just now.
            let _ = self.parameters.set(param, value);
        }
        Ok(())
    }

    /// Parameters and values (SI) of a `set` table of a study.
    ///
    /// # Errors
    /// All refused entries, each with its place in the study.
    pub fn settings(
        &self,
        set: &ByPath<Quantity<Anything>>,
        study: &Loaded<StudyFile>,
    ) -> Result<Vec<(Param, f64)>, Failure> {
        let (mut report, mut settings) = (Report::new(), Vec::new());
        let mut table = self.parameters.clone();
        for (path, number) in &set.0 {
            match self.find(path) {
                Err(error) => report.push(Diagnostic::error(path.span, error.to_string())),
                Ok(param) => {
                    let Some(value) = self.study_value(path, &number.formula, &mut report) else { continue };
                    match table.set(param, value) {
                        Ok(()) => settings.push((param, value)),
                        Err(error) => {
                            report.push(Diagnostic::error(number.formula.span, error.to_string()));
                        }
                    }
                }
            }
        }
        finish(report, study).map(|()| settings)
    }

    /// The parameters that a fit varies, made free.
    ///
    /// # Errors
    /// All refused entries, each with its place in the study.
    pub fn variations(&mut self, study: &Loaded<StudyFile>) -> Result<Vec<Variation>, Failure> {
        let mut report = Report::new();
        let list = study.file.vary.iter().filter_map(|vary| self.variation(vary, &mut report)).collect();
        finish(report, study).map(|()| list)
    }

    fn variation(&mut self, vary: &Vary, report: &mut Report) -> Option<Variation> {
        let param = match self.find(&vary.path) {
            Ok(param) => param,
            Err(error) => {
                report.push(Diagnostic::error(vary.path.span, error.to_string()));
                return None;
            }
        };
        let lower = self.study_value(&vary.path, &vary.lower.formula, report);
        let upper = self.study_value(&vary.path, &vary.upper.formula, report);
        let (lower, upper) = (lower?, upper?);
        let logarithmic = vary.scale == Scale::Log;
        let start = param.of(&self.parameters.values());
        let bounds = self.parameters.get(param).map(|entry| (entry.lower, entry.upper));
        let fault = if lower >= upper {
            Some((vary.lower.formula.span, "\"lower\" must be less than \"upper\"".to_owned()))
        } else if logarithmic && lower <= 0.0 {
            Some((vary.lower.formula.span, "a logarithmic scale needs a \"lower\" greater than 0".to_owned()))
        } else if bounds.is_some_and(|(least, _)| lower < least) {
            Some((vary.lower.formula.span, "\"lower\" is below the lower bound of the parameter".to_owned()))
        } else if bounds.is_some_and(|(_, most)| upper > most) {
            Some((vary.upper.formula.span, "\"upper\" is above the upper bound of the parameter".to_owned()))
        } else if !(lower..=upper).contains(&start) {
            Some((vary.path.span, format!("the fit would start at {start} (SI), outside [{lower}, {upper}]")))
        } else {
            // A derived parameter keeps its present value from here on.
            self.parameters.set(param, start).err().map(|error| (vary.path.span, error.to_string()))
        };
        match fault {
            Some((span, message)) => {
                report.push(Diagnostic::error(span, message));
                None
            }
            None => Some(Variation { param, path: vary.path.text.clone(), lower, upper, logarithmic }),
        }
    }

    pub(super) fn study_value(&self, path: &str, formula: &Formula, report: &mut Report) -> Option<f64> {
        match self.convert(path, &formula.expression) {
            Ok(value) => Some(value),
            Err((message, help)) => {
                report.push(Diagnostic::error(formula.span, message).maybe_help(help));
                None
            }
        }
    }
}

/// The SI value of an expression without names where a `dimension` is expected; a plain number is SI.
pub(super) fn convert(
    dimension: Option<Dimension>,
    expression: &Expression,
) -> Result<f64, (String, Option<String>)> {
    if let Some((name, _)) = expression.variables().next() {
        return Err((format!("\"{name}\" is not a number"), None));
    }
    expression.with_curves(&|_| None).map_err(|error| (error.message, error.help))?;
    if let (false, Some(expected)) = (expression.is_plain_number(), dimension) {
        let found = expression.dimension(&|_| None).map_err(|error| (error.message, error.help))?;
        if expected == Dimension::FREQUENCY && found == Dimension::ANGULAR_VELOCITY {
            // A frequency counts cycles, as in the file.
            let value = expression.compile(&|_| None).ok().and_then(|program| program.constant());
            return value
                .map(|value| value / std::f64::consts::TAU)
                .ok_or(("its value is not defined".into(), None));
        }
        if !found.compatible(expected) {
            let message = format!("{} was expected, this is {}", expected.describe(), found.describe());
            return Err((message, Some(format!("give it in {expected}"))));
        }
    }
    let value = expression.compile(&|_| None).ok().and_then(|program| program.constant());
    value.filter(|value| value.is_finite()).ok_or_else(|| ("its value is not defined".to_owned(), None))
}

pub(super) fn finish(report: Report, study: &Loaded<StudyFile>) -> Result<(), Failure> {
    let report = report.finished();
    if report.has_errors() { Err(Failure { report, sources: study.sources.clone() }) } else { Ok(()) }
}
