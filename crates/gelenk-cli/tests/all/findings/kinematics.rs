//! Starts of loops that keep what is given, and inverse kinematics that stays near its start.

use gelenk::ik::IkStudy;
use gelenk::open::Overrides;

use super::support::{model, prepared, run};

/// A slider crank of 0.1 m and 0.3 m at 30 degrees, with these settings of crank and slider.
fn slider_crank(crank: &str, slider: &str) -> String {
    format!(
        "schema = 1\ntitle = \"slider crank\"\ngravity = [0, 0, 0]\n[bodies.crank]\nmass = 1\n\
         inertia = [0.01, 0.01, 0.01]\n[bodies.rod]\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n[bodies.slider]\n\
         mass = 1\ninertia = [0.01, 0.01, 0.01]\n[joints.main]\ntype = \"revolute\"\nparent = \"ground\"\n\
         child = \"crank\"\naxis = [0, 0, 1]\ncoordinate = {{ name = \"crank\", start = \"30 deg\", {crank} }}\n\
         [joints.pin]\ntype = \"revolute\"\nparent = \"crank\"\nchild = \"rod\"\nposition = [0.1, 0, 0]\n\
         axis = [0, 0, 1]\ncoordinate = {{ name = \"rod\", start = \"-40 deg\" }}\n[joints.guide]\n\
         type = \"prismatic\"\nparent = \"ground\"\nchild = \"slider\"\naxis = [1, 0, 0]\n\
         coordinate = {{ name = \"x\", start = 0.38, {slider} }}\n[frames.tip]\nbody = \"rod\"\n\
         position = [0.3, 0, 0]\n[frames.eye]\nbody = \"slider\"\n[loops.wrist]\ntype = \"point\"\n\
         between = [\"tip\", \"eye\"]\n[simulate]\nuntil = 0.001\noutput = 0.001\n\
         solver = {{ method = \"rk4\", step = 1e-4 }}\n"
    )
}

/// 150 rad/s on a crank stay 150 rad/s: the slider follows with `-r w sin(a) (1 + r cos(a)/sqrt(l^2 - r^2 sin(a)^2))`.
/// Without `exact` all three coordinates share the change, and the crank starts slower.
#[test]
fn exact_starts_stay() {
    let at_start = |crank: &str| {
        let (recording, _) = run(&slider_crank(crank, "rate = 0")).unwrap();
        ["crank", "crank.rate", "x", "x.rate"].map(|name| {
            let k = recording.columns().iter().position(|c| c.name == name).unwrap();
            recording.values(k).unwrap()[0]
        })
    };
    let (r, l, w, a) = (0.1f64, 0.3f64, 150.0f64, 30f64.to_radians());
    let root = (l * l - (r * a.sin()).powi(2)).sqrt();
    let (place, speed) = (r * a.cos() + root, -r * w * a.sin() * (1.0 + r * a.cos() / root));
    let [angle, rate, x, v] = at_start("rate = \"150 rad/s\", exact = \"both\"");
    assert_eq!((angle, rate), (a, w));
    assert!((x - place).abs() < 1e-12 && (v - speed).abs() < 1e-9, "{x} {place}, {v} {speed}");
    let [angle, rate, ..] = at_start("rate = \"150 rad/s\", exact = \"rate\"");
    assert!(angle != a && rate == w, "{angle} {rate}");
    let [_, rate, ..] = at_start("rate = \"150 rad/s\"");
    assert!(rate < 149.0, "{rate}");
}

/// Starts and rates that the loop does not admit are refused by its name.
#[test]
fn impossible_exact_starts_are_refused() {
    let refused = |crank: &str, slider: &str| {
        let prepared = prepared(&slider_crank(crank, slider), &Overrides::default()).unwrap();
        let values = prepared.parameters.values();
        gelenk::run::run(&prepared.mechanism, &values, &prepared.options).unwrap_err().to_string()
    };
    let start = refused("exact = \"start\"", "exact = \"start\"");
    assert!(start.contains("loop wrist") && start.contains("exact start of crank, x"), "{start}");
    let rate = refused("rate = 1, exact = \"rate\"", "rate = 0, exact = \"rate\"");
    assert!(rate.contains("loop wrist") && rate.contains("exact rate of crank, x"), "{rate}");
}

/// A target 0.6 rad from a singular start: all methods end near it. Without a limit of the step `near-start` ended
/// 65 rad away.
#[test]
fn inverse_kinematics_stays_near() {
    let study = IkStudy::open(&model("ik.toml"), &Overrides::default()).unwrap();
    let outcomes = study.solve().unwrap();
    assert_eq!(outcomes.len(), 4);
    for outcome in &outcomes {
        let solution = &outcome.solutions[0];
        assert!(solution.converged && solution.distance() < 2.0, "{solution:?}");
    }
}
