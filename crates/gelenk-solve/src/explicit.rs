//! Explicit Runge-Kutta methods with dense output, projection and events.

mod control;
mod dense;
mod dop853;
mod tableau;

use gelenk_system::{Nanos, Simulated};

use crate::bracket;
use crate::error::SolveError;
use crate::options::Method;
use crate::run::{Run, Stepper};
use crate::summary::StepFacts;
use crate::sweep;
use control::Control;
use dense::Interpolant;
use tableau::{BS23, DOP853, DOPRI5, EULER, HEUN, RK4};
pub(crate) use tableau::{Stage, Tableau};

/// Projections that move the state by less leave its rate as it was.
const NEGLIGIBLE_DRIFT: f64 = 1e-12;
/// Sum of the tolerances below which rounding alone makes every step too long.
const TIGHTEST: f64 = 1e-14;
/// Error before the first step, in units of the tolerance.
const FIRST_ERROR: f64 = 1e-4;
/// Looks at the switching functions in a step, both ends included.
const LOOKS: usize = 5;
/// Looks at the lowest point of a function that may only just pass zero, each of which narrows it by the golden section.
const DIP: usize = 14;
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Share of the step to which an event is located.
const EVENT_WIDTH: f64 = 1e-13;
/// How often a step is repeated to see whether a mode truly runs out, how much shorter, and the share of the time to it by
/// which two steps agree.
const DOUBTS: u32 = 8;
const SHORTER: f64 = 0.125;
const SAME: f64 = 0.1;
/// Share of the step in which an event cannot be told from one at its start.
const AT_START: f64 = 1e3 * EVENT_WIDTH;
/// Share of its values in a step at which a switching function begins at zero.
const ZERO: f64 = 1e-6;
/// Mode changes at one instant after which the element is said to chatter.
const CHATTER: usize = 200;
/// Mode changes count as one instant while each follows the last one within this time (s)...
const INSTANT: f64 = 1e-12;
/// ...or within this share of the step that it was located in: what chatters comes back as soon as it can be told.
const INSTANT_SHARE: f64 = 100.0 * EVENT_WIDTH;

/// Events at one instant that change no mode, since the projection takes the state back, before the mode that was located
/// is changed in spite of it: at a dead point a velocity passes zero by the loops alone.
const PATIENCE: usize = 2;
/// Steps between two looks at the pace of error control, and steps that the rest of a run may need at that pace.
const PACE: u64 = 100_000;
/// The same where the coordinates of a joint are singular.
const SOON: u64 = 5000;
const ENDLESS: f64 = 1e9;

/// The coefficients of a method with a fixed step.
pub(crate) fn fixed_tableau(method: Method) -> &'static Tableau {
    match method {
        Method::Euler { .. } | Method::SemiImplicitEuler { .. } => &EULER,
        Method::Heun { .. } => &HEUN,
        Method::FixedBs23 { .. } => &BS23,
        _ => &RK4,
    }
}

/// An explicit method with its workspace.
pub(crate) struct Explicit {
    tableau: &'static Tableau,
    /// Step of the fixed grid; `None` with error control.
    grid: Option<Nanos>,
    control: Control,
    /// Whether positions move with the velocities after the step.
    semi_implicit: bool,
    /// Rates in the order of the tableau: stages, end of the step, extra stages.
    k: Vec<Vec<f64>>,
    stage: Vec<f64>,
    x1: Vec<f64>,
    interpolant: Interpolant,
    g: Vec<f64>,
    /// Switching functions at the looks inside a step.
    looks: Vec<f64>,
    /// Mode changes at one instant so far, and when the last one was (s).
    at_instant: usize,
    instant: f64,
    /// Steps and time (s) at the last look at the pace.
    pace: (u64, f64),
    soon: (u64, f64),
    /// Whether `k[0]` is the rate at the present state.
    fresh: bool,
    /// Whether every step keeps its dense output, and the start, length and end of the step that it is of.
    dense: bool,
    spanned: Option<(f64, f64, f64)>,
}

