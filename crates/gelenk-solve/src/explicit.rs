//! Explicit Runge-Kutta methods with dense output, projection and events.

use gelenk_system::{Nanos, System};

use crate::error::SolveError;
use crate::options::Method;
use crate::simulate::{Run, Stepper};

/// Coefficients of a Runge-Kutta method.
struct Tableau {
    stages: usize,
    c: &'static [f64],
    a: &'static [&'static [f64]],
    b: &'static [f64],
}

const EULER: Tableau = Tableau { stages: 1, c: &[0.0], a: &[&[]], b: &[1.0] };

const HEUN: Tableau = Tableau { stages: 2, c: &[0.0, 1.0], a: &[&[], &[1.0]], b: &[0.5, 0.5] };

const RK4: Tableau = Tableau {
    stages: 4,
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
};

const DOPRI5: Tableau = Tableau {
    stages: 6,
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0],
    a: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    ],
    b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
};

/// Difference of the two orders of DOPRI5, with the rate at the end of the step last.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Fifth coefficient of the dense output of DOPRI5 (Hairer, Norsett, Wanner I, II.6).
const DENSE: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// Projections that move the state by less leave its rate as it was.
const NEGLIGIBLE_DRIFT: f64 = 1e-12;
/// Share of the step to which an event is located.
const EVENT_WIDTH: f64 = 1e-13;
/// Mode changes at one instant after which the element is said to chatter.
const CHATTER: usize = 200;
/// Time (s) within which mode changes count as one instant.
const INSTANT: f64 = 1e-11;

/// Error control of DOPRI5.
struct Control {
    rtol: f64,
    atol: f64,
    max_step: f64,
    scale: Vec<f64>,
    /// Step for the next attempt (s); zero where it is to be found anew.
    step: f64,
    last_error: f64,
}

/// An explicit method with its workspace.
pub(crate) struct Explicit {
    tableau: &'static Tableau,
    /// Step of the fixed grid; `None` with error control.
    grid: Option<Nanos>,
    control: Control,
    /// Rates at the stages; the last one at the end of the step.
    k: Vec<Vec<f64>>,
    stage: Vec<f64>,
    x1: Vec<f64>,
    dense: [Vec<f64>; 5],
    g: Vec<f64>,
    /// Mode changes at one instant so far, and when it began (s).
    at_instant: usize,
    instant: f64,
    /// Whether `k[0]` is the rate at the present state.
    fresh: bool,
}

impl Explicit {
    pub(crate) fn new<S: System>(
        system: &S,
        data: &S::Data<f64>,
        method: Method,
    ) -> Result<Self, SolveError> {
        let layout = system.layout();
        let n = layout.nx();
        let mut scale = vec![0.0; n];
        system.scale(data, &mut scale);
        let (tableau, grid, rtol, atol, max_step) = match method {
            Method::Dopri5 { rtol, atol, max_step } => (&DOPRI5, None, rtol, atol, max_step),
            Method::Euler { step } => (&EULER, Some(step), 0.0, 0.0, f64::INFINITY),
            Method::Heun { step } => (&HEUN, Some(step), 0.0, 0.0, f64::INFINITY),
            Method::Rk4 { step } | Method::Stepped { step } => (&RK4, Some(step), 0.0, 0.0, f64::INFINITY),
        };
        if grid == Some(Nanos::ZERO) {
            return Err(SolveError::Options("the step must be at least 1 ns".into()));
        }
        if grid.is_none() && !(rtol >= 0.0 && atol >= 0.0 && rtol + atol > 0.0 && max_step > 0.0) {
            let message = format!("rtol = {rtol}, atol = {atol}, max_step = {max_step} must be positive");
            return Err(SolveError::Options(message));
        }
        Ok(Self {
            tableau,
            grid,
            control: Control { rtol, atol, max_step, scale, step: 0.0, last_error: 1e-4 },
            k: vec![vec![0.0; n]; tableau.stages + 1],
            stage: vec![0.0; n],
            x1: vec![0.0; n],
            dense: std::array::from_fn(|_| vec![0.0; n]),
            g: vec![0.0; layout.ng],
            at_instant: 0,
            instant: 0.0,
            fresh: false,
        })
    }

