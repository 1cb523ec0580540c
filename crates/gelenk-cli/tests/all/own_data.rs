//! Tables of other programs and files of other formats, as a person meets them.

use std::path::Path;

use gelenk_record::Recording;
use serde_json::Value;

use super::support::{case, gelenk, root, text};

fn write(folder: &Path, name: &str, content: &str) {
    std::fs::write(folder.join(name), content).unwrap();
}

fn works(folder: &Path, arguments: &[&str]) -> String {
    let output = gelenk(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    text(&output)
}

fn result(folder: &Path, arguments: &[&str]) -> Value {
    let output = gelenk(folder, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"].take()
}

/// A log as a bench writes it: semicolons, decimal commas, a row of units, texts, and a gap.
const LOG: &str =
    "Zeit;Winkel;Strom;Status\nms;deg;mA;-\n0,0;0,0;10;ok\n500,0;90,0;;ok\n1000,0;180,0;20;fehler\n";

#[test]
fn a_log_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "bench.csv", LOG);
    let said = works(at, &["info", "bench.csv"]);
    for expected in
        ["3 rows, 3 columns", "Winkel", "rad", "note: bench.csv: column `Status` is text and is omitted"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let info = result(at, &["info", "bench.csv"]);
    let column =
        |name: &str| info["columns"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap().clone();
    assert_eq!((&column("t")["max"], &column("Winkel")["unit"]), (&1.0.into(), &"rad".into()));
    assert!((column("Winkel")["max"].as_f64().unwrap() - std::f64::consts::PI).abs() < 1e-15);
    assert_eq!((&column("Strom")["max"], &column("Strom")["unit"]), (&0.02.into(), &"A".into()));
    works(at, &["plot", "bench.csv", "-o", "bench.svg"]);
    let svg = std::fs::read_to_string(at.join("bench.svg")).unwrap();
    assert!(svg.contains("Winkel") && svg.contains("bench.csv"), "{svg:.400}");
    let table = works(at, &["export", "bench.csv", "-c", "Winkel"]);
    assert!(table.contains("# units: s,rad\nt,Winkel\n0.0,0.0\n0.5,1.5707963267948966\n"), "{table}");
    let report = gelenk(at, &["report", "bench.csv", "-o", "bench.html"]);
    if text(&report).contains("has no page in it") {
        println!("skipped: a report of a table, because the program was built without the page");
        return;
    }
    assert!(report.status.success(), "{}", text(&report));
    assert!(std::fs::read_to_string(at.join("bench.html")).unwrap().contains("\"Winkel\",\"rad\""));
}

/// A run and a log beside each other: both columns in one panel, the log moved in time.
#[test]
fn a_log_beside_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model = case("pendulum/model.toml");
    works(at, &["run", &model, "--until", "2 s", "-o", "run.parquet"]);
    write(at, "measured.csv", "time,angle\n0,10\n1,20\n");
    let options = ["--unit", "angle=deg", "--offset", "measured=0.5 s"];
    let columns =
        result(at, &[&["plot", "run.parquet", "measured.csv", "-o", "both.svg"], &options[..]].concat());
    let names: Vec<&str> =
        columns["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    assert!(names.contains(&"angle") && names.len() > 1, "{names:?}");
    let info = result(at, &["info", "measured.csv", "--unit", "angle=deg", "--offset", "0.5 s"]);
    assert_eq!((&info["columns"][0]["min"], &info["columns"][0]["max"]), (&0.5.into(), &1.5.into()));
    let zero = result(at, &["info", "measured.csv", "--offset", "zero"]);
    assert_eq!(zero["columns"][0]["min"], 0.0);
    for (wrong, said) in [
        (&["info", "run.parquet", "--unit", "phi=deg"][..], "these files are recordings"),
        (&["info", "measured.csv", "--unit", "angel=deg"], "has no column `angel`; did you mean `angle`?"),
        (&["info", "measured.csv", "--unit", "angle"], "write COLUMN=UNIT"),
        (
            &["info", "measured.csv", "--unit", "angle=degre"],
            "the unit `degre` of column `angle` is not known",
        ),
        (&["info", "measured.csv", "--time", "angel"], "there is no column `angel`; did you mean `angle`?"),
        (&["info", "measured.csv", "--offset", "1 kg"], "a time was expected"),
        (&["info", "measured.csv", "--offset", "other=1 s"], "none of the files is called `other`"),
        (&["info", "measured.csv", "--rate", "0"], "a frequency above zero was expected"),
    ] {
        let output = gelenk(at, wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", text(&output));
        assert!(text(&output).contains(said), "{wrong:?}: {}", text(&output));
    }
}

/// Parquet files of other programs, without and with a run.
#[test]
fn parquet_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let foreign = root().join("crates/gelenk-io/tests/foreign/polars-zstd.parquet").display().to_string();
    let info = result(at, &["info", &foreign, "--unit", "angle=deg"]);
    assert_eq!((&info["rows"], &info["columns"][1]["unit"]), (&90.into(), &"rad".into()));
    works(at, &["plot", &foreign, "-c", "angle", "-o", "p.png"]);
    let csv = works(at, &["export", &foreign, "-c", "step"]);
    assert!(csv.contains("t,step\n0.0,0.0\n0.005,1.0\n"), "{csv:.200}");
}

/// `fit` records what was measured beside the run; where the log has no sample there is none.
#[test]
fn a_fit_records_the_measured_column() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    works(at, &["fit", &case("fit-friction/study.toml"), "-o", "fit.parquet"]);
    let recording: Recording = gelenk_io::read(&at.join("fit.parquet")).unwrap();
    let measured: Vec<&str> = recording
        .columns()
        .iter()
        .map(|c| c.name.as_str())
        .filter(|name| name.starts_with("measured."))
        .collect();
    assert_eq!(measured.len(), 1, "{measured:?}");
    let output = measured[0].strip_prefix("measured.").unwrap();
    let column = recording.columns().iter().find(|c| c.name == measured[0]).unwrap();
    let simulated = recording.columns().iter().find(|c| c.name == output).unwrap();
    assert_eq!(column.unit, simulated.unit);
    // The log was made with the value that the fit finds, without noise.
    let pairs = recording.column(output).unwrap().iter().zip(recording.column(measured[0]).unwrap());
    // Between samples 50 ms apart the measured column is a chord, off by up to h^2/8 |d2 phi/dt2| = 0.05^2/8 * 24 rad.
    let chord = 0.05f64.powi(2) / 8.0 * 24.0;
    let mut compared = 0;
    for (simulated, measured) in pairs.filter(|(_, measured)| measured.is_finite()) {
        assert!((simulated - measured).abs() < 1.01 * chord, "{simulated} {measured}");
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

/// A refusal names the format that it saw, and what can be done.
#[test]
fn refusals_name_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let files = [
        (
            "leg.osim",
            "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"40000\">\n<Model name=\"leg\">",
            "an OpenSim model",
        ),
        ("walk.trc", "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\n", "a TRC marker file"),
        (
            "walk.mot",
            "Coordinates\nversion=1\nendheader\ntime\tknee\n0\t1\n",
            "an OpenSim table (STO or MOT)",
        ),
        ("walk.bvh", "HIERARCHY\nROOT Hips\n{\n}\n", "a BVH motion capture file"),
        ("arm.xacro", "<robot xmlns:xacro=\"http://wiki.ros.org/xacro\"/>", "a xacro file"),
        ("arm.urdf", "<robot name=\"arm\"/>", "a URDF robot"),
        ("arm.xml", "<mujoco model=\"arm\"/>", "an MJCF (MuJoCo) model"),
        ("part.stl", "solid part\nfacet normal 0 0 1\n", "an STL mesh"),
        ("scene.gltf", "{\"asset\": {\"version\": \"2.0\"}}", "a glTF scene"),
        ("log.json", "{\"entries\": []}", "a JSON file"),
        ("log.csv", "t,x\n0,1\n", "a table of numbers (CSV)"),
    ];
    for (name, content, format) in files {
        write(at, name, content);
        for command in [
            &["run", name][..],
            &["check", name],
            &["parameters", name],
            &["kinematics", name],
            &["fit", name],
        ] {
            let output = gelenk(at, command);
            let said = text(&output);
            assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
            assert!(
                said.contains(&format!("{name} is {format}, not a model or study of Gelenk; ")),
                "{command:?}: {said}"
            );
        }
    }
    std::fs::write(at.join("walk.c3d"), [&[2, 0x50][..], &[0; 510]].concat()).unwrap();
    let cases = [
        (&["run", "walk.c3d"][..], "walk.c3d is a C3D motion capture file, not a model"),
        (&["run", "arm.urdf"], "convert it first: gelenk convert arm.urdf -o arm.toml"),
        (&["plot", "walk.trc"], "walk.trc is a TRC marker file; write its columns as CSV or Parquet"),
        (&["info", "leg.osim"], "leg.osim is an OpenSim model; a recording of `gelenk run`, a CSV table or"),
        (&["report", "arm.urdf"], "arm.urdf is a URDF robot; `gelenk convert` makes a model from it"),
        (&["render", "log.csv", "-o", "p.png"], "it is a table of numbers (CSV); `gelenk info`, `plot`"),
        (
            &["convert", "leg.osim"],
            "leg.osim is an OpenSim model, not a robot; robots are read as URDF, xacro, MJCF and SDF",
        ),
        (&["convert", "arm.xacro"], "xacro"),
        (
            &["mesh", "info", "arm.urdf"],
            "a URDF robot; meshes are read as STL, OBJ, PLY, COLLADA, glTF and MSH",
        ),
    ];
    for (command, expected) in cases {
        let output = gelenk(at, command);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {}", text(&output));
        assert!(text(&output).contains(expected), "{command:?}: {}", text(&output));
    }
    let model = case("pendulum/model.toml");
    let output = gelenk(at, &["convert", &model]);
    assert!(text(&output).contains("is a TOML file, not a robot; run it: gelenk run"), "{}", text(&output));
    let output = gelenk(at, &["kinematics", &model, "--motion", "walk.trc"]);
    assert!(text(&output).contains("it is a TRC marker file"), "{}", text(&output));
}

/// The formats of the real files beside the project, where they are.
#[test]
fn real_files_are_recognised() {
    let data = root().join("../shared/data");
    if !data.is_dir() {
        println!("skipped: real files of other formats, because ../shared/data is not there");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    let mut waiting = vec![data];
    while let Some(place) = waiting.pop() {
        for path in std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            let expected = match ending.as_str() {
                "osim" => "an OpenSim model",
                "trc" => "a TRC marker file",
                "sto" | "mot" => "an OpenSim table (STO or MOT)",
                "bvh" => "a BVH motion capture file",
                "c3d" => "a C3D motion capture file",
                "stl" => "an STL mesh",
                "json" => "a JSON file",
                _ => continue,
            };
            let output = gelenk(folder.path(), &["run", &path.display().to_string()]);
            assert!(text(&output).contains(expected), "{}: {}", path.display(), text(&output));
            found += 1;
        }
    }
    assert!(found > 20, "{found}");
}
