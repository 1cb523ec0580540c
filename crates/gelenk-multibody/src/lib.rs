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
//! | [`builder`] | mechanisms built in code |
//! | [`build`] | compiling: order of links, names, layout |
//! | [`channels`] | what is recorded |
//! | [`data`] | the workspace of one thread and the parameters bound to it |
//! | [`kinematics`] | joint scalars, poses, velocities, bias accelerations |
//! | [`rnea`] | inverse dynamics: recursive Newton-Euler |
//! | [`crba`] | mass matrix: composite rigid bodies |
//! | `aba` | forward dynamics: articulated bodies |
//! | `carry` | loops in the articulated bodies |
//! | `paths` | ways of the constraints through the tree |
//! | `kernels` | products of small vectors and matrices |
//! | `moments` | mass distributions, acceleration fields |
//! | [`algorithms`] | these three by themselves, for callers |
//! | [`constraints`] | constraint equations: gaps, rows, reactions |
//! | [`closing`] | keeping loops closed: projection, Baumgarte, partition |
//! | [`assembly`] | what closing the loops did to the start |
//! | [`loops`] | closing loops: bordered solve, projection |
//! | `singular` | loops at singular positions |
//! | [`sweep`] | dependent coordinates as functions of one |
//! | [`elements`] | elements: one file a kind, their contract, what they act on |
//! | `contact` | contact between meshes |
//! | [`contact_elements`] | its elements, one by one |
//! | `touch` | contact between spheres, capsules, boxes, points and planes |
//! | `horizon` | how long a step may be so that no contact is stepped over |
//! | `start_contacts` | contacts that a motion starts inside of |
//! | `start_friction` | how the memory of friction laws begins |
//! | `rubbing` | friction on coordinates and between frames |
//! | `factors` | friction that follows its surroundings |
//! | `holds` | coordinates held by friction and by limits |
//! | `settling` | which holds are on at an instant |
//! | `impacts` | sticking and slipping, impacts, rest and release |
//! | `stances` | the same in stepped mode |
//! | `free` | free joints: numbers of the state and numbers of callers |
//! | [`forces`] | forces on frames, measures |
//! | [`places`] | frames, bodies and points: pose, velocity, acceleration, Jacobian |
//! | [`jacobians`] | Jacobians of frames in three conventions, and of the centre of mass |
//! | [`matrices`] | the matrices of the equations of motion at an instant |
//! | [`regressor`] | efforts as a linear function of the inertial parameters |
//! | [`totals`] | centre of mass, momentum and energies of the whole |
//! | [`following`] | a prescribed motion closed over the loops |
//! | [`branch`] | the same on one branch, through singular positions |
//! | `driven` | motions in time that jump or have kinks are refused |
//! | `inputs` | corners and bends of what is known ahead |
//! | [`along`] | switches, samples and states of laws along a motion |
//! | [`inverse`] | drives, joint wrenches and loop reactions along a motion |
//! | `resting` | friction and limits along a motion, where it rests |
//! | [`ik`] | inverse kinematics: tasks, four methods |
//! | [`survey`] | what kinematics record |
//! | [`reactions`] | wrenches through the joints |
//! | [`sharing`] | reactions of redundant constraints |
//! | [`poses`] | poses of the bodies, for pictures |
//! | [`signals`] | logs, expressions, sampled sensors and controllers |
//! | `switches` | signals that conditions turn on and off |
//! | `curves` | calls of curves in formulas |
//! | [`dynamics`] | equations of motion from all of these |
//! | [`system`] | the contract towards the solvers |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

mod aba;
pub mod absolute;
pub mod algorithms;
pub mod along;
pub mod assembly;
pub mod blueprint;
pub mod branch;
pub mod build;
pub mod builder;
mod carry;
pub mod channels;
pub mod closing;
pub mod constraints;
mod contact;
pub mod contact_elements;
pub mod crba;
mod curves;
pub mod data;
mod driven;
pub mod dynamics;
pub mod elements;
mod factors;
pub mod following;
pub mod forces;
mod free;
mod holds;
mod horizon;
pub mod ik;
mod impacts;
mod inputs;
pub mod inverse;
pub mod jacobians;
mod kernels;
pub mod kinematics;
mod locked;
pub mod loops;
pub mod matrices;
pub mod mechanism;
mod moments;
mod paths;
pub mod places;
pub mod poses;
pub mod reactions;
pub mod regressor;
mod resting;
pub mod rnea;
mod rubbing;
mod settling;
pub mod sharing;
pub mod signals;
mod singular;
mod stances;
mod start_contacts;
mod start_friction;
pub mod survey;
pub mod sweep;
mod switches;
pub mod system;
pub mod totals;
mod touch;

pub use absolute::AbsoluteError;
pub use algorithms::External;
pub use blueprint::Blueprint;
pub use build::BuildError;
pub use builder::Builder;
pub use closing::Closing;
pub use contact_elements::ContactElement;
pub use data::Data;
pub use elements::{Acting, Attachment};
pub use jacobians::Convention;
pub use mechanism::Mechanism;
pub use places::Place;
pub use start_contacts::StartContact;
pub use start_friction::StartBlow;
pub use sweep::{Sweep, SweepError};
