//! Questions at an instant or along a motion.
//!
//! | file | content |
//! |---|---|
//! | [`along`] | switches, samples and states of laws along a motion |
//! | [`ik`] | inverse kinematics: tasks, four methods |
//! | [`inverse`] | drives, joint wrenches and loop reactions along a motion |
//! | [`matrices`] | the matrices of the equations of motion at an instant |
//! | `resting` | friction and limits along a motion, where it rests |
//! | [`survey`] | what kinematics record |
//! | [`totals`] | centre of mass, momentum and energies of the whole |

pub mod along;
pub mod ik;
pub mod inverse;
pub mod matrices;
pub(crate) mod resting;
pub mod survey;
pub mod totals;
