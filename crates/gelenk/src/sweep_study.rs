//! Sweeps: a model or another study, run for many values of its parameters.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use gelenk_math::hash::Fnv;
use gelenk_math::units::Unit;
use gelenk_model::study_file::{StudyFile, StudyKind};
use gelenk_model::sweep_study::Pick;
use gelenk_model::{Compiled, FileKind, Loaded, LoadedModel, Points, file_kind, load_study};
use gelenk_record::{Column, Recording};
use gelenk_solve::{Summary, Verdict, judge};
use gelenk_system::System;
use thiserror::Error;

use crate::case::{Outcome, Subject, look_up};
use crate::fit::FitStudy;
use crate::ik::IkStudy;
use crate::interrupt::Interrupt;
use crate::motion_study::MotionStudy;
use crate::open::{OpenError, Overrides, Prepared, of_ours, prepare, study_model};
use crate::run::run_until;

/// Column of a table of results that says whether a point failed.
pub const FAILED: &str = "failed";

/// A sweep that cannot be made.
#[derive(Debug, Error)]
pub enum SweepError {
    /// Files or settings.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Something that no column of the model gives, or a sweep within a sweep.
    #[error("{0}")]
    Data(String),
}

/// What runs at every point.
enum Inside {
    /// A simulation: compiled once, and bound to the parameters of one point after the other.
    Run(Box<Prepared>),
    /// Another study, opened with the values of the point.
    Study(PathBuf, StudyKind),
}

/// A study of kind `sweep` that is ready to run.
pub struct SweepStudy {
    title: String,
    inside: Inside,
    points: Points,
    picks: Vec<Pick>,
    columns: Vec<Column>,
    fingerprint: String,
    /// Ends the sweep early.
    pub interrupt: Interrupt,
}

/// The result of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointResult {
    /// A row of the table: number of the point, its values, what was picked, and whether it failed.
    pub row: Vec<f64>,
    /// Why it failed.
    pub failure: Option<String>,
}

impl SweepStudy {
    /// Opens a study of kind `sweep`.
    ///
    /// # Errors
    /// Files with errors, paths and picks that the model does not have.
    pub fn open(path: &Path) -> Result<Self, SweepError> {
        of_ours(path)?;
        if file_kind(path) != FileKind::Study {
            let message =
                format!("{} is not a study; `gelenk sweep` needs a study of kind \"sweep\"", path.display());
            return Err(OpenError::Usage(message).into());
        }
        let study = load_study(path).map_err(OpenError::from)?;
        if study.file.kind.is_none_or(|kind| kind.value != StudyKind::Sweep) {
            let message = format!("{} is not a study of kind \"sweep\"", path.display());
            return Err(OpenError::Usage(message).into());
        }
        let inner = match &study.file.study {
            Some(name) => Some(study.sources.resolve(name.span.file, name)),
            None => None,
        };
        let (model, compiled, inner) = match inner {
            None => {
                let (model, compiled) = study_model(&study)?;
                (model, compiled, None)
            }
            Some(path) => {
                let loaded = load_study(&path).map_err(OpenError::from)?;
                let (model, mut compiled) = study_model(&loaded)?;
                compiled.apply(&study).map_err(OpenError::from)?;
                (model, compiled, Some((path, loaded)))
            }
        };
        let points = compiled.points(&study).map_err(OpenError::from)?;
        let title = study.file.title.as_ref().or(model.file.title.as_ref());
        let title = title.map_or_else(|| "Untitled sweep".into(), |title| title.text.clone());
        let fingerprint = fingerprint(&study, inner.as_ref().map(|(_, inner)| inner), &compiled);
        let inside = inside(&model, &study, compiled, inner)?;
        let picks = study.file.pick.clone();
        let columns = columns(&points, &picks, &inside)?;
        let interrupt = Interrupt::default();
        Ok(Self { title, inside, points, picks, columns, fingerprint, interrupt })
    }

    /// Title of the study.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What is varied, and where.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Names of what is picked.
    pub fn picked(&self) -> impl Iterator<Item = &str> {
        self.picks.iter().map(|pick| pick.name.text.as_str())
    }

