//! The stepped mode: orders with laws, loops and quaternions, falling branches, and what it says where it fails.

use gelenk_laws::Friction;
use gelenk_math::expression::Expression;
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::{Method, Observer, Options, SolveError, StopRun, simulate};
use gelenk_system::Nanos;
use gelenk_testing::draft::{Draft, Rows, run};

const TIGHT: Method = Method::Dopri5 { rtol: 1e-12, atol: 1e-12, max_step: f64::INFINITY };

fn nanos(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds).unwrap()
}

/// Largest difference of the columns `1..=n` after one second.
fn error(mechanism: &Mechanism, method: Method, exact: &[f64], n: usize) -> f64 {
    let (rows, _) = run(mechanism, method, 1.0, 1.0);
    (1..=n).fold(0.0f64, |max, k| max.max((rows[1][k] - exact[k]).abs()))
}

/// Orders of the three methods over three steps that halve.
fn orders(mechanism: &Mechanism, n: usize, h: f64) -> [[f64; 2]; 3] {
    let (rows, _) = run(mechanism, TIGHT, 1.0, 1.0);
    let methods: [fn(Nanos) -> Method; 3] =
        [|step| Method::Stepped { step }, |step| Method::Stepped2 { step }, |step| Method::RealTime { step }];
    methods.map(|method| {
        let errors = [h, h / 2.0, h / 4.0].map(|h| error(mechanism, method(nanos(h)), &rows[1], n));
        [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()]
    })
}

fn assert_orders(found: [[f64; 2]; 3]) {
    for (orders, expected) in found.into_iter().zip([1.0, 2.0, 1.0]) {
        assert!(orders.iter().all(|order| (expected - 0.1..expected + 0.3).contains(order)), "{found:?}");
    }
}

fn lugre(draft: &mut Draft, coordinate: CoordinateId, values: [f64; 7]) {
    let [a, b, c, d, e, f, g] = values;
    // The exponents of the curve and of the viscous share, and no damping ratio.
    let parameters = draft.numbers([a, b, c, d, e, f, g, 2.0, 1.0, 0.0, 0.0]).to_vec();
    let element = Element::new(
        format!("friction{}", coordinate.index()),
        Friction::LuGre,
        Attachment::Coordinate(coordinate),
        &parameters,
    );
    draft.add(element);
}

/// A wheel about z with inertia `inertia`, moved by an effort.
fn wheel(inertia: f64, rate: f64, effort: &str) -> Draft {
    let mut draft = Draft::new([0.0; 3]);
    let phi = draft.coordinate("phi", 0.0, rate);
    let body = draft.body("wheel", 1.0, [0.0; 3], [inertia; 3]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], phi);
    draft.joint("hinge", BodyRef::Ground, body, [0.0; 3], hinge);
    let element = Element::new("push", Acting::Given, Attachment::Coordinate(phi), &[])
        .with_inputs(&[Expression::parse(effort).unwrap()]);
    draft.add(element);
    draft
}

/// RU-R19: order 1, 2 and 1 on a pendulum that swings through a large angle; reference DOPRI5 at 1e-12, which
/// `closed_forms` shows to meet the elliptic solution.
#[test]
fn orders_on_a_pendulum() {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let phi = draft.coordinate("phi", 0.0, 0.0);
    let bob = draft.body("bob", 1.0, [-1.0, 0.0, 0.0], [0.0; 3]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], phi);
    draft.joint("hinge", BodyRef::Ground, bob, [0.0; 3], hinge);
    assert_orders(orders(&draft.build(), 1, 4e-3));
}

/// RU-R19: the same with a LuGre law that slides, bristle damping included: its states are advanced with order 2 too.
#[test]
fn orders_with_a_sliding_law() {
    let mut draft = wheel(0.01, 0.5, "2*cos(3*t) + 2.5");
    lugre(&mut draft, CoordinateId::nth(0), [1.0, 1.5, 0.5, 50.0, 0.2, f64::INFINITY, 0.05]);
    assert_orders(orders(&draft.build(), 1, 4e-3));
}

/// RU-R19: the same with quaternions: a free body that tumbles.
#[test]
fn orders_on_a_free_body() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let body = draft.body("body", 2.0, [0.1, 0.0, 0.2], [0.4, 0.7, 1.0]);
    let free = draft.free([0.4, 1.2, 0.3], [0.2, -0.1, 0.4]);
    draft.joint("float", BodyRef::Ground, body, [0.0; 3], free);
    assert_orders(orders(&draft.build(), 7, 4e-3));
}

