//! Reads reference models: tree, states and answers.
//!
//! Two small ones stand here, written by `with_pinocchio.py`, which defines the format; larger ones are in the benchmark
//! folder beside the repository. The free joint of the files has the
//! linear part first and the quaternion as `x y z w`; here everything is brought into the order of the contract.

#![allow(dead_code, clippy::unwrap_used)]
use std::path::{Path, PathBuf};

use gelenk_math::rotation::Sequence;
use gelenk_math::spatial::Mat3;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Blueprint, Mechanism};
use gelenk_system::{Param, ParameterTable};

/// One state with the answers to it.
pub(crate) struct Sample {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    /// Inverse dynamics of `q, v, a`.
    pub(crate) rnea: Vec<f64>,
    /// Forward dynamics of `q, v, tau`.
    pub(crate) aba: Vec<f64>,
    /// Mass matrix at `q`, row by row.
    pub(crate) mass: Vec<f64>,
}

/// A reference model.
pub(crate) struct Reference {
    pub(crate) mechanism: Mechanism,
    pub(crate) samples: Vec<Sample>,
}

/// The folder of these tests.
pub(crate) fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/models")
}

/// The folder beside the repository, where it exists.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/bench/models"));
    folder.into_iter().find(|path| path.is_dir())
}

/// Reads model `name` from `folder`.
pub(crate) fn read(folder: &Path, name: &str) -> Reference {
    let text = |ending: &str| std::fs::read_to_string(folder.join(format!("{name}.{ending}"))).unwrap();
    let (mechanism, free) = compile(&text("mbm"));
    let nv = mechanism.velocity_count();
    let nq = nv + usize::from(free);
    let numbers = |line: &str| line.split_whitespace().map(|x| x.parse().unwrap()).collect::<Vec<f64>>();
    let (states, answers) = (text("states.txt"), text("ref.txt"));
    let samples = states.lines().zip(answers.lines()).map(|(state, answer)| {
        let (state, answer) = (numbers(state), numbers(answer));
        let velocities = |from: &[f64]| order(nv, free).iter().map(|&k| from[k]).collect::<Vec<f64>>();
        let triangle = &answer[2 * nv..];
        let entry = |i: usize, k: usize| triangle[i.max(k) * (i.max(k) + 1) / 2 + i.min(k)];
        let places = order(nv, free);
        Sample {
            q: if free {
                let quaternion = [state[6], state[3], state[4], state[5]];
                [&state[7..nq], &state[..3], &quaternion].concat()
            } else {
                state[..nq].to_vec()
            },
            v: velocities(&state[nq..]),
            a: velocities(&state[nq + nv..]),
            tau: velocities(&state[nq + 2 * nv..]),
            rnea: velocities(&answer),
            aba: velocities(&answer[nv..]),
            mass: places.iter().flat_map(|&i| places.iter().map(move |&k| entry(i, k))).collect(),
        }
    });
    let samples = samples.collect();
    Reference { mechanism, samples }
}

/// Place in the file of every velocity of the contract.
fn order(nv: usize, free: bool) -> Vec<usize> {
    if free { (6..nv).chain(3..6).chain(0..3).collect() } else { (0..nv).collect() }
}

/// The mechanism, and whether its first joint is free.
fn compile(text: &str) -> (Mechanism, bool) {
    let mut table = ParameterTable::new();
    let mut number = |value: f64| -> Param {
        let path = format!("n{}", table.len());
        table.free(&path, value, "").unwrap()
    };
    let mut blueprint = Blueprint::new([0.0, 0.0, -9.81].map(&mut number));
    let mut free = false;
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (parent, kind): (i64, &str) = (words[2].parse().unwrap(), words[3]);
        let x: Vec<f64> = words[4..].iter().map(|x| x.parse().unwrap()).collect();
        let mut three = |from: usize| [x[from], x[from + 1], x[from + 2]].map(&mut number);
        let (axis, position, centre) = (three(0), three(12), three(16));
        let angles = Sequence::Xyz.angles(&Mat3::from_row_slice(&x[3..12])).parameters;
        let zero = [0.0; 3].map(&mut number);
        let child = blueprint.bodies.len();
        let coordinate = blueprint.coordinates.len();
        let value = Scalar::Coordinate(CoordinateId::nth(coordinate));
        let motion = match kind {
            "free" => {
                free = true;
                JointMotion::Free {
                    position: zero,
                    orientation: zero,
                    angular_velocity: zero,
                    velocity: zero,
                }
            }
            "rev" => JointMotion::Revolute { axis, value },
            _ => JointMotion::Prismatic { axis, value },
        };
        if kind != "free" {
            let kind = if kind == "rev" { CoordinateKind::Angle } else { CoordinateKind::Length };
            let name = format!("q{coordinate}");
            blueprint.add(Coordinate {
                name,
                kind,
                start: zero[0],
                rate: zero[0],
                exact: Exact::default(),
                rotor: None,
            });
        }
        // The file has xx xy xz yy yz zz.
        let inertia = [19, 22, 24, 20, 21, 23].map(|k| x[k]).map(&mut number);
        let mass = number(x[15]);
        let body = blueprint.add(Body { name: format!("b{child}"), mass, centre, inertia });
        let orientation = angles.map(&mut number);
        let parent = usize::try_from(parent).map_or(BodyRef::Ground, |k| BodyId::nth(k).into());
        let name = format!("j{child}");
        blueprint.add(Joint { name, parent, child: body, position, orientation, motion });
    }
    (blueprint.compile(table).unwrap(), free)
}
