//! Absolute against minimal coordinates: accelerations and wrenches of random mechanisms, elements on coordinates, and
//! the double pendulum of S-2 in three formulations.

use crate::closed::{Scalars, accelerations, looped, moving, start, tree};
use gelenk_math::dense::solve_general;
use gelenk_math::expression::Expression;
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_math::{Dual, Real, partial};
use gelenk_multibody::Mechanism;
use gelenk_multibody::absolute::{AbsoluteError, BodyState};
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::Method;
use gelenk_system::{Constrained, System};
use gelenk_testing::draft::{Draft, run};
use gelenk_testing::random::Random;

fn absolute(draft: &Draft) -> Mechanism {
    let (blueprint, table) = draft.blueprint.absolute(&draft.table).unwrap();
    blueprint.compile(table).unwrap()
}

fn minimal(draft: &Draft) -> Mechanism {
    draft.blueprint.clone().compile(draft.table.clone()).unwrap()
}

/// Channels by name.
fn channels(mechanism: &Mechanism, x: &[f64], m: &[f64]) -> impl Fn(&str) -> f64 {
    let mut y = vec![0.0; mechanism.channels().len()];
    mechanism.outputs(&mut mechanism.data(), 0.0, x, m, &mut y).unwrap();
    let names: Vec<String> = mechanism.channels().iter().map(|c| c.name.clone()).collect();
    move |name| y[names.iter().position(|n| n == name).unwrap()]
}

fn find<'a>(states: &'a [BodyState<Dual>], name: &str) -> &'a BodyState<Dual> {
    states.iter().find(|s| s.name == name).unwrap()
}

/// Largest difference of the accelerations of all bodies, relative to the largest acceleration.
fn apart(a: &[BodyState<Dual>], b: &[BodyState<Dual>]) -> f64 {
    let (mut worst, mut size) = (0.0f64, 0.0f64);
    for state in a {
        let (first, second) = (accelerations(state), accelerations(find(b, &state.name)));
        for k in 0..6 {
            worst = worst.max((first[k] - second[k]).abs());
            size = size.max(first[k].abs());
        }
    }
    worst / size.max(1.0)
}

/// Whether the accelerations meet the loops: at a singular position a row that depends on others may ask for something
/// else, and no formulation has an answer.
fn consistent(mechanism: &Mechanism, x: &[f64], m: &[f64]) -> bool {
    let layout = mechanism.layout();
    let (mut d, mut dx) = (mechanism.data(), vec![0.0; layout.nx()]);
    mechanism.rates(&mut d, 0.0, x, m, &mut dx).unwrap();
    let at = mechanism.constraints(&mut d, 0.0, &x[layout.q()], &x[layout.v()]);
    let rows = at.rows.dense();
    (0..layout.nc).all(|row| {
        let sum: f64 = layout.v().enumerate().map(|(k, i)| rows[row * layout.nv + k] * dx[i]).sum();
        (sum - at.gamma[row]).abs() < 1e-6
    })
}

/// States whose numbers differ from those of `x` by their own rounding, closed again.
fn near(mechanism: &Mechanism, x: &[f64], m: &[f64], seed: u64) -> [Vec<f64>; 4] {
    let (mut d, mut random) = (mechanism.data(), Random::new(seed));
    [(); 4].map(|()| {
        let rounded = |x: &f64| x + f64::EPSILON * x.abs().max(1.0) * random.number().signum();
        let mut near: Vec<f64> = x.iter().map(rounded).collect();
        mechanism.project(&mut d, 0.0, &mut near, &mut m.to_vec()).unwrap();
        near
    })
}

/// How much the accelerations answer to the rounding of the state: no two ways to compute them can agree better.
fn blur(mechanism: &Mechanism, x: &[f64], m: &[f64], seed: u64) -> f64 {
    let states = moving(mechanism, x, m);
    let moved = near(mechanism, x, m, seed).map(|x| apart(&states, &moving(mechanism, &x, m)));
    moved.into_iter().fold(0.0, f64::max)
}

