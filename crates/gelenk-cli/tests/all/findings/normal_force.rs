//! Friction pressed by the force through its joint.

use super::support::{last, model, run};

/// 2 kg on a level slide: the deceleration is `mu g` whatever else the joint lets move. The force along the slide counted as
/// normal force in joints that end in a turn, and friction fed itself (closed form: `x = 3 t - mu g t^2/2`).
#[test]
fn a_slide_is_pressed_across_it() {
    for mu in [0.3, 0.8, 0.95] {
        let friction = format!(
            r#"friction = {{ law = "coulomb", coulomb = {mu}, normal = {{ joint = "j", lag = "0.01 ms" }}, nominal = "1 N" }}"#
        );
        for joint in [
            format!(
                r#"joints.j = {{ type = "prismatic", parent = "ground", child = "a", axis = [1, 0, 0], coordinate = {{ name = "x", rate = 3, {friction} }} }}"#
            ),
            format!(
                r#"joints.j = {{ type = "planar", parent = "ground", child = "a", coordinates = [{{ name = "x", rate = 3, {friction} }}, "y", "tw"] }}"#
            ),
            format!(
                r#"joints.j = {{ type = "cylindrical", orientation = [0, "90 deg", 0], parent = "ground", child = "a", coordinates = [{{ name = "x", rate = 3, {friction} }}, "tw"] }}"#
            ),
            format!(
                "joints.j = {{ type = \"general\", parent = \"ground\", child = \"a\", motion = {{ x = \"x\", w1 = \"tw\" }} }}\ncoordinates.x = {{ rate = 3, {friction} }}"
            ),
        ] {
            for solver in [
                r#"{ method = "dopri5", rtol = 1e-9, atol = 1e-10 }"#,
                r#"{ method = "stepped2", step = "1 ms" }"#,
            ] {
                let text = format!(
                    "schema = 1\ngravity = [0, 0, -9.81]\nbodies.a = {{ mass = 2, inertia = [0.01, 0.02, 0.03] }}\n{joint}\nsimulate = {{ until = \"0.3 s\", output = \"0.1 s\", solver = {solver} }}"
                );
                let x = last(&run(&text).unwrap().0, "x");
                let right = 3.0 * 0.3 - 0.5 * mu * 9.81 * 0.09;
                assert!((x - right).abs() < 1e-5, "{joint} {solver}: {x} instead of {right}");
            }
        }
    }
}

/// A pendulum with friction pressed by its joint, `lag` 1 ms (journal.toml). Steps of 2.5 ms are right to 7e-5 rad against `dopri5`
/// 1e-10; with 2.8 ms `rk4` was 2.1 rad off, and with 3 ms 4.1 rad, with exit code 0: beyond 2.78 times the lag it is unstable.
#[test]
fn a_step_beyond_the_lag_is_refused() {
    let text = std::fs::read_to_string(model("journal.toml")).unwrap();
    let with = |method: &str, step: &str| {
        run(&text.replace("\"rk4\"", &format!("\"{method}\"")).replace("2.8 ms", step))
    };
    let tight = text.replace("method=\"rk4\",step=\"2.8 ms\"", "method=\"dopri5\",rtol=1e-10,atol=1e-10");
    let (right, found) = (last(&run(&tight).unwrap().0, "q"), last(&with("rk4", "2.5 ms").unwrap().0, "q"));
    assert!((found - right).abs() < 2e-4, "{found} instead of {right}");
    for (method, step) in [("rk4", "2.8 ms"), ("rk4", "3 ms"), ("heun", "2.1 ms"), ("euler", "2.1 ms")] {
        let error = with(method, step).unwrap_err();
        let named = error.contains("joints.h.friction") && error.contains("use a step of at most");
        assert!(named, "{method} {step}: {error}");
    }
    assert!(with("stepped2", "3 ms").is_ok());
}
