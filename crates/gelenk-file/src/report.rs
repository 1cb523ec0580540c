//! What is wrong with a file: all findings at once, each with its place and the way out.

use crate::source::{Sources, Span};
use std::fmt::Write as _;

/// How grave a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably says something that was not meant.
    Warning,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// What is underlined.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What stands under the underlined word; may be empty.
    pub label: String,
    /// The way out.
    pub help: Option<String>,
    /// Other places that matter, each with a remark.
    pub related: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            span,
            message: message.into(),
            label: String::new(),
            help: None,
            related: Vec::new(),
        }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// The same with a remark under the underlined word.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with the way out, if there is one.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// The same with the word that was probably meant, if there is one.
    #[must_use]
    pub fn meant(self, word: Option<&str>) -> Self {
        match word {
            Some(word) => self.help(format!("did you mean \"{word}\"?")),
            None => self,
        }
    }

    /// The same with another place.
    #[must_use]
    pub fn related(mut self, span: Span, remark: impl Into<String>) -> Self {
        self.related.push((span, remark.into()));
        self
    }
}

/// A list of findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    list: Vec<Diagnostic>,
    /// Warnings in the list.
    warnings: usize,
    left_out: usize,
}

/// Findings kept at most; who has more than that repairs these first.
const MOST: usize = 100;
/// Errors, and as many warnings, collected before sorting; bounds the memory that a hostile file can ask for.
const COLLECTED: usize = 10_000;
/// Characters of a line that are shown on each side of the underlined word.
const SHOWN: usize = 100;

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        // Warnings have a place of their own: however many there are, they never keep out an error.
        let warning = diagnostic.severity == Severity::Warning;
        let alike = if warning { self.warnings } else { self.list.len() - self.warnings };
        if alike < COLLECTED {
            self.list.push(diagnostic);
            self.warnings += usize::from(warning);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds all findings of another report.
    pub fn append(&mut self, other: Report) {
        self.left_out += other.left_out;
        other.list.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// The report with every finding changed by `change`, or left out where that gives none.
    #[must_use]
    pub fn map(self, change: impl FnMut(Diagnostic) -> Option<Diagnostic>) -> Self {
        let mut report = Self { left_out: self.left_out, ..Self::default() };
        self.list.into_iter().filter_map(change).for_each(|diagnostic| report.push(diagnostic));
        report
    }

    /// The findings.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Number of findings that are listed.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether the file cannot be used.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Number of findings that were left out because there were too many.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Sorts by file and place, merges repetitions and keeps the first hundred; errors before warnings.
    #[must_use]
    pub fn finished(mut self) -> Self {
        let by_place = |a: &Diagnostic, b: &Diagnostic| {
            (a.span, a.severity, &a.message).cmp(&(b.span, b.severity, &b.message))
        };
        self.list.sort_by(by_place);
        self.list.dedup();
        if self.list.len() > MOST {
            self.left_out += self.list.len() - MOST;
            // A file whose errors were cut off would pass for a right one.
            self.list.sort_by_key(|diagnostic| diagnostic.severity);
            self.list.truncate(MOST);
            self.list.sort_by(by_place);
        }
        self.warnings = self.list.iter().filter(|d| d.severity == Severity::Warning).count();
        self
    }

    /// The report as plain text, without colours:
    ///
    /// ```text
    /// error: unknown key "simga0"
    ///  --> pendulum.toml:12:48
    ///    |
    /// 12 | friction = { law = "lugre", simga0 = 2400 }
    ///    |                             ^^^^^^ not a parameter of the law "lugre"
    ///    = help: did you mean "sigma0"?
    /// ```
    pub fn render(&self, sources: &Sources) -> String {
        self.render_with(sources, &|path| path.display().to_string())
    }

    /// [`Report::render`] with paths written by `name`.
    pub fn render_with(&self, sources: &Sources, name: &dyn Fn(&std::path::Path) -> String) -> String {
        let mut text = String::new();
        for (i, diagnostic) in self.list.iter().enumerate() {
            if i > 0 {
                text.push('\n');
            }
            render_one(&mut text, diagnostic, sources, name);
        }
        if self.left_out > 0 {
            let _ = writeln!(text, "\n... and {} more", self.left_out);
        }
        text
    }
}

fn render_one(
    out: &mut String,
    diagnostic: &Diagnostic,
    sources: &Sources,
    name: &dyn Fn(&std::path::Path) -> String,
) {
    let title = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{title}: {}", diagnostic.message);
    let places = std::iter::once((diagnostic.span, diagnostic.label.as_str(), '^'))
        .chain(diagnostic.related.iter().map(|(span, remark)| (*span, remark.as_str(), '-')));
    let width =
        places.clone().map(|(span, ..)| sources.position(span).line.to_string().len()).max().unwrap_or(1);
    for (i, (span, label, mark)) in places.enumerate() {
        let position = sources.position(span);
        let path = sources.get(span.file).map_or_else(String::new, |file| name(&file.path));
        let arrow = if i == 0 { "-->" } else { ":::" };
        let _ = writeln!(out, "{:width$}{arrow} {path}:{}:{}", "", position.line, position.column);
        // A file that cannot be read, or is empty, has no line to show.
        if label.is_empty() && sources.get(span.file).is_some_and(|file| file.text.is_empty()) {
            continue;
        }
        let (line, marks) = excerpt(sources, span, mark);
        let _ = writeln!(out, "{:width$} |", "");
        let _ = writeln!(out, "{:>width$} | {line}", position.line);
        let _ = writeln!(out, "{}", format!("{:width$} | {marks} {label}", "").trim_end());
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "{:width$} = help: {help}", "");
    }
}

