//! Names that fields refer to: whether there is what they name, as the roles of the fields say.

use super::coordinates::Coordinates;
use crate::model_file::ModelFile;
use crate::sorts;
use gelenk_file::read::{Read, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::role::{Role, Sort};
use gelenk_file::visit::Visitor;
use gelenk_math::suggest::closest;
use std::collections::{BTreeMap, BTreeSet};

/// Complains about references to what is not there.
pub(super) fn check(model: &ModelFile, coordinates: &Coordinates, report: &mut Report) {
    let mut references = References::default();
    // Who walks may change what he sees; this one does not.
    model.clone().walk(Role::Plain, &mut references);
    let References { mut defined, used } = references;
    // Joints give coordinates their own names where they say nothing else.
    let named = coordinates.list.iter().map(|coordinate| coordinate.name.text.clone());
    defined.insert(sorts::COORDINATE.noun, named.collect());
    let sets: BTreeMap<&str, BTreeSet<&str>> =
        defined.iter().map(|(noun, names)| (*noun, names.iter().map(String::as_str).collect())).collect();
    for (sort, name) in &used {
        let open = *sort == sorts::COORDINATE && coordinates.incomplete;
        // A frame of an inertia is checked with the body that has it.
        if open || *sort == sorts::INERTIA_FRAME || sort.given == Some(&**name) {
            continue;
        }
        if sort.nouns().any(|noun| sets.get(noun).is_some_and(|names| names.contains(&**name))) {
            continue;
        }
        let known = sort.nouns().filter_map(|noun| defined.get(noun)).flatten().map(String::as_str);
        let diagnostic = Diagnostic::error(name.span, format!("there is no {} \"{}\"", sort.noun, name.text));
        report.push(diagnostic.meant(closest(name, known.chain(sort.given))));
    }
}

#[derive(Default)]
struct References {
    /// Names by the noun of their sort, in the order of the file.
    defined: BTreeMap<&'static str, Vec<String>>,
    used: Vec<(Sort, Text)>,
}

impl Visitor for References {
    fn name(&mut self, sort: Sort, name: &mut Text) {
        self.defined.entry(sort.noun).or_default().push(name.text.clone());
    }

    fn text(&mut self, role: Role, text: &mut Text) {
        match role {
            Role::Names(sort) => self.name(sort, text),
            Role::Refers(sort) => self.used.push((sort, text.clone())),
            _ => {}
        }
    }
}
