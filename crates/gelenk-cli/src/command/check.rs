use std::path::{Path, PathBuf};

use gelenk::open::{self, Overrides};
use gelenk_model::{FileKind, file_kind, load_case, load_study};
use gelenk_multibody::Mechanism;
use gelenk_multibody::absolute::Formulation;
use gelenk_system::{Fault, System};
use serde_json::{Value, json};

use super::Refusal;
use crate::console::{Console, DONE, FAILED};

const EXAMPLES: &str = "\
Examples:
  gelenk check swing/model.toml
  gelenk check cases/seams/model.toml cases/fit-friction/study.toml cases/seams/case.toml
  gelenk check --formulations cases/four-bar/model.toml --json";

/// Arguments of `check`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Models, studies or cases.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Compare the accelerations at the start in minimal, absolute and natural coordinates.
    #[arg(long)]
    formulations: bool,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let mut code = DONE;
    let mut files = Vec::new();
    for file in &args.files {
        let mut document = json!({ "file": file.display().to_string(), "ok": true });
        let done = check(out, file, &mut document).and_then(|said| {
            say!(out, "{}: {said}", file.display());
            if args.formulations && file_kind(file) == FileKind::Model {
                formulations(out, file, &mut document)?;
            }
            Ok(())
        });
        if let Err(error) = done {
            code = FAILED;
            document["ok"] = json!(false);
            document["error"] = json!(error.to_string());
            out.error(error);
            out.progress("");
        }
        files.push(document);
    }
    out.set("files", files);
    Ok(code)
}

/// Sizes and agreement of all formulations.
fn formulations(out: &Console, file: &Path, document: &mut Value) -> Result<(), Refusal> {
    let model = gelenk_model::load_model(file)?;
    let compiled = gelenk_model::compile(&model, &mut open::read_log)?;
    let all = compiled.blueprint.formulations(&compiled.parameters)?;
    say!(out, "  coordinates  accelerations  equations  difference from minimal coordinates");
    for Formulation { name, unknowns, equations, difference } in &all {
        say!(out, "  {name:11}  {unknowns:13}  {equations:9}  {difference:.1e}");
    }
    let of = |f: &Formulation| {
        json!({
            "name": f.name.to_string(),
            "accelerations": f.unknowns,
            "equations": f.equations,
            "difference": f.difference,
        })
    };
    document["formulations"] = all.iter().map(of).collect();
    // Rounding, and how well the equations of a loop can be told apart, leave far less.
    let worst = all.iter().map(|formulation| formulation.difference).fold(0.0, f64::max);
    if worst > 1e-6 {
        return Err(format!("the formulations of {} differ by {worst:.1e}", file.display()).into());
    }
    Ok(())
}

/// How the loops were closed, a line for each fact.
fn assembly(mechanism: &Mechanism, p: &[f64], document: &mut Value) -> Result<String, Fault> {
    if mechanism.constraint_count() == 0 {
        return Ok(String::new());
    }
    let mut lines = Vec::new();
    let mut data = mechanism.data();
    mechanism.bind(&mut data, p);
    let assembly = mechanism.assemble(&mut data)?;
    for (name, [before, after]) in &assembly.loops {
        lines.push(format!("loop {name}: open by {before:.1e} at the given start, closed to {after:.1e}"));
    }
    for (name, change) in &assembly.moved {
        lines.push(format!("{name} was moved by {change:.6e}"));
    }
    for (name, change) in &assembly.hurried {
        lines.push(format!("the rate of {name} was changed by {change:.6e}"));
    }
    let free = assembly.independent.len();
    lines.push(match free {
        0 => "degrees of freedom: none".into(),
        _ => format!("degrees of freedom: {free}, good choice: {}", assembly.independent.join(", ")),
    });
    let change = |(name, by): &(String, f64)| json!({ "name": name, "by": by });
    document["loops"] = assembly
        .loops
        .iter()
        .map(|(name, [before, after])| json!({ "name": name, "gap_before": before, "gap_after": after }))
        .collect();
    document["moved"] = assembly.moved.iter().map(change).collect();
    document["rates_changed"] = assembly.hurried.iter().map(change).collect();
    document["degrees_of_freedom"] = json!(free);
    document["independent"] = json!(assembly.independent);
    Ok(lines.iter().map(|line| format!("\n  {line}")).collect())
}

fn check(out: &mut Console, file: &Path, document: &mut Value) -> Result<String, Refusal> {
    match file_kind(file) {
        FileKind::Model => {
            document["kind"] = json!("model");
            let prepared = open::simulation(file, &Overrides::default())?;
            out.warnings(&prepared.warnings);
            let mechanism = &prepared.mechanism;
            for change in mechanism.changed_rates()? {
                out.warning(change);
            }
            let [thrown, resting] = open::starts(&prepared)?;
            thrown.iter().for_each(|warning| out.warning(warning));
            resting.iter().for_each(|note| out.note(note));
            let assembled = assembly(mechanism, &prepared.parameters.values(), document)?;
            for equation in mechanism.redundant_equations()? {
                out.note(format_args!("loop {equation} is redundant; its reaction is not unique"));
            }
            if let Some(shared) = prepared.shared_reactions() {
                out.note(format_args!(
                    "the reactions of {shared} are not unique; those of least norm are given"
                ));
            }
            document["bodies"] = json!(mechanism.body_count());
            document["velocities"] = json!(mechanism.velocity_count());
            document["loop_equations"] = json!(mechanism.constraint_count());
            document["parameters"] = json!(prepared.parameters.len());
            Ok(format!(
                "a model; bodies: {}, velocities: {}, loop equations: {}, parameters: {}{assembled}",
                mechanism.body_count(),
                mechanism.velocity_count(),
                mechanism.constraint_count(),
                prepared.parameters.len()
            ))
        }
        FileKind::Study => {
            document["kind"] = json!("study");
            let study = load_study(file)?;
            if study.file.rig.is_some() {
                let runs = gelenk_model::rig_runs(&study)?.len();
                document["kind"] = json!("rig");
                document["runs"] = json!(runs);
                return Ok(format!("a rig with {runs} {}", if runs == 1 { "run" } else { "runs" }));
            }
            let (model, compiled) = open::study_model(&study)?;
            let prepared = open::prepare(&model, Some(&study.file), compiled, &Overrides::default())?;
            let known = gelenk::motion_study::known(&prepared.mechanism);
            gelenk_model::motion_plan(&study, &known)?;
            gelenk_model::task_plans(&study, &known)?;
            Ok("a study; the study and its model are correct".into())
        }
        FileKind::Case => {
            document["kind"] = json!("case");
            let case = load_case(file)?;
            document["expected"] = json!(case.file.expect.len());
            Ok(format!("a case with {} expected numbers", case.file.expect.len()))
        }
    }
}
