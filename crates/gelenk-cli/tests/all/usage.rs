//! Exit codes and files of the wrong kind.

use super::support::{case, gelenk, text};

/// Exit code 2 for a wrong command line, 1 for what is refused or fails, and the way to the help beside the former.
#[test]
fn exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model = case("stick-slip/model.toml");
    let study = case("fit-friction/study.toml");
    let run = gelenk(at, &["run", &model, "--until", "0.1 s", "-o", "r.parquet"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    let wrong: [&[&str]; 28] = [
        &["walk"],
        &["run"],
        &["run", &model, "--nonsense"],
        &["run", &model, "--set", "bodies.blok.mass=2"],
        &["run", &model, "--set", "bodies.block.mass=2 m"],
        &["run", &model, "--set", "nonsense"],
        &["run", &model, "--until", "2 m"],
        &["run", &model, "--output-interval", "-1 s"],
        &["run", &model, "--method", "rk5"],
        &["run", &model, "--method", "dop853", "--step", "1 ms"],
        &["run", &model, "-o", "r.mat"],
        &["run", &model, "--elements"],
        &["run", &study],
        &["kinematics", &study],
        &["fit", &model],
        &["matrices", &model, "--frame", "nowhere"],
        &["case", "run"],
        &["case", "run", "stik-slip", "--folder", &case("")],
        &["law", "show", "lugree"],
        &["law", "diagnose", "lugre:sigma0=1 s"],
        &["law", "plot", "lugre", "--speed", "1 kg"],
        &["element", "show", "sprong"],
        &["plot", "r.parquet", "-c", "x.rat"],
        &["plot", "r.parquet", "-o", "r.pdf"],
        &["plot", "r.parquet", "--from", "5 s"],
        &["export", "r.parquet", "-c", "x.rat"],
        &["render", "r.parquet", "-o", "r.png", "--size", "big"],
        &["injury", "r.parquet", "--of", "frames.skull"],
    ];
    for arguments in wrong {
        let output = gelenk(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains("try '"), "{arguments:?}: {}", text(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", text(&output));
    }
    let refused: [&[&str]; 4] = [
        &["run", "nowhere.toml"],
        &["check", "nowhere.toml"],
        &["info", "nowhere.parquet"],
        &["mesh", "info", "nowhere.stl"],
    ];
    for arguments in refused {
        let output = gelenk(at, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output));
    }
}

/// `--output-interval` sets the rows of a recording.
#[test]
fn the_output_interval_sets_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("pendulum/model.toml");
    let arguments = ["run", &model, "--until", "1 s", "--output-interval", "50 ms", "-o", "r.parquet"];
    let output = gelenk(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output));
    let recording = gelenk_io::read(&folder.path().join("r.parquet")).unwrap();
    assert_eq!(recording.len(), 21);
    assert!(recording.time().iter().enumerate().all(|(k, t)| (t - 0.05 * k as f64).abs() < 1e-12));
}

/// `-o x.csv` writes a table with the numbers of the recording, and leaves nothing else behind.
#[test]
fn tables_are_written_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model = case("pendulum/model.toml");
    let run = ["run", &model, "--until", "0.2 s", "--output-interval", "0.1 s"];
    for out in ["r.parquet", "r.csv"] {
        let output = gelenk(at, &[&run[..], &["-o", out]].concat());
        assert!(output.status.success(), "{}", text(&output));
    }
    let exported = gelenk(at, &["export", "r.parquet"]);
    let table = std::fs::read_to_string(at.join("r.csv")).unwrap();
    assert_eq!(table, String::from_utf8_lossy(&exported.stdout));
    assert_eq!(table.lines().count(), 5, "{table}");
    let mut left: Vec<_> = std::fs::read_dir(at).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["r.csv", "r.parquet"]);
    let motion = ["kinematics", &model, "--motion", "r.parquet", "-o", "k.csv"];
    let output = gelenk(at, &motion);
    assert!(output.status.success(), "{}", text(&output));
    assert!(std::fs::read_to_string(at.join("k.csv")).unwrap().starts_with("# units: s,"));
    let refused = gelenk(at, &[&run[..], &["-o", "r.xlsx"]].concat());
    let said = text(&refused);
    assert!(
        said.contains("a recording is a .parquet file, and a table of numbers a .csv or .txt file"),
        "{said}"
    );
}
