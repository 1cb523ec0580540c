//! The folder of parts beside a recording.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::layout::Header;
use crate::{IoError, durable, part};

/// The folder in which the parts of the recording `out` stand while it is written: `run.parts` for `run.parquet`.
pub fn parts_folder(out: &Path) -> PathBuf {
    let stem =
        if out.extension().is_some_and(|e| e == "parquet") { out.file_stem() } else { out.file_name() };
    let mut name: OsString = stem.unwrap_or_default().to_owned();
    name.push(".parts");
    out.with_file_name(name)
}

/// File name of a part.
pub(crate) fn part_name(number: u64) -> String {
    format!("part-{number:06}.arrow")
}

fn part_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("part-")?.strip_suffix(".arrow")?;
    let number = digits.parse().ok()?;
    // Only the canonical spelling is a part; `part-+1.arrow` or a hand-made copy is not.
    (part_name(number) == name).then_some(number)
}

/// The parts of a folder in order.
///
/// # Errors
/// [`IoError::Gap`] where a number is missing.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, IoError> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).map_err(IoError::file("read", folder))? {
        let entry = entry.map_err(IoError::file("read", folder))?;
        numbers.extend(entry.file_name().to_str().and_then(part_number));
    }
    numbers.sort_unstable();
    for (missing, &next) in (0..).zip(&numbers) {
        if missing != next {
            return Err(IoError::Gap { folder: folder.to_owned(), missing, next, name: part_name(missing) });
        }
    }
    Ok(numbers.into_iter().map(|n| folder.join(part_name(n))).collect())
}

/// Hands header and columns of every part to `take`, in order. A damaged last part is left out with a notice.
///
/// # Errors
/// A gap, a damaged part before the last, parts with different columns, or no complete part at all.
pub(crate) fn scan(
    folder: &Path,
    mut take: impl FnMut(Header, &[&[f64]]) -> Result<(), IoError>,
) -> Result<Scanned, IoError> {
    let parts = list(folder)?;
    let mut notices = Vec::new();
    let mut columns = None;
    for (i, path) in parts.iter().enumerate() {
        let (header, data) = match part::decode(path) {
            Ok(content) => content,
            Err(IoError::Damaged { path, reason }) if i + 1 == parts.len() => {
                notices.push(format!("{} was left out: {reason}", path.display()));
                continue;
            }
            Err(error) => return Err(error),
        };
        let first = columns.get_or_insert_with(|| header.columns.clone());
        if *first != header.columns {
            return Err(IoError::damaged(path, "its columns are not those of the parts before it"));
        }
        let slices: Vec<&[f64]> = data.iter().map(Vec::as_slice).collect();
        take(header, &slices)?;
    }
    if columns.is_none() {
        return Err(IoError::NoParts { folder: folder.to_owned() });
    }
    Ok(Scanned { parts: parts.len() - notices.len(), notices })
}

/// What a scan met.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// Number of complete parts.
    pub parts: usize,
    /// Parts that were left out, with the reason.
    pub notices: Vec<String>,
}

/// Keeps other processes from writing to or recovering a folder; the system lets go when the process ends.
pub(crate) fn lock(folder: &Path) -> Result<File, IoError> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(IoError::file("create", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(IoError::InUse { folder: folder.to_owned() }),
        // Some network file systems have no locks; there the guard is lost, not the run.
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(e)) => Err(IoError::file("lock", &path)(e)),
    }
}

/// Removes a folder of parts whose content is safe elsewhere.
///
/// The folder is renamed first: a kill in the middle of the removal must not leave something that looks like the
/// first parts of a run, because recovering that would replace a complete recording by a shorter one.
pub(crate) fn remove(folder: &Path, lock: File) -> Result<(), IoError> {
    drop(lock);
    let removed = removed_name(folder);
    clear_removed(folder)?;
    fs::rename(folder, &removed).map_err(IoError::file("rename", folder))?;
    durable::sync_folder(&durable::folder_of(folder))?;
    fs::remove_dir_all(&removed).map_err(IoError::file("remove", &removed))
}

/// Removes what a kill during [`remove`] left behind.
pub(crate) fn clear_removed(folder: &Path) -> Result<(), IoError> {
    let removed = removed_name(folder);
    match fs::remove_dir_all(&removed) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(IoError::file("remove", &removed)(e)),
        _ => Ok(()),
    }
}

fn removed_name(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".removed");
    folder.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_stands_beside_the_recording() {
        assert_eq!(parts_folder(Path::new("runs/a.parquet")), Path::new("runs/a.parts"));
        assert_eq!(parts_folder(Path::new("swing.v2")), Path::new("swing.v2.parts"));
    }

    #[test]
    fn part_names_have_one_spelling() {
        assert_eq!(part_name(7), "part-000007.arrow");
        assert_eq!(part_number("part-000007.arrow"), Some(7));
        assert_eq!(part_number("part-1000000.arrow"), Some(1_000_000));
        for other in ["part-7.arrow", "part-+00007.arrow", "part-000007.arrow.tmp", "part-.arrow", "lock"] {
            assert_eq!(part_number(other), None, "{other}");
        }
    }
}