const PARTS: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];

/// The wrenches of all joints on their children at the origin of these, in their axes, and of all loops.
fn tree_wrenches(draft: &Draft, tree: &Mechanism, x: &[f64], m: &[f64]) -> Vec<f64> {
    let channel = channels(tree, x, m);
    let joints = draft.blueprint.joints.iter().map(|joint| format!("reactions.{}", joint.name));
    let loops = draft.blueprint.loops.iter().map(|closure| format!("loops.{}", closure.name));
    joints.chain(loops).flat_map(|name| PARTS.map(|part| channel(&format!("{name}.{part}")))).collect()
}

/// The same from the loops that the joints have become.
fn body_wrenches(draft: &Draft, bodies: &Mechanism, y: &[f64], n: &[f64]) -> Vec<f64> {
    let (channel, states) = (channels(bodies, y, n), moving(bodies, y, n));
    let mut reported = Vec::new();
    for joint in &draft.blueprint.joints {
        // The joint's loops act on the child at its origin, told in ground axes.
        let mut sum = [0.0; 6];
        for closure in ["", ".across", ".offset", ".turn"].map(|end| format!("{}{end}", joint.name)) {
            let known = format!("loops.{closure}.fx");
            if bodies.channels().iter().any(|c| c.name == known) {
                let add = |(k, part)| sum[k] += channel(&format!("loops.{closure}.{part}"));
                PARTS.iter().enumerate().for_each(add);
            }
        }
        let pose = &find(&states, &draft.blueprint.bodies[joint.child].name).pose;
        let rotation = pose.rotation.map(Real::re);
        for k in [0, 3] {
            reported.extend(rotation.tr_mul(&Vec3::new(sum[k], sum[k + 1], sum[k + 2])).iter());
        }
    }
    for closure in &draft.blueprint.loops {
        reported.extend(PARTS.map(|part| channel(&format!("loops.{}.{part}", closure.name))));
    }
    reported
}

/// Largest difference relative to the largest number.
fn differ(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().fold(1.0f64, |size, a| size.max(a.abs()));
    a.iter().zip(b).fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs())) / size
}

/// ST-R19, ST-R24: accelerations of all bodies and the wrenches of all joints and loops agree in both formulations to
/// 1e-12, over 300 random trees and random loops of all joint kinds (6000 with `GELENK_FULL`). Where rounding of the
/// state alone moves them by more, as with loops near a singular position, they agree to twice that.
#[test]
fn accelerations_and_wrenches_agree() {
    let full = std::env::var_os("GELENK_FULL").is_some();
    let (mut compared, mut with_loops, mut rough) = (0, 0, 0);
    let count = if full { 6000 } else { 300 };
    for seed in 0..count {
        let draft = looped(seed, Scalars::Own, (seed % 3) as usize);
        let (mut tree, bodies) = (minimal(&draft), absolute(&draft));
        tree.record_reactions();
        if tree.velocity_count() == 0 {
            continue;
        }
        assert_eq!(bodies.velocity_count(), 6 * draft.blueprint.bodies.len());
        let ((x, m), (y, n)) = (start(&tree), start(&bodies));
        let states = (moving(&tree, &x, &m), moving(&bodies, &y, &n));
        if !consistent(&tree, &x, &m) {
            continue;
        }
        let error = apart(&states.0, &states.1);
        if error > 1e-12 {
            rough += 1;
            let blur = blur(&tree, &x, &m, seed);
            assert!(error < 2.0 * blur, "mechanism {seed}: {error:e}, and rounding moves it by {blur:e}");
        }
        with_loops += u64::from(tree.constraint_count() > 0);
        let redundant = |mechanism: &Mechanism| !mechanism.redundant_equations().unwrap().is_empty();
        if redundant(&tree) || redundant(&bodies) {
            continue;
        }
        let (one, other) = (tree_wrenches(&draft, &tree, &x, &m), body_wrenches(&draft, &bodies, &y, &n));
        let error = differ(&one, &other);
        if error > 1e-12 {
            rough += 1;
            let of_tree =
                near(&tree, &x, &m, seed).map(|x| differ(&one, &tree_wrenches(&draft, &tree, &x, &m)));
            let of_bodies =
                near(&bodies, &y, &n, seed).map(|y| differ(&other, &body_wrenches(&draft, &bodies, &y, &n)));
            let blur = of_tree.into_iter().chain(of_bodies).fold(0.0, f64::max);
            assert!(
                error < 2.0 * blur,
                "mechanism {seed}: wrenches {error:e}, and rounding moves them by {blur:e}"
            );
        }
        compared += 1;
    }
    assert!(3 * compared > 2 * count && 3 * with_loops > count, "{compared} {with_loops}");
    assert!(500 * rough < count, "{rough} of {count}");
}

