//! Inverse dynamics and kinematics along a motion see every instant as a run sees it.

use std::path::Path;

use gelenk_record::Recording;
use tempfile::TempDir;

use super::support::{gelenk, run, text};

/// Files of a study in a folder.
struct Study(TempDir);

impl Study {
    fn new(model: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.toml"), model).unwrap();
        Self(folder)
    }

    fn works(&self, arguments: &[&str]) -> String {
        let output = gelenk(self.0.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output));
        text(&output)
    }

    fn read(&self, name: &str) -> Recording {
        gelenk_io::read(Path::new(&self.0.path().join(name))).unwrap()
    }

    /// Runs the model, then a study of a kind along its recording, with more lines.
    fn along_run(&self, command: &str, kind: &str, more: &str) -> [Recording; 2] {
        self.works(&["run", "model.toml", "-o", "run.parquet", "--accelerations"]);
        self.study(command, kind, &format!("motion = {{ file = \"run.parquet\" }}\n{more}"));
        [self.read("run.parquet"), self.read("out.parquet")]
    }

    fn study(&self, command: &str, kind: &str, more: &str) -> String {
        let study = format!("schema = 1\nkind = \"{kind}\"\nmodel = \"model.toml\"\n{more}");
        std::fs::write(self.0.path().join("study.toml"), study).unwrap();
        self.works(&[command, "study.toml", "-o", "out.parquet"])
    }

    /// Drives that the motion of a run needs beside those of the model, over its rows: none, where everything is right.
    fn left(&self) -> Vec<f64> {
        let [_, out] = self.along_run("inverse", "inverse-dynamics", "inverse = { drives = \"apply\" }\n");
        let drives: Vec<Vec<f64>> = out
            .columns()
            .iter()
            .filter(|c| c.name.starts_with("drives."))
            .map(|c| out.column(&c.name).unwrap().to_vec())
            .collect();
        let rows = 0..drives[0].len();
        rows.map(|k| drives.iter().fold(0.0f64, |max, drive| max.max(drive[k].abs()))).collect()
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |max, x| max.max(x.abs()))
}

fn root_mean_square(x: &[f64]) -> f64 {
    (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64).sqrt()
}

/// A driven double pendulum with friction in its first joint, rows every `output` ms, and more tables.
fn double(friction: &str, output: f64, more: &str) -> String {
    format!(
        r#"
        schema = 1
        gravity = [0, 0, -9.81]
        bodies.a = {{ mass = 2, centre = [0, 0, -0.5], inertia = [0.1, 0.1, 0.1] }}
        bodies.b = {{ mass = 1, centre = [0, 0, -0.3], inertia = [0.05, 0.05, 0.05] }}
        joints.j = {{ type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = {{ name = "q", start = 0.8 }}, friction = {{ {friction} }} }}
        joints.k = {{ type = "revolute", parent = "a", child = "b", position = [0, 0, -1], axis = [0, 1, 0], coordinate = {{ name = "p", start = -0.4 }} }}
        drives.d = {{ on = "q", torque = "12 [N m]*sin(3 [1/s]*t)" }}
        simulate = {{ until = 3, output = "{output} ms", solver = {{ method = "dopri5", rtol = 1e-10, atol = 1e-10 }} }}
        {more}
        "#
    )
}

/// A pendulum of 2 kg with more lines in its joint, rows every 10 ms.
fn pendulum(joint: &str, more: &str) -> String {
    format!(
        r#"
        schema = 1
        gravity = [0, 0, -9.81]
        bodies.a = {{ mass = 2, centre = [0, 0, -0.5], inertia = [0.1, 0.1, 0.1] }}
        joints.j = {{ type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = {{ name = "q", start = "0.9 rad" }} {joint} }}
        simulate = {{ until = 3, output = "10 ms", solver = {{ method = "dopri5", rtol = 1e-9, atol = 1e-9 }} }}
        {more}
        "#
    )
}

