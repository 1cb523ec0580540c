//! Reactions of redundant constraints: one rule in `run` and `inverse`, minimal and absolute.
//!
//! A door on two hinges: `inverse` gave 49.05 N + 49.05 N, `run` 0 + 98.1 N. Rigid bodies do not say which; the reactions
//! of least norm are taken everywhere, moments divided by 1 m.

use gelenk::motion_study::MotionStudy;
use gelenk::open::Overrides;
use gelenk_record::Recording;
use gelenk_testing::random::Random;
use nalgebra::{DMatrix, DVector, Vector3};

use super::support::{gelenk, model, prepared, text};

/// First value of a column.
fn first(recording: &Recording, column: &str) -> f64 {
    let k = recording.columns().iter().position(|c| c.name == column);
    recording.values(k.unwrap()).unwrap()[0]
}

const PARTS: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];

fn wrench(recording: &Recording, group: &str) -> [f64; 6] {
    PARTS.map(|part| first(recording, &format!("{group}.{part}")))
}

/// Runs a model in both formulations and hands out the wrenches of these joints and loops at the start.
fn wrenches(text: &str, joint: &str, loops: &[String]) -> [Vec<[f64; 6]>; 2] {
    ["minimal", "absolute"].map(|formulation| {
        let overrides = Overrides { formulation: Some(formulation.into()), ..Overrides::default() };
        let mut prepared = prepared(text, &overrides).unwrap();
        prepared.mechanism.record_reactions();
        let values = prepared.parameters.values();
        let (recording, _) = gelenk::run::run(&prepared.mechanism, &values, &prepared.options).unwrap();
        let own =
            if formulation == "minimal" { format!("reactions.{joint}") } else { format!("loops.{joint}") };
        let groups = std::iter::once(own).chain(loops.iter().map(|name| format!("loops.{name}")));
        groups.map(|group| wrench(&recording, &group)).collect()
    })
}

/// Both hinges of the door carry half the weight. Its moment `10 kg 9.81 m/s^2 0.4 m = 39.24 N m` is held by a pair of
/// forces `F` at 1.4 m and two moments `M`: of all with `1.4 F + 2 M = 39.24`, `2 F^2 + 2 M^2` is least at
/// `M = 39.24/2.98`, `F = 0.7 M`.
#[test]
fn hinges_share_a_door() {
    let door = std::fs::read_to_string(model("door_two_hinges.toml")).unwrap()
        + "[simulate]\nuntil = 0.01\noutput = 0.01\nsolver = { method = \"rk4\", step = 0.01 }\n";
    let moment = 39.24 / 2.98;
    let expected =
        [[-0.7 * moment, 0.0, 49.05, 0.0, -moment, 0.0], [0.7 * moment, 0.0, 49.05, 0.0, -moment, 0.0]];
    for wrenches in wrenches(&door, "hinge", &["second".into()]) {
        for (wrench, expected) in wrenches.iter().zip(&expected) {
            let off = wrench.iter().zip(expected).fold(0.0f64, |max, (a, b)| max.max((a - b).abs()));
            assert!(off < 1e-9, "{wrenches:?} instead of {expected:?}");
        }
    }
    // The same from inverse dynamics, of a free door on two loops.
    let (path, kind) = (model("red2.study.toml"), gelenk_model::study_file::StudyKind::InverseDynamics);
    let study = MotionStudy::open(&path, kind, "inverse", None, &Overrides::default()).unwrap();
    let recording = study.inverse_dynamics().unwrap();
    for name in ["upper", "lower"] {
        assert!((first(&recording, &format!("loops.{name}.fz")) - 49.05).abs() < 1e-9);
        assert!((first(&recording, &format!("loops.{name}.my")) + moment).abs() < 1e-9);
    }
}

