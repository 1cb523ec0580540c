//! A run goes on only with the model that it began with.
//!
//! Before, changed expressions, logs, curves, meshes and connections were accepted: the saved state recorded only sizes,
//! parameters and the method.

use std::fs;
use std::path::Path;

use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::run_into;
use gelenk_record::{Event, Sink, SinkError};
use gelenk_solve::Checkpoint;

use super::support::{gelenk, text};

/// A cart with most things that a model can have: a log, a curve, expressions, a switch, a sampled controller, a loop,
/// a mesh from a file in contact, friction, a stop.
const MODEL: &str = r#"
schema = 1
title = "a cart" # and more
gravity = [0, 0, "-9.81 m/s^2"]
[parameters]
gain = "2 N"
[bodies.cart]
mass = "1 kg"
shape = { box = { size = ["10 cm", "10 cm", "10 cm"] } }
[bodies.arm]
mass = "0.2 kg"
centre = [0, 0, "-10 cm"]
inertia = ["2e-3 kg m^2", "2e-3 kg m^2", "2e-3 kg m^2"]
[bodies.lever]
mass = "0.2 kg"
centre = [0, 0, "-10 cm"]
inertia = ["2e-3 kg m^2", "2e-3 kg m^2", "2e-3 kg m^2"]
[bodies.block]
mass = "0.1 kg"
inertia = ["1e-4 kg m^2", "1e-4 kg m^2", "1e-4 kg m^2"]
[joints.rail]
type = "prismatic"
parent = "ground"
child = "cart"
axis = [1, 0, 0]
coordinate = { name = "x", stop = { range = ["-1 m", "1 m"], stiffness = "1 kN/m" } }
friction = { law = "viscous", viscous = "0.3 N s/m" }
[joints.hinge]
type = "revolute"
parent = "cart"
child = "arm"
axis = [0, 1, 0]
coordinate = { name = "phi", start = "10 deg" }
[joints.other]
type = "revolute"
parent = "cart"
child = "lever"
axis = [0, 1, 0]
coordinate = { name = "psi", start = "10 deg" }
[joints.drop]
type = "prismatic"
parent = "ground"
child = "block"
axis = [0, 0, 1]
coordinate = { name = "z", start = "11 mm" }
[frames.a]
body = "arm"
position = [0, 0, "-20 cm"]
[frames.b]
body = "lever"
position = ["5 cm", 0, "-20 cm"]
[frames.c]
body = "lever"
position = ["5 cm", 0, "-20 cm"]
[loops.link]
type = "distance"
between = ["a", "b"]
length = "5 cm"
[materials.soft]
modulus = "1e6 N/m^2"
poisson = 0.3
depth = "5 mm"
[surfaces.block]
on = "block"
material = "soft"
mesh = { file = "block.obj" }
[surfaces.floor]
on = "ground"
material = "soft"
make = { plane = { size = ["30 cm", "30 cm"], divisions = 2 } }
[contacts.touch]
between = ["block", "floor"]
master = "first"
[signals.push]
log = { file = "push.csv", time = "t", column = "f", unit = "N" }
[curves.shape]
x = ["0 s", "1 s", "2 s"]
y = [0, 1, 0]
[switches.far]
on = "x > 10 mm"
off = "x < 5 mm"
[drives.motor]
on = "x"
force = "push + gain * shape(t) * sin(3 [rad/s] * t) - 0.1 [N] * far"
[springs.back]
between = ["a", "ground"]
stiffness = "3 N/m"
length = "10 cm"
[outputs]
twice = "2 * x"
[simulate]
until = "1 s"
output = "1 ms"
solver = { method = "rk4", step = "1 ms", loops = "project" }
"#;

const LOG: &str = "t,f\n0,0\n1,1\n2,0.5\n";
const BLOCK: &str = "v -0.01 -0.01 -0.01\nv 0.01 -0.01 -0.01\nv 0.01 0.01 -0.01\nv -0.01 0.01 -0.01\n\
    v 0 0 0.01\nf 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";

