//! Converted models beside MuJoCo: masses, freedoms, places of all bodies, accelerations.
//!
//! The numbers in `import/peer/mujoco.txt` were written by `import/peer/with_mujoco.py` with MuJoCo 4.0.0. The first four models
//! stand there, too; the others are data beside the repository, and where they are absent the test says so.

use gelenk_import::{Limits, Options, import_file};
use gelenk_math::expression::Expression;
use gelenk_math::rotation::{about_axis, cardan};
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_model::{compile, parse_model};
use gelenk_system::System;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What MuJoCo says about one model.
#[derive(Default)]
struct Expected {
    file: String,
    mass: f64,
    velocities: usize,
    couplings: usize,
    bodies: Vec<(String, Vec3<f64>)>,
    accelerations: Vec<f64>,
}

fn expected() -> Vec<Expected> {
    let mut list: Vec<Expected> = Vec::new();
    for line in include_str!("../import/peer/mujoco.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let numbers =
            |from: usize| words[from..].iter().map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
        if words[0] == "model" {
            list.push(Expected { file: words[1].to_owned(), ..Expected::default() });
            continue;
        }
        let last = list.last_mut().unwrap();
        match words[0] {
            "mass" => last.mass = numbers(1)[0],
            "velocities" => last.velocities = words[1].parse().unwrap(),
            "couplings" => last.couplings = words[1].parse().unwrap(),
            "body" => last.bodies.push((words[1].to_owned(), Vec3::from_vec(numbers(2)))),
            "accelerations" => last.accelerations = numbers(1),
            other => panic!("{other}"),
        }
    }
    list
}

pub(crate) fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) => match text.split_once(' ').unwrap() {
            (number, "rad") => number.parse().unwrap(),
            (number, "deg") => number.parse::<f64>().unwrap().to_radians(),
            other => panic!("{other:?} is no angle"),
        },
        other => panic!("{other} is no number"),
    }
}

pub(crate) fn vector(table: &Table, key: &str) -> Option<[f64; 3]> {
    let list: Vec<f64> = table.get(key)?.as_array()?.iter().map(number).collect();
    list.try_into().ok()
}

pub(crate) fn pose(table: &Table) -> Pose<f64> {
    let position = vector(table, "position").unwrap_or_default();
    Pose::new(cardan(vector(table, "orientation").unwrap_or_default()), Vec3::from(position))
}

/// World poses of the bodies of a model file at the start, read from the text alone.
pub(crate) fn poses(model: &Table) -> BTreeMap<String, Pose<f64>> {
    let tables = |key: &str| model.get(key).and_then(Value::as_table).cloned().unwrap_or_default();
    let joints = tables("joints");
    let start = |joint: &Table| match joint.get("coordinate") {
        Some(coordinate) => coordinate.get("start").map_or(0.0, number),
        None => 0.0,
    };
    let value = |name: &str, joint: &Table| match joint.get("value").and_then(Value::as_str) {
        Some(text) => {
            let names: Vec<&String> = joints.keys().collect();
            let slots: Vec<f64> = names.iter().map(|name| start(joints[*name].as_table().unwrap())).collect();
            let lookup = |name: &str| names.iter().position(|known| *known == name);
            let program = Expression::parse(text).unwrap().compile(&lookup).expect(name);
            program.eval(&slots, &mut vec![0.0; program.scratch_len()])
        }
        None => start(joint),
    };
    let mut world = BTreeMap::from([("ground".to_owned(), Pose::identity())]);
    let mut open: Vec<(&String, &Table)> = joints.iter().map(|(n, j)| (n, j.as_table().unwrap())).collect();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|(name, joint)| {
            let Some(parent) = world.get(joint["parent"].as_str().unwrap()).copied() else { return true };
            let axis = Vec3::from(vector(joint, "axis").unwrap_or([0.0, 0.0, 1.0])).normalize();
            let moved = match joint["type"].as_str().unwrap() {
                "revolute" => Pose::new(about_axis(&axis, value(name, joint)), Vec3::zeros()),
                "prismatic" => Pose::new(Pose::identity().rotation, axis * value(name, joint)),
                _ => joint.get("start").and_then(Value::as_table).map_or_else(Pose::identity, pose),
            };
            world.insert(joint["child"].as_str().unwrap().to_owned(), parent * pose(joint) * moved);
            false
        });
        assert!(open.len() < before, "the joints form a cycle");
    }
    for (name, frame) in tables("frames") {
        let frame = frame.as_table().unwrap();
        let place = world[frame["body"].as_str().unwrap()] * pose(frame);
        world.insert(name, place);
    }
    world
}

