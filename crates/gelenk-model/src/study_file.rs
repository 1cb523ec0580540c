//! The tables of `study.toml`, schema 1.

use crate::friction::FrictionLaw;
use crate::model_file::{EnergyTable, Formulation, LoopClosing, Signal, Simulate};
use crate::motion_study::{IkTable, InverseTable, MotionTable, TaskTable};
use crate::quantity::{Anything, Fixed, Quantity, Ratio, Time};
use crate::rig::Rig;
use crate::solver::Solver;
use crate::sweep_study::{Over, Pick, SweepTable};
use gelenk_file::fields::{UnitText, Version};
use gelenk_file::read::{ByPath, Named, Spanned, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::{choice, table};

choice! {
    /// What a study does.
    pub enum StudyKind {
        /// Runs the model.
        Simulate = "simulate",
        /// Varies parameters until outputs match a log.
        Fit = "fit",
        /// Poses, velocities, accelerations and sums along a motion.
        Kinematics = "kinematics",
        /// Drives, joint wrenches and loop reactions along a motion.
        InverseDynamics = "inverse-dynamics",
        /// Positions that bring frames and coordinates to targets.
        InverseKinematics = "inverse-kinematics",
        /// An experiment on friction laws, side by side.
        Rig = "rig",
        /// Runs a model or another study for many values of parameters.
        Sweep = "sweep",
    }
}

table! {
    /// What to do with a model.
    pub struct StudyFile {
        /// Version of the file format.
        schema: vital Version,
        /// What the study does.
        kind: vital Spanned<StudyKind>,
        /// Title of the study.
        title: optional Text,
        /// Files whose tables are merged into this one; paths are relative to this file.
        include: optional Vec<Text>,
        /// The model file; its path is relative to this file. A rig has none.
        model: optional Text,
        /// End of the run; overrides the model.
        until: optional Fixed<Time>,
        /// Sampling period of the recording; overrides the model.
        output: optional Fixed<Time>,
        /// Method and its settings; overrides the model.
        solver: optional Solver,
        /// Coordinates in which the equations of motion are formed; overrides the model.
        formulation: optional Spanned<Formulation>,
        /// How much energy the integration may gain or lose; overrides the model.
        energy: optional EnergyTable,
        /// Values of parameters, by their paths.
        set: default ByPath<Quantity<Anything>> = "{}",
        /// Of a simulation or a fit: what the inputs of the model do over time.
        inputs: default Named<Signal> = "{}",
        /// Of a fit: the log.
        data: optional Data,
        /// Of a fit: several logs, each with inputs and settings of its own.
        experiments: default Vec<Experiment> = "[]",
        /// Of a fit: which outputs are compared with which columns.
        compare: default Vec<Compare> = "[]",
        /// Of a fit: which parameters are varied.
        vary: default Vec<Vary> = "[]",
        /// Of a fit: what differences cost; by default their squares.
        loss: optional LossTable,
        /// Of kinematics and inverse dynamics: the motion.
        motion: optional MotionTable,
        /// Of kinematics: frames and bodies whose motion is recorded; by default all bodies.
        record: optional Spanned<Vec<Text>>,
        /// Of kinematics: whether the matrices of the equations of motion are recorded, too, as `gelenk matrices` shows them.
        matrices: optional Spanned<bool>,
        /// Of inverse dynamics: what is driven, and how wrenches are reported.
        inverse: optional InverseTable,
        /// Of inverse kinematics: the tasks.
        tasks: default Vec<TaskTable> = "[]",
        /// Of inverse kinematics: method and its settings.
        ik: optional IkTable,
        /// Of a sweep: the study that runs at every point, instead of a simulation of the model; its path is relative to this
        /// file.
        study: optional Text,
        /// Of a sweep: how its points are drawn; by default all combinations.
        sweep: optional SweepTable,
        /// Of a sweep: which parameters are varied.
        over: default Vec<Over> = "[]",
        /// Of a sweep: what is kept of every run.
        pick: default Vec<Pick> = "[]",
        /// Of a rig: the experiment.
        rig: optional Rig,
        /// Of a rig: the laws.
        laws: default Named<FrictionLaw> = "{}",
        /// Of a rig: signals that its force or velocity uses.
        signals: default Named<Signal> = "{}",
    }
}

table! {
    /// A measured table.
    pub struct Data {
        /// The CSV file; its path is relative to the file that names it.
        file: required Text,
        /// Column of the times.
        time: required Text,
        /// Unit of the times.
        time_unit: default UnitText = "\"s\"",
    }
}

table! {
    /// One of several logs of a fit.
    pub struct Experiment {
        /// Title; by default the name of the file.
        title: optional Text,
        /// The log.
        data: required Data,
        /// What the inputs of the model do over time in it.
        inputs: default Named<Signal> = "{}",
        /// Values of parameters in it, by their paths.
        set: default ByPath<Quantity<Anything>> = "{}",
    }
}

table! {
    /// An output of the model and the column that it should match.
    pub struct Compare {
        /// Output, coordinate or signal of the model.
        output: required Text,
        /// Column of the log.
        column: required Text,
        /// Unit of the column.
        unit: required UnitText,
        /// Weight of the difference, in SI.
        weight: default Fixed<Ratio> = "1",
    }
}

choice! {
    /// What a difference costs.
    pub enum LossKind {
        /// Its square up to the size of an outlier, its magnitude beyond.
        Huber = "huber",
        /// The logarithm of its square: outliers hardly count.
        Cauchy = "cauchy",
    }
}

table! {
    /// A loss that limits the effect of outliers.
    pub struct LossTable {
        /// Which one.
        kind: required LossKind,
        /// Weighted difference (SI) from which on a row counts as an outlier.
        outlier: required Fixed<Ratio>,
    }
}

choice! {
    /// How the range of a parameter is searched.
    pub enum Scale {
        /// Evenly.
        Linear = "linear",
        /// Evenly in the logarithm.
        Log = "log",
    }
}

table! {
    /// A parameter that is varied.
    pub struct Vary {
        /// Its path in the model.
        path: required Text,
        /// Smallest value.
        lower: required Quantity<Anything>,
        /// Largest value.
        upper: required Quantity<Anything>,
        /// How its range is searched.
        scale: default Scale = "\"linear\"",
    }
}

/// Checks what a study needs by its kind.
pub(crate) fn check(study: &StudyFile, report: &mut Report) {
    check_run(study.until.as_ref(), study.output.as_ref(), study.solver.as_ref(), report);
    check_energy(study.energy.as_ref(), report);
    let Some(kind) = study.kind else { return };
    check_keys(study, kind, report);
    if let Some(motion) = &study.motion {
        crate::motion_check::motion(motion, report);
    }
    crate::motion_check::settings(study, report);
    crate::rig_check::check(study, report);
    crate::sweep_study::check(study, report);
    let logs = study.data.iter().chain(study.experiments.iter().map(|experiment| &experiment.data));
    for data in logs {
        data.time_unit.expect(gelenk_math::units::Dimension::TIME, report);
    }
    if let (Some(data), Some(experiment)) = (&study.data, study.experiments.first()) {
        let message = "\"data\" and \"experiments\" cannot be given together";
        let help = "make \"data\" one of the experiments: [[experiments]] with data = { ... }";
        report.push(
            Diagnostic::error(data.span, message).related(experiment.span, "the first experiment").help(help),
        );
    }
    if let Some(outlier) = study.loss.as_ref().map(|loss| &loss.outlier) {
        positive(outlier.value, outlier.span, &outlier.path, report);
    }
    for compare in &study.compare {
        if compare.weight.value < 0.0 {
            report.push(Diagnostic::error(compare.weight.span, "a weight must be at least 0"));
        }
    }
    for formula in study
        .set
        .0
        .iter()
        .chain(study.experiments.iter().flat_map(|experiment| &experiment.set.0))
        .map(|(_, value)| &value.formula)
        .chain(study.vary.iter().flat_map(|vary| [&vary.lower.formula, &vary.upper.formula]))
    {
        if let Some((name, range)) = formula.expression.variables().next() {
            report.push(
                Diagnostic::error(formula.place(range), format!("unknown name \"{name}\""))
                    .help("a study gives numbers with units, without parameters"),
            );
        }
    }
}

/// What a study is called in messages.
fn called(kind: StudyKind) -> &'static str {
    match kind {
        StudyKind::Simulate => "a simulation",
        StudyKind::Fit => "a fit",
        StudyKind::Kinematics => "a study of kinematics",
        StudyKind::InverseDynamics => "a study of inverse dynamics",
        StudyKind::InverseKinematics => "a study of inverse kinematics",
        StudyKind::Rig => "a rig",
        StudyKind::Sweep => "a sweep",
    }
}

