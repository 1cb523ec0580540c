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

use gelenk_laws::{Kind, Modes, ParamSpec, Sticking};
use gelenk_math::{Lockstep, Real};
use gelenk_record::Change;

use super::attachment::Attachment;
use super::lane::Lane;
pub use super::look::{Act, Beyond, Look, Step};

/// Where elements of a kind act, and with that the dimension of their displacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// On a coordinate; in absolute coordinates, on what measures it.
    Coordinate,
    /// Against what slides or turns, of which only the rate counts: a coordinate, along or about an axis between frames, on
    /// a plane.
    Slide,
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
    /// Between the bodies of two frames, wherever they touch.
    Bodies,
}

impl PlaceKind {
    /// Whether elements of a kind with this place can act on an attachment.
    pub fn admits(self, on: &Attachment) -> bool {
        match self {
            Self::Coordinate => {
                matches!(on, Attachment::Coordinate(_) | Attachment::Along { .. } | Attachment::Angle(_))
            }
            Self::Slide => matches!(
                on,
                Attachment::Coordinate(_)
                    | Attachment::Along { .. }
                    | Attachment::About { .. }
                    | Attachment::Plane(_)
            ),
            Self::Scalar => matches!(
                on,
                Attachment::Coordinate(_)
                    | Attachment::Distance(_)
                    | Attachment::Along { .. }
                    | Attachment::Angle(_)
                    | Attachment::About { .. }
            ),
            Self::Line => matches!(on, Attachment::Distance(_)),
            Self::Axis => matches!(on, Attachment::About { .. }),
            Self::Force => matches!(on, Attachment::Point { .. }),
            Self::Torque => matches!(on, Attachment::Turn { .. }),
            Self::Pose => matches!(on, Attachment::Pose(_)),
            Self::Ball => matches!(on, Attachment::Ball(_)),
            Self::Bodies => matches!(on, Attachment::Bodies(_)),
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

/// An input: an expression over the time, coordinates, signals, outputs of elements and parameters.
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
    /// Other names of it on a length and on an angle: a force, a torque.
    pub also: Option<[&'static str; 2]>,
}

impl InputSpec {
    /// A number that must be given.
    pub const fn scalar(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, meaning, count: 1, parity: Parity::Scalar, default: None, also: None }
    }

    /// Three components that must be given.
    pub const fn vector(name: &'static str, kind: Kind, parity: Parity, meaning: &'static str) -> Self {
        Self { name, kind, meaning, count: 3, parity, default: None, also: None }
    }

    /// The same with a name of its own on a length and on an angle.
    pub const fn also(mut self, on_length: &'static str, on_angle: &'static str) -> Self {
        self.also = Some([on_length, on_angle]);
        self
    }

    /// All its names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.also.into_iter().flatten())
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
    pub place: PlaceKind,
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

    /// Places in the parameter slice of two parameters of which the first must not lie below the second. Both are before
    /// the lists.
    pub fn orders(&self) -> impl Iterator<Item = (usize, usize)> {
        let place = |k: usize| self.params[..k].iter().map(|param| param.entries(0)).sum();
        self.params.iter().enumerate().filter_map(move |(greater, param)| {
            let lesser = self.params.iter().position(|other| Some(other.name) == param.at_least)?;
            Some((place(greater), place(lesser)))
        })
    }

    /// Whether it has lists with a free number of entries.
    pub fn has_lists(&self) -> bool {
        self.params.iter().any(|param| param.per_element)
    }
}

/// How elements of a kind can hold a coordinate, so that it rests there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Not at all.
    Nothing,
    /// By friction, to both sides, up to a level: [`Element::sticking`]. The memory is the stance
    /// ([`Stance`](gelenk_laws::Stance)).
    Sticking,
    /// By a limit at each end of a range, which pushes back: [`Element::limits`]. The memory says of each whether something
    /// rests on it.
    Limits,
}

/// Limits of a coordinate, and what happens where it hits them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Lower and upper limit; an infinite one is absent.
    pub range: [f64; 2],
    /// Restitution, 0 to 1.
    pub restitution: f64,
    /// Whether restitution is Poisson's, of impulses, instead of Newton's, of velocities.
    pub poisson: bool,
    /// Speed of a rebound that ends in rest (m/s, rad/s).
    pub rest: f64,
}

/// A kind of element. What most of them do comes first; the abilities after it are those of friction and limits.
pub trait Element {
    /// What the kind says about itself.
    const SPEC: ElementSpec;

