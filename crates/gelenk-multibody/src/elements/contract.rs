//! The element contract: what a kind of element is and does, in one file a kind.
//!
//! An element sees local variables only: the displacement `x` and the rate `v` that its attachment gives (at most twelve
//! numbers), its inputs `u`, its parameters `p`, its states `z` and its memory `m`. It answers with efforts conjugate to
//! `v`, with the rates of its states (or, over a step, their values at its end), with outputs that expressions can name,
//! and with the power of its accounts. Everything else follows from its specification: reading, units, checks, parameter
//! paths, prefix and mirror in parts, channels, the ledger, JSON Schema, the table in the book.
//!
//! Like laws, elements are pure: memory changes only in [`Element::commit`] and [`Element::switch`], at an accepted step
//! or event, and all numbers are generic over the scalar, so that duals give exact tangents.

use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::Real;
use gelenk_system::Effort;

use super::attachment::Attachment;

/// Where elements of a kind act, and with that the dimension of their displacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On one displacement: a coordinate, along an axis between frames, an angle between frames, a distance.
    Scalar,
    /// Along the line between two frames only; the effort is recorded as a tension.
    Line,
    /// About the z axis of the first of two frames only.
    Axis,
    /// On the origin of one frame; three components in the axes of a frame.
    Force,
    /// On the body of one frame; three components in the axes of a frame.
    Torque,
    /// On all six displacements between two frames: along and about the axes of the first one.
    Pose,
    /// On the rotation of a ball joint.
    Ball,
}

impl Place {
    /// Whether elements of a kind with this place can act on an attachment.
    pub fn admits(self, on: &Attachment) -> bool {
        match self {
            Self::Scalar => matches!(
                on,
                Attachment::Coordinate(_)
                    | Attachment::Distance(_)
                    | Attachment::Along { .. }
                    | Attachment::Angle(_)
                    | Attachment::About(_)
            ),
            Self::Line => matches!(on, Attachment::Distance(_)),
            Self::Axis => matches!(on, Attachment::About(_)),
            Self::Force => matches!(on, Attachment::Point { .. }),
            Self::Torque => matches!(on, Attachment::Turn { .. }),
            Self::Pose => matches!(on, Attachment::Pose(_)),
            Self::Ball => matches!(on, Attachment::Ball(_)),
        }
    }
}

/// What changes its sign in a mirror; `x`, `y` and `z` of a vector in the axes of the frame it is given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// Nothing: a scalar, or an effort on a coordinate.
    Scalar,
    /// A force, a displacement.
    Polar,
    /// A torque, an angle.
    Axial,
}

/// An input: a formula over the time, coordinates, signals, outputs of elements and parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputSpec {
    /// Key in a model file.
    pub name: &'static str,
    /// Physical kind, which gives the unit.
    pub kind: Kind,
    /// Meaning in one sentence.
    pub meaning: &'static str,
    /// Number of components: 1, or 3 for a vector.
    pub count: usize,
    /// What a mirror does to it.
    pub parity: Parity,
    /// Value where none is given; `None` if one must be given.
    pub default: Option<f64>,
}

impl InputSpec {
    /// A number that must be given.
    pub const fn scalar(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, meaning, count: 1, parity: Parity::Scalar, default: None }
    }

    /// Three components that must be given.
    pub const fn vector(name: &'static str, kind: Kind, parity: Parity, meaning: &'static str) -> Self {
        Self { name, kind, meaning, count: 3, parity, default: None }
    }

    /// The same with a value where none is given.
    pub const fn or(mut self, default: f64) -> Self {
        self.default = Some(default);
        self
    }

    /// The same with a sign that a mirror turns.
    pub const fn parity(mut self, parity: Parity) -> Self {
        self.parity = parity;
        self
    }
}

/// An output that is recorded as `TABLE.NAME.OUTPUT`, and that expressions name `NAME.OUTPUT`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputSpec {
    /// Its name.
    pub name: &'static str,
    /// Physical kind, which gives the unit.
    pub kind: Kind,
    /// Meaning in a few words.
    pub meaning: &'static str,
}

