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
//! A limit that the motion reaches ends a piece of the step too: there the velocities jump. In steps of order 2 a piece also
//! ends where friction begins or ceases to stick, found on the switching functions at the ends of trial steps; where they
//! follow each other without end, the rest of the step is one of implicit Euler. So is a piece whose two stages do not
//! follow the reversal of a law with memory, since they have cycles of their own there, in which the law creeps, and one at a
//! dead point that friction seems to hold.

use gelenk_record::Change;
use gelenk_system::{Course, Nanos, Simulated};

use crate::bracket;
use crate::error::SolveError;
use crate::landing::{Landing, Search};
use crate::newton::Solved;
use crate::options::Method;
use crate::run::{Run, Stepper};
use crate::stage::{From, Scheme, Stages};
use crate::summary::StepFacts;
use crate::sweep;

/// How often a step may be halved.
const CUTS: u32 = 16;
/// Parts of a step in which its progress is counted: a power of two, far finer than the shortest piece.
const WHOLE: u64 = 1 << 50;
/// Pieces that one step may have.
const PIECES: u32 = 4096;
/// Pieces between two looks whether the user wants to stop.
const PATIENCE: u32 = 16;
/// Pieces after a cut, one after the other, that have to succeed before a longer one is tried.
const CALM: u32 = 6;
/// Rebounds from one limit within a step; an impact after them has none.
const REBOUNDS: u32 = 8;
/// Changes of holds within a step of order 2, beyond two for each of them, after which the rest is implicit Euler.
const CHANGES: usize = 8;
/// Share of a piece to which such a change is located.
const WIDTH: f64 = 1e-11;

/// How far a piece of a step came.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    /// To its end.
    Whole,
    /// To an impact, after the given span (s).
    Part(f64),
    /// Nowhere: no solution, or a contact passed.
    Cut,
    /// Nowhere: two stages do not follow a reversal.
    Blurred,
}

/// The stepped method with its workspace.
pub(crate) struct Stepped<S: Simulated> {
    step: Nanos,
    stages: Stages<S>,
    x1: Vec<f64>,
    /// The state with the velocities on the way, for the look whether a contact was stepped over.
    way: Vec<f64>,
    m1: Vec<f64>,
    q1: Vec<f64>,
    search: Search,
    /// Rebounds from the limit of every hold within the step.
    rebounds: Vec<u32>,
    /// Changes of holds within the step.
    changes: usize,
    /// Switching functions at the end of a trial, and how far it was off the constraints.
    g: Vec<f64>,
    drift: f64,
    scheme: Scheme,
    pace: Pace,
}

/// How long pieces are at the moment. It outlives a step: what made the last one hard is mostly still there.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Length of a piece, in parts of a step.
    piece: u64,
    /// Pieces since the last cut.
    calm: u32,
}

impl Pace {
    const FREE: Self = Self { piece: WHOLE, calm: CALM };

    fn cut(&mut self) {
        *self = Self { piece: self.piece / 2, calm: 0 };
    }

    /// After a piece that ended at `done`: a doubled one fits only at a multiple of itself.
    fn went_well(&mut self, done: u64) {
        self.calm += 1;
        if self.calm >= CALM && self.piece < WHOLE && done.is_multiple_of(2 * self.piece) {
            self.piece *= 2;
        }
    }
}

