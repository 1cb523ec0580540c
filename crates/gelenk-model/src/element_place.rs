//! Where an element of a table acts.

use crate::sorts;
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Pair, Read, Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::role::Role;
use gelenk_file::table::{optional, required};
use gelenk_file::visit::{Visitor, under};
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{CoordinateKind, FrameId};
use gelenk_multibody::elements::contract::PlaceKind;
use serde_json::{Map, Value as Json, json};

/// Where an element acts.
#[derive(Clone, PartialEq, Debug)]
pub enum ElementPlace {
    /// On a coordinate.
    Coordinate(Text),
    /// Between two frames.
    Between(Pair<Text>, Lie),
    /// On one frame, with components in the axes of another; by default the ground.
    Frame {
        /// The frame on which it acts.
        on: Text,
        /// The frame in whose axes the components are given.
        axes: Option<Text>,
    },
    /// On the coordinate or joint whose key it is.
    Owner,
    /// Missing or wrong in the file; the report says so.
    Open,
}

/// The displacement between two frames that an element acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lie {
    /// The distance of the origins.
    Line,
    /// Along an axis of the first frame.
    Along(usize),
    /// The angle about the z axis of the first frame.
    Angle,
    /// The turn about the z axis of the first frame, of which only the rate is known.
    About,
    /// All six.
    Pose,
}

const AXES: [&str; 4] = ["x", "y", "z", "line"];

impl ElementPlace {
    /// What the displacement is, where the place tells without the coordinates of the model.
    pub fn kind(&self) -> Option<CoordinateKind> {
        match self {
            Self::Coordinate(_) | Self::Owner | Self::Open => None,
            Self::Between(_, Lie::Angle | Lie::About) => Some(CoordinateKind::Angle),
            Self::Between(_, Lie::Line | Lie::Along(_) | Lie::Pose) | Self::Frame { .. } => {
                Some(CoordinateKind::Length)
            }
        }
    }

    /// The frames that it lies between.
    pub fn between(&self) -> Option<&Pair<Text>> {
        match self {
            Self::Between(pair, _) => Some(pair),
            _ => None,
        }
    }

    /// What it is in the core, between these frames.
    pub(crate) fn attachment(lie: Lie, between: [FrameId; 2]) -> Attachment {
        match lie {
            Lie::Line => Attachment::Distance(between),
            Lie::Along(axis) => Attachment::Along { between, axis },
            Lie::Angle => Attachment::Angle(between),
            Lie::About => Attachment::About { between, axis: 2 },
            Lie::Pose => Attachment::Pose(between),
        }
    }

