//! The folder of parts beside a recording.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::part_writer::{Combine, combine};
use crate::{IoError, durable};

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
    format!("part-{number:06}.parquet")
}

fn part_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("part-")?.strip_suffix(".parquet")?;
    let number = digits.parse().ok()?;
    // Only the canonical spelling is a part; `part-+1.parquet` or a hand-made copy is not.
    (part_name(number) == name).then_some(number)
}

/// Name of what a resumed run goes on from, in messages.
pub(crate) const BASE: &str = "base-000000.parquet";

/// File name of the recording that stands for everything before part `first`.
pub(crate) fn base_name(first: u64) -> String {
    format!("base-{first:06}.parquet")
}

fn base_number(name: &str) -> Option<u64> {
    let number = name.strip_prefix("base-")?.strip_suffix(".parquet")?.parse().ok()?;
    (base_name(number) == name).then_some(number)
}

/// File name of a path, for messages.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a folder holds of a run that did not finish.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// What was recorded before the run was resumed, as a recording.
    pub base: Option<PathBuf>,
    /// Number of the first part behind the base; earlier ones are in the base already.
    pub first: u64,
    /// The parts behind the base, in order, with their numbers. One may be missing.
    pub parts: Vec<(u64, PathBuf)>,
}

impl Listing {
    /// Whether there is nothing to recover.
    pub(crate) fn is_empty(&self) -> bool {
        self.base.is_none() && self.parts.is_empty()
    }
}

/// What stands in a folder.
pub(crate) fn list(folder: &Path) -> Result<Listing, IoError> {
    let (mut numbers, mut base) = (Vec::new(), None);
    for entry in fs::read_dir(folder).map_err(IoError::file("read", folder))? {
        let entry = entry.map_err(IoError::file("read", folder))?;
        let name = entry.file_name();
        numbers.extend(name.to_str().and_then(part_number));
        // The last base has everything that was before it.
        base = base.max(name.to_str().and_then(base_number));
    }
    numbers.sort_unstable();
    let first = base.unwrap_or(0);
    let parts = numbers.into_iter().filter(|&n| n >= first).map(|n| (n, folder.join(part_name(n))));
    Ok(Listing { base: base.map(|n| folder.join(base_name(n))), first, parts: parts.collect() })
}

/// Gives the folder a base that has everything in it, so that a resumed run can go on behind it. Returns what was left
/// out, with the reason. Nothing is lost at any instant: the base gets its name when it is complete, and only then the
/// parts that are in it go.
pub(crate) fn settle(folder: &Path) -> Result<Vec<String>, IoError> {
    let before = list(folder)?;
    let Some((last, _)) = before.parts.last() else { return Ok(Vec::new()) };
    let base = folder.join(base_name(last + 1));
    let (_, _, scanned) = combine(folder, &base, &Combine::default())?;
    if scanned.notices.is_empty() {
        for path in before.parts.iter().map(|(_, path)| path).chain(&before.base) {
            fs::remove_file(path).map_err(IoError::file("remove", path))?;
        }
    }
    Ok(scanned.notices)
}

/// Puts a recording into the folder as its base, without copying it where the file system can do that.
pub(crate) fn link_base(folder: &Path, recording: &Path) -> Result<(), IoError> {
    let base = folder.join(BASE);
    if fs::hard_link(recording, &base).is_err() {
        let temporary = durable::temporary(&base);
        fs::copy(recording, &temporary).map_err(IoError::file("copy", recording))?;
        let file = File::open(&temporary).map_err(IoError::file("open", &temporary))?;
        durable::publish(file, &temporary, &base)?;
    }
    durable::sync_folder(folder)
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
    fn the_last_base_stands_for_all_before_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["part-000000.parquet", "part-000002.parquet", "part-000003.parquet", BASE, "base-2.parquet"]
        {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let numbers = |listing: &Listing| listing.parts.iter().map(|(n, _)| *n).collect::<Vec<_>>();
        let before = list(folder.path()).unwrap();
        assert_eq!((before.first, numbers(&before)), (0, vec![0, 2, 3]));
        fs::write(folder.path().join("base-000003.parquet"), "").unwrap();
        let after = list(folder.path()).unwrap();
        assert_eq!((after.first, numbers(&after)), (3, vec![3]));
        assert_eq!(name_of(&after.base.unwrap()), "base-000003.parquet");
    }

    #[test]
    fn part_names_have_one_spelling() {
        assert_eq!(part_name(7), "part-000007.parquet");
        assert_eq!(part_number("part-000007.parquet"), Some(7));
        assert_eq!(part_number("part-1000000.parquet"), Some(1_000_000));
        for other in
            ["part-7.parquet", "part-+00007.parquet", "part-000007.parquet.tmp", "part-.parquet", "lock"]
        {
            assert_eq!(part_number(other), None, "{other}");
        }
    }
}
