//! Every explicit method has its order on motions with a closed form (RU-R19, H-R45: its explicit part), and events stand where closed
//! forms have them (H-R48).

use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::{Method, Observer, Options, StopRun, simulate};
use gelenk_system::{Nanos, System};
use gelenk_testing::draft::{Draft, run};
use nalgebra::{Rotation3, Vector3};

fn nanos(s: f64) -> Nanos {
    Nanos::from_seconds(s).unwrap()
}

/// A method by its step or tolerance, and its order.
type Family<T> = (fn(T) -> Method, i32);

/// Methods with a fixed step.
const FIXED: [Family<Nanos>; 6] = [
    (|step| Method::Euler { step }, 1),
    (|step| Method::SemiImplicitEuler { step }, 1),
    (|step| Method::Stepped { step }, 1),
    (|step| Method::Heun { step }, 2),
    (|step| Method::FixedBs23 { step }, 3),
    (|step| Method::Rk4 { step }, 4),
];

/// Methods with error control at a tolerance.
const ADAPTIVE: [Family<f64>; 3] = [
    (|tol| Method::Bs23 { rtol: tol, atol: tol, max_step: f64::INFINITY }, 3),
    (|tol| Method::Dopri5 { rtol: tol, atol: tol, max_step: f64::INFINITY }, 5),
    (|tol| Method::Dop853 { rtol: tol, atol: tol, max_step: f64::INFINITY }, 8),
];

/// A mechanism, and the error of a recorded row against its closed form.
struct Problem {
    name: &'static str,
    mechanism: Mechanism,
    error: fn(&[f64]) -> f64,
}

/// The pendulum A01 of the IFToMM library, released horizontally; its Jacobi elliptic solution at 1 s with 16 digits.
fn pendulum() -> Problem {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let phi = draft.coordinate("phi", 0.0, 0.0);
    let bob = draft.body("bob", 1.0, [-1.0, 0.0, 0.0], [0.0; 3]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], phi);
    draft.joint("hinge", BodyRef::Ground, bob, [0.0; 3], hinge);
    let error = |row: &[f64]| {
        assert_eq!(row[0], 1.0);
        (-row[1].cos() - 0.9862917511318753).hypot(-row[1].sin() + 0.1650108531255412)
    };
    Problem { name: "pendulum", mechanism: draft.build(), error }
}

/// `q'' + 2 delta q' + omega^2 q = 0` with `omega = 5/s`, `delta = 1/s`, `q(0) = 0.3`, `q'(0) = 1`.
fn oscillator() -> Problem {
    let mut draft = Draft::new([0.0; 3]);
    let q = draft.coordinate("q", 0.3, 1.0);
    let wheel = draft.body("wheel", 1.0, [0.0; 3], [0.04, 0.04, 0.04]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], q);
    draft.joint("hinge", BodyRef::Ground, wheel, [0.0; 3], hinge);
    let [stiffness, damping, rest] = draft.numbers([1.0, 0.08, 0.0]);
    let element =
        Element::new("spring", Acting::Spring, Attachment::Coordinate(q), &[stiffness, damping, rest]);
    draft.add(element);
    let error = |row: &[f64]| {
        let (t, delta) = (row[0], 1.0);
        let omega = (25.0f64 - delta * delta).sqrt();
        let exact =
            (-delta * t).exp() * (0.3 * (omega * t).cos() + (1.0 + 0.3 * delta) / omega * (omega * t).sin());
        (row[1] - exact).abs()
    };
    Problem { name: "oscillator", mechanism: draft.build(), error }
}

/// Inertias of the free top, across and along its axis (kg m^2).
const TOP: [f64; 2] = [0.4, 0.7];
const SPIN: [f64; 3] = [1.0, -0.5, 3.0];
const SPEED: [f64; 3] = [0.2, -0.1, 0.4];

/// A free body with two equal inertias. With the constant angular momentum `L` its attitude is
/// `R(t) = exp(t L/A) R(0) exp(t (1 - C/A) omega_3 e_3)`, and its centre moves on a line.
fn top() -> Problem {
    let mut draft = Draft::new([0.0; 3]);
    let body = draft.body("body", 2.0, [0.0; 3], [TOP[0], TOP[0], TOP[1]]);
    let free = draft.free(SPIN, SPEED);
    draft.joint("float", BodyRef::Ground, body, [0.0; 3], free);
    let error = |row: &[f64]| {
        let start = start_of_the_top();
        let l = start * Vector3::new(TOP[0] * SPIN[0], TOP[0] * SPIN[1], TOP[1] * SPIN[2]);
        let about = Vector3::new(0.0, 0.0, (1.0 - TOP[1] / TOP[0]) * SPIN[2]);
        let t = row[0];
        let turn = |vector: Vector3<f64>| Rotation3::from_scaled_axis(t * vector).into_inner();
        let attitude = turn(l / TOP[0]) * start * turn(about);
        let place = start * Vector3::from(SPEED) * t;
        let is = gelenk_math::rotation::from_quaternion([row[4], row[5], row[6], row[7]]);
        (is - attitude).norm() + (Vector3::new(row[1], row[2], row[3]) - place).norm()
    };
    Problem { name: "top", mechanism: draft.build(), error }
}

