//! Mechanisms: bodies, joints, loops, elements and signals, compiled to a [`System`](gelenk_system::System).
//!
//! The tree runs on joint scalars `s`; `s = S(q, t)` with the sparse matrix `F = dS/dq` maps generalised
//! coordinates to them, so coordinates can be shared by joints and driven by functions.
//!
//! | module | content |
//! |---|---|
//! | [`blueprint`] | the description a mechanism is compiled from |
//! | [`mechanism`] | the compiled mechanism |
//! | [`absolute`] | the same mechanism in absolute coordinates |
//! | [`inertia`] | which inertias a body can have |
//! | [`builder`] | mechanisms built in code |
//! | [`build`] | compiling: order of links, names, layout |
//! | [`channels`] | what is recorded |
//! | [`data`] | the workspace of one thread and the parameters bound to it |
//! | [`elements`] | elements: one file a kind, their contract, what they act on |
//! | [`dynamics`] | equations of motion from all of these |
//! | [`system`] | the contract towards the solvers |
//! | [`lanes`] | several runs in lockstep |
//! | [`tree`] | the tree: kinematics and recursive dynamics |
//! | [`loops`] | constraint equations, closing them, singular positions |
//! | [`signals`] | logs, expressions, sampled blocks, switches |
//! | [`studies`] | questions at an instant or along a motion: inverse dynamics and kinematics |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

pub mod absolute;
pub mod blueprint;
pub mod build;
pub mod builder;
pub mod channels;
pub mod data;
pub mod dynamics;
pub mod elements;
pub mod inertia;
pub mod lanes;
pub mod loops;
pub mod mechanism;
pub mod signals;
pub mod studies;
pub mod system;
pub mod tree;

pub use absolute::AbsoluteError;
pub use blueprint::Blueprint;
pub use build::BuildError;
pub use builder::Builder;
pub use data::Data;
pub use elements::contact::{ContactElement, StartContact};
pub use elements::start_friction::StartBlow;
pub use elements::{Acting, Attachment};
pub use loops::branch;
pub use loops::closing::Closing;
pub use loops::sweep::{Sweep, SweepError};
pub use mechanism::Mechanism;
pub use studies::{ik, inverse, matrices, totals};
pub use tree::algorithms::External;
pub use tree::jacobians::Convention;
pub use tree::places::Place;
pub use tree::{places, regressor};
