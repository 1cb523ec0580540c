//! A run that can be held in the hand, and whole runs made of it.

use gelenk_system::{Course, Nanos, Simulated, System};

use crate::checkpoint::Checkpoint;
use crate::error::SolveError;
use crate::explicit::Explicit;
use crate::observer::Observer;
use crate::options::{Method, Options};
use crate::run::{Run, Stepper};
use crate::stepped::Stepped;
use crate::summary::{StepFacts, Summary};

/// Distance from the constraints (m, rad, m/s, rad/s) at which a given state is still taken to be on them.
const CLOSED: f64 = 1e-6;

/// A system at an instant, and the method that moves it on.
///
/// Everything is made at the start: [`advance_to`](Self::advance_to), [`step`](Self::step), [`reset`](Self::reset),
/// [`restore`](Self::restore), [`set_state`](Self::set_state) and [`outputs`](Self::outputs) allocate nothing, except where
/// [`System`] says so. The path from one instant to another depends on nothing but the state, the
/// parameters and the times that it is asked to stop at.
///
/// ```
/// use gelenk_solve::problems::{Problem, VanDerPol};
/// use gelenk_solve::{Method, Simulation};
/// use gelenk_system::Nanos;
///
/// let oscillator = Problem::new(VanDerPol);
/// let p = oscillator.parameters().values();
/// let method = Method::Dopri5 { rtol: 1e-9, atol: 1e-9, max_step: f64::INFINITY };
/// let mut simulation = Simulation::new(&oscillator, &p, method)?;
/// simulation.advance_to(Nanos(1_500_000_000))?;
/// let half = simulation.checkpoint();
/// simulation.advance_to(Nanos(3_000_000_000))?;
/// let end = simulation.state().to_vec();
/// simulation.restore(&half)?;
/// simulation.advance_to(Nanos(3_000_000_000))?;
/// assert_eq!(simulation.state(), end);
/// # use gelenk_system::System;
/// # Ok::<(), gelenk_solve::SolveError>(())
/// ```
pub struct Simulation<'a, S: Simulated> {
    run: Run<'a, S>,
    stepper: Box<dyn Stepper<S> + 'a>,
    /// Step of methods with a fixed one.
    grid: Option<Nanos>,
    /// The last time of the clock that has passed.
    now: Nanos,
}

impl<'a, S: Simulated> Simulation<'a, S> {
    /// The system at its start, with the resolved parameters `p`.
    ///
    /// # Errors
    /// Options that make no sense, parameters that the system refuses, and a start that it does not have.
    pub fn new(system: &'a S, p: &[f64], method: Method) -> Result<Self, SolveError> {
        let mut simulation = Self::observed(system, p, method, None)?;
        simulation.stepper.keep_dense();
        simulation.run.sample(Nanos::ZERO)?;
        Ok(simulation)
    }

