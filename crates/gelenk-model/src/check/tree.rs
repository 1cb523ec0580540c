//! Bodies and joints.

use super::coordinates::Coordinates;
use crate::model_file::{Joint, JointType, ModelFile};
use crate::read::{Named, Text};
use crate::report::{Diagnostic, Report};
use crate::source::Span;
use gelenk_math::graph;
use gelenk_math::suggest::closest;

pub(super) fn check(model: &ModelFile, coordinates: &Coordinates<'_>, report: &mut Report) {
    for name in model.bodies.names().chain(model.frames.names()).filter(|name| &***name == "ground") {
        report.push(
            Diagnostic::error(name.span, "\"ground\" cannot be defined").label("the ground is always there"),
        );
    }
    for name in model.frames.names() {
        if let Some(body) = model.bodies.names().find(|body| body.text == name.text) {
            report.push(
                Diagnostic::error(name.span, format!("\"{}\" names both a body and a frame", name.text))
                    .related(body.span, "the body, whose own frame has this name"),
            );
        }
    }
    for (name, joint) in model.joints.iter() {
        check_joint(name, joint, report);
        expect_body(model, &joint.parent, true, report);
        expect_body(model, &joint.child, false, report);
    }
    check_topology(model, report);
    for (_, frame) in model.frames.iter() {
        expect_body(model, &frame.body, true, report);
    }
    super::frames::check(model, report);
    for (_, element) in model.friction.iter() {
        coordinates.expect(&element.on, report);
    }
    for (_, drive) in model.drives.iter() {
        coordinates.expect(&drive.on, report);
    }
}

/// A reference to a body; complains if there is none.
fn expect_body(model: &ModelFile, name: &Text, ground: bool, report: &mut Report) {
    if &**name == "ground" {
        if !ground {
            report.push(Diagnostic::error(name.span, "the ground cannot be the child of a joint"));
        }
        return;
    }
    unknown("body", name, &model.bodies, ground.then_some("ground"), report);
}

fn unknown<T>(what: &str, name: &Text, known: &Named<T>, also: Option<&str>, report: &mut Report) {
    if known.names().any(|body| body.text == name.text) {
        return;
    }
    let near = closest(name, known.names().map(|name| name.text.as_str()).chain(also));
    let diagnostic = Diagnostic::error(name.span, format!("there is no {what} \"{}\"", name.text));
    report.push(diagnostic.meant(near));
}

/// Which keys a joint may have by its type.
fn check_joint(name: &Text, joint: &Joint, report: &mut Report) {
    let word = joint.kind.value.word();
    let scalar = matches!(joint.kind.value, JointType::Revolute | JointType::Prismatic);
    let free = joint.kind.value == JointType::Free;
    let coordinate = joint.coordinate.as_ref().map(|coordinate| match coordinate {
        crate::model_file::JointCoordinate::Name(name) => name.span,
        crate::model_file::JointCoordinate::Table(table) => table.span,
    });
    let axis = joint.axis.0.iter().find(|number| number.is_given()).map(|number| number.formula.span);
    let elements: [(&str, Option<Span>); 3] = [
        ("friction", joint.friction.as_ref().map(|item| item.span)),
        ("spring", joint.spring.as_ref().map(|item| item.span)),
        ("stop", joint.stop.as_ref().map(|item| item.span)),
    ];
    let keys =
        [("coordinate", coordinate), ("value", joint.value.as_ref().map(|value| value.span)), ("axis", axis)];
    for (key, span) in
        keys.iter().chain(&elements).filter(|_| !scalar).filter_map(|(key, span)| Some((key, (*span)?)))
    {
        report.push(
            Diagnostic::error(span, format!("a {word} joint has no \"{key}\""))
                .related(joint.kind.span, "its type"),
        );
    }
    if let Some(start) = joint.start.as_ref().filter(|_| !free) {
        let diagnostic = Diagnostic::error(start.span, format!("a {word} joint has no \"start\""));
        report.push(match scalar {
            true => diagnostic.help("the start of a coordinate stands in coordinate = { start = ... }"),
            false => diagnostic,
        });
    }
    if let (Some(value), Some(span)) = (&joint.value, coordinate) {
        report.push(
            Diagnostic::error(
                value.span,
                format!("joint \"{}\" has both \"coordinate\" and \"value\"", name.text),
            )
            .related(span, "the coordinate")
            .help("a joint moves by a coordinate or by an expression over others"),
        );
    }
    if joint.value.is_some() && scalar {
        for (key, span) in elements.iter().filter_map(|(key, span)| Some((key, (*span)?))) {
            report.push(
                Diagnostic::error(span, format!("\"{key}\" acts on a coordinate, and this joint has none"))
                    .help("put it on a coordinate that the joint's \"value\" uses"),
            );
        }
    }
}

/// Every body is the child of exactly one joint, and reaches the ground.
fn check_topology(model: &ModelFile, report: &mut Report) {
    let bodies = &model.bodies;
    let mut carrier: Vec<Option<(&Text, &Joint)>> = vec![None; bodies.len()];
    for (name, joint) in model.joints.iter() {
        let Some(child) = bodies.position(&joint.child) else { continue };
        match carrier[child] {
            None => carrier[child] = Some((name, joint)),
            Some((first, other)) => report.push(
                Diagnostic::error(
                    joint.child.span,
                    format!(
                        "body \"{}\" is the child of two joints, \"{}\" and \"{}\"",
                        joint.child.text, first.text, name.text
                    ),
                )
                .related(other.child.span, "the first")
                .help("close the second connection with [loops.NAME]"),
            ),
        }
    }
    // Joints that could not be read, or misspell their child, may carry the bodies that seem to be loose.
    let misspelt =
        model.joints.iter().any(|(_, joint)| bodies.names().all(|body| body.text != joint.child.text));
    let lost = model.joints.is_empty() && report.has_errors();
    if model.joints.broken.is_empty() && !misspelt && !lost {
        let loose = bodies.iter().zip(&carrier).filter(|(_, carrier)| carrier.is_none());
        for ((name, _), _) in loose.filter(|((name, _), _)| &***name != "ground") {
            report.push(
                Diagnostic::error(name.span, format!("body \"{}\" is the child of no joint", name.text))
                    .help("connect it; a joint of type \"free\" lets it move freely"),
            );
        }
    }
    let needs: Vec<Vec<usize>> = carrier
        .iter()
        .map(|carrier| carrier.iter().filter_map(|(_, joint)| bodies.position(&joint.parent)).collect())
        .collect();
    let cycle = graph::order(&needs).cycle;
    let names: Vec<&str> = bodies.iter().map(|(name, _)| name.text.as_str()).collect();
    if let Some((_, joint)) = cycle.first().and_then(|&first| carrier[first]) {
        let chain: Vec<&str> = cycle.iter().chain(cycle.first()).map(|&i| names[i]).collect();
        report.push(
            Diagnostic::error(joint.parent.span, format!("bodies carry each other: {}", chain.join(" <- ")))
                .help("one of these joints must start from \"ground\"; close the loop with [loops.NAME]"),
        );
    }
}
