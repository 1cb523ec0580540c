use std::path::PathBuf;

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
    /// Record the run with the fitted parameters here, with the measured columns (.parquet, or a table .csv, .txt).
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let target = args.output.as_ref().map(|path| Target::new(Some(path), PathBuf::new)).transpose()?;
    let mut study = FitStudy::open(&args.study)?;
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
    out.extend(json!({
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
    let failed = match &outcome.verdict {
        Verdict::Good => false,
        Verdict::Warning(text) => {
            out.warning(text);
            false
        }
        Verdict::Failure(error) => {
            out.error(error);
            true
        }
    };
    if let Some(target) = &target {
        say!(out);
        super::write::recording(out, &outcome.recording, target, "samples")?;
    }
    Ok(if fit.stop.converged() && !failed { DONE } else { FAILED })
}
