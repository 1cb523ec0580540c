//! Tables of elements: their keys, units and bounds come from the registry of elements.
//!
//! What a kind of element says about itself ([`ElementSpec`](gelenk_multibody::elements::ElementSpec)) is enough to read its
//! tables, to check, rename and mirror them, and to compile them. Kinds that share a table, or a key of joints and
//! coordinates, are told apart by the keys that are given.

pub use crate::element_place::{ElementPlace, Lie};
use crate::quantity::{Formula, Number};
use crate::sorts;
use crate::specified;
use gelenk_file::document::Node;
use gelenk_file::fields::Three;
use gelenk_file::read::{Definitions, Named, Pair, Read, Reader, Text, list};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::role::{Role, Sort};
use gelenk_file::source::Span;
use gelenk_file::table::Spread;
use gelenk_file::visit::{Visitor, under};
use gelenk_laws::ParamSpec;
use gelenk_multibody::Acting;
use gelenk_multibody::elements::contract::{InputSpec, Parity, PlaceKind};
use serde_json::{Map, Value as Json, json};

/// The table of drives, and that of forces on frames.
pub(crate) const DRIVES: &str = "drives";
pub(crate) const FORCES: &str = "forces";

/// An element of a table of the registry, or under a key of a joint or coordinate.
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
    /// What an input with several names is called, and where.
    pub called: Option<(&'static str, Span)>,
    /// Whether its displacement is turned, in a mirrored part.
    pub reversed: bool,
}

/// Keys of a kind beside those of its place.
fn own_keys(kind: &Acting) -> impl Iterator<Item = &'static str> {
    let spec = kind.spec();
    spec.inputs.iter().flat_map(InputSpec::names).chain(spec.params.iter().map(|param| param.name))
}

/// Keys of a kind that must be given.
fn needed_keys(kind: &Acting) -> impl Iterator<Item = &'static str> {
    let spec = kind.spec();
    let inputs = spec.inputs.iter().filter(|input| input.default.is_none()).map(|input| input.name);
    let params = spec.params.iter().filter(|param| param.per_element || param.defaults().is_none());
    inputs.chain(params.map(|param| param.name))
}

