use std::path::PathBuf;

use gelenk::open::{self, Overrides};
use gelenk::rest::{cycle, state_space};
use gelenk_multibody::{Closing, Mechanism};
use gelenk_solve::Linearisation;
use gelenk_system::{Hybrid, Nanos, Sampled, System};
use nalgebra::DMatrix;
use serde_json::{Value, json};

use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk linearise swing/model.toml
  gelenk linearise swing/model.toml --start
  gelenk linearise arm/model.toml --output tip.x --json
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
    /// A column whose dependence on states and inputs is given, too (matrices C and D); may be repeated.
    #[arg(long, value_name = "COLUMN")]
    output: Vec<String>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut prepared = open::simulation(&args.file, &overrides)?;
    // Positions are looked for, not integrated: only a projection closes the loops there.
    prepared.mechanism.set_closing(Closing::Project);
    let mechanism = &prepared.mechanism;
    let p = prepared.parameters.values();
    let picked = pick(mechanism, &args.output)?;
    let controller = mechanism.controller();
    let (x, m) = if args.start || controller.is_some() {
        let layout = mechanism.layout();
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        let mut data = mechanism.data();
        mechanism.bind(&mut data, &p);
        mechanism.start(&mut data, &mut x, &mut m)?;
        x[layout.v()].fill(0.0);
        mechanism.rest(&mut data, 0.0, &mut x, &mut m)?;
        mechanism.sample(&mut data, Nanos::ZERO, &x, &mut m)?;
        (x, m)
    } else {
        super::equilibrium::find(mechanism, &p, 1e-9)?
    };
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &p);
    mechanism.outputs(&mut data, 0.0, &x, &m, &mut vec![0.0; mechanism.channels().len()])?;
    super::equilibrium::note_others(out, mechanism, &data);
    out.set("title", prepared.title.as_str());
    if let Some(controller) = controller {
        if !args.start {
            return Err(format!(
                "{controller} is sampled, so that the equilibrium is not a function of the state; with --start the loop is \
                 linearised about the start"
            )
            .into());
        }
        if !picked.is_empty() {
            return Err(format!(
                "{controller} is sampled, and outputs are those of continuous equations; omit --output"
            )
            .into());
        }
        return sampled(&prepared.title, mechanism, &p, (&x, &m), out);
    }
    let linear = state_space(mechanism, &p, (0.0, &x, &m), &picked)?;
    let (mut states, b) = (linear.states, linear.b);
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &p);
    // Displacements are given as recordings give velocities.
    for mut direction in states.directions.column_iter_mut() {
        mechanism.displacement_from_state(&data, &x[mechanism.layout().q()], direction.as_mut_slice());
    }
    let modes = states.modes();
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
    let inputs: Vec<&str> = mechanism.inputs().iter().map(|input| input.name.as_str()).collect();
    let outputs: Vec<&str> = picked.iter().map(|&k| mechanism.channels()[k].name.as_str()).collect();
    out.extend(json!({
        "velocities": names,
        "inputs": inputs,
        "outputs": outputs,
        "a": rows(&states.a),
        "b": rows(&b),
        "c": rows(&linear.c),
        "d": rows(&linear.d),
        "directions": rows(&states.directions),
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
    gains(out, &states, (&b, &linear.c, &linear.d), &inputs, &outputs);
    Ok(DONE)
}

/// The channels with these names.
fn pick(mechanism: &Mechanism, names: &[String]) -> Result<Vec<usize>, String> {
    let channels = mechanism.channels();
    let find = |name: &String| {
        channels.iter().position(|channel| channel.name == *name).ok_or_else(|| {
            let known = channels.iter().map(|channel| channel.name.as_str());
            format!("there is no column {name}{}", gelenk_math::suggest::hint(name, known))
        })
    };
    names.iter().map(find).collect()
}

/// Prints the gain at rest of every output by every input, where there is one.
fn gains(
    out: &mut Console,
    states: &Linearisation,
    (b, c, d): (&DMatrix<f64>, &DMatrix<f64>, &DMatrix<f64>),
    inputs: &[&str],
    outputs: &[&str],
) {
    if inputs.is_empty() || outputs.is_empty() {
        return;
    }
    let Some(response) = states.a.clone().lu().solve(b) else {
        say!(out, "  static gain: none, because an eigenvalue is zero");
        return;
    };
    let gain = d - c * response;
    say!(out, "  static gain");
    for (row, output) in outputs.iter().enumerate() {
        for (column, input) in inputs.iter().enumerate() {
            say!(out, "    {output} by {input}: {:.6}", gain[(row, column)]);
        }
    }
}

/// Discrete poles of a sampled loop about its start.
fn sampled(
    title: &str,
    mechanism: &Mechanism,
    p: &[f64],
    at: (&[f64], &[f64]),
    out: &mut Console,
) -> super::Done {
    let cycle = cycle(mechanism, p, at)?;
    let period = cycle.period.seconds();
    let poles = cycle.poles();
    let described: Vec<Value> = poles.iter().map(|z| json!([z.re, z.im])).collect();
    out.extend(json!({ "period": period, "poles": described }));
    say!(out, "{title}\n  sampled loop about the start, period {period} s");
    say!(out, "  {:>24}  {:>10}  {:>11}  {:>8}", "pole", "size", "f [Hz]", "damping");
    let (shown, gone): (Vec<_>, Vec<_>) = poles.into_iter().partition(|z| z.norm() > 1e-9);
    for z in shown.iter().filter(|z| z.im >= 0.0) {
        // s = ln(z)/T, with frequencies up to half of that of the samples.
        let s = z.ln() / period;
        let value = format!("{:.6} + {:.6}i", z.re, z.im);
        let damping = if (z - 1.0).norm() > 1e-9 { -s.re / s.norm() } else { 0.0 };
        let frequency = s.norm() / std::f64::consts::TAU;
        say!(out, "  {value:>24}  {:>10.6}  {frequency:>11.6}  {damping:>8.4}", z.norm());
    }
    if !gone.is_empty() {
        say!(out, "  and {} at zero", gone.len());
    }
    match shown.iter().any(|z| z.norm() > 1.0 + 1e-9) {
        true => say!(out, "  unstable: a pole is outside the unit circle"),
        false => say!(out, "  no pole is outside the unit circle"),
    }
    Ok(DONE)
}
