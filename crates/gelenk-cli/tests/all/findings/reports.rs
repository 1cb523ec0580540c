//! What commands say about their answers.

use std::path::Path;

use tempfile::TempDir;

use super::support::{gelenk, run, text};

const PENDULUM: &str = r#"
    schema = 1
    gravity = [0, 0, -9.81]
    bodies.a = { mass = 2, centre = [0, 0, -0.5], inertia = [0.1, 0.1, 0.1] }
    joints.j = { type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = { name = "q", start = "0.9 rad" } }
    simulate = { until = 2, output = "10 ms", solver = { method = "dopri5", rtol = 1e-9, atol = 1e-9 } }
"#;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn works(folder: &Path, arguments: &[&str]) -> String {
    let output = gelenk(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    text(&output)
}

/// A curve that is left beyond its ends is named, with the time and how far, in a run and along a motion. One that is not left
/// is not.
#[test]
fn curves_that_are_left_are_named() {
    let model = |from: f64| {
        format!(
            "{PENDULUM}\ncurves.pull = {{ x = [\"{from} rad\", \"0 rad\", \"1 rad\", \"2 rad\"], y = [\"0 N m\", \"0 N m\", \"1 N m\", \"0 \
             N m\"] }}\ndrives.d = {{ on = \"q\", torque = \"-0.1*pull(q)\" }}\n"
        )
    };
    let folder = folder(&[("left.toml", &model(-0.5)), ("inside.toml", &model(-2.0))]);
    let at = folder.path();
    let printed = works(at, &["run", "left.toml", "-o", "run.parquet"]);
    assert!(
        printed.contains("the argument of curve pull leaves its range, -0.5 to 2, at t = 0."),
        "{printed}"
    );
    for command in ["kinematics", "inverse"] {
        let printed = works(at, &[command, "left.toml", "--motion", "run.parquet", "-o", "out.parquet"]);
        assert!(
            printed.contains("the argument of curve pull leaves its range, -0.5 to 2, at t = 0."),
            "{command}: {printed}"
        );
    }
    let printed = works(at, &["run", "inside.toml", "-o", "run.parquet"]);
    assert!(!printed.contains("is left"), "{printed}");
}

/// Outputs that are not numbers are named, and a start that is not finite is refused.
#[test]
fn numbers_that_are_none_are_named() {
    let model = format!("{PENDULUM}\noutputs.bad = \"ln(q/1 [rad])\"\noutputs.good = \"q\"\n");
    let folder = folder(&[("model.toml", &model)]);
    let printed = works(folder.path(), &["run", "model.toml", "-o", "run.parquet"]);
    assert!(
        printed.contains("output bad is not a number in") && !printed.contains("output good is"),
        "{printed}"
    );
    let infinite = format!("parameters.z = 0\n{}", PENDULUM.replace("\"0.9 rad\"", "\"1 rad/z\""));
    let error = run(&infinite).unwrap_err();
    assert!(error.contains("this number is infinite"), "{error}");
}

/// The range of the drives leaves the ends of a filtered motion out: with `q = sin(2 t)` they need at most
/// `9.81 sin(1) + 0.6*4 N m`; the printed range had what the filter makes of the ends.
#[test]
fn ends_of_filtered_motions_are_left_out() {
    let rows: String =
        (0..=400).map(|k| format!("{},{}\n", 0.01 * f64::from(k), (0.02 * f64::from(k)).sin())).collect();
    let study = "schema = 1\nkind = \"inverse-dynamics\"\nmodel = \"model.toml\"\n\
                 motion = { file = \"log.csv\", columns = [{ of = \"q\" }], smooth = \"6 Hz\" }\nuntil = 9\n";
    let folder =
        folder(&[("model.toml", PENDULUM), ("log.csv", &format!("t,q\n{rows}")), ("study.toml", study)]);
    let printed = works(folder.path(), &["inverse", "study.toml", "-o", "out.parquet"]);
    assert!(printed.contains("range       0.17 s to 3.83 s"), "{printed}");
    assert!(printed.contains("note: the motion ends at 4 s, before \"until\" = 9 s"), "{printed}");
    let drives = printed.lines().find(|line| line.trim_start().starts_with("drives.q")).unwrap();
    let numbers: Vec<f64> = drives.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let largest = (0..4000).map(|k| 0.001 * f64::from(k)).filter(|t| (0.17..=3.83).contains(t)).map(|t| {
        let q = (2.0 * t).sin();
        9.81 * q.sin() - 2.4 * q
    });
    let largest = largest.fold(0.0f64, f64::max);
    assert!((numbers[1] - largest).abs() < 0.02 * largest, "{drives} {largest}");
}

