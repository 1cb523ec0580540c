//! Time integration of any [`System`](gelenk_system::System).
//!
//! | module | content |
//! |---|---|
//! | [`simulate`](mod@simulate) | the loop over samples and outputs, the energy balance |
//! | [`checkpoint`] | states from which a run goes on |
//! | [`options`] | method, steps and tolerances |
//! | [`auto`] | a method picked from the model |
//! | [`explicit`] | Runge-Kutta methods with dense output, projection and events |
//! | [`stepped`] | fixed implicit steps with laws as trials |
//! | [`newton`] | Newton's method on the step residual, derivatives by duals |
//! | [`jacobian`] | derivatives of the state rate by state and parameters |
//! | [`equilibrium`](mod@equilibrium) | positions at which nothing accelerates |
//! | [`linearise`](mod@linearise) | small motions: system matrix, modes |
//! | [`ledger`] | what the energy balance says about a run |
//! | [`summary`] | what a run reports |
//! | [`error`] | why a run ended early |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

pub mod auto;
mod bracket;
pub mod checkpoint;
pub mod equilibrium;
pub mod error;
pub mod explicit;
mod holding;
pub mod jacobian;
mod landing;
pub mod ledger;
pub mod linearise;
mod lu;
pub mod newton;
pub mod options;
pub mod simulate;
mod stage;
pub mod stepped;
pub mod summary;
mod tangent;

pub use checkpoint::Checkpoint;
pub use equilibrium::{EquilibriumError, equilibrium};
pub use error::SolveError;
pub use ledger::{EnergyLimits, Verdict, judge};
pub use linearise::{Linearisation, Mode, linearise};
pub use options::{Method, Options};
pub use simulate::{Observer, StopRun, resume, simulate};
pub use summary::{EnergyBalance, StepFacts, Summary, Work};
