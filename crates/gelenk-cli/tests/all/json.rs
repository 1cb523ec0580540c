//! `--json`: one document on standard output with every number that the text has, and every key in the book.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::support::{case, gelenk, root, text};

/// The document of a command.
fn document(folder: &Path, arguments: &[&str]) -> Value {
    let output = gelenk(folder, &[arguments, &["--json"]].concat());
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    let document: Value = serde_json::from_str(&printed)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", text(&output)));
    assert_eq!(document["exit_code"].as_i64(), output.status.code().map(i64::from), "{arguments:?}");
    assert_eq!(document["ok"], output.status.success(), "{arguments:?}");
    if let Some(read) = through_python(&output.stdout) {
        assert_eq!(read, document, "{arguments:?}");
    }
    document
}

/// What `gelenk ... --json | python3 -m json.tool` prints, as scripts use it; nothing where Python is not installed.
fn through_python(printed: &[u8]) -> Option<Value> {
    let mut tool = Command::new("python3");
    tool.args(["-m", "json.tool"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut python) = tool.spawn() else {
        println!("skipped: `--json | python3 -m json.tool`, because python3 is not installed");
        return None;
    };
    let mut stdin = python.stdin.take().unwrap();
    // The tool reads everything before it prints.
    stdin.write_all(printed).unwrap();
    drop(stdin);
    let read = python.wait_with_output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    Some(serde_json::from_slice(&read.stdout).unwrap())
}

/// Numbers in a text, each with half of the place of its last digit. Words with digits in them are not numbers.
fn numbers(text: &str) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if matches!(bytes[at], b'+' | b'-') {
            at += 1;
        }
        let digits = |at: &mut usize| {
            let from = *at;
            while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
            *at - from
        };
        if digits(&mut at) == 0 {
            at = start + 1;
            continue;
        }
        let mut decimals = 0;
        if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            at += 1;
            decimals = digits(&mut at);
        }
        let mut exponent = 0;
        if bytes.get(at) == Some(&b'e') {
            let mut after = at + 1;
            if matches!(bytes.get(after), Some(b'+' | b'-')) {
                after += 1;
            }
            if digits(&mut after) > 0 {
                exponent = text[at + 1..after].parse().unwrap();
                at = after;
            }
        }
        let word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || b"_.^".contains(b));
        let inside = start > 0 && (word(bytes.get(start - 1)) || bytes[start - 1] == b'-');
        // A full stop may follow a number.
        let followed = bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        if !inside && !followed {
            let last = 0.5 * 10f64.powi(exponent - decimals as i32);
            found.push((text[start..at].parse().unwrap(), last));
        }
    }
    found
}

