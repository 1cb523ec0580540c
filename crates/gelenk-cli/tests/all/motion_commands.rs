//! Kinematics, inverse dynamics and inverse kinematics as a person types them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gelenk_record::Recording;

fn case(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(name).display().to_string()
}

fn gelenk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gelenk")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn works(folder: &Path, arguments: &[&str]) -> String {
    let output = gelenk(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    text(&output)
}

fn write(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn read(path: &Path) -> Recording {
    gelenk_io::read(path).unwrap()
}

/// A double pendulum with springs and drives, a free box, and no loops.
const MODEL: &str = r#"
schema  = 1
gravity = [0, 0, -9.81]
[bodies.arm]
mass = "1 kg"
centre = [0, 0, "-0.2 m"]
inertia = [0.02, 0.02, 0.01]
[bodies.tip]
mass = "0.5 kg"
centre = [0, 0, "-0.1 m"]
inertia = [0.004, 0.005, 0.003]
[bodies.box]
mass = "2 kg"
inertia = [0.02, 0.03, 0.04]
[joints.shoulder]
type = "revolute"
parent = "ground"
child = "arm"
axis = [0, 1, 0]
coordinate = { name = "phi", start = "40 deg" }
friction = { law = "viscous", viscous = "0.1 N m s/rad" }
[joints.wrist]
type = "ball"
parent = "arm"
child = "tip"
position = [0, 0, "-0.4 m"]
start = { angular_velocity = [1, 0.5, 2] }
[joints.flight]
type = "free"
parent = "ground"
child = "box"
start = { position = [1, 0, 0], velocity = [0.5, 0, 3], angular_velocity = [1, 3, 0.2] }
[frames.end]
body = "tip"
position = [0, 0, "-0.2 m"]
[drives.motor]
on = "phi"
torque = "2 [N m]*cos(3 [rad/s]*t)"
[simulate]
until = "0.5 s"
output = "2 ms"
solver = { method = "dopri5", rtol = 1e-10, atol = 1e-10 }
"#;

/// ST-R25, ST-R26: a run is recorded; inverse dynamics along the recording returns the drive, exactly where the
/// recording holds accelerations and to the precision of splines where it does not; kinematics agree with the run.
#[test]
fn recordings_of_runs_are_motions() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "model.toml", MODEL);
    works(at, &["run", "model.toml", "--accelerations", "--reactions", "-o", "full.parquet"]);
    works(at, &["run", "model.toml", "-o", "plain.parquet"]);
    let study = |file: &str, derivatives: &str| {
        format!(
            "schema = 1\nkind = \"inverse-dynamics\"\nmodel = \"model.toml\"\n\
             motion = {{ file = \"{file}\", derivatives = \"{derivatives}\" }}\ninverse = {{ drives = \"solve\" }}\n"
        )
    };
    // Largest error of the drive in the middle; splines are weaker at their ends.
    for (file, derivatives, tolerance) in [
        ("full.parquet", "recorded", 1e-9),
        ("plain.parquet", "recorded", 1e-4),
        ("full.parquet", "spline", 2e-2),
    ] {
        write(at, "study.toml", &study(file, derivatives));
        works(at, &["inverse", "study.toml", "-o", "out.parquet", "--plot"]);
        let found = read(&at.join("out.parquet"));
        let drives = found.column("drives.phi").unwrap();
        for (t, drive) in found.time().iter().zip(drives).filter(|(t, _)| (0.05..0.45).contains(*t)) {
            let expected = 2.0 * (3.0 * t).cos();
            assert!((drive - expected).abs() < tolerance, "{file} {derivatives} at {t}: {drive} {expected}");
        }
    }
    // Wrenches are those of the run.
    write(at, "study.toml", &study("full.parquet", "recorded"));
    works(at, &["inverse", "study.toml", "-o", "out.parquet"]);
    let (run, found) = (read(&at.join("full.parquet")), read(&at.join("out.parquet")));
    for part in ["fx", "fz", "my"] {
        let expected = run.column(&format!("reactions.shoulder.{part}")).unwrap();
        let obtained = found.column(&format!("joints.shoulder.wrench.{part}")).unwrap();
        assert!(expected.iter().zip(obtained).all(|(e, o)| (e - o).abs() < 1e-9), "{part}");
    }
    // The same without a study.
    works(at, &["inverse", "model.toml", "--motion", "full.parquet", "-o", "direct.parquet"]);
    assert!(
        read(&at.join("direct.parquet")).column("drives.phi").unwrap() == found.column("drives.phi").unwrap()
    );
    // The drive of a hinge stands along its axis; the reaction has no part there.
    assert!(found.column("joints.shoulder.reaction.my").unwrap().iter().all(|m| m.abs() < 1e-12));

    write(
        at,
        "kin.toml",
        "schema = 1\nkind = \"kinematics\"\nmodel = \"model.toml\"\nmotion = { file = \"full.parquet\" }\n\
         record = [\"end\", \"box\"]\n",
    );
    works(at, &["kinematics", "kin.toml", "-o", "kin.parquet", "--plot"]);
    let kin = read(&at.join("kin.parquet"));
    for (name, other) in [("energy.kinetic", "energy.kinetic"), ("bodies.box.x", "flight.x")] {
        let (a, b) = (kin.column(name).unwrap(), run.column(other).unwrap());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{name}");
    }
    // A free box falls with gravity, whatever it does else.
    assert!(kin.column("bodies.box.az").unwrap().iter().all(|a| (a + 9.81).abs() < 1e-9));
}

