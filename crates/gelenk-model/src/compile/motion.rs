//! Motions and tasks of studies, with the names of the model.

use crate::load::{Failure, Loaded};
use crate::motion_check::is_recording;
use crate::motion_study::{Derivatives, TaskTable, TaskType};
use crate::quantity::Formula;
use crate::study_file::StudyFile;
use gelenk_file::dimensions::{Dimensions, mismatch};
use gelenk_file::fields::Three;
use gelenk_file::read::{Spanned, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::expression::{CurveDimensions, Expression};
use gelenk_math::suggest::closest;
use gelenk_math::units::{Dimension, Unit};
use std::path::PathBuf;

/// Names that a study may use: those of position numbers with their units, of coordinates, and of frames and bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Position numbers in their order, with their SI units.
    pub positions: Vec<(String, String)>,
    /// Number of coordinates, which stand first.
    pub coordinates: usize,
    /// Frames and bodies.
    pub places: Vec<String>,
}

/// A motion with the places of its numbers.
#[derive(Clone, Debug)]
pub struct MotionPlan {
    /// The table or recording.
    pub file: Option<PathBuf>,
    /// Whether it is a recording.
    pub recording: bool,
    /// Column of the times of a table, and its unit.
    pub time: (String, Unit),
    /// Position number, column, and unit where it is not SI.
    pub columns: Vec<(usize, String, Option<Unit>)>,
    /// Position number and expression of `t`.
    pub values: Vec<(usize, Expression)>,
    /// Whether the model makes the motion itself.
    pub simulate: bool,
    /// Cut-off frequency (Hz).
    pub smooth: Option<f64>,
    /// Whether velocities and accelerations that the recording holds are used.
    pub recorded: bool,
}

impl MotionPlan {
    /// The motion of a recording as it is.
    pub fn recording(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            recording: true,
            time: (String::new(), Unit::ONE),
            columns: Vec::new(),
            values: Vec::new(),
            simulate: false,
            smooth: None,
            recorded: true,
        }
    }
}

/// The target of a task over time.
#[derive(Clone, Debug)]
// There are few of them, and they are read once.
#[allow(clippy::large_enum_variant)]
pub enum GoalPlan {
    /// Name of a place, and position (m) and orientation (Cardan angles, rad) as far as they are wanted.
    Place(String, Option<[Expression; 3]>, Option<[Expression; 3]>),
    /// Index of a coordinate and its value.
    Coordinate(usize, Expression),
    /// Index of a coordinate that keeps its start.
    HoldCoordinate(usize),
    /// Name of a place that keeps its position and its orientation, as far as each is wanted.
    Hold(String, bool, bool),
}

/// A task over the time.
#[derive(Clone, Debug)]
pub struct TaskPlan {
    /// Name.
    pub name: String,
    /// The target.
    pub goal: GoalPlan,
    /// Weight.
    pub weight: f64,
}

/// The time is all that motions may name.
struct OnlyTime;

impl Dimensions for OnlyTime {
    fn of_name(&self, name: &str) -> Option<Dimension> {
        (name == "t").then_some(Dimension::TIME)
    }

    fn of_curve(&self, _: &str) -> Option<CurveDimensions> {
        None
    }
}

/// The motion of a study; `None` where it has none.
///
/// # Errors
/// All unknown names and wrong units, each with its place in the study.
pub fn motion_plan(study: &Loaded<StudyFile>, known: &Known) -> Result<Option<MotionPlan>, Failure> {
    let Some(motion) = &study.file.motion else { return Ok(None) };
    let mut report = Report::new();
    let mut taken: Vec<(usize, gelenk_file::source::Span)> = Vec::new();
    let mut index = |name: &Text, report: &mut Report| {
        let found = position(name, known, report)?;
        if let Some((_, first)) = taken.iter().find(|(index, _)| *index == found) {
            report.push(
                Diagnostic::error(name.span, format!("\"{}\" is given twice", name.text))
                    .related(*first, "first here"),
            );
            return None;
        }
        taken.push((found, name.span));
        Some(found)
    };
    let mut columns = Vec::new();
    for column in &motion.columns {
        let Some(found) = index(&column.of, &mut report) else { continue };
        if let (Some(unit), Some(expected)) = (&column.unit, dimension(known, found)) {
            unit.expect(expected, &mut report);
        }
        let name = column.column.as_ref().unwrap_or(&column.of).text.clone();
        columns.push((found, name, column.unit.as_ref().map(|u| u.unit)));
    }
    let mut values = Vec::new();
    for (name, formula) in &motion.values.0 {
        let Some(found) = index(name, &mut report) else { continue };
        if let Some(expected) = dimension(known, found) {
            mismatch(formula, expected, &OnlyTime).into_iter().for_each(|found| report.push(found));
        }
        values.push((found, formula.expression.clone()));
    }
    finish(report, study)?;
    let file = motion.file.as_ref();
    Ok(Some(MotionPlan {
        file: file.map(|file| study.sources.resolve(file.span.file, file)),
        recording: file.is_some_and(|file| is_recording(file)),
        time: (motion.time.text.clone(), motion.time_unit.unit),
        columns,
        values,
        simulate: motion.simulate.value,
        smooth: motion.smooth.as_ref().map(|s| s.value),
        recorded: motion.derivatives == Derivatives::Recorded,
    }))
}

