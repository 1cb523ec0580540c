//! Valid files are read without complaint.

use gelenk_model::{load_model, load_study};

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid")
}

#[test]
fn one_of_everything_is_read() {
    let loaded = load_model(folder().join("everything.toml")).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.warnings.render(&loaded.sources), "");
    assert_eq!(loaded.file.bodies.len(), 6);
    assert_eq!(loaded.sources.iter().count(), 2);
}

#[test]
fn a_fit_is_read() {
    let loaded = load_study(folder().join("fit.toml")).unwrap_or_else(|failure| panic!("{failure}"));
    let paths: Vec<&str> = loaded.file.set.0.iter().map(|(path, _)| &**path).collect();
    assert_eq!(paths, ["parameters.rod", "joints.shoulder.friction.sigma0"]);
}
