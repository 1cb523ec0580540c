//! A group of runs at work.

use gelenk_math::{Lockstep, Mask};
use gelenk_system::{InLanes, Nanos};

use super::explicit::Explicit;
use super::newton::Newton;
use super::rows::{Pick, Rows};
use super::{Answers, WIDTH, Wide};
use crate::error::SolveError;
use crate::options::Options;
use crate::simulation::Simulation;

/// What has become of a lane.
#[derive(Clone, Debug)]
enum Lane {
    /// No run is in it.
    Empty,
    /// It goes on.
    Runs,
    /// Its run is to be done alone.
    Alone,
    /// It could not begin.
    Failed(SolveError),
}

/// A method of integration.
enum Stepper<S: InLanes> {
    Explicit(Box<Explicit<S>>),
    Stepped(Box<Newton<S>>),
}

/// States and workspace of a group, for one group after the other.
pub(super) struct Group<'a, S: InLanes> {
    system: &'a S,
    options: Options,
    picked: &'a [Pick],
    /// Workspaces of the single runs: starts, samples, outputs.
    single: Vec<S::Data<f64>>,
    stepper: Stepper<S>,
    p: Vec<Wide>,
    x: Vec<Wide>,
    m: Vec<Wide>,
    x1: Vec<Wide>,
    m1: Vec<Wide>,
    lanes: [Lane; WIDTH],
    /// State, memory and outputs of one run.
    own_x: Vec<f64>,
    own_m: Vec<f64>,
    y: Vec<f64>,
    /// Times of the rows (s), and the rows of each lane.
    times: Vec<f64>,
    rows: [Vec<f64>; WIDTH],
    /// For runs that are done alone.
    simulation: Option<Simulation<'a, S>>,
}

impl<'a, S: InLanes> Group<'a, S> {
    pub(super) fn new(system: &'a S, options: &Options, picked: &'a [Pick]) -> Self {
        let layout = system.layout();
        let wide = |n: usize| vec![Wide::of(0.0); n];
        let stepper = match options.method.is_stepped() {
            true => Stepper::Stepped(Box::new(Newton::new(system))),
            false => Stepper::Explicit(Box::new(Explicit::new(system, options.method))),
        };
        let times = times(options);
        let values = times.len() * picked.len();
        Self {
            system,
            options: *options,
            picked,
            single: (0..WIDTH).map(|_| system.data()).collect(),
            stepper,
            p: wide(system.parameters().len()),
            x: wide(layout.nx()),
            m: wide(layout.nm),
            x1: wide(layout.nx()),
            m1: wide(layout.nm),
            lanes: [const { Lane::Empty }; WIDTH],
            own_x: vec![0.0; layout.nx()],
            own_m: vec![0.0; layout.nm],
            y: vec![0.0; system.channels().len()],
            times,
            rows: std::array::from_fn(|_| Vec::with_capacity(values)),
            simulation: None,
        }
    }

    /// Runs up to [`WIDTH`] parameter vectors to the end.
    pub(super) fn run<P: AsRef<[f64]>>(&mut self, runs: &[P]) {
        self.rows.iter_mut().for_each(Vec::clear);
        for lane in 0..WIDTH {
            self.lanes[lane] = match runs.get(lane) {
                None => Lane::Empty,
                Some(run) => match self.begin(lane, run.as_ref()) {
                    Ok(()) => Lane::Runs,
                    Err(error) => Lane::Failed(error),
                },
            };
            if matches!(self.lanes[lane], Lane::Empty | Lane::Failed(_)) {
                self.vacate(lane);
            }
        }
        match &mut self.stepper {
            Stepper::Explicit(explicit) => explicit.bind(self.system, &self.p),
            Stepper::Stepped(newton) => newton.bind(self.system, &self.p),
        }
        self.record(Nanos::ZERO);
        let until = self.options.until;
        let mut now = Nanos::ZERO;
        while now < until && self.running().any() {
            let row = after(now, &self.options);
            // Sampling instants and corners of inputs are those of every run.
            let due = self.system.next_sample(&self.single[0], now).filter(|&due| due <= row);
            let stop = due.unwrap_or(row);
            self.advance(now, stop);
            now = stop;
            if due.is_some() {
                self.sample(now);
            }
            if now == row {
                self.record(now);
            }
        }
    }

    /// Brings a run to its start in a lane.
    fn begin(&mut self, lane: usize, p: &[f64]) -> Result<(), SolveError> {
        let Self { system, single, own_x, own_m, options, .. } = self;
        let count = system.parameters().len();
        if p.len() != count {
            let message = format!("{} parameters are given, and the system has {count}", p.len());
            return Err(SolveError::Options(message));
        }
        let data = &mut single[lane];
        system.bind(data, p);
        system.check(data, options.method.is_stepped())?;
        system.start(data, own_x, own_m)?;
        system.sample(data, Nanos::ZERO, own_x, own_m)?;
        put(&mut self.p, lane, p);
        put(&mut self.x, lane, &self.own_x);
        put(&mut self.m, lane, &self.own_m);
        Ok(())
    }

    /// Leaves a lane to what is no number.
    fn vacate(&mut self, lane: usize) {
        for list in [&mut self.p, &mut self.x, &mut self.m] {
            list.iter_mut().for_each(|slot| slot.set_lane(lane, f64::NAN));
        }
    }

    /// Lanes whose runs go on.
    fn running(&self) -> Answers {
        Answers::from_fn(|lane| matches!(self.lanes[lane], Lane::Runs))
    }

