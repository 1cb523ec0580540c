//! Laws with memory in steps that do not follow their reversals.

use gelenk::law::run_rig;

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
