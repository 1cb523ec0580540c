//! Loop joints as spline joints: the knee of S-5, the ellipsoid knee, the shoulder girdle of S-7.

use std::path::{Path, PathBuf};

use gelenk::open::{Overrides, Prepared, simulation};
use gelenk::run::run;
use gelenk::splined::{ConvertError, SplineRequest, Splined, spline};
use gelenk_model::splined::SplineError;
use gelenk_model::{load_model, parse_model};
use gelenk_multibody::SweepError;
use gelenk_record::Recording;
use gelenk_system::System;

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(name).join("model.toml")
}

fn open(path: &Path) -> Prepared {
    simulation(path, &Overrides::default()).unwrap()
}

fn request(joint: &str, over: &str, range: [f64; 2], knots: usize) -> SplineRequest {
    let range = range.map(f64::to_radians);
    SplineRequest { joints: vec![joint.into()], over: over.into(), range, knots }
}

fn convert(name: &str, request: &SplineRequest) -> Splined {
    spline(&load_model(case(name)).unwrap(), request).unwrap()
}

/// Runs a model given as text, as the file of a case would be.
fn recorded(path: &Path) -> Recording {
    let prepared = open(path);
    run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap().0
}

/// Case S-5: place of D and B on the tibia and the instant centre over flexion, and the lengths of the ligaments. The
/// numbers are those of the specification [proposed; computed, twice], to 1e-3 mm.
#[test]
fn knee_of_s5_follows_its_branch() {
    let prepared = open(&case("knee-four-bar"));
    let mechanism = &prepared.mechanism;
    let mut data = mechanism.data();
    // One point every degree, rising in the angle of the joint, which is minus the flexion.
    let at: Vec<f64> = (0..=130).map(|k| f64::from(k - 130).to_radians()).collect();
    let sweep = mechanism.sweep(&mut data, 2, &[0, 1], &at).unwrap();
    assert_eq!(sweep.loops, ["anterior", "posterior"]);
    let table = [
        (0, [-7.507, -32.694], [12.493, -32.694], [5.071, -13.272]),
        (30, [-15.432, -24.949], [1.888, -34.949], [0.753, -13.931]),
        (60, [-19.340, -16.410], [-9.340, -33.731], [-3.364, -12.148]),
        (90, [-20.279, -8.527], [-20.279, -28.527], [-6.298, -8.859]),
        (120, [-19.300, -1.824], [-29.300, -19.145], [-7.654, -5.001]),
        (130, [-18.683, 0.146], [-31.539, -15.175], [-7.742, -3.725]),
    ];
    let knots: Vec<f64> = at.clone();
    let splines: Vec<_> = (0..2)
        .map(|k| {
            let [first, last] = sweep.slopes[k];
            let end = gelenk_math::spline::End::Clamped { first, last };
            gelenk_math::spline::CubicSpline::new(&knots, &sweep.values[k], end).unwrap()
        })
        .collect();
    let (a, c) = ([0.0, 0.0], [12.0 * 40f64.to_radians().sin(), -12.0 * 40f64.to_radians().cos()]);
    let mut rolled = Vec::new();
    for (flexion, place_d, place_b, centre) in table {
        let turn = -f64::from(flexion).to_radians();
        let d = [0, 1].map(|k| 1e3 * splines[k].jet(turn).value);
        let slope = [0, 1].map(|k| 1e3 * splines[k].jet(turn).first);
        let b = [d[0] + 20.0 * turn.cos(), d[1] + 20.0 * turn.sin()];
        // Of the velocity of D for a unit turn: v = (-(d - p)_y, (d - p)_x) about the instant centre p.
        let p = [d[0] - slope[1], d[1] + slope[0]];
        for k in 0..2 {
            assert!((d[k] - place_d[k]).abs() < 1e-3, "D at {flexion}: {d:?}");
            assert!((b[k] - place_b[k]).abs() < 1e-3, "B at {flexion}: {b:?}");
            assert!((p[k] - centre[k]).abs() < 1e-3, "instant centre at {flexion}: {p:?}");
        }
        rolled.push((p[0] - d[0]) * turn.cos() + (p[1] - d[1]) * turn.sin());
        assert!(crossed(a, b, c, d), "the ligaments cross at {flexion}");
    }
    // The foot of the instant centre on the plateau rolls back from 12.58 to -4.07 mm.
    assert!((rolled[0] - 12.58).abs() < 5e-3 && (rolled[5] + 4.07).abs() < 5e-3, "{rolled:?}");
    for (i, turn) in at.iter().enumerate() {
        let d = [0, 1].map(|k| 1e3 * sweep.values[k][i]);
        let b = [d[0] + 20.0 * turn.cos(), d[1] + 20.0 * turn.sin()];
        let long = (b[0].hypot(b[1]) - 35.0).abs() + ((d[0] - c[0]).hypot(d[1] - c[1]) - 28.0).abs();
        assert!(long < 1e-6, "lengths (mm) kept to 1e-9 m: {long:e}");
    }
}

