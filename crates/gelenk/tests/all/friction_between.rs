//! Friction between frames, and normal forces from joints, loops and contacts.

use gelenk::law::Subject;
use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::run;
use gelenk_laws::Friction;
use gelenk_laws::friction::planar::Planar;
use gelenk_record::Recording;

fn prepared(text: &str) -> Prepared {
    let model = gelenk_model::parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let compiled = gelenk_model::compile(&model, &mut |_| Err("there is no log".into())).unwrap();
    open::prepare(&model, None, compiled, &Overrides::default()).unwrap()
}

fn simulated(text: &str) -> Recording {
    let prepared = prepared(text);
    let values = prepared.parameters.values();
    run(&prepared.mechanism, &values, &prepared.options).unwrap_or_else(|e| panic!("{e}\n{text}")).0
}

fn last(recording: &Recording, column: &str) -> f64 {
    *recording.column(column).unwrap().last().unwrap()
}

/// The keys of a law without braces.
fn keys(subject: &Subject) -> String {
    let table = subject.table();
    table.trim().trim_start_matches('{').trim_end_matches('}').trim().to_owned()
}

fn solver(law: Friction) -> &'static str {
    if law.spec().modes.continuous {
        "{ method = \"dopri5\", rtol = 1e-4, atol = 1e-7 }"
    } else {
        "{ method = \"stepped\", step = \"1 ms\" }"
    }
}

/// A block, or a disc, pushed to and fro with one and a half times the level of friction.
fn pushed(subject: &Subject, on: &str, turns: bool, solver: &str) -> Recording {
    let force = 1.5 * subject.scales().unwrap().force;
    let (joint, key, unit) = if turns { ("revolute", "torque", "N m") } else { ("prismatic", "force", "N") };
    simulated(&format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.block = {{ mass = 10, inertia = [10, 10, 10] }}
        joints.slide = {{ type = "{joint}", parent = "ground", child = "block", axis = [0, 0, 1], coordinate = {{ name = "x" }} }}
        drives.push = {{ on = "x", {key} = "{force:e} [{unit}]*sin(2*pi*15 [Hz]*t)" }}
        friction.rub = {{ {on}, {} }}
        simulate = {{ until = "0.1 s", output = "2 ms", solver = {solver} }}
        "#,
        keys(subject)
    ))
}

/// SP-R5: on a joint with one freedom, friction between its two bodies is friction on its coordinate: for every law that does
/// not hold a coordinate, along a slide and about a hinge, in continuous and in stepped mode.
#[test]
fn between_the_bodies_of_a_joint_it_is_friction_on_the_coordinate() {
    for &law in Friction::ALL.iter().filter(|law| law.sticking::<f64>(&[]).is_none()) {
        let subject = Subject::typical(law.spec().name).unwrap();
        let stepped = "{ method = \"stepped2\", step = \"1 ms\" }";
        for (turns, way) in [(false, "along"), (true, "about")] {
            // A bare sign has no root where the velocity turns.
            let steps = law.spec().modes.stepped && law.spec().name != "stribeck-raw";
            for method in [solver(law)].into_iter().chain(steps.then_some(stepped)) {
                let on = pushed(&subject, "on = \"x\"", turns, method);
                let place = format!("between = [\"ground\", \"block\"], {way} = \"z\"");
                let between = pushed(&subject, &place, turns, method);
                let size = on.column("x").unwrap().iter().fold(0.0f64, |max, x| max.max(x.abs()));
                for (a, b) in on.column("x").unwrap().iter().zip(between.column("x").unwrap()) {
                    assert!((a - b).abs() < 1e-6 * size, "{} {way} {method}: {a} {b}", law.spec().name);
                }
            }
        }
    }
}

