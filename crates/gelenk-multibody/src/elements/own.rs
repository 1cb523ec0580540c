//! A program's own kinds of elements, beside those of the registry.
//!
//! They know numbers only; where derivatives are needed (implicit steps, linearisation, fits), they are taken by central
//! differences over what the element sees. Everything else is as for the kinds of the registry: paths of parameters, inputs,
//! outputs that formulas name, states, modes, and accounts in the ledger.

use std::fmt;
use std::ops::Deref;

use gelenk_laws::{Modes, Sticking};
use gelenk_math::lift::lift;
use gelenk_math::{Lockstep, Real};
use gelenk_record::Change;

use super::attachment::Attachment;
use super::contract::{Act, ElementSpec, Holding, Limits, Look, Step};
use super::lane::{Lane, Single};

/// A kind of element of a program's own, see [`Element`](super::Element) for the meaning of its functions.
///
/// ```
/// use gelenk_laws::{Kind, ParamSpec};
/// use gelenk_multibody::builder::{Builder, Ground, Mass};
/// use gelenk_multibody::elements::contract::{PlaceKind, WORK};
/// use gelenk_multibody::elements::{Act, ElementSpec, Own, OwnElement};
///
/// /// A fan: the drag grows with the square of the rate.
/// struct Fan;
///
/// const FAN: ElementSpec = ElementSpec {
///     name: "fan",
///     table: "fans",
///     title: "Drag by the square of the rate.",
///     equation: "F = -c v abs(v)",
///     source: "drag of turbulent flow",
///     place: PlaceKind::Scalar,
///     params: &[ParamSpec::positive("drag", "c", Kind::Ratio, "Drag.")],
///     inputs: &[],
///     outputs: &[],
///     accounts: WORK,
/// };
///
/// impl OwnElement for Fan {
///     fn spec(&self) -> &'static ElementSpec {
///         &FAN
///     }
///
///     fn act(&self, e: &mut Act<'_, f64>) {
///         let (v, c) = (e.look.v[0], e.look.p[0]);
///         e.push(0, 0, -c * v * v.abs());
///     }
/// }
///
/// let mut builder = Builder::new([0.0; 3]);
/// let rotor = builder.body("rotor", Mass::cylinder(1.0, 0.1, 0.02));
/// let phi = builder.joint("bearing", Ground, rotor).revolute([0.0, 0.0, 1.0], "phi");
/// builder.element("fan", Own::new(&Fan), phi, [("drag", 1e-3)]);
/// assert!(builder.build().is_ok());
/// ```
pub trait OwnElement: Send + Sync {
    /// What the kind says about itself.
    fn spec(&self) -> &'static ElementSpec;

    /// The key of joints and coordinates; model files do not know a program's own kinds.
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
    fn act(&self, e: &mut Act<'_, f64>);

    /// Energy (J) that the conservative accounts hold, by account; the others stay zero.
    fn stored(&self, look: &Look<'_, f64>, stored: &mut [f64]) {
        let _ = (look, stored);
    }

    /// States at the start; zero where nothing else is said.
    fn start(&self, look: &Look<'_, f64>, z: &mut [f64]) {
        let _ = (look, z);
    }

    /// States after a long time at what is seen now.
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

    /// Relations between parameters that have to hold.
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

    /// Whether its effort is a signal, too, that expressions name; its only input is that effort.
    fn is_signal(&self) -> bool {
        false
    }

    /// What pictures draw it as; `None` where its attachment says so.
    fn drawn(&self) -> Option<&'static str> {
        None
    }

    /// Whether it is friction.
    fn resists(&self) -> bool {
        false
    }

    /// Whether its effort grows with a normal force, see [`Look::load`].
    fn pressed(&self) -> bool {
        false
    }

    /// Its resistance in steady sliding at the rate `v`, of friction that does not hold what is at rest.
    fn steady(&self, p: &[f64], v: f64) -> Option<f64> {
        let _ = (p, v);
        None
    }

    /// Whether friction has a spring of the position in it.
    fn follows_position(&self) -> bool {
        false
    }

    /// How it can hold a coordinate that it acts on.
    fn holding(&self) -> Holding {
        Holding::Nothing
    }

    /// How friction holds what is at rest.
    fn sticking(&self, p: &[f64]) -> Option<Sticking<f64>> {
        let _ = p;
        None
    }

    /// The limits of a coordinate.
    fn limits(&self, p: &[f64]) -> Option<Limits> {
        let _ = p;
        None
    }
}

