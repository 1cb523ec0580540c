//! Friction on coordinates that loops lock.

use super::support::{last, run};

/// A pendulum with friction that carries a triangle of two hinged bars: the point loop at its tip locks both hinges. They have
/// friction of their own, at the given level (N m).
fn triangle(level: f64, solver: &str) -> String {
    format!(
        r#"
        schema = 1
        gravity = [0, 0, -9.81]
        bodies.p = {{ mass = 1, centre = [0.5, 0, 0], inertia = [0.1, 0.1, 0.1] }}
        bodies.a = {{ mass = 0.3, centre = [0.1, 0, 0.02], inertia = [0.01, 0.01, 0.01] }}
        bodies.b = {{ mass = 0.2, centre = [0.1, 0.01, 0], inertia = [0.01, 0.01, 0.01] }}
        joints.p = {{ type = "revolute", parent = "ground", child = "p", axis = [0, -1, 0], coordinate = {{ name = "phi", start = 0.3, rate = 1, friction = {{ law = "coulomb", coulomb = "0.4 N m" }} }} }}
        joints.a = {{ type = "revolute", parent = "p", child = "a", position = [0.2, 0, 0], axis = [0, -1, 0], coordinate = {{ name = "alpha", start = "60 deg", friction = {{ law = "coulomb", coulomb = "{level} N m" }} }} }}
        joints.b = {{ type = "revolute", parent = "p", child = "b", position = [0.5, 0, 0], axis = [0, -1, 0], coordinate = {{ name = "beta", start = "120 deg", friction = {{ law = "coulomb", coulomb = "{} N m" }} }} }}
        frames.ae = {{ body = "a", position = [0.3, 0, 0] }}
        frames.be = {{ body = "b", position = [0.3, 0, 0] }}
        loops.tip = {{ type = "point", between = ["ae", "be"] }}
        simulate = {{ until = "2 s", output = "10 ms", solver = {{ {solver} }} }}
        "#,
        0.7 * level
    )
}

/// Velocities of locked hinges are rounding, and their friction stuck and slid by it: up to five events, another number in every
/// method, and in random models a run that was given up. The pendulum turns twice in 2 s, and nothing else happens: the
/// hinges cannot move, so their friction does no work and cannot change the motion.
#[test]
fn friction_on_locked_hinges_changes_nothing() {
    for solver in [
        r#"method = "dopri5""#,
        r#"method = "dop853""#,
        r#"method = "bs23""#,
        r#"method = "dopri5", loops = "partition""#,
        r#"method = "dopri5", loops = "baumgarte""#,
        r#"method = "rk4", step = "1 ms""#,
        r#"method = "stepped2", step = "1 ms""#,
        r#"method = "stepped", step = "1 ms""#,
        r#"method = "real-time", step = "1 ms""#,
    ] {
        let mut ends = Vec::new();
        for level in [1e-6, 0.01, 0.3, 30.0] {
            let (recording, _) = run(&triangle(level, solver)).unwrap_or_else(|e| panic!("{solver}: {e}"));
            let elements: Vec<_> = recording.events().iter().map(|event| event.element.as_str()).collect();
            assert_eq!(elements, ["joints.p.coordinate.friction"; 2], "{solver}, {level} N m");
            ends.push(last(&recording, "phi"));
        }
        assert!(ends.iter().all(|phi| (phi - ends[0]).abs() < 1e-9), "{solver}: {ends:?}");
    }
}

/// A coordinate at its dead point at the start is not locked: the slider of a crank that starts stretched has friction from
/// then on, and its work is the level times the way of the slider (closed form). The stepped modes refuse this start.
#[test]
fn a_dead_point_is_not_locked() {
    let text = |solver: &str| {
        format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.c = {{ mass = 1, inertia = [0.1, 0.1, 0.1] }}
            bodies.k = {{ mass = 0.1, centre = [0.15, 0, 0], inertia = [0.001, 0.001, 0.001] }}
            bodies.s = {{ mass = 0.1, inertia = [0.001, 0.001, 0.001] }}
            joints.c = {{ type = "revolute", parent = "ground", child = "c", axis = [0, -1, 0], coordinate = {{ name = "phi", start = 0, rate = 20, exact = "both" }} }}
            joints.k = {{ type = "revolute", parent = "c", child = "k", position = [0.1, 0, 0], axis = [0, -1, 0], coordinate = {{ name = "psi", start = 0 }} }}
            joints.s = {{ type = "prismatic", parent = "ground", child = "s", axis = [1, 0, 0], coordinate = {{ name = "x", start = 0.4, friction = {{ law = "coulomb", coulomb = "3 N" }} }} }}
            frames.ke = {{ body = "k", position = [0.3, 0, 0] }}
            loops.pin = {{ type = "point", between = ["ke", "s"] }}
            simulate = {{ until = "0.5 s", output = "1 ms", solver = {{ {solver} }} }}
            "#
        )
    };
    for solver in [r#"method = "dopri5""#, r#"method = "dop853""#, r#"method = "bs23""#] {
        let (recording, summary) = run(&text(solver)).unwrap_or_else(|e| panic!("{solver}: {e}"));
        let works = &summary.energy.works;
        let work = works.iter().find(|work| work.name.contains("friction")).map_or(0.0, |work| work.work);
        // The way of the slider, from its recorded positions.
        let k = recording.columns().iter().position(|c| c.name == "x").unwrap();
        let way: f64 = recording.values(k).unwrap().windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        assert!(way > 0.5, "{solver}: {way}");
        assert!((work + 3.0 * way).abs() < 2e-3 * way, "{solver}: {work} J over {way} m");
    }
}