/// All numbers of a document, those inside of its texts included.
fn held(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::String(text) => found.extend(numbers(text).into_iter().map(|(number, _)| number)),
        Value::Array(values) => values.iter().for_each(|value| held(value, found)),
        Value::Object(entries) => entries.values().for_each(|value| held(value, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Runs a command both ways and looks for every printed number in the document; CPU times differ from run to run.
fn agrees(folder: &Path, arguments: &[&str]) -> Value {
    let output = gelenk(folder, arguments);
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!printed.trim().is_empty(), "{arguments:?} prints nothing: {}", text(&output));
    let document = document(folder, arguments);
    assert_eq!(document["ok"], output.status.success(), "{arguments:?}: {}", text(&output));
    let mut known = Vec::new();
    held(&document, &mut known);
    for line in printed.lines().filter(|line| !line.contains("s CPU, real-time factor")) {
        for (number, last) in numbers(line) {
            let same = |x: &f64| {
                let room = 1.001 * last + 1e-12 * number.abs();
                (x - number).abs() <= room || (x.abs() - number.abs()).abs() <= room
            };
            assert!(known.iter().any(same), "{arguments:?}: {number} of {line:?} is missing in {document:#}");
        }
    }
    described(arguments, &document);
    document
}

/// The keys of a document are in the section of the command on the page of the book.
fn described(arguments: &[&str], document: &Value) {
    let page = std::fs::read_to_string(root().join("docs/src/json.md")).unwrap();
    let name = document["command"].as_str().unwrap();
    assert_eq!(name, arguments[..name.split(' ').count()].join(" "));
    let section = page.split("\n## ").find(|section| section.lines().next() == Some(&format!("`{name}`")));
    let section = section.unwrap_or_else(|| panic!("docs/src/json.md has no section ## `{name}`"));
    let common = page.split("\n## ").next().unwrap();
    for key in document.as_object().unwrap().keys() {
        assert!(common.contains(&format!("`{key}`")), "docs/src/json.md does not describe `{key}`");
    }
    for key in document["result"].as_object().into_iter().flat_map(|result| result.keys()) {
        assert!(section.contains(&format!("`{key}`")), "docs/src/json.md, {name}, does not describe `{key}`");
    }
}

fn near(value: &Value, expected: f64, share: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() <= share * expected.abs(), "{value} instead of {expected}");
}

#[test]
fn numbers_are_found_in_texts() {
    let found = numbers("a2 3.5 m, -1e-3 (4 of 12), x_1 2.0e0; v0.1 +7 S-3.");
    let values: Vec<f64> = found.iter().map(|(value, _)| *value).collect();
    assert_eq!(values, [3.5, -1e-3, 4.0, 12.0, 2.0, 7.0]);
    assert!((found[0].1 - 0.05).abs() < 1e-15 && (found[4].1 - 0.05).abs() < 1e-15);
}

/// All commands that the help lists, those of groups such as `law` with both words.
fn commands(folder: &Path) -> Vec<String> {
    let listed = |words: &[&str]| -> Vec<String> {
        let output = gelenk(folder, &[words, &["--help"]].concat());
        let help = String::from_utf8(output.stdout).unwrap();
        let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let names = lines.take_while(|line| line.starts_with("  ")).filter_map(|line| {
            let name = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
            name.split(' ').next().map(str::to_owned)
        });
        names.filter(|name| name != "help").collect()
    };
    let mut found = Vec::new();
    for name in listed(&[]) {
        match listed(&[&name]) {
            inner if inner.is_empty() => found.push(name),
            inner => found.extend(inner.iter().map(|action| format!("{name} {action}"))),
        }
    }
    found
}

/// A command that is added later needs a test here and a section of the book; only `completions` refuses `--json`.
#[test]
fn every_command_is_tested_here() {
    let folder = tempfile::tempdir().unwrap();
    let all = commands(folder.path());
    assert!(all.len() > 40 && all.contains(&"law run".to_owned()), "{all:?}");
    let tests = include_str!("json.rs");
    let page = std::fs::read_to_string(root().join("docs/src/json.md")).unwrap();
    for name in all.iter().filter(|name| *name != "completions") {
        let words = name.split(' ').map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
        let called = [format!("[{words},"), format!("[{words}]"), format!("[\n        {words},")];
        assert!(called.iter().any(|call| tests.contains(call)), "`{name}` has no test with --json");
        assert!(page.contains(&format!("\n## `{name}`\n")), "docs/src/json.md has no section ## `{name}`");
    }
    let refused = gelenk(folder.path(), &["completions", "bash", "--json"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
}

/// A document that is cut short does not pass the tool.
#[test]
fn python_refuses_what_is_no_document() {
    if through_python(b"{}").is_some() {
        assert!(std::panic::catch_unwind(|| through_python(b"{\"ok\": tru")).is_err());
    }
}

/// Models: what they are, and what they do.
#[test]
fn models_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let made = document(at, &["new", "swing", "--template", "pendulum"]);
    described(&["new", "swing"], &made);
    assert_eq!(made["result"]["model"], "swing/model.toml");
    let run = agrees(at, &["run", "swing/model.toml", "--plot", "phi"]);
    // The damped pendulum of the README: phi(5 s) = -0.6642 rad.
    assert_eq!(run["result"]["recording"]["path"], "runs/swing.parquet");
    near(&run["result"]["time"], 5.0, 0.0);
    let info = agrees(at, &["info", "runs/swing.parquet"]);
    let phi = info["result"]["columns"].as_array().unwrap().iter().find(|c| c["name"] == "phi").unwrap();
    near(&phi["last"], -0.6642, 1e-4);
    agrees(at, &["run", &case("stick-slip/model.toml"), "--until", "0.1 s", "-o", "s.parquet"]);
    let list = agrees(at, &["parameters", "swing/model.toml"]);
    assert!(list["result"]["parameters"].as_array().unwrap().iter().any(|p| p["path"] == "gravity.z"));
    let still = agrees(at, &["equilibrium", "swing/model.toml"]);
    near(&still["result"]["values"][0]["value"], 0.0, 0.0);
    let linear = agrees(at, &["linearise", "swing/model.toml"]);
    // A rod of length 0.25 m on a hinge: sqrt(3 g/(2 l)) / (2 pi), and the radius of the rod changes the fourth digit.
    near(
        &linear["result"]["modes"][0]["frequency"],
        (1.5 * 9.81 / 0.25f64).sqrt() / std::f64::consts::TAU,
        1e-3,
    );
    agrees(at, &["check", "swing/model.toml", &case("seams/model.toml"), &case("seams/case.toml")]);
    agrees(at, &["check", "--formulations", &case("four-bar/model.toml")]);
    agrees(at, &["matrices", "swing/model.toml"]);
    agrees(at, &["kinematics", "swing/model.toml"]);
    agrees(at, &["inverse", "swing/model.toml", "--motion", "runs/swing.parquet"]);
    agrees(at, &["kinematics", "swing/model.toml", "--motion", "runs/swing.parquet", "--plot"]);
    agrees(at, &["matrices", "swing/model.toml", "--motion", "runs/swing.parquet"]);
    let schema = document(at, &["schema", "study"]);
    described(&["schema"], &schema);
    let plain: Value = serde_json::from_slice(&gelenk(at, &["schema", "study"]).stdout).unwrap();
    assert_eq!(plain, schema["result"]["schema"]);
}

/// Studies: fits, inverse kinematics and dynamics, rigs, cases.
#[test]
fn studies() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fit = agrees(at, &["fit", &case("fit-friction/study.toml"), "-o", "fit.parquet"]);
    // The value that the log was made with.
    near(&fit["result"]["parameters"][0]["value"], 0.02, 1e-6);
    let two = agrees(at, &["fit", &case("fit-two-logs/study.toml"), "-o", "two.parquet"]);
    assert_eq!(two["result"]["logs"].as_array().map(Vec::len), Some(2));
    assert!(at.join("two-1.parquet").is_file() && at.join("two-2.parquet").is_file());
    let map =
        agrees(at, &["sweep", &case("bounce-map/study.toml"), "-o", "map.parquet", "--picture", "map.svg"]);
    assert_eq!(map["result"]["completed"], 81);
    agrees(at, &["ik", &case("ik-planar-arm/study.toml"), "--plot"]);
    agrees(at, &["inverse", &case("four-bar-drive/study.toml")]);
    let cases = agrees(at, &["case", "run", &case("pendulum"), &case("free-body")]);
    assert_eq!(cases["result"]["passed"], 2);
    agrees(at, &["case", "list", "--folder", &case("")]);
    agrees(at, &["case", "show", &case("pendulum")]);
    agrees(at, &["case", "gallery", "-o", "gallery", &case("pendulum")]);
    agrees(at, &["law", "run", &case("stick-slip-coarse/rig.toml"), "--plot"]);
}

/// Laws and elements.
#[test]
fn laws_and_elements() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    agrees(at, &["law", "list"]);
    agrees(at, &["law", "show", "lugre"]);
    agrees(at, &["law", "show", "gms"]);
    agrees(at, &["law", "map", "lugre", "coulomb", "viscous"]);
    agrees(at, &["law", "diagnose", "lugre", "coulomb"]);
    agrees(at, &["law", "plot", "dahl", "-o", "dahl.svg"]);
    agrees(at, &["law", "suggest", "--step", "10 ms", "--mass", "0.1 kg", "--coulomb", "1 N"]);
    agrees(at, &["element", "list"]);
    agrees(at, &["element", "show", "bushings"]);
    agrees(at, &["element", "book"]);
}

