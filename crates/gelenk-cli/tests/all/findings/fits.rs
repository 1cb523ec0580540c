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
