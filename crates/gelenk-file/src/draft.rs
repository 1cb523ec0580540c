//! Documents made in code: written as a person would write them, and read without parsing the text again.

use crate::document::{Entry, Node, Value};
use crate::source::Span;
use std::fmt::Write as _;

/// A document made in code.
///
/// ```
/// use gelenk_file::document::Value;
/// use gelenk_file::draft::{Draft, Section};
///
/// let mut draft = Draft::default();
/// draft.remarks.push("Made in code.".to_owned());
/// draft.root.key("schema", 1.0);
/// let mut knee = Section::new(&["joints", "knee"]);
/// knee.remark("of the left leg");
/// knee.key("axis", vec![0.0.into(), 1.0.into(), 0.0.into()]);
/// knee.key("spring", Value::table([("stiffness", 0.5.into())]));
/// draft.sections.push(knee);
/// let text = "# Made in code.\n\nschema = 1\n\n[joints.knee]  # of the left leg\n\
///             axis   = [0, 1, 0]\nspring = { stiffness = 0.5 }\n";
/// assert_eq!(draft.text(), text);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Draft {
    /// Lines in front of everything, written as comments.
    pub remarks: Vec<String>,
    /// Keys before the first header.
    pub root: Section,
    /// Tables with headers, in their order.
    pub sections: Vec<Section>,
}

/// A table with a header and its keys in a column.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Section {
    path: Vec<String>,
    remarks: Vec<String>,
    entries: Vec<Entry>,
}

impl Section {
    /// An empty table with the keys of its header.
    pub fn new(path: &[&str]) -> Self {
        let path = path.iter().map(|&key| key.to_owned()).collect();
        Self { path, ..Self::default() }
    }

    /// Adds a remark, which is written behind the header.
    pub fn remark(&mut self, remark: impl Into<String>) {
        self.remarks.push(remark.into());
    }

    /// Whether it has no keys.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a key that the table has not yet.
    pub fn key(&mut self, key: &str, value: impl Into<Value>) {
        self.entries.push(entry(key, value.into()));
    }
}

impl Draft {
    /// The document as the text of a file.
    pub fn text(&self) -> String {
        self.written(0).0
    }

    /// The document with everything in it at one place: that of what it was made for in a file of the user's.
    pub fn at(&self, span: Span) -> Node {
        let mut node = self.written(span.file).1;
        crate::table::place(&mut node, span);
        node
    }

    /// The text, and the document that it stands for with the places in it, if it is file number `file`.
    pub fn written(&self, file: usize) -> (String, Node) {
        let mut writer = Writer { file, text: String::new() };
        for remark in &self.remarks {
            let line = format!("# {remark}");
            writer.text.push_str(line.trim_end());
            writer.text.push('\n');
        }
        let span = Span { file, start: 0, end: 0 };
        let mut root = Node { span, value: Value::Table(Vec::new()) };
        for section in std::iter::once(&self.root).chain(&self.sections) {
            writer.section(section, &mut root);
        }
        (writer.text, root)
    }
}

impl Value {
    /// A table in one line.
    pub fn table<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Table(entries.into_iter().map(|(key, value)| entry(key, value)).collect())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        // There is only one zero.
        Self::Number { value: value + 0.0, whole: is_whole(value) }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String { text: text.to_owned(), verbatim: escaped(text) == text }
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::Array(items.into_iter().map(nowhere).collect())
    }
}

fn nowhere(value: Value) -> Node {
    Node { span: Span::default(), value }
}

fn entry(key: &str, value: Value) -> Entry {
    Entry { key: key.to_owned(), key_span: Span::default(), node: nowhere(value) }
}

struct Writer {
    file: usize,
    text: String,
}

impl Writer {
    /// Writes with `action`; the place of what it wrote.
    fn place(&mut self, action: impl FnOnce(&mut Self)) -> Span {
        let start = self.text.len();
        action(self);
        Span { file: self.file, start, end: self.text.len() }
    }

    fn word(&mut self, word: &str) -> Span {
        self.place(|writer| writer.text.push_str(word))
    }