impl Explicit {
    pub(crate) fn new<S: Simulated>(
        system: &S,
        data: &S::Data<f64>,
        method: Method,
    ) -> Result<Self, SolveError> {
        let layout = system.layout();
        let n = layout.nx();
        let mut scale = vec![0.0; n];
        system.scale(data, &mut scale);
        let fixed = |tableau, step| (tableau, Some(step), 0.0, 0.0, f64::INFINITY);
        let (tableau, grid, rtol, atol, max_step) = match method {
            Method::Bs23 { rtol, atol, max_step } => (&BS23, None, rtol, atol, max_step),
            Method::Dopri5 { rtol, atol, max_step } => (&DOPRI5, None, rtol, atol, max_step),
            Method::Dop853 { rtol, atol, max_step } => (&DOP853, None, rtol, atol, max_step),
            Method::Euler { step }
            | Method::SemiImplicitEuler { step }
            | Method::Heun { step }
            | Method::FixedBs23 { step }
            | Method::Rk4 { step }
            | Method::Stepped { step }
            | Method::Stepped2 { step }
            | Method::RealTime { step } => fixed(fixed_tableau(method), step),
        };
        if grid == Some(Nanos::ZERO) {
            return Err(SolveError::Options("the step must be at least 1 ns".into()));
        }
        if grid.is_none() && !(rtol >= 0.0 && atol >= 0.0 && rtol + atol > 0.0 && max_step > 0.0) {
            let message = format!("rtol = {rtol}, atol = {atol}, max_step = {max_step} must be positive");
            return Err(SolveError::Options(message));
        }
        if grid.is_none() && rtol + atol < TIGHTEST {
            let message = format!(
                "rtol = {rtol:e}, atol = {atol:e} are tighter than floating-point rounding allows; give {TIGHTEST:e} \
                 or more"
            );
            return Err(SolveError::Options(message));
        }
        Ok(Self {
            tableau,
            grid,
            control: Control { rtol, atol, max_step, scale, step: 0.0, last_error: FIRST_ERROR },
            semi_implicit: matches!(method, Method::SemiImplicitEuler { .. }),
            k: vec![vec![0.0; n]; tableau.rates()],
            stage: vec![0.0; n],
            x1: vec![0.0; n],
            interpolant: Interpolant::new(tableau, n),
            g: vec![0.0; layout.ng],
            looks: vec![0.0; LOOKS * layout.ng],
            at_instant: 0,
            instant: 0.0,
            pace: (0, 0.0),
            soon: (0, 0.0),
            fresh: false,
            dense: false,
            spanned: None,
        })
    }

    fn rates<S: Simulated>(run: &mut Run<S>, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), SolveError> {
        run.summary.evaluations += 1;
        Ok(run.system.continued_rates(&mut run.data, t, x, &run.m, dx)?)
    }

