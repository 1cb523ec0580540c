//! Loops with equations that follow from others up to rounding, and friction that comes to rest through loops.

use gelenk::open::Overrides;
use gelenk_record::Recording;

use super::support::{gelenk, last, model, prepared, text};

/// Continuous and stepped methods, with what is left of their order in the tests below.
const METHODS: [(&str, f64); 7] = [
    ("dopri5", 2e-5),
    ("dop853", 2e-5),
    ("bs23", 1e-4),
    ("rk4", 2e-5),
    ("stepped2", 1e-4),
    ("stepped", 6e-3),
    ("real-time", 6e-3),
];

/// Runs a model with another method; fixed steps are 1 ms long.
fn run(name: &str, method: &str) -> Recording {
    let text = std::fs::read_to_string(model(name)).unwrap();
    let fixed = !["dopri5", "dop853", "bs23"].contains(&method);
    let overrides =
        Overrides { method: Some(method.into()), step: fixed.then(|| "1 ms".into()), ..Overrides::default() };
    let prepared = prepared(&text, &overrides).unwrap();
    gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options)
        .unwrap_or_else(|error| panic!("{name} {method}: {error}"))
        .0
}

/// A second hinge on the axis of the first one adds nothing, however the axis points: a physical pendulum (integrated by
/// SciPy's DOP853 apart from this program). All its equations are rounding; they counted as equations, so that the door
/// stood still or its loop forces were 1e18 N.
#[test]
fn a_second_hinge_on_a_tilted_axis() {
    for (name, right) in [
        ("door_tilted.toml", -2.788_71),
        ("door_tilted_20.toml", -1.225_39),
        ("door_tilted_point_friction.toml", -2.352_47),
    ] {
        for (method, tolerance) in METHODS {
            let phi = last(&run(name, method), "phi");
            assert!((phi - right).abs() < tolerance.max(1e-5), "{name} {method}: {phi}");
        }
    }
}

/// The studies of that door: one degree of freedom; at rest the centre hangs below the axis (closed form: a quarter of a turn for
/// an axis in a vertical plane through x); the drive that a motion needs is `I a + m g c cos(..)`, 16.58 N m at most (SciPy).
#[test]
fn studies_of_a_second_hinge() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| model(name).to_string_lossy().into_owned();
    let check = text(&gelenk(folder.path(), &["check", &path("door_tilted.toml")]));
    assert!(check.contains("degrees of freedom: 1"), "{check}");
    // From 1 rad the steps of the search meet the level position, where gravity does not change with the angle.
    let rest = text(&gelenk(folder.path(), &["equilibrium", &path("door_tilted_20.toml")]));
    assert!(rest.contains("-1.570796327  rad"), "{rest}");
    let inverse = gelenk(folder.path(), &["inverse", &path("door_tilted_inverse.toml"), "-o", "a.parquet"]);
    let inverse = text(&inverse);
    assert!(inverse.contains("-12.740534") && inverse.contains("16.583164"), "{inverse}");
}

/// A planar four-bar whose redundant equations are not zero to the last digit, because its plane or the axes of its loop are
/// turned: the same motion as with axes along the ground's (4.6896228567 rad, dopri5). The stepped modes had no solution.
#[test]
fn planar_loops_in_any_plane() {
    for name in ["four_bar_revolute.toml", "four_bar_turned_point.toml"] {
        for (method, tolerance) in METHODS.into_iter().take(5) {
            let phi = last(&run(name, method), "phi");
            assert!((phi - 4.689_622_857).abs() < 10.0 * tolerance, "{name} {method}: {phi}");
        }
    }
    // Steps of order 1 are 0.08 rad off after half a second, both mechanisms alike.
    for method in ["stepped", "real-time"] {
        let half_a_second = |name: &str, method: &str| column(&run(name, method), "phi")[100];
        let [a, b] = ["four_bar_revolute.toml", "four_bar_turned_point.toml"];
        let (a, b, exact) = (half_a_second(a, method), half_a_second(b, method), half_a_second(a, "dopri5"));
        assert!((a - b).abs() < 1e-8 && (a - exact).abs() < 0.1, "{method}: {a} {b} {exact}");
    }
}

