//! Which coordinates there are, and what is set for them where.

use crate::friction::FrictionLaw;
use crate::model_file::{CoordinateWord, JointCoordinate, JointType, ModelFile, Spring, Stop};
use crate::quantity::Number;
use crate::read::Text;
use crate::report::{Diagnostic, Report};
use crate::source::Span;
use gelenk_multibody::blueprint::CoordinateKind;

/// A setting with the path where it stands and its place.
pub(crate) struct Setting<'a, T> {
    pub(crate) value: &'a T,
    pub(crate) path: String,
    span: Span,
}

/// A coordinate and everything that is set for it.
pub(crate) struct Coordinate<'a> {
    pub(crate) name: &'a Text,
    pub(crate) kind: Option<CoordinateKind>,
    kind_span: Option<Span>,
    pub(crate) start: Option<Setting<'a, Number>>,
    pub(crate) rate: Option<Setting<'a, Number>>,
    pub(crate) spring: Option<Setting<'a, Spring>>,
    pub(crate) stop: Option<Setting<'a, Stop>>,
    pub(crate) friction: Option<Setting<'a, FrictionLaw>>,
}

/// All coordinates: those of joints in the order of the file, then those of `[coordinates]`.
pub(crate) struct Coordinates<'a> {
    pub(crate) list: Vec<Coordinate<'a>>,
    /// For every joint the coordinate that moves it.
    pub(crate) of_joint: Vec<Option<usize>>,
    /// Whether joints or coordinates could not be read, so that some may be missing here.
    pub(crate) incomplete: bool,
}

/// The kind of coordinate that a joint needs.
pub(crate) fn kind_of(joint: JointType) -> Option<CoordinateKind> {
    match joint {
        JointType::Revolute => Some(CoordinateKind::Angle),
        JointType::Prismatic => Some(CoordinateKind::Length),
        JointType::Fixed | JointType::Free => None,
    }
}

impl<'a> Coordinates<'a> {
    pub(crate) fn collect(model: &'a ModelFile, report: &mut Report) -> Self {
        let incomplete = !model.joints.broken.is_empty() || !model.coordinates.broken.is_empty();
        let mut all = Self { list: Vec::new(), of_joint: Vec::new(), incomplete };
        for (joint_name, joint) in model.joints.iter() {
            let Some(kind) = kind_of(joint.kind.value).filter(|_| joint.value.is_none()) else {
                all.of_joint.push(None);
                continue;
            };
            let name = match &joint.coordinate {
                Some(JointCoordinate::Name(name)) => name,
                Some(JointCoordinate::Table(table)) => table.name.as_ref().unwrap_or(joint_name),
                None => joint_name,
            };
            let index = all.add(name);
            all.of_joint.push(Some(index));
            let coordinate = &mut all.list[index];
            coordinate.set_kind(kind, joint.kind.span, report);
            let path = format!("joints.{}", joint_name.text);
            if let Some(JointCoordinate::Table(table)) = &joint.coordinate {
                let path = format!("{path}.coordinate");
                coordinate.set_start(table.start.as_deref(), table.rate.as_deref(), report);
                coordinate.set_elements(
                    &path,
                    table.spring.as_ref(),
                    table.stop.as_ref(),
                    table.friction.as_ref(),
                    report,
                );
            }
            coordinate.set_elements(
                &path,
                joint.spring.as_ref(),
                joint.stop.as_ref(),
                joint.friction.as_ref(),
                report,
            );
        }
        for (name, settings) in model.coordinates.iter() {
            let index = all.add(name);
            let coordinate = &mut all.list[index];
            if let Some(kind) = settings.kind {
                let word = match kind.value {
                    CoordinateWord::Angle => CoordinateKind::Angle,
                    CoordinateWord::Length => CoordinateKind::Length,
                };
                coordinate.set_kind(word, kind.span, report);
            }
            let path = format!("coordinates.{}", name.text);
            coordinate.set_start(settings.start.as_deref(), settings.rate.as_deref(), report);
            coordinate.set_elements(
                &path,
                settings.spring.as_ref(),
                settings.stop.as_ref(),
                settings.friction.as_ref(),
                report,
            );
        }
        for coordinate in all.list.iter().filter(|c| c.kind.is_none() && !incomplete) {
            report.push(
                Diagnostic::error(
                    coordinate.name.span,
                    format!("coordinate \"{}\" moves no joint", coordinate.name.text),
                )
                .help("if expressions of joints use it, give it a kind: \"angle\" or \"length\""),
            );
        }
        all
    }

