//! From a checked model to parameters and a blueprint.
//!
//! | file | content |
//! |---|---|
//! | `lower` | the walk over the model |
//! | `joints` | joints as motions of the core |
//! | `frames` | frames and what stands between them |
//! | `contacts` | surfaces and contacts |
//! | `bodies` | mass properties, from numbers or from shapes |
//! | `drawing` | shapes for pictures |
//! | `meshes` | files of meshes, each read once |
//! | `inputs` | inputs that a study gives |
//! | `inertias` | inertias that no body has |
//! | `structure` | what sets the structure |
//! | `declare` | numbers as parameters with paths |
//! | `shape` | inertia of simple shapes |
//! | `logs` | tables over time and of curves |
//! | `motion` | motions and tasks of studies |
//! | `sweep` | points of a sweep |
//! | `settings` | values given from outside: `--set`, studies |

mod bodies;
pub(crate) mod contacts;
mod declare;
mod drawing;
mod frames;
mod inertias;
mod inputs;
mod joints;
mod logs;
mod lower;
mod meshes;
mod motion;
mod settings;
mod shape;
mod simple_contacts;
mod structure;
mod sweep;

pub use drawing::{Drawn, Form};
pub use logs::{LogColumns, LogRequest};
pub use motion::{GoalPlan, Known, MotionPlan, TaskPlan, motion_plan, task_plans};
pub use settings::{SetError, Variation};
pub use sweep::{Points, Swept};

use crate::check::Resolved;
use crate::load::{Failure, LoadedModel};
use crate::model_file::ModelFile;
use gelenk_file::report::Report;
use gelenk_file::source::Sources;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::{Blueprint, CoordinateKind};
use gelenk_multibody::{BuildError, Mechanism};
use gelenk_system::ParameterTable;
use std::collections::BTreeMap;

/// A model ready to be built: its numbers as paths, its structure as a blueprint.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Every number of the model.
    pub parameters: ParameterTable,
    /// Everything else.
    pub blueprint: Blueprint,
    /// Shapes of the bodies, for pictures.
    pub shapes: Vec<Drawn>,
    /// Shapes that are only seen; a body that has some is drawn by them alone.
    pub visuals: Vec<Drawn>,
    /// Whether y points up instead of z.
    pub y_up: bool,
    /// Warnings from compiling, such as meshes with vertices that all but meet.
    pub warnings: Report,
    /// What each parameter measures; `None` where the file leaves it open.
    dimensions: BTreeMap<String, Option<Dimension>>,
    /// Stiffnesses of `k x^e` by the paths of their exponents, whose units follow from them.
    powers: BTreeMap<String, Vec<Power>>,
    /// Paths of numbers that set the structure and are no parameters.
    structural: Vec<String>,
    /// Paths of what is in the file and sets the structure.
    settled: Vec<String>,
    /// Paths of numbers that follow from the shapes of a body.
    following: Vec<String>,
}

/// The stiffness of `k x^e`.
#[derive(Clone, Debug)]
struct Power {
    /// Its path.
    stiffness: String,
    /// What the displacement `x` is.
    kind: CoordinateKind,
}

/// Compiles a model. Every number becomes a parameter with its path; expressions become derived ones.
///
/// `read_log` reads columns of tables as they stand in the file; units are converted here.
///
/// # Errors
/// Logs and tables of curves that cannot be read or do not rise, meshes without a volume. A
/// model from [`load_model`](crate::load_model) gives no others.
pub fn compile(
    model: &LoadedModel,
    read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
) -> Result<Compiled, Failure> {
    let mut report = Report::new();
    let mut compiled = lower::lower(&model.file, &model.resolved, &model.sources, read_log, &mut report);
    if !report.has_errors() {
        compiled.settle_inertias(&model.file, &mut report);
    }
    let report = report.finished();
    if report.has_errors() {
        return Err(Failure { report, sources: model.sources.clone() });
    }
    compiled.warnings = report;
    Ok(compiled)
}

/// Reports inertias that no body has, where a model is right in all else.
pub(crate) fn check_inertias(model: &ModelFile, sources: &Sources, resolved: &Resolved, report: &mut Report) {
    let mut quiet = Report::new();
    let table = LogColumns { time: vec![0.0, 1.0], value: vec![0.0, 1.0] };
    let compiled = lower::lower(model, resolved, sources, &mut |_| Ok(table.clone()), &mut quiet);
    // What cannot be read is reported where it is read.
    if !quiet.has_errors() {
        compiled.report_inertias(model, report);
    }
}

impl Compiled {
    /// Builds the mechanism.
    ///
    /// # Errors
    /// What the blueprint cannot express; a checked model gives none.
    pub fn build(self) -> Result<Mechanism, BuildError> {
        self.blueprint.compile(self.parameters)
    }

    /// What the parameter at `path` measures, where the model says.
    pub fn dimension(&self, path: &str) -> Option<Dimension> {
        self.dimensions.get(path).copied().flatten()
    }
}