/// Attitude at the start, as the mechanism has it.
fn start_of_the_top() -> gelenk_math::spatial::Mat3<f64> {
    let mut draft = Draft::new([0.0; 3]);
    let body = draft.body("body", 2.0, [0.0; 3], [1.0; 3]);
    let free = draft.free([0.0; 3], [0.0; 3]);
    draft.joint("float", BodyRef::Ground, body, [0.0; 3], free);
    let mechanism = draft.build();
    let (mut x, mut m) = (vec![0.0; mechanism.layout().nx()], vec![0.0; mechanism.layout().nm]);
    mechanism.start(&mut mechanism.data(), &mut x, &mut m).unwrap();
    gelenk_math::rotation::from_quaternion([x[3], x[4], x[5], x[6]])
}

fn problems() -> [Problem; 3] {
    [pendulum(), oscillator(), top()]
}

/// Error at 1 s, and evaluations.
fn end(problem: &Problem, method: Method) -> (f64, f64) {
    let (rows, summary) = run(&problem.mechanism, method, 1.0, 1.0);
    ((problem.error)(rows.last().unwrap()), summary.evaluations as f64)
}

/// RU-R19, H-R45: halving the step divides the error by `2^p`.
#[test]
fn fixed_steps_have_their_order() {
    for problem in problems() {
        for (method, order) in FIXED {
            let step = if order < 3 { 1.0 / 512.0 } else { 1.0 / 128.0 };
            let errors = [step, step / 2.0].map(|step| end(&problem, method(nanos(step))).0);
            let found = (errors[0] / errors[1]).log2();
            let name = method(nanos(step)).name();
            println!("{} {name}: {errors:?}, order {found:.2}", problem.name);
            assert!((found - f64::from(order)).abs() < 0.25, "{} {name}: {errors:?} {found}", problem.name);
        }
    }
}

/// H-R45: with a tolerance that never binds, the pairs take steps of `max_step`, and the error falls with its power.
#[test]
fn pairs_have_their_order() {
    let loose = |method: Method, max_step: f64| match method {
        Method::Bs23 { .. } => Method::Bs23 { rtol: 1e9, atol: 1e9, max_step },
        Method::Dopri5 { .. } => Method::Dopri5 { rtol: 1e9, atol: 1e9, max_step },
        _ => Method::Dop853 { rtol: 1e9, atol: 1e9, max_step },
    };
    for problem in problems() {
        for (method, order) in ADAPTIVE {
            let step = if order < 8 { 1.0 / 64.0 } else { 1.0 / 6.0 };
            let errors = [step, step / 2.0].map(|step| end(&problem, loose(method(1.0), step)).0);
            let found = (errors[0] / errors[1]).log2();
            let name = method(1.0).name();
            println!("{} {name}: {errors:?}, order {found:.2}", problem.name);
            assert!((found - f64::from(order)).abs() < 0.8, "{} {name}: {errors:?} {found}", problem.name);
        }
    }
}

/// RU-R19, H-R45: with error control the error follows the tolerance.
#[test]
fn errors_follow_the_tolerance() {
    for problem in problems() {
        for (method, _) in ADAPTIVE {
            for tolerance in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
                let (error, evaluations) = end(&problem, method(tolerance));
                let name = method(1.0).name();
                println!("{} {name} {tolerance:e}: {error:e}, {evaluations}", problem.name);
                assert!(error < 100.0 * tolerance, "{} {name}: {error:e} at {tolerance:e}", problem.name);
            }
        }
    }
}

/// Rows between the ends of steps are as good as those at the ends: the dense output keeps the order.
#[test]
fn dense_output_is_as_good_as_the_steps() {
    for problem in [oscillator(), top()] {
        let worst = |method: Method| {
            let (rows, _) = run(&problem.mechanism, method, 1.0, 0.0037);
            rows.iter().map(|row| (problem.error)(row)).fold(0.0, f64::max)
        };
        for (method, order) in FIXED.into_iter().filter(|(method, _)| !method(Nanos(1)).is_stepped()) {
            let step = if order < 3 { 1.0 / 512.0 } else { 1.0 / 128.0 };
            let found = (worst(method(nanos(step))) / worst(method(nanos(step / 2.0)))).log2();
            println!("{} {}: order {found:.2}", problem.name, method(Nanos(1)).name());
            assert!(found > f64::from(order) - 0.3, "{} {}", problem.name, method(Nanos(1)).name());
        }
        for (method, _) in ADAPTIVE {
            let tolerance = 1e-9;
            let error = worst(method(tolerance));
            println!("{} {}: {error:e}", problem.name, method(1.0).name());
            assert!(error < 100.0 * tolerance, "{} {}: {error:e}", problem.name, method(1.0).name());
        }
    }
}

