use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::open::{self, Overrides};
use gelenk_model::{FileKind, file_kind, load_case, load_study};
use gelenk_multibody::Mechanism;
use gelenk_multibody::absolute::Formulation;
use gelenk_system::{Fault, System};

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// Models, studies or cases.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Compare the accelerations at the start in minimal, absolute and natural coordinates.
    #[arg(long)]
    formulations: bool,
}

pub fn run(args: &Args) -> super::Done {
    let mut failed = false;
    for file in &args.files {
        let done = check(file).and_then(|said| {
            say!("{}: {said}", file.display());
            if args.formulations && file_kind(file) == FileKind::Model {
                formulations(file)?;
            }
            Ok(())
        });
        match done {
            Ok(()) => {}
            Err(error) => {
                failed = true;
                tell!("{error}\n");
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Sizes and agreement of all formulations.
fn formulations(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let model = gelenk_model::load_model(file)?;
    let compiled = gelenk_model::compile(&model, &mut open::read_log)?;
    let all = compiled.blueprint.formulations(&compiled.parameters)?;
    say!("  coordinates  accelerations  equations  off minimal coordinates by");
    for Formulation { name, unknowns, equations, difference } in &all {
        say!("  {name:11}  {unknowns:13}  {equations:9}  {difference:.1e}");
    }
    // Rounding, and how well the equations of a loop can be told apart, leave far less.
    let worst = all.iter().map(|formulation| formulation.difference).fold(0.0, f64::max);
    if worst > 1e-6 {
        return Err(format!("the formulations of {} differ by {worst:.1e}", file.display()).into());
    }
    Ok(())
}

/// How the loops were closed, a line for each fact.
fn assembly(mechanism: &Mechanism, p: &[f64]) -> Result<String, Fault> {
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
        0 => "freedoms: none".into(),
        _ => format!("freedoms: {free}, well chosen as: {}", assembly.independent.join(", ")),
    });
    Ok(lines.iter().map(|line| format!("\n  {line}")).collect())
}

fn check(file: &Path) -> Result<String, Box<dyn std::error::Error>> {
    match file_kind(file) {
        FileKind::Model => {
            let prepared = open::simulation(file, &Overrides::default())?;
            tell_text!("{}", prepared.warnings);
            let mechanism = &prepared.mechanism;
            for change in mechanism.changed_rates()? {
                tell!("warning: {change}");
            }
            let [thrown, resting] = open::starts(&prepared)?;
            thrown.iter().for_each(|warning| tell!("warning: {warning}"));
            resting.iter().for_each(|note| tell!("note: {note}"));
            let assembled = assembly(mechanism, &prepared.parameters.values())?;
            for equation in mechanism.redundant_equations()? {
                tell!("note: loop {equation} follows from the others; its reaction is not unique");
            }
            if let Some(shared) = prepared.shared_reactions() {
                tell!("note: the reactions of {shared} are not unique; those of least norm are given");
            }
            Ok(format!(
                "a model; bodies: {}, velocities: {}, loop equations: {}, parameters: {}{assembled}",
                mechanism.body_count(),
                mechanism.velocity_count(),
                mechanism.constraint_count(),
                prepared.parameters.len()
            ))
        }
        FileKind::Study => {
            let study = load_study(file)?;
            if study.file.rig.is_some() {
                let runs = gelenk_model::rig_runs(&study)?.len();
                return Ok(format!("a rig with {runs} {}", if runs == 1 { "run" } else { "runs" }));
            }
            let (model, compiled) = open::study_model(&study)?;
            let prepared = open::prepare(&model, Some(&study.file), compiled, &Overrides::default())?;
            let known = gelenk::motion_study::known(&prepared.mechanism);
            gelenk_model::motion_plan(&study, &known)?;
            gelenk_model::task_plans(&study, &known)?;
            Ok("a study, and its model is right, too".into())
        }
        FileKind::Case => {
            let case = load_case(file)?;
            Ok(format!("a case with {} expected numbers", case.file.expect.len()))
        }
    }
}
