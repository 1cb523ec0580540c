//! Free bodies: momentum and straight paths, however fast they spin.
//!
//! The linear velocity of a free joint was kept in body axes: a spinning body then lost its momentum to every method whose
//! steps did not resolve the spin (10 m/s at 100 rad/s and 1 ms in `stepped`: 1.99 m instead of 10 m).

use gelenk::open::Overrides;
use gelenk_record::Recording;
use gelenk_testing::random::Random;

use super::support::{last, prepared, run};

const FIXED: [&str; 7] = ["euler", "semi-implicit-euler", "heun", "rk4", "stepped", "stepped2", "real-time"];
const ADAPTIVE: [&str; 3] = ["bs23", "dopri5", "dop853"];

type Vector = [f64; 3];

/// Components between minus and plus a size.
fn vector(random: &mut Random, size: f64) -> Vector {
    random.numbers().map(|x: f64| size * x)
}

/// A body in the air.
struct Body {
    mass: f64,
    centre: Vector,
    inertia: Vector,
    velocity: Vector,
    spin: Vector,
    gravity: f64,
}

impl Body {
    /// With the same inertia about all axes, so that no method changes the spin.
    fn random(random: &mut Random, spin: f64) -> Self {
        let axis = vector(random, 1.0);
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self {
            mass: 1.2 + random.number(),
            centre: vector(random, 0.3),
            inertia: [0.02; 3],
            velocity: vector(random, 10.0),
            spin: axis.map(|x| x / length * spin),
            gravity: 0.0,
        }
    }

    fn model(&self, until: f64, solver: &str) -> String {
        let Self { mass, centre, inertia, velocity, spin, gravity } = self;
        format!(
            "schema = 1\ntitle = \"free\"\ngravity = [0, 0, {gravity:?}]\n[bodies.a]\nmass = {mass:?}\n\
             centre = {centre:?}\ninertia = {inertia:?}\n[joints.j]\ntype = \"free\"\nparent = \"ground\"\n\
             child = \"a\"\nposition = [0.3, -0.2, 0.1]\norientation = [0.4, 0.7, -0.3]\n\
             start = {{ position = [0.1, 0.2, 0.3], velocity = {velocity:?}, angular_velocity = {spin:?} }}\n\
             [simulate]\nuntil = {until:?}\noutput = {:?}\nsolver = {{ {solver} }}\n",
            until / 4.0
        )
    }
}

/// The rotation of a quaternion.
fn turn([w, x, y, z]: [f64; 4], v: Vector) -> Vector {
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    let rows = [
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ];
    rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn add(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + b[k])
}