    /// Evaluates the rate `s` at the place `c` of a step, where the rates before it have the weights `a`.
    fn stage<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        (t, h): (f64, f64),
        s: usize,
        (c, a): (f64, &[f64]),
    ) -> Result<(), SolveError> {
        for i in 0..self.stage.len() {
            let mut sum = 0.0;
            for j in 0..a.len() {
                sum += a[j] * self.k[j][i];
            }
            self.stage[i] = run.x[i] + h * sum;
        }
        let mut rate = std::mem::take(&mut self.k[s]);
        let evaluated = Self::rates(run, t + c * h, &self.stage, &mut rate);
        self.k[s] = rate;
        evaluated
    }

    /// Computes the state after `h` into `x1`, the stages into `k`, from the rate `k[0]` at the start.
    fn attempt<S: Simulated>(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<(), SolveError> {
        let tableau = self.tableau;
        for (s, stage) in tableau.stages.iter().enumerate().skip(1) {
            self.stage(run, (t, h), s, (stage.c, stage.a))?;
        }
        for i in 0..self.x1.len() {
            let mut sum = 0.0;
            for s in 0..tableau.b.len() {
                sum += tableau.b[s] * self.k[s][i];
            }
            self.x1[i] = run.x[i] + h * sum;
        }
        if self.semi_implicit {
            let layout = run.system.layout();
            let way = &mut self.stage[..layout.nv];
            for (way, v1) in way.iter_mut().zip(&self.x1[layout.v()]) {
                *way = h * v1;
            }
            run.system.retract(&run.x[layout.q()], way, &mut self.x1[layout.q()]);
        }
        Ok(())
    }

    /// Evaluates the rate at the end of the step.
    fn rate_at_end<S: Simulated>(&mut self, run: &mut Run<S>, t1: f64) -> Result<(), SolveError> {
        let last = self.tableau.stages.len();
        let mut rate = std::mem::take(&mut self.k[last]);
        let evaluated = Self::rates(run, t1, &self.x1, &mut rate);
        self.k[last] = rate;
        evaluated
    }

    /// Prepares the dense output of the step, with the stages that only it needs.
    fn interpolate<S: Simulated>(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<(), SolveError> {
        let first = self.tableau.stages.len() + 1;
        for (s, stage) in self.tableau.extra.iter().enumerate() {
            self.stage(run, (t, h), first + s, (stage.c, stage.a))?;
        }
        self.interpolant.prepare(self.tableau, &self.k, &run.x, &self.x1, h);
        Ok(())
    }

    /// The interpolated state at the share `theta` of the step, into `stage`.
    fn dense(&mut self, theta: f64) {
        self.interpolant.at(theta, &mut self.stage);
    }

    /// The least switching function at the share `theta` of the step: negative where some mode has run out.
    fn least<S: Simulated>(&mut self, run: &mut Run<S>, t: f64, h: f64, theta: f64) -> f64 {
        self.dense(theta);
        run.system.switching(&mut run.data, t + theta * h, &self.stage, &run.m, &mut self.g);
        self.g.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The share of the step at which the first mode has just run out, where one has.
    fn locate<S: Simulated>(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Option<f64> {
        if self.g.is_empty() {
            return None;
        }
        // A few looks inside the step find a mode that runs out and comes back.
        let n = self.g.len();
        let mut low = (0.0, 0.0);
        for k in 0..LOOKS {
            let theta = k as f64 / (LOOKS - 1) as f64;
            let least = self.least(run, t, h, theta);
            self.looks[k * n..(k + 1) * n].copy_from_slice(&self.g);
            // The step begins where all modes are valid, but for rounding.
            if k > 0 && least < 0.0 {
                return Some(self.narrow(run, (t, h), low, (theta, least)));
            }
            low = (theta, least.max(0.0));
        }
        (0..LOOKS - 1).find_map(|k| self.dip(run, (t, h), k))
    }

    /// The place between two looks at which a mode has just run out that is valid at both: of every function that bends
    /// upward there enough to pass zero, the lowest point is looked for.
    fn dip<S: Simulated>(&mut self, run: &mut Run<S>, (t, h): (f64, f64), k: usize) -> Option<f64> {
        let (n, spacing) = (self.g.len(), 1.0 / (LOOKS - 1) as f64);
        for i in 0..n {
            let look = |k: usize| self.looks[k * n + i];
            let bend = |k: usize| {
                if (1..LOOKS - 1).contains(&k) { look(k - 1) - 2.0 * look(k) + look(k + 1) } else { 0.0 }
            };
            // A parabola sags by an eighth of its second difference; what is no parabola may sag more.
            let sag = 0.5 * bend(k).max(bend(k + 1));
            if look(k).min(look(k + 1)) >= sag {
                continue;
            }
            let (mut low, mut high) = (k as f64 * spacing, (k + 1) as f64 * spacing);
            let before = low;
            let mut at = |theta: f64, this: &mut Self| (this.least(run, t, h, theta), this.g[i]);
            let places = |low: f64, high: f64| [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
            let [mut left, mut right] = places(low, high).map(|theta| (theta, at(theta, self)));
            for _ in 0..DIP {
                for (theta, (least, _)) in [left, right] {
                    if least < 0.0 {
                        return Some(self.narrow(run, (t, h), (before, 0.0), (theta, least)));
                    }
                }
                if left.1.1 < right.1.1 {
                    (high, right) = (right.0, left);
                    let theta = places(low, high)[0];
                    left = (theta, at(theta, self));
                } else {
                    (low, left) = (left.0, right);
                    let theta = places(low, high)[1];
                    right = (theta, at(theta, self));
                }
            }
        }
        None
    }

    /// The place between a look before and one after a mode has run out.
    fn narrow<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        (t, h): (f64, f64),
        low: (f64, f64),
        high: (f64, f64),
    ) -> f64 {
        bracket::narrow(low, high, EVENT_WIDTH, |theta| self.least(run, t, h, theta))
    }

    /// Whether a mode that has run out at the share `theta` of the step may be an error of the dense output, so that the step is
    /// to be repeated with a shorter one. What begins at zero and rises from there with a high power of the time, as a body
    /// that lifts off a limit, is less than the error of a long step at first. What truly runs out does so at the same time
    /// in a step of any length; `doubted` has the number of doubts and the time of the last one.
    fn doubts<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        (t, h): (f64, f64),
        theta: f64,
        doubted: &mut Option<(u32, f64)>,
    ) -> bool {
        let (count, last) = doubted.unwrap_or((0, 0.0));
        let after = theta * h;
        // What runs out at the start itself does so, and a step has to be one.
        let at_start = theta <= AT_START || t + SHORTER * after <= t;
        if self.grid.is_some() || at_start || count == DOUBTS || (after - last).abs() <= SAME * after {
            return false;
        }
        self.least(run, t, h, theta);
        let least = self.g.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((index, _)) = least else { return false };
        // The first look was at the start.
        let n = self.g.len();
        let look = |k: usize| self.looks[k * n + index].abs();
        let seen = (theta * (LOOKS - 1) as f64).ceil() as usize;
        let (start, largest) = (look(0), (1..=seen.min(LOOKS - 1)).map(look).fold(0.0, f64::max));
        if start > ZERO * largest {
            return false;
        }
        self.least(run, t, h, 0.5 * theta);
        if self.g[index] > 2.0 * start {
            return false;
        }
        *doubted = Some((count + 1, after));
        true
    }

    /// Records the outputs strictly before `t1` and returns the first one that is left.
    fn outputs<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        t: f64,
        h: f64,
        t1: f64,
        mut next: Option<Nanos>,
        stop: Nanos,
    ) -> Result<Option<Nanos>, SolveError> {
        while let Some(output) = next.filter(|&o| o < stop && o.seconds() < t1) {
            self.dense((output.seconds() - t) / h);
            run.record_state(output.seconds(), &self.stage)?;
            next = run.next_output(output);
        }
        Ok(next)
    }

    /// Changes all modes that have run out at the event, restarts from there. `located` is the one that was found to run
    /// out before the projection.
    fn handle<S: Simulated>(&mut self, run: &mut Run<S>, t: f64, located: usize) -> Result<(), SolveError> {
        run.system.switching(&mut run.data, t, &run.x, &run.m, &mut self.g);
        let mut index = self.g.iter().position(|&g| g < 0.0);
        if index.is_none() {
            self.at_instant += 1;
            index = Some(located).filter(|_| self.at_instant > PATIENCE);
        }
        while let Some(run_out) = index {
            self.at_instant += 1;
            let system = run.system;
            let element = system.switch_name(run_out);
            if self.at_instant > CHATTER {
                return Err(SolveError::Chatter { element: element.into(), t });
            }
            run.switch(t, run_out)?;
            system.switching(&mut run.data, t, &run.x, &run.m, &mut self.g);
            index = self.g.iter().position(|&g| g < 0.0);
        }
        self.fresh = false;
        Ok(())
    }

    /// Ends a run whose steps have become so short that it would never end.
    fn look_at_pace<S: Simulated>(&mut self, run: &mut Run<S>, t: f64) -> Result<(), SolveError> {
        if run.summary.steps < self.pace.0.max(self.soon.0) {
            // The run has begun again.
            (self.pace, self.soon) = ((0, 0.0), (0, 0.0));
        }
        let lately = run.summary.steps - self.soon.0;
        if self.grid.is_none() && lately >= SOON {
            let step = (t - self.soon.1) / lately as f64;
            self.soon = (run.summary.steps, t);
            if (run.until - t) / step > ENDLESS
                && let Some(joint) = run.system.singular(&mut run.data, t, &run.x)
            {
                return Err(SolveError::Singular { joint: joint.into(), t });
            }
        }
        let steps = run.summary.steps - self.pace.0;
        if self.grid.is_some() || steps < PACE {
            return Ok(());
        }
        let step = (t - self.pace.1) / steps as f64;
        self.pace = (run.summary.steps, t);
        let left = (run.until - t) / step;
        if left > ENDLESS {
            let state = self.control.worst(self.tableau, &self.k, &run.x, &self.x1);
            let element = run.system.state_name(state).into();
            return Err(SolveError::Endless { t, step, left, element });
        }
        Ok(())
    }

    /// End of the next step to attempt, and whether it was cut for the sake of an input.
    fn target<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        t: f64,
        now: Nanos,
        stop: Nanos,
        horizon: f64,
    ) -> (f64, bool) {
        let end = stop.seconds();
        let (wanted, far, tolerance) = match self.grid {
            Some(step) => {
                // The next multiple of the step after t, also where an event stopped between two.
                let here = Nanos::from_seconds(t).unwrap_or(now).max(now);
                let mut grid = here.next_multiple(step).unwrap_or(stop);
                if here.is_multiple(step) && here.seconds() > t {
                    grid = here;
                }
                let wanted = if grid < stop { grid.seconds() } else { end };
                (wanted, wanted, None)
            }
            None => {
                let h = self.wanted(&run.x).min(horizon);
                // A last step that would leave a crumb takes it along.
                let far = (t + 1.01 * h).min(end);
                (if far >= end { end } else { t + h }, far, Some(self.control.rtol.max(self.control.atol)))
            }
        };
        let smooth = run.system.smooth_until(&mut run.data, &run.m, (t, far), tolerance);
        if smooth < far && smooth > t { (smooth, true) } else { (wanted, false) }
    }

    /// Forgets everything beside state and memory: the rate, the step that error control has come to, events so far.
    fn forget_all(&mut self) {
        self.fresh = false;
        self.spanned = None;
        (self.control.step, self.control.last_error) = (0.0, FIRST_ERROR);
        (self.at_instant, self.instant) = (0, 0.0);
    }

    /// The step that error control would take.
    fn wanted(&mut self, x: &[f64]) -> f64 {
        if self.control.step == 0.0 {
            self.control.step = self.control.first_step(x, &self.k[0]);
        }
        self.control.step.min(self.control.max_step)
    }

    /// Makes the rate at the start of the step valid.
    fn refresh<S: Simulated>(&mut self, run: &mut Run<S>, t: f64) -> Result<(), SolveError> {
        if !self.fresh {
            let x = std::mem::take(&mut run.x);
            let evaluated = Self::rates(run, t, &x, &mut self.k[0]);
            run.x = x;
            evaluated?;
            self.fresh = true;
        }
        Ok(())
    }

    /// Whether a step to `t1` needs its dense output: for switching functions, or for the output at `next`.
    fn looked_into(&self, t1: f64, next: Option<Nanos>) -> bool {
        self.dense || !self.g.is_empty() || next.is_some_and(|next| next.seconds() < t1)
    }

    /// Takes a step of the grid, or so much of it that no contact is stepped over; returns its end.
    fn fixed<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        t: f64,
        now: Nanos,
        stop: Nanos,
    ) -> Result<f64, SolveError> {
        let (mut t1, _) = self.target(run, t, now, stop, f64::INFINITY);
        let parts = sweep::before(run, t, t1 - t)?;
        if parts > 1.0 {
            t1 = t + (t1 - t) / parts;
        }
        let mut tried = parts;
        loop {
            self.attempt(run, t, t1 - t)?;
            let v1 = &self.x1[run.system.layout().v()];
            if sweep::after(run, (t, t1 - t), v1, 0.5, &mut self.stage) {
                return Ok(t1);
            }
            run.summary.rejected += 1;
            tried *= 2.0;
            if tried > sweep::MOST {
                // The look after the attempt left the velocities on the way here.
                return Err(sweep::too_fast(run.system.reach(&mut run.data, t, &self.stage, t1 - t), t));
            }
            t1 = t + 0.5 * (t1 - t);
        }
    }

    /// Takes a step that error control accepts; returns its end, and whether the rate there and with it the
    /// interpolation are known. A fixed step needs them only for switching functions and for the output at `next` inside.
    fn accepted_step<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        t: f64,
        now: Nanos,
        stop: Nanos,
        next: Option<Nanos>,
    ) -> Result<(f64, bool), SolveError> {
        if self.grid.is_some() {
            let t1 = self.fixed(run, t, now, stop)?;
            let inside = self.looked_into(t1, next);
            if inside {
                self.rate_at_end(run, t1)?;
            }
            return Ok((t1, inside));
        }
        let wanted = self.wanted(&run.x);
        let horizon = run.system.horizon(&mut run.data, t, &run.x, wanted);
        let (mut t1, cut) = self.target(run, t, now, stop, horizon);
        if t1 <= t {
            return Err(sweep::too_fast(run.system.reach(&mut run.data, t, &run.x, wanted), t));
        }
        let first = t1;
        loop {
            let h = t1 - t;
            let attempted = self.attempt(run, t, h).and_then(|()| self.rate_at_end(run, t1));
            let error = match attempted {
                Ok(()) => self.control.error(self.tableau, &self.k, &run.x, &self.x1, h),
                // A stage outside the domain is no verdict on the step's start: try a shorter one.
                Err(SolveError::Fault(fault)) if h <= 1e-12 => return Err(fault.into()),
                Err(SolveError::Fault(_)) => f64::INFINITY,
                Err(other) => return Err(other),
            };
            let wanted = h * self.control.factor(error, self.tableau.estimate_power());
            if error <= 1.0 {
                // A step shortened to end at a sample or a corner of an input, or by bodies that come near, is no reason to
                // shorten the next one.
                let shortened = t1 >= stop.seconds() || 1.01 * h >= horizon || (cut && t1 >= first);
                self.control.step = if shortened { wanted.max(self.control.step) } else { wanted };
                self.control.last_error = error.max(1e-4);
                return Ok((t1, true));
            }
            run.summary.rejected += 1;
            self.control.step = wanted;
            t1 = t + wanted;
            if wanted < 1e-14 * t.abs().max(1e-3) {
                if let Some(joint) = run.system.singular(&mut run.data, t, &run.x) {
                    return Err(SolveError::Singular { joint: joint.into(), t });
                }
                let state = self.control.worst(self.tableau, &self.k, &run.x, &self.x1);
                let element = run.system.state_name(state).into();
                return Err(SolveError::StepTooSmall { t, step: wanted, element });
            }
        }
    }
}

