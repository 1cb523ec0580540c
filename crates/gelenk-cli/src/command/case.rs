use std::path::{Path, PathBuf};

use gelenk::case::{Outcome, Verdict, judge};
use gelenk::elements::WithElements;
use gelenk::fit::FitStudy;
use gelenk::ik::{COMPONENT, IkStudy, chart};
use gelenk::interrupt::Interrupt;
use gelenk::motion_study::MotionStudy;
use gelenk::open::{self, Overrides, Prepared};
use gelenk::picture::drawing::Drawing;
use gelenk::picture::svg::svg;
use gelenk::plot::{PlotOptions, plot};
use gelenk::run::{columns, metadata, run_into, run_until as simulate};
use gelenk::sweep_study::SweepStudy;
use gelenk_io::{ElementTable, Pieces};
use gelenk_model::case_file::SceneShown;
use gelenk_model::load_case;
use gelenk_model::study_file::StudyKind;
use gelenk_record::{Elements, Recording, elements};
use gelenk_solve::Summary;
use serde_json::{Value, json};

use super::sweep::map_of;
use super::{Refusal, Usage};
use crate::console::{Console, DONE, FAILED};

const LIST: &str = "\
Examples:
  gelenk case list
  gelenk case list --folder other/cases --json";

const RUN: &str = "\
Examples:
  gelenk case run pendulum seams
  gelenk case run --all --json
  gelenk case run cases/pendulum --picture";

const GALLERY: &str = "\
Examples:
  gelenk case gallery -o gallery
  gelenk case gallery pendulum seams -o gallery";

const SHOW: &str = "\
Examples:
  gelenk case show pendulum
  gelenk case show cases/pendulum --json";

