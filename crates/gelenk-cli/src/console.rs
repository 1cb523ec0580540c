//! Where the results of a command go: text for people, or one JSON document for programs.
//!
//! Results are on standard output. Progress, notes, warnings and errors are on standard error; with `--json` the last
//! three are in the document, too.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::document;

/// Exit code of a command that is done.
pub const DONE: u8 = 0;
/// Exit code of work that failed or was refused.
pub const FAILED: u8 = 1;
/// Exit code of a command line that is wrong.
pub const USAGE: u8 = 2;

/// The output of one command.
pub struct Console {
    json: bool,
    command: String,
    result: Map<String, Value>,
    warnings: Vec<String>,
    notes: Vec<String>,
    errors: Vec<String>,
    printed: bool,
}

impl Console {
    /// The output of a command such as `law run`, as JSON or as text.
    pub fn new(command: String, json: bool) -> Self {
        let (warnings, notes, errors) = (Vec::new(), Vec::new(), Vec::new());
        Self { json, command, result: Map::new(), warnings, notes, errors, printed: false }
    }

    /// Whether the results are one JSON document.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Prints a line of the text; the document has no use for it. Nobody may be listening any more (`gelenk ... | head`).
    pub fn line(&self, text: impl Display) {
        if !self.json {
            let _ = writeln!(std::io::stdout(), "{text}");
        }
    }

    /// Puts a result into the document, under its key; one that is already there is replaced.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.result.insert(key.into(), value.into());
    }

    /// Puts all entries of an object into the document.
    pub fn extend(&mut self, object: Value) {
        if let Value::Object(entries) = object {
            self.result.extend(entries);
        }
    }

    /// Prints progress, or what else is of no lasting interest.
    pub fn progress(&self, text: impl Display) {
        stderr(format_args!("{text}"));
    }

    /// Prints something worth knowing.
    pub fn note(&mut self, text: impl Display) {
        let text = text.to_string();
        stderr(format_args!("note: {text}"));
        self.notes.push(text);
    }

    /// Prints something that is probably not meant so.
    pub fn warning(&mut self, text: impl Display) {
        let text = text.to_string();
        stderr(format_args!("warning: {text}"));
        self.warnings.push(text);
    }

    /// Prints warnings that are already paragraphs with places in files, each beginning with `warning: `.
    pub fn warnings(&mut self, paragraphs: &str) {
        let _ = write!(std::io::stderr(), "{paragraphs}");
        let mut found: Vec<String> = Vec::new();
        for line in paragraphs.lines() {
            match (line.strip_prefix("warning: "), found.last_mut()) {
                (Some(text), _) => found.push(text.into()),
                (None, Some(last)) => {
                    last.push('\n');
                    last.push_str(line);
                }
                (None, None) => {}
            }
        }
        self.warnings.extend(found.iter().map(|text| text.trim_end().to_owned()));
    }

    /// Prints why something failed. Reports of files begin with `error` themselves.
    pub fn error(&mut self, text: impl Display) {
        let text = text.to_string();
        match text.strip_prefix("error: ") {
            Some(rest) => {
                stderr(format_args!("{text}"));
                self.errors.push(rest.to_owned());
            }
            None => {
                stderr(format_args!("error: {text}"));
                self.errors.push(text);
            }
        }
    }

    /// Ends the command: prints the document, where one is wanted and not printed yet.
    pub fn finish(mut self, code: u8) -> ExitCode {
        self.print(code);
        ExitCode::from(code)
    }

    /// Prints the document of a command that does not end by itself.
    pub fn flush(&mut self) {
        self.print(DONE);
        self.printed = true;
    }

    fn print(&mut self, code: u8) {
        if !self.json || self.printed {
            return;
        }
        let result = std::mem::take(&mut self.result);
        let document = json!({
            "gelenk": env!("CARGO_PKG_VERSION"),
            "command": self.command,
            "ok": code == DONE,
            "exit_code": code,
            "errors": self.errors,
            "warnings": self.warnings,
            "notes": self.notes,
            "result": if result.is_empty() { Value::Null } else { Value::Object(result) },
        });
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(document::text(&document).as_bytes()).and_then(|()| out.flush());
    }
}

/// Prints a line to standard error: `eprintln` ends the program where nobody listens.
fn stderr(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
