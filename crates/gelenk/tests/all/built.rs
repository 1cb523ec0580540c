//! Mechanisms built in code and simulated: what a model file would refuse is refused, too.

use gelenk::prelude::*;

fn driven(motion: &str) -> Mechanism {
    let mut builder = Builder::new([0.0; 3]);
    let rod = builder.body("rod", Mass::sphere(1.0, 0.1));
    builder.joint("motor", Ground, rod).revolute_by([0.0, 0.0, 1.0], motion);
    let block = builder.body("block", Mass::point(1.0));
    let x = builder.joint("slide", rod, block).prismatic([1.0, 0.0, 0.0], "x");
    builder.start(x, 0.5, 0.0);
    builder.build().unwrap()
}

/// On a bar that turns at a constant rate `w` a free block moves by `x = x0 cosh(w t)` (closed form). A kink in the given
/// motion would need an impulse, and is refused as in a model file.
#[test]
fn given_motions_are_smooth_or_refused() {
    let (recording, _) = simulate(&driven("2*t"), 1.0, 0.01).unwrap();
    let x = recording.interpolate("x", 1.0).unwrap();
    assert!((x - 0.5 * 2f64.cosh()).abs() < 1e-6, "{x}");
    let refused = simulate(&driven("2*abs(t - 0.5)"), 1.0, 0.01).unwrap_err().to_string();
    assert!(refused.contains("motor"), "{refused}");
}

#[test]
fn times_are_checked() {
    for (until, output) in [(0.0, 0.01), (1.0, -1.0), (f64::NAN, 0.01)] {
        assert!(simulate(&driven("t"), until, output).is_err(), "{until} {output}");
    }
}
