//! Names in expressions: reserved ones, clashes, dimensions.

use super::coordinates::Coordinates;
use super::parameters::Parameters;
use crate::joints::JointType;
use crate::measures::MeasureType;
use crate::model_file::ModelFile;
use crate::quantity::{OnCoordinate, measure_of};
use crate::sorts;
use gelenk_file::dimensions::Dimensions;
use gelenk_file::read::{Read, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::role::{Role, Sort};
use gelenk_file::source::Span;
use gelenk_file::visit::Visitor;
use gelenk_math::expression::{self, CurveDimensions};
use gelenk_math::suggest::closest;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::CoordinateKind;
use std::collections::BTreeMap;

/// What runtime expressions can name, with dimensions where they are known.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    known: BTreeMap<String, Option<Dimension>>,
    curves: BTreeMap<String, CurveDimensions>,
    /// Whether names may be missing here because their tables could not be read.
    pub(crate) incomplete: bool,
}

/// Suffixes of the quantities of a free joint.
const FREE: [(&str, Dimension); 13] = [
    ("x", Dimension::LENGTH),
    ("y", Dimension::LENGTH),
    ("z", Dimension::LENGTH),
    ("qw", Dimension::NONE),
    ("qx", Dimension::NONE),
    ("qy", Dimension::NONE),
    ("qz", Dimension::NONE),
    ("wx", Dimension::ANGULAR_VELOCITY),
    ("wy", Dimension::ANGULAR_VELOCITY),
    ("wz", Dimension::ANGULAR_VELOCITY),
    ("vx", Dimension::VELOCITY),
    ("vy", Dimension::VELOCITY),
    ("vz", Dimension::VELOCITY),
];

/// Those of a ball joint among them.
const TURNING: std::ops::Range<usize> = 3..10;

impl Names {
    /// Collects all names and complains about reserved ones and clashes.
    pub(crate) fn collect(
        model: &ModelFile,
        coordinates: &Coordinates,
        parameters: &Parameters,
        report: &mut Report,
    ) -> Self {
        let mut known: BTreeMap<String, Option<Dimension>> = BTreeMap::new();
        known.insert("t".to_owned(), Some(Dimension::TIME));
        for parameter in &parameters.list {
            known.insert(parameter.name.text.clone(), parameter.dimension);
            known.insert(format!("parameters.{}", parameter.name.text), parameter.dimension);
        }
        for coordinate in &coordinates.list {
            let (position, rate) = match coordinate.kind {
                Some(CoordinateKind::Angle) => (Some(Dimension::ANGLE), Some(Dimension::ANGULAR_VELOCITY)),
                Some(CoordinateKind::Length) => (Some(Dimension::LENGTH), Some(Dimension::VELOCITY)),
                None => (None, None),
            };
            known.insert(coordinate.name.text.clone(), position);
            known.insert(format!("{}.rate", coordinate.name.text), rate);
        }
        for (name, joint) in model.joints.iter() {
            let parts = match joint.kind.value {
                JointType::Free => &FREE[..],
                JointType::Ball if joint.coordinates.is_none() => &FREE[TURNING],
                _ => &[],
            };
            for (suffix, dimension) in parts {
                known.insert(format!("{}.{suffix}", name.text), Some(*dimension));
            }
        }
        for (name, measure) in model.measures.iter() {
            let (value, rate) = match measure.kind {
                MeasureType::Angle => (Dimension::ANGLE, Dimension::ANGULAR_VELOCITY),
                _ => (Dimension::LENGTH, Dimension::VELOCITY),
            };
            known.insert(name.text.clone(), Some(value));
            known.insert(format!("{}.rate", name.text), Some(rate));
        }
        for name in signal_names(model) {
            known.insert(name.text.clone(), None);
        }
        let blocks = (model.sensors.iter().map(|(name, sensor)| (name, sensor.block)))
            .chain(model.controllers.iter().map(|(name, controller)| (name, controller.block)));
        for (name, block) in blocks {
            for output in &block.spec().outputs[1..] {
                known.insert(format!("{}.{}", name.text, output.name), None);
            }
        }
        for name in model.switches.names() {
            // A name that means two things is told of there; what it was first keeps its dimension.
            known.entry(name.text.clone()).or_insert(Some(Dimension::NONE));
        }
        for (name, drive) in model.elements.drives() {
            let kind = coordinates.kind_at(&drive.place);
            let dimension = match kind {
                Some(CoordinateKind::Angle) => Some(Dimension::TORQUE),
                Some(CoordinateKind::Length) => Some(Dimension::FORCE),
                None => None,
            };
            known.insert(name.text.clone(), dimension);
            known.insert(format!("{}.effort", name.text), dimension);
            let alias = if kind == Some(CoordinateKind::Length) { "force" } else { "torque" };
            known.insert(format!("{}.{alias}", name.text), dimension);
        }
        for (name, element) in model.elements.named() {
            let kind = coordinates.kind_at(&element.place);
            for output in element.kind.spec().outputs {
                let dimension = kind.and_then(|kind| measure_of(output.kind).on(kind));
                known.insert(format!("{}.{}", name.text, output.name), dimension);
            }
        }
        check_definitions(model, coordinates, report);
        let incomplete = coordinates.incomplete
            || !model.parameters.broken.is_empty()
            || !model.signals.broken.is_empty()
            || !model.measures.broken.is_empty()
            || !model.switches.broken.is_empty()
            || !model.sensors.broken.is_empty()
            || !model.controllers.broken.is_empty()
            || model.elements.incomplete();
        let curves = model
            .curves
            .iter()
            .filter_map(|(name, _)| Some((name.text.clone(), parameters.curves.dimensions(name)?)))
            .collect();
        Self { known, curves, incomplete }
    }