/// Expressions of time, quaternions included: a turn about x at 1 rad/s, written with a quaternion of any length.
#[test]
fn expressions_give_motions_with_exact_derivatives() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "model.toml", MODEL);
    write(
        at,
        "kin.toml",
        r#"
schema = 1
kind   = "kinematics"
model  = "model.toml"
until  = "1 s"
output = "0.1 s"
[motion.values]
phi = "0.5 rad*sin(2 [rad/s]*t)"
"flight.z"  = "1 m - 3 [m/s^2]*t^2"
"flight.qw" = "(2 + t/(1 s))*cos(0.5 [rad/s]*t)"
"flight.qx" = "(2 + t/(1 s))*sin(0.5 [rad/s]*t)"
"flight.qy" = 0
"flight.qz" = 0
"#,
    );
    let said = works(at, &["kinematics", "kin.toml", "-o", "kin.parquet"]);
    assert!(said.contains("not given   wrist.qw"), "{said}");
    let kin = read(&at.join("kin.parquet"));
    assert_eq!(kin.len(), 11);
    for (k, &t) in kin.time().iter().enumerate() {
        for (name, expected) in [
            ("phi.rate", (2.0 * t).cos()),
            ("phi.acceleration", -2.0 * (2.0 * t).sin()),
            ("joints.flight.wx", 1.0),
            ("joints.flight.vz", -6.0 * t),
            ("bodies.box.wx", 1.0),
            ("bodies.box.wy", 0.0),
            ("bodies.box.alphax", 0.0),
            ("bodies.box.z", 1.0 - 3.0 * t * t),
            ("bodies.box.vz", -6.0 * t),
            ("bodies.box.az", -6.0),
        ] {
            let value = kin.column(name).unwrap()[k];
            assert!((value - expected).abs() < 1e-12, "{name} at {t}: {value} {expected}");
        }
    }
}

/// A model without a study shows its start, and mistakes are answered with the way out.
#[test]
fn mistakes_are_answered_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "model.toml", MODEL);
    let said = works(at, &["kinematics", "model.toml"]);
    assert!(said.contains("frames") || said.contains("bodies.arm.x"), "{said}");
    let head = "schema = 1\nmodel = \"model.toml\"\n";
    let motion = "motion = { values = { phi = \"t*1 [rad/s]\" } }\nuntil = \"0.1 s\"\n";
    for (name, content, expected) in [
        (
            "a.toml",
            format!("{head}kind = \"kinematics\"\n{motion}record = [\"ende\"]\n"),
            "did you mean `end`?",
        ),
        (
            "b.toml",
            format!("{head}kind = \"kinematics\"\nmotion = {{ values = {{ phii = \"t\" }} }}\n"),
            "did you mean \"phi\"?",
        ),
        (
            "c.toml",
            format!("{head}kind = \"inverse-dynamics\"\n{motion}"),
            "gelenk kinematics needs \"kinematics\"",
        ),
        (
            "d.toml",
            format!("{head}kind = \"kinematics\"\nmotion = {{ file = \"no.parquet\" }}\n"),
            "no.parquet",
        ),
    ] {
        write(at, name, &content);
        let output = gelenk(at, &["kinematics", name]);
        assert!(!output.status.success() && text(&output).contains(expected), "{name}: {}", text(&output));
    }
    for (name, inverse, expected) in [
        ("e.toml", "{ driven = [\"pho\"] }", "did you mean `phi`?"),
        ("f.toml", "{ frame = \"wirst\" }", "the model has no frame or body \"wirst\""),
        ("g.toml", "{ driven = [\"phi\", \"flight\"] }", "a drive is missing on joint wrist.w"),
    ] {
        write(at, name, &format!("{head}kind = \"inverse-dynamics\"\n{motion}inverse = {inverse}\n"));
        let output = gelenk(at, &["inverse", name]);
        assert!(!output.status.success() && text(&output).contains(expected), "{name}: {}", text(&output));
    }
    // A simulation is no study of another kind, and the other way round.
    let output = gelenk(at, &["run", "g.toml"]);
    assert!(text(&output).contains("run it with: gelenk inverse g.toml"), "{}", text(&output));
}