fn column<'r>(recording: &'r Recording, name: &str) -> &'r [f64] {
    let k = recording.columns().iter().position(|c| c.name == name).unwrap();
    recording.values(k).unwrap()
}

/// The row from which on the load has moved a coordinate that was at rest, after the given time.
fn moves(recording: &Recording, coordinate: &str, after: f64) -> usize {
    let (t, x) = (column(recording, "t"), column(recording, coordinate));
    let from = t.iter().position(|&t| t >= after).unwrap();
    from + x[from..].iter().position(|v| (v - x[from]).abs() > 1e-9).unwrap()
}

/// What comes to rest through a loop sticks with all its frictions: it breaks away at `sum F_S |dq/dq_load|` at the
/// position of rest (virtual work), in every method. One friction stuck, the others slid on with velocities of rounding, and
/// it broke away at the level of sliding.
#[test]
fn break_away_of_loops() {
    for (method, _) in METHODS {
        let rails = run("trammel_breakaway.toml", method);
        let k = moves(&rails, "x", 0.7);
        let (x, y) = (column(&rails, "x")[k - 1], column(&rails, "y")[k - 1]);
        let right = 0.7 + (3.0 + 2.0 * (x / y).abs()) / 2.0;
        let t = column(&rails, "t")[k];
        assert!((t - right).abs() < 0.011, "{method}: {t} {right}");

        let crank = run("crank_breakaway.toml", method);
        let k = moves(&crank, "phi", 0.5);
        let (sin, cos) = column(&crank, "phi")[k - 1].sin_cos();
        let slope = 0.1 * sin + 0.01 * sin * cos / (0.09f64 - 0.01 * sin * sin).sqrt();
        let right = 0.5 + 0.4 + 3.0 * slope.abs();
        let t = column(&crank, "t")[k];
        assert!((t - right).abs() < 0.005, "{method}: {t} {right}");
    }
}

/// Two blocks on crossed rails come to rest at 0.489655 m (SciPy, apart from this program) and stay there without load.
#[test]
fn loops_come_to_rest() {
    for (method, tolerance) in METHODS {
        let rails = run("trammel_comes_to_rest.toml", method);
        assert!((last(&rails, "x") - 0.489_655).abs() < tolerance, "{method}: {}", last(&rails, "x"));
        for friction in ["joints.a.coordinate.friction", "joints.b.coordinate.friction"] {
            assert!(last(&rails, friction).abs() < 1e-6, "{method}: {}", last(&rails, friction));
        }
    }
}

/// At its dead point friction on the slider cannot hold a crank: 10.2102 rad after 0.5 s (dopri5 and rk4; SciPy for the same
/// without gravity). `stepped2` stood still.
#[test]
fn dead_points_are_left() {
    for (method, tolerance) in METHODS {
        let phi = last(&run("dead_point_stepped2.toml", method), "phi");
        assert!((phi - 10.2102).abs() < 50.0 * tolerance, "{method}: {phi}");
    }
}

/// A rigid limit against a coupling that moves with time: the loop was left open by 50 mm, or the limit was passed.
#[test]
fn a_limit_against_a_prescribed_motion_is_refused() {
    for (method, _) in METHODS {
        let fixed = !["dopri5", "dop853", "bs23"].contains(&method);
        let overrides = Overrides {
            method: Some(method.into()),
            step: fixed.then(|| "1 ms".into()),
            ..Overrides::default()
        };
        let text = std::fs::read_to_string(model("stop_against_time.toml")).unwrap();
        let built = prepared(&text, &overrides).unwrap();
        let error = gelenk::run::run(&built.mechanism, &built.parameters.values(), &built.options)
            .map(|(recording, _)| last(&recording, "x"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("joints.x.coordinate.stop") && error.contains("t = 0.500000 s"),
            "{method}: {error}"
        );
    }
}
