//! Motion of places, totals, inverse dynamics and inverse kinematics on a mechanism of all kinds of joints.

// Loops over indices mirror the equations.

use gelenk_math::expression::Expression;
use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::ik::{Goal, IkOptions, Method, Task};
use gelenk_multibody::inverse::{Instant, InverseError, InverseOptions, Needed, WrenchView};
use gelenk_multibody::{Acting, Attachment};
use gelenk_system::System;
use gelenk_testing::draft::Draft;
use gelenk_testing::random::Random;
use gelenk_testing::trees::{ALL, tree};

fn function(text: &str) -> Scalar {
    Scalar::Function(Expression::parse(text).unwrap())
}

/// A free body that carries a ball joint, a general joint with a shared coordinate and one driven by time, a slider and
/// a hinge; with springs. With `tied`, a point of the last body is tied to the ground.
fn zoo(tied: bool) -> Mechanism {
    let mut draft = Draft::new([0.3, -0.4, -9.81]);
    let names = ["base", "arm", "leg", "cart", "tip"];
    let bodies = names.map(|name| {
        let k = name.len() as f64;
        draft.body(name, 0.5 + 0.3 * k, [0.1, 0.02 * k, -0.1], [0.3, 0.25, 0.2 + 0.01 * k])
    });
    let [p, x, w] = ["p", "x", "w"].map(|name| draft.coordinate(name, 0.2, 0.0));
    let free = draft.free([0.0; 3], [0.0; 3]);
    draft.joint("base", BodyRef::Ground, bodies[0], [0.1, 0.0, 0.2], free);
    let ball = JointMotion::Ball {
        orientation: draft.numbers([0.1, 0.2, -0.3]),
        angular_velocity: draft.numbers([0.0; 3]),
    };
    draft.joint("arm", BodyRef::Body(bodies[0]), bodies[1], [0.3, 0.1, 0.0], ball);
    let zero = draft.number(0.1);
    let general = JointMotion::General {
        translation: [function("0.2*p^2 + 0.1*sin(t)"), Scalar::Constant(zero), function("0.3*sin(p)")],
        axes: [
            draft.numbers([1.0, 0.0, 0.0]),
            draft.numbers([0.2, 1.0, -0.3]),
            draft.numbers([0.0, 0.0, 1.0]),
        ],
        rotation: [Scalar::Coordinate(p), function("0.4*sin(2*t)"), function("0.5*p*w")],
    };
    draft.joint("leg", BodyRef::Body(bodies[0]), bodies[2], [-0.3, 0.1, 0.0], general);
    let slide = JointMotion::Prismatic { axis: draft.numbers([0.3, 1.0, 0.2]), value: Scalar::Coordinate(x) };
    draft.joint("cart", BodyRef::Body(bodies[2]), bodies[3], [0.0, 0.0, -0.4], slide);
    let hinge = draft.revolute([0.1, 0.2, 1.0], w);
    draft.joint("tip", BodyRef::Body(bodies[3]), bodies[4], [0.2, 0.0, 0.0], hinge);
    for (name, body, at) in [
        ("anchor", BodyRef::Ground, [0.2, 0.1, -0.3]),
        ("end", BodyRef::Body(bodies[4]), [0.3, 0.1, 0.2]),
        ("hand", BodyRef::Body(bodies[1]), [0.4, 0.0, 0.1]),
    ] {
        let (position, orientation) = (draft.numbers(at), draft.numbers([0.4, -0.2, 0.6]));
        draft.add(Frame { name: name.into(), body, position, orientation });
    }
    let [stiffness, damping, length] = draft.numbers([50.0, 2.0, 0.3]);
    let element = Element::new(
        "springs.rope",
        Acting::LineSpring,
        Attachment::Distance([0, 2].map(FrameId::nth)),
        &[stiffness, damping, length],
    );
    draft.add(element);
    let [stiffness, damping, rest] = draft.numbers([20.0, 1.0, 0.1]);
    let element =
        Element::new("spring", Acting::Spring, Attachment::Coordinate(x), &[stiffness, damping, rest]);
    draft.add(element);
    let effort = Expression::parse("3*sin(t) + 1").unwrap();
    let element =
        Element::new("drives.motor", Acting::Drive, Attachment::Coordinate(w), &[]).with_inputs(&[effort]);
    draft.add(element);
    if tied {
        draft.add(Loop { name: "tip".into(), kind: LoopKind::Point([0, 1].map(FrameId::nth)) });
    }
    draft.build()
}

