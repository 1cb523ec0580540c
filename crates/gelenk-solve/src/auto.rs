//! A method picked from the model.
//!
//! The question is what limits the step: accuracy, then an explicit method with error control is the cheapest answer,
//! or the stability of fast decays that nobody wants to see, then the stepped mode is. Friction with bristles is the
//! common case of the second: at the speed `v` its state decays with the rate `sigma0 |v| / g(v)`. Of the stepped
//! methods the one of order 2 is picked: its second stage costs as much as the first and pays at every step that a user
//! would choose (see `benches/run precision`).
//!
//! Both are weighed by what they cost in evaluations of the system, not by their steps: an implicit step evaluates its
//! Jacobian with one derivative for every velocity.

use gelenk_system::{Nanos, Simulated};
use nalgebra::{DMatrix, Schur};

use crate::error::SolveError;
use crate::linearise::matrix_at;
use crate::options::{Method, Options};

/// What explicit methods can decay in one step: DOPRI5 is stable for real eigenvalues down to `-3.3/h` (Hairer, Wanner,
/// *Solving Ordinary Differential Equations II*, IV.2).
const STABLE: f64 = 3.3;
/// Steps for one recorded row, by stability alone, from which on the system counts as stiff.
const STIFF: f64 = 30.0;
/// Evaluations that a step of DOPRI5 takes.
const EXPLICIT: f64 = 6.0;
/// Solutions of a linear system in a step of order 2, two or three for each of its stages, and the evaluations that one
/// derivative of the Jacobian is worth. Measured: 114 and 80 evaluations a step for four velocities (a governor, a
/// slider-crank).
const SOLUTIONS: f64 = 6.0;
const DERIVATIVE: f64 = 4.0;
/// Step of the stepped mode where none is given and rows are farther apart.
const STEP: Nanos = Nanos(1_000_000);
/// Largest number of states whose eigenvalues are computed; a bound by norms serves above.
const EIGENVALUES: usize = 300;
/// Relative tolerances beyond which an order of eight pays, and down to which one of three does.
const FINE: f64 = 1e-9;
const COARSE: f64 = 1e-3;

/// Settings that the pick keeps to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wishes {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance, in units of each state's typical magnitude.
    pub atol: f64,
    /// Largest step (s); infinite where there is no limit.
    pub max_step: f64,
    /// Step, should the pick be a method with a fixed one.
    pub step: Option<Nanos>,
}

/// What was picked, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// The reason, for the summary of a run.
    pub reason: String,
}

/// Fastest motions of a linearised system (1/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speeds {
    /// Fastest decay: largest `|lambda|` of the eigenvalues with `Re(lambda) < -|lambda|/2`.
    pub decay: f64,
    /// Spectral radius: largest `|lambda|` of all.
    pub radius: f64,
}

/// Fastest motions at the start, and once more with every velocity raised by its typical magnitude, since friction
/// that begins at rest shows its decay only when it slides.
pub fn speeds<S: Simulated>(system: &S, p: &[f64]) -> Result<Speeds, SolveError> {
    let layout = system.layout();
    let mut data = system.data();
    system.bind(&mut data, p);
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    system.start(&mut data, &mut x, &mut m)?;
    system.sample(&mut data, Nanos::ZERO, &x, &mut m)?;
    let still = spectrum(matrix_at(system, p, 0.0, &x, &m)?.a);
    let mut scale = vec![0.0; layout.nx()];
    system.scale(&data, &mut scale);
    for i in layout.v() {
        x[i] += scale[i];
    }
    system.settle(&mut data, 0.0, &x, &mut m);
    // Raised velocities may lie outside the domain of an element; then the start has to do.
    let moving = matrix_at(system, p, 0.0, &x, &m).map_or(still, |linear| spectrum(linear.a));
    Ok(Speeds { decay: still.decay.max(moving.decay), radius: still.radius.max(moving.radius) })
}

