//! Runs whose energy is wrong are no successes, and inputs that end early are reported.

use super::support::{gelenk, text};

/// A mass of 1 kg, 1 m off the rest of a spring; `simulate` is put into the table of the run.
fn oscillator(stiffness: &str, solver: &str, simulate: &str) -> String {
    format!(
        r#"schema = 1
gravity = [0, 0, 0]
[bodies.a]
mass = "1 kg"
inertia = [1, 1, 1]
[joints.j]
type = "prismatic"
parent = "ground"
child = "a"
axis = [1, 0, 0]
coordinate = {{ name = "q", start = "1 m", spring = {{ stiffness = {stiffness:?} }} }}
[simulate]
until = "1 s"
output = "10 ms"
solver = {solver}
{simulate}
"#
    )
}

/// Exit code and output of a run of a model.
fn outcome(model: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.toml"), model).unwrap();
    let output = gelenk(folder.path(), &["run", "m.toml", "-o", "r.parquet"]);
    assert!(folder.path().join("r.parquet").exists(), "the recording is kept: {}", text(&output));
    (output.status.code(), text(&output))
}

/// A step above the stability limit fails and names method, coordinate and limit; once it said 7e47 m with exit code 0.
#[test]
fn explosions_fail() {
    for (solver, expected) in [
        ("{ method = \"heun\", step = \"1 ms\" }", "\"heun\""),
        ("{ method = \"rk4\", step = \"5 ms\" }", "\"rk4\""),
        ("{ method = \"euler\", step = \"1 ms\" }", "\"euler\""),
    ] {
        let (code, said) = outcome(&oscillator("1e6 N/m", solver, ""));
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("error: ") && said.contains(expected), "{said}");
        assert!(solver.contains("euler") || said.contains("coordinate q"), "{said}");
    }
}

/// Explicit Euler grows the amplitude of an oscillator by `(1 + (w h)^2)^(n/2)`: with `w = 10/s`, `h = 1 ms`, 1000 steps the
/// energy grows by 10.5 %, and by 1.0 % with 0.1 ms (closed form). The share of the energy exchanged (kinetic and work of the
/// spring) is half of it.
#[test]
fn limits_warn_and_fail() {
    let coarse = "{ method = \"euler\", step = \"1 ms\" }";
    let (code, said) = outcome(&oscillator("100 N/m", coarse, ""));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("warning: integration gained"), "{said}");
    let (code, said) = outcome(&oscillator("100 N/m", coarse, "energy = { warn = 0.001, fail = 0.01 }"));
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = outcome(&oscillator("100 N/m", coarse, "energy = { warn = 0.5, fail = 1 }"));
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("integration"), "{said}");
    let (code, said) = outcome(&oscillator("100 N/m", "{ method = \"euler\", step = \"0.1 ms\" }", ""));
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("integration") && said.contains("(gained)"), "{said}");
}

/// `stepped` and `real-time` damp by construction: a loss is a warning that names `stepped2`.
#[test]
fn damping_by_construction_warns() {
    for method in ["stepped", "real-time"] {
        let solver = format!("{{ method = {method:?}, step = \"10 ms\" }}");
        let (code, said) = outcome(&oscillator("100 N/m", &solver, ""));
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("warning: integration lost") && said.contains("stepped2"), "{said}");
    }
}

/// Classical Runge-Kutta steps with `w h = 2` keep 5/9 of the energy each (closed form: `|R(2i)|^2`): such a loss is no less
/// wrong than a gain, and fails. Limits stand in a study, too.
#[test]
fn losses_fail_where_nothing_damps_by_construction() {
    let lossy = oscillator("100 N/m", "{ method = \"rk4\", step = \"0.2 s\" }", "").replace("10 ms", "0.2 s");
    let (code, said) = outcome(&lossy);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: integration lost") && said.contains("\"rk4\""), "{said}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.toml"), lossy).unwrap();
    for (limits, expected) in [("", 1), ("energy = { warn = 0.5, fail = 1.5 }\n", 0)] {
        let study = format!("schema = 1\nkind = \"simulate\"\nmodel = \"m.toml\"\n{limits}");
        std::fs::write(folder.path().join("s.toml"), study).unwrap();
        let output = gelenk(folder.path(), &["run", "s.toml", "-o", "r.parquet"]);
        assert_eq!(output.status.code(), Some(expected), "{limits}: {}", text(&output));
    }
}

/// Nothing moves, or hardly: the balance says nothing.
#[test]
fn rest_is_no_failure() {
    for solver in
        ["\"dopri5\"", "{ method = \"rk4\", step = \"1 ms\" }", "{ method = \"stepped\", step = \"1 ms\" }"]
    {
        for start in ["0 m", "1e-9 m"] {
            let model = oscillator("100 N/m", solver, "").replace("1 m\"", &format!("{start}\""));
            let (code, said) = outcome(&model);
            assert_eq!(code, Some(0), "{said}");
            assert!(!said.contains("integration gained"), "{said}");
        }
    }
}

/// Limits that contradict each other are refused.
#[test]
fn limits_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let model = oscillator("100 N/m", "\"dopri5\"", "energy = { warn = 0.5, fail = 0.1 }");
    std::fs::write(folder.path().join("m.toml"), model).unwrap();
    let output = gelenk(folder.path(), &["check", "m.toml"]);
    assert!(!output.status.success() && text(&output).contains("must not be above"), "{}", text(&output));
}

/// A log that ends before the run, or begins after it, is reported.
#[test]
fn logs_that_end_early_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let log = "[signals.f]\nlog = { file = \"f.csv\", time = \"t\", column = \"f\", unit = \"N\" }\n\
               [drives.d]\non = \"q\"\nforce = \"f\"\n";
    let model = oscillator("100 N/m", "\"dopri5\"", "") + log;
    std::fs::write(folder.path().join("m.toml"), model).unwrap();
    for (rows, expected) in [
        ("0,0\n0.5,1\n", "ends at 0.5 s, before the end of the run at 1 s"),
        ("5,0\n6,1\n", "starts at 5 s, after the end of the run at 1 s"),
    ] {
        std::fs::write(folder.path().join("f.csv"), format!("t,f\n{rows}")).unwrap();
        let said = text(&gelenk(folder.path(), &["run", "m.toml", "-o", "r.parquet"]));
        assert!(said.contains("signal f") && said.contains(expected), "{said}");
    }
    std::fs::write(folder.path().join("f.csv"), "t,f\n0,0\n1,1\n").unwrap();
    let said = text(&gelenk(folder.path(), &["run", "m.toml", "-o", "r.parquet"]));
    assert!(!said.contains("warning"), "{said}");
}