/// The memory of friction laws follows the motion: at rows of 10 ms the drive was off by 0.35 and 0.53 N m, and the error was
/// of first order. Four times more rows make it at least sixteen times smaller.
#[test]
fn memory_follows_the_motion() {
    let laws = [
        "law = \"dahl\", coulomb = 1, sigma0 = 200",
        "law = \"maxwell-slip\", stiffness = [100, 40], level = [0.6, 0.5]",
        "law = \"lugre\", coulomb = 1, breakaway = 1.5, stribeck = 0.1, sigma0 = 300, sigma1 = 2, viscous = 0.1",
        "law = \"mms\", coulomb = 1, steepness = 25",
        "law = \"play\", stiffness = 20, radius = 0.01",
    ];
    for law in laws {
        let coarse = largest(&Study::new(&double(law, 10.0, "")).left());
        let fine = largest(&Study::new(&double(law, 2.5, "")).left());
        assert!(coarse < 2e-3 && fine < coarse / 16.0, "{law}: {coarse} {fine}");
    }
}

/// Switches turn along the motion, as they did in the run: the drive was off by the 5 N of the force.
#[test]
fn switches_turn() {
    let more = "switches.w = { on = \"q < 0.2 rad\", off = \"q > 0.4 rad\" }\n\
                forces.f = { on = \"b\", force = [\"5 N*w\", 0, 0] }";
    let study = Study::new(&double("law = \"viscous\", viscous = 0.1", 5.0, more));
    assert!(largest(&study.left()) < 1e-10);
    let [run, out] = study.along_run("kinematics", "kinematics", "");
    assert_eq!(run.column("w").unwrap(), out.column("w").unwrap());
    assert!(run.column("w").unwrap().contains(&1.0));
    study.study("kinematics", "kinematics", "motion = { simulate = true }\n");
    assert_eq!(run.column("w").unwrap(), study.read("out.parquet").column("w").unwrap());
}

/// Friction that is set-valued has the direction of the velocity in each row, and at rest it holds what it can: the pendulum
/// that is not driven needs no drive in any row. The first row of the run has the friction of sliding, too.
#[test]
fn dry_friction_has_the_direction_of_its_row() {
    let frictions = [
        "law = \"coulomb\", coulomb = \"2 N m\"",
        "law = \"stribeck\", coulomb = 1.5, breakaway = 2, stribeck = 0.2",
        "law = \"karnopp\", coulomb = 2, band = 0.01",
        "law = \"coulomb\", coulomb = 1.8, breakaway = 2.2",
    ];
    for friction in frictions {
        let study = Study::new(&pendulum(&format!(", friction = {{ {friction} }}"), ""));
        let left = study.left();
        assert!(largest(&left) < 1e-9, "{friction}: {left:?}");
        let run = study.read("run.parquet");
        let (speed, friction) = (run.column("q.rate").unwrap(), run.column("joints.j.friction").unwrap());
        let sliding = friction.iter().zip(speed).any(|(friction, v)| *v > 0.5 && *friction > 0.9);
        assert!(speed.last() == Some(&0.0) && sliding && friction[0].abs() < 2.1, "{friction:?}");
    }
}

/// A slide of 2 kg with 3 N of dry friction along `x = 0.3 m sin(2 t)`: the drive is `m a + 3 N sgn(v)` at all periods; it was off
/// by 6 N after every reversal.
#[test]
fn reversals_of_a_slide() {
    let study = Study::new(
        "schema = 1\ngravity = [0, 0, 0]\nbodies.a = { mass = 2, inertia = [0, 0, 0] }\n\
         joints.j = { type = \"prismatic\", parent = \"ground\", child = \"a\", axis = [1, 0, 0], coordinate = \
         { name = \"x\" }, friction = { law = \"coulomb\", coulomb = 3 } }\n\
         simulate = { until = 5, output = 0.01 }\n",
    );
    for output in ["10 ms", "200 ms", "500 ms"] {
        let motion = format!(
            "until = \"5 s\"\noutput = \"{output}\"\nmotion = {{ values = {{ x = \"0.3 m*sin(2 [rad/s]*t)\" }} }}\n"
        );
        study.study("inverse", "inverse-dynamics", &motion);
        let out = study.read("out.parquet");
        for (t, drive) in out.time().iter().zip(out.column("drives.x").unwrap()) {
            let expected = -2.4 * (2.0 * t).sin() + 3.0 * (2.0 * t).cos().signum();
            assert!((drive - expected).abs() < 1e-9, "{output}: {t} {drive} {expected}");
        }
    }
}

