//! Fixed implicit steps with laws as trials.
//!
//! One stage solves `M (v1 - v0) + h (c - Q)(q1, v1, laws as trials) + h C^T lambda = 0` with the loops bordered.
//! Implicit Euler is one stage; the method of order 2 has two, both with the same share `g` of the step
//! (Alexander, *SIAM J. Numer. Anal.* 14, 1977, the two-stage method with `g = 1 - 1/sqrt(2)`, which damps stiff parts
//! at once):
//!
//! ```text
//! stage 1: from x0 over g h                    -> v1 at t + g h
//! between: x0 moved on by (1 - g) h with v1    -> x2
//! stage 2: from x2 over g h                    -> the end of the step
//! ```
//!
//! Where Newton's method fails or would cross a falling branch, the step is cut into shorter ones.

use gelenk_system::{Effort, Nanos, System, Trial};

use crate::error::SolveError;
use crate::newton::{Newton, Solved};
use crate::options::Method;
use crate::simulate::{Run, Stepper};
use crate::summary::StepFacts;

/// How often a step may be halved.
const CUTS: u32 = 16;
/// Pieces that one step may have.
const PIECES: u32 = 4096;
/// Pieces between two looks whether the user wants to stop.
const PATIENCE: u32 = 16;
/// Share of the step that each of the two stages solves for: `1 - 1/sqrt(2)`.
const SHARE: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

/// What is done with one piece of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    /// Implicit Euler.
    Euler,
    /// Two implicit stages, order 2.
    TwoStages,
    /// Implicit Euler linearised at the committed velocity, never cut.
    Once,
}

/// The stepped method with its workspace.
pub(crate) struct Stepped<S: System> {
    step: Nanos,
    scheme: Scheme,
    newton: Newton<S>,
    /// Where the second stage begins.
    x2: Vec<f64>,
    x1: Vec<f64>,
    m1: Vec<f64>,
}

impl<S: System> Stepped<S> {
    pub(crate) fn new(system: &S, p: &[f64], method: Method, step: Nanos) -> Result<Self, SolveError> {
        if step == Nanos::ZERO {
            return Err(SolveError::Options("the step must be at least 1 ns".into()));
        }
        let scheme = match method {
            Method::Stepped2 { .. } => Scheme::TwoStages,
            Method::RealTime { .. } => Scheme::Once,
            _ => Scheme::Euler,
        };
        let layout = system.layout();
        let newton = Newton::new(system, p);
        let [x1, x2] = [vec![0.0; layout.nx()], vec![0.0; layout.nx()]];
        Ok(Self { step, scheme, newton, x2, x1, m1: vec![0.0; layout.nm] })
    }

    /// Tries one piece from the committed state; only a root commits.
    fn piece(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<Solved, SolveError> {
        let (system, nv) = (run.system, run.system.layout().nv);
        let effort = match self.scheme {
            Scheme::Euler => Effort::Mean,
            Scheme::TwoStages => Effort::End,
            Scheme::Once => Effort::Once,
        };
        let mut trial = Trial { t, h, x: &run.x, m: &run.m, effort };
        self.newton.begin(system, &trial);
        let solved = match self.scheme {
            Scheme::Euler => self.newton.solve(system, &mut run.data, &trial, &mut run.summary)?,
            Scheme::Once => self.newton.once(system, &trial, &mut run.summary)?,
            Scheme::TwoStages => {
                trial.h = SHARE * h;
                if self.newton.solve(system, &mut run.data, &trial, &mut run.summary)? == Solved::Cut {
                    return Ok(Solved::Cut);
                }
                let (v1, lambda) = self.newton.y.split_at(nv);
                system.carry_on(&mut run.data, &trial, v1, lambda, h - trial.h, &mut self.x2)?;
                // The second stage continues from the velocities of the first, not from where it is pulled back to.
                trial = Trial { t: t + (h - trial.h), x: &self.x2, ..trial };
                self.newton.solve(system, &mut run.data, &trial, &mut run.summary)?
            }
        };
        if solved == Solved::Cut {
            return Ok(Solved::Cut);
        }
        let (v1, lambda) = self.newton.y.split_at(nv);
        let drift = system.accept(&mut run.data, &trial, v1, lambda, &mut self.x1, &mut self.m1)?;
        run.summary.drift = run.summary.drift.max(drift);
        std::mem::swap(&mut run.x, &mut self.x1);
        std::mem::swap(&mut run.m, &mut self.m1);
        Ok(Solved::Root)
    }

    /// Goes from `t` to `t1`, in pieces where that is needed.
    fn take(&mut self, run: &mut Run<S>, t: f64, t1: f64) -> Result<(), SolveError> {
        let before = (run.summary.iterations, run.summary.rejected);
        // The position inside the step in units of 2^-CUTS, and the piece to try next.
        let whole = 1u64 << CUTS;
        let (mut done, mut piece, mut pieces) = (0u64, whole, 0u32);
        while done < whole {
            let at = |units: u64| t + (t1 - t) * (units as f64 / whole as f64);
            let (start, h) = (at(done), at(done + piece) - at(done));
            if self.piece(run, start, h)? == Solved::Root {
                run.summary.steps += 1;
                done += piece;
                run.t = at(done);
                pieces += 1;
                // Pieces stay aligned, so a doubled one fits only at a multiple of itself.
                if done < whole && done.is_multiple_of(2 * piece) {
                    piece *= 2;
                }
                if done < whole && pieces >= PIECES {
                    return Err(SolveError::Pieces { t: start, pieces, element: self.element(run) });
                }
                if pieces.is_multiple_of(PATIENCE) {
                    run.look_up(start)?;
                }
            } else {
                run.summary.rejected += 1;
                if piece == 1 || self.scheme == Scheme::Once {
                    return Err(SolveError::Newton { t: start, step: h, element: self.element(run) });
                }
                if piece == whole {
                    run.event(start, "step", "cut");
                }
                piece /= 2;
            }
        }
        run.summary.substeps += u64::from(pieces - 1);
        run.facts = StepFacts {
            step: t1 - t,
            order: if self.scheme == Scheme::TwoStages { 2 } else { 1 },
            iterations: run.summary.iterations - before.0,
            substeps: u64::from(pieces),
            rejected: run.summary.rejected - before.1,
        };
        Ok(())
    }

    /// The element whose balance is off most.
    fn element(&self, run: &Run<S>) -> String {
        run.system.balance_name(self.newton.worst()).into()
    }
}

impl<S: System> Stepper<S> for Stepped<S> {
    fn advance(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<(), SolveError> {
        let mut now = now;
        while now < stop {
            let grid = now.next_multiple(self.step).unwrap_or(stop);
            // Outputs are ends of steps: nothing is interpolated between implicit steps.
            let output = run.next_output(now).unwrap_or(stop);
            let next = grid.min(output).min(stop);
            self.take(run, now.seconds(), next.seconds())?;
            now = next;
            run.t = now.seconds();
            if now == output && now < stop && run.record_here(now)? {
                self.newton.forget();
            }
        }
        Ok(())
    }

    fn restart(&mut self) {
        self.newton.forget();
    }
}
