//! Rigs: the same experiment with several laws, and what each comes down to.

use gelenk_laws::diagnose::path;
use gelenk_laws::{Driven, Friction, LawError};
use gelenk_model::model_file::CoordinateWord;
use gelenk_model::rig::{ELEMENT, MotionRig, POSITION, Rig};
use gelenk_model::{Loaded, RigRun, StudyFile, compile, load_study, rig_runs};
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_record::{Column, RecordError, Recording};
use gelenk_solve::{SolveError, Summary, Verdict, judge};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Value, json};
use std::path::Path;
use thiserror::Error;

use super::metrics::{Columns, Metric, Units, metrics};
use super::subject::unit_of;
use crate::interrupt::Interrupt;
use crate::open::{OpenError, Overrides, Prepared, of_ours, prepare, read_log};
use crate::parameters;
use crate::run::{self, RunError, run_into};

/// A rig that cannot run.
#[derive(Debug, Error)]
pub enum RigError {
    /// A file that is refused.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A study of another kind.
    #[error("{0} is not a rig: it needs kind = \"rig\"")]
    Kind(String),
    /// A run that failed.
    #[error("{label}: {source}")]
    Run {
        /// The law.
        label: String,
        /// Why.
        source: RunError,
    },
    /// Numbers that a law refuses.
    #[error(transparent)]
    Law(#[from] LawError),
    /// A recording that cannot be made.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A run without rows.
    #[error("{0}: the run has no rows")]
    Empty(String),
    /// A rig that says too little.
    #[error("{0}")]
    Missing(&'static str),
}

/// The run of one law on a rig.
#[derive(Clone, Debug)]
pub struct LawRun {
    /// The law's name in the file.
    pub label: String,
    /// Time, `x`, `v`, `friction` and, where there is one, the force `pull` on the block.
    pub recording: Recording,
    /// What it comes down to.
    pub metrics: Vec<Metric>,
    /// How it was computed.
    pub method: String,
    /// The law, its numbers and those of the rig, as [`crate::parameters`] tells them.
    pub parameters: Vec<Value>,
    /// What its energy balance says; always good where the law alone is driven.
    pub verdict: Verdict,
    /// Whether it reached its end.
    pub finished: bool,
}

/// What a rig gave.
#[derive(Clone, Debug)]
pub struct RigOutcome {
    /// Title of the study.
    pub title: String,
    /// One run for every law; after an interrupt those that have rows.
    pub runs: Vec<LawRun>,
    /// Whether an interrupt ended the runs; those that it met have their rows so far, and no metrics.
    pub interrupted: bool,
}

/// Runs the rig of a file, the laws side by side.
///
/// # Errors
/// A file that is refused, or a run that fails.
pub fn run_rig(file: &Path) -> Result<RigOutcome, RigError> {
    run_rig_until(file, &Interrupt::default())
}

/// As [`run_rig`], unless an interrupt ends the runs; what was computed is returned.
///
/// # Errors
/// Those of [`run_rig`].
pub fn run_rig_until(file: &Path, interrupt: &Interrupt) -> Result<RigOutcome, RigError> {
    of_ours(file)?;
    let study = load_study(file).map_err(OpenError::from)?;
    let Some(rig) = &study.file.rig else { return Err(RigError::Kind(file.display().to_string())) };
    let title = study.file.title.as_ref().map_or_else(|| "Untitled rig".into(), |t| t.text.clone());
    let planned = rig_runs(&study).map_err(OpenError::from)?;
    // The order of the results is that of the file, whatever the number of threads.
    let runs: Result<Vec<Option<LawRun>>, RigError> = match rig {
        Rig::Motion(motion) => {
            let given = velocities(&study, motion, &planned, interrupt)?;
            planned.par_iter().map(|plan| drive(&study, rig, (motion, &given), plan, interrupt)).collect()
        }
        _ => planned.par_iter().map(|plan| simulate(&study, rig, plan, interrupt)).collect(),
    };
    let runs: Vec<LawRun> = runs?.into_iter().flatten().collect();
    let interrupted = runs.len() < planned.len() || runs.iter().any(|run| !run.finished);
    Ok(RigOutcome { title, runs, interrupted })
}

impl RigOutcome {
    /// All metrics with the names of their laws, such as `lugre.max_speed`.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let of = |run: &LawRun| -> Vec<(String, f64)> {
            run.metrics.iter().map(|m| (format!("{}.{}", run.label, m.name), m.value)).collect()
        };
        self.runs.iter().flat_map(of).collect()
    }
}

