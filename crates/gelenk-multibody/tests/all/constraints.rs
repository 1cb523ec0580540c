//! Every constraint: its rate, its acceleration and its rows against dual numbers, with both bodies rotating; and
//! mechanisms that must move alike whether a joint is a freedom or a constraint.

use std::f64::consts::FRAC_PI_2;

use gelenk_math::expression::Expression;
use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_solve::Method;
use gelenk_system::System;
use gelenk_testing::draft::{Draft, run};

/// Two bodies on moving chains: one free, one on a hinge on a ball joint on a slide.
fn draft() -> Draft {
    let mut draft = Draft::new([0.1, 0.3, -9.81]);
    let a = draft.body("a", 1.0, [0.1, 0.0, 0.2], [0.1, 0.2, 0.15]);
    let free = draft.free([0.7, -0.4, 0.9], [0.3, 0.2, -0.5]);
    draft.joint("free", BodyRef::Ground, a, [0.2, 0.1, 0.0], free);
    let slide = draft.coordinate("slide", 0.3, 0.6);
    let hinge = draft.coordinate("hinge", -0.4, 0.8);
    let carriage = draft.body("carriage", 0.5, [0.0; 3], [0.1, 0.1, 0.1]);
    let axis = draft.numbers([1.0, 0.2, -0.3]);
    let motion = JointMotion::Prismatic { axis, value: Scalar::Coordinate(slide) };
    draft.joint("slide", BodyRef::Ground, carriage, [1.0, 0.4, 0.3], motion);
    let b = draft.body("b", 0.8, [0.1, 0.2, 0.0], [0.05, 0.08, 0.06]);
    let motion = JointMotion::Ball {
        orientation: draft.numbers([0.2, 0.5, -0.3]),
        angular_velocity: draft.numbers([-0.6, 0.5, 0.4]),
    };
    draft.joint("ball", BodyRef::Body(carriage), b, [0.0, 0.1, 0.2], motion);
    let c = draft.body("c", 0.4, [0.0, 0.1, 0.1], [0.02, 0.03, 0.01]);
    let motion = draft.revolute([0.3, 1.0, 0.1], hinge);
    draft.joint("hinge", BodyRef::Body(b), c, [0.3, 0.0, 0.1], motion);
    for (name, body, at, angles) in
        [("m", a, [0.2, -0.1, 0.3], [0.4, -0.2, 0.9]), ("n", c, [-0.1, 0.3, 0.2], [1.1, 0.3, -0.5])]
    {
        let (position, orientation) = (draft.numbers(at), draft.numbers(angles));
        draft.add(Frame { name: name.into(), body: BodyRef::Body(body), position, orientation });
    }
    draft
}

/// Loads the initial state without closing the loops.
fn start(mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
    let layout = mechanism.layout();
    let mut open = draft().build();
    let (mut x, mut m) = (vec![0.0; open.layout().nx()], vec![]);
    let mut d = open.data();
    open.start(&mut d, &mut x, &mut m).unwrap();
    open = draft().build();
    assert_eq!(open.layout().nq, layout.nq);
    (x[layout.q()].to_vec(), x[layout.v()].to_vec())
}

/// ST-R10, ST-R11: position, velocity and acceleration level of every type agree to rounding.
#[test]
fn rates_accelerations_and_rows_match_duals() {
    let between = [0, 1].map(FrameId::nth);
    let mut kinds = vec![
        LoopKind::Point(between),
        LoopKind::Parallel(between),
        LoopKind::Perpendicular(between),
        LoopKind::Orientation(between),
        LoopKind::Plane(between),
        LoopKind::Rigid(between),
        LoopKind::Revolute(between),
        LoopKind::Cylindrical(between),
        LoopKind::Prismatic(between),
        LoopKind::Universal(between),
        LoopKind::Coupling(Expression::parse("slide^2 - 0.3*sin(hinge)*slide + 0.1*cos(2*t)*hinge").unwrap()),
    ];
    for extra in 0..2 {
        let mut draft = draft();
        kinds.push(match extra {
            0 => LoopKind::Distance(between, draft.number(0.7)),
            _ => LoopKind::Ellipsoid(between, draft.numbers([0.3, 0.5, 0.9])),
        });
        let kinds = if extra == 0 { std::mem::take(&mut kinds) } else { vec![kinds.pop().unwrap()] };
        for kind in kinds {
            let mut draft = draft_with(extra);
            draft.add(Loop { name: "loop".into(), kind: kind.clone() });
            check_kind(&draft.build(), &format!("{kind:?}"));
        }
    }
}

