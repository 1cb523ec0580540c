//! The tables of `case.toml`, schema 1: a model or study with the numbers that it must give.

use crate::quantity::{Fixed, Literal, Ratio, Time};
use gelenk_file::dimensions::literal_mismatch;
use gelenk_file::fields::Version;
use gelenk_file::read::{Spanned, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::{choice, table};

table! {
    /// A reproducible case.
    pub struct CaseFile {
        /// Version of the file format.
        schema: vital Version,
        /// Title, in one line.
        title: vital Text,
        /// What it demonstrates, and which requirements.
        about: vital Text,
        /// Files whose tables are merged into this one.
        include: optional Vec<Text>,
        /// The model to simulate; its path is relative to this file.
        model: optional Text,
        /// The study to run; its path is relative to this file.
        study: optional Text,
        /// Columns of the picture.
        plot: default Vec<Text> = "[]",
        /// Column of the picture's horizontal axis; by default time.
        over: optional Text,
        /// How the gallery shows its scene.
        scene: optional SceneShown,
        /// The numbers that must be met.
        expect: default Vec<Expect> = "[]",
    }
}

table! {
    /// How the gallery shows the scene of a case.
    pub struct SceneShown {
        /// Time of the picture; by default where a contact is strongest, where bodies meet, or where they are farthest from
        /// their start.
        time: optional Fixed<Time>,
        /// From where: home, front, side, top, or azimuth and elevation in degrees such as "30,20".
        view: optional Text,
        /// Larger is closer; 1 shows the whole motion.
        zoom: default Fixed<Ratio> = "1",
        /// Body that stays in the middle.
        follow: optional Text,
    }
}

choice! {
    /// A number derived from a column.
    pub enum Statistic {
        /// Smallest value.
        Min = "min",
        /// Largest value.
        Max = "max",
        /// Mean of the recorded values.
        Mean = "mean",
        /// Last value.
        Final = "final",
        /// Largest minus smallest value.
        Range = "range",
    }
}

table! {
    /// A number that must be met: of a column, an event, the summary, a fitted parameter, a rig, or an injury.
    pub struct Expect {
        /// A column: with `at`, `statistic` or `crossings`.
        column: optional Text,
        /// An element whose event gives its time.
        event: optional Text,
        /// A number of the summary, such as `drift` or `energy.relative_residue`.
        summary: optional Text,
        /// A parameter that a fit found.
        parameter: optional Text,
        /// A metric of a rig, such as `lugre.max_speed`.
        metric: optional Text,
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
        /// The expected value.
        value: optional Literal,
        /// Largest difference from it.
        tolerance: optional Literal,
        /// Largest difference from it, as a share of it.
        relative: optional Fixed<Ratio>,
        /// Largest allowed value.
        at_most: optional Literal,
        /// Smallest allowed value.
        at_least: optional Literal,
        /// Where the number comes from.
        source: required Text,
    }
}

impl Expect {
    /// The numbers that the obtained one is compared with, which measure the same.
    pub fn numbers(&self) -> impl Iterator<Item = &Literal> {
        [&self.value, &self.tolerance, &self.at_most, &self.at_least].into_iter().flatten()
    }
}

/// Checks what a case needs.
pub(crate) fn check(case: &CaseFile, report: &mut Report) {
    if case.model.is_some() == case.study.is_some() {
        report.push(Diagnostic::error(case.span, "a case needs either \"model\" or \"study\""));
    }
    if case.expect.is_empty() {
        report.push(Diagnostic::error(case.span, "a case needs at least one [[expect]]"));
    }
    for expect in &case.expect {
        let mut complain = |message: &str| report.push(Diagnostic::error(expect.span, message));
        let subjects = [
            &expect.column,
            &expect.event,
            &expect.summary,
            &expect.parameter,
            &expect.metric,
            &expect.injury,
        ];
        if subjects.into_iter().flatten().count() != 1 {
            complain(
                "an expectation has exactly one of \"column\", \"event\", \"summary\", \"parameter\", \"metric\" and \"injury\"",
            );
        }
        let views = [expect.at.is_some(), expect.statistic.is_some(), expect.crossings.is_some()];
        if expect.column.is_some() && views.into_iter().filter(|&v| v).count() != 1 {
            complain("a column needs exactly one of \"at\", \"statistic\" and \"crossings\"");
        }
        let bounded = expect.at_most.is_some() || expect.at_least.is_some();
        let close = expect.tolerance.is_some() || expect.relative.is_some();
        if expect.value.is_some() != close || expect.value.is_some() == bounded {
            complain(
                "an expectation has \"value\" with \"tolerance\" or \"relative\", or else \"at_most\" or \"at_least\"",
            );
        }
        let known = expect.numbers().find_map(|number| number.dimension);
        for number in expect.numbers() {
            known.and_then(|known| literal_mismatch(number, known)).into_iter().for_each(|d| report.push(d));
        }
    }
}
