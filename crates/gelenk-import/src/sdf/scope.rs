//! Names and poses of a model: links, joints, frames and nested models, each in the frame of the model.

use super::Reader;
use crate::names::shown;
use crate::robot::inverse;
use gelenk_file::report::Diagnostic;
use gelenk_file::source::Span;
use gelenk_math::spatial::Pose;
use gelenk_math::suggest::closest;
use std::collections::BTreeMap;

/// Models inside each other at most.
const DEEPEST: usize = 50;

/// The name of the frame of a model within it.
pub(super) const MODEL: &str = "__model__";

/// A link or a joint with the pose of its frame.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// With the names of nested models in front.
    pub(super) name: String,
    pub(super) element: usize,
    pub(super) pose: Pose<f64>,
    /// Whether it belongs to a static model.
    pub(super) fixed: bool,
}

/// A joint between two links; none for the world.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) item: Item,
    pub(super) parent: Option<String>,
    pub(super) child: Option<String>,
    /// The axes in the frame of the model, where the joint has some.
    pub(super) axes: Vec<(usize, gelenk_math::spatial::Vec3<f64>)>,
}

/// What a model has, in its own frame.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) links: Vec<Item>,
    pub(super) joints: Vec<Edge>,
    /// Named frames with the links that they are on.
    pub(super) frames: Vec<(Item, Option<String>)>,
    /// Poses of everything that has a frame.
    poses: BTreeMap<String, Pose<f64>>,
    /// The link that each frame is on.
    bodies: BTreeMap<String, String>,
}

/// A frame whose pose is still relative to another one.
struct Node {
    element: usize,
    /// The frame that the pose is given in, and where it says so.
    base: Option<(String, Span)>,
    pose: Pose<f64>,
}

impl Scope {
    /// The pose of a frame in that of the model.
    pub(super) fn pose(&self, name: &str) -> Option<Pose<f64>> {
        self.poses.get(name).copied()
    }

    /// Names of all frames.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.poses.keys()
    }

    /// The same as part of another model.
    fn moved(&self, name: &str, pose: &Pose<f64>) -> Self {
        let inner = |own: &str| format!("{name}::{own}");
        let item = |item: &Item| Item { name: inner(&item.name), pose: *pose * item.pose, ..item.clone() };
        let turned = |axis: &(usize, _)| (axis.0, pose.rotation * axis.1);
        let link = |link: &Option<String>| link.as_deref().map(inner);
        Self {
            links: self.links.iter().map(item).collect(),
            joints: self
                .joints
                .iter()
                .map(|edge| Edge {
                    item: item(&edge.item),
                    parent: link(&edge.parent),
                    child: link(&edge.child),
                    axes: edge.axes.iter().map(turned).collect(),
                })
                .collect(),
            frames: self.frames.iter().map(|(frame, body)| (item(frame), link(body))).collect(),
            poses: self.poses.iter().map(|(own, inside)| (inner(own), *pose * *inside)).collect(),
            bodies: self.bodies.iter().map(|(own, body)| (inner(own), inner(body))).collect(),
        }
    }
}

