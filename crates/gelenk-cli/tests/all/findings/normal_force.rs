//! Friction pressed by the force through its joint.

use super::support::{last, run};

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
