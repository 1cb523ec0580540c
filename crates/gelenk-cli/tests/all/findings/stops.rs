//! Bodies that rest on stops with restitution, and lift off.

use gelenk::open::Overrides;
use gelenk_solve::{Verdict, judge};

use super::support::{last, prepared, run};

fn on_a_stop(force: &str, method: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.ja]\ntype = \"prismatic\"\n\
         parent = \"ground\"\nchild = \"a\"\ncoordinate = {{ name = \"x\", start = 0, stop = {{ range = [0, inf], restitution = 0 }} }}\n\
         [drives.d]\non = \"x\"\nforce = \"{force}\"\n[simulate]\nuntil = \"3 s\"\noutput = \"10 ms\"\n\
         solver = {{ method = \"{method}\"{} }}\n",
        if ["stepped2", "heun"].contains(&method) { ", step = \"1 ms\"" } else { "" }
    )
}

/// What starts at rest on its stop rests there: the first row showed no force of the stop and the acceleration of a fall. Pulled
/// away it is free.
#[test]
fn resting_from_the_first_row_on() {
    for (method, force, expected) in [
        ("dopri5", "0 N", 9.81),
        ("stepped2", "0 N", 9.81),
        ("stepped2", "-5 N", 14.81),
        ("dopri5", "12 N", 0.0),
    ] {
        let (recording, _) = run(&on_a_stop(force, method)).unwrap();
        let stop = recording.column("joints.ja.coordinate.stop").unwrap();
        assert!((stop[0] - expected).abs() < 1e-12, "{method} {force}: {}", stop[0]);
    }
}

/// A mass that a force of 12 N sin(3 t/s) lifts off its stop, where its load passes zero: it fell back by less than rounding
/// and the run was given up. At 3 s it is at 0.204108 m (three methods that were not agree on it).
#[test]
fn lifting_off() {
    for method in ["dopri5", "dop853", "bs23", "stepped2", "heun"] {
        let (recording, _) = run(&on_a_stop("12 N*sin(3 [1/s]*t)", method)).unwrap();
        let x = last(&recording, "x");
        assert!((x - 0.204_108).abs() < 2e-5, "{method}: {x}");
    }
}

/// A block hits the end of its slide on another one, which sticks to the ground and is set in motion: the methods that step
/// said nothing of it, and the next event was a second `sticks`.
#[test]
fn what_a_hit_sets_in_motion_slips() {
    for solver in [
        "method = \"dopri5\"",
        "method = \"rk4\", step = \"1 ms\"",
        "method = \"stepped\", step = \"1 ms\"",
        "method = \"stepped2\", step = \"1 ms\"",
        "method = \"real-time\", step = \"1 ms\"",
    ] {
        let text = format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.a = {{ mass = 1, inertia = [1, 1, 1] }}
            bodies.b = {{ mass = 1, inertia = [1, 1, 1] }}
            joints.ja = {{ type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = {{ name = "x", friction = {{ law = "coulomb", coulomb = "5 N" }} }} }}
            joints.jb = {{ type = "prismatic", parent = "a", child = "b", axis = [1, 0, 0], coordinate = {{ name = "y", rate = 1, stop = {{ range = [-inf, "95.5 mm"], restitution = 0.5 }} }} }}
            simulate = {{ until = "0.3 s", output = "10 ms", solver = {{ {solver} }} }}
            "#
        );
        let (recording, _) = run(&text).unwrap();
        let of_friction: Vec<&str> = recording
            .events()
            .iter()
            .filter(|event| event.t > 0.05 && event.element.ends_with("friction"))
            .map(|event| event.what.as_str())
            .collect();
        assert_eq!(of_friction, ["slips forward", "sticks"], "{solver}: {:?}", recording.events());
    }
}

/// What rests exchanges no energy, and rounding is no reason to call the run a failure.
#[test]
fn resting_is_no_failure() {
    let prepared = prepared(&on_a_stop("5 N*sin(3 [1/s]*t)", "stepped2"), &Overrides::default()).unwrap();
    let p = prepared.parameters.values();
    let (_, summary) = gelenk::run::run(&prepared.mechanism, &p, &prepared.options).unwrap();
    let verdict = judge(&prepared.mechanism, &p, &prepared.options, &summary, prepared.limits);
    assert_eq!(verdict, Verdict::Good);
}

