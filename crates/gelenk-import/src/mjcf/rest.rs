//! What is only listed.

use super::Reader;
use crate::values::View;
use crate::xml::Document;
use std::collections::BTreeSet;

/// Names of the sites that tendons run through.
pub(super) fn tendon_sites(document: &Document, root: usize) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for section in document.named(root, "tendon") {
        for element in document.descendants(section) {
            for attribute in document.attributes(element) {
                if matches!(attribute.name.as_str(), "site" | "sidesite") {
                    names.insert(attribute.value.trim());
                }
            }
        }
    }
    names
}

impl Reader<'_, '_> {
    /// Sections without a counterpart, one kind for each sort of element in them.
    pub(super) fn list_the_rest(&mut self, root: usize) {
        for section in self.document.children(root) {
            let name = self.document.name(section);
            let plural = match name {
                // Read already, or without meaning for a mechanism: memory, pictures.
                "compiler" | "default" | "worldbody" | "equality" | "size" | "statistic" | "visual"
                | "actuator" | "tendon" | "keyframe" => continue,
                "option" => {
                    self.option(section);
                    continue;
                }
                "sensor" => "sensors",
                "contact" => "contacts",
                "asset" => "assets",
                "deformable" => "deformable bodies",
                "extension" => "extensions",
                "custom" => "custom data",
                other => other,
            };
            for element in self.document.children(section) {
                let view = View::new(self.document, element);
                let shown = view.text("name").or(view.text("file")).unwrap_or_default();
                let kind = match name {
                    "asset" if matches!(self.document.name(element), "mesh" | "material") => continue,
                    "contact" if self.document.name(element) == "exclude" => continue,
                    "sensor" => plural.to_owned(),
                    _ => format!("{plural} ({})", self.document.name(element)),
                };
                self.robot.left_out.at(view.span());
                self.robot.left_out.add(&kind, shown);
            }
        }
    }

    /// Forces that an option switches on.
    fn option(&mut self, section: usize) {
        let view = View::new(self.document, section);
        self.robot.left_out.at(view.span());
        for (attribute, kind) in
            [("density", "fluid forces"), ("viscosity", "fluid forces"), ("wind", "wind")]
        {
            let numbers = view.numbers(attribute, self.report).unwrap_or_default();
            if numbers.iter().any(|x| *x != 0.0) {
                self.robot.left_out.add(kind, "");
            }
        }
    }
}
