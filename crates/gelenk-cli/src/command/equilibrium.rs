use std::path::PathBuf;

use gelenk::digits::digits;
use gelenk::open::{self, Overrides};
use gelenk::rest::equilibrium;
use gelenk_multibody::{Closing, Data, Mechanism};
use gelenk_solve::EquilibriumError;
use gelenk_system::System;
use serde_json::json;

use crate::console::{Console, DONE};

/// Share of the largest number of a unit below which one is what the tolerance and rounding leave.
const DUST: f64 = 1e-10;

const EXAMPLES: &str = "\
Examples:
  gelenk equilibrium swing/model.toml
  gelenk equilibrium cases/two-spheres/model.toml --tolerance 1e-8
  gelenk equilibrium swing/model.toml --set bodies.pendulum.mass=\"200 g\" --json";

/// Arguments of `equilibrium`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model or a study.
    file: PathBuf,
    /// Set a parameter, such as `--set bodies.arm.mass="0.2 kg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Accelerations below this (rad/s^2, m/s^2) count as zero.
    #[arg(long, default_value_t = 1e-9)]
    tolerance: f64,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut prepared = open::simulation(&args.file, &overrides)?;
    // Positions are looked for, not integrated: only a projection closes the loops there.
    prepared.mechanism.set_closing(Closing::Project);
    let mechanism = &prepared.mechanism;
    let p = prepared.parameters.values();
    let (x, m) = find(mechanism, &p, args.tolerance)?;
    say!(out, "{}", prepared.title);
    let mut y = vec![0.0; mechanism.channels().len()];
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &p);
    mechanism.outputs(&mut data, 0.0, &x, &m, &mut y)?;
    let width = mechanism.channels().iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    // What moves is zero at rest and says nothing.
    let still = |meaning: &str| !meaning.contains("rate") && !meaning.contains("velocity");
    let scales = Scales::new(mechanism, &y);
    let mut values = Vec::new();
    for (channel, value) in mechanism.channels().iter().zip(y).filter(|(c, _)| still(&c.meaning)) {
        let value = scales.without_dust(&channel.unit, value);
        say!(out, "  {:width$}  {:>16}  {}", channel.name, digits(value, 10), channel.unit);
        values.push(json!({ "name": channel.name, "value": value, "unit": channel.unit }));
    }
    out.set("title", prepared.title.as_str());
    out.set("values", values);
    note_others(out, mechanism, &data);
    Ok(DONE)
}

/// Says which friction laws make the equilibrium one of several; `data` was evaluated there.
pub fn note_others(out: &mut Console, mechanism: &Mechanism, data: &Data<f64>) {
    let mut intervals = Vec::new();
    for name in mechanism.laws_of_position() {
        out.note(format_args!(
            "{name} depends on the path; this is the equilibrium that is reached from the start without reversing, \
             at one end \
             of the range of equilibria"
        ));
        intervals.push(json!({ "element": name, "because": "path" }));
    }
    for (name, level) in mechanism.holding_friction(data) {
        let unit = mechanism.channels().iter().find(|c| c.name == name).map_or("", |c| c.unit.as_str());
        let shown = digits(level, 6);
        out.note(format_args!(
            "{name} can hold up to {shown} {unit} at rest; this is the equilibrium without it, inside the range of \
             equilibria in which it holds"
        ));
        intervals.push(json!({ "element": name, "because": "friction", "level": level, "unit": unit }));
    }
    out.set("intervals", intervals);
}

/// Sizes of the numbers with each unit.
struct Scales(Vec<(String, f64)>);

impl Scales {
    fn new(mechanism: &Mechanism, y: &[f64]) -> Self {
        let mut scales: Vec<(String, f64)> = vec![("rad".into(), 1.0), ("1".into(), 1.0), ("m".into(), 1e-3)];
        for (channel, value) in mechanism.channels().iter().zip(y) {
            let unit = same_size(&channel.unit);
            match scales.iter_mut().find(|(known, _)| known == unit) {
                Some((_, scale)) => *scale = scale.max(value.abs()),
                None => scales.push((unit.into(), value.abs())),
            }
        }
        Self(scales)
    }

    /// A number, or zero where it is only dust.
    fn without_dust(&self, unit: &str, value: f64) -> f64 {
        let scale =
            self.0.iter().find(|(known, _)| known == same_size(unit)).map_or(0.0, |(_, scale)| *scale);
        if value.abs() <= DUST * scale { 0.0 } else { value }
    }
}

/// Moments and energies are of one size.
fn same_size(unit: &str) -> &str {
    if unit == "J" { "N m" } else { unit }
}

/// The equilibrium, with the name of what accelerates in the message where there is none.
pub fn find(mechanism: &Mechanism, p: &[f64], tolerance: f64) -> Result<(Vec<f64>, Vec<f64>), String> {
    equilibrium(mechanism, p, tolerance).map_err(|error| match error {
        EquilibriumError::NotFound { velocity, acceleration } => {
            let name = mechanism.velocity_name(velocity);
            format!(
                "no equilibrium was reached: {name} still accelerates by {acceleration:.3e} (SI); start nearer to \
                 it, or add an element that holds it"
            )
        }
        other => other.to_string(),
    })
}
