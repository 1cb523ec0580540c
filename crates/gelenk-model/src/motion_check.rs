//! Checks of studies about motions that need no model.

use crate::motion_study::{MotionTable, TaskTable, TaskType};
use crate::quantity::Formula;
use crate::study_file::{StudyFile, positive};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::units::Dimension;

pub(crate) fn motion(motion: &MotionTable, report: &mut Report) {
    motion.time_unit.expect(Dimension::TIME, report);
    if let Some(smooth) = &motion.smooth {
        positive(smooth.value, smooth.span, &smooth.path, report);
    }
    match &motion.file {
        Some(file) => {
            let table = !is_recording(file);
            if table && motion.columns.is_empty() {
                report.push(
                    Diagnostic::error(file.span, "a motion from a table needs the key \"columns\"")
                        .help("such as columns = [{ of = \"knee\", column = \"angle\", unit = \"deg\" }]"),
                );
            }
        }
        None => {
            let spans = [
                ("columns", motion.columns.first().map(|c| c.span)),
                ("smooth", motion.smooth.as_ref().map(|s| s.span)),
            ];
            for (key, span) in spans.into_iter().filter_map(|(key, span)| Some((key, span?))) {
                report.push(Diagnostic::error(span, format!("\"{key}\" also needs the key \"file\"")));
            }
            if motion.values.0.is_empty() && !motion.simulate.value {
                report.push(
                    Diagnostic::error(motion.span, "a motion needs \"file\", \"values\" or \"simulate\"")
                        .help("such as values = { knee = \"30 deg * sin(2 [rad/s]*t)\" }"),
                );
            }
        }
    }
    if motion.simulate.value && (motion.file.is_some() || !motion.values.0.is_empty()) {
        report.push(Diagnostic::error(
            motion.simulate.span,
            "a simulated motion has neither \"file\" nor \"values\"",
        ));
    }
    for (_, formula) in &motion.values.0 {
        only_time(formula, report);
    }
}

/// Whether a file is a recording rather than a table, by its name.
pub(crate) fn is_recording(file: &str) -> bool {
    [".parquet", ".parts"].iter().any(|end| file.ends_with(end))
}

pub(crate) fn settings(study: &StudyFile, report: &mut Report) {
    for task in &study.tasks {
        self::task(task, report);
    }
    if let Some(ik) = &study.ik {
        for number in [Some(&ik.tolerance), Some(&ik.iterations), ik.step.as_ref()].into_iter().flatten() {
            positive(number.value, number.span, &number.path, report);
        }
        if ik.damping.value < 0.0 {
            report.push(Diagnostic::error(ik.damping.span, "\"damping\" must be at least 0"));
        }
        if ik.method.0.is_empty() {
            report.push(Diagnostic::error(ik.span, "\"method\" must name at least one method"));
        }
    }
    if let Some(inverse) = &study.inverse {
        positive(inverse.tolerance.value, inverse.tolerance.span, &inverse.tolerance.path, report);
    }
}

fn task(task: &TaskTable, report: &mut Report) {
    if task.weight.value <= 0.0 {
        report.push(Diagnostic::error(task.weight.span, "a weight must be greater than 0"));
    }
    let (position, orientation, value) = match task.kind.value {
        TaskType::Frame => (true, true, false),
        TaskType::Position => (true, false, false),
        TaskType::Orientation => (false, true, false),
        TaskType::Coordinate => (false, false, true),
    };
    let keys = [
        ("position", position, task.position.as_ref().map(|p| p.span)),
        ("orientation", orientation, task.orientation.as_ref().map(|o| o.span)),
        ("value", value, task.value.as_ref().map(|v| v.span)),
    ];
    let word = task.kind.value.word();
    if task.hold {
        for (key, span) in keys.into_iter().filter_map(|(key, _, span)| Some((key, span?))) {
            let message = format!("a task with hold = true has no \"{key}\"");
            report.push(Diagnostic::error(span, message));
        }
        return;
    }
    for (key, needed, span) in keys {
        match span {
            None if needed => {
                let message = format!("a task of type \"{word}\" needs the key \"{key}\"");
                report.push(
                    Diagnostic::error(task.kind.span, message)
                        .help("or give hold = true to keep it where it is at the start"),
                );
            }
            Some(span) if !needed => {
                let message = format!("a task of type \"{word}\" has no \"{key}\"");
                report.push(Diagnostic::error(span, message));
            }
            _ => {}
        }
    }
    let vectors = [&task.position, &task.orientation].into_iter().flatten().flat_map(|v| &v.value.0);
    for formula in vectors.chain(&task.value) {
        only_time(formula, report);
    }
}

/// Complains about names other than the time.
fn only_time(formula: &Formula, report: &mut Report) {
    let help = "motions and targets of a study are expressions of the time t, with numbers and units";
    if let Some((name, range)) = formula.expression.variables().find(|(name, _)| *name != "t") {
        let message = format!("unknown name \"{name}\"");
        report.push(Diagnostic::error(formula.place(range), message).help(help));
    }
    if let Some((name, range)) = formula.expression.curves().next() {
        let near = gelenk_math::suggest::closest(name, gelenk_math::expression::functions());
        let message = format!("\"{name}\" is not a function");
        report.push(
            Diagnostic::error(formula.place(range), message)
                .meant(near)
                .maybe_help(near.is_none().then(|| help.to_owned())),
        );
    }
}
