//! Time integration of any [`System`](gelenk_system::System).
//!
//! | module | content |
//! |---|---|
//! | [`simulate`] | the loop over samples and outputs, the energy balance |
//! | [`options`] | method, steps and tolerances |
//! | [`explicit`] | RK4 and DOPRI5 with dense output, projection and events |
//! | [`stepped`] | fixed implicit steps with laws as trials |
//! | [`newton`] | Newton's method on the step residual, derivatives by duals |
//! | [`jacobian`] | derivatives of the state rate by state and parameters |
//! | [`summary`] | what a run reports |
//! | [`error`] | why a run ended early |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

pub mod error;
pub mod explicit;
pub mod jacobian;
pub mod newton;
pub mod options;
pub mod simulate;
pub mod stepped;
pub mod summary;

pub use error::SolveError;
pub use options::{Method, Options};
pub use simulate::{Observer, StopRun, simulate};
pub use summary::{EnergyBalance, Summary, Work};