    /// The same before the first sample, with somebody who follows.
    fn observed(
        system: &'a S,
        p: &[f64],
        method: Method,
        observer: Option<&'a mut dyn Observer>,
    ) -> Result<Self, SolveError> {
        let run = Run::new(system, p, method, observer)?;
        let stepper: Box<dyn Stepper<S> + 'a> = match method {
            Method::Stepped { step } | Method::Stepped2 { step } | Method::RealTime { step } => {
                Box::new(Stepped::new(system, p, method, step)?)
            }
            _ => Box::new(Explicit::new(system, &run.data, method)?),
        };
        Ok(Self { run, stepper, grid: method.step(), now: Nanos::ZERO })
    }

    /// Time (s).
    pub fn time(&self) -> f64 {
        self.run.t
    }

    /// The state `[q, v, z, w]`, see [`Layout`](gelenk_system::Layout).
    pub fn state(&self) -> &[f64] {
        &self.run.x
    }

    /// The memory: modes, turning points, held samples.
    pub fn memory(&self) -> &[f64] {
        &self.run.m
    }

    /// Counts since the start.
    pub fn summary(&self) -> &Summary {
        &self.run.summary
    }

    /// What the last step took.
    pub fn last_step(&self) -> StepFacts {
        self.run.facts
    }

    /// What has ended the run, by its name: a switch with `stop`.
    pub fn ended(&self) -> Option<&str> {
        self.run.system.ended(&self.run.m)
    }

    /// Moves on to a time. At a sampling instant the blocks that are due have run. Nothing happens where the time has passed
    /// already, or where the system has ended the run.
    ///
    /// # Errors
    /// Those of a run; the state is the last good one.
    pub fn advance_to(&mut self, until: Nanos) -> Result<(), SolveError> {
        while self.now < until && !self.run.is_over() {
            let (stop, sample) = self.next_stop(until);
            self.stepper.advance(&mut self.run, self.now, stop)?;
            self.arrive(stop, sample)?;
        }
        Ok(())
    }

    /// Takes one step of the method, at most to the next sampling instant; returns the time (s) that it has come to. With
    /// error control it ends where the method wants it to.
    ///
    /// # Errors
    /// Those of a run.
    pub fn step(&mut self) -> Result<f64, SolveError> {
        if self.run.is_over() {
            return Ok(self.run.t);
        }
        let far = self.grid.and_then(|step| self.now.next_multiple(step)).unwrap_or(Nanos(u64::MAX));
        let (stop, sample) = self.next_stop(far);
        self.now = self.stepper.step(&mut self.run, self.now, stop)?;
        if self.now == stop {
            self.arrive(stop, sample)?;
        }
        Ok(self.run.t)
    }

    /// The next time at which steps end, and whether blocks are due there.
    fn next_stop(&self, until: Nanos) -> (Nanos, bool) {
        match self.run.system.next_sample(&self.run.data, self.now) {
            Some(sample) if sample <= until => (sample, true),
            _ => (until, false),
        }
    }

    /// Does what is due at a time that steps have come to.
    fn arrive(&mut self, stop: Nanos, sample: bool) -> Result<(), SolveError> {
        if self.run.is_over() {
            return Ok(());
        }
        (self.now, self.run.t) = (stop, stop.seconds());
        if sample {
            self.run.sample(stop)?;
            self.stepper.restart();
        }
        if self.run.row_due(stop) {
            let saved = if sample { self.run.record_settled(stop)? } else { self.run.record_here(stop)? };
            if saved {
                self.stepper.forget();
            }
        }
        Ok(())
    }

    /// Writes the state at a time inside the last step, by the dense output of the method.
    ///
    /// # Errors
    /// A time outside the last step, and methods without dense output: nothing is interpolated between implicit steps.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) -> Result<(), SolveError> {
        self.whole_state(x.len())?;
        let refuse = |reason: String| Err(SolveError::Options(reason));
        match self.stepper.interpolate(t, x) {
            None => refuse(format!(
                "no step to interpolate yet at t = {t} s: call step() first; implicit methods have no dense output"
            )),
            Some([from, to]) if !(from..=to).contains(&t) => {
                refuse(format!("t = {t} s is outside the last step, which went from {from} s to {to} s"))
            }
            Some(_) => Ok(()),
        }
    }

    /// Writes one value for every channel of the system.
    ///
    /// # Errors
    /// A slice of another length, and faults of the evaluation.
    pub fn outputs(&mut self, y: &mut [f64]) -> Result<(), SolveError> {
        let Run { system, data, x, m, t, .. } = &mut self.run;
        let channels = system.channels().len();
        if y.len() != channels {
            let message =
                format!("{} values were requested, but the system has {channels} channels", y.len());
            return Err(SolveError::Options(message));
        }
        Ok(system.outputs(data, *t, x, m, y)?)
    }

    /// Sets positions, velocities and states of laws, as in [`state`](Self::state) without the works, which stay. The state is
    /// put on the constraints exactly; the memory of laws and contacts is settled on it, held samples stay.
    ///
    /// # Errors
    /// Another length, a number that is not finite, and a state that is off the constraints by more than 1e-6 (SI); the state
    /// is then as before.
    pub fn set_state(&mut self, x: &[f64]) -> Result<(), SolveError> {
        let layout = self.run.system.layout();
        let length = layout.w().start;
        if x.len() != length {
            let message = format!("a state has {length} numbers here, but {} were given", x.len());
            return Err(SolveError::Options(message));
        }
        if let Some(index) = x.iter().position(|x| !x.is_finite()) {
            let name = self.run.system.state_name(index);
            return Err(SolveError::Options(format!("number {index} of the state, {name}, is not finite")));
        }
        self.run.set_state(x, CLOSED)?;
        self.stepper.forget();
        Ok(())
    }

    /// Everything that the simulation is at this instant. Going on from here is then the same, to the bit, as going on after
    /// [`restore`](Self::restore).
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.stepper.forget();
        self.run.checkpoint(self.now)
    }

    /// Goes back, or on, to a checkpoint.
    ///
    /// # Errors
    /// A checkpoint of another system, other parameters or another method.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), SolveError> {
        if checkpoint.fingerprint != self.run.fingerprint() || !checkpoint.is_of(&self.run.system.layout()) {
            return Err(foreign());
        }
        self.run.restore(checkpoint);
        self.now = checkpoint.t;
        self.stepper.forget();
        Ok(())
    }

    /// Back to the start with other parameters.
    ///
    /// # Errors
    /// Another number of parameters, and what [`new`](Self::new) refuses.
    pub fn bind(&mut self, p: &[f64]) -> Result<(), SolveError> {
        self.run.bind(p)?;
        self.stepper.bind(self.run.system, &self.run.data, p);
        self.reset()
    }

    /// The number of an input by its name.
    ///
    /// # Errors
    /// A name that no input has, with the nearest one.
    pub fn input(&self, name: &str) -> Result<usize, SolveError> {
        find_input(self.run.system, name)
    }

    /// Back to the start, with an input that follows a course from there on: a number, a table, a shape.
    ///
    /// # Errors
    /// An input that is not there, a table that cannot be used, and what [`new`](Self::new) refuses.
    pub fn bind_input(&mut self, input: usize, course: Course) -> Result<(), SolveError> {
        self.follow(input, course)?;
        self.reset()
    }

    /// Binds an input, without going back to the start.
    fn follow(&mut self, input: usize, course: Course) -> Result<(), SolveError> {
        self.known_input(input)?;
        self.run.bind_input(input, course)?;
        if let Some(Some(course)) = self.run.inputs.get(input) {
            self.stepper.bind_input(self.run.system, input, course);
        }
        Ok(())
    }

    /// Holds an input at a number (SI) from now on, until another one is set; that number belongs to the state and comes back
    /// with [`restore`](Self::restore). Blocks that are due at this instant have run already.
    ///
    /// # Errors
    /// An input that is not there or is bound to a table or a shape, and a number that is not finite.
    pub fn set_input(&mut self, input: usize, value: f64) -> Result<(), SolveError> {
        self.known_input(input)?;
        let name = || self.run.system.inputs()[input].name.clone();
        if !value.is_finite() {
            let message = format!("input {} cannot be set to {value}; give a finite number", name());
            return Err(SolveError::Options(message));
        }
        if !self.run.system.holds(&self.run.data, input) {
            let message = format!(
                "input {} follows a table or a shape and cannot be set; bind it to Course::Held first",
                name()
            );
            return Err(SolveError::Options(message));
        }
        self.run.system.hold(input, value, &mut self.run.m);
        self.stepper.restart();
        Ok(())
    }

    fn known_input(&self, input: usize) -> Result<(), SolveError> {
        let count = self.run.system.inputs().len();
        if input < count {
            return Ok(());
        }
        Err(SolveError::Options(format!("there is no input number {input}: the system has {count}")))
    }

    /// Back to the start.
    ///
    /// # Errors
    /// What [`new`](Self::new) refuses.
    pub fn reset(&mut self) -> Result<(), SolveError> {
        self.run.begin()?;
        self.now = Nanos::ZERO;
        self.stepper.forget();
        self.run.sample(Nanos::ZERO)
    }

    fn whole_state(&self, length: usize) -> Result<(), SolveError> {
        let whole = self.run.x.len();
        if length == whole {
            return Ok(());
        }
        Err(SolveError::Options(format!("a whole state has {whole} numbers here, but {length} were given")))
    }

    /// Runs to the end, with rows.
    fn drive(mut self, until: Nanos) -> Result<Summary, SolveError> {
        self.stepper.restart();
        if let Err(error) = self.advance_to(until) {
            self.run.keep_last_state(&error);
            return Err(error);
        }
        if let Some(name) = self.run.system.ended(&self.run.m) {
            self.run.summary.ended = Some(name.into());
            self.run.record_last()?;
        }
        Ok(self.run.finish())
    }
}

