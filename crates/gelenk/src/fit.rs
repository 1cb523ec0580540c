//! Fitting parameters of a model to logs.

use std::path::Path;

use gelenk_estimate::{Fit, FitError, FitOptions, Loss, Progress, Unknown, least_squares};
use gelenk_math::units::{Dimension, Unit};
use gelenk_model::study_file::{Data, LossKind, LossTable, StudyFile, StudyKind};
use gelenk_model::{FileKind, Loaded, Variation, file_kind, load_study};
use gelenk_multibody::Mechanism;
use gelenk_record::{Column, Recording};
use gelenk_signal::course::BESIDE;
use gelenk_solve::{Options, SolveError, Summary, Verdict, find_input, judge};
use gelenk_system::{Course, Nanos, Param, ParameterTable, System};
use rayon::prelude::*;
use thiserror::Error;

use crate::interrupt::Interrupt;
use crate::open::{OpenError, Overrides, Prepared, of_ours, prepare, read_log, study_model};
use crate::parameters;
use crate::run::{RunError, run_bound};

/// A fit that cannot be made.
#[derive(Debug, Error)]
pub enum FitStudyError {
    /// Files or settings.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The search.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The run with the found parameters.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The log, or a column that the model does not have.
    #[error("{0}")]
    Data(String),
}

/// A column of a log beside the output that should match it.
struct Comparison {
    output: String,
    time: Vec<f64>,
    value: Vec<f64>,
    /// Unit of the column; the values are SI.
    unit: Unit,
    /// Root of the weight.
    factor: f64,
    measured: Measured,
}

/// A column of a log as it was measured, with NaN where there is no sample (s, SI).
struct Measured {
    time: Vec<f64>,
    value: Vec<f64>,
    /// Column and file, in words.
    source: String,
}

impl Measured {
    /// The measured value at a time (s), linear between samples; NaN beside a missing one and outside of the log.
    fn at(&self, t: f64) -> f64 {
        let after = self.time.partition_point(|&s| s < t);
        match (after.checked_sub(1), self.time.get(after)) {
            (_, Some(&s)) if s == t => self.value[after],
            (Some(before), Some(&s)) => {
                let share = (t - self.time[before]) / (s - self.time[before]);
                self.value[before] * (1.0 - share) + self.value[after] * share
            }
            _ => f64::NAN,
        }
    }
}

impl Comparison {
    /// Refuses a column whose unit measures something else than the output.
    fn check_unit(&self, mechanism: &Mechanism) -> Result<(), FitStudyError> {
        let channel = mechanism.channels().iter().find(|c| c.name == self.output);
        // An output without a known unit can be compared with anything.
        let Some(unit) = channel.and_then(|c| Unit::parse(&c.unit).ok()) else { return Ok(()) };
        if unit.dimension == Dimension::NONE || unit.dimension.compatible(self.unit.dimension) {
            return Ok(());
        }
        let message = format!(
            "the column for {} is given in {}, but the output measures {}",
            self.output, self.unit.dimension, unit.dimension
        );
        Err(FitStudyError::Data(message))
    }
}

/// A fit study that is ready to run.
pub struct FitStudy {
    prepared: Prepared,
    variations: Vec<Variation>,
    /// Parameters of which the first must not lie below the second, one of them varied.
    orders: Vec<(Param, Param)>,
    experiments: Vec<Experiment>,
    loss: Loss,
    /// Ends the search early; the best values so far are its answer.
    pub interrupt: Interrupt,
}

/// A log with the conditions under which it was made.
struct Experiment {
    title: String,
    comparisons: Vec<Comparison>,
    /// Inputs by their numbers, and what they do.
    inputs: Vec<(usize, Course)>,
    /// Parameters that differ from those of the study.
    set: Vec<(Param, f64)>,
    /// How long, and how.
    options: Options,
}

/// The run of one experiment with the parameters that were found.
pub struct FittedRun {
    /// Title of the experiment: that of the study where there is only one.
    pub title: String,
    /// Its recording; without rows where the search was interrupted.
    pub recording: Recording,
    /// Its summary.
    pub summary: Summary,
    /// What its energy balance says.
    pub verdict: Verdict,
    /// Root of the mean of the squared, weighted differences (SI).
    pub rms: f64,
}

/// What a fit found.
pub struct FitOutcome {
    /// The search.
    pub fit: Fit,
    /// Paths, values and SI units of the fitted parameters.
    pub parameters: Vec<(String, f64, String)>,
    /// The runs with them, one for each log.
    pub runs: Vec<FittedRun>,
}

impl FitStudy {
    /// Opens a study of kind `fit`.
    pub fn open(path: &Path) -> Result<Self, FitStudyError> {
        Self::open_with(path, &Overrides::default())
    }

