//! Contact between simple bodies in whole models.

use std::path::Path;

use gelenk::open::{Overrides, simulation};
use gelenk::run::run;
use gelenk_record::Recording;

fn simulate(path: &Path, overrides: &Overrides) -> Recording {
    let prepared = simulation(path, overrides).map_err(|e| e.to_string()).unwrap();
    run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap().0
}

fn written(model: &str) -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    std::fs::write(&path, model).unwrap();
    simulate(&path, &Overrides::default())
}

fn last(recording: &Recording, column: &str) -> f64 {
    *recording.column(column).unwrap().last().unwrap()
}

/// Both ways to run give the same: rebounds of the case `restitution` by closed forms (see there), in steps of order 2
/// and, less exactly, of order 1. The speed of the first touch is kept over the steps of a contact.
#[test]
fn stepped_modes_know_the_first_touch() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/restitution/model.toml");
    let speeds = [("z1.rate", 1.0), ("z2.rate", 0.571_740), ("z3.rate", 0.980_391), ("z4.rate", 0.913_177)];
    for (method, step, tolerance) in [("stepped2", "5 us", 1e-5), ("stepped", "1 us", 4e-3)] {
        let overrides =
            Overrides { method: Some(method.into()), step: Some(step.into()), ..Overrides::default() };
        let recording = simulate(&case, &overrides);
        for (column, speed) in speeds {
            let found = last(&recording, column);
            assert!((found / speed - 1.0).abs() < tolerance, "{method} {column}: {found} {speed}");
        }
    }
}

/// A stack of two boxes and a capsule lying on top: every place carries its share of what is above it. Statics: two boxes
/// share four corners, the capsule lies on two places.
#[test]
fn a_stack_stands() {
    let mut model = String::from(
        "schema = 1\ngravity = [0, 0, -10]\n[simulate]\nuntil = 2\noutput = 0.1\n\
         solver = { method = \"stepped\", step = \"1 ms\" }\n\
         [surfaces.floor]\non = \"ground\"\nsimple = \"plane\"\n",
    );
    for (name, height, turn, shape) in [
        ("lower", 0.05, "0", "{ box = { size = [0.3, 0.3, 0.1] } }"),
        ("upper", 0.15, "0.3", "{ box = { size = [0.2, 0.1, 0.1] } }"),
    ] {
        model += &format!(
            "[bodies.{name}]\nmass = 1\nshape = {shape}\n[joints.{name}]\ntype = \"free\"\nparent = \"ground\"\n\
             child = \"{name}\"\nstart = {{ position = [0, 0, {height}], orientation = [0, 0, {turn}] }}\n\
             [surfaces.{name}]\non = \"{name}\"\n"
        );
    }
    model += "[bodies.log]\nmass = 1\nshape = { capsule = { radius = 0.02, length = 0.3 } }\n[joints.log]\n\
              type = \"free\"\nparent = \"ground\"\nchild = \"log\"\n\
              start = { position = [0, 0, 0.22], orientation = [0, \"90 deg\", 0] }\n[surfaces.log]\non = \"log\"\n";
    for [a, b] in [["lower", "floor"], ["upper", "lower"], ["log", "upper"]] {
        model += &format!(
            "[contacts.{a}]\nbetween = [\"{a}\", \"{b}\"]\nfriction = 0.5\n\
             law = {{ kelvin-voigt = {{ stiffness = \"10 kN/m\", damping = \"50 N s/m\" }} }}\n"
        );
    }
    let recording = written(&model);
    for (name, weight, spots) in [("lower", 30.0, 4.0), ("upper", 20.0, 4.0), ("log", 10.0, 2.0)] {
        let column = |part: &str| last(&recording, &format!("contacts.{name}{part}"));
        assert_eq!(column(".spots"), spots, "{name}");
        assert!((column(".fz") - weight).abs() < 1e-3, "{name}: {}", column(".fz"));
        assert!(
            (column(".max_depth") - weight / spots / 1e4).abs() < 1e-6,
            "{name}: {}",
            column(".max_depth")
        );
    }
}

/// Nothing passes through: a small fast ball meets a thin plate in the middle of a long flight, whatever the tolerance.
#[test]
fn a_bullet_does_not_pass_through() {
    for tolerance in ["1e-3", "1e-8"] {
        let recording = written(&format!(
            "schema = 1\ngravity = [0, 0, 0]\n[bodies.ball]\nmass = 0.1\nshape = {{ sphere = {{ radius = 0.005 }} }}\n\
             [joints.fly]\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"ball\"\naxis = [1, 0, 0]\n\
             coordinate = {{ name = \"x\", start = -3, rate = 50 }}\n[surfaces.ball]\non = \"ball\"\n\
             [surfaces.plate]\non = \"ground\"\nsimple = {{ box = {{ size = [0.01, 1, 1] }} }}\n\
             [contacts.hit]\nbetween = [\"ball\", \"plate\"]\nlaw = {{ linear = {{ stiffness = 1e8 }} }}\n\
             [simulate]\nuntil = 0.2\noutput = 0.01\nsolver = {{ method = \"dopri5\", rtol = {tolerance}, atol = 1e-6 }}\n"
        ));
        let speed = last(&recording, "x.rate");
        assert!((speed + 50.0).abs() < 0.5, "{tolerance}: {speed}");
        let event = &recording.events()[0];
        assert_eq!(event.what, "contact closes");
        // Closed form: the surfaces are 2.99 m apart at the start.
        assert!((event.t - 2.99 / 50.0).abs() < 1e-9, "{}", event.t);
    }
}
