//! What sets the structure of a model: everything that is no number, and numbers that cannot change without compiling again.

use crate::model_file::ModelFile;
use crate::quantity::{Formula, Number};
use gelenk_file::read::Read;
use gelenk_file::role::Role;
use gelenk_file::visit::Visitor;

/// The paths of words, names, switches, expressions and structural numbers of a model.
pub(super) fn settled(model: &ModelFile) -> Vec<String> {
    let mut structure = Structure::default();
    // Who walks may change what he sees; this one does not.
    model.clone().walk(Role::Plain, &mut structure);
    structure.paths
}

#[derive(Default)]
struct Structure {
    place: Vec<String>,
    paths: Vec<String>,
}

impl Visitor for Structure {
    fn enter(&mut self, key: &str) {
        self.place.push(key.to_owned());
    }

    fn leave(&mut self) {
        self.place.pop();
    }

    fn settled(&mut self) {
        self.paths.push(self.place.join("."));
    }

    fn formula(&mut self, _: Role, _: &mut Formula) {
        self.settled();
    }

    /// A number can be set.
    fn number(&mut self, _: Role, _: &mut Number) {}
}
