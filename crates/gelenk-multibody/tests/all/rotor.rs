//! Rotor inertia of coordinates.

use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::inverse::{Instant, InverseOptions, Needed};
use gelenk_solve::Method;
use gelenk_system::{Nanos, System};
use gelenk_testing::draft::{Draft, run};

/// Two arms in a plane; the motor of the second one has a rotor that turns `ratio` times as fast about a parallel axis,
/// either as a body that a joint on the first arm drives by the coordinate, or as a rotor inertia.
fn arms(explicit: bool, rotor: f64, ratio: f64) -> Mechanism {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let a = draft.coordinate("a", 0.3, 0.5);
    let b = draft.coordinate("b", -0.8, 1.2);
    let first = draft.body("first", 2.0, [0.2, 0.0, 0.0], [0.01, 0.03, 0.03]);
    let second = draft.body("second", 1.0, [0.15, 0.05, 0.0], [0.01, 0.02, 0.02]);
    let motion = draft.revolute([0.0, 0.0, 1.0], a);
    draft.joint("shoulder", BodyRef::Ground, first, [0.0; 3], motion);
    let motion = draft.revolute([0.0, 0.0, 1.0], b);
    draft.joint("elbow", BodyRef::Body(first), second, [0.4, 0.0, 0.0], motion);
    if explicit {
        let body = draft.body("rotor", 0.0, [0.0; 3], [0.0, 0.0, rotor]);
        let value = gelenk_math::expression::Expression::parse(&format!("{ratio}*b")).unwrap();
        let motion =
            JointMotion::Revolute { axis: draft.numbers([0.0, 0.0, 1.0]), value: Scalar::Function(value) };
        draft.joint("motor", BodyRef::Body(first), body, [0.1, 0.0, 0.0], motion);
    } else {
        draft.blueprint.coordinates[b].rotor = Some(draft.number(rotor * ratio * ratio));
    }
    draft.build()
}

fn accelerations(mechanism: &Mechanism) -> ([f64; 2], f64) {
    let layout = mechanism.layout();
    let mut data = mechanism.data::<f64>();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut m).unwrap();
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &m, &mut dx).unwrap();
    let mut stored = vec![0.0; layout.nw];
    let kinetic = mechanism.energies(&mut data, 0.0, &x, &m, &mut stored);
    ([dx[2], dx[3]], kinetic)
}

/// A geared rotor about a parallel axis is the rotor inertia `n^2 J` in the limit of a large ratio `n` at the same
/// `n^2 J`: what is left out, the coupling `n J` with the arm that carries it and `J` itself, falls like `1/n`.
#[test]
fn a_geared_rotor_is_a_rotor_inertia_in_the_limit() {
    let reflected = 0.04;
    let (limit, energy) = accelerations(&arms(false, reflected, 1.0));
    let mut before = f64::INFINITY;
    for ratio in [10.0, 100.0, 1000.0, 10_000.0] {
        let (found, kinetic) = accelerations(&arms(true, reflected / (ratio * ratio), ratio));
        let error = (found[0] - limit[0]).abs().max((found[1] - limit[1]).abs());
        assert!(error < 0.15 * before, "{ratio} {error} {before}");
        assert!((kinetic - energy).abs() < 1.0 / ratio);
        before = error;
    }
    assert!(before < 1e-2, "{before}");
    // And it matters: without the rotor the elbow accelerates otherwise.
    let (free, _) = accelerations(&arms(false, 0.0, 1.0));
    assert!((free[1] - limit[1]).abs() > 1.0);
}

/// Inverse dynamics, mass matrix and both ways of forward dynamics agree about the rotor.
#[test]
fn all_algorithms_know_the_rotor() {
    let mechanism = arms(false, 0.04, 1.0);
    let mut data = mechanism.data::<f64>();
    let (q, v, a) = ([0.3, -0.8], [0.5, 1.2], [0.7, -2.0]);
    let mut tau = [0.0; 2];
    mechanism.inverse_dynamics(&mut data, 0.0, &q, &v, &a, &mut tau).unwrap();
    let mut back = [0.0; 2];
    mechanism.forward_dynamics(&mut data, 0.0, &q, &v, &tau, &mut back).unwrap();
    assert!((back[0] - a[0]).abs() < 1e-12 && (back[1] - a[1]).abs() < 1e-12, "{back:?}");
    let (mut with, mut without) = ([0.0; 4], [0.0; 4]);
    mechanism.mass_matrix(&mut data, 0.0, &q, &mut with).unwrap();
    let bare = arms(false, 0.0, 1.0);
    bare.mass_matrix(&mut bare.data::<f64>(), 0.0, &q, &mut without).unwrap();
    let difference: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    assert!((difference[3] - 0.04).abs() < 1e-15);
    assert!(difference[..3].iter().all(|entry| *entry == 0.0));
    // rates() goes through the mass matrix, forward_dynamics() through articulated bodies.
    let (direct, _) = accelerations(&mechanism);
    let mut free = [0.0; 2];
    mechanism.forward_dynamics(&mut data, 0.0, &q, &v, &[0.0; 2], &mut free).unwrap();
    assert!((free[0] - direct[0]).abs() < 1e-10 && (free[1] - direct[1]).abs() < 1e-10);
}

