//! States at rest are seen as a run sees them.

use gelenk::open::Overrides;
use gelenk_solve::{equilibrium, linearise::linearise};
use gelenk_system::System;

use super::support::prepared;

/// A pendulum of 2 kg at 0.5 m that starts at 0.3 rad, with more lines in its joint and in the model.
fn pendulum(joint: &str, more: &str) -> String {
    format!(
        r#"
        schema = 1
        gravity = [0, 0, -9.81]
        bodies.a = {{ mass = 2, centre = [0, 0, -0.5], inertia = [0.1, 0.1, 0.1] }}
        joints.j = {{ type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = {{ name = "q", start = "0.3 rad" }} {joint} }}
        {more}
        "#
    )
}

/// Position, effort of the element and largest frequency (rad/s) at the equilibrium.
fn rest(text: &str, effort: &str) -> Result<[f64; 3], String> {
    let prepared = prepared(text, &Overrides::default())?;
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    let (x, m) = equilibrium(mechanism, &p, 1e-9).map_err(|error| error.to_string())?;
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &p);
    let mut y = vec![0.0; mechanism.channels().len()];
    mechanism.outputs(&mut data, 0.0, &x, &m, &mut y).map_err(|error| error.to_string())?;
    let value =
        |name: &str| mechanism.channels().iter().position(|c| c.name == name).map_or(f64::NAN, |k| y[k]);
    let linear = linearise(mechanism, &p, 0.0, &x, &m).map_err(|error| error.to_string())?;
    let fastest = linear.modes().iter().fold(0.0f64, |max, mode| max.max(mode.eigenvalue.norm()));
    Ok([x[0], value(effort), fastest])
}

