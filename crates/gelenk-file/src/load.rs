//! Files with what they include, read to values.

use crate::document::{self, Entry, Node, Value};
use crate::draft::Draft;
use crate::fields::Version;
use crate::read::{Read, Reader};
use crate::report::{Diagnostic, Report};
use crate::source::{Sources, Span};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that was read and found right; `R` is what its check found out and others use.
#[derive(Clone, PartialEq, Debug)]
pub struct Loaded<T, R = ()> {
    /// What it says.
    pub file: T,
    /// What its check found out.
    pub resolved: R,
    /// The texts it was read from.
    pub sources: Sources,
    /// What is probably not meant so.
    pub warnings: Report,
}

/// A file that cannot be used, with all reasons.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{}", .report.render(.sources).trim_end())]
pub struct Failure {
    /// The reasons.
    pub report: Report,
    /// The texts they refer to.
    pub sources: Sources,
}

/// Largest file that is read.
const LARGEST: u64 = 16 << 20;
/// Files that one file may include, all told.
const MOST_FILES: usize = 64;

/// Where the first text comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// A file.
    File(&'a Path),
    /// A text. Paths inside it start from `base`; without one, includes are refused.
    Text {
        /// The text.
        text: &'a str,
        /// The folder that relative paths start from.
        base: Option<&'a Path>,
        /// The name of the text in messages.
        name: &'a str,
    },
    /// A document made in code; paths inside it as in a text.
    Draft {
        /// The document.
        draft: &'a Draft,
        /// The folder that relative paths start from.
        base: Option<&'a Path>,
        /// The name of its text in messages.
        name: &'a str,
    },
}

/// Reads a value from a text that includes no files.
///
/// # Errors
/// All findings at once: syntax, unknown and missing keys, wrong types.
pub fn parse<T: Read>(text: &str, name: &str) -> Result<Loaded<T>, Failure> {
    let mut loader = Loader::default();
    let value = loader.read(Origin::Text { text, base: None, name });
    loader.finish(value)
}

/// Reads files and what they include, and collects texts and findings.
#[derive(Default)]
pub struct Loader {
    /// The texts that were read.
    pub sources: Sources,
    /// What was found.
    pub report: Report,
    /// Files that are being read: the chain of includes, and others that [`Loader::enter`] has been given.
    open: Vec<PathBuf>,
    /// How many of them are open around the file that is being read as if it were alone.
    around: usize,
    /// Files that were read; one that is included on two ways counts once.
    done: Vec<PathBuf>,
    /// Keys of earlier versions and what they are called now; an old one is refused with the new one suggested.
    pub renamed: &'static [(&'static str, &'static str)],
}

/// What waits while a file is read as if it were alone.
pub struct Around {
    report: Report,
    done: Vec<PathBuf>,
    around: usize,
}

impl Loader {
    /// Reads a value from its first text.
    pub fn read<T: Read>(&mut self, origin: Origin<'_>) -> Option<T> {
        let entries = match origin {
            Origin::File(path) => self.file(path, None),
            Origin::Text { text, base, name } => {
                let file = self.add(name, base, text);
                document::parse(&self.sources, file, &mut self.report)
                    .and_then(|node| self.document(node, file, base.is_some()))
            }
            Origin::Draft { draft, base, name } => {
                let (text, node) = draft.written(self.sources.len());
                let file = self.add(name, base, &text);
                self.document(node, file, base.is_some())
            }
        };
        let span = Span { file: 0, start: 0, end: 0 };
        let node = Node { span, value: Value::Table(entries?) };
        T::read(&node, &mut self.reader())
    }