fn norm(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Place and velocity of the centre of mass in the axes of the joint frame, by the recorded columns of the origin.
fn centre(recording: &Recording, joint: &str, row: usize, centre: Vector) -> [Vector; 2] {
    let value = |part: &str| {
        let name = format!("{joint}.{part}");
        let k = recording.columns().iter().position(|c| c.name == name).unwrap();
        recording.values(k).unwrap()[row]
    };
    let q = ["qw", "qx", "qy", "qz"].map(value);
    let place = add(["x", "y", "z"].map(value), turn(q, centre));
    let spin = ["wx", "wy", "wz"].map(value);
    [place, turn(q, add(["vx", "vy", "vz"].map(value), cross(spin, centre)))]
}

/// How far path and velocity of the centre are off a uniform motion under gravity, by their sizes. `early` is what the
/// method adds to the fall of a point mass: `g h t / 2`, with the sign of its rule for positions.
fn error(recording: &Recording, body: &Body, early: f64) -> f64 {
    let rows = recording.len();
    let [start, velocity] = centre(recording, "j", 0, body.centre);
    let size = 1.0 + norm(velocity);
    (0..rows).fold(0.0, |worst: f64, row| {
        let t = recording.values(0).unwrap()[row];
        let [place, now] = centre(recording, "j", row, body.centre);
        let g = turned_gravity(body.gravity);
        let expected: Vector =
            std::array::from_fn(|k| start[k] + velocity[k] * t + g[k] * (0.5 * t * t + early * t));
        let path = norm(std::array::from_fn(|k| place[k] - expected[k]));
        let speed = norm(std::array::from_fn(|k| now[k] - velocity[k] - g[k] * t));
        worst.max(path / size).max(speed / size)
    })
}

/// Gravity in the axes of the joint frame, whose Cardan angles stand in the model: `(Rx Ry Rz)^T (0, 0, g)`.
fn turned_gravity(g: f64) -> Vector {
    let [a, b, c] = [0.4f64, 0.7, -0.3];
    let (sa, ca, sb, cb, sc, cc) = (a.sin(), a.cos(), b.sin(), b.cos(), c.sin(), c.cos());
    // Last row of Rx Ry Rz.
    [g * (sa * sc - ca * sb * cc), g * (sa * cc + ca * sb * sc), g * ca * cb]
}

/// A body without forces keeps its velocity and its straight path: every method, 0 to 1,000 rad/s, 0.1 to 50 ms, any
/// centre of mass, minimal and absolute coordinates (Newton's first law).
#[test]
fn free_flight_is_straight() {
    let mut random = Random::new(3);
    for spin in [0.0, 1.0, 10.0, 100.0, 1000.0] {
        for (step, until) in [("0.1 ms", 0.2), ("1 ms", 1.0), ("7 ms", 1.4), ("50 ms", 2.0)] {
            for method in FIXED {
                let body = Body::random(&mut random, spin);
                let solver = format!("method = \"{method}\", step = \"{step}\"");
                check(&body, until, &solver, spin);
            }
        }
        for method in ADAPTIVE {
            let body = Body::random(&mut random, spin);
            check(&body, 1.0, &format!("method = \"{method}\""), spin);
        }
    }
}

fn check(body: &Body, until: f64, solver: &str, spin: f64) {
    for formulation in ["minimal", "absolute"] {
        let overrides = Overrides { formulation: Some(formulation.into()), ..Overrides::default() };
        let prepared = prepared(&body.model(until, solver), &overrides).unwrap();
        let (recording, _) =
            gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap();
        let error = error(&recording, body, 0.0);
        assert!(error < 1e-12, "{solver}, {spin} rad/s, {formulation}: {error:.3e}");
    }
}

/// Under gravity the centre falls as a point mass falls in the same method: exactly in those of second order and more,
/// early or late by `g h t / 2` in those of first order (closed forms of their sums), whatever the spin.
#[test]
fn spinning_bodies_fall_like_point_masses() {
    let mut random = Random::new(17);
    for spin in [0.0, 100.0, 1000.0] {
        for (step, h) in [("1 ms", 1e-3), ("25 ms", 2.5e-2)] {
            for method in FIXED {
                let early = match method {
                    "euler" => -0.5 * h,
                    "semi-implicit-euler" | "stepped" | "real-time" => 0.5 * h,
                    _ => 0.0,
                };
                let mut body = Body::random(&mut random, spin);
                body.gravity = -9.81;
                let solver = format!("method = \"{method}\", step = \"{step}\"");
                let (recording, _) = run(&body.model(1.0, &solver)).unwrap();
                let error = error(&recording, &body, early);
                assert!(error < 1e-11, "{solver}, {spin} rad/s: {error:.3e}");
            }
        }
    }
}

/// The thrown bodies of the finding: 10 m, and 30.00 m for the football (20 m/s for 1.5 s).
#[test]
fn throws_reach_their_place() {
    let throw = |spin: f64| Body {
        mass: 1.0,
        centre: [0.0; 3],
        inertia: [0.01; 3],
        velocity: [10.0, 0.0, 0.0],
        spin: [0.0, 0.0, spin],
        gravity: 0.0,
    };
    for spin in [1.0, 10.0, 100.0, 1000.0] {
        let (recording, _) = run(&throw(spin).model(1.0, "method = \"stepped\", step = \"1 ms\"")).unwrap();
        let [from, to] = [0, recording.len() - 1].map(|row| centre(&recording, "j", row, [0.0; 3])[0]);
        let way = norm(std::array::from_fn(|k| to[k] - from[k]));
        assert!((way - 10.0).abs() < 1e-11, "{spin}: {way}");
    }
    let football = Body {
        mass: 0.42,
        centre: [0.0; 3],
        inertia: [0.0019, 0.0032, 0.0032],
        velocity: [20.0, 0.0, 0.0],
        spin: [62.8, 3.0, 0.0],
        gravity: 0.0,
    };
    for method in FIXED {
        let solver = format!("method = \"{method}\", step = \"1 ms\"");
        let (recording, _) = run(&football.model(1.5, &solver)).unwrap();
        let [from, to] = [0, recording.len() - 1].map(|row| centre(&recording, "j", row, [0.0; 3])[0]);
        let way = norm(std::array::from_fn(|k| to[k] - from[k]));
        assert!((way - 30.0).abs() < 1e-10, "{method}: {way}");
    }
}

/// Angular momentum of a body with three different inertias converges with the order of the method: it is not a number
/// of the state, and no method keeps it exactly (dop853 at 1e-13 gives the same end to 1e-9).
#[test]
fn tumbling_converges_with_the_order() {
    let body = Body {
        mass: 2.0,
        centre: [0.1, -0.05, 0.2],
        inertia: [0.02, 0.05, 0.06],
        velocity: [3.0, -1.0, 2.0],
        spin: [0.3, 9.0, 0.2],
        gravity: 0.0,
    };
    let end = |solver: &str| -> [f64; 3] {
        let (recording, _) = run(&body.model(1.0, solver)).unwrap();
        ["j.wx", "j.wy", "j.wz"].map(|name| last(&recording, name))
    };
    let exact = end("method = \"dop853\", rtol = 1e-13, atol = 1e-13");
    let off = |solver: &str| -> f64 {
        let end = end(solver);
        norm(std::array::from_fn(|k| end[k] - exact[k]))
    };
    for (method, order, steps) in [
        ("euler", 1.0, [0.1, 0.05]),
        ("semi-implicit-euler", 1.0, [0.1, 0.05]),
        ("stepped", 1.0, [0.1, 0.05]),
        ("heun", 2.0, [2.0, 1.0]),
        ("stepped2", 2.0, [2.0, 1.0]),
        ("rk4", 4.0, [10.0, 5.0]),
    ] {
        let [coarse, fine] = steps.map(|ms| off(&format!("method = \"{method}\", step = \"{ms} ms\"")));
        let seen = (coarse / fine).log2();
        assert!((seen - order).abs() < 0.25, "{method}: order {seen:.2}, {coarse:.2e}, {fine:.2e}");
    }
}

/// Parts that are fixed on a free body count to its centre: a dumb-bell of two bodies flies as straight as one body.
#[test]
fn fixed_parts_fly_along() {
    let text = |method: &str| {
        format!(
            "schema = 1\ntitle = \"bell\"\ngravity = [0, 0, 0]\n[bodies.a]\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n\
             [bodies.b]\nmass = 3\ninertia = [0.02, 0.02, 0.02]\n[joints.j]\ntype = \"free\"\nparent = \"ground\"\n\
             child = \"a\"\nstart = {{ velocity = [4, 3, -2], angular_velocity = [0, 200, 0] }}\n[joints.k]\n\
             type = \"fixed\"\nparent = \"a\"\nchild = \"b\"\nposition = [0.4, 0, 0]\n[simulate]\nuntil = 1\n\
             output = 0.25\nsolver = {{ method = \"{method}\", step = \"10 ms\" }}\n"
        )
    };
    for method in FIXED {
        let (recording, _) = run(&text(method)).unwrap();
        let [start, velocity] = centre(&recording, "j", 0, [0.3, 0.0, 0.0]);
        let [end, _] = centre(&recording, "j", recording.len() - 1, [0.3, 0.0, 0.0]);
        let off = norm(std::array::from_fn(|k| end[k] - start[k] - velocity[k]));
        assert!(off < 1e-12 * norm(velocity), "{method}: {off:.3e}");
    }
}
