//! The trait between mechanics and numerics.

use std::fmt;
use std::ops::Range;

use gelenk_math::Real;

use crate::{Fault, Nanos, ParameterTable};

/// Sizes of a system's flat vectors.
///
/// The state is `x = [q, v, z, w]`: positions, velocities, states of laws, and the work of every account
/// of the energy ledger (a quadrature outside error control).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Positions; a free joint has seven.
    pub nq: usize,
    /// Velocities; a free joint has six.
    pub nv: usize,
    /// Continuous states of laws.
    pub nz: usize,
    /// Accounts of the energy ledger.
    pub nw: usize,
    /// Discrete memory: flags, turning points, held samples.
    pub nm: usize,
    /// Constraint equations, redundant ones included.
    pub nc: usize,
    /// Switching functions.
    pub ng: usize,
    /// Holds: efforts that keep a velocity at zero while the memory says so, such as friction that sticks.
    pub nh: usize,
}

impl Layout {
    /// Length of the state.
    pub fn nx(&self) -> usize {
        self.nq + self.nv + self.nz + self.nw
    }

    /// Where the positions stand in the state.
    pub fn q(&self) -> Range<usize> {
        0..self.nq
    }

    /// Where the velocities stand.
    pub fn v(&self) -> Range<usize> {
        self.nq..self.nq + self.nv
    }

    /// Where the states of laws stand.
    pub fn z(&self) -> Range<usize> {
        let start = self.nq + self.nv;
        start..start + self.nz
    }

    /// Where the works stand.
    pub fn w(&self) -> Range<usize> {
        let start = self.nq + self.nv + self.nz;
        start..start + self.nw
    }
}

/// A recorded quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Dotted name, such as `phi.rate`.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Meaning in a few words.
    pub meaning: String,
}

/// One account of the energy ledger: who does work on the mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The element, such as `gravity` or `joints.knee.friction`.
    pub name: String,
    /// Whether the work should equal the loss of stored energy, so that a difference is a finding.
    pub conservative: bool,
}

/// Which effort of a law a trial takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// That of the stepped form: rates inside the law are means over the step. The most robust one.
    #[default]
    Mean,
    /// That of the continuous form at the state after the step, as methods of higher order need it.
    End,
    /// That of the stepped form, without its slope where it falls, for steps without iteration.
    Once,
}

/// The start of a step in the stepped mode, from which trials are made.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// Time at the start of the step (s).
    pub t: f64,
    /// Step (s), greater than zero.
    pub h: f64,
    /// Committed state.
    pub x: &'a [f64],
    /// Committed memory; in a trial with the modes of the holds that are tried.
    pub m: &'a [f64],
    /// Which effort the laws give.
    pub effort: Effort,
}

/// What a hold can do in a step of the stepped mode: the velocity that it can keep at zero, and the range of the effort
/// (N, N m) with which it does so; that is the whole effort of one that is on, and what would come on top of the effort
/// of sliding for one that is off. At the lower end of the range it gives way forward, at the upper end backward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Index of the velocity.
    pub velocity: usize,
    /// Lowest and highest effort.
    pub range: [f64; 2],
}

/// What becomes of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It holds.
    Held,
    /// It gives way to a positive velocity.
    Forward,
    /// It gives way to a negative velocity.
    Backward,
}

/// What solves a step of the stepped mode.
#[derive(Clone, Copy, Debug)]
pub struct Solution<'a> {
    /// Velocities after the step.
    pub v1: &'a [f64],
    /// Multipliers of the constraints.
    pub lambda: &'a [f64],
    /// Effort of every hold on its velocity (N, N m); zero where it is off.
    pub efforts: &'a [f64],
}

/// How long a fixed step may be so that no contact is stepped over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach<'a> {
    /// From where the bodies are (s); infinite where it is no bound.
    pub longest: f64,
    /// With these velocities wherever they are (s).
    pub always: f64,
    /// Name of the element that bounds it.
    pub element: &'a str,
}

impl Reach<'_> {
    /// No bound.
    pub const FREE: Self = Self { longest: f64::INFINITY, always: f64::INFINITY, element: "" };
}

