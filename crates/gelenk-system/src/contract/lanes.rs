//! Several runs in lockstep.

use gelenk_math::Lockstep;

use crate::{Effort, Fault, Simulated};

/// The start of a step of several runs, from which trials are made; see [`Trial`](crate::Trial).
#[derive(Clone, Copy, Debug)]
pub struct LaneTrial<'a, P> {
    /// Time at the start of the step (s).
    pub t: f64,
    /// Step (s), greater than zero.
    pub h: f64,
    /// Committed states, the entries of all runs side by side.
    pub x: &'a [P],
    /// Committed memories.
    pub m: &'a [P],
    /// Which effort the laws give.
    pub effort: Effort,
}

/// A system of which several runs go in lockstep, each with parameters and a state of its own in a lane of the scalar: the same
/// instructions for all, choices instead of branches. Lanes do not see each other: what comes out of one is the same whatever
/// stands in the others. One in which something is not a number goes on as such, and leaves the others as they are.
///
/// The works of the energy ledger are not kept. Sampled blocks, outputs and starts are those of the single runs.
pub trait InLanes: Simulated {
    /// Workspace of a group of runs.
    type LaneData<T: Lockstep>: Send;

    /// What of the system does not run in lockstep, in a continuous or in the `stepped` mode, by its name.
    ///
    /// # Errors
    /// The element, and what to use instead.
    fn refuse_lanes(&self, stepped: bool) -> Result<(), Fault>;

    /// A workspace. Nothing else here allocates.
    fn lane_data<T: Lockstep>(&self) -> Self::LaneData<T>;

    /// Binds one resolved parameter vector a lane.
    fn bind_lanes<T: Lockstep>(&self, data: &mut Self::LaneData<T>, p: &[T]);

    /// Continuous mode: `dx/dt` at `(t, x)` with memory `m`; the works have none.
    ///
    /// # Errors
    /// What no run of any parameters could do.
    fn rates_lanes<T: Lockstep>(
        &self,
        data: &mut Self::LaneData<T>,
        t: f64,
        x: &[T],
        m: &[T::Plain],
        dx: &mut [T],
    ) -> Result<(), Fault>;

    /// Stepped mode: residual of the step at trial velocities `v1`, see [`Stepped::residual`](crate::Stepped::residual).
    ///
    /// # Errors
    /// What no run of any parameters could do.
    fn residual_lanes<T: Lockstep>(
        &self,
        data: &mut Self::LaneData<T>,
        trial: &LaneTrial<T::Plain>,
        v1: &[T],
        r: &mut [T],
    ) -> Result<(), Fault>;

    /// Stepped mode: writes the states after the step, and the memories that it commits.
    ///
    /// # Errors
    /// What no run of any parameters could do.
    fn accept_lanes<T: Lockstep<Plain = T, One = f64>>(
        &self,
        data: &mut Self::LaneData<T>,
        trial: &LaneTrial<T>,
        v1: &[T],
        x1: &mut [T],
        m1: &mut [T],
    ) -> Result<(), Fault>;
}
