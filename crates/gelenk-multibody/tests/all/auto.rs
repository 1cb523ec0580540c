//! The method that is picked from a model (RU-R19; K 7.2: stiff friction goes to large implicit steps).

use gelenk_laws::Friction;
use gelenk_laws::control::Sampled;
use gelenk_math::expression::Expression;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_multibody::{Closing, Mechanism};
use gelenk_solve::auto::{Choice, Wishes, choose, speeds};
use gelenk_solve::{Method, Options};
use gelenk_system::{Nanos, Param, Schedule};
use gelenk_testing::draft::Draft;

/// A wheel on a spring: `q'' + 2 delta q' + omega^2 q = 0`.
fn wheel(omega: f64, delta: f64) -> Draft {
    let mut draft = Draft::new([0.0; 3]);
    let q = draft.coordinate("q", 0.3, 1.0);
    let wheel = draft.body("wheel", 1.0, [0.0; 3], [0.04, 0.04, 0.04]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], q);
    draft.joint("hinge", BodyRef::Ground, wheel, [0.0; 3], hinge);
    let [stiffness, damping, rest] = draft.numbers([0.04 * omega * omega, 0.08 * delta, 0.0]);
    let element =
        Element::new("spring", Acting::Spring, Attachment::Coordinate(q), &[stiffness, damping, rest]);
    draft.add(element);
    draft
}

fn friction(draft: &mut Draft, law: &str, values: &[f64], elements: usize) {
    let parameters: Vec<Param> = values.iter().map(|&value| draft.number(value)).collect();
    let element = Element::new(
        "friction",
        Friction::by_name(law).unwrap(),
        Attachment::Coordinate(CoordinateId::nth(0)),
        &parameters,
    )
    .with_lists(elements);
    draft.add(element);
}

fn pick(mechanism: &Mechanism, rtol: f64, step: Option<Nanos>) -> Choice {
    let method = Method::Stepped { step: Nanos(1) };
    let options = Options { until: Nanos(10_000_000_000), output: Nanos(10_000_000), method };
    let wishes = Wishes { rtol, atol: rtol, max_step: f64::INFINITY, step };
    choose(mechanism, &mechanism.parameters().values(), &options, &wishes).unwrap()
}

/// Eigenvalues of the closed form: `-delta +- sqrt(delta^2 - omega^2)`, with `13 - 12` and `13 + 12` for the strongly
/// damped wheel, and only a swing for the weakly damped one.
#[test]
fn speeds_are_those_of_the_eigenvalues() {
    let of = |omega: f64, delta: f64| {
        let mechanism = wheel(omega, delta).build();
        speeds(&mechanism, &mechanism.parameters().values()).unwrap()
    };
    let (strong, weak) = (of(5.0, 13.0), of(5.0, 1.0));
    assert!((strong.decay - 25.0).abs() < 1e-9 && (strong.radius - 25.0).abs() < 1e-9, "{strong:?}");
    assert!(weak.decay == 0.0 && (weak.radius - 5.0).abs() < 1e-9, "{weak:?}");
}

/// A calm system takes an explicit pair, whose order follows the tolerance.
#[test]
fn calm_systems_take_a_pair_by_the_tolerance() {
    let mechanism = wheel(5.0, 1.0).build();
    for (rtol, name) in [(1e-3, "bs23"), (1e-6, "dopri5"), (1e-10, "dop853")] {
        let choice = pick(&mechanism, rtol, None);
        assert_eq!(choice.method.name(), name, "{}", choice.reason);
        assert!(choice.reason.contains("5.00e0/s"), "{}", choice.reason);
    }
}

/// A decay of 2e5/s would need 606 explicit steps for each row of 10 ms (200,000/s times 10 ms by 3.3); the stepped mode
/// takes the step of 1 ms, or the one that is given.
#[test]
fn stiff_systems_are_stepped() {
    let mechanism = wheel(5.0, 1e5).build();
    let choice = pick(&mechanism, 1e-6, None);
    assert_eq!(choice.method, Method::Stepped2 { step: Nanos(1_000_000) });
    assert!(choice.reason.contains("606 steps"), "{}", choice.reason);
    let step = Nanos(250_000);
    assert_eq!(pick(&mechanism, 1e-6, Some(step)).method, Method::Stepped2 { step });
}

