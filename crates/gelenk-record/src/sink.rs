//! Where a study puts its rows.

use crate::{Event, Recording};

/// Takes the rows and events of a run as they are computed.
///
/// A study writes to `&mut dyn Sink` and does not know whether the rows stay in memory or go to disk.
pub trait Sink {
    /// Takes one row: time in s first, then one value for each further column, in the order of the columns.
    ///
    /// # Errors
    /// A row of the wrong length, a time that is not finite or lies before the last one, or a storage failure.
    /// A refused row leaves the sink as it was; after a storage failure the sink keeps the rows it already took.
    fn row(&mut self, row: &[f64]) -> Result<(), SinkError>;

    /// Takes one event.
    ///
    /// # Errors
    /// A storage failure.
    fn event(&mut self, event: Event) -> Result<(), SinkError>;

    /// Takes note of a row that an earlier run computed and from behind which this one goes on. A sink that has it already
    /// does not store it twice.
    ///
    /// # Errors
    /// As [`Self::row`].
    fn kept_row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        self.row(row)
    }

    /// Takes note of an event of an earlier run, as [`Self::kept_row`].
    ///
    /// # Errors
    /// A storage failure.
    fn kept_event(&mut self, event: Event) -> Result<(), SinkError> {
        self.event(event)
    }

    /// Whether a state is wanted behind the row that came last; making one costs more than a row.
    fn wants_state(&self) -> bool {
        false
    }

    /// Takes a state from which the run can go on behind the row that came last, as a text that means nothing to the sink.
    ///
    /// # Errors
    /// A storage failure.
    fn state(&mut self, state: String) -> Result<(), SinkError> {
        let _ = state;
        Ok(())
    }

    /// Number of rows that survive a kill of the process now. This is what progress may announce.
    ///
    /// Memory survives nothing, but has nothing safer to wait for: a [`Recording`] counts all its rows.
    fn durable(&self) -> u64;
}

/// Why a sink did not take a row or an event.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The row does not have one value for each column.
    #[error("a row of {found} values was given to a recording of {expected} columns")]
    RowLength {
        /// Number of columns.
        expected: usize,
        /// Number of values in the row.
        found: usize,
    },
    /// Time is not finite or runs backwards.
    #[error("time {t} s cannot follow {before} s: the time of a recording is finite and never decreases")]
    Time {
        /// The refused time in s.
        t: f64,
        /// Time of the row before in s; minus infinity for the first row.
        before: f64,
    },
    /// The place behind the sink failed, for example a full disk.
    #[error("the recording could not be stored: {0}")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Checks what every sink demands of a row; `before` is the time of the last row, if there is one.
///
/// # Errors
/// [`SinkError::RowLength`] and [`SinkError::Time`].
pub fn check_row(row: &[f64], columns: usize, before: Option<f64>) -> Result<(), SinkError> {
    if row.len() != columns {
        return Err(SinkError::RowLength { expected: columns, found: row.len() });
    }
    let before = before.unwrap_or(f64::NEG_INFINITY);
    match row.first() {
        Some(&t) if !t.is_finite() || t < before => Err(SinkError::Time { t, before }),
        _ => Ok(()),
    }
}

impl Sink for Recording {
    fn row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        self.push(row)
    }

    fn event(&mut self, event: Event) -> Result<(), SinkError> {
        self.push_event(event);
        Ok(())
    }

    fn durable(&self) -> u64 {
        self.len() as u64
    }
}
