//! The signals of a mechanism.

use std::ops::{Deref, Range};
use std::sync::Arc;

use gelenk_laws::control::Sampled;
use gelenk_math::expression::Program;
use gelenk_signal::Waveform;
use gelenk_system::{Channel, Param, Schedule};

use super::curves::CurveCall;
use super::inputs::Inputs;
use super::switches::SwitchRun;
use crate::blueprint::{Course, Measure};

/// The signals of a mechanism, and what gives them their values.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    pub(super) list: Vec<SignalInfo>,
    pub(super) ports: Ports,
    /// Signals, and elements whose outputs formulas name, in an order in which each stands after what it needs.
    pub(super) order: Vec<Node>,
    pub(super) samplers: Vec<Sampler>,
    /// What is known ahead of what acts.
    pub(super) inputs: Inputs,
    /// Signals that are turned by conditions.
    pub(super) switches: Vec<SwitchRun>,
    /// Calls of curves in formulas.
    pub(super) calls: Vec<CurveCall>,
}

impl Signals {
    /// Signals with what gives them their values; what is known ahead is found later.
    pub(crate) fn new(
        list: Vec<SignalInfo>,
        ports: Ports,
        order: Vec<Node>,
        samplers: Vec<Sampler>,
        switches: Vec<SwitchRun>,
        calls: Vec<CurveCall>,
    ) -> Self {
        Self { list, ports, order, samplers, inputs: Inputs::default(), switches, calls }
    }

    /// Keeps what is known ahead of what acts.
    pub(crate) fn set_inputs(&mut self, inputs: Inputs) {
        self.inputs = inputs;
    }

    /// Signals, and elements whose outputs formulas name, in an order in which each stands after what it needs.
    #[inline]
    pub(crate) fn order(&self) -> &[Node] {
        &self.order
    }

    /// Inputs of the mechanism.
    #[inline]
    pub(crate) fn ports(&self) -> &Ports {
        &self.ports
    }

    /// Blocks on the sampling clock.
    pub(crate) fn samplers(&self) -> &[Sampler] {
        &self.samplers
    }

    /// Signals that are turned by conditions.
    pub(crate) fn switches(&self) -> &[SwitchRun] {
        &self.switches
    }

    /// Number of parameters of the blocks.
    pub(crate) fn parameter_count(&self) -> usize {
        self.samplers.iter().map(|sampler| sampler.parameters.len()).sum()
    }

    /// Parameters of the blocks, and their places among those of the laws.
    pub(crate) fn block_parameters(&self) -> impl Iterator<Item = (Range<usize>, &[Param])> {
        self.samplers.iter().map(|sampler| (sampler.p.clone(), sampler.parameters.as_slice()))
    }
}

impl Deref for Signals {
    type Target = [SignalInfo];

    #[inline]
    fn deref(&self) -> &[SignalInfo] {
        &self.list
    }
}

/// What has a value that formulas can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A signal, by its number.
    Signal(usize),
    /// An element of the registry with outputs, by its number.
    Element(usize),
}

/// Inputs of the mechanism.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ports {
    /// Name and unit of each.
    pub(crate) channels: Vec<Channel>,
    /// The same with what else is known of them.
    pub(crate) inputs: Vec<PortInfo>,
    /// Places in the memory of the numbers that inputs, then blocks hold.
    pub(crate) varying: Vec<usize>,
}

/// An input: a signal that is bound when a run starts.
#[derive(Clone, Debug)]
pub(crate) struct PortInfo {
    pub(crate) signal: usize,
    /// What it is bound to where nobody binds it.
    pub(crate) course: Course,
    /// Its value at the start where it holds a number and nobody binds it.
    pub(crate) start: Option<Param>,
    /// Places in the memory: the level of one that jumps, and whether a shape is over.
    pub(crate) level: usize,
    pub(crate) over: usize,
}

/// A signal.
#[derive(Clone, Debug)]
pub(crate) struct SignalInfo {
    pub(crate) name: String,
    pub(crate) kind: SignalRun,
}

/// How a signal gets its value at an instant.
#[derive(Clone, Debug)]
pub(crate) enum SignalRun {
    /// An input, by its number.
    Input(usize),
    Value(Program),
    /// The last one is its end (s), and where the memory says that it is over.
    Excitation(Arc<Waveform>, Param, Option<Param>, Option<(f64, usize)>),
    /// An excitation that is constant between its breaks, and the place of its level in the memory.
    Levels {
        shape: Arc<Waveform>,
        level: usize,
        amplitude: Param,
        offset: Option<Param>,
    },
    Measure([usize; 2], Measure),
    Reversed([usize; 2], Measure),
    /// Sampled or switched: read from the memory.
    Held(usize),
}

/// A block that runs on the sampling clock and writes held signals.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    pub(crate) block: Sampled,
    /// The signals of its outputs.
    pub(crate) signals: Vec<usize>,
    pub(crate) schedule: Schedule,
    /// Places of the held outputs in the memory.
    pub(crate) held: Range<usize>,
    /// The memory of the block itself.
    pub(crate) memory: Range<usize>,
    /// Results on their way, the newest first; those of one output after those of the other.
    pub(crate) rings: Range<usize>,
    pub(crate) inputs: Vec<Program>,
    pub(crate) parameters: Vec<Param>,
    /// Places of the parameters among those of the laws.
    pub(crate) p: Range<usize>,
    /// What depends on its outputs at the same instant, in order.
    pub(crate) affected: Vec<Node>,
}