const TIGHT: Method = Method::Dopri5 { rtol: 1e-11, atol: 1e-11, max_step: f64::INFINITY };

/// ST-R19: springs, viscous friction and drives on coordinates do the same in both formulations, and the coordinates are
/// recorded under their names.
#[test]
fn elements_on_coordinates_carry_over() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let turn = draft.coordinate("turn", 0.4, 0.3);
    let slide = draft.coordinate("slide", 0.1, -0.2);
    draft.blueprint.coordinates[slide].kind = CoordinateKind::Length;
    let a = draft.body("a", 1.0, [0.1, 0.0, -0.3], [0.03, 0.04, 0.02]);
    let b = draft.body("b", 0.7, [0.1, 0.1, -0.2], [0.02, 0.01, 0.02]);
    let hinge = draft.revolute([0.2, 1.0, 0.3], turn);
    draft.joint("hinge", BodyRef::Ground, a, [0.1, 0.0, 0.0], hinge);
    let motion =
        JointMotion::Prismatic { axis: draft.numbers([1.0, 0.4, -0.3]), value: Scalar::Coordinate(slide) };
    draft.joint("rail", BodyRef::Body(a), b, [0.0, 0.2, -0.4], motion);
    for (name, coordinate) in [("spring-a", turn), ("spring-b", slide)] {
        let [stiffness, damping, rest] = draft.numbers([20.0, 0.3, 0.05]);
        let element = Element::new(
            name,
            Acting::Spring,
            Attachment::Coordinate(coordinate),
            &[stiffness, damping, rest],
        );
        draft.add(element);
    }
    for (name, coordinate) in [("turn.stop", turn), ("slide.stop", slide)] {
        let stop = draft.numbers([-0.05, 0.05, 40.0, 1.5, 0.5, 0.02, 1.0]);
        let element = Element::new(name, Acting::Stop, Attachment::Coordinate(coordinate), &stop);
        draft.add(element);
    }
    for (name, coordinate, effort) in [
        ("drives.motor", turn, "0.5*sin(3*t) - 0.1*turn.rate"),
        ("drives.piston", slide, "2*motor.torque - slide"),
    ] {
        let element = Element::new(name, Acting::Drive, Attachment::Coordinate(coordinate), &[])
            .with_inputs(&[Expression::parse(effort).unwrap()]);
        draft.add(element);
    }
    let value = Expression::parse("turn*slide + piston.force").unwrap();
    draft.blueprint.outputs.push(Output { name: "mixed".into(), unit: "1".into(), value });
    let [one, other] = [minimal(&draft), absolute(&draft)].map(|mechanism| {
        let columns = ["turn", "turn.rate", "slide", "slide.rate", "mixed", "motor"]
            .map(|name| 1 + mechanism.channels().iter().position(|c| c.name == name).unwrap());
        let (rows, summary) = run(&mechanism, TIGHT, 1.0, 0.1);
        assert!(summary.energy.relative_residue() < 1e-9, "{:?}", summary.energy);
        rows.iter().map(|row| columns.map(|c| row[c])).collect::<Vec<_>>()
    });
    let moved = (one[10][0] - one[0][0]).abs() + (one[10][2] - one[0][2]).abs();
    assert!(moved > 0.05, "it moves: {moved}");
    for (a, b) in one.iter().zip(&other) {
        for k in 0..6 {
            assert!((a[k] - b[k]).abs() < 1e-8, "{a:?} {b:?}");
        }
    }
}

