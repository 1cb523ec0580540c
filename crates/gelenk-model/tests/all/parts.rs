//! Models as parts of models: names, poses, mirrors.

use gelenk_model::{Compiled, compile, load_model, parse_model};
use gelenk_multibody::Mechanism;
use gelenk_system::{Constrained, Hybrid, System};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid")
}

fn compiled(text: &str) -> Compiled {
    let loaded = parse_model(text, Some(&folder())).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.warnings.render(&loaded.sources), "");
    compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Every recorded number and every rate of the state, by name, at a state that `shift` moves away from the start.
fn evaluate(mut mechanism: Mechanism, shift: &dyn Fn(&str) -> f64) -> BTreeMap<String, f64> {
    mechanism.record_reactions();
    let layout = mechanism.layout();
    let mut data = mechanism.data::<f64>();
    mechanism.bind(&mut data, &mechanism.parameters().values());
    let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut memory).unwrap();
    let names: Vec<String> = mechanism.channels().iter().map(|channel| channel.name.clone()).collect();
    // The first channels are the positions, then the velocities, in the order of the state.
    for (value, name) in x.iter_mut().zip(&names).take(layout.nq + layout.nv) {
        *value += shift(name);
    }
    mechanism.project(&mut data, 0.0, &mut x, &mut memory).unwrap();
    mechanism.settle(&mut data, 0.0, &x, &mut memory);
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &memory, &mut dx).unwrap();
    let mut y = vec![0.0; names.len()];
    mechanism.outputs(&mut data, 0.0, &x, &memory, &mut y).unwrap();
    let rates = names.iter().zip(&dx).take(layout.nq + layout.nv);
    let mut all: BTreeMap<String, f64> = rates.map(|(name, rate)| (format!("d {name}"), *rate)).collect();
    all.extend(names.iter().cloned().zip(y));
    all
}

