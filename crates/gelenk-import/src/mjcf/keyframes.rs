//! Keyframes: states to start at.

use super::Reader;
use crate::robot::Motion;
use crate::values::View;
use gelenk_file::report::Diagnostic;
use gelenk_math::rotation::from_quaternion;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_math::suggest::closest;

impl<'a> Reader<'a, '_> {
    /// Starts at the keyframe of this name; the others are listed.
    pub(super) fn keyframes(&mut self, root: usize, wanted: Option<&str>) {
        let mut keys: Vec<(usize, String)> = Vec::new();
        for section in self.document.named(root, "keyframe") {
            for element in self.document.named(section, "key") {
                let name = View::new(self.document, element).name();
                let number = keys.len().to_string();
                keys.push((element, if name.is_empty() { number } else { name.to_owned() }));
            }
        }
        let found = wanted.and_then(|wanted| keys.iter().find(|(_, name)| name == wanted));
        if let (Some(wanted), None) = (wanted, found) {
            let message = format!("there is no keyframe \"{}\"", crate::names::shown(wanted));
            let names: Vec<&str> = keys.iter().map(|(_, name)| name.as_str()).collect();
            let help = match names.as_slice() {
                [] => "this file has no keyframes: omit --start".to_owned(),
                names => format!("the file has {}", crate::names::shown(&names.join(", "))),
            };
            let diagnostic = Diagnostic::error(self.document.span(root), message).help(help);
            self.report.push(diagnostic.meant(closest(wanted, names.iter().copied())));
        }
        for (element, name) in &keys {
            if found.is_some_and(|(chosen, _)| chosen == element) {
                self.start_at(*element);
            } else {
                self.robot.left_out.at(self.document.span(*element));
                self.robot.left_out.add("keyframes, which --start selects", name);
            }
        }
    }

    fn start_at(&mut self, element: usize) {
        let view = View::new(self.document, element);
        if let Some(mut positions) = self.counted(&view, "qpos", |motion| match motion {
            Motion::Fixed => 0,
            Motion::Revolute | Motion::Prismatic => 1,
            Motion::Ball => 4,
            Motion::Free => 7,
        }) {
            positions.reverse();
            for link in &mut self.robot.links {
                let joint = &mut link.joint;
                let mut next = || positions.pop().unwrap_or(0.0);
                match joint.motion {
                    Motion::Fixed => {}
                    Motion::Revolute | Motion::Prismatic => joint.start_value = Some(next()),
                    Motion::Ball | Motion::Free => {
                        let mut position = Vec3::zeros();
                        if joint.motion == Motion::Free {
                            position = Vec3::new(next(), next(), next());
                        }
                        let quaternion = [next(), next(), next(), next()];
                        let rotation = from_quaternion(quaternion);
                        // MuJoCo takes a zero quaternion as no rotation.
                        let zero = quaternion == [0.0; 4];
                        let rotation = if zero { Pose::identity().rotation } else { rotation };
                        joint.start = Pose::new(rotation, position);
                    }
                }
            }
        }
        if let Some(mut rates) = self.counted(&view, "qvel", |motion| match motion {
            Motion::Fixed => 0,
            Motion::Revolute | Motion::Prismatic => 1,
            Motion::Ball => 3,
            Motion::Free => 6,
        }) {
            rates.reverse();
            for link in &mut self.robot.links {
                let joint = &mut link.joint;
                let mut three = || Vec3::from_fn(|_, _| rates.pop().unwrap_or(0.0));
                match joint.motion {
                    Motion::Fixed => {}
                    Motion::Revolute | Motion::Prismatic => joint.start_rate = rates.pop().unwrap_or(0.0),
                    Motion::Ball => joint.start_velocity = [three(), Vec3::zeros()],
                    Motion::Free => {
                        // The linear velocity is that of the world, the angular one that of the body.
                        let (linear, angular) = (three(), three());
                        joint.start_velocity = [angular, joint.start.rotation.transpose() * linear];
                    }
                }
            }
        }
        self.controls_at(&view);
        if view.numbers("act", self.report).is_some_and(|act| act.iter().any(|x| *x != 0.0)) {
            self.robot.left_out.at(view.span());
            self.robot.left_out.add("states of actuators in keyframes", view.name());
        }
    }

    /// The numbers of an attribute if there are as many as the joints need.
    fn counted(&mut self, view: &View<'a>, name: &str, size: fn(Motion) -> usize) -> Option<Vec<f64>> {
        let list = view.numbers(name, self.report)?;
        let needed: usize = self.robot.links.iter().map(|link| size(link.joint.motion)).sum();
        if list.len() == needed {
            return Some(list);
        }
        let span = view.get(name).map_or(view.span(), |attribute| attribute.span);
        let message = format!("\"{name}\" needs {needed} numbers");
        self.report.push(Diagnostic::error(span, message).label(format!("found {}", list.len())));
        None
    }

    fn controls_at(&mut self, view: &View<'a>) {
        let Some(list) = view.numbers("ctrl", self.report) else { return };
        if list.len() != self.controls.len() {
            self.robot.left_out.at(view.span());
            self.robot.left_out.add("commands of keyframes with the wrong number of values", view.name());
            return;
        }
        for (value, drive) in list.into_iter().zip(&self.controls) {
            if let Some(drive) = drive.and_then(|drive| self.robot.drives.get_mut(drive)) {
                drive.value = value;
            }
        }
    }
}
