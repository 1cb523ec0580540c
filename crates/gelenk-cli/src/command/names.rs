//! Names of recordings on pictures and pages.

use std::path::{Path, PathBuf};

/// Names that differ: those of the files without ending, longer where two files are called the same, and numbered where a
/// file is named twice.
pub fn names(paths: &[PathBuf]) -> Vec<String> {
    let stem = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let stems: Vec<String> = paths.iter().map(|path| stem(path)).collect();
    let count = |all: &[String], name: &String| all.iter().filter(|other| *other == name).count();
    let without = |path: &PathBuf| path.with_extension("").display().to_string();
    let bare: Vec<String> = paths.iter().map(without).collect();
    let longer = |(path, name): (&PathBuf, &String)| match (count(&stems, name), count(&bare, &without(path)))
    {
        (1, _) => name.clone(),
        (_, 1) => without(path),
        _ if paths.iter().filter(|other| *other == path).count() > 1 => without(path),
        // A run and a table of the same name.
        _ => path.display().to_string(),
    };
    let names: Vec<String> = paths.iter().zip(&stems).map(longer).collect();
    let numbered = |(k, name): (usize, &String)| match count(&names[..k], name) {
        0 => name.clone(),
        before => format!("{name} ({})", before + 1),
    };
    names.iter().enumerate().map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let of = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["runs/a.parquet", "runs/b.parquet"]), ["a", "b"]);
        assert_eq!(of(&["runs/a.parquet", "old/a.parquet", "b"]), ["runs/a", "old/a", "b"]);
        assert_eq!(of(&["a.parquet", "a.parquet", "a.parquet"]), ["a", "a (2)", "a (3)"]);
        assert_eq!(of(&["runs/a.parquet", "runs/a.csv", "b.csv"]), ["runs/a.parquet", "runs/a.csv", "b"]);
    }
}