    /// Opens a study of kind `fit`, with values of parameters that are not varied given from outside.
    pub(crate) fn open_with(path: &Path, overrides: &Overrides) -> Result<Self, FitStudyError> {
        of_ours(path)?;
        if file_kind(path) != FileKind::Study {
            return Err(OpenError::Usage(format!(
                "{} is not a study; `gelenk fit` needs a study of kind \"fit\"",
                path.display()
            ))
            .into());
        }
        let study = load_study(path).map_err(OpenError::from)?;
        if study.file.kind.is_none_or(|kind| kind.value != StudyKind::Fit) {
            let message = format!("{} is not a study of kind \"fit\"", path.display());
            return Err(OpenError::Usage(message).into());
        }
        let (model, mut compiled) = study_model(&study)?;
        let variations = compiled.variations(&study).map_err(OpenError::from)?;
        let varied = |param: Param| variations.iter().any(|v| v.param == param);
        let mut orders = compiled.orders();
        orders.retain(|&(greater, lesser)| varied(greater) || varied(lesser));
        // Settings of experiments are looked up before the model is built.
        let mut conditions = Vec::new();
        for experiment in &study.file.experiments {
            let set = compiled.settings(&experiment.set, &study).map_err(OpenError::from)?;
            for (param, _) in &set {
                if let Some(variation) = variations.iter().find(|v| v.param == *param) {
                    let message = format!("{} is varied, so no experiment may set it", variation.path);
                    return Err(FitStudyError::Data(message));
                }
            }
            let courses =
                compiled.courses(&experiment.inputs, &study, &mut read_log).map_err(OpenError::from)?;
            conditions.push((set, courses));
        }
        let prepared = prepare(&model, Some(&study.file), compiled, overrides)?;
        let mut experiments = Vec::new();
        if let Some(data) = &study.file.data {
            let title = prepared.title.clone();
            experiments.push(Experiment::open(&study, &prepared, title, data, (Vec::new(), Vec::new()))?);
        }
        for (experiment, conditions) in study.file.experiments.iter().zip(conditions) {
            let title = experiment.title.as_ref().unwrap_or(&experiment.data.file).text.clone();
            experiments.push(Experiment::open(&study, &prepared, title, &experiment.data, conditions)?);
        }
        let loss = study.file.loss.as_ref().map_or(Loss::Squares, loss);
        Ok(Self { prepared, variations, orders, experiments, loss, interrupt: Interrupt::default() })
    }

    /// How many logs there are.
    pub fn logs(&self) -> usize {
        self.experiments.len()
    }

    /// Title of the study.
    pub fn title(&self) -> &str {
        &self.prepared.title
    }

