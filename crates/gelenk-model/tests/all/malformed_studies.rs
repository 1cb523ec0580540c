//! Malformed studies, each with the report that it gives, kept as a snapshot (ST-R52).

use gelenk_model::{Known, load_study, motion_plan, parse_study, task_plans};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed_studies");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

fn check(name: &str, text: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../malformed_studies");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn st_r52_every_malformed_study_gives_its_report() {
    let files = files();
    assert!(files.len() >= 6);
    for path in files {
        let failure = load_study(&path).expect_err(&path.display().to_string());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let text = failure.report.render_with(&failure.sources, &name);
        check(&path.file_stem().unwrap().to_string_lossy(), text);
    }
}

/// Names and units that only the model can judge.
#[test]
fn st_r52_names_of_motions_and_tasks_are_checked_against_the_model() {
    let known = Known {
        positions: [("knee", "rad"), ("slide", "m"), ("hip.qw", "1")]
            .map(|(n, u)| (n.into(), u.into()))
            .into(),
        coordinates: 2,
        places: vec!["hand".into(), "foot".into()],
    };
    let study = r#"
schema = 1
kind   = "kinematics"
model  = "arm.toml"

[motion]
file    = "walk.csv"
columns = [{ of = "kne", column = "a", unit = "deg" }, { of = "slide", column = "b", unit = "deg" }]
values  = { knee = "0.3 m*t", slide = "1 [m/s]*t", "hip.qw" = "1" }
"#;
    let study = parse_study(study, None).unwrap();
    check("names_of_a_motion", motion_plan(&study, &known).unwrap_err().to_string());
    let study = r#"
schema = 1
kind   = "inverse-kinematics"
model  = "arm.toml"
tasks  = [
  { type = "position", of = "hnad", position = [0, 0, 0] },
  { type = "frame", of = "hand", position = ["1 s", 0, 0], orientation = ["10 deg", 0, "2*t"] },
  { type = "coordinate", of = "hip.qw", value = 1 },
  { type = "coordinate", of = "knee", value = "3 mm" },
  { type = "orientation", of = "hand", hold = true },
]
"#;
    let study = parse_study(study, None).unwrap();
    check("names_of_tasks", task_plans(&study, &known).unwrap_err().to_string());
}

/// What a law of a rig refuses is told at its own file.
#[test]
fn st_r52_rigs_are_checked_as_models() {
    let rig = |law: &str| {
        let text = format!(
            r#"
schema = 1
kind   = "rig"

[rig.pulled]
mass   = "1 kg"
spring = "2 N/m"
speed  = "0.1 m/s"

[laws.first]
{law}
"#
        );
        gelenk_model::rig_runs(&parse_study(&text, None).unwrap()).unwrap_err().to_string()
    };
    let right = "law = \"lugre\"\ncoulomb = \"1 N\"\nbreakaway = \"1.5 N\"\nsigma0 = \"1e5 N/m\"";
    check(
        "rig_with_a_law_of_another_unit",
        rig(&right.replace("1 N\\nb", "x").replace("1e5 N/m", "1e5 N m/rad")),
    );
    check("rig_with_a_refused_law", rig(&right.replace("1.5 N", "0.5 N")));
}
