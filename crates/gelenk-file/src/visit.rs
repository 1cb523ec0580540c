//! Walks over everything in a file, with the roles of the fields.

use crate::formula::Formula;
use crate::quantity::Number;
use crate::read::Text;
use crate::role::{Role, Sort};

/// Who looks at, and perhaps changes, all that is in a file.
pub trait Visitor {
    /// A formula, be it a runtime expression or the value of a number.
    fn formula(&mut self, _role: Role, _formula: &mut Formula) {}

    /// The path of a number, of a structural one too.
    fn path(&mut self, _path: &mut String) {}

    /// A number with its path; both parts are visited unless this says otherwise.
    fn number(&mut self, role: Role, number: &mut Number) {
        self.path(&mut number.path);
        self.formula(role, &mut number.formula);
    }

    /// A name that a key gives to something.
    fn name(&mut self, _sort: Sort, _name: &mut Text) {}

    /// A string: perhaps a name, perhaps a reference.
    fn text(&mut self, _role: Role, _text: &mut Text) {
        self.settled();
    }

    /// Anything that is set once and for all: a word, a switch, a number of the structure.
    fn settled(&mut self) {}

    /// Which axes of what the table describes are reversed. Not a key of any file.
    fn axes(&mut self, _reversed: &mut [bool; 3]) {}

    /// Whether a measure with a sign is turned. Not a key of any file.
    fn turned(&mut self, _role: Role, _reversed: &mut bool) {}

    /// What follows lies under this key.
    fn enter(&mut self, _key: &str) {}

    /// Ends what [`Visitor::enter`] began.
    fn leave(&mut self) {}
}

/// Runs `action` for what lies under a key.
pub fn under(visitor: &mut dyn Visitor, key: &str, action: impl FnOnce(&mut dyn Visitor)) {
    visitor.enter(key);
    action(visitor);
    visitor.leave();
}

/// What a table knows besides what stands in the file.
pub trait Beside {
    /// Shows it to `visitor`.
    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor);
}

/// Whether a measure with a sign is turned.
impl Beside for bool {
    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        visitor.turned(role, self);
    }
}
