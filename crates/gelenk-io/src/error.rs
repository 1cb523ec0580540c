//! What can go wrong with files of recordings.

use std::io;
use std::path::{Path, PathBuf};

use gelenk_record::{RecordError, SinkError};

/// Why a recording could not be written or read; every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum IoError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        /// What was tried, for example `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The answer of the operating system.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a recording of Gelenk: {reason}", .path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// The file was written by another version.
    #[error(
        "{} has format {found}, this version reads format {known}: run the study again, or use the version of Gelenk that \
         wrote it", .path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// Format number in the file.
        found: String,
        /// Format number of this version.
        known: u32,
    },
    /// The file was cut short or changed after it was written.
    #[error("{} is damaged: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A part with good ones behind it is damaged.
    #[error(
        "{} is damaged: {reason}; choose with `gelenk recover --damaged`: `stop` ends the recording before it, `skip` \
         leaves a gap in its place", .path.display()
    )]
    DamagedPart {
        /// The part.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A recovery would replace a recording by a shorter one.
    #[error(
        "{} contains {there} samples, the parts only {found}; it was not changed. Write the parts to another file with -o, or \
         replace it with --replace", .path.display()
    )]
    Fewer {
        /// The recording.
        path: PathBuf,
        /// Its rows.
        there: u64,
        /// Rows of the parts.
        found: u64,
    },
    /// A part is missing in the middle.
    #[error("{}: part {missing} is missing but part {next} exists; restore {name}, or choose with `gelenk recover --damaged`: \
         `stop` ends the recording before it, `skip` leaves a gap", .folder.display())]
    Gap {
        /// The folder of parts.
        folder: PathBuf,
        /// Number of the first missing part.
        missing: u64,
        /// Number of the next part that is there.
        next: u64,
        /// File name of the missing part.
        name: String,
    },
    /// There are no complete parts.
    #[error("{} has no complete part, so there is nothing to recover", .folder.display())]
    NoParts {
        /// The folder of parts.
        folder: PathBuf,
    },
    /// The recording was never finished, but its parts are there.
    #[error("{} does not exist; the run did not finish: `gelenk recover {}` makes it from the parts", .path.display(), .folder.display())]
    Unfinished {
        /// The recording that was asked for.
        path: PathBuf,
        /// The folder with its parts.
        folder: PathBuf,
    },
    /// A new run would overwrite the parts of one that did not finish.
    #[error(
        "{} holds the parts of a run that did not finish; keep them with `gelenk recover {}` or delete the folder",
        .folder.display(), .folder.display()
    )]
    Unrecovered {
        /// The folder of parts.
        folder: PathBuf,
    },
    /// The place of a recording is taken by something else.
    #[error(
        "{} exists and is not a recording, so it is not replaced; choose another output such as {}", .path.display(),
        .path.with_extension("parquet").display()
    )]
    Taken {
        /// The file or folder.
        path: PathBuf,
    },
    /// Another process writes into the folder of parts.
    #[error("{} is being written by a run in progress; wait for it to end or choose another output", .folder.display())]
    InUse {
        /// The folder of parts.
        folder: PathBuf,
    },
    /// The columns or rows do not make a recording, or a column is not there.
    #[error("{}: {source}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: RecordError,
    },
    /// A row cannot be taken.
    #[error(transparent)]
    Row(SinkError),
}

impl IoError {
    /// Whether the content of the file is what is wrong.
    pub(crate) fn is_damage(&self) -> bool {
        use IoError::{Damaged, NotARecording, Record};
        matches!(self, Damaged { .. } | NotARecording { .. } | Record { .. })
    }

    /// What is wrong, without the name of the file where that is known.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Damaged { reason, .. } | Self::NotARecording { reason, .. } => reason.clone(),
            Self::Record { source, .. } => source.to_string(),
            other => other.to_string(),
        }
    }

    /// Adds what was tried and where to an answer of the operating system.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, reason: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn foreign(path: &Path, reason: impl ToString) -> Self {
        Self::NotARecording { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn record(path: &Path, source: RecordError) -> Self {
        Self::Record { path: path.to_owned(), source }
    }
}

impl From<IoError> for SinkError {
    fn from(error: IoError) -> Self {
        match error {
            IoError::Row(refused) => refused,
            other => SinkError::Storage(Box::new(other)),
        }
    }
}