impl<'a> Reader<'a, '_> {
    /// Everything in a model, in its own frame; none where its frames cannot be found.
    pub(super) fn scope(&mut self, model: usize, fixed: bool, depth: usize) -> Option<Scope> {
        if depth > DEEPEST {
            let message = format!("models are nested more than {DEEPEST} times");
            self.report.push(Diagnostic::error(self.document.span(model), message));
            return None;
        }
        let fixed = fixed || self.word(model, "static").is_some_and(|word| matches!(word, "true" | "1"));
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        let mut nested: BTreeMap<String, Scope> = BTreeMap::new();
        let mut attached: BTreeMap<String, String> = BTreeMap::new();
        let mut first = None;
        let mut valid = true;
        for element in self.document.children(model) {
            let tag = self.document.name(element);
            if !matches!(tag, "link" | "joint" | "frame" | "model") {
                continue;
            }
            let Some(name) = self.view(element).required("name", self.report) else {
                valid = false;
                continue;
            };
            let name = name.value.clone();
            let (pose, mut base) = self.pose(element);
            match tag {
                "link" => first = first.or(Some(name.clone())),
                "joint" => {
                    let child = self.end(element, "child");
                    base = base.or_else(|| child.clone().filter(|(child, _)| child != "world"));
                    attached.extend(child.map(|(child, _)| (name.clone(), child)));
                }
                "frame" => {
                    let on = self.document.attribute(element, "attached_to");
                    let on = on.map(|on| (on.value.trim().to_owned(), on.span));
                    base = base.or_else(|| on.clone());
                    attached.insert(name.clone(), on.map_or_else(|| MODEL.to_owned(), |(on, _)| on));
                }
                _ => {
                    let inside = self.scope(element, fixed, depth + 1)?;
                    let placed = self.document.attribute(element, "placement_frame");
                    let placed = placed.map(|placed| (placed.value.trim().to_owned(), placed.span));
                    let mut pose = pose;
                    if let Some((placement, span)) = placed {
                        match inside.poses.get(&placement) {
                            Some(inner) => pose = pose * inverse(inner),
                            None => valid &= self.unknown(&placement, span, inside.poses.keys()),
                        }
                    }
                    attached.insert(name.clone(), format!("{name}::{MODEL}"));
                    valid &= self.node(&mut nodes, &name, Node { element, base, pose });
                    nested.insert(name, inside);
                    continue;
                }
            }
            valid &= self.node(&mut nodes, &name, Node { element, base, pose });
        }
        if !valid {
            return None;
        }
        let mut scope = self.solve(&nodes, nested, fixed)?;
        // The model itself moves with its canonical link.
        let canonical =
            self.document.attribute(model, "canonical_link").map(|link| link.value.trim().to_owned());
        let canonical = canonical.or(first).or_else(|| scope.links.first().map(|link| link.name.clone()));
        attached.extend(canonical.map(|link| (MODEL.to_owned(), link)));
        for link in &scope.links {
            scope.bodies.insert(link.name.clone(), link.name.clone());
        }
        for name in attached.keys() {
            let mut at = name.as_str();
            // A chain of frames that does not end is a cycle, which the poses have shown already.
            for _ in 0..=attached.len() {
                if let Some(body) = scope.bodies.get(at).cloned() {
                    scope.bodies.insert(name.clone(), body);
                    break;
                }
                let Some(next) = attached.get(at) else { break };
                at = next;
            }
        }
        self.add_joints_and_frames(model, &mut scope, fixed).then_some(scope)
    }

    fn node(&mut self, nodes: &mut BTreeMap<String, Node>, name: &str, node: Node) -> bool {
        let span = self.document.span(node.element);
        let known = nodes.insert(name.to_owned(), node);
        if let Some(first) = &known {
            let message = format!("\"{}\" is defined twice", shown(name));
            let first = self.document.span(first.element);
            self.report.push(Diagnostic::error(span, message).related(first, "first here"));
        }
        known.is_none()
    }

    pub(super) fn unknown<'n>(
        &mut self,
        name: &str,
        span: Span,
        known: impl Iterator<Item = &'n String>,
    ) -> bool {
        let message = format!("there is no frame \"{}\"", shown(name));
        let near = closest(name, known.map(String::as_str)).map(str::to_owned);
        self.report.push(Diagnostic::error(span, message).meant(near.as_deref()));
        false
    }

    /// The poses of all frames in that of the model.
    fn solve(
        &mut self,
        nodes: &BTreeMap<String, Node>,
        nested: BTreeMap<String, Scope>,
        fixed: bool,
    ) -> Option<Scope> {
        let mut scope = Scope::default();
        scope.poses.insert(MODEL.to_owned(), Pose::identity());
        for (name, node) in nodes {
            // The frames from here to one whose pose is known.
            let mut chain: Vec<(String, &Node)> = vec![(name.clone(), node)];
            let mut pose = Pose::identity();
            while let Some((at, node)) = chain.last() {
                if let Some(known) = scope.poses.get(at) {
                    pose = *known;
                    chain.pop();
                    break;
                }
                let Some((base, span)) = &node.base else { break };
                if scope.poses.contains_key(base) {
                    pose = *scope.poses.get(base)?;
                    break;
                }
                // A frame inside a nested model is known with that model.
                let (outer, inside) =
                    base.split_once("::").map_or((base.as_str(), None), |(o, i)| (o, Some(i)));
                let next = nodes.get(outer);
                if next.is_none()
                    || inside.is_some_and(|i| nested.get(outer).is_none_or(|n| !n.poses.contains_key(i)))
                {
                    self.unknown(base, *span, nodes.keys());
                    return None;
                }
                if chain.iter().any(|(open, _)| open == outer) {
                    let message = format!("the pose of \"{}\" depends on itself", shown(outer));
                    self.report.push(Diagnostic::error(*span, message));
                    return None;
                }
                chain.push((outer.to_owned(), next?));
            }
            while let Some((at, node)) = chain.pop() {
                // Inside a nested model the pose continues at the frame there.
                if let Some((base, _)) = &node.base
                    && let Some((outer, inside)) = base.split_once("::")
                    && let (Some(outer_pose), Some(inner)) =
                        (scope.poses.get(outer), nested.get(outer).and_then(|n| n.poses.get(inside)))
                {
                    pose = *outer_pose * *inner;
                }
                pose = pose * node.pose;
                scope.poses.insert(at, pose);
            }
        }
        for (name, inside) in nested {
            let pose = *scope.poses.get(&name)?;
            let inside = inside.moved(&name, &pose);
            scope.links.extend(inside.links);
            scope.joints.extend(inside.joints);
            scope.frames.extend(inside.frames);
            scope.poses.extend(inside.poses);
            scope.bodies.extend(inside.bodies);
        }
        let mut own: Vec<(&String, &Node)> = nodes.iter().collect();
        own.sort_by_key(|(_, node)| node.element);
        let mut links = Vec::new();
        for (name, node) in own {
            if self.document.name(node.element) == "link" {
                let pose = *scope.poses.get(name)?;
                links.push(Item { name: name.clone(), element: node.element, pose, fixed });
            }
        }
        links.append(&mut scope.links);
        scope.links = links;
        Some(scope)
    }

    fn add_joints_and_frames(&mut self, model: usize, scope: &mut Scope, fixed: bool) -> bool {
        let mut valid = true;
        let mut made = Vec::new();
        for element in self.document.children(model) {
            let tag = self.document.name(element);
            let name = self.view(element).name().to_owned();
            let Some(pose) = scope.poses.get(&name).copied() else { continue };
            let item = Item { name: name.clone(), element, pose, fixed };
            match tag {
                "frame" => scope.frames.push((item, scope.bodies.get(&name).cloned())),
                "joint" => {
                    let ends = ["parent", "child"].map(|tag| {
                        let (name, span) = self.end(element, tag)?;
                        if name == "world" {
                            return None;
                        }
                        let found = scope.bodies.get(&name).cloned();
                        if found.is_none() {
                            valid = self.unknown(&name, span, scope.bodies.keys());
                        }
                        found
                    });
                    let axes = self.axes(element, &pose, scope);
                    valid &= axes.is_some();
                    let [parent, child] = ends;
                    made.push(Edge { item, parent, child, axes: axes.unwrap_or_default() });
                }
                _ => {}
            }
        }
        made.append(&mut scope.joints);
        scope.joints = made;
        valid
    }

    /// The axes of a joint in the frame of the model; none where a frame is not known.
    fn axes(
        &mut self,
        joint: usize,
        pose: &Pose<f64>,
        scope: &Scope,
    ) -> Option<Vec<(usize, gelenk_math::spatial::Vec3<f64>)>> {
        let mut list = Vec::new();
        for tag in ["axis", "axis2"] {
            let Some(element) = self.document.child(joint, tag) else { continue };
            let xyz = self.document.child(element, "xyz");
            let direction =
                xyz.and_then(|xyz| self.direction(xyz)).unwrap_or_else(gelenk_math::spatial::Vec3::z);
            let given = xyz.and_then(|xyz| self.document.attribute(xyz, "expressed_in"));
            // The former way to say that the axis is given in the frame of the model.
            let of_model =
                self.word(element, "use_parent_model_frame").is_some_and(|w| matches!(w, "1" | "true"));
            let rotation = match given.filter(|given| !given.value.trim().is_empty()) {
                Some(given) => match scope.poses.get(given.value.trim()) {
                    Some(pose) => pose.rotation,
                    None => {
                        self.unknown(given.value.trim(), given.span, scope.poses.keys());
                        return None;
                    }
                },
                None if of_model => Pose::identity().rotation,
                None => pose.rotation,
            };
            list.push((element, rotation * direction));
        }
        Some(list)
    }
}
