//! Masses, joints and loops of a model.

use super::Reader;
use super::scope::{Edge, Item, Scope};
use crate::coupling::Coupling;
use crate::drives::{Drive, Target};
use crate::names::Name;
use crate::robot::{Frame, Joint, Link, Loop, Motion, inverse};
use gelenk_file::report::Diagnostic;
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_math::suggest::closest;
use std::collections::BTreeMap;

/// Types of joints in SDF.
const TYPES: [&str; 9] =
    ["fixed", "revolute", "continuous", "prismatic", "ball", "universal", "revolute2", "screw", "gearbox"];

/// Displacements from here on count as no limit.
const NO_LIMIT: f64 = 1e16;

/// A link that was made: its number, and the frame of the file in that of the body.
#[derive(Clone, Copy)]
struct Made {
    link: usize,
    /// The body frame in the world.
    pose: Pose<f64>,
}

impl Reader<'_, '_> {
    /// Adds a model; where there are several, names begin with its own.
    pub(super) fn model(&mut self, model: usize, several: bool) {
        let Some(scope) = self.scope(model, false, 0) else { return };
        if scope.links.is_empty() {
            let message = "this model has no links";
            self.report.push(Diagnostic::error(self.document.span(model), message));
        }
        let (placement, base) = self.pose(model);
        if let Some((_, span)) = base.filter(|(base, _)| base != "world") {
            let message = "the pose of a model in a world is relative to the world";
            self.report.push(Diagnostic::error(span, message));
        }
        let prefix = if several { format!("{}::", self.view(model).name()) } else { String::new() };
        self.list_the_rest(
            model,
            &["link", "joint", "frame", "model", "pose", "static", "self_collide", "allow_auto_disable"],
        );
        self.tree(&scope, &placement, &prefix);
    }

    fn tree(&mut self, scope: &Scope, world: &Pose<f64>, prefix: &str) {
        let mut leaving: BTreeMap<Option<&str>, Vec<&Edge>> = BTreeMap::new();
        let mut carried: BTreeMap<&str, &Edge> = BTreeMap::new();
        let mut closing: Vec<&Edge> = Vec::new();
        for edge in &scope.joints {
            let Some(child) = edge.child.as_deref() else {
                let message = "the child of a joint cannot be the world";
                self.report.push(Diagnostic::error(self.document.span(edge.item.element), message));
                continue;
            };
            if carried.contains_key(child) || edge.parent.as_deref() == Some(child) {
                closing.push(edge);
                continue;
            }
            carried.insert(child, edge);
            leaving.entry(edge.parent.as_deref()).or_default().push(edge);
        }
        let links: BTreeMap<&str, &Item> =
            scope.links.iter().map(|link| (link.name.as_str(), link)).collect();
        let mut made: BTreeMap<&str, Made> = BTreeMap::new();
        let mut joints: BTreeMap<&str, usize> = BTreeMap::new();
        let mut open: Vec<(&Edge, Option<Made>)> =
            leaving.get(&None).into_iter().flatten().rev().map(|edge| (*edge, None)).collect();
        // Links that no joint carries move freely, unless the model is static.
        for link in scope.links.iter().rev().filter(|link| !carried.contains_key(link.name.as_str())) {
            let motion = if link.fixed { Motion::Fixed } else { Motion::Free };
            let name = Name::new(None, format!("{prefix}{}_root", link.name));
            let mut joint = Joint::new(name, motion, None, Pose::identity());
            let pose = *world * link.pose;
            if motion == Motion::Free {
                joint.start = pose
            } else {
                joint.placement = pose
            }
            let new = Made { link: self.push(joint, link, prefix, &pose, &pose), pose };
            made.insert(&link.name, new);
            open.extend(
                leaving.get(&Some(link.name.as_str())).into_iter().flatten().rev().map(|e| (*e, Some(new))),
            );
        }
        while let Some((edge, parent)) = open.pop() {
            let Some(link) = edge.child.as_deref().and_then(|child| links.get(child)) else { continue };
            let Some(new) = self.edge(edge, parent, link, world, prefix) else { continue };
            made.insert(&link.name, new);
            joints.insert(&edge.item.name, new.link);
            open.extend(
                leaving.get(&Some(link.name.as_str())).into_iter().flatten().rev().map(|e| (*e, Some(new))),
            );
        }
        if let Some(edge) =
            carried.values().find(|edge| edge.child.as_deref().is_some_and(|c| !made.contains_key(c)))
            && !self.report.has_errors()
        {
            let message = "the joints form a cycle without a root link";
            self.report.push(Diagnostic::error(self.document.span(edge.item.element), message));
        }
        for link in &scope.links {
            if let Some(on) = made.get(link.name.as_str()) {
                self.skins(link, on.link, &(inverse(&on.pose) * *world * link.pose), scope);
            }
        }
        for edge in closing {
            self.close(edge, &made, world, prefix);
        }
        for (frame, body) in &scope.frames {
            let on = body.as_deref().and_then(|body| made.get(body));
            let pose = *world * frame.pose;
            let pose = on.map_or(pose, |on| inverse(&on.pose) * pose);
            let name = Name::new(Some(&format!("{prefix}{}", frame.name)), "frame");
            self.robot.frames.push(Frame { name, body: on.map(|on| on.link), pose, remark: None });
        }
        self.mimics(&scope.joints, &joints);
    }

