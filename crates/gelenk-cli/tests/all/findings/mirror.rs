//! Mirrored parts move as their mirror images.

use gelenk::open::{Overrides, simulation};

use super::support::last;

/// Runs a model with the part `part` and returns the last values of some columns.
fn moved(part: &str, whole: &str, columns: &[&str]) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("part.toml"), part).unwrap();
    let path = folder.path().join("whole.toml");
    std::fs::write(&path, whole).unwrap();
    let prepared = simulation(&path, &Overrides::default()).unwrap();
    let (recording, _) =
        gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap();
    columns.iter().map(|column| last(&recording, column)).collect()
}

/// Friction between frames that is stronger one way: coordinates keep their values in a mirror, so the motion is the same for
/// every axis and plane; seen: forward and back changed places in 9 of 18.
#[test]
fn friction_with_a_direction() {
    for (way, axis) in ["along", "about"].into_iter().flat_map(|way| ["x", "y", "z"].map(|axis| (way, axis)))
    {
        let kind = if way == "along" { "prismatic" } else { "revolute" };
        let part = format!(
            "schema = 1\n[bodies.a]\nmass = 0.03\ninertia = [0.01, 0.02, 0.02]\n\
             [joints.j]\ntype = \"{kind}\"\nparent = \"ground\"\nchild = \"a\"\naxis = [0.6, 0.5, 1]\n\
             coordinate = {{ name = \"x\", rate = 1 }}\n\
             [frames.ga]\nbody = \"ground\"\norientation = [0.3, 0.4, 0.5]\n[frames.fa]\nbody = \"a\"\n\
             [friction.f]\nbetween = [\"ga\", \"fa\"]\n{way} = \"{axis}\"\nlaw = \"asymmetric\"\ncoulomb = 1\n\
             breakaway = 1.5\nstribeck = 0.1\ncoulomb_back = 0.3\nbreakaway_back = 0.5\nstribeck_back = 0.1\n"
        );
        let whole = |mirror: &str| {
            format!(
                "schema = 1\ngravity = [0, 0, 0]\n[parts.p]\nfile = \"part.toml\"\n{mirror}\n\
                 [simulate]\nuntil = \"0.02 s\"\nsolver = {{ method = \"rk4\", step = \"0.1 ms\" }}\n"
            )
        };
        let columns = ["p_x", "p_x.rate", "friction.p_f"];
        let plain = moved(&part, &whole(""), &columns);
        for plane in ["xy", "xz", "yz"] {
            let mirrored = moved(&part, &whole(&format!("mirror = \"{plane}\"")), &columns);
            for (a, b) in plain.iter().zip(&mirrored) {
                assert!(
                    (a - b).abs() < 1e-9 * (1.0 + a.abs()),
                    "{way} {axis} {plane}: {plain:?} {mirrored:?}"
                );
            }
        }
    }
}

/// A ball on a tilted simple plane in a part that is reflected in xy, under reflected gravity; seen: shot off at 20 m/s.
#[test]
fn simple_planes() {
    let part = "schema = 1\n[bodies.ball]\nmass = 1\nshape = { sphere = { radius = \"5 cm\" } }\n\
        [joints.f]\ntype = \"free\"\nparent = \"ground\"\nchild = \"ball\"\n\
        start = { position = [0.1, 0.2, 0.3], velocity = [1, 0.5, 0.2], angular_velocity = [3, 2, 1] }\n\
        [surfaces.ball]\non = \"ball\"\n[frames.fl]\nbody = \"ground\"\nposition = [0, 0, 0.02]\n\
        orientation = [0.2, 0.1, 0.3]\n[surfaces.floor]\non = \"fl\"\nsimple = \"plane\"\n\
        [contacts.t]\nbetween = [\"ball\", \"floor\"]\nlaw = { kelvin-voigt = { stiffness = 5000, damping = 10 } }\n\
        friction = 0.3\nspeed = \"10 mm/s\"\n";
    let whole = |gravity: [f64; 3], mirror: &str| {
        format!(
            "schema = 1\ngravity = {gravity:?}\n[parts.p]\nfile = \"part.toml\"\n{mirror}\n\
             [simulate]\nuntil = \"0.6 s\"\nsolver = {{ method = \"dopri5\", rtol = 1e-9, atol = 1e-11 }}\n"
        )
    };
    let columns = ["p_f.x", "p_f.y", "p_f.z"];
    let plain = moved(part, &whole([0.5, -1.0, -9.0], ""), &columns);
    for (k, plane) in ["yz", "xz", "xy"].into_iter().enumerate() {
        let mut gravity = [0.5, -1.0, -9.0];
        gravity[k] = -gravity[k];
        let mut image = moved(part, &whole(gravity, &format!("mirror = \"{plane}\"")), &columns);
        image[k] = -image[k];
        for (a, b) in plain.iter().zip(&image) {
            assert!((a - b).abs() < 1e-6, "{plane}: {plain:?} {image:?}");
        }
    }
}
