//! The contract between mechanics and numerics.
//!
//! A solver sees flat vectors and the traits of [`contract`]; it never knows which bodies, laws or signals
//! are inside. A mechanism implements the traits; it never knows who integrates it.
//!
//! | module | content |
//! |---|---|
//! | [`contract`] | the traits by ability, sizes, channels, the energy ledger |
//! | [`parameters`] | every number of a model as a path in one flat vector |
//! | [`clock`] | integer nanoseconds |
//! | [`schedule`] | sampling instants with delay and jitter |
//! | [`fault`] | what can go wrong while evaluating |

pub mod clock;
pub mod contract;
pub mod fault;
pub mod parameters;
pub mod schedule;

pub use clock::Nanos;
pub use contract::{
    Account, Channel, Constrained, Effort, Grip, Hybrid, InLanes, LaneTrial, Layout, Reach, Sampled,
    Simulated, Solution, Stepped, System, Trial, Way,
};
pub use fault::Fault;
pub use gelenk_signal::Course;
pub use parameters::{Param, Parameter, ParameterError, ParameterTable};
pub use schedule::Schedule;
