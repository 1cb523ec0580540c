//! Physics in its smallest form: laws that know no bodies.
//!
//! A law is a pure function with parameters and perhaps memory. It can be evaluated, plotted, fitted
//! and tested alone; an element of a mechanism attaches it to a coordinate.
//!
//! | module | content |
//! |---|---|
//! | [`contact`] | layers between surfaces, regularised sliding |
//! | [`contract`] | what every law offers, and what it says about itself |
//! | [`control`] | blocks on the sampling clock: sensors, controllers |
//! | [`diagnose`] | what a law does, measured by moving it |
//! | [`driven`] | a law driven by a given motion |
//! | `lane` | laws of several runs in lockstep |
//! | [`given`] | parameters of a law by their names |
//! | [`friction`] | friction and hysteresis over a sliding velocity |
//! | [`stop`] | one-sided elastic stop with a damping ramp |

pub mod contact;
pub mod contract;
pub mod control;
pub mod diagnose;
pub mod driven;
pub mod friction;
pub mod given;
mod lane;
pub mod stop;

pub use contract::{Kind, Law, LawError, LawSpec, Memory, Modes, ParamSpec, Properties, Stance, Sticking};
pub use driven::Driven;
pub use friction::Friction;
#[doc(hidden)]
pub use gelenk_math::{Lockstep, Real as Scalar};
#[doc(hidden)]
pub use gelenk_record::Change;
pub use given::GivenError;
