//! A recording that is still being written.

use std::path::{Path, PathBuf};

use gelenk_record::Recording;

use crate::{IoError, Pieces, part, parts_folder, reading};

/// The parts of a run that goes on, and where its recording will be.
#[derive(Debug)]
pub struct Following {
    folder: PathBuf,
    /// The recording, when the run is complete.
    path: PathBuf,
    recording: Recording,
    /// Number of the next part, and what the parts follow.
    next: u64,
    base: Option<PathBuf>,
}

/// What has changed.
#[derive(Debug)]
pub enum Growth {
    /// Nothing.
    None,
    /// There are more rows.
    Rows(Pieces),
    /// The run has ended, and its recording is complete.
    Complete(Pieces),
    /// The parts are gone, and there is no recording.
    Gone,
}

impl Following {
    /// Opens the parts of a run: their folder, or the recording that they will become where it does not exist yet. Returns
    /// `None` for everything else, such as a recording that is complete.
    ///
    /// # Errors
    /// Parts that cannot be read.
    pub fn open(path: &Path) -> Result<Option<(Self, Pieces)>, IoError> {
        let (folder, path) = match path.is_dir() {
            true => (path.to_owned(), path.with_extension("parquet")),
            false if path.exists() => return Ok(None),
            false => (parts_folder(path), path.to_owned()),
        };
        if !folder.is_dir() {
            return Ok(None);
        }
        let (recording, next, base) = all(&folder)?;
        let pieces = Pieces::held(recording.clone());
        Ok(Some((Self { folder, path, recording, next, base }, pieces)))
    }

    /// Looks for more rows.
    ///
    /// # Errors
    /// Parts that cannot be read, or a recording that is damaged.
    pub fn grow(&mut self) -> Result<Growth, IoError> {
        if !self.folder.is_dir() {
            return match self.path.is_file() {
                true => Ok(Growth::Complete(Pieces::open(&self.path)?)),
                false => Ok(Growth::Gone),
            };
        }
        let listing = match crate::parts_folder::list(&self.folder) {
            Ok(listing) => listing,
            // It went while it was being looked at; the next time tells more.
            Err(_) => return Ok(Growth::None),
        };
        if listing.base != self.base {
            let (recording, next, base) = all(&self.folder)?;
            (self.recording, self.next, self.base) = (recording, next, base);
            return Ok(Growth::Rows(Pieces::held(self.recording.clone())));
        }
        let before = self.next;
        for (number, path) in &listing.parts {
            if *number != self.next || !self.append(path) {
                continue;
            }
            self.next += 1;
        }
        match self.next == before {
            true => Ok(Growth::None),
            false => Ok(Growth::Rows(Pieces::held(self.recording.clone()))),
        }
    }

    /// Appends a part; one that cannot be read, or does not follow, waits.
    fn append(&mut self, path: &Path) -> bool {
        let Ok((header, data)) = part::decode(path) else { return false };
        let rows = data.first().map_or(0, Vec::len);
        let last = self.recording.time().last().copied().unwrap_or(f64::NEG_INFINITY);
        let follows = data.first().and_then(|time| time.first()).is_none_or(|&t| t >= last);
        if header.columns != self.recording.columns() || !follows {
            return false;
        }
        let mut row = vec![0.0; data.len()];
        for k in 0..rows {
            row.iter_mut().zip(&data).for_each(|(slot, values)| *slot = values[k]);
            if self.recording.push(&row).is_err() {
                return false;
            }
        }
        header.events.into_iter().for_each(|event| self.recording.push_event(event));
        self.recording.meta_mut().extend(header.meta);
        true
    }
}

/// Times that a folder is read again where parts come while it is read.
const TRIES: usize = 8;

/// Everything that a folder holds, with the number of the next part.
fn all(folder: &Path) -> Result<(Recording, u64, Option<PathBuf>), IoError> {
    let state = || -> Result<(u64, Option<PathBuf>), IoError> {
        let listing = crate::parts_folder::list(folder)?;
        Ok((listing.parts.last().map_or(listing.first, |(number, _)| number + 1), listing.base))
    };
    let mut before = state()?;
    let mut recording = reading::read(folder)?;
    for _ in 0..TRIES {
        let after = state()?;
        if after == before {
            break;
        }
        (before, recording) = (after, reading::read(folder)?);
    }
    Ok((recording, before.0, before.1))
}