/// Doors on two to five hinges, moving, under gravity in any direction: forces and moments of every body balance, and
/// the reactions are those of least norm that Newton's and Euler's equations of the one body leave (solved here by a
/// pseudo-inverse, without the program's equations).
#[test]
fn reactions_balance_and_are_least() {
    let mut random = Random::new(5);
    for round in 0..12 {
        let mut r = || random.number();
        let (mass, centre) = (2.0 + r(), Vector3::new(0.5 * r(), 0.5 * r(), 0.5 * r()));
        let inertia = [0.3 + 0.1 * r(), 0.3 + 0.1 * r(), 0.3 + 0.1 * r()];
        let gravity = Vector3::new(10.0 * r(), 10.0 * r(), 10.0 * r());
        let rate = 3.0 * r();
        let heights: Vec<f64> = (0..1 + round % 4).map(|_| 1.5 * r()).collect();
        let mut text = format!(
            "schema = 1\ntitle = \"door\"\ngravity = {:?}\n[bodies.door]\nmass = {mass:?}\ncentre = {:?}\n\
             inertia = {inertia:?}\n[joints.hinge]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"door\"\n\
             axis = [0, 0, 1]\ncoordinate = {{ name = \"phi\", rate = {rate:?} }}\n[simulate]\nuntil = 0.001\n\
             output = 0.001\nsolver = {{ method = \"rk4\", step = 0.001 }}\n",
            gravity.as_slice(),
            centre.as_slice(),
        );
        for (k, z) in heights.iter().enumerate() {
            text += &format!(
                "[frames.wall{k}]\nbody = \"ground\"\nposition = [0, 0, {z:?}]\n[frames.door{k}]\nbody = \"door\"\n\
                 position = [0, 0, {z:?}]\n[loops.l{k}]\ntype = \"revolute\"\nbetween = [\"wall{k}\", \"door{k}\"]\n"
            );
        }
        // What all hinges together exert about the origin.
        let spin = Vector3::new(0.0, 0.0, rate);
        let about = inertia[2] + mass * (centre.x * centre.x + centre.y * centre.y);
        let turn = Vector3::new(0.0, 0.0, centre.cross(&(gravity * mass)).z / about);
        let force = (turn.cross(&centre) + spin.cross(&spin.cross(&centre)) - gravity) * mass;
        let tensor = nalgebra::Matrix3::from_diagonal(&inertia.into());
        let moment = tensor * turn + spin.cross(&(tensor * spin)) + centre.cross(&force);
        let places: Vec<f64> = std::iter::once(0.0).chain(heights.iter().copied()).collect();
        // Unknowns of each hinge: fx fy fz mx my.
        let mut balance = DMatrix::<f64>::zeros(6, 5 * places.len());
        for (k, &z) in places.iter().enumerate() {
            for part in 0..3 {
                balance[(part, 5 * k + part)] = 1.0;
            }
            // (0, 0, z) x f
            balance[(3, 5 * k + 1)] = -z;
            balance[(4, 5 * k)] = z;
            balance[(3, 5 * k + 3)] = 1.0;
            balance[(4, 5 * k + 4)] = 1.0;
        }
        let whole = DVector::from_iterator(6, force.iter().chain(moment.iter()).copied());
        let least = balance.clone().pseudo_inverse(1e-12).unwrap() * &whole;
        let names: Vec<String> = (0..heights.len()).map(|k| format!("l{k}")).collect();
        for wrenches in wrenches(&text, "hinge", &names) {
            let found: Vec<f64> = wrenches.iter().flat_map(|w| w[..5].to_vec()).collect();
            let found = DVector::from_vec(found);
            let off = (&found - &least).amax() / (1.0 + least.amax());
            assert!(off < 1e-8, "round {round}: {off:.2e}, {found} {least}");
            assert!((&balance * &found - &whole).amax() < 1e-8 * (1.0 + whole.amax()), "round {round}");
        }
    }
}

/// `check` and the metadata of a recording name the joints and loops whose reactions are not unique.
#[test]
fn reactions_that_are_not_unique_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(model("door_two_hinges.toml"), folder.path().join("door.toml")).unwrap();
    let checked = text(&gelenk(folder.path(), &["check", "door.toml"]));
    assert!(checked.contains("reactions of joint hinge, loop second are not unique"), "{checked}");
    let run = gelenk(folder.path(), &["run", "door.toml", "--until", "0.1 s", "-o", "door.parquet"]);
    assert!(run.status.success(), "{}", text(&run));
    assert!(text(&run).contains("not unique"), "{}", text(&run));
    let recording = gelenk_io::read(&folder.path().join("door.parquet")).unwrap();
    let named = recording.meta().get("reactions.shared").cloned();
    assert_eq!(named.as_deref(), Some("joint hinge, loop second"));
}
