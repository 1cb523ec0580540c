//! What the tests of the command line share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A path below the folder of the cases.
pub(crate) fn case(path: &str) -> String {
    root().join("cases").join(path).display().to_string()
}

/// Runs the program in a folder.
pub(crate) fn gelenk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gelenk")).current_dir(folder).args(arguments).output().unwrap()
}

/// What the program printed, results and messages.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
