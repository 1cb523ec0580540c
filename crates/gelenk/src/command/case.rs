use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::case::{Outcome, Verdict, judge};
use gelenk::fit::FitStudy;
use gelenk::ik::{COMPONENT, IkStudy, chart};
use gelenk::law::RigOutcome;
use gelenk::motion_study::MotionStudy;
use gelenk::open::{self, Overrides};
use gelenk::plot::{PlotOptions, plot};
use gelenk::run::run as simulate;
use gelenk_model::load_case;
use gelenk_model::study_file::StudyKind;
use gelenk_record::Recording;
use gelenk_solve::Summary;
use serde_json::json;

/// Actions on cases.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the cases.
    List {
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
    /// Run cases; succeeds only if every expected number is met.
    Run {
        /// Names below the folder, or paths of cases.
        names: Vec<String>,
        /// Run all cases of the folder.
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Print expected, obtained, tolerance and source as JSON.
        #[arg(long)]
        json: bool,
        /// Draw the picture of each case into its folder.
        #[arg(long)]
        picture: bool,
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
    /// Show what a case is about and what it expects.
    Show {
        /// Name below the folder, or path of a case.
        name: String,
        /// Folder of the cases.
        #[arg(long, default_value = "cases")]
        folder: PathBuf,
    },
}

pub fn run(args: &Args) -> super::Done {
    match args {
        Args::List { folder } => list(folder),
        Args::Show { name, folder } => show(&locate(folder, name)?),
        Args::Run { names, all, json, picture, folder } => {
            let files = match (all, names.as_slice()) {
                (true, _) => all_cases(folder)?,
                (false, []) => return Err("name a case, or give --all".into()),
                (false, names) => names.iter().map(|name| locate(folder, name)).collect::<Result<_, _>>()?,
            };
            run_cases(&files, *json, *picture)
        }
    }
}

/// All case files of a folder, sorted by name.
fn all_cases(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        format!("{} cannot be read: {error}; give the folder of the cases with --folder", folder.display())
    })?;
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path().join("case.toml")).filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

/// The file of a case by name or path.
fn locate(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let path = Path::new(name);
    let candidates = [folder.join(name).join("case.toml"), path.join("case.toml"), path.to_path_buf()];
    if let Some(found) = candidates.into_iter().find(|c| c.is_file()) {
        return Ok(found);
    }
    let known: Vec<String> = all_cases(folder)?.iter().map(|file| title_of(file)).collect();
    let hint = gelenk_math::suggest::hint(name, known.iter().map(String::as_str));
    Err(format!("there is no case {name:?}{hint}"))
}

/// Name of a case: that of its folder.
fn title_of(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name);
    folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn list(folder: &Path) -> super::Done {
    for file in all_cases(folder)? {
        let case = load_case(&file)?;
        let title = case.file.title.map(|t| t.text).unwrap_or_default();
        say!("{:20}  {title}", title_of(&file));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(file: &Path) -> super::Done {
    let case = load_case(file)?.file;
    say!("{}\n", case.title.map(|t| t.text).unwrap_or_default());
    say!("{}\n", case.about.map(|t| t.text.trim().to_string()).unwrap_or_default());
    let what = case.model.as_ref().or(case.study.as_ref());
    say!("{}", what.map(|w| file.with_file_name(&w.text).display().to_string()).unwrap_or_default());
    say!("{} expected numbers:", case.expect.len());
    for expect in &case.expect {
        let subject = [&expect.column, &expect.event, &expect.summary, &expect.parameter, &expect.metric];
        let subject = subject.into_iter().flatten().next().map(|s| s.text.as_str()).unwrap_or_default();
        say!("  {subject}: {}", expect.source.text);
    }
    Ok(ExitCode::SUCCESS)
}

fn run_cases(files: &[PathBuf], as_json: bool, picture: bool) -> super::Done {
    let (mut passed, mut failed, mut reports) = (0, 0, Vec::new());
    for file in files {
        let name = title_of(file);
        let verdicts = match judge_case(file, picture) {
            Ok(verdicts) => verdicts,
            Err(error) => {
                eprintln!("{name}: {error}");
                failed += 1;
                reports.push(json!({ "case": name, "error": error.to_string() }));
                continue;
            }
        };
        let met = verdicts.iter().all(Verdict::met);
        if met {
            passed += 1
        } else {
            failed += 1
        }
        if as_json {
            reports.push(json!({ "case": name, "met": met, "numbers": verdicts.iter().map(as_value).collect::<Vec<_>>() }));
            continue;
        }
        say!("{} {name}", if met { "ok     " } else { "FAILED " });
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
                None => format!("at least {}", number(lower)),
            };
            say!("      {mark} {}: {obtained} (expected {wanted})", verdict.what);
        }
    }
    if as_json {
        say!("{}", serde_json::to_string_pretty(&reports)?);
    } else {
        say!("{passed} passed, {failed} failed");
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
        "met": verdict.met(),
        "source": verdict.source,
    })
}