/// Meshes and contacts.
#[test]
fn meshes_and_contacts() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let ball =
        agrees(at, &["mesh", "make", "icosphere", "--radius", "10 cm", "--depth", "2", "-o", "ball.obj"]);
    assert_eq!(ball["result"]["triangles"], 320);
    let info = agrees(at, &["mesh", "info", "ball.obj"]);
    assert_eq!(info["result"]["closed"], true);
    std::fs::write(at.join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n").unwrap();
    agrees(at, &["mesh", "check", "ball.obj", "open.obj"]);
    agrees(at, &["mesh", "repair", "ball.obj", "-o", "new.ply", "--decimate", "100"]);
    let wheel = case("wheel-bounce/model.toml");
    let sweep = [
        "contact", "sweep", &wheel, "--over", "height", "--from", "300 mm", "--to", "290 mm", "--poses", "21",
    ];
    agrees(at, &sweep);
    agrees(at, &["contact", "advise", &wheel]);
}

/// Recordings: looked at, drawn, exported, recovered.
#[test]
fn recordings() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = gelenk(at, &["run", &case("seams/model.toml"), "--until", "0.1 s", "-o", "seams.parquet"]);
    assert!(run.status.success(), "{}", text(&run));
    agrees(at, &["info", "seams.parquet"]);
    agrees(at, &["plot", "seams.parquet", "-c", "theta"]);
    agrees(at, &["render", "seams.parquet", "-o", "seams.png", "--size", "120x80"]);
    agrees(at, &["recover", "seams.parquet"]);
    agrees(at, &["report", "seams.parquet"]);
    let table = agrees(at, &["export", "seams.parquet", "-c", "theta"]);
    assert_eq!(table["result"]["columns"][1]["unit"], "rad");
    // A row every 5 ms.
    assert_eq!(table["result"]["columns"][0]["values"].as_array().unwrap().len(), 21);
    described(&["export"], &document(at, &["export", "seams.parquet", "-o", "seams.csv"]));
    let head = agrees(at, &["kinematics", &case("pedestrian-head/study.toml"), "-o", "head.parquet"]);
    assert!(head["result"]["recording"]["rows"].as_u64().unwrap() > 10);
    agrees(at, &["injury", "head.parquet", "--of", "frames.skull"]);
}