impl Explicit {
    /// Takes one step from the state of the run towards `stop`, with what happens in it.
    fn one<S: Simulated>(
        &mut self,
        run: &mut Run<S>,
        now: Nanos,
        stop: Nanos,
        mut next: Option<Nanos>,
    ) -> Result<Option<Nanos>, SolveError> {
        let t = run.t;
        self.refresh(run, t)?;
        let rejected = run.summary.rejected;
        let mut doubted = None;
        let (t1, ended, crossed) = loop {
            let (t1, ended) = self.accepted_step(run, t, now, stop, next)?;
            if ended && self.looked_into(t1, next) {
                self.interpolate(run, t, t1 - t)?;
            }
            let crossed = self.locate(run, t, t1 - t);
            if !crossed.is_some_and(|theta| self.doubts(run, (t, t1 - t), theta, &mut doubted)) {
                break (t1, ended, crossed);
            }
            run.summary.rejected += 1;
            self.control.step = SHORTER * (t1 - t);
        };
        let h = t1 - t;
        let rejected = run.summary.rejected - rejected;
        run.facts = StepFacts { step: h, order: self.tableau.order, rejected, substeps: 1, iterations: 0 };
        let t_end = crossed.map_or(t1, |theta| t + theta * h);
        self.spanned = Some((t, h, t_end)).filter(|_| self.dense);
        next = self.outputs(run, t, h, t_end, next, stop)?;
        let mut located = 0;
        match crossed {
            Some(theta) => {
                self.least(run, t, h, theta);
                let least = self.g.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
                located = least.map_or(0, |(index, _)| index);
                run.x.copy_from_slice(&self.stage);
                self.fresh = false;
            }
            None => {
                run.x.copy_from_slice(&self.x1);
                self.k.swap(0, self.tableau.stages.len());
                self.fresh = ended;
            }
        }
        if run.system.needs_projection() {
            let drift = run.system.project(&mut run.data, t_end, &mut run.x, &mut run.m)?;
            run.summary.drift = run.summary.drift.max(drift);
            // A fixed step depends on nothing but the state that it begins with.
            self.fresh &= drift <= NEGLIGIBLE_DRIFT && self.grid.is_none();
            run.report_passed();
        }
        if crossed.is_some() {
            if t_end > self.instant + INSTANT.max(INSTANT_SHARE * h) {
                self.at_instant = 0;
            }
            self.instant = t_end;
            self.handle(run, t_end, located)?;
        }
        run.summary.steps += 1;
        run.t = t_end;
        self.look_at_pace(run, t_end)?;
        if crossed.is_some() && run.is_over() {
            return Ok(next);
        }
        if let Some(output) = next.filter(|&o| o < stop && o.seconds() == t_end) {
            if run.record_here(output)? {
                self.forget_all();
            }
            next = run.next_output(output);
        }
        Ok(next)
    }
}

