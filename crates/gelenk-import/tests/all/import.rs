//! Robots of other formats as model files.

use gelenk_import::{Format, Imported, Limits, Options, import_file, import_text};
use gelenk_model::parse_model;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The files of a folder, in the order of their names.
fn files(name: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known)))
        .collect();
    files.sort();
    files
}

fn snapshot(folder: &str, path: &Path, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(Path::new("..").join(folder));
    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
    settings.bind(|| insta::assert_snapshot!(stem, text));
}

fn convert(name: &str) -> Imported {
    let path = folder("import").join(name);
    import_file(path, &Options::default()).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The text is what a person would write, and lists what it lacks.
#[test]
fn samples_become_tidy_models() {
    let files = files("import", &["urdf", "xml"]);
    assert_eq!(files.len(), 5);
    for path in files {
        let imported = import_file(&path, &Options::default()).unwrap_or_else(|failure| panic!("{failure}"));
        let urdf = path.extension().is_some_and(|extension| extension == "urdf");
        assert_eq!(imported.format, if urdf { Format::Urdf } else { Format::Mjcf });
        snapshot("import", &path, &imported.text());
    }
}

/// What was written can be read.
#[test]
fn converted_models_are_right() {
    for name in ["gripper.urdf", "rover.urdf", "whole.xml", "loops.xml"] {
        let imported = convert(name);
        let read = parse_model(&imported.text(), None).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        // The value that was not written is the same, with the same places.
        let made = imported.model(None).unwrap();
        assert_eq!((made.file, made.sources, made.warnings), (read.file, read.sources, read.warnings));
    }
}

/// ST-R52: all errors at once, each with its line.
#[test]
fn st_r52_wrong_files_give_their_reports() {
    for path in files("import/wrong", &["urdf", "xml"]) {
        let failure = import_file(&path, &Options::default()).expect_err(&path.display().to_string());
        assert!(failure.report.has_errors());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let text = failure.report.render_with(&failure.sources, &name);
        // Messages of the file system may name folders of this machine.
        let text = text.replace(&format!("{}/", folder("import/wrong").display()), "");
        snapshot("import/wrong", &path, &text);
    }
}

#[test]
fn the_list_of_what_is_missing_has_one_line_a_kind() {
    let lines: Vec<String> = convert("leg.xml").left_out.iter().map(ToString::to_string).collect();
    let imported = convert("leg.xml");
    let taken: Vec<String> = imported.taken.iter().map(ToString::to_string).collect();
    assert!(taken.contains(&"drives: 1 (drive)".to_owned()), "{taken:#?}");
    assert!(taken.contains(&"dry friction of joints: 1 (ankle)".to_owned()), "{taken:#?}");
    assert!(lines.contains(&"inactive equalities: 1 (clamp)".to_owned()), "{lines:#?}");
    let mut kinds: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    kinds.sort_unstable();
    let count = kinds.len();
    kinds.dedup();
    assert_eq!(kinds.len(), count);
}

#[test]
fn options_leave_out_stops_and_rotors_or_free_the_base() {
    let path = folder("import").join("leg.xml");
    let plain = Options { armature: false, limits: Limits::Omitted, drives: false, ..Options::default() };
    let text = import_file(&path, &plain).unwrap().text();
    assert!(!text.contains("_rotor]") && !text.contains("stop "), "{text}");
    assert!(text.contains("#   rotor inertias (armature): 4") && text.contains("#   limits of joints: 2"));

    let free = Options { free_base: true, ..Options::default() };
    let rover = import_file(folder("import").join("rover.urdf"), &free).unwrap().text();
    assert!(rover.contains("[joints.base_root]\ntype   = \"free\""), "{rover}");
    let refused = import_file(&path, &free).unwrap_err();
    assert!(refused.to_string().contains("<freejoint/>"));
}

/// A mere text has no folder to include from.
#[test]
fn texts_cannot_include_files() {
    let text = "<mujoco><include file=\"x.xml\"/><worldbody/></mujoco>";
    let failure = import_text(text, &Options::default()).unwrap_err();
    assert!(failure.to_string().contains("cannot include"), "{failure}");
}

/// Five thousand bodies in a row: the file nests too deep, a flat list of joints does not.
#[test]
fn long_chains_are_read_without_recursion() {
    use std::fmt::Write as _;
    let count = 5000;
    let mut urdf = String::from("<robot><link name=\"l0\"/>");
    for i in 1..=count {
        let parent = i - 1;
        // What moves no mass would be locked.
        let mass = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
        let mass = if i == count { mass } else { "" };
        write!(
            urdf,
            "<link name=\"l{i}\">{mass}</link><joint name=\"j{i}\" type=\"continuous\">\
             <parent link=\"l{parent}\"/><child link=\"l{i}\"/><mimic joint=\"j{}\"/></joint>",
            i % count + 1
        )
        .unwrap();
    }
    urdf.push_str("</robot>");
    let imported = import_text(&urdf, &Options::default()).unwrap();
    assert!(imported.text().contains("[joints.j5000]"));
    assert!(imported.left_out.iter().any(|entry| entry.kind == "cyclic couplings"));
    let nested = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        "<body>".repeat(count),
        "</body>".repeat(count)
    );
    let failure = import_text(&nested, &Options::default()).unwrap_err();
    assert!(failure.to_string().contains("nested more than"), "{failure}");
}
