//! Methods and runs.

use gelenk_solve::{Method, Simulation};
use gelenk_system::{Nanos, Simulated};

pub(crate) fn nanos(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds).unwrap()
}

type Fixed = fn(Nanos) -> Method;

/// Explicit methods with a fixed step, by their order.
pub(crate) const EXPLICIT: [(&str, f64, Fixed); 4] = [
    ("euler", 1.0, |step| Method::Euler { step }),
    ("heun", 2.0, |step| Method::Heun { step }),
    ("bs23", 3.0, |step| Method::FixedBs23 { step }),
    ("rk4", 4.0, |step| Method::Rk4 { step }),
];

/// Methods of mechanics with a fixed step, by their order.
pub(crate) const MECHANICAL: [(&str, f64, Fixed); 4] = [
    ("semi-implicit-euler", 1.0, |step| Method::SemiImplicitEuler { step }),
    ("stepped", 1.0, |step| Method::Stepped { step }),
    ("stepped2", 2.0, |step| Method::Stepped2 { step }),
    ("real-time", 1.0, |step| Method::RealTime { step }),
];

type Controlled = fn(f64) -> Method;

/// Methods with error control, by their tolerance.
pub(crate) const CONTROLLED: [(&str, Controlled); 3] = [
    ("bs23", |tol| Method::Bs23 { rtol: tol, atol: tol, max_step: f64::INFINITY }),
    ("dopri5", |tol| Method::Dopri5 { rtol: tol, atol: tol, max_step: f64::INFINITY }),
    ("dop853", |tol| Method::Dop853 { rtol: tol, atol: tol, max_step: f64::INFINITY }),
];

/// A simulation at its start.
pub(crate) fn begin<S: Simulated>(system: &S, method: Method) -> Simulation<'_, S> {
    Simulation::new(system, &system.parameters().values(), method).unwrap()
}

/// The state at a time.
pub(crate) fn at<S: Simulated>(system: &S, method: Method, t: f64) -> Vec<f64> {
    let mut simulation = begin(system, method);
    simulation.advance_to(nanos(t)).unwrap();
    simulation.state().to_vec()
}

/// The largest difference from what is right.
pub(crate) fn error(state: &[f64], right: &[f64]) -> f64 {
    state.iter().zip(right).fold(0.0, |max, (a, b)| f64::max(max, (a - b).abs()))
}