/// Accelerations at the state that `with_mujoco.py` describes.
pub(crate) fn accelerations(text: &str) -> Vec<f64> {
    let model = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    let mechanism = compile(&model, &mut |_| Err(String::new())).unwrap().build().unwrap();
    let layout = mechanism.layout();
    let mut data = mechanism.data::<f64>();
    let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut memory).unwrap();
    let scalars = mechanism.coordinate_names().count();
    for i in 0..scalars {
        x[i] += 0.3 * (i as f64 + 1.0).sin();
        x[layout.nq + i] = 0.5 * (i as f64 + 2.0).cos();
    }
    if layout.nv > scalars {
        for (value, shift) in x[scalars..].iter_mut().zip([0.1, -0.2, 0.3]) {
            *value += shift;
        }
        let quaternion = [0.8, 0.2, -0.4, 0.4];
        x[scalars + 3..scalars + 7].copy_from_slice(&quaternion);
        let turn = gelenk_math::rotation::from_quaternion(quaternion).transpose();
        let v = layout.nq + scalars;
        x[v..v + 3].copy_from_slice(&[0.4, 0.5, -0.6]);
        x[v + 3..v + 6].copy_from_slice((turn * Vec3::new(0.3, -0.1, 0.2)).as_slice());
    }
    // MuJoCo's numbers belong to the origin of a free body; the state follows its centre.
    let (q, rest) = x.split_at_mut(layout.nq);
    mechanism.origin_to_state(&data, q, &mut rest[..layout.nv]);
    let mut rates = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &memory, &mut rates).unwrap();
    let along = |range: std::ops::Range<usize>| -> Vec<Dual> {
        range.map(|i| Dual::c(x[i]) + seed(0.0, 0) * Dual::c(rates[i])).collect()
    };
    let (mut q, mut v) = (along(layout.q()), along(layout.v()));
    mechanism.state_to_origin(&mechanism.data::<Dual>(), &mut q, &mut v);
    v.iter().map(|&v| partial(v, 0)).collect()
}

/// Loops close in the pose of the file, but for sites and a weld with its own pose: there the two frames are apart
/// by what MuJoCo 4.0.0 gives as the residual (`efc_pos` in the pose of the file).
#[test]
fn loops_are_closed_in_the_pose_of_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/loops.xml");
    let model = import_file(path, &Options::default()).unwrap().text().parse::<Table>().unwrap();
    let poses = poses(&model);
    for (name, item) in model["loops"].as_table().unwrap() {
        let ends: Vec<Pose<f64>> =
            item["between"].as_array().unwrap().iter().map(|end| poses[end.as_str().unwrap()]).collect();
        let apart = ends[0].position - ends[1].position;
        let expected = match name.as_str() {
            "bracket" => [-0.3147502740603624, -0.07477135180271771, -0.10056983328304892],
            "ring" => [0.1303096931549691, -0.029145303164917646, 0.7519178897940493],
            _ => [0.0; 3],
        };
        assert!((apart - Vec3::from(expected)).norm() < 1e-12, "{name}: {apart:?}");
        if name == "glue" {
            assert!((ends[0].rotation - ends[1].rotation).norm() < 1e-12);
        }
    }
}

#[test]
fn converted_models_move_as_in_mujoco() {
    let shared: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let list = expected();
    assert_eq!(list.len(), 11);
    let mut compared = 0;
    for expected in list {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/peer");
        let path = if expected.file.contains('/') { &shared } else { &beside }.join(&expected.file);
        if !path.is_file() {
            println!("skipped: import beside MuJoCo: {} is not there", expected.file);
            continue;
        }
        // Stops act beyond the limits, which MuJoCo was told to forget.
        let options =
            Options { limits: Limits::Omitted, friction: false, drives: false, ..Options::default() };
        let imported = import_file(&path, &options).unwrap_or_else(|failure| panic!("{failure}"));
        let model = imported.text().parse::<Table>().unwrap();
        let bodies = model["bodies"].as_table().unwrap();
        let mass: f64 = bodies.values().map(|body| number(&body["mass"])).sum();
        assert!((mass - expected.mass).abs() < 1e-12 * mass, "{}: {mass} kg", expected.file);

        let loaded = parse_model(&imported.text(), None).unwrap_or_else(|failure| panic!("{failure}"));
        let mechanism = compile(&loaded, &mut |_| Err(String::new())).unwrap().build().unwrap();
        assert_eq!(mechanism.velocity_count(), expected.velocities - expected.couplings, "{}", expected.file);

        let poses = poses(&model);
        for (name, place) in &expected.bodies {
            let found = poses[name].position;
            assert!((found - place).norm() < 1e-11, "{}: {name} is at {found:?}", expected.file);
        }
        if !expected.accelerations.is_empty() {
            let found = accelerations(&imported.text());
            assert_eq!(found.len(), expected.accelerations.len());
            let largest = expected.accelerations.iter().fold(1.0_f64, |largest, a| largest.max(a.abs()));
            for (found, expected_a) in found.iter().zip(&expected.accelerations) {
                assert!(
                    (found - expected_a).abs() < 1e-10 * largest,
                    "{}: {found} {expected_a}",
                    expected.file
                );
            }
        }
        compared += 1;
    }
    assert!(compared >= 4, "{compared} models");
}
