//! Reproducible cases: a model or study with the numbers that it must give.

use std::collections::BTreeSet;

use gelenk_math::units::{Dimension, Unit};
use gelenk_model::case_file::{Expect, Statistic};
use gelenk_record::Recording;
use gelenk_solve::Summary;

use crate::run::measures;

/// What a run gave, for a case to look at.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// The summary of the run.
    pub summary: &'a Summary,
    /// Fitted parameters by path, where the case is a fit.
    pub fitted: &'a [(String, f64)],
    /// Numbers of a rig by law and name, where the case is one.
    pub metrics: &'a [(String, f64)],
}

/// An expected number beside the one obtained, SI.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was looked at.
    pub what: String,
    /// Expected value, where there is one.
    pub expected: Option<f64>,
    /// The number obtained, or why there is none.
    pub obtained: Result<f64, String>,
    /// Smallest and largest admitted value.
    pub admitted: [f64; 2],
    /// Where the expected number comes from.
    pub source: String,
}

impl Verdict {
    /// Whether the number lies where it must.
    pub fn met(&self) -> bool {
        let [lower, upper] = self.admitted;
        self.obtained.as_ref().is_ok_and(|value| (lower..=upper).contains(value))
    }
}

/// Looks up one expected number.
pub fn judge(expect: &Expect, outcome: &Outcome) -> Verdict {
    let value = expect.value.as_ref().map(|v| v.value);
    let admitted = match value {
        Some(value) => {
            let absolute = expect.tolerance.as_ref().map_or(0.0, |t| t.value.abs());
            let relative = expect.relative.as_ref().map_or(0.0, |r| r.value.abs() * value.abs());
            let width = absolute.max(relative);
            [value - width, value + width]
        }
        None => [
            expect.at_least.as_ref().map_or(f64::NEG_INFINITY, |l| l.value),
            expect.at_most.as_ref().map_or(f64::INFINITY, |l| l.value),
        ],
    };
    let (what, obtained) = look_up(&expect.into(), outcome);
    let obtained = obtained.and_then(|value| fits(expect, outcome.recording).map(|()| value));
    Verdict { what, expected: value, obtained, admitted, source: expect.source.text.clone() }
}

/// Whether the expected number measures what the obtained one does, as far as both tell.
fn fits(expect: &Expect, recording: &Recording) -> Result<(), String> {
    let column = |name: &str| recording.columns().iter().find(|known| known.name == name);
    let unit = match (&expect.column, &expect.event) {
        // Crossings are counted, whatever they cross.
        (Some(_), _) if expect.crossings.is_some() => "1",
        (Some(name), _) => column(name).map_or("", |column| column.unit.as_str()),
        (None, Some(_)) => "s",
        (None, None) => "",
    };
    let Ok(unit) = Unit::parse(unit) else { return Ok(()) };
    let wrong = |dimension: &Dimension| !dimension.compatible(unit.dimension);
    match expect.numbers().find_map(|number| number.dimension).filter(wrong) {
        Some(found) => Err(format!("it is {}, not {}", unit.dimension.describe(), found.describe())),
        None => Ok(()),
    }
}

/// What is looked up in the results of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Subject<'a> {
    pub(crate) column: Option<&'a str>,
    pub(crate) event: Option<&'a str>,
    pub(crate) summary: Option<&'a str>,
    pub(crate) parameter: Option<&'a str>,
    pub(crate) metric: Option<&'a str>,
    pub(crate) injury: Option<&'a str>,
    /// Of an event: what happened, and which one, counted from 1.
    pub(crate) what: Option<&'a str>,
    pub(crate) occurrence: f64,
    /// Of a column: a time (s), a statistic, or a level that is crossed.
    pub(crate) at: Option<f64>,
    pub(crate) statistic: Option<Statistic>,
    pub(crate) crossings: Option<f64>,
    /// Of a statistic: first and last time (s).
    pub(crate) span: [Option<f64>; 2],
}

impl<'a> From<&'a Expect> for Subject<'a> {
    fn from(expect: &'a Expect) -> Self {
        Self {
            column: expect.column.as_deref(),
            event: expect.event.as_deref(),
            summary: expect.summary.as_deref(),
            parameter: expect.parameter.as_deref(),
            metric: expect.metric.as_deref(),
            injury: expect.injury.as_deref(),
            what: expect.what.as_deref(),
            occurrence: expect.occurrence.value,
            at: expect.at.as_ref().map(|at| at.value),
            statistic: expect.statistic.map(|statistic| statistic.value),
            crossings: expect.crossings.as_ref().map(|level| level.value),
            span: [&expect.from, &expect.to].map(|end| end.as_ref().map(|end| end.value)),
        }
    }
}

