//! Inputs inside a step: pulses, switches and loads that adaptive steps once passed without seeing them.

use std::fmt::Write as _;

use gelenk::open::Overrides;

use super::support::{gelenk, last, prepared, run, text};

/// Methods with error control.
const ADAPTIVE: [&str; 4] = ["dopri5", "bs23", "dop853", "auto"];

/// A mass of 1 kg on a slide, pushed by an effort.
fn block(extra: &str, effort: &str, until: &str, method: &str) -> String {
    let solver = match method {
        "rk4" => "{ method = \"rk4\", step = \"100 us\" }".to_owned(),
        method => format!("{{ method = {method:?}, rtol = 1e-8, atol = 1e-8 }}"),
    };
    format!(
        r#"schema = 1
gravity = [0, 0, 0]
[bodies.block]
mass = "1 kg"
inertia = [0, 0, 0]
[joints.slide]
type = "prismatic"
parent = "ground"
child = "block"
axis = [1, 0, 0]
coordinate = {{ name = "x" }}
{extra}
[drives.push]
on = "x"
force = {effort:?}
[simulate]
until = {until:?}
output = "1 s"
solver = {solver}
"#
    )
}

fn friction(law: &str) -> String {
    format!("friction = {{ law = {law}, coulomb = \"1 N\" }}")
}

fn at_end(text: &str, column: &str) -> f64 {
    let (recording, _) = run(text).unwrap();
    last(&recording, column)
}

/// A log in a file of its own, and the signal that reads it.
fn log(folder: &std::path::Path, rows: &[(f64, f64)]) -> String {
    let mut text = String::from("t,F\n");
    for (t, y) in rows {
        writeln!(text, "{t},{y}").unwrap();
    }
    let file = folder.join("log.csv");
    std::fs::write(&file, text).unwrap();
    format!("[signals.load]\nlog = {{ file = {:?}, time = \"t\", column = \"F\", unit = \"N\" }}\n", file)
}

/// Numbers between 0 and 1, the same in every run.
fn chance(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

/// Rectangular pulses from formulas and switches against the closed form: with a force `F` for the time `T` against the
/// level `C`, 1 kg slides `(F - C) T^2/2 + ((F - C) T)^2/(2 C)`.
#[test]
fn rectangular_pulses_break_away() {
    let mut seed = 1;
    for k in 0..12 {
        let (force, level) = (1.2 + 3.0 * chance(&mut seed), 1.0);
        let (from, width) = (0.5 + 2.0 * chance(&mut seed), 10f64.powf(-2.0 + chance(&mut seed)));
        let to = from + width;
        let right = (force - level) * width * width / 2.0 + ((force - level) * width).powi(2) / (2.0 * level);
        let pulse = format!("if(t > {from} s and t < {to} s, {force} N, 0 N)");
        let switch = format!("[switches.kick]\non = \"t > {from} s and t < {to} s\"\n");
        let kicked = format!("{force} N*kick");
        let law = ["\"coulomb\"", "\"karnopp\", band = \"1 um/s\"", "\"coulomb\""][k % 3];
        for method in ADAPTIVE {
            let by_formula = at_end(&block(&friction(law), &pulse, "4 s", method), "x");
            let extra = format!("{}\n{switch}", friction(law));
            let by_switch = at_end(&block(&extra, &kicked, "4 s", method), "x");
            for x in [by_formula, by_switch] {
                assert!(
                    (x - right).abs() < 2e-6 * right.max(1e-2),
                    "{method} {law} {pulse}: {x}, right {right}"
                );
            }
        }
    }
}

/// Smooth pulses of formulas and logs, below and above the level, against Runge-Kutta with 100 us, which ends its steps at rows.
#[test]
fn smooth_pulses_break_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 7;
    for k in 0..4 {
        let (peak, middle) = (0.9 + 1.6 * chance(&mut seed), 1.0 + chance(&mut seed));
        let width = 10f64.powf(-2.5 + 1.5 * chance(&mut seed));
        let formula = format!("{peak} N*exp(-((t - {middle} s)/{width} [s])^2)");
        let rows: Vec<(f64, f64)> = (0..1200)
            .map(|k| {
                (f64::from(k) * 0.0025, peak * (-((f64::from(k) * 0.0025 - middle) / width).powi(2)).exp())
            })
            .collect();
        let law = [
            "\"coulomb\"",
            "\"karnopp\", band = \"1 um/s\"",
            "\"stribeck\", breakaway = \"1 N\", stribeck = \"0.1 m/s\"",
            "\"coulomb\"",
        ][k];
        let logged = format!("{}\n{}", friction(law), log(folder.path(), &rows));
        for (extra, effort) in [(friction(law), formula.as_str()), (logged, "load")] {
            let right = at_end(&block(&extra, effort, "3 s", "rk4"), "x");
            for method in ADAPTIVE {
                let x = at_end(&block(&extra, effort, "3 s", method), "x");
                assert!((x - right).abs() < 1e-3 * right + 1e-7, "{method} {law} {effort}: {x}, rk4 {right}");
            }
        }
    }
}