/// A mass on a stop at zero with friction that a force lifts off: the dense output of the long step after it was behind the
/// limit by less than its error, and the run found some hundred impacts in the first microsecond. What lifts off when its
/// load passes zero, at 12 N sin(7 t/s) = -9.91 N, moves away.
#[test]
fn lifting_off_is_one_event() {
    let text = |method: &str| {
        format!(
            r#"
            schema = 1
            gravity = [0, 0, 9.81]
            bodies.a = {{ mass = 1, inertia = [0.1, 0.1, 0.1] }}
            joints.ja = {{ type = "prismatic", parent = "ground", child = "a", axis = [0, 0, 1], coordinate = {{ name = "x", start = 0, stop = {{ range = [-inf, 0], restitution = 0.5 }}, friction = {{ law = "coulomb", coulomb = "0.1 N" }} }} }}
            drives.d = {{ on = "x", force = "12 N*sin(7 [1/s]*t)" }}
            simulate = {{ until = "0.7 s", output = "10 ms", solver = {{ method = "{method}" }} }}
            "#
        )
    };
    let off = (std::f64::consts::PI + (9.91f64 / 12.0).asin()) / 7.0;
    for method in ["dopri5", "dop853", "bs23"] {
        let (recording, _) = run(&text(method)).unwrap();
        let after: Vec<_> = recording.events().iter().filter(|event| event.t > 0.1).collect();
        assert!(after.len() <= 2 && after.iter().all(|event| event.what != "hits"), "{method}: {after:?}");
        assert!((after[0].t - off).abs() < 1e-9, "{method}: {} instead of {off}", after[0].t);
    }
}

/// A hinge on a slide whose load is exactly what its friction holds: it let go and was taken back without end. Up to its stop
/// the slide accelerates with (1.5 kg g + 2 N - 0.5 N)/1.5 kg, that is 1 m/s^2 beyond gravity, which loads the hinge with 0.5 kg
/// times 0.1 m times it: 0.05 N m, the level of its friction.
#[test]
fn a_load_at_the_level_is_held() {
    let text = |method: &str| {
        format!(
            r#"
            schema = 1
            gravity = [0, 0, 9.81]
            bodies.a = {{ mass = 1, centre = [0.2, 0, 0.1], inertia = [0.1, 0.1, 0.1] }}
            bodies.b = {{ mass = 0.5, centre = [0.1, 0, 0], inertia = [0.02, 0.02, 0.02] }}
            joints.ja = {{ type = "prismatic", parent = "ground", child = "a", axis = [0, 0, 1], coordinate = {{ name = "x", start = 0.25, friction = {{ law = "coulomb", coulomb = "0.5 N" }} }} }}
            joints.jb = {{ type = "revolute", parent = "a", child = "b", position = [0.3, 0, 0], axis = [0, 1, 0], coordinate = {{ name = "y", start = 0, stop = {{ range = [0, 0.4], restitution = 0.6 }}, friction = {{ law = "coulomb", coulomb = "0.05 N m" }} }} }}
            drives.d = {{ on = "x", force = "2 N" }}
            simulate = {{ until = "0.5 s", output = "10 ms", solver = {{ {method} }} }}
            "#
        )
    };
    for method in [
        r#"method = "dopri5""#,
        r#"method = "dop853""#,
        r#"method = "bs23""#,
        r#"method = "stepped2", step = "1 ms""#,
    ] {
        let (recording, _) = run(&text(method)).unwrap_or_else(|error| panic!("{method}: {error}"));
        let (x, y) = (last(&recording, "x"), last(&recording, "y"));
        assert!((x - 0.25 - 0.5 * 10.81 * 0.25).abs() < 1e-6 && y.abs() < 1e-9, "{method}: {x} {y}");
    }
}

