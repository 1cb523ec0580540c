//! Joints that move no mass, and mimics of joints that do not exist.

use crate::inverse_peer::{Motion, build};
use gelenk_import::{Entry, Imported, Options, import_text};
use gelenk_system::System;

const BODY: &str = "<inertial><origin xyz=\"0 0 0.1\"/><mass value=\"1\"/>\
    <inertia ixx=\"0.2\" iyy=\"0.2\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";

fn link(name: &str, inside: &str) -> String {
    format!("<link name=\"{name}\">{inside}</link>\n")
}

fn joint(name: &str, parent: &str, child: &str, inside: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"0 0 0.3\"/><axis xyz=\"0 1 0\"/>{inside}</joint>\n"
    )
}

fn convert(parts: &[String], options: &Options) -> Imported {
    let urdf = format!("<robot name=\"r\">\n{}</robot>\n", parts.concat());
    import_text(&urdf, options).unwrap_or_else(|failure| panic!("{failure}"))
}

fn lines(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(ToString::to_string).collect()
}

/// Fingers without mass on an arm: the arm moves as if they were not there, and the table lists them. The limit of the
/// first one does not include 0, so it is locked at 0.5 rad, and its follower at 2 times that.
#[test]
fn joints_without_mass_are_locked_and_listed() {
    let limit = "<limit lower=\"0.5\" upper=\"1\" effort=\"3\" velocity=\"1\"/>";
    let mimic = "<mimic joint=\"finger\" multiplier=\"2\"/>";
    let arm = [link("base", ""), link("arm", BODY), joint("shoulder", "base", "arm", "")];
    let fingers = [
        link("knuckle", ""),
        link("tip", ""),
        joint("finger", "arm", "knuckle", limit),
        joint("end", "knuckle", "tip", mimic),
    ];
    let whole = convert(&[arm.concat(), fingers.concat()], &Options::default());
    let changed = lines(&whole.changed);
    assert!(
        changed.contains(&"joints that move no mass: locked where they start: 2 (finger, end)".to_owned()),
        "{changed:?}"
    );
    let left_out = lines(&whole.left_out);
    assert!(
        left_out.contains(&"drives of fixed or locked joints: 1 (finger_drive)".to_owned()),
        "{left_out:?}"
    );
    let bare = convert(&arm, &Options::default());
    let [found, expected] = [&whole, &bare].map(|imported| {
        let mechanism = build(&imported.text());
        assert_eq!(mechanism.layout().nv, 1);
        Motion::of_mujoco(&mechanism, 1).efforts(&mechanism).unwrap().0
    });
    assert_eq!(found, expected);
    // Closed form: 0.5 rad, then 1 rad more; the quaternion of the last frame is that of 1.5 rad about y.
    let model: toml::Table = whole.text().parse().unwrap();
    let tip = super::import_peer::pose(model["frames"]["tip"].as_table().unwrap());
    let turned = gelenk_math::rotation::about_axis(&gelenk_math::spatial::Vec3::y(), 1.5);
    assert!((tip.rotation - turned).norm() < 1e-12, "{}", tip.rotation);
    let along = gelenk_math::spatial::Vec3::new(0.3 * 0.5_f64.sin(), 0.0, 0.3 + 0.3 * 0.5_f64.cos());
    assert!((tip.position - along).norm() < 1e-12, "{}", tip.position);
}

/// A joint without mass of its own that another with mass follows moves that mass, and stays.
#[test]
fn leaders_of_heavy_joints_stay() {
    let parts = [
        link("base", ""),
        link("handle", ""),
        link("arm", BODY),
        joint("lever", "base", "handle", ""),
        joint("shoulder", "base", "arm", "<mimic joint=\"lever\"/>"),
    ];
    let imported = convert(&parts, &Options::default());
    assert!(imported.changed.iter().all(|entry| !entry.kind.contains("no mass")), "{:?}", imported.changed);
    assert_eq!(build(&imported.text()).layout().nv, 1);
}

/// The joint moves freely, and the table has the place and the near name.
#[test]
fn a_mimic_of_nothing_leaves_the_joint_free() {
    let parts = [
        link("base", ""),
        link("arm", BODY),
        link("hand", BODY),
        joint("left_q1", "base", "arm", ""),
        joint("left_q2", "arm", "hand", "<mimic joint=\"lift_q1\"/>"),
    ];
    let imported = convert(&parts, &Options::default());
    let entry = imported.left_out.iter().find(|entry| entry.kind.contains("mimic")).unwrap();
    assert_eq!(entry.names, ["left_q2 of lift_q1 (is left_q1 meant?)"]);
    assert_eq!(entry.places, ["robot.xml:6"]);
    assert_eq!(build(&imported.text()).layout().nv, 2);
}

/// Moments of inertia below the bound are raised to it; others stay.
#[test]
fn moments_of_inertia_have_a_least_value() {
    let point = BODY.replace("0.2", "0").replace("0.1\" ixy", "0\" ixy");
    let parts = [
        link("base", ""),
        link("arm", BODY),
        link("head", &point),
        joint("shoulder", "base", "arm", ""),
        joint("neck", "arm", "head", ""),
    ];
    let options = Options { least_inertia: Some(1e-4), ..Options::default() };
    let imported = convert(&parts, &options);
    assert_eq!(lines(&imported.changed), ["moments of inertia: at least 0.0001 kg m^2: 1 (head)"]);
    let model: toml::Table = imported.text().parse().unwrap();
    let moments: Vec<f64> = model["bodies"]["head"]["inertia"]
        .as_array()
        .unwrap()
        .iter()
        .map(super::import_peer::number)
        .collect();
    assert_eq!(moments, [1e-4; 3]);
}
