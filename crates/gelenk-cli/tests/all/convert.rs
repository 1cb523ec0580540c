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
        "omitted   transmission elements",
        "model.toml: bodies: 4, velocities: 3, loop equations: 0",
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

/// A pendulum with a ball at its end and one at its hinge, 1 m above the ground.
fn pendulum(name: &str, x: f64, tilt: f64) -> String {
    let ball = |z: f64, radius: f64| {
        format!(
            "<collision><origin xyz=\"0 0 {z}\"/><geometry><sphere radius=\"{radius}\"/></geometry></collision>"
        )
    };
    format!(
        "<link name=\"{name}_link\"><inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"1\"/>\
         <inertia ixx=\"0.004\" iyy=\"0.004\" izz=\"0.004\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>{}{}</link>\
         <joint name=\"{name}\" type=\"continuous\"><origin xyz=\"{x} 0 1\" rpy=\"0 {tilt} 0\"/>\
         <parent link=\"base\"/><child link=\"{name}_link\"/><axis xyz=\"0 1 0\"/></joint>\n",
        ball(-0.5, 0.1),
        ball(0.0, 0.05)
    )
}

/// Largest magnitude of a column of a CSV file.
fn largest(path: &Path, column: &str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = names.iter().position(|name| name.trim_matches('"').split(' ').next() == Some(column));
    let at = at.unwrap_or_else(|| panic!("{names:?}"));
    let values = lines.filter_map(|line| line.split(',').nth(at)?.parse::<f64>().ok());
    values.fold(0.0, |largest, x| largest.max(x.abs()))
}

/// Two pendulums swing towards each other, 0.8 rad from below their hinges. Their balls are 0.04 m apart when they hang, so
/// that with self-collision none goes further than asin(0.02/0.5) = 0.04 rad beyond that; without, both swing through to
/// 1.6 rad. The balls at the hinges are deep inside the box of the base, whose neighbours the links are.
#[test]
fn links_collide_with_each_other_but_not_with_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let base = "<link name=\"base\"><collision><origin xyz=\"0 0 1\"/><geometry><box size=\"0.4 0.2 0.2\"/></geometry>\
                </collision></link>\n";
    let urdf = format!(
        "<robot name=\"r\">\n{base}{}{}</robot>",
        pendulum("left", -0.12, 0.8),
        pendulum("right", 0.12, -0.8)
    );
    std::fs::write(folder.path().join("r.urdf"), urdf).unwrap();
    for (collide, low, high) in [("none", 1.55, 1.65), ("self", 0.8, 0.86), ("all", 0.8, 0.86)] {
        let done = gelenk(folder.path(), &["convert", "r.urdf", "--collide", collide, "-o", "r.toml"]);
        assert!(done.status.success(), "{collide}: {}", errors(&done));
        let arguments =
            ["run", "r.toml", "--method", "stepped", "--step", "0.5 ms", "--until", "1 s", "-o", "r.csv"];
        let run = gelenk(folder.path(), &arguments);
        assert!(run.status.success(), "{collide}: {}", errors(&run));
        for side in ["left", "right"] {
            let found = largest(&folder.path().join("r.csv"), side);
            assert!((low..high).contains(&found), "{collide} {side}: {found}");
        }
        std::fs::remove_file(folder.path().join("r.csv")).unwrap();
    }
}

/// A planar four-bar whose pin is 30 nm out of its plane, which no motion closes: the frame moves by that, the table says so, and
/// the robot runs. One that is open by 1 mm is refused as before.
#[test]
fn loops_that_rounding_leaves_open_are_closed_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mjcf = |offset: &str| {
        format!(
            "<mujoco><worldbody>\n<body name=\"crank\"><joint name=\"a\" axis=\"0 1 0\"/>\
             <geom type=\"capsule\" fromto=\"0 0 0 0 0 0.3\" size=\"0.02\"/>\
             <body name=\"rod\" pos=\"0 0 0.3\"><joint name=\"b\" axis=\"0 1 0\"/>\
             <geom type=\"capsule\" fromto=\"0 0 0 0.5 0 0\" size=\"0.02\"/><site name=\"end\" pos=\"0.5 {offset} 0\"/></body></body>\n\
             <body name=\"rocker\" pos=\"0.5 0 0\"><joint name=\"c\" axis=\"0 1 0\"/>\
             <geom type=\"capsule\" fromto=\"0 0 0 0 0 0.3\" size=\"0.02\"/><site name=\"top\" pos=\"0 0 0.3\"/></body>\n\
             </worldbody><equality><connect name=\"pin\" site1=\"end\" site2=\"top\"/></equality></mujoco>"
        )
    };
    std::fs::write(folder.path().join("r.xml"), mjcf("0.00000003")).unwrap();
    let done = gelenk(folder.path(), &["convert", "r.xml", "-o", "r.toml"]);
    assert!(done.status.success(), "{}", errors(&done));
    assert!(errors(&done).contains("pin by 3.0e-8"), "{}", errors(&done));
    let run = gelenk(folder.path(), &["run", "r.toml", "--until", "50 ms"]);
    assert!(run.status.success(), "{}", errors(&run));
    std::fs::write(folder.path().join("r.xml"), mjcf("0.001")).unwrap();
    let done = gelenk(folder.path(), &["convert", "r.xml", "-o", "r.toml"]);
    assert!(
        !done.status.success() && errors(&done).contains("stays open by 1.000e-3 m"),
        "{}",
        errors(&done)
    );
}
