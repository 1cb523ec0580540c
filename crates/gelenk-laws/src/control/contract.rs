//! The block contract: what runs on the sampling clock, in one file a block.
//!
//! A block sees numbers only: its inputs `u`, its parameters `p` and its memory `m`. At a tick it writes its outputs `y` and
//! its memory. When it runs, when its outputs arrive and that they are held in between is not its business. All numbers are
//! generic over the scalar, so that sampled loops have derivatives.

use gelenk_math::Real;

use crate::contract::{Kind, ParamSpec};

/// When a block runs among those of one instant: sensors first, actuators last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Measures.
    Sense,
    /// Estimates from what is measured.
    Observe,
    /// Decides.
    Control,
    /// Passes on to what acts.
    Actuate,
}

/// The quantity of a port of a block, as powers of that of its first input, of that of its output, and of time.
pub const fn relative(input: i8, output: i8, time: i8) -> Kind {
    Kind::Relative { input, output, time }
}

/// An input or an output of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockPort {
    /// Key of an input; the name of an output behind a dot, empty for the first one.
    pub name: &'static str,
    /// Its quantity, see [`relative`].
    pub kind: Kind,
    /// Meaning in one sentence.
    pub meaning: &'static str,
}

/// What a block says about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockSpec {
    /// The word behind `type` in a model file.
    pub name: &'static str,
    /// Meaning in one sentence.
    pub title: &'static str,
    /// Equation in plain text.
    pub equation: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// When it runs.
    pub stage: Stage,
    /// Inputs; the quantity of the first one is that of the measured value.
    pub inputs: &'static [BlockPort],
    /// Parameters.
    pub params: &'static [ParamSpec],
    /// Outputs, at least one.
    pub outputs: &'static [BlockPort],
}

/// An instant at which a block runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Number of the sample, from zero.
    pub number: u64,
    /// Sampling period (s).
    pub period: f64,
}

/// A block.
pub trait Block {
    /// What it says about itself.
    const SPEC: BlockSpec;

    /// Length of its memory, which begins with zeros.
    const MEMORY: usize = 0;

    /// Runs it once: `p`, `u` and `y` have the lengths of the specification, `m` the length [`Block::MEMORY`].
    fn tick<T: Real>(p: &[T], u: &[T], tick: Tick, m: &mut [T], y: &mut [T]);
}
