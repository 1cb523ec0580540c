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
use gelenk_system::{Hybrid, System};
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

fn build(text: &str) -> Mechanism {
    let model = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    compile(&model, &mut |_| Err(String::new())).unwrap().build().unwrap()
}

/// A state and the accelerations there, in the velocities of the mechanism.
struct Motion {
    x: Vec<f64>,
    a: Vec<f64>,
}

impl Motion {
    /// The state number `k` that `inverse_with_mujoco.py` describes.
    fn of_mujoco(mechanism: &Mechanism, k: usize) -> Self {
        let layout = mechanism.layout();
        let mut data = mechanism.data::<f64>();
        let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut x, &mut memory).unwrap();
        let scalars = mechanism.coordinate_names().count();
        let mut a = vec![0.0; layout.nv];
        for i in 0..scalars {
            let n = (i + 1 + 10 * k) as f64;
            x[i] += 0.6 * n.sin();
            x[layout.nq + i] = (if n % 2.0 == 0.0 { 1.0 } else { -1.0 }) * (2.0 + (3.0 * n).cos());
            a[i] = 10.0 * (2.0 * n).cos();
        }
        if layout.nv > scalars {
            Self::base(mechanism, scalars, &mut x, &mut a);
        }
        Self { x, a }
    }

    /// The free base: MuJoCo's numbers belong to the origin and its velocity to the world; the state follows the centre.
    fn base(mechanism: &Mechanism, scalars: usize, x: &mut [f64], a: &mut [f64]) {
        let layout = mechanism.layout();
        for (value, shift) in x[scalars..].iter_mut().zip([0.1, -0.2, 0.3]) {
            *value += shift;
        }
        let quaternion: [f64; 4] = [0.8, 0.2, -0.4, 0.4];
        x[scalars + 3..scalars + 7].copy_from_slice(&quaternion);
        let rotation = from_quaternion(quaternion);
        let (linear, angular) = (Vec3::new(0.3, -0.1, 0.2), Vec3::new(0.4, 0.5, -0.6));
        let inside = rotation.transpose() * linear;
        let acceleration = rotation.transpose() * Vec3::new(1.0, -2.0, 0.5) - angular.cross(&inside);
        let v = layout.nq + scalars;
        x[v..v + 3].copy_from_slice(angular.as_slice());
        x[v + 3..v + 6].copy_from_slice(inside.as_slice());
        a[scalars..scalars + 3].copy_from_slice(&[3.0, -1.5, 2.5]);
        a[scalars + 3..scalars + 6].copy_from_slice(acceleration.as_slice());
        // Along the motion, so that derivatives give the accelerations of the state.
        let [w, i, j, l] = quaternion;
        let [p, q, r] = [angular.x, angular.y, angular.z].map(|w| w / 2.0);
        let turn =
            [-i * p - j * q - l * r, w * p + j * r - l * q, w * q + l * p - i * r, w * r + i * q - j * p];
        let mut rates = vec![0.0; layout.nq];
        rates[..scalars].copy_from_slice(&x[layout.nq..layout.nq + scalars]);
        rates[scalars..scalars + 3].copy_from_slice(linear.as_slice());
        rates[scalars + 3..scalars + 7].copy_from_slice(&turn);
        let along = |x: f64, rate: f64| Dual::c(x) + seed(0.0, 0) * Dual::c(rate);
        let mut q: Vec<Dual> = (0..layout.nq).map(|i| along(x[i], rates[i])).collect();
        let mut v: Vec<Dual> = (0..layout.nv).map(|i| along(x[layout.nq + i], a[i])).collect();
        mechanism.origin_to_state(&mechanism.data::<Dual>(), &mut q, &mut v);
        for (x, q) in x.iter_mut().zip(q.iter().chain(&v)) {
            *x = q.re();
        }
        for (a, v) in a.iter_mut().zip(&v) {
            *a = partial(*v, 0);
        }
    }

    /// The efforts that make the motion, `M a - Q`, and their power.
    fn efforts(&self, mechanism: &Mechanism) -> (Vec<f64>, f64) {
        let layout = mechanism.layout();
        let mut data = mechanism.data::<f64>();
        let (mut start, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut start, &mut memory).unwrap();
        mechanism.settle(&mut data, 0.0, &self.x, &mut memory);
        let mut rates = vec![0.0; layout.nx()];
        mechanism.rates(&mut data, 0.0, &self.x, &memory, &mut rates).unwrap();
        let mut mass = vec![0.0; layout.nv * layout.nv];
        mechanism.mass_matrix(&mut data, 0.0, &self.x[..layout.nq], &mut mass).unwrap();
        let lack: Vec<f64> = (0..layout.nv).map(|i| self.a[i] - rates[layout.nq + i]).collect();
        let row = |i: usize| (0..layout.nv).map(|j| mass[i * layout.nv + j] * lack[j]).sum::<f64>();
        let efforts: Vec<f64> = (0..layout.nv).map(row).collect();
        let power = efforts.iter().zip(&self.x[layout.nq..]).map(|(effort, v)| effort * v).sum();
        (efforts, power)
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
            let (efforts, power) = motion.efforts(&passive);
            let found: Vec<f64> = if words[0] == "inverse" {
                efforts[..scalars].iter().copied().chain([power]).collect()
            } else {
                let (rest, _) = motion.efforts(&build(&commanded(&driven, k)));
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
        if !imported.impossible.is_empty() {
            refused.push(file);
            continue;
        }
        let mechanism = build(&imported.text());
        let layout = mechanism.layout();
        let mut names: Vec<(String, usize)> =
            mechanism.coordinate_names().map(str::to_owned).enumerate().map(|(i, name)| (name, i)).collect();
        names.sort();
        for (words, numbers) in lines {
            let k: usize = words[1].parse().unwrap();
            let (mut x, mut a) = (vec![0.0; layout.nx()], vec![0.0; layout.nv]);
            for (order, (_, i)) in names.iter().enumerate() {
                let n = (order + 1 + 10 * k) as f64;
                x[*i] = 0.6 * n.sin();
                x[layout.nq + i] = (if n % 2.0 == 0.0 { 1.0 } else { -1.0 }) * (2.0 + (3.0 * n).cos());
                a[*i] = 10.0 * (2.0 * n).cos();
            }
            let (efforts, _) = Motion { x, a }.efforts(&mechanism);
            let found: Vec<f64> = names.iter().map(|(_, i)| efforts[*i]).collect();
            assert_near(&found, &numbers, &format!("{file} {k}"));
        }
        compared += 1;
    }
    println!("{compared} robots as in Pinocchio; with impossible inertias: {refused:?}");
    assert!(compared >= 60, "{compared}");
}
