//! What surfaces are made of, and the laws of simple bodies.

use super::contacts::{RIGID, material_of};
use super::numbers::Numbers;
use crate::bodies::Shape;
use crate::contacts::{Contact, Surface};
use crate::model_file::ModelFile;
use crate::quantity::Number;
use crate::simple::{SimpleShape, Sizeless, Solid, SpotLaw};
use gelenk_file::report::Diagnostic;
use gelenk_multibody::blueprint::CoordinateKind;

/// What a surface is.
pub(crate) enum Skin<'m> {
    /// A mesh, from a file or made.
    Mesh,
    /// A simple body of its own.
    Simple(&'m SimpleShape),
    /// A shape of its body: the body, and which one of its shapes.
    Shape(&'m str, usize, Box<Shape>),
}

impl Skin<'_> {
    /// Whether it is a mesh.
    pub(crate) fn is_mesh(&self) -> bool {
        match self {
            Self::Mesh => true,
            Self::Simple(_) => false,
            Self::Shape(_, _, shape) => matches!(**shape, Shape::Mesh(_)),
        }
    }

    /// Whether it has a radius.
    fn is_round(&self) -> bool {
        match self {
            Self::Simple(SimpleShape::Solid(solid)) => !matches!(**solid, Solid::Box(_)),
            Self::Shape(_, _, shape) => matches!(**shape, Shape::Sphere(_) | Shape::Capsule(_)),
            Self::Mesh | Self::Simple(SimpleShape::Sizeless(_)) => false,
        }
    }

    fn sizeless(&self) -> Option<Sizeless> {
        match self {
            Self::Simple(SimpleShape::Sizeless(word)) => Some(*word),
            _ => None,
        }
    }
}

/// What a surface is; else what is wrong with it.
pub(crate) fn skin<'m>(model: &'m ModelFile, surface: &'m Surface) -> Result<Skin<'m>, Box<Diagnostic>> {
    let wrong = |message: String| Diagnostic::error(surface.span, message);
    let given =
        [surface.mesh.is_some(), surface.make.is_some(), surface.simple.is_some(), surface.shape.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        let help =
            "give one of \"mesh\", \"make\", \"simple\" and \"shape\"; with none it is the shape of its body";
        return Err(Box::new(wrong("this surface is defined more than once".to_owned()).help(help)));
    }
    if surface.mesh.is_some() || surface.make.is_some() {
        return Ok(Skin::Mesh);
    }
    if let Some(simple) = &surface.simple {
        return Ok(Skin::Simple(simple));
    }
    let help = "or give \"mesh\", \"make\" or \"simple\"";
    let Some(body) = model.bodies.get(&surface.on) else {
        let message =
            format!("\"{}\" is not a body, so there is no shape to use for the surface", surface.on.text);
        let help = "give \"mesh\", \"make\" or \"simple\"";
        return Err(Box::new(Diagnostic::error(surface.on.span, message).help(help)));
    };
    let pieces: Vec<(&str, Vec<Shape>)> =
        body.shapes.iter().map(|(name, piece)| (name.text.as_str(), piece.shapes())).collect();
    let found = match (&surface.shape, &body.shape, pieces.as_slice()) {
        (None, Some(shape), _) => Some((0, shape.clone())),
        (None, None, [(_, shapes)]) => shapes.first().map(|shape| (0, shape.clone())),
        (None, None, []) => {
            let message = format!("body \"{}\" has no shape that the surface could use", surface.on.text);
            return Err(Box::new(wrong(message).help(format!("give the body a \"shape\", {help}"))));
        }
        (None, None, _) => {
            let message = format!("body \"{}\" has several shapes", surface.on.text);
            return Err(Box::new(wrong(message).help("name one of them with \"shape\"")));
        }
        (Some(name), ..) => {
            let index = pieces.iter().position(|(known, _)| *known == name.text);
            let Some(index) = index else {
                let message = format!("body \"{}\" has no shape \"{}\"", surface.on.text, name.text);
                let known = pieces.iter().map(|(known, _)| *known);
                return Err(Box::new(
                    Diagnostic::error(name.span, message).meant(gelenk_math::suggest::closest(name, known)),
                ));
            };
            pieces[index].1.first().map(|shape| (index, shape.clone()))
        }
    };
    match found {
        Some((_, Shape::Cylinder(_))) => {
            let help = "give \"make = { cylinder = ... }\" for a mesh, or \"simple = { capsule = ... }\"";
            Err(Box::new(wrong("simple contact does not support cylinders".to_owned()).help(help)))
        }
        Some((index, shape)) => Ok(Skin::Shape(&surface.on.text, index, Box::new(shape))),
        // A piece without a shape is told elsewhere.
        None => Err(Box::new(wrong("the shape of this surface is not given".to_owned()))),
    }
}

