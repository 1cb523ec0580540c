//! Inverse kinematics as a study.

use std::path::Path;

use gelenk_math::expression::{Expression, Program};
use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_model::motion_study::{IkBounds, IkMethod};
use gelenk_model::study_file::StudyKind;
use gelenk_model::{GoalPlan, TaskPlan, task_plans};
use gelenk_multibody::ik::{Goal, IkOptions, Method, Solution, Task};
use gelenk_multibody::places::Place;
use gelenk_record::{Column, Recording};
use gelenk_system::System;

use crate::interrupt::Interrupt;
use crate::motion::{MotionError, start};
use crate::motion_study::{MotionStudyError, known, study_of};
use crate::open::{Overrides, Prepared, prepare, study_model};
use crate::samples::grid;

/// A study of inverse kinematics that is ready to run.
#[derive(Clone, Debug)]
pub struct IkStudy {
    /// The model.
    pub prepared: Prepared,
    tasks: Vec<TaskOverTime>,
    methods: Vec<IkMethod>,
    options: IkOptions,
    /// The assembled start of the model.
    near: Vec<f64>,
    times: Vec<f64>,
    /// Ends the search early; the solutions so far are its answer.
    pub interrupt: Interrupt,
}

/// What one method found.
#[derive(Clone, Debug)]
pub struct IkOutcome {
    /// Its word in a study.
    pub method: &'static str,
    /// A solution for each time, as far as the search was not interrupted.
    pub solutions: Vec<Solution>,
}

impl IkOutcome {
    /// The first solution that does not meet its tasks, with its number.
    pub fn failure(&self) -> Option<(usize, &Solution)> {
        self.solutions.iter().enumerate().find(|(_, solution)| !solution.converged)
    }
}

#[derive(Clone, Debug)]
struct TaskOverTime {
    name: String,
    weight: f64,
    target: Target,
}

#[derive(Clone, Debug)]
// There are few of them.
#[allow(clippy::large_enum_variant)]
enum Target {
    Place(Place, Option<[Program; 3]>, Option<[Program; 3]>),
    Coordinate(usize, Program),
    /// The same at all times.
    Still(Goal),
}

impl TaskOverTime {
    fn at(&self, t: f64) -> Result<Task, MotionError> {
        let value = |program: &Program| {
            let mut scratch = vec![0.0; program.scratch_len()];
            let value = program.eval(&[t], &mut scratch);
            let refused =
                || MotionError::Data(format!("task {}: its target is not finite at t = {t} s", self.name));
            if value.is_finite() { Ok(value) } else { Err(refused()) }
        };
        let vector = |programs: &[Program; 3]| {
            let [x, y, z] = programs;
            Ok::<_, MotionError>([value(x)?, value(y)?, value(z)?])
        };
        let goal = match &self.target {
            Target::Still(goal) => *goal,
            Target::Coordinate(index, program) => Goal::Coordinate(*index, value(program)?),
            Target::Place(place, Some(position), Some(angles)) => {
                let pose = Pose::new(cardan(vector(angles)?), Vec3::from(vector(position)?));
                Goal::Frame(*place, pose)
            }
            Target::Place(place, None, Some(angles)) => Goal::Orientation(*place, cardan(vector(angles)?)),
            Target::Place(place, position, None) => {
                let point = position.as_ref().map_or(Ok([0.0; 3]), vector)?;
                Goal::Position(*place, Vec3::from(point))
            }
        };
        Ok(Task { name: self.name.clone(), goal, weight: self.weight })
    }
}

impl IkStudy {
    /// Opens a study of kind `inverse-kinematics`.
    ///
    /// # Errors
    /// Files and settings.
    pub fn open(path: &Path, overrides: &Overrides) -> Result<Self, MotionStudyError> {
        let study = study_of(path, StudyKind::InverseKinematics, "ik")?;
        let (model, compiled) = study_model(&study)?;
        let prepared = prepare(&model, Some(&study.file), compiled, overrides)?;
        let mechanism = &prepared.mechanism;
        let plans = task_plans(&study, &known(mechanism))?;
        let moving = plans.iter().any(|plan| expressions(plan).any(|e| e.depends_on("t")));
        let near = start(mechanism, &prepared.parameters.values())?[mechanism.layout().q()].to_vec();
        let tasks = plans.iter().map(|plan| over_time(&prepared, &near, plan)).collect::<Result<_, _>>()?;
        let table = study.file.ik.as_ref();
        let mut options = IkOptions::default();
        if let Some(table) = table {
            options.tolerance = table.tolerance.value;
            options.iterations = table.iterations.value as usize;
            options.damping = table.damping.value;
            options.step = table.step.as_ref().map(|s| s.value);
            if table.bounds == IkBounds::Stops {
                let mut data = mechanism.data();
                mechanism.bind(&mut data, &prepared.parameters.values());
                options.bounds = mechanism.stop_ranges(&data);
            }
        }
        let methods = table.map_or_else(|| vec![IkMethod::Minimize], |t| t.method.0.clone());
        // A path over time only where something moves, or where times are asked for.
        let times = if moving || study.file.until.is_some() {
            grid(0.0, prepared.options.until.seconds(), prepared.options.output.seconds())?
        } else {
            vec![0.0]
        };
        Ok(Self { prepared, tasks, methods, options, near, times, interrupt: Interrupt::default() })
    }

