use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use gelenk::elements::WithElements;
use gelenk::notes::Notes;
use gelenk::open::{self, Overrides, Prepared};
use gelenk::open_lines::OpenLines;
use gelenk::run::{
    CpuClock, RunError, columns, has_statistics, metadata, resumable, resume_into, run_into,
    statistics_columns,
};
use gelenk::summary;
use gelenk_io::contact_elements::ELEMENTS;
use gelenk_io::{Finished, Follows, IoError, PartOptions, PartWriter, Pieces, elements_path};
use gelenk_model::model_file::{Formulation, LoopClosing, Method};
use gelenk_record::Sink;
use gelenk_record::elements::PAIRS;
use gelenk_solve::{SolveError, Verdict, judge};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::write::Target;
use super::{Refusal, Usage};
use crate::console::{Console, DONE, FAILED};

const EXAMPLES: &str = "\
Examples:
  gelenk run swing/model.toml
  gelenk run swing/model.toml --until \"2 s\" --output-interval \"1 ms\" -o swing.csv
  gelenk run swing/model.toml --set bodies.pendulum.mass=\"200 g\" -o runs/heavy.parquet --plot phi,phi.rate
  gelenk run swing/model.toml --method stepped --step \"1 ms\"
  gelenk run swing/model.toml --json
  gelenk run long/model.toml --resume";

/// Most bodies whose poses are recorded: each takes seven columns.
const MOST_BODIES: usize = 1000;

/// Arguments of `run`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model or a study.
    file: PathBuf,
    /// Set a parameter, such as `--set bodies.arm.mass="0.2 kg"`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// End of the run, such as `--until "2 s"`.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Interval between rows of the recording, such as `--output-interval "5 ms"`.
    #[arg(long, value_name = "TIME")]
    output_interval: Option<String>,
    /// Integration method.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Method::WORDS))]
    method: Option<String>,
    /// Step of a method with fixed steps, such as `--step "1 ms"`.
    #[arg(long, value_name = "TIME")]
    step: Option<String>,
    /// How loops are kept closed.
    #[arg(long, value_name = "HOW", value_parser = clap::builder::PossibleValuesParser::new(LoopClosing::WORDS))]
    loops: Option<String>,
    /// Coordinates of the equations of motion.
    #[arg(long, value_name = "WHICH", value_parser = clap::builder::PossibleValuesParser::new(Formulation::WORDS))]
    formulation: Option<String>,
    /// Also record the wrench through every joint.
    #[arg(long)]
    reactions: bool,
    /// Also record the accelerations.
    #[arg(long)]
    accelerations: bool,
    /// Also record step, order, counts, CPU time and real-time factor of the solver.
    #[arg(long)]
    statistics: bool,
    /// Also record the elements of contacts between meshes (pressure and traction on every triangle) in a second table next to
    /// the recording.
    #[arg(long)]
    elements: bool,
    /// Do not record the poses of the bodies, which the 3-D views of `report` and `view` need.
    #[arg(long)]
    no_poses: bool,
    /// Resume a run that was interrupted, failed or was killed, from its recording.
    #[arg(long)]
    resume: bool,
    /// The recording (.parquet), or a table (.csv, .txt) [default: runs/NAME.parquet].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Plot columns or groups, separated by commas [default: coordinates and outputs].
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, default_missing_value = "")]
    plot: Option<String>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let overrides = Overrides {
        set: args.set.clone(),
        until: args.until.clone(),
        output: args.output_interval.clone(),
        method: args.method.clone(),
        step: args.step.clone(),
        loops: args.loops.clone(),
        formulation: args.formulation.clone(),
    };
    let target = Target::new(args.output.as_ref(), || super::write::default_output(&args.file, ""))?;
    if args.elements && matches!(target, Target::Table(_)) {
        return Err(Usage::refusal(
            "--elements needs a recording: give -o NAME.parquet, and write the table from it with `gelenk export`",
        ));
    }
    let mut prepared = open::simulation(&args.file, &overrides)?;
    if args.reactions {
        prepared.mechanism.record_reactions();
    }
    if args.accelerations {
        prepared.mechanism.record_accelerations();
    }
    if !args.no_poses {
        match prepared.mechanism.body_names().count() {
            0..=MOST_BODIES => prepared.mechanism.record_poses(),
            bodies => out.note(format_args!(
                "the poses of {bodies} bodies are not recorded: the limit is {MOST_BODIES}; 3-D pictures show no motion"
            )),
        }
    }
    out.warnings(&prepared.warnings);
    for warning in &open::starts(&prepared)?[0] {
        out.warning(warning);
    }
    let recording = target.recording();
    super::write::make_folder(&recording)?;
    let begun = if args.resume { gelenk_io::begun(&recording)? } else { None };
    if let Some(begun) = &begun {
        begun.notices.iter().for_each(|notice| out.note(notice));
    } else if args.resume {
        out.note(format_args!(
            "nothing is recorded in {} yet; the run starts from the beginning",
            recording.display()
        ));
    }
    let begun = begun.map(|begun| begun.recording);
    if args.elements && prepared.mechanism.contact_pairs().next().is_none() {
        return Err(Usage::refusal("--elements: the model has no contact between meshes"));
    }
    if begun.as_ref().map_or(args.statistics, |begun| has_statistics(begun.columns())) {
        prepared.mechanism.record_contact_times();
    }
    let code = simulate(&prepared, &target, begun.as_ref(), args, out)?;
    if let Some(selection) = &args.plot {
        let recording = gelenk_io::read(&recording)?;
        super::write::picture(out, &recording, &target, &prepared.title, selection)?;
    }
    // Only a run that ended well needs its recording no more; the others can be resumed from it.
    if matches!(target, Target::Table(_)) && code == DONE {
        std::fs::remove_file(&recording)
            .map_err(|error| format!("{} cannot be removed: {error}", recording.display()))?;
    }
    Ok(code)
}