    /// The same of one that has a choice of laws, whose parameters are its own.
    fn spec(&self) -> &'static ElementSpec {
        &Self::SPEC
    }

    /// The key of joints and coordinates that it stands under in a model file, of a kind without a table. Of several with
    /// one key, the one that has the most of the keys that are given is meant.
    fn key(&self) -> &'static str {
        ""
    }

    /// Number of continuous states of an element whose lists have `size` entries.
    fn states(&self, size: usize) -> usize {
        let _ = size;
        0
    }

    /// Length of the memory.
    fn memory(&self, size: usize) -> usize {
        let _ = size;
        0
    }

    /// Number of switching functions.
    fn switches(&self, size: usize) -> usize {
        let _ = size;
        0
    }

    /// Efforts, power, outputs, and the rates of the states or their values after the step.
    fn act<T: Real>(&self, e: &mut Act<'_, T>);

    /// [`Element::act`] of several runs in lockstep. By default lane by lane; an element that is written on [`Lockstep`] goes
    /// through all lanes at once.
    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>)
    where
        Self: Sized,
    {
        T::run(Lane::new(self, e));
    }

    /// Energy (J) that the conservative accounts hold, by account; the others stay zero.
    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let _ = (look, stored);
    }

    /// States at the start; zero where nothing else is said.
    fn start(&self, look: &Look<'_, f64>, z: &mut [f64]) {
        let _ = (look, z);
    }

    /// States after a long time at what is seen now, the rate zero: what an equilibrium has. The default is a state of rest
    /// that does not depend on the displacement.
    fn rest(&self, look: &Look<'_, f64>, z: &mut [f64]) {
        self.start(look, z);
    }

    /// Typical sizes of the states, for error control.
    fn scale(&self, p: &[f64], scale: &mut [f64]) {
        let _ = p;
        scale.fill(1.0);
    }

    /// Settles the memory on an accepted state.
    fn commit(&self, look: &Look<'_, f64>, m: &mut [f64]) {
        let _ = (look, m);
    }

    /// Switching functions: the modes in the memory hold while all of them are at least zero.
    fn switching(&self, look: &Look<'_, f64>, g: &mut [f64]) {
        let _ = (look, g);
    }

    /// Changes the mode behind switching function `index`; returns what is said about it.
    fn switch(&self, look: &Look<'_, f64>, index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        let _ = (look, index, z, m);
        None
    }

    /// Relations between parameters that have to hold, with a value that would work.
    ///
    /// # Errors
    /// The reason why the parameters are refused.
    fn validate(&self, p: &[f64], size: usize) -> Result<(), String> {
        let _ = (p, size);
        Ok(())
    }

    /// The range that the element keeps its displacement in, of a stop.
    fn range(&self, p: &[f64]) -> Option<[f64; 2]> {
        let _ = p;
        None
    }

    /// Whether accounts hold energy.
    fn stores(&self) -> bool {
        self.spec().accounts.iter().any(|account| account.conservative)
    }

    /// The forms that it has: rates at an instant, values after a step.
    fn modes(&self) -> Modes {
        Modes { continuous: true, stepped: true }
    }

    /// What of an attachment that its place admits it cannot act on.
    ///
    /// # Errors
    /// The reason, and the way out.
    fn fits(&self, on: &Attachment) -> Result<(), String> {
        let _ = on;
        Ok(())
    }

    /// Whether its effort is a signal, too: expressions name it, it is recorded among the signals, and inverse dynamics can
    /// leave it to be found. Its only input is that effort.
    fn is_signal(&self) -> bool {
        false
    }

    /// What pictures draw it as; `None` where its attachment says so ([`Attachment::drawing`]).
    fn drawn(&self) -> Option<&'static str> {
        None
    }

    /// Whether it is friction: it resists the rate that it sees, its states and its memory follow from the rate alone, and
    /// what is recorded is its resistance, positive against the motion.
    fn resists(&self) -> bool {
        false
    }

    /// Whether its effort grows with a normal force, see [`Look::load`].
    fn pressed(&self) -> bool {
        false
    }

    /// Its resistance in steady sliding at the rate `v`; `None` for what does not resist, or holds what is at rest.
    fn steady(&self, p: &[f64], v: f64) -> Option<f64> {
        let _ = (p, v);
        None
    }

    /// Whether friction has a spring of the position in it, so that where it rests depends on the way there.
    fn follows_position(&self) -> bool {
        false
    }

    /// How it can hold a coordinate that it acts on.
    fn holding(&self) -> Holding {
        Holding::Nothing
    }

    /// How friction holds what is at rest.
    fn sticking<T: Real>(&self, p: &[T]) -> Option<Sticking<T>> {
        let _ = p;
        None
    }

    /// The limits of a coordinate.
    fn limits(&self, p: &[f64]) -> Option<Limits> {
        let _ = p;
        None
    }
}

/// The first numbers of a slice by name: `let [k, d] = fixed(look.p)`. What is missing is not a number, so that a wrong count
/// shows.
#[inline]
pub fn fixed<T: Lockstep, const N: usize>(p: &[T]) -> [T; N] {
    std::array::from_fn(|k| p.get(k).copied().unwrap_or(T::of(f64::NAN)))
}