    /// Adds a link with its mass; `pose` is the frame of the link in the world, `body` that of the body.
    fn push(&mut self, joint: Joint, link: &Item, prefix: &str, pose: &Pose<f64>, body: &Pose<f64>) -> usize {
        let name = Name::new(Some(&format!("{prefix}{}", link.name)), "link");
        self.robot.links.push(Link::new(name, joint));
        let made = self.robot.links.len() - 1;
        let (mass, centre, inertia) = self.inertial(link);
        let inside = inverse(body) * *pose;
        let found = &mut self.robot.links[made];
        found.mass = mass;
        found.centre = inside.point(&centre);
        found.inertia = inside.rotation * inertia * inside.rotation.transpose();
        if inside.position.norm() > 1e-12 {
            let point = -(inside.rotation.transpose() * inside.position);
            let point: Vec<String> = point.iter().map(|x| gelenk_file::draft::number(*x)).collect();
            let point = point.join(", ");
            found.remarks.push(format!("its frame is at [{point}] of the original one, where its joint is"));
        }
        let falls = self.word(link.element, "gravity").is_none_or(|word| !matches!(word, "false" | "0"));
        self.robot.links[made].gravity_compensation = f64::from(u8::from(!falls));
        self.list_the_rest(
            link.element,
            &["inertial", "pose", "gravity", "visual", "collision", "self_collide"],
        );
        made
    }

    /// Mass, centre and inertia in the frame of the link.
    fn inertial(&mut self, link: &Item) -> (f64, Vec3<f64>, Mat3<f64>) {
        let Some(element) = self.document.child(link.element, "inertial") else {
            self.robot.changed.at(self.document.span(link.element));
            self.robot
                .changed
                .add("links without <inertial>: 1 kg and 1 kg m^2, the defaults of SDF", &link.name);
            return (1.0, Vec3::zeros(), Mat3::identity());
        };
        if self.view(element).text("auto").is_some_and(|auto| matches!(auto, "true" | "1")) {
            let message = "inertias from shapes (auto) are not computed";
            let help = "write mass and inertia, for example with: gz sdf --inertial-stats";
            self.report.push(Diagnostic::error(self.document.span(element), message).help(help));
        }
        let (pose, _) = self.pose(element);
        let mass = self.number(element, "mass").unwrap_or(1.0);
        let inertia = self.document.child(element, "inertia");
        let mut entry = |tag: &str, default: f64| {
            inertia.and_then(|inertia| self.number(inertia, tag)).unwrap_or(default)
        };
        let [xx, yy, zz] = [entry("ixx", 1.0), entry("iyy", 1.0), entry("izz", 1.0)];
        let [xy, xz, yz] = [entry("ixy", 0.0), entry("ixz", 0.0), entry("iyz", 0.0)];
        let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        if ![mass, xx, yy, zz, xy, xz, yz].iter().all(|x| x.is_finite()) {
            let message = "mass and inertia must be finite";
            self.report.push(Diagnostic::error(self.document.span(element), message));
        }
        (mass, pose.position, pose.rotation * tensor * pose.rotation.transpose())
    }

