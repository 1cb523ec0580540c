//! TOML with the place of every key and value.

use crate::report::{Diagnostic, Report};
use crate::source::{Sources, Span};
use toml::de::{DeTable, DeValue};

/// A value of a file with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Place of the value; of a `[table]` its header.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// What a value is.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A string; `verbatim` if the text stands in the file as it is, between one pair of quotes.
    String {
        /// The text.
        text: String,
        /// Whether bytes of the text and of the file correspond.
        verbatim: bool,
    },
    /// A number; `whole` if it is written as an integer.
    Number {
        /// The number.
        value: f64,
        /// Whether it is written as an integer.
        whole: bool,
    },
    /// `true` or `false`.
    Boolean(bool),
    /// A date or time, which no field takes.
    Date,
    /// A list.
    Array(Vec<Node>),
    /// A table, in the order of the file.
    Table(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Its place.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

impl Node {
    /// What was found, for messages: "a string", "a table".
    pub fn describe(&self) -> &'static str {
        match &self.value {
            Value::String { .. } => "a string",
            Value::Number { whole: true, .. } => "an integer",
            Value::Number { .. } => "a number",
            Value::Boolean(_) => "a boolean",
            Value::Date => "a date",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// The entries, if it is a table.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The entry with this key, if it is a table and has one.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    /// The place of bytes `range` of a string value; of other values, and of strings with escapes, the whole.
    pub fn inside(&self, range: std::ops::Range<usize>) -> Span {
        match self.value {
            Value::String { verbatim: true, .. } => {
                let Span { file, start, end } = self.span;
                Span { file, start: start + 1, end: end.saturating_sub(1).max(start + 1) }.part(range)
            }
            _ => self.span,
        }
    }
}

/// Reads the text of file number `file`; `None` if it is no TOML, which the report then says.
pub fn parse(sources: &Sources, file: usize, report: &mut Report) -> Option<Node> {
    let text = sources.get(file).map_or("", |source| source.text.as_str());
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut usable = true;
    // Where a table is given twice, its keys are not reported again.
    let mut repeated = 0..0;
    for error in &errors {
        let range = error.span().unwrap_or(0..0);
        let span = Span { file, start: range.start, end: range.end };
        let duplicate = error.message().starts_with("duplicate key");
        // A key given twice leaves the rest readable; after other errors the rest would be guesswork.
        usable &= duplicate;
        let mut diagnostic = Diagnostic::error(span, sentence(error.message()));
        if duplicate {
            if repeated.contains(&range.start) {
                continue;
            }
            if let Some(section) = section(text, range.start) {
                repeated = section;
            }
            diagnostic.message = format!("\"{}\" is defined twice", sources.text(span));
            if let Some(first) = first_definition(text, &range) {
                let first = Span { file, start: first.start, end: first.end };
                diagnostic = diagnostic.label("second definition").related(first, "first definition");
            }
        }
        report.push(diagnostic);
    }
    if !usable {
        return None;
    }
    let span = Span { file, start: 0, end: 0 };
    Some(Node { span, value: Value::Table(entries(table.get_ref(), file, text)) })
}

/// Syntax messages of the TOML reader as they stand, or with more said where people stumble.
fn sentence(message: &str) -> String {
    if message == "recursion limit" {
        "tables or arrays are nested too deep".to_owned()
    } else {
        message.to_owned()
    }
}

fn entries(table: &DeTable<'_>, file: usize, text: &str) -> Vec<Entry> {
    let mut list: Vec<Entry> = table
        .iter()
        .map(|(key, value)| {
            let range = key.span();
            Entry {
                key: key.get_ref().to_string(),
                key_span: Span { file, start: range.start, end: range.end },
                node: node(value.get_ref(), value.span(), file, text),
            }
        })
        .collect();
    list.sort_by_key(|entry| entry.key_span.start);
    list
}

fn node(value: &DeValue<'_>, range: std::ops::Range<usize>, file: usize, text: &str) -> Node {
    let value = match value {
        DeValue::String(string) => {
            let inner = text.get(range.start + 1..range.end.saturating_sub(1));
            Value::String { text: string.to_string(), verbatim: inner == Some(string.as_ref()) }
        }
        DeValue::Integer(integer) => Value::Number {
            // Every i64 is finite as f64; what does not fit was refused by the TOML reader or reads as NaN.
            value: i64::from_str_radix(integer.as_str(), integer.radix()).map_or(f64::NAN, |i| i as f64),
            whole: true,
        },
        DeValue::Float(float) => {
            Value::Number { value: float.as_str().parse().unwrap_or(f64::NAN), whole: false }
        }
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(array) => {
            Value::Array(array.iter().map(|item| node(item.get_ref(), item.span(), file, text)).collect())
        }
        DeValue::Table(table) => Value::Table(entries(table, file, text)),
    };
    Node { span: Span { file, start: range.start, end: range.end }, value }
}

/// From a key in a table header to the next header; `None` if the key is not in a header.
fn section(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let line = text.get(..at)?.rfind('\n').map_or(0, |i| i + 1);
    text[line..].trim_start().starts_with('[').then(|| {
        let next = text[at..].find("\n[").map_or(text.len(), |i| at + i + 1);
        at..next
    })
}

/// Where a key that is given twice stands first: the same header, or the same key in the lines before.
fn first_definition(text: &str, second: &std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    let key = text.get(second.clone())?;
    let line_start = text.get(..second.start)?.rfind('\n').map_or(0, |i| i + 1);
    let line = text[line_start..].lines().next()?;
    let header = line.trim_start().starts_with('[');
    let wanted = line.trim();
    let mut end = line_start;
    while end > 0 {
        let start = text[..end - 1].rfind('\n').map_or(0, |i| i + 1);
        let candidate = &text[start..end];
        let trimmed = candidate.trim_start();
        let indent = candidate.len() - trimmed.len();
        if header && trimmed.trim_end() == wanted {
            let at = start + candidate.rfind(key)?;
            return Some(at..at + key.len());
        }
        if !header && trimmed.starts_with(key) && trimmed[key.len()..].trim_start().starts_with('=') {
            return Some(start + indent..start + indent + key.len());
        }
        if !header && trimmed.starts_with('[') {
            return None;
        }
        end = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Node>, Report, Sources) {
        let mut sources = Sources::default();
        let file = sources.add("a.toml", text);
        let mut report = Report::new();
        let node = parse(&sources, file, &mut report);
        (node, report.finished(), sources)
    }

    #[test]
    fn keeps_order_and_places() {
        let (node, report, sources) = read("b = 1\na = \"5 mm\"\n[z.y]\nx = [1.5, true]\n");
        assert!(report.is_empty());
        let node = node.unwrap();
        let keys: Vec<&str> = node.entries().unwrap().iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "z"]);
        let a = &node.get("a").unwrap().node;
        assert_eq!(sources.text(a.span), "\"5 mm\"");
        assert_eq!(sources.text(a.inside(2..4)), "mm");
        let table = &node.get("z").unwrap().node.get("y").unwrap().node;
        assert_eq!(sources.text(table.span), "[z.y]");
    }

    #[test]
    fn escapes_give_the_place_of_the_whole_string() {
        let (node, _, sources) = read("a = \"\\u0035 mm\"\nb = '''x'''\n");
        let node = node.unwrap();
        assert_eq!(sources.text(node.get("a").unwrap().node.inside(0..1)), "\"\\u0035 mm\"");
        assert_eq!(sources.text(node.get("b").unwrap().node.inside(0..1)), "'''x'''");
    }

    #[test]
    fn a_key_given_twice_shows_both_places() {
        let (node, report, sources) = read("[a]\nx = 1\nx = 2\n[b]\n[b]\n");
        assert!(node.is_some());
        let shown: Vec<String> = report
            .iter()
            .map(|d| format!("{} {}", d.message, sources.position(d.related[0].0).line))
            .collect();
        assert_eq!(shown, ["\"x\" is defined twice 2", "\"b\" is defined twice 4"]);
    }

    #[test]
    fn deep_nesting_is_refused() {
        let (node, report, _) = read(&format!("{}a = 1", "a.".repeat(50_000)));
        assert!(node.is_none() && report.has_errors());
        let (node, report, _) = read(&format!("a = {}", "[".repeat(50_000)));
        assert!(node.is_none() && report.has_errors());
    }
}