/// A program's own kind of element; it lives as long as the program.
#[derive(Clone, Copy)]
pub struct Own(&'static dyn OwnElement);

impl Own {
    /// The kind, ready for [`Builder::element`](crate::builder::Builder::element).
    #[allow(clippy::new_ret_no_self)]
    pub fn new(kind: &'static dyn OwnElement) -> super::Acting {
        super::Acting::Own(Self(kind))
    }

    /// The same of a kind that is made while the program runs. Its memory is never given back.
    pub fn boxed(kind: Box<dyn OwnElement>) -> super::Acting {
        Self::new(Box::leak(kind))
    }

    /// Lets it act on numbers, and carries derivatives by differences.
    pub(super) fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        let Look { x, v, p, size, u, z, m, load } = e.look;
        let load = &[load];
        let lengths = [x, v, p, u, z, load].map(<[T]>::len);
        let counts = [e.effort.len(), e.power.len(), e.z_out.len()];
        let (step, mut beyond) = (e.step, None);
        let answer = &mut [&mut *e.effort, &mut *e.power, &mut *e.z_out, &mut *e.outputs];
        lift(&[x, v, p, u, z, load], answer, &mut |seen, out| {
            out.fill(0.0);
            let [x, v, p, u, z, load] = pieces(seen, lengths);
            let (effort, rest) = out.split_at_mut(counts[0]);
            let (power, rest) = rest.split_at_mut(counts[1]);
            let (z_out, outputs) = rest.split_at_mut(counts[2]);
            if let Step::Trial { .. } = step {
                // A state that is not written does not change, as with a rate of zero.
                z_out.copy_from_slice(z);
            }
            let look = Look { x, v, p, size, u, z, m, load: load[0] };
            let mut own = Act { look, step, effort, power, z_out, outputs, spare: &mut [], beyond };
            self.0.act(&mut own);
            beyond = own.beyond;
        });
        e.beyond = beyond;
    }

    /// The same of several runs in lockstep, lane by lane.
    pub(super) fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        T::run(Lane::new(&Numbers(*self), e));
    }

    /// What of the kind does not fit together, so that it cannot act on an attachment.
    ///
    /// # Errors
    /// The reason.
    pub(crate) fn check(&self, on: &Attachment, size: usize) -> Result<(), String> {
        let spec = self.0.spec();
        let refuse = |reason: &str| Err(format!("a {} {reason}", spec.name));
        if spec.accounts.is_empty() {
            return refuse("needs at least one account, for example `accounts: WORK`");
        }
        if let Attachment::Bodies(_) = on {
            return refuse("cannot be a contact; use the contacts of the registry");
        }
        let (what, memory) = match self.0.holding() {
            Holding::Nothing => return Ok(()),
            Holding::Sticking => ("friction that sticks", 1),
            Holding::Limits => ("a limit of a coordinate", 2),
        };
        // The mechanism finds what is held: it keeps that in the memory, and asks by the rate alone.
        let counts = [self.0.memory(size), self.0.switches(size), self.0.states(size), spec.inputs.len()];
        if counts != [memory, 2, 0, 0] || !matches!(on, Attachment::Coordinate(_)) {
            return refuse(&format!(
                "is {what}: it acts on a coordinate and has a memory of {memory}, 2 switching functions, no states and no inputs"
            ));
        }
        Ok(())
    }

    /// Relations between parameters, and what a kind that holds says of them.
    pub(super) fn validate(&self, p: &[f64], size: usize) -> Result<(), String> {
        let missing = match self.0.holding() {
            Holding::Sticking if self.0.sticking(p).is_none() => "sticking",
            Holding::Limits if self.0.limits(p).is_none() => "limits",
            _ => return self.0.validate(p, size),
        };
        Err(format!("its function `{missing}` returns None although `holding` declares a hold"))
    }

    pub(super) fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let Look { x, v, p, size, u, z, m, load } = *look;
        let load = &[load];
        let lengths = [x, v, p, u, z, load].map(<[T]>::len);
        lift(&[x, v, p, u, z, load], &mut [stored], &mut |seen, out| {
            out.fill(0.0);
            let [x, v, p, u, z, load] = pieces(seen, lengths);
            self.0.stored(&Look { x, v, p, size, u, z, m, load: load[0] }, out);
        });
    }

    pub(super) fn sticking<T: Real>(&self, p: &[T]) -> Option<Sticking<T>> {
        if self.0.holding() != Holding::Sticking {
            return None;
        }
        let mut found = [T::c(0.0); 2];
        lift(&[p], &mut [&mut found], &mut |p, found| {
            let law = self.0.sticking(p);
            (found[0], found[1]) = law.map_or((0.0, 0.0), |law| (law.breakaway, law.band));
        });
        Some(Sticking { breakaway: found[0], band: found[1] })
    }
}

/// A program's own kind, as what acts on one lane.
struct Numbers(Own);

impl Single for Numbers {
    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        self.0.act(e);
    }
}

impl Deref for Own {
    type Target = dyn OwnElement;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

/// Cuts a list into pieces of these lengths.
fn pieces<T, const N: usize>(mut list: &[T], lengths: [usize; N]) -> [&[T]; N] {
    lengths.map(|length| {
        let (piece, rest) = list.split_at(length);
        list = rest;
        piece
    })
}

impl PartialEq for Own {
    /// Whether both are the same kind: that of one place in the program.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0.spec(), other.0.spec()) && std::ptr::addr_eq(self.0, other.0)
    }
}

impl Eq for Own {}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Own({})", self.0.spec().name)
    }
}
