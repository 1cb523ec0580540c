//! Springs on coordinates in absolute coordinates: they act as in minimal ones, and keep their energy.
//!
//! They were forces by expressions: a spring with an exponent was not finite at t = 0, and the energy of a linear one was
//! booked as lost.

use gelenk::open::Overrides;
use gelenk_record::Recording;
use gelenk_solve::Summary;

use super::support::prepared;

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

/// A pendulum and a slide on it with more lines in their joints.
fn pendulum_with_slide(hinge: &str, slide: &str, more: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n\
         bodies.arm = {{ mass = 1, centre = [0.2, 0, 0], inertia = [0.1, 0.1, 0.1] }}\n\
         bodies.cart = {{ mass = 2, centre = [0.05, 0.1, 0], inertia = [0.2, 0.1, 0.1] }}\n\
         joints.hinge = {{ type = \"revolute\", parent = \"ground\", child = \"arm\", axis = [0, 1, 0.3], {hinge} }}\n\
         joints.slide = {{ type = \"prismatic\", parent = \"arm\", child = \"cart\", position = [0.3, 0.2, 0.1], axis = \
         [1, 0.5, 0.2], {slide} }}\n{more}\n{SOLVER}"
    )
}

/// Angles are counted over turns: a spring from 200 degrees, a drive that follows the angle, and a spring that passes half a
/// turn act as in minimal coordinates. They acted on the angle within half a turn.
#[test]
fn angles_are_counted_over_turns() {
    let slide = "coordinate = { name = \"s\", spring = { stiffness = 100, damping = 5 } }";
    let hinges = [
        ("start = \"200 deg\", spring = { stiffness = 2 }", ""),
        ("start = \"170 deg\", rate = 8, spring = { stiffness = 1, damping = 0.1 }", ""),
        ("start = \"-900 deg\", rate = -6, spring = { stiffness = 1, exponent = 1.5 }", ""),
        ("start = \"200 deg\", rate = 3", "drives.d = { on = \"p\", torque = \"-3 [N m/rad]*p\" }"),
    ];
    for (hinge, more) in hinges {
        let hinge = format!("coordinate = {{ name = \"p\", {hinge} }}");
        let text = pendulum_with_slide(&hinge, slide, more);
        same(&both(&text), &["p", "p.rate", "s", "energy.kinetic", "energy.stored"], 1e-6);
    }
}

/// Columns of one name have one meaning: resistance against the motion, effort on the coordinate with its sign, and the wrench
/// of a joint under its name in the axes of its child.
#[test]
fn columns_keep_signs_and_reactions() {
    let hinge = "coordinate = { name = \"p\", start = 0.5, friction = { law = \"viscous\", viscous = 0.4 }, spring = \
                 { effort = \"-3 [N m/rad]*p\" } }";
    let slide = "coordinate = { name = \"s\", rate = -0.5, spring = { effort = \"-60 [N/m]*s\" }, friction = { law = \
                 \"lugre\", coulomb = 1, breakaway = 1.2, stribeck = 0.1, sigma0 = 500, viscous = 0.2 } }";
    let drives = "drives.d = { on = \"s\", force = \"2 [N]*sin(4 [1/s]*t)\" }\n\
                  drives.e = { on = \"p\", torque = \"1 [N m]*cos(3 [1/s]*t)\" }";
    let text = pendulum_with_slide(hinge, slide, drives);
    let runs = ["minimal", "absolute"].map(|formulation| {
        let overrides = Overrides { formulation: Some(formulation.into()), ..Overrides::default() };
        let mut prepared = prepared(&text, &overrides).unwrap();
        prepared.mechanism.record_reactions();
        gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap()
    });
    let shared: Vec<&str> =
        runs[0].0.columns().iter().map(|c| c.name.as_str()).filter(|name| *name != "t").collect();
    let reactions = shared.iter().filter(|name| name.starts_with("reactions.")).count();
    let efforts = ["joints.hinge.coordinate.friction", "joints.slide.coordinate.friction"];
    assert!(reactions == 12 && efforts.iter().all(|name| shared.contains(name)), "{shared:?}");
    same(&runs, &shared, 1e-5);
}
