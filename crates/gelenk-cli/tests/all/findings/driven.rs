//! Joints driven in time: jumps, kinks and poles are refused by name, smooth motions are not.

use gelenk::open::Overrides;

use super::support::{last, prepared, run};

/// A slide that follows `value`, with a pendulum hanging from it.
fn driven(value: &str, curves: &str) -> String {
    format!(
        r#"schema = 1
gravity = [0, 0, "-9.81 m/s^2"]
[bodies.a]
mass = "1 kg"
inertia = [1, 1, 1]
[joints.cart]
type = "prismatic"
parent = "ground"
child = "a"
axis = [1, 0, 0]
value = {value:?}
[bodies.b]
mass = "1 kg"
centre = [0, 0, "-1 m"]
inertia = [1, 1, 1]
[joints.jb]
type = "revolute"
parent = "a"
child = "b"
axis = [0, 1, 0]
coordinate = {{ name = "qb", start = "1 rad" }}
{curves}
[simulate]
until = "1 s"
output = "10 ms"
"#
    )
}

const LINEAR: &str =
    "[curves.c]\nkind = \"linear\"\nx = [\"0 s\", \"0.5 s\", \"1 s\"]\ny = [\"0 m\", \"0 m\", \"1 m\"]\n";
const CUBIC: &str =
    "[curves.c]\nx = [\"0 s\", \"0.3 s\", \"0.6 s\", \"1 s\"]\ny = [\"0 m\", \"0.1 m\", \"0 m\", \"1 m\"]\n";

/// The impulse of a kink, and the infinite force of a jump, were lost without a word.
#[test]
fn kinks_and_jumps_are_refused() {
    for (value, curves, expected) in [
        ("abs(t - 0.5 s)*1 [m/s]", "", "velocity jumps from -1.000000 to 1.000000 at t = 0.500000 s"),
        ("max(0 s, t - 0.5 s)*1 [m/s]", "", "velocity jumps"),
        ("min(0 s, t - 0.5 s)*1 [m/s]", "", "velocity jumps"),
        ("c(t)", LINEAR, "velocity jumps"),
        ("0.1 m*abs(sin(7 [rad/s]*t))", "", "velocity jumps"),
        ("sign(t - 0.5 s)*1 m", "", "value jumps from -1.000000"),
        ("if(t < 0.5 s, 0 m, 1 m)", "", "value jumps from 0.000000 to 1.000000 at t = 0.500000 s"),
        ("step(t - 0.25 s)*1 m", "", "value jumps"),
        ("tan(t*3 [rad/s])*1 m", "", "not finite near t = 0.52359"),
        ("1/(t - 0.5 s)*1 [m s]", "", "not finite near t = 0.500"),
        ("sqrt(abs(t - 0.5 s)/1 [s])*1 m", "", "not finite near t = 0.500"),
    ] {
        let error = run(&driven(value, curves)).map(|_| String::new()).unwrap_or_else(|error| error);
        assert!(error.contains("joint cart") && error.contains(expected), "{value}: {error}");
    }
}

/// Pieces that meet with the same slope, kinks after the end of the run, and splines are motions; their end is that of the
/// formula.
#[test]
fn smooth_pieces_are_driven() {
    let ramp = "if(t < 0.25 s, 0 m, if(t < 0.75 s, 0.5 m*(1 - cos(2*pi*(t - 0.25 s)*1 [rad/s])), 1 m))";
    for (value, curves, end) in [
        (ramp, "", 1.0),
        ("abs(t - 2 s)*1 [m/s]", "", 1.0),
        ("max(0 s, t - 0.5 s)^2*1 [m/s^2]", "", 0.25),
        ("c(t)", CUBIC, 1.0),
        ("0.1 m*sin(2 [rad/s]*t)", "", 0.1 * 2f64.sin()),
    ] {
        let mut prepared = prepared(&driven(value, curves), &Overrides::default()).unwrap();
        prepared.mechanism.record_poses();
        let p = prepared.parameters.values();
        let (recording, _) = gelenk::run::run(&prepared.mechanism, &p, &prepared.options).unwrap();
        assert!((last(&recording, "bodies.a.x") - end).abs() < 1e-9, "{value}");
    }
}

/// Steps by `floor` and by remainders (`drv_floor.toml`, `drv_mod.toml`) are no functions of the language, and say so.
#[test]
fn functions_that_do_not_exist_are_refused() {
    for (value, told) in [
        ("floor(t/0.1 [s])*1 m", "there is no function or curve \"floor\""),
        ("(t % 0.1 s)*1 [m/s]", "an operator was expected here"),
    ] {
        let error = run(&driven(value, "")).map(|_| String::new()).unwrap_or_else(|error| error);
        assert!(error.contains(told), "{value}: {error}");
    }
}
