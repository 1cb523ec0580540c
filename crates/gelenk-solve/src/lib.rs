//! Time integration of any [`System`](gelenk_system::System).
//!
//! | module | content |
//! |---|---|
//! | [`simulation`] | a run in the hand, and whole runs |
//! | [`observer`] | whoever follows a run |
//! | `run` | state and workspace of a run, the energy balance |
//! | [`checkpoint`] | states from which a run resumes |
//! | [`batch`](mod@batch) | many runs of one system |
//! | [`lanes`](mod@lanes) | many runs of one small system in lockstep |
//! | [`options`] | method, steps and tolerances |
//! | [`auto`] | a method picked from the model |
//! | [`explicit`] | Runge-Kutta methods with dense output, projection and events |
//! | [`stepped`] | fixed implicit steps with laws as trials |
//! | [`newton`] | Newton's method on the step residual, derivatives by duals |
//! | [`jacobian`] | derivatives of the state rate by state and parameters |
//! | [`equilibrium`](mod@equilibrium) | positions at which nothing accelerates |
//! | [`least_squares`] | bounded least squares on any kind of point |
//! | [`linearise`](mod@linearise) | small motions: system matrix, modes |
//! | [`state_space`](mod@state_space) | linear equations with inputs and outputs, poles of sampled loops |
//! | [`problems`] | test problems with known solutions |
//! | [`ledger`] | what the energy balance says about a run |
//! | [`summary`] | what a run reports |
//! | [`error`] | why a run ended early |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

pub mod auto;
pub mod batch;
mod bracket;
pub mod checkpoint;
pub mod equilibrium;
pub mod error;
pub mod explicit;
mod holding;
pub mod jacobian;
mod landing;
pub mod lanes;
pub mod least_squares;
pub mod ledger;
pub mod linearise;
mod lu;
pub mod newton;
pub mod observer;
pub mod options;
pub mod problems;
mod run;
pub mod simulation;
mod stage;
pub mod state_space;
pub mod stepped;
pub mod summary;
mod sweep;
mod tangent;

pub use batch::batch;
pub use checkpoint::Checkpoint;
pub use equilibrium::{EquilibriumError, equilibrium};
pub use error::SolveError;
pub use lanes::lanes;
pub use ledger::{EnergyLimits, Verdict, judge};
pub use linearise::{Linearisation, Mode, linearise};
pub use observer::{Observer, StopRun};
pub use options::{Method, Options};
pub use simulation::{Simulation, find_input, resume, simulate, simulate_with};
pub use state_space::{Cycle, StateSpace, StateSpaceError, cycle, state_space};
pub use summary::{EnergyBalance, StepFacts, Summary, Work};