/// Numbers between -1 and 1 that look random and are always the same.
fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 37 + seed * 101) as f64 * 0.7717).sin()).collect()
}

struct State {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

fn state(mechanism: &Mechanism, seed: usize) -> State {
    let layout = mechanism.layout();
    let mut d = mechanism.data();
    let start = start(mechanism);
    let mut q = start.clone();
    let step: Vec<f64> = numbers(layout.nv, seed).iter().map(|x| 0.3 * x).collect();
    mechanism.retract_origin(&start, &step, &mut q);
    let (mut v, mut a) = (numbers(layout.nv, seed + 1), numbers(layout.nv, seed + 2));
    let t = 0.3 + 0.1 * seed as f64;
    let mut gaps = vec![0.0; mechanism.loop_count()];
    mechanism.follow(&mut d, t, &mut q, &mut v, &mut a, &vec![true; layout.nv], &mut gaps).unwrap();
    State { t, q, v, a }
}

fn start(mechanism: &Mechanism) -> Vec<f64> {
    let layout = mechanism.layout();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut mechanism.data(), &mut x, &mut m).unwrap();
    x[layout.q()].to_vec()
}

/// The motion through a state as dual numbers in direction 0: `dt = 1`, `dq = v`, `dv = a`.
fn along(mechanism: &Mechanism, s: &State) -> (Dual, Vec<Dual>, Vec<Dual>) {
    let constant: Vec<Dual> = s.q.iter().map(|&x| Dual::c(x)).collect();
    let step: Vec<Dual> = s.v.iter().map(|&v| seed(0.0, 0) * Dual::c(v)).collect();
    let mut q = constant.clone();
    mechanism.retract_origin(&constant, &step, &mut q);
    let v = s.v.iter().zip(&s.a).map(|(&v, &a)| Dual::c(v) + seed(0.0, 0) * Dual::c(a)).collect();
    (seed(s.t, 0), q, v)
}

fn close(obtained: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (obtained - expected).abs() <= tolerance * (1.0 + expected.abs()),
        "{what}: {obtained} {expected}"
    );
}

/// Velocity and acceleration of places against dual numbers along the motion, and against Jacobian and bias.
fn check_places(mechanism: &Mechanism, s: &State, names: &[&str]) {
    let nv = mechanism.layout().nv;
    let (mut d, mut dual) = (mechanism.data::<f64>(), mechanism.data::<Dual>());
    let (t, q, v) = along(mechanism, s);
    mechanism.set_state(&mut dual, t, &q, &v).unwrap();
    for name in names {
        let place = mechanism.place(name).unwrap().at([0.1, -0.2, 0.3]);
        mechanism.set_motion(&mut d, s.t, &s.q, &s.v, &s.a).unwrap();
        let motion = mechanism.motion_of(&d, &place);
        let rate = mechanism.motion_of(&dual, &place);
        let (mut linear, mut angular) = (vec![0.0; 3 * nv], vec![0.0; 3 * nv]);
        mechanism.set_state(&mut d, s.t, &s.q, &s.v).unwrap();
        mechanism.jacobian_of(&d, &place, &mut linear, &mut angular).unwrap();
        let bias = mechanism.motion_of(&d, &place).acceleration;
        let spin = rate.pose.rotation.map(|r| partial(r, 0)) * motion.pose.rotation.transpose();
        let turn = [spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]];
        for k in 0..3 {
            close(motion.velocity.lin[k], partial(rate.pose.position[k], 0), 1e-11, name);
            close(motion.velocity.ang[k], turn[k], 1e-11, name);
            close(motion.acceleration.lin[k], partial(rate.velocity.lin[k], 0), 1e-10, name);
            close(motion.acceleration.ang[k], partial(rate.velocity.ang[k], 0), 1e-10, name);
            let product = |rows: &[f64]| (0..nv).map(|j| rows[k * nv + j] * s.a[j]).sum::<f64>();
            close(product(&linear) + bias.lin[k], motion.acceleration.lin[k], 1e-11, name);
            close(product(&angular) + bias.ang[k], motion.acceleration.ang[k], 1e-11, name);
        }
    }
}

