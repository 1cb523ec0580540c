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

#[test]
fn studies_about_motions_are_read() {
    for name in ["motion.toml", "inverse.toml", "ik.toml"] {
        let loaded = load_study(folder().join(name)).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(loaded.warnings.render(&loaded.sources), "", "{name}");
    }
}

#[test]
fn a_file_included_on_two_ways_counts_once_and_paths_start_from_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "model.toml",
        "schema = 1\ngravity = [0, 0, 0]\ninclude = [\"a/a.toml\", \"b.toml\"]\n[outputs]\ny = \"u\"\n",
    );
    write("a/a.toml", "schema = 1\ninclude = [\"../c/c.toml\"]\n");
    write("b.toml", "schema = 1\ninclude = [\"c/c.toml\"]\n");
    write(
        "c/c.toml",
        "schema = 1\n[signals.u]\nlog = { file = \"u.csv\", time = \"t\", column = \"u\", unit = \"V\" }\n",
    );
    let missing = load_model(folder.path().join("model.toml")).unwrap_err();
    assert_eq!(missing.report.len(), 1, "{missing}");
    assert!(missing.to_string().contains("there is no file \"u.csv\""));
    write("c/u.csv", "t,u\n0,0\n");
    let loaded = load_model(folder.path().join("model.toml")).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.file.signals.len(), 1);
    assert_eq!(loaded.sources.iter().count(), 4);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.toml");
    assert!(
        load_model(&path)
            .unwrap_err()
            .to_string()
            .contains("none.toml\" cannot be read: there is no such file")
    );
    assert!(load_model(folder.path()).unwrap_err().to_string().contains("it is a folder"));
    std::fs::write(folder.path().join("model.toml"), "schema = 1").unwrap();
    let said = load_model(folder.path()).unwrap_err().to_string();
    assert!(said.contains("name a file in it, such as ") && said.contains("model.toml"), "{said}");
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert!(load_model(&path).unwrap_err().to_string().contains("not UTF-8 text"));
}
