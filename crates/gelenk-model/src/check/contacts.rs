//! Materials, surfaces and contacts: names, keys, ranges.

use super::numbers::Numbers;
use crate::contacts::{Contact, DetectionWord, MasterWord, Material, Pairing, UndercutWord};
use crate::model_file::ModelFile;
use crate::quantity::Number;
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};

/// The least cosine of elements where none is given.
const STEEP: f64 = 0.1;

/// What a surface without a material is called in pairings.
pub(crate) const RIGID: &str = "rigid";

/// Surfaces of the model that a name stands for: one, or those of a group.
pub(crate) fn members<'m>(model: &'m ModelFile, name: &str) -> Vec<&'m str> {
    if model.surfaces.get(name).is_some() {
        return model
            .surfaces
            .names()
            .map(|known| known.text.as_str())
            .filter(|known| *known == name)
            .collect();
    }
    let grouped = |group: &Option<Text>| group.as_ref().is_some_and(|group| group.text == name);
    model.surfaces.iter().filter(|(_, s)| grouped(&s.group)).map(|(known, _)| known.text.as_str()).collect()
}

/// Pairs of surfaces of a contact, in the order of the file, each once; pairs on one body and excluded ones are left out, a
/// group in an exception standing for all its surfaces.
pub(crate) fn pairs<'m>(model: &'m ModelFile, contact: &Contact) -> Vec<[&'m str; 2]> {
    let mut pairs: Vec<[&str; 2]> = Vec::new();
    for [one, two] in contact.between.iter().chain(contact.pairs.iter().flatten()).map(|pair| &pair.0) {
        for &a in &members(model, one) {
            for &b in &members(model, two) {
                let body =
                    |name: &str| model.surfaces.get(name).map(|s| super::frames::body_of(model, &s.on));
                let stands_for = |name: &Text, surface: &str| members(model, name).contains(&surface);
                let excepted = contact.except.iter().flatten().any(|pair| {
                    let [p, q] = &pair.0;
                    (stands_for(p, a) && stands_for(q, b)) || (stands_for(p, b) && stands_for(q, a))
                });
                let known = pairs.iter().any(|pair| *pair == [a, b] || *pair == [b, a]);
                if a != b && !known && !excepted && body(a) != body(b) {
                    pairs.push([a, b]);
                }
            }
        }
    }
    pairs
}

/// The material of a side of a contact: what the contact says, else the surface; "rigid" where neither says it.
pub(crate) fn material_of<'m>(
    model: &'m ModelFile,
    contact: &'m Contact,
    side: usize,
    surface: &str,
) -> Option<&'m str> {
    if let Some(materials) = &contact.materials {
        return Some(&materials.0[side]);
    }
    Some(model.surfaces.get(surface)?.material.as_ref().map_or(RIGID, |material| material.text.as_str()))
}

pub(super) fn check(model: &ModelFile, numbers: &mut Numbers<'_, '_>) {
    for (name, material) in model.materials.iter() {
        check_material(name, material, numbers);
    }
    for (name, surface) in model.surfaces.iter() {
        match super::simple_contacts::skin(model, surface) {
            Err(diagnostic) => numbers.report.push(*diagnostic),
            Ok(skin) if surface.reversed && !skin.is_mesh() => numbers.report.push(
                Diagnostic::error(
                    surface.span,
                    format!(
                        "surface \"{}\" is a simple body, which has no inside to be \"reversed\"",
                        name.text
                    ),
                )
                .help("a hollow is a mesh: give \"make\" instead, with reversed = true"),
            ),
            Ok(_) => {}
        }
        if let Some(simple) = &surface.simple {
            super::simple_contacts::check_simple(simple, numbers);
        }
        if let Some(mesh) = &surface.mesh {
            mesh.unit.expect(gelenk_math::units::Dimension::LENGTH, numbers.report);
        }
        if let Some(Err(reason)) = surface.make.as_ref().map(crate::compile::contacts::made) {
            numbers.error(surface.span, format!("surface \"{}\": {reason}", name.text));
        }
        if let Some(group) = surface.group.as_ref().filter(|group| model.surfaces.get(&group.text).is_some())
        {
            let message = format!("\"{}\" is a surface and cannot also be a group", group.text);
            numbers.error(group.span, message);
        }
    }
    check_pairings(model, numbers.report);
    for (name, pairing) in model.pairings.iter() {
        check_use(model, name, pairing, numbers);
        for number in [&*pairing.damping, &*pairing.depth, &*pairing.friction] {
            numbers.at_least(number, None, 0.0);
        }
        numbers.positive(&pairing.speed, None);
        pairing.law.iter().for_each(|law| super::simple_contacts::check_law(law, numbers));
    }
    for (name, contact) in model.contacts.iter() {
        check_contact(model, name, contact, numbers);
    }
}