/// What is left of a position is the distance, not its largest component: an arm of 1 m reaches for (3, 4, 0) m and is left by 4 m.
#[test]
fn tasks_are_left_by_a_distance() {
    let model = "schema = 1\ngravity = [0, 0, 0]\nbodies.a = { mass = 1, inertia = [1, 1, 1] }\n\
                 joints.j = { type = \"revolute\", parent = \"ground\", child = \"a\", axis = [0, 0, 1], coordinate = { name = \"q\", \
                 start = 0.2 } }\nframes.tip = { body = \"a\", position = [1, 0, 0] }\n";
    let study = "schema = 1\nkind = \"inverse-kinematics\"\nmodel = \"model.toml\"\n\
                 ik = { method = \"minimize\" }\ntasks = [{ type = \"position\", of = \"tip\", position = [3, 4, 0], name = \"reach\" }]\n";
    let folder = folder(&[("model.toml", model), ("study.toml", study)]);
    let printed = text(&gelenk(folder.path(), &["ik", "study.toml", "-o", "out.parquet"]));
    let recording = gelenk_io::read(&folder.path().join("out.parquet")).unwrap();
    let left = recording.column("tasks.reach").unwrap()[0];
    assert!((left - 4.0).abs() < 1e-6, "{left} {printed}");
}

/// Two recordings whose columns have different units have no common axis.
#[test]
fn units_of_the_axis_must_agree() {
    let model = |unit: &str| format!("{PENDULUM}\noutputs.o = \"q*1 [{unit}]\"\n");
    let folder = folder(&[("a.toml", &model("m")), ("b.toml", &model("kg"))]);
    for name in ["a", "b"] {
        works(folder.path(), &["run", &format!("{name}.toml"), "-o", &format!("{name}.parquet")]);
    }
    let output = gelenk(folder.path(), &["plot", "a.parquet", "b.parquet", "-x", "o", "-c", "q"]);
    assert!(
        !output.status.success() && text(&output).contains("one axis cannot show both"),
        "{}",
        text(&output)
    );
}

/// The effort of a coupling is J per unit of its equation; its unit was "1".
#[test]
fn efforts_of_couplings_have_units() {
    let text = |equation: &str| {
        format!(
            "schema = 1\ngravity = [0, 0, 0]\n[parameters]\nradius = \"0.1 m\"\n[bodies.wheel]\nmass = 1\ninertia = [1, 1, 1]\n[bodies.rack]\n\
             mass = 1\ninertia = [0, 0, 0]\n[joints.w]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"wheel\"\ncoordinate = \"phi\"\n\
             [joints.r]\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"rack\"\ncoordinate = \"x\"\n\
             [loops.mesh]\ntype = \"coupling\"\nequation = \"{equation}\"\n[simulate]\nuntil = 0.01\noutput = 0.01\n\
             solver = {{ method = \"rk4\", step = 0.01 }}\n"
        )
    };
    for (equation, unit) in
        [("x - radius*phi", "N"), ("phi - x/radius", "N m"), ("x^2 - radius*x*phi", "N/m")]
    {
        let (recording, _) = super::support::run(&text(equation)).unwrap();
        let column = recording.columns().iter().find(|c| c.name == "loops.mesh.effort").unwrap();
        assert_eq!(column.unit, unit, "{equation}");
    }
}
