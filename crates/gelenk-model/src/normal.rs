//! The force that presses the surfaces of friction together.

use crate::quantity::{Formula, Measure, Number, Quantity, Time};
use crate::sorts;
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Read, Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::role::{Role, Sort};
use gelenk_file::table;
use gelenk_file::visit::{Visitor, under};
use gelenk_math::units::Dimension;
use serde_json::{Value as Json, json};

/// A normal force, and the one at which the parameters of the law hold: `normal = "load", nominal = "100 N"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Normal {
    /// Where the force comes from.
    pub force: NormalForce,
    /// The force at which the parameters hold.
    pub nominal: Number,
}

/// Where a normal force comes from.
// A model has few of them; a box would only be in the way.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, PartialEq, Debug)]
pub enum NormalForce {
    /// An expression.
    Given(Formula),
    /// Another element.
    From(NormalSource),
}

table! {
    /// A normal force from another element; give one of "contact", "joint" and "loop".
    pub struct NormalSource {
        /// A contact between two surfaces.
        contact: optional Text => by(|source: &NormalSource| source.refers(sorts::CONTACT)),
        /// A joint: the force through it, without the part along a slide.
        joint: optional Text => by(|source: &NormalSource| source.refers(sorts::JOINT)),
        /// A loop between frames: its force.
        closure as "loop": optional Text => by(|source: &NormalSource| source.refers(sorts::LOOP)),
        /// Time constant with which friction follows the force of a joint or a loop.
        lag: default Quantity<Time> = "\"1 ms\"",
    }
}

impl NormalSource {
    /// How many sources are given; a right one has one.
    pub(crate) fn count(&self) -> usize {
        [&self.contact, &self.joint, &self.closure].into_iter().flatten().count()
    }

    /// Of several sources none counts.
    fn refers(&self, sort: Sort) -> Role {
        if self.count() == 1 { Role::Refers(sort) } else { Role::Plain }
    }
}

impl Normal {
    /// Keys in the table of a law.
    pub(crate) const KEYS: [&'static str; 2] = ["normal", "nominal"];

    /// Reads both keys; `None` where none is there or one is wrong.
    pub(crate) fn beside(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let (normal, nominal) = match (node.get("normal"), node.get("nominal")) {
            (None, None) => return None,
            (Some(normal), Some(nominal)) => (normal, nominal),
            (Some(given), None) | (None, Some(given)) => {
                let missing = if given.key == "normal" { "nominal" } else { "normal" };
                let help = "\"normal\" is the normal force, \"nominal\" the one at which the parameters of the law hold";
                let message = format!("\"{}\" also needs \"{missing}\"", given.key);
                reader.push(Diagnostic::error(given.key_span, message).help(help));
                return None;
            }
        };
        let force = reader.within("normal", |reader| match normal.node.entries() {
            Some(_) => NormalSource::read(&normal.node, reader).map(NormalForce::From),
            None => Formula::read(&normal.node, reader).map(NormalForce::Given),
        })?;
        let nominal = reader.within("nominal", |reader| {
            Number::read_as(&nominal.node, reader, Measure::Fixed(Dimension::FORCE), false)
        })?;
        Some(Self { force, nominal })
    }

    pub(crate) fn walk(&mut self, visitor: &mut dyn Visitor) {
        under(visitor, "normal", |visitor| match &mut self.force {
            NormalForce::Given(formula) => formula.walk(Role::Plain, visitor),
            NormalForce::From(source) => source.walk(Role::Plain, visitor),
        });
        visitor.number(Role::Plain, &mut self.nominal);
    }

    /// Schema of both keys.
    pub(crate) fn schema(definitions: &mut Definitions) -> [(String, Json); 2] {
        let force = json!({ "type": ["number", "string"], "description": "An expression (N)." });
        let mut nominal = Number::schema_of(Measure::Fixed(Dimension::FORCE));
        nominal["description"] = json!("Normal force at which the parameters hold.");
        let normal = json!({
            "description": "Normal force: an expression, or the force of another element.",
            "oneOf": [force, NormalSource::schema(definitions)],
        });
        [("normal".to_owned(), normal), ("nominal".to_owned(), nominal)]
    }
}
