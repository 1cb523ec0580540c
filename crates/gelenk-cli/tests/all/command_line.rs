//! The command line as a person types it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn gelenk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gelenk")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn case(name: &str) -> String {
    root().join("cases").join(name).display().to_string()
}

/// A newcomer's first minute: every template can be made, checked, run and drawn.
#[test]
fn templates_run_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for template in ["pendulum", "four-bar", "servo"] {
        let model = format!("{template}/model.toml");
        for arguments in [
            vec!["new", template, "--template", template],
            vec!["check", &model],
            vec!["parameters", &model],
            vec!["run", &model, "--until", "0.5 s", "--plot"],
            vec!["info", &format!("runs/{template}.parquet")],
            vec!["export", &format!("runs/{template}.parquet"), "-o", "table.csv"],
            vec!["plot", &format!("runs/{template}.parquet")],
        ] {
            let output = gelenk(folder.path(), &arguments);
            assert!(output.status.success(), "{arguments:?}: {}", text(&output));
        }
        assert!(folder.path().join(format!("runs/{template}.svg")).is_file());
        let table = std::fs::read_to_string(folder.path().join("table.csv")).unwrap();
        assert!(table.lines().nth(1).unwrap().starts_with("t,"), "{table:.200}");
    }
    let again = gelenk(folder.path(), &["new", "servo", "--template", "servo"]);
    assert!(!again.status.success() && text(&again).contains("exists already"), "{}", text(&again));
}

/// Mistakes on the command line are answered with what was probably meant.
#[test]
fn mistakes_are_answered_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("stick-slip") + "/model.toml";
    for (arguments, expected) in [
        (vec!["run", &model, "--set", "bodies.blok.mass=2"], "did you mean \"bodies.block.mass\"?"),
        (vec!["run", &model, "--set", "bodies.block.mass=2 m"], "give it in kg"),
        (vec!["run", &model, "--set", "bodies.block.mass=-1"], "must be at least 0"),
        (vec!["run", &model, "--set", "joints.slide.friction.breakaway=0.5 N"], "breakaway >= 1"),
        (vec!["run", &model, "--set", "nonsense"], "PATH=VALUE"),
        (vec!["run", &model, "--until", "2 m"], "a time was expected"),
        (vec!["run", &model, "--method", "rk5"], "a similar value exists: 'rk4'"),
        (vec!["run", &model, "--method", "dop853", "--step", "1 ms"], "dop853 chooses its steps"),
        (vec!["run", &model, "--until", "0.1 s", "--plot", "x.rat"], "did you mean `x.rate`?"),
        (vec!["run", "nowhere.toml"], "there is no such file"),
        (vec!["case", "run", "stik-slip", "--folder", &case("")], "did you mean `stick-slip`?"),
        (vec!["fit", &model], "not a study"),
        (vec!["info", "nowhere.parquet"], "nowhere.parquet"),
        (vec!["recover", "nowhere.parts"], "nowhere.parts"),
    ] {
        let output = gelenk(folder.path(), &arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output).contains(expected), "{arguments:?}: {}", text(&output));
    }
}

/// H-R16: a border of a mesh inside a contact is told after the run, and vertices of a border that all but meet before it.
#[test]
fn open_surfaces_in_contact_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    // A pyramid whose four faces share nothing, each corner a little off the next one's.
    let mut mesh = String::new();
    for i in 0..4 {
        let corner = |k: i32| [(1, 1), (-1, 1), (-1, -1), (1, -1)][(k % 4) as usize];
        let ((ax, ay), (bx, by)) = (corner(i), corner(i + 1));
        let off = f64::from(i) * 1e-6;
        mesh += &format!("v {ax} {ay} 1\nv 0 0 {off}\nv {} {by} 1\n", f64::from(bx) + off);
    }
    mesh += "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n";
    std::fs::write(folder.path().join("tip.obj"), mesh).unwrap();
    std::fs::write(
        folder.path().join("model.toml"),
        r#"
schema  = 1
gravity = [0, 0, -9.81]
[bodies.tip]
mass    = 1
inertia = [1, 1, 1]
[joints.fall]
type       = "prismatic"
parent     = "ground"
child      = "tip"
axis       = [0, 0, 1]
coordinate = { name = "height", start = -0.05 }
[materials.rubber]
stiffness = "1e4 N/m^3"
[surfaces.tip]
on       = "tip"
mesh     = { file = "tip.obj" }
material = "rubber"
[surfaces.plate]
on   = "ground"
make = { plane = { size = ["6 m", "6 m"], divisions = 3 } }
[contacts.touch]
between = ["tip", "plate"]
[simulate]
until  = "10 ms"
output = "1 ms"
solver = { method = "rk4", step = "1 ms" }
"#,
    )
    .unwrap();
    let output = gelenk(folder.path(), &["run", "model.toml", "-o", "run.parquet"]);
    let printed = text(&output);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("border vertices that almost coincide with another one"), "{printed}");
    assert!(
        printed.contains("contacts.touch: lines of intersection end at a border of a mesh in 11 of 11"),
        "{printed}"
    );
}

