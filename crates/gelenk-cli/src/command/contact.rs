//! Contacts: quasi-static sweeps, and advice about their sides.

use std::path::PathBuf;

use super::measure::measure;
use super::write::Target;
use super::{Refusal, Usage};
use crate::console::{Console, DONE};
use gelenk::open::{self, Overrides};
use gelenk::sweep::{PoseSweep, sweep};
use gelenk_math::suggest;
use gelenk_math::units::Unit;
use gelenk_mesh::contact::Master;
use gelenk_record::Recording;
use gelenk_system::System;
use serde_json::{Value, json};

const SWEEP: &str = "\
Examples:
  gelenk contact sweep cases/wheel-bounce/model.toml --over height --from \"300 mm\" --to \"270 mm\" --poses 31
  gelenk contact sweep model.toml --over ball.z --from \"-1 mm\" --to \"1 mm\" --plot contacts.touch
  gelenk contact sweep model.toml --over height --from \"16 cm\" --to \"12 cm\" -o sweep.csv --json";

const ADVISE: &str = "\
Examples:
  gelenk contact advise cases/wheel-bounce/model.toml
  gelenk contact advise cases/wheel-bounce/model.toml --json";

/// What is done with the contacts of a model.
#[derive(clap::Subcommand)]
pub enum Args {
    /// Move one position through a range, everything at rest, and record forces, areas and depths pose by pose.
    Sweep(SweepArgs),
    /// Show which surface of every contact should be the master, and which one the first.
    Advise(AdviseArgs),
}

/// Arguments of `contact sweep`.
#[derive(clap::Args)]
#[command(after_help = SWEEP)]
pub struct SweepArgs {
    /// A model or a study.
    file: PathBuf,
    /// The position that moves: a coordinate, or a component of a free joint such as `ball.z`.
    #[arg(long, value_name = "POSITION")]
    over: String,
    /// First value, such as `--from "-1 mm"`.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    from: String,
    /// Last value.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    to: String,
    /// Number of poses.
    #[arg(long, default_value_t = 101, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    poses: u64,
    /// Set a parameter, such as `--set materials.tyre.depth="5 mm"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording (.parquet), or a table (.csv, .txt) [default: runs/NAME-sweep.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Plot columns or groups, separated by commas.
    #[arg(long, value_name = "COLUMNS")]
    plot: Option<String>,
}

/// Arguments of `contact advise`.
#[derive(clap::Args)]
#[command(after_help = ADVISE)]
pub struct AdviseArgs {
    /// A model or a study.
    file: PathBuf,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    match args {
        Args::Sweep(args) => sweep_one(args, out),
        Args::Advise(args) => advise(args, out),
    }
}

fn sweep_one(args: &SweepArgs, out: &mut Console) -> super::Done {
    let target = Target::new(args.output.as_ref(), || super::write::default_output(&args.file, "-sweep"))?;
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let prepared = open::simulation(&args.file, &overrides)?;
    out.warnings(&prepared.warnings);
    let positions = &prepared.mechanism.channels()[..prepared.mechanism.layout().nq];
    let Some(channel) = positions.iter().find(|channel| channel.name == args.over) else {
        let hint = suggest::hint(&args.over, positions.iter().map(|channel| channel.name.as_str()));
        return Err(Usage::refusal(format!("--over: the model has no position `{}`{hint}", args.over)));
    };
    let number = |name: &str, text: &str| {
        let dimension = Unit::parse(&channel.unit).map(|unit| unit.dimension).unwrap_or_default();
        measure(name, text, dimension, &format!("\"{}\" is measured in {}", args.over, channel.unit))
    };
    let range = [number("--from", &args.from)?, number("--to", &args.to)?];
    let poses = usize::try_from(args.poses)?;
    let request = PoseSweep { over: args.over.clone(), range, poses };
    let recording = sweep(&prepared, &request).map_err(|error| error.to_string())?;
    say!(out, "{}", prepared.title);
    let meshes: Vec<String> = prepared.mechanism.contact_pairs().map(|(name, _)| name.to_owned()).collect();
    let simple: Vec<String> = prepared.mechanism.simple_contacts().map(str::to_owned).collect();
    if meshes.is_empty() && simple.is_empty() {
        return Err("the model has no contacts".into());
    }
    let mut contacts = Vec::new();
    for name in &meshes {
        let parts = [("force", ""), ("area", ".area"), ("depth", ".max_depth"), ("elements", ".elements")];
        let heads = ["force [N]", "area [m^2]", "depth [m]", "elements"];
        contacts.push(rows(out, &recording, &args.over, name, &parts, &heads)?);
    }
    for name in &simple {
        let parts = [("force", ""), ("gap", ".gap"), ("spots", ".spots")];
        let heads = ["force [N]", "gap [m]", "spots"];
        contacts.push(rows(out, &recording, &args.over, name, &parts, &heads)?);
    }
    out.extend(json!({
        "title": prepared.title,
        "over": { "name": args.over, "unit": channel.unit, "from": range[0], "to": range[1] },
        "contacts": contacts,
    }));
    super::write::recording(out, &recording, &target, "poses")?;
    if let Some(selection) = &args.plot {
        super::write::picture(out, &recording, &target, &prepared.title, selection)?;
    }
    Ok(DONE)
}