/// Simulates into a recording on disk, with progress, and prints the summary.
fn simulate(
    prepared: &Prepared,
    target: &Target,
    begun: Option<&Pieces>,
    args: &Args,
    out: &mut Console,
) -> super::Done {
    let recording = &target.recording();
    // A run that is resumed keeps the columns that it began with.
    let statistics = begun.map_or(args.statistics, |begun| has_statistics(begun.columns()));
    let elements = begun.map_or(args.elements, |begun| begun.meta().contains_key(ELEMENTS));
    let interrupt = super::signals::interrupt();
    let (mechanism, options) = (&prepared.mechanism, &prepared.options);
    let p = prepared.parameters.values();
    // Before anything is written: a refusal must leave the recording as it is.
    let checkpoint = match begun {
        Some(begun) => resumable(mechanism, &p, options, begun)?,
        None => None,
    };
    if begun.is_some() && checkpoint.is_none() {
        out.note("the run ended before its first saved state; it starts from the beginning");
    }
    let mut meta = prepared.metadata();
    let mut columns = columns(&prepared.mechanism);
    if statistics {
        columns.extend(statistics_columns());
    }
    let mut table =
        if elements { Some(element_table(prepared, recording, args.resume, &mut meta)?) } else { None };
    let parts = PartOptions::default();
    let mut writer = match begun {
        // The rows of a run without a saved state are computed again; they stay until then, if they are of this model.
        Some(begun) if begun.columns() == columns => {
            let follows = checkpoint.as_ref().map_or((0, 0), |state| (state.rows(), state.events()));
            let follows = Follows::new(follows.0, follows.1);
            PartWriter::resume(recording, columns.clone(), meta.clone(), parts, follows)?
        }
        _ => PartWriter::create(recording, columns.clone(), meta.clone(), parts)?,
    };
    let mut progress = Progress::new(prepared.options.until.seconds());
    let (wall, cpu) = (Instant::now(), cpu_seconds());
    let mut follow = |t: f64, durable: u64| {
        progress.tell(t, durable);
        !interrupt.asked()
    };
    let mut clock = || cpu_seconds().unwrap_or_else(|| wall.elapsed().as_secs_f64());
    let clock: Option<CpuClock> = if statistics { Some(&mut clock) } else { None };
    let mut both = table.as_mut().map(|table| WithElements::new(mechanism, &p, &mut writer, table));
    let sink: &mut dyn Sink = match &mut both {
        Some(both) => both,
        None => &mut writer,
    };
    let notes = Notes::new(mechanism, &p, &columns);
    let mut sink = OpenLines::new(&columns, sink).with_notes(notes);
    let done = match begun.zip(checkpoint) {
        Some(from) => resume_into(mechanism, &p, options, from, clock, &mut sink, &mut follow),
        None => run_into(mechanism, &p, options, clock, &mut sink, &mut follow),
    };
    let warnings = sink.warnings();
    let cpu = cpu_seconds().zip(cpu).map_or_else(|| wall.elapsed().as_secs_f64(), |(end, start)| end - start);
    progress.end();
    // What was recorded is worth keeping whatever ended the run.
    let verdict = done.as_ref().map(|summary| judge(mechanism, &p, options, summary, prepared.limits));
    let (code, failure) = match &done {
        Ok(summary) => {
            meta.append(&mut metadata(summary));
            match &verdict {
                Ok(Verdict::Failure(error)) => {
                    meta.insert("summary.failed".into(), error.to_string());
                    (FAILED, None)
                }
                _ => (DONE, None),
            }
        }
        Err(RunError::Solve(SolveError::Interrupted { .. })) => {
            (super::signals::INTERRUPTED, done.as_ref().err())
        }
        Err(_) => (FAILED, done.as_ref().err()),
    };
    if interrupt.asked() {
        out.progress(
            "interrupted; the results so far are being written (after a second interrupt, `gelenk recover` can restore them)",
        );
    }
    for (key, value) in meta {
        writer.set_meta(key, value);
    }
    if let Some(error) = failure {
        writer.set_meta("ended", error.to_string());
        if let Some(state) = writer.last_state().map(str::to_owned) {
            writer.set_meta(gelenk_io::STATE, state);
        }
    }
    let finish = if done.is_ok() { PartWriter::finish } else { PartWriter::finish_early };
    // A table that was there before a run from the beginning is of another one.
    let finish_table = if begun.is_some() { finish } else { PartWriter::finish };
    let elements = table.map(finish_table).transpose()?;
    let finished = finish(writer)?;
    if let Ok(result) = &done {
        let (title, reason) = (&prepared.title, prepared.reason.as_deref());
        say!(out, "{}", summary::text(title, options, reason, result, cpu).trim_end());
        out.extend(summary::json(title, options, reason, result, cpu));
    }
    out.set("completed", done.is_ok());
    report_files(out, target, &finished, elements.as_ref())?;
    let shared = prepared.shared_reactions().filter(|_| done.is_ok());
    if let Some(shared) = &shared {
        say!(out, "  reactions   not unique in {shared}; those of least norm are recorded");
    }
    out.set("shared_reactions", shared);
    for warning in warnings {
        out.warning(format_args!(
            "{warning}\n  help: close the mesh, or make it so large that nothing reaches its border; `gelenk mesh check` shows where \
             it is open"
        ));
    }
    match verdict {
        Ok(Verdict::Warning(text)) => out.warning(text),
        Ok(Verdict::Failure(error)) => out.error(format_args!(
            "{error}\n  the recording is kept; `energy = {{ warn = 0.01, fail = 0.1 }}` sets the limits"
        )),
        _ => {}
    }
    if let Some(error) = failure {
        out.error(format_args!(
            "{error}\n  the results so far are kept; the same command with --resume continues the run"
        ));
    }
    Ok(code)
}