    /// Whether an expression can use this name.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// The dimension of a name, where known.
    pub(crate) fn dimension(&self, name: &str) -> Option<Dimension> {
        self.known.get(name).copied().flatten()
    }

    /// Tells the dimension of a name that was open.
    pub(crate) fn set(&mut self, name: &str, dimension: Option<Dimension>) {
        if let Some(entry) = self.known.get_mut(name) {
            *entry = dimension;
        }
    }

    /// The name that was probably meant.
    pub(crate) fn closest(&self, name: &str) -> Option<&str> {
        closest(name, self.known.keys().map(String::as_str))
    }
}

impl Dimensions for Names {
    fn of_name(&self, name: &str) -> Option<Dimension> {
        self.dimension(name)
    }

    fn of_curve(&self, name: &str) -> Option<CurveDimensions> {
        self.curves.get(name).copied()
    }
}

/// Names of signals, sensors and controllers, whose dimensions follow from their expressions.
fn signal_names(model: &ModelFile) -> impl Iterator<Item = &Text> {
    model.signals.names().chain(model.sensors.names()).chain(model.controllers.names())
}

/// Names that expressions use must be usable there and mean one thing.
fn check_definitions(model: &ModelFile, coordinates: &Coordinates, report: &mut Report) {
    let mut names = Vec::new();
    // Who walks may change what he sees; this one does not.
    model.clone().walk(Role::Plain, &mut Definitions(&mut names));
    let (parameters, others): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|(sort, _)| *sort == sorts::PARAMETER);
    // Joints give coordinates their own names where they say nothing else, and tables may go on about them.
    let coordinates = coordinates.list.iter().map(|c| (sorts::COORDINATE, c.name.clone()));
    let others = others.into_iter().filter(|(sort, _)| *sort != sorts::COORDINATE);
    let definitions: Vec<(Sort, Text)> = parameters.into_iter().chain(coordinates).chain(others).collect();
    let mut first: BTreeMap<&str, (&'static str, Span)> = BTreeMap::new();
    for (what, name) in definitions.iter().map(|(sort, name)| (sort.noun, name)) {
        check_usable(what, name, report);
        match first.get(name.text.as_str()) {
            None => {
                first.insert(&name.text, (what, name.span));
            }
            Some((other, span)) => report.push(
                Diagnostic::error(name.span, format!("\"{}\" names both a {other} and a {what}", name.text))
                    .related(*span, format!("the {other}"))
                    .help("expressions and recordings could not tell them apart; rename one"),
            ),
        }
    }
}

/// Collects names that expressions use.
struct Definitions<'a>(&'a mut Vec<(Sort, Text)>);

impl Visitor for Definitions<'_> {
    fn name(&mut self, sort: Sort, name: &mut Text) {
        if sort.in_expressions {
            self.0.push((sort, name.clone()));
        }
    }
}

pub(super) fn check_usable(what: &str, name: &Text, report: &mut Report) {
    if expression::reserved().chain(["parameters"]).any(|word| word == name.text) {
        report.push(
            Diagnostic::error(name.span, format!("\"{}\" cannot name a {what}", name.text))
                .label("this word is reserved in expressions"),
        );
    } else if !expression::is_identifier(name) {
        let better: String =
            name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let diagnostic = Diagnostic::error(name.span, format!("\"{}\" cannot name a {what}", name.text))
            .label("expressions would read this as an operation");
        report.push(match what {
            "coordinate" => diagnostic.help(format!("choose another name, as in coordinate = \"{better}\"")),
            _ => diagnostic.help(format!("choose another name, as in \"{better}\"")),
        });
    }
}
