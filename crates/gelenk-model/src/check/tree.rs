//! Bodies and joints.

use super::coordinates::Coordinates;
use super::frames::body_of;
use crate::elements::ElementPlace;
use crate::joints::Joint;
use crate::model_file::{Frame, ModelFile};
use crate::rubbing::Place;
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
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
        expect_carrier(model, &joint.parent, report);
        expect_body(model, &joint.child, report);
    }
    check_topology(model, report);
    for (_, frame) in model.frames.iter() {
        expect_carrier(model, &frame.body, report);
    }
    check_frames(model, report);
    super::frames::check(model, report);
    for (_, element) in model.friction.iter() {
        if let Place::Coordinate(on) = &element.place {
            coordinates.expect(on, report);
        }
    }
    for (_, element) in model.elements.iter() {
        if let ElementPlace::Coordinate(on) = &element.place {
            coordinates.expect(on, report);
        }
    }
    for (_, drive) in model.drives.iter() {
        coordinates.expect(&drive.on, report);
    }
}

/// A reference to a body that a joint moves; complains if there is none.
fn expect_body(model: &ModelFile, name: &Text, report: &mut Report) {
    if &**name == "ground" {
        report.push(Diagnostic::error(name.span, "the ground cannot be the child of a joint"));
    } else if model.bodies.names().all(|body| body.text != name.text) {
        let near = closest(name, model.bodies.names().map(|name| name.text.as_str()));
        let diagnostic = Diagnostic::error(name.span, format!("there is no body \"{}\"", name.text));
        report.push(diagnostic.meant(near));
    }
}

/// A reference to what a joint or a frame stands on: a body, a frame or the ground.
fn expect_carrier(model: &ModelFile, name: &Text, report: &mut Report) {
    let known =
        || model.bodies.names().chain(model.frames.names()).map(|name| name.text.as_str()).chain(["ground"]);
    if !known().any(|known| known == &**name) {
        let diagnostic = Diagnostic::error(name.span, format!("there is no body \"{}\"", name.text));
        report.push(diagnostic.meant(closest(name, known())));
    }
}

/// Frames on frames end at a body.
fn check_frames(model: &ModelFile, report: &mut Report) {
    let frames = &model.frames;
    // A name of both a body and a frame is reported as such.
    let on_frame =
        |frame: &Frame| frames.position(&frame.body).filter(|_| model.bodies.get(&frame.body).is_none());
    let needs: Vec<Vec<usize>> =
        frames.iter().map(|(_, frame)| on_frame(frame).into_iter().collect()).collect();
    let cycle = graph::order(&needs).cycle;
    let names: Vec<&Text> = frames.iter().map(|(name, _)| name).collect();
    if let Some(&first) = cycle.first() {
        let chain: Vec<&str> = cycle.iter().chain([&first]).map(|&i| names[i].text.as_str()).collect();
        report.push(
            Diagnostic::error(names[first].span, format!("frames carry each other: {}", chain.join(" <- ")))
                .help("one of them must stand on a body or on \"ground\""),
        );
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
        .map(|carrier| {
            carrier.iter().filter_map(|(_, joint)| bodies.position(body_of(model, &joint.parent))).collect()
        })
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