/// Reports the recording, or writes and reports the table that is made from it, and the table of contact elements.
fn report_files(
    out: &mut Console,
    target: &Target,
    finished: &Finished,
    elements: Option<&Finished>,
) -> Result<(), Refusal> {
    match target {
        Target::Recording(path) => {
            say!(
                out,
                "\n  recording   {} ({} samples, {} bytes)",
                path.display(),
                finished.rows,
                finished.bytes
            );
            let file =
                json!({ "path": path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes });
            out.set("recording", file);
        }
        Target::Table(path) => {
            super::write::table(&Pieces::open(&target.recording())?, path, &[])?;
            say!(out, "\n  table       {} ({} samples)", path.display(), finished.rows);
            out.set("table", json!({ "path": path.display().to_string(), "rows": finished.rows }));
        }
    }
    if let Some(table) = elements {
        say!(out, "  elements    {} ({} rows, {} bytes)", table.path.display(), table.rows, table.bytes);
        let path = table.path.display().to_string();
        out.set("elements", json!({ "path": path, "rows": table.rows, "bytes": table.bytes }));
    }
    Ok(())
}

/// Begins the table of contact elements beside a recording, and names it in the metadata of the recording. A run that goes
/// on makes all of it again; what is there stays until then.
fn element_table(
    prepared: &Prepared,
    out: &Path,
    resumed: bool,
    meta: &mut BTreeMap<String, String>,
) -> Result<PartWriter, IoError> {
    let path = elements_path(out);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    meta.insert(ELEMENTS.into(), name);
    let own = [(PAIRS, &prepared.pairs), ("title", &prepared.title)];
    let own = own.into_iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
    // A row of the recording brings many of the table.
    let options = PartOptions { rows: 1 << 16, ..PartOptions::default() };
    let columns = gelenk_record::elements::columns();
    if resumed {
        PartWriter::resume(&path, columns, own, options, Follows::default())
    } else {
        PartWriter::create(&path, columns, own, options)
    }
}

/// CPU time of the process so far (s).
#[cfg(unix)]
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// CPU time of the process so far (s); not known here.
#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

/// A bar on a terminal, lines elsewhere. It announces only samples that are safe on disk.
struct Progress {
    bar: Option<ProgressBar>,
    until: f64,
    announced: u64,
}

impl Progress {
    fn new(until: f64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1000);
            let style = ProgressStyle::with_template("{bar:40} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self { bar, until, announced: 0 }
    }

    fn tell(&mut self, t: f64, durable: u64) {
        if durable == self.announced {
            return;
        }
        self.announced = durable;
        let message = format!("t = {t:.6} s of {} s, {durable} samples on disk", self.until);
        match &self.bar {
            Some(bar) => {
                bar.set_position((1000.0 * t / self.until) as u64);
                bar.set_message(message);
            }
            None => {
                // Nobody may be listening any more; the run goes on.
                let _ = writeln!(std::io::stderr(), "{message}");
            }
        }
    }

    fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
