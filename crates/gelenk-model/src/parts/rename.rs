//! Prefixes of names, paths and formulas.

use super::Reflection;
use crate::elements::{ElementPlace, FORCES};
use crate::joints::JointType;
use crate::model_file::ModelFile;
use crate::quantity::Formula;
use gelenk_file::read::{Named, Read, Text};
use gelenk_file::role::{Role, Sort};
use gelenk_file::visit::Visitor;
use gelenk_math::expression::Renamed;
use std::collections::BTreeMap;

/// The body that is always there.
const GROUND: &str = "ground";

/// What names of a part become in the model that uses it.
pub(super) struct Naming<'a> {
    /// What they begin with.
    pub(super) prefix: &'a str,
    /// The frame that the part's ground becomes.
    pub(super) ground: &'a str,
}

impl Naming<'_> {
    /// A name that the part defines.
    fn define(&self, name: &mut Text) {
        name.text.insert_str(0, self.prefix);
    }

    /// A name of this sort that the part uses.
    fn refer(&self, sort: Sort, name: &mut Text) {
        match sort.given {
            Some(GROUND) if name.text == GROUND => name.text = self.ground.to_owned(),
            Some(given) if name.text == given => {}
            _ => self.define(name),
        }
    }

    /// The path that a path of the part becomes: the name behind its table gets the prefix.
    pub(super) fn path(&self, path: &str) -> String {
        match path.split_once('.') {
            Some((table, rest)) => format!("{table}.{}{rest}", self.prefix),
            None => path.to_owned(),
        }
    }
}

/// Gives everything in the model its prefix. `reflection` is that of the part: formulas use what the part means by the
/// velocities of its free joints, which a mirror reverses.
pub(super) fn rename(model: &mut ModelFile, naming: &Naming<'_>, reflection: Reflection) {
    let signs = spin_signs(model, reflection);
    for (_, force) in model.elements.table_mut(FORCES).into_iter().flat_map(Named::iter_mut) {
        // Components without axes are those of the part's ground.
        if let ElementPlace::Frame { on, axes } = &mut force.place {
            let span = on.span;
            axes.get_or_insert_with(|| Text { text: GROUND.to_owned(), span });
        }
    }
    model.walk(Role::Plain, &mut Prefix { naming, signs });
}

/// Components of free and ball joints, and whether the mirror reverses them.
fn spin_signs(model: &ModelFile, reflection: Reflection) -> BTreeMap<String, bool> {
    let mut signs = BTreeMap::new();
    for (name, joint) in model.joints.iter() {
        let turning = match joint.kind.value {
            JointType::Free => true,
            JointType::Ball => joint.coordinates.is_none(),
            _ => false,
        };
        if turning {
            for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                for (kind, reversed) in [
                    ("", reflection.polar(k)),
                    ("v", reflection.polar(k)),
                    ("q", reflection.axial(k)),
                    ("w", reflection.axial(k)),
                ] {
                    signs.insert(format!("{}.{kind}{axis}", name.text), reversed);
                }
            }
        }
    }
    signs
}

struct Prefix<'a> {
    naming: &'a Naming<'a>,
    signs: BTreeMap<String, bool>,
}

impl Prefix<'_> {
    fn variable(&self, name: &str) -> String {
        let prefix = self.naming.prefix;
        match name.strip_prefix("parameters.") {
            Some(short) => format!("parameters.{prefix}{short}"),
            None if name == "t" => name.to_owned(),
            None => format!("{prefix}{name}"),
        }
    }
}

impl Visitor for Prefix<'_> {
    fn path(&mut self, path: &mut String) {
        *path = self.naming.path(path);
    }

    fn name(&mut self, _: Sort, name: &mut Text) {
        self.naming.define(name);
    }

    fn text(&mut self, role: Role, text: &mut Text) {
        match role {
            Role::Names(_) => self.naming.define(text),
            Role::Refers(sort) => self.naming.refer(sort, text),
            _ => {}
        }
    }

    fn formula(&mut self, _: Role, formula: &mut Formula) {
        // A formula that is only a name is recognised by its text.
        let alone = formula.text.trim();
        if formula.expression.variables().any(|(name, _)| name == alone) {
            formula.text = self.variable(alone);
        }
        formula.expression = formula.expression.renamed(
            &|name| Renamed {
                name: self.variable(name),
                reversed: self.signs.get(name).copied().unwrap_or(false),
            },
            &|curve| format!("{}{curve}", self.naming.prefix),
        );
    }
}