/// A compiled, immutable system of equations that move in time.
///
/// All methods are pure in their arguments; `data` is a workspace that also holds the bound parameters.
/// Nothing allocates except [`System::data`], [`System::bind`], the impacts in [`System::switch`] and [`System::strike`], the
/// sharing of redundant reactions in [`System::outputs`], and the reporting of a [`Fault`].
pub trait System: Send + Sync {
    /// Workspace of one thread.
    type Data<T: Real>: Send;

    /// Sizes.
    fn layout(&self) -> Layout;

    /// The parameters with the values of the model.
    fn parameters(&self) -> &ParameterTable;

    /// Writes everything that the system is made of: connections, expressions, tables, meshes, options. A run goes on
    /// from a saved state only with a system that writes the same text. What is not written here can be changed behind
    /// the back of a run, so a description is made from the whole (`Debug`), not from a list of fields.
    fn describe(&self, into: &mut dyn fmt::Write) -> fmt::Result;

    /// Names of the recorded quantities.
    fn channels(&self) -> &[Channel];

    /// The energy ledger, one account for every `w`.
    fn accounts(&self) -> &[Account];

    /// A workspace, with the model's own parameters bound.
    fn data<T: Real>(&self) -> Self::Data<T>;

    /// Binds a resolved parameter vector to a workspace.
    fn bind<T: Real>(&self, data: &mut Self::Data<T>, p: &[T]);

    /// Checks what bounds of single parameters cannot: relations, and modes that a law lacks.
    fn check(&self, data: &Self::Data<f64>, stepped: bool) -> Result<(), Fault>;

    /// Writes the initial state, with loops closed in position and velocity, and the memory.
    fn start(&self, data: &mut Self::Data<f64>, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault>;

    /// Settles the memory of laws and contacts on a state, as at the start of a run; held samples stay.
    fn settle(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], m: &mut [f64]);

    /// Settles a state at rest for a study of such states: memory as by [`System::settle`], loads on laws as they are there, but
    /// friction that could hold has no effort, since what it holds is one of many states.
    fn rest(&self, data: &mut Self::Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        self.settle(data, t, x, m);
        Ok(())
    }

    /// A sampled controller, by its name, where there is one.
    fn controller(&self) -> Option<&str> {
        None
    }

    /// Continuous mode: `dx/dt` at `(t, x)` with memory `m`.
    fn rates<T: Real>(
        &self,
        data: &mut Self::Data<T>,
        t: T,
        x: &[T],
        m: &[f64],
        dx: &mut [T],
    ) -> Result<(), Fault>;

    /// [`System::rates`] as a run integrates them: continued along the motion where they cannot be evaluated, at singular
    /// positions of loops.
    fn continued_rates(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        dx: &mut [f64],
    ) -> Result<(), Fault> {
        self.rates(data, t, x, m, dx)
    }

    /// The loop that has passed a singular position in the step that led to memory `m`, and when (s).
    fn passed(&self, m: &[f64]) -> Option<(&str, f64)> {
        let _ = m;
        None
    }

    /// Puts an accepted `x` back on the constraints (quaternion norms, loops in position and velocity) and returns
    /// how far it was off. May note in `m` how the constraints are best solved from there.
    fn project(&self, data: &mut Self::Data<f64>, t: f64, x: &mut [f64], m: &mut [f64])
    -> Result<f64, Fault>;

    /// Writes the constraint matrix `C_q` at `(t, q)`, row by row, `nc x nv`.
    fn constraint_rows(&self, data: &mut Self::Data<f64>, t: f64, q: &[f64], rows: &mut [f64]);

    /// Whether [`System::project`] can change a state at all.
    fn needs_projection(&self) -> bool;

    /// Typical magnitude of every state for error norms; zero keeps a state out of error control.
    fn scale(&self, data: &Self::Data<f64>, scale: &mut [f64]);