/// What has no counterpart is refused by name: joints that move by expressions, bodies without inertia, stops by impulses.
#[test]
fn refusals_name_the_element() {
    let mut random = Random::new(3);
    let refused = |draft: &Draft| match draft.blueprint.absolute(&draft.table) {
        Err(AbsoluteError::Refused { element, .. }) => element,
        other => format!("{other:?}"),
    };
    let mut light = tree(&mut random, 2, Scalars::Own);
    let feather = light.body("feather", 0.0, [0.0; 3], [0.0; 3]);
    light.joint("held", BodyRef::Ground, feather, [0.0; 3], JointMotion::Fixed);
    assert_eq!(refused(&light), "body feather");
    let mut driven = Draft::new([0.0; 3]);
    let body = driven.body("arm", 1.0, [0.0; 3], [0.1; 3]);
    let value = Scalar::Function(Expression::parse("sin(t)").unwrap());
    let axis = driven.numbers([0.0, 0.0, 1.0]);
    driven.joint("crank", BodyRef::Ground, body, [0.0; 3], JointMotion::Revolute { axis, value });
    assert_eq!(refused(&driven), "joint crank");
    let mut stopped = Draft::new([0.0; 3]);
    let q = stopped.coordinate("q", 0.0, 0.0);
    let body = stopped.body("arm", 1.0, [0.0; 3], [0.1; 3]);
    let hinge = stopped.revolute([0.0, 0.0, 1.0], q);
    stopped.joint("hinge", BodyRef::Ground, body, [0.0; 3], hinge);
    let numbers = stopped.numbers([-1.0, 1.0, 0.5, 0.0, 0.0]);
    let stop = Element::new("hinge.stop", Acting::ImpulseStop, Attachment::Coordinate(q), &numbers);
    stopped.blueprint.elements.push(stop);
    assert_eq!(refused(&stopped), "hinge.stop");
}

/// A double pendulum in space with two hinges that are neither parallel nor perpendicular.
fn double_pendulum() -> Draft {
    let mut draft = Draft::new([0.3, -1.0, -9.81]);
    let first = draft.coordinate("first", 0.5, 1.3);
    let second = draft.coordinate("second", -0.8, -2.1);
    let a = draft.body("a", 1.2, [0.1, 0.05, -0.3], [0.03, 0.04, 0.02]);
    let b = draft.body("b", 0.7, [0.0, 0.1, -0.2], [0.02, 0.015, 0.02]);
    let hinge = draft.revolute(FIRST, first);
    draft.joint("upper", BodyRef::Ground, a, [0.0; 3], hinge);
    let hinge = draft.revolute(SECOND, second);
    draft.joint("lower", BodyRef::Body(a), b, REACH, hinge);
    draft
}

const FIRST: [f64; 3] = [0.0, 1.0, 0.0];
const SECOND: [f64; 3] = [0.6, 0.0, 0.8];
const REACH: [f64; 3] = [0.1, 0.2, -0.5];

/// A body in natural coordinates: points `p` and `q`, unit vectors `u` and `w`, all fixed on it (stelzner 3.4).
struct Natural {
    /// The second point, the vectors in the body frame; the first point is its origin.
    basis: Mat3<f64>,
    mass: f64,
    centre: Vec3<f64>,
    inertia: Mat3<f64>,
}