/// An account of the energy ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountSpec {
    /// What follows the name of the element; empty for the first account.
    pub name: &'static str,
    /// Whether what it takes is stored, see [`Element::stored`].
    pub conservative: bool,
}

/// One account: work that is done, not stored.
pub const WORK: &[AccountSpec] = &[AccountSpec { name: "", conservative: false }];

/// The accounts of a spring with a damper.
pub const ELASTIC_AND_DAMPING: &[AccountSpec] =
    &[AccountSpec { name: "", conservative: true }, AccountSpec { name: "damping", conservative: false }];

/// What a kind of element says about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementSpec {
    /// Its name: `bushing`.
    pub name: &'static str,
    /// Its table in a model file: `bushings`. Empty for a kind that only stands inside other tables.
    pub table: &'static str,
    /// Meaning in one sentence.
    pub title: &'static str,
    /// Equation in plain text.
    pub equation: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Where it acts.
    pub place: Place,
    /// Parameters: first the single ones and triples, then the lists.
    pub params: &'static [ParamSpec],
    /// Inputs.
    pub inputs: &'static [InputSpec],
    /// Outputs beside the effort, which every element records under its own name.
    pub outputs: &'static [OutputSpec],
    /// Accounts of the ledger, at least one.
    pub accounts: &'static [AccountSpec],
}

impl ElementSpec {
    /// Length of the parameter slice of an element whose lists have `size` entries.
    pub fn param_count(&self, size: usize) -> usize {
        self.params.iter().map(|param| param.entries(size)).sum()
    }

    /// Number of components of all inputs.
    pub fn input_count(&self) -> usize {
        self.inputs.iter().map(|input| input.count).sum()
    }

    /// Whether it has lists with a free number of entries.
    pub fn has_lists(&self) -> bool {
        self.params.iter().any(|param| param.per_element)
    }
}

/// How states go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// By their rates at an instant.
    Rate,
    /// Over a step from the committed states, with the rate `v` held.
    Trial {
        /// Length (s), greater than zero.
        h: f64,
        /// Which effort is wanted: the mean over the step or that at its end.
        effort: Effort,
    },
}

/// What an element sees.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a, T> {
    /// Displacement (m, rad): one number, three or six. Over a step, that at its end.
    pub x: &'a [T],
    /// Its rate.
    pub v: &'a [T],
    /// Parameters in the order of the specification, triples and lists flattened.
    pub p: &'a [T],
    /// Entries of its lists.
    pub size: usize,
    /// Inputs, vectors flattened.
    pub u: &'a [T],
    /// States; over a step, the committed ones.
    pub z: &'a [T],
    /// Memory.
    pub m: &'a [f64],
}

/// What an element sees and does at an instant or over a step.
#[derive(Debug)]
pub struct Act<'a, T> {
    /// What it sees.
    pub look: Look<'a, T>,
    /// At an instant, or over a step.
    pub step: Step,
    pub(crate) effort: &'a mut [T],
    pub(crate) power: &'a mut [T],
    pub(crate) z_out: &'a mut [T],
    pub(crate) outputs: &'a mut [T],
}