/// ST-R3, ST-R9, ST-R26: velocity and acceleration of frames and points are the rates of their pose, and the Jacobian
/// with the bias gives both.
#[test]
fn places_move_as_their_rates_say() {
    let mechanism = zoo(false);
    for seed in 0..6 {
        check_places(&mechanism, &state(&mechanism, seed), &["end", "hand", "leg", "base", "ground"]);
    }
    assert!(mechanism.place("nowhere").is_none());
    assert!(mechanism.set_state(&mut mechanism.data(), 0.0, &[], &[]).is_err());
}

/// ST-R3, ST-R9, ST-R24: on random trees of all kinds of joints, places move as their rates say; the drives are those of
/// recursive Newton-Euler; the power of each joint is that of its wrench along its freedoms, and none is left for the
/// reaction.
#[test]
fn random_trees_move_and_are_driven() {
    for seed in 0..10 {
        for scalars in ALL {
            let mut random = Random::new(1 + seed as u64);
            let mechanism = tree(&mut random, [7, 8, 10][seed % 3], scalars, &[]);
            let s = state(&mechanism, seed);
            let bodies: Vec<String> = mechanism.body_names().map(String::from).collect();
            let mut names: Vec<&str> = bodies.iter().map(String::as_str).collect();
            names.push("tip");
            check_places(&mechanism, &s, &names);

            let nv = s.v.len();
            let options = InverseOptions { driven: vec![true; nv], apply_drives: false, tolerance: 1e-9 };
            let found = needed(&mechanism, &s, &options).unwrap();
            let (mut d, mut tau) = (mechanism.data(), vec![0.0; nv]);
            mechanism.inverse_dynamics(&mut d, s.t, &s.q, &s.v, &s.a, &mut tau).unwrap();
            let largest = tau.iter().fold(0.0f64, |max, x| max.max(x.abs()));
            for (obtained, expected) in found.drives.iter().zip(&tau) {
                assert!((obtained - expected).abs() < 1e-12 * largest, "{seed} {scalars:?}");
            }
            // Relative velocities of the joints, in the parent's axes.
            let places: Vec<_> =
                bodies.iter().map(|name| (name.clone(), mechanism.place(name).unwrap())).collect();
            let channels = mechanism.survey_channels(&places);
            let (mut row, m) = (Vec::new(), vec![0.0; mechanism.layout().nm]);
            let at = Instant { t: s.t, q: &s.q, v: &s.v, a: &s.a };
            mechanism.survey(&mut d, at, &m, &places, |x| row.push(x)).unwrap();
            assert_eq!(row.len(), channels.len());
            let column = |name: String| row[channels.iter().position(|c| c.name == name).unwrap()];
            for (k, (joint, wrench)) in mechanism.joint_names().zip(&found.joints).enumerate() {
                let part = |letter: &str| {
                    Vec3::from_iterator(
                        ["x", "y", "z"].map(|k| column(format!("joints.{joint}.{letter}{k}"))),
                    )
                };
                let power = |wrench: &gelenk_math::spatial::Wrench<f64>| {
                    let seen = mechanism.seen(&d, k, wrench, &WrenchView::Parent);
                    part("w").dot(&seen.ang) + part("v").dot(&seen.lin)
                };
                let size = 1.0 + wrench.total.lin.norm() + wrench.total.ang.norm();
                assert!(power(&wrench.reaction).abs() < 1e-9 * size, "{seed} {scalars:?} {joint}");
                assert!((power(&wrench.drive) - power(&wrench.total)).abs() < 1e-9 * size);
            }
        }
    }
}

