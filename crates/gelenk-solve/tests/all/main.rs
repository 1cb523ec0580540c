//! The solver alone, on test problems with known solutions.

#![allow(clippy::unwrap_used)]

mod batches;
mod common;
mod constrained;
mod events;
mod lanes;
mod least_squares;
mod orders;
mod simulation;
mod state_space;
mod tolerances;