/// A target out of reach: the exit code tells, and the message says how near it came and which task is worst.
#[test]
fn a_target_out_of_reach_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model = case("ik-planar-arm") + "/model.toml";
    let study = format!(
        "schema = 1\nkind = \"inverse-kinematics\"\nmodel = '{model}'\nik = {{ iterations = 50 }}\n\
         [[tasks]]\ntype = \"position\"\nof = \"hand\"\nposition = [0, \"1.5 m\", 0]\n\
         [[tasks]]\ntype = \"coordinate\"\nof = \"q6\"\nvalue = \"0 deg\"\n"
    );
    write(at, "far.toml", &study);
    let output = gelenk(at, &["ik", "far.toml", "-o", "far.parquet", "--plot"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(said.contains("task \"hand\" is off by 3.000e-1"), "{said}");
    assert!(at.join("far.svg").is_file());
    // The check knows the names of the model, too.
    write(at, "wrong.toml", &study.replace("\"q6\"", "\"q7\""));
    let output = gelenk(at, &["check", "far.toml", "wrong.toml"]);
    assert!(text(&output).contains("did you mean \"q"), "{}", text(&output));
}

/// The first complete example of a page of the book whose first line names `file`.
fn example(page: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let found = blocks.into_iter().find(|block| block.starts_with(&format!("# {file}")));
    found.unwrap().to_owned()
}

/// The studies of the book run on the model of the book.
#[test]
fn the_studies_of_the_book_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "pendulum.toml", &example("model-file.md", "pendulum.toml"));
    for (page, file, command) in [
        ("kinematics.md", "reach.toml", "kinematics"),
        ("inverse-dynamics.md", "lift.toml", "inverse"),
        ("inverse-kinematics.md", "point.toml", "ik"),
    ] {
        write(at, file, &example(page, file));
        works(at, &["check", file]);
        works(at, &[command, file, "--plot"]);
    }
    // The weight of the pendulum at its start: 0.15 kg at 0.25 m and 30 degrees, up to the friction at rest.
    let said = works(at, &["inverse", "pendulum.toml"]);
    assert!(said.contains("0.18393"), "0.15 * 9.81 * 0.25 * 0.5 = 0.1839375 N m: {said}");
}

/// ST-R28: a body bends down to reach far in front of its feet. Without bounds some joints leave the ranges of their
/// stops; with them every method reaches the targets inside of all ranges.
#[test]
fn bounds_keep_joints_in_their_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let model = case("ik-human") + "/model.toml";
    let ranges = [
        ("ankle", -40.0, 20.0),
        ("knee", -130.0, 0.0),
        ("hip_flexion", -20.0, 120.0),
        ("shoulder_flexion", -60.0, 155.0),
        ("elbow", 0.0, 145.0),
        ("subtalar", -20.0, 20.0),
    ];
    let methods = ["minimize", "near-start", "least-step", "few-joints"];
    let mut outside = [0, 0];
    for (k, bounds) in ["none", "stops"].into_iter().enumerate() {
        let study = format!(
            "schema = 1\nkind = \"inverse-kinematics\"\nmodel = '{model}'\n\
             ik = {{ method = {methods:?}, tolerance = 1e-8, bounds = \"{bounds}\", step = 0.3 }}\n\
             tasks = [{{ type = \"frame\", of = \"foot_r\", hold = true }}, \
             {{ type = \"frame\", of = \"foot_l\", hold = true }}, \
             {{ type = \"position\", of = \"grip_r\", position = [0.5, 0.3, 0.2] }}, \
             {{ type = \"position\", of = \"grip_l\", position = [0.5, 0.3, -0.2] }}]\n"
        );
        write(at, "study.toml", &study);
        works(at, &["ik", "study.toml", "-o", "out.parquet"]);
        let found = read(&at.join("out.parquet"));
        for method in methods {
            assert!(found.column(&format!("{method}.ik.residual")).unwrap()[0] < 1e-8, "{method}");
            for (name, lower, upper) in ranges {
                for side in ["r", "l"] {
                    let degrees = found.column(&format!("{method}.{name}_{side}")).unwrap()[0].to_degrees();
                    let inside = (lower - 1e-9..=upper + 1e-9).contains(&degrees);
                    outside[k] += if inside { 0 } else { 1 };
                }
            }
        }
    }
    assert!(outside[0] > 0 && outside[1] == 0, "{outside:?}");
}
