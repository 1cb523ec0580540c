//! From files to something that can run.

use std::collections::BTreeMap;
use std::path::Path;

use gelenk_import::{Options as ImportOptions, import_file};
use gelenk_math::units::{Dimension, Quantity};
use gelenk_model::model_file::{Formulation, LoopClosing, Method as Choice};
use gelenk_model::solver::Solver;
use gelenk_model::study_file::{StudyFile, StudyKind};
use gelenk_model::{
    Compiled, Failure, FileKind, Loaded, LoadedModel, LogColumns, LogRequest, ModelFile, SetError, compile,
    file_kind, load_model, load_study,
};
use gelenk_multibody::{AbsoluteError, BuildError, Closing, Mechanism, StartBlow, StartContact};
use gelenk_solve::auto::{self, Wishes};
use gelenk_solve::{EnergyLimits, Method, Options, SolveError};
use gelenk_system::{Fault, Nanos, ParameterTable, System};
use thiserror::Error;

use crate::parameters::{self, Words};
use crate::scene;

/// Files or settings that cannot run.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A file with errors; the message shows all of them.
    #[error(transparent)]
    File(#[from] Failure),
    /// A refused value of a parameter.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A model that cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A model without an absolute form.
    #[error(transparent)]
    Absolute(#[from] AbsoluteError),
    /// A model that refuses every method.
    #[error(transparent)]
    Solver(#[from] SolveError),
    /// A file of another format.
    #[error("{0}")]
    Format(String),
    /// A wrong setting of a file.
    #[error("{0}")]
    Setting(String),
    /// A wrong setting of the command line, or the wrong command for a file.
    #[error("{0}")]
    Usage(String),
}

/// Settings from the command line that override those of the files, as text with units.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `path=value` of parameters.
    pub set: Vec<String>,
    /// End of the run.
    pub until: Option<String>,
    /// Time from one row of the recording to the next.
    pub output: Option<String>,
    /// Method.
    pub method: Option<String>,
    /// Step of a method with fixed steps.
    pub step: Option<String>,
    /// How loops are kept closed.
    pub loops: Option<String>,
    /// Coordinates in which the equations of motion are formed.
    pub formulation: Option<String>,
}

/// Relative and absolute tolerance where none is given.
pub const TOLERANCE: f64 = 1e-8;

/// Metadata of a recording: joints and loops whose reactions are not unique, so that those of least norm stand there.
pub const SHARED_REACTIONS: &str = "reactions.shared";

/// A mechanism with everything that a run needs.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Its parameters, with what was set.
    pub parameters: ParameterTable,
    /// Title of the study or the model.
    pub title: String,
    /// How to simulate.
    pub options: Options,
    /// How much energy the integration may make or lose.
    pub limits: EnergyLimits,
    /// Why the method was picked; `None` where it was given.
    pub reason: Option<String>,
    /// Warnings about the files, ready to print; empty where there are none.
    pub warnings: String,
    /// What the command line set, as it was written.
    pub set: Vec<String>,
    /// What pictures need to know of the model, as JSON; see [`crate::scene`].
    pub scene: String,
    /// The pairs of surfaces that can touch, as [`gelenk_record::elements::PAIRS`] tells them.
    pub pairs: String,
    /// What the model says in words where parameters are numbers.
    pub words: Words,
}

