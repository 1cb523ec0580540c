//! The energy balance against losses that are known.

use gelenk_solve::Method;
use gelenk_testing::rig::{nanos, run};

const MODEL: &str = r#"
    schema = 1
    gravity = [0, 0, 0]
    bodies.block = { mass = "2 kg", inertia = [1, 1, 1] }
    joints.slide = { type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0], coordinate = { name = "x" } }
    drives.push = { on = "x", force = "3 N" }
"#;

/// A constant force `F` on a mass `m`: explicit Euler makes and implicit Euler loses `F^2 h^2/(2 m)` a step, the square
/// of the velocity's change that its quadrature of the work does not see (closed form). The balance says so to rounding,
/// and the energy to compare with is the kinetic energy at the end plus the work of the push.
#[test]
fn a_residue_is_what_the_method_makes_or_loses() {
    let h: f64 = 0.01;
    let step = nanos(h);
    let expected = 100.0 * (3.0 * h).powi(2) / (2.0 * 2.0);
    for method in [Method::Euler { step }, Method::Stepped { step }] {
        let energy = run(MODEL, method, 1.0, h).unwrap().summary.energy;
        let residue = energy.residue.abs();
        assert!((residue / expected - 1.0).abs() < 1e-9, "{}: {residue}, not {expected}", method.name());
        assert!((energy.kinetic - 2.25).abs() < 1e-12, "{}: {}", method.name(), energy.kinetic);
        // The work with the velocity at the start or at the end of every step.
        let work = energy.works.iter().map(|w| w.work).sum::<f64>();
        let sign = if method.is_stepped() { 1.0 } else { -1.0 };
        assert!((work - (2.25 + sign * expected)).abs() < 1e-12, "{}: {work}", method.name());
        let scale = energy.kinetic + work;
        assert!((energy.relative_residue().abs() - residue / scale).abs() < 1e-12, "{}", energy.scale);
    }
    // A method of order two and more makes nothing out of a constant force.
    let energy = run(MODEL, Method::Heun { step }, 1.0, h).unwrap().summary.energy;
    assert!(energy.residue.abs() < 1e-13, "{}", energy.residue);
}
