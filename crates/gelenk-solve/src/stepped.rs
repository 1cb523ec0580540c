//! Fixed implicit steps with laws as trials.
//!
//! One step solves `M (v1 - v0) + h (c - Q)(q1, v1, laws as trials) + h C^T lambda = 0` with the loops
//! bordered, then commits. Where Newton's method fails, the step is cut into shorter ones.

use gelenk_system::{Nanos, System, Trial};

use crate::error::SolveError;
use crate::newton::Newton;
use crate::simulate::{Run, Stepper};

/// How often a step may be halved.
const CUTS: u32 = 16;

/// The stepped method with its workspace.
pub(crate) struct Stepped<S: System> {
    step: Nanos,
    newton: Newton<S>,
    x1: Vec<f64>,
    m1: Vec<f64>,
}

impl<S: System> Stepped<S> {
    pub(crate) fn new(system: &S, p: &[f64], step: Nanos) -> Result<Self, SolveError> {
        if step == Nanos::ZERO {
            return Err(SolveError::Options("the step must be at least 1 ns".into()));
        }
        let layout = system.layout();
        let newton = Newton::new(system, p);
        Ok(Self { step, newton, x1: vec![0.0; layout.nx()], m1: vec![0.0; layout.nm] })
    }

    /// Goes from `t` to `t1`, in pieces where that is needed.
    fn take(&mut self, run: &mut Run<S>, t: f64, t1: f64) -> Result<(), SolveError> {
        // The position inside the step in units of 2^-CUTS, and the piece to try next.
        let whole = 1u64 << CUTS;
        let (mut done, mut piece) = (0u64, whole);
        while done < whole {
            let at = |units: u64| t + (t1 - t) * (units as f64 / whole as f64);
            let (start, h) = (at(done), at(done + piece) - at(done));
            let trial = Trial { t: start, h, x: &run.x, m: &run.m };
            if self.newton.solve(run.system, &mut run.data, &trial, &mut run.summary)? {
                let nv = run.system.layout().nv;
                let (v1, lambda) = self.newton.y.split_at(nv);
                let drift =
                    run.system.accept(&mut run.data, &trial, v1, lambda, &mut self.x1, &mut self.m1)?;
                run.summary.drift = run.summary.drift.max(drift);
                std::mem::swap(&mut run.x, &mut self.x1);
                std::mem::swap(&mut run.m, &mut self.m1);
                run.summary.steps += 1;
                done += piece;
                // Pieces stay aligned, so a doubled one fits only at a multiple of itself.
                if done < whole && done.is_multiple_of(2 * piece) {
                    piece *= 2;
                }
            } else {
                run.summary.rejected += 1;
                if piece == 1 {
                    return Err(SolveError::Newton { t: start, step: h });
                }
                if piece == whole {
                    run.event(start, "step", "cut");
                }
                piece /= 2;
            }
        }
        Ok(())
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