/// Friction that can hold is not asked: the pendulum hangs, and swings at `sqrt(m g l/I)` with `I = 0.1 + 2/4 kg m^2`.
#[test]
fn friction_holds_nothing_up() {
    for law in ["coulomb", "karnopp"] {
        let band = if law == "karnopp" { ", band = \"1e-6 rad/s\"" } else { "" };
        let joint = format!(r#", friction = {{ law = "{law}", coulomb = "1 N m" {band} }}"#);
        let [q, friction, frequency] = rest(&pendulum(&joint, ""), "joints.j.friction").unwrap();
        assert!(q.abs() < 1e-9 && friction == 0.0, "{law} {q} {friction}");
        assert!((frequency - (9.81f64 / 0.6).sqrt()).abs() < 1e-6, "{law} {frequency}");
    }
}

/// A limit holds what presses on it: `m g l sin(0.1)`.
#[test]
fn limits_are_not_passed() {
    let joint = ", stop = { range = [0.1, 1], restitution = 0.5 }";
    let [q, stop, _] = rest(&pendulum(joint, ""), "joints.j.stop").unwrap();
    assert!((q - 0.1).abs() < 1e-12 && (stop - 9.81 * 0.1f64.sin()).abs() < 1e-9, "{q} {stop}");
}

/// A switch that pushes back as soon as the pendulum comes near leaves no equilibrium, and one that does not reach it
/// changes nothing.
#[test]
fn switches_are_turned() {
    let push = |on: &str| {
        format!("switches.w = {{ on = \"{on}\" }}\ndrives.d = {{ on = \"q\", torque = \"w*10 [N m]\" }}")
    };
    let error = rest(&pendulum("", &push("q < 0.2 rad")), "d").unwrap_err();
    assert!(error.contains("no equilibrium"), "{error}");
    let [q, ..] = rest(&pendulum("", &push("q < -0.2 rad")), "d").unwrap();
    assert!(q.abs() < 1e-9, "{q}");
}

/// Sampled controllers are refused by name instead of frozen.
#[test]
fn sampled_controllers_are_refused() {
    let more = r#"
        sensors.s = { of = "q", period = "1 ms" }
        controllers.c = { type = "pi", period = "1 ms", measure = "s", target = "0.5 rad", kp = "5 N m/rad", ki = "0 N m/(rad s)" }
        drives.d = { on = "q", torque = "c" }
    "#;
    let error = rest(&pendulum("", more), "d").unwrap_err();
    assert!(error.starts_with("c is sampled"), "{error}");
    // So are sensors that act, while those that only record show the equilibrium.
    let sensor = "sensors.s = { of = \"q\", period = \"1 ms\" }\n";
    let acts = format!("{sensor}drives.d = {{ on = \"q\", torque = \"-5 [N m/rad]*s\" }}");
    let error = rest(&pendulum("", &acts), "d").unwrap_err();
    assert!(error.starts_with("s is sampled"), "{error}");
    let [_, shown, _] = rest(&pendulum("", sensor), "s").unwrap();
    assert!(shown.abs() < 1e-9, "{shown}");
}

/// Viscous friction pressed by the bearing has the load of the equilibrium, 2 * 9.81 N, wherever the start: the damping
/// is `0.5 * 19.62/10 / (2 * 0.6)` 1/s.
#[test]
fn loads_are_those_of_the_equilibrium() {
    let joint = r#", friction = { law = "viscous", viscous = 0.5, normal = { joint = "j" }, nominal = 10 }"#;
    let prepared =
        prepared(&pendulum(joint, "").replace("0.3 rad", "1.5 rad"), &Overrides::default()).unwrap();
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    let (x, m) = equilibrium(mechanism, &p, 1e-9).unwrap();
    let modes = linearise(mechanism, &p, 0.0, &x, &m).unwrap().modes();
    let swing = modes.iter().find(|mode| mode.eigenvalue.im > 1.0).unwrap();
    assert!((swing.eigenvalue.re + 0.8175).abs() < 1e-6, "{}", swing.eigenvalue);
}

/// Laws with a spring of the position have the memory of a straight way from the start. A play of 0.01 rad with 50 N m/rad under
/// 2 N m holds anywhere from 0.025 to 0.042 rad; on that way `2 = 9.81 sin(q) + 50 (q - 0.01)`. They were left out: 0.205 rad.
#[test]
fn springs_of_friction_laws_count() {
    let drive = "drives.d = { on = \"q\", torque = \"2 [N m]\" }";
    let at = |law: &str| {
        let joint = format!(", friction = {{ {law} }}");
        rest(&pendulum(&joint, drive).replace("0.3 rad", "0 rad"), "joints.j.friction").unwrap()
    };
    let [q, friction, _] = at("law = \"play\", stiffness = 50, radius = 0.01");
    assert!((2.0 - 9.81 * q.sin() - 50.0 * (q - 0.01)).abs() < 1e-8, "{q}");
    assert!((friction - 50.0 * (q - 0.01)).abs() < 1e-9, "{friction}");
    // Beyond its range the relays are at their sum, and the spring of 40 N m/rad is left beside them.
    let [q, ..] = at("law = \"preisach\", stiffness = 40, weight = [-1], range = [0.05]");
    assert!((2.0 - 9.81 * q.sin() - 40.0 * q + 1.0).abs() < 1e-8, "{q}");
    // Two plays are engaged, one has no width.
    let [q, ..] = at("law = \"prandtl-ishlinskii\", weight = [50, -20, -12.5], radius = [0, 0.005, 0.012]");
    let expected = 50.0 * q - 20.0 * (q - 0.005) - 12.5 * (q - 0.012);
    assert!((2.0 - 9.81 * q.sin() - expected).abs() < 1e-8, "{q}");
}

/// What rounding leaves is printed as zero, and laws that remember their way are named.
#[test]
fn prints_are_clean() {
    let folder = tempfile::tempdir().unwrap();
    let model = pendulum(", friction = { law = \"play\", stiffness = 50, radius = 0.01 }", "");
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    let output = super::support::gelenk(folder.path(), &["equilibrium", "model.toml"]);
    let printed = super::support::text(&output);
    assert!(printed.contains("joints.j.friction depends on the path"), "{printed}");
    let model = pendulum("", "");
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    let printed =
        super::support::text(&super::support::gelenk(folder.path(), &["equilibrium", "model.toml"]));
    assert!(printed.lines().any(|line| line.split_whitespace().eq(["q", "0", "rad"])), "{printed}");
}

/// Friction that sticks makes every position an equilibrium at which it needs no more than its level: the interval is named,
/// and in JSON it has the level. It was silent.
#[test]
fn friction_that_holds_makes_an_interval() {
    let folder = tempfile::tempdir().unwrap();
    for law in ["coulomb", "stribeck", "karnopp"] {
        let more = match law {
            "coulomb" => "coulomb = \"1 N m\"",
            "stribeck" => "coulomb = \"0.8 N m\", breakaway = \"1 N m\", stribeck = \"0.1 rad/s\"",
            _ => "coulomb = \"1 N m\", band = \"1e-6 rad/s\"",
        };
        let model = pendulum(&format!(", friction = {{ law = \"{law}\", {more} }}"), "");
        std::fs::write(folder.path().join("model.toml"), model).unwrap();
        for command in ["equilibrium", "linearise"] {
            let output = super::support::gelenk(folder.path(), &[command, "model.toml"]);
            let told = super::support::text(&output);
            assert!(
                told.contains("joints.j.friction can hold up to 1 N m at rest"),
                "{command} {law}: {told}"
            );
            let output = super::support::gelenk(folder.path(), &[command, "model.toml", "--json"]);
            let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let interval = &told["result"]["intervals"][0];
            assert_eq!(interval["element"], "joints.j.friction", "{told}");
            assert_eq!((&interval["because"], interval["level"].as_f64()), (&"friction".into(), Some(1.0)));
        }
    }
}

/// Where nothing can move, the start is the equilibrium, and there are no modes; the decomposition of an empty matrix ended
/// the program.
#[test]
fn nothing_can_move() {
    let locked = r#"
        schema = 1
        gravity = [0, 0, -9.81]
        bodies.a = { mass = 2, centre = [0, 0, -0.5], inertia = [0.1, 0.1, 0.1] }
        joints.j = { type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = { name = "q", start = "0.3 rad" } }
        frames.end = { body = "a", position = [0, 0, "-1 m"] }
        frames.held = { body = "ground", position = ["-1 m*sin(0.3)", 0, "-1 m*cos(0.3)"] }
        loops.l = { type = "point", between = ["held", "end"] }
    "#;
    for text in ["schema = 1\ngravity = [0, 0, 0]", locked] {
        let prepared = prepared(text, &Overrides::default()).unwrap();
        let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
        let (x, m) = equilibrium(mechanism, &p, 1e-9).unwrap();
        let start = if mechanism.layout().nq == 1 { 0.3 } else { 0.0 };
        assert!((x[0] - start).abs() < 1e-9, "{x:?}");
        assert!(linearise(mechanism, &p, 0.0, &x, &m).unwrap().modes().is_empty());
    }
}

/// A pendulum that rests on a limit with restitution is exactly on it.
#[test]
fn at_the_limit_and_not_beside_it() {
    let text = r#"
        schema = 1
        gravity = [-6.06, 6.21, 0.0376]
        bodies.b2 = { density = 143, centre = [-0.0868, 0.139, 0.0574], shape = { box = { size = [0.1, 0.2, 0.25] } } }
        joints.j2 = { type = "revolute", parent = "ground", child = "b2", coordinate = { name = "q3" } }
        bodies.b3 = { mass = 0.304, inertia = [6.80352e-3, 7.07712e-3, 9.7584e-3, -4.1952e-4, -5.776e-4, -5.8672e-4] }
        joints.j3 = { type = "prismatic", parent = "b2", child = "b3", orientation = [-0.32, -0.671, 0.46], axis = [0.271, -0.472, 0.0675], coordinate = { name = "q4", start = -0.1652, stop = { range = [-0.2132, -0.0725], restitution = 0.6, law = "poisson", rest = 1e-8 } } }
    "#;
    let prepared = prepared(text, &Overrides::default()).unwrap();
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    let (x, _) = equilibrium(mechanism, &p, 1e-10).unwrap();
    assert!((x[1] + 0.2132).abs() < 1e-12, "{} m beside the limit", x[1] + 0.2132);
}

/// Where the stiffness vanishes with the displacement, the search goes on until it is that of the equilibrium: a spring of
/// exponent 1.5 at its rest has none, so that the frequency is zero (closed form). It stopped 1 um away, at 0.1 rad/s.
#[test]
fn a_spring_without_stiffness_at_rest() {
    let text = r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.a = { mass = 2, inertia = [1, 1, 1] }
        joints.j = { type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = { name = "x", start = "0.1 m" }, spring = { stiffness = "100 N/m^1.5", exponent = 1.5 } }
    "#;
    let [x, force, frequency] = rest(text, "joints.j.spring").unwrap();
    assert!(x.abs() < 1e-15 && force.abs() < 1e-15 && frequency < 1e-5, "{x} {force} {frequency}");
}