/// Actions on cases.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the cases.
    #[command(after_help = LIST)]
    List {
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
    /// Run cases; succeeds only if every number is within its tolerance.
    #[command(after_help = RUN)]
    Run {
        /// Names below the folder, or paths of cases.
        names: Vec<String>,
        /// Run all cases of the folder.
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Draw the picture of each case into its folder.
        #[arg(long)]
        picture: bool,
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
    /// Run all cases and write a page with their pictures and numbers.
    #[command(after_help = GALLERY)]
    Gallery {
        /// Folder of the page: index.md and the pictures.
        #[arg(short, long)]
        output: PathBuf,
        /// Link to the plots NAME.svg in this folder, relative to the page, instead of drawing them again.
        #[arg(long, value_name = "FOLDER")]
        plots: Option<String>,
        /// Names below the folder, or paths of cases [default: all].
        names: Vec<String>,
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
    /// Show what a case is about and what it expects.
    #[command(after_help = SHOW)]
    Show {
        /// Name below the folder, or path of a case.
        name: String,
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    match args {
        Args::List { folder } => list(out, folder),
        Args::Show { name, folder } => show(out, &locate(folder, name)?),
        Args::Gallery { output, plots, names, folder } => {
            let named = names.iter().map(|name| locate(folder, name)).collect::<Result<Vec<_>, _>>()?;
            let files = if named.is_empty() { all_cases(folder)? } else { named };
            super::gallery::make(out, &files, output, plots.as_deref())
        }
        Args::Run { names, all, picture, folder } => {
            let files = match (all, names.as_slice()) {
                (true, _) => all_cases(folder)?,
                (false, []) => return Err(Usage::refusal("name a case, or give --all")),
                (false, names) => names.iter().map(|name| locate(folder, name)).collect::<Result<_, _>>()?,
            };
            run_cases(out, &files, *picture)
        }
    }
}

/// All case files of a folder, sorted by name.
fn all_cases(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        format!("{} cannot be read: {error}; name the folder of the cases with --folder", folder.display())
    })?;
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path().join("case.toml")).filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

/// The file of a case by name or path.
fn locate(folder: &Path, name: &str) -> Result<PathBuf, Refusal> {
    let path = Path::new(name);
    let candidates = [folder.join(name).join("case.toml"), path.join("case.toml"), path.to_path_buf()];
    if let Some(found) = candidates.into_iter().find(|c| c.is_file()) {
        return Ok(found);
    }
    let known: Vec<String> = all_cases(folder)?.iter().map(|file| title_of(file)).collect();
    let hint = gelenk_math::suggest::hint(name, known.iter().map(String::as_str));
    Err(Usage::refusal(format!("there is no case {name:?}{hint}")))
}

/// Name of a case: that of its folder.
pub(super) fn title_of(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name);
    folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn list(out: &mut Console, folder: &Path) -> super::Done {
    let mut cases = Vec::new();
    for file in all_cases(folder)? {
        let case = load_case(&file)?;
        let title = case.file.title.map(|t| t.text).unwrap_or_default();
        say!(out, "{:20}  {title}", title_of(&file));
        cases.push(json!({ "name": title_of(&file), "title": title, "file": file.display().to_string() }));
    }
    out.set("cases", cases);
    Ok(DONE)
}

fn show(out: &mut Console, file: &Path) -> super::Done {
    let case = load_case(file)?.file;
    let title = case.title.map(|t| t.text).unwrap_or_default();
    let about = case.about.map(|t| t.text.trim().to_string()).unwrap_or_default();
    let what = case.model.as_ref().or(case.study.as_ref());
    let what = what.map(|w| file.with_file_name(&w.text).display().to_string()).unwrap_or_default();
    say!(out, "{title}\n");
    say!(out, "{about}\n");
    say!(out, "{what}");
    say!(out, "{} expected numbers:", case.expect.len());
    let mut expected = Vec::new();
    for expect in &case.expect {
        let subject = [&expect.column, &expect.event, &expect.summary, &expect.parameter, &expect.metric];
        let subject = subject.into_iter().flatten().next().map(|s| s.text.as_str()).unwrap_or_default();
        say!(out, "  {subject}: {}", expect.source.text);
        expected.push(json!({ "of": subject, "source": expect.source.text }));
    }
    out.extend(json!({
        "name": title_of(file),
        "title": title,
        "about": about,
        "file": what,
        "count": expected.len(),
        "expected": expected,
    }));
    Ok(DONE)
}

fn run_cases(out: &mut Console, files: &[PathBuf], picture: bool) -> super::Done {
    let (mut passed, mut failed, mut reports) = (0, 0, Vec::new());
    let interrupt = super::signals::interrupt();
    for file in files {
        let name = title_of(file);
        let verdicts = match judge_case(file, picture, &interrupt) {
            Ok(verdicts) => verdicts,
            Err(_) if interrupt.asked() => break,
            Err(error) => {
                out.error(format_args!("{name}: {error}"));
                failed += 1;
                reports.push(json!({ "case": name, "met": false, "error": error.to_string() }));
                continue;
            }
        };
        let met = verdicts.iter().all(Verdict::met);
        if met {
            passed += 1
        } else {
            failed += 1
        }
        let numbers: Vec<Value> = verdicts.iter().map(as_value).collect();
        reports.push(json!({ "case": name, "met": met, "numbers": numbers }));
        say!(out, "{} {name}", if met { "ok     " } else { "FAILED " });
        for verdict in &verdicts {
            let mark = if verdict.met() { ' ' } else { '!' };
            let obtained = match &verdict.obtained {
                Ok(value) => number(*value),
                Err(reason) => reason.clone(),
            };
            let [lower, upper] = verdict.admitted;
            let wanted = match verdict.expected {
                Some(value) => format!("{} +- {:.1e}", number(value), (upper - lower) / 2.0),
                None if lower.is_infinite() => format!("at most {}", number(upper)),
                None if upper.is_infinite() => format!("at least {}", number(lower)),
                None => format!("{} to {}", number(lower), number(upper)),
            };
            say!(out, "      {mark} {}: {obtained} (expected {wanted})", verdict.what);
        }
    }
    say!(out, "{passed} passed, {failed} failed");
    out.extend(json!({ "passed": passed, "failed": failed, "cases": reports }));
    if interrupt.asked() {
        let left = files.len() - passed - failed;
        let kept = format!("{left} of {} cases were not run", files.len());
        return Ok(super::signals::interrupted(out, &kept));
    }
    Ok(if failed == 0 { DONE } else { FAILED })
}

/// All digits of a number, with an exponent where it would be long.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

fn as_value(verdict: &Verdict) -> serde_json::Value {
    json!({
        "what": verdict.what,
        "expected": verdict.expected,
        "obtained": verdict.obtained.as_ref().ok(),
        "problem": verdict.obtained.as_ref().err(),
        "admitted": verdict.admitted.map(|bound| bound.is_finite().then_some(bound)),
        "tolerance": verdict.expected.map(|_| (verdict.admitted[1] - verdict.admitted[0]) / 2.0),
        "met": verdict.met(),
        "source": verdict.source,
    })
}

/// Runs a case, looks up its numbers, and draws its picture where that is wanted.
fn judge_case(file: &Path, picture: bool, interrupt: &Interrupt) -> Result<Vec<Verdict>, Refusal> {
    let examined = examine(file, false, interrupt)?;
    // A study that was interrupted returns what it has, and that is not what the case expects.
    if interrupt.asked() {
        return Err("interrupted".into());
    }
    if picture {
        std::fs::write(file.with_file_name("picture.svg"), examined.plot()?)?;
    }
    Ok(examined.verdicts)
}

/// What a case gave.
pub(super) struct Examined {
    pub(super) title: Option<String>,
    pub(super) about: String,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) recording: Recording,
    /// Contact elements, where there are any and a 3-D picture is wanted.
    pub(super) elements: Option<Elements>,
    /// The map of a sweep over two parameters, which is drawn instead of a plot.
    pub(super) map: Option<Drawing>,
    /// What is plotted instead of the recording.
    pub(super) shown: Vec<(String, Recording)>,
    /// Columns that are plotted.
    pub(super) columns: Vec<String>,
    /// Column of the horizontal axis; time where there is none.
    pub(super) x: Option<String>,
    /// How its scene is shown, where the case says so.
    pub(super) scene: Option<SceneShown>,
}

