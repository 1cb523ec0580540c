//! The texts that a model was read from, and places in them.

use std::ops::Range;
use std::path::{Path, PathBuf};

/// A range of bytes in one of the [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Number of the file.
    pub file: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A part of this span, given in bytes from its start; never larger than the span itself.
    #[must_use]
    pub fn part(self, range: Range<usize>) -> Self {
        let start = self.start.saturating_add(range.start).min(self.end);
        let end = self.start.saturating_add(range.end).clamp(start, self.end);
        Self { file: self.file, start, end }
    }

    /// The bytes of the span.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A text with the path that it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Where it was read, as it was given; relative paths in the file start from its folder.
    pub path: PathBuf,
    /// The text.
    pub text: String,
    /// Whether there is a folder that relative paths start from; a mere text has none.
    pub anchored: bool,
}

/// All texts of a model or study: the file itself and what it includes, in the order of reading.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

/// A place for people: both numbers count from 1, columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl Sources {
    /// Adds a text under a name and returns its number.
    pub fn add(&mut self, name: impl Into<PathBuf>, text: impl Into<String>) -> usize {
        self.files.push(SourceFile { path: name.into(), text: text.into(), anchored: false });
        self.files.len() - 1
    }

    /// Adds the text of a file, or one that stands for a file, and returns its number.
    pub fn add_file(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> usize {
        self.files.push(SourceFile { path: path.into(), text: text.into(), anchored: true });
        self.files.len() - 1
    }

    /// The file with this number.
    pub fn get(&self, file: usize) -> Option<&SourceFile> {
        self.files.get(file)
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether relative paths in a file have a folder to start from.
    pub fn is_anchored(&self, file: usize) -> bool {
        self.get(file).is_some_and(|file| file.anchored)
    }

    /// All files.
    pub fn iter(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The text of a span; empty if the span lies outside its file.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|file| file.text.get(span.range())).unwrap_or("")
    }

    /// Line and column of the start of a span.
    pub fn position(&self, span: Span) -> Position {
        let text = self.get(span.file).map_or("", |file| file.text.as_str());
        let at = floor(text, span.start);
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }

    /// The whole line that holds byte `at` of a file, without its end, and the byte where it begins.
    pub fn line(&self, file: usize, at: usize) -> (&str, usize) {
        let text = self.get(file).map_or("", |file| file.text.as_str());
        let at = floor(text, at);
        let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
        (text[start..end].trim_end_matches('\r'), start)
    }

    /// A path that stands in a file, taken from the folder of that file.
    pub fn resolve(&self, file: usize, path: &str) -> PathBuf {
        let base = self.get(file).and_then(|file| file.path.parent()).unwrap_or(Path::new(""));
        base.join(path)
    }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_anyhow() {
        let mut sources = Sources::default();
        let file = sources.add("a.toml", "x = 1\r\nµ² = 2\n");
        let span = Span { file, start: 12, end: 13 };
        assert_eq!(sources.text(span), "=");
        assert_eq!(sources.position(span), Position { line: 2, column: 4 });
        assert_eq!(sources.line(file, 0), ("x = 1", 0));
        assert_eq!(sources.line(file, 12).0, "µ² = 2");
    }

    #[test]
    fn places_outside_the_text_are_harmless() {
        let mut sources = Sources::default();
        let file = sources.add("a.toml", "µ");
        for span in [Span { file, start: 1, end: 9 }, Span { file: 7, start: 3, end: 2 }] {
            assert_eq!(sources.text(span), "");
            assert_eq!(sources.position(span).line, 1);
            let _ = sources.line(span.file, span.start);
        }
        assert_eq!(Span { file, start: 2, end: 5 }.part(7..9), Span { file, start: 5, end: 5 });
    }
}
