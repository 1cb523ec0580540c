//! Files that are either complete on disk or not there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::IoError;

/// The name under which a file is written until it is complete.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    path.with_file_name(name)
}

/// Brings a temporary file safely to disk and gives it its name; after this returns, a power cut cannot undo it.
pub(crate) fn publish(file: File, temporary: &Path, path: &Path) -> Result<(), IoError> {
    file.sync_all().map_err(IoError::file("sync", temporary))?;
    drop(file);
    fs::rename(temporary, path).map_err(IoError::file("create", path))?;
    sync_folder(&folder_of(path))
}

/// The folder in which a file stands.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Brings the names in a folder safely to disk, where the system can do that.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), IoError> {
    if cfg!(unix) {
        let handle = File::open(folder).map_err(IoError::file("open", folder))?;
        handle.sync_all().map_err(IoError::file("sync", folder))?;
    }
    Ok(())
}
