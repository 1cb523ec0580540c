//! Laws alone: looked up, plotted, driven, compared on rigs.
//!
//! | module | content |
//! |---|---|
//! | [`subject`] | a law with its numbers, named on a command line or in a rig |
//! | [`experiment`] | experiments that give one curve a law |
//! | [`finding`] | what the diagnostics find on a law |
//! | [`block`] | a block under a law as an ordinary model |
//! | [`rig`] | the same experiment with several laws |
//! | [`merged`] | its runs as one recording |
//! | [`metrics`] | what a run of a rig comes down to |

pub mod block;
pub mod experiment;
pub mod finding;
pub mod merged;
pub mod metrics;
pub mod rig;
pub mod subject;

pub use block::Block;
pub use experiment::{Conditions, Curves, Experiment, perform};
pub use finding::{Findings, findings};
pub use metrics::Metric;
pub use rig::{LawRun, RigError, RigOutcome, run_rig, run_rig_until};
pub use subject::{Subject, SubjectError, unit_of};