/// The log of the report: 39.88 mm (rk4, stepped, and dopri5 with steps of 10 ms at most agree).
#[test]
fn load_of_a_log_breaks_away() {
    let folder = tempfile::tempdir().unwrap();
    // A bump of 2 N, 0.2 s wide, in rows every 5 ms.
    let bump = |t: f64| 2.0 * (-((t - 2.0) / 0.15f64).powi(2)).exp();
    let rows: Vec<(f64, f64)> = (0..=800).map(|k| f64::from(k) * 0.005).map(|t| (t, bump(t))).collect();
    let extra = format!("{}\n{}", friction("\"coulomb\""), log(folder.path(), &rows));
    let right = at_end(&block(&extra, "load", "4 s", "rk4"), "x");
    assert!(right > 0.01);
    for method in ADAPTIVE {
        let x = at_end(&block(&extra, "load", "4 s", method), "x");
        assert!((x - right).abs() < 1e-9, "{method}: {x}, rk4 {right}");
    }
}

/// A pulse in a log gives a free mass its momentum, however long the steps are (closed form: 1 N s).
#[test]
fn pulse_of_a_log_is_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    for at in [0.123, 2.7, 5.0, 7.77] {
        for width in [1e-4, 1e-2, 0.3] {
            let peak = 2.0 / width;
            let rows = [(0.0, 0.0), (at, 0.0), (at + width / 2.0, peak), (at + width, 0.0), (10.0, 0.0)];
            let extra = log(folder.path(), &rows);
            for method in ADAPTIVE {
                let v = at_end(&block(&extra, "load", "10 s", method), "x.rate");
                assert!((v - 1.0).abs() < 1e-9, "{method} {at} {width}: {v}");
            }
        }
    }
}

/// The same pulse as a linear curve of time, and a kick of a spring-mass system while it swings.
#[test]
fn corners_of_curves_end_steps() {
    let curve = "[curves.pulse]\nkind = \"linear\"\nx = [\"0 s\", \"5 s\", \"5.01 s\", \"5.02 s\", \"10 s\"]\n\
                 y = [\"0 N\", \"0 N\", \"100 N\", \"0 N\", \"0 N\"]\n";
    for method in ADAPTIVE {
        let v = at_end(&block(curve, "pulse(t)", "10 s", method), "x.rate");
        assert!((v - 1.0).abs() < 1e-9, "{method}: {v}");
    }
}

/// A relay follows a sine of 5 Hz: on above half its amplitude, a third of the time, with 10 N on 1 kg: 10 m/s after 3 s,
/// and 30 changes (closed form).
#[test]
fn switches_follow_signals() {
    let extra = "[signals.command]\nsine = { amplitude = \"1 V\", frequency = \"5 Hz\" }\n\
                 [switches.relay]\non = \"command > 0.5 V\"\n";
    for method in ADAPTIVE {
        let (recording, summary) = run(&block(extra, "10 N*relay", "3 s", method)).unwrap();
        let v = last(&recording, "x.rate");
        assert!((v - 10.0).abs() < 1e-9 && summary.events == 30, "{method}: {v}, {} events", summary.events);
    }
}