/// The draft with the parameters that distance and ellipsoid refer to.
fn draft_with(extra: usize) -> Draft {
    let mut draft = draft();
    match extra {
        0 => drop(draft.number(0.7)),
        _ => drop(draft.numbers([0.3, 0.5, 0.9])),
    }
    draft
}

fn check_kind(mechanism: &Mechanism, name: &str) {
    let layout = mechanism.layout();
    let (nv, nc) = (layout.nv, layout.nc);
    let (q, v) = start(mechanism);
    let t = 0.3;
    // The motion with constant v: dq/dt by the contract.
    let mut d = mechanism.data::<f64>();
    let mut x = vec![0.0; layout.nx()];
    x[layout.q()].copy_from_slice(&q);
    x[layout.v()].copy_from_slice(&v);
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut d, t, &x, &[], &mut dx).unwrap();
    let mut dual = mechanism.data::<Dual>();
    let moving: Vec<Dual> =
        q.iter().zip(&dx).map(|(&q, &dq)| Dual::c(q) + seed(0.0, 0) * Dual::c(dq)).collect();
    let still: Vec<Dual> = v.iter().map(|&v| Dual::c(v)).collect();
    let at = mechanism.constraints(&mut dual, seed(t, 0), &moving, &still);
    for i in 0..nc {
        let (gap, rate, gamma) = (at.gap[i], at.rate[i], at.gamma[i]);
        assert!((partial(gap, 0) - rate.re()).abs() < 1e-12, "{name}, rate {i}");
        assert!((partial(rate, 0) + gamma.re()).abs() < 1e-11, "{name}, acceleration {i}");
        assert!(rate.re().abs() > 1e-3, "{name} {i} moves");
    }
    for first in (0..nv).step_by(LANES) {
        let q: Vec<Dual> = q.iter().map(|&q| Dual::c(q)).collect();
        let seeded: Vec<Dual> =
            v.iter().enumerate().map(|(k, &v)| seed(v, k.checked_sub(first).unwrap_or(LANES))).collect();
        let at = mechanism.constraints(&mut dual, Dual::c(t), &q, &seeded);
        for i in 0..nc {
            for k in first..nv.min(first + LANES) {
                let slope = partial(at.rate[i], k - first);
                assert!(
                    (slope - at.rows.dense()[i * nv + k].re()).abs() < 1e-12,
                    "{name}, row {i}, column {k}"
                );
            }
        }
    }
}

const TIGHT: Method = Method::Dopri5 { rtol: 1e-11, atol: 1e-11, max_step: f64::INFINITY };

/// ST-R5, ST-R11, ST-R18, ST-R24: a double pendulum in space moves alike with hinges as freedoms and with a free second
/// body closed by a revolute loop; the energy is kept, and the hinge carries the same wrench.
#[test]
fn loop_joint_equals_tree_joint() {
    let ends = [false, true].map(|as_loop| {
        let mut draft = Draft::new([0.0, 0.0, -9.81]);
        let q1 = draft.coordinate("q1", 0.5, 0.0);
        let a = draft.body("a", 1.0, [0.0, 0.0, -0.3], [0.03, 0.04, 0.01]);
        let b = draft.body("b", 0.7, [0.1, 0.0, -0.2], [0.02, 0.01, 0.02]);
        let hinge = draft.revolute([0.0, 1.0, 0.0], q1);
        draft.joint("first", BodyRef::Ground, a, [0.0; 3], hinge);
        if as_loop {
            let start = [0.5f64.sin() * -0.6, 0.0, 0.5f64.cos() * -0.6];
            let motion = JointMotion::Free {
                position: draft.numbers(start),
                orientation: draft.numbers([0.0, 0.5, 0.0]),
                angular_velocity: draft.numbers([0.0; 3]),
                velocity: draft.numbers([0.0; 3]),
            };
            draft.joint("second", BodyRef::Ground, b, [0.0; 3], motion);
            // The z axes of both frames are the hinge: x of the bodies.
            for (body, at) in [(a, [0.0, 0.0, -0.6]), (b, [0.0; 3])] {
                let (position, orientation) = (draft.numbers(at), draft.numbers([0.0, FRAC_PI_2, 0.0]));
                let name = format!("f{}", body.index());
                draft.add(Frame { name, body: BodyRef::Body(body), position, orientation });
            }
            draft.add(Loop { name: "hinge".into(), kind: LoopKind::Revolute([0, 1].map(FrameId::nth)) });
        } else {
            let q2 = draft.coordinate("q2", 0.0, 0.0);
            let hinge = draft.revolute([1.0, 0.0, 0.0], q2);
            draft.joint("second", BodyRef::Body(a), b, [0.0, 0.0, -0.6], hinge);
        }
        let mut mechanism = draft.build();
        mechanism.record_reactions();
        let names: Vec<String> = mechanism.channels().iter().map(|c| c.name.clone()).collect();
        let column = |name: &str| 1 + names.iter().position(|n| n == name).unwrap();
        let (rows, summary) = run(&mechanism, TIGHT, 1.5, 0.1);
        assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
        // The hinge carries the same wrench: its magnitudes do not depend on the axes in which it is told.
        let group = if as_loop { "loops.hinge" } else { "reactions.second" };
        let norm = |row: &[f64], parts: [&str; 3]| {
            parts.iter().map(|part| row[column(&format!("{group}.{part}"))].powi(2)).sum::<f64>().sqrt()
        };
        let state = |row: &[f64]| [row[1], norm(row, ["fx", "fy", "fz"]), norm(row, ["mx", "my", "mz"])];
        rows.iter().map(|row| state(row)).collect::<Vec<[f64; 3]>>()
    });
    for (tree, closed) in ends[0].iter().zip(&ends[1]) {
        for k in 0..3 {
            assert!((tree[k] - closed[k]).abs() < 1e-7, "{tree:?} {closed:?}");
        }
    }
    assert!(ends[0].iter().any(|s| (s[0] - ends[0][0][0]).abs() > 0.5 && s[2] > 1e-3), "it moves and twists");
}