    /// Names of the tasks.
    pub fn task_names(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().map(|task| task.name.as_str())
    }

    /// Times (s); one where the targets do not move.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Largest residual of a task that counts as met.
    pub fn tolerance(&self) -> f64 {
        self.options.tolerance
    }

    /// Solves by every method, each time from the solution before.
    ///
    /// # Errors
    /// Loops that cannot be closed, numbers that are not finite.
    pub fn solve(&self) -> Result<Vec<IkOutcome>, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let p = self.prepared.parameters.values();
        let near = &self.near;
        let mut data = mechanism.data();
        mechanism.bind(&mut data, &p);
        let mut outcomes = Vec::new();
        for &method in &self.methods {
            let options = IkOptions { method: core_method(method), ..self.options.clone() };
            let mut from = near.clone();
            let mut solutions = Vec::new();
            for &t in self.times.iter().take_while(|_| !self.interrupt.asked()) {
                let tasks = self.tasks.iter().map(|task| task.at(t)).collect::<Result<Vec<_>, _>>()?;
                let solution = mechanism.solve_ik(&mut data, t, &tasks, &from, near, &options)?;
                from.clone_from(&solution.q);
                solutions.push(solution);
            }
            // A method that was not begun before an interrupt has nothing to show.
            if !solutions.is_empty() || !self.interrupt.asked() {
                outcomes.push(IkOutcome { method: method.word(), solutions });
            }
        }
        Ok(outcomes)
    }

    /// Positions, residuals and counts over time; with several methods each under its own name.
    ///
    /// # Errors
    /// Columns that share a name.
    pub fn record(&self, outcomes: &[IkOutcome]) -> Result<Recording, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let nq = mechanism.layout().nq;
        let mut columns = vec![Column::time()];
        for outcome in outcomes {
            let prefix = if outcomes.len() > 1 { format!("{}.", outcome.method) } else { String::new() };
            let mut add = |name: &str, unit: &str, meaning: &str| {
                columns.push(Column::new(format!("{prefix}{name}"), unit, meaning));
            };
            for channel in mechanism.channels().iter().take(nq) {
                add(&channel.name, &channel.unit, &channel.meaning);
            }
            for task in &self.tasks {
                add(&format!("tasks.{}", task.name), "1", "residual of the task, m or rad");
            }
            add("ik.residual", "1", "largest residual of all tasks, m or rad");
            add("ik.gap", "1", "largest gap of the loops");
            add("ik.iterations", "1", "steps taken");
            add("ik.distance", "1", "distance from the start, rad and m");
            add("ik.moved", "1", "number of velocity components that moved");
            add("ik.step_entries", "1", "most components that moved in one step");
            for channel in mechanism.pose_columns() {
                add(&channel.name, &channel.unit, &channel.meaning);
            }
        }
        let mut recording = Recording::new(columns)?;
        let mut data = mechanism.data();
        mechanism.bind(&mut data, &self.prepared.parameters.values());
        let at_rest = vec![0.0; mechanism.layout().nv];
        // An interrupt leaves fewer.
        let solved = outcomes.iter().map(|outcome| outcome.solutions.len()).min().unwrap_or(0);
        for (k, &t) in self.times.iter().enumerate().take(solved) {
            let mut row = vec![t];
            for solution in outcomes.iter().map(|outcome| &outcome.solutions[k]) {
                row.extend(&solution.q);
                row.extend(&solution.residuals);
                row.push(solution.worst().map_or(0.0, |(_, residual)| residual));
                row.push(solution.gap);
                row.push(solution.iterations as f64);
                row.push(solution.distance());
                row.push(moved(solution).count() as f64);
                row.push(solution.step_entries as f64);
                mechanism.set_state(&mut data, t, &solution.q, &at_rest)?;
                mechanism.body_poses(&data, |x| row.push(x));
            }
            recording.push(&row)?;
        }
        let mut meta = self.prepared.metadata();
        meta.remove("method");
        recording.meta_mut().append(&mut meta);
        Ok(recording)
    }
}

