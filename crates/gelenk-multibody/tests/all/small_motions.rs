//! Equilibria and small motions with a closed form.

use gelenk_math::expression::Expression;
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::{equilibrium, linearise};
use gelenk_testing::draft::Draft;

const G: f64 = 9.81;

/// `links` point masses of 1 kg on massless rods of 0.5 m.
fn chain(links: usize, start: f64) -> Draft {
    let mut draft = Draft::new([0.0, 0.0, -G]);
    let mut parent = BodyRef::Ground;
    for k in 0..links {
        let q = draft.coordinate(&format!("q{k}"), if k == 0 { start } else { 0.0 }, 0.0);
        let body = draft.body(&format!("b{k}"), 1.0, [0.0, 0.0, -0.5], [0.0; 3]);
        let hinge = draft.revolute([0.0, 1.0, 0.0], q);
        let at = if k == 0 { [0.0; 3] } else { [0.0, 0.0, -0.5] };
        draft.joint(&format!("j{k}"), parent, body, at, hinge);
        parent = BodyRef::Body(body);
    }
    draft
}

fn frequencies(mechanism: &Mechanism) -> Vec<f64> {
    let p = mechanism.parameters().values();
    let (x, m) = equilibrium(mechanism, &p, 1e-10).unwrap();
    let modes = linearise(mechanism, &p, 0.0, &x, &m).unwrap().modes();
    modes.iter().map(|mode| mode.eigenvalue.im).collect()
}

/// Double pendulum: `w^2 = g/l (2 -+ sqrt 2)`, found from a start near the upright position, and from the unstable
/// equilibrium itself.
#[test]
fn double_pendulum_has_its_frequencies() {
    let upright = frequencies(&chain(2, std::f64::consts::PI).build());
    let found = frequencies(&chain(2, 3.0).build());
    assert!((found[0] - upright[0]).abs() < 1e-8);
    let expected = [2.0 - 2f64.sqrt(), 2.0 + 2f64.sqrt()].map(|k| (G / 0.5 * k).sqrt());
    assert_eq!(found.len(), 2);
    assert!((found[0] - expected[0]).abs() + (found[1] - expected[1]).abs() < 1e-8, "{found:?} {expected:?}");
}

/// A coupling `q1 = -2 q0` leaves one freedom: the rods stand at `q0` and `-q0` from the vertical.
#[test]
fn coupling_leaves_one_mode() {
    let mut draft = chain(2, 0.2);
    let equation = Expression::parse("q1 + 2*q0").unwrap();
    draft.add(Loop { name: "gear".into(), kind: LoopKind::Coupling(equation) });
    let found = frequencies(&draft.build());
    // Small angles: x1 = l q0, x2 = l q0 - l q0 = 0; potential of mass 1: g l q0^2/2, of mass 2: g l (q0^2 + q0^2)/2.
    // So m l^2 q0'' = -3 m g l q0 (mass 2 moves only in second order).
    assert_eq!(found.len(), 1);
    assert!((found[0] - (3.0 * G / 0.5).sqrt()).abs() < 1e-8, "{found:?}");
}

/// A heavy body on a quaternion joint: spherical pendulum with two equal frequencies and a free turn about the
/// vertical; damping shows in the eigenvalue.
#[test]
fn ball_joint_has_three_directions() {
    let mut draft = Draft::new([0.0, 0.0, -G]);
    let body = draft.body("b", 2.0, [0.0, 0.0, -0.3], [0.02, 0.02, 0.01]);
    let motion = JointMotion::Ball {
        orientation: draft.numbers([0.2, -0.1, 0.0]),
        angular_velocity: draft.numbers([0.0; 3]),
    };
    draft.joint("ball", BodyRef::Ground, body, [0.0; 3], motion);
    let found = frequencies(&draft.build());
    let expected = (2.0 * G * 0.3 / (0.02 + 2.0 * 0.09)).sqrt();
    let swinging: Vec<f64> = found.iter().copied().filter(|w| *w > 1e-3).collect();
    assert_eq!(swinging.len(), 2, "{found:?}");
    assert!(swinging.iter().all(|w| (w - expected).abs() < 1e-7), "{swinging:?} {expected}");
}

/// Spring and damper on a slide: `lambda = -d/2m +- sqrt((d/2m)^2 - k/m)`, and the static sag `m g/k`.
#[test]
fn damped_oscillator_has_its_eigenvalue() {
    let mut draft = Draft::new([0.0, 0.0, -G]);
    let q = draft.coordinate("q", 0.0, 0.0);
    let body = draft.body("b", 2.0, [0.0; 3], [0.0; 3]);
    let axis = draft.numbers([0.0, 0.0, 1.0]);
    draft.joint(
        "j",
        BodyRef::Ground,
        body,
        [0.0; 3],
        JointMotion::Prismatic { axis, value: Scalar::Coordinate(q) },
    );
    let [stiffness, damping, rest] = draft.numbers([50.0, 4.0, 0.0]);
    let element = Element::new(
        "spring",
        Acting::Spring,
        Attachment::Coordinate(CoordinateId::nth(0)),
        &[stiffness, damping, rest],
    );
    draft.add(element);
    let mechanism = draft.build();
    let p = mechanism.parameters().values();
    let (x, m) = equilibrium(&mechanism, &p, 1e-12).unwrap();
    assert!((x[0] + 2.0 * G / 50.0).abs() < 1e-12);
    let modes = linearise(&mechanism, &p, 0.0, &x, &m).unwrap().modes();
    assert!((modes[0].eigenvalue.re + 1.0).abs() < 1e-10);
    assert!((modes[0].eigenvalue.im - 24f64.sqrt()).abs() < 1e-10);
    assert!((modes[0].damping() - 0.2).abs() < 1e-10);
}
