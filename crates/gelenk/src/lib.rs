//! Gelenk simulates machines and bodies that move, touch, rub and are driven, and learns their parameters
//! from measurements.
//!
//! This crate is the facade: it brings the parts together into studies, and it holds the command line.
//!
//! | module | content |
//! |---|---|
//! | [`run`] | simulate a mechanism into a recording |
//! | [`plot`] | pictures of recordings |

pub mod plot;
pub mod run;
