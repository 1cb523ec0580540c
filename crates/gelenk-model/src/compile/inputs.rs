//! Inputs that a study gives: what each does over time.

use super::logs::{self, LogColumns, LogRequest};
use super::{Compiled, settings};
use crate::load::{Failure, Loaded};
use crate::model_file::Signal;
use crate::quantity::Formula;
use crate::study_file::StudyFile;
use gelenk_file::read::{Named, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::suggest::closest;
use gelenk_math::units::{Dimension, Unit};
use gelenk_multibody::blueprint::{Course, SignalKind};
use std::sync::Arc;

impl Compiled {
    /// What the inputs of the model do by a table of a study: names of signals with what they are bound to.
    ///
    /// # Errors
    /// Names that are not inputs of the model, values of another dimension, and logs that cannot be read; each with its
    /// place.
    pub fn courses(
        &self,
        inputs: &Named<Signal>,
        study: &Loaded<StudyFile>,
        read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    ) -> Result<Vec<(String, Course)>, Failure> {
        let mut report = Report::new();
        let mut courses = Vec::new();
        for (name, signal) in inputs.iter() {
            let Some(dimension) = self.input(name, &mut report) else { continue };
            if let Some(course) = self.course(signal, dimension, study, read_log, &mut report) {
                courses.push((name.text.clone(), course));
            }
        }
        settings::finish(report, study).map(|()| courses)
    }

    /// Binds the inputs of the model as a table of a study says.
    ///
    /// # Errors
    /// Those of [`Compiled::courses`].
    pub fn bind_inputs(
        &mut self,
        study: &Loaded<StudyFile>,
        read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    ) -> Result<(), Failure> {
        for (name, bound) in self.courses(&study.file.inputs, study, read_log)? {
            let signal = self.blueprint.signals.iter_mut().find(|signal| signal.name == name);
            if let Some(SignalKind::Input { course, start }) = signal.map(|signal| &mut signal.kind) {
                (*course, *start) = (bound, None);
            }
        }
        Ok(())
    }

    /// The dimension of an input, where it has one; `None` where the model has no such input.
    fn input(&self, name: &Text, report: &mut Report) -> Option<Option<Dimension>> {
        let signals = &self.blueprint.signals;
        let inputs = || signals.iter().filter(|signal| matches!(signal.kind, SignalKind::Input { .. }));
        if let Some(input) = inputs().find(|signal| signal.name == name.text) {
            return Some(Unit::parse(&input.unit).ok().map(|unit| unit.dimension));
        }
        let diagnostic = if signals.iter().any(|signal| signal.name == name.text) {
            let message = format!("signal \"{}\" of the model is not an input", name.text);
            Diagnostic::error(name.span, message).help("inputs are signals with an \"input\" or a \"log\"")
        } else {
            let message = format!("the model has no input \"{}\"", name.text);
            let near = closest(&name.text, inputs().map(|signal| signal.name.as_str()));
            match near {
                Some(near) => Diagnostic::error(name.span, message).help(format!("did you mean \"{near}\"?")),
                None => Diagnostic::error(name.span, message)
                    .help("inputs are signals of the model with an \"input\" or a \"log\""),
            }
        };
        report.push(diagnostic);
        None
    }

    fn course(
        &self,
        signal: &Signal,
        dimension: Option<Dimension>,
        study: &Loaded<StudyFile>,
        read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
        report: &mut Report,
    ) -> Option<Course> {
        signal.check_excitations(report);
        let excitations = signal.excitations();
        let number = signal.input.as_ref().map(|input| &input.formula).or(signal.value.as_ref());
        let count = usize::from(signal.input.is_some()) + usize::from(signal.value.is_some());
        if count + usize::from(signal.log.is_some()) + excitations.len() != 1 {
            let message =
                "an input needs exactly one of \"value\", \"log\" and an excitation such as \"chirp\"";
            report.push(Diagnostic::error(signal.span, message));
            return None;
        }
        if let Some(log) = &signal.log {
            let found = log.unit.unit.dimension;
            if dimension.is_some_and(|dimension| !found.compatible(dimension)) {
                log.unit.expect(dimension.unwrap_or_default(), report);
                return None;
            }
            log.time_unit.expect(Dimension::TIME, report);
            return Some(Course::Table(logs::read(log, &study.sources, read_log, report)));
        }
        if let Some(number) = number {
            return self.given(number, dimension, report).map(Course::Held);
        }
        let excited = excitations.into_iter().next()?;
        let amplitude = self.given(&excited.amplitude.formula, dimension, report)?;
        let offset = match excited.offset {
            Some(offset) => self.given(&offset.formula, dimension, report)?,
            None => 0.0,
        };
        Some(Course::Shape { shape: Arc::new(excited.shape), amplitude, offset })
    }

    /// The SI value of a number of a study.
    fn given(&self, formula: &Formula, dimension: Option<Dimension>, report: &mut Report) -> Option<f64> {
        match settings::convert(dimension, &formula.expression) {
            Ok(value) => Some(value),
            Err((message, help)) => {
                report.push(Diagnostic::error(formula.span, message).maybe_help(help));
                None
            }
        }
    }
}
