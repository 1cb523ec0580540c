//! Time integration of any [`System`](gelenk_system::System).
//!
//! | module | content |
//! |---|---|
//! | [`simulate`](mod@simulate) | the loop over samples and outputs, the energy balance |
//! | [`checkpoint`] | states from which a run goes on |
//! | [`options`] | method, steps and tolerances |
//! | [`explicit`] | RK4 and DOPRI5 with dense output, projection and events |
//! | [`stepped`] | fixed implicit steps with laws as trials |
//! | [`newton`] | Newton's method on the step residual, derivatives by duals |
//! | [`jacobian`] | derivatives of the state rate by state and parameters |
//! | [`equilibrium`](mod@equilibrium) | positions at which nothing accelerates |
//! | [`linearise`](mod@linearise) | small motions: system matrix, modes |
//! | [`summary`] | what a run reports |
//! | [`error`] | why a run ended early |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

pub mod checkpoint;
pub mod equilibrium;
pub mod error;
pub mod explicit;
pub mod jacobian;
pub mod linearise;
pub mod newton;
pub mod options;
pub mod simulate;
pub mod stepped;
pub mod summary;
mod tangent;

pub use checkpoint::Checkpoint;
pub use equilibrium::{EquilibriumError, equilibrium};
pub use error::SolveError;
pub use linearise::{Linearisation, Mode, linearise};
pub use options::{Method, Options};
pub use simulate::{Observer, StopRun, resume, simulate};
pub use summary::{EnergyBalance, Summary, Work};