/// A slider on a plane that is pushed along a line at any angle moves as a block with the law on a line.
#[test]
fn on_a_plane_along_a_line_it_is_the_law_of_one_dimension() {
    for &planar in Planar::ALL {
        let law = planar.line();
        let subject = Subject::typical(law.spec().name).unwrap();
        let method = match planar.continuous() {
            true => "{ method = \"dopri5\", rtol = 1e-9, atol = 1e-12 }",
            false => "{ method = \"stepped\", step = \"1 ms\" }",
        };
        let line = pushed(&subject, "on = \"x\"", false, method);
        // The filter per axis is the law of one dimension along an axis only.
        let (per, [c, s]) = match planar {
            Planar::PowerAxes => ("per = \"axis\",", [1.0, 0.0]),
            _ => ("", [0.6, 0.8]),
        };
        let force = 1.5 * subject.scales().unwrap().force;
        let plane = simulated(&format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.block = {{ mass = 10, inertia = [10, 10, 10] }}
            joints.slide = {{ type = "general", parent = "ground", child = "block", motion = {{ x = "x", y = "y" }} }}
            drives.along = {{ on = "x", force = "{:e} [N]*sin(2*pi*15 [Hz]*t)" }}
            drives.across = {{ on = "y", force = "{:e} [N]*sin(2*pi*15 [Hz]*t)" }}
            friction.rub = {{ between = ["ground", "block"], along = "plane", {per} {} }}
            simulate = {{ until = "0.1 s", output = "2 ms", solver = {method} }}
            "#,
            c * force,
            s * force,
            keys(&subject)
        ));
        let x = line.column("x").unwrap();
        let size = x.iter().fold(0.0f64, |max, x| max.max(x.abs()));
        for (k, &along) in x.iter().enumerate() {
            let [px, py] = ["x", "y"].map(|name| plane.column(name).unwrap()[k]);
            let off = (px - c * along).hypot(py - s * along);
            assert!(off < 1e-5 * size, "{planar:?}: {off} of {size} at {k}");
        }
        let [fx, fy] = ["friction.rub.x", "friction.rub.y"].map(|name| last(&plane, name));
        assert!((fx.hypot(fy) - last(&plane, "friction.rub")).abs() < 1e-12);
    }
}

/// Two free bodies that rub against each other keep their momentum and their angular momentum, and lose what the friction
/// dissipates.
#[test]
fn between_free_bodies_momentum_is_kept() {
    let recording = simulated(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.a = { mass = 2, inertia = [0.1, 0.2, 0.3] }
        bodies.b = { mass = 1, inertia = [0.02, 0.03, 0.04] }
        joints.one = { type = "free", parent = "ground", child = "a", start = { angular_velocity = [1, 2, 3] } }
        joints.two = { type = "free", parent = "ground", child = "b", start = { position = [0.3, 0.1, 0.2], velocity = [1, -2, 0.5] } }
        frames.pad = { body = "a", position = [0.1, 0.2, 0.3], orientation = ["20 deg", "-30 deg", "40 deg"] }
        frames.shoe = { body = "b", position = [-0.1, 0.05, 0] }
        friction.plane = { between = ["pad", "shoe"], along = "plane", law = "lugre", coulomb = 1, breakaway = 1.5, stribeck = 0.1, sigma0 = 1000, sigma1 = 10, viscous = 0.4 }
        friction.turn = { between = ["pad", "shoe"], about = "x", law = "dahl", coulomb = 0.01, sigma0 = 1 }
        friction.line = { between = ["shoe", "pad"], along = "z", law = "viscous", viscous = 0.3 }
        simulate = { until = "1 s", output = "0.1 s", solver = { method = "dopri5", rtol = 1e-10, atol = 1e-10 } }
        "#,
    );
    let momentum = |k: usize| -> ([f64; 3], [f64; 3]) {
        let at = |name: String| recording.column(&name).unwrap()[k];
        let (mut p, mut l) = ([0.0; 3], [0.0; 3]);
        for (joint, mass, inertia) in [("one", 2.0, [0.1, 0.2, 0.3]), ("two", 1.0, [0.02, 0.03, 0.04])] {
            let q = ["qw", "qx", "qy", "qz"].map(|part| at(format!("{joint}.{part}")));
            let turned =
                |v: [f64; 3]| gelenk_math::rotation::from_quaternion(q) * gelenk_math::spatial::Vec3::from(v);
            let v = turned(["vx", "vy", "vz"].map(|part| at(format!("{joint}.{part}"))));
            let w = ["wx", "wy", "wz"].map(|part| at(format!("{joint}.{part}")));
            let spin = turned([0, 1, 2].map(|i| inertia[i] * w[i]));
            let x =
                gelenk_math::spatial::Vec3::from(["x", "y", "z"].map(|part| at(format!("{joint}.{part}"))));
            let orbit = x.cross(&v) * mass;
            for i in 0..3 {
                p[i] += mass * v[i];
                l[i] += orbit[i] + spin[i];
            }
        }
        (p, l)
    };
    let rows = recording.time().len();
    let (start, end) = (momentum(0), momentum(rows - 1));
    for i in 0..3 {
        assert!(
            (start.0[i] - end.0[i]).abs() < 1e-8 && (start.1[i] - end.1[i]).abs() < 1e-8,
            "{start:?} {end:?}"
        );
    }
    let energy = recording.column("energy.kinetic").unwrap();
    assert!(energy[rows - 1] < 0.9 * energy[0]);
}

