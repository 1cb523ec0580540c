//! Friction laws in files: their names and parameters come from the law registry.

use crate::friction_place::FrictionPlace;
use crate::normal::Normal;
use crate::quantity::{Formula, Number};
use crate::specified;
use gelenk_file::choice;
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Read, Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::role::Role;
use gelenk_file::source::Span;
use gelenk_file::visit::{Visitor, under};
use gelenk_laws::{Friction, ParamSpec};
use serde_json::{Map, Value as Json, json};

/// A friction law with its parameters: `{ law = "lugre", coulomb = "0.08 N m", ... }`.
#[derive(Clone, PartialEq, Debug)]
pub struct FrictionLaw {
    /// Place of the table.
    pub span: Span,
    /// The law.
    pub law: Friction,
    /// Place of its name.
    pub law_span: Span,
    /// Its parameters in the order of its specification, lists flattened.
    pub parameters: Vec<Number>,
    /// Number of elements; zero for a law without.
    pub elements: usize,
    /// Factors on parameters while the system runs: the place of each parameter in the specification, and its factor.
    pub factors: Vec<(usize, Formula)>,
    /// The force that presses the surfaces together.
    pub normal: Option<Normal>,
    /// How its memory begins.
    pub start: FrictionStart,
    /// The path of the table, such as `joints.knee.friction`.
    pub path: String,
}

choice! {
    /// How the memory of a friction law begins.
    pub enum FrictionStart {
        /// Unloaded: bristles are straight.
        Straight = "straight",
        /// As after long sliding at the velocity of the start.
        Sliding = "sliding",
    }
}

impl Read for FrictionLaw {
    const EXPECTED: &'static str = "a table with a law and its parameters";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        read_law(node, reader, &[])
    }

    fn schema(definitions: &mut Definitions) -> Json {
        definitions.define("Friction", |definitions| schema_with(definitions, &Map::new(), &[]))
    }

    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        visitor.path(&mut self.path);
        under(visitor, "law", |visitor| visitor.settled());
        under(visitor, START, |visitor| self.start.walk(Role::Plain, visitor));
        self.parameters.iter_mut().for_each(|number| visitor.number(Role::Plain, number));
        let params = self.law.spec().params;
        under(visitor, FACTORS, |visitor| {
            for (place, formula) in &mut self.factors {
                let key = params.get(*place).map_or("", |param| param.name);
                under(visitor, key, |visitor| formula.walk(Role::Plain, visitor));
            }
        });
        self.normal.iter_mut().for_each(|normal| normal.walk(visitor));
    }
}

/// A further friction element on a coordinate, or one between frames.
#[derive(Clone, PartialEq, Debug)]
pub struct FrictionElement {
    /// Where it acts.
    pub place: FrictionPlace,
    /// The law.
    pub law: FrictionLaw,
    /// Whether its axis is turned, in a mirrored part.
    pub reversed: bool,
}

impl Read for FrictionElement {
    const EXPECTED: &'static str = "a table with a place, a law and its parameters";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let law = read_law(node, reader, &FrictionPlace::KEYS)?;
        let place = FrictionPlace::beside(node, &law, reader)?;
        Some(Self { place, law, reversed: false })
    }

    fn schema(definitions: &mut Definitions) -> Json {
        definitions.define("FrictionElement", |definitions| {
            let place = FrictionPlace::schema(definitions);
            let either = json!([{ "required": ["on"] }, { "required": ["between"] }]);
            let mut schema = schema_with(definitions, &place, &[]);
            schema["anyOf"] = either;
            schema
        })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        self.place.walk(visitor);
        visitor.turned(self.place.sign(), &mut self.reversed);
        self.law.walk(role, visitor);
    }
}

