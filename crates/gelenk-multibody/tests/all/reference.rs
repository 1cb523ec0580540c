//! Inverse dynamics, forward dynamics and mass matrix against stored answers of another program.

use crate::models;

use std::path::Path;

use gelenk_system::System;

/// Largest difference relative to the norm of `expected`.
fn error(obtained: &[f64], expected: &[f64]) -> f64 {
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut obtained.iter().zip(expected).map(|(o, e)| o - e)) / norm(&mut expected.iter().copied())
}

/// Compares a mechanism of `nv` velocities with the answers to `states` states.
fn compare(folder: &Path, (name, nv): (&str, usize), states: usize) {
    let reference = models::read(folder, name);
    let mechanism = &reference.mechanism;
    assert_eq!((mechanism.velocity_count(), reference.samples.len()), (nv, states));
    let mut d = mechanism.data::<f64>();
    let (mut tau, mut a, mut mass) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nv * nv]);
    for (k, s) in reference.samples.iter().enumerate() {
        mechanism.inverse_dynamics(&mut d, 0.0, &s.q, &s.v, &s.a, &mut tau).unwrap();
        mechanism.forward_dynamics(&mut d, 0.0, &s.q, &s.v, &s.tau, &mut a).unwrap();
        mechanism.mass_matrix(&mut d, 0.0, &s.q, &mut mass).unwrap();
        let errors = [error(&tau, &s.rnea), error(&a, &s.aba), error(&mass, &s.mass)];
        assert!(errors.iter().all(|&e| e < 1e-9), "{name}, state {k}: {errors:?}");
    }
}

/// ST-R17, ST-R25: Pinocchio's answers to 16 states of an arm with a slide and of a walker with a free base.
#[test]
fn small_robots_match_pinocchio() {
    for robot in [("arm", 8), ("walker", 16)] {
        compare(&models::own(), robot, 16);
    }
}

/// ST-R17, ST-R25: Pinocchio's answers to 256 states of a seven-axis arm and of a humanoid with a free base.
#[test]
fn arm_and_humanoid_match_pinocchio() {
    let Some(folder) = models::folder() else {
        println!("skipped: a humanoid beside Pinocchio: no folder shared/bench/models beside the repository");
        return;
    };
    for robot in [("arm7", 7), ("humanoid", 38)] {
        compare(&folder, robot, 256);
    }
}
