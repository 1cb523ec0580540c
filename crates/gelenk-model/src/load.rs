//! Files to checked descriptions: reading, including, checking.

pub use gelenk_file::load::{Failure, Loaded};

use crate::case_file::CaseFile;
use crate::check::Resolved;
use crate::model_file::ModelFile;
use crate::parts;
use crate::study_file::StudyFile;
use gelenk_file::document::{self, Entry, Node, Value};
use gelenk_file::draft::Draft;
use gelenk_file::load::{Loader, Origin, read_text};
use gelenk_file::read::{Definitions, Read, Text};
use gelenk_file::report::{Diagnostic, Report, Severity};
use gelenk_file::source::{Sources, Span};
use std::path::{Path, PathBuf};

/// A model that was read and found right, with what its names and numbers stand for.
pub type LoadedModel = Loaded<ModelFile, Resolved>;

/// Reads and checks a model file.
///
/// # Errors
/// All findings at once: unreadable files, syntax, unknown and missing keys, wrong types, units, names,
/// topology and ranges.
pub fn load_model(path: impl AsRef<Path>) -> Result<LoadedModel, Failure> {
    load(Origin::File(path.as_ref()), Joiner::join_parts, crate::check::check_model)
}

/// Reads and checks a model from a text. Paths inside it start from `base`; without one, includes are refused.
///
/// # Errors
/// As [`load_model`].
pub fn parse_model(text: &str, base: Option<&Path>) -> Result<LoadedModel, Failure> {
    load(Origin::Text { text, base, name: "model.toml" }, Joiner::join_parts, crate::check::check_model)
}