    /// How long a step with error control from this state may be (s), so that bodies that come near do not pass through
    /// each other inside it. What allows the `wanted` step (s) need not be told exactly: infinite is the default.
    fn horizon(&self, _data: &mut Self::Data<f64>, _t: f64, _x: &[f64], _wanted: f64) -> f64 {
        f64::INFINITY
    }

    /// The same for a step whose error nobody looks at. Bodies that touch do not pass through each other inside it either.
    fn reach(&self, _data: &mut Self::Data<f64>, _t: f64, _x: &[f64], _wanted: f64) -> Reach<'_> {
        Reach::FREE
    }

    /// The end of an explicit step from `t` that wants to reach `t1` (s), so that what is known ahead of the inputs is smooth
    /// inside it: at most `t1`. A step may end just before a jump; the next one then passes it.
    ///
    /// With error control a `tolerance` is given: what deviates from smooth by less than this share of its range need not
    /// end the step, but the step is bounded so that its stages see every motion of an input.
    fn smooth_until(
        &self,
        _data: &mut Self::Data<f64>,
        _m: &[f64],
        (_t, t1): (f64, f64),
        _tolerance: Option<f64>,
    ) -> f64 {
        t1
    }

    /// Switching functions: the present mode is valid while each is `>= 0`.
    fn switching(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], m: &[f64], g: &mut [f64]);

    /// Changes the mode of switching function `index` at time `t`, the first one where several have run out; returns what happened. Velocities may jump, their
    /// work goes to the accounts in `x`.
    fn switch(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        index: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<&'static str, Fault>;

    /// The element behind switching function `index`.
    fn switch_name(&self, index: usize) -> &str;

    /// A joint whose coordinates are singular at a state, by its name: the rates of its coordinates grow without bound
    /// there. Asked where steps become short, so that the reason can be told.
    fn singular(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64]) -> Option<&str> {
        let _ = (data, t, x);
        None
    }

    /// What ends the run with memory `m`, by its name; `None` while nothing does.
    fn ended(&self, m: &[f64]) -> Option<&str> {
        let _ = m;
        None
    }

    /// The first sample after `now`; integration steps end there.
    fn next_sample(&self, now: Nanos) -> Option<Nanos>;

    /// Runs what is due at `now`: sense, then control, into the memory (zero-order hold).
    fn sample(&self, data: &mut Self::Data<f64>, now: Nanos, x: &[f64], m: &mut [f64]) -> Result<(), Fault>;

    /// Stepped mode: residual of the step at trial velocities `v1` and multipliers `lambda`:
    ///
    /// ```text
    /// M(q1) (v1 - v0) + h (c - Q)(q1, v1, laws as trials) + h C^T lambda
    /// C_q(q1) v1 + C_t
    /// ```
    ///
    /// with `q1 = retract(q0, h v1)`; `r` has length `nv + nc`.
    fn residual<T: Real>(
        &self,
        data: &mut Self::Data<T>,
        trial: &Trial,
        v1: &[T],
        lambda: &[T],
        r: &mut [T],
    ) -> Result<(), Fault>;

    /// Stepped mode: the velocity that hold `index` keeps at zero with memory `m`; `None` while it does not.
    fn held(&self, m: &[f64], index: usize) -> Option<usize> {
        let _ = (m, index);
        None
    }

    /// Stepped mode: what hold `index` can do at a solved step whose holds were those of `modes`; `None` for one that is off
    /// and fits the step, such as friction that slides on. `trial` has the committed memory.
    fn grip(
        &self,
        data: &Self::Data<f64>,
        trial: &Trial,
        step: &Solution,
        modes: &[f64],
        index: usize,
    ) -> Option<Grip> {
        let _ = (data, trial, step, modes, index);
        None
    }

    /// Stepped mode: writes into `modes` what becomes of hold `index`.
    fn turn(&self, data: &Self::Data<f64>, modes: &mut [f64], index: usize, way: Way) {
        let _ = (data, modes, index, way);
    }

    /// Stepped mode: a step has no solution with these modes: what was sliding and is tried as held slides the other way, and
    /// what stands at a dead point slides. There no effort can hold it. Returns whether something was changed.
    fn pass(&self, data: &mut Self::Data<f64>, trial: &Trial, modes: &mut [f64]) -> bool {
        let _ = (data, trial, modes);
        false
    }

    /// Whether switching function `index` belongs to a hold. These are located in implicit steps of order 2, too.
    fn switches_hold(&self, index: usize) -> bool {
        let _ = index;
        false
    }

    /// Stepped mode: distance of hold `index` from its limit (m, rad) and its rate; `None` for a hold without a limit.
    fn gap(&self, data: &Self::Data<f64>, index: usize, q: &[f64], v: &[f64]) -> Option<[f64; 2]> {
        let _ = (data, index, q, v);
        None
    }

    /// Stepped mode: the impact of everything that touches a limit at `x`, that of hold `index` in any case. A `plastic`
    /// one has no rebound. Returns the element and what happened.
    fn strike(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        (index, plastic): (usize, bool),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<(&str, &'static str), Fault> {
        let _ = (data, t, index, plastic, x, m);
        Ok(("", ""))
    }

    /// How many modes the memory has of which a change is told beside that of [`System::switch`]: holds, and what else is
    /// turned at the ends of steps.
    fn modes(&self) -> usize {
        0
    }

    /// The element behind mode `index`, and what has become of it from one memory to another, where that is
    /// to be told.
    fn change(&self, index: usize, before: &[f64], after: &[f64]) -> Option<(&str, &'static str)> {
        let _ = (index, before, after);
        None
    }

    /// Stepped mode: writes the state after the accepted step, projected onto the constraints, and commits the memory.
    /// Returns how far the step was off the constraints.
    fn accept(
        &self,
        data: &mut Self::Data<f64>,
        trial: &Trial,
        step: &Solution,
        x1: &mut [f64],
        m1: &mut [f64],
    ) -> Result<f64, Fault>;

    /// Stepped mode: the state from which the next stage of a step begins, `h` after the committed one: positions and
    /// laws move on at the velocities of the solved stage, velocities by its accelerations, works by its powers.
    /// Nothing is committed or projected.
    fn carry_on(
        &self,
        data: &mut Self::Data<f64>,
        trial: &Trial,
        step: &Solution,
        h: f64,
        x: &mut [f64],
    ) -> Result<(), Fault>;

    /// Stepped mode: whether a step of two stages follows the laws that remember the motion. It does not where the
    /// velocity along one of them turns over while its acceleration changes by more than a quarter: an oscillation shorter
    /// than a few steps. Its velocities at `q` are those at the beginning, at the end of the first stage, where the second
    /// begins, and at the end.
    fn resolves(&self, _data: &mut Self::Data<f64>, _t: f64, _q: &[f64], _v: [&[f64]; 4]) -> bool {
        true
    }

    /// Whether a law of friction that is no hold acts on velocity `index`, so that it may come to rest.
    fn rubs(&self, index: usize) -> bool;

    /// Effort with which the laws of [`System::rubs`] resist a steady velocity `v` of that index.
    fn resistance(&self, _data: &Self::Data<f64>, _index: usize, _v: f64) -> f64 {
        f64::INFINITY
    }

    /// What to name where the balance of velocity `index` cannot be met: the law that acts on it, else the coordinate.
    fn balance_name(&self, index: usize) -> &str;

    /// Names what state `index` of the flat state belongs to: a coordinate, the element behind a law's state, an account.
    fn state_name(&self, index: usize) -> &str;

    /// Moves positions along a velocity: `q1 = retract(q, dv)`, where `dv` has length `nv`.
    fn retract<T: Real>(&self, q: &[T], dv: &[T], q1: &mut [T]);

    /// The displacement of length `nv` that [`System::retract`] takes from `q` to `q1`.
    fn difference(&self, q: &[f64], q1: &[f64], dv: &mut [f64]);

    /// Writes one value for every channel.
    fn outputs(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        y: &mut [f64],
    ) -> Result<(), Fault>;

    /// Kinetic energy (J) as the return value, and the energy stored in every account.
    fn energies(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], m: &[f64], stored: &mut [f64]) -> f64;
}
