//! The traits between mechanics and numerics, by ability.
//!
//! | file | trait | what it can |
//! |---|---|---|
//! | `system` | [`System`] | a state that moves in time: sizes, parameters, rates, outputs |
//! | `constrained` | [`Constrained`] | equations that the state must satisfy |
//! | `hybrid` | [`Hybrid`] | modes that change at events |
//! | `sampled` | [`Sampled`] | blocks that act at sampling instants |
//! | `stepped` | [`Stepped`] | implicit steps with laws as trials, and holds |
//! | `lanes` | [`InLanes`] | several runs in lockstep |
//!
//! Everything but the heart of [`System`] has defaults: a plain ordinary differential equation implements nine methods, and the
//! other traits with an empty body. What runs a system in any method asks for all of them, [`Simulated`].

mod constrained;
mod hybrid;
mod lanes;
mod sampled;
mod stepped;
mod system;

pub use constrained::Constrained;
pub use hybrid::{Hybrid, Reach};
pub use lanes::{InLanes, LaneTrial};
pub use sampled::Sampled;
pub use stepped::{Effort, Grip, Solution, Stepped, Trial, Way};
pub use system::{Account, Channel, Layout, System};

/// A system that every method can run: all abilities, each by its defaults where there is nothing to it.
pub trait Simulated: System + Constrained + Hybrid + Sampled + Stepped {}

impl<S: System + Constrained + Hybrid + Sampled + Stepped> Simulated for S {}
