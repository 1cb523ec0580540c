//! What the tests share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gelenk::open::{Overrides, Prepared, prepare, read_log};
use gelenk_record::Recording;
use gelenk_solve::Summary;

/// The path of a model beside these tests.
#[allow(dead_code)]
pub(crate) fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/findings/models").join(name)
}

/// Runs the program in a folder.
#[allow(dead_code)]
pub(crate) fn gelenk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gelenk")).current_dir(folder).args(arguments).output().unwrap()
}

/// What the program printed.
#[allow(dead_code)]
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A model from its text, ready to run.
#[allow(dead_code)]
pub(crate) fn prepared(text: &str, overrides: &Overrides) -> Result<Prepared, String> {
    let model = gelenk_model::parse_model(text, None).map_err(|error| error.to_string())?;
    let compiled = gelenk_model::compile(&model, &mut read_log).map_err(|error| error.to_string())?;
    prepare(&model, None, compiled, overrides).map_err(|error| error.to_string())
}

/// Runs a model from its text.
#[allow(dead_code)]
pub(crate) fn run(text: &str) -> Result<(Recording, Summary), String> {
    let prepared = prepared(text, &Overrides::default())?;
    gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options)
        .map_err(|error| error.to_string())
}

/// The last value of a column.
#[allow(dead_code)]
pub(crate) fn last(recording: &Recording, column: &str) -> f64 {
    let k = recording.columns().iter().position(|c| c.name == column).unwrap();
    *recording.values(k).unwrap().last().unwrap()
}
