//! Another program that answers the same questions.
//!
//! It is started with the path of a model without its ending (`.../arm7`). For every line with the name of an algorithm
//! on its input it makes one sweep over the stored states and writes the CPU time of a call (s, mean) as one line.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running peer.
pub(crate) struct Peer {
    pub(crate) name: String,
    child: Child,
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    pub(crate) fn start(program: &str, model: &Path) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("peer {program}: {error}");
        let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let pipe = || Stdio::piped();
        let mut child =
            Command::new(program).arg(model).stdin(pipe()).stdout(pipe()).spawn().map_err(|e| failed(&e))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"no pipes"));
        };
        Ok(Self { name, child, questions, answers: BufReader::new(answers).lines() })
    }

    /// The line that answers a question.
    pub(crate) fn ask(&mut self, question: &str) -> Result<String, String> {
        let failed = |error: &dyn std::fmt::Display| format!("peer {}: {error}", self.name);
        writeln!(self.questions, "{question}").map_err(|e| failed(&e))?;
        self.answers.next().ok_or_else(|| failed(&"ended"))?.map_err(|e| failed(&e))
    }

    /// CPU time of a call (s), mean over one sweep.
    pub(crate) fn time(&mut self, algorithm: &str) -> Result<f64, String> {
        let answer = self.ask(algorithm)?;
        answer.trim().parse().map_err(|e| format!("peer {}: {answer:?}: {e}", self.name))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing to do about it then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