/// A coupling `b = 2 a` leaves one freedom: `G^T M G a'' = -G^T c` with `G = (1, 2)`, the mass matrix with the rotor and
/// the efforts `c` of the motion without acceleration.
#[test]
fn loops_know_the_rotor() {
    let coupled = |closed: bool| {
        let mut draft = Draft::new([0.0, -9.81, 0.0]);
        let a = draft.coordinate("a", 0.3, 0.5);
        let b = draft.coordinate("b", 0.6, 1.0);
        let first = draft.body("first", 2.0, [0.2, 0.0, 0.0], [0.01, 0.03, 0.03]);
        let second = draft.body("second", 1.0, [0.15, 0.05, 0.0], [0.01, 0.02, 0.02]);
        let motion = draft.revolute([0.0, 0.0, 1.0], a);
        draft.joint("shoulder", BodyRef::Ground, first, [0.0; 3], motion);
        let motion = draft.revolute([0.0, 0.0, 1.0], b);
        draft.joint("elbow", BodyRef::Body(first), second, [0.4, 0.0, 0.0], motion);
        draft.blueprint.coordinates[b].rotor = Some(draft.number(0.04));
        if closed {
            let equation = gelenk_math::expression::Expression::parse("b - 2*a").unwrap();
            draft.add(Loop { name: "gear".into(), kind: LoopKind::Coupling(equation) });
        }
        draft.build()
    };
    let ([a, b], _) = accelerations(&coupled(true));
    let open = coupled(false);
    let mut data = open.data::<f64>();
    let (mut m, mut c) = ([0.0; 4], [0.0; 2]);
    open.mass_matrix(&mut data, 0.0, &[0.3, 0.6], &mut m).unwrap();
    open.inverse_dynamics(&mut data, 0.0, &[0.3, 0.6], &[0.5, 1.0], &[0.0; 2], &mut c).unwrap();
    let expected = -(c[0] + 2.0 * c[1]) / (m[0] + 4.0 * m[1] + 4.0 * m[3]);
    assert!((a - expected).abs() < 1e-10 && (b - 2.0 * expected).abs() < 1e-10, "{a} {b} {expected}");
}

/// The stepped mode knows the rotor: its motion tends to the continuous one.
#[test]
fn the_stepped_mode_knows_the_rotor() {
    let mechanism = arms(false, 0.04, 1.0);
    let adaptive = Method::Dopri5 { rtol: 1e-10, atol: 1e-12, max_step: f64::INFINITY };
    let (exact, _) = run(&mechanism, adaptive, 0.3, 0.3);
    let step = Nanos::from_seconds(1e-4).unwrap();
    let (rows, _) = run(&mechanism, Method::Stepped { step }, 0.3, 0.3);
    let pair = rows.last().unwrap().iter().zip(exact.last().unwrap()).take(3);
    let error = pair.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 2e-3, "{error}");
}

/// Inverse dynamics of the free motion finds no drives.
#[test]
fn the_free_motion_needs_no_drives() {
    let mechanism = arms(false, 0.04, 1.0);
    let (a, _) = accelerations(&mechanism);
    let mut data = mechanism.data::<f64>();
    let mut memory = mechanism.memory(&mut data).unwrap();
    let options = InverseOptions { driven: vec![true; 2], apply_drives: true, tolerance: 1e-9 };
    let at = Instant { t: 0.0, q: &[0.3, -0.8], v: &[0.5, 1.2], a: &a };
    let mut needed = Needed::default();
    mechanism.needed(&mut data, at, &mut memory, &options, &mut needed).unwrap();
    assert!(needed.drives.iter().all(|drive| drive.abs() < 1e-10), "{:?}", needed.drives);
}

/// The energy of the whole mechanism is that of the run, rotors included.
#[test]
fn no_study_forgets_the_rotor() {
    let mechanism = arms(false, 0.04, 1.0);
    let (_, kinetic) = accelerations(&mechanism);
    let mut data = mechanism.data::<f64>();
    mechanism.set_state(&mut data, 0.0, &[0.3, -0.8], &[0.5, 1.2]).unwrap();
    assert!((mechanism.totals(&data).kinetic - kinetic).abs() < 1e-14);
}
