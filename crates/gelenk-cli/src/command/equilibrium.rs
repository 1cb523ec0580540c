use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::digits::digits;
use gelenk::open::{self, Overrides};
use gelenk_multibody::{Closing, Mechanism};
use gelenk_solve::{EquilibriumError, equilibrium};
use gelenk_system::System;

/// Share of the largest number of a unit below which one is what the tolerance and rounding leave.
const DUST: f64 = 1e-10;

/// Arguments of `equilibrium`.
#[derive(clap::Args)]
pub struct Args {
    /// A model or a study.
    file: PathBuf,
    /// Give a parameter another value, such as `--set bodies.arm.mass="0.2 kg"`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Accelerations below this (rad/s^2, m/s^2) count as none.
    #[arg(long, default_value_t = 1e-9)]
    tolerance: f64,
}

pub fn run(args: &Args) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut prepared = open::simulation(&args.file, &overrides)?;
    // Positions are looked for, not integrated: only a projection closes the loops there.
    prepared.mechanism.set_closing(Closing::Project);
    let mechanism = &prepared.mechanism;
    let p = prepared.parameters.values();
    let (x, m) = find(mechanism, &p, args.tolerance)?;
    say!("{}", prepared.title);
    let mut y = vec![0.0; mechanism.channels().len()];
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &p);
    mechanism.outputs(&mut data, 0.0, &x, &m, &mut y)?;
    let width = mechanism.channels().iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    // What moves is zero at rest and says nothing.
    let still = |meaning: &str| !meaning.contains("rate") && !meaning.contains("velocity");
    let scales = Scales::new(mechanism, &y);
    for (channel, value) in mechanism.channels().iter().zip(y).filter(|(c, _)| still(&c.meaning)) {
        let value = scales.without_dust(&channel.unit, value);
        say!("  {:width$}  {:>16}  {}", channel.name, digits(value, 10), channel.unit);
    }
    tell_ways(mechanism);
    Ok(ExitCode::SUCCESS)
}

/// Says which friction laws make the equilibrium one of several.
pub fn tell_ways(mechanism: &Mechanism) {
    for name in mechanism.laws_of_position() {
        tell!(
            "note: {name} remembers its way; this is the equilibrium that is reached from the start without turning back, \
             at one end of those that it can have"
        );
    }
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
                "no equilibrium was reached: {name} still accelerates by {acceleration:.3e} (SI); start nearer to it, \
                 or add what holds it"
            )
        }
        other => other.to_string(),
    })
}
