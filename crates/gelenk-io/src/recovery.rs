//! From parts to a recording after a kill.

use std::path::Path;

use crate::part_writer::{Combine, combine};
use crate::scanning::Damage;
use crate::{IoError, Pieces, info, parquet_file, parts_folder};

/// What a recovery found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Rows of the recording.
    pub rows: u64,
    /// Complete parts that it was made of; zero where the recording was already there.
    pub parts: usize,
    /// Whether there were no parts any more because the recording was already finished or recovered.
    pub already: bool,
    /// What was left out, with the reason.
    pub notices: Vec<String>,
}

/// How a recording is recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recovery {
    /// What is done about damaged and missing parts.
    pub damage: Damage,
    /// Whether a recording with more rows may be replaced.
    pub replace: bool,
}

/// Makes the recording `out` out of the folder `parts` that a killed run left behind; see [`Recovery::recover`].
///
/// # Errors
/// Those of [`Recovery::recover`].
pub fn recover(parts: &Path, out: &Path) -> Result<Recovered, IoError> {
    Recovery::default().recover(parts, out)
}

impl Recovery {
    /// Makes the recording `out` out of the folder `parts` that a killed run left behind.
    ///
    /// Every complete part is used. A damaged last part is left out with a notice; its rows were never announced. The
    /// folder is removed when everything in it is in the recording, and kept when something was left out. A second
    /// call is harmless: it makes the same bytes, or finds the finished recording.
    ///
    /// # Errors
    /// [`IoError::Gap`] and [`IoError::DamagedPart`] for a part before the last, [`IoError::Taken`] where `out` is
    /// something else than a recording, [`IoError::Fewer`] where it has more rows than the parts, [`IoError::InUse`]
    /// while the run goes on, [`IoError::NoParts`], or a failure of the disk. The parts are never touched before the
    /// recording is safe.
    pub fn recover(self, parts: &Path, out: &Path) -> Result<Recovered, IoError> {
        // Looked at before the lock is taken, so that a wrong folder gets no lock file.
        let empty =
            if parts.exists() || !out.is_file() { parts_folder::list(parts)?.is_empty() } else { true };
        if empty && out.is_file() {
            let rows = info(out)?.rows;
            return Ok(Recovered { rows, parts: 0, already: true, notices: Vec::new() });
        }
        if empty {
            return Err(IoError::NoParts { folder: parts.to_owned() });
        }
        if !parquet_file::may_be_replaced(out) {
            return Err(IoError::Taken { path: out.to_owned() });
        }
        let lock = parts_folder::lock(parts)?;
        // A damaged recording has nothing to lose.
        let least = if self.replace || !out.is_file() { 0 } else { parquet_file::rows(out).unwrap_or(0) };
        let how = Combine { damage: self.damage, least, ..Combine::default() };
        let (rows, _, scanned) = combine(parts, out, &how)?;
        if scanned.notices.is_empty() {
            parts_folder::remove(parts, lock)?;
        }
        Ok(Recovered { rows, parts: scanned.parts, already: false, notices: scanned.notices })
    }
}

/// What an ended run recorded, to go on from.
#[derive(Debug)]
pub struct Begun {
    /// Its rows, events and metadata; the metadata has the entry [`STATE`](crate::STATE) where there is a state to go on
    /// from.
    pub recording: Pieces,
    /// What was left out, with the reason.
    pub notices: Vec<String>,
}

/// What an ended run recorded in `out`, to go on from by [`PartWriter::resume`](crate::PartWriter::resume): in parts that
/// a kill left, or else in the recording. `None` where there is neither, because the run ended before it wrote anything.
/// Nothing is taken away: parts are put together inside their folder.
///
/// # Errors
/// Damaged files, or a folder that another process writes to.
pub fn begun(out: &Path) -> Result<Option<Begun>, IoError> {
    let folder = parts_folder::parts_folder(out);
    let mut notices = Vec::new();
    if folder.is_dir() {
        let _lock = parts_folder::lock(&folder)?;
        notices = parts_folder::settle(&folder)?;
        if let Some(base) = parts_folder::list(&folder)?.base {
            return Ok(Some(Begun { recording: Pieces::open(&base)?, notices }));
        }
    }
    if !out.exists() {
        return Ok(None);
    }
    let recording = Pieces::open(out)?;
    // A folder without parts is all that is left of a run that was killed at once. What it was to replace does not count.
    if folder.is_dir() && !recording.meta().contains_key(crate::STATE) {
        return Ok(None);
    }
    Ok(Some(Begun { recording, notices }))
}