/// Quantities of another kind, numbers that are none and counts that would take all memory are refused.
#[test]
fn options_of_meshes_and_sweeps_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("wheel-bounce") + "/model.toml";
    let sweep = ["contact", "sweep", &model, "--over", "height", "-o", "s.parquet"];
    let made = ["mesh", "make", "-o", "z.obj"];
    let cases: [(&[&str], &[&str], &str); 8] = [
        (&sweep, &["--from", "1 s", "--to", "1"], "\"height\" is measured in m"),
        (&sweep, &["--from", "nan", "--to", "1"], "a finite number was expected"),
        (&sweep, &["--from", "0.3", "--to", "0.2", "--poses", "0"], "2..=1000000"),
        (&made, &["sphere", "--radius", "1 s"], "a length was expected"),
        (&made, &["sphere", "--segments", "1000000000"], "from 3 to 2000"),
        (&made, &["icosphere", "--depth", "20"], "from 0 to 7"),
        (&made, &["torus", "--radius", "1 m", "--tube", "2 m"], "intersects itself"),
        (&made, &["ellipsoid", "--triangles", "7"], "an even number from 8 to 4000000"),
    ];
    for (command, options, printed) in cases {
        let arguments: Vec<&str> = command.iter().chain(options).copied().collect();
        let output = gelenk(folder.path(), &arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(printed), "{arguments:?}: {text}");
    }
}

/// `--method auto` picks the stepped mode for stiff friction, a pair for a pendulum, and tells why (RU-R19).
#[test]
fn auto_tells_what_it_picked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, picked, why) in [
        ("stick-slip", "solver      stepped2", "the fastest decay is"),
        ("pendulum", "solver      dop853", "the equations are not stiff"),
    ] {
        let model = case(name) + "/model.toml";
        let output = gelenk(folder.path(), &["run", &model, "--until", "0.1 s", "--method", "auto"]);
        let printed = text(&output);
        assert!(output.status.success() && printed.contains(picked) && printed.contains(why), "{printed}");
    }
}

/// `case run` succeeds only if every number is met, and `--json` tells all of them.
#[test]
fn a_case_fails_if_one_number_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let good = gelenk(folder.path(), &["case", "run", &case("pendulum"), "--json"]);
    assert!(good.status.success(), "{}", text(&good));
    let report: serde_json::Value = serde_json::from_slice(&good.stdout).unwrap();
    let number = &report["result"]["cases"][0]["numbers"][0];
    assert!((number["expected"].as_f64().unwrap() - 0.9862917511318753).abs() < 1e-15, "{number}");
    assert!(number["obtained"].is_f64() && number["source"].as_str().unwrap().contains("A01"), "{number}");
    for file in ["model.toml", "case.toml"] {
        let text = std::fs::read_to_string(root().join("cases/pendulum").join(file)).unwrap();
        std::fs::write(folder.path().join(file), text.replace("0.98629175", "0.98629176")).unwrap();
    }
    let bad = gelenk(folder.path(), &["case", "run", "case.toml"]);
    assert!(!bad.status.success() && text(&bad).contains("0 passed, 1 failed"), "{}", text(&bad));
}

/// An expected event that did not occur is reported with the events that did.
#[test]
fn a_missing_event_names_those_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let model = std::fs::read_to_string(root().join("cases/friction-oscillator/model.toml")).unwrap();
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    let write = |element: &str| {
        let content = format!(
            "schema = 1\ntitle = \"t\"\nabout = \"a\"\nmodel = \"model.toml\"\n[[expect]]\nevent = \"{element}\"\nwhat = \"turns\"\nvalue = \"1 s\"\n\
             tolerance = \"1 s\"\nsource = \"none\"\n"
        );
        std::fs::write(folder.path().join("case.toml"), content).unwrap();
        text(&gelenk(folder.path(), &["case", "run", "case.toml"]))
    };
    let said = write("joints.slide.friction");
    assert!(
        said.contains("the event did not occur; the events of this element are: reverses, sticks"),
        "{said}"
    );
    let said = write("joints.slid.friction");
    assert!(said.contains("the event did not occur; did you mean `joints.slide.friction`?"), "{said}");
}