/// RU-R19: the same with a loop: two pendulums and a rod between them, bordered in every stage.
#[test]
fn orders_with_a_loop() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let mut rods = Vec::new();
    for (k, x) in [0.0, 1.0].into_iter().enumerate() {
        let coordinate = draft.coordinate(&format!("q{k}"), 0.6, 0.0);
        let rod = draft.body(&format!("rod{k}"), 1.0, [0.0, 0.0, -0.3], [0.03, 0.03, 0.001]);
        let hinge = draft.revolute([0.0, 1.0, 0.0], coordinate);
        draft.joint(&format!("hinge{k}"), BodyRef::Ground, rod, [x, 0.0, 0.0], hinge);
        rods.push(rod);
    }
    let tilt = draft.coordinate("tilt", -0.5, 0.0);
    let bar = draft.body("bar", 0.8, [0.5, 0.0, 0.0], [0.001, 0.02, 0.02]);
    let hinge = draft.revolute([0.0, 1.0, 0.0], tilt);
    draft.joint("bar", BodyRef::Body(rods[0]), bar, [0.0, 0.0, -0.7], hinge);
    for (name, body, at) in [("end", bar, [0.9, 0.0, 0.0]), ("other", rods[1], [0.0, 0.0, -0.6])] {
        let (position, orientation) = (draft.numbers(at), draft.numbers([0.0; 3]));
        let body = BodyRef::Body(body);
        draft.add(Frame { name: name.into(), body, position, orientation });
    }
    draft.add(Loop { name: "close".into(), kind: LoopKind::Point([0, 1].map(FrameId::nth)) });
    assert_orders(orders(&draft.build(), 3, 4e-3));
}

/// Closed form: a spring of 1e6 N m/rad on 0.01 kg m^2 in steps of 50 ms, 80 periods each. Implicit stages damp it at
/// once: after twenty steps nothing is left of the first velocity, and nothing ever exceeds it.
#[test]
fn stiff_parts_are_damped_at_once() {
    for method in [Method::Stepped { step: nanos(0.05) }, Method::Stepped2 { step: nanos(0.05) }] {
        let (rows, _) = run(&wheel(0.01, 1.0, "-1e6*phi").build(), method, 1.0, 0.05);
        assert!(rows.iter().all(|row| row[2].abs() <= 1.0), "{method:?}");
        assert!(rows[20][2].abs() < 1e-9, "{method:?}: {}", rows[20][2]);
    }
}

/// DESIGN decision 2: a force that falls with the velocity, here `-a v` with `a h > J` and a cubic that ends it, has
/// three roots in a step. The motion starts at rest with a small push to the right, and has to end at `+sqrt(a/b)`: a
/// solver that takes any root may well end at the other sign. The closed form of the end is exact for every step.
#[test]
fn falling_branches_are_followed_by_cutting() {
    let mechanism = wheel(0.01, 1e-3, "10*phi.rate - 1000*phi.rate^3").build();
    for method in [Method::Stepped { step: nanos(0.05) }, Method::Stepped2 { step: nanos(0.05) }] {
        let (rows, summary) = run(&mechanism, method, 0.5, 0.05);
        let end = rows[10][2];
        assert!((end - 0.1).abs() < 1e-9, "{method:?}: {end}");
        assert!(rows.iter().all(|row| row[2] > 0.0), "{method:?}");
        assert!(summary.substeps > 3 && summary.rejected > 0, "{summary:?}");
    }
}

struct Impatient(u32);

impl Observer for Impatient {
    fn row(&mut self, _: &[f64]) -> Result<(), StopRun> {
        Ok(())
    }

    fn interrupted(&mut self, _: f64) -> bool {
        self.0 += 1;
        self.0 > 2
    }
}

/// A force that pushes along the velocity, `a v`, has a step below `J/a` before its branch falls. At rest nothing moves,
/// and still every piece has to be that short: the step of 1 s is cut, the user can stop it, the limit of pieces ends it,
/// and a force that asks for less than 2^-16 of the step is refused at once. The errors name time and element.
#[test]
fn cutting_has_a_limit_and_can_be_interrupted() {
    let step = nanos(1.0);
    for method in [Method::Stepped { step }, Method::Stepped2 { step }] {
        let options = Options { until: step, output: step, method };
        let end = |effort: &str, observer: &mut dyn Observer| {
            let mechanism = wheel(0.01, 0.0, effort).build();
            simulate(&mechanism, &mechanism.parameters().values(), &options, observer).unwrap_err()
        };
        // J/a = 1/30,000 s: more than 4096 pieces, also where a stage solves for 0.29 of a piece only.
        let ended = end("300*phi.rate", &mut Rows::default());
        assert!(
            matches!(&ended, SolveError::Pieces { pieces: 4096, element, t } if element == "coordinate phi" && *t < 1.0),
            "{ended:?}"
        );
        let ended = end("300*phi.rate", &mut Impatient(0));
        assert!(matches!(ended, SolveError::Interrupted { t } if t > 0.0 && t < 0.1), "{ended:?}");
        let ended = end("1e6*phi.rate", &mut Rows::default());
        assert!(
            matches!(&ended, SolveError::Newton { t: 0.0, element, .. } if element == "coordinate phi"),
            "{ended:?}"
        );
    }
}

/// The real-time variant costs the same in every step: one linearisation, whatever friction does.
#[test]
fn real_time_steps_cost_the_same() {
    let mut draft = wheel(0.01, 0.0, "1.4*sin(5*t)");
    lugre(&mut draft, CoordinateId::nth(0), [1.0, 1.2, 0.01, 1e4, 10.0, f64::INFINITY, 0.0]);
    let (rows, summary) = run(&draft.build(), Method::RealTime { step: nanos(1e-3) }, 2.0, 0.1);
    assert_eq!((summary.steps, summary.iterations, summary.evaluations), (2000, 2000, 2000));
    assert!(rows.iter().any(|row| row[1].abs() > 0.01), "it slides");
}
