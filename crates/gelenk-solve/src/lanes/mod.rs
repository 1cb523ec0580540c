//! Many runs of one small system in lockstep.
//!
//! A group of [`WIDTH`] runs goes through the same instructions, each with parameters of its own in a lane of the scalar. What
//! single runs do otherwise is done run by run: the start, sampled blocks, picked channels. A run that its method cannot go on
//! with in lockstep (Newton's method fails, a number is not finite) leaves its group and is done again alone.

mod explicit;
mod group;
mod newton;
mod rows;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use gelenk_math::{LaneMask, Lanes};
use gelenk_system::{InLanes, Nanos};

use crate::error::SolveError;
use crate::options::{Method, Options};
use group::Group;
pub use rows::{Pick, Rows};

/// Runs of a group. Twice what the widest registers hold, so that operations need not wait for each other.
pub const WIDTH: usize = 16;

/// One number of every run of a group.
type Wide = Lanes<WIDTH>;
/// An answer of every run of a group.
type Answers = LaneMask<WIDTH>;

/// Runs a system once for each of several parameter vectors, in lockstep in groups of [`WIDTH`], on all threads of the pool, and
/// returns what `f` makes of each run, in their order. `f` has the number of the run and its rows: the `picked` numbers at the
/// start, at every multiple of `options.output` and at the end. A run that fails leaves the others as they are.
///
/// Numbers are those of [`batch`](crate::batch()) but for rounding: the order of some sums, and elementary functions that
/// go through all lanes at once. The result of a run depends on its own parameters only, neither on the runs beside it nor
/// on the number of threads. Methods are the explicit ones with a fixed step and [`Method::Stepped`]; the works of the energy ledger are not kept.
/// Every thread has one workspace; between runs and steps nothing is allocated but by the first run that has to be done alone.
///
/// ```
/// use gelenk_solve::lanes::{Pick, lanes};
/// use gelenk_solve::problems::Slider;
/// use gelenk_solve::{Method, Options};
/// use gelenk_system::Nanos;
///
/// // A block on a spring of 1 N/m, released at 1 m: from a damping of 2 N s/m on it does not pass zero.
/// let runs: Vec<[f64; 3]> = (0..20).map(|k| [1.0, 0.25 * f64::from(k), 0.0]).collect();
/// let step = Nanos(5_000_000);
/// let options = Options { until: Nanos(10_000_000_000), output: step, method: Method::Rk4 { step } };
/// let passes = lanes(&Slider::default(), &options, &[Pick::State(0)], &runs, |_, rows| {
///     Ok(rows.iter().any(|row| row[0] < 0.0))
/// })?;
/// assert!(passes[7].clone()? && !passes[8].clone()?);
/// # Ok::<(), gelenk_solve::SolveError>(())
/// ```
///
/// # Errors
/// A method that does not run in lanes, what of the system does not (by its name), and numbers that it does not have. Failures of
/// single runs stand in the list.
pub fn lanes<S: InLanes, P: AsRef<[f64]> + Sync, R: Send + Sync>(
    system: &S,
    options: &Options,
    picked: &[Pick],
    runs: &[P],
    f: impl Fn(usize, &Rows<'_>) -> Result<R, SolveError> + Sync,
) -> Result<Vec<Result<R, SolveError>>, SolveError> {
    check(system, options, picked)?;
    let results: Vec<OnceLock<Result<R, SolveError>>> = runs.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut group = Group::new(system, options, picked);
        loop {
            let first = WIDTH * next.fetch_add(1, Ordering::Relaxed);
            let Some(own) = runs.get(first..).filter(|rest| !rest.is_empty()) else { return };
            let own = &own[..own.len().min(WIDTH)];
            group.run(own);
            for (lane, run) in own.iter().enumerate() {
                let rows = group.rows(lane, run.as_ref());
                // Every index is taken once, so that its place is empty.
                let _ = results[first + lane].set(rows.and_then(|rows| f(first + lane, &rows)));
            }
        }
    };
    let threads = rayon::current_num_threads().min(runs.len().div_ceil(WIDTH));
    rayon::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|_| work());
        }
    });
    let missing = || Err(SolveError::Options("a run in lanes has no result".into()));
    Ok(results.into_iter().map(|result| result.into_inner().unwrap_or_else(missing)).collect())
}

/// Refuses what does not run in lanes.
fn check<S: InLanes>(system: &S, options: &Options, picked: &[Pick]) -> Result<(), SolveError> {
    let refuse = |message: String| Err(SolveError::Options(message));
    let method = options.method;
    let fits = match method {
        Method::Stepped { .. } => true,
        _ => method.step().is_some() && !method.is_stepped(),
    };
    if !fits {
        return refuse(format!(
            "method {} does not run in lanes: use stepped or an explicit method with a fixed step, or single runs \
             (batch)",
            method.name()
        ));
    }
    if method.step() == Some(Nanos::ZERO) || options.output == Nanos::ZERO {
        return refuse("step and output period must be at least 1 ns".into());
    }
    system.refuse_lanes(method.is_stepped())?;
    let (states, channels) = (system.layout().w().start, system.channels().len());
    for &pick in picked {
        match pick {
            Pick::State(index) if index >= states => {
                return refuse(format!(
                    "state {index} is picked, and {states} numbers of the state are kept in lanes"
                ));
            }
            Pick::Channel(index) if index >= channels => {
                return refuse(format!("channel {index} is picked, and the system has {channels}"));
            }
            _ => {}
        }
    }
    Ok(())
}
