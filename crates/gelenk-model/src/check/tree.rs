//! Bodies and joints.

use super::frames::body_of;
use crate::joints::Joint;
use crate::model_file::{Frame, ModelFile};
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::graph;

pub(super) fn check(model: &ModelFile, report: &mut Report) {
    for name in model.bodies.names().chain(model.frames.names()).filter(|name| &***name == "ground") {
        report.push(
            Diagnostic::error(name.span, "\"ground\" cannot be defined").label("the ground always exists"),
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
        if &*joint.child == "ground" {
            report.push(Diagnostic::error(joint.child.span, "the ground cannot be the child of a joint"));
        }
    }
    check_topology(model, report);
    check_frames(model, report);
    super::frames::check(model, report);
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
            Diagnostic::error(
                names[first].span,
                format!("frames are attached to each other in a cycle: {}", chain.join(" <- ")),
            )
            .help("attach one of them to a body or to \"ground\""),
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
            Diagnostic::error(
                joint.parent.span,
                format!("the joints between these bodies form a cycle: {}", chain.join(" <- ")),
            )
            .help("one of these joints must have the parent \"ground\"; close the loop with [loops.NAME]"),
        );
    }
}
