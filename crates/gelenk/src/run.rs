//! Simulating a mechanism into a recording.

use std::collections::BTreeMap;

use gelenk_multibody::Mechanism;
use gelenk_record::{Column, Event, Recording, Sink};
use gelenk_solve::{Checkpoint, Observer, Options, SolveError, StopRun, Summary, resume, simulate};
use gelenk_system::System;
use serde_json::json;
use thiserror::Error;

/// A run that did not reach its end; what was recorded before stays valid.
#[derive(Debug, Error)]
pub enum RunError {
    /// The integration failed or was interrupted.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A run that reached its end.
    #[error("the recording is complete; there is nothing to go on with")]
    Complete,
    /// A recording of another run.
    #[error(
        "the recording belongs to another model, other parameters or another solver; resume with the options of the \
         run that made it"
    )]
    OtherRun,
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

/// Simulates `mechanism` with the resolved parameters `p` into `sink`.
///
/// `progress` is called after every row with the time (s) and the number of rows that are safe; it returns
/// `false` to interrupt the run.
pub fn run_into(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Summary, RunError> {
    let mut recorder = Recorder { sink, progress, failed: None };
    Ok(simulate(mechanism, p, options, &mut recorder)?)
}

/// The state from which a run goes on that ended early and recorded `begun`; `None` where it ended before its first
/// checkpoint and begins anew. Nothing is written, so that a refusal leaves the recording as it is.
///
/// # Errors
/// A recording of a complete run or of something else.
pub fn resumable(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    begun: &Recording,
) -> Result<Option<Checkpoint>, RunError> {
    let Some(text) = begun.meta().get(gelenk_io::STATE) else {
        return if begun.meta().contains_key("summary.time") { Err(RunError::Complete) } else { Ok(None) };
    };
    let fits = |checkpoint: &Checkpoint| {
        checkpoint.fits(mechanism, p, options)
            && columns(mechanism) == begun.columns()
            && usize::try_from(checkpoint.rows()).is_ok_and(|rows| rows <= begun.len())
    };
    Checkpoint::from_text(text).filter(fits).map(Some).ok_or(RunError::OtherRun)
}

/// Goes on with a run that ended early: puts what it recorded up to `checkpoint` into `sink`, then simulates on from
/// there. With a fixed step the result is the same to the bit as that of a run that did not end.
///
/// # Errors
/// Those of [`run_into`].
pub fn resume_into(
    mechanism: &Mechanism,
    p: &[f64],
    options: &Options,
    (begun, checkpoint): (&Recording, Checkpoint),
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Summary, RunError> {
    let rows = usize::try_from(checkpoint.rows()).unwrap_or(usize::MAX).min(begun.len());
    let stored = |error: gelenk_record::SinkError| RunError::Solve(SolveError::Observer(error.to_string()));
    let events = usize::try_from(checkpoint.events()).unwrap_or(usize::MAX);
    for event in begun.events().iter().take(events) {
        sink.event(event.clone()).map_err(stored)?;
    }
    let mut row = vec![0.0; begun.columns().len()];
    for at in 0..rows {
        for (k, slot) in row.iter_mut().enumerate() {
            // Every column has every row of a recording.
            *slot = begun.values(k).and_then(|values| values.get(at)).copied().unwrap_or(f64::NAN);
        }
        sink.row(&row).map_err(stored)?;
    }
    sink.state(checkpoint.to_text()).map_err(stored)?;
    let mut recorder = Recorder { sink, progress, failed: None };
    Ok(resume(mechanism, p, options, checkpoint, &mut recorder)?)
}

/// Simulates `mechanism` with the resolved parameters `p` in memory.
pub fn run(mechanism: &Mechanism, p: &[f64], options: &Options) -> Result<(Recording, Summary), RunError> {
    let mut recording = Recording::new(columns(mechanism))?;
    let summary = run_into(mechanism, p, options, &mut recording, &mut |_, _| true)?;
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

/// Passes rows and events of a run on to a sink.
struct Recorder<'a> {
    sink: &'a mut dyn Sink,
    progress: &'a mut dyn FnMut(f64, u64) -> bool,
    /// A failure to write an event, told with the next row.
    failed: Option<String>,
}

impl Observer for Recorder<'_> {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        if let Some(reason) = self.failed.take() {
            return Err(StopRun::Failed(reason));
        }
        self.sink.row(row).map_err(|error| StopRun::Failed(error.to_string()))?;
        let t = row.first().copied().unwrap_or(0.0);
        if (self.progress)(t, self.sink.durable()) { Ok(()) } else { Err(StopRun::Interrupted) }
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

    fn event(&mut self, t: f64, element: &str, what: &str) {
        if let Err(error) = self.sink.event(Event::new(t, element, what)) {
            self.failed = Some(error.to_string());
        }
    }
}