impl Examined {
    /// The picture of the case as SVG.
    pub(super) fn plot(&self) -> Result<String, gelenk::plot::PlotError> {
        if let Some(map) = &self.map {
            return Ok(svg(map));
        }
        let options = PlotOptions { title: self.title.clone(), x: self.x.clone(), ..PlotOptions::default() };
        let mut shown: Vec<(&str, &Recording)> = self.shown.iter().map(|(l, r)| (l.as_str(), r)).collect();
        if shown.is_empty() {
            shown.push(("", &self.recording));
        }
        plot(&shown, &self.columns, &options)
    }
}

/// Runs the model or study of a case and looks up its numbers; with poses where a 3-D picture is wanted.
pub(super) fn examine(file: &Path, poses: bool, interrupt: &Interrupt) -> Result<Examined, Refusal> {
    let case = load_case(file)?;
    let of = |name: &str| case.sources.resolve(0, name);
    let study = match &case.file.study {
        Some(name) => Some((of(name), gelenk_model::load_study(of(name))?)),
        None => None,
    };
    let path = match (&case.file.model, &study) {
        (_, Some((path, _))) => path.clone(),
        (Some(name), None) => of(name),
        (None, None) => return Err("the case has neither model nor study".into()),
    };
    let kind = study.as_ref().and_then(|(_, s)| s.file.kind).map_or(StudyKind::Simulate, |k| k.value);
    let none = Overrides::default();
    let mut shown: Vec<(String, Recording)> = Vec::new();
    let mut x = case.file.over.as_ref().map(|over| over.text.clone());
    let mut metrics = Vec::new();
    let (mut elements, mut map) = (None, None);
    let (recording, summary, fitted) = match kind {
        StudyKind::Fit => {
            let mut study = FitStudy::open(&path)?;
            study.interrupt = interrupt.clone();
            let outcome = study.run(&mut |_| {})?;
            let fitted = outcome.parameters.into_iter().map(|(path, value, _)| (path, value)).collect();
            // A case has one log, or looks at the first of several.
            let Some(first) = outcome.runs.into_iter().next() else {
                return Err("the fit has no log".into());
            };
            (first.recording, first.summary, fitted)
        }
        StudyKind::Simulate => {
            let mut prepared = open::simulation(&path, &none)?;
            if poses {
                prepared.mechanism.record_poses();
            }
            let (mut recording, summary, found) = simulated(&prepared, poses, interrupt)?;
            elements = found;
            recording.meta_mut().append(&mut prepared.metadata());
            (recording, summary, Vec::new())
        }
        StudyKind::Kinematics => {
            let mut study = MotionStudy::open(&path, kind, "kinematics", None, &none)?;
            study.interrupt = interrupt.clone();
            (study.kinematics()?, Summary::default(), Vec::new())
        }
        StudyKind::InverseDynamics => {
            let mut study = MotionStudy::open(&path, kind, "inverse", None, &none)?;
            study.interrupt = interrupt.clone();
            (study.inverse_dynamics()?, Summary::default(), Vec::new())
        }
        StudyKind::InverseKinematics => {
            let mut study = IkStudy::open(&path, &none)?;
            study.interrupt = interrupt.clone();
            let outcomes = study.solve()?;
            if study.times().len() == 1 {
                // One posture is not a curve over time; its picture shows how far each component moved.
                shown.push((String::new(), chart(&outcomes)?));
                x = Some(COMPONENT.to_string());
            }
            (study.record(&outcomes)?, Summary::default(), Vec::new())
        }
        StudyKind::Sweep => {
            let mut study = SweepStudy::open(&path)?;
            study.interrupt = interrupt.clone();
            let mut results = Recording::new(study.columns().to_vec())?;
            let mut stored = Ok(());
            study.run(0, &mut |result| {
                stored = results.push(&result.row);
                stored.is_ok()
            });
            stored?;
            map = map_of(&study, &results)?;
            (results, Summary::default(), Vec::new())
        }
        StudyKind::Rig => {
            let outcome = gelenk::law::run_rig_until(&path, interrupt)?;
            let merged = outcome.merged()?;
            metrics = outcome.numbers();
            // A line a law.
            shown.extend(outcome.runs.into_iter().map(|run| (run.label, run.recording)));
            (merged, Summary::default(), Vec::new())
        }
    };
    let outcome = Outcome { recording: &recording, summary: &summary, fitted: &fitted, metrics: &metrics };
    let verdicts = case.file.expect.iter().map(|expect| judge(expect, &outcome)).collect();
    let title = case.file.title.as_ref().map(|t| t.text.clone());
    let about = case.file.about.as_ref().map(|t| t.text.trim().to_string()).unwrap_or_default();
    let columns = case.file.plot.iter().map(|name| name.text.clone()).collect();
    let scene = case.file.scene.clone();
    Ok(Examined { title, about, verdicts, recording, elements, map, shown, columns, x, scene })
}

/// Simulates in memory, with the contact elements where they are wanted and there can be any.
fn simulated(
    prepared: &Prepared,
    wanted: bool,
    interrupt: &Interrupt,
) -> Result<(Recording, Summary, Option<Elements>), Refusal> {
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    if !wanted || mechanism.contact_pairs().next().is_none() {
        let (recording, summary) = simulate(mechanism, &p, &prepared.options, interrupt)?;
        return Ok((recording, summary, None));
    }
    let (mut recording, mut table) =
        (Recording::new(columns(mechanism))?, Recording::new(elements::columns())?);
    let mut sink = WithElements::new(mechanism, &p, &mut recording, &mut table);
    let go_on = &mut |_: f64, _: u64| !interrupt.asked();
    let summary = run_into(mechanism, &p, &prepared.options, None, &mut sink, go_on)?;
    recording.meta_mut().append(&mut metadata(&summary));
    table.meta_mut().insert(elements::PAIRS.into(), prepared.pairs.clone());
    let table = ElementTable::from_pieces(Pieces::held(table))?;
    let found = table.read(&Pieces::held(recording.clone()), usize::MAX, usize::MAX)?;
    Ok((recording, summary, Some(found)))
}
