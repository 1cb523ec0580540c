//! The runs of a rig as one recording.

use gelenk_record::{Column, Event, RecordError, Recording};
use serde_json::{Value, json};

use super::rig::{LawRun, RigOutcome};

/// Key of the runs in the metadata of a recording that holds several: a JSON list with an entry for every run. Its `name`
/// begins the names of its columns and events, `method` says how it was computed, `parameters` are as in
/// [`crate::parameters`], `metrics` have name, value (SI) and unit.
pub const VARIANTS: &str = "variants";

impl RigOutcome {
    /// All runs as one recording with columns such as `lugre.x`, their parameters and metrics in the metadata.
    ///
    /// Where runs have rows at different times, there is a row for each of them; between its own rows a run has the values on
    /// the line through them, before and after its rows it has none (NaN).
    ///
    /// # Errors
    /// Columns that make no recording.
    pub fn merged(&self) -> Result<Recording, RecordError> {
        let own: Vec<&[f64]> = self.runs.iter().map(|run| run.recording.time()).collect();
        let times = together(&own);
        let (mut columns, mut data) = (vec![Column::time()], vec![times.clone()]);
        let mut events: Vec<Event> = Vec::new();
        for run in &self.runs {
            for (k, column) in run.recording.columns().iter().enumerate().skip(1) {
                let name = format!("{}.{}", run.label, column.name);
                columns.push(Column::new(name, &column.unit, &column.meaning));
                let values = run.recording.values(k).unwrap_or_default();
                data.push(spread(run.recording.time(), values, &times));
            }
            let own = run.recording.events().iter();
            events.extend(own.map(|e| Event::new(e.t, format!("{}.{}", run.label, e.element), &e.what)));
        }
        let mut recording = Recording::from_data(columns, data)?;
        events.sort_by(|a, b| a.t.total_cmp(&b.t));
        events.into_iter().for_each(|event| recording.push_event(event));
        let meta = recording.meta_mut();
        meta.insert("title".into(), self.title.clone());
        meta.insert(VARIANTS.into(), Value::from_iter(self.runs.iter().map(variant)).to_string());
        Ok(recording)
    }
}

fn variant(run: &LawRun) -> Value {
    let metrics = run.metrics.iter().map(|m| json!([m.name, m.value, m.unit]));
    json!({
        "name": run.label,
        "method": run.method,
        "parameters": run.parameters,
        "metrics": Value::from_iter(metrics),
    })
}

/// Whether two times are one; those that are not numbers are.
fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// All times of some runs in order, each as often as the run that has it most often.
fn together(runs: &[&[f64]]) -> Vec<f64> {
    let mut all = Vec::new();
    let mut at = vec![0; runs.len()];
    let next = |at: &[usize]| {
        let heads = runs.iter().zip(at).filter_map(|(times, &k)| times.get(k).copied());
        heads.min_by(f64::total_cmp)
    };
    while let Some(t) = next(&at) {
        let mut most = 0;
        for (times, k) in runs.iter().zip(&mut at) {
            let count = times[*k..].iter().take_while(|&&own| same(own, t)).count();
            *k += count;
            most = most.max(count);
        }
        all.extend(std::iter::repeat_n(t, most));
    }
    all
}

/// Values at these times, which have all of the run's own: its own where it has them, else on the line between its rows.
fn spread(own: &[f64], values: &[f64], times: &[f64]) -> Vec<f64> {
    let mut out = Vec::with_capacity(times.len());
    let mut start = 0;
    while start < times.len() {
        let t = times[start];
        let rows = times[start..].iter().take_while(|&&other| same(other, t)).count();
        let (low, high) = (own.partition_point(|&x| x < t), own.partition_point(|&x| x <= t));
        let value = |k: usize| match (low < high, low) {
            (true, _) => values[(low + k).min(high - 1)],
            (false, 0) => f64::NAN,
            (false, _) if low == own.len() => f64::NAN,
            (false, after) => {
                let share = (t - own[after - 1]) / (own[after] - own[after - 1]);
                values[after - 1] + share * (values[after] - values[after - 1])
            }
        };
        out.extend((0..rows).map(value));
        start += rows;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed form: lines stay lines; rows before and after a jump stay apart; outside of its rows a run has no values.
    #[test]
    fn runs_with_other_times_keep_their_own_values() {
        let (a, b) = ([0.0, 1.0, 1.0, 3.0], [0.0, 2.0, 4.0]);
        let times = together(&[&a, &b]);
        assert_eq!(times, [0.0, 1.0, 1.0, 2.0, 3.0, 4.0]);
        let first = spread(&a, &[0.0, 10.0, 20.0, 40.0], &times);
        assert_eq!(first[..5], [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert!(first[5].is_nan());
        assert_eq!(spread(&b, &[0.0, 4.0, 8.0], &times), [0.0, 2.0, 2.0, 4.0, 6.0, 8.0]);
    }

    #[test]
    fn runs_that_share_their_times_are_taken_as_they_are() {
        let t = [0.0, 0.5, 0.5, 1.0];
        assert_eq!(together(&[&t, &t]), t);
        assert_eq!(spread(&t, &[1.0, 2.0, 3.0, 4.0], &t), [1.0, 2.0, 3.0, 4.0]);
        assert!(together(&[]).is_empty());
        let none = [f64::NAN, f64::NAN];
        assert_eq!(spread(&none, &none, &together(&[&none])).len(), 2);
    }
}
