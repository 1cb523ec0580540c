//! Rotor inertia, where it cannot be kept.

use gelenk::open::Overrides;

use super::support::prepared;

/// In absolute coordinates a rotor was dropped without a word: 2.3922 rad instead of 2.1971 rad.
#[test]
fn absolute_coordinates_refuse_a_rotor() {
    let text = r#"
        schema = 1
        gravity = [0, 0, -9.81]
        bodies.a = { mass = 1, centre = [0.3, 0, 0], inertia = [0.01, 0.02, 0.03] }
        joints.j = { type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = { name = "p", rotor_inertia = 0.5 } }
    "#;
    let overrides = Overrides { formulation: Some("absolute".into()), ..Overrides::default() };
    let error = prepared(text, &overrides).err().unwrap_or_default();
    assert!(error.contains("coordinate p") && error.contains("rotor inertia"), "{error}");
    assert!(prepared(text, &Overrides::default()).is_ok());
}

/// hunt-joints F13: `convert --spline` dropped the rotor of a coordinate that becomes a curve, 5.7246 rad instead of 4.6250 rad
/// after 0.5 s. It is refused by name, as springs and drives are, or the motion stays.
#[test]
fn spline_joints_refuse_a_rotor() {
    let folder = tempfile::tempdir().unwrap();
    let path = super::support::model("spline_rotor.toml");
    let arguments = [
        "convert",
        path.to_str().unwrap(),
        "--spline",
        "pin",
        "--spline",
        "pivot",
        "--over",
        "phi",
        "--from",
        "-10 deg",
        "--to",
        "470 deg",
        "--knots",
        "400",
        "-o",
        "spline.toml",
    ];
    let output = super::support::gelenk(folder.path(), &arguments);
    let said = super::support::text(&output);
    assert!(!output.status.success() && said.contains("chi") && said.contains("rotor"), "{said}");
}