impl<S: Simulated> Stepper<S> for Explicit {
    fn advance(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<(), SolveError> {
        let end = stop.seconds();
        // A step that was taken alone may have ended between two instants of the clock.
        run.t = run.t.max(now.seconds());
        let mut next = run.next_output(now);
        while run.t < end && !run.is_over() {
            // Steps may be many between two rows.
            run.look_up(run.t)?;
            next = self.one(run, now, stop, next)?;
        }
        Ok(())
    }

    fn step(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<Nanos, SolveError> {
        run.t = run.t.max(now.seconds());
        let next = run.next_output(now);
        self.one(run, now, stop, next)?;
        Ok(if run.t >= stop.seconds() { stop } else { now })
    }

    fn bind(&mut self, system: &S, data: &S::Data<f64>, _: &[f64]) {
        system.scale(data, &mut self.control.scale);
    }

    fn keep_dense(&mut self) {
        self.dense = true;
    }

    fn interpolate(&self, t: f64, x: &mut [f64]) -> Option<[f64; 2]> {
        let (start, h, end) = self.spanned?;
        self.interpolant.at((t - start) / h, x);
        Some([start, end])
    }

    fn restart(&mut self) {
        self.fresh = false;
    }

    fn forget(&mut self) {
        self.forget_all();
    }
}
