//! The summary of a run as text and as JSON.

use std::fmt::Write;

use gelenk_solve::{Method, Options, Summary};
use serde_json::{Value, json};

use crate::digits::cell;

/// The summary that a run prints; `cpu` is the CPU time in seconds, `reason` says why the method was picked.
pub fn text(title: &str, options: &Options, reason: Option<&str>, summary: &Summary, cpu: f64) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  {name:<10}  {value}");
    };
    let method = match options.method {
        Method::Bs23 { rtol, atol, .. }
        | Method::Dopri5 { rtol, atol, .. }
        | Method::Dop853 { rtol, atol, .. } => {
            format!("{}, rtol {rtol:e}, atol {atol:e}", options.method.name())
        }
        Method::Euler { step }
        | Method::SemiImplicitEuler { step }
        | Method::Heun { step }
        | Method::FixedBs23 { step }
        | Method::Rk4 { step } => format!("{}, step {step}", options.method.name()),
        // Steps end at outputs.
        Method::Stepped { step } | Method::Stepped2 { step } | Method::RealTime { step } => {
            format!("{}, step {}", options.method.name(), step.min(options.output))
        }
    };
    line("solver", method);
    if let Some(reason) = reason {
        line("picked", reason.to_owned());
    }
    let factor = if summary.time > 0.0 { cpu / summary.time } else { 0.0 };
    line("simulated", format!("{} s in {cpu:.3} s CPU, real-time factor {factor:.2e}", summary.time));
    if let Some(switch) = &summary.ended {
        line("ended", format!("by {switch}"));
    }
    let pieces = match summary.substeps {
        0 => String::new(),
        n => format!(", {n} step subdivisions"),
    };
    line("steps", format!("{} ({} rejected{pieces})", summary.steps, summary.rejected));
    let newton = match summary.iterations {
        0 => String::new(),
        n => format!(", {n} Newton iterations ({:.2} a step)", n as f64 / summary.steps.max(1) as f64),
    };
    line("evaluated", format!("{} times{newton}", summary.evaluations));
    line("events", format!("{}, {} sampling instants", summary.events, summary.samples));
    let energy = &summary.energy;
    line(
        "energy",
        match energy.residue {
            0.0 => "residue 0.00e0 J, 0.0e0 of the energy exchanged".into(),
            residue => format!(
                "residue {residue:+.2e} J ({}), {:.1e} of the energy exchanged",
                if residue > 0.0 { "gained" } else { "lost" },
                energy.relative_residue()
            ),
        },
    );
    line("drift", format!("constraint error of at most {:.1e} before projection", summary.drift));
    let width = energy.works.iter().map(|w| w.name.chars().count()).max().unwrap_or(0).max(7);
    let _ = writeln!(
        out,
        "\n  {:width$}  {:>13}  {:>13}  {:>13}",
        "energy", "work [J]", "stored [J]", "lost [J]"
    );
    // What lies far below the largest of them is rounding.
    let sizes = energy.works.iter().flat_map(|work| [work.work, work.stored]).chain([energy.kinetic]);
    let scale = sizes.fold(0.0, |largest: f64, size| largest.max(size.abs()));
    let _ = writeln!(out, "  {:width$}  {:13}  {:>13}", "kinetic", "", cell(energy.kinetic, scale));
    for work in &energy.works {
        let lost = match work.conservative {
            true => format!("{:.1e} mismatch", work.dissipated().abs()),
            false => cell(work.dissipated(), scale),
        };
        let _ = writeln!(
            out,
            "  {:width$}  {:>13}  {:>13}  {lost:>13}",
            work.name,
            cell(work.work, scale),
            cell(work.stored, scale)
        );
    }
    format!("{title}\n{out}\n")
}

/// The numbers of the same summary as JSON, in SI units. CPU time and real-time factor differ from run to run.
pub fn json(title: &str, options: &Options, reason: Option<&str>, summary: &Summary, cpu: f64) -> Value {
    let (tolerances, step) = match options.method {
        Method::Bs23 { rtol, atol, .. }
        | Method::Dopri5 { rtol, atol, .. }
        | Method::Dop853 { rtol, atol, .. } => (Some((rtol, atol)), None),
        Method::Euler { step }
        | Method::SemiImplicitEuler { step }
        | Method::Heun { step }
        | Method::FixedBs23 { step }
        | Method::Rk4 { step } => (None, Some(step)),
        // Steps end at outputs.
        Method::Stepped { step } | Method::Stepped2 { step } | Method::RealTime { step } => {
            (None, Some(step.min(options.output)))
        }
    };
    let energy = &summary.energy;
    let accounts: Vec<Value> = energy
        .works
        .iter()
        .map(|work| {
            json!({
                "name": work.name,
                "work": work.work,
                "stored": work.stored,
                "lost": work.dissipated(),
                "conservative": work.conservative,
            })
        })
        .collect();
    json!({
        "title": title,
        "solver": {
            "method": options.method.name(),
            "rtol": tolerances.map(|(rtol, _)| rtol),
            "atol": tolerances.map(|(_, atol)| atol),
            "step": step.map(|step| step.seconds()),
            "reason": reason,
        },
        "time": summary.time,
        "cpu": cpu,
        "real_time_factor": if summary.time > 0.0 { cpu / summary.time } else { 0.0 },
        "ended_by": summary.ended,
        "steps": summary.steps,
        "rejected": summary.rejected,
        "substeps": summary.substeps,
        "evaluations": summary.evaluations,
        "iterations": summary.iterations,
        "iterations_per_step": summary.iterations as f64 / summary.steps.max(1) as f64,
        "events": summary.events,
        "samples": summary.samples,
        "drift": summary.drift,
        "energy": {
            "residue": energy.residue,
            "relative_residue": energy.relative_residue(),
            "kinetic": energy.kinetic,
            "accounts": accounts,
        },
    })
}
