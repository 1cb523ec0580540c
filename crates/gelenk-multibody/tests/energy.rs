//! The energy balance closes for every kind of joint, coordinate and loop: if a Jacobian, a bias term or
//! the power of an element were wrong, it would not.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Draft, run};
use gelenk_math::expression::Expression;
use gelenk_multibody::blueprint::*;
use gelenk_solve::Method;

const TIGHT: Method = Method::Dopri5 { rtol: 1e-11, atol: 1e-11, max_step: f64::INFINITY };

fn function(draft: &mut Draft, axis: [f64; 3], text: &str) -> JointMotion {
    let value = Scalar::Function(Expression::parse(text).unwrap());
    JointMotion::Revolute { axis: draft.numbers(axis), value }
}

/// ST-R6, ST-R7, ST-R8: two joints share a coordinate, one of them through a function of it and of time.
#[test]
fn shared_and_time_driven_coordinates_balance() {
    let mut draft = Draft::new([0.3, -0.2, -9.81]);
    let phi = draft.coordinate("phi", 0.4, 1.0);
    let psi = draft.coordinate("psi", -0.3, 0.2);
    let a = draft.body("a", 1.2, [0.1, 0.2, -0.3], [0.02, 0.03, 0.04]);
    let b = draft.body("b", 0.7, [0.0, 0.1, -0.4], [0.01, 0.03, 0.02]);
    let c = draft.body("c", 0.5, [0.2, 0.0, -0.1], [0.02, 0.01, 0.02]);
    let first = draft.revolute([0.0, 1.0, 0.2], phi);
    draft.joint("first", BodyRef::Ground, a, [0.0; 3], first);
    let second = function(&mut draft, [1.0, 0.3, 0.0], "0.5*phi*psi + 0.3*sin(2*phi) + 0.2*sin(3*t)*psi");
    draft.joint("second", BodyRef::Body(a), b, [0.1, 0.0, -0.5], second);
    let axis = draft.numbers([0.0, 0.0, 1.0]);
    let value = Scalar::Coordinate(psi);
    draft.joint("third", BodyRef::Body(b), c, [0.0, 0.1, -0.4], JointMotion::Prismatic { axis, value });
    let (rows, summary) = run(&draft.build(), TIGHT, 2.0, 0.1);
    assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
    let prescribed = summary.energy.works.iter().find(|w| w.name == "prescribed motion").unwrap();
    assert!(prescribed.work.abs() > 1e-3, "the drive does work: {prescribed:?}");
    assert!((rows.last().unwrap()[1] - rows[0][1]).abs() > 0.1, "it moves");
}

/// ST-R13, ST-R18: a free body on a spring, hung on a loop of two pendulums; nothing is lost.
#[test]
fn loop_with_free_body_balances() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let mut frames = Vec::new();
    let mut rods = Vec::new();
    for (k, x) in [0.0, 1.0].into_iter().enumerate() {
        let coordinate = draft.coordinate(&format!("q{k}"), if k == 0 { 0.6 } else { -0.6 }, 0.0);
        let rod = draft.body(&format!("rod{k}"), 1.0, [0.0, 0.0, -0.3], [0.03, 0.03, 0.001]);
        let hinge = draft.revolute([0.0, 1.0, 0.0], coordinate);
        draft.joint(&format!("hinge{k}"), BodyRef::Ground, rod, [x, 0.0, 0.0], hinge);
        rods.push(rod);
    }
    let tilt = draft.coordinate("tilt", 0.3, 0.0);
    let bar = draft.body("bar", 0.8, [0.3, 0.0, 0.0], [0.001, 0.02, 0.02]);
    let hinge = draft.revolute([0.0, 1.0, 0.0], tilt);
    draft.joint("bar", BodyRef::Body(rods[0]), bar, [0.0, 0.0, -0.7], hinge);
    let ball = draft.body("ball", 0.4, [0.01, 0.0, 0.02], [0.001, 0.002, 0.003]);
    let free = draft.free([1.0, 2.0, -1.0], [0.0; 3]);
    draft.joint("float", BodyRef::Ground, ball, [0.4, 0.1, -1.2], free);
    for (body, at) in
        [(rods[1], [0.0, 0.0, -0.7]), (bar, [0.9, 0.0, 0.0]), (ball, [0.0, 0.0, 0.1]), (bar, [0.4, 0.0, 0.0])]
    {
        let position = draft.numbers(at);
        let orientation = draft.numbers([0.0; 3]);
        let name = format!("frame{}", frames.len());
        frames.push(Frame { name, body: BodyRef::Body(body), position, orientation });
    }
    draft.blueprint.frames = frames;
    draft.blueprint.loops.push(Loop { name: "end".into(), between: [0, 1] });
    let [stiffness, damping, length] = draft.numbers([60.0, 0.5, 0.6]);
    let kind = ElementKind::PointSpring { between: [2, 3], stiffness, damping, length };
    draft.blueprint.elements.push(Element { name: "wire".into(), kind });
    let (_, summary) = run(&draft.build(), TIGHT, 2.0, 0.1);
    assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
    assert!(summary.drift < 1e-9, "{summary:?}");
    let wire = summary.energy.works.iter().find(|w| w.name == "wire").unwrap();
    assert!(wire.work.abs() > 1e-3 && wire.dissipated().abs() < 1e-9, "{wire:?}");
    let lost = summary.energy.works.iter().find(|w| w.name == "wire.damping").unwrap();
    assert!(lost.dissipated() > 1e-3, "{lost:?}");
}