    /// Takes those lanes out whose runs are to be done alone.
    fn leave(&mut self, which: Answers) {
        for (lane, state) in self.lanes.iter_mut().enumerate() {
            if which.holds(lane) && matches!(state, Lane::Runs) {
                *state = Lane::Alone;
            }
        }
    }

    /// Integrates from one time of the clock to another.
    fn advance(&mut self, now: Nanos, stop: Nanos) {
        let running = self.running();
        let Self { system, single, stepper, x, m, x1, m1, own_m, .. } = self;
        let failed = match stepper {
            Stepper::Explicit(explicit) => {
                // What is known ahead of the inputs is that of every run.
                own_m.iter_mut().zip(&*m).for_each(|(slot, m)| *slot = m.lane(0));
                explicit.advance(*system, (&mut single[0], own_m), (now, stop), [x, x1], m)
            }
            Stepper::Stepped(newton) => {
                let mut left = running;
                let mut now = now;
                let step = self.options.method.step();
                while now < stop && left.any() {
                    let grid = step.and_then(|step| now.next_multiple(step)).unwrap_or(stop);
                    let next = grid.min(stop);
                    let failed =
                        newton.step(*system, [now, next].map(Nanos::seconds), [x, m], [x1, m1], left);
                    left = left & !failed;
                    std::mem::swap(x, x1);
                    std::mem::swap(m, m1);
                    now = next;
                }
                !left
            }
        };
        self.leave(failed);
    }

    /// Runs the blocks that are due.
    fn sample(&mut self, now: Nanos) {
        let running = self.running();
        for lane in (0..WIDTH).filter(|&lane| running.holds(lane)) {
            let Self { system, single, own_x, own_m, .. } = self;
            take(&self.x, lane, own_x);
            take(&self.m, lane, own_m);
            if system.sample(&mut single[lane], now, own_x, own_m).is_err() {
                self.lanes[lane] = Lane::Alone;
            }
            put(&mut self.m, lane, &self.own_m);
        }
    }

    /// Keeps the picked numbers of every run.
    fn record(&mut self, now: Nanos) {
        let finite = self.x.iter().fold(Answers::of(true), |all, x| all & x.finite());
        self.leave(!finite);
        let whole = self.picked.iter().any(|pick| matches!(pick, Pick::Channel(_)));
        for lane in 0..WIDTH {
            if !matches!(self.lanes[lane], Lane::Runs) {
                continue;
            }
            let Self { system, single, own_x, own_m, y, .. } = self;
            if whole {
                take(&self.x, lane, own_x);
                take(&self.m, lane, own_m);
                if system.outputs(&mut single[lane], now.seconds(), own_x, own_m, y).is_err() {
                    self.lanes[lane] = Lane::Alone;
                    continue;
                }
            }
            let values = self.picked.iter().map(|&pick| match pick {
                Pick::State(index) => self.x[index].lane(lane),
                Pick::Channel(index) => y[index],
            });
            self.rows[lane].extend(values);
        }
    }

    /// What was kept of the run in a lane, whose parameters are `p`.
    pub(super) fn rows(&mut self, lane: usize, p: &[f64]) -> Result<Rows<'_>, SolveError> {
        let alone = match &self.lanes[lane] {
            Lane::Failed(error) => return Err(error.clone()),
            Lane::Alone => {
                self.run_alone(lane, p)?;
                true
            }
            Lane::Runs | Lane::Empty => false,
        };
        Ok(Rows { times: &self.times, values: &self.rows[lane], width: self.picked.len(), alone })
    }

    /// Does a run again, by itself; its rows take the place of those that it has.
    fn run_alone(&mut self, lane: usize, p: &[f64]) -> Result<(), SolveError> {
        let Self { system, options, picked, y, rows, simulation, .. } = self;
        let simulation = match simulation {
            Some(simulation) => {
                simulation.bind(p)?;
                simulation
            }
            None => simulation.insert(Simulation::new(*system, p, options.method)?),
        };
        let (rows, whole) = (&mut rows[lane], picked.iter().any(|pick| matches!(pick, Pick::Channel(_))));
        rows.clear();
        let mut now = Nanos::ZERO;
        loop {
            simulation.advance_to(now)?;
            if whole {
                simulation.outputs(y)?;
            }
            let state = simulation.state();
            rows.extend(picked.iter().map(|&pick| match pick {
                Pick::State(index) => state[index],
                Pick::Channel(index) => y[index],
            }));
            if now >= options.until {
                return Ok(());
            }
            now = after(now, options);
        }
    }
}

/// The next time at which a row is kept.
fn after(now: Nanos, options: &Options) -> Nanos {
    now.next_multiple(options.output).unwrap_or(options.until).min(options.until)
}

/// Times of the rows (s).
fn times(options: &Options) -> Vec<f64> {
    let mut now = Nanos::ZERO;
    let mut times = vec![0.0];
    while now < options.until {
        now = after(now, options);
        times.push(now.seconds());
    }
    times
}

/// Writes the numbers of one run into its lane.
fn put(wide: &mut [Wide], lane: usize, own: &[f64]) {
    wide.iter_mut().zip(own).for_each(|(slot, &value)| slot.set_lane(lane, value));
}

/// Reads the numbers of one run from its lane.
fn take(wide: &[Wide], lane: usize, own: &mut [f64]) {
    own.iter_mut().zip(wide).for_each(|(slot, value)| *slot = value.lane(lane));
}
