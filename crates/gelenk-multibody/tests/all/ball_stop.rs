//! Stops of ball joints by swing and twist, springs with the law of a stop.

use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::Method;
use gelenk_system::{Nanos, System};
use gelenk_testing::draft::{Draft, run};

const ADAPTIVE: Method = Method::Dopri5 { rtol: 1e-10, atol: 1e-12, max_step: f64::INFINITY };

/// A pendulum on a ball joint that spins and swings far beyond its stops.
fn pendulum(damping: f64, orientation: [f64; 3], spin: [f64; 3]) -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let body = draft.body("arm", 1.5, [0.0, 0.02, -0.4], [0.05, 0.06, 0.02]);
    let motion =
        JointMotion::Ball { orientation: draft.numbers(orientation), angular_velocity: draft.numbers(spin) };
    draft.joint("hip", BodyRef::Ground, body, [0.0; 3], motion);
    let [swing, lower, upper] = draft.numbers([0.6, -0.3, 0.4]);
    let [stiffness, exponent, damping, depth] = draft.numbers([300.0, 1.5, damping, 0.05]);
    let clamp = draft.number(1.0);
    let axis = draft.numbers([0.1, 0.0, -2.0]);
    let element = Element::new(
        "stop",
        Acting::BallStop,
        Attachment::Ball(JointId::nth(0)),
        &[axis[0], axis[1], axis[2], swing, lower, upper, stiffness, exponent, damping, depth, clamp],
    );
    draft.add(element);
    draft.build()
}

fn column(mechanism: &Mechanism, name: &str) -> usize {
    1 + mechanism.channels().iter().position(|channel| channel.name == name).unwrap()
}

/// ST-R15 for ball joints: an undamped stop gives back what it took. The energy of ten swings into the stops of swing
/// and twist stays what it was, and both were met.
#[test]
fn st_r15_an_undamped_swing_twist_stop_keeps_the_energy() {
    let mechanism = pendulum(0.0, [0.3, -0.2, 0.1], [3.0, -2.0, 4.0]);
    let (rows, summary) = run(&mechanism, ADAPTIVE, 5.0, 0.01);
    let (kinetic, stored) = (column(&mechanism, "energy.kinetic"), column(&mechanism, "energy.stored"));
    let energy = |row: &Vec<f64>| row[kinetic] + row[stored];
    let first = energy(&rows[0]);
    let drift = rows.iter().map(|row| (energy(row) - first).abs()).fold(0.0, f64::max);
    assert!(drift < 1e-6, "{drift}");
    let deepest = rows.iter().map(|row| row[column(&mechanism, "stop")]).fold(0.0, f64::max);
    // The torque of the stop (N m).
    assert!(deepest > 15.0, "{deepest}");
    assert!(summary.events >= 10, "{}", summary.events);
}

/// With damping the stop takes energy, and never gives any.
#[test]
fn a_damped_swing_twist_stop_takes_energy() {
    let mechanism = pendulum(3.0, [0.3, -0.2, 0.1], [3.0, -2.0, 4.0]);
    let (rows, _) = run(&mechanism, ADAPTIVE, 5.0, 0.01);
    let (kinetic, stored) = (column(&mechanism, "energy.kinetic"), column(&mechanism, "energy.stored"));
    let energy = |row: &Vec<f64>| row[kinetic] + row[stored];
    assert!(energy(&rows[0]) - energy(rows.last().unwrap()) > 1.0);
    assert!(rows.windows(2).all(|pair| energy(&pair[1]) < energy(&pair[0]) + 1e-6));
}

/// Both modes tend to the same motion: stepped with a tenth of the step comes ten times nearer to the continuous one.
#[test]
fn the_stepped_mode_meets_the_continuous_one() {
    let mechanism = pendulum(3.0, [0.3, -0.2, 0.1], [3.0, -2.0, 4.0]);
    let (exact, _) = run(&mechanism, ADAPTIVE, 0.5, 0.5);
    let error = |step: f64| {
        let (rows, _) =
            run(&mechanism, Method::Stepped { step: Nanos::from_seconds(step).unwrap() }, 0.5, 0.5);
        let pair = rows.last().unwrap().iter().zip(exact.last().unwrap());
        // Time and quaternion.
        pair.take(5).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(1e-3), error(1e-4));
    assert!(fine < 2e-3 && fine < 0.2 * coarse, "{coarse} {fine}");
}

