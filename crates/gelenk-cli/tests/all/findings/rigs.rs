//! Rigs that are driven backwards have the numbers of their mirror images.

use std::collections::BTreeMap;

use gelenk::law::run_rig;

fn numbers(rig: &str) -> BTreeMap<String, f64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rig.toml");
    std::fs::write(&path, rig).unwrap();
    let outcome = run_rig(&path).unwrap();
    outcome.runs[0].metrics.iter().map(|metric| (metric.name.clone(), metric.value)).collect()
}

fn rig(drive: &str, law: &str, until: &str) -> String {
    format!(
        "schema = 1\nkind = \"rig\"\nuntil = \"{until}\"\noutput = \"1 ms\"\nsolver = {{ method = \"dopri5\" }}\n\
         [rig.{drive}\n[laws.c]\n{law}\n"
    )
}

const LUGRE: &str =
    "law = \"lugre\"\ncoulomb = 1\nbreakaway = 1.5\nstribeck = 0.001\nsigma0 = 1e5\nviscous = 0.4";

/// A block of 3 kg at 1.5 m/s under 2 N stops after 2.25 s and 1.6875 m (closed form); backwards the peak was 0 and there was
/// no time of stop.
#[test]
fn braking_backwards() {
    let brake = |velocity: &str| {
        let drive = format!("braking]\nmass = \"3 kg\"\nvelocity = \"{velocity} m/s\"");
        numbers(&rig(&drive, "law = \"coulomb\"\ncoulomb = \"2 N\"", "5 s"))
    };
    let (forward, back) = (brake("1.5"), brake("-1.5"));
    for (name, expected) in
        [("peak_friction", 2.0), ("stop_time", 2.25), ("final_x", -1.6875), ("max_x", -1.6875)]
    {
        assert!((back[name] - expected).abs() < 1e-3, "{name}: {}", back[name]);
    }
    assert!(back["spring_back"].abs() < 1e-6);
    mirror(&forward, &back);
}

/// Pulled and loaded blocks have the same slips, levels and times both ways.
#[test]
fn pulled_and_loaded_backwards() {
    let both = |drive: &dyn Fn(&str) -> String, until: &str| {
        let [forward, back] = ["", "-"].map(|sign| numbers(&rig(&drive(sign), LUGRE, until)));
        assert!(back["peak_friction"] > 0.1, "{back:?}");
        mirror(&forward, &back);
        back
    };
    let pulled =
        |sign: &str| format!("pulled]\nmass = \"1 kg\"\nspring = \"2 N/m\"\nspeed = \"{sign}0.1 m/s\"");
    let slips = both(&pulled, "20 s");
    assert!(slips["slips"] >= 1.0 && slips["pull_max"] > 1.0, "{slips:?}");
    both(&|sign| format!("slope]\nmass = \"1 kg\"\nload = \"{sign}0.5 N\""), "1 s");
}

/// Places and velocities change their sign, all else is the same.
fn mirror(forward: &BTreeMap<String, f64>, back: &BTreeMap<String, f64>) {
    assert!(forward.keys().eq(back.keys()));
    for (name, value) in forward {
        let [a, b] = [*value, back[name]];
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 + 1e-4 * x.abs();
        let signed =
            name.ends_with(".x") || name.ends_with("_x") || name.ends_with("_v") || name.ends_with(".v");
        let same =
            if signed || ["creep", "drift"].contains(&name.as_str()) { near(a, -b) } else { near(a, b) };
        assert!(same, "{name}: {a} {b}");
    }
}

/// The largest friction is the largest magnitude: Dahl along 1 mm, -1 mm, 0.5 mm has it on the longest way, at -1 mm.
#[test]
fn the_largest_friction_is_the_largest_magnitude() {
    let drive = "motion]\nreversals = [\"1 mm\", \"-1 mm\", \"0.5 mm\"]\nspeed = \"1 mm/s\"";
    let found = numbers(&rig(drive, "law = \"dahl\"\ncoulomb = 1\nsigma0 = 5000", "5 s"));
    // Closed form: 1 - 2 exp(-sigma0 x/F_C) after a reversal from 1 - exp(-5), over 2 mm.
    let level = 1.0 - (2.0 - (-5.0f64).exp()) * (-10.0f64).exp();
    assert!((found["peak_friction"] - level).abs() < 1e-6, "{found:?}");
    assert!((found["peak_friction.x"] + 1e-3).abs() < 1e-9, "{found:?}");
}

/// A rig whose step is beyond what is stable (1e5 N/m on 1 kg: 316 rad/s, Heun's method at 10 ms) made 1e70 m/s out of 1 m/s and
/// ended well.
#[test]
fn explosions_are_failures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rig.toml");
    let text = |step: &str| {
        format!(
            "schema = 1\nkind = \"rig\"\nuntil = \"1 s\"\noutput = \"10 ms\"\n\
             solver = {{ method = \"heun\", step = \"{step}\" }}\n\
             [rig.free]\nmass = \"1 kg\"\nspring = \"1e5 N/m\"\nvelocity = \"1 m/s\"\n\
             [laws.v]\nlaw = \"viscous\"\nviscous = \"0.1 N s/m\"\n"
        )
    };
    for (step, code) in [("10 ms", 1), ("10 us", 0)] {
        std::fs::write(&path, text(step)).unwrap();
        let output = super::support::gelenk(folder.path(), &["law", "run", "rig.toml"]);
        let said = super::support::text(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("error: v: integration gained"), code == 1, "{said}");
    }
}