impl Natural {
    /// Mass matrix of the four vectors (each entry times the identity) and the weights of gravity.
    fn moments(&self) -> ([[f64; 4]; 4], [f64; 4]) {
        // r = p + X s with s = X^-1 r in body coordinates: weights 1 - s1, s1, s2, s3 of p, q, u, w.
        let inverse = self.basis.try_inverse().unwrap();
        let s = inverse * self.centre * self.mass;
        let about_centre = Mat3::identity() * (0.5 * self.inertia.trace()) - self.inertia;
        let second = about_centre + self.centre * self.centre.transpose() * self.mass;
        let ss = inverse * second * inverse.transpose();
        let m = self.mass;
        let mut matrix = [[0.0; 4]; 4];
        for i in 0..3 {
            for k in 0..3 {
                matrix[i + 1][k + 1] = ss[(i, k)];
            }
            matrix[0][i + 1] = s[i] - ss[(0, i)];
            matrix[i + 1][0] = matrix[0][i + 1];
        }
        matrix[0][0] = m - 2.0 * s[0] + ss[(0, 0)];
        (matrix, [m - s[0], s[0], s[1], s[2]])
    }
}

/// Jacobian of the 22 constraints of the double pendulum over 24 natural coordinates, eight vectors `p q u w` of both
/// bodies. Rows of degree two are linear in the coordinates, so that `-J(v) v` is their acceleration term.
fn natural_rows(x: &[f64], only_quadratic: bool) -> Vec<Vec<f64>> {
    let vector = |i: usize| Vec3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    let mut rows = Vec::new();
    // Gradient of (a1 - a0) . (b1 - b0), where 8 stands for nothing.
    let mut product = |a: [usize; 2], b: [usize; 2]| {
        let at = |i: usize| if i == 8 { Vec3::zeros() } else { vector(i) };
        let (first, second) = (at(a[1]) - at(a[0]), at(b[1]) - at(b[0]));
        let mut row = vec![0.0; 24];
        for (pair, other) in [(a, second), (b, first)] {
            for (i, sign) in [(pair[1], 1.0), (pair[0], -1.0)] {
                if i < 8 {
                    (0..3).for_each(|k| row[3 * i + k] += sign * other[k]);
                }
            }
        }
        rows.push(row);
    };
    for o in [0, 4] {
        let (d, u, w) = ([o, o + 1], [8, o + 2], [8, o + 3]);
        for (a, b) in [(d, d), (u, u), (w, w), (d, u), (d, w), (u, w)] {
            product(a, b);
        }
    }
    // The second hinge: its axis keeps its angles with two directions of the first body.
    product([0, 1], [8, 6]);
    product([8, 2], [8, 6]);
    let constant = if only_quadratic { 0.0 } else { 1.0 };
    for k in 0..3 {
        let mut row = vec![0.0; 24];
        row[k] = constant;
        rows.push(row);
        let mut row = vec![0.0; 24];
        (row[12 + k], row[3 + k]) = (constant, -constant);
        rows.push(row);
    }
    // The first hinge: its axis stays along y.
    for k in [0, 2] {
        let mut row = vec![0.0; 24];
        row[6 + k] = constant;
        rows.push(row);
    }
    rows
}

