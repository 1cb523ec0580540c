//! What a recording carries for pictures: poses of the bodies and a description of the scene.
use std::path::Path;

use gelenk::open::{Overrides, Prepared, simulation};
use gelenk::run::run;
use serde_json::Value;

fn open(text: &str) -> Prepared {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.toml");
    std::fs::write(&file, text).unwrap();
    simulation(&file, &Overrides::default()).unwrap()
}

const ARM: &str = r#"
schema  = 1
gravity = [0, 0, -9.81]
[parameters]
long = "0.4 m"
ramp = "1 N/s"
[bodies.arm]
mass   = 1
centre = ["long/2", 0, 0]
shape  = { capsule = { radius = "10 mm", length = "long" } }
[bodies.tool]
mass = 0.1
[bodies.tool.shapes.grip]
box         = { size = [0.1, 0.2, 0.3] }
position    = [0.5, 0, 0]
orientation = [0, 0, "90 deg"]
[joints.shoulder]
type       = "revolute"
parent     = "ground"
child      = "arm"
position   = [0, 0, 1]
axis       = [0, 1, 0]
coordinate = { name = "phi", start = 0.3 }
[joints.wrist]
type     = "fixed"
parent   = "tip"
child    = "tool"
position = [0, "1 cm", 0]
[frames.tip]
body     = "arm"
position = ["long", 0, 0]
[forces.push]
on    = "tip"
force = ["2 N", 0, "ramp * t"]
[simulate]
until  = "1 s"
output = "0.1 s"
"#;

/// The pose of an arm on a hinge is the rotation by its coordinate about the hinge's place (closed form), in a recording
/// with reactions and accelerations beside it, in whatever order they were asked for.
#[test]
fn poses_are_those_of_the_coordinates() {
    let mut prepared = open(ARM);
    prepared.mechanism.record_poses();
    prepared.mechanism.record_reactions();
    prepared.mechanism.record_accelerations();
    prepared.mechanism.record_poses();
    let (recording, _) = run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap();
    let column = |name: &str| recording.column(name).unwrap();
    for (k, &phi) in column("phi").iter().enumerate() {
        let arm =
            ["x", "y", "z", "qw", "qx", "qy", "qz"].map(|part| column(&format!("bodies.arm.{part}"))[k]);
        let expected = [0.0, 0.0, 1.0, (phi / 2.0).cos(), 0.0, (phi / 2.0).sin(), 0.0];
        for (found, expected) in arm.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{arm:?} at row {k}");
        }
        let tool = ["x", "y", "z"].map(|part| column(&format!("bodies.tool.{part}"))[k]);
        let expected = [0.4 * phi.cos(), 0.01, 1.0 - 0.4 * phi.sin()];
        for (found, expected) in tool.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{tool:?} at row {k}");
        }
        let push = ["fx", "fy", "fz"].map(|part| column(&format!("forces.push.{part}"))[k]);
        assert_eq!(push, [2.0, 0.0, recording.time()[k]]);
    }
    // Free of what stands beside them: the tool's weight and force through the wrist.
    assert!(column("reactions.wrist.fz").iter().any(|&f| f != 0.0));
    assert!(column("phi.acceleration").iter().any(|&a| a != 0.0));
}

/// The scene names sizes with their values, places on bodies, and what acts where.
#[test]
fn the_scene_has_what_a_picture_needs() {
    let scene: Value = serde_json::from_str(&open(ARM).scene).unwrap();
    assert_eq!(scene["up"], serde_json::json!([0.0, 0.0, 1.0]));
    let arm = &scene["bodies"][0];
    assert_eq!((&arm["name"], &arm["shapes"][0]["kind"]), (&"arm".into(), &"capsule".into()));
    assert_eq!(arm["shapes"][0]["length"], 0.4);
    assert_eq!(arm["shapes"][0]["position"], serde_json::json!([0.2, 0.0, 0.0]));
    let grip = &scene["bodies"][1]["shapes"][0];
    assert_eq!(grip["position"], serde_json::json!([0.5, 0.0, 0.0]));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!((grip["quaternion"][3].as_f64().unwrap() - half).abs() < 1e-15);
    let wrist = &scene["joints"][1];
    assert_eq!((&wrist["parent"], &wrist["child"]), (&"arm".into(), &"tool".into()));
    assert_eq!(wrist["position"], serde_json::json!([0.4, 0.01, 0.0]));
    assert_eq!(scene["elements"][0]["type"], "force");
    let frame = scene["elements"][0]["frame"].as_u64().unwrap();
    assert_eq!(scene["frames"][usize::try_from(frame).unwrap()]["body"], "arm");
}

/// Every case that can be simulated describes its scene; those with meshes carry their triangles.
#[test]
fn every_model_of_the_cases_has_a_scene() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut seen = 0;
    for case in std::fs::read_dir(folder).unwrap().flatten() {
        let Ok(prepared) = simulation(&case.path().join("model.toml"), &Overrides::default()) else {
            continue;
        };
        let scene: Value = serde_json::from_str(&prepared.scene).unwrap();
        let bodies = scene["bodies"].as_array().unwrap().len();
        assert_eq!(bodies, prepared.mechanism.body_names().count(), "{:?}", case.path());
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// A body of 2*340^2 = 231,200 triangles is drawn with 200,000, and a note says so; with 200,000 at most there is none.
#[test]
fn meshes_with_too_many_triangles_are_drawn_coarser_with_a_note() {
    use std::fmt::Write;
    for (around, noted) in [(340_usize, true), (30, false)] {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / around as f64;
        let mut obj = String::new();
        for k in 0..around * around {
            let ((su, cu), (sv, cv)) = (angle(k / around).sin_cos(), angle(k % around).sin_cos());
            writeln!(obj, "v {} {} {}", (0.3 + 0.1 * cv) * cu, (0.3 + 0.1 * cv) * su, 0.1 * sv).unwrap();
        }
        for k in 0..around * around {
            let at = |i: usize, j: usize| 1 + (i % around) * around + j % around;
            let (i, j) = (k / around, k % around);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            writeln!(obj, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("torus.obj"), obj).unwrap();
        let model = "schema = 1\ngravity = [0, 0, 0]\n[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\ntype = \"free\"\nparent = \"ground\"\n\
                     child = \"b\"\n[visuals.torus]\non = \"b\"\nmesh = { file = \"torus.obj\" }\n";
        let file = folder.path().join("model.toml");
        std::fs::write(&file, model).unwrap();
        let prepared = simulation(&file, &Overrides::default()).unwrap();
        let said = prepared.warnings.contains("coarser copies with about 200000 are drawn");
        assert_eq!(said, noted, "{}", prepared.warnings);
    }
}
