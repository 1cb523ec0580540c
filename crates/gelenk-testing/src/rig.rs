//! A model from its text, run without files.

use gelenk_model::{LogColumns, compile, parse_model};
use gelenk_multibody::Mechanism;
use gelenk_record::Change;
use gelenk_solve::{Method, Observer, Options, SolveError, StopRun, Summary, simulate};
use gelenk_system::{Nanos, System};

/// The rows of a run by columns, the time first, and what it reports.
#[derive(Debug, Clone)]
pub struct Outcome {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
    /// Time, element and kind of every event.
    pub events: Vec<(f64, String, String)>,
    /// Counts and balances.
    pub summary: Summary,
}

impl Outcome {
    /// The values of a column; `t` is the time.
    ///
    /// # Panics
    /// Where there is no such column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let known = || panic!("no column {name}, but {:?}", self.names);
        let k = self.names.iter().position(|known| known == name).unwrap_or_else(known);
        self.rows.iter().map(|row| row[k]).collect()
    }

    /// The last value of a column.
    pub fn last(&self, name: &str) -> f64 {
        self.column(name).last().copied().expect("the start is recorded")
    }
}

/// A mechanism from the text of a model that uses no files.
pub fn mechanism(text: &str) -> Mechanism {
    let model = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    let mut no_logs = |_: &_| -> Result<LogColumns, String> { Err("a text has no logs".into()) };
    let compiled = compile(&model, &mut no_logs).unwrap_or_else(|failure| panic!("{failure}"));
    compiled.build().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs the text of a model for `until` seconds with a row every `output` seconds.
pub fn run(text: &str, method: Method, until: f64, output: f64) -> Result<Outcome, SolveError> {
    let mechanism = mechanism(text);
    let options = Options { until: nanos(until), output: nanos(output), method };
    let mut rows = Rows::default();
    let summary = simulate(&mechanism, &mechanism.parameters().values(), &options, &mut rows)?;
    let names = std::iter::once("t".to_owned()).chain(mechanism.channels().iter().map(|c| c.name.clone()));
    Ok(Outcome { names: names.collect(), rows: rows.rows, events: rows.events, summary })
}

/// Seconds as a number of nanoseconds.
pub fn nanos(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds).expect("a time of a test")
}

#[derive(Default)]
struct Rows {
    rows: Vec<Vec<f64>>,
    events: Vec<(f64, String, String)>,
}

impl Observer for Rows {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        self.rows.push(row.to_vec());
        Ok(())
    }

    fn event(&mut self, t: f64, element: &str, what: Change) {
        self.events.push((t, element.into(), what.to_string()));
    }
}