/// The tasks of a study.
///
/// # Errors
/// All unknown names and wrong units, each with its place in the study.
pub fn task_plans(study: &Loaded<StudyFile>, known: &Known) -> Result<Vec<TaskPlan>, Failure> {
    let mut report = Report::new();
    let mut names: Vec<(&str, gelenk_file::source::Span)> = Vec::new();
    let mut plans = Vec::new();
    for task in &study.file.tasks {
        let name = task.name.as_ref().unwrap_or(&task.of);
        if let Some((_, first)) = names.iter().find(|(known, _)| *known == name.text) {
            report.push(
                Diagnostic::error(name.span, format!("two tasks are called \"{}\"", name.text))
                    .related(*first, "first here")
                    .help("give one of them another \"name\""),
            );
        }
        names.push((&name.text, name.span));
        if let Some(goal) = goal(task, known, &mut report) {
            plans.push(TaskPlan { name: name.text.clone(), goal, weight: task.weight.value });
        }
    }
    finish(report, study)?;
    Ok(plans)
}

fn goal(task: &TaskTable, known: &Known, report: &mut Report) -> Option<GoalPlan> {
    if task.kind.value == TaskType::Coordinate {
        let index = position(&task.of, known, report)?;
        if index >= known.coordinates {
            let message = format!("\"{}\" is not a coordinate", task.of.text);
            report
                .push(Diagnostic::error(task.of.span, message).help("give its joint's body a task instead"));
            return None;
        }
        if task.hold {
            return Some(GoalPlan::HoldCoordinate(index));
        }
        let value = task.value.as_ref()?;
        if let Some(expected) = dimension(known, index) {
            mismatch(value, expected, &OnlyTime).into_iter().for_each(|found| report.push(found));
        }
        return Some(GoalPlan::Coordinate(index, value.expression.clone()));
    }
    if !known.places.contains(&task.of.text) {
        let near = closest(&task.of, known.places.iter().map(String::as_str));
        let message = format!("the model has no frame or body \"{}\"", task.of.text);
        report.push(Diagnostic::error(task.of.span, message).meant(near));
        return None;
    }
    if task.hold {
        let kind = task.kind.value;
        let (position, orientation) = (kind != TaskType::Orientation, kind != TaskType::Position);
        return Some(GoalPlan::Hold(task.of.text.clone(), position, orientation));
    }
    let mut vector = |given: &Option<Spanned<Three<Formula>>>, expected: Dimension| {
        let Three([x, y, z]) = &given.as_ref()?.value;
        for formula in [x, y, z] {
            mismatch(formula, expected, &OnlyTime).into_iter().for_each(|found| report.push(found));
        }
        Some([x, y, z].map(|formula| formula.expression.clone()))
    };
    let position = vector(&task.position, Dimension::LENGTH);
    let orientation = vector(&task.orientation, Dimension::ANGLE);
    Some(GoalPlan::Place(task.of.text.clone(), position, orientation))
}

/// Index of a position number by its name.
fn position(name: &Text, known: &Known, report: &mut Report) -> Option<usize> {
    let found = known.positions.iter().position(|(known, _)| *known == name.text);
    if found.is_none() {
        let near = closest(name, known.positions.iter().map(|(name, _)| name.as_str()));
        let message = format!("the model has no coordinate \"{}\"", name.text);
        report.push(Diagnostic::error(name.span, message).meant(near));
    }
    found
}

fn dimension(known: &Known, index: usize) -> Option<Dimension> {
    known.positions.get(index).and_then(|(_, unit)| Unit::parse(unit).ok()).map(|unit| unit.dimension)
}

fn finish(report: Report, study: &Loaded<StudyFile>) -> Result<(), Failure> {
    let report = report.finished();
    if report.has_errors() { Err(Failure { report, sources: study.sources.clone() }) } else { Ok(()) }
}
