//! Inverse dynamics and drives of converted models beside MuJoCo and Pinocchio, with damping, springs, dry friction, rotor
//! inertias, tendons and gravity compensation on.
//!
//! The numbers were written by `import/peer/inverse_with_mujoco.py` (MuJoCo 4.0.0) and `import/peer/inverse_with_pinocchio.py`
//! (Pinocchio 4.1.0). Where the robots are absent, the tests say so.

use gelenk_import::{Limits, Options, import_file};
use gelenk_math::rotation::from_quaternion;
use gelenk_math::spatial::Vec3;
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_model::{compile, parse_model};
use gelenk_multibody::Mechanism;
use gelenk_system::{Fault, Hybrid, System};
use std::path::Path;

/// A model of a peer's file with its lines of words and numbers.
struct Expected<'a> {
    file: &'a str,
    lines: Vec<(Vec<&'a str>, Vec<f64>)>,
}

fn expected(text: &str) -> Vec<Expected<'_>> {
    let mut list: Vec<Expected> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "model" {
            list.push(Expected { file: words[1], lines: Vec::new() });
        } else {
            let numbers = words[2..].iter().filter_map(|word| word.parse().ok()).collect();
            list.last_mut().unwrap().lines.push((words, numbers));
        }
    }
    list
}

pub(crate) fn build(text: &str) -> Mechanism {
    let model = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    compile(&model, &mut |_| Err(String::new())).unwrap().build().unwrap()
}

/// A motion at an instant, in the velocities of the origins of free bodies.
pub(crate) struct Motion {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Motion {
    /// The state number `k` that `inverse_with_mujoco.py` describes.
    pub(crate) fn of_mujoco(mechanism: &Mechanism, k: usize) -> Self {
        let layout = mechanism.layout();
        let mut data = mechanism.data::<f64>();
        let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut x, &mut memory).unwrap();
        let scalars = mechanism.coordinate_names().count();
        let mut motion =
            Self { q: x[..layout.nq].to_vec(), v: vec![0.0; layout.nv], a: vec![0.0; layout.nv] };
        for i in 0..scalars {
            motion.swing(i, i + 1 + 10 * k);
        }
        if layout.nv > scalars {
            // MuJoCo gives the linear motion of a free body in the axes of the world.
            let quaternion: [f64; 4] = [0.8, 0.2, -0.4, 0.4];
            motion.q[scalars..scalars + 3].copy_from_slice(&[0.1, -0.2, 0.3]);
            motion.q[scalars + 3..scalars + 7].copy_from_slice(&quaternion);
            let turn = from_quaternion(quaternion).transpose();
            let angular = Vec3::new(0.4, 0.5, -0.6);
            let linear = turn * Vec3::new(0.3, -0.1, 0.2);
            let acceleration = turn * Vec3::new(1.0, -2.0, 0.5) - angular.cross(&linear);
            motion.v[scalars..scalars + 3].copy_from_slice(angular.as_slice());
            motion.v[scalars + 3..scalars + 6].copy_from_slice(linear.as_slice());
            motion.a[scalars..scalars + 3].copy_from_slice(&[3.0, -1.5, 2.5]);
            motion.a[scalars + 3..scalars + 6].copy_from_slice(acceleration.as_slice());
        }
        motion
    }

    /// Moves a coordinate as the scripts do, by the number of its joint.
    fn swing(&mut self, i: usize, number: usize) {
        let n = number as f64;
        self.q[i] += 0.6 * n.sin();
        self.v[i] = (if number.is_multiple_of(2) { 1.0 } else { -1.0 }) * (2.0 + (3.0 * n).cos());
        self.a[i] = 10.0 * (2.0 * n).cos();
    }

    /// The efforts that make the motion, `M a - Q`, and their power.
    pub(crate) fn efforts(&self, mechanism: &Mechanism) -> Result<(Vec<f64>, f64), Fault> {
        let layout = mechanism.layout();
        let nv = layout.nv;
        let mut data = mechanism.data::<f64>();
        let (mut start, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut start, &mut memory)?;
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        mechanism.origin_to_state(&data, &mut q, &mut v);
        let mut x = start;
        x[..layout.nq].copy_from_slice(&q);
        x[layout.v()].copy_from_slice(&v);
        mechanism.settle(&mut data, 0.0, &x, &mut memory);
        let mut rates = vec![0.0; layout.nx()];
        mechanism.rates(&mut data, 0.0, &x, &memory, &mut rates)?;
        let along = |range: std::ops::Range<usize>| -> Vec<Dual> {
            range.map(|i| Dual::c(x[i]) + seed(0.0, 0) * Dual::c(rates[i])).collect()
        };
        let (mut q, mut v) = (along(layout.q()), along(layout.v()));
        mechanism.state_to_origin(&mechanism.data::<Dual>(), &mut q, &mut v);
        let mut mass = vec![0.0; nv * nv];
        mechanism.mass_matrix(&mut data, 0.0, &self.q, &mut mass)?;
        let lack: Vec<f64> = (0..nv).map(|i| self.a[i] - partial(v[i], 0)).collect();
        let row = |i: usize| (0..nv).map(|j| mass[i * nv + j] * lack[j]).sum::<f64>();
        let efforts: Vec<f64> = (0..nv).map(row).collect();
        let power = efforts.iter().zip(&self.v).map(|(effort, v)| effort * v).sum();
        Ok((efforts, power))
    }
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1.0_f64, |largest, x| largest.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() < 1e-9 * largest,
            "{what}, number {i}: {found}, expected {expected}"
        );
    }
}