/// Keys that a study needs by its kind, and those that belong to another kind.
fn check_keys(study: &StudyFile, kind: Spanned<StudyKind>, report: &mut Report) {
    use StudyKind::{Fit, InverseDynamics, InverseKinematics, Kinematics, Rig, Simulate, Sweep};
    const OF_MODELS: &[StudyKind] = &[Simulate, Fit, Kinematics, InverseDynamics, InverseKinematics];
    // A sweep may have another study instead.
    const MAY_HAVE_MODELS: &[StudyKind] =
        &[Simulate, Fit, Kinematics, InverseDynamics, InverseKinematics, Sweep];
    let experiments = !study.experiments.is_empty();
    // Key, its place, kinds that know it, kinds that need it.
    type Key<'a> = (&'a str, Option<gelenk_file::source::Span>, &'a [StudyKind], &'a [StudyKind]);
    let keys: [Key<'_>; 20] = [
        ("model", study.model.as_ref().map(|m| m.span), MAY_HAVE_MODELS, OF_MODELS),
        ("study", study.study.as_ref().map(|s| s.span), &[Sweep], &[]),
        ("sweep", study.sweep.as_ref().map(|s| s.span), &[Sweep], &[]),
        ("over", study.over.first().map(|o| o.span), &[Sweep], &[Sweep]),
        ("pick", study.pick.first().map(|p| p.span), &[Sweep], &[Sweep]),
        ("rig", study.rig.as_ref().map(|r| r.span()), &[Rig], &[Rig]),
        ("laws", study.laws.names().next().map(|n| n.span), &[Rig], &[Rig]),
        ("signals", study.signals.names().next().map(|n| n.span), &[Rig], &[]),
        ("inputs", study.inputs.names().next().map(|n| n.span), &[Simulate, Fit, Sweep], &[]),
        ("data", study.data.as_ref().map(|d| d.span), &[Fit], if experiments { &[] } else { &[Fit] }),
        ("experiments", study.experiments.first().map(|e| e.span), &[Fit], &[]),
        ("compare", study.compare.first().map(|c| c.span), &[Fit], &[Fit]),
        ("loss", study.loss.as_ref().map(|l| l.span), &[Fit], &[]),
        ("vary", study.vary.first().map(|v| v.span), &[Fit], &[Fit]),
        (
            "motion",
            study.motion.as_ref().map(|m| m.span),
            &[Kinematics, InverseDynamics],
            &[Kinematics, InverseDynamics],
        ),
        ("record", study.record.as_ref().map(|r| r.span), &[Kinematics], &[]),
        ("matrices", study.matrices.as_ref().map(|m| m.span), &[Kinematics], &[]),
        ("inverse", study.inverse.as_ref().map(|i| i.span), &[InverseDynamics], &[]),
        ("tasks", study.tasks.first().map(|t| t.span), &[InverseKinematics], &[InverseKinematics]),
        ("ik", study.ik.as_ref().map(|i| i.span), &[InverseKinematics], &[]),
    ];
    for (key, span, known, needed) in keys {
        match span {
            None if needed.contains(&kind.value) => report.push(
                Diagnostic::error(kind.span, format!("{} needs the key \"{key}\"", called(kind.value)))
                    .label(format!("this is {}", called(kind.value))),
            ),
            Some(span) if !known.contains(&kind.value) => {
                let whose: Vec<&str> = known.iter().map(|&kind| called(kind)).collect();
                report.push(
                    Diagnostic::error(span, format!("\"{key}\" is for {}", whose.join(" or ")))
                        .related(kind.span, format!("this is {}", called(kind.value))),
                );
            }
            _ => {}
        }
    }
}

