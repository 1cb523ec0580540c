//! The tables of a study of kind `sweep`: what is varied, how points are drawn, what is kept of each.

use crate::case_file::Statistic;
use crate::quantity::{Anything, Fixed, Literal, Quantity, Ratio, Time};
use crate::study_file::{Scale, StudyFile, StudyKind};
use gelenk_file::read::{Spanned, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::{choice, table};

/// Most points of a sweep.
pub const MOST_POINTS: f64 = 1e7;

choice! {
    /// How the points of a sweep are drawn.
    pub enum Sampling {
        /// All combinations of the values.
        Grid = "grid",
        /// The first values of all paths, then the second ones, and so on.
        List = "list",
        /// Each range in as many equal parts as there are points, each part once.
        LatinHypercube = "latin-hypercube",
        /// Evenly distributed, independent of each other.
        Random = "random",
    }
}

table! {
    /// How the points of a sweep are drawn.
    pub struct SweepTable {
        /// Which points.
        sampling: default Spanned<Sampling> = "\"grid\"",
        /// Of random and Latin hypercube samples: number of points.
        points: optional Fixed<Ratio>,
        /// Of random and Latin hypercube samples: start of the random numbers.
        seed: default Fixed<Ratio> = "1",
    }
}

table! {
    /// A parameter that a sweep varies.
    pub struct Over {
        /// Its path in the model.
        path: required Text,
        /// Its values.
        values: default Vec<Quantity<Anything>> = "[]",
        /// Smallest value of a range.
        lower: optional Quantity<Anything>,
        /// Largest value of a range.
        upper: optional Quantity<Anything>,
        /// Of a range in a grid or list: number of values, both ends included.
        count: optional Fixed<Ratio>,
        /// How a range is divided.
        scale: default Scale = "\"linear\"",
    }
}

table! {
    /// A number that is kept of every run: of a column, an event, the summary, a fitted parameter, or an injury.
    pub struct Pick {
        /// Name of its column in the table of results.
        name: required Text,
        /// A column: with `at`, `statistic` or `crossings`.
        column: optional Text,
        /// An element whose event gives its time.
        event: optional Text,
        /// A number of the summary, such as `steps` or `energy.relative_residue`.
        summary: optional Text,
        /// A parameter that a fit found.
        parameter: optional Text,
        /// A frame or body such as `frames.skull` whose recorded acceleration gives the head injury criterion.
        injury: optional Text,
        /// Of an event: what happened.
        what: optional Text,
        /// Of an event: which one, counted from 1.
        occurrence: default Fixed<Ratio> = "1",
        /// Of a column: the time of the value.
        at: optional Fixed<Time>,
        /// Of a column: the statistic of its values.
        statistic: optional Spanned<Statistic>,
        /// Of a column: counts how often it rises through this level.
        crossings: optional Literal,
        /// Of a statistic: first time.
        from: optional Fixed<Time>,
        /// Of a statistic: last time.
        to: optional Fixed<Time>,
    }
}

/// Checks what a sweep needs.
pub(crate) fn check(study: &StudyFile, report: &mut Report) {
    if study.kind.is_none_or(|kind| kind.value != StudyKind::Sweep) {
        return;
    }
    if let (Some(model), Some(inner)) = (&study.model, &study.study) {
        let message = "a sweep needs either \"model\" or \"study\"";
        report.push(Diagnostic::error(inner.span, message).related(model.span, "the model"));
    } else if study.model.is_none() && study.study.is_none() {
        let message = "a sweep needs a \"model\" that it simulates, or a \"study\" that it runs";
        report.push(Diagnostic::error(study.span, message));
    }
    let sampling = study.sweep.as_ref().map_or(Sampling::Grid, |sweep| sweep.sampling.value);
    let drawn = matches!(sampling, Sampling::LatinHypercube | Sampling::Random);
    if let Some(sweep) = &study.sweep {
        match &sweep.points {
            None if drawn => report.push(Diagnostic::error(
                sweep.sampling.span,
                format!("the sampling \"{}\" needs the number of \"points\"", sweep.sampling.value.word()),
            )),
            Some(points) if !drawn => report.push(Diagnostic::error(
                points.span,
                "\"points\" belongs to the samplings \"latin-hypercube\" and \"random\"",
            )),
            Some(points) => whole(points, [1.0, MOST_POINTS], report),
            None => {}
        }
        whole(&sweep.seed, [0.0, 9e15], report);
    }
    for over in &study.over {
        let range = over.lower.is_some() || over.upper.is_some();
        let mut complain = |message: &str| report.push(Diagnostic::error(over.span, message));
        if over.values.is_empty() != range {
            complain("give either \"values\", or a range from \"lower\" to \"upper\"");
        } else if range && (over.lower.is_none() || over.upper.is_none()) {
            complain("a range needs \"lower\" and \"upper\"");
        } else if range && !drawn && over.count.is_none() {
            complain("a range in a grid or list needs the \"count\" of its values");
        } else if drawn && !range {
            complain("random samples and Latin hypercubes need a range from \"lower\" to \"upper\"");
        }
        if let Some(count) = &over.count {
            whole(count, [1.0, MOST_POINTS], report);
        }
    }
    for (k, pick) in study.pick.iter().enumerate() {
        let subjects = [&pick.column, &pick.event, &pick.summary, &pick.parameter, &pick.injury];
        let mut complain = |message: &str| report.push(Diagnostic::error(pick.span, message));
        if subjects.into_iter().flatten().count() != 1 {
            complain(
                "a pick has exactly one of \"column\", \"event\", \"summary\", \"parameter\" and \"injury\"",
            );
        }
        let views = [pick.at.is_some(), pick.statistic.is_some(), pick.crossings.is_some()];
        if pick.column.is_some() && views.into_iter().filter(|&v| v).count() != 1 {
            complain("a column needs exactly one of \"at\", \"statistic\" and \"crossings\"");
        }
        let used = |name: &str| name == pick.name.text || pick.name.text == "t" || pick.name.text == "failed";
        let before = study.pick[..k].iter().any(|other| used(&other.name.text));
        if before || study.over.iter().any(|over| used(&over.path.text)) {
            report.push(Diagnostic::error(pick.name.span, "this name is used twice in the table of results"));
        }
    }
}

fn whole(number: &Fixed<Ratio>, [least, most]: [f64; 2], report: &mut Report) {
    if number.value.fract() != 0.0 || !(least..=most).contains(&number.value) {
        let message = format!("a whole number from {least} to {most} was expected");
        report.push(Diagnostic::error(number.span, message));
    }
}
