//! Switches: changes as events, hysteresis, latches, the end of a run, chattering.

use gelenk::open::{Overrides, prepare, read_log};
use gelenk_record::Recording;

/// A sled of 1 kg that starts at 1 m/s, with `lines` added to the model.
fn sled(lines: &str, solver: &str) -> Result<Recording, String> {
    let text = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.sled = {{ mass = "1 kg", inertia = [1, 1, 1] }}
        joints.rail = {{ type = "prismatic", parent = "ground", child = "sled", axis = [1, 0, 0], coordinate = {{ name = "x", rate = "1 m/s" }} }}
        simulate = {{ until = "2 s", output = "100 ms", solver = {solver} }}
        {lines}
        "#
    );
    let model = gelenk_model::parse_model(&text, None).unwrap();
    let compiled = gelenk_model::compile(&model, &mut read_log).unwrap();
    let prepared = prepare(&model, None, compiled, &Overrides::default()).unwrap();
    let run = gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options);
    run.map(|(recording, _)| recording).map_err(|error| error.to_string())
}

const TIGHT: &str = r#"{ method = "dopri5", rtol = 1e-11, atol = 1e-11 }"#;

fn reported(recording: &Recording) -> Vec<(f64, String)> {
    recording.events().iter().map(|e| (e.t, format!("{} {}", e.element, e.what))).collect()
}

fn assert_told(recording: &Recording, expected: &[(f64, &str)], tolerance: f64) {
    let reported = reported(recording);
    let fits = reported.len() == expected.len()
        && reported.iter().zip(expected).all(|(a, b)| (a.0 - b.0).abs() <= tolerance && a.1 == b.1);
    assert!(fits, "{reported:?} instead of {expected:?}");
}

/// At constant speed the place is the time, so every change has a closed form, for every method: Boolean conditions too.
#[test]
fn changes_are_found_by_every_method() {
    let lines = r#"
        switches.window = { on = "x > 0.3 m and x < 0.77 m" }
        switches.late = { on = "not (x < 0.5 m or t < 0.5 s) and x > 0.45 m", latched = true }
        switches.swing = { on = "sin(x*10 [rad/m]) > 0.5", off = "sin(x*10 [rad/m]) < -0.5", start = true }
    "#;
    let wave = |k: f64| (std::f64::consts::TAU * k) / 10.0;
    // sin = -1/2 at 7/12 of a turn, sin = 1/2 at 1/12 of it.
    let mut expected = vec![
        (0.3, "switches.window turns on"),
        (0.77, "switches.window turns off"),
        (0.5, "switches.late turns on"),
    ];
    for turn in 0..4 {
        let turn = f64::from(turn);
        expected.push((wave(turn + 7.0 / 12.0), "switches.swing turns off"));
        expected.push((wave(turn + 13.0 / 12.0), "switches.swing turns on"));
    }
    expected.retain(|(t, _)| *t < 2.0);
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    for solver in [
        TIGHT,
        r#"{ method = "dop853", rtol = 1e-9, atol = 1e-9, max_step = "50 ms" }"#,
        r#"{ method = "bs23", rtol = 1e-9, atol = 1e-9, max_step = "50 ms" }"#,
        r#"{ method = "rk4", step = "50 ms" }"#,
        r#"{ method = "euler", step = "50 ms" }"#,
    ] {
        // DOPRI5 is told no largest step: nothing but the looks inside a step finds changes.
        let solver = solver.replace("1e-11 }", "1e-11, max_step = \"50 ms\" }");
        assert_told(&sled(lines, &solver).unwrap(), &expected, 1e-11);
    }
    for method in ["stepped", "stepped2", "real-time"] {
        let solver = format!(r#"{{ method = "{method}", step = "1 ms" }}"#);
        // The next end of a step.
        assert_told(&sled(lines, &solver).unwrap(), &expected, 1.001e-3);
    }
}

/// In absolute coordinates the same names mean the same things, so switches turn at the same times.
#[test]
fn switches_work_in_absolute_coordinates() {
    let lines =
        r#"switches.window = { on = "x > 0.3 m and x < 0.6 m and x.rate > 0.5 [m/s]", off = "x > 0.77 m" }"#;
    let solver = format!("{TIGHT}, formulation = \"absolute\"");
    let expected = [(0.3, "switches.window turns on"), (0.77, "switches.window turns off")];
    assert_told(&sled(lines, TIGHT).unwrap(), &expected, 1e-9);
    assert_told(&sled(lines, &solver).unwrap(), &expected, 1e-9);
}

/// A switch that ends the run: the last row is that instant, whatever the method; one that is on at the start gives one row.
#[test]
fn a_switch_ends_the_run() {
    for (solver, tolerance) in [(TIGHT, 1e-11), (r#"{ method = "stepped2", step = "1 ms" }"#, 1.001e-3)] {
        let recording = sled(r#"switches.end = { on = "x > 0.7321 m", stop = true }"#, solver).unwrap();
        let time = recording.column("t").unwrap();
        let x = recording.column("x").unwrap();
        assert_eq!(time.len(), 9);
        assert!((time[8] - 0.7321).abs() <= tolerance && (x[8] - 0.7321).abs() <= tolerance, "{time:?}");
        let at_once = sled(r#"switches.end = { on = "x > -1 m", stop = true }"#, solver).unwrap();
        assert_eq!(at_once.column("t").unwrap(), [0.0]);
    }
}

/// At one instant switches turn in the order of the file, and each sees the ones before it.
#[test]
fn at_one_instant_the_order_of_the_file_counts() {
    let lines = r#"
        switches.first = { on = "x > 0.4 m" }
        switches.second = { on = "first > 0.5 and x < 1 m" }
        switches.third = { on = "x > 0.4 m" }
    "#;
    let expected = [
        (0.4, "switches.first turns on"),
        (0.4, "switches.second turns on"),
        (0.4, "switches.third turns on"),
        (1.0, "switches.second turns off"),
    ];
    assert_told(&sled(lines, TIGHT).unwrap(), &expected, 1e-11);
}

/// A bang-bang brake drives its own condition back at once: the run ends with the name and the way out. With a hysteresis of
/// 1 mm/s the sled creeps around rest: 1 m/s by 2 m/s^2 takes 0.5 s, and every half swing 2 mm/s.
#[test]
fn chattering_is_told_and_hysteresis_is_the_way_out() {
    let drive = r#"drives.brake = { on = "x", force = "4 N*back - 2 N" }"#;
    let relay = format!("switches.back = {{ on = \"x.rate < 0\" }}\n{drive}");
    let error = sled(&relay, TIGHT).unwrap_err();
    assert!(error.contains("switches.back") && error.contains("\"off\""), "{error}");
    let swing =
        format!("switches.back = {{ on = \"x.rate < -1 [mm/s]\", off = \"x.rate > 1 [mm/s]\" }}\n{drive}");
    let recording = sled(&swing, TIGHT).unwrap();
    let times: Vec<f64> = recording.events().iter().map(|e| e.t).collect();
    assert!(times.iter().enumerate().all(|(k, t)| (t - 0.5005 - 1e-3 * k as f64).abs() < 1e-9), "{times:?}");
    assert_eq!(times.len(), 1500);
    // In steps the plain relay does not chatter: it turns once a step.
    let stepped = sled(&relay, r#"{ method = "stepped", step = "1 ms" }"#).unwrap();
    let speeds = stepped.column("x.rate").unwrap();
    assert!(speeds[6..].iter().all(|v| v.abs() <= 4.1e-3), "{speeds:?}");
}