/// Looks up a number: what it is in words, and its value or why there is none.
pub(crate) fn look_up(subject: &Subject<'_>, outcome: &Outcome) -> (String, Result<f64, String>) {
    let recording = outcome.recording;
    if let Some(name) = subject.summary {
        let found = measures(outcome.summary).into_iter().find(|(known, _)| *known == name);
        return (name.into(), found.map(|(_, v)| v).ok_or_else(|| "no such number".into()));
    }
    if let Some(path) = subject.parameter {
        let found = outcome.fitted.iter().find(|(known, _)| known == path);
        return (path.into(), found.map(|(_, v)| *v).ok_or_else(|| "not fitted".into()));
    }
    if let Some(name) = subject.metric {
        let found = outcome.metrics.iter().find(|(known, _)| known == name);
        let hint =
            || gelenk_math::suggest::hint(name, outcome.metrics.iter().map(|(known, _)| known.as_str()));
        let found = found.map(|(_, v)| *v).ok_or_else(|| format!("no such number{}", hint()));
        return (name.into(), found);
    }
    if let Some(place) = subject.injury {
        let found = crate::injury::injury(recording, place, None, None);
        return (format!("HIC of {place}"), found.map(|f| f.hic).map_err(|e| e.to_string()));
    }
    if let Some(element) = subject.event {
        let (what, number) = (subject.what, subject.occurrence);
        let mut events = recording
            .events()
            .iter()
            .filter(|e| e.element == element && what.is_none_or(|what| e.what == what));
        let found = if number >= 1.0 { events.nth(number as usize - 1) } else { None };
        let name = format!("{element} {} no. {number}", what.unwrap_or("event"));
        return (name, found.map(|e| e.t).ok_or_else(|| no_event(recording, element)));
    }
    let column = subject.column.unwrap_or_default();
    if let Some(at) = subject.at {
        let value = recording.interpolate(column, at).map_err(|e| e.to_string());
        return (format!("{column} at {at} s"), value);
    }
    let [from, to] = subject.span;
    let part = recording.slice(from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
    let values = match part.column(column) {
        Ok(values) if !values.is_empty() => values,
        Ok(_) => return (column.into(), Err("no values in this time".into())),
        Err(error) => return (column.into(), Err(error.to_string())),
    };
    if let Some(level) = subject.crossings {
        let count = values.windows(2).filter(|pair| pair[0] < level && pair[1] >= level).count();
        return (format!("{column} rises through {level}"), Ok(count as f64));
    }
    let statistic = subject.statistic.unwrap_or(Statistic::Final);
    let value = statistic_of(statistic, values);
    (format!("{} of {column}", statistic.word()), Ok(value))
}

/// Says that an event did not occur, and which events of the element did.
fn no_event(recording: &Recording, element: &str) -> String {
    let of_element = recording.events().iter().filter(|event| event.element == element);
    let kinds: BTreeSet<&str> = of_element.map(|event| event.what.as_str()).collect();
    if kinds.is_empty() {
        let names: BTreeSet<&str> = recording.events().iter().map(|event| event.element.as_str()).collect();
        return format!("the event did not occur{}", gelenk_math::suggest::hint(element, names));
    }
    let list = kinds.into_iter().collect::<Vec<_>>().join(", ");
    format!("the event did not occur; the events of this element are: {list}")
}

/// A statistic of the values of a column; every row counts the same.
fn statistic_of(statistic: Statistic, values: &[f64]) -> f64 {
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match statistic {
        Statistic::Min => smallest,
        Statistic::Max => largest,
        Statistic::Range => largest - smallest,
        Statistic::Mean => values.iter().sum::<f64>() / values.len() as f64,
        Statistic::Final => values.last().copied().unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand.
    #[test]
    fn statistics_of_four_rows() {
        let of = |statistic| statistic_of(statistic, &[1.0, -2.0, 6.0, 5.0]);
        assert_eq!(of(Statistic::Min), -2.0);
        assert_eq!(of(Statistic::Max), 6.0);
        assert_eq!(of(Statistic::Range), 8.0);
        assert_eq!(of(Statistic::Mean), 2.5);
        assert_eq!(of(Statistic::Final), 5.0);
    }
}
