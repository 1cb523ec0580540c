//! URDF to a robot.

use crate::assets::Assets;
use crate::coupling::Coupling;
use crate::drives::{Drive, Target};
use crate::names::Name;
use crate::primitives::{Placed, Solid};
use crate::robot::{Joint, Link, Motion, Robot};
use crate::values::View;
use crate::xml::Document;
use crate::{Collide, Options};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_math::rotation::about_axis;
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_math::suggest::closest;
use std::collections::BTreeMap;

/// Types of joints in URDF.
const TYPES: [&str; 6] = ["fixed", "revolute", "continuous", "prismatic", "floating", "planar"];

/// Reads a robot; complaints go to the report.
pub(crate) fn read(
    document: &Document,
    root: usize,
    options: &Options,
    assets: Assets,
    report: &mut Report,
) -> Robot {
    let title = View::new(document, root).text("name");
    let robot = Robot::new(title);
    let (joints, materials) = (BTreeMap::new(), BTreeMap::new());
    let mut reader = Reader { document, root, options, report, robot, joints, materials };
    reader.read_materials();
    reader.robot.assets = assets;
    reader.list_the_rest(root);
    if let Some(tree) = Tree::read(document, root, reader.report) {
        reader.walk(&tree);
        reader.couple(&tree);
    }
    reader.robot
}

/// A joint as it stands in the file.
struct Edge {
    element: usize,
    name: String,
    parent: usize,
    child: usize,
}

/// Links and joints by number, before anything else is read.
struct Tree {
    /// Element of each link, in the order of the file.
    links: Vec<usize>,
    edges: Vec<Edge>,
}

impl Tree {
    fn read(document: &Document, root: usize, report: &mut Report) -> Option<Self> {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut links = Vec::new();
        let mut valid = true;
        for element in document.named(root, "link") {
            let Some(name) = View::new(document, element).required("name", report) else {
                valid = false;
                continue;
            };
            match numbers.get(name.value.as_str()) {
                None => {
                    numbers.insert(&name.value, links.len());
                    links.push(element);
                }
                Some(&first) => {
                    valid = false;
                    twice("link", &name.value, name.span, document.span(links[first]), report);
                }
            }
        }
        let mut edges: Vec<Edge> = Vec::new();
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        let mut carrier: Vec<Option<usize>> = vec![None; links.len()];
        for element in document.named(root, "joint") {
            let view = View::new(document, element);
            let name = view.required("name", report);
            if let Some(name) = name
                && let Some(first) = names.insert(&name.value, name.span)
            {
                valid = false;
                twice("joint", &name.value, name.span, first, report);
            }
            let mut end = |tag: &str| end(document, element, tag, &numbers, report);
            let (Some(parent), Some(child), Some(name)) = (end("parent"), end("child"), name) else {
                valid = false;
                continue;
            };
            if let Some(first) = carrier[child].and_then(|first: usize| edges.get(first)) {
                valid = false;
                let message = format!("this link is the child of two joints, \"{}\" and another", name.value);
                let diagnostic = Diagnostic::error(view.span(), message);
                report.push(diagnostic.related(document.span(first.element), "the other joint"));
                continue;
            }
            carrier[child] = Some(edges.len());
            edges.push(Edge { element, name: name.value.clone(), parent, child });
        }
        if links.is_empty() && valid {
            valid = false;
            report.push(Diagnostic::error(document.span(root), "this robot has no links"));
        }
        valid.then_some(Self { links, edges })
    }
}

fn twice(what: &str, name: &str, span: Span, first: Span, report: &mut Report) {
    let message = format!("{what} \"{}\" is defined twice", super::names::shown(name));
    report.push(Diagnostic::error(span, message).related(first, "first here"));
}

/// The number of the link that a joint names as its parent or child.
fn end(
    document: &Document,
    joint: usize,
    tag: &str,
    numbers: &BTreeMap<&str, usize>,
    report: &mut Report,
) -> Option<usize> {
    let Some(element) = document.child(joint, tag) else {
        report.push(Diagnostic::error(
            document.span(joint),
            format!("this joint has no <{tag} link=\"...\"/>"),
        ));
        return None;
    };
    let attribute = View::new(document, element).required("link", report)?;
    let found = numbers.get(attribute.value.as_str()).copied();
    if found.is_none() {
        let message = format!("there is no link \"{}\"", super::names::shown(&attribute.value));
        let near = closest(&attribute.value, numbers.keys().copied());
        report.push(Diagnostic::error(attribute.span, message).meant(near));
    }
    found
}

