//! Reading a text and using what it says. A panic is a finding.

use std::sync::LazyLock;

use gelenk_model::report::{Diagnostic, Severity};
use gelenk_model::{Compiled, Failure, LogColumns, LogRequest, compile, parse_model, parse_study};
use gelenk_multibody::Mechanism;
use gelenk_solve::{Method, Observer, Options, SolveError, StopRun, simulate};
use gelenk_system::{Fault, Nanos, Sampled, System};

use super::bounded::Bounded;

/// Larger models are only built, not moved.
const MOST_BODIES: usize = 50;
/// Evaluations that one run may use. Cut steps could ask for millions.
const EVALUATIONS: u64 = 200;
/// The longest step.
const STEP: Nanos = Nanos(1_000_000);

/// A model that studies are applied to.
static MODEL: LazyLock<Compiled> = LazyLock::new(|| {
    let text = include_str!("../../../../cases/seams/model.toml");
    let model = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    compile(&model, &mut log).unwrap_or_else(|failure| panic!("{failure}"))
});

/// Reads a text as a model and as a study.
pub fn reader(bytes: &[u8]) -> bool {
    runner(bytes);
    true
}

/// Reads a text as a model and as a study. Returns whether it is one of them.
pub fn runner(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let is_model = model(text);
    study(text) || is_model
}

/// Reads a model, compiles and builds it, and lets it move. Returns whether the text is a model.
fn model(text: &str) -> bool {
    let model = match parse_model(text, None) {
        Ok(model) => model,
        Err(failure) => {
            explain(&failure);
            return false;
        }
    };
    let _ = model.warnings.render(&model.sources);
    // What was found right compiles and builds; a refusal here is a check that is missing there.
    let compiled = match compile(&model, &mut log) {
        Ok(compiled) => compiled,
        Err(failure) if failure.report.iter().all(is_about_a_file) => return true,
        Err(failure) => panic!("{failure}"),
    };
    let _ = compiled.validate().map_err(|error| error.to_string());
    let mechanism = compiled.build().unwrap_or_else(|error| panic!("{error}"));
    if mechanism.body_count() < MOST_BODIES {
        let _ = evaluate(&mechanism).map_err(|error| error.to_string());
        let _ = step(&mechanism).map_err(|error| error.to_string());
    }
    true
}

/// Reads a study and applies it to a model. Returns whether the text is a study.
fn study(text: &str) -> bool {
    match parse_study(text, None) {
        Ok(study) => {
            let mut model = MODEL.clone();
            let _ = model.apply(&study).map_err(|failure| explain(&failure));
            let _ = model.variations(&study).map_err(|failure| explain(&failure));
            true
        }
        Err(failure) => {
            explain(&failure);
            false
        }
    }
}

/// Meshes are read when a model is compiled, and a text has no folder to read them from.
fn is_about_a_file(diagnostic: &Diagnostic) -> bool {
    let reasons = ["there is no such file", "it is no file of", "the name of a mesh file ends in"];
    diagnostic.severity == Severity::Warning
        || reasons.iter().any(|reason| diagnostic.message.contains(reason))
}

/// Every failure has a reason, and the reason can be shown.
fn explain(failure: &Failure) {
    assert!(failure.report.has_errors() && !failure.to_string().is_empty());
}

/// The same small table for whatever log a model asks for.
fn log(_: &LogRequest) -> Result<LogColumns, String> {
    Ok(LogColumns { time: vec![0.0, 0.5, 2.0], value: vec![0.0, 1.0, -1.0] })
}

/// The state rate at the start.
fn evaluate(mechanism: &Mechanism) -> Result<(), Fault> {
    let layout = mechanism.layout();
    let mut data = mechanism.data::<f64>();
    mechanism.bind(&mut data, &mechanism.parameters().values());
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    // A start that fails, such as an open loop, still leaves a state to evaluate.
    let started = mechanism.start(&mut data, &mut x, &mut m);
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &m, &mut dx)?;
    started
}

/// Three implicit steps, none longer than the shortest sampling period.
fn step(mechanism: &Mechanism) -> Result<(), SolveError> {
    let step = mechanism.next_sample(&mechanism.data(), Nanos::ZERO).map_or(STEP, |sample| sample.min(STEP));
    let until = step.after(step).after(step);
    let options = Options { until, output: step, method: Method::Stepped { step } };
    let system = Bounded::new(mechanism, EVALUATIONS);
    simulate(&system, &mechanism.parameters().values(), &options, &mut Nobody).map(drop)
}

/// Takes rows and keeps none.
struct Nobody;

impl Observer for Nobody {
    fn row(&mut self, _: &[f64]) -> Result<(), StopRun> {
        Ok(())
    }
}
