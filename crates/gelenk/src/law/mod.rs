//! Laws alone: looked up, plotted, driven, compared on rigs.
//!
//! | module | content |
//! |---|---|
//! | [`subject`] | a law with its numbers, named on a command line or in a rig |
//! | [`experiment`] | experiments that give one curve a law |
//! | [`block`] | a block under a law as an ordinary model |

pub mod block;
pub mod experiment;
pub mod subject;

pub use block::Block;
pub use experiment::{Conditions, Curves, Experiment, perform};
pub use subject::{Subject, SubjectError, unit_of};