/// Semi-implicit Euler is symplectic: on an oscillator without damping it keeps `v^2 + w^2 q^2 - h w^2 q v` to rounding
/// over many turns (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, IX), where explicit Euler gains.
#[test]
fn semi_implicit_euler_keeps_its_energy() {
    let mut draft = Draft::new([0.0; 3]);
    let q = draft.coordinate("q", 0.3, 1.0);
    let wheel = draft.body("wheel", 1.0, [0.0; 3], [0.04, 0.04, 0.04]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], q);
    draft.joint("hinge", BodyRef::Ground, wheel, [0.0; 3], hinge);
    let [stiffness, damping, rest] = draft.numbers([1.0, 0.0, 0.0]);
    let element =
        Element::new("spring", Acting::Spring, Attachment::Coordinate(q), &[stiffness, damping, rest]);
    draft.add(element);
    let mechanism = draft.build();
    let (h, square) = (1.0 / 64.0, 25.0);
    let rate = 1 + mechanism.channels().iter().position(|channel| channel.name == "q.rate").unwrap();
    let kept = |method: Method| {
        let (rows, _) = run(&mechanism, method, 200.0, 0.5);
        let energy = |row: &Vec<f64>| {
            let (q, v) = (row[1], row[rate]);
            v * v + square * q * q - h * square * q * v
        };
        let first = energy(&rows[0]);
        rows.iter().map(|row| (energy(row) / first - 1.0).abs()).fold(0.0, f64::max)
    };
    let semi = kept(Method::SemiImplicitEuler { step: nanos(h) });
    assert!(semi < 1e-11, "{semi:e}");
    assert!(kept(Method::Euler { step: nanos(h) }) > 1e3);
}

/// Takes note of events.
#[derive(Default)]
struct Events(Vec<(f64, String)>);

impl Observer for Events {
    fn row(&mut self, _: &[f64]) -> Result<(), StopRun> {
        Ok(())
    }

    fn event(&mut self, t: f64, element: &str, _: gelenk_record::Change) {
        self.0.push((t, element.to_owned()));
    }
}

fn events(mechanism: &Mechanism, method: Method, until: f64) -> Vec<(f64, String)> {
    let mut events = Events::default();
    let options = Options { until: nanos(until), output: nanos(until), method };
    simulate(mechanism, &mechanism.parameters().values(), &options, &mut events).unwrap();
    events.0
}

/// Weights that fall freely along -z, each from its height above its floor.
fn falling(masses: &[f64], heights: &[f64]) -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    for (k, (&mass, &height)) in masses.iter().zip(heights).enumerate() {
        let z = draft.coordinate(&format!("z{k}"), height + k as f64, 0.0);
        let body = draft.body(&format!("weight{k}"), mass, [0.0; 3], [1.0; 3]);
        let motion =
            JointMotion::Prismatic { axis: draft.numbers([0.0, 0.0, 1.0]), value: Scalar::Coordinate(z) };
        draft.joint(&format!("guide{k}"), BodyRef::Ground, body, [0.0; 3], motion);
        let range = draft.numbers([k as f64, f64::INFINITY]);
        let [stiffness, exponent, damping, depth] = draft.numbers([1e3, 1.5, 0.0, 1e-3]);
        let clamp = draft.number(1.0);
        let element = Element::new(
            format!("floor{k}"),
            Acting::Stop,
            Attachment::Coordinate(z),
            &[range[0], range[1], stiffness, exponent, damping, depth, clamp],
        );
        draft.add(element);
    }
    draft.build()
}

/// H-R48: a free fall reaches the floor at `sqrt(2 h/g)`; every method of order two and more follows it exactly, so the
/// location alone decides, to 1e-12 of the step.
#[test]
fn an_event_is_located_to_the_last_digits_of_the_step() {
    let step = 0.125;
    let methods = [
        Method::Heun { step: nanos(step) },
        Method::Rk4 { step: nanos(step) },
        Method::Bs23 { rtol: 1e-3, atol: 1e-3, max_step: step },
        Method::Dopri5 { rtol: 1e-3, atol: 1e-3, max_step: step },
        Method::Dop853 { rtol: 1e-3, atol: 1e-3, max_step: step },
    ];
    for height in [0.003, 0.7, 1.3] {
        let exact = (2.0 * height / 9.81f64).sqrt();
        for method in methods {
            let found = events(&falling(&[1.0], &[height]), method, 1.0);
            let late = found[0].0 - exact;
            assert!(
                late.abs() < 1e-12 * step + 4.0 * f64::EPSILON * exact,
                "{} {height}: {late:e}",
                method.name()
            );
        }
    }
}