/// ST-R26: the centre of mass moves by the momentum, and the energies are those of the energy ledger.
#[test]
fn totals_are_consistent() {
    let mechanism = zoo(false);
    let layout = mechanism.layout();
    let s = state(&mechanism, 3);
    let (mut d, mut dual) = (mechanism.data::<f64>(), mechanism.data::<Dual>());
    let (t, q, v) = along(&mechanism, &s);
    mechanism.set_state(&mut dual, t, &q, &v).unwrap();
    mechanism.set_state(&mut d, s.t, &s.q, &s.v).unwrap();
    let (totals, rates) = (mechanism.totals(&d), mechanism.totals(&dual));
    for k in 0..3 {
        close(totals.velocity[k], partial(rates.centre[k], 0), 1e-12, "velocity of the centre");
        close(totals.momentum[k], totals.mass * totals.velocity[k], 1e-13, "momentum");
    }
    let carried = totals.spin + totals.centre.cross(&totals.momentum);
    assert!((carried - totals.angular_momentum).norm() < 1e-13);
    let mut x = vec![0.0; layout.nx()];
    x[layout.q()].copy_from_slice(&s.q);
    x[layout.v()].copy_from_slice(&s.v);
    let (q, rest) = x.split_at_mut(layout.nq);
    mechanism.origin_to_state(&d, q, &mut rest[..layout.nv]);
    let mut stored = vec![0.0; layout.nw];
    let kinetic = mechanism.energies(&mut d, s.t, &x, &vec![0.0; layout.nm], &mut stored);
    close(totals.kinetic, kinetic, 1e-13, "kinetic energy");
    close(totals.potential, stored[0], 1e-13, "potential energy");
}

fn needed(mechanism: &Mechanism, s: &State, options: &InverseOptions) -> Result<Needed, InverseError> {
    let mut d = mechanism.data();
    let mut memory = mechanism.memory(&mut d).unwrap();
    let mut out = Needed::default();
    let at = Instant { t: s.t, q: &s.q, v: &s.v, a: &s.a };
    mechanism.needed(&mut d, at, &mut memory, options, &mut out).map(|()| out)
}

/// ST-R24, ST-R25: what forward dynamics does under the drives of the model, inverse dynamics attributes to the same
/// drives, with and without a loop; joint wrenches and loop reactions are those of the run, and reactions do no work.
#[test]
fn inverse_dynamics_returns_the_drives_of_a_free_motion() {
    for tied in [false, true] {
        let mut mechanism = zoo(tied);
        mechanism.record_reactions();
        mechanism.record_accelerations();
        let layout = mechanism.layout();
        let mut s = state(&mechanism, 2);
        let mut d = mechanism.data();
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut d, &mut x, &mut m).unwrap();
        x[layout.q()].copy_from_slice(&s.q);
        x[layout.v()].copy_from_slice(&s.v);
        let (q, rest) = x.split_at_mut(layout.nq);
        mechanism.origin_to_state(&d, q, &mut rest[..layout.nv]);
        let mut y = vec![0.0; mechanism.channels().len()];
        mechanism.outputs(&mut d, s.t, &x, &m, &mut y).unwrap();
        let column = |name: &str| y[mechanism.channels().iter().position(|c| c.name == name).unwrap()];
        // Accelerations as they are recorded belong to the origins of free bodies, as inverse dynamics takes them.
        let motion = mechanism.motion_channels();
        for (a, channel) in s.a.iter_mut().zip(&motion[layout.nq + layout.nv..]) {
            *a = column(&channel.name);
        }

        let w = mechanism.velocities_of("w").unwrap().start;
        let mut driven = vec![false; layout.nv];
        driven[w] = true;
        let options = InverseOptions { driven, apply_drives: false, tolerance: 1e-9 };
        let found = needed(&mechanism, &s, &options).unwrap();
        close(found.drives[w], 3.0 * s.t.sin() + 1.0, 1e-11, "drive");
        for (joint, wrench) in mechanism.joint_names().zip(&found.joints) {
            for (k, part) in ["fx", "fy", "fz"].into_iter().enumerate() {
                close(wrench.total.lin[k], column(&format!("reactions.{joint}.{part}")), 1e-10, joint);
            }
            for (k, part) in ["mx", "my", "mz"].into_iter().enumerate() {
                close(wrench.total.ang[k], column(&format!("reactions.{joint}.{part}")), 1e-10, joint);
            }
        }
        if tied {
            for (k, part) in ["fx", "fy", "fz"].into_iter().enumerate() {
                close(found.loops[0].lin[k], column(&format!("loops.tip.{part}")), 1e-9, "loop");
            }
        }
        // The drives of the model as applied efforts leave nothing to do.
        let options = InverseOptions { driven: vec![true; layout.nv], apply_drives: true, tolerance: 1e-9 };
        let found = needed(&mechanism, &s, &options).unwrap();
        assert!(found.drives.iter().all(|tau| tau.abs() < 1e-9), "{:?}", found.drives);
        // Without a drive on it, the motion cannot be made, and the message names what lacks one.
        let options = InverseOptions { driven: vec![false; layout.nv], apply_drives: false, tolerance: 1e-9 };
        let message = needed(&mechanism, &s, &options).unwrap_err().to_string();
        assert!(message.contains("coordinate w"), "{message}");
    }
}