impl<T: Real> Act<'_, T> {
    /// Adds an effort along displacement `k` to what the element exerts, and its power to an account.
    #[inline]
    pub fn push(&mut self, account: usize, k: usize, effort: T) {
        self.effort[k] += effort;
        self.power[account] += effort * self.look.v[k];
    }

    /// Adds an effort along displacement `k` whose power is written with [`Self::power`].
    #[inline]
    pub fn exert(&mut self, k: usize, effort: T) {
        self.effort[k] += effort;
    }

    /// Adds a power (W) to an account. All accounts together have the power of the efforts; an element that takes energy
    /// from elsewhere (a motor from its supply) tells here where it comes from and where it goes.
    #[inline]
    pub fn power(&mut self, account: usize, power: T) {
        self.power[account] += power;
    }

    /// Writes an output, by its place in the specification.
    #[inline]
    pub fn output(&mut self, index: usize, value: T) {
        self.outputs[index] = value;
    }

    /// State `k` with `dz/dt = (target - z)/tau`, with `target` and `tau` (s) held over a step: exact there, and bounded for
    /// any step. Returns the state that efforts of this instant or step are made of, and its rate: over a step their means,
    /// or the values at its end, as the step wants.
    #[inline]
    pub fn relax(&mut self, k: usize, target: T, tau: T) -> [T; 2] {
        let z = self.look.z[k];
        match self.step {
            Step::Rate => {
                let rate = (target - z) / tau;
                self.z_out[k] = rate;
                [z, rate]
            }
            Step::Trial { h, effort } => {
                let h = T::c(h);
                let share = (h / tau).decayed();
                let end = z + (target - z) * share;
                self.z_out[k] = end;
                match effort {
                    Effort::End => [end, (target - end) / tau],
                    Effort::Mean | Effort::Once => [target - (target - z) * share * tau / h, (end - z) / h],
                }
            }
        }
    }

    /// State `k` with a rate that does not depend on it. Returns the state that efforts are made of, as [`Self::relax`].
    #[inline]
    pub fn integrate(&mut self, k: usize, rate: T) -> T {
        let z = self.look.z[k];
        match self.step {
            Step::Rate => {
                self.z_out[k] = rate;
                z
            }
            Step::Trial { h, effort } => {
                let end = z + rate * T::c(h);
                self.z_out[k] = end;
                if effort == Effort::End { end } else { z + rate * T::c(0.5 * h) }
            }
        }
    }
}

/// A kind of element.
pub trait Element {
    /// What the kind says about itself.
    const SPEC: ElementSpec;

    /// Number of continuous states of an element whose lists have `size` entries.
    fn states(size: usize) -> usize {
        let _ = size;
        0
    }

    /// Length of the memory.
    fn memory(size: usize) -> usize {
        let _ = size;
        0
    }

    /// Number of switching functions.
    fn switches(size: usize) -> usize {
        let _ = size;
        0
    }

    /// Efforts, power, outputs, and the rates of the states or their values after the step.
    fn act<T: Real>(e: &mut Act<'_, T>);

    /// Energy (J) that the conservative accounts hold, by account; the others stay zero.
    fn stored<T: Real>(look: &Look<'_, T>, stored: &mut [T]) {
        let _ = (look, stored);
    }

    /// States at the start; zero where nothing else is said.
    fn start(look: &Look<'_, f64>, z: &mut [f64]) {
        let _ = (look, z);
    }

    /// States after a long time at what is seen now, the rate zero: what an equilibrium has. The default is a state of rest
    /// that does not depend on the displacement.
    fn rest(look: &Look<'_, f64>, z: &mut [f64]) {
        Self::start(look, z);
    }

    /// Typical sizes of the states, for error control.
    fn scale(p: &[f64], scale: &mut [f64]) {
        let _ = p;
        scale.fill(1.0);
    }

    /// Settles the memory on an accepted state.
    fn commit(look: &Look<'_, f64>, m: &mut [f64]) {
        let _ = (look, m);
    }

    /// Switching functions: the modes in the memory hold while all of them are at least zero.
    fn switching(look: &Look<'_, f64>, g: &mut [f64]) {
        let _ = (look, g);
    }

    /// Changes the mode behind switching function `index`; returns what is said about it.
    fn switch(look: &Look<'_, f64>, index: usize, z: &mut [f64], m: &mut [f64]) -> &'static str {
        let _ = (look, index, z, m);
        ""
    }

    /// Relations between parameters that have to hold, with a value that would work.
    ///
    /// # Errors
    /// The reason why the parameters are refused.
    fn validate(p: &[f64]) -> Result<(), String> {
        let _ = p;
        Ok(())
    }

    /// The range that the element keeps its displacement in, of a stop.
    fn range(p: &[f64]) -> Option<[f64; 2]> {
        let _ = p;
        None
    }
}

/// The first numbers of a slice by name: `let [k, d] = fixed(look.p)`. What is missing is not a number, so that a wrong count
/// shows.
#[inline]
pub fn fixed<T: Real, const N: usize>(p: &[T]) -> [T; N] {
    std::array::from_fn(|k| p.get(k).copied().unwrap_or(T::c(f64::NAN)))
}