/// At rest friction carries what it can, and the drive the rest: 9.81 N m sin(0.9) with up to 2 N m, and with none below that.
#[test]
fn friction_holds_at_rest() {
    for (level, expected) in [(2.0, -(9.81 * 0.9f64.sin() - 2.0)), (8.0, 0.0)] {
        let joint = format!(", friction = {{ law = \"coulomb\", coulomb = {level} }}");
        let study = Study::new(&pendulum(&joint, ""));
        study.study(
            "inverse",
            "inverse-dynamics",
            "until = 1\noutput = 0.1\nmotion = { values = { q = \"0.9 rad\" } }\n",
        );
        for drive in study.read("out.parquet").column("drives.q").unwrap() {
            assert!((drive.abs() - f64::abs(expected)).abs() < 1e-9, "{level}: {drive} {expected}");
        }
    }
}

/// What rests on a limit needs no drive: it was given the 0.979 N m that the limit pushes with.
#[test]
fn limits_hold() {
    let joint = ", stop = { range = [0.1, 1], restitution = 0 }";
    let study = Study::new(&pendulum(joint, ""));
    assert!(largest(&study.left()) < 1e-9);
    let run = study.read("run.parquet");
    assert!((run.column("joints.j.stop").unwrap().last().unwrap() - 9.81 * 0.1f64.sin()).abs() < 1e-9);
}

/// Friction that a joint or a loop presses has the load of the motion. It was left out: 2.74 N m were missing.
#[test]
fn loads_are_those_of_the_motion() {
    let law = "law = \"regularised\", coulomb = 0.05, band = 0.01, normal = { joint = \"j\" }, nominal = 1";
    let study = Study::new(&double(law, 2.0, ""));
    let left = study.left();
    let friction = study.read("run.parquet");
    assert!(largest(friction.column("joints.j.friction").unwrap()) > 2.0);
    // Rows in which the load jumps, at reversals, follow it with the lag of 1 ms.
    assert!(root_mean_square(&left) < 2e-3 && largest(&left) < 0.05, "{}", largest(&left));
}

/// Sampled sensors and controllers act as in the run.
#[test]
fn controllers_run_along_the_motion() {
    let more = r#"
        sensors.s = { of = "q", period = "2 ms", delay = "3 ms", quantum = "1 mrad" }
        controllers.c = { type = "pi", period = "4 ms", measure = "s", target = "0.5 rad", kp = "5 N m/rad", ki = "8 N m/(rad s)" }
        drives.e = { on = "q", torque = "c" }
    "#;
    let study = Study::new(&pendulum(", friction = { law = \"viscous\", viscous = 0.2 }", more));
    let left = study.left();
    // A sample that falls on the edge of a quantum may come out either way.
    let off = left.iter().filter(|left| **left > 1e-9).count();
    assert!(off < 5, "{off} {left:?}");
    let [run, out] = study.along_run("kinematics", "kinematics", "");
    let (run, out) = (run.column("c").unwrap(), out.column("c").unwrap());
    assert!(run.iter().zip(out).filter(|(a, b)| (*a - *b).abs() > 1e-9).count() < 5);
}

/// `output` that asks for the samples of the recording keeps its derivatives; the drive was off by 0.155 N m. Other samples
/// are reported.
#[test]
fn same_samples_keep_their_derivatives() {
    let model = pendulum("", "").replace("10 ms", "100 ms");
    let study = Study::new(&model);
    for output in ["100 ms", "200 ms"] {
        let more = format!("output = \"{output}\"\ninverse = {{ drives = \"apply\" }}\n");
        let [_, out] = study.along_run("inverse", "inverse-dynamics", &more);
        assert!(largest(out.column("drives.q").unwrap()) < 1e-12, "{output}");
    }
    let printed = study.study(
        "inverse",
        "inverse-dynamics",
        "output = \"70 ms\"\nmotion = { file = \"run.parquet\" }\n",
    );
    assert!(printed.contains("requires other samples"), "{printed}");
}

