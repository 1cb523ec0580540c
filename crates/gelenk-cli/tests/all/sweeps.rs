//! Sweeps over parameters.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{case, gelenk, text};

/// A pendulum that swings for a while.
const MODEL: &str = r#"
schema = 1
gravity = [0, 0, "-9.81 m/s^2"]
[bodies.bob]
mass = "1 kg"
inertia = [0.01, 0.01, 0.01]
centre = [0, 0, "-0.5 m"]
[joints.pivot]
type = "revolute"
parent = "ground"
child = "bob"
axis = [0, 1, 0]
coordinate = { name = "phi", start = "0.3 rad" }
friction = { law = "viscous", viscous = "0.01 N m s/rad" }
[simulate]
until = "5 s"
output = "10 ms"
solver = { method = "rk4", step = "0.2 ms" }
"#;

fn study(folder: &Path, more: &str) {
    std::fs::write(folder.join("model.toml"), MODEL).unwrap();
    let text = format!("schema = 1\nkind = \"sweep\"\nmodel = \"model.toml\"\n{more}");
    std::fs::write(folder.join("study.toml"), text).unwrap();
}

fn table(path: &Path) -> gelenk_record::Recording {
    gelenk_io::read(path).unwrap()
}

/// A sweep of 2,000 points that is killed twice has every row once, with the numbers of one that was not killed.
#[test]
fn a_killed_sweep_has_every_row_once() {
    let folder = tempfile::tempdir().unwrap();
    study(
        folder.path(),
        r#"
        until = "0.5 s"
        solver = { method = "rk4", step = "1 ms" }
        over = [
          { path = "joints.pivot.friction.viscous", lower = "1e-3 N m s/rad", upper = "1 N m s/rad", scale = "log", count = 400 },
          { path = "bodies.bob.mass", values = ["0.5 kg", "1 kg", "2 kg", "4 kg", "8 kg"] },
        ]
        pick = [{ name = "end", column = "phi", statistic = "final" }]
        "#,
    );
    let arguments = ["sweep", "study.toml", "-o", "killed.parquet", "--threads", "2"];
    let parts = gelenk_io::parts_folder(&folder.path().join("killed.parquet"));
    for round in 0..2 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gelenk"));
        command.current_dir(folder.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        if round > 0 {
            command.arg("--resume");
        }
        let count = || std::fs::read_dir(&parts).map_or(0, |files| files.count());
        let (mut child, began, before) = (command.spawn().unwrap(), Instant::now(), count());
        // Until something more is on disk.
        while count() <= before + 1 && child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let resumed = gelenk(folder.path(), &[&arguments[..], &["--resume"]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed));
    let whole = gelenk(folder.path(), &["sweep", "study.toml", "-o", "whole.parquet", "--threads", "1"]);
    assert!(whole.status.success(), "{}", text(&whole));
    let [killed, whole] = ["killed.parquet", "whole.parquet"].map(|name| table(&folder.path().join(name)));
    assert_eq!(killed.time(), (0..2000).map(f64::from).collect::<Vec<_>>());
    for column in whole.columns() {
        assert_eq!(killed.column(&column.name), whole.column(&column.name), "{}", column.name);
    }
    let again = gelenk(folder.path(), &[&arguments[..], &["--resume"]].concat());
    assert!(text(&again).contains("the sweep is complete"), "{}", text(&again));
}

/// A point that diverges says so, and the others stand.
#[test]
fn a_point_that_fails_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    study(
        folder.path(),
        r#"
        solver = { method = "rk4", step = "10 ms" }
        over = [{ path = "joints.pivot.friction.viscous", values = ["0.1 N m s/rad", "1e6 N m s/rad", "0.2 N m s/rad"] }]
        pick = [{ name = "end", column = "phi", statistic = "final" }]
        "#,
    );
    let run = gelenk(folder.path(), &["sweep", "study.toml", "-o", "out.parquet", "--json"]);
    assert!(run.status.success(), "{}", text(&run));
    let document: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let result = &document["result"];
    assert_eq!((&result["points"], &result["failed"]), (&3.into(), &1.into()));
    let results = table(&folder.path().join("out.parquet"));
    assert_eq!(results.column("failed").unwrap(), [0.0, 1.0, 0.0]);
    let end = results.column("end").unwrap();
    assert!(end[0].is_finite() && end[1].is_nan() && end[2].is_finite());
    assert_eq!(results.events()[0].element, "point 1");
}