    /// Searches the parameters; trial runs share the threads, and the result does not depend on their number.
    pub fn run(&self, progress: &mut dyn FnMut(&Progress)) -> Result<FitOutcome, FitStudyError> {
        let start = self.prepared.parameters.values();
        let unknowns: Vec<Unknown> = self
            .variations
            .iter()
            .map(|v| {
                let unknown = Unknown::new(&v.path, v.param.of(&start), v.lower, v.upper);
                if v.logarithmic { unknown.on_log_scale() } else { unknown }
            })
            .collect();
        let residual = |values: &[f64]| self.residual(values);
        // Differences of runs are as smooth as the integration's tolerance lets them be.
        let options = FitOptions { difference: 1e-4, loss: self.loss, ..FitOptions::default() };
        let mut follow = |step: &Progress<'_>| {
            progress(step);
            if self.interrupt.asked() {
                step.stop();
            }
        };
        let fit = least_squares(&unknowns, &residual, &options, &mut follow)?;
        let runs: Result<Vec<FittedRun>, FitStudyError> =
            self.experiments.iter().map(|experiment| self.fitted(experiment, &fit.values)).collect();
        let table = self.with(&fit.values, &[]).map_err(FitStudyError::Data)?;
        let unit = |v: &Variation| table.get(v.param).map(|p| p.unit.clone()).unwrap_or_default();
        let values = table.values();
        let parameters =
            self.variations.iter().map(|v| (v.path.clone(), v.param.of(&values), unit(v))).collect();
        Ok(FitOutcome { fit, parameters, runs: runs? })
    }

    /// The run of an experiment with the values that were found.
    fn fitted(&self, experiment: &Experiment, values: &[f64]) -> Result<FittedRun, FitStudyError> {
        let table = self.with(values, &experiment.set).map_err(FitStudyError::Data)?;
        let (p, options) = (table.values(), &experiment.options);
        let mut shown = self.prepared.mechanism.clone();
        shown.record_poses();
        let (mut recording, summary) = if self.interrupt.asked() {
            (Recording::new(crate::run::columns(&shown)).map_err(RunError::from)?, Summary::default())
        } else {
            run_bound(&shown, &p, &experiment.inputs, options, &self.interrupt)?
        };
        let verdict = if self.interrupt.asked() {
            Verdict::Good
        } else {
            judge(&shown, &p, options, &summary, self.prepared.limits)
        };
        let differences = experiment.differences(&recording).unwrap_or_default();
        let squares: f64 = differences.iter().map(|d| d * d).sum();
        let rms = (squares / differences.len().max(1) as f64).sqrt();
        recording.meta_mut().append(&mut self.prepared.metadata());
        if self.experiments.len() > 1 {
            let title = format!("{}: {}", self.prepared.title, experiment.title);
            recording.meta_mut().insert("title".into(), title);
        }
        // The run has the values that were found.
        let found = parameters::describe(&table, &self.prepared.words);
        recording.meta_mut().insert(parameters::KEY.into(), found);
        let recording = experiment.with_measured(&recording)?;
        Ok(FittedRun { title: experiment.title.clone(), recording, summary, verdict, rms })
    }

    /// The parameters with the varied ones set. Where two would pass each other, the search goes on along their line: a varied
    /// greater one is raised to the lesser, else the lesser one lowered.
    fn with(&self, values: &[f64], set: &[(Param, f64)]) -> Result<ParameterTable, String> {
        let mut table = self.prepared.parameters.clone();
        for &(param, value) in set {
            table.set(param, value).map_err(|error| error.to_string())?;
        }
        for (variation, &value) in self.variations.iter().zip(values) {
            table.set(variation.param, value).map_err(|error| error.to_string())?;
        }
        for &(greater, lesser) in &self.orders {
            let values = table.values();
            let (high, low) = (greater.of(&values), lesser.of(&values));
            if high < low {
                let raised = self.variations.iter().any(|v| v.param == greater);
                let (param, value) = if raised { (greater, low) } else { (lesser, high) };
                table.set(param, value).map_err(|error| error.to_string())?;
            }
        }
        Ok(table)
    }

    /// Weighted differences between the runs with `values` and the logs.
    fn residual(&self, values: &[f64]) -> Result<Vec<f64>, String> {
        let several = self.experiments.len() > 1;
        let parts: Vec<Result<Vec<f64>, String>> = self
            .experiments
            .par_iter()
            .map(|experiment| {
                let named =
                    |error: String| if several { format!("{}: {error}", experiment.title) } else { error };
                self.residual_of(experiment, values).map_err(named)
            })
            .collect();
        // In the order of the logs, whichever run ended first.
        let mut residual = Vec::new();
        for part in parts {
            residual.append(&mut part?);
        }
        Ok(residual)
    }

    fn residual_of(&self, experiment: &Experiment, values: &[f64]) -> Result<Vec<f64>, String> {
        let table = self.with(values, &experiment.set)?;
        let mechanism = &self.prepared.mechanism;
        let (values, options) = (table.values(), &experiment.options);
        let (recording, summary) =
            run_bound(mechanism, &values, &experiment.inputs, options, &self.interrupt)
                .map_err(|error| error.to_string())?;
        if let Verdict::Failure(error) = judge(mechanism, &values, options, &summary, self.prepared.limits) {
            return Err(error.to_string());
        }
        experiment.differences(&recording)
    }
}

/// What differences cost.
fn loss(table: &LossTable) -> Loss {
    let size = table.outlier.value;
    match table.kind {
        LossKind::Huber => Loss::Huber(size),
        LossKind::Cauchy => Loss::Cauchy(size),
    }
}

/// Refuses the log of an input that ends before the run: what the input did after that is not known, and the parameters would be
/// fitted to a guess.
fn covers(title: &str, name: &str, course: &Course, until: f64) -> Result<(), FitStudyError> {
    match course {
        Course::Table(table) => match table.span() {
            Some([_, last]) if last + BESIDE < until => Err(FitStudyError::Data(format!(
                "experiment \"{title}\": the log of input {name} ends at {last} s, before the end of the run at {until} s; end \
                 the run with \"until\", or give the whole log"
            ))),
            _ => Ok(()),
        },
        Course::Held(_) | Course::Shape { .. } => Ok(()),
    }
}

/// Parameters that an experiment sets, and what its inputs do, by their names.
type Conditions = (Vec<(Param, f64)>, Vec<(String, Course)>);

