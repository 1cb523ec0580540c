//! Joints of several freedoms, from the file to where they put their bodies.

use gelenk_model::{Compiled, compile, load_model, parse_model};
use gelenk_multibody::blueprint::{CoordinateKind, JointMotion, Scalar};
use gelenk_system::System;
use std::f64::consts::{FRAC_PI_2, PI};

fn compiled() -> Compiled {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid/joints.toml");
    let loaded = load_model(path).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.warnings.render(&loaded.sources), "");
    compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The recorded values at the start.
fn start(compiled: Compiled) -> impl Fn(&str) -> f64 {
    let mechanism = compiled.build().unwrap();
    let layout = mechanism.layout();
    let mut data = mechanism.data::<f64>();
    mechanism.bind(&mut data, &mechanism.parameters().values());
    let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut memory).unwrap();
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &memory, &mut dx).unwrap();
    let mut y = vec![0.0; mechanism.channels().len()];
    mechanism.outputs(&mut data, 0.0, &x, &memory, &mut y).unwrap();
    let names: Vec<String> = mechanism.channels().iter().map(|channel| channel.name.clone()).collect();
    move |name| y[names.iter().position(|known| known == name).unwrap_or_else(|| panic!("no channel {name}"))]
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// ST-R4: the joints of the thesis as special cases of the general one. The point 1 m along z of every body is
/// compared with the product of the elementary rotations, written out by hand.
#[test]
fn st_r4_every_joint_puts_its_body_where_it_should() {
    let at = start(compiled());
    let place = |body: &str, expected: [f64; 3]| {
        for (axis, expected) in ["x", "y", "z"].into_iter().zip(expected) {
            near(at(&format!("{body}_{axis}")), expected);
        }
    };
    // A quarter of a turn of 8 mm; a left-hand thread of 4 mm on the same coordinate.
    place("nut", [0.0, 0.0, 1.002]);
    near(at("nut_turn"), FRAC_PI_2);
    near(at("nut_z.rate"), 0.008 / (2.0 * PI) * 2.0);
    place("knee_screw", [0.0, 0.0, 0.999]);
    place("shaft", [0.0, 0.0, 1.1]);
    near(at("shaft_turn"), 30f64.to_radians());
    // Ax(a) Ay(b) e_z.
    let (a, b) = (20f64.to_radians(), 0.5f64);
    place("cross", [b.sin(), -a.sin() * b.cos(), a.cos() * b.cos()]);
    place("puck", [1.0, -2.0, 1.0]);
    near(at("puck_turn"), (-40f64).to_radians());
    // Az(a) Ax(b) e_z.
    let (a, b) = (0.3f64, 0.7f64);
    place("arm", [a.sin() * b.sin(), -a.cos() * b.sin(), b.cos()]);
    // Ax(a) Ay(b) e_z, once by coordinates and once by a quaternion.
    let cardan = [b.sin(), -a.sin() * b.cos(), a.cos() * b.cos()];
    place("ankle", cardan);
    place("bob", cardan);
    near(at("ankle_turn"), at("bob_turn"));
    near(at("w"), 2.0);
}

/// ST-R5: a joint scalar is a constant, a coordinate or a function of coordinates and time.
#[test]
fn st_r5_scalars_of_a_general_joint_are_what_they_look_like() {
    let mut compiled = compiled();
    let joint = compiled.blueprint.joints.iter().find(|joint| joint.name == "knee").unwrap();
    let JointMotion::General { translation, rotation, .. } = &joint.motion else { panic!("general") };
    assert!(matches!(translation, [Scalar::Constant(_), Scalar::Function(_), Scalar::Coordinate(_)]));
    assert!(matches!(rotation, [Scalar::Constant(_), Scalar::Coordinate(_), Scalar::Function(_)]));
    let kind = |name: &str| {
        compiled.blueprint.coordinates.iter().find(|coordinate| coordinate.name == name).unwrap().kind
    };
    assert_eq!((kind("lift"), kind("q")), (CoordinateKind::Length, CoordinateKind::Angle));
    // x = offset, y = cam(45 deg), z = 0.4 m; then Ax(30 deg) Ay(45 deg) e_z.
    let expected = |x: f64| {
        let (a, b) = (30f64.to_radians(), 45f64.to_radians());
        [x + b.sin(), 0.005 - a.sin() * b.cos(), 0.4 + a.cos() * b.cos()]
    };
    let check = |compiled: Compiled, expected: [f64; 3]| {
        let at = start(compiled);
        for (axis, expected) in ["x", "y", "z"].into_iter().zip(expected) {
            near(at(&format!("shank_{axis}")), expected);
        }
    };
    check(compiled.clone(), expected(0.02));
    compiled.set("joints.knee.motion.x", "50 mm").unwrap();
    check(compiled, expected(0.05));
}

#[test]
fn settings_of_coordinates_have_the_paths_where_they_stand() {
    let mut compiled = compiled();
    for path in [
        "joints.shaft.coordinates.0.start",
        "joints.shaft.coordinates.0.spring.stiffness",
        "joints.cross.coordinates.0.stop.range.upper",
        "joints.nut.friction.viscous",
        "joints.nut.lead",
        "joints.bob.start.angular_velocity.z",
        "joints.knee.axes.1.y",
        "coordinates.px.friction.viscous",
    ] {
        assert!(compiled.parameters.find(path).is_ok(), "{path}");
    }
    compiled.set("joints.nut.lead", "40 mm").unwrap();
    assert!(compiled.set("constants.one", "2").is_err());
    let elements: Vec<&str> = compiled.blueprint.elements.iter().map(|e| e.name.as_str()).collect();
    assert!(elements.contains(&"joints.shaft.coordinates.0.spring"), "{elements:?}");
    near(start(compiled)("nut_z"), 1.01);
}

/// ST-R5: a coordinate measures one thing.
#[test]
fn st_r5_a_coordinate_cannot_be_an_angle_and_a_length() {
    let text = r#"
schema = 1
gravity = [0, 0, 0]
[bodies.a]
mass = 1
inertia = [1, 1, 1]
[joints.a]
type = "general"
parent = "ground"
child = "a"
motion = { x = "q", w1 = "q" }
"#;
    let failure = parse_model(text, None).unwrap_err();
    assert_eq!(failure.report.len(), 1, "{failure}");
    let shown = failure.to_string();
    assert!(shown.contains("coordinate \"q\" cannot be both an angle and a length"), "{shown}");
    assert!(shown.contains("11:27") && shown.contains("11:17"), "{shown}");
}
