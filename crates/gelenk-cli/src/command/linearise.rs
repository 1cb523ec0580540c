use std::path::PathBuf;

use gelenk::open::{self, Overrides};
use gelenk::rest::linearise;
use gelenk_multibody::Closing;
use gelenk_system::{Hybrid, Sampled, System};
use serde_json::{Value, json};

use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk linearise swing/model.toml
  gelenk linearise swing/model.toml --start
  gelenk linearise swing/model.toml --json";

/// Arguments of `linearise`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model or a study.
    file: PathBuf,
    /// Set a parameter, such as `--set bodies.arm.mass="0.2 kg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Linearise about the start, with all velocities zero, instead of the equilibrium.
    #[arg(long)]
    start: bool,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut prepared = open::simulation(&args.file, &overrides)?;
    // Positions are looked for, not integrated: only a projection closes the loops there.
    prepared.mechanism.set_closing(Closing::Project);
    let mechanism = &prepared.mechanism;
    let p = prepared.parameters.values();
    let (x, m) = if args.start {
        let layout = mechanism.layout();
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        let mut data = mechanism.data();
        mechanism.bind(&mut data, &p);
        mechanism.start(&mut data, &mut x, &mut m)?;
        x[layout.v()].fill(0.0);
        if let Some(controller) = mechanism.controller() {
            return Err(
                format!("{controller} is sampled, which a continuous linearisation cannot express").into()
            );
        }
        mechanism.rest(&mut data, 0.0, &mut x, &mut m)?;
        (x, m)
    } else {
        super::equilibrium::find(mechanism, &p, 1e-9)?
    };
    super::equilibrium::note_ways(out, mechanism);
    let mut linear = linearise(mechanism, &p, 0.0, &x, &m)?;
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &p);
    // Displacements are given as recordings give velocities.
    for mut direction in linear.directions.column_iter_mut() {
        mechanism.displacement_from_state(&data, &x[mechanism.layout().q()], direction.as_mut_slice());
    }
    let modes = linear.modes();
    let names: Vec<&str> = (0..mechanism.velocity_count()).map(|k| mechanism.velocity_name(k)).collect();
    let rows = |matrix: &nalgebra::DMatrix<f64>| {
        matrix.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>()).collect::<Vec<_>>()
    };
    let described: Vec<Value> = modes
        .iter()
        .map(|mode| {
            json!({
                "eigenvalue": [mode.eigenvalue.re, mode.eigenvalue.im],
                "frequency": mode.frequency(),
                "damping": mode.damping(),
                "shape": mode.shape.iter().map(|v| [v.re, v.im]).collect::<Vec<_>>(),
                "shape_size": mode.shape.iter().map(|v| v.norm()).collect::<Vec<_>>(),
            })
        })
        .collect();
    out.extend(json!({
        "title": prepared.title,
        "velocities": names,
        "a": rows(&linear.a),
        "directions": rows(&linear.directions),
        "modes": described,
    }));
    say!(out, "{}\n  {:>24}  {:>11}  {:>8}  shape", prepared.title, "eigenvalue [1/s]", "f [Hz]", "damping");
    for mode in &modes {
        let mut parts: Vec<(usize, f64)> = mode.shape.iter().map(|v| v.norm()).enumerate().collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let shape: Vec<String> = parts
            .iter()
            .take(3)
            .filter(|(_, size)| *size > 0.01)
            .map(|(k, size)| format!("{} {size:.2}", names[*k].trim_start_matches("coordinate ")))
            .collect();
        let value = format!("{:.6} + {:.6}i", mode.eigenvalue.re, mode.eigenvalue.im);
        say!(out, "  {value:>24}  {:>11.6}  {:>8.4}  {}", mode.frequency(), mode.damping(), shape.join(", "));
    }
    Ok(DONE)
}
