//! Which keys a joint has by its type.

use super::coordinates::kinds_of;
use crate::joints::{Joint, JointType};
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;

/// The types that have a key.
fn has(kind: JointType, key: &str) -> bool {
    use JointType::{Ball, Cylindrical, Free, General, Planar, Prismatic, Revolute, Screw, Universal};
    match key {
        "axis" | "value" => matches!(kind, Revolute | Prismatic),
        "coordinate" | "friction" | "spring" => matches!(kind, Revolute | Prismatic | Screw),
        "stop" => matches!(kind, Revolute | Prismatic | Screw | Ball),
        "coordinates" => matches!(kind, Ball | Cylindrical | Universal | Planar),
        "sequence" => kind == Ball,
        "lead" => kind == Screw,
        "motion" | "axes" => kind == General,
        "start" => matches!(kind, Free | Ball),
        _ => true,
    }
}

/// The way out where a type has not got a key.
fn instead(kind: JointType, key: &str) -> Option<&'static str> {
    let several = has(kind, "coordinates");
    match key {
        "coordinate" if several => Some("it has several: give \"coordinates\""),
        "coordinates" if has(kind, "coordinate") => Some("it has only one: give \"coordinate\""),
        "coordinate" | "coordinates" | "value" if kind == JointType::General => {
            Some("its coordinates are in \"motion\"")
        }
        "axis" if several || kind == JointType::Screw => {
            Some("it moves along the axes of the joint frame; rotate that with \"orientation\"")
        }
        "axis" if kind == JointType::General => Some("it has three: give \"axes\""),
        "friction" | "spring" | "stop" if several => Some(
            "put it into the table of a coordinate, as in coordinates = [{ name = ..., spring = ... }, ...]",
        ),
        "friction" | "spring" | "stop" if kind == JointType::General => {
            Some("put it on a coordinate under [coordinates.NAME]")
        }
        "start" if has(kind, "coordinate") => {
            Some("give the start of a coordinate in coordinate = { start = ... }")
        }
        "start" if several => {
            Some("give the start of a coordinate in coordinates = [{ name = ..., start = ... }, ...]")
        }
        "start" if kind == JointType::General => {
            Some("give the start of a coordinate under [coordinates.NAME]")
        }
        _ => None,
    }
}

pub(super) fn check(name: &Text, joint: &Joint, report: &mut Report) {
    let kind = joint.kind.value;
    let word = kind.word();
    let coordinate = joint.coordinate.as_ref().map(|coordinate| coordinate.span());
    let axis = joint.axis.0.iter().find(|number| number.is_given()).map(|number| number.formula.span);
    let elements: [(&str, Option<Span>); 3] = [
        ("friction", joint.friction.as_ref().map(|item| item.span)),
        ("spring", joint.spring.as_ref().map(|item| item.span)),
        ("stop", joint.stop.as_ref().map(|item| item.span)),
    ];
    let keys = [
        ("coordinate", coordinate),
        ("value", joint.value.as_ref().map(|value| value.span)),
        ("axis", axis),
        ("coordinates", joint.coordinates.as_ref().map(|item| item.span)),
        ("sequence", joint.sequence.as_ref().map(|item| item.span)),
        ("lead", joint.lead.as_ref().map(|lead| lead.formula.span)),
        ("motion", joint.motion.as_ref().map(|motion| motion.span)),
        ("axes", joint.axes.as_ref().map(|axes| axes.span)),
        ("start", joint.start.as_ref().map(|start| start.span)),
    ];
    for (key, span) in keys.iter().chain(&elements).filter_map(|(key, span)| Some((*key, (*span)?))) {
        if !has(kind, key) {
            report.push(
                Diagnostic::error(span, format!("a {word} joint has no \"{key}\""))
                    .related(joint.kind.span, "its type")
                    .maybe_help(instead(kind, key).map(str::to_owned)),
            );
        }
    }
    required(name, joint, report);
    if let Some(stop) = joint.stop.as_ref().filter(|stop| stop.is_of_ball())
        && kind != JointType::Ball
        && has(kind, "stop")
    {
        report.push(
            Diagnostic::error(stop.span, format!("a {word} joint has neither swing nor twist"))
                .help("give stop = { range = [lower, upper], ... }"),
        );
    }
    if kind == JointType::Ball {
        ball(joint, report);
    }
    if !has(kind, "value") {
        return;
    }
    if let (Some(value), Some(span)) = (&joint.value, coordinate) {
        report.push(
            Diagnostic::error(
                value.span,
                format!("joint \"{}\" has both \"coordinate\" and \"value\"", name.text),
            )
            .related(span, "the coordinate")
            .help("a joint moves either by its own coordinate or by an expression of others"),
        );
    }
    if joint.value.is_some() {
        for (key, span) in elements.iter().filter_map(|(key, span)| Some((key, (*span)?))) {
            report.push(
                Diagnostic::error(span, format!("\"{key}\" acts on a coordinate, and this joint has none"))
                    .help("put it on a coordinate that the joint's \"value\" uses"),
            );
        }
    }
}