/// A condition joined by `and` that holds only near the top of a throw ends the run there: at 10 m/s and 10 m/s^2 the height
/// 4.9995 m is reached at 0.99 s (closed form).
#[test]
fn joined_conditions_are_found() {
    for method in ADAPTIVE {
        let extra = "[switches.top]\non = \"x > 4.9995 m and t > 0.1 s\"\nstop = true\n";
        let text =
            block(extra, "-10 N", "3 s", method).replace("name = \"x\"", "name = \"x\", rate = \"10 m/s\"");
        let (recording, summary) = run(&text).unwrap();
        assert!(summary.ended.is_some(), "{method}");
        assert!((summary.time - 0.99).abs() < 1e-9, "{method}: {}", summary.time);
        assert!((last(&recording, "x") - 4.9995).abs() < 1e-9, "{method}");
    }
}

/// Steps see a sine that is far below the tolerance: 1 mN at 1 kHz gives 1 kg `A/(m w) (1 - cos w t)`.
#[test]
fn steps_are_shorter_than_a_known_period() {
    let sine = "[signals.s]\nsine = { amplitude = \"0.001 N\", frequency = \"1 kHz\" }\n";
    let right = 0.001 / (2.0 * std::f64::consts::PI * 1000.0);
    for method in ["dopri5", "dop853", "auto"] {
        for (extra, effort) in [(sine, "s"), ("", "0.001 N*sin(6283.185307179586 [rad/s]*t)")] {
            let v = at_end(&block(extra, effort, "1.00025 s", method), "x.rate");
            assert!((v / right - 1.0).abs() < 1e-3, "{method} {effort}: {v}, right {right}");
        }
    }
}

/// A long log costs no more steps than it has corners: 10 s of 1 kHz, most of it straight.
#[test]
fn straight_parts_of_a_log_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<(f64, f64)> = (0..=10_000)
        .map(|k| f64::from(k) * 1e-3)
        .map(|t| (t, if (4.0..4.05).contains(&t) { 1.0 } else { 0.3 * t.min(2.0) }))
        .collect();
    let prepared =
        prepared(&block(&log(folder.path(), &rows), "load", "10 s", "dopri5"), &Overrides::default());
    let prepared = prepared.unwrap();
    let (_, summary) =
        gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap();
    assert!(summary.steps < 60, "{} steps", summary.steps);
}

/// The stepped modes keep their grid and look at logs at the ends of their steps: a pulse between two of them moved nothing,
/// without a word. The run warns with both integrals (0.05 N s of a triangle of 100 N over 1 ms); steps that resolve it
/// do not.
#[test]
fn a_pulse_between_two_steps_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pulse.csv"), "t,f\n0,0\n1.0002,0\n1.0005,100\n1.0012,0\n10,0\n")
        .unwrap();
    let model = "schema = 1\ngravity = [0, 0, 0]\nbodies.b = { mass = 1, inertia = [1, 1, 1] }\n\
        joints.j = { type = \"prismatic\", parent = \"ground\", child = \"b\", axis = [1, 0, 0], coordinate = \"x\" }\n\
        signals.u = { log = { file = \"pulse.csv\", time = \"t\", column = \"f\", unit = \"N\" } }\n\
        drives.d = { on = \"x\", force = \"u\" }\nsimulate = { until = 2, output = 0.1 }\n";
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    for (method, step, warns) in
        [("stepped", "10 ms", true), ("real-time", "3 ms", true), ("stepped", "10 us", false)]
    {
        let out = gelenk(
            folder.path(),
            &["run", "model.toml", "--method", method, "--step", step, "-o", "out.parquet"],
        );
        assert!(out.status.success(), "{}", text(&out));
        let warned = text(&out).contains("do not resolve the log of signal u: its integral is 5.0000e-2");
        assert_eq!(warned, warns, "{method} {step}: {}", text(&out));
        let _ = std::fs::remove_file(folder.path().join("out.parquet"));
    }
}