/// Starts a run, kills it once rows are announced, and returns the number announced.
fn killed(folder: &Path, arguments: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gelenk"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut announced = 0u64;
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let count = |line: &str| {
        line.strip_suffix(" samples on disk")
            .and_then(|l| l.rsplit(' ').next())
            .map(|n| n.parse::<u64>().unwrap())
    };
    while announced == 0 {
        let line = lines.next().ok_or("the run ended early").unwrap().unwrap();
        announced = count(&line).unwrap_or(announced);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines.map_while(Result::ok) {
        announced = count(&line).unwrap_or(announced);
    }
    announced
}

/// A run that was killed goes on where it was, and ends with the same bytes as one that was not.
#[test]
fn a_killed_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("seams") + "/model.toml";
    for (method, step) in [("rk4", "0.2 ms"), ("stepped", "1 ms")] {
        let solver = ["run", &model, "--until", "30 s", "--method", method, "--step", step];
        let whole = gelenk(folder.path(), &[&solver[..], &["-o", "whole.parquet"]].concat());
        assert!(whole.status.success(), "{}", text(&whole));
        killed(folder.path(), &[&solver[..], &["-o", "cut.parquet"]].concat());
        let resume = ["-o", "cut.parquet", "--resume"];
        // Another solver is refused, and leaves what is there.
        let other = gelenk(
            folder.path(),
            &["run", &model, "--method", "rk4", "--step", "3 ms", "-o", "cut.parquet", "--resume"],
        );
        assert!(!other.status.success() && text(&other).contains("another solver"), "{}", text(&other));
        let resumed = gelenk(folder.path(), &[&solver[..], &resume].concat());
        assert!(resumed.status.success(), "{}", text(&resumed));
        let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert!(bytes("whole.parquet") == bytes("cut.parquet"), "{method}: other bytes");
        // A finished run has nothing to go on from.
        let again = gelenk(folder.path(), &[&solver[..], &resume].concat());
        assert!(bytes("whole.parquet") == bytes("cut.parquet"));
        assert!(!again.status.success() && text(&again).contains("complete"), "{}", text(&again));
    }
}

/// The same with contact elements: the table beside the recording is made anew, wherever the kill left it.
#[test]
fn a_killed_run_goes_on_with_its_contact_elements() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("wheel-bounce") + "/model.toml";
    let solver =
        ["run", &model, "--until", "20 s", "--method", "rk4", "--step", "0.5 ms", "--elements", "-o"];
    let whole = gelenk(folder.path(), &[&solver[..], &["whole.parquet"]].concat());
    assert!(whole.status.success(), "{}", text(&whole));
    killed(folder.path(), &[&solver[..], &["cut.parquet"]].concat());
    assert!(folder.path().join("cut.elements.parts").is_dir());
    let resumed = gelenk(folder.path(), &[&solver[..], &["cut.parquet", "--resume"]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed));
    assert!(!folder.path().join("cut.elements.parts").exists());
    let read = |name: &str| gelenk_io::read(&folder.path().join(name)).unwrap();
    let (whole, cut) = (read("whole.elements.parquet"), read("cut.elements.parquet"));
    assert!(whole.len() > 100, "{}", whole.len());
    for k in 0..whole.columns().len() {
        assert_eq!(whole.values(k), cut.values(k), "{}", whole.columns()[k].name);
    }
    assert_eq!(read("whole.parquet").column("height"), read("cut.parquet").column("height"));
}

/// `kill -9` in the middle of a long run loses no sample that the progress had announced.
#[test]
fn a_killed_run_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("stick-slip") + "/model.toml";
    let announced = killed(folder.path(), &["run", &model, "--until", "100000 s", "-o", "long.parquet"]);
    let refused = gelenk(folder.path(), &["run", &model, "--until", "1 s", "-o", "long.parquet"]);
    assert!(!refused.status.success() && text(&refused).contains("recover"), "{}", text(&refused));
    let recovered = gelenk(folder.path(), &["recover", "long.parts"]);
    assert!(recovered.status.success(), "{}", text(&recovered));
    let recording = gelenk_io::read(&folder.path().join("long.parquet")).unwrap();
    assert!(recording.len() as u64 >= announced, "{} of {announced}", recording.len());
    // Nothing is missing inside, either: rows every 10 ms.
    for (i, t) in recording.time().iter().enumerate() {
        assert!((t - 0.01 * i as f64).abs() < 1e-9, "row {i} at {t}");
    }
}

/// The same run and the same fit, twice and with 1, 2 and 8 threads: identical bytes.
#[test]
fn results_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("seams") + "/model.toml";
    let study = case("fit-friction") + "/study.toml";
    let mut seen: Option<(Vec<u8>, Vec<u8>)> = None;
    for (i, threads) in ["1", "1", "2", "8"].iter().enumerate() {
        let (run, fit) = (format!("run{i}.parquet"), format!("fit{i}.parquet"));
        for arguments in [
            vec!["--threads", threads, "run", &model, "--until", "0.4 s", "-o", &run],
            vec!["--threads", threads, "fit", &study, "-o", &fit],
        ] {
            let output = gelenk(folder.path(), &arguments);
            assert!(output.status.success(), "{}", text(&output));
        }
        let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        let now = (bytes(&run), bytes(&fit));
        let first = seen.get_or_insert_with(|| now.clone());
        assert!(*first == now, "run {i} with {threads} threads differs");
    }
}