    fn section(&mut self, section: &Section, root: &mut Node) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let mut keys = Vec::new();
        let header = self.place(|writer| {
            for (k, name) in section.path.iter().enumerate() {
                writer.text.push(if k == 0 { '[' } else { '.' });
                keys.push((name, writer.word(&key(name))));
            }
            if !section.path.is_empty() {
                writer.text.push(']');
            }
        });
        if !section.path.is_empty() {
            let remarks = section.remarks.join("; ");
            // Writing to a string cannot fail.
            let _ = match remarks.as_str() {
                "" => writeln!(self.text),
                remarks => writeln!(self.text, "  # {remarks}"),
            };
        }
        let width = section.entries.iter().map(|entry| key(&entry.key).len()).max().unwrap_or(0);
        let entries: Vec<Entry> = section
            .entries
            .iter()
            .map(|entry| {
                let key_span = self.word(&key(&entry.key));
                let padding = width - (key_span.end - key_span.start);
                let _ = write!(self.text, "{:padding$} = ", "");
                let node = self.value(&entry.node.value);
                self.text.push('\n');
                Entry { key: entry.key.clone(), key_span, node }
            })
            .collect();
        if let Some(table) = inside(root, &keys, header) {
            table.extend(entries);
        }
    }

    fn value(&mut self, value: &Value) -> Node {
        let start = self.text.len();
        let value = match value {
            Value::String { text, .. } => {
                let written = escaped(text);
                let _ = write!(self.text, "\"{written}\"");
                Value::String { text: text.clone(), verbatim: written == *text }
            }
            Value::Number { value, whole } => {
                self.text.push_str(&number(*value));
                Value::Number { value: *value, whole: *whole }
            }
            Value::Boolean(value) => {
                let _ = write!(self.text, "{value}");
                Value::Boolean(*value)
            }
            // A date is read where no field takes one, and nobody makes one in code.
            Value::Date => Value::Date,
            Value::Array(items) => {
                self.text.push('[');
                let items = items.iter().enumerate().map(|(k, item)| {
                    self.text.push_str(if k > 0 { ", " } else { "" });
                    self.value(&item.value)
                });
                let items = items.collect();
                self.text.push(']');
                Value::Array(items)
            }
            Value::Table(entries) => {
                self.text.push('{');
                let entries = entries.iter().enumerate().map(|(k, entry)| {
                    self.text.push_str(if k > 0 { ", " } else { " " });
                    let key_span = self.word(&key(&entry.key));
                    self.text.push_str(" = ");
                    Entry { key: entry.key.clone(), key_span, node: self.value(&entry.node.value) }
                });
                let entries: Vec<Entry> = entries.collect();
                self.text.push_str(if entries.is_empty() { "}" } else { " }" });
                Value::Table(entries)
            }
        };
        Node { span: Span { file: self.file, start, end: self.text.len() }, value }
    }
}

/// The table under these keys, made where there is none; `None` if a key holds something else.
fn inside<'n>(node: &'n mut Node, keys: &[(&String, Span)], header: Span) -> Option<&'n mut Vec<Entry>> {
    let Value::Table(entries) = &mut node.value else { return None };
    let Some(((name, span), rest)) = keys.split_first() else { return Some(entries) };
    let place = match entries.iter().position(|entry| entry.key == **name) {
        Some(place) => place,
        None => {
            // A table that only others' headers name stands at its key.
            let place = if rest.is_empty() { header } else { *span };
            let node = Node { span: place, value: Value::Table(Vec::new()) };
            entries.push(Entry { key: (*name).clone(), key_span: *span, node });
            entries.len() - 1
        }
    };
    inside(&mut entries.get_mut(place)?.node, rest, header)
}

fn is_whole(x: f64) -> bool {
    x == x.trunc() && x.abs() < 1e15
}

/// The shortest decimal number that reads as the same value.
pub fn number(x: f64) -> String {
    // Whole numbers stay whole, and there is only one zero.
    if is_whole(x) {
        return format!("{}", x as i64);
    }
    format!("{x:?}")
}

/// A TOML string with its quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A key, in quotes where it needs them.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(escaped, "\\u{:04X}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;
    use crate::report::Report;
    use crate::source::Sources;

    #[test]
    fn numbers_are_short_and_read_back_exactly() {
        let written = [0.0, -0.0, 2.0, -9.81, 1e-7, 1e300, 0.1 + 0.2, 123_456_789.0].map(number);
        assert_eq!(
            written,
            ["0", "0", "2", "-9.81", "1e-7", "1e300", "0.30000000000000004", "123456789"].map(String::from)
        );
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"b\\c\n\u{7f}"), "\"a\\\"b\\\\c\\u000A\\u007F\"");
    }

    /// The document with its places is what the reader of TOML finds in the text.
    #[test]
    fn what_is_written_is_what_would_be_read() {
        let mut draft = Draft { remarks: vec!["a".to_owned(), String::new()], ..Draft::default() };
        draft.root.key("schema", 1.0);
        draft.root.key("a b", "x\ty");
        for name in ["one", "two", "ö.3"] {
            let mut section = Section::new(&["tables", name]);
            section.remark("first");
            section.remark("second");
            let list = vec![(-0.0).into(), 1e300.into(), "5 mm".into(), Value::Boolean(true)];
            section.key("list", list);
            section.key("longer", Value::table([("x", 0.25.into()), ("y", Value::table([]))]));
            draft.sections.push(section);
        }
        let (text, node) = draft.written(0);
        let mut sources = Sources::default();
        let file = sources.add("a.toml", text.as_str());
        let mut report = Report::new();
        let read = parse(&sources, file, &mut report).unwrap();
        assert!(report.is_empty(), "{text}");
        assert_eq!(node, read, "{text}");
    }
}