/// The line of a span and the marks under it; tabs become spaces, long lines are cut around the span.
fn excerpt(sources: &Sources, span: Span, mark: char) -> (String, String) {
    let (line, line_start) = sources.line(span.file, span.start);
    let column = |byte: usize| {
        let at = byte.saturating_sub(line_start);
        line.char_indices().take_while(|(i, _)| *i < at).count()
    };
    let (from, to) = (column(span.start), column(span.end));
    let first = from.saturating_sub(SHOWN);
    let last = to.min(from + SHOWN) + SHOWN;
    let (mut shown, mut marks) = (String::new(), String::new());
    if first > 0 {
        shown.push_str("...");
        marks.push_str("   ");
    }
    let mut length = 0;
    for (i, c) in line.chars().enumerate() {
        if i >= last {
            shown.push_str("...");
            break;
        }
        length = i + 1;
        if i < first {
            continue;
        }
        let cells = match c {
            '\t' => {
                shown.push_str("    ");
                4
            }
            c if c.is_control() => {
                shown.push('\u{fffd}');
                1
            }
            c => {
                shown.push(c);
                cells(c)
            }
        };
        let sign = if i < from {
            ' '
        } else if i < to {
            mark
        } else {
            continue;
        };
        (0..cells).for_each(|_| marks.push(sign));
    }
    // An empty span, or one at the end of the line, still shows one mark.
    if to <= from || from >= length {
        marks.push(mark);
    }
    (shown, marks)
}

/// Columns that a character takes on a terminal: none for combining marks, two for wide East Asian ones.
fn cells(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe4f => 2,
        0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_place_excerpt_mark_and_help() {
        let mut sources = Sources::default();
        let file = sources.add("a.toml", "x = 1\n\tmü = 2\n");
        let mut report = Report::new();
        report.push(
            Diagnostic::error(Span { file, start: 7, end: 10 }, "unknown key \"mü\"")
                .label("not known")
                .meant(Some("mu"))
                .related(Span { file, start: 0, end: 1 }, "first here"),
        );
        let expected = "\
error: unknown key \"mü\"
 --> a.toml:2:2
  |
2 |     mü = 2
  |     ^^ not known
 ::: a.toml:1:1
  |
1 | x = 1
  | - first here
  = help: did you mean \"mu\"?
";
        assert_eq!(report.finished().render(&sources), expected);
    }

    #[test]
    fn repetitions_merge_and_the_list_ends() {
        let mut report = Report::new();
        for i in 0..250 {
            report.push(Diagnostic::error(Span { file: 0, start: 300 - i, end: 301 }, "wrong"));
            report.push(Diagnostic::error(Span { file: 0, start: 0, end: 1 }, "same"));
        }
        let report = report.finished();
        assert_eq!((report.len(), report.left_out()), (100, 151));
        assert_eq!(report.iter().next().map(|d| d.message.as_str()), Some("same"));
        assert!(report.render(&Sources::default()).contains("... and 151 more"));
    }

    #[test]
    fn no_number_of_warnings_hides_an_error() {
        let at = |start: usize| Span { file: 0, start, end: start + 1 };
        for number in [MOST, COLLECTED + 1] {
            let mut report = Report::new();
            (0..number).for_each(|i| report.push(Diagnostic::warning(at(i), "odd")));
            report.push(Diagnostic::error(at(number), "wrong"));
            let report = report.finished();
            assert!(report.has_errors(), "{number} warnings");
            assert_eq!((report.len(), report.left_out()), (MOST, number + 1 - MOST));
            assert_eq!(report.iter().last().map(|d| d.message.as_str()), Some("wrong"));
        }
    }

    #[test]
    fn very_long_lines_are_cut_around_the_mark() {
        let mut sources = Sources::default();
        let file = sources.add("a.toml", format!("{}X{}", "a".repeat(5000), "b".repeat(5000)));
        let mut report = Report::new();
        report.push(Diagnostic::error(Span { file, start: 5000, end: 5001 }, "here"));
        let text = report.render(&sources);
        assert!(text.len() < 1000);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[3].find('X'), lines[4].find('^'));
    }
}