    /// Adds the joint and the link that it carries.
    fn edge(
        &mut self,
        edge: &Edge,
        parent: Option<Made>,
        link: &Item,
        world: &Pose<f64>,
        prefix: &str,
    ) -> Option<Made> {
        let element = edge.item.element;
        let kind = self.view(element).required("type", self.report)?;
        let word = kind.value.trim();
        let motions: &[Motion] = match word {
            "fixed" => &[Motion::Fixed],
            "revolute" | "continuous" => &[Motion::Revolute],
            "prismatic" => &[Motion::Prismatic],
            "ball" => &[Motion::Ball],
            "universal" | "revolute2" => &[Motion::Revolute, Motion::Revolute],
            "screw" => &[Motion::Revolute, Motion::Prismatic],
            other => {
                let message = match other {
                    "gearbox" => "gearbox joints are not supported".to_owned(),
                    _ => format!("there is no joint type \"{}\"", crate::names::shown(other)),
                };
                let near = if other == "gearbox" { None } else { closest(other, TYPES) };
                self.report.push(Diagnostic::error(kind.span, message).meant(near));
                return None;
            }
        };
        let link_pose = *world * link.pose;
        let anchor = if word == "fixed" { link_pose.position } else { world.point(&edge.item.pose.position) };
        // The body has the axes of its link, and its origin where the joint is.
        let body = Pose::new(link_pose.rotation, anchor);
        let full = format!("{prefix}{}", edge.item.name);
        let mut at = parent;
        for (i, motion) in motions.iter().enumerate() {
            let (from, link_at) = at.map_or((Pose::identity(), None), |at| (at.pose, Some(at.link)));
            let name = if i == 0 {
                Name::new(Some(&full), "joint")
            } else {
                Name::new(None, format!("{full}_{}", i + 1))
            };
            let mut joint = Joint::new(name, *motion, link_at, inverse(&from) * body);
            let axis = edge.axes.get(if word == "screw" { 0 } else { i });
            let axis =
                axis.map(|(element, axis)| (*element, body.rotation.transpose() * world.rotation * axis));
            if let Some((_, axis)) = axis.filter(|_| joint.is_scalar()) {
                joint.axis = axis;
            }
            let follows = word == "screw" && i == 1;
            let mut drive = None;
            if let Some((axis, _)) = axis.filter(|_| joint.is_scalar() && !follows) {
                drive = self.axis(axis, &mut joint, word == "continuous", &full);
            }
            if follows {
                let coefficients = vec![0.0, self.lead(element)? / std::f64::consts::TAU];
                joint.coupling = Some(Coupling { master: link_at, coefficients });
            }
            let last = i + 1 == motions.len();
            let new = if last {
                self.push(joint, link, prefix, &link_pose, &body)
            } else {
                let mut between = Link::new(Name::new(None, format!("{full}_between")), joint);
                between
                    .remarks
                    .push(format!("without mass, inside the joint {}", crate::names::shown(&full)));
                self.robot.links.push(between);
                self.robot.links.len() - 1
            };
            self.robot.drives.extend(drive.map(|drive| Drive { target: Target::Joint(new), ..drive }));
            at = Some(Made { link: new, pose: body });
        }
        self.list_the_rest(
            element,
            &["parent", "child", "axis", "axis2", "pose", "screw_thread_pitch", "thread_pitch"],
        );
        at
    }

    /// The way of a screw in one revolution (m).
    fn lead(&mut self, joint: usize) -> Option<f64> {
        if let Some(pitch) = self.number(joint, "screw_thread_pitch") {
            return Some(pitch);
        }
        // The former element has radians for each metre, the other way round.
        let former = self.number(joint, "thread_pitch").filter(|pitch| *pitch != 0.0);
        if former.is_none() {
            let message = "a screw joint needs <screw_thread_pitch>";
            self.report.push(Diagnostic::error(self.document.span(joint), message));
        }
        former.map(|pitch| -std::f64::consts::TAU / pitch)
    }