/// ST-R24: a hanging chain at rest: each hinge carries the weight below it.
#[test]
fn joints_carry_the_weight_below_them() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let mut parent = BodyRef::Ground;
    for (k, mass) in [1.0, 2.0, 0.5].into_iter().enumerate() {
        let q = draft.coordinate(&format!("q{k}"), 0.0, 0.0);
        let body = draft.body(&format!("b{k}"), mass, [0.0, 0.0, -0.2], [0.01; 3]);
        let hinge = draft.revolute([0.0, 1.0, 0.0], q);
        draft.joint(&format!("j{k}"), parent, body, [0.0, 0.0, if k == 0 { 0.0 } else { -0.4 }], hinge);
        parent = BodyRef::Body(body);
    }
    let mut mechanism = draft.build();
    mechanism.record_reactions();
    let names: Vec<String> = mechanism.channels().iter().map(|c| c.name.clone()).collect();
    let (rows, _) = run(&mechanism, TIGHT, 0.1, 0.1);
    for (k, below) in [3.5, 2.5, 0.5].into_iter().enumerate() {
        let column = 1 + names.iter().position(|n| *n == format!("reactions.j{k}.fz")).unwrap();
        assert!((rows[0][column] - below * 9.81).abs() < 1e-12, "{}", rows[0][column]);
    }
}

/// Redundant equations are found and named: a planar four-bar closed by a hinge in space.
#[test]
fn redundant_equations_are_named() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let mut bodies = Vec::new();
    for (k, (at, start)) in [([0.0; 3], 0.3), ([1.0, 0.0, 0.0], 0.3)].into_iter().enumerate() {
        let q = draft.coordinate(&format!("q{k}"), start, 0.0);
        let body = draft.body(&format!("b{k}"), 1.0, [0.0, 0.0, -0.3], [0.03, 0.03, 0.01]);
        let hinge = draft.revolute([0.0, 1.0, 0.0], q);
        draft.joint(&format!("j{k}"), BodyRef::Ground, body, at, hinge);
        bodies.push(body);
    }
    let q = draft.coordinate("bar", -0.3, 0.0);
    let bar = draft.body("bar", 1.0, [0.5, 0.0, 0.0], [0.01, 0.03, 0.03]);
    let hinge = draft.revolute([0.0, 1.0, 0.0], q);
    draft.joint("bar", BodyRef::Body(bodies[0]), bar, [0.0, 0.0, -0.6], hinge);
    for (name, body, at) in [("m", bodies[1], [0.0, 0.0, -0.6]), ("n", bar, [1.0, 0.0, 0.0])] {
        let (position, orientation) = (draft.numbers(at), draft.numbers([FRAC_PI_2, 0.0, 0.0]));
        draft.add(Frame { name: name.into(), body: BodyRef::Body(body), position, orientation });
    }
    draft.add(Loop { name: "close".into(), kind: LoopKind::Revolute([0, 1].map(FrameId::nth)) });
    // Three freedoms, one left: two of five equations are independent (stelzner 8, pitfall 14).
    let redundant = draft.build().redundant_equations().unwrap();
    assert_eq!(redundant.len(), 3, "{redundant:?}");
    assert!(redundant.iter().all(|name| name.starts_with("close (equation ")), "{redundant:?}");
}
