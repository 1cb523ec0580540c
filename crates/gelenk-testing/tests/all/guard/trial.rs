//! Runs of sketches.

use gelenk::open::{Overrides, Prepared, prepare};
use gelenk::run::{columns, run_into};
use gelenk_model::{LogColumns, LogRequest, compile, parse_model};
use gelenk_record::Recording;
use gelenk_solve::Summary;
use gelenk_testing::guard::{Dim, Scale, Sketch, Value};

/// Times that a run may ask whether to go on, once a step, beside its rows. A model that takes more is too stiff for a
/// comparison.
pub(crate) const LOOKS: u64 = 20_000;

/// What is compared with: tight, and of a high order.
pub(crate) const TIGHT: &str = r#"{ method = "dop853", rtol = 1e-11, atol = 1e-12 }"#;

/// How a sketch is run.
#[derive(Clone)]
pub(crate) struct Way<'a> {
    /// Units and size.
    pub scale: Scale,
    /// The key `solver`.
    pub solver: &'a str,
    /// Minimal or absolute coordinates.
    pub formulation: &'a str,
    /// What the command line sets.
    pub set: Vec<String>,
    /// Wrenches of joints.
    pub reactions: bool,
    /// Accelerations.
    pub accelerations: bool,
    /// Poses of bodies.
    pub poses: bool,
}

impl Default for Way<'_> {
    fn default() -> Self {
        Self {
            scale: Scale::default(),
            solver: TIGHT,
            formulation: "minimal",
            set: Vec::new(),
            reactions: false,
            accelerations: false,
            poses: false,
        }
    }
}

/// What came out of a run.
pub(crate) struct Run {
    pub recording: Recording,
    pub summary: Summary,
}

/// The text of a model with `[simulate]`.
pub(crate) fn text(sketch: &Sketch, way: &Way<'_>) -> String {
    let time = |seconds: f64| {
        format!("\"{:e} {}\"", way.scale.number(seconds, Dim::TIME), way.scale.unit(Dim::TIME))
    };
    sketch.text(&way.scale)
        + &format!(
            "simulate = {{ until = {}, output = {}, formulation = \"{}\", solver = {} }}\n",
            time(sketch.until),
            time(sketch.output),
            way.formulation,
            way.solver
        )
}

/// Reads and builds a sketch.
pub(crate) fn prepared(sketch: &Sketch, way: &Way<'_>) -> Result<Prepared, String> {
    let model = parse_model(&text(sketch, way), None).map_err(|error| format!("reading: {error}"))?;
    let mut log = |request: &LogRequest| {
        let name = request.file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (time, value) = sketch.log(name, &way.scale).ok_or("no such log")?;
        Ok(LogColumns { time, value })
    };
    let compiled = compile(&model, &mut log).map_err(|error| format!("reading: {error}"))?;
    let overrides = Overrides { set: way.set.clone(), ..Overrides::default() };
    let mut prepared = prepare(&model, None, compiled, &overrides).map_err(|error| error.to_string())?;
    if way.reactions {
        prepared.mechanism.record_reactions();
    }
    if way.accelerations {
        prepared.mechanism.record_accelerations();
    }
    if way.poses {
        prepared.mechanism.record_poses();
    }
    Ok(prepared)
}

/// Runs what was built.
pub(crate) fn go(prepared: &Prepared) -> Result<Run, String> {
    let mut recording = Recording::new(columns(&prepared.mechanism)).map_err(|error| error.to_string())?;
    let mut looks = 0;
    let allowed = LOOKS + prepared.options.until.0 / prepared.options.output.0.max(1);
    let mut progress = |_: f64, _: u64| {
        looks += 1;
        looks < allowed
    };
    let (p, options) = (prepared.parameters.values(), &prepared.options);
    let summary = run_into(&prepared.mechanism, &p, options, None, &mut recording, &mut progress);
    let summary = summary.map_err(|error| error.to_string())?;
    Ok(Run { recording, summary })
}

/// Runs a sketch.
pub(crate) fn run(sketch: &Sketch, way: &Way<'_>) -> Result<Run, String> {
    go(&prepared(sketch, way)?)
}

/// The start alone.
pub(crate) fn first_row(prepared: &Prepared) -> Result<Recording, String> {
    let mut recording = Recording::new(columns(&prepared.mechanism)).map_err(|error| error.to_string())?;
    let (p, options) = (prepared.parameters.values(), &prepared.options);
    let ended = run_into(&prepared.mechanism, &p, options, None, &mut recording, &mut |_, _| false);
    if recording.is_empty() {
        Err(ended.err().map_or_else(String::new, |e| e.to_string()))
    } else {
        Ok(recording)
    }
}

/// The sketch without jitter of samples, which depends on names and whole nanoseconds.
pub(crate) fn without_jitter(sketch: &Sketch) -> Sketch {
    let mut other = sketch.clone();
    for entry in &mut other.entries {
        if let Value::Table(keys) = &mut entry.value {
            keys.retain(|(key, _)| key != "jitter");
        }
    }
    other
}