/// Prints eleven poses of a contact, or fewer; the document has those, too. The last of the parts is a count.
fn rows(
    out: &Console,
    recording: &Recording,
    over: &str,
    name: &str,
    parts: &[(&str, &str)],
    heads: &[&str],
) -> Result<Value, Refusal> {
    let column = |part: &str| recording.column(&format!("{name}{part}"));
    let columns = parts.iter().map(|(_, part)| column(part)).collect::<Result<Vec<_>, _>>()?;
    let position = recording.column(over)?;
    let step = (recording.len() - 1).div_ceil(10).max(1);
    say!(out, "  {name}");
    let last = heads.len() - 1;
    let heads: String = heads[..last]
        .iter()
        .map(|head| format!(" {head:>14}"))
        .chain([format!(" {:>9}", heads[last])])
        .collect();
    say!(out, "  {over:>14}{heads}");
    let mut poses = Vec::new();
    for i in (0..recording.len()).step_by(step) {
        let mut line = format!("  {:>14.6} {:>14.6}", position[i], columns[0][i]);
        for values in &columns[1..last] {
            line += &format!(" {:>14.6e}", values[i]);
        }
        say!(out, "{line} {:>9}", columns[last][i]);
        let mut pose = json!({ "at": position[i] });
        for ((key, _), values) in parts.iter().zip(&columns) {
            pose[*key] = json!(values[i]);
        }
        poses.push(pose);
    }
    Ok(json!({ "name": name, "poses": poses }))
}

fn advise(args: &AdviseArgs, out: &mut Console) -> super::Done {
    let prepared = open::simulation(&args.file, &Overrides::default())?;
    out.warnings(&prepared.warnings);
    let word = |master: Master| match master {
        Master::First => "first",
        Master::Second => "second",
        Master::Both => "both",
    };
    let mut contacts = Vec::new();
    for (name, pair) in prepared.mechanism.contact_pairs() {
        let advice = pair.advice();
        let [first, second] = advice.edges;
        let counts = [&pair.first, &pair.second].map(|surface| surface.areas().len());
        say!(out, "{name}");
        say!(out, "  triangles   {} of about {first:.4} m, {} of about {second:.4} m", counts[0], counts[1]);
        say!(
            out,
            "  master      advised: \"{}\"; in the model: \"{}\"",
            word(advice.master),
            word(pair.settings.master)
        );
        if advice.coarse_master {
            say!(
                out,
                "  warning: the master is much coarser than the slave; bodies can fall between its centroids"
            );
        }
        if advice.exchange {
            say!(
                out,
                "  for detection = \"thesis\" exchange the surfaces: the one with the larger triangles first"
            );
        }
        let ratio = first.max(second) / first.min(second);
        if ratio > 8.0 {
            say!(
                out,
                "  triangles of similar size would need less time: these differ by a factor of {ratio:.0}"
            );
        }
        contacts.push(json!({
            "name": name,
            "triangles": counts,
            "edges": advice.edges,
            "advised_master": word(advice.master),
            "master": word(pair.settings.master),
            "coarse_master": advice.coarse_master,
            "exchange": advice.exchange,
            "edge_ratio": ratio,
        }));
    }
    if contacts.is_empty() {
        return Err("the model has no contacts".into());
    }
    out.set("contacts", contacts);
    Ok(DONE)
}