/// Linear congruential numbers from 0 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A chain of one to three bodies with friction, stops, springs, drives and a switch.
fn random_chain(seed: u64) -> String {
    let mut n = Numbers(seed);
    for _ in 0..8 {
        n.next();
    }
    let count = 1 + (n.next() * 3.0) as usize;
    let laws = [
        "law = \"viscous\", viscous = 0.3",
        "law = \"coulomb\", coulomb = 1",
        "law = \"coulomb\", coulomb = 0.8, breakaway = 1.5",
        "law = \"stribeck\", coulomb = 0.8, breakaway = 1.3, stribeck = 0.2",
        "law = \"karnopp\", coulomb = 1, band = 0.01",
        "law = \"dahl\", coulomb = 1, sigma0 = 200",
        "law = \"lugre\", coulomb = 1, breakaway = 1.4, stribeck = 0.1, sigma0 = 300, sigma1 = 1, viscous = 0.1",
        "law = \"maxwell-slip\", stiffness = [100, 40], level = [0.6, 0.5]",
        "law = \"elasto-plastic\", coulomb = 1, breakaway = 1.3, stribeck = 0.1, sigma0 = 300, sigma1 = 1",
        "law = \"regularised\", coulomb = 0.05, band = 0.01, normal = { joint = \"jK\" }, nominal = 1",
    ];
    let mut text = String::from("schema = 1\ngravity = [0, 0, -9.81]\n");
    for k in 0..count {
        let slide = n.next() < 0.3;
        let law = laws[(n.next() * laws.len() as f64) as usize].replace('K', &k.to_string());
        let (kind, axis) = if slide { ("prismatic", "[1, 0, 0.2]") } else { ("revolute", "[0, 1, 0]") };
        let (word, effort, unit) = if slide { ("force", "N", "m") } else { ("torque", "N m", "rad") };
        let parent = if k == 0 { "ground".into() } else { format!("b{}", k - 1) };
        let stop = if n.next() < 0.4 {
            ", stop = { range = [-0.5, 0.5], stiffness = 300, damping = 1 }"
        } else {
            ""
        };
        text += &format!(
            "bodies.b{k} = {{ mass = {}, centre = [{}, 0, {}], inertia = [0.06, 0.07, 0.08] }}\n\
             joints.j{k} = {{ type = \"{kind}\", parent = \"{parent}\", child = \"b{k}\", axis = {axis}, position = \
             [0, 0, {}], coordinate = {{ name = \"q{k}\", start = {} }}, spring = {{ stiffness = 30 }}, friction = {{ {law} }} {stop} }}\n\
             drives.d{k} = {{ on = \"q{k}\", {word} = \"{} [{effort}]*sin({} [1/s]*t) + w*2 [{effort}]\" }}\n",
            n.between(0.5, 2.0),
            n.between(-0.1, 0.1),
            n.between(-0.5, -0.2),
            if k == 0 { 0.0 } else { -0.6 },
            n.between(-0.45, 0.45),
            n.between(3.0, 10.0),
            n.between(1.0, 6.0),
        );
        if k == 0 {
            text += &format!("switches.w = {{ on = \"q0 > 0.1 {unit}\", off = \"q0 < -0.1 {unit}\" }}\n");
        }
    }
    text + "simulate = { until = 1.5, output = \"OUT ms\", solver = { method = \"dopri5\", rtol = 1e-10, atol = 1e-10 } }\n"
}

/// Random chains: a run and inverse dynamics with its drives applied agree in every row, to the order of the rows.
#[test]
fn runs_and_inverse_dynamics_agree() {
    let mut compared = 0;
    for seed in 0..12 {
        let chain = random_chain(seed);
        let left = |output: &str| {
            let study = Study::new(&chain.replace("OUT", output));
            // Some of them chatter, which the run says.
            let runs = gelenk(study.0.path(), &["run", "model.toml"]).status.success();
            runs.then(|| root_mean_square(&study.left()))
        };
        let (Some(coarse), Some(fine)) = (left("10"), left("2.5")) else { continue };
        compared += 1;
        let pressed = chain.contains("normal");
        assert!(
            coarse < 0.05 && (fine < coarse / 4.0 || fine < if pressed { 0.01 } else { 2e-4 }),
            "{seed}: {coarse} {fine}"
        );
    }
    assert!(compared >= 9, "{compared}");
}

/// The first row of a run has the friction of what is let go at once: 2 N m, not the 7.7 N m that would hold it.
#[test]
fn first_rows_have_sliding_friction() {
    for solver in ["dopri5\", rtol = 1e-9", "rk4\", step = \"1 ms\"", "stepped2\", step = \"1 ms\""] {
        let model = pendulum(", friction = { law = \"coulomb\", coulomb = 2 }", "");
        let model = model.replace("dopri5\", rtol = 1e-9, atol = 1e-9", &solver.replace("\"1 ms\"", "1e-3"));
        let (recording, _) = run(&model).unwrap();
        let friction = recording.column("joints.j.friction").unwrap();
        assert!((friction[0].abs() - 2.0).abs() < 1e-9, "{solver}: {}", friction[0]);
    }
}