/// A picture of one posture for each method: how far every velocity component moved (rad, m), over its number. The
/// columns are the words of the methods.
///
/// # Errors
/// A method that was asked for twice.
pub fn chart(outcomes: &[IkOutcome]) -> Result<Recording, MotionStudyError> {
    let mut columns = vec![Column::time(), Column::new(COMPONENT, "1", "number of the velocity component")];
    columns.extend(outcomes.iter().map(|o| Column::new(o.method, "rad, m", "distance from the start")));
    let mut recording = Recording::new(columns)?;
    let last: Vec<&Solution> = outcomes.iter().filter_map(|o| o.solutions.last()).collect();
    for k in 0..last.first().map_or(0, |solution| solution.moved.len()) {
        let number = k as f64;
        let mut row = vec![number, number + 1.0];
        row.extend(last.iter().map(|solution| solution.moved[k]));
        recording.push(&row)?;
    }
    Ok(recording)
}

/// Column of a [`chart`] that numbers the components.
pub const COMPONENT: &str = "component";

/// Velocity components that moved from the start, with how far.
pub fn moved(solution: &Solution) -> impl Iterator<Item = (usize, f64)> {
    solution.moved.iter().copied().enumerate().filter(|(_, moved)| moved.abs() > 1e-9)
}

fn core_method(method: IkMethod) -> Method {
    match method {
        IkMethod::Minimize => Method::Minimize,
        IkMethod::NearStart | IkMethod::Solve1 => Method::NearStart,
        IkMethod::LeastStep | IkMethod::Solve2 => Method::LeastStep,
        IkMethod::FewJoints | IkMethod::Solve3 => Method::FewJoints,
    }
}

fn expressions(plan: &TaskPlan) -> impl Iterator<Item = &Expression> {
    let (vectors, value) = match &plan.goal {
        GoalPlan::Place(_, position, orientation) => ([position.as_ref(), orientation.as_ref()], None),
        GoalPlan::Coordinate(_, value) => ([None, None], Some(value)),
        GoalPlan::Hold(..) | GoalPlan::HoldCoordinate(_) => ([None, None], None),
    };
    vectors.into_iter().flatten().flatten().chain(value)
}

fn over_time(prepared: &Prepared, start: &[f64], plan: &TaskPlan) -> Result<TaskOverTime, MotionError> {
    let program = |expression: &Expression| {
        let program = expression.compile(&|name| (name == "t").then_some(0));
        program.map_err(|error| MotionError::Data(format!("task {}: {error}", plan.name)))
    };
    let vector = |expressions: &Option<[Expression; 3]>| match expressions {
        Some([x, y, z]) => Ok::<_, MotionError>(Some([program(x)?, program(y)?, program(z)?])),
        None => Ok(None),
    };
    let place = |name: &str| {
        let unknown = || MotionError::Data(format!("task {}: there is no frame {name:?}", plan.name));
        prepared.mechanism.place(name).ok_or_else(unknown)
    };
    let target = match &plan.goal {
        GoalPlan::HoldCoordinate(index) => Target::Still(Goal::Coordinate(*index, start[*index])),
        GoalPlan::Hold(name, position, orientation) => {
            let place = place(name)?;
            let mechanism = &prepared.mechanism;
            let mut data = mechanism.data();
            mechanism.bind(&mut data, &prepared.parameters.values());
            mechanism.set_state(&mut data, 0.0, start, &vec![0.0; mechanism.layout().nv])?;
            let pose = mechanism.pose_of(&data, &place);
            Target::Still(match (position, orientation) {
                (true, true) => Goal::Frame(place, pose),
                (true, false) => Goal::Position(place, pose.position),
                (false, _) => Goal::Orientation(place, pose.rotation),
            })
        }
        GoalPlan::Coordinate(index, value) => Target::Coordinate(*index, program(value)?),
        GoalPlan::Place(name, position, orientation) => {
            Target::Place(place(name)?, vector(position)?, vector(orientation)?)
        }
    };
    Ok(TaskOverTime { name: plan.name.clone(), weight: plan.weight, target })
}
