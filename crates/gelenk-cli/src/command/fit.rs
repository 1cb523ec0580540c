use std::path::{Path, PathBuf};

use gelenk::digits::digits;
use gelenk::fit::{FitStudy, FitStudyError};
use gelenk_estimate::StopReason;
use gelenk_solve::Verdict;
use serde_json::{Value, json};

use super::write::Target;
use crate::console::{Console, DONE, FAILED};

const EXAMPLES: &str = "\
Examples:
  gelenk fit cases/fit-friction/study.toml
  gelenk fit study.toml -o runs/fitted.parquet
  gelenk plot runs/fitted.parquet -c phi,measured.phi
  gelenk fit study.toml --json";

/// Arguments of `fit`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A study of kind `fit`.
    study: PathBuf,
    /// Record the run with the fitted parameters here, with the measured columns (.parquet, or a table .csv, .txt). With
    /// several logs the names are numbered: fitted-1.parquet, fitted-2.parquet, ...
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// The name of a file with a number: `fit-3.parquet`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = path.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{ending}"))
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let mut study = FitStudy::open(&args.study)?;
    let logs = study.logs();
    let target = |path: PathBuf| Target::new(Some(&path), PathBuf::new);
    let targets = match &args.output {
        None => None,
        Some(path) if logs == 1 => Some(vec![target(path.clone())?]),
        Some(path) => Some((1..=logs).map(|k| target(numbered(path, k))).collect::<Result<Vec<_>, _>>()?),
    };
    study.interrupt = super::signals::interrupt();
    let outcome = study.run(&mut |progress| {
        let verdict = if progress.accepted { "" } else { " (rejected)" };
        out.progress(format_args!("iteration {}: cost {:.6e}{verdict}", progress.iteration, progress.cost));
    });
    let outcome = match outcome {
        // Before there is anything to go back to.
        Err(FitStudyError::Fit(_)) if study.interrupt.asked() => {
            return Ok(super::signals::interrupted(out, "the search had not started"));
        }
        outcome => outcome?,
    };
    let fit = &outcome.fit;
    say!(out, "{}", study.title());
    say!(out, "  cost        {:.6e} from {:.6e} (half the sum of squares, SI)", fit.cost, fit.start_cost);
    say!(out, "  iterations  {}, {} runs; {}\n", fit.iterations, fit.evaluations, fit.stop);
    let width = outcome.parameters.iter().map(|(path, ..)| path.chars().count()).max().unwrap_or(0);
    let mut parameters = Vec::new();
    for (i, (path, value, unit)) in outcome.parameters.iter().enumerate() {
        let error = match fit.standard_errors[i] {
            Some(error) => format!("+- {error:.2e}"),
            None if fit.at_bound[i] => "at its bound".into(),
            None => "not identifiable from this log".into(),
        };
        say!(out, "  {path:width$}  {:>14}  {unit}  {error}", digits(*value, 9));
        parameters.push(json!({
            "path": path,
            "value": value,
            "unit": unit,
            "standard_error": fit.standard_errors[i],
            "at_bound": fit.at_bound[i],
        }));
    }
    let mut logs = Vec::new();
    if outcome.runs.len() > 1 {
        say!(out);
        let width = outcome.runs.iter().map(|run| run.title.chars().count()).max().unwrap_or(0);
        for run in &outcome.runs {
            say!(out, "  {:width$}  difference {} (root mean square, SI)", run.title, digits(run.rms, 4));
            logs.push(json!({ "title": run.title, "rms": run.rms }));
        }
    }
    out.extend(json!({
        "logs": logs,
        "title": study.title(),
        "cost": fit.cost,
        "start_cost": fit.start_cost,
        "iterations": fit.iterations,
        "runs": fit.evaluations,
        "ended_by": fit.stop.word(),
        "converged": fit.stop.converged(),
        "parameters": parameters,
        "recording": Value::Null,
    }));
    if fit.stop == StopReason::Interrupted {
        return Ok(super::signals::interrupted(
            out,
            "these are the best values so far, and nothing was recorded",
        ));
    }
    let mut failed = false;
    for run in &outcome.runs {
        let of = if outcome.runs.len() > 1 { format!("{}: ", run.title) } else { String::new() };
        match &run.verdict {
            Verdict::Good => {}
            Verdict::Warning(text) => out.warning(format_args!("{of}{text}")),
            Verdict::Failure(error) => {
                out.error(format_args!("{of}{error}"));
                failed = true;
            }
        }
    }
    for (number, target) in targets.iter().flatten().enumerate() {
        if number == 0 {
            say!(out);
        }
        if let Some(run) = outcome.runs.get(number) {
            super::write::recording(out, &run.recording, target, "samples")?;
        }
    }
    Ok(if fit.stop.converged() && !failed { DONE } else { FAILED })
}