/// Whether the segments `ab` and `cd` cross.
fn crossed(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let side =
        |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// ST-R45, case S-5: the spline version lies within 0.05 mm of the loops with knots every 2 degrees, and moves as they
/// do within 1e-4 rad over 1 s; so does the ellipsoid knee.
#[test]
fn converted_knees_move_as_their_loops() {
    for name in ["knee-four-bar", "knee-ellipsoid"] {
        let splined = convert(name, &request("knee", "turn", [-130.0, 0.0], 66));
        for (coordinate, unit, deviation) in &splined.deviations {
            assert!(*unit == "m" && *deviation < 5e-5, "{name}, {coordinate}: {deviation} {unit}");
        }
        let file = std::env::temp_dir().join(format!("gelenk-splined-{}-{name}.toml", std::process::id()));
        std::fs::write(&file, &splined.text).unwrap();
        assert_eq!(open(&file).mechanism.velocity_count(), 1);
        assert_eq!(open(&file).mechanism.constraint_count(), 0);
        let (loops, curves) = (recorded(&case(name)), recorded(&file));
        std::fs::remove_file(&file).unwrap();
        for (column, tolerance) in [("flexion", 1e-4), ("x", 5e-6), ("y", 5e-6)] {
            let pairs = loops.column(column).unwrap().iter().zip(curves.column(column).unwrap());
            let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < tolerance, "{name}, {column}: {apart:e}");
        }
    }
}

/// The models of the spline cases are what the command writes today, as their descriptions say.
#[test]
fn spline_cases_are_what_the_command_writes() {
    for (from, to, request) in [
        ("knee-four-bar", "knee-spline", request("knee", "turn", [-130.0, 0.0], 66)),
        ("shoulder-girdle", "shoulder-spline", request("ac", "abduction", [0.0, 120.0], 61)),
    ] {
        let (written, kept) = (convert(from, &request).text, std::fs::read_to_string(case(to)).unwrap());
        // The last digits of a number may differ between machines; everything else not.
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let number = |word: &str| word.trim_matches(|c: char| "[],".contains(c)).parse::<f64>().ok();
        assert_eq!(words(&written).len(), words(&kept).len(), "{to}");
        for (a, b) in words(&written).iter().zip(&words(&kept)) {
            let same = match (number(a), number(b)) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1e-3),
                _ => a == b,
            };
            assert!(same, "{to}: {a} {b}");
        }
    }
}

/// A range beyond which the loops lock, names that do not exist, loops with a second freedom, elements on coordinates
/// that go, and places that cannot be edited are refused.
#[test]
fn what_cannot_be_converted_is_said() {
    let knee = load_model(case("knee-four-bar")).unwrap();
    let error = spline(&knee, &request("nee", "turn", [-130.0, 0.0], 66)).unwrap_err();
    assert!(error.to_string().contains("did you mean"), "{error}");
    let error = spline(&knee, &request("knee", "tun", [-130.0, 0.0], 66)).unwrap_err();
    assert!(error.to_string().contains("did you mean"), "{error}");
    let text = std::fs::read_to_string(case("knee-four-bar")).unwrap();
    // With 14 mm between the attachments the shortest and the longest link are longer than the other two together
    // (Grashof), so that the tibia cannot turn round.
    let locking = parse_model(&text.replace("12 mm", "14 mm"), None).unwrap();
    let error = spline(&locking, &request("knee", "turn", [-350.0, 0.0], 66)).unwrap_err();
    assert!(matches!(error, ConvertError::Sweep(SweepError::Lost { .. })), "{error}");
    let convert = |text: &str| {
        let model = parse_model(text, None).unwrap();
        spline(&model, &request("knee", "turn", [-130.0, 0.0], 66)).unwrap_err()
    };
    let loose = text.replace(
        "[loops.anterior]\ntype    = \"distance\"\nbetween = [\"a\", \"b\"]\nlength  = \"35 mm\"\n",
        "",
    );
    let error = convert(&loose);
    assert!(matches!(error, ConvertError::Sweep(SweepError::Undetermined { .. })), "{error}");
    let sprung = text.replace("{ name = \"y\",", "{ name = \"y\", spring = { stiffness = 1 },");
    let error = convert(&sprung);
    assert!(matches!(error, ConvertError::Rewrite(SplineError::Element { .. })), "{error}");
    let inline = text.replace(
        "[loops.posterior]\ntype    = \"distance\"\nbetween = [\"c\", \"d\"]\nlength  = \"28 mm\"\n",
        "[loops]\nposterior = { type = \"distance\", between = [\"c\", \"d\"], length = \"28 mm\" }\n",
    );
    // A loop in an inline table is taken out of it.
    let model = parse_model(&inline, None).unwrap();
    let made = spline(&model, &request("knee", "turn", [-130.0, 0.0], 66)).unwrap();
    assert!(!made.text.contains("posterior = {") && made.loops.len() == 2, "{}", made.text);
}
