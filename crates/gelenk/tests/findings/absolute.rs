//! Springs on coordinates in absolute coordinates: they act as in minimal ones, and keep their energy.
//!
//! They were forces by expressions: a spring with an exponent was not finite at t = 0, and the energy of a linear one was
//! booked as lost.

use gelenk::open::Overrides;
use gelenk_record::Recording;
use gelenk_solve::Summary;

use crate::support::prepared;

fn both(text: &str) -> [(Recording, Summary); 2] {
    ["minimal", "absolute"].map(|formulation| {
        let overrides = Overrides { formulation: Some(formulation.into()), ..Overrides::default() };
        let prepared = prepared(text, &overrides).unwrap();
        gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap()
    })
}

fn same(runs: &[(Recording, Summary); 2], columns: &[&str], tolerance: f64) {
    let values = |run: usize, name: &str| {
        let k = runs[run].0.columns().iter().position(|c| c.name == name);
        runs[run].0.values(k.unwrap()).unwrap().to_vec()
    };
    for name in columns {
        for (minimal, absolute) in values(0, name).iter().zip(values(1, name)) {
            assert!((minimal - absolute).abs() < tolerance, "{name}: {minimal} {absolute}");
        }
    }
    for (_, summary) in runs {
        assert!(summary.energy.relative_residue() < 1e-7, "{:?}", summary.energy);
    }
}

const SOLVER: &str = "[simulate]\nuntil = 1\noutput = 0.1\n\
                      solver = { method = \"dopri5\", rtol = 1e-10, atol = 1e-10 }\n";

/// A mass on a slide with a linear spring, and with one of exponent 1.5, from its rest value.
#[test]
fn springs_of_slides_keep_their_energy() {
    for power in ["", "exponent = 1.5, ", "exponent = 1.5, depth = 0.1, "] {
        let text = format!(
            "schema = 1\ngravity = [0, 0, 0]\n[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\n\
             type = \"prismatic\"\nparent = \"ground\"\nchild = \"b\"\naxis = [1, 0, 0]\n\
             coordinate = {{ name = \"x\", rate = \"1 m/s\", spring = {{ stiffness = 10, {power}damping = 0.5 }} }}\n\
             {SOLVER}"
        );
        same(&both(&text), &["x", "x.rate", "energy.kinetic", "energy.stored"], 1e-7);
    }
}

/// A slide with a spring on a link that turns on a spring, under gravity: the link takes up the force where it acts.
#[test]
fn springs_on_moving_bodies_agree() {
    let text = format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n[bodies.arm]\nmass = 1\ncentre = [0.2, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n\
         [bodies.cart]\nmass = 2\ncentre = [0.05, 0.1, 0]\ninertia = [0.2, 0.1, 0.1]\n[joints.hinge]\ntype = \"revolute\"\n\
         parent = \"ground\"\nchild = \"arm\"\naxis = [0, 1, 0]\n\
         coordinate = {{ name = \"phi\", start = 0.3, spring = {{ stiffness = 20, exponent = 2, damping = 0.1 }} }}\n\
         [joints.slide]\ntype = \"prismatic\"\nparent = \"arm\"\nchild = \"cart\"\nposition = [0.3, 0.2, 0.1]\n\
         axis = [1, 0.5, 0.2]\n\
         coordinate = {{ name = \"s\", rate = 0.5, spring = {{ stiffness = 60, damping = 0.3, rest = 0.1 }} }}\n{SOLVER}"
    );
    same(&both(&text), &["phi", "phi.rate", "s", "s.rate", "energy.kinetic", "energy.stored"], 1e-6);
}
