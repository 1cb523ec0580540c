//! The solver of a run: a table, or only the word of its method.

use std::ops::Deref;

use serde_json::{Value as Json, json};

use crate::model_file::{Method, SolverTable};
use gelenk_file::document::{Entry, Node, Value};
use gelenk_file::read::{Definitions, Read, Reader};
use gelenk_file::role::Role;
use gelenk_file::visit::Visitor;

/// `solver = { method = "dopri5", rtol = 1e-9 }`, or `solver = "auto"` for a method without settings.
#[derive(Clone, PartialEq, Debug)]
pub struct Solver(pub SolverTable);

impl Deref for Solver {
    type Target = SolverTable;

    fn deref(&self) -> &SolverTable {
        &self.0
    }
}

impl Read for Solver {
    const EXPECTED: &'static str = "a method, or a table with a method and its settings";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Table(_) => SolverTable::read(node, reader).map(Self),
            Value::String { .. } => {
                let entry = Entry { key: "method".into(), key_span: node.span, node: node.clone() };
                let table = Node { span: node.span, value: Value::Table(vec![entry]) };
                SolverTable::read(&table, reader).map(Self)
            }
            _ => {
                reader.wrong_type(node, Self::EXPECTED);
                None
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [Method::schema(definitions), SolverTable::schema(definitions)] })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        self.0.walk(role, visitor);
    }
}

impl Method {
    /// Whether the method takes `rtol`, `atol` and `max_step`.
    pub fn takes_tolerances(self) -> bool {
        matches!(self, Self::Auto | Self::Bs23 | Self::Dopri5 | Self::Dop853)
    }

    /// Whether the method takes a `step`.
    pub fn takes_step(self) -> bool {
        matches!(self, Self::Auto | Self::Bs23) || !self.takes_tolerances()
    }
}