/// ST-R24: the wrench of a joint along its freedoms does all its work; the reaction across them does none, also where a
/// coordinate is shared or time drives a scalar. The views are the same wrench.
#[test]
fn reactions_do_no_work() {
    let mechanism = zoo(true);
    let layout = mechanism.layout();
    let s = state(&mechanism, 4);
    let options = InverseOptions { driven: vec![true; layout.nv], apply_drives: false, tolerance: 1e-9 };
    let found = needed(&mechanism, &s, &options).unwrap();
    let mut d = mechanism.data();
    mechanism.set_state(&mut d, s.t, &s.q, &s.v).unwrap();
    let parents = ["ground", "base", "base", "leg", "cart"];
    for (k, (joint, wrench)) in mechanism.joint_names().zip(&found.joints).enumerate() {
        let child = mechanism.motion_of(&d, &mechanism.place(joint).unwrap());
        let parent = mechanism.motion_of(&d, &mechanism.place(parents[k]).unwrap());
        // Relative motion at the child's origin, in the child's axes.
        let arm = child.pose.position - parent.pose.position;
        let carried = parent.velocity.lin + parent.velocity.ang.cross(&arm);
        let axes = child.pose.rotation;
        let turn = axes.tr_mul(&(child.velocity.ang - parent.velocity.ang));
        let shift = axes.tr_mul(&(child.velocity.lin - carried));
        let power = |w: &gelenk_math::spatial::Wrench<f64>| turn.dot(&w.ang) + shift.dot(&w.lin);
        assert!(power(&wrench.reaction).abs() < 1e-10 * (1.0 + power(&wrench.total).abs()), "{joint}");
        close(power(&wrench.drive), power(&wrench.total), 1e-10, joint);
        let ground = mechanism.seen(&d, k, &wrench.total, &WrenchView::Ground);
        assert!((ground.lin - axes * wrench.total.lin).norm() < 1e-12, "{joint}");
        let own = WrenchView::Place(mechanism.place(joint).unwrap());
        assert!((mechanism.seen(&d, k, &wrench.total, &own).ang - wrench.total.ang).norm() < 1e-10);
        let parent_axes = mechanism.seen(&d, k, &wrench.total, &WrenchView::Parent);
        assert!((parent.pose.rotation * parent_axes.lin - ground.lin).norm() < 1e-10, "{joint}");
    }
    // A free joint takes everything along its freedoms.
    assert!(found.joints[0].reaction.lin.norm() < 1e-12 * found.joints[0].total.lin.norm());
    // The drives of least norm: no combination of loop forces makes them smaller.
    let (q, v) = (&s.q, &s.v);
    let rows = mechanism.origin_constraints(&mut d, s.t, q, v).rows.dense();
    for row in rows.chunks(layout.nv) {
        let along: f64 = row.iter().zip(&found.drives).map(|(c, tau)| c * tau).sum();
        assert!(along.abs() < 1e-9, "{along}");
    }
}

