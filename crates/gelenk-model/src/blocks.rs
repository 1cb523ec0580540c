//! Sampled blocks in files: their keys, units and bounds come from the registry of blocks.

use crate::quantity::{Fixed, Formula, Number, Time};
use crate::specified;
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Read, Reader, Text};
use gelenk_file::role::Role;
use gelenk_file::source::Span;
use gelenk_file::table::{optional, or_default, required, unknown_word};
use gelenk_file::visit::{Visitor, under};
use gelenk_laws::control::Sampled;
use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::units::Dimension;
use serde_json::{Map, Value as Json, json};
use std::ops::{Deref, DerefMut};

/// A block with its schedule, inputs and parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockTable {
    /// Place of the table.
    pub span: Span,
    /// The block.
    pub block: Sampled,
    /// Sampling period.
    pub period: Fixed<Time>,
    /// Time from sampling to the arrival of the result.
    pub delay: Fixed<Time>,
    /// Samples come late by a random time below this.
    pub jitter: Fixed<Time>,
    /// Inputs in the order of the specification.
    pub inputs: Vec<Formula>,
    /// Parameters in the order of the specification.
    pub parameters: Vec<Number>,
}

/// Keys of the schedule.
const SCHEDULE: [&str; 3] = ["period", "delay", "jitter"];

impl BlockTable {
    fn read_as(block: Sampled, others: &[&str], node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let spec = block.spec();
        let keys: Vec<&str> = (others.iter().copied())
            .chain(SCHEDULE)
            .chain(spec.inputs.iter().map(|input| input.name))
            .chain(spec.params.iter().map(|param| param.name))
            .collect();
        reader.refuse_unknown(node, &keys);
        let period = required::<Fixed<Time>>(node, "period", reader);
        let delay = or_default::<Fixed<Time>>(node, "delay", "0", reader);
        let jitter = or_default::<Fixed<Time>>(node, "jitter", "0", reader);
        let inputs: Vec<Option<Formula>> =
            spec.inputs.iter().map(|input| required::<Formula>(node, input.name, reader)).collect();
        let inputs: Option<Vec<Formula>> = inputs.into_iter().collect();
        let (parameters, _) = specified::parameters(node, reader, spec.params);
        Some(Self {
            span: node.span,
            block,
            period: period?,
            delay: delay?,
            jitter: jitter?,
            inputs: inputs?,
            parameters: parameters?,
        })
    }

    fn walk(&mut self, visitor: &mut dyn Visitor) {
        for (key, time) in SCHEDULE.into_iter().zip([&mut self.period, &mut self.delay, &mut self.jitter]) {
            under(visitor, key, |visitor| time.walk(Role::Plain, visitor));
        }
        for (input, formula) in self.block.spec().inputs.iter().zip(&mut self.inputs) {
            under(visitor, input.name, |visitor| formula.walk(Role::Plain, visitor));
        }
        self.parameters.iter_mut().for_each(|number| visitor.number(Role::Plain, number));
    }

    /// Each parameter with what its specification says.
    pub fn numbers(&self) -> impl Iterator<Item = (&'static ParamSpec, &Number)> {
        self.block.spec().params.iter().zip(&self.parameters)
    }

    /// The parameter whose unit tells that of the output, such as the gain of a controller.
    pub(crate) fn gain(&self) -> Option<(&'static ParamSpec, &Number)> {
        self.numbers().find(|(param, _)| matches!(param.kind, Kind::Relative { output, .. } if output != 0))
    }

