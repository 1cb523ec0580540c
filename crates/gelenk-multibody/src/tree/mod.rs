//! The tree: kinematics and recursive dynamics.
//!
//! | file | content |
//! |---|---|
//! | `aba` | forward dynamics: articulated bodies |
//! | [`algorithms`] | the recursive algorithms by themselves, for callers |
//! | [`crba`] | mass matrix: composite rigid bodies |
//! | [`forces`] | forces on frames, measures |
//! | `free` | free joints: numbers of the state and numbers of callers |
//! | [`jacobians`] | Jacobians of frames in three conventions, and of the centre of mass |
//! | `kernels` | products of small vectors and matrices |
//! | [`kinematics`] | joint scalars, poses, velocities, bias accelerations |
//! | `moments` | mass distributions, acceleration fields |
//! | [`places`] | frames, bodies and points: pose, velocity, acceleration, Jacobian |
//! | [`poses`] | poses of the bodies, for pictures |
//! | [`reactions`] | wrenches through the joints |
//! | [`regressor`] | efforts as a linear function of the inertial parameters |
//! | [`rnea`] | inverse dynamics: recursive Newton-Euler |

pub(crate) mod aba;
pub mod algorithms;
pub mod crba;
pub mod forces;
pub(crate) mod free;
pub mod jacobians;
pub(crate) mod kernels;
pub mod kinematics;
pub(crate) mod moments;
pub mod places;
pub mod poses;
pub mod reactions;
pub mod regressor;
pub mod rnea;
