//! A state that moves in time.

use std::fmt;
use std::ops::Range;

use gelenk_math::Real;
use gelenk_signal::Course;

use crate::{Fault, ParameterTable};

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

/// A compiled, immutable system of equations that move in time.
///
/// All methods are pure in their arguments; `data` is a workspace that also holds the bound parameters.
/// Nothing allocates except [`System::data`], [`System::bind`], the impacts in [`Hybrid::switch`](crate::Hybrid::switch) and
/// [`Stepped::strike`](crate::Stepped::strike), the sharing of redundant reactions in [`System::outputs`], and the reporting
/// of a [`Fault`].
///
/// A plain ordinary differential equation has `nz` states and nothing else.
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
    fn accounts(&self) -> &[Account] {
        &[]
    }

    /// A workspace, with the model's own parameters bound.
    fn data<T: Real>(&self) -> Self::Data<T>;

    /// Binds a resolved parameter vector to a workspace.
    fn bind<T: Real>(&self, data: &mut Self::Data<T>, p: &[T]);

    /// Inputs: quantities that are given from outside, each with its unit. None by default.
    fn inputs(&self) -> &[Channel] {
        &[]
    }

    /// Binds input `index` to what it does over time, from the start of a run on. A held number is the value at the start;
    /// it lives in the memory, where [`Sampled::hold`](crate::Sampled::hold) changes it. A workspace is made with what the
    /// model says. An index beyond the inputs has no effect; callers check it.
    fn bind_input<T: Real>(&self, data: &mut Self::Data<T>, index: usize, course: &Course) {
        let _ = (data, index, course);
    }

    /// Checks what bounds of single parameters cannot: relations, and modes that a law lacks.
    fn check(&self, data: &Self::Data<f64>, stepped: bool) -> Result<(), Fault> {
        let _ = (data, stepped);
        Ok(())
    }

    /// The state that decays by itself with the shortest time constant, by name, and that time (s): an explicit step must not
    /// be much longer than twice it.
    fn quickest(&self, data: &Self::Data<f64>) -> Option<(&str, f64)> {
        let _ = data;
        None
    }

    /// Writes the initial state, with loops closed in position and velocity, and the memory.
    fn start(&self, data: &mut Self::Data<f64>, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault>;

    /// Continuous mode: `dx/dt` at `(t, x)` with memory `m`.
    fn rates<T: Real>(
        &self,
        data: &mut Self::Data<T>,
        t: T,
        x: &[T],
        m: &[f64],
        dx: &mut [T],
    ) -> Result<(), Fault>;

    /// Places in the memory of the numbers that inputs and sampled blocks hold, which may vary: first one for every input, then
    /// those of the blocks. The rest of the memory are modes. None by default.
    fn varying(&self) -> &[usize] {
        &[]
    }

    /// Lets held numbers vary: from now on number `k` of [`System::varying`] is its number in the memory plus `by[k]`, whose
    /// value is zero and which has derivatives. An empty list ends it.
    fn vary<T: Real>(&self, data: &mut Self::Data<T>, by: &[T]) {
        let _ = (data, by);
    }

    /// Typical magnitude of every state for error norms; zero keeps a state out of error control.
    fn scale(&self, data: &Self::Data<f64>, scale: &mut [f64]) {
        let _ = data;
        scale.fill(1.0);
        scale[self.layout().w()].fill(0.0);
    }

    /// Names what state `index` of the flat state belongs to: a coordinate, the element behind a law's state, an account;
    /// by default the channel of that number.
    fn state_name(&self, index: usize) -> &str {
        self.channels().get(index).map(|channel| channel.name.as_str()).unwrap_or_default()
    }

    /// Moves positions along a velocity: `q1 = retract(q, dv)`, where `dv` has length `nv`; by default `q + dv`.
    fn retract<T: Real>(&self, q: &[T], dv: &[T], q1: &mut [T]) {
        for (q1, (&q, &dv)) in q1.iter_mut().zip(q.iter().zip(dv)) {
            *q1 = q + dv;
        }
    }

    /// The displacement of length `nv` that [`System::retract`] takes from `q` to `q1`.
    fn difference(&self, q: &[f64], q1: &[f64], dv: &mut [f64]) {
        for (dv, (q, q1)) in dv.iter_mut().zip(q.iter().zip(q1)) {
            *dv = q1 - q;
        }
    }

    /// Writes one value for every channel; by default the first states. A system that writes others writes them in
    /// [`System::outputs_on`], too.
    fn outputs(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        y: &mut [f64],
    ) -> Result<(), Fault> {
        let _ = (data, t, m);
        y.copy_from_slice(&x[..y.len()]);
        Ok(())
    }

    /// Writes every channel on any scalar, so that it has derivatives by states, parameters and held numbers. A channel that
    /// has none is not a number. Where the constraints are singular it fails, other than [`System::outputs`].
    fn outputs_on<T: Real>(
        &self,
        data: &mut Self::Data<T>,
        t: T,
        x: &[T],
        m: &[f64],
        y: &mut [T],
    ) -> Result<(), Fault> {
        let _ = (data, t, m);
        y.copy_from_slice(&x[..y.len()]);
        Ok(())
    }

    /// Kinetic energy (J) as the return value, and the energy stored in every account; none by default.
    fn energies(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], m: &[f64], stored: &mut [f64]) -> f64 {
        let _ = (data, t, x, m);
        stored.fill(0.0);
        0.0
    }
}