/// A decay of 2e4/s needs 61 explicit steps for each row of 10 ms, of six evaluations each: more than the ten implicit
/// ones of a single wheel, less than those of twelve wheels, whose Jacobian has twelve columns.
#[test]
fn the_cost_is_weighed_and_not_the_steps() {
    assert!(pick(&wheel(5.0, 1e4).build(), 1e-6, None).method.is_stepped());
    let mut draft = wheel(5.0, 1e4);
    for k in 0..11 {
        let other = draft.coordinate(&format!("r{k}"), 0.3, 1.0);
        let body = draft.body(&format!("other{k}"), 1.0, [0.0; 3], [0.04, 0.04, 0.04]);
        let hinge = draft.revolute([0.0, 0.0, 1.0], other);
        draft.joint(&format!("hinge{k}"), BodyRef::Ground, body, [0.0; 3], hinge);
    }
    let choice = pick(&draft.build(), 1e-6, None);
    assert_eq!(choice.method.name(), "dopri5", "{}", choice.reason);
    assert!(choice.reason.contains("61 steps"), "{}", choice.reason);
}

/// LuGre friction is calm at rest; when it slides its bristles decay with `sigma0 |v|/g(v)`: here with 1e5/s at 2 rad/s,
/// one of which is the typical velocity above the start of 1 rad/s.
#[test]
fn friction_is_judged_while_it_slides() {
    let mut draft = wheel(5.0, 1.0);
    friction(&mut draft, "lugre", &[1.0, 1.0, 1e-3, 5e4, 0.0, f64::INFINITY, 0.0, 2.0, 1.0, 0.0, 0.0], 0);
    let mechanism = draft.build();
    let decay = speeds(&mechanism, &mechanism.parameters().values()).unwrap().decay;
    assert!((decay / 1e5 - 1.0).abs() < 0.01, "{decay}");
    assert!(pick(&mechanism, 1e-6, None).method.is_stepped());
}

/// Samples that cut every step short make a low order the cheapest.
#[test]
fn quick_samples_take_a_low_order() {
    let mut draft = wheel(5.0, 1.0);
    let parameters = draft.numbers([0.0; 5]).to_vec();
    let schedule = Schedule::every(Nanos(100_000));
    let inputs = vec![Expression::parse("q").unwrap()];
    let kind = SignalKind::Block { block: Sampled::Sensor, inputs, parameters, schedule };
    draft.add(Signal { name: "measured".into(), unit: "rad".into(), kind });
    let choice = pick(&draft.build(), 1e-6, None);
    assert_eq!(choice.method.name(), "bs23", "{}", choice.reason);
    assert!(choice.reason.contains("0.0001 s"), "{}", choice.reason);
}

/// Two wheels in gear, one of them stiff. The stepped mode does not know a partition of the coordinates, so the pick is
/// a pair although the system is stiff, and the reason tells both.
#[test]
fn a_refused_mode_is_not_picked() {
    let mut draft = wheel(5.0, 1e5);
    let other = draft.coordinate("r", 0.3, 1.0);
    let body = draft.body("other", 1.0, [0.0; 3], [0.04, 0.04, 0.04]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], other);
    draft.joint("other hinge", BodyRef::Ground, body, [0.0; 3], hinge);
    let kind = LoopKind::Coupling(Expression::parse("q - r").unwrap());
    draft.add(Loop { name: "gear".into(), kind });
    let mut mechanism = draft.build();
    assert!(pick(&mechanism, 1e-6, None).method.is_stepped());
    mechanism.set_closing(Closing::Partition);
    let choice = pick(&mechanism, 1e-6, None);
    assert_eq!(choice.method.name(), "dopri5");
    assert!(
        choice.reason.contains("decay is") && choice.reason.contains("not possible"),
        "{}",
        choice.reason
    );
}