/// ST-R19, ST-R22, case S-2: natural coordinates (24, 22 constraints), absolute (12, 10) and minimal ones (2, 0) give
/// the same accelerations of a spatial double pendulum to 1e-9; absolute and minimal ones also the same wrenches, which
/// the test over random mechanisms compares.
#[test]
fn three_formulations_of_a_double_pendulum() {
    let draft = double_pendulum();
    let (tree, bodies) = (minimal(&draft), absolute(&draft));
    assert_eq!((tree.velocity_count(), tree.constraint_count()), (2, 0));
    assert_eq!((bodies.velocity_count(), bodies.constraint_count()), (12, 10));
    let ((x, m), (y, n)) = (start(&tree), start(&bodies));
    let states = moving(&tree, &x, &m);
    assert!(apart(&states, &moving(&bodies, &y, &n)) < 1e-12);

    let column = |v: [f64; 3]| Vec3::from(v);
    let diagonal = |v: [f64; 3]| Mat3::from_diagonal(&Vec3::from(v));
    let natural = [
        Natural {
            basis: Mat3::from_columns(&[column(REACH), column(FIRST), column([1.0, 0.0, 0.0])]),
            mass: 1.2,
            centre: column([0.1, 0.05, -0.3]),
            inertia: diagonal([0.03, 0.04, 0.02]),
        },
        Natural {
            basis: Mat3::from_columns(&[column([0.0, 0.3, -0.4]), column(SECOND), column([0.0, 1.0, 0.0])]),
            mass: 0.7,
            centre: column([0.0, 0.1, -0.2]),
            inertia: diagonal([0.02, 0.015, 0.02]),
        },
    ];
    // Natural coordinates, their rates and, from the minimal formulation, their accelerations.
    let (mut q, mut v, mut a) = (Vec::new(), Vec::new(), Vec::new());
    for (state, body) in states.iter().zip(&natural) {
        let rotation = state.pose.rotation;
        let zero = Vec3::from_element(Dual::c(0.0));
        let spin = rotation * state.velocity.ang;
        for (k, local) in [
            Vec3::zeros(),
            body.basis.column(0).into(),
            body.basis.column(1).into(),
            body.basis.column(2).into(),
        ]
        .into_iter()
        .enumerate()
        {
            let arm: Vec3<Dual> = rotation * local.map(Dual::c);
            let point = k < 2;
            let place = if point { state.pose.position + arm } else { arm };
            let rate = if point { rotation * state.velocity.lin } else { zero } + spin.cross(&arm);
            q.extend(place.iter().map(|c| c.re()));
            v.extend(rate.iter().map(|c| c.re()));
            a.extend(rate.iter().map(|c| partial(*c, 0)));
        }
    }
    let (rows, quadratic) = (natural_rows(&q, false), natural_rows(&v, true));
    assert_eq!((q.len(), rows.len()), (24, 22));
    let size = 24 + 22;
    let (mut matrix, mut right) = (vec![0.0; size * size], vec![0.0; size]);
    let gravity = [0.3, -1.0, -9.81];
    for (b, body) in natural.iter().enumerate() {
        let (mass, weights) = body.moments();
        for i in 0..4 {
            for axis in 0..3 {
                let row = 12 * b + 3 * i + axis;
                right[row] = weights[i] * gravity[axis];
                for k in 0..4 {
                    matrix[row * size + 12 * b + 3 * k + axis] = mass[i][k];
                }
            }
        }
    }
    for (c, row) in rows.iter().enumerate() {
        for k in 0..24 {
            matrix[(24 + c) * size + k] = row[k];
            matrix[k * size + 24 + c] = row[k];
        }
        right[24 + c] = -quadratic[c].iter().zip(&v).map(|(r, v)| r * v).sum::<f64>();
    }
    let mut solution = vec![0.0; size];
    let rank = solve_general(&mut matrix, size, &mut right, &mut vec![0; size], &mut solution);
    assert_eq!(rank, size);
    for k in 0..24 {
        assert!((solution[k] - a[k]).abs() < 1e-9, "{k}: {} {}", solution[k], a[k]);
    }
}

/// ST-R19, ST-R22: the three formulations of random trees and closed mechanisms at speed agree, with the counts of S-2.
#[test]
fn formulations_of_random_mechanisms() {
    let [minimal, absolute, natural] =
        double_pendulum().blueprint.formulations(&double_pendulum().table).unwrap();
    assert_eq!((minimal.unknowns, minimal.equations), (2, 0));
    assert_eq!((absolute.unknowns, absolute.equations), (12, 10));
    assert_eq!((natural.unknowns, natural.equations), (24, 22));
    assert!(absolute.difference < 1e-12 && natural.difference < 1e-12, "{absolute:?} {natural:?}");
    let mut compared = 0;
    for seed in 0..60 {
        let draft = looped(seed, Scalars::Own, (seed % 3) as usize);
        if let Ok([_, absolute, natural]) = draft.blueprint.formulations(&draft.table) {
            assert!(
                absolute.difference < 1e-10 && natural.difference < 1e-9,
                "{seed}: {absolute:?} {natural:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}
