//! The energy balance closes for every kind of joint, coordinate and loop: if a Jacobian, a bias term or
//! the power of an element were wrong, it would not.

use gelenk_math::expression::Expression;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::Method;
use gelenk_testing::draft::{Draft, run};

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
    draft.add(Loop { name: "end".into(), kind: LoopKind::Point([0, 1].map(FrameId::nth)) });
    let [stiffness, damping, length] = draft.numbers([60.0, 0.5, 0.6]);
    let element = Element::new(
        "wire",
        Acting::LineSpring,
        Attachment::Distance([2, 3].map(FrameId::nth)),
        &[stiffness, damping, length],
    );
    draft.add(element);
    let (_, summary) = run(&draft.build(), TIGHT, 2.0, 0.1);
    assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
    assert!(summary.drift < 1e-9, "{summary:?}");
    let wire = summary.energy.works.iter().find(|w| w.name == "wire").unwrap();
    assert!(wire.work.abs() > 1e-3 && wire.dissipated().abs() < 1e-9, "{wire:?}");
    let lost = summary.energy.works.iter().find(|w| w.name == "wire.damping").unwrap();
    assert!(lost.dissipated() > 1e-3, "{lost:?}");
}

/// ST-R13, ST-R14: bushing, follower force, line force and torque between bodies; the balance closes, the bushing stores what it is
/// given, and measures are what the geometry says.
#[test]
fn forces_between_frames_balance() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let expression = |text: &str| Expression::parse(text).unwrap();
    let a = draft.body("a", 1.0, [0.02, 0.01, 0.03], [0.02, 0.03, 0.025]);
    let free = draft.free([1.0, -0.5, 2.0], [0.1, 0.0, 0.2]);
    draft.joint("a", BodyRef::Ground, a, [0.0, 0.0, 1.0], free);
    let b = draft.body("b", 0.6, [0.0, 0.05, 0.0], [0.01, 0.02, 0.012]);
    let free = draft.free([-1.0, 0.3, 0.6], [0.0, 0.3, 0.0]);
    draft.joint("b", BodyRef::Ground, b, [0.3, 0.1, 1.2], free);
    for (name, body, at, angles) in [
        ("m", BodyRef::Body(a), [0.1, 0.0, 0.05], [0.2, 0.1, -0.3]),
        ("n", BodyRef::Body(b), [-0.1, 0.02, 0.0], [0.5, -0.4, 0.2]),
        ("o", BodyRef::Ground, [0.0, 0.2, 2.0], [0.0; 3]),
    ] {
        let (position, orientation) = (draft.numbers(at), draft.numbers(angles));
        draft.add(Frame { name: name.into(), body, position, orientation });
    }
    let stiffness = [draft.numbers([80.0, 120.0, 60.0]), draft.numbers([1.0, 2.0, 1.5])];
    let damping = [draft.numbers([0.0; 3]), draft.numbers([0.0; 3])];
    let elements = [
        Element::new(
            "bush",
            Acting::Bushing,
            Attachment::Pose([0, 1].map(FrameId::nth)),
            &[stiffness[0], stiffness[1], damping[0], damping[1]].concat(),
        ),
        Element::new(
            "jet",
            Acting::Force,
            Attachment::Point { frame: FrameId::nth(0), axes: Some(FrameId::nth(0)) },
            &[],
        )
        .with_inputs(&["0.5", "sin(3*t)", "0.2"].map(expression)),
        Element::new("wind", Acting::Torque, Attachment::Turn { frame: FrameId::nth(1), axes: None }, &[])
            .with_inputs(&["0.01", "0", "0.02*cos(t)"].map(expression)),
        Element::new("rope", Acting::Line, Attachment::Distance([2, 0].map(FrameId::nth)), &[])
            .with_inputs(&[expression("30*(span - 0.8) + 0.2*span_rate")]),
        Element::new(
            "motor",
            Acting::TorqueBetween,
            Attachment::About { between: [0, 1].map(FrameId::nth), axis: 2 },
            &[],
        )
        .with_inputs(&[expression("0.02 - 0.01*turn_rate")]),
    ];
    draft.blueprint.elements.extend(elements);
    for (name, between, measure) in [
        ("span", [2, 0], Measure::Distance),
        ("span_rate", [2, 0], Measure::DistanceRate),
        ("turn", [0, 1], Measure::Angle),
        ("turn_rate", [0, 1], Measure::AngleRate),
        ("x", [0, 1], Measure::Position(0)),
        ("x_rate", [0, 1], Measure::PositionRate(0)),
    ] {
        let kind = SignalKind::Measure(between.map(FrameId::nth), measure);
        draft.add(Signal { name: name.into(), unit: String::new(), kind });
    }
    let mechanism = draft.build();
    let names: Vec<&str> =
        gelenk_system::System::channels(&mechanism).iter().map(|c| c.name.as_str()).collect();
    let column = |name: &str| 1 + names.iter().position(|n| *n == name).unwrap();
    let (rows, summary) = run(&mechanism, TIGHT, 1.0, 0.001);
    assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
    let bush = summary.energy.works.iter().find(|w| w.name == "bush").unwrap();
    assert!(bush.work.abs() > 1e-3 && bush.dissipated().abs() < 1e-8, "{bush:?}");
    // Rates of measures against central differences of the measures over 2 ms.
    for (value, rate) in [("span", "span_rate"), ("x", "x_rate")] {
        let (value, rate) = (column(value), column(rate));
        for window in rows.windows(3) {
            let difference = (window[2][value] - window[0][value]) / 0.002;
            assert!((difference - window[1][rate]).abs() < 1e-3, "{difference} {}", window[1][rate]);
        }
    }
}

/// A coupling that moves with time does work, which has its account.
#[test]
fn time_driven_coupling_balances() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let q = draft.coordinate("q", 0.0, 0.0);
    let body = draft.body("b", 1.5, [0.1, 0.0, -0.4], [0.02, 0.03, 0.01]);
    let hinge = draft.revolute([0.0, 1.0, 0.0], q);
    draft.joint("j", BodyRef::Ground, body, [0.0; 3], hinge);
    let equation = Expression::parse("q - 0.3*sin(2*t)").unwrap();
    draft.add(Loop { name: "drive".into(), kind: LoopKind::Coupling(equation) });
    let (rows, summary) = run(&draft.build(), TIGHT, 1.0, 0.1);
    assert!((rows[10][1] - 0.3 * 2f64.sin()).abs() < 1e-12, "the motion is prescribed");
    assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
    assert!(summary.energy.works.iter().any(|w| w.name == "prescribed motion" && w.work.abs() > 1e-3));
}