/// Coordinates that are not given follow the loop; those that are given stay where they are.
#[test]
fn given_coordinates_stay_and_others_follow() {
    let mechanism = zoo(true);
    let layout = mechanism.layout();
    let (mut q, mut d) = (start(&mechanism), mechanism.data());
    let x = mechanism.velocities_of("x").unwrap().start;
    q[x] += 0.05;
    let (mut v, mut a) = (vec![0.0; layout.nv], vec![0.0; layout.nv]);
    (v[x], a[x]) = (0.7, -0.4);
    let mut moves = vec![true; layout.nv];
    moves[x] = false;
    let given = q[x];
    let mut gaps = vec![0.0; 1];
    mechanism.follow(&mut d, 0.0, &mut q, &mut v, &mut a, &moves, &mut gaps).unwrap();
    assert!(gaps[0] > 1e-3);
    assert_eq!((q[x], v[x], a[x]), (given, 0.7, -0.4));
    let at = mechanism.origin_constraints(&mut d, 0.0, &q, &v);
    assert!(at.gap.iter().chain(at.rate).all(|g| g.abs() < 1e-12), "{at:?}");
    for (row, gamma) in at.rows.dense().chunks(layout.nv).zip(at.gamma) {
        let rate: f64 = row.iter().zip(&a).map(|(c, a)| c * a).sum();
        assert!((rate - gamma).abs() < 1e-11);
    }
    q[x] += 0.3;
    let refused = mechanism.follow(&mut d, 0.0, &mut q, &mut v, &mut a, &vec![false; layout.nv], &mut gaps);
    assert!(refused.unwrap_err().to_string().contains("the given coordinates leave the loop open"));
}

/// The planar arm of S-3: six hinges about z, links of 0.2 m.
fn planar_arm() -> Mechanism {
    let mut draft = Draft::new([0.0; 3]);
    let mut parent = BodyRef::Ground;
    for k in 0..6 {
        let coordinate = draft.coordinate(&format!("q{}", k + 1), 0.2, 0.0);
        let body = draft.body(&format!("link{}", k + 1), 1.0, [0.1, 0.0, 0.0], [0.01; 3]);
        let hinge = draft.revolute([0.0, 0.0, 1.0], coordinate);
        let at = if k == 0 { [0.0; 3] } else { [0.2, 0.0, 0.0] };
        draft.joint(&format!("j{}", k + 1), parent, body, at, hinge);
        parent = BodyRef::Body(body);
    }
    let (position, orientation) = (draft.numbers([0.2, 0.0, 0.0]), draft.numbers([0.0; 3]));
    draft.add(Frame { name: "hand".into(), body: parent, position, orientation });
    draft.build()
}

/// ST-R27, case S-3 (small exact reference, computed twice in the specification): a planar arm with six hinges reaches
/// (0.5, 0.7) by each of the four methods. The third row, across the plane, is always met.
#[test]
fn four_methods_reach_the_target_of_s3() {
    let mechanism = planar_arm();
    let hand = mechanism.place("hand").unwrap();
    let tasks =
        [Task { name: "reach".into(), goal: Goal::Position(hand, Vec3::new(0.5, 0.7, 0.0)), weight: 1.0 }];
    let q0 = [0.2; 6];
    // The reference takes full steps.
    let solve = |method: Method| {
        let options = IkOptions { method, step: Some(f64::INFINITY), ..IkOptions::default() };
        let mut d = mechanism.data();
        let found = mechanism.solve_ik(&mut d, 0.0, &tasks, &q0, &q0, &options).unwrap();
        assert!(found.converged, "{method:?}: {found:?}");
        found
    };
    let expect = |method: Method, q: [f64; 6], distance: f64, iterations: usize| {
        let found = solve(method);
        for k in 0..6 {
            assert!((found.q[k] - q[k]).abs() < 1e-5, "{method:?}: {:?}", found.q);
        }
        assert!((found.distance() - distance).abs() < 1e-5, "{method:?}: {}", found.distance());
        assert_eq!(found.iterations, iterations, "{method:?}");
        found
    };
    expect(Method::NearStart, [-0.022520, 0.214060, 0.424321, 0.555626, 0.551101, 0.413084], 0.628633, 12);
    expect(Method::LeastStep, [-0.100261, 0.286899, 0.488024, 0.525380, 0.490033, 0.406459], 0.642871, 5);
    let few = solve(Method::FewJoints);
    for (obtained, expected) in few.q.iter().zip([-0.007013, 0.2, 0.2, 1.115119, 0.2, 0.2]) {
        assert!((obtained - expected).abs() < 1e-5, "{:?}", few.q);
    }
    assert!((few.distance() - 0.938242).abs() < 1e-5);
    assert_eq!((few.step_entries, few.moved.iter().filter(|m| **m != 0.0).count()), (2, 2));
    assert!(solve(Method::Minimize).residuals[0] < 1e-10);
}

