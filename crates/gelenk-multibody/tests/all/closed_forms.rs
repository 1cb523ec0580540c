//! Motions with a closed form.

use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::BodyRef;
use gelenk_solve::Method;
use gelenk_testing::draft::{Draft, run};

fn pendulum() -> Mechanism {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let phi = draft.coordinate("phi", 0.0, 0.0);
    let bob = draft.body("bob", 1.0, [-1.0, 0.0, 0.0], [0.0; 3]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], phi);
    draft.joint("hinge", BodyRef::Ground, bob, [0.0; 3], hinge);
    draft.build()
}

fn dopri5(tolerance: f64) -> Method {
    Method::Dopri5 { rtol: tolerance, atol: tolerance, max_step: f64::INFINITY }
}

/// ST-R17: the simple pendulum A01 of the IFToMM multibody benchmark library; Jacobi elliptic solution
/// evaluated with 40 digits.
#[test]
fn pendulum_matches_the_elliptic_solution() {
    let expected =
        [(1, 0.9862917511318753, -0.1650108531255412), (5, -0.9423054350437573, -0.3347543384140006)];
    let (rows, summary) = run(&pendulum(), dopri5(1e-12), 10.0, 1.0);
    for (row, x, y) in expected {
        let phi = rows[row][1];
        let (px, py) = (-phi.cos(), -phi.sin());
        assert!((px - x).abs() + (py - y).abs() < 1e-9, "t = {row}: {px} {py}");
    }
    let phi = rows[10][1];
    assert!((-phi.cos() + 0.2750874625761169).abs() + (-phi.sin() + 0.9614192050991252).abs() < 1e-9);
    assert!(summary.energy.relative_residue() < 1e-10, "{summary:?}");
}

/// RK4 has order 4 and its dense output does not spoil it; the stepped method has order 1.
#[test]
fn fixed_step_methods_have_their_order() {
    let end = |method| run(&pendulum(), method, 1.0, 1.0).0[1][1];
    let exact = end(dopri5(1e-13));
    let step = |s: f64| gelenk_system::Nanos::from_seconds(s).unwrap();
    let error = |method| f64::abs(end(method) - exact);
    let rk4 = error(Method::Rk4 { step: step(0.02) }) / error(Method::Rk4 { step: step(0.01) });
    assert!((12.0..20.0).contains(&rk4), "{rk4}");
    let stepped = error(Method::Stepped { step: step(0.002) }) / error(Method::Stepped { step: step(0.001) });
    assert!((1.8..2.2).contains(&stepped), "{stepped}");
}

/// A torque-free body with three different inertias about its centre of mass keeps energy and angular
/// momentum over 100 turns; the error falls with the tolerance.
#[test]
fn free_body_keeps_energy_and_angular_momentum() {
    let mut draft = Draft::new([0.0; 3]);
    let inertia = [0.4, 0.7, 1.0];
    let body = draft.body("body", 2.0, [0.0; 3], inertia);
    let free = draft.free([0.1, 6.2, 0.3], [0.2, -0.1, 0.4]);
    draft.joint("float", BodyRef::Ground, body, [0.0; 3], free);
    let mechanism = draft.build();
    let conserved = |row: &[f64]| {
        let (q, w) = ([row[4], row[5], row[6], row[7]], [row[8], row[9], row[10]]);
        let l = nalgebra::Vector3::new(inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]);
        let energy: f64 = (0..3).map(|i| 0.5 * inertia[i] * w[i] * w[i]).sum();
        (energy, gelenk_math::rotation::from_quaternion(q) * l)
    };
    // 100 turns at about one a second.
    let loss = |tolerance: f64| {
        let (rows, _) = run(&mechanism, dopri5(tolerance), 101.0, 1.0);
        let (energy, momentum) = conserved(&rows[0]);
        rows.iter().map(|row| conserved(row)).fold(0.0f64, |worst, (e, l)| {
            worst.max((e / energy - 1.0).abs()).max((l - momentum).norm() / momentum.norm())
        })
    };
    let losses = [1e-8, 1e-10, 1e-12].map(loss);
    assert!(losses[2] < 1e-9, "{losses:?}");
    assert!(losses[1] < 0.1 * losses[0] && losses[2] < 0.1 * losses[1], "{losses:?}");
}
