//! Excitations as signals of a model.

use gelenk::open::{Overrides, prepare, read_log};
use gelenk_record::Recording;
use gelenk_signal::Waveform;

const MODEL: &str = r#"
schema  = 1
gravity = [0, 0, 0]

[bodies.block]
mass    = "2 kg"
inertia = [0, 0, 0]

[joints.slide]
type       = "prismatic"
parent     = "ground"
child      = "block"
coordinate = "x"

[signals.sweep]
chirp = { amplitude = "3 N", offset = "1 N", from = "5 Hz", to = "0.5 Hz", duration = "1.5 s" }

[signals.stairs]
staircase = { amplitude = "2 N", levels = [1, -1, 0.5], hold = "0.3 s" }

[signals.chance]
binary = { amplitude = "1 N", period = "0.1 s", seed = 5 }

[drives.force]
on    = "x"
force = "stairs"

[simulate]
until  = "2 s"
output = "10 ms"
solver = { method = "dopri5", rtol = 1e-9, atol = 1e-12 }
"#;

fn run(text: &str, set: &[&str]) -> Recording {
    let model = gelenk_model::parse_model(text, None).unwrap();
    let compiled = gelenk_model::compile(&model, &mut read_log).unwrap();
    let set = set.iter().map(|s| (*s).to_owned()).collect();
    let prepared = prepare(&model, None, compiled, &Overrides { set, ..Overrides::default() }).unwrap();
    gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap().0
}

/// RU-R22: what a model records is the shape times its amplitude, and the amplitude is a parameter.
#[test]
fn signals_are_their_shapes() {
    let recording = run(MODEL, &["signals.sweep.chirp.amplitude=6 N"]);
    let chirp = Waveform::Chirp { from: 5.0, to: 0.5, duration: 1.5 };
    let binary = Waveform::Binary { period: 0.1, seed: 5 };
    for ((t, sweep), chance) in recording
        .time()
        .iter()
        .zip(recording.column("sweep").unwrap())
        .zip(recording.column("chance").unwrap())
    {
        // The row at the end has what comes after it.
        let value = if *t < 1.5 - 1e-9 { chirp.at(*t) } else { 0.0 };
        assert!((sweep - (1.0 + 6.0 * value)).abs() < 1e-12, "{t}");
        assert_eq!(*chance, binary.at(*t), "{t}");
    }
}

/// Closed form: a force of 2 N, -2 N and 1 N on 2 kg, each 0.3 s and the last for ever, to the tolerance of the solver.
#[test]
fn a_block_follows_a_force_that_jumps() {
    let recording = run(MODEL, &[]);
    let (t, v) = (recording.time(), recording.column("x.rate").unwrap());
    for (t, v) in t.iter().zip(v) {
        let expected = t.min(0.3) - (t - 0.3).clamp(0.0, 0.3) + 0.5 * (t - 0.6).max(0.0);
        assert!((v - expected).abs() < 2e-8, "{t}: {v} {expected}");
    }
}

/// Timing sets the structure, and `--set` says so.
#[test]
fn timing_is_no_parameter() {
    let model = gelenk_model::parse_model(MODEL, None).unwrap();
    let mut compiled = gelenk_model::compile(&model, &mut read_log).unwrap();
    let error = compiled.set("signals.sweep.chirp.duration", "2 s").unwrap_err().to_string();
    assert!(error.contains("structure"), "{error}");
    assert!(compiled.set("signals.sweep.chirp.amplitude", "2 N").is_ok());
}

/// A step that ends at a jump has the level before it: under piecewise constant forces every Runge-Kutta method of order
/// two or more is exact, whatever the step.
#[test]
fn steps_that_end_at_a_jump_see_the_level_before_it() {
    for method in ["heun", "rk4"] {
        let solver = format!("solver = {{ method = \"{method}\", step = \"50 ms\" }}");
        let text = MODEL.replace("solver = { method = \"dopri5\", rtol = 1e-9, atol = 1e-12 }", &solver);
        let recording = run(&text.replace("output = \"10 ms\"", "output = \"50 ms\""), &[]);
        // 1, -1 and 0.5 m/s^2, the last for 1.4 s.
        let (mut x, mut v) = (0.0, 0.0);
        for (a, h) in [(1.0, 0.3), (-1.0, 0.3), (0.5, 1.4f64)] {
            x += v * h + 0.5 * a * h * h;
            v += a * h;
        }
        let end = |name: &str| *recording.column(name).unwrap().last().unwrap();
        assert!(
            (end("x") - x).abs() < 1e-12 && (end("x.rate") - v).abs() < 1e-12,
            "{method}: {} {x}",
            end("x")
        );
    }
}

/// A chirp that ends off zero jumps at the end of a step, and the next one begins without it: a mass of 1 kg has the momentum of
/// the chirp to the order of the method. It counted on at the end: `h/6` of the jump, 1.7e-3 N s.
#[test]
fn chirps_end_between_steps() {
    // The integral of sin(2 pi (t + 0.35/2 t^2)) from 0 to 1 s by Simpson's rule with 1e5 pieces.
    let value = |t: f64| (std::f64::consts::TAU * (t + 0.175 * t * t)).sin();
    let n = 100_000;
    let sum: f64 = (0..=n)
        .map(|k| {
            value(f64::from(k) / f64::from(n))
                * if k == 0 || k == n {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
        })
        .sum();
    let momentum = sum / (3.0 * f64::from(n));
    for (method, tolerance) in [("rk4", 1e-7), ("stepped2", 1e-3)] {
        let model = format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.a = {{ mass = 1, inertia = [1, 1, 1] }}
            joints.j = {{ type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = {{ name = "x" }} }}
            signals.c = {{ chirp = {{ amplitude = "1 N", from = "1 Hz", to = "1.35 Hz", duration = "1 s" }} }}
            drives.d = {{ on = "x", force = "c" }}
            simulate = {{ until = 2, output = 0.1, solver = {{ method = "{method}", step = "10 ms" }} }}
            "#
        );
        let recording = run(&model, &[]);
        let speed = *recording.column("x.rate").unwrap().last().unwrap();
        assert!((speed - momentum).abs() < tolerance, "{method}: {speed} {momentum}");
    }
}