/// Ways to run loops and formulations, and the conversion to splines, from the command line.
#[test]
fn loops_and_formulations_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let (bar, knee) = (case("four-bar") + "/model.toml", case("knee-four-bar") + "/model.toml");
    let short = ["--until", "0.1 s", "-o", "run.parquet"];
    let run = |more: &[&str]| gelenk(folder.path(), &[&["run", &bar], more, &short].concat());
    for how in ["project", "baumgarte", "partition", "none", "open"] {
        let output = run(&["--loops", how]);
        assert!(output.status.success(), "{how}: {}", text(&output));
    }
    assert!(run(&["--formulation", "absolute"]).status.success());
    for (wrong, said) in [
        (["--loops", "projekt"], "a similar value exists: 'project'"),
        (["--formulation", "absolut"], "a similar value exists: 'absolute'"),
        (["--formulation", "natural"], "minimal"),
    ] {
        let output = run(&wrong);
        assert!(!output.status.success() && text(&output).contains(said), "{}", text(&output));
    }
    let stepped = run(&["--loops", "partition", "--method", "stepped", "--step", "1 ms"]);
    assert!(!stepped.status.success() && text(&stepped).contains("continuous methods"), "{}", text(&stepped));
    let checked = text(&gelenk(folder.path(), &["check", &knee]));
    assert!(
        checked.contains("loop anterior: open by") && checked.contains("degrees of freedom: 1"),
        "{checked}"
    );

    let range = ["--over", "turn", "--from", "-130 deg", "--to", "0 deg"];
    let convert = |joint: &str, more: &[&str]| {
        gelenk(folder.path(), &[&["convert", &knee, "--spline", joint], &range[..], more].concat())
    };
    let output = convert("knee", &["-o", "spline.toml"]);
    assert!(
        output.status.success() && text(&output).contains("loop posterior is removed"),
        "{}",
        text(&output)
    );
    let checked = text(&gelenk(folder.path(), &["check", "spline.toml"]));
    assert!(checked.contains("loop equations: 0"), "{checked}");
    assert!(!convert("hip", &[]).status.success());
    assert!(!gelenk(folder.path(), &["convert", &knee, "--spline", "knee"]).status.success());
}

/// Bad models that only show when they are put together: a loop that cannot close, a start rate that it does not admit.
#[test]
fn check_tells_what_assembly_finds() {
    let folder = tempfile::tempdir().unwrap();
    let model = |length: &str, rate: &str| {
        format!(
            r#"
schema  = 1
gravity = [0, 0, -9.81]

[bodies.rod]
mass    = "1 kg"
centre  = [0, 0, "-0.5 m"]
inertia = [0.1, 0.1, 0.01]

[bodies.block]
mass    = "1 kg"
inertia = [0, 0, 0]

[joints.hinge]
type       = "revolute"
parent     = "ground"
child      = "rod"
axis       = [0, 1, 0]
coordinate = {{ name = "phi", start = "30 deg" }}

[joints.slide]
type       = "prismatic"
parent     = "ground"
child      = "block"
axis       = [1, 0, 0]
position   = [0, 0, "-3 m"]
coordinate = {{ name = "x", rate = "{rate}" }}

[frames.tip]
body     = "rod"
position = [0, 0, "-1 m"]

[loops.link]
type    = "distance"
between = ["tip", "block"]
length  = "{length}"
"#
        )
    };
    let write = |text: String| std::fs::write(folder.path().join("model.toml"), text).unwrap();
    write(model("0.5 m", "0"));
    let unreachable = gelenk(folder.path(), &["check", "model.toml"]);
    assert!(!unreachable.status.success(), "{}", text(&unreachable));
    assert!(text(&unreachable).contains("loop link"), "{}", text(&unreachable));
    write(model("2.2 m", "1 m/s"));
    let changed = gelenk(folder.path(), &["check", "model.toml"]);
    assert!(changed.status.success(), "{}", text(&changed));
    let printed = text(&changed);
    assert!(printed.contains("warning: the start rate of coordinate x is"), "{printed}");
    assert!(printed.contains("instead of 1.000000 (SI)"), "{printed}");
    write(model("2.2 m", "0"));
    let right = text(&gelenk(folder.path(), &["check", "model.toml"]));
    assert!(!right.contains("warning"), "{right}");
}
