//! Chosen columns and rows of a recording that need not fit into memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gelenk_record::recording::extremes;
use gelenk_record::{Column, Event, Recording};

use crate::layout::Header;
use crate::parquet_file::{self, Opened};
use crate::{IoError, reading};

/// An open recording that hands out pieces of its columns.
///
/// A Parquet file is opened once and stays open: whatever its name stands for later, it is this file that is read. The
/// parts of an unfinished run are held in memory.
#[derive(Debug)]
pub struct Pieces {
    header: Header,
    rows: usize,
    /// First row of every group, and the end.
    groups: Vec<usize>,
    /// Time of the first row of every group (s).
    starts: Vec<f64>,
    last: f64,
    store: Store,
}

#[derive(Debug)]
// There is one for each open recording; a box would only be in the way.
#[allow(clippy::large_enum_variant)]
enum Store {
    File(PathBuf, Mutex<Opened<File>>),
    Memory(Box<Recording>),
}

impl Pieces {
    /// Opens a Parquet file, or the complete parts in a folder.
    ///
    /// # Errors
    /// As [`read`](crate::read()).
    pub fn open(path: &Path) -> Result<Self, IoError> {
        if path.is_dir() {
            return Ok(Self::held(reading::read(path)?));
        }
        let opened = parquet_file::open(path)?;
        let header = opened.header.clone();
        let (mut rows, mut groups) = (0, vec![0]);
        for group in &opened.groups {
            rows += group.rows;
            groups.push(rows);
        }
        let store = Store::File(path.to_owned(), Mutex::new(opened));
        let mut pieces = Self { header, rows, groups, starts: Vec::new(), last: f64::NAN, store };
        let (mut starts, mut last) = (Vec::new(), f64::NAN);
        for group in pieces.groups.windows(2).map(|pair| pair[0]..pair[1]) {
            let mut first = None;
            pieces.read(&[0], group, &mut |columns| {
                let times = columns.first().copied().unwrap_or_default();
                first = first.or(times.first().copied());
                last = times.last().copied().unwrap_or(last);
            })?;
            starts.push(first.unwrap_or(f64::NAN));
        }
        (pieces.starts, pieces.last) = (starts, last);
        Ok(pieces)
    }

    /// A recording in memory.
    pub fn held(recording: Recording) -> Self {
        let header = Header {
            columns: recording.columns().to_vec(),
            meta: recording.meta().clone(),
            events: recording.events().to_vec(),
        };
        let rows = recording.len();
        let time = recording.time();
        let (starts, last) = (time.first().copied().into_iter().collect(), time.last().copied());
        Self {
            header,
            rows,
            groups: if rows > 0 { vec![0, rows] } else { vec![0] },
            starts,
            last: last.unwrap_or(f64::NAN),
            store: Store::Memory(Box::new(recording)),
        }
    }

    /// The file; empty for a recording in memory.
    pub(crate) fn path(&self) -> &Path {
        match &self.store {
            Store::File(path, _) => path,
            Store::Memory(_) => Path::new(""),
        }
    }

    /// The columns, time first.
    pub fn columns(&self) -> &[Column] {
        &self.header.columns
    }

    /// Metadata of the run.
    pub fn meta(&self) -> &BTreeMap<String, String> {
        &self.header.meta
    }

    /// The events of the run.
    pub fn events(&self) -> &[Event] {
        &self.header.events
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// First and last time (s); `None` without rows.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((*self.starts.first()?, self.last))
    }

    /// Smallest and largest value of every column, NaN left out, without reading rows: a file says them. `None` where they are
    /// not known, such as for a column without numbers or with infinite ones.
    pub fn ranges(&self) -> Vec<Option<(f64, f64)>> {
        let all = 0..self.header.columns.len();
        let ranges: Vec<_> = match &self.store {
            Store::Memory(recording) => {
                all.map(|k| extremes(recording.values(k).unwrap_or_default())).collect()
            }
            Store::File(_, opened) => {
                let opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
                let of_groups =
                    |k: usize| opened.groups.iter().filter_map(move |group| group.chunks.get(k)?.range);
                let both = |(a, b): (f64, f64), (c, d): (f64, f64)| (a.min(c), b.max(d));
                all.map(|k| of_groups(k).reduce(both)).collect()
            }
        };
        let finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
        ranges.into_iter().map(|range| range.filter(finite)).collect()
    }

    /// The rows with `from <= t <= to` (s), and one more on each side, so that a line through them fills the range.
    ///
    /// # Errors
    /// A file that became unreadable.
    pub fn rows_between(&self, from: f64, to: f64) -> Result<Range<usize>, IoError> {
        let first = self.count(|t| t < from)?;
        let end = self.count(|t| t <= to)?;
        Ok(first.saturating_sub(1)..(end + 1).min(self.rows).max(first))
    }

    /// Number of rows at the beginning whose time satisfies a condition that later times do not.
    fn count(&self, early: impl Fn(f64) -> bool) -> Result<usize, IoError> {
        let group = self.starts.partition_point(|&t| early(t));
        let Some(group) = group.checked_sub(1) else { return Ok(0) };
        let (Some(&start), Some(&end)) = (self.groups.get(group), self.groups.get(group + 1)) else {
            return Ok(self.rows);
        };
        let mut count = start;
        self.read(&[0], start..end, &mut |columns| {
            count += columns.first().map_or(0, |times| times.partition_point(|&t| early(t)));
        })?;
        Ok(count)
    }

    /// Hands the wanted columns of the wanted rows to `take`, piece by piece, in the order in which they were asked for.
    /// Columns and rows that do not exist are left out.
    ///
    /// # Errors
    /// A file that became unreadable.
    pub fn read(
        &self,
        columns: &[usize],
        rows: Range<usize>,
        take: &mut dyn FnMut(&[&[f64]]),
    ) -> Result<(), IoError> {
        let rows = rows.start.min(self.rows)..rows.end.min(self.rows);
        let wanted: Vec<usize> =
            columns.iter().copied().filter(|&column| column < self.header.columns.len()).collect();
        if rows.is_empty() || wanted.is_empty() {
            return Ok(());
        }
        let opened = match &self.store {
            Store::Memory(recording) => {
                let slices: Vec<&[f64]> = wanted
                    .iter()
                    .map(|&column| &recording.values(column).unwrap_or_default()[rows.clone()])
                    .collect();
                take(&slices);
                return Ok(());
            }
            Store::File(_, opened) => opened,
        };
        let mut data = vec![Vec::new(); wanted.len()];
        for (group, bounds) in self.groups.windows(2).enumerate() {
            let (start, end) = (bounds[0].max(rows.start), bounds[1].min(rows.end));
            if start >= end {
                continue;
            }
            {
                // What a reader that panicked left behind is read anew.
                let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
                for (&column, values) in wanted.iter().zip(&mut data) {
                    opened.column(group, column, values)?;
                }
            }
            let slices: Vec<&[f64]> =
                data.iter().map(|values| &values[start - bounds[0]..end - bounds[0]]).collect();
            take(&slices);
        }
        Ok(())
    }
}
