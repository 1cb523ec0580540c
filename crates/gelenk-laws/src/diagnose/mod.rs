//! What a law does, measured by moving it: the same questions for every law of the registry.
//!
//! A law is [driven](crate::Driven) through a motion by its stepped form and its force is looked at. Nothing here knows a law
//! by name.
//!
//! | module | question |
//! |---|---|
//! | [`forms`] | do the stepped and the continuous form agree? |
//! | [`scales`] | over which distance, at which speed and force does anything happen? |
//! | [`loops`] | presliding loop, closure error, memory, work of branches, rate independence |
//! | [`cycles`] | drift, work and gain of cycles between two forces |
//! | [`map`] | presliding displacement, break-away force, friction in steady sliding |
//! | [`mod@lag`] | by how much friction depends on whether the speed rises or falls |

pub mod cycles;
pub mod forms;
pub mod lag;
pub mod loops;
pub mod map;
pub mod scales;

pub use cycles::{Gain, force_cycle, search_gain};
pub use forms::forms_differ;
pub use lag::{Lag, lag};
pub use loops::{Closure, Sample, closure, memory, path, rate_dependence};
pub use map::{Presliding, Steady};
pub use scales::Scales;
