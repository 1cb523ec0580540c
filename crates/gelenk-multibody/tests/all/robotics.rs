//! What robotics asks of a tree beside its dynamics, on random trees of all kinds of joints: wrenches from outside, gravity,
//! Jacobians, the centre of mass and the regressor, each against another way to the same numbers.

use gelenk_math::spatial::{Vec3, Wrench};
use gelenk_multibody::regressor::INERTIAL;
use gelenk_multibody::{Convention, External, Mechanism, Place};
use gelenk_system::System;
use gelenk_testing::random::Random;
use gelenk_testing::trees::{ALL, Scalars, tree};

struct State {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

const T: f64 = 0.37;

fn on_trees(kinds: &[Scalars], mut check: impl FnMut(&Mechanism, &State, &mut Random, &str)) {
    for seed in 0..12u64 {
        for &scalars in kinds {
            let mut random = Random::new(100 + seed);
            let mechanism = tree(&mut random, [7, 8, 10, 13][seed as usize % 4], scalars, &[]);
            let layout = mechanism.layout();
            let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
            mechanism.start(&mut mechanism.data(), &mut x, &mut m).unwrap();
            let mut q = vec![0.0; layout.nq];
            mechanism.retract_origin(&x[layout.q()], &random.vector(layout.nv), &mut q);
            let state = State { q, v: random.vector(layout.nv), a: random.vector(layout.nv) };
            check(&mechanism, &state, &mut random, &format!("seed {seed}, {scalars:?}"));
        }
    }
}

fn near(obtained: &[f64], expected: &[f64], what: &str) {
    assert_eq!(obtained.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0f64, |max, x| max.max(x.abs()));
    for (k, (o, e)) in obtained.iter().zip(expected).enumerate() {
        assert!((o - e).abs() <= 1e-11 * size, "{what}, entry {k}: {o} instead of {e}");
    }
}

/// `j x` with `j` of as many rows as fit.
fn times(j: &[f64], x: &[f64]) -> Vec<f64> {
    j.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

fn places(mechanism: &Mechanism, random: &mut Random) -> Vec<Place> {
    let bodies = mechanism.body_names().map(|name| mechanism.place(name).unwrap());
    let mut places: Vec<Place> = bodies.map(|place| place.at(random.numbers())).collect();
    places.push(mechanism.place("tip").unwrap());
    places.push(Place::GROUND.at(random.numbers()));
    places
}

/// `J v` is the velocity that the kinematics give: of the origin in ground axes, in own axes, and of the point of the body
/// that is at the ground's origin.
#[test]
fn jacobians_in_three_conventions() {
    on_trees(&[Scalars::Plain, Scalars::Shared], |mechanism, s, random, name| {
        let mut d = mechanism.data();
        mechanism.set_state(&mut d, T, &s.q, &s.v).unwrap();
        let mut j = vec![0.0; 6 * s.v.len()];
        for place in places(mechanism, random) {
            let motion = mechanism.motion_of(&d, &place);
            let (w, v) = (motion.velocity.ang, motion.velocity.lin);
            let (r, p) = (motion.pose.rotation, motion.pose.position);
            for (convention, ang, lin) in [
                (Convention::Origin, w, v),
                (Convention::Body, r.tr_mul(&w), r.tr_mul(&v)),
                (Convention::Ground, w, v - w.cross(&p)),
            ] {
                mechanism.frame_jacobian(&d, &place, convention, &mut j).unwrap();
                let expected = [ang.as_slice(), lin.as_slice()].concat();
                near(&times(&j, &s.v), &expected, &format!("{name}, {convention:?}"));
            }
        }
        mechanism.centre_jacobian(&d, &mut j[..3 * s.v.len()]).unwrap();
        let centre = times(&j[..3 * s.v.len()], &s.v);
        near(&centre, mechanism.totals(&d).velocity.as_slice(), &format!("{name}, centre"));
    });
}

/// Wrenches from outside take `J^T w` out of the efforts, and forward dynamics undo inverse dynamics under them.
#[test]
fn wrenches_from_outside() {
    on_trees(&ALL, |mechanism, s, random, name| {
        let nv = s.v.len();
        let mut d = mechanism.data();
        let external: Vec<External<f64>> = places(mechanism, random)
            .into_iter()
            .map(|at| {
                let [a, b, c, e, f, g] = random.numbers();
                External { at, wrench: Wrench::new(Vec3::new(a, b, c), Vec3::new(e, f, g)) }
            })
            .collect();
        let (mut plain, mut tau) = (vec![0.0; nv], vec![0.0; nv]);
        mechanism.inverse_dynamics(&mut d, T, &s.q, &s.v, &s.a, &mut plain).unwrap();
        mechanism.inverse_dynamics_under(&mut d, T, &s.q, &s.v, &s.a, &external, &mut tau).unwrap();
        mechanism.set_state(&mut d, T, &s.q, &s.v).unwrap();
        let mut j = vec![0.0; 6 * nv];
        for External { at, wrench } in &external {
            mechanism.frame_jacobian(&d, at, Convention::Origin, &mut j).unwrap();
            let parts = [wrench.ang.as_slice(), wrench.lin.as_slice()].concat();
            for (row, part) in j.chunks_exact(nv).zip(parts) {
                plain.iter_mut().zip(row).for_each(|(tau, entry)| *tau -= entry * part);
            }
        }
        near(&tau, &plain, name);
        let mut a = vec![0.0; nv];
        mechanism.forward_dynamics_under(&mut d, T, &s.q, &s.v, &tau, &external, &mut a).unwrap();
        let size = a.iter().zip(&s.a).fold(0.0f64, |max, (a, b)| max.max((a - b).abs()));
        assert!(size < 1e-7, "{name}: accelerations differ by {size}");
    });
}

/// `tau = M a + c`, and at rest `c` is what the height of the centre of mass loses: `g = d(potential)/dq`.
#[test]
fn gravity_and_bias() {
    on_trees(&ALL, |mechanism, s, _, name| {
        let nv = s.v.len();
        let mut d = mechanism.data();
        let (mut tau, mut bias) = (vec![0.0; nv], vec![0.0; nv]);
        mechanism.inverse_dynamics(&mut d, T, &s.q, &s.v, &s.a, &mut tau).unwrap();
        mechanism.bias_efforts(&mut d, T, &s.q, &s.v, &mut bias).unwrap();
        let mut m = vec![0.0; nv * nv];
        mechanism.mass_matrix(&mut d, T, &s.q, &mut m).unwrap();
        let sum: Vec<f64> = times(&m, &s.a).iter().zip(&bias).map(|(ma, c)| ma + c).collect();
        near(&tau, &sum, name);
    });
    on_trees(&[Scalars::Plain, Scalars::Shared], |mechanism, s, _, name| {
        let nv = s.v.len();
        let mut d = mechanism.data();
        let (mut gravity, mut step) = (vec![0.0; nv], vec![0.0; nv]);
        mechanism.gravity_efforts(&mut d, T, &s.q, &mut gravity).unwrap();
        let (none, mut q) = (vec![0.0; nv], s.q.clone());
        let slopes: Vec<f64> = (0..nv)
            .map(|k| {
                let [above, below] = [1e-5, -1e-5].map(|h| {
                    step.fill(0.0);
                    step[k] = h;
                    mechanism.retract_origin(&s.q, &step, &mut q);
                    mechanism.set_state(&mut d, T, &q, &none).unwrap();
                    mechanism.totals(&d).potential
                });
                (above - below) / 2e-5
            })
            .collect();
        let size = gravity.iter().fold(1.0f64, |max, g| max.max(g.abs()));
        for (k, (g, slope)) in gravity.iter().zip(&slopes).enumerate() {
            assert!((g - slope).abs() < 1e-7 * size, "{name}, {k}: {g} instead of {slope}");
        }
    });
}

/// The regressor times the inertial parameters is the inverse dynamics.
#[test]
fn regressor_times_parameters() {
    on_trees(&ALL, |mechanism, s, _, name| {
        let mut d = mechanism.data();
        let mut tau = vec![0.0; s.v.len()];
        mechanism.inverse_dynamics(&mut d, T, &s.q, &s.v, &s.a, &mut tau).unwrap();
        let parameters = mechanism.inertial_parameters(&d);
        let bodies = mechanism.body_names().count();
        assert_eq!(parameters.len(), INERTIAL * bodies);
        let mut y = vec![0.0; s.v.len() * parameters.len()];
        mechanism.regressor(&mut d, T, &s.q, &s.v, &s.a, &mut y).unwrap();
        near(&times(&y, &parameters), &tau, name);
    });
}