/// Checks sizes of simple bodies.
pub(super) fn check_simple(simple: &SimpleShape, numbers: &mut Numbers<'_, '_>) {
    let SimpleShape::Solid(solid) = simple else { return };
    match &**solid {
        Solid::Sphere(sphere) => {
            numbers.positive(&sphere.radius, None);
        }
        Solid::Capsule(capsule) => {
            numbers.positive(&capsule.radius, None);
            numbers.positive(&capsule.length, None);
        }
        Solid::Box(cuboid) => cuboid.size.0.iter().for_each(|edge| {
            numbers.positive(edge, None);
        }),
    }
}

/// Checks the numbers of a law.
pub(super) fn check_law(law: &SpotLaw, numbers: &mut Numbers<'_, '_>) {
    let length = Some(CoordinateKind::Length);
    let power = |stiffness: Option<&Number>, exponent: Option<&Number>, numbers: &mut Numbers<'_, '_>| {
        match stiffness {
            Some(stiffness) => numbers.power_law(stiffness, exponent, length, true),
            None => {
                exponent.map(|exponent| numbers.at_least(exponent, None, 1.0));
            }
        }
        if let (None, Some(exponent)) = (stiffness, exponent)
            && numbers.number(exponent, None).is_some_and(|value| value != 1.5)
        {
            let message = "a stiffness from materials needs the exponent 1.5".to_owned();
            numbers.error(exponent.formula.span, message);
        }
    };
    match law {
        SpotLaw::Linear(law) => {
            numbers.positive(&law.stiffness, None);
        }
        SpotLaw::KelvinVoigt(law) => {
            numbers.positive(&law.stiffness, None);
            numbers.at_least(&law.damping, None, 0.0);
            numbers.at_least(&law.depth, None, 0.0);
        }
        SpotLaw::Hertz(law) => {
            if let Some(stiffness) = &law.stiffness {
                numbers.stiffness_of_power(stiffness, 1.5, length, true);
            }
        }
        SpotLaw::HuntCrossley(law) => {
            power(law.stiffness.as_deref(), Some(&law.exponent), numbers);
            numbers.at_least(&law.dissipation, None, 0.0);
        }
        SpotLaw::LankaraniNikravesh(law) => {
            power(law.stiffness.as_deref(), Some(&law.exponent), numbers);
            if numbers.at_least(&law.restitution, None, 0.0).is_some_and(|value| value > 1.0) {
                let span = law.restitution.formula.span;
                numbers.error(span, "\"restitution\" must be between 0 and 1".to_owned());
            }
            numbers.positive(&law.slowest, None);
        }
    }
}

/// The law of a pair: what the contact says, else the pairing of the materials.
pub(crate) fn law_of<'m>(
    model: &'m ModelFile,
    contact: &'m Contact,
    materials: [&str; 2],
) -> Option<&'m SpotLaw> {
    let [a, b] = materials;
    let pairing = model.pairings.iter().find(|(_, pairing)| {
        let known = [&*pairing.between.0[0].text, &*pairing.between.0[1].text];
        known == [a, b] || known == [b, a]
    });
    contact.law.as_ref().or(pairing.and_then(|(_, pairing)| pairing.law.as_ref()))
}

