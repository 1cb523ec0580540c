//! Bodies and joints.

use super::coordinates::Coordinates;
use crate::joints::Joint;
use crate::model_file::ModelFile;
use crate::read::{Named, Text};
use crate::report::{Diagnostic, Report};
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
        super::joint_keys::check(name, joint, report);
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