    /// Limits, damping, friction and spring of an axis, and its drive.
    fn axis(&mut self, axis: usize, joint: &mut Joint, endless: bool, name: &str) -> Option<Drive> {
        let span = self.document.span(axis);
        self.robot.left_out.at(span);
        if let Some(dynamics) = self.document.child(axis, "dynamics") {
            let mut number = |tag: &str| self.number(dynamics, tag).unwrap_or(0.0);
            (joint.damping, joint.dry_friction) = (number("damping"), number("friction"));
            (joint.stiffness, joint.rest) = (number("spring_stiffness"), number("spring_reference"));
            let values = [joint.damping, joint.dry_friction, joint.stiffness];
            if values.iter().any(|x| *x < 0.0 || !x.is_finite()) || !joint.rest.is_finite() {
                let message = "damping, friction and stiffness must be finite and not negative";
                self.report.push(Diagnostic::error(self.document.span(dynamics), message));
            }
        }
        let limit = self.document.child(axis, "limit")?;
        let mut number = |tag: &str, default: f64| self.number(limit, tag).unwrap_or(default);
        let range = [number("lower", -NO_LIMIT), number("upper", NO_LIMIT)];
        let (effort, velocity) = (number("effort", -1.0), number("velocity", -1.0));
        let ends = [
            if range[0] <= -NO_LIMIT { f64::NEG_INFINITY } else { range[0] },
            if range[1] >= NO_LIMIT { f64::INFINITY } else { range[1] },
        ];
        if !endless && ends.iter().any(|end| end.is_finite()) {
            joint.range = Some(ends);
        }
        if !(effort > 0.0 && effort.is_finite()) {
            if velocity > 0.0 && velocity.is_finite() {
                self.robot.left_out.add("velocity limits of joints without a drive", name);
            }
            return None;
        }
        let mut drive = Drive::effort(name, 0);
        drive.effort_range = Some([-effort, effort]);
        drive.fastest = Some(velocity).filter(|velocity| *velocity > 0.0 && velocity.is_finite());
        Some(drive)
    }

    /// A joint to a link that another one carries already is a loop.
    fn close(&mut self, edge: &Edge, made: &BTreeMap<&str, Made>, world: &Pose<f64>, prefix: &str) {
        let element = edge.item.element;
        let kind = match self.view(element).text("type") {
            Some("fixed") => "rigid",
            Some("ball") => "point",
            Some("revolute" | "continuous") => "revolute",
            Some("prismatic") => "prismatic",
            other => {
                let message =
                    format!("a loop through a {} joint is not supported", other.unwrap_or("nameless"));
                self.report.push(Diagnostic::error(self.document.span(element), message));
                return;
            }
        };
        let full = format!("{prefix}{}", edge.item.name);
        let mut at = *world * edge.item.pose;
        // Loops turn and slide along z.
        if let Some((_, axis)) = edge.axes.first() {
            at.rotation = crate::mjcf::from_z(&(world.rotation * axis));
        }
        let mut number = 0;
        let between = [&edge.parent, &edge.child].map(|end| {
            let on = end.as_deref().and_then(|end| made.get(end));
            number += 1;
            let name = Name::new(None, format!("{full}_{number}"));
            let pose = on.map_or(at, |on| inverse(&on.pose) * at);
            self.robot.frames.push(Frame { name, body: on.map(|on| on.link), pose, remark: None });
            self.robot.frames.len() - 1
        });
        self.robot.loops.push(Loop { name: Name::new(Some(&full), "loop"), kind, between });
        self.robot.changed.at(self.document.span(element));
        self.robot.changed.add("joints that close a loop: constraints without limits and friction", &full);
    }

    /// `follower = multiplier (leader - reference) + offset`.
    fn mimics(&mut self, edges: &[Edge], joints: &BTreeMap<&str, usize>) {
        for edge in edges {
            for (axis, _) in &edge.axes {
                let Some(element) = self.document.child(*axis, "mimic") else { continue };
                let Some(leader) = self.view(element).required("joint", self.report) else { continue };
                // Names are those of the model around the joint.
                let scope = edge.item.name.rsplit_once("::").map_or("", |(scope, _)| scope);
                let name = if scope.is_empty() {
                    leader.value.clone()
                } else {
                    format!("{scope}::{}", leader.value)
                };
                let (link, master) = (joints.get(edge.item.name.as_str()), joints.get(name.trim()));
                let (Some(&link), Some(&master)) = (link, master) else {
                    let message = format!("there is no joint \"{}\"", crate::names::shown(&leader.value));
                    self.report.push(Diagnostic::error(leader.span, message));
                    continue;
                };
                let mut number = |tag: &str, default: f64| self.number(element, tag).unwrap_or(default);
                let (factor, offset) = (number("multiplier", 1.0), number("offset", 0.0));
                let reference = number("reference", 0.0);
                let links = &mut self.robot.links;
                if !links[link].joint.is_scalar() || !links[master].joint.is_scalar() || link == master {
                    self.robot.left_out.add("mimic elements of joints without a coordinate", &edge.item.name);
                    continue;
                }
                let coefficients = vec![offset - factor * reference, factor];
                links[link].joint.coupling = Some(Coupling { master: Some(master), coefficients });
                self.robot.drives.retain(|drive| drive.target != Target::Joint(link));
            }
        }
    }
}