/// An unbalanced rotor in a bearing whose friction grows with the force through it. With `k = c m e/J` per unit of force,
/// the force `m e sqrt(w^4 + a^2)` gives `a = -k w^2/sqrt(1 - k^2)`, so `w = w0/(1 + K w0 t)` with `K = k/sqrt(1 - k^2)`.
#[test]
fn bearing_friction_follows_the_force_through_the_joint() {
    let (mass, arm, inertia, speed, friction) = (2.0, 0.05, 0.02, 30.0, 0.002f64);
    // About the axis of the joint.
    let total = inertia + mass * arm * arm;
    let run = |lag: f64, solver: &str| {
        let text = format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.rotor = {{ mass = {mass}, centre = [{arm}, 0, 0], inertia = [0.01, 0.01, {inertia}] }}
            joints.hinge = {{ type = "revolute", parent = "ground", child = "rotor", axis = [0, 0, 1], coordinate = {{ name = "phi", rate = {speed} }} }}
            friction.bearing = {{ on = "phi", law = "coulomb", coulomb = {friction}, normal = {{ joint = "hinge", lag = {lag:e} }}, nominal = "1 N" }}
            simulate = {{ until = "2 s", output = "0.1 s", solver = {solver} }}
            "#
        );
        last(&simulated(&text), "phi.rate")
    };
    let k = friction * mass * arm / total;
    let expected = speed / (1.0 + k / (1.0 - k * k).sqrt() * speed * 2.0);
    let tight = "{ method = \"dopri5\", rtol = 1e-10, atol = 1e-10 }";
    // What is left is the lag, of first order in it.
    let errors = [2e-3, 1e-3].map(|lag| (run(lag, tight) - expected).abs());
    assert!(
        errors[0] < 2e-3 * speed && (errors[0] / errors[1] - 2.0).abs() < 0.05,
        "{errors:?} of {expected}"
    );
    let stepped = run(1e-4, "{ method = \"stepped2\", step = \"1 ms\" }");
    assert!((stepped - expected).abs() < 2e-3 * speed, "{stepped} {expected}");
}

/// A block on a slide under gravity and a load from above: the slide carries both, whatever drives it along.
#[test]
fn slide_friction_follows_the_load_on_the_slide() {
    let recording = simulated(
        r#"
        schema = 1
        gravity = [0, 0, "-9.81 m/s^2"]
        bodies.block = { mass = 2, inertia = [0.1, 0.1, 0.1] }
        joints.slide = { type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0], coordinate = { name = "x", rate = "1 m/s" } }
        forces.load = { on = "block", force = ["5 N", "0 N", "-30.38 N"] }
        friction.rail = { on = "x", law = "coulomb", coulomb = "0.1 N", normal = { joint = "slide" }, nominal = "1 N" }
        simulate = { until = "0.2 s", output = "0.01 s" }
        "#,
    );
    // mu N = 0.1 (2 9.81 + 30.38) = 5 N: as much as the load pulls along.
    assert!((last(&recording, "friction.rail") - 5.0).abs() < 1e-9);
    assert!((last(&recording, "x.rate") - 1.0).abs() < 1e-9);
}

