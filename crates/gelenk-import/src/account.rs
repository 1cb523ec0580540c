//! What was taken over, what was changed and what has no counterpart: kinds with counts, first names and places.

use gelenk_file::source::{Sources, Span};
use std::fmt;

/// Names that are listed for each kind.
const SHOWN: usize = 3;

/// Kinds that are told apart; bounds the work that a hostile file can ask for.
const KINDS: usize = 200;

/// One kind of things of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What they are: "sensors (gyro)".
    pub kind: String,
    /// How many there are.
    pub count: usize,
    /// The names of the first ones; things without a name are only counted.
    pub names: Vec<String>,
    /// Whether there are further names.
    pub more: bool,
    /// Where the first ones are, such as `robot.xml:12`.
    pub places: Vec<String>,
}

impl fmt::Display for Entry {
    /// `sensors (gyro): 2 (head, torso)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.count)?;
        let names = self.examples();
        if names.is_empty() { Ok(()) } else { write!(f, " ({names})") }
    }
}

impl Entry {
    /// The first names, and whether there are more: `head, torso, ...`.
    pub fn examples(&self) -> String {
        let more = if self.more && !self.names.is_empty() { ", ..." } else { "" };
        format!("{}{more}", self.names.join(", "))
    }
}

/// Entries while they grow.
#[derive(Default)]
pub(crate) struct Listing {
    entries: Vec<(Entry, Vec<Span>)>,
    here: Option<Span>,
}

impl Listing {
    /// Things that are added from now on belong to this place of the file.
    pub(crate) fn at(&mut self, span: Span) {
        self.here = Some(span);
    }

    /// What is added from now on has no place: it follows from several elements.
    pub(crate) fn nowhere(&mut self) {
        self.here = None;
    }

    /// Counts one thing of a kind; an empty name is not listed.
    pub(crate) fn add(&mut self, kind: &str, name: &str) {
        // Kinds name elements of the file, and must stay on one line of a comment.
        let mut kind: String = kind.chars().take(200).flat_map(char::escape_debug).collect();
        if self.entries.len() >= KINDS {
            kind = "other things".to_owned();
        }
        let index = self.entries.iter().position(|(entry, _)| entry.kind == kind).unwrap_or_else(|| {
            let entry = Entry { kind, count: 0, names: Vec::new(), more: false, places: Vec::new() };
            self.entries.push((entry, Vec::new()));
            self.entries.len() - 1
        });
        let (entry, spans) = &mut self.entries[index];
        entry.count += 1;
        if let Some(span) = self.here.filter(|span| spans.len() < SHOWN && !spans.contains(span)) {
            spans.push(span);
        }
        let name = super::names::shown(name);
        if name.is_empty() || entry.names.contains(&name) {
            return;
        }
        if entry.names.len() < SHOWN {
            entry.names.push(name);
        } else {
            entry.more = true;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(|(entry, _)| entry)
    }

    /// The entries with the places written out.
    pub(crate) fn finished(self, sources: &Sources) -> Vec<Entry> {
        let written = |(mut entry, spans): (Entry, Vec<Span>)| {
            entry.places = spans.iter().filter_map(|span| place(sources, *span)).collect();
            entry
        };
        self.entries.into_iter().map(written).collect()
    }
}

/// A place as `robot.xml:12`.
pub(crate) fn place(sources: &Sources, span: Span) -> Option<String> {
    let file = sources.get(span.file)?.path.file_name()?.to_string_lossy();
    Some(format!("{}:{}", super::names::shown(&file), sources.position(span).line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_kind_with_the_first_names() {
        let mut list = Listing::default();
        for name in ["a", "b", "b", "c", "d"] {
            list.add("sensors (gyro)", name);
        }
        list.add("a\nb", "c\nd");
        list.add("cameras", "");
        list.add("cameras", "front");
        let lines: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["sensors (gyro): 5 (a, b, c, ...)", "a\\nb: 1 (c\\nd)", "cameras: 2 (front)"]);
    }

    #[test]
    fn places_are_lines_of_files() {
        let mut sources = Sources::default();
        let file = sources.add("folder/robot.xml", "<a>\n<b/>\n</a>");
        let mut list = Listing::default();
        list.at(Span { file, start: 4, end: 6 });
        list.add("b", "");
        list.nowhere();
        list.add("b", "");
        let entries = list.finished(&sources);
        assert_eq!((entries[0].count, entries[0].places.as_slice()), (2, &["robot.xml:2".to_owned()][..]));
    }
}
