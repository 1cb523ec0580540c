//! Mathematics under all of Gelenk; everything is generic over the scalar [`Real`].
//!
//! | module | content |
//! |---|---|
//! | [`expression`] | formulas with units: parsed, differentiated, compiled |
//! | [`units`] | dimensions, units and quantities at the border |
//! | [`interval`] | bounds of what moves |
//! | [`graph`] | orders and cycles of dependencies |
//! | [`hash`] | fingerprints of texts |
//! | [`suggest`] | the word that was probably meant |
//! | [`real`] | the scalar: `f64` or a dual number with eight directions |
//! | [`lockstep`] | scalars that may stand for several runs: what kernels without branches of their own run on |
//! | [`lanes`] | several numbers side by side, also with a derivative |
//! | [`lift`](mod@lift) | functions of numbers on any scalar, by differences |
//! | [`rotation`] | rotations in every parametrisation, rate maps, singularities |
//! | [`screw`] | a rigid displacement as turn about and shift along an axis |
//! | [`spline`] | cubic splines and tables with exact derivatives |
//! | [`spatial`] | twists, wrenches, poses, inertias |
//! | [`bounded`] | efforts with bounds: which of several holds hold |
//! | [`complementarity`] | which of several contacts push |
//! | [`dense`] | factorisations of small matrices, also rank-deficient ones |
//! | [`sparse`] | factors of sparse symmetric matrices over a fixed pattern |

pub mod bounded;
pub mod complementarity;
pub mod dense;
pub mod expression;
pub mod graph;
pub mod hash;
pub mod interval;
pub mod lanes;
pub mod lift;
pub mod lockstep;
pub mod real;
pub mod rotation;
pub mod screw;
pub mod sparse;
pub mod spatial;
pub mod spline;
pub mod suggest;
pub mod units;

pub use lanes::{LaneMask, Lanes, Slope};
pub use lockstep::{Blend, Formula, Job, Lockstep, Mask, each, of_lane};
pub use real::{Dual, LANES, Real, partial, seed};
