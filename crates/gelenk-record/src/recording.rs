//! Columns, events and metadata of a run in memory.

use std::collections::BTreeMap;

use gelenk_math::suggest;

use crate::column::TIME;
use crate::sink::{SinkError, check_row};
use crate::{Column, Event, thin};

/// The samples of a run: columns over time, with what they mean.
///
/// Invariants: the first column is the time `t` in s, column names are unique, all columns are equally long, and
/// time is finite and never falls. Two rows may share a time: they stand before and after a jump.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    columns: Vec<Column>,
    data: Vec<Vec<f64>>,
    events: Vec<Event>,
    meta: BTreeMap<String, String>,
}

/// Why a recording cannot be made or cannot answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// The first column is not `t` in s.
    #[error("the first column of a recording is the time `t` in s, not `{found}`")]
    NoTime {
        /// Label of the first column, or `nothing`.
        found: String,
    },
    /// Two columns share a name.
    #[error("two columns are called `{name}`; names of columns are unique")]
    Duplicate {
        /// The shared name.
        name: String,
    },
    /// No column has this name.
    #[error("there is no column `{name}`{hint}")]
    UnknownColumn {
        /// The name that was asked for.
        name: String,
        /// The closest names there are, as the end of the sentence.
        hint: String,
    },
    /// The recording does not reach to this time.
    #[error("time {t} s is outside the recording, which covers {from} s to {to} s")]
    OutsideTime {
        /// The time that was asked for in s.
        t: f64,
        /// First time of the recording in s.
        from: f64,
        /// Last time of the recording in s.
        to: f64,
    },
    /// The recording has no rows.
    #[error("the recording has no rows")]
    Empty,
    /// A row cannot be part of a recording.
    #[error("row {row} (counted from 0): {reason}")]
    Row {
        /// Index of the row.
        row: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl Recording {
    /// An empty recording of these columns, of which the first is [`Column::time`].
    ///
    /// # Errors
    /// [`RecordError::NoTime`] and [`RecordError::Duplicate`].
    pub fn new(columns: Vec<Column>) -> Result<Self, RecordError> {
        check_columns(&columns)?;
        let data = vec![Vec::new(); columns.len()];
        Ok(Self { columns, data, events: Vec::new(), meta: BTreeMap::new() })
    }

    /// A recording from whole columns of values.
    ///
    /// # Errors
    /// As [`Recording::new`], and [`RecordError::Row`] where columns differ in length or time is not finite or falls.
    pub fn from_data(columns: Vec<Column>, data: Vec<Vec<f64>>) -> Result<Self, RecordError> {
        check_columns(&columns)?;
        let rows = data.first().map_or(0, Vec::len);
        if data.len() != columns.len() {
            let reason = format!("{} columns of values for {} columns", data.len(), columns.len());
            return Err(RecordError::Row { row: 0, reason });
        }
        for (column, values) in columns.iter().zip(&data) {
            if values.len() != rows {
                let reason = format!("`{}` has {} values, `t` has {rows}", column.name, values.len());
                return Err(RecordError::Row { row: rows.min(values.len()), reason });
            }
        }
        let mut before = None;
        for (row, &t) in data.first().into_iter().flatten().enumerate() {
            check_row(&[t], 1, before).map_err(|e| RecordError::Row { row, reason: e.to_string() })?;
            before = Some(t);
        }
        Ok(Self { columns, data, events: Vec::new(), meta: BTreeMap::new() })
    }

    /// Makes room for `rows` further rows, so that pushing them does not allocate.
    pub fn reserve(&mut self, rows: usize) {
        for values in &mut self.data {
            values.reserve(rows);
        }
    }

    /// Appends a row, time in s first.
    ///
    /// # Errors
    /// [`SinkError::RowLength`] and [`SinkError::Time`]; the recording is then as before.
    pub fn push(&mut self, row: &[f64]) -> Result<(), SinkError> {
        check_row(row, self.columns.len(), self.time().last().copied())?;
        for (values, &value) in self.data.iter_mut().zip(row) {
            values.push(value);
        }
        Ok(())
    }

    /// Appends the columns of a recording of the same times, but for the time.
    ///
    /// # Errors
    /// [`RecordError::Duplicate`] and, where the times differ, [`RecordError::Row`]; the recording is then as before.
    pub fn append(&mut self, other: &Self) -> Result<(), RecordError> {
        let differs = self.time().iter().zip(other.time()).position(|(a, b)| a != b);
        if let Some(row) = differs.or((self.len() != other.len()).then(|| self.len().min(other.len()))) {
            return Err(RecordError::Row { row, reason: "the recordings have different times".to_owned() });
        }
        let mut columns = self.columns.clone();
        columns.extend_from_slice(other.columns.get(1..).unwrap_or_default());
        check_columns(&columns)?;
        self.columns = columns;
        self.data.extend_from_slice(other.data.get(1..).unwrap_or_default());
        Ok(())
    }

    /// Appends an event.
    pub fn push_event(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.time().len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns in order, time first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The events in the order in which they were told.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What is known about the run: title, parameters, solver and the like.
    pub fn meta(&self) -> &BTreeMap<String, String> {
        &self.meta
    }

    /// The metadata to change.
    pub fn meta_mut(&mut self) -> &mut BTreeMap<String, String> {
        &mut self.meta
    }

    /// The times in s.
    pub fn time(&self) -> &[f64] {
        self.data.first().map_or(&[], Vec::as_slice)
    }

    /// The values of the column with this index, or nothing beyond the last column.
    pub fn values(&self, index: usize) -> Option<&[f64]> {
        self.data.get(index).map(Vec::as_slice)
    }

    /// Index of the column with this name.
    ///
    /// # Errors
    /// [`RecordError::UnknownColumn`] with the closest names.
    pub fn index(&self, name: &str) -> Result<usize, RecordError> {
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| self.unknown(name))
    }

    /// The values of the column with this name.
    ///
    /// # Errors
    /// [`RecordError::UnknownColumn`] with the closest names.
    pub fn column(&self, name: &str) -> Result<&[f64], RecordError> {
        let index = self.index(name)?;
        self.values(index).ok_or_else(|| self.unknown(name))
    }

    /// Indices of the column of this name, or else of all columns in the group of this name.
    ///
    /// # Errors
    /// [`RecordError::UnknownColumn`] with the closest names.
    pub fn select(&self, selector: &str) -> Result<Vec<usize>, RecordError> {
        if let Some(index) = self.columns.iter().position(|c| c.name == selector) {
            return Ok(vec![index]);
        }
        let all = self.columns.iter().enumerate();
        let found: Vec<usize> = all.filter(|(_, c)| c.is_in(selector)).map(|(i, _)| i).collect();
        if found.is_empty() { Err(self.unknown(selector)) } else { Ok(found) }
    }

    /// Value of a column at time `t` in s, linear between rows; at a jump the value after it.
    ///
    /// # Errors
    /// [`RecordError::UnknownColumn`], [`RecordError::Empty`] and [`RecordError::OutsideTime`].
    pub fn interpolate(&self, name: &str, t: f64) -> Result<f64, RecordError> {
        let values = self.column(name)?;
        let time = self.time();
        let (Some(&from), Some(&to)) = (time.first(), time.last()) else {
            return Err(RecordError::Empty);
        };
        if !(from <= t && t <= to) {
            return Err(RecordError::OutsideTime { t, from, to });
        }
        // Rows before `after` have a time of at most t, and there is at least one.
        let after = time.partition_point(|&s| s <= t);
        let (i, j) = (after.saturating_sub(1), after);
        if j >= time.len() || time[i] == t {
            return Ok(values[i]);
        }
        let part = (t - time[i]) / (time[j] - time[i]);
        Ok(values[i] * (1.0 - part) + values[j] * part)
    }

    /// The rows and events with `from <= t <= to` (s), with the same columns and metadata.
    pub fn slice(&self, from: f64, to: f64) -> Self {
        let start = self.time().partition_point(|&t| t < from);
        let end = self.time().partition_point(|&t| t <= to).max(start);
        Self {
            columns: self.columns.clone(),
            data: self.data.iter().map(|values| values[start..end].to_vec()).collect(),
            events: self.events.iter().filter(|e| from <= e.t && e.t <= to).cloned().collect(),
            meta: self.meta.clone(),
        }
    }

    /// Smallest and largest value of a column, NaN left out; nothing if there is no other value.
    ///
    /// # Errors
    /// [`RecordError::UnknownColumn`] with the closest names.
    pub fn extremes(&self, name: &str) -> Result<Option<(f64, f64)>, RecordError> {
        Ok(extremes(self.column(name)?))
    }

    /// Indices of the rows that a plot of the column over time needs; see [`thin::thin`].
    ///
    /// # Errors
    /// [`RecordError::UnknownColumn`] with the closest names.
    pub fn thin(&self, name: &str, buckets: usize) -> Result<Vec<usize>, RecordError> {
        Ok(thin::thin(self.time(), self.column(name)?, buckets))
    }

    /// Whether both recordings hold the same bits: unlike `==`, NaN equals itself and 0 differs from -0.
    pub fn identical(&self, other: &Self) -> bool {
        let same_bits = |a: &Vec<f64>, b: &Vec<f64>| {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
        };
        self.columns == other.columns
            && self.meta == other.meta
            && self.events.len() == other.events.len()
            && self
                .events
                .iter()
                .zip(&other.events)
                .all(|(a, b)| a.t.to_bits() == b.t.to_bits() && a.element == b.element && a.what == b.what)
            && self.data.iter().zip(&other.data).all(|(a, b)| same_bits(a, b))
    }

    fn unknown(&self, name: &str) -> RecordError {
        let hint = suggest::hint(name, self.columns.iter().map(|c| c.name.as_str()));
        RecordError::UnknownColumn { name: name.to_owned(), hint }
    }
}

/// Smallest and largest of some values, NaN left out; nothing if there is no other value.
pub fn extremes(values: &[f64]) -> Option<(f64, f64)> {
    let mut known = values.iter().copied().filter(|v| !v.is_nan());
    let first = known.next()?;
    Some(known.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// Checks that the first column is the time and that names are unique.
///
/// # Errors
/// [`RecordError::NoTime`] and [`RecordError::Duplicate`].
pub fn check_columns(columns: &[Column]) -> Result<(), RecordError> {
    match columns.first() {
        Some(first) if first.name == TIME && first.unit == "s" => {}
        Some(first) => return Err(RecordError::NoTime { found: first.label() }),
        None => return Err(RecordError::NoTime { found: "nothing".to_owned() }),
    }
    let mut names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(RecordError::Duplicate { name: pair[0].to_owned() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sink;

    #[test]
    fn columns_of_the_same_times_are_appended() {
        let other = |times: [f64; 4], name: &str| {
            let columns = vec![Column::time(), Column::new(name, "N", "")];
            Recording::from_data(columns, vec![times.to_vec(), vec![5.0, 6.0, 7.0, 8.0]]).unwrap()
        };
        let mut recording = ramp();
        recording.append(&other([0.0, 1.0, 1.0, 3.0], "force")).unwrap();
        assert_eq!(recording.column("force"), Ok(&[5.0, 6.0, 7.0, 8.0][..]));
        let before = recording.clone();
        let wrong = recording.append(&other([0.0, 1.0, 2.0, 3.0], "other"));
        assert!(matches!(wrong, Err(RecordError::Row { row: 2, .. })), "{wrong:?}");
        let wrong = recording.append(&other([0.0, 1.0, 1.0, 3.0], "phi"));
        assert_eq!(wrong, Err(RecordError::Duplicate { name: "phi".to_owned() }));
        let wrong = recording.append(&before.slice(0.0, 1.0));
        assert!(matches!(wrong, Err(RecordError::Row { row: 3, .. })), "{wrong:?}");
        assert_eq!(recording.columns(), before.columns());
    }

    fn ramp() -> Recording {
        let columns =
            vec![Column::time(), Column::new("phi", "rad", "angle"), Column::new("phi.rate", "rad/s", "")];
        let mut recording = Recording::new(columns).unwrap();
        for (t, phi) in [(0.0, 0.0), (1.0, 2.0), (1.0, 10.0), (3.0, 14.0)] {
            recording.push(&[t, phi, f64::NAN]).unwrap();
        }
        recording.push_event(Event::new(1.0, "joints.knee.stop", "closed"));
        recording.push_event(Event::new(3.0, "joints.knee.friction", "reversal"));
        recording
    }

    #[test]
    fn interpolation_is_linear_and_takes_the_value_after_a_jump() {
        let r = ramp();
        assert_eq!(r.interpolate("phi", 0.25).unwrap(), 0.5);
        assert_eq!(r.interpolate("phi", 1.0).unwrap(), 10.0);
        assert_eq!(r.interpolate("phi", 2.0).unwrap(), 12.0);
        assert_eq!(r.interpolate("phi", 3.0).unwrap(), 14.0);
        let outside = RecordError::OutsideTime { t: 3.5, from: 0.0, to: 3.0 };
        assert_eq!(r.interpolate("phi", 3.5), Err(outside));
        assert!(matches!(r.interpolate("phi", f64::NAN), Err(RecordError::OutsideTime { .. })));
        let empty = Recording::new(vec![Column::time()]).unwrap();
        assert_eq!(empty.interpolate("t", 0.0), Err(RecordError::Empty));
    }

    #[test]
    fn a_misspelt_column_is_answered_with_the_closest_name() {
        let message = ramp().column("phi.rat").unwrap_err().to_string();
        assert_eq!(message, "there is no column `phi.rat`; did you mean `phi.rate`?");
    }

    #[test]
    fn a_selector_means_a_column_first_and_then_a_group() {
        let columns = ["phi", "friction.knee.force", "friction.hip.force", "phi.rate"];
        let columns = columns.map(|name| Column::new(name, "", ""));
        let r = Recording::new([vec![Column::time()], columns.to_vec()].concat()).unwrap();
        assert_eq!(r.select("phi").unwrap(), [1]);
        assert_eq!(r.select("friction").unwrap(), [2, 3]);
        assert!(r.select("fric").is_err());
    }

    #[test]
    fn bad_rows_are_refused_and_change_nothing() {
        let mut r = ramp();
        let before = r.clone();
        assert!(matches!(r.push(&[4.0]), Err(SinkError::RowLength { expected: 3, found: 1 })));
        assert!(matches!(r.push(&[2.0, 0.0, 0.0]), Err(SinkError::Time { .. })));
        assert!(matches!(r.push(&[f64::NAN, 0.0, 0.0]), Err(SinkError::Time { .. })));
        assert!(r.identical(&before));
        assert_eq!(r.durable(), 4);
    }

    #[test]
    fn bad_columns_are_refused() {
        assert!(matches!(Recording::new(vec![]), Err(RecordError::NoTime { .. })));
        assert!(matches!(Recording::new(vec![Column::new("t", "ms", "")]), Err(RecordError::NoTime { .. })));
        let twice = vec![Column::time(), Column::new("a", "", ""), Column::new("a", "m", "")];
        assert_eq!(Recording::new(twice), Err(RecordError::Duplicate { name: "a".into() }));
        let uneven =
            Recording::from_data(vec![Column::time(), Column::new("a", "", "")], vec![vec![0.0], vec![]]);
        assert!(matches!(uneven, Err(RecordError::Row { .. })));
        let falling = Recording::from_data(vec![Column::time()], vec![vec![0.0, 1.0, 0.5]]);
        assert!(matches!(falling, Err(RecordError::Row { row: 2, .. })));
    }

    #[test]
    fn a_slice_holds_the_rows_and_events_of_its_time() {
        let s = ramp().slice(0.5, 2.0);
        assert_eq!(s.time(), [1.0, 1.0]);
        assert_eq!(s.events().len(), 1);
        assert!(ramp().slice(2.0, 0.5).is_empty());
        assert!(ramp().slice(f64::NAN, f64::NAN).is_empty());
    }

    #[test]
    fn extremes_leave_nan_out() {
        assert_eq!(ramp().extremes("phi").unwrap(), Some((0.0, 14.0)));
        assert_eq!(ramp().extremes("phi.rate").unwrap(), None);
    }

    #[test]
    fn reserved_rows_do_not_move_the_data() {
        let mut r = ramp();
        r.reserve(1000);
        let place = r.time().as_ptr();
        for i in 0..1000 {
            r.push(&[4.0 + f64::from(i), 0.0, 0.0]).unwrap();
        }
        assert_eq!(place, r.time().as_ptr());
    }
}
