//! Friction that changes with its surroundings: closed forms with a normal force and with a warming oil.

use std::path::Path;

use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::run;
use gelenk_record::Recording;
use gelenk_solve::{Method, Options};
use gelenk_system::Nanos;

fn prepared(name: &str, friction: &str) -> Prepared {
    let model = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.block = {{ mass = "1 kg", inertia = [0, 0, 0] }}
        joints.slide = {{ type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0], coordinate = {{ name = "x", rate = "2 m/s" }}, friction = {friction} }}
        signals.shoe = {{ value = "press + rise * t" }}
        signals.warmth = {{ value = "t / time" }}
        parameters = {{ press = "10 N", rise = "5 N/s", time = "1 s" }}
        simulate = {{ until = "2 s" }}
        "#
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    std::fs::write(&file, model).unwrap();
    open::simulation(&file, &Overrides::default()).unwrap()
}

fn last(prepared: &Prepared, method: Method) -> (f64, f64) {
    let time = |seconds| Nanos::from_seconds(seconds).unwrap();
    let options = Options { until: time(2.0), output: time(0.01), method };
    let (recording, summary) = run(&prepared.mechanism, &prepared.parameters.values(), &options).unwrap();
    let end = |name: &str, recording: &Recording| *recording.column(name).unwrap().last().unwrap();
    assert!(summary.energy.relative_residue() < 2e-2, "{:?}", summary.energy);
    (end("x", &recording), end("x.rate", &recording))
}

const TIGHT: Method = Method::Dopri5 { rtol: 1e-10, atol: 1e-10, max_step: f64::INFINITY };

fn stepped(step: f64) -> Method {
    Method::Stepped { step: Nanos::from_seconds(step).unwrap() }
}

/// SP-R4: a Coulomb level that grows with the normal force, 1 N at 10 N for a coefficient of 0.1: at rest after `t = 2 sqrt(3) - 2`, at `2 t - t^2/2 - t^3/12`.
#[test]
fn resistance_grows_with_the_normal_force() {
    let friction = r#"{ law = "coulomb", coulomb = "1 N", normal = "shoe", nominal = "10 N" }"#;
    let prepared = prepared("pressed", friction);
    let t = 2.0 * 3f64.sqrt() - 2.0;
    let rest = 2.0 * t - t * t / 2.0 - t.powi(3) / 12.0;
    let (x, v) = last(&prepared, TIGHT);
    assert!((x - rest).abs() < 1e-9 && v == 0.0, "{x} {rest} {v}");
    let errors = [4e-3, 2e-3].map(|h| (last(&prepared, stepped(h)).0 - rest).abs());
    assert!(errors[0] < 1e-2 && errors[1] < 0.6 * errors[0], "{errors:?}");
}

/// A bristle law keeps its deflection and scales with the load, and rubs no more where nothing presses.
#[test]
fn nothing_presses_nothing_rubs() {
    let friction = r#"{ law = "lugre", coulomb = "1 N", breakaway = "1.2 N", sigma0 = "1e3 N/m", normal = "-shoe", nominal = "10 N" }"#;
    let (x, v) = last(&prepared("loose", friction), TIGHT);
    assert!((x - 4.0).abs() < 1e-9 && (v - 2.0).abs() < 1e-9, "{x} {v}");
}

/// A viscous parameter that falls as the oil warms, `c = exp(-t) N s/m` on 1 kg: `v = 2 exp(-(1 - exp(-t)))`.
#[test]
fn a_parameter_follows_its_factor() {
    let friction = r#"{ law = "viscous", viscous = "1 N s/m", factors = { viscous = "exp(-warmth)" } }"#;
    let prepared = prepared("warming", friction);
    let exact = 2.0 * (-(1.0 - (-2.0f64).exp())).exp();
    let (_, v) = last(&prepared, TIGHT);
    assert!((v - exact).abs() < 1e-9, "{v} {exact}");
    let (_, v) = last(&prepared, stepped(1e-3));
    assert!((v - exact).abs() < 2e-3, "{v} {exact}");
}

/// A factor that takes a parameter out of its range ends the run and names element, parameter and time.
#[test]
fn a_parameter_out_of_its_range_is_named() {
    let friction = r#"{ law = "viscous", viscous = "1 N s/m", factors = { viscous = "1 - warmth" } }"#;
    let prepared = prepared("fading", friction);
    let time = |seconds| Nanos::from_seconds(seconds).unwrap();
    let options = Options { until: time(2.0), output: time(0.01), method: Method::Rk4 { step: time(0.01) } };
    let failed = run(&prepared.mechanism, &prepared.parameters.values(), &options).err().unwrap();
    let message = failed.to_string();
    assert!(
        message.contains("joints.slide.friction") && message.contains("the factor of viscous is"),
        "{message}"
    );
}
