//! Contacts of models: what is shared, what is given, what is joined.

use gelenk_model::{Compiled, compile, load_model, parse_model};
use gelenk_multibody::Acting;
use gelenk_multibody::elements::mesh_contact::{ContactSide, MeshContact};
use std::path::Path;
use std::sync::Arc;

fn contacts(compiled: &Compiled) -> Vec<(&str, &MeshContact)> {
    let elements = compiled.blueprint.elements.iter();
    elements
        .filter_map(|element| match &element.kind {
            Acting::MeshContact(contact) => Some((element.name.as_str(), &**contact)),
            _ => None,
        })
        .collect()
}

/// H-R6: three surfaces of one mesh are prepared once, and all their pairs share it.
#[test]
fn surfaces_of_one_mesh_are_shared() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/bubbles/model.toml");
    let loaded = load_model(&file).unwrap_or_else(|failure| panic!("{failure}"));
    let compiled =
        compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"));
    let contacts = contacts(&compiled);
    assert_eq!(contacts.len(), 6);
    let bubble = &contacts[0].1.pair.first;
    for (name, contact) in &contacts {
        assert!(Arc::ptr_eq(bubble, &contact.pair.first), "{name}");
        let between_bubbles = name.starts_with("contacts.bubbles");
        assert_eq!(Arc::ptr_eq(bubble, &contact.pair.second), between_bubbles, "{name}");
    }
}

const BALLS: &str = r#"
schema  = 1
gravity = [0, 0, 0]
[bodies.one]
mass  = 1
shape = { sphere = { radius = "0.1 m" } }
[bodies.two]
mass  = 1
shape = { sphere = { radius = "0.1 m" } }
[joints.one]
type   = "free"
parent = "ground"
child  = "one"
[joints.two]
type   = "free"
parent = "ground"
child  = "two"
start  = { position = ["0.19 m", 0, 0] }
[surfaces.one]
on       = "one"
make     = { icosphere = { radius = "0.1 m" } }
material = "soft"
[surfaces.two]
on       = "two"
make     = { ellipsoid = { radii = ["0.1 m", "0.1 m", "0.1 m"], triangles = 500 } }
material = "soft"
[surfaces.floor]
on   = "ground"
make = { plane = { size = ["1 m", "1 m"] } }
"#;

fn balls(more: &str) -> Compiled {
    let loaded = parse_model(&format!("{BALLS}{more}"), None).unwrap_or_else(|failure| panic!("{failure}"));
    compile(&loaded, &mut |_| Err(String::new())).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Values of what a side gives way by: layers first brought to their stiffness (hippmann 4.24).
fn stiffness(compiled: &Compiled, side: &ContactSide) -> Option<f64> {
    let p = compiled.parameters.values();
    match side {
        ContactSide::Rigid => None,
        ContactSide::Stiffness(stiffness) => Some(stiffness.of(&p)),
        ContactSide::Layer { modulus, poisson, depth } => {
            let nu = poisson.of(&p);
            Some((1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)) * modulus.of(&p) / depth.of(&p))
        }
    }
}

/// H-R35: a stiffness per area instead of a layer; case H-4: layers of 6e5 N/m^2, 0.4 and 10 mm have 1.286e8 N/m^3 each,
/// 6.429e7 N/m^3 together.
#[test]
fn stiffness_is_given_directly_or_by_a_layer() {
    let direct = balls(
        "[materials.soft]\nstiffness = \"1.2857142857142857e8 N/m^3\"\n[contacts.touch]\nbetween = [\"one\", \"two\"]\n",
    );
    let layer = balls(
        "[materials.soft]\nmodulus = \"6e5 N/m^2\"\npoisson = 0.4\ndepth = \"10 mm\"\n[contacts.touch]\nbetween = [\"one\", \"two\"]\n",
    );
    for compiled in [&direct, &layer] {
        for side in &contacts(compiled)[0].1.sides {
            let found = stiffness(compiled, side).unwrap();
            assert!((found / 1.285_714_285_714_285_7e8 - 1.0).abs() < 1e-12, "{found}");
        }
    }
    let half = stiffness(&layer, &contacts(&layer)[0].1.sides[0]).unwrap() / 2.0;
    assert!((half / 6.429e7 - 1.0).abs() < 1e-4, "{half}");
}

/// A contact of several pairs names them all; its own materials count more than those of the surfaces.
#[test]
fn contacts_of_several_pairs_have_materials_of_their_own() {
    let compiled = balls(
        "[materials.soft]\nstiffness = 1e6\n[materials.hard]\nstiffness = 1e9\n\
         [contacts.all]\npairs = [[\"one\", \"two\"], [\"one\", \"floor\"], [\"two\", \"one\"]]\n\
         materials = [\"hard\", \"rigid\"]\n[contacts.own]\nbetween = [\"two\", \"floor\"]\n",
    );
    let found = contacts(&compiled);
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["contacts.all.one-two", "contacts.all.one-floor", "contacts.own"]);
    for (_, contact) in &found[..2] {
        assert_eq!(contact.sides.map(|side| stiffness(&compiled, &side)), [Some(1e9), None]);
    }
    assert_eq!(found[2].1.sides.map(|side| stiffness(&compiled, &side)), [Some(1e6), None]);
}
