//! Tables of elements: their keys, units and bounds come from the registry of elements.
//!
//! What a kind of element says about itself ([`ElementSpec`](gelenk_multibody::elements::ElementSpec)) is enough to read its
//! tables, to check, rename and mirror them, and to compile them.

use crate::quantity::{Formula, Number};
use crate::sorts;
use crate::specified;
use gelenk_file::document::Node;
use gelenk_file::fields::Three;
use gelenk_file::read::{Definitions, Named, Pair, Read, Reader, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::role::Role;
use gelenk_file::source::Span;
use gelenk_file::table::{Spread, optional, required};
use gelenk_file::visit::{Visitor, under};
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_multibody::elements::contract::{InputSpec, Parity, Place};
use gelenk_multibody::{Acting, Attachment};
use serde_json::{Map, Value as Json, json};

/// An element of a table of the registry.
#[derive(Clone, PartialEq, Debug)]
pub struct ElementTable {
    /// Place of the table.
    pub span: Span,
    /// Its kind.
    pub kind: &'static Acting,
    /// Where it acts.
    pub place: ElementPlace,
    /// Its parameters in the order of the specification, triples and lists flattened.
    pub parameters: Vec<Number>,
    /// Entries of its lists.
    pub size: usize,
    /// Its inputs in the order of the specification, vectors flattened.
    pub inputs: Vec<Formula>,
    /// Whether its displacement is turned, in a mirrored part.
    pub reversed: bool,
}

/// Where an element acts.
#[derive(Clone, PartialEq, Debug)]
pub enum ElementPlace {
    /// On a coordinate.
    Coordinate(Text),
    /// Between two frames.
    Between(Pair<Text>, Lie),
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
            Self::Coordinate(_) => None,
            Self::Between(_, Lie::Angle | Lie::About) => Some(CoordinateKind::Angle),
            Self::Between(_, Lie::Line | Lie::Along(_) | Lie::Pose) => Some(CoordinateKind::Length),
        }
    }

    /// What it is in the core, with the numbers of the frames.
    pub(crate) fn attachment(lie: Lie, between: [usize; 2]) -> Attachment {
        match lie {
            Lie::Line => Attachment::Distance(between),
            Lie::Along(axis) => Attachment::Along { between, axis },
            Lie::Angle => Attachment::Angle(between),
            Lie::About => Attachment::About { between, axis: 2 },
            Lie::Pose => Attachment::Pose(between),
        }
    }

    /// The keys that tell it.
    fn keys(place: Place) -> &'static [&'static str] {
        match place {
            Place::Scalar => &["on", "between", "along", "about"],
            _ => &["between"],
        }
    }

    fn read(place: Place, what: &str, node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let pair = |reader: &mut Reader<'_>| required::<Pair<Text>>(node, "between", reader);
        match place {
            Place::Line => Some(Self::Between(pair(reader)?, Lie::Line)),
            Place::Axis => Some(Self::Between(pair(reader)?, Lie::About)),
            Place::Pose => Some(Self::Between(pair(reader)?, Lie::Pose)),
            Place::Scalar => scalar(what, node, reader),
            // These kinds have no table of the registry.
            Place::Coordinate | Place::Slide | Place::Force | Place::Torque | Place::Ball | Place::Bodies => {
                None
            }
        }
    }

    fn schema(place: Place, definitions: &mut Definitions) -> Map<String, Json> {
        let mut keys = Map::new();
        let mut between = Pair::<Text>::schema(definitions);
        between["description"] = json!("The two frames; a body's own frame is named by the body.");
        keys.insert("between".to_owned(), between);
        if place == Place::Scalar {
            let on = "The coordinate that it acts on, instead of \"between\".";
            keys.insert("on".to_owned(), json!({ "type": "string", "description": on }));
            let along = "Axis of the first frame along which the second origin is measured, or the line between the origins.";
            keys.insert("along".to_owned(), json!({ "enum": AXES, "description": along }));
            let about = "Axis of the first frame about which the second one turns.";
            keys.insert("about".to_owned(), json!({ "enum": ["z"], "description": about }));
        }
        keys
    }
}

