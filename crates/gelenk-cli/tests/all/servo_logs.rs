//! One compiled servo on twelve logs.

use std::fmt::Write;
use std::path::Path;

use gelenk::fit::FitStudy;

/// Dynamixel XL330 with a pendulum of 0.49 kg at 0.1 m (Rhoban's `bam`): supply, motor, rotor and friction of its file
/// `params/xl330/m1.json`. The torque is on while `enabled` is one.
const MODEL: &str = r#"
schema = 1
gravity = [0, 0, "-9.81 m/s^2"]
[parameters]
kt = "0.3866957639281311 N m/A"
resistance = "4.017129222290597 ohm"
gain = 0.288
[bodies.arm]
mass = "0.49 kg"
centre = ["-0.1 m*sin(0.030871)", 0, "-0.1 m*cos(0.030871)"]
inertia = [0, 0, 0]
[joints.servo]
type = "revolute"
parent = "ground"
child = "arm"
axis = [0, 1, 0]
coordinate = { name = "q", start = "0 rad", rotor_inertia = "0.0018141672784458866 kg m^2" }
friction = { law = "coulomb", coulomb = "0.01283272036582759 N m", viscous = "0.003661672282824312 N m s/rad" }
[signals.goal]
input = "0 rad"
[signals.enabled]
input = "0"
[drives.motor]
on = "q"
torque = "enabled*kt/resistance*(7.4 V*min(1, max(-1, gain*(goal - q))) - kt*q.rate)"
[simulate]
until = "6 s"
output = "5 ms"
"#;

/// Writes a log as a table; returns its gain kp and the first angle.
fn table(log: &str, path: &Path) -> (f64, f64) {
    let number = |text: &str, key: &str| -> f64 {
        let (_, rest) = text.split_once(&format!("\"{key}\": ")).unwrap();
        rest.split([',', '}']).next().unwrap().parse().unwrap()
    };
    let mut rows = String::from("t,q,goal,enabled\n");
    let mut start = None;
    for entry in log.split('{').skip(2) {
        let [t, q, goal] = ["timestamp", "position", "goal_position"].map(|key| number(entry, key));
        let enabled = u8::from(entry.contains("\"torque_enable\": true"));
        start.get_or_insert(q);
        writeln!(rows, "{t},{q},{goal},{enabled}").unwrap();
    }
    std::fs::write(path, rows).unwrap();
    (number(log, "kp"), start.unwrap())
}

/// All twelve logs in one fit of one compiled model, with inputs, gain and start of their own. At the published numbers the
/// differences are those of a separate program (Python: semi-implicit steps of 0.05 ms with friction that sticks, 123.56
/// mrad over all samples); the fit finds numbers with less.
#[test]
fn one_servo_runs_twelve_logs() {
    let logs =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bam_servo/xl330_pendulum_processed");
    let Ok(files) = std::fs::read_dir(logs) else {
        println!("skipped: twelve logs of a servo: no folder shared/data/bam_servo beside the repository");
        return;
    };
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 12);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.toml"), MODEL).unwrap();
    let mut study = String::from(
        r#"
        schema = 1
        kind = "fit"
        model = "model.toml"
        solver = { method = "stepped2", step = "5 ms" }
        compare = [{ output = "q", column = "q", unit = "rad" }]
        vary = [
          { path = "parameters.kt", lower = "0.1 N m/A", upper = "3 N m/A" },
          { path = "parameters.resistance", lower = "2 ohm", upper = "10 ohm" },
          { path = "joints.servo.friction.coulomb", lower = "1e-4 N m", upper = "0.2 N m" },
        ]
        "#,
    );
    for (k, file) in files.iter().enumerate() {
        let name = format!("log{k}.csv");
        let (kp, start) = table(&std::fs::read_to_string(file).unwrap(), &folder.path().join(&name));
        let gain = kp * 4096.0 / (2.0 * std::f64::consts::PI * 256.0 * 885.0);
        write!(
            study,
            r#"
            [[experiments]]
            data = {{ file = "{name}", time = "t" }}
            set = {{ "parameters.gain" = {gain}, "joints.servo.coordinate.start" = "{start} rad" }}
            [experiments.inputs.goal]
            log = {{ file = "{name}", time = "t", column = "goal", unit = "rad" }}
            [experiments.inputs.enabled]
            log = {{ file = "{name}", time = "t", column = "enabled", unit = "1", interpolation = "hold" }}
            "#
        )
        .unwrap();
    }
    let path = folder.path().join("study.toml");
    std::fs::write(&path, study).unwrap();
    let found = FitStudy::open(&path).unwrap().run(&mut |_| {}).unwrap();
    let fit = &found.fit;
    let samples: usize = 14408;
    let [published, fitted] = [fit.start_cost, fit.cost].map(|cost| (2.0 * cost / samples as f64).sqrt());
    assert!((published - 0.12356).abs() < 0.002, "{published} rad");
    assert!(fit.stop.converged() && fitted < 0.8 * published, "{fitted} rad, {}", fit.stop);
    assert_eq!(found.runs.len(), 12);
}