impl Prepared {
    /// Joints and loops whose reactions are not unique at the start, as one text; `None` where all are, and where there is
    /// no start.
    pub fn shared_reactions(&self) -> Option<String> {
        let names = self.mechanism.shared_reactions(&self.parameters.values()).ok()?;
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// What a recording says about the model. Nothing of the clock or the machine.
    pub fn metadata(&self) -> BTreeMap<String, String> {
        let mut meta = BTreeMap::from([
            ("title".into(), self.title.clone()),
            ("method".into(), self.options.method.name().into()),
            ("generator".into(), concat!("gelenk ", env!("CARGO_PKG_VERSION")).into()),
        ]);
        meta.insert(scene::KEY.into(), self.scene.clone());
        meta.insert(parameters::KEY.into(), parameters::describe(&self.parameters, &self.words));
        if let Some(shared) = self.shared_reactions() {
            meta.insert(SHARED_REACTIONS.into(), shared);
        }
        if !self.warnings.is_empty() {
            meta.insert("warnings".into(), self.warnings.clone());
        }
        if let Some(reason) = &self.reason {
            meta.insert("method.reason".into(), reason.clone());
        }
        for (path, value) in self.set.iter().filter_map(|setting| setting.split_once('=')) {
            meta.insert(format!("set.{}", path.trim()), value.trim().into());
        }
        meta
    }
}

/// What is to be said about the start. Warnings: contacts that throw bodies apart, and friction far above its level.
/// Notes: other contacts that the motion starts inside of.
///
/// # Errors
/// A start that is not possible.
pub fn starts(prepared: &Prepared) -> Result<[Vec<String>; 2], Fault> {
    let parameters = prepared.parameters.values();
    let found = prepared.mechanism.start_contacts(&parameters)?;
    let blow = |blow: &StartBlow| {
        format!(
            "{} starts with {}, {} times the {} (SI) of steady sliding, because its bristles start undeflected\n  help: add start = \"sliding\" to the friction, or start from rest",
            blow.name,
            digits(blow.resistance.abs()),
            digits((blow.resistance / blow.steady).abs()),
            digits(blow.steady.abs())
        )
    };
    let blows: Vec<String> = prepared.mechanism.start_blows(&parameters)?.iter().map(blow).collect();
    let text = |contact: &StartContact| {
        let StartContact { name, depth, stored, .. } = contact;
        format!(
            "{name} starts with a penetration of {} mm and stores {} J",
            digits(1e3 * depth),
            digits(*stored)
        )
    };
    let (thrown, resting): (Vec<_>, Vec<_>) = found.iter().partition(|contact| contact.throws);
    let warn = |contact: &&StartContact| {
        format!(
            "{}, more than the weight of the bodies can balance: they are pushed apart\n  help: start farther apart, or from rest (`gelenk equilibrium`)",
            text(contact)
        )
    };
    Ok([thrown.iter().map(warn).chain(blows).collect(), resting.into_iter().map(text).collect()])
}

/// A number with four significant digits.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

/// Loads a mechanism: a model file, or a robot in URDF, xacro, MJCF or SDF as `gelenk convert` reads it.
///
/// # Errors
/// A file with errors, or a robot that cannot run; the message shows all of them.
pub fn load(path: impl AsRef<Path>) -> Result<Mechanism, OpenError> {
    let path = path.as_ref();
    let robot = path
        .extension()
        .is_some_and(|end| ["urdf", "xacro", "xml", "mjcf", "sdf"].iter().any(|known| end == *known));
    let model = if robot {
        import_file(path, &ImportOptions::default())?.model(path.parent())?
    } else {
        load_model(path)?
    };
    Ok(compile(&model, &mut read_log)?.build()?)
}

/// Refuses a file of another format, with what it is and what can be done.
pub(crate) fn of_ours(path: &Path) -> Result<(), OpenError> {
    crate::foreign::model(path).map_or(Ok(()), |message| Err(OpenError::Format(message)))
}

/// Opens a model, or a study of kind `simulate`.
pub fn simulation(path: &Path, overrides: &Overrides) -> Result<Prepared, OpenError> {
    of_ours(path)?;
    match file_kind(path) {
        FileKind::Study => {
            let study = load_study(path)?;
            let other = match study.file.kind.map(|kind| kind.value) {
                Some(StudyKind::Fit) => Some(("a fit", "fit")),
                Some(StudyKind::Kinematics) => Some(("a study of kinematics", "kinematics")),
                Some(StudyKind::InverseDynamics) => Some(("a study of inverse dynamics", "inverse")),
                Some(StudyKind::InverseKinematics) => Some(("a study of inverse kinematics", "ik")),
                Some(StudyKind::Rig) => Some(("a rig", "law run")),
                Some(StudyKind::Sweep) => Some(("a sweep", "sweep")),
                Some(StudyKind::Simulate) | None => None,
            };
            if let Some((what, command)) = other {
                let message = format!("{} is {what}; run it with: gelenk {command} {0}", path.display());
                return Err(OpenError::Usage(message));
            }
            let (model, compiled) = study_model(&study)?;
            prepare(&model, Some(&study.file), compiled, overrides)
        }
        FileKind::Case => {
            let message = format!("{} is a case; run it with: gelenk case run {0}", path.display());
            Err(OpenError::Usage(message))
        }
        FileKind::Model => {
            let model = load_model(path)?;
            let compiled = compile(&model, &mut read_log)?;
            prepare(&model, None, compiled, overrides)
        }
    }
}

/// Loads and compiles the model of a study and applies the study's settings.
pub fn study_model(study: &Loaded<StudyFile>) -> Result<(LoadedModel, Compiled), OpenError> {
    let name = study.file.model.as_ref().map(|m| m.text.as_str()).unwrap_or_default();
    let model = load_model(study.sources.resolve(0, name))?;
    let mut compiled = compile(&model, &mut read_log)?;
    compiled.apply(study)?;
    compiled.bind_inputs(study, &mut read_log)?;
    Ok((model, compiled))
}

/// Sets what the command line says, and builds the mechanism.
pub fn prepare(
    model: &LoadedModel,
    study: Option<&StudyFile>,
    mut compiled: Compiled,
    overrides: &Overrides,
) -> Result<Prepared, OpenError> {
    for setting in &overrides.set {
        let Some((path, value)) = setting.split_once('=') else {
            let message = format!("--set {setting}: write PATH=VALUE, such as bodies.arm.mass=\"0.2 kg\"");
            return Err(OpenError::Usage(message));
        };
        compiled.set(path.trim(), value.trim())?;
    }
    compiled.validate()?;
    let (mut options, wishes) = options(&model.file, study, overrides)?;
    let title = study.and_then(|s| s.title.as_ref()).or(model.file.title.as_ref());
    let title = title.map_or_else(|| "Untitled model".into(), |t| t.text.clone());
    let mut warnings =
        [&model.warnings, &compiled.warnings].map(|report| report.render(&model.sources)).concat();
    let closing = closing(&model.file, study, overrides)?;
    if closing.is_none() {
        compiled.blueprint.loops.clear();
    }
    let (scene, pairs) = (scene::describe(&compiled), scene::pairs(&compiled));
    warnings.push_str(&scene::notes(&compiled));
    let words = Words::of(&compiled);
    let mut mechanism = match formulation(&model.file, study, overrides)? {
        Formulation::Minimal => compiled.build()?,
        Formulation::Absolute => {
            let (blueprint, parameters) = compiled.blueprint.absolute(&compiled.parameters)?;
            blueprint.compile(parameters)?
        }
    };
    mechanism.set_closing(closing.unwrap_or_default());
    let parameters = mechanism.parameters().clone();
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &parameters.values());
    mechanism.check_prescribed(&mut data, options.until.seconds()).map_err(SolveError::from)?;
    drop(data);
    let mut reason = None;
    if let Some(wishes) = wishes {
        let choice = auto::choose(&mechanism, &parameters.values(), &options, &wishes)?;
        options.method = choice.method;
        reason = Some(choice.reason);
    }
    let set = overrides.set.clone();
    warnings.push_str(&short_logs(&mechanism, options.until.seconds()));
    warnings.push_str(&unresolved_logs(&mechanism, options.method, options.until.seconds()));
    let limits = limits(&model.file, study);
    Ok(Prepared { mechanism, parameters, title, options, limits, reason, warnings, set, scene, pairs, words })
}

