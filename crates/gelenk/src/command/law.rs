use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::law::{Conditions, Experiment, Subject, perform, unit_of};
use gelenk::plot::{PlotOptions, plot};
use gelenk_laws::{Friction, ParamSpec};
use gelenk_math::units::Quantity;
use gelenk_multibody::blueprint::CoordinateKind;

/// Actions on laws.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the laws with their properties.
    List,
    /// Show equation, parameters, properties and source of a law.
    Show {
        /// Its name.
        name: String,
    },
    /// Draw an experiment on one or several laws into one picture.
    Plot(Plot),
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
    #[arg(long)]
    amplitude: Option<String>,
    /// Speed, such as "1 mm/s"; what the laws need where none is given.
    #[arg(long)]
    speed: Option<String>,
    /// Frequency of the lag and reversal experiments, such as "1 Hz".
    #[arg(long)]
    frequency: Option<String>,
    /// Label the axes with the units of a rotation.
    #[arg(long)]
    rotation: bool,
    /// The picture (SVG); `EXPERIMENT.svg` where none is given.
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

pub fn run(args: &Args) -> super::Done {
    match args {
        Args::List => list(),
        Args::Show { name } => show(name),
        Args::Plot(args) => draw(args),
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

fn draw(args: &Plot) -> super::Done {
    let Some(experiment) = Experiment::by_word(&args.experiment) else {
        let words = Experiment::ALL.map(Experiment::word);
        let hint = gelenk_math::suggest::hint(&args.experiment, words);
        return Err(format!("there is no experiment {:?}{hint}", args.experiment).into());
    };
    let subjects = args.laws.iter().map(|text| Subject::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let conditions = Conditions {
        amplitude: positive("--amplitude", args.amplitude.as_deref())?,
        speed: positive("--speed", args.speed.as_deref())?,
        frequency: positive("--frequency", args.frequency.as_deref())?,
        rotation: args.rotation,
    };
    let curves = perform(experiment, &subjects, &conditions)?;
    for reason in &curves.missing {
        eprintln!("warning: {reason}");
    }
    let labelled: Vec<_> = curves.recordings.iter().map(|(label, r)| (label.as_str(), r)).collect();
    let options = PlotOptions {
        width: args.width,
        height: args.height.or(Some(480)),
        title: Some(args.title.clone().unwrap_or_else(|| experiment.title().into())),
        x: Some(curves.x.clone()),
        ..PlotOptions::default()
    };
    let picture = plot(&labelled, std::slice::from_ref(&curves.y), &options)?;
    let out = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.svg", experiment.word())));
    super::write::make_folder(&out)?;
    std::fs::write(&out, picture).map_err(|error| format!("{} cannot be written: {error}", out.display()))?;
    say!("{}", out.display());
    Ok(ExitCode::SUCCESS)
}

/// A quantity from the command line, in SI.
fn positive(option: &str, text: Option<&str>) -> Result<Option<f64>, String> {
    let Some(text) = text else { return Ok(None) };
    let value = Quantity::parse(text).map_err(|error| format!("{option} {text}: {error}"))?.value;
    if value > 0.0 && value.is_finite() {
        Ok(Some(value))
    } else {
        Err(format!("{option} {text}: it must be greater than 0"))
    }
}
