//! Files to checked descriptions: reading, including, checking.

use crate::case_file::CaseFile;
use crate::document::{self, Entry, Node, Value};
use crate::fields::Version;
use crate::model_file::ModelFile;
use crate::parts;
use crate::read::{Definitions, Read, Reader, Text};
use crate::report::{Diagnostic, Report, Severity};
use crate::source::{Sources, Span};
use crate::study_file::StudyFile;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that was read and found right.
#[derive(Clone, PartialEq, Debug)]
pub struct Loaded<T> {
    /// What it says.
    pub file: T,
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

/// Reads and checks a model file.
///
/// # Errors
/// All findings at once: unreadable files, syntax, unknown and missing keys, wrong types, units, names,
/// topology and ranges.
pub fn load_model(path: impl AsRef<Path>) -> Result<Loaded<ModelFile>, Failure> {
    load(Origin::File(path.as_ref()), Loader::join_parts, crate::check::check_model)
}

/// Reads and checks a model from a text. Paths inside it start from `base`; without one, includes are refused.
///
/// # Errors
/// As [`load_model`].
pub fn parse_model(text: &str, base: Option<&Path>) -> Result<Loaded<ModelFile>, Failure> {
    load(Origin::Text { text, base, name: "model.toml" }, Loader::join_parts, crate::check::check_model)
}

/// Reads and checks a study file; the model that it names is not read.
///
/// # Errors
/// As [`load_model`].
pub fn load_study(path: impl AsRef<Path>) -> Result<Loaded<StudyFile>, Failure> {
    load(Origin::File(path.as_ref()), no_parts, |study, _, report| crate::study_file::check(study, report))
}

/// Reads and checks a study from a text.
///
/// # Errors
/// As [`load_model`].
pub fn parse_study(text: &str, base: Option<&Path>) -> Result<Loaded<StudyFile>, Failure> {
    let origin = Origin::Text { text, base, name: "study.toml" };
    load(origin, no_parts, |study, _, report| crate::study_file::check(study, report))
}

/// Reads and checks a case file; the model or study that it names is not read.
///
/// # Errors
/// As [`load_model`].
pub fn load_case(path: impl AsRef<Path>) -> Result<Loaded<CaseFile>, Failure> {
    load(Origin::File(path.as_ref()), no_parts, |case, _, report| crate::case_file::check(case, report))
}

/// What a file of the family is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A model.
    Model,
    /// A study, which has a `kind`.
    Study,
    /// A case, which has an `expect`.
    Case,
}

/// Tells by its keys what a file is; a file that cannot be read counts as a model, whose reader says why.
pub fn file_kind(path: impl AsRef<Path>) -> FileKind {
    let mut sources = Sources::default();
    let Ok(text) = read_text(path.as_ref()) else { return FileKind::Model };
    let file = sources.add(path.as_ref(), text);
    match document::parse(&sources, file, &mut Report::new()) {
        Some(node) if node.get("kind").is_some() => FileKind::Study,
        Some(node) if node.get("expect").is_some() => FileKind::Case,
        _ => FileKind::Model,
    }
}

/// JSON Schema (draft 2020-12) of case files.
pub fn case_schema() -> serde_json::Value {
    Definitions::document::<CaseFile>("Gelenk case, schema 1")
}

/// JSON Schema (draft 2020-12) of model files.
pub fn model_schema() -> serde_json::Value {
    Definitions::document::<ModelFile>("Gelenk model, schema 1")
}

/// JSON Schema (draft 2020-12) of study files.
pub fn study_schema() -> serde_json::Value {
    Definitions::document::<StudyFile>("Gelenk study, schema 1")
}