/// A weight that is thrown up and passes its ceiling by a hair inside one step: `v^2/(2 g)` is 1e-7 m more than the
/// height, so it touches at `v/g - sqrt(2e-7/g)`, between two looks at the switching functions.
#[test]
fn a_graze_between_two_looks_is_seen() {
    let (speed, gravity, step) = (0.981, 9.81, 0.53);
    let mut draft = Draft::new([0.0, 0.0, -gravity]);
    let z = draft.coordinate("z", 0.0, speed);
    let body = draft.body("weight", 1.0, [0.0; 3], [1.0; 3]);
    let motion =
        JointMotion::Prismatic { axis: draft.numbers([0.0, 0.0, 1.0]), value: Scalar::Coordinate(z) };
    draft.joint("guide", BodyRef::Ground, body, [0.0; 3], motion);
    let range = draft.numbers([f64::NEG_INFINITY, speed * speed / (2.0 * gravity) - 1e-7]);
    let [stiffness, exponent, damping, depth] = draft.numbers([1.0, 1.5, 0.0, 1e-3]);
    let clamp = draft.number(1.0);
    let element = Element::new(
        "ceiling",
        Acting::Stop,
        Attachment::Coordinate(z),
        &[range[0], range[1], stiffness, exponent, damping, depth, clamp],
    );
    draft.add(element);
    let mechanism = draft.build();
    let exact = speed / gravity - (2e-7 / gravity).sqrt();
    for method in [
        Method::Rk4 { step: nanos(step) },
        Method::Dopri5 { rtol: 1e-3, atol: 1e-3, max_step: step },
        Method::Dop853 { rtol: 1e-3, atol: 1e-3, max_step: step },
    ] {
        let found = events(&mechanism, method, step);
        assert!(!found.is_empty(), "{}: the ceiling was passed unseen", method.name());
        let late = found[0].0 - exact;
        assert!(late.abs() < 1e-9, "{}: {late:e}", method.name());
    }
}

/// A pendulum released horizontally is at its lowest point after `K(1/sqrt 2)/sqrt(g/l)`, with the complete elliptic
/// integral `K(1/sqrt 2) = Gamma(1/4)^2/(4 sqrt pi)`.
#[test]
fn a_pendulum_meets_its_stop_at_a_quarter_of_its_period() {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let phi = draft.coordinate("phi", 0.0, 0.0);
    let bob = draft.body("bob", 1.0, [-1.0, 0.0, 0.0], [0.0; 3]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], phi);
    draft.joint("hinge", BodyRef::Ground, bob, [0.0; 3], hinge);
    let range = draft.numbers([f64::NEG_INFINITY, std::f64::consts::FRAC_PI_2]);
    let [stiffness, exponent, damping, depth] = draft.numbers([1e3, 1.5, 0.0, 1e-3]);
    let clamp = draft.number(1.0);
    let element = Element::new(
        "stop",
        Acting::Stop,
        Attachment::Coordinate(phi),
        &[range[0], range[1], stiffness, exponent, damping, depth, clamp],
    );
    draft.add(element);
    let mechanism = draft.build();
    let exact = 1.854_074_677_301_371_9 / 9.81f64.sqrt();
    for (method, _) in ADAPTIVE {
        let tolerance = 1e-10;
        let found = events(&mechanism, method(tolerance), 0.7)[0].0;
        assert!((found - exact).abs() < 10.0 * tolerance, "{}: {:e}", method(1.0).name(), found - exact);
    }
}

/// Events at one instant are handled in the order of their elements, whatever the order of their approach; those at
/// different instants in the order of time.
#[test]
fn events_at_one_instant_have_an_order() {
    let names =
        |found: &[(f64, String)]| found.iter().take(3).map(|(_, name)| name.clone()).collect::<Vec<_>>();
    for (method, _) in ADAPTIVE {
        let method = method(1e-8);
        let same = events(&falling(&[3.0, 0.1, 0.7], &[0.7, 0.7, 0.7]), method, 0.4);
        assert_eq!(names(&same), ["floor0", "floor1", "floor2"], "{}", method.name());
        assert!(same[2].0 - same[0].0 < 1e-13, "{same:?}");
        let other = events(&falling(&[3.0, 0.1, 0.7], &[0.72, 0.71, 0.70]), method, 0.4);
        assert_eq!(names(&other), ["floor2", "floor1", "floor0"], "{}", method.name());
    }
}