/// The force of a loop presses its own pin: a rod that a loop holds at its far end under a constant load.
#[test]
fn pin_friction_follows_the_force_of_a_loop() {
    let recording = simulated(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.rotor = { mass = 1, inertia = [0.1, 0.1, 0.1] }
        joints.free = { type = "general", parent = "ground", child = "rotor", motion = { x = "x", y = "y", w3 = "phi" } }
        coordinates.phi.rate = "10 rad/s"
        loops.pin = { type = "cylindrical", between = ["ground", "rotor"] }
        forces.load = { on = "rotor", force = ["30 N", "40 N", "0 N"] }
        friction.pin = { between = ["ground", "rotor"], about = "z", law = "lugre", coulomb = "0.001 N m", breakaway = "0.001 N m", stribeck = "1 rad/s", sigma0 = "1 N m/rad", normal = { loop = "pin" }, nominal = "1 N" }
        simulate = { until = "1 s", output = "0.1 s", solver = { method = "dopri5", rtol = 1e-9, atol = 1e-12 } }
        "#,
    );
    // 50 N at 1 mm of friction radius: 0.05 N m on 0.1 kg m^2.
    assert!((last(&recording, "friction.pin") - 0.05).abs() < 1e-6, "{}", last(&recording, "friction.pin"));
    assert!((last(&recording, "phi.rate") - 9.5).abs() < 1e-2);
}

/// A block on an elastic ground under gravity: friction on the plane is pressed by the contact, whether of simple bodies or
/// of meshes, and the block slides to a stop as if by Coulomb friction with its weight.
#[test]
fn friction_is_pressed_by_a_contact() {
    let surfaces = [
        r#"
        surfaces.floor = { on = "ground", simple = "plane" }
        surfaces.block = { on = "block", simple = { sphere = { radius = "0.1 m" } } }
        contacts.touch = { between = ["floor", "block"], law = { kelvin-voigt = { stiffness = "1e5 N/m", damping = "500 N s/m" } } }
        "#,
        r#"
        materials.soft = { stiffness = "3e6 N/m^3" }
        surfaces.floor = { on = "ground", make = { plane = { size = ["4 m", "4 m"] } }, material = "soft" }
        surfaces.block = { on = "block", make = { cylinder = { radius = "0.1 m", length = "0.2 m", segments = 12, rings = 1 } } }
        contacts.touch = { between = ["floor", "block"], damping = "5e4 N s/m^3" }
        "#,
    ];
    for surface in surfaces {
        let recording = simulated(&format!(
            r#"
            schema = 1
            gravity = [0, 0, "-9.81 m/s^2"]
            bodies.block = {{ mass = "1 kg", inertia = [0.1, 0.1, 0.1] }}
            joints.slide = {{ type = "general", parent = "ground", child = "block", motion = {{ x = "x", y = "y", z = "z" }} }}
            coordinates = {{ x = {{ rate = "0.6 m/s" }}, y = {{ rate = "0.8 m/s" }}, z = {{ start = "0.0999 m" }} }}
            {surface}
            friction.sole = {{ between = ["ground", "block"], along = "plane", law = "lugre", coulomb = "0.3 N", breakaway = "0.3 N", stribeck = "0.1 m/s", sigma0 = "1e4 N/m", sigma1 = "3 N s/m", normal = {{ contact = "touch" }}, nominal = "1 N" }}
            simulate = {{ until = "0.6 s", output = "10 ms", solver = {{ method = "dopri5", rtol = 1e-6, atol = 1e-8 }} }}
            "#
        ));
        // v^2/(2 mu g) along the velocity, at rest after v/(mu g) = 0.34 s.
        let stop = 1.0 / (2.0 * 0.3 * 9.81);
        let [x, y] = ["x", "y"].map(|name| last(&recording, name));
        assert!(
            (x - 0.6 * stop).abs() < 0.01 * stop && (y - 0.8 * stop).abs() < 0.01 * stop,
            "{x} {y} {stop}"
        );
        assert!(last(&recording, "x.rate").hypot(last(&recording, "y.rate")) < 1e-3);
    }
}
