//! Case H-4 as a model: what the specification counts and weighs.

use gelenk_mesh::contact::{Master, Surface};
use gelenk_model::{compile, load_model};
use gelenk_multibody::Acting;
use gelenk_multibody::blueprint::FrameId;
use gelenk_system::System;
use std::path::Path;

/// H-R51, H-R58 (its data, not its five integrators): 15 bodies of the man and the car, 28 degrees of freedom (hippmann table 5.2 adds up to 28; the text says
/// 29), 75.2 kg, 22 stops of 980 N m/rad, 15 pairs with the car and 12 of the man, 20,452 and 1240 triangles.
#[test]
fn the_pedestrian_is_the_one_of_the_thesis() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/pedestrian/model.toml");
    let loaded = load_model(&file).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.warnings.render(&loaded.sources), "");
    let compiled =
        compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"));
    let p = compiled.parameters.values();
    let bodies = &compiled.blueprint.bodies;
    assert_eq!(bodies.len(), 16);
    let man: f64 = bodies.iter().filter(|body| body.name != "car").map(|body| body.mass.of(&p)).sum();
    assert!((man - 75.2).abs() < 1e-9, "{man}");
    let mut stops = 0;
    let (mut pairs, mut two_pass) = (Vec::new(), 0);
    let mut surfaces: Vec<(FrameId, *const Surface, usize)> = Vec::new();
    for element in &compiled.blueprint.elements {
        match &element.kind {
            Acting::Stop => stops += 1,
            Acting::MeshContact(contact) => {
                pairs.push(element.name.as_str());
                two_pass += usize::from(contact.pair.settings.master == Master::Both);
                for (frame, side) in
                    element.on.between().unwrap().into_iter().zip([&contact.pair.first, &contact.pair.second])
                {
                    let key = (frame, std::sync::Arc::as_ptr(side), side.areas().len());
                    if !surfaces.contains(&key) {
                        surfaces.push(key);
                    }
                }
            }
            _ => {}
        }
    }
    assert_eq!(stops, 22);
    assert_eq!((pairs.len(), two_pass), (27, 12));
    assert_eq!(pairs.iter().filter(|name| name.starts_with("contacts.car.")).count(), 15);
    let triangles: Vec<usize> = surfaces.iter().map(|surface| surface.2).collect();
    assert_eq!(triangles.len(), 16);
    assert_eq!(triangles.iter().sum::<usize>(), 20_452 + 1240, "{triangles:?}");
    let mechanism = compiled.build().unwrap();
    let layout = mechanism.layout();
    assert_eq!((layout.nv, layout.nq), (28, 29));
}
