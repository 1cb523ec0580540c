//! Gelenk simulates machines and bodies that move, touch, rub and are driven, and learns their parameters
//! from measurements.
//!
//! This crate is the facade: it brings the parts together into studies. The command line over it is `gelenk-cli`.
//!
//! | module | content |
//! |---|---|
//! | [`prelude`] | the names that a program needs |
//! | [`open`] | from files to something that can run |
//! | [`notes`] | outputs that are not numbers, curves that are left |
//! | [`open_lines`] | contacts whose lines of intersection end at a border |
//! | [`parameters`] | the parameters of a run in its recording |
//! | [`rest`] | equilibrium and linearised equations |
//! | [`run`](mod@run) | simulate a mechanism into a recording |
//! | [`elements`] | contact elements beside a recording |
//! | [`fit`] | fit parameters of a model to a log |
//! | [`foreign`] | files of other formats, named with what can be done |
//! | [`law`] | laws alone: looked up, plotted, driven, compared on rigs |
//! | [`motion`] | motions given by tables, recordings, expressions or a run |
//! | [`motion_study`] | kinematics and inverse dynamics along a motion |
//! | [`matrices`] | the matrices of the equations of motion along a motion |
//! | `samples` | signs of quaternions, derivatives, times |
//! | `walk` | going along a motion: loops closed, sensors and controllers run |
//! | [`ik`] | inverse kinematics |
//! | [`injury`](mod@injury) | the head injury criterion of a recording |
//! | [`interrupt`] | asking long work to stop |
//! | [`case`] | reproducible cases and their expected numbers |
//! | [`digits`](mod@digits) | numbers for people to read |
//! | [`picture`] | pictures of recordings: plots, scenes, films, glTF |
//! | [`scene`] | what pictures need to know of a model |
//! | [`splined`] | loop joints as joints on splines |
//! | [`summary`] | the summary of a run as text and as JSON |
//! | [`sweep`] | contacts pose by pose |
//! | [`sweep_study`] | a model or study for many values of its parameters |
//! | [`template`] | models to start from |

pub mod case;
pub mod digits;
pub mod elements;
pub mod fit;
pub mod foreign;
pub mod ik;
pub mod injury;
pub mod interrupt;
pub mod law;
pub mod matrices;
pub mod motion;
pub mod motion_study;
pub mod notes;
pub mod open;
pub mod open_lines;
pub mod parameters;
pub mod prelude;
pub mod rest;
pub mod run;
mod samples;
pub mod scene;
pub mod splined;
pub mod summary;
pub mod sweep;
pub mod sweep_study;
pub mod template;
mod turns;
mod walk;

pub use gelenk_picture as picture;
pub use gelenk_picture::plot;

/// The examples of the README compile and run; `swing/` beside this crate is the folder that they speak of.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So do those of the page "Robotics from Rust".
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/robotics.md")]
struct Robotics;