/// Checks the settings of a run.
pub(crate) fn check_simulate(simulate: &Simulate, report: &mut Report) {
    check_run(simulate.until.as_ref(), simulate.output.as_ref(), simulate.solver.as_ref(), report);
    check_energy(simulate.energy.as_ref(), report);
}

/// Limits of the energy balance are shares, and the warning comes first.
fn check_energy(energy: Option<&EnergyTable>, report: &mut Report) {
    let Some(energy) = energy else { return };
    for limit in [&energy.warn, &energy.fail] {
        positive(limit.value, limit.span, &limit.path, report);
    }
    if energy.warn.value > energy.fail.value {
        report.push(Diagnostic::error(energy.warn.span, "\"warn\" must not be above \"fail\""));
    }
}

fn check_run(
    until: Option<&Fixed<Time>>,
    output: Option<&Fixed<Time>>,
    solver: Option<&Solver>,
    report: &mut Report,
) {
    let times =
        [until, output, solver.and_then(|s| s.step.as_ref()), solver.and_then(|s| s.max_step.as_ref())];
    for time in times.into_iter().flatten() {
        positive(time.value, time.span, &time.path, report);
    }
    let tolerances = [solver.and_then(|s| s.rtol.as_ref()), solver.and_then(|s| s.atol.as_ref())];
    for tolerance in tolerances.into_iter().flatten() {
        positive(tolerance.value, tolerance.span, &tolerance.path, report);
    }
    let Some(solver) = solver else { return };
    check_closing(solver, report);
    let method = solver.method.value;
    let (tolerances, step) = (method.takes_tolerances(), method.takes_step());
    // A pair with a fixed step has no error control; only "auto" may come to use either.
    let fixed = solver.step.is_some() && step && method != crate::model_file::Method::Auto;
    let adaptive = tolerances && !fixed;
    let refused = [
        ("step", !step, solver.step.as_ref().map(|s| s.span)),
        ("rtol", !adaptive, solver.rtol.as_ref().map(|s| s.span)),
        ("atol", !adaptive, solver.atol.as_ref().map(|s| s.span)),
        ("max_step", !adaptive, solver.max_step.as_ref().map(|s| s.span)),
    ];
    let method = method.word();
    for (key, span) in
        refused.iter().filter(|(_, wrong, _)| *wrong).filter_map(|(key, _, span)| Some((key, (*span)?)))
    {
        let help = match (tolerances, step) {
            (true, true) => "it accepts either \"step\", or \"rtol\", \"atol\" and \"max_step\"",
            (true, false) => "it accepts \"rtol\", \"atol\" and \"max_step\"",
            _ => "it accepts \"step\"",
        };
        let with = if fixed && tolerances { " with a \"step\"" } else { "" };
        let message = format!("the method \"{method}\"{with} has no \"{key}\"");
        report.push(Diagnostic::error(span, message).help(help));
    }
    if !tolerances && solver.step.is_none() {
        report.push(
            Diagnostic::error(solver.span, format!("the method \"{method}\" needs the key \"step\""))
                .help(format!("give a time, such as solver = {{ method = \"{method}\", step = \"1 ms\" }}")),
        );
    }
}

