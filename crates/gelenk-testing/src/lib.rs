//! What tests and fuzz targets share. Nothing here is part of the product: a check that fails panics.
//!
//! | module | content |
//! |---|---|
//! | [`allocations`] | an allocator that counts |
//! | [`draft`] | mechanisms with unnamed numbers |
//! | [`dropped`] | robots that fall on the ground |
//! | [`random`] | random numbers |
//! | [`mutator`] | changed bytes and texts |
//! | [`trees`] | random trees of all kinds of joints |
//! | [`fuzz`] | the bodies of the fuzz targets, and a feeder for the stable compiler |
//! | [`guard`] | random models with everything in them, and the smallest part of one that fails |
//! | [`rig`] | a model from its text, run without files |
//! | [`words`] | texts that users read, taken out of the sources |

#![allow(clippy::panic, clippy::expect_used)]

pub mod allocations;
#[cfg(feature = "mechanisms")]
pub mod draft;
#[cfg(feature = "models")]
pub mod dropped;
#[cfg(feature = "models")]
pub mod fuzz;
#[cfg(feature = "models")]
pub mod guard;
pub mod mutator;
pub mod random;
#[cfg(feature = "models")]
pub mod rig;
#[cfg(feature = "mechanisms")]
pub mod trees;
pub mod words;
