//! `gelenk convert` as a person types it.

use std::path::Path;
use std::process::{Command, Output};

fn gelenk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gelenk")).current_dir(folder).args(arguments).output().unwrap()
}

fn sample(name: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gelenk-import/tests/import");
    samples.join(name).display().to_string()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_converted_robot_runs() {
    let folder = tempfile::tempdir().unwrap();
    let done = gelenk(folder.path(), &["convert", &sample("gripper.urdf"), "-o", "model.toml"]);
    let said = errors(&done);
    assert!(done.status.success(), "{said}");
    for line in [
        "note: The root link \"world\" is the ground.",
        "transmission elements",
        "model.toml: a model of 4 bodies, 3 velocities and 0 loop equations",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let run = gelenk(folder.path(), &["run", "model.toml", "--until", "0.1 s"]);
    assert!(run.status.success(), "{}", errors(&run));
}

#[test]
fn without_a_file_the_model_goes_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let done =
        gelenk(folder.path(), &["convert", &sample("leg.xml"), "--without-armature", "--limits", "none"]);
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{}", errors(&done));
    assert!(text.contains("[joints.knee]") && !text.contains("_rotor]") && !text.contains("stop "), "{text}");
    assert!(errors(&done).contains("rotor inertias (armature)"), "{}", errors(&done));
}

#[test]
fn wrong_robots_are_refused_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (vec!["convert", &sample("wrong/urdf_tree.urdf"), "-o", "model.toml"], "urdf_tree.urdf:4:15"),
        (vec!["convert", "nowhere.urdf"], "there is no such file"),
        (vec!["convert", &sample("leg.xml"), "--free-base"], "<freejoint/>"),
    ] {
        let done = gelenk(folder.path(), &arguments);
        assert!(!done.status.success(), "{arguments:?}");
        assert!(errors(&done).contains(expected), "{arguments:?}: {}", errors(&done));
        assert!(!folder.path().join("model.toml").exists());
    }
}