/// The text with the commands that the script gives: the parameters in their order.
fn commanded(text: &str, k: usize) -> String {
    let (head, rest) = text.split_once("[parameters]\n").unwrap();
    let (commands, tail) = rest.split_once("\n\n").unwrap();
    let commands: Vec<String> = commands
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let (name, unit) = line.split_once("= \"0 ").unwrap();
            format!("{name}= \"{:e} {unit}", 3.0 * ((2 * i + 1 + k) as f64).sin())
        })
        .collect();
    format!("{head}[parameters]\n{}\n\n{tail}", commands.join("\n"))
}

#[test]
fn efforts_and_drives_are_those_of_mujoco() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/peer");
    let list = expected(include_str!("../import/peer/mujoco_inverse.txt"));
    assert_eq!(list.len(), 6);
    for Expected { file, lines } in list {
        let path = if file.contains('/') { &shared } else { &beside }.join(file);
        if !path.is_file() {
            println!("skipped: inverse dynamics beside MuJoCo: {file} is not there");
            continue;
        }
        let options = Options { limits: Limits::Omitted, ..Options::default() };
        let driven = import_file(&path, &options).unwrap_or_else(|failure| panic!("{failure}")).text();
        let passive = import_file(&path, &Options { drives: false, ..options }).unwrap().text();
        let passive = build(&passive);
        for (words, numbers) in lines {
            let k: usize = words[1].parse().unwrap();
            let motion = Motion::of_mujoco(&passive, k);
            let scalars = passive.coordinate_names().count();
            let (efforts, power) = motion.efforts(&passive).unwrap();
            let found: Vec<f64> = if words[0] == "inverse" {
                efforts[..scalars].iter().copied().chain([power]).collect()
            } else {
                let (rest, _) = motion.efforts(&build(&commanded(&driven, k))).unwrap();
                efforts.iter().zip(rest).take(scalars).map(|(whole, rest)| whole - rest).collect()
            };
            assert_near(&found, &numbers, &format!("{file}, {} {k}", words[0]));
        }
    }
}

/// Robots of the PyPI package `example-robot-data`, in the folder that `GELENK_ROBOTS` names.
#[test]
fn efforts_of_urdf_robots_are_those_of_pinocchio() {
    let Some(folder) = std::env::var_os("GELENK_ROBOTS") else {
        println!(
            "skipped: inverse dynamics beside Pinocchio: GELENK_ROBOTS does not name the robots of example-robot-data"
        );
        return;
    };
    let list = expected(include_str!("../import/peer/pinocchio_inverse.txt"));
    assert!(list.len() >= 60, "{}", list.len());
    let (mut compared, mut refused) = (0, Vec::new());
    for Expected { file, lines } in list {
        let path = Path::new(&folder).join(file);
        let options = Options { limits: Limits::Omitted, drives: false, ..Options::default() };
        let imported = import_file(&path, &options).unwrap_or_else(|failure| panic!("{file}: {failure}"));
        // Joints that move no mass are locked here, and Pinocchio needs no effort for them.
        let locked = imported.changed.iter().any(|entry| entry.kind.starts_with("joints that move no mass"));
        if !imported.impossible.is_empty() || locked {
            refused.push(file);
            continue;
        }
        let mechanism = build(&imported.text());
        let layout = mechanism.layout();
        let mut names: Vec<(String, usize)> =
            mechanism.coordinate_names().map(str::to_owned).enumerate().map(|(i, name)| (name, i)).collect();
        names.sort();
        let mut moves = true;
        for (words, numbers) in lines {
            let k: usize = words[1].parse().unwrap();
            let zero = |n: usize| vec![0.0; n];
            let mut motion = Motion { q: zero(layout.nq), v: zero(layout.nv), a: zero(layout.nv) };
            for (order, (_, i)) in names.iter().enumerate() {
                motion.swing(*i, order + 1 + 10 * k);
            }
            // Some robots have joints that move no mass, and only an inverse recursion can do without.
            let Ok((efforts, _)) = motion.efforts(&mechanism) else {
                moves = false;
                break;
            };
            let found: Vec<f64> = names.iter().map(|(_, i)| efforts[*i]).collect();
            assert_near(&found, &numbers, &format!("{file} {k}"));
        }
        if !moves {
            refused.push(file);
            continue;
        }
        compared += 1;
    }
    println!(
        "{compared} robots as in Pinocchio; not compared, since some joint moves no mass or an inertia is impossible: {refused:?}"
    );
    assert!(compared >= 60, "{compared}");
}

/// The spring of a fixed tendon without `springlength` rests where the springs of its joints do (`qpos_spring`), not at `ref`. MuJoCo
/// 4.0.0 has `tendon_lengthspring` 0 and 0.3 for these two.
#[test]
fn springs_of_tendons_rest_with_their_joints() {
    let effort = |joint: &str| -> f64 {
        let text = format!(
            r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body><joint name="j1" axis="0 1 0" {joint}/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody><tendon><fixed name="t" stiffness="30">
            <joint joint="j1" coef="1"/></fixed></tendon></mujoco>"#
        );
        let path = std::env::temp_dir().join(format!("gelenk-tendon-rest-{}.xml", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let mechanism = build(&import_file(&path, &Options::default()).unwrap().text());
        std::fs::remove_file(&path).unwrap();
        let motion = Motion { q: vec![0.5], v: vec![0.0], a: vec![0.0] };
        motion.efforts(&mechanism).unwrap().0[0]
    };
    assert!((effort("ref=\".1\"") - 30.0 * 0.5).abs() < 1e-12);
    assert!((effort("springref=\".3\"") - 30.0 * 0.2).abs() < 1e-12);
}