/// Changes after which a run must not go on: in the model, in the log and in the mesh.
const CHANGES: [(&str, &str, &str); 30] = [
    ("an expression", "sin(3 [rad/s]", "cos(3 [rad/s]"),
    ("a constant in an expression", "sin(3 [rad/s]", "sin(3.1 [rad/s]"),
    ("a factor", "push + gain", "2 * push + gain"),
    ("an output", "2 * x", "3 * x"),
    ("a point of a curve", "y = [0, 1, 0]", "y = [0, 1.1, 0]"),
    ("the kind of a curve", "y = [0, 1, 0]", "y = [0, 1, 0]\nkind = \"linear\""),
    ("a connection", "between = [\"a\", \"b\"]", "between = [\"a\", \"c\"]"),
    ("the order of a connection", "between = [\"a\", \"b\"]", "between = [\"b\", \"a\"]"),
    ("a parent", "parent = \"cart\"\nchild = \"lever\"", "parent = \"ground\"\nchild = \"lever\""),
    ("gravity", "-9.81", "-9.80"),
    ("a parameter", "gain = \"2 N\"", "gain = \"2.0001 N\""),
    ("a mass", "mass = \"1 kg\"", "mass = \"1.5 kg\""),
    ("a size that gives an inertia", "\"10 cm\", \"10 cm\", \"10 cm\"", "\"10 cm\", \"10 cm\", \"11 cm\""),
    ("a start", "name = \"phi\", start = \"10 deg\"", "name = \"phi\", start = \"11 deg\""),
    ("an axis", "child = \"cart\"\naxis = [1, 0, 0]", "child = \"cart\"\naxis = [0, 1, 0]"),
    (
        "a friction law",
        "law = \"viscous\", viscous = \"0.3 N s/m\"",
        "law = \"coulomb\", coulomb = \"0.1 N\"",
    ),
    ("a stop", "[\"-1 m\", \"1 m\"]", "[\"-1 m\", \"2 m\"]"),
    ("a condition", "on = \"x > 10 mm\"", "on = \"x > 11 mm\""),
    ("a material", "poisson = 0.3", "poisson = 0.35"),
    ("the master of a contact", "master = \"first\"", "master = \"second\""),
    ("the mesh of a surface", "divisions = 2", "divisions = 3"),
    ("a spring", "\"3 N/m\"", "\"4 N/m\""),
    ("the body of a frame", "[frames.a]\nbody = \"arm\"", "[frames.a]\nbody = \"cart\""),
    ("the method", "\"rk4\"", "\"heun\""),
    ("the step", "step = \"1 ms\"", "step = \"0.5 ms\""),
    ("the output period", "output = \"1 ms\"", "output = \"2 ms\""),
    ("how loops are closed", "\"project\"", "\"partition\""),
    (
        "the parameters of how loops are closed",
        "loops = \"project\"",
        "loops = \"baumgarte\", alpha = \"7 1/s\"",
    ),
    ("a number in the log", "1,1\n", "1,1.01\n"),
    ("a vertex of the mesh", "v 0 0 0.01", "v 0 0 0.011"),
];

/// What does not matter for the run, or only lets it end elsewhere.
const SAME: [(&str, &str); 3] =
    [("# and more", "# and less"), ("a cart", "a carriage"), ("until = \"1 s\"", "until = \"1.5 s\"")];

/// Keeps the last state.
#[derive(Default)]
struct Last(Option<String>, u64);

impl Sink for Last {
    fn row(&mut self, _: &[f64]) -> Result<(), SinkError> {
        self.1 += 1;
        Ok(())
    }

    fn event(&mut self, _: Event) -> Result<(), SinkError> {
        Ok(())
    }

    fn wants_state(&self) -> bool {
        true
    }

    fn state(&mut self, state: String) -> Result<(), SinkError> {
        self.0 = Some(state);
        Ok(())
    }

    fn durable(&self) -> u64 {
        self.1
    }
}

fn written(folder: &Path, change: (&str, &str)) -> Prepared {
    let files = [("model.toml", MODEL), ("push.csv", LOG), ("block.obj", BLOCK)];
    let mut changed = 0;
    for (name, content) in files {
        changed += content.matches(change.0).count();
        fs::write(folder.join(name), content.replace(change.0, change.1)).unwrap();
    }
    assert!(change.0.is_empty() || changed == 1, "{change:?} in {changed} places");
    let opened = open::simulation(&folder.join("model.toml"), &Overrides::default());
    opened.map_err(|error| format!("{change:?}: {error}")).unwrap()
}

