use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::law::{Conditions, Experiment, LawRun, RigOutcome, Subject, findings, perform, unit_of};
use gelenk::plot::PlotOptions;
use gelenk_laws::{Friction, Kind, ParamSpec};
use gelenk_math::units::{Dimension, Quantity};
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_solve::Verdict;

/// Actions on laws.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the laws with their properties.
    List,
    /// Suggest parameters of power-based friction for a step and a mass.
    Suggest(super::law_suggest::Suggest),
    /// Show equation, parameters, properties and source of a law.
    Show {
        /// Its name.
        name: String,
    },
    /// Measure laws by moving them: memory, loops, drift, lag, energy.
    Diagnose {
        /// Laws with typical numbers, or with others: `mms:shape=2`, `gms:stiffness=[30,20],share=[0.4,0.6]`.
        #[arg(required = true)]
        laws: Vec<String>,
    },
    /// Report presliding displacement, break-away force and friction in steady sliding of laws.
    Map(super::law_map::Map),
    /// Draw an experiment on one or several laws into one picture.
    Plot(Plot),
    /// Run a rig with all its laws and compare what they come down to.
    Run(Run),
}

/// Arguments of `law plot`.
#[derive(clap::Args)]
pub struct Plot {
    /// Laws with typical numbers, or with others: `lugre:sigma0=1e4,stribeck="1 mm/s"`.
    #[arg(required = true)]
    laws: Vec<String>,
    /// presliding, stribeck, breakaway, lag, drift or reversal.
    #[arg(short, long, default_value = "presliding")]
    experiment: String,
    /// Largest displacement, such as "0.1 mm"; what the laws need where none is given.
    #[arg(long, allow_hyphen_values = true)]
    amplitude: Option<String>,
    /// Speed, such as "1 mm/s"; what the laws need where none is given.
    #[arg(long, allow_hyphen_values = true)]
    speed: Option<String>,
    /// Frequency of the lag and reversal experiments, such as "1 Hz".
    #[arg(long, allow_hyphen_values = true)]
    frequency: Option<String>,
    /// Label the axes with the units of a rotation.
    #[arg(long)]
    rotation: bool,
    /// The picture, .svg or .png; `EXPERIMENT.svg` where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Title; that of the experiment where none is given.
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
pub struct Run {
    /// A study of kind "rig".
    file: PathBuf,
    /// The recording with all laws; `runs/NAME.parquet` where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw columns: x, v, friction or pull, separated by commas; all where none are named.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
    /// Horizontal axis of the picture, such as x; time where none is given.
    #[arg(short)]
    x: Option<String>,
    /// Print the numbers as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> super::Done {
    match args {
        Args::List => list(),
        Args::Suggest(args) => super::law_suggest::run(args),
        Args::Show { name } => show(name),
        Args::Diagnose { laws } => diagnose(laws),
        Args::Map(args) => super::law_map::run(args),
        Args::Plot(args) => draw(args),
        Args::Run(args) => run_rig(args),
    }
}

fn list() -> super::Done {
    let names = Friction::ALL.iter().map(|law| law.spec().name.len()).max().unwrap_or(0);
    let titles = Friction::ALL.iter().map(|law| law.spec().title.len()).max().unwrap_or(0);
    say!(
        "{:names$}  {:titles$}  {:10}  {:9}  {:6}  {:6}  {:7}  modes",
        "law",
        "what it is",
        "memory",
        "rate-ind.",
        "sticks",
        "drifts",
        "passive"
    );
    for law in Friction::ALL {
        let spec = law.spec();
        let yes = |answer: bool| if answer { "yes" } else { "no" };
        let properties = spec.properties;
        say!(
            "{:names$}  {:titles$}  {:10}  {:9}  {:6}  {:6}  {:7}  {}",
            spec.name,
            spec.title,
            properties.memory.name(),
            yes(properties.rate_independent),
            yes(properties.sticks),
            yes(properties.drifts),
            yes(properties.passive),
            modes(*law),
        );
    }
    say!("\ngelenk law show NAME tells more; gelenk law plot NAME draws it");
    Ok(ExitCode::SUCCESS)
}

fn modes(law: Friction) -> &'static str {
    let modes = law.spec().modes;
    match (modes.continuous, modes.stepped) {
        (true, true) => "continuous, stepped",
        (true, false) => "continuous",
        (false, _) => "stepped",
    }
}

