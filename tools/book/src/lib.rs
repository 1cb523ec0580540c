//! The pages of the book: their equations, code blocks, links and terminal sessions.
//!
//! The program of this crate is the mdBook preprocessor that turns TeX into MathML (`docs/book.toml`). The tests of the
//! book use the rest: every equation must parse, every link must lead somewhere, and every terminal session must print what
//! the page says.

pub mod equations;
pub mod fences;
pub mod links;
pub mod sessions;

use std::io;
use std::path::{Path, PathBuf};

/// All Markdown files below a folder, in the order of their names.
pub fn pages(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pages(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    Ok(found)
}
