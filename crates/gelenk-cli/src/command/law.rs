use std::path::PathBuf;

use gelenk::law::{Conditions, Experiment, LawRun, RigOutcome, Subject, findings, perform, unit_of};
use gelenk::plot::PlotOptions;
use gelenk_laws::{Friction, Kind, LawSpec, ParamSpec};
use gelenk_math::units::{Dimension, Quantity};
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_solve::Verdict;
use serde_json::{Map, Value, json};

use super::write::Target;
use super::{Refusal, Usage};
use crate::console::{Console, DONE, FAILED};

const LIST: &str = "\
Examples:
  gelenk law list
  gelenk law list --json";

const SHOW: &str = "\
Examples:
  gelenk law show lugre
  gelenk law show lugre --json";

const DIAGNOSE: &str = "\
Examples:
  gelenk law diagnose lugre dahl
  gelenk law diagnose mms:shape=2 gms:stiffness=[30,20],share=[0.4,0.6] --json";

const PLOT: &str = "\
Examples:
  gelenk law plot lugre
  gelenk law plot lugre:sigma0=1e4 dahl -e presliding --amplitude \"0.1 mm\" -o loops.svg
  gelenk law plot stribeck lugre -e stribeck -o curves.png";

const RUN: &str = "\
Examples:
  gelenk law run cases/stick-slip-coarse/rig.toml
  gelenk law run cases/stick-slip-coarse/rig.toml --plot x,friction -o rig.parquet
  gelenk law run cases/stick-slip-coarse/rig.toml --json";

/// Actions on laws.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the laws with their properties.
    #[command(after_help = LIST)]
    List,
    /// Suggest parameters of power-based friction for a step and a mass.
    Suggest(super::law_suggest::Suggest),
    /// Show equation, parameters, properties and source of a law.
    #[command(after_help = SHOW)]
    Show {
        /// Its name.
        name: String,
    },
    /// Measure laws by moving them: memory, loops, drift, lag, energy.
    #[command(after_help = DIAGNOSE)]
    Diagnose {
        /// Laws with typical numbers, or with others: `mms:shape=2`, `gms:stiffness=[30,20],share=[0.4,0.6]`.
        #[arg(required = true)]
        laws: Vec<String>,
    },
    /// Report presliding displacement, break-away force and friction in steady sliding of laws.
    Map(super::law_map::Map),
    /// Plot an experiment on one or several laws into one picture.
    Plot(Plot),
    /// Run a rig with all its laws and compare their metrics.
    Run(Run),
}

/// Arguments of `law plot`.
#[derive(clap::Args)]
#[command(after_help = PLOT)]
pub struct Plot {
    /// Laws with typical numbers, or with others: `lugre:sigma0=1e4,stribeck="1 mm/s"`.
    #[arg(required = true)]
    laws: Vec<String>,
    /// The experiment.
    #[arg(
        short, long, default_value = "presliding",
        value_parser = clap::builder::PossibleValuesParser::new(Experiment::ALL.map(Experiment::word))
    )]
    experiment: String,
    /// Largest displacement, such as "0.1 mm" [default: what the laws need].
    #[arg(long, allow_hyphen_values = true)]
    amplitude: Option<String>,
    /// Speed, such as "1 mm/s" [default: what the laws need].
    #[arg(long, allow_hyphen_values = true)]
    speed: Option<String>,
    /// Frequency of the lag and reversal experiments, such as "1 Hz".
    #[arg(long, allow_hyphen_values = true)]
    frequency: Option<String>,
    /// Label the axes with the units of a rotation.
    #[arg(long)]
    rotation: bool,
    /// The picture, .svg or .png [default: EXPERIMENT.svg].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Title [default: that of the experiment].
    #[arg(long)]
    title: Option<String>,
    /// Width in pixels.
    #[arg(long, default_value_t = 960)]
    width: u32,
    /// Height in pixels.
    #[arg(long)]
    height: Option<u32>,
}

/// Arguments of `law run`.
#[derive(clap::Args)]
#[command(after_help = RUN)]
pub struct Run {
    /// A study of kind "rig".
    file: PathBuf,
    /// The recording with all laws (.parquet), or a table (.csv, .txt) [default: runs/NAME.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Plot columns: x, v, friction or pull, separated by commas [default: x, v and friction].
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
    /// Horizontal axis of the picture, such as x [default: time].
    #[arg(short)]
    x: Option<String>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    match args {
        Args::List => list(out),
        Args::Suggest(args) => super::law_suggest::run(args, out),
        Args::Show { name } => show(out, name),
        Args::Diagnose { laws } => diagnose(out, laws),
        Args::Map(args) => super::law_map::run(args, out),
        Args::Plot(args) => draw(args, out),
        Args::Run(args) => run_rig(args, out),
    }
}