/// Robots: the model is in the document, or in its file.
#[test]
fn conversions() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let robot = root().join("crates/gelenk-import/tests/import/gripper.urdf").display().to_string();
    let converted = document(at, &["convert", &robot]);
    described(&["convert"], &converted);
    assert!(converted["result"]["model"].as_str().unwrap().contains("[bodies."), "{converted:#}");
    let printed = gelenk(at, &["convert", &robot]);
    assert_eq!(
        String::from_utf8_lossy(&printed.stdout).trim_end(),
        converted["result"]["model"].as_str().unwrap().trim_end()
    );
    described(&["convert"], &document(at, &["convert", &robot, "-o", "robot.toml"]));
    let knee = case("knee-four-bar/model.toml");
    let spline =
        ["--spline", "knee", "--over", "turn", "--from", "-130 deg", "--to", "0 deg", "-o", "knee.toml"];
    described(&["convert"], &document(at, &[&["convert", &knee], &spline[..]].concat()));
}

/// What fails or is refused has a document, too, with what was printed on standard error.
#[test]
fn failures() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let missing = document(at, &["run", "nowhere.toml"]);
    assert_eq!(
        (&missing["ok"], &missing["exit_code"], &missing["result"]),
        (&false.into(), &1.into(), &Value::Null)
    );
    assert!(missing["errors"][0].as_str().unwrap().contains("there is no such file"), "{missing:#}");
    let model = case("stick-slip/model.toml");
    let wrong = document(at, &["run", &model, "--until", "2 m"]);
    assert_eq!(wrong["exit_code"], 2);
    // A spring that the step of the method cannot follow: the run ends, and its energy shows that it is worthless.
    let text = "schema = 1\ngravity = [0, 0, 0]\n[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\ntype = \"prismatic\"\nparent = \"ground\"\n\
                child = \"b\"\naxis = [1, 0, 0]\ncoordinate = { name = \"x\", start = 1, spring = { stiffness = 1e6 } }\n\
                [simulate]\nuntil = \"0.1 s\"\noutput = \"10 ms\"\nsolver = { method = \"heun\", step = \"10 ms\" }\n";
    std::fs::write(at.join("stiff.toml"), text).unwrap();
    let failed = document(at, &["run", "stiff.toml"]);
    assert_eq!((&failed["exit_code"], &failed["result"]["completed"]), (&1.into(), &true.into()));
    assert!(!failed["errors"].as_array().unwrap().is_empty(), "{failed:#}");
    described(&["run"], &failed);
}

/// `view` prints its document before it serves.
#[test]
fn views() {
    use std::io::Read;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = gelenk(at, &["run", &case("pendulum/model.toml"), "--until", "0.1 s", "-o", "p.parquet"]);
    assert!(run.status.success(), "{}", text(&run));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_gelenk"))
        .current_dir(at)
        .args(["view", "p.parquet", "--no-open", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = String::new();
    let mut byte = [0];
    let out = child.stdout.as_mut().unwrap();
    // The document ends with a bracket at the beginning of a line.
    while !printed.ends_with("\n}\n") && out.read(&mut byte).unwrap() == 1 {
        printed.push(char::from(byte[0]));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let document: Value = serde_json::from_str(&printed).unwrap();
    if document["errors"][0].as_str().is_some_and(|error| error.contains("does not contain the page")) {
        println!("skipped: `gelenk view --json`, because the program was built without the page");
        return;
    }
    described(&["view"], &document);
    assert!(document["result"]["address"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{document:#}");
}