fn units(rig: &Rig) -> Units {
    match rig.on() {
        CoordinateWord::Length => Units { x: "m", v: "m/s", effort: "N" },
        CoordinateWord::Angle => Units { x: "rad", v: "rad/s", effort: "N m" },
    }
}

fn columns(units: &Units) -> Vec<Column> {
    vec![
        Column::time(),
        Column::new("x", units.x, "position"),
        Column::new("v", units.v, "velocity"),
        Column::new("friction", units.effort, "friction, positive against motion in positive direction"),
    ]
}

fn prepared(study: &Loaded<StudyFile>, plan: &RigRun) -> Result<Prepared, RigError> {
    let compiled = compile(&plan.model, &mut read_log).map_err(OpenError::from)?;
    let mut prepared = prepare(&plan.model, Some(&study.file), compiled, &Overrides::default())?;
    if let Some(until) = plan.until.and_then(gelenk_system::Nanos::from_seconds) {
        prepared.options.until = until;
        // A run that the rig sets the end of is recorded as finely as the others.
        if study.file.output.is_none() {
            let period = gelenk_system::Nanos((until.0 / 4000).max(1));
            prepared.options.output = period;
        }
    }
    Ok(prepared)
}

/// The rows of a run, with its summary where no interrupt ended it.
fn recorded(prepared: &Prepared, interrupt: &Interrupt) -> Result<(Recording, Option<Summary>), RunError> {
    let mut recording = Recording::new(run::columns(&prepared.mechanism))?;
    let (p, mut go_on) = (prepared.parameters.values(), |_, _| !interrupt.asked());
    let ended = run_into(&prepared.mechanism, &p, &prepared.options, None, &mut recording, &mut go_on);
    match ended {
        Ok(summary) => Ok((recording, Some(summary))),
        Err(RunError::Solve(SolveError::Interrupted { .. })) => Ok((recording, None)),
        Err(error) => Err(error),
    }
}

/// The run of a model; none where an interrupt came before its first row.
fn simulate(
    study: &Loaded<StudyFile>,
    rig: &Rig,
    plan: &RigRun,
    interrupt: &Interrupt,
) -> Result<Option<LawRun>, RigError> {
    let prepared = prepared(study, plan)?;
    let (full, summary) = recorded(&prepared, interrupt)
        .map_err(|source| RigError::Run { label: plan.label.clone(), source })?;
    let units = units(rig);
    let mut columns = columns(&units);
    let names = [POSITION.to_owned(), format!("{POSITION}.rate"), format!("friction.{ELEMENT}")];
    let mut data = vec![full.time().to_vec()];
    for name in &names {
        data.push(full.column(name)?.to_vec());
    }
    if let Rig::Plane(_) = rig {
        // On a plane the velocity is the speed.
        let across = full.column("y.rate")?;
        data[2].iter_mut().zip(across).for_each(|(v, w)| *v = v.hypot(*w));
        let law = |part: &str| format!("friction.{ELEMENT}.{part}");
        columns.extend([
            Column::new("y", "m", "position across"),
            Column::new("friction.x", "N", "friction along x, positive against motion in positive direction"),
            Column::new("friction.y", "N", "friction along y, positive against motion in positive direction"),
        ]);
        for name in ["y".to_owned(), law("x"), law("y")] {
            data.push(full.column(&name)?.to_vec());
        }
    }
    if let Ok(pull) = full.column("force") {
        columns.push(Column::new("pull", units.effort, "force on the block"));
        data.push(pull.to_vec());
    }
    let mut recording = Recording::from_data(columns, data)?;
    full.events().iter().for_each(|event| recording.push_event(event.clone()));
    let p = prepared.parameters.values();
    let verdict = summary.as_ref().map_or(Verdict::Good, |summary| {
        judge(&prepared.mechanism, &p, &prepared.options, summary, prepared.limits)
    });
    let method = prepared.options.method.name().to_owned();
    let Some(run) = finish(plan, rig, &units, (recording, summary.is_some()), method)? else {
        return Ok(None);
    };
    let name = study.file.laws.names().nth(plan.law).map_or("", |name| name.text.as_str());
    let parameters = renamed(parameters::entries(&prepared.parameters, &prepared.words), name);
    Ok(Some(LawRun { verdict, parameters, ..run }))
}