fn read_law(node: &Node, reader: &mut Reader<'_>, others: &[&str]) -> Option<FrictionLaw> {
    if node.entries().is_none() {
        reader.wrong_type(node, FrictionLaw::EXPECTED);
        return None;
    }
    let name = gelenk_file::table::required::<Text>(node, "law", reader)?;
    let Some(law) = Friction::by_name(&name) else {
        let names: Vec<&str> = Friction::ALL.iter().map(|law| law.spec().name).collect();
        gelenk_file::table::unknown_word(&name, &names, reader);
        return None;
    };
    let spec = law.spec();
    let keys: Vec<&str> = ["law", FACTORS, START]
        .into_iter()
        .chain(Normal::KEYS)
        .chain(others.iter().copied())
        .chain(spec.params.iter().map(|p| p.name))
        .collect();
    for entry in node.entries().unwrap_or_default() {
        if !keys.contains(&entry.key.as_str()) {
            let near = reader.meant(node, entry, &keys);
            let names: Vec<&str> = spec.params.iter().map(|p| p.name).collect();
            let diagnostic = Diagnostic::error(entry.key_span, format!("unknown key \"{}\"", entry.key))
                .label(format!("not a parameter of the law \"{}\"", spec.name))
                .help(format!("its parameters are {}", gelenk_file::read::list(&names)));
            reader.push(if near.is_some() { diagnostic.meant(near) } else { diagnostic });
        }
    }
    let (parameters, elements) = specified::parameters(node, reader, spec.params);
    let factors = factors(node, reader, spec.params);
    let normal = Normal::beside(node, reader);
    let start = match node.get(START) {
        None => Some(FrictionStart::Straight),
        Some(entry) => reader.within(START, |reader| FrictionStart::read(&entry.node, reader)),
    };
    Some(FrictionLaw {
        span: node.span,
        law,
        law_span: name.span,
        parameters: parameters?,
        elements: elements?,
        factors: factors?,
        normal,
        start: start?,
        path: reader.path(),
    })
}

/// The key of how the memory begins.
const START: &str = "start";

/// The key of the factors.
const FACTORS: &str = "factors";

/// Factors on parameters: `{ coulomb = "1 - 0.2*t/10 [s]" }`.
fn factors(node: &Node, reader: &mut Reader<'_>, params: &[ParamSpec]) -> Option<Vec<(usize, Formula)>> {
    let Some(entry) = node.get(FACTORS) else { return Some(Vec::new()) };
    reader.within(FACTORS, |reader| {
        let Some(entries) = entry.node.entries() else {
            reader.wrong_type(&entry.node, "a table with an expression for each parameter that changes");
            return None;
        };
        let names: Vec<&str> = params.iter().filter(|p| p.choices.is_empty()).map(|p| p.name).collect();
        let mut factors = Vec::new();
        let mut valid = true;
        for entry in entries {
            let Some(place) = params.iter().position(|p| p.name == entry.key && p.choices.is_empty()) else {
                let diagnostic = Diagnostic::error(entry.key_span, format!("unknown key \"{}\"", entry.key))
                    .label("not a numeric parameter of this law")
                    .help(format!("those are {}", gelenk_file::read::list(&names)));
                reader
                    .push(diagnostic.meant(gelenk_math::suggest::closest(&entry.key, names.iter().copied())));
                valid = false;
                continue;
            };
            match reader.within(&entry.key, |reader| Formula::read(&entry.node, reader)) {
                Some(formula) => factors.push((place, formula)),
                None => valid = false,
            }
        }
        valid.then_some(factors)
    })
}

/// One alternative for every law, with further properties.
fn schema_with(definitions: &mut Definitions, others: &Map<String, Json>, needed: &[&'static str]) -> Json {
    let normal = Normal::schema(definitions);
    let start = FrictionStart::schema(definitions);
    let alternatives: Vec<Json> = Friction::ALL
        .iter()
        .map(|law| {
            let spec = law.spec();
            let mut properties = others.clone();
            properties.insert("law".to_owned(), json!({ "const": spec.name, "description": spec.title }));
            let mut required: Vec<&'static str> = needed.iter().copied().chain(["law"]).collect();
            specified::schema(spec.params, &mut properties, &mut required);
            let factor = |param: &ParamSpec| {
                (param.name.to_owned(), json!({ "type": ["number", "string"], "description": "A factor without unit." }))
            };
            let factors: serde_json::Map<String, Json> =
                spec.params.iter().filter(|param| param.choices.is_empty()).map(factor).collect();
            properties.insert(
                FACTORS.to_owned(),
                json!({
                    "type": "object",
                    "description": "Factors on parameters, as expressions over time, coordinates, signals and parameters.",
                    "properties": factors,
                    "additionalProperties": false,
                }),
            );
            properties.insert(START.to_owned(), start.clone());
            properties.extend(normal.clone());
            json!({
                "type": "object",
                "title": spec.title,
                "description": format!("{} (source: {})", spec.equation, spec.source),
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            })
        })
        .collect();
    json!({ "oneOf": alternatives })
}