fn fits(state: &Checkpoint, prepared: &Prepared) -> bool {
    state.fits(&prepared.mechanism, &prepared.parameters.values(), &prepared.options)
}

/// The state of a run of the model, some way into it.
fn state(prepared: &Prepared) -> Checkpoint {
    let mut last = Last::default();
    let p = prepared.parameters.values();
    let stop = &mut |_: f64, rows: u64| rows < 200;
    let _ = run_into(&prepared.mechanism, &p, &prepared.options, None, &mut last, stop);
    Checkpoint::from_text(&last.0.unwrap()).unwrap()
}

#[test]
fn every_change_of_a_model_or_its_files_is_noticed() {
    let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let state = state(&written(here.path(), ("", "")));
    assert!(fits(&state, &written(here.path(), ("", ""))));
    assert!(fits(&state, &written(elsewhere.path(), ("", ""))), "another folder");
    for (what, from, to) in CHANGES {
        assert!(!fits(&state, &written(here.path(), (from, to))), "{what} was changed and not noticed");
    }
    for change in SAME {
        assert!(fits(&state, &written(here.path(), change)), "{change:?}");
    }
}

/// The coordinates of the equations belong to the run, too.
#[test]
fn another_formulation_is_noticed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/four-bar/model.toml");
    let formulation = |which: &str| Overrides {
        formulation: Some(which.into()),
        method: Some("rk4".into()),
        step: Some("1 ms".into()),
        ..Overrides::default()
    };
    let [minimal, absolute] =
        ["minimal", "absolute"].map(|which| open::simulation(&path, &formulation(which)).unwrap());
    let states = [state(&minimal), state(&absolute)];
    assert!(fits(&states[0], &minimal) && fits(&states[1], &absolute));
    assert!(!fits(&states[0], &absolute) && !fits(&states[1], &minimal));
}

/// What is computed on demand during a run belongs to the model all the time: a state that is taken late fits as well.
#[test]
fn a_run_does_not_change_its_own_fingerprint() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = written(folder.path(), ("", ""));
    let first = state(&prepared);
    assert_eq!(first, state(&prepared));
    assert!(fits(&first, &prepared));
}

/// The finding as it was met: `sin` became `cos` in the torque of a drive, and a row of its log changed.
#[test]
fn a_killed_run_does_not_go_on_with_another_model() {
    let folder = tempfile::tempdir().unwrap();
    let command = ["run", "model.toml", "-o", "run.parquet", "--resume"];
    let mut prepared = written(folder.path(), ("", ""));
    // As the program records.
    prepared.mechanism.record_poses();
    let columns = gelenk::run::columns(&prepared.mechanism);
    let options = gelenk_io::PartOptions { rows: 50, ..gelenk_io::PartOptions::default() };
    let out = folder.path().join("run.parquet");
    let mut writer = gelenk_io::PartWriter::create(&out, columns, prepared.metadata(), options).unwrap();
    let p = prepared.parameters.values();
    let _ = run_into(&prepared.mechanism, &p, &prepared.options, None, &mut writer, &mut |t, _| t < 0.4);
    // As a kill leaves it.
    drop(writer);
    for change in [("sin(3 [rad/s]", "cos(3 [rad/s]"), ("1,1\n", "1,2\n"), ("v 0 0 0.01", "v 0 0 0.02")] {
        written(folder.path(), change);
        let refused = gelenk(folder.path(), &command);
        assert!(!refused.status.success(), "{change:?}");
        assert!(text(&refused).contains("another model"), "{}", text(&refused));
    }
    written(folder.path(), ("# and more", "# of the same"));
    let resumed = gelenk(folder.path(), &command);
    assert!(resumed.status.success(), "{}", text(&resumed));
    let whole = gelenk(folder.path(), &["run", "model.toml", "-o", "whole.parquet"]);
    assert!(whole.status.success(), "{}", text(&whole));
    let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("run.parquet") == bytes("whole.parquet"), "other bytes");
}