    fn rates<S: System>(run: &mut Run<S>, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), SolveError> {
        run.summary.evaluations += 1;
        Ok(run.system.rates(&mut run.data, t, x, &run.m, dx)?)
    }

    /// Computes the state after `h` into `x1`, the stages into `k`, from the rate `k[0]` at the start.
    fn attempt<S: System>(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Result<(), SolveError> {
        let Tableau { stages, c, a, b } = *self.tableau;
        for s in 1..stages {
            for i in 0..self.stage.len() {
                let mut sum = 0.0;
                for j in 0..s {
                    sum += a[s][j] * self.k[j][i];
                }
                self.stage[i] = run.x[i] + h * sum;
            }
            let mut rate = std::mem::take(&mut self.k[s]);
            let evaluated = Self::rates(run, t + c[s] * h, &self.stage, &mut rate);
            self.k[s] = rate;
            evaluated?;
        }
        for i in 0..self.x1.len() {
            let mut sum = 0.0;
            for s in 0..stages {
                sum += b[s] * self.k[s][i];
            }
            self.x1[i] = run.x[i] + h * sum;
        }
        Ok(())
    }

    /// Evaluates the rate at the end of the step.
    fn rate_at_end<S: System>(&mut self, run: &mut Run<S>, t1: f64) -> Result<(), SolveError> {
        let last = self.tableau.stages;
        let mut rate = std::mem::take(&mut self.k[last]);
        let evaluated = Self::rates(run, t1, &self.x1, &mut rate);
        self.k[last] = rate;
        evaluated
    }

    /// Error of the attempt in units of the tolerance.
    fn error(&self, x: &[f64], h: f64) -> f64 {
        let Control { rtol, atol, scale, .. } = &self.control;
        let (mut sum, mut count) = (0.0, 0usize);
        for i in 0..x.len() {
            if scale[i] > 0.0 {
                let tolerance = atol * scale[i] + rtol * x[i].abs().max(self.x1[i].abs());
                let error: f64 = (0..7).map(|s| ERROR[s] * self.k[s][i]).sum();
                sum += (h * error / tolerance).powi(2);
                count += 1;
            }
        }
        (sum / count.max(1) as f64).sqrt()
    }

    /// First step by the size of state, rate and tolerance (Hairer, Norsett, Wanner I, II.4).
    fn first_step(&self, x: &[f64]) -> f64 {
        let Control { rtol, atol, scale, .. } = &self.control;
        let (mut state, mut rate) = (0.0, 0.0);
        for i in (0..x.len()).filter(|&i| scale[i] > 0.0) {
            let tolerance = atol * scale[i] + rtol * x[i].abs();
            state += (x[i] / tolerance).powi(2);
            rate += (self.k[0][i] / tolerance).powi(2);
        }
        let guess = if state > 0.0 && rate > 0.0 { 0.01 * (state / rate).sqrt() } else { 1e-6 };
        guess.clamp(1e-9, 1e-3)
    }

    /// Prepares the interpolation between `x` and `x1` over the step `h`.
    fn interpolate(&mut self, x: &[f64], h: f64) {
        let last = self.tableau.stages;
        let dopri = last == DOPRI5.stages;
        for i in 0..x.len() {
            let rise = self.x1[i] - x[i];
            let bend = h * self.k[0][i] - rise;
            self.dense[0][i] = x[i];
            self.dense[1][i] = rise;
            self.dense[2][i] = bend;
            self.dense[3][i] = rise - h * self.k[last][i] - bend;
            self.dense[4][i] =
                if dopri { h * (0..7).map(|s| DENSE[s] * self.k[s][i]).sum::<f64>() } else { 0.0 };
        }
    }

    /// The interpolated state at the share `theta` of the step, into `stage`.
    fn dense(&mut self, theta: f64) {
        let rest = 1.0 - theta;
        let [r1, r2, r3, r4, r5] = &self.dense;
        for i in 0..self.stage.len() {
            self.stage[i] = r1[i] + theta * (r2[i] + rest * (r3[i] + theta * (r4[i] + rest * r5[i])));
        }
    }

    /// Whether some mode has run out at the share `theta` of the step; leaves the functions in `g`.
    fn run_out<S: System>(&mut self, run: &mut Run<S>, t: f64, h: f64, theta: f64) -> bool {
        self.dense(theta);
        run.system.switching(&mut run.data, t + theta * h, &self.stage, &run.m, &mut self.g);
        self.g.iter().any(|&g| g < 0.0)
    }

    /// The share of the step at which the first mode has just run out, where one has.
    fn locate<S: System>(&mut self, run: &mut Run<S>, t: f64, h: f64) -> Option<f64> {
        if self.g.is_empty() {
            return None;
        }
        // A few looks inside the step find a mode that runs out and comes back.
        let mut low = 0.0;
        let mut high = None;
        for theta in [0.25, 0.5, 0.75, 1.0] {
            if self.run_out(run, t, h, theta) {
                high = Some(theta);
                break;
            }
            low = theta;
        }
        let mut high = high?;
        while high - low > EVENT_WIDTH {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.run_out(run, t, h, middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }

    /// Records the outputs strictly before `t1` and returns the first one that is left.
    fn outputs<S: System>(
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

    /// Changes all modes that have run out at the event, restarts from there.
    fn handle<S: System>(&mut self, run: &mut Run<S>, t: f64) -> Result<(), SolveError> {
        run.system.switching(&mut run.data, t, &run.x, &run.m, &mut self.g);
        while let Some(index) = self.g.iter().position(|&g| g < 0.0) {
            self.at_instant += 1;
            let system = run.system;
            let element = system.switch_name(index);
            if self.at_instant > CHATTER {
                return Err(SolveError::Chatter { element: element.into(), t });
            }
            let what = system.switch(&mut run.data, t, index, &mut run.x, &mut run.m)?;
            run.event(t, element, what);
            system.switching(&mut run.data, t, &run.x, &run.m, &mut self.g);
        }
        self.fresh = false;
        Ok(())
    }

    /// End of the next step to attempt.
    fn target(&mut self, x: &[f64], t: f64, now: Nanos, stop: Nanos) -> f64 {
        let end = stop.seconds();
        match self.grid {
            Some(step) => {
                // The next multiple of the step after t, also where an event stopped between two.
                let here = Nanos::from_seconds(t).unwrap_or(now).max(now);
                let mut grid = here.next_multiple(step).unwrap_or(stop);
                if here.is_multiple(step) && here.seconds() > t {
                    grid = here;
                }
                if grid < stop { grid.seconds() } else { end }
            }
            None => {
                if self.control.step == 0.0 {
                    self.control.step = self.first_step(x);
                }
                let h = self.control.step.min(self.control.max_step);
                // A last step that would leave a crumb takes it along.
                if t + 1.01 * h >= end { end } else { t + h }
            }
        }
    }

    /// Makes the rate at the start of the step valid.
    fn refresh<S: System>(&mut self, run: &mut Run<S>, t: f64) -> Result<(), SolveError> {
        if !self.fresh {
            let x = std::mem::take(&mut run.x);
            let evaluated = Self::rates(run, t, &x, &mut self.k[0]);
            run.x = x;
            evaluated?;
            self.fresh = true;
        }
        Ok(())
    }

    /// Takes a step that error control accepts; returns its end, and whether the rate there and with it the
    /// interpolation are known. A fixed step needs them only for switching functions and for the output at `next` inside.
    fn step<S: System>(
        &mut self,
        run: &mut Run<S>,
        t: f64,
        now: Nanos,
        stop: Nanos,
        next: Option<Nanos>,
    ) -> Result<(f64, bool), SolveError> {
        let mut t1 = self.target(&run.x, t, now, stop);
        if self.grid.is_some() {
            self.attempt(run, t, t1 - t)?;
            let inside = !self.g.is_empty() || next.is_some_and(|next| next.seconds() < t1);
            if inside {
                self.rate_at_end(run, t1)?;
            }
            return Ok((t1, inside));
        }
        loop {
            let h = t1 - t;
            let attempted = self.attempt(run, t, h).and_then(|()| self.rate_at_end(run, t1));
            let error = match attempted {
                Ok(()) => self.error(&run.x, h),
                // A stage outside the domain is no verdict on the step's start: try a shorter one.
                Err(SolveError::Fault(fault)) if h <= 1e-12 => return Err(fault.into()),
                Err(SolveError::Fault(_)) => f64::INFINITY,
                Err(other) => return Err(other),
            };
            let wanted = h * self.control.factor(error);
            if error <= 1.0 {
                // A step shortened to end at a sample is no reason to shorten the next one.
                let shortened = t1 >= stop.seconds();
                self.control.step = if shortened { wanted.max(self.control.step) } else { wanted };
                self.control.last_error = error.max(1e-4);
                return Ok((t1, true));
            }
            run.summary.rejected += 1;
            self.control.step = wanted;
            t1 = t + wanted;
            if wanted < 1e-14 * t.abs().max(1e-3) {
                return Err(SolveError::StepTooSmall { t, step: wanted });
            }
        }
    }
}

impl<S: System> Stepper<S> for Explicit {
    fn advance(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<(), SolveError> {
        let end = stop.seconds();
        let mut t = now.seconds();
        let mut next = run.next_output(now);
        while t < end {
            self.refresh(run, t)?;
            let (t1, ended) = self.step(run, t, now, stop, next)?;
            let h = t1 - t;
            if ended {
                self.interpolate(&run.x, h);
            }
            let crossed = self.locate(run, t, h);
            let t_end = crossed.map_or(t1, |theta| t + theta * h);
            next = self.outputs(run, t, h, t_end, next, stop)?;
            match crossed {
                Some(theta) => {
                    self.dense(theta);
                    run.x.copy_from_slice(&self.stage);
                    self.fresh = false;
                }
                None => {
                    run.x.copy_from_slice(&self.x1);
                    self.k.swap(0, self.tableau.stages);
                    self.fresh = ended;
                }
            }
            if run.system.needs_projection() {
                let drift = run.system.project(&mut run.data, t_end, &mut run.x, &mut run.m)?;
                run.summary.drift = run.summary.drift.max(drift);
                // A fixed step depends on nothing but the state that it begins with.
                self.fresh &= drift <= NEGLIGIBLE_DRIFT && self.grid.is_none();
            }
            if t_end > self.instant + INSTANT {
                (self.at_instant, self.instant) = (0, t_end);
            }
            if crossed.is_some() {
                self.handle(run, t_end)?;
            }
            run.summary.steps += 1;
            t = t_end;
            run.t = t;
            if let Some(output) = next.filter(|&o| o < stop && o.seconds() == t) {
                self.fresh &= !run.record_here(output)?;
                next = run.next_output(output);
            }
        }
        Ok(())
    }

    fn restart(&mut self) {
        self.fresh = false;
    }
}

impl Control {
    /// Factor for the next step from the error in units of the tolerance (PI controller of Hairer,
    /// Norsett, Wanner I, II.4 and IV.2).
    fn factor(&self, error: f64) -> f64 {
        const BETA: f64 = 0.04;
        if !error.is_finite() {
            return 0.2;
        }
        let raw = error.max(1e-10).powf(0.2 - 0.75 * BETA) / self.last_error.powf(BETA);
        let factor = 0.9 / raw;
        if error > 1.0 { factor.clamp(0.1, 0.9) } else { factor.clamp(0.2, 10.0) }
    }
}
