//! Files from before keys were renamed are read, or refused with the new key suggested.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gelenk_model::load::{FileKind, RENAMED, file_kind};
use gelenk_model::{Failure, load_case, load_model, load_study};

/// The last commit in which all keys had their old names.
const BEFORE: &str = "3881a2d859a90fb7306f2bfa8f09b23350f436ca";

/// All model, study and case files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether another file of the same folder names this one.
fn is_named(path: &Path, files: &[PathBuf]) -> bool {
    let name = format!("\"{}\"", path.file_name().unwrap().to_string_lossy());
    let neighbours = files.iter().filter(|other| other.parent() == path.parent() && *other != path);
    // A case names its model or study, which is complete by itself.
    let mut naming = neighbours.filter(|other| file_kind(other) == FileKind::Model);
    naming.any(|other| std::fs::read_to_string(other).unwrap().contains(&name))
}

fn refusal(path: &Path) -> Option<Failure> {
    match file_kind(path) {
        FileKind::Model => load_model(path).err(),
        FileKind::Study => load_study(path).err(),
        FileKind::Case => load_case(path).err(),
    }
}

/// The renamed keys of a file that is refused. Its messages suggest the new names, and with these it is read.
fn renamed_keys(path: &Path, failure: &Failure) -> Vec<&'static str> {
    let mut keys = Vec::new();
    let mut text = std::fs::read_to_string(path).unwrap();
    for (old, new) in RENAMED {
        let message = format!("unknown key \"{old}\"");
        let Some(found) = failure.report.iter().find(|diagnostic| diagnostic.message == message) else {
            continue;
        };
        let help = found.help.clone().unwrap_or_default();
        assert_eq!(help, format!("did you mean \"{new}\"?"), "{}: {old}", path.display());
        text = text.replace(&format!("[{old}."), &format!("[{new}."));
        text = text.replace(&format!("{old} "), &format!("{new} "));
        keys.push(*old);
    }
    assert!(!keys.is_empty(), "{} is refused without a suggestion: {failure}", path.display());
    std::fs::write(path, text).unwrap();
    if let Some(failure) = refusal(path) {
        panic!("{} is refused with the suggested keys: {failure}", path.display());
    }
    keys
}

/// A sample for every renamed key, wherever it occurs.
#[test]
fn samples_are_refused_with_the_new_key() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old");
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for sample in files_below(&samples) {
        let path = folder.path().join(sample.file_name().unwrap());
        std::fs::copy(&sample, &path).unwrap();
        let failure = refusal(&path).unwrap_or_else(|| panic!("{} is read", sample.display()));
        found.extend(renamed_keys(&path, &failure));
    }
    for (old, new) in RENAMED {
        assert!(found.contains(old), "tests/old has no sample with \"{old}\", which is \"{new}\" now");
    }
}

/// All files of `cases/` as they were, where the history of the repository is available.
#[test]
fn cases_of_the_old_commit_are_read_or_refused_with_the_new_key() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&root).args(arguments).stderr(Stdio::null());
        git
    };
    let known = git(&["cat-file", "-e", &format!("{BEFORE}^{{commit}}")]).status();
    if !known.is_ok_and(|status| status.success()) {
        println!(
            "skipped: the cases of the old commit, because the history of the repository is not available"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("cases.tar");
    let output = archive.display().to_string();
    assert!(git(&["archive", "-o", &output, BEFORE, "cases"]).status().unwrap().success());
    let unpacked = Command::new("tar").current_dir(folder.path()).args(["xf", "cases.tar"]).status().unwrap();
    assert!(unpacked.success());
    let files = files_below(&folder.path().join("cases"));
    assert!(files.len() > 150, "only {} files", files.len());
    let mut refused = Vec::new();
    // Parts and included files are read with the file that names them.
    for path in files.iter().filter(|path| !is_named(path, &files)) {
        if let Some(failure) = refusal(path) {
            renamed_keys(path, &failure);
            refused.push(path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    // Those that used `turns` of a rig; no case had `twists`.
    assert_eq!(refused, ["dahl-loops", "memory-path", "settling-loops", "zig-zag"]);
}
