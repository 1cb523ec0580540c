//! Joints of a body. Several joints make a chain with bodies without mass between them.

use super::settings::word;
use super::tree::Item;
use super::{Place, Reader};
use crate::names::Name;
use crate::robot::{Joint, Motion};
use crate::stops::Settling;
use crate::values::{View, unit};
use gelenk_file::report::Diagnostic;
use gelenk_math::spatial::{Pose, Vec3};

impl<'a> Reader<'a, '_> {
    /// Makes the joints of a body and returns the place of the body. `placement` is its pose in the parent's link.
    pub(super) fn joints(
        &mut self,
        items: &[Item<'a>],
        body: Option<&'a str>,
        parent: Place,
        placement: Pose<f64>,
    ) -> Place {
        let is_joint = |item: &&Item<'a>| matches!(self.document.name(item.element), "joint" | "freejoint");
        let joints: Vec<Item<'a>> = items.iter().filter(is_joint).copied().collect();
        let count = joints.len();
        if count == 0 {
            return self.fixed(body, parent, placement);
        }
        let mut place = Place { link: parent.link, offset: Vec3::zeros() };
        for (i, item) in joints.iter().enumerate() {
            let (view, motion) = self.joint_type(item);
            let base = body.unwrap_or("joint");
            let fallback = if count == 1 { base.to_owned() } else { format!("{base}_{}", i + 1) };
            let given = view.text("name").filter(|name| !name.is_empty());
            let name = Name::new(given, &*fallback);
            if motion == Motion::Free && (parent.link.is_some() || count > 1) {
                let message = "a free joint must be the only joint of a body in the world";
                self.report.push(Diagnostic::error(view.span(), message));
            }
            // A slide has an axis but no place, so it stays where the chain is.
            let anchored = matches!(motion, Motion::Revolute | Motion::Ball);
            let anchor = if anchored { self.anchor(&view, item) } else { place.offset };
            let here = if i == 0 {
                Pose::new(placement.rotation, placement.point(&anchor))
            } else {
                Pose::new(Pose::identity().rotation, anchor - place.offset)
            };
            let mut joint = Joint::new(name, motion, place.link, here);
            if motion == Motion::Free {
                // Its coordinates are those of the world.
                (joint.placement, joint.start) = (Pose::identity(), placement);
            }
            if joint.is_scalar() {
                joint.axis = self.axis(&view, item);
            }
            self.forces(&view, &mut joint);
            let last = i + 1 == count;
            let link = if last {
                self.add_link(Name::new(body, "body"), joint)
            } else {
                let between = given.map_or_else(|| fallback.clone(), str::to_owned);
                let link = self.add_link(Name::new(None, between), joint);
                let whose =
                    body.map_or_else(String::new, |body| format!(" of {}", crate::names::shown(body)));
                self.robot.links[link].remarks.push(format!("without mass, between joints{whose}"));
                link
            };
            if let Some(given) = given
                && self.joints.insert(given, link).is_some()
            {
                let message = format!("joint \"{}\" is defined twice", crate::names::shown(given));
                self.report.push(Diagnostic::error(view.span(), message));
            }
            place = Place { link: Some(link), offset: anchor };
        }
        if place.offset != Vec3::zeros()
            && let Some(link) = place.link.and_then(|link| self.robot.links.get_mut(link))
        {
            let [x, y, z]: [f64; 3] = place.offset.into();
            let point = [x, y, z].map(gelenk_file::draft::number).join(", ");
            link.remarks.push(format!("its frame is at [{point}] of the original one, where its joint is"));
        }
        place
    }

    /// The attributes of a joint and how it moves. Defaults do not hold for a `<freejoint>`.
    fn joint_type(&mut self, item: &Item<'a>) -> (View<'a>, Motion) {
        if self.document.name(item.element) == "freejoint" {
            return (View::new(self.document, item.element), Motion::Free);
        }
        let view = self.view(item.element, item.class);
        let kind = view
            .get("type")
            .map_or(Some("hinge"), |kind| word(kind, &["free", "ball", "slide", "hinge"], self.report));
        let motion = match kind {
            Some("free") => Motion::Free,
            Some("ball") => Motion::Ball,
            Some("slide") => Motion::Prismatic,
            _ => Motion::Revolute,
        };
        (view, motion)
    }

    fn anchor(&mut self, view: &View<'a>, item: &Item<'a>) -> Vec3<f64> {
        item.pose.point(&view.vector("pos", self.report).unwrap_or_else(Vec3::zeros))
    }

    fn axis(&mut self, view: &View<'a>, item: &Item<'a>) -> Vec3<f64> {
        let axis = item.pose.rotation * view.direction("axis", self.report).unwrap_or_else(Vec3::z);
        unit(&axis).unwrap_or(axis)
    }

    /// Everything that acts in a joint.
    fn forces(&mut self, view: &View<'a>, joint: &mut Joint) {
        let name = joint.name.wanted().to_owned();
        self.robot.left_out.at(view.span());
        let angle = if joint.motion == Motion::Prismatic { 1.0 } else { self.settings.angle };
        let mut first = |attribute: &str| {
            let list = view.numbers(attribute, self.report).unwrap_or_default();
            let more = list.iter().skip(1).any(|x| *x != 0.0);
            (list.first().copied().unwrap_or(0.0), more)
        };
        let ((damping, curved_damping), (stiffness, curved_stiffness)) =
            (first("damping"), first("stiffness"));
        let (armature, friction) = (first("armature").0, first("frictionloss").0);
        let (reference, rest) = (first("ref").0 * angle, first("springref").0 * angle);
        let spring_damper = view.numbers("springdamper", self.report).unwrap_or_default();
        joint.armature = armature;
        let damping = if self.settings.dampers { damping } else { 0.0 };
        let stiffness = if self.settings.springs { stiffness } else { 0.0 };
        let friction = if self.settings.friction { friction } else { 0.0 };
        (joint.damping, joint.stiffness) = (damping, stiffness);
        if joint.is_scalar() {
            joint.dry_friction = friction;
            (joint.reference, joint.rest) = (reference, rest);
            joint.range = self.range(view, angle);
            joint.settling = self.settling(view);
            joint.effort_range = self.limited(view, "actuatorfrcrange", "actuatorfrclimited");
        } else if joint.motion == Motion::Ball && self.range(view, angle).is_some() {
            self.robot.left_out.add("limits of ball joints", &name);
        }
        for (value, attribute) in [
            (damping, "damping"),
            (stiffness, "stiffness"),
            (armature, "armature"),
            (friction, "frictionloss"),
        ] {
            if let Some(attribute) = view.get(attribute).filter(|_| value < 0.0) {
                let message = format!("\"{}\" must not be negative", attribute.name);
                self.report.push(Diagnostic::error(attribute.span, message));
            }
        }
        let loose = !joint.is_scalar();
        let free = joint.motion == Motion::Free;
        let listed = [
            (free && stiffness != 0.0, "springs of free joints"),
            (loose && friction != 0.0, "dry friction of ball and free joints (frictionloss)"),
            (curved_damping, "nonlinear damping of joints"),
            (curved_stiffness, "nonlinear springs of joints"),
            (spring_damper.iter().any(|x| *x != 0.0), "springs given by time constants (springdamper)"),
            (view.get("springyield").is_some(), "yielding springs (springyield)"),
        ];
        if free {
            joint.stiffness = 0.0;
        }
        for (there, kind) in listed {
            if there {
                self.robot.left_out.add(kind, &name);
            }
        }
        if view.text("actuatorgravcomp") == Some("true") {
            self.robot.changed.add("gravity compensation by actuators: by forces on the bodies", &name);
        }
    }

    /// Time constant and damping ratio of the limits, where they are given so.
    fn settling(&mut self, view: &View<'a>) -> Option<Settling> {
        let given = view.numbers("solreflimit", self.report)?;
        match given.as_slice() {
            [time, rest @ ..] if *time > 0.0 => {
                let ratio = rest.first().copied().unwrap_or(1.0);
                let time = time.max(2.0 * self.settings.step);
                (ratio > 0.0).then_some(Settling { time, ratio })
            }
            // Stiffness and damping for each unit of inertia: `k = 1/(T z)^2`, `d = 2/T`.
            [stiffness, damping, ..] if *stiffness < 0.0 && *damping < 0.0 => {
                let time = -2.0 / damping;
                Some(Settling { time, ratio: 1.0 / (time * (-stiffness).sqrt()) })
            }
            _ => None,
        }
    }

    /// The limits of a joint, where it has some.
    fn range(&mut self, view: &View<'a>, angle: f64) -> Option<[f64; 2]> {
        let range = self.limited(view, "range", "limited")?;
        self.settings.limits.then(|| range.map(|limit| limit * angle))
    }

    /// A range that holds unless a word says otherwise.
    pub(super) fn limited(&mut self, view: &View<'a>, range: &str, switch: &str) -> Option<[f64; 2]> {
        let range = view.fixed::<2>(range, self.report);
        let limited = view.get(switch).and_then(|l| word(l, &["true", "false", "auto"], self.report));
        let limited = match limited {
            Some("true") => true,
            Some("false") => false,
            _ => self.settings.autolimits && range.is_some(),
        };
        range.filter(|_| limited)
    }
}
