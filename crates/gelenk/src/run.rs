//! Simulating a mechanism into a recording.

use std::collections::BTreeMap;

use gelenk_io::Pieces;
use gelenk_multibody::Mechanism;
use gelenk_record::{Change, Column, Event, Recording, Sink};
use gelenk_solve::auto::{Wishes, choose};
use gelenk_solve::{
    Checkpoint, EnergyLimits, Method, Observer, Options, SolveError, StepFacts, StopRun, Summary, Verdict,
    judge, resume,
};
use gelenk_system::{Course, Nanos, System};
use serde_json::json;
use thiserror::Error;

use crate::interrupt::Interrupt;
use crate::open::TOLERANCE;
use crate::turns::Turns;

/// A run that did not reach its end; what was recorded before stays valid.
#[derive(Debug, Error)]
pub enum RunError {
    /// The integration failed or was interrupted.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A run that reached its end.
    #[error("the recording is complete; there is nothing left to compute")]
    Complete,
    /// A recording of another run.
    #[error(
        "the recording belongs to another model, other parameters or another solver; resume with the options of the \
         run that made it"
    )]
    OtherRun,
    /// A recording that reaches further than the run is to go.
    #[error(
        "the recording already extends to {reached} s, and the run ends at {until} s; give a later --until"
    )]
    Earlier {
        /// Time of the last row (s).
        reached: f64,
        /// End of the run (s).
        until: f64,
    },
    /// A time that cannot be one.
    #[error("{name} = {value} s: a time greater than 0 was expected")]
    Time {
        /// Which one.
        name: &'static str,
        /// Its value (s).
        value: f64,
    },
    /// The columns of the model cannot make a recording.
    #[error(transparent)]
    Record(#[from] gelenk_record::RecordError),
}

/// Columns of a recording of `mechanism`: time first, then its channels.
pub fn columns(mechanism: &Mechanism) -> Vec<Column> {
    let channels = mechanism.channels().iter();
    std::iter::once(Column::time())
        .chain(channels.map(|c| Column::new(&c.name, &c.unit, &c.meaning)))
        .collect()
}

/// A clock of the CPU time that the run has taken (s).
pub type CpuClock<'a> = &'a mut dyn FnMut() -> f64;

/// Columns that a recording has behind those of the mechanism where statistics are asked for. Counts are those since
/// the start; the real-time factor is that since the row before.
pub fn statistics_columns() -> Vec<Column> {
    let column = |name: &str, unit: &str, meaning: &str| Column::new(format!("solver.{name}"), unit, meaning);
    vec![
        column("step", "s", "last step"),
        column("order", "1", "order of the method"),
        column("steps", "1", "steps taken"),
        column("rejected", "1", "steps rejected or subdivided"),
        column("evaluations", "1", "evaluations of rates or residuals"),
        column("iterations", "1", "Newton iterations"),
        column("events", "1", "mode changes"),
        column("cpu", "s", "CPU time"),
        column("real_time_factor", "1", "CPU time over simulated time since the row before"),
    ]
}

/// Simulates `mechanism` with its own parameters for `until` seconds, with a row every `output` seconds, by the method that
/// suits it, as `auto` in a model file.
///
/// # Errors
/// Times that are not positive, whatever ends a run, and a run whose energy shows that it cannot be trusted.
pub fn simulate(mechanism: &Mechanism, until: f64, output: f64) -> Result<(Recording, Summary), RunError> {
    let (p, options) = (mechanism.parameters().values(), options(mechanism, until, output)?);
    let (recording, summary) = run(mechanism, &p, &options)?;
    match judge(mechanism, &p, &options, &summary, EnergyLimits::default()) {
        Verdict::Failure(error) => Err(error.into()),
        _ => Ok((recording, summary)),
    }
}

/// How to simulate `mechanism` with its own parameters for `until` seconds, with a row every `output` seconds: by the method
/// that suits it, as `auto` in a model file.
///
/// # Errors
/// Times that are not positive, and a mechanism that refuses every method.
pub fn options(mechanism: &Mechanism, until: f64, output: f64) -> Result<Options, RunError> {
    let time = |name, value: f64| match Nanos::from_seconds(value) {
        Some(nanos) if nanos > Nanos::ZERO => Ok(nanos),
        _ => Err(RunError::Time { name, value }),
    };
    let (until, output) = (time("until", until)?, time("output", output)?);
    let (rtol, atol, max_step) = (TOLERANCE, TOLERANCE, f64::INFINITY);
    let mut options = Options { until, output, method: Method::Dopri5 { rtol, atol, max_step } };
    let wishes = Wishes { rtol, atol, max_step, step: None };
    options.method = choose(mechanism, &mechanism.parameters().values(), &options, &wishes)?.method;
    Ok(options)
}

