//! Sensors and sampled controllers: closed forms of every single sample.

use gelenk_solve::Method;
use gelenk_testing::rig::{Outcome, nanos, run};

/// Nothing moves; what counts are functions of time, sampled.
fn sampled(blocks: &str) -> Outcome {
    let model = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.block = {{ mass = "1 kg", inertia = [1, 1, 1] }}
        joints.slide = {{ type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0] }}
        {blocks}"#
    );
    run(&model, Method::Rk4 { step: nanos(1e-3) }, 1.0, 1e-3).unwrap()
}

/// K-R25: a sensor with a resolution gives the nearest multiple of it, for both signs: never more than half a
/// quantum away, and up to half a quantum away on both sides.
#[test]
fn a_resolution_rounds_to_the_nearest() {
    let outcome = sampled(
        r#"
        signals.way = { value = "2 - 4*t/(1 s)" }
        sensors.encoder = { of = "way", period = "1 ms", quantum = 0.25 }
        outputs = { seen = "encoder", is = "way" }"#,
    );
    let mut errors = Vec::new();
    for (seen, is) in outcome.column("seen").into_iter().zip(outcome.column("is")) {
        assert_eq!((seen / 0.25).fract(), 0.0, "{seen} is no multiple");
        errors.push(seen - is);
    }
    let (low, high) = errors.iter().fold((0.0f64, 0.0f64), |(low, high), e| (low.min(*e), high.max(*e)));
    assert!((low + 0.125).abs() < 5e-3 && (high - 0.125).abs() < 5e-3, "{low} {high}");
}

/// RU-R28: with a constant error `e` the k-th sample of a PI controller is `kp e + ki e k T` (closed form), until it
/// reaches the limit.
#[test]
fn an_integral_grows_by_error_and_period() {
    let outcome = sampled(
        r#"
        controllers.control = { type = "pi", measure = "1", target = "3", kp = 0.5, ki = 4, period = "10 ms", limit = 5 }
        outputs = { out = "control" }"#,
    );
    for (t, control) in outcome.column("t").into_iter().zip(outcome.column("out")) {
        let samples = (t * 100.0 + 1e-6).floor();
        let expected = (0.5 * 2.0 + 4.0 * 2.0 * samples * 0.01).min(5.0);
        assert!((control - expected).abs() < 1e-12, "{t}: {control}, not {expected}");
    }
}

/// RU-R28, anti-windup: the output rests at its limit of 4.99 for 0.4 s while the error stays 2, and leaves it with the
/// first sample after the error has turned. The integral ends at 4, with the last sample below the limit: `1 + 0.08 k` is
/// 4.92 at `k = 49`. With the error `-2` the j-th output is `-1 + 4 - 0.08 j` (closed form); without anti-windup
/// it would be 6.2 and stay at the limit.
#[test]
fn an_integral_rests_at_the_limit() {
    let outcome = sampled(
        r#"
        controllers.control = { type = "pi", measure = "0", target = "if(t < 0.895 s, 2, -2)", kp = 0.5, ki = 4, period = "10 ms", limit = 4.99 }
        outputs = { out = "control" }"#,
    );
    for (t, control) in outcome.column("t").into_iter().zip(outcome.column("out")) {
        let k = (t * 100.0 + 1e-6).floor();
        let expected = if k < 90.0 { (1.0 + 0.08 * k).min(4.99) } else { 3.0 - 0.08 * (k - 90.0) };
        assert!((control - expected).abs() < 1e-9, "{t}: {control}, not {expected}");
    }
}