fn spectrum(a: DMatrix<f64>) -> Speeds {
    let n = a.nrows();
    if n == 0 {
        return Speeds::default();
    }
    // The spectral radius is at most the geometric mean of row and column sums (a bound on the 2-norm).
    let sums = |sums: &mut dyn Iterator<Item = f64>| sums.fold(0.0, f64::max);
    let rows = sums(&mut (0..n).map(|i| a.row(i).iter().map(|v| v.abs()).sum()));
    let columns = sums(&mut (0..n).map(|k| a.column(k).iter().map(|v| v.abs()).sum()));
    let bound = (rows * columns).sqrt();
    let finite = n <= EIGENVALUES && a.iter().all(|v| v.is_finite());
    match finite.then(|| Schur::try_new(a, f64::EPSILON, 100 * n)).flatten() {
        Some(schur) => {
            let values = schur.complex_eigenvalues();
            let largest = |of: &dyn Fn(f64, f64) -> bool| {
                values.iter().filter(|v| of(v.re, v.norm())).map(|v| v.norm()).fold(0.0, f64::max)
            };
            Speeds { decay: largest(&|re, norm| re < -0.5 * norm), radius: largest(&|_, _| true) }
        }
        None => Speeds { decay: bound, radius: bound },
    }
}

/// Picks a method for a run with the given `until` and `output` of `options`; its method is not looked at.
pub fn choose<S: Simulated>(
    system: &S,
    p: &[f64],
    options: &Options,
    wishes: &Wishes,
) -> Result<Choice, SolveError> {
    let mut data = system.data();
    system.bind(&mut data, p);
    let step = wishes.step.unwrap_or(STEP.min(options.output));
    if let Err(fault) = system.check(&data, false) {
        // Where both modes are refused, this is the better of two messages.
        system.check(&data, true).map_err(|_| fault.clone())?;
        let reason = format!("no continuous method is possible: {fault}");
        return Ok(Choice { method: Method::Stepped2 { step }, reason });
    }
    let speeds = speeds(system, p)?;
    let row = options.output.min(options.until).seconds();
    let steps = speeds.decay * row / STABLE;
    let implicit =
        SOLUTIONS * (1.0 + DERIVATIVE * system.layout().nv as f64) * (row / step.seconds()).max(1.0);
    if steps > STIFF && EXPLICIT * steps <= implicit {
        let reason = format!(
            "the fastest decay is {:.2e}/s, but the {steps:.0} steps per row that keep an explicit method stable \
             cost less than implicit ones",
            speeds.decay
        );
        return Ok(explicit(wishes, Dopri5, reason));
    }
    if steps > STIFF {
        let stiff = format!(
            "the fastest decay is {:.2e}/s, so an explicit method would need {steps:.0} steps per row to stay stable",
            speeds.decay
        );
        return Ok(match system.check(&data, true) {
            Ok(()) => Choice { method: Method::Stepped2 { step }, reason: stiff },
            Err(fault) => {
                explicit(wishes, Dopri5, format!("{stiff}, but the stepped mode is not possible: {fault}"))
            }
        });
    }
    let calm = match speeds.radius {
        0.0..1e-6 => "the equations are not stiff".to_owned(),
        radius => format!("the equations are not stiff: eigenvalues up to {radius:.2e}/s"),
    };
    let period = system.next_sample(&data, Nanos::ZERO).map(Nanos::seconds);
    // Steps of DOPRI5 by accuracy are about this long; those between samples may be much shorter.
    let long = 3.0 * wishes.rtol.max(1e-15).powf(0.2) / speeds.radius.max(1e-9);
    Ok(match period {
        Some(period) if period < 0.2 * long => {
            explicit(wishes, Bs23, format!("{calm}, and samples every {period} s limit the steps"))
        }
        _ if wishes.rtol >= COARSE => {
            explicit(wishes, Bs23, format!("{calm}, and rtol = {:e} does not need a high order", wishes.rtol))
        }
        None if wishes.rtol <= FINE && system.layout().ng == 0 => explicit(
            wishes,
            Dop853,
            format!("{calm}, there are no events, and rtol = {:e} makes order 8 worthwhile", wishes.rtol),
        ),
        _ => explicit(wishes, Dopri5, calm),
    })
}

/// Pairs with error control.
enum Pair {
    Bs23,
    Dopri5,
    Dop853,
}
use Pair::{Bs23, Dop853, Dopri5};

fn explicit(wishes: &Wishes, pair: Pair, reason: String) -> Choice {
    let Wishes { rtol, atol, max_step, .. } = *wishes;
    let method = match pair {
        Bs23 => Method::Bs23 { rtol, atol, max_step },
        Dopri5 => Method::Dopri5 { rtol, atol, max_step },
        Dop853 => Method::Dop853 { rtol, atol, max_step },
    };
    Choice { method, reason }
}
