//! The program compared with itself: random models, and what must hold of them.
//!
//! | module | content |
//! |---|---|
//! | [`dice`] | choices by a seed |
//! | [`scale`] | dimensions, units of a file, models of another size |
//! | [`sketch`] | a model as a value that becomes text |
//! | [`generate`](mod@generate) | a model for every seed |
//! | [`mod@shrink`] | the smallest part of a model that still fails |
//!
//! The relations are in `tests/all/guard`, one file each.

pub mod dice;
pub mod generate;
pub mod scale;
pub mod shrink;
pub mod sketch;

pub use dice::Dice;
pub use generate::{Wishes, generate};
pub use scale::{Dim, Scale};
pub use shrink::shrink;
pub use sketch::{Entry, Log, Sketch, Term, Value, table};