impl<S: Simulated> Stepped<S> {
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
        Ok(Self {
            step,
            stages: Stages::new(system, p, scheme),
            x1: vec![0.0; layout.nx()],
            way: vec![0.0; layout.nx()],
            m1: vec![0.0; layout.nm],
            q1: vec![0.0; layout.nq],
            search: Search::new(layout.nh),
            rebounds: vec![0; layout.nh],
            changes: 0,
            g: vec![0.0; layout.ng],
            drift: 0.0,
            scheme,
            pace: Pace::FREE,
        })
    }

    /// Tries one piece from the committed state; only a root commits.
    fn piece(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<Piece, SolveError> {
        if self.stages.scheme == Scheme::TwoStages && !self.rebounds.is_empty() {
            return self.piece_of_order_2(run, t, h);
        }
        let system = run.system;
        let from = From { t, x: &run.x, m: &run.m };
        if self.stages.attempt(system, &mut run.data, from, h, &mut run.summary)? == Solved::Cut {
            return Ok(Piece::Cut);
        }
        if !self.stages.resolves(system, &mut run.data, from, h) {
            return Ok(Piece::Blurred);
        }
        let (mut span, mut limit) = (h, None);
        if !self.rebounds.is_empty() {
            let layout = system.layout();
            self.search.begin(system, &run.data, &run.x[layout.q()], &run.x[layout.v()]);
            loop {
                self.stages.end(system, from, span, &mut self.q1);
                let end =
                    (self.q1.as_slice(), self.stages.newton.solution().v1, self.stages.modes.as_slice());
                match self.search.look(system, &run.data, end, span) {
                    Landing::Free => break,
                    Landing::Here(at, hold) => {
                        (span, limit) = (at, Some(hold));
                        break;
                    }
                    Landing::Try(at) => span = at,
                }
                if self.stages.attempt(system, &mut run.data, from, span, &mut run.summary)? == Solved::Cut {
                    return Ok(Piece::Cut);
                }
            }
        }
        let (v1, share) = (self.stages.newton.solution().v1, self.stages.share());
        if !sweep::after(run, (t, span), v1, share, &mut self.way) {
            return Ok(Piece::Cut);
        }
        let from = From { t, x: &run.x, m: &run.m };
        if span > 0.0 {
            let drift = self.stages.commit(system, &mut run.data, from, span, &mut self.x1, &mut self.m1)?;
            run.summary.drift = run.summary.drift.max(drift);
            std::mem::swap(&mut run.x, &mut self.x1);
            std::mem::swap(&mut run.m, &mut self.m1);
            run.report_passed();
            for mode in 0..system.modes() {
                if let Some((element, what)) = system.change(mode, &self.m1, &run.m) {
                    run.event(t + span, element, what);
                }
            }
        }
        let Some(hold) = limit else { return Ok(Piece::Whole) };
        self.rebounds[hold] += 1;
        let plastic = self.rebounds[hold] > REBOUNDS;
        run.strike(t + span, (hold, plastic))?;
        Ok(Piece::Part(span))
    }

    /// The same for steps of order 2 with holds: a piece ends where one of them changes.
    fn piece_of_order_2(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<Piece, SolveError> {
        // Loads that jump, and samples that were taken since.
        let system = run.system;
        system.switching(&mut run.data, t, &run.x, &run.m, &mut self.g);
        while let Some((index, _)) = self.first(system).filter(|&(_, g)| g < 0.0) {
            if self.changed() {
                return Ok(Piece::Part(0.0));
            }
            run.switch(t, index)?;
            system.switching(&mut run.data, t, &run.x, &run.m, &mut self.g);
        }
        let at_start = self.first(system).map_or(0.0, |(_, g)| g.max(0.0));
        let Some(at_end) = self.trial(run, t, h)? else { return Ok(Piece::Cut) };
        let mut span = h;
        if at_end < 0.0 {
            let mut failed = None;
            let share = bracket::narrow((0.0, at_start), (1.0, at_end), WIDTH, |share| {
                if failed.is_some() {
                    return -1.0;
                }
                match self.trial(run, t, share * h) {
                    Ok(Some(g)) => g,
                    other => {
                        failed = Some(other);
                        -1.0
                    }
                }
            });
            match failed {
                Some(Err(error)) => return Err(error),
                Some(_) => return Ok(Piece::Cut),
                None => span = share * h,
            }
            // The last trial need not be that at the end of the bracket.
            if self.trial(run, t, span)?.is_none() {
                return Ok(Piece::Cut);
            }
        }
        if !self.stages.resolves(system, &mut run.data, From { t, x: &run.x, m: &run.m }, span) {
            return Ok(Piece::Blurred);
        }
        let v1 = &self.x1[system.layout().v()];
        if !sweep::after(run, (t, span), v1, self.stages.share(), &mut self.way) {
            return Ok(Piece::Cut);
        }
        run.summary.drift = run.summary.drift.max(self.drift);
        std::mem::swap(&mut run.x, &mut self.x1);
        std::mem::swap(&mut run.m, &mut self.m1);
        for mode in 0..system.modes() {
            if let Some((element, what)) = system.change(mode, &self.m1, &run.m) {
                run.event(t + span, element, what);
            }
        }
        if at_end >= 0.0 {
            return Ok(Piece::Whole);
        }
        if let Some((index, _)) = self.first(system).filter(|&(_, g)| g < 0.0)
            && !self.changed()
        {
            run.switch(t + span, index)?;
        }
        Ok(Piece::Part(span))
    }

    /// Takes a trial step into `x1` and `m1`, with the switching functions at its end in `g`; returns the least one of the
    /// holds. `None` where it has no solution.
    fn trial(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<Option<f64>, SolveError> {
        let system = run.system;
        let from = From { t, x: &run.x, m: &run.m };
        if self.stages.attempt(system, &mut run.data, from, h, &mut run.summary)? == Solved::Cut {
            return Ok(None);
        }
        self.drift = self.stages.commit(system, &mut run.data, from, h, &mut self.x1, &mut self.m1)?;
        system.switching(&mut run.data, t + h, &self.x1, &self.m1, &mut self.g);
        Ok(Some(self.first(system).map_or(0.0, |(_, g)| g)))
    }

    /// The least switching function of the holds.
    fn first(&self, system: &S) -> Option<(usize, f64)> {
        let of_holds = self.g.iter().copied().enumerate().filter(|&(index, _)| system.switches_hold(index));
        of_holds.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Counts a change of a hold; says whether they follow each other without end, so that the rest of the step is
    /// implicit Euler.
    fn changed(&mut self) -> bool {
        self.changes += 1;
        let many = self.changes > CHANGES + 2 * self.rebounds.len();
        if many {
            self.stages.scheme = Scheme::Euler;
        }
        many
    }

    /// Goes from `t` to `t1`, in pieces where that is needed.
    fn take(&mut self, run: &mut Run<S>, t: f64, t1: f64) -> Result<(), SolveError> {
        let before = (run.summary.iterations, run.summary.rejected);
        self.rebounds.fill(0);
        (self.changes, self.stages.scheme) = (0, self.scheme);
        // The position inside the step.
        let (mut done, mut pieces) = (0u64, 0u32);
        let mut cut = false;
        while done < WHOLE {
            let at = |parts: u64| t + (t1 - t) * (parts as f64 / WHOLE as f64);
            // Pieces stay aligned: after an impact the rest of one is left.
            let piece = self.unswept(run, at(done), t1 - t)?;
            let left = piece - done % piece;
            let (start, h) = (at(done), at(done + left) - at(done));
            if h == 0.0 {
                // After an impact or a change of holds less may be left than the clock resolves.
                done += left;
                continue;
            }
            let mut came = self.piece(run, start, h)?;
            if came == Piece::Blurred {
                self.stages.scheme = Scheme::Euler;
                came = self.piece(run, start, h)?;
                self.stages.scheme = self.scheme;
            }
            if came != Piece::Cut {
                run.summary.steps += 1;
                done += match came {
                    Piece::Part(span) => ((span / (t1 - t) * WHOLE as f64) as u64).min(left),
                    _ => left,
                };
                run.t = at(done);
                pieces += 1;
                self.pace.went_well(done);
                if done < WHOLE && pieces >= PIECES {
                    return Err(SolveError::Pieces { t: start, pieces, element: self.element(run) });
                }
                if pieces.is_multiple_of(PATIENCE) {
                    run.look_up(start)?;
                }
                if run.is_over() {
                    break;
                }
            } else {
                run.summary.rejected += 1;
                if self.pace.piece == WHOLE >> CUTS || self.stages.scheme == Scheme::Once {
                    self.passed(run, start, h)?;
                    return Err(SolveError::Newton { t: start, step: h, element: self.element(run) });
                }
                if !cut {
                    run.event(start, "step", Change::Cut);
                }
                cut = true;
                self.pace.cut();
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

    /// Length of the next piece, in parts of a step over `h`, in which no contact is stepped over.
    fn unswept(&self, run: &mut Run<S>, t: f64, h: f64) -> Result<u64, SolveError> {
        let mut piece = self.pace.piece;
        let length = h * (piece as f64 / WHOLE as f64);
        let mut parts = sweep::before(run, t, length)?;
        if parts > 1.0 && self.stages.scheme == Scheme::Once {
            return Err(sweep::too_fast(run.system.reach(&mut run.data, t, &run.x, length), t));
        }
        while parts > 1.0 && piece > WHOLE >> CUTS {
            (piece, parts) = (piece / 2, parts / 2.0);
        }
        Ok(piece)
    }

    /// Says so where it is a contact that the last trial over `h` would have stepped over.
    fn passed(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<(), SolveError> {
        let (v1, share) = (self.stages.newton.solution().v1, self.stages.share());
        if sweep::after(run, (t, h), v1, share, &mut self.way) {
            return Ok(());
        }
        Err(sweep::too_fast(run.system.reach(&mut run.data, t, &self.way, h), t))
    }

    /// The element whose balance is off most.
    fn element(&self, run: &Run<S>) -> String {
        run.system.balance_name(self.stages.newton.worst()).into()
    }
}

impl<S: Simulated> Stepper<S> for Stepped<S> {
    fn advance(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<(), SolveError> {
        let mut now = now;
        while now < stop && !run.is_over() {
            now = self.step(run, now, stop)?;
        }
        Ok(())
    }

    fn step(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<Nanos, SolveError> {
        // Steps may be many between two rows.
        run.look_up(now.seconds())?;
        let grid = now.next_multiple(self.step).unwrap_or(stop);
        // Outputs are ends of steps: nothing is interpolated between implicit steps.
        let output = run.next_output(now).unwrap_or(stop);
        let next = grid.min(output).min(stop);
        self.take(run, now.seconds(), next.seconds())?;
        if run.is_over() {
            return Ok(next);
        }
        run.t = next.seconds();
        if next == output && next < stop && run.record_here(next)? {
            self.forget();
        }
        Ok(next)
    }

    fn bind(&mut self, system: &S, _: &S::Data<f64>, p: &[f64]) {
        self.stages.newton.bind(system, p);
    }

    fn bind_input(&mut self, system: &S, index: usize, course: &Course) {
        self.stages.newton.bind_input(system, index, course);
    }

    fn restart(&mut self) {
        self.stages.newton.forget();
    }

    fn forget(&mut self) {
        self.restart();
        self.pace = Pace::FREE;
    }
}
