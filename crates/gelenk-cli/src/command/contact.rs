//! Contacts: quasi-static sweeps, and advice about their sides.

use std::path::PathBuf;
use std::process::ExitCode;

use super::measure::measure;
use gelenk::open::{self, Overrides};
use gelenk::sweep::{PoseSweep, sweep};
use gelenk_math::units::Unit;
use gelenk_mesh::contact::Master;
use gelenk_system::System;

/// What is done with the contacts of a model.
#[derive(clap::Subcommand)]
pub enum Args {
    /// Move one position through a range, everything at rest, and record forces, areas and depths pose by pose.
    Sweep(SweepArgs),
    /// Tell which surface of every contact should be the master, and which one the first.
    Advise(AdviseArgs),
}

/// Arguments of `contact sweep`.
#[derive(clap::Args)]
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
    #[arg(long, default_value_t = 101)]
    poses: usize,
    /// Give a parameter another value, such as `--set materials.tyre.depth="5 mm"`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording; `runs/NAME-sweep.parquet` where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw columns or groups, separated by commas.
    #[arg(long, value_name = "COLUMNS")]
    plot: Option<String>,
}

/// Arguments of `contact advise`.
#[derive(clap::Args)]
pub struct AdviseArgs {
    /// A model or a study.
    file: PathBuf,
}

pub fn run(args: &Args) -> super::Done {
    match args {
        Args::Sweep(args) => sweep_one(args),
        Args::Advise(args) => advise(args),
    }
}

fn sweep_one(args: &SweepArgs) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let prepared = open::simulation(&args.file, &overrides)?;
    tell_text!("{}", prepared.warnings);
    let known = prepared.mechanism.channels().iter().find(|channel| channel.name == args.over);
    let number = |name: &str, text: &str| {
        // An unknown position is told by the sweep itself.
        let Some(channel) = known else { return Ok(0.0) };
        let dimension = Unit::parse(&channel.unit).map(|unit| unit.dimension).unwrap_or_default();
        measure(name, text, dimension, &format!("\"{}\" is measured in {}", args.over, channel.unit))
    };
    let range = [number("--from", &args.from)?, number("--to", &args.to)?];
    if !(2..=1_000_000).contains(&args.poses) {
        return Err("--poses is a number from 2 to 1000000".into());
    }
    let request = PoseSweep { over: args.over.clone(), range, poses: args.poses };
    let recording = sweep(&prepared, &request)?;
    say!("{}", prepared.title);
    let names: Vec<String> = prepared.mechanism.contact_pairs().map(|(name, _)| name.to_owned()).collect();
    let simple: Vec<String> = prepared.mechanism.touch_names().map(str::to_owned).collect();
    if names.is_empty() && simple.is_empty() {
        return Err("the model has no contacts".into());
    }
    let over = recording.column(&args.over)?;
    for name in &names {
        let column = |part: &str| recording.column(&format!("{name}{part}"));
        let (force, area) = (column("")?, column(".area")?);
        let (depth, elements) = (column(".max_depth")?, column(".elements")?);
        say!("  {name}");
        say!(
            "  {:>14} {:>14} {:>14} {:>14} {:>9}",
            args.over,
            "force [N]",
            "area [m^2]",
            "depth [m]",
            "elements"
        );
        let step = (recording.len() - 1).div_ceil(10).max(1);
        for i in (0..recording.len()).step_by(step) {
            say!(
                "  {:>14.6} {:>14.6} {:>14.6e} {:>14.6e} {:>9}",
                over[i],
                force[i],
                area[i],
                depth[i],
                elements[i]
            );
        }
    }
    for name in &simple {
        let column = |part: &str| recording.column(&format!("{name}{part}"));
        let (force, gap, spots) = (column("")?, column(".gap")?, column(".spots")?);
        say!("  {name}");
        say!("  {:>14} {:>14} {:>14} {:>9}", args.over, "force [N]", "gap [m]", "spots");
        let step = (recording.len() - 1).div_ceil(10).max(1);
        for i in (0..recording.len()).step_by(step) {
            say!("  {:>14.6} {:>14.6} {:>14.6e} {:>9}", over[i], force[i], gap[i], spots[i]);
        }
    }
    let out = args.output.clone().unwrap_or_else(|| super::write::default_output(&args.file, "-sweep"));
    super::write::recording(&recording, &out)?;
    say!("  recording   {} ({} poses)", out.display(), recording.len());
    if let Some(selection) = &args.plot {
        super::write::picture(&recording, &out, &prepared.title, selection)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn advise(args: &AdviseArgs) -> super::Done {
    let prepared = open::simulation(&args.file, &Overrides::default())?;
    tell_text!("{}", prepared.warnings);
    let word = |master: Master| match master {
        Master::First => "first",
        Master::Second => "second",
        Master::Both => "both",
    };
    let mut any = false;
    for (name, pair) in prepared.mechanism.contact_pairs() {
        any = true;
        let advice = pair.advice();
        let [first, second] = advice.edges;
        let counts = [&pair.first, &pair.second].map(|surface| surface.areas().len());
        say!("{name}");
        say!("  triangles   {} of about {first:.4} m, {} of about {second:.4} m", counts[0], counts[1]);
        say!("  master      \"{}\"; it is \"{}\"", word(advice.master), word(pair.settings.master));
        if advice.coarse_master {
            say!(
                "  warning: the master is much coarser than the slave; bodies can fall between its centroids"
            );
        }
        if advice.exchange {
            say!(
                "  for detection = \"thesis\" exchange the surfaces: the one with the larger triangles first"
            );
        }
        let ratio = first.max(second) / first.min(second);
        if ratio > 8.0 {
            say!("  triangles of similar sizes would be cheaper: these differ by a factor of {ratio:.0}");
        }
    }
    if any { Ok(ExitCode::SUCCESS) } else { Err("the model has no contacts".into()) }
}
