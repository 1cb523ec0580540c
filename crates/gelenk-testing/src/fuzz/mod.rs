//! The body of every fuzz target as a function of bytes. The packages in `fuzz/` hand them to libFuzzer;
//! `tests/all/fuzz.rs` feeds them on the stable compiler.
//!
//! | module | content |
//! |---|---|
//! | [`models`] | reading a text and using what it says |
//! | [`meshes`] | meshes from any bytes, and pairs of meshes at any pose |
//! | [`robots`] | robots of other formats |
//! | [`simple`] | pairs of simple bodies at any pose |
//! | [`bounded`] | a system that refuses to be evaluated without end |
//! | [`feed`] | a corpus and its mutations, one after the other |

pub mod bounded;
pub mod feed;
pub mod meshes;
pub mod models;
pub mod robots;
pub mod simple;

use crate::mutator;
use crate::random::Random;

/// A fuzz target: what an input is used for, and how inputs are changed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name, as in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Uses an input and returns whether it is worth changing further. A panic is a finding.
    pub run: fn(&[u8]) -> bool,
    /// A changed input.
    pub change: fn(&[u8], &mut Random) -> Vec<u8>,
}

/// Any text: read as a model and as a study, refused with a report or used.
pub const MODEL_READER: Target =
    Target { name: "model_reader", run: models::reader, change: mutator::any_text };
/// As [`MODEL_READER`], but only what is accepted is changed further.
pub const MODEL_RUNNER: Target = Target { name: "model_runner", run: models::runner, change: mutator::text };
/// Any bytes as a mesh file.
pub const MESH_READER: Target = Target { name: "mesh_reader", run: meshes::reader, change: mutator::bytes };
/// Two meshes at a pose.
pub const MESH_PAIR: Target = Target { name: "mesh_pair", run: meshes::pair, change: mutator::bytes };
/// Two simple bodies at a pose.
pub const SIMPLE_PAIR: Target = Target { name: "simple_pair", run: simple::pair, change: mutator::bytes };
/// Any text as a robot: URDF with macros, MJCF, SDF.
pub const ROBOT_READER: Target = Target { name: "robot_reader", run: robots::reader, change: robots::change };