    /// A reader of a value of these files.
    pub fn reader(&mut self) -> Reader<'_> {
        Reader::new(&mut self.report).with_renamed(self.renamed)
    }

    /// The value with its texts, or all that is wrong.
    ///
    /// # Errors
    /// The findings, if there is an error among them or no value.
    pub fn finish<T>(self, value: Option<T>) -> Result<Loaded<T>, Failure> {
        self.finish_with(value.map(|file| (file, ())))
    }

    /// The same with what the check of the value found out.
    ///
    /// # Errors
    /// The findings, where errors are among them.
    pub fn finish_with<T, R>(self, value: Option<(T, R)>) -> Result<Loaded<T, R>, Failure> {
        let Self { sources, report, .. } = self;
        let report = report.finished();
        match value {
            Some((file, resolved)) if !report.has_errors() => {
                Ok(Loaded { file, resolved, sources, warnings: report })
            }
            _ => Err(Failure { report, sources }),
        }
    }

    /// From here on what is read belongs to a file: one that names it again makes a circle.
    pub fn enter(&mut self, path: &Path) {
        self.open.push(identity(path));
    }

    /// Ends what [`Loader::enter`] began.
    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// From here on files are read as if they were alone, but for the chain of files around them.
    pub fn set_apart(&mut self) -> Around {
        let report = std::mem::take(&mut self.report);
        let done = std::mem::take(&mut self.done);
        Around { report, done, around: std::mem::replace(&mut self.around, self.open.len()) }
    }

    /// Ends what [`Loader::set_apart`] began; what was found since.
    pub fn rejoin(&mut self, around: Around) -> Report {
        self.around = around.around;
        self.done = around.done;
        std::mem::replace(&mut self.report, around.report)
    }

    /// Reads a file and what it includes; `from` is the place that includes it.
    pub fn file(&mut self, path: &Path, from: Option<Span>) -> Option<Vec<Entry>> {
        let identity = identity(path);
        if let Some(first) = self.open.iter().position(|open| *open == identity) {
            let chain: Vec<String> =
                self.open[first..].iter().chain([&identity]).map(|path| short(path)).collect();
            self.complain(path, from, format!("files include each other: {}", chain.join(" -> ")));
            return None;
        }
        if self.done.contains(&identity) {
            return Some(Vec::new());
        }
        if self.sources.len() >= MOST_FILES {
            self.complain(path, from, format!("the model has more than {MOST_FILES} files"));
            return None;
        }
        let text = match read_text(path) {
            Ok(text) => text,
            Err(reason) => {
                let shown =
                    from.map_or_else(|| path.display().to_string(), |span| unquoted(self.sources.text(span)));
                self.complain(path, from, format!("\"{shown}\" cannot be read: {reason}"));
                return None;
            }
        };
        let file = self.sources.add_file(path, text);
        self.open.push(identity);
        let entries = document::parse(&self.sources, file, &mut self.report)
            .and_then(|node| self.document(node, file, true));
        self.done.extend(self.open.pop());
        entries
    }

    fn add(&mut self, name: &str, base: Option<&Path>, text: &str) -> usize {
        match base {
            Some(folder) => self.sources.add_file(folder.join(name), text),
            None => self.sources.add(name, text),
        }
    }

    fn complain(&mut self, path: &Path, from: Option<Span>, message: String) {
        let span = from.unwrap_or_else(|| {
            // The file itself has no text to point at; its name is all there is to show.
            let file = self.sources.add(path, "");
            Span { file, start: 0, end: 0 }
        });
        self.report.push(Diagnostic::error(span, message));
    }

    /// The entries of a file with those of its includes before them.
    fn document(&mut self, node: Node, file: usize, includes: bool) -> Option<Vec<Entry>> {
        let Value::Table(own) = node.value else { return None };
        let mut merged: Vec<Entry> = Vec::new();
        let mut complete = true;
        for entry in own.iter().filter(|entry| entry.key == "include") {
            let Value::Array(items) = &entry.node.value else { continue };
            for item in items {
                // Entries of a wrong type are reported where the table is read.
                let Value::String { text, .. } = &item.value else { continue };
                if !includes {
                    let message = "a text without a folder cannot include files";
                    self.report.push(Diagnostic::error(item.span, message));
                    continue;
                }
                let path = self.sources.resolve(file, text);
                match self.file(&path, Some(item.span)) {
                    Some(entries) => self.merge(&mut merged, included(entries)),
                    None => complete = false,
                }
            }
        }
        if self.open.len() > self.around + 1 {
            self.check_version(&own, file);
        }
        self.merge(&mut merged, own);
        complete.then_some(merged)
    }

    /// An included file states its version like any other.
    fn check_version(&mut self, own: &[Entry], file: usize) {
        let mut reader = Reader::new(&mut self.report);
        match own.iter().find(|entry| entry.key == "schema") {
            Some(entry) => {
                reader.within("schema", |reader| Version::read(&entry.node, reader));
            }
            None => {
                let span = Span { file, start: 0, end: 0 };
                reader.push(Diagnostic::error(span, "an included file needs the key \"schema\""));
            }
        }
    }

    /// Adds entries; tables are merged by their names, anything else may be given only once.
    fn merge(&mut self, merged: &mut Vec<Entry>, entries: Vec<Entry>) {
        for entry in entries {
            let Some(known) = merged.iter_mut().find(|known| known.key == entry.key) else {
                merged.push(entry);
                continue;
            };
            match (&mut known.node.value, entry.node.value) {
                (Value::Table(first), Value::Table(second)) => {
                    for item in second {
                        match first.iter().find(|other| other.key == item.key) {
                            None => first.push(item),
                            Some(other) => self.report.push(twice(&item, other)),
                        }
                    }
                }
                (_, value) => {
                    let item = Entry { node: Node { value, ..entry.node }, ..entry };
                    self.report.push(twice(&item, known));
                }
            }
        }
    }
}

fn twice(second: &Entry, first: &Entry) -> Diagnostic {
    Diagnostic::error(second.key_span, format!("\"{}\" is defined twice", second.key))
        .label("second definition")
        .related(first.key_span, "first definition")
}

/// What an included file gives: everything but what belongs to itself.
fn included(entries: Vec<Entry>) -> Vec<Entry> {
    entries.into_iter().filter(|e| !matches!(e.key.as_str(), "schema" | "title" | "include")).collect()
}

/// A path as the file writes it, without its quotes.
fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'']).to_owned()
}

fn short(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A file whatever way leads to it.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Reads a regular file of sensible size as UTF-8.
///
/// # Errors
/// Why it cannot be read, as the end of a sentence.
pub fn read_text(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| reason(&error))?;
    if facts.is_dir() {
        return Err(folder(path));
    }
    if !facts.is_file() {
        return Err("it is not a file".to_owned());
    }
    if facts.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    let bytes = std::fs::read(path).map_err(|error| reason(&error))?;
    String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned())
}

/// Says that a path is a folder, with the first file in it that could be meant.
fn folder(path: &Path) -> String {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        entries.filter(|file| file.extension().is_some_and(|extension| extension == "toml")).collect();
    // A model before others, then by name.
    files.sort_by_key(|file| (file.file_stem().is_none_or(|stem| stem != "model"), file.clone()));
    match files.first() {
        Some(file) => format!("it is a folder; name a file in it, such as {}", file.display()),
        None => "it is a folder".to_owned(),
    }
}

/// Why a file cannot be read, without the number of the operating system.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        _ => error.to_string(),
    }
}
