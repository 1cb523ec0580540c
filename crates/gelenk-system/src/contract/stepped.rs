//! Implicit steps with laws as trials, and holds.

use gelenk_math::Real;
use gelenk_record::Change;

use crate::{Constrained, Fault, Hybrid};

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

/// What a system without this ability answers.
fn no_stepped_form() -> Fault {
    let reason = "it has no stepped form; use a continuous solver".into();
    Fault::Refused { element: "the system".into(), reason }
}

/// A system with a stepped form: the residual of an implicit step, laws advanced as trials, and holds, efforts that keep
/// velocities at zero. By default it has none.
pub trait Stepped: Constrained + Hybrid {
    /// Writes for every velocity what counts as one, so that a machine of any size is solved alike: 1 rad/s for those of angles,
    /// and for those of lengths what that gives at the radius of gyration.
    fn velocity_units(&self, data: &mut Self::Data<f64>, units: &mut [f64]) {
        let _ = data;
        units.fill(1.0);
    }

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
    ) -> Result<(), Fault> {
        let _ = (data, trial, v1, lambda, r);
        Err(no_stepped_form())
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
    ) -> Result<f64, Fault> {
        let _ = (data, trial, step, x1, m1);
        Err(no_stepped_form())
    }

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
    ) -> Result<(), Fault> {
        let _ = (data, trial, step, h, x);
        Err(no_stepped_form())
    }

    /// Stepped mode: whether a step of two stages follows the laws that remember the motion. It does not where the
    /// velocity along one of them turns over while its acceleration changes by more than a quarter: an oscillation shorter
    /// than a few steps. Its velocities at `q` are those at the beginning, at the end of the first stage, where the second
    /// begins, and at the end.
    fn resolves(&self, _data: &mut Self::Data<f64>, _t: f64, _q: &[f64], _v: [&[f64]; 4]) -> bool {
        true
    }

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

    /// Stepped mode: distance of hold `index` from its limit (m, rad) and its rate; `None` for a hold without a limit.
    fn gap(&self, data: &Self::Data<f64>, index: usize, q: &[f64], v: &[f64]) -> Option<[f64; 2]> {
        let _ = (data, index, q, v);
        None
    }

    /// Stepped mode: the impact of everything that touches a limit at `x`, that of hold `index` in any case. A `plastic`
    /// one has no rebound. Returns the element and what happened, where something did.
    fn strike(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        (index, plastic): (usize, bool),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<(&str, Change)>, Fault> {
        let _ = (data, t, index, plastic, x, m);
        Ok(None)
    }

    /// Whether a law of friction that is not a hold acts on velocity `index`, so that it may come to rest.
    fn has_friction(&self, index: usize) -> bool {
        let _ = index;
        false
    }

    /// Effort with which the laws of [`Stepped::has_friction`] resist a steady velocity `v` of that index.
    fn resistance(&self, _data: &Self::Data<f64>, _index: usize, _v: f64) -> f64 {
        f64::INFINITY
    }

    /// What to name where the balance of velocity `index` cannot be met: the law that acts on it, else the coordinate.
    fn balance_name(&self, index: usize) -> &str {
        self.state_name(self.layout().v().start + index)
    }
}