/// Where the first text comes from.
enum Origin<'a> {
    File(&'a Path),
    Text { text: &'a str, base: Option<&'a Path>, name: &'a str },
}

fn load<T: Read>(
    origin: Origin<'_>,
    complete: impl FnOnce(&mut Loader, &mut T),
    check: impl FnOnce(&T, &Sources, &mut Report),
) -> Result<Loaded<T>, Failure> {
    let mut loader = Loader::default();
    let entries = match origin {
        Origin::File(path) => loader.file(path, None),
        Origin::Text { text, base, name } => {
            let file = match base {
                Some(folder) => loader.sources.add_file(folder.join(name), text),
                None => loader.sources.add(name, text),
            };
            loader.document(file, base.is_some())
        }
    };
    let mut value = entries.and_then(|entries| {
        let span = Span { file: 0, start: 0, end: 0 };
        T::read(&Node { span, value: Value::Table(entries) }, &mut Reader::new(&mut loader.report))
    });
    if let Some(value) = &mut value {
        // The file that is read stands at the head of a circle of parts.
        if let Origin::File(path) = origin {
            loader.open.push(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        }
        complete(&mut loader, value);
    }
    let Loader { sources, mut report, uses, lacking, .. } = loader;
    // Where a part is missing, names of it would be complained about everywhere.
    if let Some(value) = value.as_ref().filter(|_| !lacking) {
        let told = report.len();
        check(value, &sources, &mut report);
        report = tell_uses(report, told, &uses);
    }
    let report = report.finished();
    match value {
        Some(file) if !report.has_errors() => Ok(Loaded { file, sources, warnings: report }),
        _ => Err(Failure { report, sources }),
    }
}

/// Studies and cases have no parts.
fn no_parts<T>(_: &mut Loader, _: &mut T) {}

/// Findings after the first `told` in files of parts, which were found right by themselves: an error says which parts use
/// the file, and what is only probably not meant was told already.
fn tell_uses(report: Report, told: usize, uses: &[(usize, Span, String)]) -> Report {
    let mut seen = 0;
    report.map(|diagnostic| {
        let file = diagnostic.span.file;
        seen += 1;
        if seen <= told || uses.iter().all(|(used, ..)| *used != file) {
            return Some(diagnostic);
        }
        let of_file = uses.iter().filter(|(used, ..)| *used == file).take(2);
        (diagnostic.severity == Severity::Error).then(|| {
            of_file.fold(diagnostic, |diagnostic, (_, span, name)| {
                diagnostic.related(*span, format!("as part \"{name}\""))
            })
        })
    })
}

#[derive(Default)]
struct Loader {
    sources: Sources,
    report: Report,
    /// Files that are being read: the chain of includes and parts.
    open: Vec<PathBuf>,
    /// How many of them are open around the model that is being read, which may be a part.
    around: usize,
    /// Files that were read; one that is included on two ways counts once.
    done: Vec<PathBuf>,
    /// Files of parts that were read, with what they say where they are right.
    parts: Vec<(PathBuf, Option<ModelFile>)>,
    /// Whether a part could not be joined.
    lacking: bool,
    /// Files that parts brought, each with the place and the name of a part.
    uses: Vec<(usize, Span, String)>,
}

impl Loader {
    /// Reads a file and what it includes; `from` is the place that includes it.
    fn file(&mut self, path: &Path, from: Option<Span>) -> Option<Vec<Entry>> {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some(first) = self.open.iter().position(|open| *open == identity) {
            let chain: Vec<String> =
                self.open[first..].iter().chain([&identity]).map(|path| short(path)).collect();
            self.complain(path, from, format!("files use each other: {}", chain.join(" -> ")));
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
        let entries = self.document(file, true);
        self.done.extend(self.open.pop());
        entries
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
    fn document(&mut self, file: usize, includes: bool) -> Option<Vec<Entry>> {
        let node = document::parse(&self.sources, file, &mut self.report)?;
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

/// Entries of a model at most; parts of parts of parts would fill any memory.
const MOST_ENTRIES: usize = 100_000;

impl Loader {
    /// Reads the parts of a model and puts them into it.
    fn join_parts(&mut self, model: &mut ModelFile) {
        let parts = model.parts.clone();
        self.lacking |= !parts.broken.is_empty();
        for (name, part) in parts.iter() {
            let place = part.file.span;
            if !self.sources.is_anchored(place.file) {
                let message = "a text without a folder cannot have parts in files";
                self.report.push(Diagnostic::error(place, message));
                self.lacking = true;
                continue;
            }
            let path = self.sources.resolve(place.file, &part.file);
            let Some(content) = self.part(&path, name, place) else {
                self.lacking = true;
                continue;
            };
            if parts::size(model).saturating_add(parts::size(&content)) > MOST_ENTRIES {
                let message = format!("with this part the model has more than {MOST_ENTRIES} entries");
                self.report.push(Diagnostic::error(place, message));
                self.lacking = true;
                return;
            }
            parts::join(model, name, part, content, &mut self.report);
        }
    }

    /// The content of a part's file with its own parts; `None` if the report says what is wrong there.
    fn part(&mut self, path: &Path, name: &Text, from: Span) -> Option<ModelFile> {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some((_, known)) = self.parts.iter().find(|(known, _)| *known == identity) {
            return known.clone();
        }
        // A part is read as if it were alone, but for the chain of files around it.
        let report = std::mem::take(&mut self.report);
        let done = std::mem::take(&mut self.done);
        let around = std::mem::replace(&mut self.around, self.open.len());
        let first = self.sources.len();
        let mut model = self.file(path, Some(from)).and_then(|mut entries| {
            let span = Span { file: first, start: 0, end: 0 };
            if entries.iter().all(|entry| entry.key != "gravity") {
                entries.push(no_gravity(span));
            }
            ModelFile::read(&Node { span, value: Value::Table(entries) }, &mut Reader::new(&mut self.report))
        });
        if let Some(model) = &mut model {
            let lacking = std::mem::take(&mut self.lacking);
            self.open.push(identity.clone());
            self.join_parts(model);
            self.open.pop();
            if !std::mem::replace(&mut self.lacking, lacking) {
                let told = self.report.len();
                crate::check::check_part(model, &self.sources, &mut self.report);
                self.report = tell_uses(std::mem::take(&mut self.report), told, &self.uses);
            }
        }
        self.around = around;
        self.done = done;
        let findings = std::mem::replace(&mut self.report, report).finished();
        let right = model.filter(|_| !findings.has_errors());
        self.report.append(findings.map(|diagnostic| {
            let elsewhere = diagnostic.span.file != from.file;
            let told = format!("in the part \"{}\"", name.text);
            Some(if elsewhere { diagnostic.related(from, told) } else { diagnostic })
        }));
        self.uses.extend((first..self.sources.len()).map(|file| (file, from, name.text.clone())));
        self.parts.push((identity, right.clone()));
        right
    }
}

/// Gravity of a part that gives none; that of the whole counts.
fn no_gravity(span: Span) -> Entry {
    let zero = Node { span, value: Value::Number { value: 0.0, whole: true } };
    let node = Node { span, value: Value::Array(vec![zero.clone(), zero.clone(), zero]) };
    Entry { key: "gravity".to_owned(), key_span: span, node }
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

/// Reads a regular file of sensible size as UTF-8.
fn read_text(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| reason(&error))?;
    if !facts.is_file() {
        return Err("it is not a file".to_owned());
    }
    if facts.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    let bytes = std::fs::read(path).map_err(|error| reason(&error))?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// Why a file cannot be read, without the number of the operating system.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        _ => error.to_string(),
    }
}
