//! Laws with memory in steps that do not follow their reversals.

use gelenk::law::run_rig;
use gelenk::open::Overrides;

use super::support::{last, prepared, run};

/// A mass on a slope below the level of Dahl's law comes to rest, whatever the step (the law's property `sticks`): between
/// 9.95 and 10.2 ms two implicit stages had a cycle of their own, in which it went on at 20 to 130 um/s for ever. Steps of
/// 2 ms follow the oscillation, and stay within 1 % of the path that steps of 50 us take, 132.6 um.
#[test]
fn no_creep_in_long_steps() {
    let rest = |step: &str, until: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.toml");
        let text = format!(
            "schema = 1\nkind = \"rig\"\nuntil = \"{until}\"\noutput = \"{step}\"\n\
             solver = {{ method = \"stepped2\", step = \"{step}\" }}\n\
             [rig.slope]\nmass = \"1 kg\"\nload = \"0.5134157 N\"\n\
             [laws.dahl]\nlaw = \"dahl\"\ncoulomb = \"0.5877934 N\"\nsigma0 = \"58779.34 N/m\"\n"
        );
        std::fs::write(&path, text).unwrap();
        let outcome = run_rig(&path).unwrap();
        let number = |name: &str| {
            outcome.runs[0].metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value)
        };
        (number("final_x").unwrap(), number("final_v").unwrap())
    };
    for step in ["7 ms", "9.95 ms", "10 ms", "10.05 ms", "10.2 ms", "12 ms", "30 ms"] {
        let (x, v) = rest(step, "20 s");
        assert!(v.abs() < 1e-9 && x < 160e-6, "{step}: {x} m, {v} m/s");
    }
    for step in ["0.5 ms", "2 ms"] {
        let (x, _) = rest(step, "0.5 s");
        assert!((x - 132.56e-6).abs() < 1.4e-6, "{step}: {x} m");
    }
}

/// A block at 1 m/s on LuGre bristles (`sigma1` = 100 N s/m, level 1 N) began with 100 N in its first row and lost 1 % of its speed
/// at once. Bristles that begin straight still do, with a warning; those that begin in steady sliding lose
/// `F_C t/m` (closed form, the Stribeck part being gone at that speed).
#[test]
fn friction_of_the_first_row() {
    let text = |start: &str| {
        format!(
            "schema = 1\ngravity = [0, 0, 0]\n[bodies.block]\nmass = \"1 kg\"\ninertia = [0, 0, 0]\n\
             [joints.slide]\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"block\"\n\
             coordinate = {{ name = \"x\", rate = \"1 m/s\" }}\n\
             friction = {{ law = \"lugre\", coulomb = \"1 N\", breakaway = \"1.5 N\", stribeck = \"0.01 m/s\", \
             sigma0 = \"1e4 N/m\", sigma1 = \"100 N s/m\"{start} }}\n\
             [simulate]\nuntil = \"0.5 s\"\noutput = \"0.1 s\"\nsolver = {{ method = \"dopri5\", rtol = 1e-9 }}\n"
        )
    };
    let straight = prepared(&text(""), &Overrides::default()).unwrap();
    let [warnings, _] = gelenk::open::starts(&straight).unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("100 times"), "{warnings:?}");
    let sliding = prepared(&text(", start = \"sliding\""), &Overrides::default()).unwrap();
    assert!(gelenk::open::starts(&sliding).unwrap()[0].is_empty());
    let (recording, _) = run(&text(", start = \"sliding\"")).unwrap();
    let first = recording.interpolate("joints.slide.friction", 0.0).unwrap();
    assert!((first.abs() - 1.0).abs() < 1e-9, "{first}");
    assert!((last(&recording, "x.rate") - 0.5).abs() < 1e-6);
}

/// In steady sliding the bristles of the Leuven law rest at the level, where rounding decides the sign of their rate: its
/// elements stuck and slipped without end, and a run with parameters of real size was given up at 46 ms. The continuous form
/// agrees with the stepped one, another formulation, as the step of that falls.
#[test]
fn leuven_slides_on() {
    let path = |solver: &str| {
        let text = format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            [bodies.block]
            mass = "0.1 kg"
            inertia = [0, 0, 0]
            [joints.slide]
            type = "prismatic"
            parent = "ground"
            child = "block"
            axis = [1, 0, 0]
            coordinate = "x"
            friction = {{ law = "leuven", coulomb = 1, breakaway = 1.5, stribeck = 1e-3, shape = 2, stiffness = [4e4, 2.5e4, 1.5e4, 1.2e4, 8e3], level = [0.2, 0.3, 0.4, 0.5, 0.6] }}
            [drives.push]
            on = "x"
            force = "3 [N] * sin(2*pi*15 [1/s]*t)"
            [simulate]
            until = "0.1 s"
            output = "1 ms"
            solver = {{ {solver} }}
            "#
        );
        let (recording, summary) = run(&text).unwrap();
        (last(&recording, "x"), summary.steps)
    };
    let (exact, steps) = path(r#"method = "dopri5", rtol = 1e-6, atol = 1e-9"#);
    assert!(steps < 200_000, "{steps} steps");
    let [coarse, fine] = ["20 us", "10 us"].map(|step| {
        (path(&format!(r#"method = "stepped2", step = "{step}""#)).0 - exact).abs() / exact.abs()
    });
    assert!(coarse < 1e-3 && fine < coarse, "{exact}: {coarse:e} {fine:e}");
}