    /// Columns of the table of results. Its time counts the points.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// What the results depend on: a table with another one belongs to another sweep.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Runs the points from number `first` on, on all threads, and hands over their results in order; `false` of `take` ends
    /// the sweep. A point that fails has a row that says so; the others are not affected.
    pub fn run(&self, first: usize, take: &mut dyn FnMut(PointResult) -> bool) {
        let count = self.points.values.len();
        let (next, over) = (AtomicUsize::new(first), AtomicBool::new(false));
        let threads = rayon::current_num_threads().clamp(1, count.saturating_sub(first).max(1));
        std::thread::scope(|scope| {
            // Few results wait, so that a kill loses few.
            let (sender, results) = mpsc::sync_channel::<(usize, PointResult)>(4 * threads);
            for _ in 0..threads {
                let sender = sender.clone();
                let (next, over) = (&next, &over);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) && !self.interrupt.asked() {
                        let point = next.fetch_add(1, Ordering::Relaxed);
                        if point >= count {
                            return;
                        }
                        let result = self.point(point);
                        // A run that was interrupted has not failed.
                        if self.interrupt.asked() || sender.send((point, result)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting = std::collections::BTreeMap::new();
            let mut due = first;
            for (point, result) in results {
                waiting.insert(point, result);
                while let Some(result) = waiting.remove(&due) {
                    due += 1;
                    if !over.load(Ordering::Relaxed) && !take(result) {
                        over.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
    }

    /// Runs one point.
    fn point(&self, number: usize) -> PointResult {
        let values = &self.points.values[number];
        let mut row = vec![number as f64];
        row.extend(values);
        match self.picked_at(values) {
            Ok(picked) => {
                row.extend(picked);
                row.push(0.0);
                PointResult { row, failure: None }
            }
            Err(reason) => {
                row.resize(row.len() + self.picks.len(), f64::NAN);
                row.push(1.0);
                PointResult { row, failure: Some(reason) }
            }
        }
    }

    fn picked_at(&self, values: &[f64]) -> Result<Vec<f64>, String> {
        let ran = match &self.inside {
            Inside::Run(prepared) => self.simulated(prepared, values)?,
            Inside::Study(path, kind) => self.studied(path, *kind, values)?,
        };
        let (recording, summary, fitted) = &ran;
        let outcome = Outcome { recording, summary, fitted, metrics: &[] };
        let pick = |pick: &Pick| {
            let (what, value) = look_up(&subject(pick), &outcome);
            value.map_err(|reason| format!("{}: {what}: {reason}", pick.name.text))
        };
        self.picks.iter().map(pick).collect()
    }

    fn simulated(&self, prepared: &Prepared, values: &[f64]) -> Result<Ran, String> {
        let mut table = prepared.parameters.clone();
        for (swept, &value) in self.points.swept.iter().zip(values) {
            table.set(swept.param, value).map_err(|error| error.to_string())?;
        }
        let (p, options) = (table.values(), &prepared.options);
        let (recording, summary) =
            run_until(&prepared.mechanism, &p, options, &self.interrupt).map_err(|e| e.to_string())?;
        match judge(&prepared.mechanism, &p, options, &summary, prepared.limits) {
            Verdict::Failure(error) => Err(error.to_string()),
            _ => Ok((recording, summary, Vec::new())),
        }
    }

    /// Runs another study with the values of a point.
    fn studied(&self, path: &Path, kind: StudyKind, values: &[f64]) -> Result<Ran, String> {
        let set =
            self.points.swept.iter().zip(values).map(|(swept, value)| format!("{}={value:e}", swept.path));
        let overrides = Overrides { set: set.collect(), ..Overrides::default() };
        let text = |error: &dyn std::fmt::Display| error.to_string();
        match kind {
            StudyKind::Fit => {
                let mut study = FitStudy::open_with(path, &overrides).map_err(|e| text(&e))?;
                study.interrupt = self.interrupt.clone();
                let outcome = study.run(&mut |_| {}).map_err(|e| text(&e))?;
                if !outcome.fit.stop.converged() {
                    return Err(text(&outcome.fit.stop));
                }
                let fitted = outcome.parameters.into_iter().map(|(path, value, _)| (path, value)).collect();
                let first = outcome.runs.into_iter().next().ok_or("the fit has no log")?;
                Ok((first.recording, first.summary, fitted))
            }
            StudyKind::Kinematics | StudyKind::InverseDynamics => {
                let mut study =
                    MotionStudy::open(path, kind, "sweep", None, &overrides).map_err(|e| text(&e))?;
                study.interrupt = self.interrupt.clone();
                let recording =
                    if kind == StudyKind::Kinematics { study.kinematics() } else { study.inverse_dynamics() };
                Ok((recording.map_err(|e| text(&e))?, Summary::default(), Vec::new()))
            }
            StudyKind::InverseKinematics => {
                let mut study = IkStudy::open(path, &overrides).map_err(|e| text(&e))?;
                study.interrupt = self.interrupt.clone();
                let outcomes = study.solve().map_err(|e| text(&e))?;
                Ok((study.record(&outcomes).map_err(|e| text(&e))?, Summary::default(), Vec::new()))
            }
            StudyKind::Simulate | StudyKind::Rig | StudyKind::Sweep => Err("not a study of a sweep".into()),
        }
    }
}

type Ran = (Recording, Summary, Vec<(String, f64)>);

/// What runs at every point.
fn inside(
    model: &LoadedModel,
    study: &Loaded<StudyFile>,
    compiled: Compiled,
    inner: Option<(PathBuf, Loaded<StudyFile>)>,
) -> Result<Inside, SweepError> {
    let Some((path, inner)) = inner else {
        let prepared = prepare(model, Some(&study.file), compiled, &Overrides::default())?;
        return Ok(Inside::Run(Box::new(prepared)));
    };
    match inner.file.kind.map_or(StudyKind::Simulate, |kind| kind.value) {
        StudyKind::Simulate => {
            let prepared = prepare(model, Some(&inner.file), compiled, &Overrides::default())?;
            Ok(Inside::Run(Box::new(prepared)))
        }
        kind @ (StudyKind::Rig | StudyKind::Sweep) => Err(SweepError::Data(format!(
            "{} is a study of kind \"{}\"; a sweep runs simulations, fits, kinematics, inverse dynamics and inverse \
             kinematics",
            path.display(),
            kind.word()
        ))),
        kind => {
            if !study.file.set.0.is_empty() {
                let message = "\"set\" of a sweep is for a model or a simulation; set the values in the study that it runs";
                return Err(SweepError::Data(message.into()));
            }
            Ok(Inside::Study(path, kind))
        }
    }
}

/// What a pick asks for.
fn subject(pick: &Pick) -> Subject<'_> {
    Subject {
        column: pick.column.as_deref(),
        event: pick.event.as_deref(),
        summary: pick.summary.as_deref(),
        parameter: pick.parameter.as_deref(),
        metric: None,
        injury: pick.injury.as_deref(),
        what: pick.what.as_deref(),
        occurrence: pick.occurrence.value,
        at: pick.at.as_ref().map(|at| at.value),
        statistic: pick.statistic.map(|statistic| statistic.value),
        crossings: pick.crossings.as_ref().map(|level| level.value),
        span: [&pick.from, &pick.to].map(|end| end.as_ref().map(|end| end.value)),
    }
}

/// Columns of the table of results.
fn columns(points: &Points, picks: &[Pick], inside: &Inside) -> Result<Vec<Column>, SweepError> {
    let mut columns = vec![Column::new("t", "s", "number of the point")];
    for swept in &points.swept {
        let unit = if swept.unit.is_empty() { "1" } else { &swept.unit };
        columns.push(Column::new(&swept.path, unit, "varied parameter"));
    }
    for pick in picks {
        let unit = match inside {
            Inside::Run(prepared) => unit_of(pick, prepared)?,
            Inside::Study(..) => String::new(),
        };
        columns.push(Column::new(&pick.name.text, &unit, "result"));
    }
    columns.push(Column::new(FAILED, "1", "whether the point failed"));
    Ok(columns)
}

/// The unit of what is picked of a simulation; refuses columns and summaries that it does not have.
fn unit_of(pick: &Pick, prepared: &Prepared) -> Result<String, SweepError> {
    let refuse = |what: &str, name: &str, hint: String| {
        SweepError::Data(format!("pick {}: there is no {what} \"{name}\"{hint}", pick.name.text))
    };
    if let Some(name) = &pick.column {
        let channels = prepared.mechanism.channels();
        let Some(channel) = channels.iter().find(|channel| channel.name == name.text) else {
            let hint = gelenk_math::suggest::hint(name, channels.iter().map(|c| c.name.as_str()));
            return Err(refuse("column", name, hint));
        };
        if let Some(level) = pick.crossings.as_ref().and_then(|level| level.dimension)
            && Unit::parse(&channel.unit).is_ok_and(|unit| !unit.dimension.compatible(level))
        {
            let message = format!("pick {}: {} measures {}", pick.name.text, name.text, channel.unit);
            return Err(SweepError::Data(message));
        }
        return Ok(if pick.crossings.is_some() { "1".into() } else { channel.unit.clone() });
    }
    if let Some(name) = &pick.summary {
        let known = crate::run::measures(&Summary::default());
        if !known.iter().any(|(known, _)| *known == name.text) {
            let hint = gelenk_math::suggest::hint(name, known.iter().map(|(known, _)| *known));
            return Err(refuse("number of the summary", name, hint));
        }
    }
    if let Some(path) = &pick.parameter {
        return Err(refuse("fitted parameter", path, "; a simulation fits nothing".into()));
    }
    Ok(if pick.event.is_some() { "s".into() } else { "1".into() })
}

/// A text that changes with whatever the results depend on: the files, and what was compiled from them.
fn fingerprint(study: &Loaded<StudyFile>, inner: Option<&Loaded<StudyFile>>, compiled: &Compiled) -> String {
    let mut all = Fnv::default();
    // Taking in text never fails.
    let _ = write!(all, "{compiled:?}");
    for loaded in [Some(study), inner].into_iter().flatten() {
        for source in loaded.sources.iter() {
            let _ = all.write_str(&source.text);
        }
        let experiments = loaded.file.experiments.iter().map(|experiment| &experiment.data);
        for data in loaded.file.data.iter().chain(experiments) {
            let log = std::fs::read(loaded.sources.resolve(data.file.span.file, &data.file));
            log.unwrap_or_default().into_iter().for_each(|byte| all.take(byte));
        }
    }
    format!("sweep-1 {:016x}", all.0)
}