    /// The keys that tell it.
    pub(crate) fn keys(place: PlaceKind) -> &'static [&'static str] {
        match place {
            PlaceKind::Scalar => &["on", "between", "along", "about"],
            PlaceKind::Coordinate => &["on"],
            PlaceKind::Force | PlaceKind::Torque => &["on", "axes"],
            _ => &["between"],
        }
    }

    pub(crate) fn read(place: PlaceKind, what: &str, node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let pair = |reader: &mut Reader<'_>| required::<Pair<Text>>(node, "between", reader);
        match place {
            PlaceKind::Line => Some(Self::Between(pair(reader)?, Lie::Line)),
            PlaceKind::Axis => Some(Self::Between(pair(reader)?, Lie::About)),
            PlaceKind::Pose => Some(Self::Between(pair(reader)?, Lie::Pose)),
            PlaceKind::Scalar => scalar(what, node, reader),
            PlaceKind::Coordinate => required::<Text>(node, "on", reader).map(Self::Coordinate),
            PlaceKind::Force | PlaceKind::Torque => {
                let (on, axes) = (required(node, "on", reader), optional(node, "axes", reader));
                Some(Self::Frame { on: on?, axes: axes? })
            }
            // These kinds have no table of the registry.
            PlaceKind::Slide | PlaceKind::Ball | PlaceKind::Bodies => None,
        }
    }

    /// What the sign of the displacement changes with.
    pub(crate) fn sign(&self) -> Role {
        match self {
            Self::Between(_, Lie::Along(axis)) => Role::Polar.component(*axis),
            Self::Between(_, Lie::Angle) => Role::Axial.component(2),
            _ => Role::Plain,
        }
    }

    /// Shows the names of what it lies on; `picks` says that a key tells which of several displacements it is.
    pub(crate) fn walk(&mut self, picks: bool, visitor: &mut dyn Visitor) {
        match self {
            Self::Coordinate(on) => {
                under(visitor, "on", |visitor| on.walk(Role::Refers(sorts::COORDINATE), visitor));
            }
            Self::Between(pair, lie) => {
                under(visitor, "between", |visitor| pair.walk(Role::Refers(sorts::PLACE), visitor));
                if picks {
                    let key = if *lie == Lie::Angle { "about" } else { "along" };
                    under(visitor, key, |visitor| visitor.settled());
                }
            }
            Self::Frame { on, axes } => {
                under(visitor, "on", |visitor| on.walk(Role::Refers(sorts::PLACE), visitor));
                if let Some(axes) = axes {
                    under(visitor, "axes", |visitor| axes.walk(Role::Refers(sorts::PLACE), visitor));
                }
            }
            Self::Owner | Self::Open => {}
        }
    }

    /// Schemas of the keys, and those that must be given.
    pub(crate) fn schema(
        place: PlaceKind,
        definitions: &mut Definitions,
    ) -> (Map<String, Json>, Vec<&'static str>) {
        let mut keys = Map::new();
        let mut add = |key: &str, schema: Json| keys.insert(key.to_owned(), schema);
        let coordinate = json!({ "type": "string", "description": "The coordinate that it acts on." });
        match place {
            PlaceKind::Coordinate => {
                add("on", coordinate);
                return (keys, vec!["on"]);
            }
            PlaceKind::Force | PlaceKind::Torque => {
                let on = "The frame on which it acts; a force at its origin.";
                add("on", json!({ "type": "string", "description": on }));
                let axes = "The frame in whose axes the components are given; by default the ground. The frame of \"on\" \
                            makes it follow.";
                add("axes", json!({ "type": "string", "description": axes }));
                return (keys, vec!["on"]);
            }
            _ => {}
        }
        let mut between = Pair::<Text>::schema(definitions);
        between["description"] = json!("The two frames; a body's own frame is named by the body.");
        add("between", between);
        if place != PlaceKind::Scalar {
            return (keys, vec!["between"]);
        }
        let on = "The coordinate that it acts on, instead of \"between\".";
        add("on", json!({ "type": "string", "description": on }));
        let along = "Axis of the first frame along which the second origin is measured, or the line between the origins.";
        add("along", json!({ "enum": AXES, "description": along }));
        let about = "Axis of the first frame about which the second one rotates.";
        add("about", json!({ "enum": ["z"], "description": about }));
        (keys, vec![])
    }
}

fn scalar(what: &str, node: &Node, reader: &mut Reader<'_>) -> Option<ElementPlace> {
    let Some(between) = node.get("between") else {
        for key in ["along", "about"] {
            if let Some(entry) = node.get(key) {
                let message = format!("\"{key}\" also needs \"between\"");
                reader.push(Diagnostic::error(entry.key_span, message));
            }
        }
        return required::<Text>(node, "on", reader).map(ElementPlace::Coordinate);
    };
    if let Some(on) = node.get("on") {
        let message = format!("a {what} acts either \"on\" a coordinate or \"between\" two frames");
        reader.push(Diagnostic::error(on.key_span, message).related(between.key_span, "the frames"));
        return None;
    }
    let pair = required::<Pair<Text>>(node, "between", reader);
    let along = optional::<Text>(node, "along", reader)?;
    let about = optional::<Text>(node, "about", reader)?;
    let lie = match (&along, &about) {
        (Some(along), None) => match AXES.iter().position(|&word| word == along.text) {
            Some(3) => Lie::Line,
            Some(axis) => Lie::Along(axis),
            None => {
                gelenk_file::table::unknown_word(along, &AXES, reader);
                return None;
            }
        },
        (None, Some(about)) if about.text == "z" => Lie::Angle,
        (None, Some(about)) => {
            gelenk_file::table::unknown_word(about, &["z"], reader);
            return None;
        }
        _ => {
            let message = format!("a {what} between frames needs one of \"along\" and \"about\"");
            let help = "\"along\" is an axis of the first frame or \"line\"; \"about\" is \"z\", the axis of the rotation";
            reader.push(Diagnostic::error(node.span, message).help(help));
            return None;
        }
    };
    Some(ElementPlace::Between(pair?, lie))
}
