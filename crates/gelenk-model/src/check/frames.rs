//! What stands between frames: loops, forces, measures.

use crate::elements::{ElementPlace, ElementTable};
use crate::friction_place::FrictionPlace;
use crate::loops::{Loop, LoopType};
use crate::model_file::ModelFile;
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;

pub(super) fn check(model: &ModelFile, report: &mut Report) {
    for (name, item) in model.loops.iter() {
        check_keys(name, item, report);
        if let Some(between) = &item.between {
            check_bodies(model, &between.value.0, report);
        }
    }
    for (_, force) in model.elements.forces() {
        check_force(model, force, report);
    }
    let loops = model.loops.iter().filter_map(|(_, item)| Some((&item.between.as_ref()?.value, item.span)));
    let pairs = loops
        .chain(model.elements.iter().filter_map(|(_, item)| Some((item.between()?, item.span))))
        .chain(model.measures.iter().map(|(_, item)| (&item.between, item.span)))
        .chain(model.friction.iter().filter_map(|(_, item)| match &item.place {
            FrictionPlace::Between(between, _) => Some((between, item.law.span)),
            FrictionPlace::Coordinate(_) => None,
        }));
    for (pair, span) in pairs {
        if pair.0[0].text == pair.0[1].text {
            report.push(Diagnostic::error(pair.0[1].span, "the two frames must differ").related(span, ""));
        }
    }
}

/// The body that a frame is fixed on, perhaps through other frames.
pub(super) fn body_of<'m>(model: &'m ModelFile, mut frame: &'m str) -> &'m str {
    // Frames in a circle are reported elsewhere.
    for _ in 0..=model.frames.len() {
        match model.frames.get(frame) {
            Some(next) => frame = &next.body,
            None => break,
        }
    }
    frame
}

/// Which keys a loop has by its type.
fn check_keys(name: &Text, item: &Loop, report: &mut Report) {
    let kind = item.kind.value;
    let keys: [(&str, Option<Span>, bool, &str); 4] = [
        (
            "between",
            item.between.as_ref().map(|between| between.span),
            kind != LoopType::Coupling,
            "a coupling relates coordinates by its \"equation\"",
        ),
        (
            "length",
            item.length.as_ref().map(|length| length.span),
            kind == LoopType::Distance,
            "only the type \"distance\" has one",
        ),
        (
            "radii",
            item.radii.as_ref().map(|radii| radii.span),
            kind == LoopType::Ellipsoid,
            "only the type \"ellipsoid\" has them",
        ),
        (
            "equation",
            item.equation.as_ref().map(|equation| equation.span),
            kind == LoopType::Coupling,
            "only the type \"coupling\" has one",
        ),
    ];
    for (key, span, wanted, help) in keys {
        match (span, wanted) {
            (Some(span), false) => report.push(
                Diagnostic::error(span, format!("a loop of type \"{}\" has no \"{key}\"", kind.word()))
                    .related(item.kind.span, "its type")
                    .help(help),
            ),
            (None, true) => report.push(
                Diagnostic::error(item.span, format!("loop \"{}\" needs the key \"{key}\"", name.text))
                    .related(item.kind.span, "because of its type"),
            ),
            _ => {}
        }
    }
}

/// A loop binds two bodies.
fn check_bodies(model: &ModelFile, between: &[Text; 2], report: &mut Report) {
    let [first, second] = between;
    let body = body_of(model, first);
    if first.text != second.text && body == body_of(model, second) {
        report.push(
            Diagnostic::error(second.span, format!("both frames of this loop are on \"{body}\""))
                .related(first.span, "the other one")
                .help("a loop connects two bodies"),
        );
    }
}

fn check_force(model: &ModelFile, force: &ElementTable, report: &mut Report) {
    if let ElementPlace::Frame { on, .. } = &force.place
        && body_of(model, on) == "ground"
    {
        report.push(
            Diagnostic::error(on.span, "a force on the ground has no effect").help("name a frame on a body"),
        );
    }
}