/// The parameters of the law and of the rig under the names that they have in the file: `law` and `sigma0`, then `rig.mass`.
fn renamed(entries: Vec<Value>, name: &str) -> Vec<Value> {
    let (element, table) = (format!("friction.{ELEMENT}."), format!("laws.{name}."));
    let mut lists = [Vec::new(), Vec::new(), Vec::new()];
    for mut entry in entries {
        let Some(path) = entry.get(0).and_then(Value::as_str) else { continue };
        let (place, short) = if let Some(key) = path.strip_prefix(&element) {
            (0, key.to_owned())
        } else if let Some(key) = path.strip_prefix(&table) {
            (1, key.to_owned())
        } else if let Some(key) = path.strip_prefix("parameters.") {
            (2, format!("rig.{key}"))
        } else {
            continue;
        };
        if let Some(path) = entry.get_mut(0) {
            *path = Value::from(short);
        }
        lists[place].push(entry);
    }
    lists.concat()
}

/// The numbers of a law that is moved outside of a model.
fn moved(law: Friction, p: &[f64], rig: &Rig) -> Vec<Value> {
    let kind = match rig.on() {
        CoordinateWord::Length => CoordinateKind::Length,
        CoordinateWord::Angle => CoordinateKind::Angle,
    };
    let spec = law.spec();
    let lists = spec.params.iter().filter(|param| param.per_element).count();
    let single = spec.params.len() - lists;
    let elements = p.len().saturating_sub(single).checked_div(lists).unwrap_or(0);
    let mut list = vec![json!(["law", spec.name, ""])];
    let mut values = p.iter();
    for param in spec.params {
        let count = if param.per_element { elements } else { 1 };
        for (k, value) in values.by_ref().take(count).enumerate() {
            let name = if param.per_element { format!("{}[{k}]", param.name) } else { param.name.into() };
            let word = param.choices.get(*value as usize);
            list.push(word.map_or_else(
                || json!([name, parameters::number(*value), unit_of(param.kind, kind)]),
                |word| json!([name, word, ""]),
            ));
        }
    }
    list
}

fn finish(
    plan: &RigRun,
    rig: &Rig,
    units: &Units,
    (recording, finished): (Recording, bool),
    method: String,
) -> Result<Option<LawRun>, RigError> {
    if recording.is_empty() {
        return if finished { Err(RigError::Empty(plan.label.clone())) } else { Ok(None) };
    }
    // What a part of a run comes down to says nothing about the whole.
    let metrics = if finished { metrics(rig, &Columns::of(&recording)?, units) } else { Vec::new() };
    let (label, parameters) = (plan.label.clone(), Vec::new());
    Ok(Some(LawRun { label, recording, metrics, method, parameters, verdict: Verdict::Good, finished }))
}

