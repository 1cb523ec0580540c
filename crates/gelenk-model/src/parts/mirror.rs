//! The reflected model. Coordinates, lengths, laws and curves keep their values; vectors change their components, as the
//! roles of their fields say.

use super::Reflection;
use crate::model_file::ModelFile;
use crate::quantity::Formula;
use gelenk_file::read::Read;
use gelenk_file::role::Role;
use gelenk_file::visit::{Beside, Visitor};

/// Reflects the model in a plane of its ground. Frames keep three axes of the right-handed kind, so the components of
/// frames, axes and vectors change as [`Reflection`] says.
pub(super) fn mirror(model: &mut ModelFile, reflection: Reflection) {
    model.walk(Role::Plain, &mut Mirror { reflection });
}

struct Mirror {
    reflection: Reflection,
}

impl Mirror {
    fn reverses(&self, role: Role) -> bool {
        matches!(role, Role::Signed(axes) if self.reflection.reverses(axes))
    }
}

impl Visitor for Mirror {
    fn formula(&mut self, role: Role, formula: &mut Formula) {
        if self.reverses(role) {
            formula.negate();
        }
    }

    fn axes(&mut self, reversed: &mut [bool; 3]) {
        for (k, reversed) in reversed.iter_mut().enumerate() {
            *reversed ^= self.reflection.polar(k);
        }
    }

    fn turned(&mut self, role: Role, reversed: &mut bool) {
        *reversed ^= self.reverses(role);
    }
}

/// How the axes of what a table describes are reflected.
impl Beside for Reflection {
    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        visitor.axes(&mut self.reversed);
    }
}
