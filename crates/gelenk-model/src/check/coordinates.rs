//! Which coordinates there are, and what is set for them where.

use crate::elements::{ElementPlace, ElementTable};
use crate::friction::FrictionLaw;
use crate::joints::{CoordinateTable, Joint, JointCoordinate, JointType};
use crate::model_file::{CoordinateWord, ExactWord, ModelFile};
use crate::quantity::Number;
use gelenk_file::read::{Spanned, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_multibody::blueprint::{CoordinateId, CoordinateKind};

/// A setting with the path where it stands and its place.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) path: String,
    span: Span,
}

/// A coordinate and everything that is set for it.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate {
    pub(crate) name: Text,
    pub(crate) kind: Option<CoordinateKind>,
    kind_span: Option<Span>,
    pub(crate) start: Option<Setting<Number>>,
    pub(crate) rate: Option<Setting<Number>>,
    pub(crate) exact: Option<Setting<ExactWord>>,
    pub(crate) rotor: Option<Setting<Number>>,
    pub(crate) spring: Option<Setting<ElementTable>>,
    pub(crate) stop: Option<Setting<ElementTable>>,
    pub(crate) friction: Option<Setting<FrictionLaw>>,
}

/// All coordinates: those of joints in the order of the file, then those of `[coordinates]`.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    pub(crate) list: Vec<Coordinate>,
    /// For every joint the coordinates that its keys "coordinate" and "coordinates" name.
    pub(crate) of_joint: Vec<Vec<CoordinateId>>,
    /// Whether joints or coordinates could not be read, so that some may be missing here.
    pub(crate) incomplete: bool,
}

/// The kind of the value that a joint with an axis needs.
pub(crate) fn kind_of(joint: JointType) -> Option<CoordinateKind> {
    match joint {
        JointType::Revolute => Some(CoordinateKind::Angle),
        JointType::Prismatic => Some(CoordinateKind::Length),
        _ => None,
    }
}

/// The kinds of the coordinates that a joint names, in their order.
pub(crate) fn kinds_of(joint: JointType) -> &'static [CoordinateKind] {
    use CoordinateKind::{Angle, Length};
    match joint {
        JointType::Revolute | JointType::Screw => &[Angle],
        JointType::Prismatic => &[Length],
        JointType::Cylindrical => &[Length, Angle],
        JointType::Universal => &[Angle, Angle],
        JointType::Planar => &[Length, Length, Angle],
        JointType::Ball => &[Angle, Angle, Angle],
        JointType::Fixed | JointType::General | JointType::Free => &[],
    }
}

/// What a scalar of a general joint is.
pub(crate) enum Role {
    /// A number over parameters.
    Constant,
    /// A coordinate, which this use defines.
    Coordinate(Text),
    /// A function of coordinates and time.
    Function,
}

/// Finds out what a scalar of a general joint is.
pub(crate) fn role(number: &Number, model: &ModelFile) -> Role {
    let formula = &number.formula;
    let is_parameter = |name: &str| {
        let short = name.strip_prefix("parameters.").unwrap_or(name);
        model.parameters.names().any(|known| known.text == short)
    };
    let mut names = formula.expression.variables();
    match formula.expression.variables().find(|(name, _)| !is_parameter(name)) {
        None => Role::Constant,
        Some((name, range)) => {
            let alone = names.all(|(other, _)| other == name) && formula.text.trim() == name;
            if alone && name != "t" && !name.contains('.') {
                Role::Coordinate(Text { text: name.to_owned(), span: formula.place(range) })
            } else {
                Role::Function
            }
        }
    }
}