/// A model without coordinates has a motion, too: nothing moves.
#[test]
fn nothing_that_moves_has_a_motion() {
    let study = Study::new("schema = 1\ngravity = [0, 0, 0]\nsimulate = { until = 0.1, output = 0.01 }\n");
    study.study("kinematics", "kinematics", "motion = { simulate = true }\n");
    assert_eq!(study.read("out.parquet").len(), 11);
}

/// The motion of a model without drives needs none, also where a loop locks a coordinate: a ball joint beside it, which has
/// nothing to do with the loop, made a drive of 0.043 N m (a decomposition of a deficient matrix with rows of zeros that was none).
#[test]
fn locked_coordinates_need_no_drive() {
    let folder = tempfile::tempdir().unwrap();
    let model = r#"
        schema = 1
        gravity = [-2.22, -6.89, -0.197]
        bodies.b1 = { mass = 1.08, centre = [0.143, -0.00965, 0.127], shape = { sphere = { radius = 0.1 } } }
        joints.j1 = { type = "cylindrical", parent = "ground", child = "b1", orientation = [1.4, 1.42, -0.322], coordinates = [{ name = "q3" }, { name = "q4" }] }
        frames.f1 = { body = "b1", orientation = [-1.5452600506756615, -2.893999414427879e-3, -1.4220878044701661] }
        loops.c0 = { type = "orientation", between = ["ground", "f1"] }
        simulate = { until = 0.1, output = 0.01 }
        bodies.b0 = { mass = 0.653, inertia = [1.569159e-2, 1.581566e-2, 9.43585e-3, -4.60365e-4, 7.5095e-4, 8.5543e-4] }
        joints.j0 = { type = "ball", parent = "ground", child = "b0" }
    "#;
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    let study = folder.path().join("study.toml");
    std::fs::write(
        &study,
        "schema = 1\nkind = \"inverse-dynamics\"\nmodel = \"model.toml\"\nmotion = { simulate = true }\n",
    )
    .unwrap();
    let kind = gelenk_model::study_file::StudyKind::InverseDynamics;
    let study = gelenk::motion_study::MotionStudy::open(
        &study,
        kind,
        "inverse",
        None,
        &gelenk::open::Overrides::default(),
    )
    .unwrap();
    let recording = study.inverse_dynamics().unwrap();
    for (k, column) in recording.columns().iter().enumerate().filter(|(_, c)| c.name.starts_with("drives.")) {
        let largest = recording.values(k).unwrap().iter().fold(0.0f64, |most, v| most.max(v.abs()));
        assert!(largest < 1e-10, "{}: {largest}", column.name);
    }
}

/// A pendulum that falls from rest against friction pressed by its joint: the run began with the force at which the friction would
/// have held, and inverse dynamics with that of the fall, 0.035 N m apart for some `lag` (found by the guard, `inverse-rows`).
#[test]
fn pressed_friction_that_slips_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "model.toml",
        r#"
        schema = 1
        gravity = [0.75, -4.68, -4.08]
        bodies.b2 = { mass = 0.908, centre = [-0.146, -0.14, -0.034], inertia = [0.0197, 0.0253, 0.0281] }
        joints.j2 = { type = "revolute", parent = "ground", child = "b2", coordinate = { name = "q3" } }
        friction.r1 = { law = "coulomb", coulomb = 0.1828, breakaway = 0.2742, on = "q3", normal = { joint = "j2", lag = 7.76e-3 }, nominal = 5 }
        simulate = { until = 0.1, output = 0.001, solver = { method = "dop853", rtol = 1e-9, atol = 1e-10 } }
        "#,
    );
    write(
        "study.toml",
        "schema = 1\nkind = \"inverse-dynamics\"\nmodel = \"model.toml\"\nmotion = { simulate = true }\ninverse = { drives = \"apply\" }\n",
    );
    let output = super::support::gelenk(folder.path(), &["inverse", "study.toml", "-o", "i.parquet"]);
    assert!(output.status.success(), "{}", super::support::text(&output));
    let found = gelenk_io::read(&folder.path().join("i.parquet")).unwrap();
    let drives = found.column("drives.q3").unwrap();
    // The first row is at rest, where friction takes what it needs; after it the force follows from row to row.
    let most = drives[1..].iter().fold(0.0f64, |max, drive| max.max(drive.abs()));
    assert!(most < 1e-4, "{most}");
}