/// Simulates `mechanism` with the resolved parameters `p` into `sink`.
///
/// With a clock every row goes on with the [`statistics_columns`]. `progress` is called after every row with the time (s) and the number of rows that are safe; it returns
/// `false` to interrupt the run.
pub fn run_into(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    clock: Option<CpuClock<'_>>,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Summary, RunError> {
    run_bound_into(mechanism, (p, &[]), options, clock, sink, progress)
}

/// As [`run_into`], with inputs bound otherwise than the model says, each by its number.
fn run_bound_into(
    mechanism: &Mechanism,
    (p, inputs): (&[f64], &[(usize, Course)]),
    options: &Options,
    clock: Option<CpuClock<'_>>,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Summary, RunError> {
    let mut data = mechanism.data();
    mechanism.bind(&mut data, p);
    mechanism.check_prescribed(&mut data, options.until.seconds()).map_err(SolveError::from)?;
    drop(data);
    let statistics = clock.map(|clock| Statistics::new(clock, mechanism, None));
    let mut recorder = Recorder::new(mechanism, sink, progress, statistics);
    Ok(gelenk_solve::simulate_with(mechanism, p, inputs, options, &mut recorder)?)
}

/// The state from which a run goes on that ended early and recorded `begun`; `None` where it ended before its first
/// checkpoint and begins anew. Nothing is written, so that a refusal leaves the recording as it is.
///
/// # Errors
/// A recording of a complete run or of something else, or one that reaches further than the run.
pub fn resumable(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    begun: &Pieces,
) -> Result<Option<Checkpoint>, RunError> {
    let checkpoint = match begun.meta().get(gelenk_io::STATE) {
        None if begun.meta().contains_key("summary.time") => return Err(RunError::Complete),
        None => None,
        Some(text) => {
            let fits = |checkpoint: &Checkpoint| {
                checkpoint.fits(mechanism, p, options)
                    && begun.columns().strip_prefix(&columns(mechanism)[..]).is_some_and(is_all_statistics)
                    && usize::try_from(checkpoint.rows()).is_ok_and(|rows| rows <= begun.rows())
            };
            Some(Checkpoint::from_text(text).filter(fits).ok_or(RunError::OtherRun)?)
        }
    };
    let until = options.until.seconds();
    match begun.span() {
        Some((_, reached)) if reached > until => Err(RunError::Earlier { reached, until }),
        _ => Ok(checkpoint),
    }
}

/// Whether these columns are what statistics add, if anything.
fn is_all_statistics(columns: &[Column]) -> bool {
    columns.is_empty() || columns == statistics_columns()
}

/// Whether a recording with these columns has statistics.
pub fn has_statistics(columns: &[Column]) -> bool {
    columns.ends_with(&statistics_columns())
}

/// Goes on with a run that ended early: shows what it recorded up to `checkpoint` to `sink` ([`Sink::kept_row`]), piece by
/// piece, then simulates on from there. With a fixed step the result is the same to the bit as that of a run that did not end, but for CPU times.
/// A clock is needed where the recording has statistics.
///
/// # Errors
/// Those of [`run_into`].
pub fn resume_into(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    (begun, checkpoint): (&Pieces, Checkpoint),
    clock: Option<CpuClock<'_>>,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Summary, RunError> {
    let stored = |error: gelenk_record::SinkError| RunError::Solve(SolveError::Observer(error.to_string()));
    let events = usize::try_from(checkpoint.events()).unwrap_or(usize::MAX);
    for event in begun.events().iter().take(events) {
        sink.kept_event(event.clone()).map_err(stored)?;
    }
    let rows = usize::try_from(checkpoint.rows()).unwrap_or(usize::MAX);
    let mut row = keep_rows(begun, rows, sink)?;
    sink.state(checkpoint.to_text()).map_err(stored)?;
    let statistics = clock.map(|clock| Statistics::new(clock, mechanism, Some(&row)));
    let mut recorder = Recorder::new(mechanism, sink, progress, statistics);
    recorder.turns.follow(&mut row);
    Ok(resume(mechanism, p, options, &checkpoint, &mut recorder)?)
}

