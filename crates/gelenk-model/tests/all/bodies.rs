//! Mass properties: from numbers about any point, from shapes with a density, from meshes.

use gelenk_model::{Compiled, compile, parse_model};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid")
}

fn compiled(body: &str) -> Compiled {
    let text = format!(
        "schema = 1\ngravity = [0, 0, 0]\n[joints.j]\ntype = \"free\"\nparent = \"ground\"\nchild = \"b\"\n{body}"
    );
    let loaded = parse_model(&text, Some(&folder())).unwrap_or_else(|failure| panic!("{failure}"));
    compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Mass, centre, and inertia about it.
fn properties(compiled: &Compiled) -> [f64; 10] {
    let values = compiled.parameters.values();
    let body = &compiled.blueprint.bodies[0];
    let mut all = [0.0; 10];
    let params = [body.mass].into_iter().chain(body.centre).chain(body.inertia);
    all.iter_mut().zip(params).for_each(|(slot, param)| *slot = param.of(&values));
    all
}

#[track_caller]
fn near(found: [f64; 10], expected: [f64; 10]) {
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{k}: {found} {expected}");
    }
}

/// Closed forms of a cylinder: `m = rho pi r^2 l`, `m r^2/2`, `m (3 r^2 + l^2)/12`; sizes and density stay parameters.
#[test]
fn density_instead_of_mass() {
    let mut model = compiled(
        "[bodies.b]\ndensity = \"2.7 kg/l\"\ncentre = [0.1, 0, 0]\nshape = { cylinder = { radius = \"2 cm\", length = \"30 cm\" } }\n",
    );
    let expected = |rho: f64, r: f64, l: f64| {
        let m = rho * PI * r * r * l;
        let across = m * (3.0 * r * r + l * l) / 12.0;
        [m, 0.1, 0.0, 0.0, across, across, m * r * r / 2.0, 0.0, 0.0, 0.0]
    };
    near(properties(&model), expected(2700.0, 0.02, 0.3));
    model.set("bodies.b.shape.cylinder.radius", "3 cm").unwrap();
    model.set("bodies.b.density", "1000 kg/m^3").unwrap();
    near(properties(&model), expected(1000.0, 0.03, 0.3));
}

/// A dumbbell in closed form: two balls of different density at the ends of a rod that lies along x.
#[test]
fn several_shapes_with_their_own_places() {
    let text = r#"
[bodies.b]
density = "1000 kg/m^3"

[bodies.b.shapes.rod]
cylinder    = { radius = "1 cm", length = "40 cm" }
orientation = [0, "90 deg", 0]

[bodies.b.shapes.left]
sphere   = { radius = "5 cm" }
position = ["-20 cm", "3 cm", 0]

[bodies.b.shapes.right]
sphere   = { radius = "5 cm" }
position = ["20 cm", 0, 0]
density  = "2000 kg/m^3"
"#;
    let mut model = compiled(text);
    let ball = |rho: f64| rho * 4.0 / 3.0 * PI * 0.05f64.powi(3);
    let expected = |rho: f64| {
        let rod = 1000.0 * PI * 0.01f64.powi(2) * 0.4;
        let pieces = [(rod, 0.0, 0.0), (ball(1000.0), -0.2, 0.03), (ball(rho), 0.2, 0.0)];
        let mass: f64 = pieces.iter().map(|(m, ..)| m).sum();
        let x = pieces.iter().map(|(m, x, _)| m * x).sum::<f64>() / mass;
        let y = pieces.iter().map(|(m, _, y)| m * y).sum::<f64>() / mass;
        let balls = 0.4 * 0.05f64.powi(2) * (ball(1000.0) + ball(rho));
        let (along, across) = (rod * 1e-4 / 2.0, rod * (3e-4 + 0.16) / 12.0);
        let sum =
            |f: &dyn Fn(f64, f64) -> f64| pieces.iter().map(|(m, px, py)| m * f(px - x, py - y)).sum::<f64>();
        [
            mass,
            x,
            y,
            0.0,
            along + balls + sum(&|_, y| y * y),
            across + balls + sum(&|x, _| x * x),
            across + balls + sum(&|x, y| x * x + y * y),
            -sum(&|x, y| x * y),
            0.0,
            0.0,
        ]
    };
    near(properties(&model), expected(2000.0));
    model.set("bodies.b.shapes.right.density", "500 kg/m^3").unwrap();
    near(properties(&model), expected(500.0));
    // A place that the file leaves out can be set like any other: the ball is at the right end, turned or not.
    model.set("bodies.b.shapes.right.orientation.z", "30 deg").unwrap();
    near(properties(&model), expected(500.0));
    model.set("bodies.b.shapes.rod.orientation.y", "0 deg").unwrap();
    // Upright the rod has m r^2/2 about z instead of m (3 r^2 + l^2)/12.
    let less = 1000.0 * PI * 1e-4 * 0.4 * ((3e-4 + 0.16) / 12.0 - 1e-4 / 2.0);
    assert!((expected(500.0)[6] - properties(&model)[6] - less).abs() < 1e-14);
    // With a mass for the whole the shapes share it by their volumes.
    let uniform = text
        .replace("density = \"1000 kg/m^3\"", "mass = \"3 kg\"")
        .replace("density  = \"2000 kg/m^3\"", "");
    assert!((properties(&compiled(&uniform))[0] - 3.0).abs() < 1e-15);
}