/// Closed forms: tilted by 0.8 rad about x the stop of the swing (axis z nearly, limit 0.6 rad) holds
/// `300 0.2^1.5`; turned by 1 rad about the axis itself the stop of the twist holds `300 0.6^1.5`.
#[test]
fn swing_and_twist_are_told_apart() {
    let effort = |axis: [f64; 3], turn: [f64; 3]| {
        let mut draft = Draft::new([0.0; 3]);
        let body = draft.body("arm", 1.0, [0.0; 3], [1.0, 1.0, 1.0]);
        let motion =
            JointMotion::Ball { orientation: draft.numbers(turn), angular_velocity: draft.numbers([0.0; 3]) };
        draft.joint("hip", BodyRef::Ground, body, [0.0; 3], motion);
        let [swing, lower, upper] = draft.numbers([0.6, -0.3, 0.4]);
        let [stiffness, exponent, zero] = draft.numbers([300.0, 1.5, 0.0]);
        let clamp = draft.number(1.0);
        let axis = draft.numbers(axis);
        let element = Element::new(
            "stop",
            Acting::BallStop,
            Attachment::Ball(JointId::nth(0)),
            &[axis[0], axis[1], axis[2], swing, lower, upper, stiffness, exponent, zero, zero, clamp],
        );
        draft.add(element);
        let mechanism = draft.build();
        let layout = mechanism.layout();
        let mut data = mechanism.data::<f64>();
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut x, &mut m).unwrap();
        let mut dx = vec![0.0; layout.nx()];
        mechanism.rates(&mut data, 0.0, &x, &m, &mut dx).unwrap();
        [dx[layout.nq], dx[layout.nq + 1], dx[layout.nq + 2]]
    };
    let near = |found: [f64; 3], expected: [f64; 3]| {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    };
    // The unit inertia makes accelerations of torques.
    near(effort([0.0, 0.0, 1.0], [0.8, 0.0, 0.0]), [-300.0 * 0.2f64.powf(1.5), 0.0, 0.0]);
    near(effort([0.0, 0.0, 2.0], [0.0, 0.0, 1.0]), [0.0, 0.0, -300.0 * 0.6f64.powf(1.5)]);
    near(effort([0.0, 0.0, 2.0], [0.0, 0.0, -0.5]), [0.0, 0.0, 300.0 * 0.2f64.powf(1.5)]);
    near(effort([0.0, 1.0, 0.0], [0.5, 0.35, 0.0]), [0.0; 3]);
}

/// ST-R15: the spring of stelzner 3.10 acts to both sides: a mass on `k |x|^2` swings evenly, with the period that the
/// energy gives: `T = 4 integral_0^A dx/sqrt(2/m (k/3)(A^3 - x^3))`, here by a sine substitution and the midpoint rule.
#[test]
fn st_r15_a_spring_with_an_exponent_is_two_sided() {
    let (mass, stiffness, amplitude) = (2.0, 50.0, 0.3);
    let mut draft = Draft::new([0.0; 3]);
    let coordinate = draft.coordinate("x", 0.1 + amplitude, 0.0);
    draft.blueprint.coordinates[coordinate].kind = CoordinateKind::Length;
    let body = draft.body("block", mass, [0.0; 3], [0.0; 3]);
    let motion = JointMotion::Prismatic {
        axis: draft.numbers([1.0, 0.0, 0.0]),
        value: Scalar::Coordinate(coordinate),
    };
    draft.joint("rail", BodyRef::Ground, body, [0.0; 3], motion);
    let [k, exponent, damping, depth, rest] = draft.numbers([stiffness, 2.0, 0.0, 0.0, 0.1]);
    let element = Element::new(
        "spring",
        Acting::PowerSpring,
        Attachment::Coordinate(coordinate),
        &[k, exponent, damping, depth, rest],
    );
    draft.add(element);
    let mechanism = draft.build();
    let n = 200_000;
    let quarter: f64 = (0..n)
        .map(|i| {
            let angle = (f64::from(i) + 0.5) / f64::from(n) * std::f64::consts::FRAC_PI_2;
            let x = amplitude * angle.sin();
            let speed = (2.0 / mass * stiffness / 3.0 * (amplitude.powi(3) - x.powi(3))).sqrt();
            amplitude * angle.cos() / speed * std::f64::consts::FRAC_PI_2 / f64::from(n)
        })
        .sum();
    let (rows, _) = run(&mechanism, ADAPTIVE, 4.0 * quarter, 2.0 * quarter);
    assert!((rows[1][1] - (0.1 - amplitude)).abs() < 1e-6, "{}", rows[1][1]);
    assert!((rows.last().unwrap()[1] - (0.1 + amplitude)).abs() < 1e-6);
}
