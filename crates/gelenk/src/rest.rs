//! Equilibrium and linearised equations of a mechanism. The solvers are generic; they are compiled for mechanisms here, once for
//! all programs that use them.

use gelenk_multibody::Mechanism;
use gelenk_solve::{Cycle, EquilibriumError, Linearisation, StateSpace, StateSpaceError};
use gelenk_system::Fault;

/// State and memory at the stable equilibrium that the start leads to, see [`gelenk_solve::equilibrium`](fn@gelenk_solve::equilibrium).
///
/// # Errors
/// [`EquilibriumError`].
#[inline(never)]
pub fn equilibrium(
    mechanism: &Mechanism,
    p: &[f64],
    tolerance: f64,
) -> Result<(Vec<f64>, Vec<f64>), EquilibriumError> {
    gelenk_solve::equilibrium(mechanism, p, tolerance)
}

/// The linearised equations at time `t` (s) about the positions in `x` at rest, with the memory `m`, see
/// [`gelenk_solve::linearise`](fn@gelenk_solve::linearise).
///
/// # Errors
/// A state at which the equations cannot be evaluated.
#[inline(never)]
pub fn linearise(
    mechanism: &Mechanism,
    p: &[f64],
    t: f64,
    x: &[f64],
    m: &[f64],
) -> Result<Linearisation, Fault> {
    gelenk_solve::linearise(mechanism, p, t, x, m)
}

/// The linear equations about the state `(t, x, m)` with all inputs and the channels `picked`, see
/// [`gelenk_solve::state_space`](fn@gelenk_solve::state_space).
///
/// # Errors
/// [`StateSpaceError`].
#[inline(never)]
pub fn state_space(
    mechanism: &Mechanism,
    p: &[f64],
    at: (f64, &[f64], &[f64]),
    picked: &[usize],
) -> Result<StateSpace, StateSpaceError> {
    gelenk_solve::state_space(mechanism, p, at, picked)
}

/// The map of small motions of a sampled loop over one cycle of its samplers, see
/// [`gelenk_solve::cycle`](fn@gelenk_solve::cycle).
///
/// # Errors
/// [`StateSpaceError`].
#[inline(never)]
pub fn cycle(mechanism: &Mechanism, p: &[f64], at: (&[f64], &[f64])) -> Result<Cycle, StateSpaceError> {
    gelenk_solve::cycle(mechanism, p, at)
}