/// A lever that bounces on its stop, with friction, on a slide that rests on another one: rebounds lower than the rounding of the
/// position went on for ever, since the lever was judged as if the slide fell freely. Rebounds that shrink by a constant factor
/// end after a finite time; then the lever rests at 0.4 rad and the slide at 0.
#[test]
fn rebounds_end_on_something_that_rests() {
    let text = |method: &str| {
        format!(
            r#"
            schema = 1
            gravity = [0, 0, -9.81]
            bodies.a = {{ mass = 1, centre = [0.2, 0, 0.1], inertia = [0.1, 0.1, 0.1] }}
            bodies.b = {{ mass = 0.5, centre = [0.1, 0, 0], inertia = [0.02, 0.02, 0.02] }}
            joints.ja = {{ type = "prismatic", parent = "ground", child = "a", axis = [0, 0, 1], coordinate = {{ name = "x", start = 0, stop = {{ range = [0, 0.3], restitution = 0 }}, friction = {{ law = "coulomb", coulomb = "1 N" }} }} }}
            joints.jb = {{ type = "revolute", parent = "a", child = "b", position = [0.3, 0, 0], axis = [0, 1, 0], coordinate = {{ name = "y", start = 0, stop = {{ range = [0, 0.4], restitution = 0.6 }}, friction = {{ law = "coulomb", coulomb = "0.05 N m" }} }} }}
            drives.d = {{ on = "x", force = "2 N*sin(20 [1/s]*t)" }}
            simulate = {{ until = "1 s", output = "10 ms", solver = {{ method = "{method}" }} }}
            "#
        )
    };
    for method in ["dopri5", "dop853", "bs23"] {
        let (recording, summary) = run(&text(method)).unwrap();
        let (x, y) = (last(&recording, "x"), last(&recording, "y"));
        assert!(x == 0.0 && y == 0.4, "{method}: {x} {y}");
        assert!(summary.steps < 2000, "{method}: {} steps", summary.steps);
    }
}

/// A block with break-away above its sliding friction bounces to rest on a limit, is pressed on, and then pulled off by a
/// ramp: it leaves where the pull reaches 5 N, at 7.5 s. From there `x'' = 10 - 2 t + 1` with the friction of sliding, so
/// with `s = t - 7.5 s` it is `x = 0.1 - 2 s^2 - s^3/3` (closed form). The continuous methods left at 5.5 s.
#[test]
fn friction_sticks_on_what_comes_to_rest_on_a_limit() {
    let methods = ["\"dopri5\", rtol = 1e-9, atol = 1e-9", "\"dop853\"", "\"stepped2\", step = \"1 ms\""];
    for method in methods {
        let text = format!(
            "schema = 1\ngravity = [0, 0, 0]\nbodies.b = {{ mass = 1, inertia = [1, 1, 1] }}\n\
             joints.j = {{ type = \"prismatic\", parent = \"ground\", child = \"b\", axis = [1, 0, 0], \
             coordinate = {{ name = \"x\", rate = 2 }}, friction = {{ law = \"coulomb\", coulomb = 1, breakaway = 5 }}, \
             stop = {{ range = [-inf, 0.1], restitution = 0.5 }} }}\n\
             drives.pull = {{ on = \"x\", force = \"10 N - 2 [N/s]*t\" }}\n\
             simulate = {{ until = 9, output = 0.1, solver = {{ method = {method} }} }}\n"
        );
        let (recording, _) = run(&text).unwrap();
        let x = last(&recording, "x");
        assert!((x - (0.1 - 2.0 * 2.25 - 1.5f64.powi(3) / 3.0)).abs() < 2e-3, "{method}: {x}");
    }
}

/// The rotation vector of a bushing is unique within half a turn; a run that leaves it went on with the torque turned round.
#[test]
fn a_bushing_takes_no_more_than_half_a_turn() {
    let text = |speed: f64, solver: &str| {
        format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.a = {{ mass = 1, inertia = [0.1, 0.1, 0.1] }}
            joints.ja = {{ type = "revolute", parent = "ground", child = "a", axis = [0, 0, 1], coordinate = {{ name = "phi", rate = {speed} }} }}
            frames.f = {{ body = "a" }}
            frames.g = {{ body = "ground" }}
            bushings.b = {{ between = ["g", "f"], stiffness = [0, 0, 0], torsion = [0, 0, 0.1] }}
            simulate = {{ until = "10 s", output = "10 ms", solver = {solver} }}
            "#
        )
    };
    // With a rate of 1 rad/s it swings by 1 rad/s sqrt(J/K) = 1 rad, with 3.5 rad/s beyond half a turn.
    for solver in [r#"{ method = "dopri5" }"#, r#"{ method = "stepped2", step = "1 ms" }"#] {
        let (recording, _) = run(&text(1.0, solver)).unwrap();
        let phi = last(&recording, "phi");
        assert!((phi - 10f64.sin()).abs() < 1e-4, "{solver}: {phi}");
        let refused = run(&text(3.5, solver)).unwrap_err();
        assert!(refused.contains("more than half a revolution"), "{solver}: {refused}");
    }
}
