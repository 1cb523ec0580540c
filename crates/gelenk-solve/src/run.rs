//! State and workspace of a run, shared by the methods.

use std::cell::OnceCell;

use gelenk_record::Change;
use gelenk_system::{Course, Fault, Nanos, Simulated};

use crate::checkpoint::{self, CHECKPOINT_ROWS, Checkpoint};
use crate::error::SolveError;
use crate::observer::{Observer, StopRun};
use crate::options::Method;
use crate::summary::{EnergyBalance, StepFacts, Summary, Work};

/// State and workspace of a run, shared by the methods.
pub(crate) struct Run<'a, S: Simulated> {
    pub(crate) system: &'a S,
    pub(crate) data: S::Data<f64>,
    pub(crate) x: Vec<f64>,
    pub(crate) m: Vec<f64>,
    pub(crate) summary: Summary,
    /// What the last step took.
    pub(crate) facts: StepFacts,
    /// Period of recorded rows; `None` without them.
    output: Option<Nanos>,
    /// End of the run, where it has one, and that in seconds.
    end: Option<Nanos>,
    pub(crate) until: f64,
    /// Memory before a mode change.
    before: Vec<f64>,
    /// Switching functions, state and memory of a row whose holds are settled.
    g: Vec<f64>,
    kept_x: Vec<f64>,
    kept_m: Vec<f64>,
    y: Vec<f64>,
    stored: Vec<f64>,
    pub(crate) start: Start,
    /// Parameters, inputs that are bound otherwise than by the model, and options, for the fingerprint of checkpoints, and
    /// that where it was already asked for: it takes a look at the whole system.
    p: Vec<f64>,
    pub(crate) inputs: Vec<Option<Course>>,
    method: Method,
    fingerprint: OnceCell<u64>,
    /// Time of the state (s).
    pub(crate) t: f64,
    observer: Option<&'a mut dyn Observer>,
}

/// Energies at the start.
pub(crate) struct Start {
    pub(crate) kinetic: f64,
    pub(crate) stored: Vec<f64>,
}