/// Warnings about logs that do not cover the run.
fn short_logs(mechanism: &Mechanism, until: f64) -> String {
    let mut text = String::new();
    for (name, [first, last]) in mechanism.log_spans() {
        if first >= until && first > 0.0 {
            text += &format!(
                "warning: the log of signal {name} starts at {first} s, after the end of the run at {until} s; its \
                 first value is used throughout\n"
            );
        } else if last < until {
            text += &format!(
                "warning: the log of signal {name} ends at {last} s, before the end of the run at {until} s; its \
                 last value is held after that\n"
            );
        }
    }
    text
}

/// Share of a log's integral that the steps of a stepped mode may miss without a word.
const MISSED: f64 = 0.02;
/// Steps over which logs are looked at, at most.
const LOOKED: f64 = 1e6;

/// Warnings about logs with changes between the steps of a stepped mode, which sees them at the ends of its steps only.
fn unresolved_logs(mechanism: &Mechanism, method: Method, until: f64) -> String {
    let step = match method {
        Method::Stepped { step } | Method::Stepped2 { step } | Method::RealTime { step } => step.seconds(),
        _ => return String::new(),
    };
    let mut text = String::new();
    for (name, log) in mechanism.log_tables().filter(|(_, log)| !log.hold) {
        let rows = log.time.windows(2).zip(log.value.windows(2));
        let whole: f64 = rows
            .filter(|(t, _)| t[0] >= 0.0 && t[1] <= until)
            .map(|(t, y)| {
                // A line through zero is two triangles.
                let size = if y[0] * y[1] < 0.0 {
                    (y[0] * y[0] + y[1] * y[1]) / (y[0].abs() + y[1].abs())
                } else {
                    y[0].abs() + y[1].abs()
                };
                0.5 * (t[1] - t[0]) * size
            })
            .sum();
        let (Some(&first), Some(&last)) = (log.time.first(), log.time.last()) else { continue };
        let (from, to) = (first.max(0.0), last.min(until));
        let steps = ((to - from) / step).ceil();
        if !(steps > 0.0 && steps < LOOKED) {
            continue;
        }
        let seen: f64 = (1..=steps as u64).map(|k| step * log.at(from + k as f64 * step).abs()).sum();
        if (seen - whole).abs() > MISSED * whole {
            text += &format!(
                "warning: steps of {step} s do not resolve the log of signal {name}: its integral is {whole:.4e}, and at the ends \
                 of the steps {seen:.4e}; use a smaller step, or a method that ends its steps at the rows of logs, \
                 such as dopri5\n"
            );
        }
    }
    text
}

