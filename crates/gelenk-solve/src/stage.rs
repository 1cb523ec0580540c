//! The implicit stages of a step, with the holds that fit.
//!
//! Friction that sticks and limits that something rests on are *holds*. In implicit Euler which of them are on is part of
//! the solution: it begins with the holds of the committed memory and changes those that do not fit what comes out,
//! until all do. The method of order 2 keeps to the holds that it begins with, since a change inside a step would cost the
//! order; whoever calls it ends the step where they cease to fit.

use gelenk_system::{Effort, Fault, Stepped, Trial};

use crate::newton::{Newton, Solved};
use crate::summary::Summary;

/// Share of the step that each of two stages solves for: `1 - 1/sqrt(2)`.
const SHARE: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

/// What is done with one piece of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Implicit Euler.
    Euler,
    /// Two implicit stages, order 2.
    TwoStages,
    /// Implicit Euler linearised at the committed velocity, never cut.
    Once,
}

/// A committed state from which a piece begins.
#[derive(Clone, Copy)]
pub(crate) struct From<'a> {
    pub(crate) t: f64,
    pub(crate) x: &'a [f64],
    pub(crate) m: &'a [f64],
}

/// The stages with their workspace.
pub(crate) struct Stages<S: Stepped> {
    pub(crate) scheme: Scheme,
    pub(crate) newton: Newton<S>,
    /// The memory with the modes of the holds that are tried.
    pub(crate) modes: Vec<f64>,
    /// Velocities at the end of the first stage.
    first: Vec<f64>,
    /// Where the second stage begins.
    x2: Vec<f64>,
    dv: Vec<f64>,
}

impl<S: Stepped> Stages<S> {
    pub(crate) fn new(system: &S, p: &[f64], scheme: Scheme) -> Self {
        let layout = system.layout();
        Self {
            scheme,
            newton: Newton::new(system, p),
            modes: vec![0.0; layout.nm],
            first: vec![0.0; layout.nv],
            x2: vec![0.0; layout.nx()],
            dv: vec![0.0; layout.nv],
        }
    }

    /// Solves all stages of a piece over `h`; commits nothing.
    pub(crate) fn attempt(
        &mut self,
        system: &S,
        data: &mut S::Data<f64>,
        from: From,
        h: f64,
        summary: &mut Summary,
    ) -> Result<Solved, Fault> {
        self.modes.copy_from_slice(from.m);
        let Self { scheme, newton, modes, first: v1, x2, .. } = self;
        let first = first(*scheme, from, h);
        newton.begin(system, &first);
        if *scheme != Scheme::TwoStages {
            return solve(*scheme, newton, modes, system, data, &first, summary);
        }
        if newton.solve(system, data, &first, summary)? == Solved::Cut {
            return Ok(Solved::Cut);
        }
        v1.copy_from_slice(newton.solution().v1);
        system.carry_on(data, &first, &newton.solution(), h - first.h, x2)?;
        // The second stage continues from the velocities of the first, not from where it is pulled back to.
        newton.solve(system, data, &last(*scheme, from, x2, h), summary)
    }

    /// Whether the solved stages over `h` follow the laws that remember the motion, with holds that can hold; one stage always
    /// does.
    pub(crate) fn resolves(&self, system: &S, data: &mut S::Data<f64>, from: From, h: f64) -> bool {
        if self.scheme != Scheme::TwoStages {
            return true;
        }
        if self.newton.overloaded(system, data, &last(self.scheme, from, &self.x2, h), &self.modes) {
            return false;
        }
        let (q, v) = (system.layout().q(), system.layout().v());
        let stages = [&from.x[v.clone()], &self.first, &self.x2[v], self.newton.solution().v1];
        system.resolves(data, from.t, &from.x[q], stages)
    }

    /// Share of the velocities at the end of a piece in those with which positions move, beside those at its beginning.
    pub(crate) fn share(&self) -> f64 {
        if self.scheme == Scheme::TwoStages { 0.5 } else { 1.0 }
    }

    /// Positions at the end of a solved piece.
    pub(crate) fn end(&mut self, system: &S, from: From, h: f64, q1: &mut [f64]) {
        let last = last(self.scheme, from, &self.x2, h);
        for (dv, v1) in self.dv.iter_mut().zip(self.newton.solution().v1) {
            *dv = last.h * v1;
        }
        system.retract(&last.x[system.layout().q()], &self.dv, q1);
    }

    /// Writes the state after a solved piece, and the memory; returns how far the step was off the constraints.
    pub(crate) fn commit(
        &mut self,
        system: &S,
        data: &mut S::Data<f64>,
        from: From,
        h: f64,
        x1: &mut [f64],
        m1: &mut [f64],
    ) -> Result<f64, Fault> {
        let trial = Trial { m: &self.modes, ..last(self.scheme, from, &self.x2, h) };
        system.accept(data, &trial, &self.newton.solution(), x1, m1)
    }
}

/// The first stage of a piece.
fn first(scheme: Scheme, from: From<'_>, h: f64) -> Trial<'_> {
    let (effort, h) = match scheme {
        Scheme::Euler => (Effort::Mean, h),
        Scheme::Once => (Effort::Once, h),
        Scheme::TwoStages => (Effort::End, SHARE * h),
    };
    Trial { t: from.t, h, x: from.x, m: from.m, effort }
}

/// The last stage of a piece, which is the first one of a simple step.
fn last<'a>(scheme: Scheme, from: From<'a>, x2: &'a [f64], h: f64) -> Trial<'a> {
    let trial = first(scheme, from, h);
    if scheme == Scheme::TwoStages { Trial { t: from.t + (h - trial.h), x: x2, ..trial } } else { trial }
}

/// Solves one stage with the holds that fit, from the modes that are there.
fn solve<S: Stepped>(
    scheme: Scheme,
    newton: &mut Newton<S>,
    modes: &mut [f64],
    system: &S,
    data: &mut S::Data<f64>,
    trial: &Trial,
    summary: &mut Summary,
) -> Result<Solved, Fault> {
    let holds = system.layout().nh;
    let rounds = if scheme == Scheme::Once { holds + 2 } else { 4 * holds + 8 };
    let mut solved = Solved::Cut;
    for round in 0..rounds {
        let tried = Trial { m: modes, ..*trial };
        solved = match scheme {
            Scheme::Once => newton.once(system, data, &tried, summary)?,
            _ => newton.solve(system, data, &tried, summary)?,
        };
        let changed = match solved {
            _ if holds == 0 => false,
            Solved::Cut => system.pass(data, trial, modes),
            Solved::Root => newton.fit(system, data, trial, modes),
        };
        if !changed {
            return Ok(solved);
        }
        if round + 1 < rounds {
            newton.begin(system, trial);
        }
    }
    // Without iteration there is nothing that could fail: the last look is as good as it gets.
    Ok(if scheme == Scheme::Once { solved } else { Solved::Cut })
}