/// Checks that the surfaces of a pair go together, and that what the contact says is for their kind.
pub(super) fn check_pair(
    model: &ModelFile,
    contact: &Contact,
    [a, b]: [&str; 2],
    numbers: &mut Numbers<'_, '_>,
) {
    let [Some(first), Some(second)] = [a, b].map(|name| model.surfaces.get(name)) else { return };
    let [Ok(skin_a), Ok(skin_b)] = [first, second].map(|surface| skin(model, surface)) else { return };
    let materials =
        [(0, a), (1, b)].map(|(side, name)| material_of(model, contact, side, name).unwrap_or(RIGID));
    let error = |message: String| Diagnostic::error(contact.span, message);
    match (skin_a.is_mesh(), skin_b.is_mesh()) {
        (true, true) => {
            if contact.law.is_some() {
                numbers.report.push(
                    error(format!("surfaces \"{a}\" and \"{b}\" are meshes, which have no \"law\""))
                        .help("their force follows from the layers of the materials"),
                );
            }
            for name in materials {
                let layerless =
                    model.materials.get(name).is_some_and(|m| m.stiffness.is_none() && m.depth.is_none());
                if layerless {
                    numbers.report.push(
                        error(format!("material \"{name}\" of a mesh needs a \"depth\""))
                            .help("a mesh deforms by an elastic layer; only simple bodies do not need one"),
                    );
                }
            }
            if materials == [RIGID; 2] {
                numbers.report.push(
                    error(format!("surfaces \"{a}\" and \"{b}\" are both rigid"))
                        .help("give at least one of them a \"material\""),
                );
            }
        }
        (false, false) => {
            for (key, given) in [("damping", &contact.damping.is_some()), ("depth", &contact.depth.is_some())]
            {
                if *given {
                    numbers.report.push(
                        error(format!("\"{key}\" is for meshes; \"{a}\" and \"{b}\" are simple bodies"))
                            .help("give their damping in \"law\""),
                    );
                }
            }
            if skin_a.sizeless().is_some() && skin_a.sizeless() == skin_b.sizeless() {
                let what = if skin_a.sizeless() == Some(Sizeless::Point) { "points" } else { "planes" };
                numbers.report.push(error(format!(
                    "surfaces \"{a}\" and \"{b}\" are two {what}, between which there is no contact"
                )));
            }
            let [one, two] = materials;
            let Some(law) = law_of(model, contact, materials) else {
                numbers.report.push(
                    error(format!("simple bodies \"{a}\" and \"{b}\" need a \"law\""))
                        .help("as in law = { hertz = {} } or law = { kelvin-voigt = { stiffness = ..., damping = ... } }; or a pairing that has one"),
                );
                return;
            };
            if !law.needs_materials() {
                return;
            }
            for name in materials {
                let stiff = model.materials.get(name).is_some_and(|m| m.modulus.is_none());
                if stiff {
                    numbers.report.push(
                        error(format!(
                            "material \"{name}\" has a stiffness per area, from which Hertz's law cannot compute the \
                             stiffness between \"{a}\" and \"{b}\""
                        ))
                        .help("give it \"modulus\" and \"poisson\", or the law a \"stiffness\""),
                    );
                }
            }
            let elastic = |name: &str| model.materials.get(name).is_some_and(|m| m.modulus.is_some());
            if !elastic(one) && !elastic(two) {
                numbers.report.push(
                    error(format!("neither \"{a}\" nor \"{b}\" has a material with a modulus"))
                        .help("give one, or the law a \"stiffness\""),
                );
            } else if !skin_a.is_round() && !skin_b.is_round() {
                numbers.report.push(
                    error(format!("neither \"{a}\" nor \"{b}\" has a radius for Hertz's stiffness"))
                        .help("give the law a \"stiffness\""),
                );
            }
        }
        _ => numbers.report.push(
            error(format!("\"{a}\" and \"{b}\": contact between a mesh and a simple body is not supported"))
                .help("give \"make\" instead of \"simple\" to make a mesh of the simple body"),
        ),
    }
}