/// A method of integration.
pub(crate) trait Stepper<S: Simulated> {
    /// Integrates from `now` to `stop`, recording the outputs between.
    fn advance(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<(), SolveError>;

    /// Takes one step from the state of the run towards `stop`; returns the last time of the clock that it has passed.
    fn step(&mut self, run: &mut Run<S>, now: Nanos, stop: Nanos) -> Result<Nanos, SolveError>;

    /// Keeps the dense output of every step from now on, where the method has one.
    fn keep_dense(&mut self) {}

    /// Writes the state inside the last step at `t`, and says from when to when that step went; `None` where there is no dense
    /// output.
    fn interpolate(&self, t: f64, x: &mut [f64]) -> Option<[f64; 2]> {
        let _ = (t, x);
        None
    }

    /// Takes other parameters, which `data` has already.
    fn bind(&mut self, system: &S, data: &S::Data<f64>, p: &[f64]);

    /// Takes another course of an input, where the method has workspaces of its own.
    fn bind_input(&mut self, system: &S, index: usize, course: &Course) {
        let _ = (system, index, course);
    }

    /// Takes note that memory or state changed from outside.
    fn restart(&mut self);

    /// Goes on as a run would that is resumed here.
    fn forget(&mut self) {
        self.restart();
    }
}

/// Refuses a vector of another number of parameters.
fn count_parameters<S: Simulated>(system: &S, p: &[f64]) -> Result<(), SolveError> {
    let (given, count) = (p.len(), system.parameters().len());
    if given == count {
        return Ok(());
    }
    Err(SolveError::Options(format!("{given} parameters are given, and the system has {count}")))
}

/// What rounding leaves of a position or velocity (SI).
const ROUNDED: f64 = 1e-14;

/// Share of the limit of stability that a step may use: at the limit itself nothing decays.
const SAFE: f64 = 0.9;

/// Checks the parameters, and the step against the fastest decay: a step beyond its stability gives numbers of a size that
/// looks like an answer.
fn check<S: Simulated>(system: &S, data: &S::Data<f64>, method: Method) -> Result<(), Fault> {
    system.check(data, method.is_stepped())?;
    let (Some(limit), Some(step), Some((element, time))) =
        (method.decay_limit(), method.step(), system.quickest(data))
    else {
        return Ok(());
    };
    let longest = SAFE * limit * time;
    if step.seconds() <= longest {
        return Ok(());
    }
    let reason = format!(
        "the step of {step} is too long for the lag of {time} s with which this follows a force: \"{}\" is stable up to {limit} \
         times it; use a step of at most {:.1e} s, a longer lag, or a method with error control such as \"dopri5\"",
        method.name(),
        longest
    );
    Err(Fault::Refused { element: element.to_owned(), reason })
}

impl<'a, S: Simulated> Run<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        p: &[f64],
        method: Method,
        observer: Option<&'a mut dyn Observer>,
    ) -> Result<Self, SolveError> {
        count_parameters(system, p)?;
        let layout = system.layout();
        let mut data = system.data();
        system.bind(&mut data, p);
        check(system, &data, method)?;
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
            output: None,
            end: None,
            until: f64::INFINITY,
            before: vec![0.0; layout.nm],
            g: vec![0.0; layout.ng],
            kept_x: vec![0.0; layout.nx()],
            kept_m: vec![0.0; layout.nm],
            y,
            stored,
            start,
            p: p.to_vec(),
            inputs: vec![None; system.inputs().len()],
            method,
            fingerprint: OnceCell::new(),
            t: 0.0,
            observer,
        })
    }

    /// Records rows every `output`, and at the end.
    pub(crate) fn record_every(&mut self, output: Nanos, until: Nanos) -> Result<(), SolveError> {
        if output == Nanos::ZERO {
            return Err(SolveError::Options("the output period must be at least 1 ns".into()));
        }
        (self.output, self.end, self.until) = (Some(output), Some(until), until.seconds());
        Ok(())
    }

    /// Whether a row is due at a time at which steps end.
    pub(crate) fn row_due(&self, now: Nanos) -> bool {
        self.output.is_some_and(|output| now.is_multiple(output)) || self.end == Some(now)
    }

    /// Back to the start, as a new run.
    pub(crate) fn begin(&mut self) -> Result<(), SolveError> {
        self.system.start(&mut self.data, &mut self.x, &mut self.m)?;
        self.start_energies(0.0);
        (self.summary, self.facts, self.t) = (Summary::default(), StepFacts::default(), 0.0);
        Ok(())
    }

    /// The energies from which the balance counts are those of the present state.
    pub(crate) fn start_energies(&mut self, t: f64) {
        let Self { system, data, x, m, start, .. } = self;
        start.kinetic = system.energies(data, t, x, m, &mut start.stored);
    }

    /// Sets all of the state but the works; where it is off the constraints by more than `closed`, nothing is changed.
    pub(crate) fn set_state(&mut self, x: &[f64], closed: f64) -> Result<(), SolveError> {
        let Self { system, data, kept_x, kept_m, t, .. } = self;
        kept_x.copy_from_slice(&self.x);
        kept_x[..x.len()].copy_from_slice(x);
        kept_m.copy_from_slice(&self.m);
        let open = system.project(data, *t, kept_x, kept_m)?;
        // Velocities that the constraints do not admit are taken away by the projection, too.
        let off = x.iter().zip(kept_x.iter()).fold(open, |max, (given, on)| max.max((given - on).abs()));
        if off > closed {
            let message =
                format!("the state is off its constraints by {off:.3e} (SI); give one that closes the loops");
            return Err(SolveError::Options(message));
        }
        system.settle(data, *t, kept_x, kept_m);
        std::mem::swap(&mut self.x, &mut self.kept_x);
        std::mem::swap(&mut self.m, &mut self.kept_m);
        Ok(())
    }

    /// Becomes what a checkpoint of this run was.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) {
        self.x.copy_from_slice(&checkpoint.x);
        self.m.copy_from_slice(&checkpoint.m);
        self.summary.clone_from(&checkpoint.summary);
        self.start.kinetic = checkpoint.kinetic;
        self.start.stored.copy_from_slice(&checkpoint.stored);
        self.t = checkpoint.at;
    }

    /// Binds other parameters.
    pub(crate) fn bind(&mut self, p: &[f64]) -> Result<(), SolveError> {
        count_parameters(self.system, p)?;
        self.p.copy_from_slice(p);
        self.system.bind(&mut self.data, p);
        self.fingerprint = OnceCell::new();
        Ok(check(self.system, &self.data, self.method)?)
    }

    /// Binds an input to a course; the run then begins anew.
    pub(crate) fn bind_input(&mut self, index: usize, course: Course) -> Result<(), SolveError> {
        if let Some(reason) = course.fault() {
            let name = &self.system.inputs()[index].name;
            return Err(SolveError::Options(format!("input {name}: {reason}")));
        }
        self.system.bind_input(&mut self.data, index, &course);
        self.inputs[index] = Some(course);
        self.fingerprint = OnceCell::new();
        Ok(())
    }

    /// Runs what is due at a sample time.
    pub(crate) fn sample(&mut self, now: Nanos) -> Result<(), SolveError> {
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
        if let Some(what) = what {
            self.event(t, own, what);
        }
        self.report_changes(t, own);
        Ok(())
    }

    /// What stops at a limit in a step at time `t`, and what changes with it; `hold` is that of the limit, and a `plastic`
    /// impact has no rebound.
    pub(crate) fn strike(&mut self, t: f64, hold: (usize, bool)) -> Result<(), SolveError> {
        let system = self.system;
        self.before.copy_from_slice(&self.m);
        if let Some((own, what)) = system.strike(&mut self.data, t, hold, &mut self.x, &mut self.m)? {
            self.event(t, own, what);
            self.report_changes(t, own);
        }
        Ok(())
    }

    /// Tells of all modes that have changed since `before`, but for those of one element.
    fn report_changes(&mut self, t: f64, own: &str) {
        let system = self.system;
        for mode in 0..system.modes() {
            match system.change(mode, &self.before, &self.m) {
                Some((element, what)) if element != own => self.event(t, element, what),
                _ => {}
            }
        }
    }

    /// The first output after `t` in seconds, kept exact on the nanosecond grid.
    pub(crate) fn next_output(&self, t: Nanos) -> Option<Nanos> {
        t.next_multiple(self.output?)
    }

    /// Records the present state with the holds that its loads leave on, which a sample or the start may have changed; the
    /// next step finds them and tells of them. The answer is that of [`Self::record_here`].
    pub(crate) fn record_settled(&mut self, now: Nanos) -> Result<bool, SolveError> {
        let (system, t) = (self.system, now.seconds());
        if system.layout().nh == 0 {
            return self.record_here(now);
        }
        let mut g = std::mem::take(&mut self.g);
        let (mut kept_x, mut kept_m) = (std::mem::take(&mut self.kept_x), std::mem::take(&mut self.kept_m));
        kept_x.copy_from_slice(&self.x);
        kept_m.copy_from_slice(&self.m);
        let mut settled = Ok(());
        if let Some(index) = system.landed(&self.data, &kept_x, &kept_m) {
            settled = system.switch(&mut self.data, t, index, &mut kept_x, &mut kept_m).map(|_| ());
        }
        for _ in 0..=2 * system.layout().nh {
            system.switching(&mut self.data, t, &kept_x, &kept_m, &mut g);
            let lost = (0..g.len()).find(|&index| g[index] < 0.0 && system.switches_hold(index));
            let Some(index) = lost.filter(|_| settled.is_ok()) else { break };
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
        if due && let Some(observer) = self.observer.take() {
            observer.checkpoint(&|| self.checkpoint(now));
            self.observer = Some(observer);
        }
        due
    }

    /// Everything that the run is at an instant.
    pub(crate) fn checkpoint(&self, now: Nanos) -> Checkpoint {
        Checkpoint {
            fingerprint: self.fingerprint(),
            t: now,
            at: self.t.max(now.seconds()),
            x: self.x.clone(),
            m: self.m.clone(),
            summary: self.summary.clone(),
            kinetic: self.start.kinetic,
            stored: self.start.stored.clone(),
        }
    }

    /// What a checkpoint must have in common with this run.
    pub(crate) fn fingerprint(&self) -> u64 {
        let Self { system, p, inputs, output, method, .. } = self;
        *self.fingerprint.get_or_init(|| checkpoint::fingerprint(*system, p, inputs, *output, *method))
    }

    /// Whether the system has ended the run.
    pub(crate) fn is_over(&self) -> bool {
        self.system.ended(&self.m).is_some()
    }

    /// Ends the recording with the present state, where that lies behind the last row.
    pub(crate) fn record_last(&mut self) -> Result<(), SolveError> {
        if self.t <= self.y[0] {
            return Ok(());
        }
        let x = std::mem::take(&mut self.x);
        let recorded = self.record_state(self.t, &x);
        self.x = x;
        recorded
    }

    /// Ends the recording of a run that failed with the last good state, where that lies behind the last row.
    pub(crate) fn keep_last_state(&mut self, error: &SolveError) {
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
        let Some(observer) = &mut self.observer else { return Ok(()) };
        observer.statistics(&self.summary, self.facts);
        match observer.row(&self.y) {
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
        let interrupted = self.observer.as_mut().is_some_and(|observer| observer.interrupted(t));
        if interrupted { Err(SolveError::Interrupted { t }) } else { Ok(()) }
    }

    /// Reports a mode change.
    pub(crate) fn event(&mut self, t: f64, element: &str, what: Change) {
        self.summary.events += 1;
        if let Some(observer) = &mut self.observer {
            observer.event(t, element, what);
        }
    }

    /// Reports a loop that has passed a singular position in the last step.
    pub(crate) fn report_passed(&mut self) {
        let system = self.system;
        if let Some((element, t)) = system.passed(&self.m) {
            self.event(t, element, Change::PassesSingularity);
        }
    }

    /// Energy below which a residue means nothing: a share of what is in the system at the start, and the energy of a motion at
    /// ten times the tolerance, since errors add up; in fixed steps that of rounding.
    fn energy_floor(&mut self) -> f64 {
        let stored: f64 = self.start.stored.iter().map(|e| e.abs()).sum();
        let rounding = 1e-10 * (self.start.kinetic + stored);
        let atol = match self.method {
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

    pub(crate) fn finish(mut self) -> Summary {
        let floor = self.energy_floor();
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