impl Experiment {
    fn open(
        study: &Loaded<StudyFile>,
        prepared: &Prepared,
        title: String,
        data: &Data,
        (set, courses): Conditions,
    ) -> Result<Self, FitStudyError> {
        let comparisons = comparisons(study, data)?;
        let names = || crate::run::columns(&prepared.mechanism).into_iter().map(|c| c.name);
        for comparison in &comparisons {
            if !names().any(|name| name == comparison.output) {
                let known: Vec<String> = names().collect();
                let hint = gelenk_math::suggest::hint(&comparison.output, known.iter().map(String::as_str));
                let message = format!("the model has no output {:?}{hint}", comparison.output);
                return Err(FitStudyError::Data(message));
            }
            comparison.check_unit(&prepared.mechanism)?;
        }
        let inputs: Result<Vec<(usize, Course)>, SolveError> = courses
            .into_iter()
            .map(|(name, course)| find_input(&prepared.mechanism, &name).map(|input| (input, course)))
            .collect();
        let mut options = prepared.options;
        // Unless the study gives the end, the run is as long as the log.
        if study.file.until.is_none() {
            let last = comparisons.iter().filter_map(|c| c.time.last()).fold(0.0f64, |max, &t| max.max(t));
            options.until = Nanos::from_seconds(last).unwrap_or(options.until);
        }
        let inputs = inputs.map_err(OpenError::from)?;
        for (input, course) in &inputs {
            covers(&title, &prepared.mechanism.inputs()[*input].name, course, options.until.seconds())?;
        }
        Ok(Self { title, comparisons, inputs, set, options })
    }

    /// Weighted differences between a run and the log.
    fn differences(&self, recording: &Recording) -> Result<Vec<f64>, String> {
        let mut differences = Vec::new();
        for comparison in &self.comparisons {
            let end = recording.time().last().copied().unwrap_or(0.0);
            for (&t, &measured) in comparison.time.iter().zip(&comparison.value).filter(|(t, _)| **t <= end) {
                let simulated =
                    recording.interpolate(&comparison.output, t).map_err(|error| error.to_string())?;
                differences.push(comparison.factor * (simulated - measured));
            }
        }
        Ok(differences)
    }

    /// The recording with the measured columns behind its own, under the names of the outputs that they are compared with:
    /// `measured.phi`, at the times of the recording.
    fn with_measured(&self, recording: &Recording) -> Result<Recording, FitStudyError> {
        let mut columns = recording.columns().to_vec();
        let mut data: Vec<Vec<f64>> =
            (0..columns.len()).map(|k| recording.values(k).unwrap_or_default().to_vec()).collect();
        for Comparison { output, measured, .. } in &self.comparisons {
            let name = format!("measured.{output}");
            // An output that is compared twice has the columns numbered.
            let before =
                columns.iter().filter(|c| c.name == name || c.name.starts_with(&format!("{name} ("))).count();
            let name = if before == 0 { name } else { format!("{name} ({})", before + 1) };
            let unit = columns.iter().find(|c| c.name == *output).map(|c| c.unit.clone()).unwrap_or_default();
            columns.push(Column::new(name, unit, format!("{}, linear between samples", measured.source)));
            data.push(recording.time().iter().map(|&t| measured.at(t)).collect());
        }
        let mut with = Recording::from_data(columns, data).map_err(RunError::from)?;
        with.meta_mut().clone_from(recording.meta());
        recording.events().iter().cloned().for_each(|event| with.push_event(event));
        Ok(with)
    }
}

/// Reads the columns that a study compares from one of its logs, in SI.
fn comparisons(study: &Loaded<StudyFile>, data: &Data) -> Result<Vec<Comparison>, FitStudyError> {
    let path = study.sources.resolve(data.file.span.file, &data.file);
    let names: Vec<&str> = study.file.compare.iter().map(|c| c.column.text.as_str()).collect();
    let log = gelenk_io::read_csv_log(&path, &data.time, &names)
        .map_err(|error| FitStudyError::Data(error.to_string()))?;
    let time: Vec<f64> = log.time.iter().map(|&t| data.time_unit.unit.to_si(t)).collect();
    let compared = study.file.compare.iter().zip(log.columns);
    Ok(compared
        .map(|(compare, column)| {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let measured = Measured {
                time: time.clone(),
                value: column.iter().map(|&v| compare.unit.unit.to_si(v)).collect(),
                source: format!("measured: column `{}` of {file}", compare.column.text),
            };
            // A missing sample is no measurement.
            let samples = time.iter().zip(column).filter(|(_, value)| value.is_finite());
            let (time, value) = samples.map(|(&t, v)| (t, compare.unit.unit.to_si(v))).unzip();
            Comparison {
                output: compare.output.text.clone(),
                time,
                value,
                unit: compare.unit.unit,
                factor: compare.weight.value.sqrt(),
                measured,
            }
        })
        .collect())
}