fn show(name: &str) -> super::Done {
    let subject = Subject::typical(name)?;
    let spec = subject.law.spec();
    say!("{} ({})\n", spec.title, spec.name);
    for line in spec.equation.split(",  ").flat_map(|part| part.split('\n')) {
        say!("  {}", line.trim());
    }
    say!("\nParameters");
    let rows: Vec<[String; 6]> = spec.params.iter().map(row).collect();
    let heads = ["key", "symbol", "unit", "default", "typical", "meaning"].map(str::to_owned);
    let width = |k: usize| rows.iter().chain([&heads]).map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    for row in std::iter::once(&heads).chain(&rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        say!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    say!("\nProperties (with typical numbers)");
    for (question, answer) in spec.properties.answers() {
        say!("  {question:18} {answer}");
    }
    say!("  {:18} {}", "modes", modes(subject.law));
    say!("  {:18} {}", "states", subject.law.states(subject.elements));
    say!("\nSource\n  {}", spec.source);
    say!("\nIn a model\n  friction = {}", subject.table());
    Ok(ExitCode::SUCCESS)
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

fn diagnose(laws: &[String]) -> super::Done {
    for text in laws {
        let subject = Subject::parse(text)?;
        let found = findings(&subject)?;
        let none = || "holds no load".to_owned();
        let percent = |share: f64| format!("{} %", short(100.0 * share));
        let rows = [
            ("presliding distance", format!("{} m or rad", short(found.distance))),
            ("sliding force", format!("{} N or N m", short(found.force))),
            ("memory", found.memory.name().to_owned()),
            ("closure error of a small loop", percent(found.closure)),
            ("work of its branches, back less forth", format!("{} J", short(found.branch_work))),
            ("change over a thousandfold speed", percent(found.rate_dependence)),
            ("frictional lag, rising less falling", percent(found.lag)),
            (
                "drift per cycle of a biased load",
                found.drift.map_or_else(none, |d| format!("{} distances", short(d))),
            ),
            (
                "least work of a cycle",
                found.least_work.map_or_else(none, |w| {
                    format!("{} +- {:.0e} forces times distances", short(w), found.work_error)
                }),
            ),
            (
                "stepped and continuous form apart",
                found.forms.map_or_else(|| "one form only".into(), percent),
            ),
        ];
        say!("{}", subject.label);
        for (what, value) in rows {
            say!("  {what:38} {value}");
        }
        if found.gives {
            say!("  not passive: a slow cycle of the load gives energy");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(args: &Plot) -> super::Done {
    let Some(experiment) = Experiment::by_word(&args.experiment) else {
        let words = Experiment::ALL.map(Experiment::word);
        let hint = gelenk_math::suggest::hint(&args.experiment, words);
        return Err(format!("there is no experiment {:?}{hint}", args.experiment).into());
    };
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
        tell!("warning: {reason}");
    }
    let labelled: Vec<_> = curves.recordings.iter().map(|(label, r)| (label.as_str(), r)).collect();
    let options = PlotOptions {
        width: args.width,
        height: args.height.or(Some(480)),
        title: Some(args.title.clone().unwrap_or_else(|| experiment.title().into())),
        x: Some(curves.x.clone()),
        ..PlotOptions::default()
    };
    let out = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.svg", experiment.word())));
    super::write::drawing(&out, &labelled, std::slice::from_ref(&curves.y), &options, 2.0)?;
    say!("{}", out.display());
    Ok(ExitCode::SUCCESS)
}

fn run_rig(args: &Run) -> super::Done {
    let outcome = gelenk::law::run_rig(&args.file)?;
    let out = args.output.clone().unwrap_or_else(|| super::write::default_output(&args.file, ""));
    super::write::recording(&outcome.merged()?, &out)?;
    if args.json {
        let runs: Vec<_> = outcome.runs.iter().map(json_of).collect();
        say!("{}", serde_json::to_string_pretty(&runs)?);
    } else {
        say!("{}\n", outcome.title);
        table(&outcome);
        say!("\nrecording {}", out.display());
    }
    if let Some(selection) = &args.plot {
        let columns: Vec<String> = match selection.as_str() {
            "" => ["x", "v", "friction"].map(str::to_owned).to_vec(),
            names => names.split(',').map(|name| name.trim().to_owned()).collect(),
        };
        let labelled: Vec<_> = outcome.runs.iter().map(|run| (run.label.as_str(), &run.recording)).collect();
        let title = Some(outcome.title.clone());
        let options = PlotOptions { title, x: args.x.clone(), ..PlotOptions::default() };
        let picture = out.with_extension("svg");
        super::write::drawing(&picture, &labelled, &columns, &options, 1.0)?;
        say!("picture   {}", picture.display());
    }
    let mut code = ExitCode::SUCCESS;
    for run in &outcome.runs {
        match &run.verdict {
            Verdict::Good => {}
            Verdict::Warning(text) => tell!("warning: {}: {text}", run.label),
            Verdict::Failure(error) => {
                tell!("error: {}: {error}", run.label);
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

fn json_of(run: &LawRun) -> serde_json::Value {
    let numbers: serde_json::Map<_, _> = run
        .metrics
        .iter()
        .map(|m| (m.name.clone(), serde_json::json!({ "value": m.value, "unit": m.unit })))
        .collect();
    serde_json::json!({ "law": run.label, "method": run.method, "numbers": numbers })
}

/// A line a number, a column a law; a law without the number has a dash.
fn table(outcome: &RigOutcome) {
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
    say!("{:first$}  {}", "", head.join("  "));
    for (name, unit) in names {
        let cells = outcome.runs.iter().zip(&widths).map(|(run, width)| {
            let found = run.metrics.iter().find(|metric| metric.name == name);
            let text = found.map_or_else(|| "-".into(), |metric| short(metric.value));
            format!("{text:>width$}")
        });
        say!("{:first$}  {}", format!("{name} [{unit}]"), cells.collect::<Vec<_>>().join("  "));
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
pub(super) fn quantity(option: &str, text: &str, wanted: Dimension) -> Result<f64, String> {
    let mut quantity = Quantity::parse(text).map_err(|error| format!("{option} {text}: {error}"))?;
    if wanted == Dimension::FREQUENCY && quantity.dimension == Dimension::ANGULAR_VELOCITY {
        // A frequency counts cycles, as in files: 60 rpm is 1 Hz.
        quantity.value /= std::f64::consts::TAU;
    }
    if quantity.dimension != Dimension::NONE && !quantity.dimension.compatible(wanted) {
        return Err(format!("{option} {text}: it is measured in {wanted}"));
    }
    if quantity.value > 0.0 && quantity.value.is_finite() {
        Ok(quantity.value)
    } else {
        Err(format!("{option} {text}: it must be greater than 0"))
    }
}