/// Limits of the energy balance by precedence: study, model, defaults.
fn limits(model: &ModelFile, study: Option<&StudyFile>) -> EnergyLimits {
    let model = model.simulate.as_ref().and_then(|s| s.energy.as_ref());
    let given = study.and_then(|s| s.energy.as_ref()).or(model);
    given.map_or_else(EnergyLimits::default, |e| EnergyLimits { warn: e.warn.value, fail: e.fail.value })
}

/// Reads two columns of a CSV table.
pub fn read_log(request: &LogRequest) -> Result<LogColumns, String> {
    let log = gelenk_io::read_csv_log(&request.file, &request.time, &[&request.column])
        .map_err(|error| error.to_string())?;
    if let Some(cell) = log.empty.first() {
        return Err(format!("line {} of {} has an empty cell", cell.line, request.file.display()));
    }
    let value = log.columns.into_iter().next().unwrap_or_default();
    Ok(LogColumns { time: log.time, value })
}

/// Options by precedence: command line, study, model, defaults; and what is left to choose where the method is "auto".
fn options(
    model: &ModelFile,
    study: Option<&StudyFile>,
    overrides: &Overrides,
) -> Result<(Options, Option<Wishes>), OpenError> {
    let simulate = model.simulate.as_ref();
    let until = study.and_then(|s| s.until.as_ref()).or(simulate.and_then(|s| s.until.as_ref()));
    let until = match &overrides.until {
        Some(text) => time("--until", text)?,
        None => grid("until", until.map_or(10.0, |u| u.value))?,
    };
    let output = study.and_then(|s| s.output.as_ref()).or(simulate.and_then(|s| s.output.as_ref()));
    let output = match (&overrides.output, output) {
        (Some(text), _) => time("--output-interval", text)?,
        (None, Some(period)) => grid("output", period.value)?,
        // A thousand rows make a good picture.
        (None, None) => Nanos((until.0 / 1000).max(1)),
    };
    let solver = study.and_then(|s| s.solver.as_ref()).or(simulate.and_then(|s| s.solver.as_ref()));
    let step = match (&overrides.step, solver.and_then(|s| s.step.as_ref())) {
        (Some(text), _) => Some(time("--step", text)?),
        (None, Some(step)) => Some(grid("step", step.value)?),
        (None, None) => None,
    };
    let given = solver.map_or(Choice::Dopri5, |s| s.method.value);
    let choice = chosen("--method", overrides.method.as_deref(), Choice::of, Choice::WORDS, given)?;
    if overrides.step.is_some() && matches!(choice, Choice::Dopri5 | Choice::Dop853) {
        let message = format!("--step is for methods with a fixed step; {} chooses its steps", choice.word());
        return Err(OpenError::Usage(message));
    }
    let rtol = tolerance(solver, |s| s.rtol.as_ref().map(|r| r.value));
    let atol = tolerance(solver, |s| s.atol.as_ref().map(|a| a.value));
    let max_step = solver.and_then(|s| s.max_step.as_ref()).map_or(f64::INFINITY, |m| m.value);
    let numbers = Wishes { rtol, atol, max_step, step };
    let method = method(choice, numbers)?;
    let wishes = (choice == Choice::Auto).then_some(numbers);
    Ok((Options { until, output, method }, wishes))
}

