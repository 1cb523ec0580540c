//! Bodies, frames and sites.

use super::orientation::pose;
use super::{Place, Reader};
use crate::names::Name;
use crate::robot::{Frame, Joint, Link, Motion};
use crate::values::View;
use gelenk_file::report::Diagnostic;
use gelenk_math::spatial::Pose;

/// An element inside a body, with the frames around it within the body.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) element: usize,
    pub(super) pose: Pose<f64>,
    pub(super) class: Option<&'a str>,
}

/// A body still to be made.
struct Open<'a> {
    item: Item<'a>,
    parent: Place,
}

impl<'a> Reader<'a, '_> {
    /// Makes all bodies, parents before children, in the order of MuJoCo.
    pub(super) fn walk(&mut self, root: usize) {
        let mut open: Vec<Open<'a>> = Vec::new();
        let worlds: Vec<usize> = self.document.named(root, "worldbody").collect();
        if worlds.is_empty() {
            let message = "missing <worldbody>";
            self.report.push(Diagnostic::error(self.document.span(root), message));
        }
        for world in worlds {
            let item = Item { element: world, pose: Pose::identity(), class: None };
            let items = self.contents(item);
            self.others(&items, Place::GROUND);
            let geoms = self.geoms(&items, None);
            self.keep_geoms(&geoms, Place::GROUND, "world", false);
            let bodies = items.into_iter().filter(|item| self.document.name(item.element) == "body");
            open.extend(bodies.map(|item| Open { item, parent: Place::GROUND }));
        }
        open.reverse();
        while let Some(next) = open.pop() {
            let (place, items) = self.body(&next);
            let bodies = items.into_iter().rev();
            let bodies = bodies.filter(|item| self.document.name(item.element) == "body");
            open.extend(bodies.map(|item| Open { item, parent: place }));
        }
    }

    /// What stands in a body, with frames taken apart.
    fn contents(&mut self, body: Item<'a>) -> Vec<Item<'a>> {
        let mut list = Vec::new();
        let class = self.childclass(body.element).or(body.class);
        let children = |reader: &Self, element: usize, pose: Pose<f64>, class: Option<&'a str>| {
            let children = reader.document.children(element).rev();
            children.map(|element| Item { element, pose, class }).collect::<Vec<_>>()
        };
        let mut open = children(self, body.element, Pose::identity(), class);
        while let Some(item) = open.pop() {
            if self.document.name(item.element) == "frame" {
                let view = View::new(self.document, item.element);
                let pose = item.pose * pose(&view, self.settings, self.report);
                let class = self.childclass(item.element).or(item.class);
                open.extend(children(self, item.element, pose, class));
            } else {
                list.push(item);
            }
        }
        list
    }

    fn childclass(&mut self, element: usize) -> Option<&'a str> {
        let class = self.document.attribute(element, "childclass")?;
        if !self.defaults.knows(&class.value) {
            self.report.push(self.defaults.unknown(class));
        }
        Some(class.value.as_str())
    }

    /// Makes a body with its joints and returns its place and its contents.
    fn body(&mut self, open: &Open<'a>) -> (Place, Vec<Item<'a>>) {
        let element = open.item.element;
        let view = View::new(self.document, element);
        self.robot.left_out.at(view.span());
        let name = view.text("name").filter(|name| !name.is_empty());
        // The pose in the parent's link, which may stand elsewhere than the parent's body.
        let mut placement = open.item.pose * pose(&view, self.settings, self.report);
        placement.position -= open.parent.offset;
        let items = self.contents(open.item);
        let place = self.joints(&items, name, open.parent, placement);
        if let Some(name) = name
            && self.bodies.insert(name, place).is_some()
        {
            let message = format!("body \"{}\" is defined twice", crate::names::shown(name));
            self.report.push(Diagnostic::error(view.span(), message));
        }
        self.masses(&items, place, &view);
        self.others(&items, place);
        self.robot.left_out.at(view.span());
        let compensation = view.number("gravcomp", self.report).unwrap_or(0.0);
        if let Some(link) = place.link.and_then(|link| self.robot.links.get_mut(link)) {
            link.gravity_compensation = compensation;
        }
        if view.text("mocap").is_some_and(|value| value != "false") {
            self.robot.left_out.add("bodies moved by motion capture (mocap)", name.unwrap_or_default());
        }
        (place, items)
    }

    /// Adds a link without mass.
    pub(super) fn add_link(&mut self, name: Name, joint: Joint) -> usize {
        self.robot.links.push(Link::new(name, joint));
        self.robot.links.len() - 1
    }

    /// A body without joints is fixed.
    pub(super) fn fixed(&mut self, name: Option<&str>, parent: Place, placement: Pose<f64>) -> Place {
        let fallback = name.unwrap_or("body");
        let joint_name = Name::new(None, format!("{fallback}_fixed"));
        let joint = Joint::new(joint_name, Motion::Fixed, parent.link, placement);
        let link = self.add_link(Name::new(name, "body"), joint);
        Place { link: Some(link), offset: Place::GROUND.offset }
    }

    /// Sites, and what is only listed.
    fn others(&mut self, items: &[Item<'a>], place: Place) {
        for item in items {
            let tag = self.document.name(item.element);
            let view = View::new(self.document, item.element);
            let name = view.name();
            self.robot.left_out.at(view.span());
            match tag {
                "body" | "joint" | "freejoint" | "inertial" | "geom" => {}
                "site" => self.site(item, name, place),
                "camera" => self.robot.left_out.add("cameras", name),
                "light" => self.robot.left_out.add("lights", name),
                other => self.robot.left_out.add(&format!("{other} elements"), name),
            }
        }
    }

    /// A site is a frame.
    fn site(&mut self, item: &Item<'a>, name: &'a str, place: Place) {
        let view = self.view(item.element, item.class);
        let mut pose = item.pose * pose(&view, self.settings, self.report);
        self.sites.insert(name, (place, pose));
        pose.position -= place.offset;
        if name.is_empty() {
            self.robot.left_out.add("sites without a name", "");
        } else if self.tendon_sites.contains(name) {
            self.robot.left_out.add("sites of tendons", name);
        } else {
            let name = Name::new(Some(name), "site");
            self.robot.frames.push(Frame { name, body: place.link, pose, remark: None });
        }
    }
}