impl Coordinates {
    pub(crate) fn collect(model: &ModelFile, report: &mut Report) -> Self {
        let incomplete = !model.joints.broken.is_empty() || !model.coordinates.broken.is_empty();
        let mut all = Self { list: Vec::new(), of_joint: Vec::new(), incomplete };
        for (name, joint) in model.joints.iter() {
            let moved = match joint.kind.value {
                JointType::Revolute | JointType::Prismatic | JointType::Screw => {
                    all.single(name, joint, report)
                }
                JointType::General => all.general(model, joint, report),
                _ => all.several(name, joint, report),
            };
            all.of_joint.push(moved);
        }
        for (name, settings) in model.coordinates.iter() {
            let id = all.add(name);
            let coordinate = &mut all.list[id.index()];
            if let Some(kind) = settings.kind {
                let word = match kind.value {
                    CoordinateWord::Angle => CoordinateKind::Angle,
                    CoordinateWord::Length => CoordinateKind::Length,
                };
                coordinate.set_kind(word, kind.span, report);
            }
            let path = format!("coordinates.{}", name.text);
            coordinate.set_start(settings.start.as_deref(), settings.rate.as_deref(), report);
            coordinate.set_exact(settings.exact.as_ref(), report);
            coordinate.set_rotor(settings.rotor_inertia.as_deref(), report);
            coordinate.set_elements(
                &path,
                settings.spring.as_deref(),
                settings.stop.as_deref(),
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

    /// The coordinate with this name.
    pub(crate) fn find(&self, name: &str) -> Option<CoordinateId> {
        self.list.iter().position(|coordinate| coordinate.name.text == name).map(CoordinateId::nth)
    }

    /// What an element acts on, where it is known.
    pub(crate) fn kind_at(&self, place: &ElementPlace) -> Option<CoordinateKind> {
        match place {
            ElementPlace::Coordinate(on) => self.find(on).and_then(|id| self[id].kind),
            _ => place.kind(),
        }
    }

    /// The coordinate of a joint with one.
    fn single(&mut self, joint_name: &Text, joint: &Joint, report: &mut Report) -> Vec<CoordinateId> {
        if joint.value.is_some() {
            return Vec::new();
        }
        let name = match &joint.coordinate {
            Some(JointCoordinate::Name(name)) => name,
            Some(JointCoordinate::Table(table)) => table.name.as_ref().unwrap_or(joint_name),
            None => joint_name,
        };
        let id = self.add(name);
        let coordinate = &mut self.list[id.index()];
        if let Some(&kind) = kinds_of(joint.kind.value).first() {
            coordinate.set_kind(kind, joint.kind.span, report);
        }
        let path = format!("joints.{}", joint_name.text);
        if let Some(JointCoordinate::Table(table)) = &joint.coordinate {
            coordinate.set_table(&format!("{path}.coordinate"), table, report);
        }
        coordinate.set_elements(
            &path,
            joint.spring.as_deref(),
            joint.stop.as_ref().filter(|stop| !stop.is_of_ball()).map(|stop| &**stop),
            joint.friction.as_ref(),
            report,
        );
        vec![id]
    }

    /// The coordinates of a joint with several.
    fn several(&mut self, joint_name: &Text, joint: &Joint, report: &mut Report) -> Vec<CoordinateId> {
        let entries = joint.coordinates.iter().flat_map(|entries| &entries.value);
        let mut moved = Vec::new();
        for ((i, entry), &kind) in entries.enumerate().zip(kinds_of(joint.kind.value)) {
            let name = match entry {
                JointCoordinate::Name(name) => Some(name),
                JointCoordinate::Table(table) => table.name.as_ref(),
            };
            let Some(name) = name else {
                let message = format!("coordinate {} of joint \"{}\" needs a name", i + 1, joint_name.text);
                report.push(Diagnostic::error(entry.span(), message).help("give the key \"name\""));
                continue;
            };
            let id = self.add(name);
            let coordinate = &mut self.list[id.index()];
            coordinate.set_kind(kind, name.span, report);
            if let JointCoordinate::Table(table) = entry {
                let path = format!("joints.{}.coordinates.{i}", joint_name.text);
                coordinate.set_table(&path, table, report);
            }
            moved.push(id);
        }
        moved
    }

    /// The coordinates that stand alone in the motion of a general joint.
    fn general(&mut self, model: &ModelFile, joint: &Joint, report: &mut Report) -> Vec<CoordinateId> {
        let Some(motion) = &joint.motion else { return Vec::new() };
        let translation = motion.translation().map(|number| (number, CoordinateKind::Length));
        let rotation = motion.rotation().map(|number| (number, CoordinateKind::Angle));
        let mut moved = Vec::new();
        for (number, kind) in translation.into_iter().chain(rotation) {
            if let Role::Coordinate(name) = role(number, model) {
                let id = self.add(&name);
                self.list[id.index()].set_kind(kind, name.span, report);
                moved.push(id);
            }
        }
        moved
    }

    fn add(&mut self, name: &Text) -> CoordinateId {
        self.find(name).unwrap_or_else(|| {
            self.list.push(Coordinate {
                name: name.clone(),
                kind: None,
                kind_span: None,
                start: None,
                rate: None,
                exact: None,
                rotor: None,
                spring: None,
                stop: None,
                friction: None,
            });
            CoordinateId::nth(self.list.len() - 1)
        })
    }
}

impl std::ops::Index<CoordinateId> for Coordinates {
    type Output = Coordinate;

    fn index(&self, id: CoordinateId) -> &Coordinate {
        &self.list[id.index()]
    }
}

impl Coordinate {
    fn set_kind(&mut self, kind: CoordinateKind, span: Span, report: &mut Report) {
        match (self.kind, self.kind_span) {
            (Some(known), Some(first)) if known != kind => {
                let message =
                    format!("coordinate \"{}\" cannot be both an angle and a length", self.name.text);
                report.push(Diagnostic::error(span, message).related(first, "here it is the other one"));
            }
            (Some(_), _) => {}
            (None, _) => (self.kind, self.kind_span) = (Some(kind), Some(span)),
        }
    }

    fn set_start(&mut self, start: Option<&Number>, rate: Option<&Number>, report: &mut Report) {
        let name = &self.name;
        let setting = |number: &Number| Setting {
            value: number.clone(),
            path: number.path.clone(),
            span: number.formula.span,
        };
        set(&mut self.start, start.map(setting), "start", name, report);
        set(&mut self.rate, rate.map(setting), "rate", name, report);
    }

    fn set_exact(&mut self, exact: Option<&Spanned<ExactWord>>, report: &mut Report) {
        let setting = exact.map(|word| Setting { value: word.value, path: String::new(), span: word.span });
        set(&mut self.exact, setting, "exact", &self.name, report);
    }

    fn set_rotor(&mut self, rotor: Option<&Number>, report: &mut Report) {
        let setting = rotor.map(|value| Setting {
            value: value.clone(),
            path: value.path.clone(),
            span: value.formula.span,
        });
        set(&mut self.rotor, setting, "rotor_inertia", &self.name, report);
    }

    fn set_table(&mut self, path: &str, table: &CoordinateTable, report: &mut Report) {
        self.set_start(table.start.as_deref(), table.rate.as_deref(), report);
        self.set_exact(table.exact.as_ref(), report);
        self.set_rotor(table.rotor_inertia.as_deref(), report);
        let (spring, stop) = (table.spring.as_deref(), table.stop.as_deref());
        let friction = table.friction.as_ref();
        self.set_elements(path, spring, stop, friction, report);
    }

    fn set_elements(
        &mut self,
        path: &str,
        spring: Option<&ElementTable>,
        stop: Option<&ElementTable>,
        friction: Option<&FrictionLaw>,
        report: &mut Report,
    ) {
        let name = &self.name;
        let spring = spring.map(|value| Setting {
            value: value.clone(),
            path: format!("{path}.spring"),
            span: value.span,
        });
        let stop = stop.map(|value| Setting {
            value: value.clone(),
            path: format!("{path}.stop"),
            span: value.span,
        });
        let friction = friction.map(|value| Setting {
            value: value.clone(),
            path: format!("{path}.friction"),
            span: value.span,
        });
        set(&mut self.spring, spring, "spring", name, report);
        set(&mut self.stop, stop, "stop", name, report);
        set(&mut self.friction, friction, "friction", name, report);
    }
}

/// Sets what is not yet set; complains if it is.
fn set<T>(
    slot: &mut Option<Setting<T>>,
    new: Option<Setting<T>>,
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