/// A number between -0.1 and 0.1 that follows from `seed` and `name`.
fn random(seed: u64, name: &str) -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    for byte in name.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        state ^= state >> 29;
    }
    ((state >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 0.2
}

/// Sign of a component under the reflection with these signs of the axes; scalars keep theirs.
fn sign(name: &str, mirror: [f64; 3]) -> f64 {
    let joint = name.strip_prefix("d ").unwrap_or(name);
    let vector = joint.starts_with("reactions.")
        || joint.starts_with("loops.")
        || joint.starts_with("hip.")
        || joint.starts_with("flight.");
    if joint.starts_with("torques.") {
        // The torque about the z axis of the mirrored frame.
        return mirror.iter().product::<f64>() * mirror[2];
    }
    let suffix = joint.rsplit('.').next().unwrap();
    let axis = match suffix.chars().last() {
        Some('x') => 0,
        Some('y') => 1,
        Some('z') => 2,
        _ => return 1.0,
    };
    let axial: f64 = mirror.iter().product();
    match suffix.chars().next() {
        _ if !vector => 1.0,
        Some('q' | 'w' | 'm') => axial * mirror[axis],
        _ => mirror[axis],
    }
}

/// ST-R49: the mirrored part moves, accelerates and loads its joints like the reflected original. Gravity lies in the
/// mirror plane, the states are random, the mirrored one holds the reflected state of the original.
#[test]
fn st_r49_a_mirrored_part_is_the_reflected_original() {
    for (plane, mirror, gravity) in [
        ("xy", [1.0, 1.0, -1.0], "[\"1 m/s^2\", \"-9.81 m/s^2\", 0]"),
        ("xz", [1.0, -1.0, 1.0], "[\"1 m/s^2\", 0, \"-9.81 m/s^2\"]"),
        ("yz", [-1.0, 1.0, 1.0], "[0, \"1 m/s^2\", \"-9.81 m/s^2\"]"),
    ] {
        let head = format!("schema = 1\ngravity = {gravity}\n");
        let part = "[parts.a]\nfile = \"limb.toml\"\nprefix = \"a_\"\n";
        let plain = format!("{head}{part}");
        let mirrored = format!("{head}{part}mirror = \"{plane}\"\n");
        for seed in 0..5 {
            let shift = |name: &str| random(seed, name);
            let original = evaluate(compiled(&plain).build().unwrap(), &shift);
            let reflected = |name: &str| random(seed, name) * sign(&strip(name), mirror);
            let image = evaluate(compiled(&mirrored).build().unwrap(), &reflected);
            assert_eq!(original.len(), image.len());
            let mut compared = 0;
            for (name, value) in &original {
                let expected = value * sign(&strip(name), mirror);
                let tolerance =
                    1e-12 * (1.0 + value.abs()) * if name.starts_with("d ") { 100.0 } else { 10.0 };
                assert!(
                    (image[name] - expected).abs() <= tolerance,
                    "{plane} {name}: {} {expected}",
                    image[name]
                );
                compared += usize::from(value.abs() > 1e-9);
            }
            assert!(compared > 100, "{compared}");
        }
    }
}

/// The name as the part's file has it.
fn strip(name: &str) -> String {
    name.replace("a_", "")
}

/// A part without pose is the model itself, and a mirror before a mirror leaves nothing changed.
#[test]
fn a_part_is_the_model_and_two_mirrors_are_none() {
    let gravity = "schema = 1\ngravity = [0, -9.81, 0]\n";
    let alone =
        compile(&load_model(folder().join("limb.toml")).unwrap(), &mut |_| Err(String::new())).unwrap();
    let alone = evaluate(alone.build().unwrap(), &|_| 0.0);
    let part = format!("{gravity}[parts.a]\nfile = \"limb.toml\"\n");
    let part = evaluate(compiled(&part).build().unwrap(), &|_| 0.0);
    let temporary = tempfile::tempdir().unwrap();
    let path = folder().join("limb.toml").display().to_string();
    let inner = format!("schema = 1\n[parts.a]\nfile = \"{path}\"\nprefix = \"\"\nmirror = \"xz\"\n");
    std::fs::write(temporary.path().join("inner.toml"), inner).unwrap();
    let outer = format!("{gravity}[parts.b]\nfile = \"inner.toml\"\nprefix = \"a_\"\nmirror = \"xz\"\n");
    let loaded = parse_model(&outer, Some(temporary.path())).unwrap_or_else(|failure| panic!("{failure}"));
    let twice = compile(&loaded, &mut |_| Err(String::new())).unwrap();
    let twice = evaluate(twice.build().unwrap(), &|_| 0.0);
    assert!(alone.len() > 100);
    for (name, value) in &alone {
        let prefixed = part.iter().find(|(key, _)| strip(key) == *name).unwrap();
        assert_eq!(prefixed.1, value, "{name}");
        let mirrored = twice.iter().find(|(key, _)| strip(key) == *name).unwrap();
        assert_eq!(mirrored.1, value, "{name}");
    }
}

/// Numbers of a part have paths with its prefix; "set" gives them values of the whole under their own paths.
#[test]
fn numbers_of_parts_are_set_from_outside() {
    let text = r#"
schema  = 1
gravity = [0, -9.81, 0]

[parameters]
leg = "450 mm"

[bodies.pelvis]
mass    = "10 kg"
inertia = [1, 1, 1]

[joints.base]
type   = "free"
parent = "ground"
child  = "pelvis"

[frames.side]
body     = "pelvis"
position = [0, 0, "0.1 m"]

[parts.right]
file        = "limb.toml"
on          = "side"
orientation = ["90 deg", 0, 0]
set         = { "parameters.upper" = "leg", "bodies.foot.mass" = "2 kg", joints.hip.position.x = "50 mm" }

[parts.left]
file   = "limb.toml"
on     = "pelvis"
mirror = "xy"
set    = { "joints.hip.position.z" = "40 mm" }
"#;
    let mut compiled = compiled(text);
    let value = |compiled: &Compiled, path: &str| {
        compiled.find(path).unwrap_or_else(|error| panic!("{error}")).of(&compiled.parameters.values())
    };
    assert_eq!(value(&compiled, "parameters.right_upper"), 0.45);
    assert_eq!(value(&compiled, "parameters.left_upper"), 0.4);
    assert_eq!(value(&compiled, "bodies.right_foot.mass"), 2.0);
    assert_eq!(value(&compiled, "joints.right_hip.position.x"), 0.05);
    // Given as the part's own file means it, stored as it is after the mirror.
    assert_eq!(value(&compiled, "joints.left_hip.position.z"), -0.04);
    compiled.set("parameters.leg", "0.5 m").unwrap();
    compiled.set("parts.right.position.x", "20 mm").unwrap();
    assert_eq!(value(&compiled, "parameters.right_upper"), 0.5);
    assert_eq!(value(&compiled, "joints.right_knee.motion.y"), -0.5);
    let at = evaluate(compiled.build().unwrap(), &|_| 0.0);
    assert!(at.contains_key("left_hip.wx") && at.contains_key("right_muscle"));
}

/// Specification 3.13: a rigid rotation of the ground and of gravity changes no acceleration and no joint reaction. The
/// part stands on a turned frame on a frame; the reference is the model alone under gravity seen from there.
#[test]
fn a_turned_part_feels_gravity_from_another_side() {
    // Ry(-90 deg) puts x of the part along z of the ground, and Rx leaves it there: gravity is along -x of the part.
    let text = r#"
schema  = 1
gravity = [0, 0, "-9.81 m/s^2"]

[frames.post]
body        = "ground"
position    = [1, 2, 3]
orientation = [0, "-90 deg", 0]

[frames.arm]
body     = "post"
position = [0.5, 0, 0]

[parts.a]
file        = "limb.toml"
on          = "arm"
position    = [0, 0, 0.25]
orientation = ["30 deg", 0, 0]
"#;
    let turned = evaluate(compiled(text).build().unwrap(), &|_| 0.0);
    let alone = "schema = 1\ngravity = [\"-9.81 m/s^2\", 0, 0]\n[parts.a]\nfile = \"limb.toml\"\n";
    let alone = evaluate(compiled(alone).build().unwrap(), &|_| 0.0);
    let mut compared = 0;
    // Loop reactions are told in ground axes, and the energy of gravity counts from the ground.
    let kept = |name: &str| !name.starts_with("loops.") && !name.starts_with("energy.");
    for (name, value) in alone.iter().filter(|(name, _)| kept(name)) {
        let found = turned[name];
        assert!((found - value).abs() < 1e-9 * (1.0 + value.abs()), "{name}: {found} {value}");
        compared += usize::from(value.abs() > 1e-9);
    }
    assert!(compared > 80, "{compared}");
}
