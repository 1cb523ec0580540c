//! Fits whose parameters have to keep an order.

use std::fmt::Write;

use gelenk::fit::FitStudy;

/// A log of dry friction of 2 N without a level at rest above it, in closed form: a mass of 1 kg that is pulled with 5 N
/// from rest has `x = 1.5 t^2`. The level at rest of the law must not lie below that of sliding; a trial that would bring it there ended the
/// search beside the answer.
#[test]
fn levels_that_meet() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = String::from("t,x\n");
    for k in 0..=100 {
        let t = f64::from(k) * 0.01;
        writeln!(log, "{t},{}", 1.5 * t * t).unwrap();
    }
    std::fs::write(folder.path().join("log.csv"), log).unwrap();
    std::fs::write(
        folder.path().join("model.toml"),
        "schema = 1\ngravity = [0, 0, 0]\n[bodies.block]\nmass = \"1 kg\"\ninertia = [0, 0, 0]\n\
         [joints.slide]\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"block\"\ncoordinate = \"slide\"\n\
         friction = { law = \"stribeck\", coulomb = \"1 N\", breakaway = \"1.2 N\", stribeck = \"0.1 m/s\" }\n\
         [drives.pull]\non = \"slide\"\nforce = \"5 N\"\n",
    )
    .unwrap();
    let study = folder.path().join("study.toml");
    for (breakaway, found) in [
        ("[[vary]]\npath = \"joints.slide.friction.breakaway\"\nlower = \"0.1 N\"\nupper = \"4 N\"\n", 2.0),
        // Alone, the level of sliding can only rise to the other one.
        ("", 1.2),
    ] {
        let text = format!(
            "schema = 1\nkind = \"fit\"\nmodel = \"model.toml\"\n\
             [data]\nfile = \"log.csv\"\ntime = \"t\"\n\
             [[vary]]\npath = \"joints.slide.friction.coulomb\"\nlower = \"0.1 N\"\nupper = \"4 N\"\n{breakaway}\
             [[compare]]\noutput = \"slide\"\ncolumn = \"x\"\nunit = \"m\"\n"
        );
        std::fs::write(&study, text).unwrap();
        let outcome = FitStudy::open(&study).unwrap().run(&mut |_| {}).unwrap();
        for (path, value, _) in &outcome.parameters {
            assert!((value - found).abs() < 2e-3 * found, "{path} = {value} after {:?}", outcome.fit.stop);
        }
    }
}
