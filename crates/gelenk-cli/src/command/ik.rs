use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::ik::{COMPONENT, IkOutcome, IkStudy, chart, moved};
use gelenk::open::Overrides;
use gelenk::plot::PlotOptions;
use gelenk_multibody::Mechanism;

/// Arguments of `ik`.
#[derive(clap::Args)]
pub struct Args {
    /// A study of kind `inverse-kinematics`.
    study: PathBuf,
    /// Give a parameter another value, such as `--set coordinates.knee.start="20 deg"`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording; `runs/NAME-ik.parquet` where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw columns or groups, separated by commas; the coordinates where none are named. One posture is drawn as the way of each component.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
}

/// Most coordinates that the summary lists.
const LISTED: usize = 12;

pub fn run(args: &Args) -> super::Done {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study = IkStudy::open(&args.study, &overrides)?;
    tell_text!("{}", study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let outcomes = study.solve()?;
    say!("{}", study.prepared.title);
    for outcome in &outcomes {
        tell(&study, outcome);
    }
    let recording = study.record(&outcomes)?;
    let out = args.output.clone().unwrap_or_else(|| super::write::default_output(&args.study, "-ik"));
    super::write::recording(&recording, &out)?;
    say!("\n  recording   {} ({} samples)", out.display(), recording.len());
    if let Some(selection) = &args.plot {
        match study.times().len() {
            1 => posture(&outcomes, &out, &study.prepared.title)?,
            _ => super::write::picture(&recording, &out, &study.prepared.title, selection)?,
        }
    }
    if study.interrupt.asked() {
        return Ok(super::signals::interrupted("the instants so far are recorded"));
    }
    let mut code = ExitCode::SUCCESS;
    for outcome in &outcomes {
        if let Some(message) = failure(&study, outcome) {
            tell!("error: {message}");
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

/// Draws how far each component moved.
fn posture(outcomes: &[IkOutcome], out: &Path, title: &str) -> Result<(), Box<dyn std::error::Error>> {
    let columns: Vec<String> = outcomes.iter().map(|o| o.method.to_string()).collect();
    let options =
        PlotOptions { title: Some(title.into()), x: Some(COMPONENT.into()), ..PlotOptions::default() };
    let path = out.with_extension("svg");
    super::write::drawing(&path, &[("", &chart(outcomes)?)], &columns, &options, 1.0)?;
    say!("  picture     {}", path.display());
    Ok(())
}

fn tell(study: &IkStudy, outcome: &IkOutcome) {
    let mechanism = &study.prepared.mechanism;
    let residual = outcome.solutions.iter().filter_map(|s| s.worst()).fold(0.0f64, |max, (_, r)| max.max(r));
    let steps: usize = outcome.solutions.iter().map(|s| s.iterations).sum();
    say!("\n  {}", outcome.method);
    if outcome.solutions.len() > 1 {
        say!("    times       {}", outcome.solutions.len());
    }
    say!("    iterations  {steps}");
    say!("    residual    {residual:.2e}");
    let Some(last) = outcome.solutions.last() else { return };
    say!("    distance    {:.6} from the start", last.distance());
    let all: Vec<(usize, f64)> = moved(last).collect();
    say!("    moved       {} of {}", all.len(), mechanism.velocity_count());
    let mut listed = all;
    listed.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    for (k, by) in listed.into_iter().take(LISTED) {
        say!("      {:24}  {by:+.6}", name(mechanism, k));
    }
}

fn name(mechanism: &Mechanism, k: usize) -> &str {
    mechanism.velocity_name(k).trim_start_matches("coordinate ")
}

/// How near a method came that did not reach its targets.
fn failure(study: &IkStudy, outcome: &IkOutcome) -> Option<String> {
    let (k, solution) = outcome.failure()?;
    let t = study.times()[k];
    let at = if study.times().len() > 1 { format!(" at t = {t} s") } else { String::new() };
    let (task, residual) = solution.worst()?;
    let task = study.task_names().nth(task).unwrap_or_default();
    if solution.gap > study.tolerance() {
        return Some(format!(
            "{} left the loops open by {:.3e} after {} iterations{at}",
            outcome.method, solution.gap, solution.iterations
        ));
    }
    Some(format!(
        "{} did not reach the targets{at}: task {task:?} is left by {residual:.3e} (m or rad) after {} iterations; \
         move the target into reach, give more iterations, or limit the step",
        outcome.method, solution.iterations
    ))
}
