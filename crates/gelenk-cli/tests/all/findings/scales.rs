//! Mechanisms of any size and mass move alike.

use super::support::{last, run};

/// A four-bar of which all lengths, masses and gravity are those of links of 0.1 to 0.3 m and 0.1 to 0.3 kg, times the
/// given factors. Its angles do not depend on them (dimensional analysis).
fn four_bar(length: f64, mass: f64, solver: &str) -> String {
    let link = |name: &str, size: f64| {
        format!(
            "bodies.{name} = {{ mass = {:e}, centre = [{:e}, 0, 0], inertia = [0, {inertia:e}, {inertia:e}] }}\n",
            mass * size,
            0.5 * length * size,
            inertia = mass * length * length * size.powi(3) / 12.0
        )
    };
    let links = [("c", 0.1), ("k", 0.3), ("r", 0.25)].map(|(name, size)| link(name, size)).concat();
    let [crank, coupler, rocker] = [0.1, 0.3, 0.25].map(|size| size * length);
    format!(
        r#"
        schema = 1
        gravity = [0, 0, {:e}]
        {links}
        joints.drive = {{ type = "revolute", parent = "ground", child = "c", axis = [0, -1, 0], coordinate = {{ name = "phi", start = "90 deg" }} }}
        joints.pin = {{ type = "revolute", parent = "c", child = "k", position = [{crank:e}, 0, 0], axis = [0, -1, 0], coordinate = {{ name = "psi", start = "-60.655 deg" }} }}
        joints.pivot = {{ type = "revolute", parent = "ground", child = "r", position = [{coupler:e}, 0, 0], axis = [0, -1, 0], coordinate = {{ name = "chi", start = "98.857 deg" }} }}
        frames.ke = {{ body = "k", position = [{coupler:e}, 0, 0] }}
        frames.re = {{ body = "r", position = [{rocker:e}, 0, 0] }}
        loops.knuckle = {{ type = "point", between = ["ke", "re"] }}
        simulate = {{ until = "0.5 s", output = "100 ms", solver = {solver} }}
        "#,
        -9.81 * length,
    )
}

/// Light mechanisms stood still and heavy ones went wrong in the stepped modes, since masses beside constraints were judged by
/// their numbers.
#[test]
fn a_four_bar_moves_alike_at_every_scale() {
    for solver in [
        r#"{ method = "stepped", step = "2 ms" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
        r#"{ method = "real-time", step = "2 ms" }"#,
        r#"{ method = "rk4", step = "2 ms" }"#,
    ] {
        let angle = |length, mass| last(&run(&four_bar(length, mass, solver)).unwrap().0, "phi");
        let one = angle(1.0, 1.0);
        for (length, mass) in
            [(1e-5, 1.0), (1e-3, 1e-9), (1.0, 1e-15), (1.0, 1e7), (10.0, 1e4), (100.0, 1e10), (1e-5, 1e10)]
        {
            let phi = angle(length, mass);
            // A step's solution ends at 1e-11 m/s, which for the smallest links is a share of 1e-6.
            let tolerance = if length < 1e-2 { 1e-5 } else { 1e-8 };
            assert!((phi - one).abs() < tolerance, "{solver} {length} {mass}: {phi} instead of {one}");
        }
    }
}

/// A light pendulum beside a heavy four-bar moves as it does beside a light one.
#[test]
fn light_and_heavy_beside_each_other() {
    let pendulum = r#"
        bodies.light = { mass = "1e-6 kg", centre = ["10 mm", 0, 0], inertia = [0, 0, 0] }
        joints.light = { type = "revolute", parent = "ground", child = "light", axis = [0, -1, 0], coordinate = "small" }
    "#;
    for solver in [
        r#"{ method = "stepped", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "1 ms" }"#,
        r#"{ method = "real-time", step = "1 ms" }"#,
    ] {
        let [light, heavy] = [1e-6, 1e4].map(|mass| {
            let text = four_bar(1.0, mass, solver).replace("simulate = ", &format!("{pendulum}simulate = "));
            last(&run(&text).unwrap().0, "small")
        });
        assert!((light - heavy).abs() < 1e-8, "{solver} {light} {heavy}");
    }
}

/// Loops counted as closed at 1e-10 m, whatever their size: a four-bar of 1e6 m was refused, and one of a micrometre was
/// closed badly. By dimensional analysis all of them move alike.
#[test]
fn loops_close_at_every_size() {
    for solver in [
        r#"{ method = "rk4", step = "2 ms" }"#,
        r#"{ method = "rk4", step = "2 ms", loops = "partition" }"#,
        r#"{ method = "stepped2", step = "2 ms" }"#,
    ] {
        let angle = |length| {
            let ran = run(&four_bar(length, 1.0, solver));
            last(&ran.unwrap_or_else(|error| panic!("{solver} {length}: {error}")).0, "phi")
        };
        let one = angle(1.0);
        for length in [1e-6, 1e-4, 1e3, 1e5, 1e7] {
            let phi = angle(length);
            // A step of the stepped modes is solved to 1e-11 m/s.
            let tolerance = if length < 1e-2 && solver.contains("stepped") { 1e-4 } else { 1e-9 };
            assert!((phi - one).abs() < tolerance, "{solver} {length}: {phi} instead of {one}");
        }
    }
}