/// The kind that is meant by the keys of a table, and the key that tells it from the others: one that only this kind has and
/// needs, else the kind that knows most of them; of equals the first.
fn pick(kinds: &[&'static Acting], node: &Node) -> Option<(&'static Acting, Option<&'static str>)> {
    let given = |key: &&str| node.get(key).is_some();
    let unique = |kind: &Acting, key: &str| {
        kinds.iter().all(|other| *other == kind || own_keys(other).all(|known| known != key))
    };
    for kind in kinds.iter().copied().filter(|_| kinds.len() > 1) {
        if let Some(key) = needed_keys(kind).filter(given).find(|key| unique(kind, key)) {
            return Some((kind, Some(key)));
        }
    }
    let known = |kind: &Acting| own_keys(kind).filter(given).count();
    // The last of several greatest ones, so the first in the order of the registry.
    let kind = kinds.iter().copied().rev().max_by_key(|kind| known(kind))?;
    Some((kind, own_keys(kind).filter(given).find(|key| unique(kind, key))))
}

impl ElementTable {
    /// Reads an element of one of these kinds; `owned` is one on the joint or coordinate whose key it is.
    pub(crate) fn read_in(
        kinds: &[&'static Acting],
        owned: bool,
        what: &str,
        node: &Node,
        reader: &mut Reader<'_>,
    ) -> Option<Self> {
        if node.entries().is_none() {
            reader.wrong_type(node, "a table");
            return None;
        }
        let (kind, by) = pick(kinds, node)?;
        let spec = kind.spec();
        let place_keys = if owned { &[] } else { ElementPlace::keys(spec.place) };
        let keys: Vec<&str> = place_keys.iter().copied().chain(own_keys(kind)).collect();
        for entry in node.entries().unwrap_or_default() {
            if keys.contains(&entry.key.as_str()) {
                continue;
            }
            match by {
                Some(by) if kinds.iter().any(|other| own_keys(other).any(|known| known == entry.key)) => {
                    let message = format!("a {what} with \"{by}\" has no \"{}\"", entry.key);
                    let place = node.get(by).map_or(node.span, |by| by.key_span);
                    reader.push(Diagnostic::error(entry.key_span, message).related(place, ""));
                }
                _ => reader.unknown_key(node, entry, &keys),
            }
        }
        Self::offer_others(kinds, kind, node, reader);
        // What is missing or wrong is reported and stays open, so that the rest of the element can be checked.
        let place = match owned {
            true => ElementPlace::Owner,
            false => ElementPlace::read(spec.place, what, node, reader).unwrap_or(ElementPlace::Open),
        };
        let mut called = None;
        let inputs =
            spec.inputs.iter().flat_map(|input| formulas(input, what, node, &mut called, reader)).collect();
        let (parameters, size) = specified::parameters_or_open(node, reader, spec.params);
        Some(Self { span: node.span, kind, place, parameters, size, inputs, called, reversed: false })
    }

    /// A drive on a coordinate.
    pub(crate) fn drive(on: Text, effort: Formula) -> Self {
        Self {
            span: effort.span,
            kind: &Acting::Drive,
            place: ElementPlace::Coordinate(on),
            parameters: Vec::new(),
            size: 0,
            called: Some(("effort", effort.span)),
            inputs: vec![effort],
            reversed: false,
        }
    }

    /// Complains about a missing key with the one that would make it another kind, which does not need it.
    fn offer_others(kinds: &[&'static Acting], kind: &Acting, node: &Node, reader: &mut Reader<'_>) {
        for missing in needed_keys(kind).filter(|key| node.get(key).is_none()) {
            let others = kinds.iter().filter(|other| needed_keys(other).all(|key| key != missing));
            let mut instead: Vec<&str> = others
                .filter_map(|other| needed_keys(other).find(|key| needed_keys(kind).all(|own| own != *key)))
                .collect();
            instead.dedup();
            if !instead.is_empty() {
                instead.insert(0, missing);
                reader.missing_one(node, &instead);
            }
        }
    }

    /// Each input with its formulas.
    pub fn given(&self) -> impl Iterator<Item = (&'static InputSpec, &Formula)> {
        let owners = self.kind.spec().inputs.iter().flat_map(|input| std::iter::repeat_n(input, input.count));
        owners.zip(&self.inputs)
    }

    /// Each parameter with its numbers.
    pub fn grouped(&self) -> impl Iterator<Item = (&'static ParamSpec, &[Number])> {
        let (size, mut rest) = (self.size, self.parameters.as_slice());
        self.kind.spec().params.iter().map(move |param| {
            let (own, others) = rest.split_at(param.entries(size).min(rest.len()));
            rest = others;
            (param, own)
        })
    }

    /// The only number of a parameter.
    pub(crate) fn number(&self, name: &str) -> Option<&Number> {
        self.grouped().find(|(param, _)| param.name == name).and_then(|(_, numbers)| numbers.first())
    }

    /// The frames that it lies between.
    pub fn between(&self) -> Option<&Pair<Text>> {
        self.place.between()
    }

    pub(crate) fn show(&mut self, visitor: &mut dyn Visitor) {
        visitor.turned(self.place.sign(), &mut self.reversed);
        self.place.walk(self.kind.spec().place == PlaceKind::Scalar, visitor);
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
            let key = match self.called {
                Some((called, _)) if input.also.is_some() => called,
                _ => input.name,
            };
            under(visitor, key, |visitor| formula.walk(role, visitor));
        }
        let size = self.size;
        let mut numbers = self.parameters.iter_mut();
        for param in self.kind.spec().params {
            for (k, number) in numbers.by_ref().take(param.entries(size)).enumerate() {
                let role = if param.axis { Role::Axial.component(k) } else { Role::Plain };
                match param.flag {
                    true => under(visitor, param.name, |visitor| visitor.settled()),
                    false => visitor.number(role, number),
                }
            }
        }
    }

    pub(crate) fn schema(kind: &Acting, owned: bool, definitions: &mut Definitions) -> Json {
        let spec = kind.spec();
        definitions.define(&format!("{kind:?}"), |definitions| {
            let (mut properties, mut required) = match owned {
                true => (Map::new(), Vec::new()),
                false => ElementPlace::schema(spec.place, definitions),
            };
            let mut any: Vec<Json> = Vec::new();
            for input in spec.inputs {
                let mut schema = match input.count {
                    1 => Formula::schema(definitions),
                    _ => Three::<Formula>::schema(definitions),
                };
                schema["description"] = json!(input.meaning);
                match input.default {
                    Some(default) => schema["default"] = json!(default),
                    None if input.also.is_some() => {
                        any = input.names().map(|name| json!({ "required": [name] })).collect();
                    }
                    None => required.push(input.name),
                }
                for name in input.names() {
                    properties.insert(name.to_owned(), schema.clone());
                }
            }
            specified::schema(spec.params, &mut properties, &mut required);
            if spec.place == PlaceKind::Scalar && !owned {
                any = ["on", "between"].map(|key| json!({ "required": [key] })).into();
            }
            let mut schema = json!({
                "type": "object",
                "description": format!("{} {} (source: {})", spec.title, spec.equation, spec.source),
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            });
            if !any.is_empty() {
                schema["anyOf"] = json!(any);
            }
            schema
        })
    }

    /// The schema of an element of one of these kinds.
    pub(crate) fn schema_in(kinds: &[&'static Acting], owned: bool, definitions: &mut Definitions) -> Json {
        let schemas: Vec<Json> = kinds.iter().map(|kind| Self::schema(kind, owned, definitions)).collect();
        match <[Json; 1]>::try_from(schemas) {
            Ok([one]) => one,
            Err(several) => json!({ "oneOf": several }),
        }
    }
}

/// The formulas of an input; zeros stand for what is missing or wrong, which is reported.
fn formulas(
    input: &InputSpec,
    what: &str,
    node: &Node,
    called: &mut Option<(&'static str, Span)>,
    reader: &mut Reader<'_>,
) -> Vec<Formula> {
    let given: Vec<_> = input.names().filter_map(|name| Some((name, node.get(name)?))).collect();
    let constant = |value: f64| vec![Formula::constant(value, node.span); input.count];
    let (name, entry) = match (given.as_slice(), input.default) {
        ([], Some(default)) => return constant(default),
        ([], None) if input.also.is_none() => {
            reader.missing_key(node, input.name);
            return constant(0.0);
        }
        ([one], _) => *one,
        _ => {
            let (path, names) = (reader.path(), input.names().collect::<Vec<_>>());
            let name = path.rsplit('.').next().unwrap_or_default();
            let message = format!("{what} \"{name}\" needs one of {}", list(&names));
            reader.push(Diagnostic::error(node.span, message));
            return constant(0.0);
        }
    };
    *called = Some((name, entry.node.span));
    let read = reader.within(name, |reader| match input.count {
        1 => Formula::read(&entry.node, reader).map(|formula| vec![formula]),
        _ => Three::<Formula>::read(&entry.node, reader).map(|three| three.0.into()),
    });
    read.unwrap_or_else(|| constant(0.0))
}

/// All tables of the registry.
#[derive(Clone, PartialEq, Debug)]
pub struct Elements {
    tables: Vec<(&'static str, Named<ElementTable>)>,
}

/// The tables, each once, in the order of the registry.
fn tables() -> impl Iterator<Item = &'static str> {
    let named = |kind: &'static Acting| Some(kind.spec().table).filter(|table| !table.is_empty());
    let tables: Vec<&str> = Acting::ALL.iter().filter_map(named).collect();
    let first = |(k, table): &(usize, &str), tables: &[&str]| !tables[..*k].contains(table);
    let once: Vec<&str> =
        tables.iter().copied().enumerate().filter(|entry| first(entry, &tables)).map(|(_, t)| t).collect();
    once.into_iter()
}

/// The kinds of a table.
fn kinds_of(table: &str) -> Vec<&'static Acting> {
    Acting::ALL.iter().filter(|kind| kind.spec().table == table).collect()
}

/// What the names of a table are the names of. Expressions use those of elements that are signals or have outputs.
fn sort(table: &str) -> Sort {
    if table == FORCES {
        return sorts::FORCE;
    }
    let kinds = kinds_of(table);
    let sort = Sort::new(noun(&kinds));
    if kinds.iter().any(|kind| is_named(kind)) { sort.in_expressions() } else { sort }
}

/// Whether expressions name elements of a kind.
fn is_named(kind: &Acting) -> bool {
    kind.is_signal() || !kind.spec().outputs.is_empty()
}

/// What an element of a table is called in messages.
fn noun(kinds: &[&'static Acting]) -> &'static str {
    kinds.first().map_or("element", |kind| kind.spec().name)
}

impl Spread for Elements {
    fn keys() -> impl Iterator<Item = &'static str> {
        tables()
    }

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let mut valid = true;
        let mut read = Vec::new();
        for table in tables() {
            let kinds = kinds_of(table);
            let named = match node.get(table) {
                None => Some(Named::default()),
                Some(entry) => reader.within(table, |reader| {
                    Named::read_with(&entry.node, reader, |node, reader| {
                        ElementTable::read_in(&kinds, false, noun(&kinds), node, reader)
                    })
                }),
            };
            valid &= named.is_some();
            read.extend(named.map(|named| (table, named)));
        }
        valid.then_some(Self { tables: read })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        for (table, elements) in &mut self.tables {
            under(visitor, table, |visitor| {
                elements.walk_with(Role::Names(sort(table)), visitor, |element, _, visitor| {
                    element.show(visitor);
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
        for table in tables() {
            let kinds = kinds_of(table);
            let mut schema = Named::<Text>::schema(definitions);
            schema["additionalProperties"] = ElementTable::schema_in(&kinds, false, definitions);
            let titles: Vec<&str> = kinds.iter().map(|kind| kind.spec().title).collect();
            schema["description"] = json!(titles.join(" "));
            schema["default"] = json!({});
            properties.insert(table.to_owned(), schema);
        }
    }
}

impl Elements {
    /// The tables in the order of the registry, with their names.
    pub fn tables(&self) -> impl Iterator<Item = (&'static str, &Named<ElementTable>)> {
        self.tables.iter().map(|(name, table)| (*name, table))
    }

    /// One of them.
    pub fn table(&self, name: &str) -> Option<&Named<ElementTable>> {
        self.tables.iter().find(|(table, _)| *table == name).map(|(_, table)| table)
    }

    /// The same to be changed.
    pub(crate) fn table_mut(&mut self, name: &str) -> Option<&mut Named<ElementTable>> {
        self.tables.iter_mut().find(|(table, _)| *table == name).map(|(_, table)| table)
    }

    /// All elements with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &ElementTable)> {
        self.tables.iter().flat_map(|(_, table)| table.iter())
    }

    /// Drives with their names.
    pub fn drives(&self) -> impl Iterator<Item = (&Text, &ElementTable)> {
        self.table(DRIVES).into_iter().flat_map(Named::iter)
    }

    /// Forces and torques on frames.
    pub fn forces(&self) -> impl Iterator<Item = (&Text, &ElementTable)> {
        self.table(FORCES).into_iter().flat_map(Named::iter)
    }

    /// Elements with outputs that formulas can name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&Text, &ElementTable)> {
        self.iter().filter(|(_, element)| !element.kind.spec().outputs.is_empty())
    }

    /// Whether an element that formulas can name could not be read.
    pub(crate) fn incomplete(&self) -> bool {
        let is_named = |name: &str| kinds_of(name).into_iter().any(is_named);
        self.tables.iter().any(|(name, table)| !table.broken.is_empty() && is_named(name))
    }
}
