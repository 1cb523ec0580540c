//! Where a friction element acts.

use crate::friction::FrictionLaw;
use crate::sorts;
use gelenk_file::choice;
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Pair, Read, Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::role::Role;
use gelenk_file::visit::{Visitor, under};
use gelenk_laws::friction::planar::Planar;
use gelenk_multibody::blueprint::CoordinateKind;
use serde_json::{Map, Value as Json, json};

/// Where a friction element acts: `on` a coordinate, or `between` two frames `along` or `about` an axis.
#[derive(Clone, PartialEq, Debug)]
pub enum FrictionPlace {
    /// On a coordinate.
    Coordinate(Text),
    /// Between two frames.
    Between(Pair<Text>, FrictionAxis),
}

/// The motion between two frames that friction resists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrictionAxis {
    /// Sliding along an axis of the first frame, by its number.
    Along(usize),
    /// Turning about an axis of the first frame, by its number.
    About(usize),
    /// Sliding on the plane of x and y of the first frame.
    Plane(Planar),
}

impl FrictionAxis {
    /// What the law's velocity is measured in.
    pub fn kind(self) -> CoordinateKind {
        match self {
            Self::Along(_) | Self::Plane(_) => CoordinateKind::Length,
            Self::About(_) => CoordinateKind::Angle,
        }
    }
}

choice! {
    /// Velocity that controls the filter of power-based friction with memory on a plane.
    pub enum FilterWord {
        /// The speed, so that the axes do not matter.
        Point = "point",
        /// The velocity along each axis, as in the thesis.
        Axis = "axis",
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];
const WAYS: [&str; 4] = ["x", "y", "z", "plane"];

impl FrictionPlace {
    /// What the sign of the motion changes with.
    pub(crate) fn sign(&self) -> Role {
        match *self {
            Self::Between(_, FrictionAxis::Along(axis)) => Role::Polar.component(axis),
            Self::Between(_, FrictionAxis::About(axis)) => Role::Axial.component(axis),
            Self::Between(_, FrictionAxis::Plane(_)) | Self::Coordinate(_) => Role::Plain,
        }
    }

    /// Shows the names of what it lies on.
    pub(crate) fn walk(&mut self, visitor: &mut dyn Visitor) {
        match self {
            Self::Coordinate(on) => {
                under(visitor, "on", |visitor| on.walk(Role::Refers(sorts::COORDINATE), visitor));
            }
            Self::Between(pair, way) => {
                under(visitor, "between", |visitor| pair.walk(Role::Refers(sorts::PLACE), visitor));
                let key = if matches!(way, FrictionAxis::About(_)) { "about" } else { "along" };
                under(visitor, key, |visitor| visitor.settled());
            }
        }
    }

    /// Keys in addition to those of the law.
    pub(crate) const KEYS: [&'static str; 5] = ["on", "between", "along", "about", "per"];

    /// Reads the place of a law from the same table.
    pub(crate) fn beside(node: &Node, law: &FrictionLaw, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(between) = node.get("between") else {
            for key in ["along", "about", "per"] {
                if let Some(entry) = node.get(key) {
                    let message = format!("\"{key}\" also needs \"between\"");
                    reader.push(Diagnostic::error(entry.key_span, message));
                }
            }
            return gelenk_file::table::required::<Text>(node, "on", reader).map(Self::Coordinate);
        };
        if let Some(on) = node.get("on") {
            let message = "friction acts either \"on\" a coordinate or \"between\" two frames";
            reader.push(Diagnostic::error(on.key_span, message).related(between.key_span, "the frames"));
            return None;
        }
        let pair = reader.within("between", |reader| Pair::<Text>::read(&between.node, reader));
        let way = way(node, law, reader);
        Some(Self::Between(pair?, way?))
    }

    /// Properties of the keys in the schema.
    pub(crate) fn schema(definitions: &mut Definitions) -> Map<String, Json> {
        let mut keys = Map::new();
        let mut add = |key: &str, value: Json| keys.insert(key.to_owned(), value);
        add("on", json!({ "type": "string", "description": "The coordinate that it acts on." }));
        let mut between = Pair::<Text>::schema(definitions);
        between["description"] = json!("The two frames that slide against each other, instead of \"on\".");
        add("between", between);
        let along = "Axis of the first frame along which the second one slides, or the plane of x and y.";
        add("along", json!({ "enum": WAYS, "description": along }));
        let about = "Axis of the first frame about which the second one rotates.";
        add("about", json!({ "enum": AXES, "description": about }));
        let mut per = FilterWord::schema(definitions);
        per["default"] = json!("point");
        per["description"] =
            json!("Velocity that controls the filter of power-based friction with memory on a plane.");
        add("per", per);
        keys
    }
}

fn way(node: &Node, law: &FrictionLaw, reader: &mut Reader<'_>) -> Option<FrictionAxis> {
    let along = gelenk_file::table::optional::<Text>(node, "along", reader)?;
    let about = gelenk_file::table::optional::<Text>(node, "about", reader)?;
    let per = gelenk_file::table::optional::<FilterWord>(node, "per", reader)?;
    let (text, words): (&Text, &[&str]) = match (&along, &about) {
        (Some(along), None) => (along, &WAYS),
        (None, Some(about)) => (about, &AXES),
        _ => {
            let message = "friction between frames needs one of \"along\" and \"about\"";
            let help = "\"along\" is the axis of the first frame on which the second one slides, or \"plane\"; \
                        \"about\" the axis of a rotation";
            reader.push(Diagnostic::error(node.span, message).help(help));
            return None;
        }
    };
    let Some(axis) = words.iter().position(|&word| word == text.text) else {
        gelenk_file::table::unknown_word(text, words, reader);
        return None;
    };
    let spec = law.law.spec();
    if law.law.sticking::<f64>(&[]).is_some() {
        let message = format!("the law \"{}\" acts on coordinates only", spec.name);
        let help = "it holds a coordinate at rest; between frames use a law with bristles, such as \"elasto-plastic\"";
        reader.push(Diagnostic::error(law.law_span, message).help(help));
        return None;
    }
    let plane = axis == WAYS.len() - 1;
    if per.is_some() && (!plane || Planar::of(law.law, true).is_none()) {
        let span = node.get("per").map_or(node.span, |entry| entry.node.span);
        reader.push(Diagnostic::error(span, "\"per\" is for the law \"power-lpv\" along = \"plane\""));
        return None;
    }
    let per_axis = per == Some(FilterWord::Axis);
    if !plane {
        return Some(if along.is_some() { FrictionAxis::Along(axis) } else { FrictionAxis::About(axis) });
    }
    let planar = Planar::of(law.law, per_axis);
    if planar.is_none() {
        reader.push(no_plane(law));
    }
    planar.map(FrictionAxis::Plane)
}

/// Says which laws have a form on a plane.
pub(crate) fn no_plane(law: &FrictionLaw) -> Diagnostic {
    let mut known: Vec<&str> = Planar::ALL.iter().map(|law| law.line().spec().name).collect();
    known.dedup();
    let message = format!("the law \"{}\" has no form on a plane", law.law.spec().name);
    let help = format!("those that have are {}", gelenk_file::read::list(&known));
    Diagnostic::error(law.law_span, message).help(help)
}
