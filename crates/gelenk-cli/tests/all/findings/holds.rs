//! Which frictions hold: one rule in all methods, whatever the order of the tables.

use proptest::prelude::*;

use super::support::{last, run};

/// Every method, with the largest error that it may make on the motions below at these steps.
const METHODS: [(&str, f64); 8] = [
    (r#"{ method = "dopri5", rtol = 1e-10, atol = 1e-12, max_step = "10 ms" }"#, 1e-9),
    (r#"{ method = "dop853", rtol = 1e-10, atol = 1e-12, max_step = "10 ms" }"#, 1e-9),
    (r#"{ method = "bs23", rtol = 1e-9, atol = 1e-11, max_step = "10 ms" }"#, 1e-6),
    (r#"{ method = "rk4", step = "1 ms" }"#, 1e-9),
    (r#"{ method = "heun", step = "1 ms" }"#, 1e-5),
    (r#"{ method = "stepped2", step = "1 ms" }"#, 1e-5),
    (r#"{ method = "stepped", step = "1 ms" }"#, 1e-2),
    (r#"{ method = "real-time", step = "1 ms" }"#, 1e-2),
];

/// A block shot up a slope: 4.5 N of slope, 4 N of sliding friction, 5 N of static friction.
fn slope(rate: f64, law: &str, solver: &str) -> String {
    format!(
        r#"
        schema = 1
        gravity = ["-4.5 m/s^2", 0, 0]
        bodies.a = {{ mass = "1 kg", inertia = [0, 0, 0] }}
        joints.j = {{ type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = {{ name = "x", rate = {rate} }}, friction = {{ {law} }} }}
        simulate = {{ until = "0.4 s", output = "10 ms", solver = {solver} }}
        "#
    )
}

/// It stops after `v^2/17` and stays, since the slope is below the static friction (closed form).
#[test]
fn a_block_stays_where_it_stops() {
    for law in [
        r#"law = "coulomb", coulomb = "4 N", breakaway = "5 N""#,
        r#"law = "karnopp", coulomb = "4 N", breakaway = "5 N", band = "1e-6 m/s""#,
    ] {
        for (solver, tolerance) in METHODS {
            for rate in [0.3, 0.517, 0.6123, 0.73, 0.8499, 0.97, 1.0, 1.21] {
                let (recording, _) = run(&slope(rate, law, solver)).unwrap();
                let x = last(&recording, "x");
                let right = rate * rate / 17.0;
                assert!((x - right).abs() < tolerance, "{law} {solver} {rate}: {x} instead of {right}");
                assert_eq!(last(&recording, "x.rate"), 0.0, "{solver} {rate}");
            }
        }
    }
}

/// `stepped2` keeps its order through reversals: 7 N sin(t) against 3 N on 1 kg. Against DOP853 the largest error falls by
/// four where the step is halved; it was ragged and of order one.
#[test]
fn order_two_through_reversals() {
    let model = |solver: &str| {
        format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.a = {{ mass = "1 kg", inertia = [0, 0, 0] }}
            joints.j = {{ type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = "x", friction = {{ law = "coulomb", coulomb = "3 N", breakaway = "4 N" }} }}
            drives.d = {{ on = "x", force = "7 N*sin(1 [rad/s]*t)" }}
            simulate = {{ until = "10 s", output = "40 ms", solver = {solver} }}
            "#
        )
    };
    let exact = run(&model(METHODS[1].0)).unwrap().0;
    let error = |step: f64| {
        let solver = format!(r#"{{ method = "stepped2", step = "{step} ms" }}"#);
        let (recording, _) = run(&model(&solver)).unwrap();
        let x = recording.columns().iter().position(|c| c.name == "x").unwrap();
        let pairs = recording.values(x).unwrap().iter().zip(exact.values(x).unwrap());
        pairs.fold(0.0f64, |max, (a, b)| max.max((a - b).abs()))
    };
    let [coarse, middle, fine] = [4.0, 2.0, 1.0].map(error);
    assert!(fine < 2e-6 && (2.5..6.5).contains(&(coarse / middle)), "{coarse:e} {middle:e} {fine:e}");
    assert!((2.5..6.5).contains(&(middle / fine)), "{coarse:e} {middle:e} {fine:e}");
}

/// Two frictions on one coordinate hold 2 N + 3 N, so 4.5 N never move it (sum of the levels).
#[test]
fn frictions_on_one_coordinate_add_up() {
    for (solver, _) in METHODS {
        let (recording, _) = run(&format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.a = {{ mass = "1 kg", inertia = [0, 0, 0] }}
            joints.j = {{ type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = "x", friction = {{ law = "coulomb", coulomb = "1 N", breakaway = "2 N" }} }}
            friction.s = {{ on = "x", law = "coulomb", coulomb = "3 N" }}
            drives.d = {{ on = "x", force = "4.5 N*sin(1 [rad/s]*t)" }}
            simulate = {{ until = "4 s", output = "100 ms", solver = {solver} }}
            "#
        ))
        .unwrap();
        assert_eq!(last(&recording, "x"), 0.0, "{solver}");
        assert!(recording.events().is_empty(), "{solver} {:?}", recording.events());
    }
}

/// Two bearings of 1.5 N m joined by a gear of 1:3 hold 1.5 + 3 * 1.5 = 6 N m on the first shaft (virtual work): a torque
/// of 1 N m/s breaks away after 6 s.
#[test]
fn bearings_behind_a_gear_add_up() {
    for (solver, tolerance) in METHODS {
        let (recording, _) = run(&format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.c1 = {{ mass = 1, inertia = [0.1, 0.1, 0.1] }}
            joints.c1 = {{ type = "revolute", parent = "ground", child = "c1", coordinate = "a", friction = {{ law = "coulomb", coulomb = "1 N m", breakaway = "1.5 N m" }} }}
            bodies.c2 = {{ mass = 1, inertia = [0.1, 0.1, 0.1] }}
            joints.c2 = {{ type = "revolute", parent = "ground", child = "c2", coordinate = "b", friction = {{ law = "coulomb", coulomb = "1 N m", breakaway = "1.5 N m" }} }}
            loops.g = {{ type = "coupling", equation = "b-3*a" }}
            drives.d = {{ on = "a", torque = "1 [N m/s]*t" }}
            simulate = {{ until = "7 s", output = "100 ms", solver = {solver} }}
            "#
        ))
        .unwrap();
        let first = recording.events().first().map_or(0.0, |event| event.t);
        assert!((first - 6.0).abs() < 2e-3, "{solver} {first}");
        // Then 0.1 + 9 * 0.1 = 1 kg m^2 and 6 + u - 4 N m: 1 + 1/6 rad after a second (closed form).
        let a = last(&recording, "a");
        assert!((a - 7.0 / 6.0).abs() < tolerance.max(1e-8), "{solver} {a}");
    }
}

/// A block that slides back and forth on another one, which static friction holds: at most 4.5 N + 2 N of its 7.5 N.
/// The other one stands, also when a push comes as a jump, and with the tables in the other order.
#[test]
fn a_neighbour_that_turns_breaks_nothing() {
    let low = r#"
        bodies.low = { mass = "1 kg", inertia = [0, 0, 0] }
        joints.low = { type = "prismatic", parent = "ground", child = "low", axis = [1, 0, 0], coordinate = "x", friction = { law = "coulomb", coulomb = "5 N", breakaway = "7.5 N" } }
        forces.load = { on = "low", force = ["4.5 N", 0, 0] }
    "#;
    let top = |rate: &str, push: &str| {
        format!(
            r#"
            bodies.top = {{ mass = "1 kg", inertia = [0, 0, 0] }}
            joints.top = {{ type = "prismatic", parent = "low", child = "top", axis = [1, 0, 0], coordinate = {{ name = "y", rate = "{rate}" }}, friction = {{ law = "coulomb", coulomb = "2 N" }} }}
            forces.push = {{ on = "top", force = ["{push}", 0, 0] }}
            switches.now = {{ on = "t >= 1 s" }}
            "#
        )
    };
    // From -1 m/s it turns after 1/6 s at -1/12 m, then 2 m/s^2; pushed from rest at 1 s it goes 4 m in 2 s (closed forms).
    let turned = -1.0 / 12.0 + (3.0 - 1.0 / 6.0f64).powi(2);
    for (rate, push, y) in [("-1 m/s", "4 N", turned), ("0 m/s", "4 N*now", 4.0), ("0 m/s", "4 N", 9.0)] {
        for (solver, tolerance) in METHODS {
            let top = top(rate, push);
            for parts in [[low, &top], [&top, low]] {
                let [first, second] = parts;
                let text = format!(
                    "schema = 1\ngravity = [0, 0, 0]\n{first}\n{second}\nsimulate = {{ until = \"3 s\", output = \"10 ms\", solver = {solver} }}"
                );
                let (recording, _) = run(&text).unwrap();
                assert_eq!(last(&recording, "x"), 0.0, "{rate} {push} {solver}");
                let off = last(&recording, "y") - y;
                assert!(off.abs() < tolerance.max(1e-8), "{rate} {push} {solver}: {off:e}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if std::env::var_os("GELENK_FULL").is_some() { 300 } else { 8 }, ..ProptestConfig::default() })]

    /// Stacks of three blocks with static friction above that of sliding, pushed by constant and swinging forces: all
    /// methods agree, and the order of the tables does not matter.
    #[test]
    fn stacks_agree_in_every_method(
        levels in proptest::array::uniform3(0.5..4.0f64),
        drops in proptest::array::uniform3(0.3..1.0f64),
        rates in proptest::array::uniform3(-1.0..1.0f64),
        pushes in proptest::array::uniform3(-6.0..6.0f64),
        swings in proptest::array::uniform3(0.0..4.0f64),
        order in proptest::sample::select(vec![[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]]),
    ) {
        let block = |i: usize| {
            let parent = if i == 0 { "ground".into() } else { format!("b{}", i - 1) };
            format!(
                r#"
                bodies.b{i} = {{ mass = "1 kg", inertia = [0, 0, 0] }}
                joints.j{i} = {{ type = "prismatic", parent = "{parent}", child = "b{i}", axis = [1, 0, 0], coordinate = {{ name = "x{i}", rate = {} }}, friction = {{ law = "coulomb", coulomb = {}, breakaway = {} }} }}
                forces.f{i} = {{ on = "b{i}", force = ["{} N + {} N*sin(3 [rad/s]*t)", 0, 0] }}
                "#,
                rates[i], levels[i] * drops[i], levels[i], pushes[i], swings[i]
            )
        };
        let model = |order: [usize; 3], solver: &str| {
            let blocks = order.map(block).concat();
            format!("schema = 1\ngravity = [0, 0, 0]\n{blocks}\nsimulate = {{ until = \"1.5 s\", output = \"10 ms\", solver = {solver} }}")
        };
        let motion = |order, solver: &str| {
            let (recording, _) = run(&model(order, solver)).map_err(TestCaseError::fail)?;
            Ok::<_, TestCaseError>([0, 1, 2].map(|i| last(&recording, &format!("x{i}"))))
        };
        let exact = motion([0, 1, 2], METHODS[0].0)?;
        for (solver, tolerance) in METHODS {
            let found = motion(order, solver)?;
            for (x, exact) in found.iter().zip(&exact) {
                let off = (x - exact).abs();
                prop_assert!(off <= 10.0 * tolerance.max(1e-8) * (1.0 + exact.abs()), "{} {:?} {:?}", solver, found, exact);
            }
        }
    }
}