/// Checks a model made in code, such as an imported one, as if its text were a file: the findings have places in the text of the
/// draft. Paths inside it start from `base`; without one, includes are refused.
///
/// # Errors
/// As [`load_model`].
pub fn draft_model(draft: &Draft, base: Option<&Path>) -> Result<LoadedModel, Failure> {
    load(Origin::Draft { draft, base, name: "model.toml" }, Joiner::join_parts, crate::check::check_model)
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

/// Keys of model, study and case files that had other names before, old and new.
pub const RENAMED: &[(&str, &str)] = &[("twists", "torques"), ("turns", "reversals")];

fn load<T: Read, R>(
    origin: Origin<'_>,
    complete: impl FnOnce(&mut Joiner, &mut T),
    check: impl FnOnce(&T, &Sources, &mut Report) -> R,
) -> Result<Loaded<T, R>, Failure> {
    let mut joiner = Joiner::default();
    joiner.files.renamed = RENAMED;
    let mut value = joiner.files.read(origin);
    if let Some(value) = &mut value {
        // The file that is read stands at the head of a circle of parts.
        match origin {
            Origin::File(path) => {
                joiner.files.enter(path);
                complete(&mut joiner, value);
                joiner.files.leave();
            }
            Origin::Text { .. } | Origin::Draft { .. } => complete(&mut joiner, value),
        }
    }
    let Joiner { mut files, uses, lacking, .. } = joiner;
    // Where a part is missing, names of it would be complained about everywhere.
    let checked = value.filter(|_| !lacking).map(|value| {
        let before = files.report.len();
        let resolved = check(&value, &files.sources, &mut files.report);
        files.report = name_uses(std::mem::take(&mut files.report), before, &uses);
        (value, resolved)
    });
    files.finish_with(checked)
}

/// Studies and cases have no parts.
fn no_parts<T>(_: &mut Joiner, _: &mut T) {}

/// Findings after the first `before` in files of parts, which were valid by themselves: an error says which parts use the
/// file, and warnings were reported already.
fn name_uses(report: Report, before: usize, uses: &[(usize, Span, String)]) -> Report {
    let mut seen = 0;
    report.map(|diagnostic| {
        let file = diagnostic.span.file;
        seen += 1;
        if seen <= before || uses.iter().all(|(used, ..)| *used != file) {
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

/// Reads a model and puts its parts into it.
#[derive(Default)]
struct Joiner {
    files: Loader,
    /// Files of parts that were read, with what they say where they are right.
    parts: Vec<(PathBuf, Option<ModelFile>)>,
    /// Whether a part could not be joined.
    lacking: bool,
    /// Files that parts brought, each with the place and the name of a part.
    uses: Vec<(usize, Span, String)>,
}

/// Entries of a model at most; parts of parts of parts would fill any memory.
const MOST_ENTRIES: usize = 100_000;

impl Joiner {
    /// Reads the parts of a model and puts them into it.
    fn join_parts(&mut self, model: &mut ModelFile) {
        let parts = model.parts.clone();
        self.lacking |= !parts.broken.is_empty();
        for (name, part) in parts.iter() {
            let place = part.file.span;
            if !self.files.sources.is_anchored(place.file) {
                let message = "a text without a folder cannot have parts in files";
                self.files.report.push(Diagnostic::error(place, message));
                self.lacking = true;
                continue;
            }
            let path = self.files.sources.resolve(place.file, &part.file);
            let Some(mut content) = self.part(&path, name, place) else {
                self.lacking = true;
                continue;
            };
            if parts::size(model).saturating_add(parts::size(&mut content)) > MOST_ENTRIES {
                let message = format!("with this part the model has more than {MOST_ENTRIES} entries");
                self.files.report.push(Diagnostic::error(place, message));
                self.lacking = true;
                return;
            }
            parts::join(model, name, part, content, &mut self.files.report);
        }
    }

    /// The content of a part's file with its own parts; `None` if the report says what is wrong there.
    fn part(&mut self, path: &Path, name: &Text, from: Span) -> Option<ModelFile> {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some((_, known)) = self.parts.iter().find(|(known, _)| *known == identity) {
            return known.clone();
        }
        let first = self.files.sources.len();
        let around = self.files.set_apart();
        let model = self.part_alone(path, from);
        let findings = self.files.rejoin(around).finished();
        let right = model.filter(|_| !findings.has_errors());
        self.files.report.append(findings.map(|diagnostic| {
            let elsewhere = diagnostic.span.file != from.file;
            let remark = format!("in the part \"{}\"", name.text);
            Some(if elsewhere { diagnostic.related(from, remark) } else { diagnostic })
        }));
        self.uses.extend((first..self.files.sources.len()).map(|file| (file, from, name.text.clone())));
        self.parts.push((identity, right.clone()));
        right
    }

    /// Reads and checks the file of a part by itself, with its own parts.
    fn part_alone(&mut self, path: &Path, from: Span) -> Option<ModelFile> {
        let span = Span { file: self.files.sources.len(), start: 0, end: 0 };
        let mut entries = self.files.file(path, Some(from))?;
        if entries.iter().all(|entry| entry.key != "gravity") {
            entries.push(no_gravity(span));
        }
        let node = Node { span, value: Value::Table(entries) };
        let mut model = ModelFile::read(&node, &mut self.files.reader())?;
        let lacking = std::mem::take(&mut self.lacking);
        self.files.enter(path);
        self.join_parts(&mut model);
        self.files.leave();
        if !std::mem::replace(&mut self.lacking, lacking) {
            let before = self.files.report.len();
            crate::check::check_part(&model, &self.files.sources, &mut self.files.report);
            self.files.report = name_uses(std::mem::take(&mut self.files.report), before, &self.uses);
        }
        Some(model)
    }
}

/// Gravity of a part that gives none; that of the whole counts.
fn no_gravity(span: Span) -> Entry {
    let zero = Node { span, value: Value::Number { value: 0.0, whole: true } };
    let node = Node { span, value: Value::Array(vec![zero.clone(), zero.clone(), zero]) };
    Entry { key: "gravity".to_owned(), key_span: span, node }
}
