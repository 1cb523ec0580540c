//! Checks of rigs: units and signs of their numbers, each at its place.

use crate::quantity::{Measure, OnCoordinate, measure_of};
use crate::rig::{Rig, constant};
use crate::study_file::{StudyFile, positive};
use gelenk_file::dimensions::{Dimensions, NoNames, literal_mismatch, mismatch};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_laws::Kind;
use gelenk_math::expression::CurveDimensions;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::CoordinateKind;

use crate::model_file::CoordinateWord;

/// Numbers of the model that must be greater than zero.
const POSITIVE: [&str; 4] = ["mass", "spring", "length", "ramp"];

/// The names that a velocity over time may use without a signal.
struct OverTime;

impl Dimensions for OverTime {
    fn of_name(&self, name: &str) -> Option<Dimension> {
        (name == "t").then_some(Dimension::TIME)
    }

    fn of_curve(&self, _: &str) -> Option<CurveDimensions> {
        None
    }
}

/// Units and signs.
fn numbers(rig: &Rig, report: &mut Report) {
    let kind = match rig.on() {
        CoordinateWord::Length => CoordinateKind::Length,
        CoordinateWord::Angle => CoordinateKind::Angle,
    };
    let dimension = |measure: Measure| measure.on(kind).unwrap_or(Dimension::NONE);
    let several = match rig {
        Rig::Breakaway(rig) => rig.rates.value.iter().map(|rate| ("rates", &rate.0)).collect(),
        _ => Vec::new(),
    };
    for (name, number) in rig.numbers().into_iter().chain(several) {
        let wrong = mismatch(&number.formula, dimension(number.measure), &NoNames);
        wrong.into_iter().for_each(|diagnostic| report.push(diagnostic));
        // A drift without a frequency has no cycles.
        let needs = POSITIVE.contains(&name) || (name == "frequency" && matches!(rig, Rig::Drift(_)));
        if let Some(value) = constant(number).filter(|_| needs) {
            positive(value, number.formula.span, name, report);
        }
    }
    for (name, literal, measure) in rig.literals() {
        match literal_mismatch(literal, dimension(measure)) {
            Some(diagnostic) => report.push(diagnostic),
            // Turning points have both signs, and no slip is too slow to count by default.
            None if name == "reversals" || name == "least" => {}
            None => positive(literal.value, literal.span, name, report),
        }
    }
    if let Rig::Motion(rig) = rig
        && let Some(velocity) = &rig.velocity
    {
        let wrong = mismatch(velocity, dimension(measure_of(Kind::Rate)), &OverTime);
        wrong.into_iter().for_each(|diagnostic| report.push(diagnostic));
    }
}

/// Checks what a rig needs.
pub(crate) fn check(study: &StudyFile, report: &mut Report) {
    let Some(rig) = &study.rig else { return };
    numbers(rig, report);
    match rig {
        Rig::Motion(rig) => {
            let path = rig.reversals.is_some() || rig.speed.is_some();
            let both = rig.reversals.is_some() && rig.speed.is_some();
            let velocity = rig.velocity.is_some();
            if path == velocity || path != both {
                let message =
                    "a motion needs either \"velocity\" and \"step\", or \"reversals\" and \"speed\"";
                report.push(Diagnostic::error(rig.span, message));
            } else if velocity != rig.step.is_some() {
                let message = match velocity {
                    true => "a motion by its velocity needs the key \"step\"",
                    false => "a path has no \"step\"; \"samples\" sets its resolution",
                };
                report.push(Diagnostic::error(rig.step.as_ref().map_or(rig.span, |s| s.span), message));
            }
            if let Some(step) = &rig.step {
                positive(step.value, step.span, "step", report);
            }
            if !(1.0..=1e6).contains(&rig.samples.value) {
                report.push(Diagnostic::error(rig.samples.span, "\"samples\" must be between 1 and 1000000"));
            }
        }
        Rig::Breakaway(rig) => {
            if rig.rates.value.is_empty() {
                report.push(Diagnostic::error(rig.rates.span, "\"rates\" must have at least one entry"));
            }
            for number in rig.rates.value.iter().map(|rate| &rate.0).chain([&rig.to.0]) {
                if constant(number).is_none_or(|value| value <= 0.0) {
                    let message = "this must be a number with a unit, greater than 0";
                    report.push(Diagnostic::error(number.formula.span, message));
                }
            }
        }
        _ => {}
    }
}
