//! Fixed tendons: weighted sums of joint displacements with springs and dampers along them.

use super::Reader;
use crate::drives::{Tendon, TendonEquality};
use crate::names::{Name, shown};
use crate::values::View;
use gelenk_file::report::Diagnostic;
use gelenk_math::suggest::closest;

impl<'a> Reader<'a, '_> {
    pub(super) fn tendons(&mut self, root: usize) {
        let sections: Vec<usize> = self.document.named(root, "tendon").collect();
        for section in sections {
            for element in self.document.children(section) {
                let own = View::new(self.document, element);
                self.robot.left_out.at(own.span());
                self.tendon_names.insert(own.name());
                match self.document.name(element) {
                    "fixed" => self.fixed_tendon(element),
                    other => self.robot.left_out.add(&format!("tendons ({other})"), own.name()),
                }
            }
        }
    }

    fn fixed_tendon(&mut self, element: usize) {
        let own = View::new(self.document, element);
        let view = own.with_defaults(self.defaults.of(own.text("class"), "tendon"));
        let name = view.name();
        let mut tendon =
            Tendon { name: name.to_owned(), joints: Vec::new(), stiffness: 0.0, damping: 0.0, slack: None };
        for child in self.document.named(element, "joint") {
            let part = View::new(self.document, child);
            let factor = part.required("coef", self.report).and_then(|_| part.number("coef", self.report));
            part.required("joint", self.report);
            let (Some(link), Some(factor)) = (self.joint_named(&part, "joint"), factor) else { return };
            if !self.robot.links.get(link).is_some_and(|link| link.joint.is_scalar()) {
                self.robot.left_out.add("fixed tendons over joints without a coordinate", name);
                return;
            }
            tendon.joints.push((link, factor));
        }
        let mut number = |attribute: &str| {
            let list = view.numbers(attribute, self.report).unwrap_or_default();
            (list.first().copied().unwrap_or(0.0), list.iter().skip(1).any(|x| *x != 0.0))
        };
        let ((stiffness, curved), (damping, curved_damping)) = (number("stiffness"), number("damping"));
        let (friction, armature) = (number("frictionloss").0, number("armature").0);
        tendon.stiffness = if self.settings.springs { stiffness } else { 0.0 };
        tendon.damping = if self.settings.dampers { damping } else { 0.0 };
        let slack = view.numbers("springlength", self.report).unwrap_or_default();
        tendon.slack = match slack.as_slice() {
            [-1.0, ..] | [] => None,
            [one] => Some([*one; 2]),
            [lower, upper, ..] => Some([*lower, *upper]),
        };
        let limited = self.limited(&view, "range", "limited").is_some() && self.settings.limits;
        for (there, kind) in [
            (limited, "limits of tendons"),
            (friction != 0.0 && self.settings.friction, "dry friction of tendons (frictionloss)"),
            (armature != 0.0, "rotor inertias of tendons (armature)"),
            (curved || curved_damping, "nonlinear springs and dampers of tendons"),
            (view.get("actuatorfrcrange").is_some(), "effort limits of tendons (actuatorfrcrange)"),
        ] {
            if there {
                self.robot.left_out.add(kind, name);
            }
        }
        self.tendons.insert(name, self.robot.tendons.len());
        self.robot.tendons.push(tendon);
    }

    /// The fixed tendon of this name; none for one of another kind, which is listed.
    pub(super) fn tendon_named(&mut self, view: &View<'a>, attribute: &str) -> Option<usize> {
        let name = view.get(attribute)?;
        let found = self.tendons.get(name.value.trim()).copied();
        if found.is_none() && !self.is_other_tendon(name.value.trim()) {
            let message = format!("there is no tendon \"{}\"", shown(&name.value));
            let near = closest(name.value.trim(), self.tendons.keys().copied());
            self.report.push(Diagnostic::error(name.span, message).meant(near));
        }
        found
    }

    /// Whether a tendon of the file was not taken over.
    fn is_other_tendon(&self, name: &str) -> bool {
        self.tendon_names.contains(name)
    }

    /// `L1 - L1_0 = a0 + a1 (L2 - L2_0) + ...` is a loop.
    pub(super) fn tendon_equality(&mut self, view: &View<'a>) {
        view.required("tendon1", self.report);
        let first = self.tendon_named(view, "tendon1");
        let other = self.tendon_named(view, "tendon2");
        let (Some(tendon), true) = (first, view.get("tendon2").is_none() || other.is_some()) else {
            self.robot.left_out.add("equalities (tendon)", view.name());
            return;
        };
        let mut coefficients = view.numbers("polycoef", self.report).unwrap_or_else(|| vec![0.0, 1.0]);
        coefficients.truncate(if other.is_some() { 5 } else { 1 });
        let name = Some(view.name()).filter(|name| !name.is_empty());
        self.robot.equalities.push(TendonEquality {
            name: Name::new(name, "tendon_equality"),
            tendon,
            other,
            coefficients,
        });
    }
}
