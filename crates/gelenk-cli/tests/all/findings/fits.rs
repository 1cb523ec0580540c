//! Fits whose parameters have to keep an order.

use std::fmt::Write;

use gelenk::fit::FitStudy;

/// A mass of 1 kg is pulled with 5 N from rest; in the log friction is 1 N for 0.3 s and 2 N after that (closed form), so
/// a law with a level at rest would have it below that of sliding, which it must not. The best law then is Coulomb's, whose own
/// fit says how large. A trial beyond the line where the levels meet ended the search beside the answer.
#[test]
fn levels_that_meet() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = String::from("t,x\n");
    for k in 0..=100 {
        let t = f64::from(k) * 0.01;
        let late = (t - 0.3).max(0.0);
        writeln!(log, "{t},{}", 2.0 * t * t - 0.5 * late * late).unwrap();
    }
    std::fs::write(folder.path().join("log.csv"), log).unwrap();
    let fitted = |law: &str, varied: &[&str]| {
        let model = format!(
            "schema = 1\ngravity = [0, 0, 0]\n[bodies.block]\nmass = \"1 kg\"\ninertia = [0, 0, 0]\n\
             [joints.slide]\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"block\"\ncoordinate = \"slide\"\n\
             friction = {{ coulomb = \"1 N\", {law} }}\n[drives.pull]\non = \"slide\"\nforce = \"5 N\"\n"
        );
        std::fs::write(folder.path().join("model.toml"), model).unwrap();
        let mut text = String::from(
            "schema = 1\nkind = \"fit\"\nmodel = \"model.toml\"\n[data]\nfile = \"log.csv\"\ntime = \"t\"\n\
             [[compare]]\noutput = \"slide\"\ncolumn = \"x\"\nunit = \"m\"\n",
        );
        for name in varied {
            writeln!(
                text,
                "[[vary]]\npath = \"joints.slide.friction.{name}\"\nlower = \"0.1 N\"\nupper = \"4 N\""
            )
            .unwrap();
        }
        let study = folder.path().join("study.toml");
        std::fs::write(&study, text).unwrap();
        FitStudy::open(&study).unwrap().run(&mut |_| {}).unwrap()
    };
    let coulomb = fitted("law = \"coulomb\"", &["coulomb"]);
    let expected = coulomb.parameters[0].1;
    assert!((1.3..2.0).contains(&expected));
    let stribeck = "law = \"stribeck\", breakaway = \"1.2 N\", stribeck = \"0.3 m/s\"";
    let both = fitted(stribeck, &["coulomb", "breakaway"]);
    for (path, value, _) in &both.parameters {
        assert!((value - expected).abs() < 2e-3, "{path} = {value}, not {expected}: {:?}", both.fit.stop);
    }
    // Alone, the level of sliding can only rise to the other one.
    let one = fitted(stribeck, &["coulomb"]);
    assert!((one.parameters[0].1 - 1.2).abs() < 1e-3, "{:?}", one.parameters);
}

/// A log of a servo that lifts a pendulum (Rhoban's `bam`, Dynamixel XL330, 0.49 kg at 0.1 m; constants of the motor from its
/// file `params/xl330/m1.json`, gain 0.288 of the position control at kp = 100): all methods fit the same friction. Methods with
/// error control stepped over break-aways, which moved a fitted friction by half. The level itself is a number of ours, from
/// fits with three methods.
#[test]
fn friction_of_a_servo_does_not_depend_on_the_method() {
    let log = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/bam_servo/xl330_pendulum_processed/2026-01-15_10h28m10.json");
    let Ok(log) = std::fs::read_to_string(log) else {
        println!("skipped: friction of a servo: no folder shared/data/bam_servo beside the repository");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("t,q,goal\n");
    for entry in log.split('{').skip(2) {
        let number = |key: &str| -> f64 {
            let (_, rest) = entry.split_once(&format!("\"{key}\": ")).unwrap();
            rest.split([',', '}']).next().unwrap().parse().unwrap()
        };
        writeln!(table, "{},{},{}", number("timestamp"), number("position"), number("goal_position"))
            .unwrap();
    }
    std::fs::write(folder.path().join("log.csv"), table).unwrap();
    let model = r#"
        schema = 1
        gravity = [0, 0, "-9.81 m/s^2"]
        [parameters]
        kt = "0.3867 N m/A"
        resistance = "4.017 ohm"
        supply = "7.4 V"
        [bodies.arm]
        mass = "0.49 kg"
        centre = [0, 0, "-0.1 m"]
        inertia = [0.0018, 0.0018, 0.0018]
        [joints.servo]
        type = "revolute"
        parent = "ground"
        child = "arm"
        axis = [0, 1, 0]
        coordinate = { name = "q", start = "-0.003 rad" }
        friction = { law = "coulomb", coulomb = "0.03 N m" }
        [signals.goal]
        log = { file = "log.csv", time = "t", column = "goal", unit = "rad" }
        [drives.motor]
        on = "q"
        torque = "kt/resistance*(supply*min(1, max(-1, 0.288*(goal - q))) - kt*q.rate)"
        [simulate]
        until = "6 s"
        output = "5 ms"
    "#;
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    for solver in [
        "method = \"dopri5\"",
        "method = \"bs23\"",
        "method = \"auto\"",
        "method = \"stepped2\", step = \"5 ms\"",
    ] {
        let study = format!(
            "schema = 1\nkind = \"fit\"\nmodel = \"model.toml\"\ndata = {{ file = \"log.csv\", time = \"t\" }}\n\
             compare = [{{ output = \"q\", column = \"q\", unit = \"rad\" }}]\n\
             vary = [{{ path = \"joints.servo.friction.coulomb\", lower = \"0.01 N m\", upper = \"0.3 N m\" }}]\n\
             solver = {{ {solver} }}\n"
        );
        let file = folder.path().join("study.toml");
        std::fs::write(&file, study).unwrap();
        let fitted = FitStudy::open(&file).unwrap().run(&mut |_| {}).unwrap();
        let level = fitted.parameters[0].1;
        assert!((level - 0.05276).abs() < 2e-4, "{solver}: {level} N m");
    }
}
