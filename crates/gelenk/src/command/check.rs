use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::open::{self, Overrides};
use gelenk_model::{FileKind, file_kind, load_case, load_study};

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// Models, studies or cases.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args) -> super::Done {
    let mut failed = false;
    for file in &args.files {
        match check(file) {
            Ok(said) => say!("{}: {said}", file.display()),
            Err(error) => {
                failed = true;
                eprintln!("{error}\n");
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn check(file: &Path) -> Result<String, Box<dyn std::error::Error>> {
    match file_kind(file) {
        FileKind::Model => {
            let prepared = open::simulation(file, &Overrides::default())?;
            eprint!("{}", prepared.warnings);
            let mechanism = &prepared.mechanism;
            for change in mechanism.assembly(false)? {
                eprintln!("warning: {change}");
            }
            for equation in mechanism.redundant_equations()? {
                eprintln!("note: loop {equation} follows from the others; its reaction is not unique");
            }
            Ok(format!(
                "a model; bodies: {}, velocities: {}, loop equations: {}, parameters: {}",
                mechanism.body_count(),
                mechanism.velocity_count(),
                mechanism.constraint_count(),
                prepared.parameters.len()
            ))
        }
        FileKind::Study => {
            let study = load_study(file)?;
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
