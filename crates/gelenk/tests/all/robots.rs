//! Robots as they are: all that can be had are converted and run, and what falls lies on the ground.
//!
//! The environment variable `GELENK_ROBOTS` names the folder `robots` of the PyPI package `example-robot-data`; the models of
//! MuJoCo's Menagerie are in the folder `shared` next to the repository. Where robots are absent, the tests say so.

use gelenk::open::{Overrides, simulation};
use gelenk_import::{Collide, Imported, Options, import_file};
use gelenk_solve::{Method, Simulation};
use gelenk_system::{Nanos, System};
use gelenk_testing::dropped::Dropped;
use std::path::{Path, PathBuf};

/// All files below a folder with this extension, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Converts a robot and runs it for 10 ms with the method that is chosen for it.
fn runs(path: &Path, options: &Options) -> Result<Imported, String> {
    let imported = import_file(path, options).map_err(|failure| failure.to_string())?;
    if !imported.impossible.is_empty() {
        return Err(format!("impossible inertias: {:?}", imported.impossible));
    }
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("robot.toml");
    std::fs::write(&model, imported.text()).unwrap();
    std::fs::create_dir(folder.path().join("meshes")).unwrap();
    for file in &imported.files {
        std::fs::write(folder.path().join("meshes").join(&file.name), &file.bytes).unwrap();
    }
    let instant = Some("10 ms".to_owned());
    let overrides = Overrides { until: instant.clone(), output: instant, ..Overrides::default() };
    let prepared = simulation(&model, &overrides).map_err(|error| error.to_string())?;
    let p = prepared.parameters.values();
    let mut run = Simulation::new(&prepared.mechanism, &p, prepared.options.method)
        .map_err(|error| error.to_string())?;
    run.advance_to(prepared.options.until).map_err(|error| error.to_string())?;
    let bounded = run.state().iter().all(|x| x.abs() < 1e6);
    if bounded { Ok(imported) } else { Err("the state grows without bound".to_owned()) }
}

/// 65 of the 69 run as they are. Three have impossible inertias or point masses and run with the options that the messages
/// suggest; `ur3.urdf` has no links.
#[test]
fn robots_of_example_robot_data_run() {
    let Some(folder) = std::env::var_os("GELENK_ROBOTS") else {
        println!("skipped: robots of example-robot-data: GELENK_ROBOTS does not name their folder");
        return;
    };
    let files = files(Path::new(&folder), "urdf");
    let mended = Options { repair_inertia: true, least_inertia: Some(1e-5), ..Options::default() };
    let (mut plain, mut repaired, mut refused) = (0, Vec::new(), Vec::new());
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if runs(path, &Options::default()).is_ok() {
            plain += 1;
        } else if let Err(reason) = runs(path, &mended) {
            refused.push((name, reason));
        } else {
            repaired.push(name);
        }
    }
    println!("{} robots, {plain} as they are, with options {repaired:?}, refused {refused:?}", files.len());
    assert!(files.len() >= 69 && plain >= 65, "{plain} of {}; {repaired:?} {refused:?}", files.len());
    assert!(plain + repaired.len() >= 67, "{refused:?}");
}

/// Every model and scene of the Menagerie that is there runs. The muscles of MS-Human-700, 700 spatial tendons, have no
/// counterpart and are listed.
#[test]
fn models_of_the_menagerie_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/mujoco_menagerie_models");
    if !folder.is_dir() {
        println!("skipped: models of the Menagerie: they are not there");
        return;
    }
    // Files in `assets` are parts of others.
    let models: Vec<PathBuf> = files(&folder, "xml")
        .into_iter()
        .filter(|path| !path.components().any(|c| c.as_os_str() == "assets"))
        .collect();
    for path in &models {
        let imported = runs(path, &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let muscles = imported.left_out.iter().find(|entry| entry.kind == "tendons (spatial)");
        let expected = path.ends_with("ms_human_700/MS-Human-700.xml").then_some(700);
        assert!(expected.is_none_or(|count| muscles.map(|entry| entry.count) == Some(count)), "{muscles:?}");
    }
    assert_eq!(models.len(), 18);
}

/// An OP3 that falls from 2 cm: its collision meshes stop it on the ground, in both stepped methods.
#[test]
fn a_robot_of_the_menagerie_does_not_fall_through_the_ground() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/mujoco_menagerie_models");
    let path = shared.join("robotis_op3/op3.xml");
    if !path.is_file() {
        println!("skipped: a robot that falls: {} is not there", path.display());
        return;
    }
    let robot = Dropped::new(&path, false, 0.02).unwrap();
    let step = Nanos::from_seconds(2e-3).unwrap();
    // In free fall it would be 0.4 m below the ground, g t^2/2 - 0.02 m.
    let fall = robot.fall(Method::Stepped { step }, 0.3).unwrap();
    assert!((-5e-3..1e-3).contains(&fall.lowest), "{}", fall.lowest);
    assert!((-5e-3..2e-2).contains(&fall.at_end), "{}", fall.at_end);
    assert!(robot.mechanism.layout().nv == 26);
}

/// A ball and a box on a foot of a URDF: both kinds of shapes are stopped, and what is stopped rests.
#[test]
fn simple_shapes_rest_on_the_ground() {
    let folder = tempfile::tempdir().unwrap();
    let urdf = "<robot name=\"foot\"><link name=\"foot\"><inertial><mass value=\"2\"/>\
        <inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.02\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
        <collision><geometry><box size=\"0.3 0.2 0.1\"/></geometry></collision>\
        <collision><origin xyz=\"0 0 0.1\"/><geometry><sphere radius=\"0.05\"/></geometry></collision></link></robot>";
    let path = folder.path().join("foot.urdf");
    std::fs::write(&path, urdf).unwrap();
    let robot = Dropped::new(&path, true, 0.05).unwrap();
    let step = Nanos::from_seconds(1e-3).unwrap();
    let fall = robot.fall(Method::Stepped { step }, 1.0).unwrap();
    assert!(fall.lowest > -5e-3 && fall.at_end.abs() < 1e-3, "{} {}", fall.lowest, fall.at_end);
    assert!(fall.speed < 1e-3, "{}", fall.speed);
}

/// What collides is said by the option: shapes, and contacts with the ground, between links, or both.
#[test]
fn contacts_are_those_that_are_wanted() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gelenk-import/tests/import/gripper.urdf");
    for (collide, ground) in [(Collide::None, false), (Collide::Ground, true)] {
        let imported = import_file(&path, &Options { collide, ..Options::default() }).unwrap();
        assert_eq!(imported.text().contains("\n[contacts.ground_simple]"), ground);
    }
}