/// Shows the first rows of a recording to a sink; returns the last of them.
fn keep_rows(begun: &Pieces, rows: usize, sink: &mut dyn Sink) -> Result<Vec<f64>, RunError> {
    let all: Vec<usize> = (0..begun.columns().len()).collect();
    let mut row = vec![0.0; all.len()];
    let mut taken = Ok(());
    let read = begun.read(&all, 0..rows, &mut |piece| {
        for at in 0..piece.first().map_or(0, |values| values.len()) {
            row.iter_mut().zip(piece).for_each(|(slot, values)| *slot = values[at]);
            if taken.is_ok() {
                taken = sink.kept_row(&row);
            }
        }
    });
    let failed = |error: String| RunError::Solve(SolveError::Observer(error));
    read.map_err(|error| failed(error.to_string()))?;
    taken.map_err(|error| failed(error.to_string()))?;
    Ok(row)
}

/// Simulates `mechanism` with the resolved parameters `p` in memory.
pub fn run(mechanism: &Mechanism, p: &[f64], options: &Options) -> Result<(Recording, Summary), RunError> {
    run_until(mechanism, p, options, &Interrupt::default())
}

/// As [`run`], unless an interrupt ends it.
///
/// # Errors
/// Those of [`run`], and the interrupt.
pub fn run_until(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    interrupt: &Interrupt,
) -> Result<(Recording, Summary), RunError> {
    run_bound(mechanism, p, &[], options, interrupt)
}

/// As [`run_until`], with inputs bound otherwise than the model says, each by its number; see
/// [`find_input`](gelenk_solve::find_input).
///
/// # Errors
/// Those of [`run_until`], and inputs that cannot be bound.
pub fn run_bound(
    mechanism: &Mechanism,
    p: &[f64],
    inputs: &[(usize, Course)],
    options: &Options,
    interrupt: &Interrupt,
) -> Result<(Recording, Summary), RunError> {
    let mut recording = Recording::new(columns(mechanism))?;
    let mut go_on = |_, _| !interrupt.asked();
    let summary = run_bound_into(mechanism, (p, inputs), options, None, &mut recording, &mut go_on)?;
    recording.meta_mut().append(&mut metadata(&summary));
    Ok((recording, summary))
}

/// Key of the energy balance in the metadata of a recording: JSON with the change of kinetic energy and, for each
/// account, its work, the change of what it stores and what it lost (J).
pub const ENERGY: &str = "energy";

fn energy(summary: &Summary) -> String {
    let account = |work: &gelenk_solve::Work| {
        json!({
            "name": work.name,
            "work": work.work,
            "stored": work.stored,
            "lost": work.dissipated(),
            "conservative": work.conservative,
        })
    };
    let accounts: Vec<_> = summary.energy.works.iter().map(account).collect();
    json!({ "kinetic": summary.energy.kinetic, "accounts": accounts }).to_string()
}

/// What a recording says about its run. Nothing of the clock or the machine: the same run gives the same bytes.
pub fn metadata(summary: &Summary) -> BTreeMap<String, String> {
    let mut meta = BTreeMap::new();
    for (name, value) in measures(summary) {
        let text = if value.fract() == 0.0 { value.to_string() } else { format!("{value:e}") };
        meta.insert(format!("summary.{name}"), text);
    }
    if let Some(switch) = &summary.ended {
        meta.insert("summary.ended".into(), switch.clone());
    }
    meta.insert(ENERGY.into(), energy(summary));
    meta
}

/// The numbers of a summary by name, as cases and recordings use them.
pub fn measures(summary: &Summary) -> Vec<(&'static str, f64)> {
    vec![
        ("time", summary.time),
        ("steps", summary.steps as f64),
        ("rejected", summary.rejected as f64),
        ("evaluations", summary.evaluations as f64),
        ("iterations", summary.iterations as f64),
        ("substeps", summary.substeps as f64),
        ("events", summary.events as f64),
        ("samples", summary.samples as f64),
        ("rows", summary.rows as f64),
        ("drift", summary.drift),
        ("energy.residue", summary.energy.residue),
        ("energy.relative_residue", summary.energy.relative_residue()),
    ]
}

/// The columns to draw where none are named: the coordinates, or else the first few.
pub fn plotted_by_default(recording: &Recording) -> Vec<String> {
    let columns = recording.columns().get(1..).unwrap_or_default();
    let coordinates = columns.iter().filter(|c| matches!(c.meaning.as_str(), "coordinate" | "output"));
    let mut names: Vec<String> = coordinates.map(|c| c.name.clone()).take(12).collect();
    if names.is_empty() {
        names = columns.iter().take(6).map(|c| c.name.clone()).collect();
    }
    names
}