pub(crate) struct Reader<'a, 'r> {
    pub(crate) document: &'a Document,
    pub(crate) root: usize,
    options: &'a Options,
    pub(crate) report: &'r mut Report,
    pub(crate) robot: Robot,
    /// Links of the robot by the names of the joints that carry them.
    joints: BTreeMap<String, usize>,
    /// Colours of materials by their names.
    pub(crate) materials: BTreeMap<String, gelenk_mesh::Rgba>,
}

impl<'a> Reader<'a, '_> {
    pub(crate) fn view(&self, element: usize) -> View<'a> {
        View::new(self.document, element)
    }

    /// Everything beside links and joints.
    fn list_the_rest(&mut self, root: usize) {
        for element in self.document.children(root) {
            let tag = self.document.name(element);
            if !matches!(tag, "link" | "joint" | "material") {
                let view = self.view(element);
                let name = view.text("name").or(view.text("reference")).unwrap_or_default();
                self.robot.left_out.at(view.span());
                self.robot.left_out.add(&format!("{tag} elements"), name);
            }
        }
    }

    /// Makes links from the roots on, parents before children.
    fn walk(&mut self, tree: &Tree) {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); tree.links.len()];
        let mut is_child = vec![false; tree.links.len()];
        for (i, edge) in tree.edges.iter().enumerate() {
            leaving[edge.parent].push(i);
            is_child[edge.child] = true;
        }
        let mut reached = vec![false; tree.links.len()];
        for root in (0..tree.links.len()).filter(|&link| !is_child[link]) {
            reached[root] = true;
            let made = self.root(tree.links[root]);
            let freed = if made.is_none() { self.freed(tree, &leaving[root]) } else { None };
            // Joints still to be made, with the link of the robot that they stand on; none for the ground.
            let mut open: Vec<(usize, Option<usize>)> =
                leaving[root].iter().rev().map(|&edge| (edge, made)).collect();
            while let Some((edge, parent)) = open.pop() {
                let edge = &tree.edges[edge];
                reached[edge.child] = true;
                let made = self.joint(edge, parent);
                if freed.is_some_and(|freed| freed == edge.child) {
                    self.robot.links[made].joint.motion = Motion::Free;
                }
                self.body(made, tree.links[edge.child]);
                open.extend(leaving[edge.child].iter().rev().map(|&next| (next, Some(made))));
            }
        }
        if let Some(edge) = tree.edges.iter().find(|edge| !reached[edge.child]) {
            let diagnostic = Diagnostic::error(self.document.span(edge.element), "the joints form a cycle");
            self.report.push(diagnostic.help("a URDF is a tree: one link must be the child of no joint"));
        }
    }

    /// The root link: the ground itself where it has no mass, or a body.
    fn root(&mut self, element: usize) -> Option<usize> {
        let name = self.view(element).name();
        // A root whose shapes collide with the robot is a body that is fixed to the ground: its neighbours are known then.
        let collides =
            self.options.collide != Collide::None && self.document.child(element, "collision").is_some();
        let massless = self.document.child(element, "inertial").is_none() && !collides;
        if name == "world" || (massless && !self.options.free_base) {
            let shown = super::names::shown(name);
            self.robot.remarks.push(format!("The root link \"{shown}\" is the ground."));
            self.skins(None, element, None);
            return None;
        }
        let motion = if self.options.free_base { Motion::Free } else { Motion::Fixed };
        let joint = Joint::new(Name::new(None, format!("{name}_root")), motion, None, Pose::identity());
        self.robot.links.push(Link::new(Name::new(Some(name), "base"), joint));
        let made = self.robot.links.len() - 1;
        self.body(made, element);
        Some(made)
    }

    /// The link that `--free-base` frees where the root is the ground: the one that is fixed to it.
    fn freed(&mut self, tree: &Tree, leaving: &[usize]) -> Option<usize> {
        if !self.options.free_base {
            return None;
        }
        let edges: Vec<&Edge> = leaving.iter().map(|&edge| &tree.edges[edge]).collect();
        let kind = |edge: &Edge| self.view(edge.element).text("type").map(str::trim);
        if edges.iter().any(|edge| kind(edge) == Some("floating")) {
            return None;
        }
        let fixed: Vec<&Edge> = edges.iter().copied().filter(|edge| kind(edge) == Some("fixed")).collect();
        match (fixed.as_slice(), edges.first()) {
            ([base], _) => {
                let name = super::names::shown(self.view(tree.links[base.child]).name());
                self.robot
                    .remarks
                    .push(format!("The base \"{name}\" is free instead of fixed to the ground."));
                Some(base.child)
            }
            ([], None) => None,
            ([], Some(edge)) => {
                let diagnostic = Diagnostic::error(
                    self.document.span(edge.element),
                    "no link is fixed to the root, so there is no base to free",
                );
                self.report.push(diagnostic.help("omit --free-base, or make this joint \"floating\""));
                None
            }
            ([first, second, ..], _) => {
                let message = "several links are fixed to the root; the free base is ambiguous";
                let diagnostic = Diagnostic::error(self.document.span(first.element), message)
                    .related(self.document.span(second.element), "another one")
                    .help("make the joint of the base \"floating\" and omit --free-base");
                self.report.push(diagnostic);
                None
            }
        }
    }

    /// Adds a joint with an empty body and returns its number.
    fn joint(&mut self, edge: &Edge, parent: Option<usize>) -> usize {
        let view = self.view(edge.element);
        let placement = self.origin(edge.element);
        let name = Name::new(Some(&edge.name), "joint");
        let kind = view.required("type", self.report);
        let word = kind.map_or("fixed", |kind| kind.value.trim());
        let motion = match word {
            "fixed" => Motion::Fixed,
            "revolute" | "continuous" => Motion::Revolute,
            "prismatic" => Motion::Prismatic,
            "floating" => Motion::Free,
            "planar" => return self.planar(edge, parent, placement),
            other => {
                let message = format!("there is no joint type \"{}\"", super::names::shown(other));
                let span = kind.map_or(view.span(), |kind| kind.span);
                self.report.push(Diagnostic::error(span, message).meant(closest(other, TYPES)));
                Motion::Fixed
            }
        };
        let mut joint = Joint::new(name, motion, parent, placement);
        if joint.is_scalar() {
            joint.axis = self.axis(edge.element);
        }
        self.robot.left_out.at(view.span());
        let drive = self.limits(edge, word, &mut joint);
        self.forces(edge, &mut joint);
        self.robot.links.push(Link::new(Name::new(None, "link"), joint));
        let made = self.robot.links.len() - 1;
        self.robot.drives.extend(drive.map(|drive| Drive { target: Target::Joint(made), ..drive }));
        self.joints.insert(edge.name.clone(), made);
        made
    }

    /// Two slides in the plane and a hinge about its normal.
    fn planar(&mut self, edge: &Edge, parent: Option<usize>, placement: Pose<f64>) -> usize {
        let normal = self.axis(edge.element);
        // Any direction that is far from the normal gives two axes in the plane.
        let helper = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
        let second = normal.cross(&helper).normalize();
        let first = second.cross(&normal);
        let steps = [
            (Motion::Prismatic, first, "_x"),
            (Motion::Prismatic, second, "_y"),
            (Motion::Revolute, normal, "_turn"),
        ];
        let mut made = parent;
        let mut place = placement;
        for (motion, axis, suffix) in steps {
            let name = format!("{}{suffix}", edge.name);
            let mut joint = Joint::new(Name::new(None, &*name), motion, made, place);
            joint.axis = axis;
            let mut link = Link::new(Name::new(None, name), joint);
            link.remarks.push("without mass, inside a planar joint".to_owned());
            self.robot.links.push(link);
            made = Some(self.robot.links.len() - 1);
            place = Pose::identity();
        }
        for tag in ["limit", "dynamics", "mimic"] {
            if self.document.child(edge.element, tag).is_some() {
                self.robot.left_out.add(&format!("{tag} elements of planar joints"), &edge.name);
            }
        }
        self.robot.links.len() - 1
    }

    /// The range of a joint, and the drive that its limits of effort and speed describe.
    fn limits(&mut self, edge: &Edge, word: &str, joint: &mut Joint) -> Option<Drive> {
        let element = self.document.child(edge.element, "limit")?;
        let view = self.view(element);
        let mut number = |name: &str| view.number(name, self.report).unwrap_or(0.0);
        let range = [number("lower"), number("upper")];
        let (effort, velocity) = (number("effort"), number("velocity"));
        if matches!(word, "revolute" | "prismatic") {
            joint.range = Some(range);
        }
        if effort < 0.0 || velocity < 0.0 {
            self.robot.left_out.add("negative limits of effort or velocity", &edge.name);
        } else if joint.is_scalar() && effort > 0.0 && self.document.child(edge.element, "mimic").is_none() {
            let mut drive = Drive::effort(&edge.name, 0);
            drive.effort_range = Some([-effort, effort]);
            drive.fastest = Some(velocity).filter(|velocity| *velocity > 0.0);
            return Some(drive);
        } else if effort != 0.0 || velocity != 0.0 {
            self.robot.left_out.add("effort and velocity limits of joints without a drive", &edge.name);
        }
        None
    }

    fn forces(&mut self, edge: &Edge, joint: &mut Joint) {
        if let Some(element) = self.document.child(edge.element, "dynamics") {
            let view = self.view(element);
            let damping = view.number("damping", self.report).unwrap_or(0.0);
            let friction = view.number("friction", self.report).unwrap_or(0.0);
            if joint.is_scalar() {
                self.resistance(&view, joint, damping, friction);
            } else if damping != 0.0 || friction != 0.0 {
                self.robot.left_out.add("damping and friction of joints without a coordinate", &edge.name);
            }
        }
        for tag in ["safety_controller", "calibration"] {
            if self.document.child(edge.element, tag).is_some() {
                self.robot.left_out.add(&format!("{tag} elements"), &edge.name);
            }
        }
    }

    /// Viscous and dry friction; negative values are refused.
    fn resistance(&mut self, view: &View<'a>, joint: &mut Joint, damping: f64, friction: f64) {
        for (name, value) in [("damping", damping), ("friction", friction)] {
            if let Some(attribute) = view.get(name).filter(|_| value < 0.0) {
                let message = format!("the {name} of a joint must not be negative");
                self.report.push(Diagnostic::error(attribute.span, message));
            }
        }
        (joint.damping, joint.dry_friction) = (damping.max(0.0), friction.max(0.0));
    }

    /// Mass and shape of the last added link.
    fn body(&mut self, made: usize, element: usize) {
        let name = self.view(element).name();
        self.robot.left_out.at(self.document.span(element));
        let placed = self.visuals(element);
        let inertial = self.document.child(element, "inertial");
        let properties = inertial.map(|inertial| self.inertial(inertial));
        let Some(link) = self.robot.links.get_mut(made) else { return };
        link.name = Name::new(Some(name), "link");
        // The last body of a planar joint is no longer empty.
        link.remarks.clear();
        if let Some((mass, centre, inertia)) = properties {
            (link.mass, link.centre, link.inertia) = (mass, centre, inertia);
        } else if link.joint.motion != Motion::Fixed {
            self.robot.changed.at(self.document.span(element));
            self.robot.changed.add("moving links without <inertial>: 0 kg", name);
        }
        let single = match placed.as_slice() {
            [Some(single)] if link.mass > 0.0 => single.drawn(&link.centre),
            _ => None,
        };
        link.shape = single;
        self.skins(Some(made), element, single);
        for child in self.document.children(element) {
            match self.document.name(child) {
                "inertial" | "visual" | "collision" => {}
                other => self.robot.left_out.add(&format!("{other} elements in links"), name),
            }
        }
    }

    /// Mass, centre and inertia in the frame of the link.
    fn inertial(&mut self, element: usize) -> (f64, Vec3<f64>, Mat3<f64>) {
        let pose = self.origin(element);
        let mut part = |tag: &str, names: &[&str]| -> Vec<f64> {
            let Some(child) = self.document.child(element, tag) else {
                let message = format!("<inertial> needs a <{tag}>");
                self.report.push(Diagnostic::error(self.document.span(element), message));
                return vec![0.0; names.len()];
            };
            let view = View::new(self.document, child);
            let mut number = |name: &&str| {
                view.required(name, self.report)?;
                view.number(name, self.report)
            };
            names.iter().map(|name| number(name).unwrap_or(0.0)).collect()
        };
        let mass = part("mass", &["value"]);
        let moments = part("inertia", &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]);
        let get = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(|i| get(&moments, i));
        let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        (get(&mass, 0), pose.position, pose.rotation * tensor * pose.rotation.transpose())
    }

    /// The visual shapes of a link; meshes count as none.
    fn visuals(&mut self, element: usize) -> Vec<Option<Placed>> {
        let visuals: Vec<usize> = self.document.named(element, "visual").collect();
        visuals
            .into_iter()
            .map(|visual| {
                let pose = self.origin(visual);
                let geometry = self.document.child(visual, "geometry")?;
                let shape = self.document.children(geometry).next()?;
                let view = self.view(shape);
                let mut number = |name: &str| view.number(name, self.report);
                let solid = match self.document.name(shape) {
                    "box" => Solid::Box(view.vector("size", self.report)?),
                    "sphere" => Solid::Sphere { radius: number("radius")? },
                    "cylinder" => Solid::Cylinder { radius: number("radius")?, length: number("length")? },
                    "capsule" => Solid::Capsule { radius: number("radius")?, length: number("length")? },
                    _ => return None,
                };
                Some(Placed { solid, pose })
            })
            .collect()
    }

    /// `<origin xyz rpy>`: a turn about the fixed axes x, y and z in this order, `R = Rz Ry Rx`.
    pub(crate) fn origin(&mut self, element: usize) -> Pose<f64> {
        let Some(origin) = self.document.child(element, "origin") else { return Pose::identity() };
        let view = self.view(origin);
        let position = view.vector("xyz", self.report).unwrap_or_else(Vec3::zeros);
        let [roll, pitch, yaw] = view.fixed::<3>("rpy", self.report).unwrap_or_default();
        let rotation =
            about_axis(&Vec3::z(), yaw) * about_axis(&Vec3::y(), pitch) * about_axis(&Vec3::x(), roll);
        Pose::new(rotation, position)
    }

    /// The axis of a joint, x where none is given.
    fn axis(&mut self, element: usize) -> Vec3<f64> {
        let axis = self.document.child(element, "axis");
        axis.and_then(|axis| self.view(axis).direction("xyz", self.report)).unwrap_or_else(Vec3::x)
    }

    /// `<mimic joint multiplier offset>`.
    fn couple(&mut self, tree: &Tree) {
        for edge in &tree.edges {
            let Some(element) = self.document.child(edge.element, "mimic") else { continue };
            let Some(&link) = self.joints.get(&edge.name) else { continue };
            let view = self.view(element);
            let factor = view.number("multiplier", self.report).unwrap_or(1.0);
            let offset = view.number("offset", self.report).unwrap_or(0.0);
            let Some(other) = view.required("joint", self.report) else { continue };
            let Some(&master) = self.joints.get(&other.value) else {
                if tree.edges.iter().any(|edge| edge.name == other.value) {
                    self.robot.left_out.add("mimic elements of joints without a coordinate", &edge.name);
                    continue;
                }
                self.robot.left_out.at(other.span);
                let kind = "mimic elements that name a joint that does not exist; the joint moves freely";
                let near = closest(&other.value, self.joints.keys().map(String::as_str));
                let meant = near.map_or_else(String::new, |near| format!(" (is {near} meant?)"));
                self.robot.left_out.add(kind, &format!("{} of {}{meant}", edge.name, other.value));
                continue;
            };
            let links = &mut self.robot.links;
            if !links[link].joint.is_scalar() || !links[master].joint.is_scalar() {
                self.robot.left_out.add("mimic elements of joints without a coordinate", &edge.name);
                continue;
            }
            links[link].joint.coupling =
                Some(Coupling { master: Some(master), coefficients: vec![offset, factor] });
        }
    }
}
