//! Default classes: attributes that elements have where they give none.

use crate::values::View;
use crate::xml::{Attribute, Document};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::suggest::closest;
use std::collections::BTreeMap;

/// The class around everything.
const MAIN: &str = "main";
/// Elements whose defaults matter here; the others are only listed.
const KNOWN: [&str; 8] = ["joint", "geom", "site", "equality", "tendon", "actuator", "mesh", "material"];
const ACTUATORS: [&str; 7] =
    ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder"];

/// Attributes by the name of the element.
type Class = BTreeMap<String, Vec<Attribute>>;

/// All classes, each with what it inherits.
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
    /// Other names of the main class.
    main: Vec<String>,
}

impl Defaults {
    pub(super) fn read(document: &Document, root: usize, report: &mut Report) -> Self {
        let mut defaults =
            Self { classes: BTreeMap::from([(MAIN.to_owned(), Class::new())]), main: Vec::new() };
        // Each class with the one it inherits from. The outermost are the main class whatever their name.
        let mut open: Vec<(usize, Option<String>)> =
            document.named(root, "default").rev().map(|element| (element, None)).collect();
        while let Some((element, parent)) = open.pop() {
            let own = View::new(document, element).get("class");
            let name = match (own, &parent) {
                (_, None) => {
                    defaults.main.extend(own.map(|own| own.value.clone()));
                    MAIN.to_owned()
                }
                (Some(own), _) => own.value.clone(),
                (None, Some(_)) => {
                    let message = "a nested default needs the attribute \"class\"";
                    report.push(Diagnostic::error(document.span(element), message));
                    continue;
                }
            };
            let inherited = parent.as_deref().and_then(|parent| defaults.classes.get(parent)).cloned();
            let class = defaults.classes.entry(name.clone()).or_default();
            for (tag, attributes) in inherited.unwrap_or_default() {
                let known = class.entry(tag).or_default();
                let new = |a: &Attribute| known.iter().all(|k| k.name != a.name);
                let more: Vec<Attribute> = attributes.into_iter().filter(new).collect();
                known.extend(more);
            }
            for child in document.children(element) {
                let tag = document.name(child);
                // All kinds of actuators share one set of defaults.
                let tag = if ACTUATORS.contains(&tag) { "actuator" } else { tag };
                if !KNOWN.contains(&tag) {
                    continue;
                }
                let known = class.entry(tag.to_owned()).or_default();
                for attribute in document.attributes(child) {
                    known.retain(|k| k.name != attribute.name);
                    known.push(attribute.clone());
                }
            }
            open.extend(document.named(element, "default").rev().map(|child| (child, Some(name.clone()))));
        }
        defaults
    }

    /// The attributes that an element has in a class, or in the main one.
    pub(super) fn of(&self, class: Option<&str>, tag: &str) -> &[Attribute] {
        let class = class.and_then(|class| self.classes.get(class)).or_else(|| self.classes.get(MAIN));
        class.and_then(|class| class.get(tag)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn knows(&self, class: &str) -> bool {
        self.classes.contains_key(class) || self.main.iter().any(|name| name == class)
    }

    /// The complaint about a class that does not exist.
    pub(super) fn unknown(&self, attribute: &Attribute) -> Diagnostic {
        let name = crate::names::shown(&attribute.value);
        Diagnostic::error(attribute.span, format!("there is no default class \"{name}\""))
            .meant(closest(&attribute.value, self.classes.keys().map(String::as_str)))
    }
}
