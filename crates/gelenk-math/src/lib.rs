//! Mathematics under all of Gelenk; everything is generic over the scalar [`Real`].
//!
//! | module | content |
//! |---|---|
//! | [`expression`] | formulas with units: parsed, differentiated, compiled |
//! | [`units`] | dimensions, units and quantities at the border |
//! | [`suggest`] | the word that was probably meant |
//! | [`real`] | the scalar: `f64` or a dual number with eight directions |
//! | [`rotation`] | rotation matrices, Cardan angles, quaternions |
//! | [`spatial`] | twists, wrenches, poses, inertias |
//! | [`dense`] | factorisations of small matrices, also rank-deficient ones |

pub mod dense;
pub mod expression;
pub mod real;
pub mod rotation;
pub mod spatial;
pub mod suggest;
pub mod units;

pub use real::{Dual, LANES, Real, partial, seed};