/// ST-R28: bounds are kept by every method, and a target out of reach is approached with the worst task named.
#[test]
fn bounds_and_targets_out_of_reach() {
    let mechanism = planar_arm();
    let hand = mechanism.place("hand").unwrap();
    let task = |x: f64, y: f64| {
        [Task { name: "reach".into(), goal: Goal::Position(hand, Vec3::new(x, y, 0.0)), weight: 1.0 }]
    };
    let q0 = [0.2; 6];
    let bounds = vec![[-0.1, 0.5]; 6];
    for method in [Method::Minimize, Method::NearStart, Method::LeastStep, Method::FewJoints] {
        let options = IkOptions { method, bounds: bounds.clone(), step: Some(0.3), ..IkOptions::default() };
        let mut d = mechanism.data();
        let found = mechanism.solve_ik(&mut d, 0.0, &task(0.5, 0.7), &q0, &q0, &options).unwrap();
        assert!(found.converged, "{method:?}: {found:?}");
        assert!(
            found.q.iter().all(|q| (-0.1 - 1e-12..=0.5 + 1e-12).contains(q)),
            "{method:?}: {:?}",
            found.q
        );
        let far = mechanism.solve_ik(&mut d, 0.0, &task(0.0, 1.5), &q0, &q0, &options).unwrap();
        assert!(!far.converged);
        let free =
            IkOptions { method, damping: 0.05, iterations: 60, step: Some(0.3), ..IkOptions::default() };
        let far = mechanism.solve_ik(&mut d, 0.0, &task(0.0, 1.5), &q0, &q0, &free).unwrap();
        let (worst, gap) = far.worst().unwrap();
        assert_eq!(worst, 0);
        // The stretched arm of 1.2 m ends 0.3 m short (closed form); only least squares has to get there.
        assert!(gap >= 0.3 - 1e-9);
        if method == Method::Minimize {
            assert!((gap - 0.3).abs() < 1e-6, "{gap}");
        }
    }
}

/// ST-R27, pitfall 11: a frame task turned by 175 degrees and more is reached through the logarithm; ball and free
/// joints move by tangent vectors, and the loop stays closed.
#[test]
fn frame_tasks_with_quaternions_and_a_loop() {
    for tied in [false, true] {
        let mechanism = zoo(tied);
        let near = start(&mechanism);
        let s = state(&mechanism, 5);
        let hand = mechanism.place("hand").unwrap();
        let mut d = mechanism.data();
        mechanism.set_state(&mut d, 0.0, &near, &vec![0.0; s.v.len()]).unwrap();
        let now = mechanism.pose_of(&d, &hand);
        // Newton's method has no guarantee to close a loop while the whole chain is turned over.
        let angles: &[f64] = if tied { &[0.5, 1.5] } else { &[0.5, 2.0, 3.0, 3.1] };
        for &angle in angles {
            let target = Pose::new(
                now.rotation * cardan([angle, 0.0, 0.0]),
                now.position + Vec3::new(0.05, -0.1, 0.1),
            );
            for method in [Method::Minimize, Method::NearStart, Method::LeastStep, Method::FewJoints] {
                let tasks = [
                    Task { name: "hand".into(), goal: Goal::Frame(hand, target), weight: 1.0 },
                    Task { name: "slide".into(), goal: Goal::Coordinate(1, 0.25), weight: 2.0 },
                ];
                let options = IkOptions { method, step: Some(0.5), ..IkOptions::default() };
                let found = mechanism.solve_ik(&mut d, 0.0, &tasks, &near, &near, &options).unwrap();
                assert!(found.converged, "{method:?} {angle} {tied}: {:?} {}", found.residuals, found.gap);
                mechanism.set_state(&mut d, 0.0, &found.q, &vec![0.0; s.v.len()]).unwrap();
                let reached = mechanism.pose_of(&d, &hand);
                assert!((reached.position - target.position).norm() < 1e-9);
                assert!((reached.rotation - target.rotation).norm() < 1e-9);
            }
        }
    }
}