/// Checks that the settings of Baumgarte's method stand with it.
fn check_closing(solver: &Solver, report: &mut Report) {
    let loops = solver.loops.map(|loops| loops.value);
    for (key, given) in [("alpha", &solver.alpha), ("beta", &solver.beta)] {
        let Some(given) = given else { continue };
        positive(given.value, given.span, &given.path, report);
        if loops != Some(LoopClosing::Baumgarte) {
            report.push(
                Diagnostic::error(given.span, format!("\"{key}\" is a setting of loops = \"baumgarte\""))
                    .help("add loops = \"baumgarte\", or omit it"),
            );
        }
    }
    use crate::model_file::Method;
    let stepped = matches!(solver.method.value, Method::Stepped | Method::Stepped2 | Method::RealTime);
    if let Some(given) = solver.loops
        && stepped
        && matches!(given.value, LoopClosing::Baumgarte | LoopClosing::Partition)
    {
        report.push(
            Diagnostic::error(given.span, format!("loops = \"{}\" is for continuous methods", given.value.word()))
                .help("the stepped method solves the loops in every step; it accepts \"project\", \"none\" or \"open\""),
        );
    }
}

pub(crate) fn positive(value: f64, span: gelenk_file::source::Span, path: &str, report: &mut Report) {
    if value <= 0.0 {
        let key = path.rsplit('.').next().unwrap_or(path);
        report.push(Diagnostic::error(span, format!("\"{key}\" must be greater than 0")));
    }
}
