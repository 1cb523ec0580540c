//! What a model must fulfil beyond its grammar: names, units, topology, ranges.
//!
//! | file | content |
//! |---|---|
//! | `curves` | points of `[curves]`, and who calls them |
//! | `parameters` | order, values and dimensions of `[parameters]` |
//! | `coordinates` | which coordinates there are and what is set for them |
//! | `names` | names in expressions: reserved ones, clashes, dimensions |
//! | `references` | names that fields refer to |
//! | `tree` | bodies and joints |
//! | `joint_keys` | which keys a joint has by its type |
//! | `contacts` | materials, surfaces and contacts |
//! | `frames` | loops, forces and measures between frames |
//! | `bodies` | masses, inertias and shapes |
//! | `numbers` | dimensions and ranges of numbers |
//! | `start` | coordinates that move nothing, singular starts |
//! | `signals` | runtime expressions, algebraic loops |

mod bodies;
pub(crate) mod contacts;
pub(crate) mod coordinates;
pub(crate) mod curves;
mod frames;
mod joint_keys;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod parameters;
mod references;
pub(crate) mod signals;
pub(crate) mod simple_contacts;
mod start;
mod tree;

use crate::joints::JointType;
use crate::model_file::ModelFile;
use coordinates::Coordinates;
use curves::Curves;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Sources;
use names::Names;
use parameters::Parameters;

/// Checks a model that could be read.
pub(crate) fn check_model(model: &ModelFile, sources: &Sources, report: &mut Report) -> Resolved {
    check(model, sources, true, report)
}

/// Checks a model that is a part of another one, which may add what it needs to move.
pub(crate) fn check_part(model: &ModelFile, sources: &Sources, report: &mut Report) {
    check(model, sources, false, report);
}

/// What names and numbers of a model stand for: found once, used by the check and by the lowering.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Parameters and curves.
    pub(crate) parameters: Parameters,
    pub(crate) coordinates: Coordinates,
    /// What expressions can name.
    pub(crate) names: Names,
}

impl Resolved {
    /// Collects them and reports what is wrong; signals have no dimensions yet.
    fn collect(model: &ModelFile, sources: &Sources, report: &mut Report) -> Self {
        let curves = Curves::collect(model, sources, report);
        let parameters = Parameters::collect(model, curves, report);
        let coordinates = Coordinates::collect(model, report);
        let names = Names::collect(model, &coordinates, &parameters, report);
        Self { parameters, coordinates, names }
    }
}

fn check(model: &ModelFile, sources: &Sources, whole: bool, report: &mut Report) -> Resolved {
    let Resolved { mut parameters, coordinates, names } = Resolved::collect(model, sources, report);
    references::check(model, &coordinates, report);
    tree::check(model, report);
    let doubtful = numbers::check(model, &coordinates, &mut parameters, report);
    let names = signals::check(model, sources, &coordinates, names, &mut parameters, report);
    if whole {
        start::check(model, &coordinates, &parameters, report);
        let turns = |kind: JointType| matches!(kind, JointType::Free | JointType::Ball);
        // Where forces move nothing, contacts of the same surfaces are compared with each other.
        if !coordinates.list.is_empty() || model.joints.iter().any(|(_, joint)| turns(joint.kind.value)) {
            contacts::check_doubles(model, report);
        }
    }
    if let Some(simulate) = &model.simulate {
        crate::study_file::check_simulate(simulate, report);
    }
    let resolved = Resolved { parameters, coordinates, names };
    if whole && doubtful && !report.has_errors() {
        crate::compile::check_inertias(model, sources, &resolved, report);
    }
    let parameters = &resolved.parameters;
    // What could not be read may be what uses a parameter.
    let complete = !report.has_errors();
    for name in parameters.unused().filter(|_| complete) {
        report.push(Diagnostic::warning(name.span, format!("parameter \"{}\" is not used", name.text)));
    }
    for name in parameters.curves.unused().filter(|_| complete) {
        report.push(Diagnostic::warning(name.span, format!("curve \"{}\" is not used", name.text)));
    }
    resolved
}
