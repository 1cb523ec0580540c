//! Couplings of joints, and loops.

use super::{Place, Reader};
use crate::coupling::Coupling;
use crate::names::{Name, shown};
use crate::robot::{Frame, Loop, inverse};
use crate::values::View;
use gelenk_file::report::Diagnostic;
use gelenk_math::rotation::from_quaternion;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_math::suggest::closest;

/// A frame on a body of the file.
type End = (Place, Pose<f64>);

impl<'a> Reader<'a, '_> {
    pub(super) fn equalities(&mut self, root: usize) {
        // Where all links are in the pose of the file.
        let poses = self.robot.poses();
        let sections: Vec<usize> = self.document.named(root, "equality").collect();
        for section in sections {
            for element in self.document.children(section) {
                let own = View::new(self.document, element);
                let class = own.text("class");
                let view = own.with_defaults(self.defaults.of(class, "equality"));
                let tag = self.document.name(element);
                self.robot.left_out.at(view.span());
                if view.text("active") == Some("false") || !self.settings.equalities {
                    self.robot.left_out.add("inactive equalities", view.name());
                    continue;
                }
                match tag {
                    "joint" => self.coupling(&view),
                    "tendon" => self.tendon_equality(&view),
                    "connect" => self.connection(&view, "point", &poses),
                    "weld" => self.connection(&view, "rigid", &poses),
                    other => self.robot.left_out.add(&format!("equalities ({other})"), view.name()),
                }
            }
        }
    }

    /// The joint of this name.
    pub(super) fn joint_named(&mut self, view: &View<'a>, attribute: &str) -> Option<usize> {
        let name = view.get(attribute)?;
        let found = self.joints.get(name.value.trim()).copied();
        if found.is_none() {
            let message = format!("there is no joint \"{}\"", shown(&name.value));
            let near = closest(name.value.trim(), self.joints.keys().copied());
            self.report.push(Diagnostic::error(name.span, message).meant(near));
        }
        found
    }

    /// `y - y0 = a0 + a1 (x - x0) + ...` makes the first joint follow the second.
    fn coupling(&mut self, view: &View<'a>) {
        view.required("joint1", self.report);
        let Some(link) = self.joint_named(view, "joint1") else { return };
        let master = self.joint_named(view, "joint2");
        if view.get("joint2").is_some() && master.is_none() {
            return;
        }
        let mut coefficients = view.numbers("polycoef", self.report).unwrap_or_else(|| vec![0.0, 1.0]);
        coefficients.truncate(if master.is_some() { 5 } else { 1 });
        let links = &mut self.robot.links;
        let scalar = |link: usize| links.get(link).is_some_and(|link| link.joint.is_scalar());
        if !scalar(link) || master.is_some_and(|master| !scalar(master)) {
            self.robot.left_out.add("couplings of joints without a coordinate", view.name());
        } else if links[link].joint.coupling.is_some() || master == Some(link) {
            self.robot.left_out.add("couplings of joints that already follow another joint", view.name());
        } else {
            links[link].joint.coupling = Some(Coupling { master, coefficients });
        }
    }

    /// Two frames that stay together: points of `<connect>`, or with their axes of `<weld>`.
    fn connection(&mut self, view: &View<'a>, kind: &'static str, poses: &[Pose<f64>]) {
        let ends = match view.get("site1") {
            Some(_) => self.between_sites(view),
            None => self.between_bodies(view, kind == "rigid", poses),
        };
        let Some(ends) = ends else { return };
        let name = Some(view.name()).filter(|name| !name.is_empty());
        if ends[0].0.link == ends[1].0.link {
            self.robot.left_out.add("connections within one body", view.name());
            return;
        }
        let base = name.unwrap_or("loop");
        let mut number = 0;
        let frames = ends.map(|(place, mut pose)| {
            pose.position -= place.offset;
            number += 1;
            let name = Name::new(None, format!("{base}_{number}"));
            if kind == "point" {
                pose.rotation = Pose::identity().rotation;
            }
            self.robot.frames.push(Frame { name, body: place.link, pose, remark: None });
            self.robot.frames.len() - 1
        });
        self.robot.loops.push(Loop { name: Name::new(name, "loop"), kind, between: frames });
    }

    fn between_sites(&mut self, view: &View<'a>) -> Option<[End; 2]> {
        let (first, second) = (self.site_named(view, "site1"), self.site_named(view, "site2"));
        Some([first?, second?])
    }

    /// The ends on two bodies. In the pose of the file they coincide, unless a weld says how the bodies lie.
    fn between_bodies(&mut self, view: &View<'a>, weld: bool, poses: &[Pose<f64>]) -> Option<[End; 2]> {
        view.required("body1", self.report);
        let first = self.body_named(view, "body1")?;
        let second = match view.get("body2") {
            Some(_) => self.body_named(view, "body2")?,
            None => Place::GROUND,
        };
        if !weld {
            view.required("anchor", self.report);
        }
        let anchor = view.vector("anchor", self.report).unwrap_or_else(Vec3::zeros);
        let anchor = Pose::new(Pose::identity().rotation, anchor);
        let pose = |place: Place| {
            let link = place.link.and_then(|link| poses.get(link).copied());
            link.unwrap_or_else(Pose::identity) * Pose::new(Pose::identity().rotation, -place.offset)
        };
        let second_in_first = inverse(&pose(first)) * pose(second);
        if !weld {
            // The anchor is given on the first body.
            return Some([(first, anchor), (second, inverse(&second_in_first) * anchor)]);
        }
        let given = view.fixed::<7>("relpose", self.report).and_then(|[x, y, z, quaternion @ ..]| {
            let rotation = from_quaternion(quaternion);
            // A zero quaternion means the pose of the file.
            rotation.iter().all(|x| x.is_finite()).then(|| Pose::new(rotation, Vec3::new(x, y, z)))
        });
        // The anchor is given on the second body; a relative pose says where it is on the first one.
        Some([(first, given.unwrap_or(second_in_first * anchor)), (second, anchor)])
    }

    fn body_named(&mut self, view: &View<'a>, attribute: &str) -> Option<Place> {
        let name = view.get(attribute)?;
        if name.value.trim() == "world" {
            return Some(Place::GROUND);
        }
        let found = self.bodies.get(name.value.trim()).copied();
        if found.is_none() {
            let message = format!("there is no body \"{}\"", shown(&name.value));
            let near = closest(name.value.trim(), self.bodies.keys().copied());
            self.report.push(Diagnostic::error(name.span, message).meant(near));
        }
        found
    }

    fn site_named(&mut self, view: &View<'a>, attribute: &str) -> Option<End> {
        let name = view.required(attribute, self.report)?;
        let found = self.sites.get(name.value.trim()).copied();
        if found.is_none() {
            let message = format!("there is no site \"{}\"", shown(&name.value));
            let near = closest(name.value.trim(), self.sites.keys().copied());
            self.report.push(Diagnostic::error(name.span, message).meant(near));
        }
        found
    }
}
