//! Recordings and folders of parts in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gelenk_record::recording::extremes;
use gelenk_record::{Column, Event, Recording};

use crate::layout::Header;
use crate::scanning::{self, Damage, Scanned};
use crate::{IoError, parquet_file, parts_folder};

/// What is known about a recording on disk without holding its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// Number of rows.
    pub rows: u64,
    /// The columns, time first.
    pub columns: Vec<ColumnInfo>,
    /// Metadata of the run.
    pub meta: BTreeMap<String, String>,
    /// The events of the run.
    pub events: Vec<Event>,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// Number of parts, where this is a folder of parts of a run that did not finish yet.
    pub parts: Option<usize>,
    /// What was left out, with the reason.
    pub notices: Vec<String>,
}

impl Info {
    /// What is known about a recording in memory, such as a table of another program of so many `bytes`.
    pub fn of(recording: &Recording, bytes: u64) -> Self {
        let described = |(k, column): (usize, &Column)| {
            let values = recording.values(k).unwrap_or_default();
            ColumnInfo { column: column.clone(), range: extremes(values), last: values.last().copied() }
        };
        Self {
            rows: recording.len() as u64,
            columns: recording.columns().iter().enumerate().map(described).collect(),
            meta: recording.meta().clone(),
            events: recording.events().to_vec(),
            bytes,
            parts: None,
            notices: Vec::new(),
        }
    }
}

/// One column of an [`Info`].
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnInfo {
    /// Name, unit and meaning.
    pub column: Column,
    /// Smallest and largest value, NaN left out.
    pub range: Option<(f64, f64)>,
    /// Value of the last row.
    pub last: Option<f64>,
}

/// Reads a recording from a Parquet file or from the complete parts in a folder.
///
/// A damaged last part of a folder is left out; [`info`] says so.
///
/// # Errors
/// [`IoError`] with the name of the file, for whatever the file may hold.
pub fn read(path: &Path) -> Result<Recording, IoError> {
    let mut all = Header::default();
    let mut data: Vec<Vec<f64>> = Vec::new();
    scan(path, |header, more| {
        take_header(&mut all, header);
        data.resize_with(all.columns.len(), Vec::new);
        for (values, more) in data.iter_mut().zip(more) {
            values.extend_from_slice(more);
        }
    })?;
    let mut recording = Recording::from_data(all.columns, data).map_err(|e| IoError::record(path, e))?;
    *recording.meta_mut() = all.meta;
    for event in all.events {
        recording.push_event(event);
    }
    Ok(recording)
}

/// Summarises a Parquet file or a folder of parts; reads every row once, but holds only a few.
///
/// # Errors
/// As [`read`].
pub fn info(path: &Path) -> Result<Info, IoError> {
    let mut all = Header::default();
    let mut rows = 0;
    let mut ranges: Vec<Option<(f64, f64)>> = Vec::new();
    let mut last = Vec::new();
    let scanned = scan(path, |header, more| {
        take_header(&mut all, header);
        ranges.resize(all.columns.len(), None);
        last.resize(all.columns.len(), None);
        rows += more.first().map_or(0, |values| values.len() as u64);
        for ((range, last), values) in ranges.iter_mut().zip(&mut last).zip(more) {
            *range = match (*range, extremes(values)) {
                (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
                (known, new) => known.or(new),
            };
            *last = values.last().copied().or(*last);
        }
    })?;
    let columns = all.columns.into_iter().zip(ranges).zip(last);
    let columns = columns.map(|((column, range), last)| ColumnInfo { column, range, last }).collect();
    let (parts, notices) = match scanned {
        Some(scanned) => (Some(scanned.parts), scanned.notices),
        None => (None, Vec::new()),
    };
    Ok(Info { rows, columns, meta: all.meta, events: all.events, bytes: size(path)?, parts, notices })
}

/// Hands a header and the columns of a piece to `take`, piece by piece. The header of a Parquet file comes once.
fn scan(path: &Path, mut take: impl FnMut(Option<Header>, &[&[f64]])) -> Result<Option<Scanned>, IoError> {
    if path.is_dir() {
        let scanned = scanning::scan(path, Damage::Refuse, None, &mut |header, data| {
            take(Some(header), data);
            Ok(())
        })?;
        return Ok(Some(scanned));
    }
    parquet_file::scan(path, take)?;
    Ok(None)
}

/// Joins the header of a further part to what is known: its events follow, its metadata is the newer one.
fn take_header(all: &mut Header, header: Option<Header>) {
    if let Some(header) = header {
        all.columns = header.columns;
        all.meta = header.meta;
        all.events.extend(header.events);
    }
}

fn size(path: &Path) -> Result<u64, IoError> {
    if !path.is_dir() {
        return Ok(fs::metadata(path).map_err(IoError::file("read", path))?.len());
    }
    let listing = parts_folder::list(path)?;
    let files = listing.base.iter().chain(listing.parts.iter().map(|(_, path)| path));
    files.map(|p| fs::metadata(p).map(|m| m.len()).map_err(IoError::file("read", p))).sum()
}