fn list(out: &mut Console) -> super::Done {
    let names = Friction::ALL.iter().map(|law| law.spec().name.len()).max().unwrap_or(0);
    let titles = Friction::ALL.iter().map(|law| law.spec().title.len()).max().unwrap_or(0);
    say!(
        out,
        "{:names$}  {:titles$}  {:10}  {:9}  {:6}  {:6}  {:7}  modes",
        "law",
        "title",
        "memory",
        "rate-ind.",
        "sticks",
        "drifts",
        "passive"
    );
    let mut laws = Vec::new();
    for law in Friction::ALL {
        let spec = law.spec();
        let yes = |answer: bool| if answer { "yes" } else { "no" };
        let properties = spec.properties;
        say!(
            out,
            "{:names$}  {:titles$}  {:10}  {:9}  {:6}  {:6}  {:7}  {}",
            spec.name,
            spec.title,
            properties.memory.name(),
            yes(properties.rate_independent),
            yes(properties.sticks),
            yes(properties.drifts),
            yes(properties.passive),
            modes(*law).join(", "),
        );
        laws.push(described(spec, *law));
    }
    out.set("laws", laws);
    say!(out, "\ngelenk law show NAME shows a law; gelenk law plot NAME plots it");
    Ok(DONE)
}

/// Name, title, properties and modes of a law.
fn described(spec: &LawSpec, law: Friction) -> Value {
    let properties: Map<String, Value> = spec
        .properties
        .answers()
        .into_iter()
        .map(|(question, answer)| {
            let value = match answer {
                "yes" => json!(true),
                "no" => json!(false),
                word => json!(word),
            };
            (question.replace('-', "_"), value)
        })
        .collect();
    json!({ "name": spec.name, "title": spec.title, "properties": properties, "modes": modes(law) })
}

fn modes(law: Friction) -> &'static [&'static str] {
    let modes = law.spec().modes;
    match (modes.continuous, modes.stepped) {
        (true, true) => &["continuous", "stepped"],
        (true, false) => &["continuous"],
        (false, _) => &["stepped"],
    }
}

