use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::digits::digits;
use gelenk::fit::{FitStudy, FitStudyError};
use gelenk_estimate::StopReason;
use gelenk_solve::Verdict;

/// Arguments of `fit`.
#[derive(clap::Args)]
pub struct Args {
    /// A study of kind `fit`.
    study: PathBuf,
    /// Record the run with the found parameters here.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> super::Done {
    let mut study = FitStudy::open(&args.study)?;
    study.interrupt = super::signals::interrupt();
    let outcome = study.run(&mut |progress| {
        let verdict = if progress.accepted { "" } else { " (rejected)" };
        tell!("iteration {}: cost {:.6e}{verdict}", progress.iteration, progress.cost);
    });
    let outcome = match outcome {
        // Before there is anything to go back to.
        Err(FitStudyError::Fit(_)) if study.interrupt.asked() => {
            return Ok(super::signals::interrupted("the search had not begun"));
        }
        outcome => outcome?,
    };
    let fit = &outcome.fit;
    say!("{}", study.title());
    say!("  cost        {:.6e} from {:.6e} (half the sum of squares, SI)", fit.cost, fit.start_cost);
    say!("  iterations  {}, {} runs, ended by {:?}\n", fit.iterations, fit.evaluations, fit.stop);
    let width = outcome.parameters.iter().map(|(path, ..)| path.chars().count()).max().unwrap_or(0);
    for (i, (path, value, unit)) in outcome.parameters.iter().enumerate() {
        let error = match fit.standard_errors[i] {
            Some(error) => format!("+- {error:.2e}"),
            None if fit.at_bound[i] => "at its bound".into(),
            None => "not identifiable from this log".into(),
        };
        say!("  {path:width$}  {:>14}  {unit}  {error}", digits(*value, 9));
    }
    if fit.stop == StopReason::Interrupted {
        return Ok(super::signals::interrupted("these are the best values so far, and nothing was recorded"));
    }
    let failed = match &outcome.verdict {
        Verdict::Good => false,
        Verdict::Warning(text) => {
            tell!("warning: {text}");
            false
        }
        Verdict::Failure(error) => {
            tell!("error: {error}");
            true
        }
    };
    if let Some(path) = &args.output {
        super::write::recording(&outcome.recording, path)?;
        say!("\n  recording   {}", path.display());
    }
    Ok(if fit.stop.converged() && !failed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