/// Keys that a type needs, and how many coordinates.
fn required(name: &Text, joint: &Joint, report: &mut Report) {
    let kind = joint.kind.value;
    let mut missing = |key: &str, help: &str| {
        report.push(
            Diagnostic::error(joint.span, format!("joint \"{}\" needs the key \"{key}\"", name.text))
                .related(joint.kind.span, "because of its type")
                .help(help),
        );
    };
    match kind {
        JointType::Screw if joint.lead.is_none() => {
            missing("lead", "it is the length of one revolution, as in lead = \"5 mm\"");
        }
        JointType::General if joint.motion.is_none() => {
            missing("motion", "as in motion = { x = \"0.1 m\", w3 = \"phi\" }");
        }
        _ => {}
    }
    if !has(kind, "coordinates") {
        return;
    }
    let order = match kind {
        JointType::Cylindrical => "[slide, rotation]",
        JointType::Universal => "[about x, about y]",
        JointType::Planar => "[x, y, rotation]",
        _ => "the angles of the three rotations",
    };
    let expected = kinds_of(kind).len();
    match &joint.coordinates {
        None if kind == JointType::Ball => {}
        None => missing("coordinates", &format!("they are {order}")),
        Some(list) if list.value.len() != expected => report.push(
            Diagnostic::error(list.span, format!("a {} joint has {expected} coordinates", kind.word()))
                .label(format!("this array has {}", list.value.len()))
                .help(format!("they are {order}")),
        ),
        Some(_) => {}
    }
}

/// A ball joint moves by a quaternion, or by three coordinates.
fn ball(joint: &Joint, report: &mut Report) {
    match (&joint.coordinates, &joint.sequence, &joint.start) {
        (None, Some(sequence), _) => report.push(
            Diagnostic::error(sequence.span, "a ball joint without \"coordinates\" has no \"sequence\"")
                .help("without coordinates it moves by a quaternion"),
        ),
        (Some(_), _, Some(start)) => report.push(
            Diagnostic::error(start.span, "a ball joint with \"coordinates\" has no \"start\"")
                .maybe_help(instead(JointType::Ball, "start").map(str::to_owned)),
        ),
        _ => {}
    }
    if let Some(stop) = &joint.stop {
        let diagnostic = match (&joint.coordinates, stop.is_of_ball()) {
            (None, false) => Some(
                Diagnostic::error(
                    stop.span,
                    "the stop of a ball joint without \"coordinates\" has no \"range\"",
                )
                .help(
                    "stop = { swing = \"60 deg\", twist = [\"-30 deg\", \"30 deg\"], ... } limits its angles",
                ),
            ),
            (Some(_), _) => Some(
                Diagnostic::error(stop.span, "a ball joint with \"coordinates\" has no \"stop\"")
                    .maybe_help(instead(JointType::Ball, "spring").map(str::to_owned)),
            ),
            (None, true) => None,
        };
        diagnostic.into_iter().for_each(|diagnostic| report.push(diagnostic));
    }
    if let Some(start) = &joint.start {
        let position = start.position.0.iter().find(|number| number.is_given()).map(|n| n.formula.span);
        let velocity = start.velocity.0.iter().find(|number| number.is_given()).map(|n| n.formula.span);
        for (key, span) in [("position", position), ("velocity", velocity)] {
            let Some(span) = span else { continue };
            report.push(
                Diagnostic::error(span, format!("the start of a ball joint has no \"{key}\""))
                    .help("it has \"orientation\" and \"angular_velocity\""),
            );
        }
    }
}