/// Two pairings of the same materials contradict each other, and what no pair of surfaces can use has no effect.
fn check_pairings(model: &ModelFile, report: &mut Report) {
    let mut known: Vec<([&str; 2], &Text)> = Vec::new();
    for (name, pairing) in model.pairings.iter() {
        let mut between = [&*pairing.between.0[0].text, &*pairing.between.0[1].text];
        between.sort_unstable();
        match known.iter().find(|(other, _)| *other == between) {
            Some((_, other)) => report.push(
                Diagnostic::error(
                    name.span,
                    format!(
                        "pairings \"{}\" and \"{}\" have the same two materials, \"{}\" and \"{}\"",
                        other.text, name.text, between[0], between[1]
                    ),
                )
                .help("keep one of them; a contact that differs can give its own values"),
            ),
            None => known.push((between, name)),
        }
    }
}

/// What a pairing says about meshes has no effect where it is of simple bodies alone, and the other way round.
fn check_use(model: &ModelFile, name: &Text, pairing: &Pairing, numbers: &mut Numbers<'_, '_>) {
    let between = [&*pairing.between.0[0].text, &*pairing.between.0[1].text];
    let (mut meshes, mut simples) = (false, false);
    for (_, contact) in model.contacts.iter() {
        for [a, b] in pairs(model, contact) {
            let materials = [material_of(model, contact, 0, a), material_of(model, contact, 1, b)];
            let [Some(one), Some(two)] = materials else { continue };
            if between == [one, two] || between == [two, one] {
                let simple = [a, b].iter().all(|name| is_simple(model, name));
                (meshes, simples) = (meshes || !simple, simples || simple);
            }
        }
    }
    let given = |number: &Number, numbers: &mut Numbers<'_, '_>| {
        numbers.number(number, None).is_some_and(|value| value != 0.0)
    };
    let idle = match (meshes, simples) {
        (false, true) if given(&pairing.damping, numbers) => Some(("damping", "simple bodies", "\"law\"")),
        (false, true) if given(&pairing.depth, numbers) => Some(("depth", "simple bodies", "\"law\"")),
        (true, false) if pairing.law.is_some() => Some(("law", "meshes", "\"damping\" and the materials")),
        _ => None,
    };
    if let Some((key, kind, other)) = idle {
        numbers.report.push(
            Diagnostic::error(
                pairing.span,
                format!(
                    "\"{key}\" of pairing \"{}\" has no effect: only {kind} of these materials are in contact",
                    name.text
                ),
            )
            .help(format!("omit it; the force of {kind} follows from {other}")),
        );
    }
}

/// Whether a surface is a simple body.
fn is_simple(model: &ModelFile, name: &str) -> bool {
    let skin = model.surfaces.get(name).map(|surface| super::simple_contacts::skin(model, surface));
    skin.is_some_and(|skin| skin.is_ok_and(|skin| !skin.is_mesh()))
}

/// Two contacts of the same surfaces would both push.
pub(super) fn check_doubles(model: &ModelFile, report: &mut Report) {
    let mut known: std::collections::BTreeMap<[&str; 2], &Text> = std::collections::BTreeMap::new();
    for (name, contact) in model.contacts.iter() {
        for [a, b] in pairs(model, contact) {
            let other = *known.entry(if a < b { [a, b] } else { [b, a] }).or_insert(name);
            if other.text != name.text {
                report.push(
                    Diagnostic::error(
                        contact.span,
                        format!(
                            "contacts \"{}\" and \"{}\" both contain \"{a}\" and \"{b}\", and their forces would add up",
                            other.text, name.text
                        ),
                    )
                    .help(format!("exclude the pair from one of them: except = [[\"{a}\", \"{b}\"]]")),
                );
                break;
            }
        }
    }
}

