//! How columns, events and metadata stand in the metadata of a file.
//!
//! The entries are `gelenk.format`, `gelenk.events` (one line an event: time, element, what, separated by tabs),
//! `gelenk.meta.<key>`, `gelenk.checksum`, and `ARROW:schema` with unit and meaning of each column.

use std::collections::BTreeMap;
use std::path::Path;

use gelenk_record::{Column, Event, recording::check_columns};

use crate::{IoError, arrow_fields, checksum};

/// Number of the file format that this version writes and reads.
pub(crate) const FORMAT: u32 = 2;

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

/// Reads what [`entries`] and [`arrow_fields::encode`] wrote.
pub(crate) fn header(path: &Path, entries: &[(String, String)]) -> Result<Header, IoError> {
    let mut header = Header::default();
    let (mut format, mut columns) = (None, None);
    for (key, value) in entries {
        match key.as_str() {
            FORMAT_KEY => format = Some(value),
            EVENTS_KEY => header.events = read_events(value).map_err(|e| IoError::damaged(path, e))?,
            arrow_fields::KEY => columns = arrow_fields::decode(value),
            _ => {
                if let Some(name) = key.strip_prefix(META_PREFIX) {
                    header.meta.insert(name.to_owned(), value.to_owned());
                }
            }
        }
    }
    match format {
        Some(text) if *text == FORMAT.to_string() => {}
        Some(text) => return Err(other_format(path, text)),
        None => return Err(IoError::foreign(path, format!("its metadata has no `{FORMAT_KEY}`"))),
    }
    header.columns = columns
        .ok_or_else(|| IoError::damaged(path, format!("`{}` cannot be decoded", arrow_fields::KEY)))?;
    check_columns(&header.columns).map_err(|e| IoError::record(path, e))?;
    Ok(header)
}

/// The number of another format that the undecoded metadata of a file tells, where it tells one.
pub(crate) fn format_of(metadata: &[u8]) -> Option<String> {
    let key = FORMAT_KEY.as_bytes();
    let at = metadata.windows(key.len()).position(|window| window == key)? + key.len();
    // Thrift puts the kind of the value and its length, which is below 64, before its digits.
    let digits: String = match metadata.get(at..)? {
        [_, length, rest @ ..] => {
            rest.iter().take(usize::from(*length)).map(|&byte| char::from(byte)).collect()
        }
        _ => return None,
    };
    let number: u32 = digits.parse().ok()?;
    (number != FORMAT).then_some(digits)
}

/// The file has a format that this version does not read.
pub(crate) fn other_format(path: &Path, found: &str) -> IoError {
    IoError::Format { path: path.to_owned(), found: found.to_owned(), known: FORMAT }
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
