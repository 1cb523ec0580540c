//! Fields that model and study files share and that are more than a word or a number.

use crate::document::{Node, Value};
use crate::read::{Definitions, Read, Reader, Text};
use crate::report::{Diagnostic, Report};
use crate::role::Role;
use crate::visit::{Visitor, under};
use gelenk_math::units::{Dimension, Unit};
use serde_json::{Value as Json, json};

/// The version of the file format that this program reads.
pub const SCHEMA: u32 = 1;

/// The version that a file states; only [`SCHEMA`] is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Version(pub u32);

impl Read for Version {
    const EXPECTED: &'static str = "the integer 1";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            Value::Number { value, whole: true } if value == f64::from(SCHEMA) => Some(Self(SCHEMA)),
            Value::Number { whole: true, .. } => {
                let message = format!("this program reads files of schema {SCHEMA}");
                reader.push(
                    Diagnostic::error(node.span, message)
                        .help("use a version of Gelenk that knows this schema"),
                );
                None
            }
            _ => {
                reader.wrong_type(node, Self::EXPECTED);
                None
            }
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "const": SCHEMA })
    }
}

/// A unit in a file.
#[derive(Clone, PartialEq, Debug)]
pub struct UnitText {
    /// The unit.
    pub unit: Unit,
    /// As it is written.
    pub text: Text,
}

impl UnitText {
    /// Complains if the unit does not measure `dimension`.
    pub fn expect(&self, dimension: Dimension, report: &mut Report) {
        if !self.unit.dimension.compatible(dimension) {
            let message = format!("a unit of {} was expected here", dimension.describe());
            report.push(
                Diagnostic::error(self.text.span, message)
                    .label(format!("this is {}", self.unit.dimension.describe())),
            );
        }
    }
}

impl Read for UnitText {
    const EXPECTED: &'static str = "a unit in a string";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = Text::read(node, reader)?;
        match Unit::parse(&text) {
            Ok(unit) => Some(Self { unit, text }),
            Err(error) => {
                reader.push(Diagnostic::error(node.inside(error.span), error.message).maybe_help(error.help));
                None
            }
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string", "description": "A unit.", "examples": ["N m", "deg", "m/s^2"] })
    }
}

/// Exactly three of a kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Three<T>(pub [T; 3]);

impl<T: Read> Read for Three<T> {
    const EXPECTED: &'static str = "an array of three";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if !matches!(node.value, Value::Array(_)) {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        }
        let list = Vec::<T>::read(node, reader)?;
        let found = list.len();
        match <[T; 3]>::try_from(list) {
            Ok(three) => Some(Self(three)),
            Err(_) => {
                reader.push(
                    Diagnostic::error(node.span, "exactly three entries were expected here")
                        .label(format!("this array has {found}")),
                );
                None
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "items": T::schema(definitions), "minItems": 3, "maxItems": 3 })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        for (k, item) in self.0.iter_mut().enumerate() {
            under(visitor, &k.to_string(), |visitor| item.walk(role.component(k), visitor));
        }
    }
}