/// Times and velocities of a motion that is given by its velocity: what the model says at every step.
fn velocities(
    study: &Loaded<StudyFile>,
    motion: &MotionRig,
    planned: &[RigRun],
    interrupt: &Interrupt,
) -> Result<[Vec<f64>; 2], RigError> {
    let (Some(step), Some(plan)) = (&motion.step, planned.first()) else { return Ok([vec![], vec![]]) };
    let mut prepared = prepared(study, plan)?;
    let missing = RigError::Missing("\"step\" is shorter than a nanosecond");
    let step = gelenk_system::Nanos::from_seconds(step.value).filter(|n| n.0 > 0).ok_or(missing)?;
    prepared.options.output = step;
    prepared.options.method = gelenk_solve::Method::SemiImplicitEuler { step };
    let (full, _) = recorded(&prepared, interrupt)
        .map_err(|source| RigError::Run { label: "velocity".into(), source })?;
    Ok([full.time().to_vec(), full.column("velocity")?.to_vec()])
}

/// A law that is moved.
fn drive(
    study: &Loaded<StudyFile>,
    rig: &Rig,
    (motion, [times, speeds]): (&MotionRig, &[Vec<f64>; 2]),
    plan: &RigRun,
    interrupt: &Interrupt,
) -> Result<Option<LawRun>, RigError> {
    let Some((_, law)) = study.file.laws.iter().nth(plan.law) else {
        return Err(RigError::Missing("the rig has no law"));
    };
    let constant = |formula: &gelenk_model::quantity::Formula| {
        formula.expression.compile(&|_| None).ok().and_then(|program| program.constant())
    };
    let p: Option<Vec<f64>> = law.parameters.iter().map(|number| constant(&number.formula)).collect();
    let p = p.ok_or(RigError::Missing("the numbers of a law in a rig cannot use parameters"))?;
    let mut driven = Driven::new(law.law, &p, law.elements)?;
    let mut data = vec![Vec::new(); 5];
    let push = |data: &mut Vec<Vec<f64>>, row: [f64; 5]| {
        data.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    };
    if let (Some(reversals), Some(speed)) = (&motion.reversals, &motion.speed) {
        let reversals: Vec<f64> = reversals.value.iter().map(|number| number.value).collect();
        push(&mut data, [0.0; 5]);
        // One leg after the other, so that the work at every sample is known.
        let mut t = 0.0;
        for leg in reversals {
            if interrupt.asked() {
                break;
            }
            let before = driven.work();
            let samples = path(&mut driven, &[leg], speed.value, motion.samples.value as usize);
            let (mut work, mut last) = (before, data.last_row());
            for s in samples {
                work += 0.5 * (last[3] + s.force) * (s.x - last[1]);
                last = [t + s.t, s.x, s.v, s.force, work];
                push(&mut data, last);
            }
            t = last[0];
        }
    } else {
        let period = study.file.output.as_ref().map_or(0.0, |output| output.value);
        let mut due = 0.0;
        let mut velocity = speeds.first().copied().unwrap_or(0.0);
        // A motion that begins with a velocity has it from the start.
        driven.ramp(velocity, 1e-15);
        push(&mut data, [0.0, 0.0, velocity, driven.effort(), 0.0]);
        for k in 1..times.len() {
            if interrupt.asked() {
                break;
            }
            let h = times[k] - times[k - 1];
            velocity = speeds[k];
            driven.ramp(velocity, h);
            due += h;
            if due >= period * (1.0 - 1e-9) || k + 1 == times.len() {
                push(&mut data, [times[k], driven.travel(), velocity, driven.effort(), driven.work()]);
                due = 0.0;
            }
        }
    }
    let units = units(rig);
    let mut columns = columns(&units);
    columns.push(Column::new("work", "J", "work that the motion has done on the law"));
    let recording = Recording::from_data(columns, data)?;
    let parameters = moved(law.law, &p, rig);
    let run = finish(plan, rig, &units, (recording, !interrupt.asked()), "driven".into())?;
    Ok(run.map(|run| LawRun { parameters, ..run }))
}

/// The last row of columns of equal length.
trait LastRow {
    fn last_row(&self) -> [f64; 5];
}

impl LastRow for Vec<Vec<f64>> {
    fn last_row(&self) -> [f64; 5] {
        std::array::from_fn(|k| self.get(k).and_then(|column| column.last()).copied().unwrap_or(0.0))
    }
}
