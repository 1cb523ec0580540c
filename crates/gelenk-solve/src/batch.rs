//! Many runs of one system.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use gelenk_system::Simulated;

use crate::error::SolveError;
use crate::options::Method;
use crate::simulation::Simulation;

/// Runs a system once for each of several parameter vectors, on all threads of the pool, and returns what `f` makes of each
/// run, in their order. `f` has the number of the run and the simulation at its start; it goes as far as it likes and picks
/// what it needs. A run that fails leaves the others as they are.
///
/// Every thread has one workspace, which is bound to the parameters of one run after the other; between the runs nothing is
/// allocated but what [`System::bind`](gelenk_system::System::bind) allocates. A result depends on its own parameters only.
///
/// ```
/// use gelenk_solve::problems::IndexThreePendulum;
/// use gelenk_solve::{Method, batch};
/// use gelenk_system::Nanos;
///
/// let method = Method::Dopri5 { rtol: 1e-9, atol: 1e-9, max_step: f64::INFINITY };
/// let gravities = [[9.81], [1.62], [3.71]];
/// let speeds = batch(&IndexThreePendulum::default(), method, &gravities, |_, pendulum| {
///     pendulum.advance_to(Nanos(100_000_000))?;
///     Ok(pendulum.state()[3])
/// });
/// assert!(speeds[0].clone()? < speeds[2].clone()? && speeds[2].clone()? < speeds[1].clone()?);
/// # Ok::<(), gelenk_solve::SolveError>(())
/// ```
pub fn batch<S: Simulated, P: AsRef<[f64]> + Sync, R: Send + Sync>(
    system: &S,
    method: Method,
    runs: &[P],
    f: impl Fn(usize, &mut Simulation<'_, S>) -> Result<R, SolveError> + Sync,
) -> Vec<Result<R, SolveError>> {
    let results: Vec<OnceLock<Result<R, SolveError>>> = runs.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own: Option<Simulation<'_, S>> = None;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(index) else { return };
            let begun = match own.as_mut() {
                Some(simulation) => simulation.bind(run.as_ref()),
                None => Simulation::new(system, run.as_ref(), method).map(|new| own = Some(new)),
            };
            let result = match (begun, own.as_mut()) {
                (Ok(()), Some(simulation)) => f(index, simulation),
                (Err(error), _) => Err(error),
                (Ok(()), None) => continue,
            };
            // Every index is taken once, so that its place is empty.
            let _ = results[index].set(result);
        }
    };
    let threads = rayon::current_num_threads().min(runs.len());
    rayon::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|_| work());
        }
    });
    let missing = || Err(SolveError::Options("a run of a batch has no result".into()));
    results.into_iter().map(|result| result.into_inner().unwrap_or_else(missing)).collect()
}
