//! Runs that had no end.

use super::support::{last, model, run};

fn text(name: &str) -> String {
    std::fs::read_to_string(model(name)).unwrap()
}

/// At its dead point the velocity of the guide passes zero by the loop alone: the event was found, and the projection took
/// the state back before it, for ever. `x` and `phi` after 2 s from rk4 and stepped2 with steps of 0.1 ms, which agree
/// to 7e-8 rad.
#[test]
fn friction_on_a_guide_passes_its_dead_points() {
    let (recording, summary) = run(&text("stribeck-slider-crank.toml")).unwrap();
    assert!((last(&recording, "phi") - 40.896_262_8).abs() < 1e-5, "{}", last(&recording, "phi"));
    assert!((last(&recording, "x") - 0.100_051_45).abs() < 1e-7, "{}", last(&recording, "x"));
    assert!(summary.steps < 5000, "{} steps", summary.steps);
}

/// The same in the pin of a four-bar; rk4 with steps of 1 ms gives 34.69416 rad.
#[test]
fn friction_in_the_pins_of_a_four_bar_does_too() {
    let (recording, summary) = run(&text("stribeck-four-bar.toml")).unwrap();
    assert!((last(&recording, "phi") - 34.694_3).abs() < 1e-3, "{}", last(&recording, "phi"));
    assert!(summary.steps < 5000, "{} steps", summary.steps);
}

/// A rigid stop next to friction that sticks, with loops (seed 219 of the relation `sizes`): a trial up to the impact, tried again,
/// stopped short of the limit, since one linear solve depends on where it starts, and the search went on for ever. The angle after 0.2 s
/// from dopri5 with tolerances of 1e-9; real-time is of order 1.
#[test]
fn an_impact_whose_trials_differ_is_found() {
    let model = text("landing_that_moves.toml");
    let (tight, _) = run(&model
        .replace(r#"method = "real-time", step = 1e-3"#, r#"method = "dopri5", rtol = 1e-9, atol = 1e-9"#))
    .unwrap();
    let (recording, summary) = run(&model).unwrap();
    assert!(summary.steps < 5000, "{} steps", summary.steps);
    let off = last(&recording, "q3") - last(&tight, "q3");
    assert!(off.abs() < 0.05, "{off} rad");
}

/// Steps of 0.2 ns would take days to the end of 1 s: an error names what makes them so short.
#[test]
fn steps_without_end_are_an_error() {
    let text = "schema = 1\ngravity = [0, 0, 0]\n[bodies.a]\nmass = \"1 kg\"\ninertia = [1, 2, 2.5]\n[joints.j]\n\
                type = \"free\"\nparent = \"ground\"\nchild = \"a\"\nstart = { angular_velocity = [1e9, 1, 0] }\n\
                [simulate]\nuntil = \"1 s\"\noutput = \"10 ms\"\nsolver = { method = \"dopri5\", rtol = 1e-8, atol = 1e-8 }\n";
    let error = run(text).unwrap_err();
    assert!(
        error.contains("because of joint j") && error.contains("more of them would be needed"),
        "{error}"
    );
}

/// A ball joint by coordinates that runs into its singular angle is named, with the way out. It ran for hours.
#[test]
fn singular_angles_are_named() {
    let text = std::fs::read_to_string(super::support::model("singular_angle.toml")).unwrap();
    let error = super::support::run(&text).unwrap_err();
    assert!(
        error.contains("joint j3") && error.contains("singular angle") && error.contains("quaternion"),
        "{error}"
    );
    assert!(error.contains("t = 0.748"), "{error}");
}
