//! How columns, events and metadata stand in the schema of a file.
//!
//! Each field is a `float64` without gaps and carries `unit` and `meaning`. The schema carries `gelenk.format`,
//! `gelenk.events` (one line an event: time, element, what, separated by tabs) and `gelenk.meta.<key>`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use gelenk_record::{Column, Event, recording::check_columns};

use crate::IoError;
use crate::checksum;

/// Number of the file format that this version writes and reads.
pub(crate) const FORMAT: u32 = 1;

const FORMAT_KEY: &str = "gelenk.format";
const EVENTS_KEY: &str = "gelenk.events";
const META_PREFIX: &str = "gelenk.meta.";

/// What a file says about its rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Header {
    pub columns: Vec<Column>,
    pub meta: BTreeMap<String, String>,
    pub events: Vec<Event>,
}

/// The fields of a file: one a column.
pub(crate) fn fields(columns: &[Column]) -> Vec<Field> {
    let field = |c: &Column| {
        let texts = [("unit", c.unit.clone()), ("meaning", c.meaning.clone())];
        Field::new(&c.name, DataType::Float64, false)
            .with_metadata(BTreeMap::from(texts.map(|(k, v)| (k.into(), v))))
    };
    columns.iter().map(field).collect()
}

/// The metadata entries of a file in the order in which they are written; the checksum is still open.
pub(crate) fn entries(meta: &BTreeMap<String, String>, events: &[Event]) -> Vec<(String, String)> {
    let mut entries = vec![(FORMAT_KEY.to_owned(), FORMAT.to_string())];
    entries.extend(meta.iter().map(|(key, value)| (format!("{META_PREFIX}{key}"), value.clone())));
    if !events.is_empty() {
        entries.push((EVENTS_KEY.to_owned(), write_events(events)));
    }
    entries.push((checksum::KEY.to_owned(), checksum::UNSEALED.to_owned()));
    entries
}

/// Reads what [`fields`] and [`entries`] wrote.
pub(crate) fn header<'a>(
    path: &Path,
    schema: &Schema,
    entries: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Header, IoError> {
    let mut header = Header::default();
    let mut format = None;
    for (key, value) in entries {
        match key {
            FORMAT_KEY => format = Some(value),
            EVENTS_KEY => header.events = read_events(value).map_err(|e| IoError::damaged(path, e))?,
            _ => {
                if let Some(name) = key.strip_prefix(META_PREFIX) {
                    header.meta.insert(name.to_owned(), value.to_owned());
                }
            }
        }
    }
    match format {
        Some(text) if text == FORMAT.to_string() => {}
        Some(text) => {
            return Err(IoError::Newer { path: path.to_owned(), found: text.to_owned(), known: FORMAT });
        }
        None => return Err(IoError::foreign(path, format!("its metadata has no `{FORMAT_KEY}`"))),
    }
    for field in schema.fields() {
        if field.data_type() != &DataType::Float64 {
            return Err(IoError::foreign(path, format!("column `{}` is not float64", field.name())));
        }
        let text = |key| field.metadata().get(key).cloned().unwrap_or_default();
        header.columns.push(Column::new(field.name(), text("unit"), text("meaning")));
    }
    check_columns(&header.columns).map_err(|e| IoError::record(path, e))?;
    Ok(header)
}

/// A batch out of whole columns of values.
pub(crate) fn batch(path: &Path, schema: &Arc<Schema>, data: Vec<Vec<f64>>) -> Result<RecordBatch, IoError> {
    let arrays = data.into_iter().map(|values| Arc::new(Float64Array::from(values)) as ArrayRef).collect();
    RecordBatch::try_new(Arc::clone(schema), arrays).map_err(|e| IoError::encode(path, e))
}

/// The columns of a batch as slices.
pub(crate) fn slices<'a>(path: &Path, batch: &'a RecordBatch) -> Result<Vec<&'a [f64]>, IoError> {
    let slice = |array: &'a ArrayRef| match array.as_any().downcast_ref::<Float64Array>() {
        Some(values) if values.null_count() == 0 => Ok(&values.values()[..]),
        _ => Err(IoError::foreign(path, "a column is not float64 without gaps")),
    };
    batch.columns().iter().map(slice).collect()
}

fn write_events(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        // Debug of a float is its shortest text that reads back to the same number.
        text.push_str(&format!("{:?}\t", event.t));
        escape(&event.element, &mut text);
        text.push('\t');
        escape(&event.what, &mut text);
        text.push('\n');
    }
    text
}

fn read_events(text: &str) -> Result<Vec<Event>, String> {
    let event = |line: &str| {
        let mut cells = line.split('\t');
        let t = cells.next()?.parse().ok()?;
        let event = Event::new(t, unescape(cells.next()?), unescape(cells.next()?));
        cells.next().is_none().then_some(event)
    };
    text.split_terminator('\n').map(|line| event(line).ok_or_else(|| format!("bad event `{line}`"))).collect()
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('t') => out.push('\t'),
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_whatever_their_texts() {
        let events = vec![
            Event::new(0.1 + 0.2, "joints.knee.stop", "closed"),
            Event::new(-0.0, "tab\there", "line\nbreak \\n \\"),
            Event::new(1e-300, "", ""),
        ];
        assert_eq!(read_events(&write_events(&events)).unwrap(), events);
    }

    #[test]
    fn a_bad_event_line_is_an_error() {
        assert!(read_events("1.0\tonly two").is_err());
        assert!(read_events("now\ta\tb\n").is_err());
        assert!(read_events("1\ta\tb\tc\n").is_err());
        assert!(read_events("").unwrap().is_empty());
    }
}