/// Simulates `system` with the resolved parameters `p`.
///
/// Integration steps end at every sample time; rows are recorded at multiples of the output period, at
/// a sample time after the sampling. The result depends on nothing but the arguments.
///
/// # Errors
/// Those of a run; what was recorded before stays valid.
pub fn simulate<S: Simulated>(
    system: &S,
    p: &[f64],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Summary, SolveError> {
    simulate_with(system, p, &[], options, observer)
}

/// [`simulate`] with inputs bound otherwise than the model says, each by its number.
///
/// # Errors
/// Those of a run, and inputs that cannot be bound.
pub fn simulate_with<S: Simulated>(
    system: &S,
    p: &[f64],
    inputs: &[(usize, Course)],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Summary, SolveError> {
    let mut simulation = Simulation::observed(system, p, options.method, Some(observer))?;
    for (input, course) in inputs {
        simulation.follow(*input, course.clone())?;
    }
    if !inputs.is_empty() {
        simulation.run.begin()?;
    }
    simulation.run.record_every(options.output, options.until)?;
    simulation.run.sample(Nanos::ZERO)?;
    simulation.run.record_settled(Nanos::ZERO)?;
    simulation.drive(options.until)
}

/// Resumes from `checkpoint`, behind the row that was recorded there, as [`simulate`] would have done. The end of the run
/// may be another one; with a fixed step the rows are the same to the bit.
///
/// # Errors
/// Those of a run, and a checkpoint of another model, other parameters or another solver.
pub fn resume<S: Simulated>(
    system: &S,
    p: &[f64],
    options: &Options,
    checkpoint: &Checkpoint,
    observer: &mut dyn Observer,
) -> Result<Summary, SolveError> {
    let mut simulation = Simulation::observed(system, p, options.method, Some(observer))?;
    simulation.run.record_every(options.output, options.until)?;
    simulation.restore(checkpoint)?;
    simulation.drive(options.until)
}

/// The number of an input by its name.
///
/// # Errors
/// A name that no input has, with the nearest one.
pub fn find_input<S: System>(system: &S, name: &str) -> Result<usize, SolveError> {
    let inputs = system.inputs();
    if let Some(input) = inputs.iter().position(|input| input.name == name) {
        return Ok(input);
    }
    let hint = gelenk_math::suggest::hint(name, inputs.iter().map(|input| input.name.as_str()));
    let hint = if inputs.is_empty() { "; the system has no inputs".into() } else { hint };
    Err(SolveError::Options(format!("there is no input \"{name}\"{hint}")))
}

fn foreign() -> SolveError {
    SolveError::Options("the saved state belongs to another model, other parameters or another solver".into())
}