fn show(out: &mut Console, name: &str) -> super::Done {
    let subject = Subject::typical(name)?;
    let spec = subject.law.spec();
    say!(out, "{} ({})\n", spec.title, spec.name);
    for line in spec.equation.split(",  ").flat_map(|part| part.split('\n')) {
        say!(out, "  {}", line.trim());
    }
    say!(out, "\nParameters");
    let rows: Vec<[String; 6]> = spec.params.iter().map(row).collect();
    let heads = ["key", "symbol", "unit", "default", "typical", "meaning"].map(str::to_owned);
    let width = |k: usize| rows.iter().chain([&heads]).map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    for row in std::iter::once(&heads).chain(&rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        say!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    say!(out, "\nProperties (with typical numbers)");
    for (question, answer) in spec.properties.answers() {
        say!(out, "  {question:18} {answer}");
    }
    say!(out, "  {:18} {}", "modes", modes(subject.law).join(", "));
    let states = subject.law.states(subject.elements);
    say!(out, "  {:18} {states}", "states");
    say!(out, "\nSource\n  {}", spec.source);
    say!(out, "\nIn a model\n  friction = {}", subject.table());
    out.extend(described(spec, subject.law));
    out.extend(json!({
        "equation": spec.equation,
        "parameters": spec.params.iter().map(parameter).collect::<Vec<_>>(),
        "states": states,
        "source": spec.source,
        "in_a_model": format!("friction = {}", subject.table()),
    }));
    Ok(DONE)
}

/// A parameter for the document. A word is a word, and a list a list.
fn parameter(param: &ParamSpec) -> Value {
    let value = |value: f64| match param.choices.get(value as usize) {
        Some(word) => json!(word),
        None => json!(value),
    };
    let typical: Vec<Value> = param.typical_values().iter().copied().map(value).collect();
    let [_, symbol, unit, _, _, meaning] = row(param);
    json!({
        "key": param.name,
        "symbol": symbol,
        "unit": unit,
        "default": param.default.map(value),
        "typical": if param.per_element { json!(typical) } else { typical.into_iter().next().unwrap_or_default() },
        "meaning": meaning,
    })
}

/// A line of the table of parameters.
fn row(param: &ParamSpec) -> [String; 6] {
    let units = [CoordinateKind::Length, CoordinateKind::Angle].map(|kind| unit_of(param.kind, kind));
    let unit = if !param.choices.is_empty() {
        "word".into()
    } else if units[0] == units[1] {
        units[0].clone()
    } else {
        units.join(" or ")
    };
    let value = |value: f64| match param.choices.get(value as usize) {
        Some(word) => format!("\"{word}\""),
        None => format!("{value}"),
    };
    let default = param.default.map_or_else(|| "required".into(), value);
    let list: Vec<String> = param.typical_values().iter().copied().map(value).collect();
    let typical = if param.per_element { format!("[{}]", list.join(", ")) } else { list.join(", ") };
    let meaning = match param.choices {
        [] => param.meaning.to_owned(),
        words => format!("{} One of {}.", param.meaning, words.join(", ")),
    };
    [param.name.into(), param.symbol.into(), unit, default, typical, meaning]
}

fn diagnose(out: &mut Console, laws: &[String]) -> super::Done {
    let mut measured = Vec::new();
    for text in laws {
        let subject = Subject::parse(text)?;
        let found = findings(&subject)?;
        let none = || "sustains no load".to_owned();
        let percent = |share: f64| format!("{} %", short(100.0 * share));
        let rows = [
            ("presliding distance", format!("{} m or rad", short(found.distance))),
            ("sliding force", format!("{} N or N m", short(found.force))),
            ("memory", found.memory.name().to_owned()),
            ("closure error of a small loop", percent(found.closure)),
            ("work of its branches, backward minus forward", format!("{} J", short(found.branch_work))),
            ("change over a thousandfold speed", percent(found.rate_dependence)),
            ("frictional lag, rising minus falling", percent(found.lag)),
            (
                "drift per cycle of a biased load",
                found.drift.map_or_else(none, |d| format!("{} presliding distances", short(d))),
            ),
            (
                "least work of a cycle",
                found.least_work.map_or_else(none, |w| {
                    format!(
                        "{} +- {:.0e} of sliding force times presliding distance",
                        short(w),
                        found.work_error
                    )
                }),
            ),
            (
                "difference between stepped and continuous form",
                found.forms.map_or_else(|| "one form only".into(), percent),
            ),
        ];
        say!(out, "{}", subject.label);
        for (what, value) in rows {
            say!(out, "  {what:42} {value}");
        }
        if found.gives {
            say!(out, "  not passive: a slow cycle of the load generates energy");
        }
        let percent = |share: f64| 100.0 * share;
        measured.push(json!({
            "law": subject.label,
            "presliding_distance": found.distance,
            "sliding_force": found.force,
            "memory": found.memory.name(),
            "closure_error_percent": percent(found.closure),
            "branch_work": found.branch_work,
            "rate_dependence_percent": percent(found.rate_dependence),
            "lag_percent": percent(found.lag),
            "drift_per_cycle": found.drift,
            "least_work": found.least_work,
            "least_work_error": found.work_error,
            "forms_difference_percent": found.forms.map(percent),
            "passive": !found.gives,
        }));
    }
    out.set("laws", measured);
    Ok(DONE)
}

fn draw(args: &Plot, out: &mut Console) -> super::Done {
    let experiment = Experiment::by_word(&args.experiment)
        .ok_or_else(|| Usage::refusal(format!("unknown experiment {:?}", args.experiment)))?;
    let subjects = args.laws.iter().map(|text| Subject::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let read = |option, text: &Option<String>, kind: Kind| {
        let wanted = kind.dimension(args.rotation);
        text.as_deref().map(|text| quantity(option, text, wanted)).transpose()
    };
    let conditions = Conditions {
        amplitude: read("--amplitude", &args.amplitude, Kind::Displacement)?,
        speed: read("--speed", &args.speed, Kind::Rate)?,
        frequency: read("--frequency", &args.frequency, Kind::Fixed(Dimension::FREQUENCY))?,
        rotation: args.rotation,
    };
    let curves = perform(experiment, &subjects, &conditions)?;
    for reason in &curves.missing {
        out.warning(reason);
    }
    let labelled: Vec<_> = curves.recordings.iter().map(|(label, r)| (label.as_str(), r)).collect();
    let options = PlotOptions {
        width: args.width,
        height: args.height.or(Some(480)),
        title: Some(args.title.clone().unwrap_or_else(|| experiment.title().into())),
        x: Some(curves.x.clone()),
        ..PlotOptions::default()
    };
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.svg", experiment.word())));
    super::write::drawing(&path, &labelled, std::slice::from_ref(&curves.y), &options, 2.0)?;
    say!(out, "{}", path.display());
    out.set("picture", path.display().to_string());
    Ok(DONE)
}

fn run_rig(args: &Run, out: &mut Console) -> super::Done {
    let target = Target::new(args.output.as_ref(), || super::write::default_output(&args.file, ""))?;
    let outcome = gelenk::law::run_rig_until(&args.file, &super::signals::interrupt())?;
    if outcome.runs.is_empty() {
        return Ok(super::signals::interrupted(out, "no run has begun"));
    }
    say!(out, "{}\n", outcome.title);
    table(out, &outcome);
    out.set("title", outcome.title.as_str());
    out.set("runs", outcome.runs.iter().map(json_of).collect::<Vec<_>>());
    say!(out);
    super::write::recording(out, &outcome.merged()?, &target, "samples")?;
    if let Some(selection) = &args.plot {
        let columns: Vec<String> = match selection.as_str() {
            "" => ["x", "v", "friction"].map(str::to_owned).to_vec(),
            names => names.split(',').map(|name| name.trim().to_owned()).collect(),
        };
        let labelled: Vec<_> = outcome.runs.iter().map(|run| (run.label.as_str(), &run.recording)).collect();
        let title = Some(outcome.title.clone());
        let options = PlotOptions { title, x: args.x.clone(), ..PlotOptions::default() };
        let picture = target.path().with_extension("svg");
        super::write::drawing(&picture, &labelled, &columns, &options, 1.0)?;
        super::write::drawn(out, &picture);
    }
    let mut code = DONE;
    if outcome.interrupted {
        code = super::signals::interrupted(
            out,
            "the runs so far are kept, those that did not end without metrics",
        );
    }
    for run in &outcome.runs {
        match &run.verdict {
            Verdict::Good => {}
            Verdict::Warning(text) => out.warning(format_args!("{}: {text}", run.label)),
            Verdict::Failure(error) => {
                out.error(format_args!("{}: {error}", run.label));
                code = FAILED;
            }
        }
    }
    Ok(code)
}

fn json_of(run: &LawRun) -> Value {
    let metrics: Map<_, _> =
        run.metrics.iter().map(|m| (m.name.clone(), json!({ "value": m.value, "unit": m.unit }))).collect();
    json!({ "law": run.label, "method": run.method, "metrics": metrics })
}

/// A line a number, a column a law; a law without the number has a dash.
fn table(out: &Console, outcome: &RigOutcome) {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for metric in outcome.runs.iter().flat_map(|run| &run.metrics) {
        if !names.iter().any(|(name, _)| *name == metric.name) {
            names.push((&metric.name, &metric.unit));
        }
    }
    let first = names.iter().map(|(name, unit)| name.len() + unit.len() + 3).max().unwrap_or(0);
    let widths: Vec<usize> = outcome.runs.iter().map(|run| run.label.len().max(12)).collect();
    let head: Vec<String> =
        outcome.runs.iter().zip(&widths).map(|(run, width)| format!("{:>width$}", run.label)).collect();
    say!(out, "{:first$}  {}", "", head.join("  "));
    for (name, unit) in names {
        let cells = outcome.runs.iter().zip(&widths).map(|(run, width)| {
            let found = run.metrics.iter().find(|metric| metric.name == name);
            let text = found.map_or_else(|| "-".into(), |metric| short(metric.value));
            format!("{text:>width$}")
        });
        say!(out, "{:first$}  {}", format!("{name} [{unit}]"), cells.collect::<Vec<_>>().join("  "));
    }
}

/// A number with six digits.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e6).contains(&size) => {
            let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.5e}"),
    }
}

/// A quantity of this dimension from the command line, in SI; a plain number counts as SI.
pub(super) fn quantity(option: &str, text: &str, wanted: Dimension) -> Result<f64, Refusal> {
    let refuse = |why: String| Usage::refusal(format!("{option} {text}: {why}"));
    let mut quantity = Quantity::parse(text).map_err(|error| refuse(error.to_string()))?;
    if wanted == Dimension::FREQUENCY && quantity.dimension == Dimension::ANGULAR_VELOCITY {
        // A frequency counts cycles, as in files: 60 rpm is 1 Hz.
        quantity.value /= std::f64::consts::TAU;
    }
    if quantity.dimension != Dimension::NONE && !quantity.dimension.compatible(wanted) {
        return Err(refuse(format!("it is measured in {wanted}")));
    }
    if quantity.value > 0.0 && quantity.value.is_finite() {
        Ok(quantity.value)
    } else {
        Err(refuse("it must be greater than 0".into()))
    }
}
