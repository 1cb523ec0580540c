//! Contact between meshes about its rest: equilibrium, eigenvalues, stiffness.

use gelenk::open::{Overrides, simulation};
use gelenk_solve::{equilibrium, linearise};

const MODEL: &str = r#"
schema  = 1
title   = "A bubble at rest, linearised"
gravity = [0, 0, "-9.81 m/s^2"]

[bodies.slider]
mass    = 0
inertia = [0, 0, 0]
[bodies.bubble]
mass    = "2 kg"
inertia = [0.01, 0.01, 0.01]

[joints.slide]
type       = "prismatic"
parent     = "ground"
child      = "slider"
axis       = [1, 0, 0]
coordinate = "x"
[joints.fall]
type       = "prismatic"
parent     = "slider"
child      = "bubble"
axis       = [0, 0, 1]
coordinate = { name = "z", start = "0.095 m" }

[materials.bubble]
modulus = "5500 N/m^2"
poisson = 0.4
depth   = "1 cm"
[surfaces.bubble]
on       = "bubble"
make     = { icosphere = { radius = "10 cm", depth = 4 } }
material = "bubble"
[surfaces.floor]
on   = "ground"
make = { plane = { size = ["1 m", "1 m"], divisions = 4 } }

[contacts.touch]
between  = ["bubble", "floor"]
master   = "first"
damping  = "500 N s/m^3"
depth    = "1 mm"
friction = 0.25
speed    = "2 mm/s"
"#;

/// H-R49, H-R50: a bubble finds its rest on the floor, where the force is its weight. About it, regularised friction is a
/// damper of `2 mu F_n/v_e`, so that an eigenvalue is `-2 mu g/v_e = -2452.5 1/s` (hippmann 3.10; its elements, tilted a
/// little, add a tenth of a percent). The state is stiff: that is 85 times the slowest of the others.
#[test]
fn friction_at_rest_is_stiff() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    std::fs::write(&path, MODEL).unwrap();
    let prepared = simulation(&path, &Overrides::default()).map_err(|e| e.to_string()).unwrap();
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    let (x, m) = equilibrium(mechanism, &p, 1e-9).unwrap();
    let modes = linearise(mechanism, &p, 0.0, &x, &m).unwrap().modes();
    let mut rates: Vec<f64> = modes.iter().map(|mode| mode.eigenvalue.re).collect();
    rates.sort_by(f64::total_cmp);
    assert_eq!(rates.len(), 4);
    assert!((rates[0] / -2452.5 - 1.0).abs() < 1e-3, "{rates:?}");
    // Nothing drives it back along the floor.
    assert!(rates[3].abs() < 1e-6, "{rates:?}");
    assert!(rates[0] / rates[2] > 80.0, "{rates:?}");
}
