//! The loop over samples and outputs.

use std::cell::OnceCell;

use gelenk_system::{Nanos, Simulated};

use crate::checkpoint::{self, CHECKPOINT_ROWS, Checkpoint};
use crate::error::SolveError;
use crate::explicit::Explicit;
use crate::options::{Method, Options};
use crate::stepped::Stepped;
use crate::summary::{EnergyBalance, StepFacts, Summary, Work};

/// Why an observer ends a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopRun {
    /// The user asked for it.
    Interrupted,
    /// Something failed; the text says what.
    Failed(String),
}

/// Whoever follows a run.
pub trait Observer {
    /// Takes a row: the time, then one value for every channel.
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun>;

    /// Takes the counts so far and what the last step took, before every row.
    fn statistics(&mut self, so_far: &Summary, last: StepFacts) {
        let _ = (so_far, last);
    }

    /// Takes the state behind the row that came last, every [`CHECKPOINT_ROWS`] rows where the row is the end of a step;
    /// a run goes on from it by [`resume`]. Making the checkpoint allocates, so it is made only when asked for.
    fn checkpoint(&mut self, make: &dyn Fn() -> Checkpoint) {
        let _ = make;
    }

    /// Takes note of a mode change or a cut step.
    fn event(&mut self, t: f64, element: &str, what: &str) {
        let _ = (t, element, what);
    }

    /// Whether the user wants to stop; asked between rows where a step takes long.
    fn interrupted(&mut self, t: f64) -> bool {
        let _ = t;
        false
    }
}

/// State and workspace of a run, shared by the methods.
pub struct Run<'a, S: Simulated> {
    pub(crate) system: &'a S,
    pub(crate) data: S::Data<f64>,
    pub(crate) x: Vec<f64>,
    pub(crate) m: Vec<f64>,
    pub(crate) summary: Summary,
    /// What the last step took.
    pub(crate) facts: StepFacts,
    output: Nanos,
    /// End of the run (s).
    pub(crate) until: f64,
    /// Memory before a mode change.
    before: Vec<f64>,
    /// Switching functions, state and memory of a row whose holds are settled.
    g: Vec<f64>,
    kept_x: Vec<f64>,
    kept_m: Vec<f64>,
    y: Vec<f64>,
    stored: Vec<f64>,
    start: Start,
    /// Parameters and options, for the fingerprint of checkpoints, and that where it was already asked for: it takes a
    /// look at the whole system.
    p: &'a [f64],
    options: &'a Options,
    fingerprint: OnceCell<u64>,
    /// Time of the state (s).
    pub(crate) t: f64,
    observer: &'a mut dyn Observer,
}

/// Energies at the start.
struct Start {
    kinetic: f64,
    stored: Vec<f64>,
}

