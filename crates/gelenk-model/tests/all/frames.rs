//! Loops, forces and measures between frames, from the file to the equations.

use gelenk_model::{Compiled, compile, load_model, parse_model};
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{LoopKind, SignalKind};
use gelenk_system::System;

fn compiled(file: &str) -> Compiled {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid").join(file);
    let loaded = load_model(path).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.warnings.render(&loaded.sources), "");
    compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"))
}

/// ST-R10, ST-R11: every type of table 1.1 can be written, and removes the freedoms that the table says.
#[test]
fn st_r10_st_r11_every_loop_has_its_number_of_equations() {
    let whole = compiled("loops.toml");
    let numbers: [(&str, usize); 15] = [
        ("point", 3),
        ("ball", 3),
        ("parallel", 2),
        ("perpendicular", 1),
        ("orientation", 3),
        ("distance", 1),
        ("plane", 1),
        ("ellipsoid", 1),
        ("rigid", 6),
        ("revolute", 5),
        ("cylindrical", 4),
        ("prismatic", 5),
        ("universal", 4),
        ("gear", 1),
        ("teeth", 1),
    ];
    assert_eq!(whole.blueprint.loops.len(), numbers.len());
    for (index, (name, expected)) in numbers.into_iter().enumerate() {
        let mut one = whole.clone();
        let closure = one.blueprint.loops.swap_remove(index);
        assert_eq!(closure.name, name);
        one.blueprint.loops = vec![closure];
        assert_eq!(one.build().unwrap().layout().nc, expected, "{name}");
    }
    whole.build().unwrap();
}

#[test]
fn numbers_of_loops_are_parameters() {
    let mut compiled = compiled("loops.toml");
    let LoopKind::Distance(_, length) = compiled.blueprint.loops[5].kind else { panic!("a distance") };
    let LoopKind::Ellipsoid(_, radii) = compiled.blueprint.loops[7].kind else { panic!("an ellipsoid") };
    compiled.set("parameters.radius", "40 mm").unwrap();
    compiled.set("loops.ellipsoid.radii.y", "10 mm").unwrap();
    let values = compiled.parameters.values();
    assert_eq!(length.of(&values), 0.08);
    assert_eq!(radii.map(|radius| radius.of(&values)), [0.04, 0.01, 0.03]);
    compiled.set("loops.distance.length", "-1 m").unwrap_err();
}

/// ST-R13, ST-R14: applied forces, and force elements between bodies, with the efforts that their expressions give.
#[test]
fn st_r13_st_r14_forces_act_as_written() {
    let compiled = compiled("forces.toml");
    let names: Vec<&str> = compiled.blueprint.elements.iter().map(|element| element.name.as_str()).collect();
    assert_eq!(
        names,
        ["forces.weight", "forces.jet", "forces.wind", "lines.cable", "torques.clutch", "bushings.mount"]
    );
    let axes = |index: usize| match compiled.blueprint.elements[index].on {
        Attachment::Point { frame, axes } | Attachment::Turn { frame, axes } => (frame, axes),
        _ => panic!("a force"),
    };
    assert_eq!(axes(0).1, None);
    assert_eq!(axes(1).1, Some(axes(1).0));
    assert_eq!(axes(2).1, None);
    let mechanism = compiled.build().unwrap();
    let layout = mechanism.layout();
    let mut data = mechanism.data::<f64>();
    mechanism.bind(&mut data, &mechanism.parameters().values());
    let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut memory).unwrap();
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &memory, &mut dx).unwrap();
    // Order of the velocities: phi, then of the free joint the angular and the linear ones.
    let a = &dx[layout.v()];
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    // (0.5 (1 - 2) - 0.1 pi/2)/0.2.
    near(a[0], (-0.5 - 0.1 * std::f64::consts::FRAC_PI_2) / 0.2);
    // The box is at (3, 4, 0) with the velocity (1, 0, 0): distance 5, rate 0.6, tension 10.3 towards the ground;
    // the jet turned by 90 deg pushes along y; the bushing pulls with (3 + 0.1, 8, 0).
    near(a[4], (-10.3 * 0.6 - 3.1) / 2.0);
    near(a[5], (-6.0 + 3.0 - 10.3 * 0.8 - 8.0) / 2.0);
    near(a[6], 0.0);
    let mut y = vec![0.0; mechanism.channels().len()];
    mechanism.outputs(&mut data, 0.0, &x, &memory, &mut y).unwrap();
    let channel = |name: &str| {
        let index = mechanism.channels().iter().position(|channel| channel.name == name).unwrap();
        (y[index], mechanism.channels()[index].unit.as_str())
    };
    for (name, value, unit) in [
        ("reach", 5.0, "m"),
        ("reach.rate", 0.6, "m/s"),
        ("ahead", 3.0, "m"),
        ("ahead.rate", 1.0, "m/s"),
        ("aside", 4.0, "m"),
        ("above", 0.0, "m"),
        ("turn", std::f64::consts::FRAC_PI_2, "rad"),
        ("turn.rate", 2.0, "rad/s"),
        ("far", 2.0, "m"),
    ] {
        near(channel(name).0, value);
        assert_eq!(channel(name).1, unit, "{name}");
    }
}

#[test]
fn measures_are_two_signals() {
    let compiled = compiled("forces.toml");
    let names: Vec<&str> = compiled
        .blueprint
        .signals
        .iter()
        .filter(|signal| matches!(signal.kind, SignalKind::Measure(..)))
        .map(|signal| signal.name.as_str())
        .collect();
    assert_eq!(names[..4], ["reach", "reach.rate", "ahead", "ahead.rate"]);
    assert_eq!(compiled.dimension("bushings.mount.torsion.x").unwrap().to_string(), "N m/rad");
}

#[test]
fn a_motion_cannot_follow_a_measure() {
    let text = r#"
schema = 1
gravity = [0, 0, 0]
[bodies.a]
mass = 1
inertia = [0, 0, 0]
[joints.a]
type = "prismatic"
parent = "ground"
child = "a"
value = "reach"
[measures.reach]
between = ["ground", "a"]
type = "x"
"#;
    let failure = parse_model(text, None).unwrap_err().to_string();
    assert!(failure.contains("the motion of a joint cannot depend on \"reach\""), "{failure}");
}