    /// Position of the coordinate with this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|coordinate| coordinate.name.text == name)
    }

    /// The coordinate that an element names; complains if there is none.
    pub(crate) fn expect(&self, name: &Text, report: &mut Report) -> Option<&Coordinate<'a>> {
        let found = self.find(name).and_then(|index| self.list.get(index));
        if found.is_none() && !self.incomplete {
            let near = gelenk_math::suggest::closest(name, self.list.iter().map(|c| c.name.text.as_str()));
            let diagnostic =
                Diagnostic::error(name.span, format!("there is no coordinate \"{}\"", name.text));
            report.push(diagnostic.meant(near));
        }
        found
    }

    fn add(&mut self, name: &'a Text) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.list.push(Coordinate {
                name,
                kind: None,
                kind_span: None,
                start: None,
                rate: None,
                spring: None,
                stop: None,
                friction: None,
            });
            self.list.len() - 1
        })
    }
}

impl<'a> Coordinate<'a> {
    fn set_kind(&mut self, kind: CoordinateKind, span: Span, report: &mut Report) {
        match (self.kind, self.kind_span) {
            (Some(known), Some(first)) if known != kind => {
                let message =
                    format!("coordinate \"{}\" cannot be both an angle and a length", self.name.text);
                report.push(Diagnostic::error(span, message).related(first, "here it is the other"));
            }
            (Some(_), _) => {}
            (None, _) => (self.kind, self.kind_span) = (Some(kind), Some(span)),
        }
    }

    fn set_start(&mut self, start: Option<&'a Number>, rate: Option<&'a Number>, report: &mut Report) {
        let name = self.name;
        let setting = |number: &'a Number| Setting {
            value: number,
            path: number.path.clone(),
            span: number.formula.span,
        };
        set(&mut self.start, start.map(setting), "start", name, report);
        set(&mut self.rate, rate.map(setting), "rate", name, report);
    }

    fn set_elements(
        &mut self,
        path: &str,
        spring: Option<&'a Spring>,
        stop: Option<&'a Stop>,
        friction: Option<&'a FrictionLaw>,
        report: &mut Report,
    ) {
        let name = self.name;
        let spring = spring.map(|value| Setting { value, path: format!("{path}.spring"), span: value.span });
        let stop = stop.map(|value| Setting { value, path: format!("{path}.stop"), span: value.span });
        let friction =
            friction.map(|value| Setting { value, path: format!("{path}.friction"), span: value.span });
        set(&mut self.spring, spring, "spring", name, report);
        set(&mut self.stop, stop, "stop", name, report);
        set(&mut self.friction, friction, "friction", name, report);
    }
}

/// Sets what is not yet set; complains if it is.
fn set<'a, T>(
    slot: &mut Option<Setting<'a, T>>,
    new: Option<Setting<'a, T>>,
    what: &str,
    name: &Text,
    report: &mut Report,
) {
    let Some(new) = new else { return };
    match slot {
        None => *slot = Some(new),
        Some(first) => {
            let diagnostic = Diagnostic::error(
                new.span,
                format!("\"{what}\" of coordinate \"{}\" is given twice", name.text),
            )
            .related(first.span, "first given here");
            report.push(match what {
                "friction" => diagnostic.help("put further friction into [friction.NAME]"),
                _ => diagnostic,
            });
        }
    }
}