/// Puts the statistics behind the rows.
struct Statistics<'a> {
    clock: CpuClock<'a>,
    /// CPU time on the clock when the run began (s), less what it took before it went on.
    began: f64,
    /// Time and CPU time at the row before (s).
    before: [f64; 2],
    /// The row, with the statistics at its end.
    row: Vec<f64>,
    channels: usize,
}

impl<'a> Statistics<'a> {
    /// `last` is the last row of the run that goes on.
    fn new(clock: CpuClock<'a>, mechanism: &Mechanism, last: Option<&[f64]>) -> Self {
        let channels = columns(mechanism).len();
        let mut row = vec![0.0; channels + statistics_columns().len()];
        if let Some(last) = last.filter(|last| last.len() == row.len()) {
            row.copy_from_slice(last);
        }
        // The two columns at the end are the CPU time and the factor.
        let spent = row[row.len() - 2];
        Self { began: clock() - spent, clock, before: [row[0], spent], row, channels }
    }

    fn take(&mut self, so_far: &Summary, last: StepFacts) {
        let cpu = (self.clock)() - self.began;
        let counts = [so_far.steps, so_far.rejected, so_far.evaluations, so_far.iterations, so_far.events];
        let numbers = [last.step, f64::from(last.order)].into_iter().chain(counts.map(|n| n as f64));
        // The factor is made when the time of the row is known.
        self.row[self.channels..].iter_mut().zip(numbers.chain([cpu])).for_each(|(slot, n)| *slot = n);
    }

    fn join(&mut self, row: &[f64]) -> &[f64] {
        let n = self.row.len();
        self.row[..self.channels].copy_from_slice(row);
        let now = [self.row[0], self.row[n - 2]];
        let [passed, spent] = [now[0] - self.before[0], now[1] - self.before[1]];
        self.row[n - 1] = if passed > 0.0 { spent / passed } else { 0.0 };
        self.before = now;
        &self.row
    }
}

/// Passes rows and events of a run on to a sink.
struct Recorder<'a> {
    sink: &'a mut dyn Sink,
    progress: &'a mut dyn FnMut(f64, u64) -> bool,
    statistics: Option<Statistics<'a>>,
    turns: Turns,
    row: Vec<f64>,
    /// A failure to write an event, told with the next row.
    failed: Option<String>,
}

impl<'a> Recorder<'a> {
    fn new(
        mechanism: &Mechanism,
        sink: &'a mut dyn Sink,
        progress: &'a mut dyn FnMut(f64, u64) -> bool,
        statistics: Option<Statistics<'a>>,
    ) -> Self {
        let columns = columns(mechanism);
        let row = Vec::with_capacity(columns.len());
        Self { sink, progress, statistics, turns: Turns::new(&columns), row, failed: None }
    }
}

impl Observer for Recorder<'_> {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        if let Some(reason) = self.failed.take() {
            return Err(StopRun::Failed(reason));
        }
        let t = row.first().copied().unwrap_or(0.0);
        self.row.clear();
        self.row.extend_from_slice(row);
        self.turns.follow(&mut self.row);
        let taken = match &mut self.statistics {
            Some(statistics) => self.sink.row(statistics.join(&self.row)),
            None => self.sink.row(&self.row),
        };
        taken.map_err(|error| StopRun::Failed(error.to_string()))?;
        if (self.progress)(t, self.sink.durable()) { Ok(()) } else { Err(StopRun::Interrupted) }
    }

    fn statistics(&mut self, so_far: &Summary, last: StepFacts) {
        if let Some(statistics) = &mut self.statistics {
            statistics.take(so_far, last);
        }
    }

    fn checkpoint(&mut self, make: &dyn Fn() -> Checkpoint) {
        if self.sink.wants_state()
            && let Err(error) = self.sink.state(make().to_text())
        {
            self.failed = Some(error.to_string());
        }
    }

    fn interrupted(&mut self, t: f64) -> bool {
        !(self.progress)(t, self.sink.durable())
    }

    fn event(&mut self, t: f64, element: &str, what: Change) {
        if let Err(error) = self.sink.event(Event::new(t, element, what.word())) {
            self.failed = Some(error.to_string());
        }
    }
}
