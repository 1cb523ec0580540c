//! Fixed steps have the order of their method.

use gelenk_solve::problems::{Brusselator, IndexThreePendulum, Problem, VanDerPol};
use gelenk_system::Simulated;

use super::common::{EXPLICIT, MECHANICAL, at, error, nanos};

/// The order that two errors show, one at half the step of the other.
fn order<S: Simulated>(
    system: &S,
    method: fn(gelenk_system::Nanos) -> gelenk_solve::Method,
    (t, step): (f64, f64),
    right: &[f64],
) -> f64 {
    let [coarse, fine] = [step, step / 2.0].map(|step| error(&at(system, method(nanos(step)), t), right));
    (coarse / fine).log2()
}

/// The solutions are those of SciPy and of Hairer, Norsett and Wanner, named in the problems.
#[test]
fn explicit_methods_have_their_order() {
    for (name, expected, method) in EXPLICIT {
        let found = order(&Problem::new(VanDerPol), method, (10.0, 2e-3), &VanDerPol::AT_10);
        assert!((found - expected).abs() < 0.15, "{name}: {found}");
        let found = order(&Problem::new(Brusselator), method, (20.0, 4e-3), &Brusselator::AT_20);
        assert!((found - expected).abs() < 0.15, "{name}: {found}");
    }
}

/// A pendulum passes its lowest point after a quarter of its period with `sqrt(2 g)` (elliptic integral), in every method.
/// The period is no whole number of steps, so that the last one is shorter.
#[test]
fn a_constraint_keeps_the_order() {
    let bottom = [0.0, -1.0, -(2.0 * 9.81f64).sqrt(), 0.0];
    let t = IndexThreePendulum::QUARTER;
    for (name, expected, method) in EXPLICIT.into_iter().chain(MECHANICAL) {
        let pendulum = IndexThreePendulum::default();
        // The clock has whole nanoseconds: 0.5 ns at 4.4 m/s are 2e-9 m.
        let step = if expected > 2.0 { 2e-2 } else { 1e-3 };
        let found = order(&pendulum, method, (t, step), &bottom);
        assert!((found - expected).abs() < 0.3, "{name}: {found}");
    }
}