/// Simulates `system` with the resolved parameters `p`.
///
/// Integration steps end at every sample time; rows are recorded at multiples of the output period, at
/// a sample time after the sampling. The result depends on nothing but the arguments.
pub fn simulate<S: Simulated>(
    system: &S,
    p: &[f64],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Summary, SolveError> {
    drive(Run::new(system, p, options, observer)?, p, options, None)
}

/// Goes on from `checkpoint`, behind the row that was recorded there, as [`simulate`] would have done. The end of the run
/// may be another one; with a fixed step the rows are the same to the bit.
///
/// # Errors
/// Those of a run, and a checkpoint of another model, other parameters or another solver.
pub fn resume<S: Simulated>(
    system: &S,
    p: &[f64],
    options: &Options,
    checkpoint: Checkpoint,
    observer: &mut dyn Observer,
) -> Result<Summary, SolveError> {
    let mut run = Run::new(system, p, options, observer)?;
    if !checkpoint.fits(system, p, options) {
        let message = "the saved state belongs to another model, other parameters or another solver";
        return Err(SolveError::Options(message.into()));
    }
    let Checkpoint { t, x, m, summary, kinetic, stored, .. } = checkpoint;
    (run.x, run.m, run.summary, run.start) = (x, m, summary, Start { kinetic, stored });
    run.t = t.seconds();
    drive(run, p, options, Some(t))
}

/// Runs from the start, or behind the row that was recorded at `from`, to the end.
fn drive<S: Simulated>(
    mut run: Run<S>,
    p: &[f64],
    options: &Options,
    from: Option<Nanos>,
) -> Result<Summary, SolveError> {
    let system = run.system;
    let mut stepper: Box<dyn Stepper<S>> = match options.method {
        method @ (Method::Stepped { step } | Method::Stepped2 { step } | Method::RealTime { step }) => {
            Box::new(Stepped::new(system, p, method, step)?)
        }
        method => Box::new(Explicit::new(system, &run.data, method)?),
    };
    let mut now = from.unwrap_or(Nanos::ZERO);
    if from.is_none() {
        run.sample(now)?;
        run.record_settled(now)?;
    }
    stepper.restart();
    while now < options.until && !run.is_over() {
        let sample = system.next_sample(now);
        let stop = sample.map_or(options.until, |s| s.min(options.until));
        if let Err(error) = stepper.advance(&mut run, now, stop) {
            run.keep_last_state(&error);
            return Err(error);
        }
        if run.is_over() {
            break;
        }
        now = stop;
        let sampled = sample == Some(now);
        if sampled {
            run.sample(now)?;
            stepper.restart();
        }
        if now.is_multiple(options.output) || now == options.until {
            let saved = if sampled { run.record_settled(now)? } else { run.record_here(now)? };
            if saved {
                stepper.forget();
            }
        }
    }
    match system.ended(&run.m) {
        Some(name) => {
            run.summary.ended = Some(name.into());
            run.record_last()?;
        }
        None => run.t = now.seconds(),
    }
    Ok(run.finish(options.method))
}

/// A method of integration.
pub trait Stepper<S: Simulated> {
    /// Integrates from `now` to `stop`, recording the outputs between.
    fn advance(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<(), SolveError>;

    /// Takes note that memory or state changed from outside.
    fn restart(&mut self);

    /// Goes on as a run would that is resumed here.
    fn forget(&mut self) {
        self.restart();
    }
}

/// What rounding leaves of a position or velocity (SI).
const ROUNDED: f64 = 1e-14;

impl<'a, S: Simulated> Run<'a, S> {
    fn new(
        system: &'a S,
        p: &'a [f64],
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, SolveError> {
        if options.output == Nanos::ZERO {
            return Err(SolveError::Options("the output period must be at least 1 ns".into()));
        }
        let layout = system.layout();
        let mut data = system.data();
        system.bind(&mut data, p);
        system.check(&data, options.method.is_stepped())?;
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        system.start(&mut data, &mut x, &mut m)?;
        let mut stored = vec![0.0; layout.nw];
        let kinetic = system.energies(&mut data, 0.0, &x, &m, &mut stored);
        let start = Start { kinetic, stored: stored.clone() };
        let y = vec![0.0; 1 + system.channels().len()];
        Ok(Self {
            system,
            data,
            x,
            m,
            summary: Summary::default(),
            facts: StepFacts::default(),
            output: options.output,
            until: options.until.seconds(),
            before: vec![0.0; layout.nm],
            g: vec![0.0; layout.ng],
            kept_x: vec![0.0; layout.nx()],
            kept_m: vec![0.0; layout.nm],
            y,
            stored,
            start,
            p,
            options,
            fingerprint: OnceCell::new(),
            t: 0.0,
            observer,
        })
    }

    /// Runs what is due at a sample time.
    fn sample(&mut self, now: Nanos) -> Result<(), SolveError> {
        self.system.sample(&mut self.data, now, &self.x, &mut self.m)?;
        self.summary.samples += 1;
        Ok(())
    }

    /// Changes the mode of switching function `index` at time `t`, and tells of it and of what changes with it.
    pub(crate) fn switch(&mut self, t: f64, index: usize) -> Result<(), SolveError> {
        let system = self.system;
        self.before.copy_from_slice(&self.m);
        let own = system.switch_name(index);
        let what = system.switch(&mut self.data, t, index, &mut self.x, &mut self.m)?;
        if !what.is_empty() {
            self.event(t, own, what);
        }
        for mode in 0..system.modes() {
            match system.change(mode, &self.before, &self.m) {
                Some((element, what)) if element != own => self.event(t, element, what),
                _ => {}
            }
        }
        Ok(())
    }

    /// The first output after `t` in seconds, kept exact on the nanosecond grid.
    pub(crate) fn next_output(&self, t: Nanos) -> Option<Nanos> {
        t.next_multiple(self.output)
    }

    /// Records the present state with the holds that its loads leave on, which a sample or the start may have changed; the
    /// next step finds them and tells of them. The answer is that of [`Self::record_here`].
    fn record_settled(&mut self, now: Nanos) -> Result<bool, SolveError> {
        let (system, t) = (self.system, now.seconds());
        if system.layout().nh == 0 {
            return self.record_here(now);
        }
        let mut g = std::mem::take(&mut self.g);
        let (mut kept_x, mut kept_m) = (std::mem::take(&mut self.kept_x), std::mem::take(&mut self.kept_m));
        kept_x.copy_from_slice(&self.x);
        kept_m.copy_from_slice(&self.m);
        let mut settled = Ok(());
        for _ in 0..=2 * system.layout().nh {
            system.switching(&mut self.data, t, &kept_x, &kept_m, &mut g);
            let lost = (0..g.len()).find(|&index| g[index] < 0.0 && system.switches_hold(index));
            let Some(index) = lost else { break };
            settled = system.switch(&mut self.data, t, index, &mut kept_x, &mut kept_m).map(|_| ());
            if settled.is_err() {
                break;
            }
        }
        std::mem::swap(&mut self.m, &mut kept_m);
        let recorded = match settled {
            Ok(()) => self.record_state(t, &kept_x),
            Err(fault) => Err(fault.into()),
        };
        std::mem::swap(&mut self.m, &mut kept_m);
        (self.g, self.kept_x, self.kept_m) = (g, kept_x, kept_m);
        recorded?;
        Ok(self.save(now))
    }

    /// Records the present state. Where it says `true`, a checkpoint was made, and the method must forget what it
    /// remembers beside state and memory.
    pub(crate) fn record_here(&mut self, now: Nanos) -> Result<bool, SolveError> {
        let x = std::mem::take(&mut self.x);
        let recorded = self.record_state(now.seconds(), &x);
        self.x = x;
        recorded?;
        Ok(self.save(now))
    }

    /// Makes a checkpoint where one is due, and says so.
    fn save(&mut self, now: Nanos) -> bool {
        let due = self.summary.rows.is_multiple_of(CHECKPOINT_ROWS);
        if due {
            let Self { system, p, options, fingerprint, x, m, summary, start, .. } = self;
            let Start { kinetic, stored } = start;
            let make = || Checkpoint {
                fingerprint: *fingerprint.get_or_init(|| checkpoint::fingerprint(*system, p, options)),
                t: now,
                x: x.clone(),
                m: m.clone(),
                summary: summary.clone(),
                kinetic: *kinetic,
                stored: stored.clone(),
            };
            self.observer.checkpoint(&make);
        }
        due
    }

    /// Whether the system has ended the run.
    pub(crate) fn is_over(&self) -> bool {
        self.system.ended(&self.m).is_some()
    }

    /// Ends the recording with the present state, where that lies behind the last row.
    fn record_last(&mut self) -> Result<(), SolveError> {
        if self.t <= self.y[0] {
            return Ok(());
        }
        let x = std::mem::take(&mut self.x);
        let recorded = self.record_state(self.t, &x);
        self.x = x;
        recorded
    }

    /// Ends the recording of a run that failed with the last good state, where that lies behind the last row.
    fn keep_last_state(&mut self, error: &SolveError) {
        let stopped = matches!(error, SolveError::Interrupted { .. } | SolveError::Observer(_));
        if !stopped {
            // The failure that is told is the first one.
            let _ = self.record_last();
        }
    }

    /// Records a state, for instance one from dense output.
    pub(crate) fn record_state(&mut self, t: f64, x: &[f64]) -> Result<(), SolveError> {
        self.y[0] = t;
        self.system.outputs(&mut self.data, t, x, &self.m, &mut self.y[1..])?;
        self.balance(t, x);
        self.summary.rows += 1;
        self.observer.statistics(&self.summary, self.facts);
        match self.observer.row(&self.y) {
            Ok(()) => Ok(()),
            Err(StopRun::Interrupted) => Err(SolveError::Interrupted { t }),
            Err(StopRun::Failed(reason)) => Err(SolveError::Observer(reason)),
        }
    }

    /// Updates the energy residue and the mismatch at a recorded row; returns the kinetic energy.
    fn balance(&mut self, t: f64, x: &[f64]) -> f64 {
        let kinetic = self.system.energies(&mut self.data, t, x, &self.m, &mut self.stored);
        let works = &x[self.system.layout().w()];
        let residue = kinetic - self.start.kinetic - works.iter().sum::<f64>();
        let largest = works.iter().fold(0.0f64, |max, w| max.max(w.abs()));
        let energy = &mut self.summary.energy;
        // What is not finite stays so: no later row can put it right.
        let worse = residue.abs() > energy.residue.abs() || !residue.is_finite();
        if worse && energy.residue.is_finite() {
            energy.residue = residue;
        }
        let (mut mismatch, mut most) = (0.0, (0.0, None));
        for (k, _) in self.system.accounts().iter().enumerate().filter(|(_, a)| a.conservative) {
            let given = works[k] + self.stored[k] - self.start.stored[k];
            mismatch += given;
            if given.abs() > most.0 {
                most = (given.abs(), Some(k));
            }
        }
        if mismatch.abs() > energy.mismatch.abs() {
            (energy.mismatch, energy.mismatched) = (mismatch, most.1);
        }
        energy.scale = energy.scale.max(kinetic + largest);
        kinetic
    }

    /// Ends the run where the user asks for it, inside a step that takes long.
    pub(crate) fn look_up(&mut self, t: f64) -> Result<(), SolveError> {
        if self.observer.interrupted(t) { Err(SolveError::Interrupted { t }) } else { Ok(()) }
    }

    /// Reports a mode change.
    pub(crate) fn event(&mut self, t: f64, element: &str, what: &str) {
        self.summary.events += 1;
        self.observer.event(t, element, what);
    }

    /// Reports a loop that has passed a singular position in the last step.
    pub(crate) fn report_passed(&mut self) {
        if let Some((element, t)) = self.system.passed(&self.m) {
            self.summary.events += 1;
            self.observer.event(t, element, "passes a singular position");
        }
    }

    /// Energy below which a residue means nothing: a share of what is in the system at the start, and the energy of a motion at
    /// ten times the tolerance, since errors add up; in fixed steps that of rounding.
    fn energy_floor(&mut self, method: Method) -> f64 {
        let stored: f64 = self.start.stored.iter().map(|e| e.abs()).sum();
        let rounding = 1e-10 * (self.start.kinetic + stored);
        let atol = match method {
            Method::Bs23 { atol, .. } | Method::Dopri5 { atol, .. } | Method::Dop853 { atol, .. } => atol,
            _ => ROUNDED,
        };
        let layout = self.system.layout();
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        if self.system.start(&mut self.data, &mut x, &mut m).is_err() {
            return rounding;
        }
        for q in layout.q() {
            x[q] += atol;
        }
        for v in layout.v() {
            x[v] = atol;
        }
        let kinetic = self.system.energies(&mut self.data, 0.0, &x, &m, &mut self.stored);
        let lifted = self.stored.iter().zip(&self.start.stored).map(|(now, then)| (now - then).abs());
        let tolerance = 100.0 * (kinetic + lifted.sum::<f64>());
        if tolerance.is_finite() { rounding + tolerance } else { rounding }
    }

    fn finish(mut self, method: Method) -> Summary {
        let floor = self.energy_floor(method);
        let x = std::mem::take(&mut self.x);
        let kinetic = self.balance(self.t, &x);
        let mut summary = self.summary;
        summary.time = self.t;
        let works = x[self.system.layout().w()].iter().zip(self.system.accounts()).enumerate();
        summary.energy = EnergyBalance {
            kinetic: kinetic - self.start.kinetic,
            works: works
                .map(|(k, (&work, account))| Work {
                    name: account.name.clone(),
                    work,
                    stored: self.stored[k] - self.start.stored[k],
                    conservative: account.conservative,
                })
                .collect(),
            floor,
            ..summary.energy
        };
        summary
    }
}