fn scalar(what: &str, node: &Node, reader: &mut Reader<'_>) -> Option<ElementPlace> {
    let Some(between) = node.get("between") else {
        for key in ["along", "about"] {
            if let Some(entry) = node.get(key) {
                let message = format!("\"{key}\" needs \"between\" as well");
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
            let help =
                "\"along\" is an axis of the first frame or \"line\"; \"about\" is \"z\", the axis of a turn";
            reader.push(Diagnostic::error(node.span, message).help(help));
            return None;
        }
    };
    Some(ElementPlace::Between(pair?, lie))
}

impl ElementTable {
    fn read_as(kind: &'static Acting, node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let spec = kind.spec();
        if node.entries().is_none() {
            reader.wrong_type(node, "a table");
            return None;
        }
        let keys: Vec<&str> = ElementPlace::keys(spec.place)
            .iter()
            .copied()
            .chain(spec.inputs.iter().map(|input| input.name))
            .chain(spec.params.iter().map(|param| param.name))
            .collect();
        reader.refuse_unknown(node, &keys);
        // All is read before the first missing key ends it, so that all errors are told.
        let place = ElementPlace::read(spec.place, spec.name, node, reader);
        let inputs: Vec<Option<Vec<Formula>>> =
            spec.inputs.iter().map(|input| formulas(input, node, reader)).collect();
        let inputs: Option<Vec<Vec<Formula>>> = inputs.into_iter().collect();
        let (parameters, size) = specified::parameters(node, reader, spec.params);
        Some(Self {
            span: node.span,
            kind,
            place: place?,
            parameters: parameters?,
            size: size?,
            inputs: inputs?.into_iter().flatten().collect(),
            reversed: false,
        })
    }

    /// Each input with its formulas.
    pub fn given(&self) -> impl Iterator<Item = (&'static InputSpec, &Formula)> {
        let owners = self.kind.spec().inputs.iter().flat_map(|input| std::iter::repeat_n(input, input.count));
        owners.zip(&self.inputs)
    }

    /// Each parameter with its numbers.
    pub fn numbers(&self) -> impl Iterator<Item = (&'static gelenk_laws::ParamSpec, &Number)> {
        let size = self.size;
        let params = self.kind.spec().params.iter();
        params.flat_map(move |param| std::iter::repeat_n(param, param.entries(size))).zip(&self.parameters)
    }

    /// The frames that it lies between.
    pub fn between(&self) -> Option<&Pair<Text>> {
        match &self.place {
            ElementPlace::Between(pair, _) => Some(pair),
            ElementPlace::Coordinate(_) => None,
        }
    }

    /// What the sign of its displacement changes with.
    fn sign(&self) -> Role {
        match self.place {
            ElementPlace::Between(_, Lie::Along(axis)) => Role::Polar.component(axis),
            ElementPlace::Between(_, Lie::Angle) => Role::Axial.component(2),
            _ => Role::Plain,
        }
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        visitor.turned(self.sign(), &mut self.reversed);
        match &mut self.place {
            ElementPlace::Coordinate(on) => {
                under(visitor, "on", |visitor| on.walk(Role::Refers(sorts::COORDINATE), visitor));
            }
            ElementPlace::Between(pair, lie) => {
                under(visitor, "between", |visitor| pair.walk(Role::Refers(sorts::PLACE), visitor));
                if self.kind.spec().place == Place::Scalar {
                    let key = if *lie == Lie::Angle { "about" } else { "along" };
                    under(visitor, key, |visitor| visitor.settled());
                }
            }
        }
        let parities = self.kind.spec().inputs.iter().flat_map(|input| {
            // A single one acts about the z axis.
            (0..input.count).map(move |k| (input, if input.count == 1 { 2 } else { k }))
        });
        for (formula, (input, axis)) in self.inputs.iter_mut().zip(parities) {
            let role = match input.parity {
                Parity::Scalar => Role::Plain,
                Parity::Polar => Role::Polar.component(axis),
                Parity::Axial => Role::Axial.component(axis),
            };
            under(visitor, input.name, |visitor| formula.walk(role, visitor));
        }
        self.parameters.iter_mut().for_each(|number| visitor.number(Role::Plain, number));
    }

    fn schema(kind: &Acting, definitions: &mut Definitions) -> Json {
        let spec = kind.spec();
        definitions.define(&format!("{kind:?}"), |definitions| {
            let mut properties = ElementPlace::schema(spec.place, definitions);
            let mut required = if spec.place == Place::Scalar { vec![] } else { vec!["between"] };
            for input in spec.inputs {
                let mut schema = match input.count {
                    1 => Formula::schema(definitions),
                    _ => Three::<Formula>::schema(definitions),
                };
                schema["description"] = json!(input.meaning);
                match input.default {
                    Some(default) => schema["default"] = json!(default),
                    None => required.push(input.name),
                }
                properties.insert(input.name.to_owned(), schema);
            }
            specified::schema(spec.params, &mut properties, &mut required);
            let mut schema = json!({
                "type": "object",
                "description": format!("{} {} (source: {})", spec.title, spec.equation, spec.source),
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            });
            if spec.place == Place::Scalar {
                schema["anyOf"] = json!([{ "required": ["on"] }, { "required": ["between"] }]);
            }
            schema
        })
    }
}

fn formulas(input: &InputSpec, node: &Node, reader: &mut Reader<'_>) -> Option<Vec<Formula>> {
    if node.get(input.name).is_none()
        && let Some(default) = input.default
    {
        return Some(vec![Formula::constant(default, node.span); input.count]);
    }
    match input.count {
        1 => required::<Formula>(node, input.name, reader).map(|formula| vec![formula]),
        _ => required::<Three<Formula>>(node, input.name, reader).map(|three| three.0.into()),
    }
}

/// All tables of the registry.
#[derive(Clone, PartialEq, Debug)]
pub struct Elements {
    tables: Vec<(&'static Acting, Named<ElementTable>)>,
}

/// Kinds that have a table, in the order of the registry.
fn kinds() -> impl Iterator<Item = &'static Acting> {
    Acting::ALL.iter().filter(|kind| !kind.spec().table.is_empty())
}

impl Spread for Elements {
    fn keys() -> impl Iterator<Item = &'static str> {
        kinds().map(|kind| kind.spec().table)
    }

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let mut valid = true;
        let mut tables = Vec::new();
        for kind in kinds() {
            let table = kind.spec().table;
            let read = match node.get(table) {
                None => Some(Named::default()),
                Some(entry) => reader.within(table, |reader| {
                    Named::read_with(&entry.node, reader, |node, reader| {
                        ElementTable::read_as(kind, node, reader)
                    })
                }),
            };
            valid &= read.is_some();
            tables.extend(read.map(|read| (kind, read)));
        }
        valid.then_some(Self { tables })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        for (kind, table) in &mut self.tables {
            under(visitor, kind.spec().table, |visitor| {
                table.walk_with(Role::Names(sorts::ELEMENT), visitor, |element, _, visitor| {
                    element.walk(visitor)
                });
            });
        }
    }

    fn absorb(&mut self, other: Self, report: &mut Report) {
        for ((_, whole), (_, table)) in self.tables.iter_mut().zip(other.tables) {
            whole.join(table, report);
        }
    }

    fn schema(definitions: &mut Definitions, properties: &mut Map<String, Json>) {
        for kind in kinds() {
            let spec = kind.spec();
            let mut schema = Named::<Text>::schema(definitions);
            schema["additionalProperties"] = ElementTable::schema(kind, definitions);
            schema["description"] = json!(spec.title);
            schema["default"] = json!({});
            properties.insert(spec.table.to_owned(), schema);
        }
    }
}

impl Elements {
    /// The tables by kind.
    pub fn tables(&self) -> impl Iterator<Item = (&'static Acting, &Named<ElementTable>)> {
        self.tables.iter().map(|(kind, table)| (*kind, table))
    }

    /// All elements with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &ElementTable)> {
        self.tables.iter().flat_map(|(_, table)| table.iter())
    }

    /// Elements with outputs that formulas can name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&Text, &ElementTable)> {
        self.iter().filter(|(_, element)| !element.kind.spec().outputs.is_empty())
    }

    /// Whether an element with outputs could not be read.
    pub(crate) fn incomplete(&self) -> bool {
        self.tables.iter().any(|(kind, table)| !kind.spec().outputs.is_empty() && !table.broken.is_empty())
    }
}