fn check_material(name: &Text, material: &Material, numbers: &mut Numbers<'_, '_>) {
    let layer: [(&str, Option<&Number>); 3] = [
        ("modulus", material.modulus.as_deref()),
        ("poisson", material.poisson.as_deref()),
        ("depth", material.depth.as_deref()),
    ];
    let given = layer.iter().filter(|(_, number)| number.is_some()).count();
    match (&material.stiffness, given) {
        (Some(stiffness), 0) => {
            numbers.positive(stiffness, None);
        }
        (Some(stiffness), _) => numbers.report.push(
            Diagnostic::error(
                stiffness.formula.span,
                format!("material \"{}\" has a stiffness and a layer", name.text),
            )
            .help("give \"stiffness\", or \"modulus\", \"poisson\" and \"depth\""),
        ),
        (None, 3) => {}
        // Enough for simple bodies; a mesh asks for more.
        (None, 2) if material.depth.is_none() => {}
        (None, _) => {
            let missing: Vec<&str> = layer.iter().filter(|(_, n)| n.is_none()).map(|(key, _)| *key).collect();
            numbers.report.push(
                Diagnostic::error(
                    material.span,
                    format!("material \"{}\" needs {}", name.text, gelenk_file::read::list(&missing)),
                )
                .help("or a \"stiffness\" per area instead of a layer"),
            );
        }
    }
    for number in [&material.modulus.as_deref(), &material.depth.as_deref()].into_iter().flatten() {
        numbers.positive(number, None);
    }
    if let Some(poisson) = &material.poisson
        && let Some(value) = numbers.number(poisson, None)
    {
        let span = poisson.formula.span;
        if !(value > -1.0 && value < 0.5) {
            numbers.report.push(
                Diagnostic::error(span, "\"poisson\" must be greater than -1 and below 0.5")
                    .label(format!("this is {value}"))
                    .help("an incompressible layer cannot deform"),
            );
        } else if value > 0.45 {
            numbers.report.push(Diagnostic::warning(
                span,
                "a layer this close to a Poisson ratio of 0.5 is much too stiff; the layer model is valid up to 0.45",
            ));
        }
    }
}

/// Whether a surface or a group of surfaces has this name.
fn is_surface(model: &ModelFile, name: &Text) -> bool {
    let groups = model.surfaces.iter().filter_map(|(_, surface)| surface.group.as_ref());
    model.surfaces.names().chain(groups).any(|known| known.text == name.text)
}

fn check_contact(model: &ModelFile, name: &Text, contact: &Contact, numbers: &mut Numbers<'_, '_>) {
    if contact.between.is_some() == contact.pairs.is_some() {
        let message = format!("contact \"{}\" needs either \"between\" or \"pairs\"", name.text);
        numbers.error(contact.span, message);
    }
    let lists = contact.pairs.iter().chain(&contact.except).flatten();
    let mut known = contact.between.is_some() || contact.pairs.is_some();
    for surface in contact.between.iter().chain(lists).flat_map(|pair| &pair.0) {
        known &= is_surface(model, surface);
    }
    if known && model.surfaces.broken.is_empty() && pairs(model, contact).is_empty() {
        numbers.report.push(
            Diagnostic::error(
                contact.span,
                format!("contact \"{}\" contains no pair of surfaces", name.text),
            )
            .help("surfaces on one body are not in contact with each other"),
        );
    }
    let optional: [Option<&Number>; 3] =
        [contact.damping.as_deref(), contact.depth.as_deref(), contact.friction.as_deref()];
    for number in optional.into_iter().flatten() {
        numbers.at_least(number, None, 0.0);
    }
    if let Some(speed) = &contact.speed {
        numbers.positive(speed, None);
    }
    let steep = &contact.steep.value;
    if !(0.0..1.0).contains(&steep.value) {
        numbers.error(contact.steep.span, "\"steep\" must be a cosine, at least 0 and below 1".to_owned());
    }
    contact.law.iter().for_each(|law| super::simple_contacts::check_law(law, numbers));
    let found = pairs(model, contact);
    for pair in &found {
        super::simple_contacts::check_pair(model, contact, *pair, numbers);
    }
    if found.is_empty() || found.iter().any(|pair| !pair.iter().all(|name| is_simple(model, name))) {
        return;
    }
    let idle = [
        ("master", contact.master != MasterWord::Auto),
        ("detection", contact.detection != DetectionWord::Modern),
        ("events", contact.events),
        ("steep", steep.value != STEEP),
        ("undercut", contact.undercut != UndercutWord::Nearest),
    ];
    for (key, _) in idle.iter().filter(|(_, given)| *given) {
        let message =
            format!("\"{key}\" of contact \"{}\" is for meshes; its surfaces are simple bodies", name.text);
        numbers.report.push(Diagnostic::error(contact.span, message).help("omit it"));
    }
}
