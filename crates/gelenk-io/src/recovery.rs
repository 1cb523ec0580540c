//! From parts to a recording after a kill.

use std::path::Path;

use gelenk_record::Recording;

use crate::{IoError, STATE, info, part_writer, parts_folder, read};

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

/// Makes the recording `out` out of the folder `parts` that a killed run left behind.
///
/// Every complete part is used. A damaged last part is left out with a notice; its rows were never announced. The
/// folder is removed when everything in it is in the recording, and kept when something was left out. A second
/// call is harmless: it makes the same bytes, or finds the finished recording.
///
/// # Errors
/// [`IoError::Gap`], [`IoError::Damaged`] for a part before the last, [`IoError::InUse`] while the run goes on,
/// [`IoError::NoParts`], or a failure of the disk. The parts are never touched before the recording is safe.
pub fn recover(parts: &Path, out: &Path) -> Result<Recovered, IoError> {
    if !parts.exists() && out.is_file() {
        let rows = info(out)?.rows;
        return Ok(Recovered { rows, parts: 0, already: true, notices: Vec::new() });
    }
    // Looked at before the lock is taken, so that a wrong folder gets no lock file.
    if parts_folder::list(parts)?.is_empty() {
        return Err(IoError::NoParts { folder: parts.to_owned() });
    }
    let lock = parts_folder::lock(parts)?;
    let (rows, _, scanned) = part_writer::combine(parts, out, None)?;
    if scanned.notices.is_empty() {
        parts_folder::remove(parts, lock)?;
    }
    Ok(Recovered { rows, parts: scanned.parts, already: false, notices: scanned.notices })
}

/// What an ended run recorded in `out`, to go on from: parts that a kill left are put together first. Its metadata has
/// the entry [`STATE`] where there is a state to go on from.
///
/// # Errors
/// Those of [`recover`] and [`read`].
pub fn begun(out: &Path) -> Result<Recording, IoError> {
    let folder = parts_folder::parts_folder(out);
    if folder.exists() {
        let copied = out.is_file() && read(out).is_ok_and(|recording| recording.meta().contains_key(STATE));
        let known = read(&folder).is_ok_and(|recording| recording.meta().contains_key(STATE));
        // Parts without a state beside a recording with one are a copy that was cut short.
        if known || !copied {
            recover(&folder, out)?;
        }
        if folder.exists() {
            let lock = parts_folder::lock(&folder)?;
            parts_folder::remove(&folder, lock)?;
        }
    }
    read(out)
}
