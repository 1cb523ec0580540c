//! Loops: constraint equations, closing them, singular positions.
//!
//! | file | content |
//! |---|---|
//! | `compiled`, `workspace` | the loops of a mechanism, and what an evaluation knows of them: their fields are seen here only |
//! | [`assembly`] | what closing the loops did to the start |
//! | [`branch`] | the same on one branch, through singular positions |
//! | `carry` | loops in the articulated bodies |
//! | [`closing`] | keeping loops closed: projection, Baumgarte, partition |
//! | [`constraints`] | constraint equations: gaps, rows, reactions |
//! | [`following`] | a prescribed motion closed over the loops |
//! | `locked` | coordinates that loops do not let move |
//! | [`projection`] | closing loops: bordered solve, projection |
//! | `paths` | ways of the constraints through the tree |
//! | `refining` | what rounding leaves open |
//! | [`sharing`] | reactions of redundant constraints |
//! | `singular` | loops at singular positions |
//! | [`sweep`] | dependent coordinates as functions of one |

pub mod assembly;
pub mod branch;
pub(crate) mod carry;
pub mod closing;
mod compiled;
pub mod constraints;
pub mod following;
pub(crate) mod locked;
pub(crate) mod paths;
pub mod projection;
mod refining;
pub mod sharing;
pub(crate) mod singular;
pub mod sweep;
mod workspace;

pub(crate) use compiled::{Equation, LoopInfo, Loops, Replaced};
pub(crate) use workspace::LoopData;