/// A mesh in mm is a body in m. Closed form of a cut-off corner with the edges a, b, c: `V = abc/6`, its centre a quarter
/// of the edges, `integral x^2 = V a^2/10`, `integral x y = V a b/20`.
#[test]
fn a_mesh_with_a_density() {
    let model = compiled(
        "[bodies.b]\ndensity = \"7850 kg/m^3\"\nshape = { mesh = { file = \"corner.obj\", unit = \"mm\" } }\n",
    );
    let [a, b, c] = [0.03, 0.02, 0.01];
    let m = 7850.0 * a * b * c / 6.0;
    let square = |e: f64| m * e * e * (1.0 / 10.0 - 1.0 / 16.0);
    let product = |e: f64, f: f64| -m * e * f * (1.0 / 20.0 - 1.0 / 16.0);
    near(
        properties(&model),
        [
            m,
            a / 4.0,
            b / 4.0,
            c / 4.0,
            square(b) + square(c),
            square(a) + square(c),
            square(a) + square(b),
            product(a, b),
            product(a, c),
            product(b, c),
        ],
    );
    let mut fixed = model;
    assert!(fixed.set("bodies.b.shape.volume", "1").unwrap_err().to_string().contains("structure"));
}

/// ST-R12: the inertia about any point and in any axes. A box is given about one of its corners in its own axes, which
/// are turned by 90 degrees about z on the body.
#[test]
fn st_r12_inertia_in_any_frame() {
    let (m, [a, b, c]) = (2.0, [0.3, 0.5, 0.7]);
    // About a corner: m (b^2 + c^2)/3, products -m ab/4.
    let tensor = format!(
        "[{}, {}, {}, {}, {}, {}]",
        m * (b * b + c * c) / 3.0,
        m * (a * a + c * c) / 3.0,
        m * (a * a + b * b) / 3.0,
        -m * a * b / 4.0,
        -m * a * c / 4.0,
        -m * b * c / 4.0
    );
    // Along the body's axes the edges are (-b, a, c) from the corner.
    let corner = [0.1, -0.2, 0.4];
    let centre = [corner[0] - b / 2.0, corner[1] + a / 2.0, corner[2] + c / 2.0];
    let text = format!(
        "[bodies.b]\nmass = {m}\ncentre = {centre:?}\ninertia = {tensor}\ninertia_frame = \"corner\"\n\
         [frames.corner]\nbody = \"b\"\nposition = {corner:?}\norientation = [0, 0, \"90 deg\"]\n"
    );
    let square = |e: f64, f: f64| m * (e * e + f * f) / 12.0;
    let mut expected =
        [m, centre[0], centre[1], centre[2], square(a, c), square(b, c), square(a, b), 0.0, 0.0, 0.0];
    near(properties(&compiled(&text)), expected);
    // About the origin of the body, in its axes.
    let about = |p: f64, q: f64, own: f64| own + m * (p * p + q * q);
    let tensor = [
        about(centre[1], centre[2], expected[4]),
        about(centre[0], centre[2], expected[5]),
        about(centre[0], centre[1], expected[6]),
        -m * centre[0] * centre[1],
        -m * centre[0] * centre[2],
        -m * centre[1] * centre[2],
    ];
    let text =
        format!("[bodies.b]\nmass = {m}\ncentre = {centre:?}\ninertia = {tensor:?}\ninertia_frame = \"b\"\n");
    let mut model = compiled(&text);
    near(properties(&model), expected);
    model.set("bodies.b.inertia.xx", &format!("{} kg m^2", tensor[0] + 0.01)).unwrap();
    expected[4] += 0.01;
    near(properties(&model), expected);
}

#[test]
fn meshes_that_are_no_bodies_are_reported() {
    let message = |file: &str, content: &str| {
        let temporary = tempfile::tempdir().unwrap();
        std::fs::write(temporary.path().join(file), content).unwrap();
        let text = format!(
            "schema = 1\ngravity = [0, 0, 0]\n[joints.j]\ntype = \"free\"\nparent = \"ground\"\nchild = \"b\"\n\
             [bodies.b]\ndensity = 1000\nshape = {{ mesh = {{ file = \"{file}\" }} }}\n"
        );
        let loaded = parse_model(&text, Some(temporary.path())).unwrap();
        compile(&loaded, &mut |_| Err(String::new())).unwrap_err().to_string()
    };
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    assert!(message("open.obj", open).contains("the surface is open: 3 edges"));
    assert!(message("wrong.obj", "v 0 0\n").contains("line 1: a vertex needs three coordinates"));
    assert!(message("wrong.step", "").contains("ends in .stl, .obj, .ply, .dae"));
}
