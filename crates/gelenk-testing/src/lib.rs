//! What tests and fuzz targets share. Nothing here is part of the product: a check that fails panics.
//!
//! | module | content |
//! |---|---|
//! | [`fuzz`] | the bodies of the fuzz targets, and a feeder for the stable compiler |
//! | [`guard`] | random models with everything in them, and the smallest part of one that fails |
//! | [`rig`] | a model from its text, run without files |
//! | [`words`] | texts that users read, taken out of the sources |

#![allow(clippy::panic, clippy::expect_used)]

pub mod fuzz;
pub mod guard;
pub mod rig;
pub mod words;