    fn schema(block: Sampled, definitions: &mut Definitions) -> Json {
        let spec = block.spec();
        let mut properties = Map::new();
        let mut required: Vec<&'static str> = vec!["period"];
        let meanings = [
            "Sampling period.",
            "Time from sampling to the arrival of the result.",
            "Samples are delayed by a random time below this, which is at most the period; reproducible.",
        ];
        for (key, meaning) in SCHEDULE.into_iter().zip(meanings) {
            let mut schema = Fixed::<Time>::schema(definitions);
            schema["description"] = json!(meaning);
            if key != "period" {
                schema["default"] = json!(0);
            }
            properties.insert(key.to_owned(), schema);
        }
        for input in spec.inputs {
            let mut schema = Formula::schema(definitions);
            schema["description"] = json!(input.meaning);
            properties.insert(input.name.to_owned(), schema);
            required.push(input.name);
        }
        specified::schema(spec.params, &mut properties, &mut required);
        json!({
            "type": "object",
            "title": spec.title,
            "description": format!("{} (source: {})", spec.equation, spec.source),
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// Dimensions that the numbers of a block have, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockDimensions {
    /// Of the first input.
    pub(crate) input: Option<Dimension>,
    /// Of the output.
    pub(crate) output: Option<Dimension>,
    /// Of the gain, with its kind.
    pub(crate) gain: Option<(Kind, Dimension)>,
}

fn power(dimension: Dimension, exponent: i8) -> Option<Dimension> {
    let mut product = Dimension::NONE;
    for _ in 0..exponent.unsigned_abs() {
        product =
            if exponent > 0 { product.checked_mul(dimension)? } else { product.checked_div(dimension)? };
    }
    Some(product)
}

impl BlockDimensions {
    /// The output that a gain with this dimension makes of the input.
    pub(crate) fn of_gain(input: Option<Dimension>, kind: Kind, gain: Option<Dimension>) -> Self {
        let known = Self { input, output: None, gain: gain.map(|gain| (kind, gain)) };
        let output = || {
            let Kind::Relative { input: i, time, .. } = kind else { return None };
            gain?.checked_div(power(input?, i)?)?.checked_div(power(Dimension::TIME, time)?)
        };
        Self { output: output(), ..known }
    }

    /// The dimension of a number or port of this kind.
    pub(crate) fn of(&self, kind: Kind) -> Option<Dimension> {
        let Kind::Relative { input, output, time } = kind else { return Some(kind.dimension(false)) };
        if let Some((Kind::Relative { input: i, output: o, time: t }, gain)) = self.gain
            && (input, output) == (i, o)
        {
            return gain.checked_mul(power(Dimension::TIME, time - t)?);
        }
        let part = |dimension: Option<Dimension>, exponent: i8| match exponent {
            0 => Some(Dimension::NONE),
            _ => power(dimension?, exponent),
        };
        let ports = part(self.input, input)?.checked_mul(part(self.output, output)?)?;
        ports.checked_mul(power(Dimension::TIME, time)?)
    }
}

/// A sampled measurement.
#[derive(Clone, PartialEq, Debug)]
pub struct Sensor(pub BlockTable);

/// A sampled controller: the block that its "type" names.
#[derive(Clone, PartialEq, Debug)]
pub struct Controller(pub BlockTable);

impl Deref for Sensor {
    type Target = BlockTable;

    fn deref(&self) -> &BlockTable {
        &self.0
    }
}

impl Deref for Controller {
    type Target = BlockTable;

    fn deref(&self) -> &BlockTable {
        &self.0
    }
}

impl DerefMut for Sensor {
    fn deref_mut(&mut self) -> &mut BlockTable {
        &mut self.0
    }
}

impl DerefMut for Controller {
    fn deref_mut(&mut self) -> &mut BlockTable {
        &mut self.0
    }
}

impl Read for Sensor {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if node.entries().is_none() {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        }
        BlockTable::read_as(Sampled::Sensor, &[], node, reader).map(Self)
    }

    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        self.0.walk(visitor);
    }

    fn schema(definitions: &mut Definitions) -> Json {
        definitions.define("Sensor", |definitions| BlockTable::schema(Sampled::Sensor, definitions))
    }
}

impl Read for Controller {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if node.entries().is_none() {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        }
        let word = required::<Text>(node, "type", reader)?;
        let Some(block) = Sampled::by_name(&word) else {
            let words: Vec<&str> = Sampled::controllers().map(|block| block.spec().name).collect();
            unknown_word(&word, &words, reader);
            // What all blocks have is read all the same, so that its errors are reported, too.
            for key in SCHEDULE {
                let _ = optional::<Fixed<Time>>(node, key, reader);
            }
            return None;
        };
        BlockTable::read_as(block, &["type"], node, reader).map(Self)
    }

    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        under(visitor, "type", |visitor| visitor.settled());
        self.0.walk(visitor);
    }

    fn schema(definitions: &mut Definitions) -> Json {
        definitions.define("Controller", |definitions| {
            let alternatives: Vec<Json> = Sampled::controllers()
                .map(|block| {
                    let spec = block.spec();
                    let mut schema = BlockTable::schema(block, definitions);
                    schema["properties"]["type"] = json!({ "const": spec.name, "description": spec.title });
                    if let Some(required) = schema["required"].as_array_mut() {
                        required.push(json!("type"));
                    }
                    schema
                })
                .collect();
            json!({ "oneOf": alternatives })
        })
    }
}
