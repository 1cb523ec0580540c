use std::path::PathBuf;

use gelenk::ik::{COMPONENT, IkOutcome, IkStudy, chart, moved};
use gelenk::open::Overrides;
use gelenk::plot::PlotOptions;
use gelenk_multibody::Mechanism;
use serde_json::{Value, json};

use super::Refusal;
use super::write::Target;
use crate::console::{Console, DONE, FAILED};

const EXAMPLES: &str = "\
Examples:
  gelenk ik cases/ik-planar-arm/study.toml
  gelenk ik study.toml --set coordinates.knee.start=\"20 deg\"
  gelenk ik study.toml --json";

/// Arguments of `ik`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A study of kind `inverse-kinematics`.
    study: PathBuf,
    /// Set a parameter, such as `--set coordinates.knee.start="20 deg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The recording (.parquet), or a table (.csv, .txt) [default: runs/NAME-ik.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Plot columns or groups, separated by commas [default: coordinates]. Of a single posture the displacement of every
    /// component is plotted.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
}

/// Maximum number of coordinates in the summary.
const LISTED: usize = 12;

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let target = Target::new(args.output.as_ref(), || super::write::default_output(&args.study, "-ik"))?;
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let mut study = IkStudy::open(&args.study, &overrides)?;
    out.warnings(&study.prepared.warnings);
    study.interrupt = super::signals::interrupt();
    let outcomes = study.solve()?;
    say!(out, "{}", study.prepared.title);
    let methods: Vec<Value> = outcomes.iter().map(|outcome| report(out, &study, outcome)).collect();
    out.set("title", study.prepared.title.as_str());
    out.set("methods", methods);
    let recording = study.record(&outcomes)?;
    say!(out);
    super::write::recording(out, &recording, &target, "samples")?;
    if let Some(selection) = &args.plot {
        match study.times().len() {
            1 => posture(out, &outcomes, &target, &study.prepared.title)?,
            _ => super::write::picture(out, &recording, &target, &study.prepared.title, selection)?,
        }
    }
    if study.interrupt.asked() {
        return Ok(super::signals::interrupted(out, "the instants so far are recorded"));
    }
    let mut code = DONE;
    for outcome in &outcomes {
        if let Some(message) = failure(&study, outcome) {
            out.error(message);
            code = FAILED;
        }
    }
    Ok(code)
}

/// Plots how far each component moved.
fn posture(out: &mut Console, outcomes: &[IkOutcome], target: &Target, title: &str) -> Result<(), Refusal> {
    let columns: Vec<String> = outcomes.iter().map(|o| o.method.to_string()).collect();
    let options =
        PlotOptions { title: Some(title.into()), x: Some(COMPONENT.into()), ..PlotOptions::default() };
    let path = target.path().with_extension("svg");
    super::write::drawing(&path, &[("", &chart(outcomes)?)], &columns, &options, 1.0)?;
    super::write::drawn(out, &path);
    Ok(())
}

fn report(out: &Console, study: &IkStudy, outcome: &IkOutcome) -> Value {
    let mechanism = &study.prepared.mechanism;
    let residual = outcome.solutions.iter().filter_map(|s| s.worst()).fold(0.0f64, |max, (_, r)| max.max(r));
    let steps: usize = outcome.solutions.iter().map(|s| s.iterations).sum();
    say!(out, "\n  {}", outcome.method);
    if outcome.solutions.len() > 1 {
        say!(out, "    times       {}", outcome.solutions.len());
    }
    say!(out, "    iterations  {steps}");
    say!(out, "    residual    {residual:.2e}");
    let mut document = json!({
        "method": outcome.method.to_string(),
        "instants": outcome.solutions.len(),
        "iterations": steps,
        "residual": residual,
        "reached": outcome.failure().is_none(),
    });
    let Some(last) = outcome.solutions.last() else { return document };
    say!(out, "    distance    {:.6} from the start", last.distance());
    let mut listed: Vec<(usize, f64)> = moved(last).collect();
    say!(out, "    moved       {} of {}", listed.len(), mechanism.velocity_count());
    listed.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let of = |&(k, by): &(usize, f64)| json!({ "name": name(mechanism, k), "by": by });
    document["distance"] = json!(last.distance());
    document["components"] = json!(mechanism.velocity_count());
    document["moved_count"] = json!(listed.len());
    document["moved"] = listed.iter().map(of).collect();
    for (k, by) in listed.into_iter().take(LISTED) {
        say!(out, "      {:24}  {by:+.6}", name(mechanism, k));
    }
    document
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
        "{} did not reach the targets{at}: task {task:?} is off by {residual:.3e} (m or rad) after {} iterations; \
         move the target into reach, allow more iterations, or limit the step",
        outcome.method, solution.iterations
    ))
}