/// A word of the command line, or what the files say.
fn chosen<C>(
    option: &str,
    word: Option<&str>,
    of: fn(&str) -> Option<C>,
    words: &[&'static str],
    given: C,
) -> Result<C, OpenError> {
    let Some(word) = word else { return Ok(given) };
    of(word).ok_or_else(|| {
        let hint = gelenk_math::suggest::hint(word, words.iter().copied());
        OpenError::Usage(format!("unknown {option} `{word}`{hint}"))
    })
}

/// The method that is chosen, with its numbers.
fn method(choice: Choice, numbers: Wishes) -> Result<Method, OpenError> {
    let Wishes { rtol, atol, max_step, step } = numbers;
    let needed = || {
        let message = format!("method {} needs a step; add --step \"1 ms\"", choice.word());
        step.ok_or(OpenError::Setting(message))
    };
    Ok(match choice {
        // Stands in until the pick.
        Choice::Dopri5 | Choice::Auto => Method::Dopri5 { rtol, atol, max_step },
        Choice::Dop853 => Method::Dop853 { rtol, atol, max_step },
        Choice::Bs23 => match step {
            Some(step) => Method::FixedBs23 { step },
            None => Method::Bs23 { rtol, atol, max_step },
        },
        Choice::Euler => Method::Euler { step: needed()? },
        Choice::SemiImplicitEuler => Method::SemiImplicitEuler { step: needed()? },
        Choice::Heun => Method::Heun { step: needed()? },
        Choice::Rk4 => Method::Rk4 { step: needed()? },
        Choice::Stepped => Method::Stepped { step: needed()? },
        Choice::Stepped2 => Method::Stepped2 { step: needed()? },
        Choice::RealTime => Method::RealTime { step: needed()? },
    })
}

/// Coordinates of the equations of motion, by the same precedence.
fn formulation(
    model: &ModelFile,
    study: Option<&StudyFile>,
    overrides: &Overrides,
) -> Result<Formulation, OpenError> {
    let simulate = model.simulate.as_ref().and_then(|s| s.formulation);
    let given = study.and_then(|s| s.formulation).or(simulate).map_or(Formulation::Minimal, |f| f.value);
    chosen("--formulation", overrides.formulation.as_deref(), Formulation::of, Formulation::WORDS, given)
}

/// How loops are kept closed, by the same precedence; `None` leaves them open.
fn closing(
    model: &ModelFile,
    study: Option<&StudyFile>,
    overrides: &Overrides,
) -> Result<Option<Closing>, OpenError> {
    let simulate = model.simulate.as_ref();
    let solver = study.and_then(|s| s.solver.as_ref()).or(simulate.and_then(|s| s.solver.as_ref()));
    let given = solver.and_then(|s| s.loops).map_or(LoopClosing::Project, |l| l.value);
    let choice = chosen("--loops", overrides.loops.as_deref(), LoopClosing::of, LoopClosing::WORDS, given)?;
    Ok(match choice {
        LoopClosing::Project => Some(Closing::Project),
        LoopClosing::Partition => Some(Closing::Partition),
        LoopClosing::None => Some(Closing::None),
        LoopClosing::Open => None,
        LoopClosing::Baumgarte => {
            let alpha = solver.and_then(|s| s.alpha.as_ref()).map(|a| a.value);
            let beta = solver.and_then(|s| s.beta.as_ref()).map(|b| b.value).or(alpha);
            Some(match (alpha, beta) {
                (None, None) => Closing::BAUMGARTE,
                (alpha, beta) => {
                    Closing::Baumgarte { alpha: alpha.or(beta).unwrap_or(0.0), beta: beta.unwrap_or(0.0) }
                }
            })
        }
    })
}

fn tolerance(solver: Option<&Solver>, pick: impl Fn(&Solver) -> Option<f64>) -> f64 {
    solver.and_then(pick).unwrap_or(TOLERANCE)
}

/// A time on the nanosecond grid.
fn grid(name: &str, seconds: f64) -> Result<Nanos, OpenError> {
    Nanos::from_seconds(seconds)
        .filter(|&n| n > Nanos::ZERO)
        .ok_or_else(|| OpenError::Setting(format!("{name} = {seconds} s must be between 1 ns and 500 years")))
}

/// A time given as text; a plain number is in seconds.
fn time(name: &str, text: &str) -> Result<Nanos, OpenError> {
    let grid = |seconds| grid(name, seconds).map_err(|error| OpenError::Usage(error.to_string()));
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return grid(seconds);
    }
    let refuse = |reason: String| OpenError::Usage(format!("{name} \"{text}\": {reason}"));
    let quantity = Quantity::parse(text).map_err(|error| refuse(error.to_string()))?;
    if !quantity.dimension.compatible(Dimension::TIME) {
        return Err(refuse("a time was expected, such as \"10 ms\"".into()));
    }
    grid(quantity.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Methods and ways to close loops are called in summaries and recordings as in files.
    #[test]
    fn names_are_the_words_of_files() {
        let numbers = |step| Wishes { rtol: 1e-8, atol: 1e-8, max_step: 1.0, step };
        for choice in Choice::WORDS.iter().filter_map(|word| Choice::of(word)) {
            for step in [None, Some(Nanos(1))] {
                match method(choice, numbers(step)) {
                    Ok(method) if choice != Choice::Auto => assert_eq!(method.name(), choice.word()),
                    Ok(method) => assert_eq!(method.name(), "dopri5"),
                    Err(_) => assert!(step.is_none() && !choice.takes_tolerances(), "{choice:?}"),
                }
            }
        }
        for closing in [Closing::Project, Closing::BAUMGARTE, Closing::Partition, Closing::None] {
            assert!(LoopClosing::of(closing.name()).is_some(), "{closing:?}");
        }
        // "open" removes the loops.
        assert_eq!(LoopClosing::WORDS.len(), 4 + 1);
    }
}