/// Runs the model or study of a case, looks up its numbers, and draws its picture where that is wanted.
fn judge_case(file: &Path, picture: bool) -> Result<Vec<Verdict>, Box<dyn std::error::Error>> {
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
    // One posture is no curve over time; its picture shows how far each component moved.
    let mut posture = None;
    // A rig is drawn with a line a law.
    let mut rig: Option<RigOutcome> = None;
    let (recording, summary, fitted) = match kind {
        StudyKind::Fit => {
            let outcome = FitStudy::open(&path)?.run(&mut |_| {})?;
            let fitted = outcome.parameters.into_iter().map(|(path, value, _)| (path, value)).collect();
            (outcome.recording, outcome.summary, fitted)
        }
        StudyKind::Simulate => {
            let prepared = open::simulation(&path, &none)?;
            let (recording, summary) =
                simulate(&prepared.mechanism, &prepared.parameters.values(), &prepared.options)?;
            (recording, summary, Vec::new())
        }
        StudyKind::Kinematics => {
            let study = MotionStudy::open(&path, kind, "kinematics", None, &none)?;
            (study.kinematics()?, Summary::default(), Vec::new())
        }
        StudyKind::InverseDynamics => {
            let study = MotionStudy::open(&path, kind, "inverse", None, &none)?;
            (study.inverse_dynamics()?, Summary::default(), Vec::new())
        }
        StudyKind::InverseKinematics => {
            let study = IkStudy::open(&path, &none)?;
            let outcomes = study.solve()?;
            if study.times().len() == 1 {
                posture = Some(chart(&outcomes)?);
            }
            (study.record(&outcomes)?, Summary::default(), Vec::new())
        }
        StudyKind::Rig => {
            let outcome = gelenk::law::run_rig(&path)?;
            let merged = outcome.merged()?;
            rig = Some(outcome);
            (merged, Summary::default(), Vec::new())
        }
    };
    if picture {
        let columns: Vec<String> = case.file.plot.iter().map(|name| name.text.clone()).collect();
        let title = case.file.title.as_ref().map(|t| t.text.clone());
        let x = posture.as_ref().map(|_| COMPONENT.to_string());
        let x = x.or_else(|| case.file.over.as_ref().map(|over| over.text.clone()));
        let options = PlotOptions { title, x, ..PlotOptions::default() };
        let shown: Vec<(&str, &Recording)> = match &rig {
            Some(rig) => rig.runs.iter().map(|run| (run.label.as_str(), &run.recording)).collect(),
            None => vec![("", posture.as_ref().unwrap_or(&recording))],
        };
        let drawn = plot(&shown, &columns, &options)?;
        std::fs::write(file.with_file_name("picture.svg"), drawn)?;
    }
    let metrics = rig.as_ref().map(RigOutcome::numbers).unwrap_or_default();
    let outcome = Outcome { recording: &recording, summary: &summary, fitted: &fitted, metrics: &metrics };
    Ok(case.file.expect.iter().map(|expect| judge(expect, &outcome)).collect())
}
