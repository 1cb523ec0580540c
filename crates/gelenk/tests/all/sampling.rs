//! Sensors and controllers on their own clocks.

use gelenk::open::{Overrides, simulation};
use gelenk::run::run;

const MODEL: &str = r#"
schema  = 1
gravity = [0, 0, 0]

[simulate]
until  = "0.1 s"
output = "0.5 ms"
solver = { method = "rk4", step = "0.5 ms" }

[bodies.block]
mass    = "1 kg"
inertia = [1, 1, 1]

[joints.slide]
type       = "prismatic"
parent     = "ground"
child      = "block"
axis       = [1, 0, 0]
coordinate = { name = "x", start = "1 m", rate = "2 m/s" }

[sensors.prompt]
of     = "x"
period = "3 ms"

[sensors.late]
of     = "x"
period = "3 ms"
delay  = "7.5 ms"

[sensors.uneven]
of     = "x"
period = "3 ms"
jitter = "2 ms"

[outputs]
a = "prompt"
b = "late"
c = "uneven"
"#;

/// A block at constant speed: a sensor shows the position at its last sampling instant whose result has arrived.
#[test]
fn delays_and_jitter_are_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    std::fs::write(&path, MODEL).unwrap();
    let prepared = simulation(&path, &Overrides::default()).unwrap();
    let (recording, _) = run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap();
    let position = |ns: i64| 1.0 + 2.0 * 1e-9 * ns as f64;
    let column = |name: &str| recording.column(name).unwrap();
    let mut shifts = std::collections::BTreeSet::new();
    for (i, &t) in recording.time().iter().enumerate() {
        let now = (t * 1e9).round() as i64;
        let sampled = |delay: i64| ((now - delay).div_euclid(3_000_000) * 3_000_000).max(0);
        assert!((column("a")[i] - position(sampled(0))).abs() < 1e-12, "{t}");
        assert!((column("b")[i] - position(sampled(7_500_000))).abs() < 1e-12, "{t}: {}", column("b")[i]);
        let seen = ((column("c")[i] - 1.0) / 2e-9).round() as i64;
        let shift = seen.rem_euclid(3_000_000);
        assert!(seen <= now && now - seen < 5_000_000 && shift < 2_000_000, "{t}: {seen}");
        shifts.insert(shift);
    }
    assert!(shifts.len() > 20, "{} different shifts", shifts.len());
}