/// Numbers that set the structure of a model cannot be swept, since the model is compiled once.
#[test]
fn structural_numbers_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let control = "[controllers.loop]\ntype = \"pi\"\nperiod = \"2 ms\"\ndelay = \"1 ms\"\nmeasure = \"phi\"\ntarget = \"0\"\n\
                   kp = \"1 N m/rad\"\n[drives.motor]\non = \"phi\"\ntorque = \"loop\"\n";
    study(
        folder.path(),
        r#"
        over = [{ path = "controllers.loop.delay", values = ["1 ms", "2 ms"] }]
        pick = [{ name = "end", column = "phi", statistic = "final" }]
        "#,
    );
    std::fs::write(folder.path().join("model.toml"), format!("{MODEL}{control}")).unwrap();
    let run = gelenk(folder.path(), &["sweep", "study.toml", "-o", "out.parquet"]);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run));
    assert!(text(&run).contains("controllers.loop.delay"), "{}", text(&run));
    assert!(text(&run).contains("structure"), "{}", text(&run));
}

/// Mistakes are refused with their place before anything runs.
#[test]
fn mistakes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pick = "pick = [{ name = \"end\", column = \"phi\", statistic = \"final\" }]";
    let over = |entry: &str| format!("over = [{{ {entry} }}]\n{pick}");
    let cases = [
        (over("path = \"joints.pivot.friction.viscos\", values = [1]"), "did you mean"),
        (over("path = \"bodies.bob.mass\", values = [\"1 m\"]"), "this is a length"),
        (over("path = \"bodies.bob.mass\", values = [\"-1 kg\"]"), "bodies.bob.mass"),
        (over("path = \"bodies.bob.mass\", lower = \"1 kg\", upper = \"2 kg\""), "\"count\""),
        (over("path = \"bodies.bob.mass\", lower = \"2 kg\", upper = \"1 kg\", count = 2"), "less than"),
        (over("path = \"bodies.bob.mass\""), "\"values\""),
        (format!("sweep = {{ sampling = \"random\" }}\n{}", over("path = \"bodies.bob.mass\", lower = \"1 kg\", upper = \"2 kg\"")), "\"points\""),
        ("over = [{ path = \"bodies.bob.mass\", values = [1] }]\npick = [{ name = \"a\", column = \"psi\", statistic = \"max\" }]".into(), "there is no column \"psi\""),
        (pick.into(), "needs the key \"over\""),
    ];
    for (more, message) in cases {
        study(folder.path(), &more);
        let run = gelenk(folder.path(), &["sweep", "study.toml", "-o", "out.parquet"]);
        assert_eq!(run.status.code(), Some(1), "{more}: {}", text(&run));
        assert!(text(&run).contains(message), "{more}: {}", text(&run));
        assert!(!folder.path().join("out.parquet").exists());
    }
}

/// A study of another kind runs at every point: a wheel that was made with 0.02 N m s/rad is fitted, whatever its start.
#[test]
fn a_fit_runs_inside_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let text_of = format!(
        "schema = 1\nkind = \"sweep\"\nstudy = {:?}\n\
         over = [{{ path = \"joints.axle.coordinate.rate\", values = [\"12 rad/s\", \"9 rad/s\"] }}]\n\
         pick = [{{ name = \"viscous\", parameter = \"joints.axle.friction.viscous\" }}]\n",
        case("fit-friction/study.toml")
    );
    std::fs::write(folder.path().join("study.toml"), text_of).unwrap();
    let run = gelenk(folder.path(), &["sweep", "study.toml", "-o", "out.csv"]);
    assert!(run.status.success(), "{}", text(&run));
    let printed = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    let rows: Vec<&str> = printed.lines().skip_while(|line| !line.starts_with("t,")).collect();
    let value = |row: usize| -> f64 { rows[row].split(',').nth(2).unwrap().parse().unwrap() };
    assert!((value(1) - 0.02).abs() < 1e-6, "{printed}");
    // A slower start fits worse, and another friction.
    assert!((value(2) - 0.02).abs() > 1e-4, "{printed}");
}
