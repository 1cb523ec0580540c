//! SDF to a robot: links, joints, frames, nested and included models.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the models of a file, included files |
//! | `scope` | names and poses |
//! | `links` | masses, joints, loops |
//! | `skins` | visuals and collisions |

mod links;
mod scope;
mod skins;

use crate::assets::Assets;
use crate::names::shown;
use crate::robot::Robot;
use crate::values::{View, fixed, numbers, unit};
use crate::xml::{Attribute, Document, Element};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_math::rotation::{about_axis, from_quaternion};
use gelenk_math::spatial::{Pose, Vec3};
use std::path::PathBuf;

/// Files that one model may include.
const MOST_FILES: usize = 256;

/// Reads a robot; complaints go to the report. All files must have been included.
pub(crate) fn read(document: &Document, root: usize, assets: Assets, report: &mut Report) -> Robot {
    let mut models: Vec<usize> = document.named(root, "model").collect();
    let worlds: Vec<usize> = document.named(root, "world").collect();
    models.extend(worlds.iter().flat_map(|world| document.named(*world, "model")));
    let title = models.first().map(|model| View::new(document, *model).name());
    let mut reader = Reader { document, report, robot: Robot::new(title) };
    reader.robot.assets = assets;
    reader.version(root);
    for world in worlds {
        let gravity = document.child(world, "gravity").and_then(|gravity| document.text(gravity));
        if let Some(gravity) = gravity.and_then(|gravity| fixed::<3>(gravity, reader.report)) {
            reader.robot.gravity = gravity.into();
        }
        reader.list_the_rest(world, &["model", "gravity"]);
    }
    if models.is_empty() {
        let message = "this file has no <model>";
        reader.report.push(Diagnostic::error(document.span(root), message));
    }
    let several = models.len() > 1;
    for model in models {
        reader.model(model, several);
    }
    reader.robot
}

struct Reader<'a, 'r> {
    document: &'a Document,
    report: &'r mut Report,
    robot: Robot,
}

impl<'a> Reader<'a, '_> {
    fn view(&self, element: usize) -> View<'a> {
        View::new(self.document, element)
    }

    /// Frames have had their meaning of today since version 1.7; plain files of 1.5 and 1.6 mean the same.
    fn version(&mut self, root: usize) {
        let Some(version) = self.view(root).required("version", self.report) else { return };
        let numbers: Vec<u32> = version.value.trim().split('.').filter_map(|n| n.parse().ok()).collect();
        let known = matches!(numbers.as_slice(), [1, minor, ..] if (5..=12).contains(minor));
        if !known {
            let message = format!("SDF {} is not supported", shown(version.value.trim()));
            let help = "supported are 1.5 to 1.12; convert other versions with: gz sdf -p";
            self.report.push(Diagnostic::error(version.span, message).help(help));
        }
    }

    /// The trimmed text of a child.
    fn word(&self, element: usize, tag: &str) -> Option<&'a str> {
        let child = self.document.child(element, tag)?;
        self.document.text(child).map(|text| text.value.trim())
    }

    /// The number in a child; an infinite one is admitted.
    fn number(&mut self, element: usize, tag: &str) -> Option<f64> {
        let text = self.document.text(self.document.child(element, tag)?)?;
        match text.value.trim() {
            "inf" | "+inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => fixed::<1>(text, self.report).map(|[number]| number),
        }
    }

    fn direction(&mut self, element: usize) -> Option<Vec3<f64>> {
        let text = self.document.text(element)?;
        let direction = unit(&Vec3::from(fixed::<3>(text, self.report)?));
        if direction.is_none() {
            self.report.push(Diagnostic::error(text.span, "this axis has length zero"));
        }
        direction
    }

    /// The end of a joint: what it names and where.
    fn end(&mut self, joint: usize, tag: &str) -> Option<(String, Span)> {
        let text = self.document.child(joint, tag).and_then(|child| self.document.text(child));
        if text.is_none() {
            let message = format!("this joint has no <{tag}>");
            self.report.push(Diagnostic::error(self.document.span(joint), message));
        }
        text.map(|text| (text.value.trim().to_owned(), text.span))
    }

    /// The `<pose>` of an element, and the frame that it is given in.
    fn pose(&mut self, element: usize) -> (Pose<f64>, Option<(String, Span)>) {
        let Some(child) = self.document.child(element, "pose") else { return (Pose::identity(), None) };
        let view = self.view(child);
        let base = view.get("relative_to").map(|base| (base.value.trim().to_owned(), base.span));
        let base = base.filter(|(name, _)| !name.is_empty());
        if let Some(former) = view.get("frame").filter(|frame| !frame.value.trim().is_empty()) {
            let message = "poses with the attribute \"frame\" (SDF 1.6 and older) are not supported";
            let help = "convert the file with: gz sdf -p";
            self.report.push(Diagnostic::error(former.span, message).help(help));
        }
        let Some(text) = self.document.text(child) else { return (Pose::identity(), base) };
        let Some(list) = numbers(text, self.report) else { return (Pose::identity(), base) };
        let angle = if view.text("degrees") == Some("true") { 1_f64.to_radians() } else { 1.0 };
        let quaternion = view.text("rotation_format") == Some("quat_xyzw");
        let pose = match *list.as_slice() {
            [] => Pose::identity(),
            [x, y, z, qx, qy, qz, qw] if quaternion => {
                Pose::new(from_quaternion([qw, qx, qy, qz]), Vec3::new(x, y, z))
            }
            [x, y, z, roll, pitch, yaw] if !quaternion => {
                let [roll, pitch, yaw] = [roll, pitch, yaw].map(|a| a * angle);
                let turn = |axis: Vec3<f64>, angle: f64| about_axis(&axis, angle);
                let rotation = turn(Vec3::z(), yaw) * turn(Vec3::y(), pitch) * turn(Vec3::x(), roll);
                Pose::new(rotation, Vec3::new(x, y, z))
            }
            _ => {
                let needed = if quaternion { 7 } else { 6 };
                let message = format!("<pose> needs {needed} numbers");
                let label = format!("found {}", list.len());
                self.report.push(Diagnostic::error(text.span, message).label(label));
                Pose::identity()
            }
        };
        (pose, base)
    }

    /// Elements that are not read, one kind for each.
    fn list_the_rest(&mut self, element: usize, read: &[&str]) {
        for child in self.document.children(element) {
            let tag = self.document.name(child);
            if !read.contains(&tag) {
                self.robot.left_out.at(self.document.span(child));
                self.robot.left_out.add(&format!("{tag} elements"), self.view(child).name());
            }
        }
    }
}

/// Replaces every `<include>` by the model that it names.
pub(crate) fn include(document: &mut Document, root: usize, assets: &mut Assets, report: &mut Report) {
    let main = document.sources.get(document.span(root).file).and_then(|file| file.path.canonicalize().ok());
    let mut files = 0;
    // Each element with the files that it comes from.
    let mut open: Vec<(usize, Vec<PathBuf>)> = vec![(root, main.into_iter().collect())];
    while let Some((element, from)) = open.pop() {
        let children: Vec<usize> = document.children(element).collect();
        let mut made = Vec::new();
        for child in children {
            match document.name(child) {
                "include" => {
                    files += 1;
                    if files > MOST_FILES {
                        let message = format!("more than {MOST_FILES} included files");
                        report.push(Diagnostic::error(document.span(child), message));
                        return;
                    }
                    let Some((model, path)) = included(document, child, &from, assets, report) else {
                        continue;
                    };
                    let from = from.iter().cloned().chain([path]).collect();
                    open.push((model, from));
                    made.push(model);
                }
                "model" | "world" => {
                    open.push((child, from.clone()));
                    made.push(child);
                }
                _ => made.push(child),
            }
        }
        document.set_children(element, made);
    }
}

/// The model of another file with what the include says about it, and the file.
fn included(
    document: &mut Document,
    element: usize,
    from: &[PathBuf],
    assets: &mut Assets,
    report: &mut Report,
) -> Option<(usize, PathBuf)> {
    let span = document.span(element);
    let uri = document.child(element, "uri").and_then(|uri| document.text(uri)).cloned();
    let Some(uri) = uri else {
        report.push(Diagnostic::error(span, "<include> needs a <uri>"));
        return None;
    };
    let mut refuse = |reason: &str| {
        let message = format!("\"{}\" cannot be included: {reason}", shown(uri.value.trim()));
        report.push(Diagnostic::error(uri.span, message));
    };
    if document.attribute(element, "merge").is_some_and(|merge| matches!(merge.value.trim(), "true" | "1")) {
        refuse("merging models is not supported");
        return None;
    }
    let folder = document.sources.get(span.file).and_then(|file| file.path.parent()?.canonicalize().ok());
    let folder = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
    let path = assets.resolve(uri.value.trim(), &folder).and_then(|path| {
        if !path.is_dir() {
            return Ok(path);
        }
        let inside = format!("{}/model.sdf", path.display());
        assets.resolve(&inside, "")
    });
    let path = match path {
        Ok(path) => path,
        Err(reason) => {
            refuse(&reason);
            return None;
        }
    };
    if from.contains(&path) {
        refuse("it includes itself, directly or through other files");
        return None;
    }
    let root = document.read(&path, Some(uri.span), report)?;
    let model = document.child(root, "model");
    let Some(model) = model.filter(|_| document.name(root) == "sdf") else {
        let message = format!("\"{}\" has no <model>", shown(uri.value.trim()));
        report.push(Diagnostic::error(uri.span, message));
        return None;
    };
    // Name, pose and the like of the include replace those of the model.
    let mut attributes = document.attributes(model).to_vec();
    for (tag, name) in [("name", "name"), ("placement_frame", "placement_frame")] {
        let text = document.child(element, tag).and_then(|child| document.text(child)).cloned();
        if let Some(text) = text {
            attributes.retain(|attribute: &Attribute| attribute.name != name);
            attributes.push(Attribute { name: name.to_owned(), value: text.value.trim().to_owned(), ..text });
        }
    }
    let replaced: Vec<usize> =
        ["pose", "static"].iter().filter_map(|tag| document.child(element, tag)).collect();
    let names: Vec<String> = replaced.iter().map(|child| document.name(*child).to_owned()).collect();
    let kept =
        document.children(model).filter(|child| names.iter().all(|name| name != document.name(*child)));
    let children: Vec<usize> = kept.chain(replaced.iter().copied()).collect();
    let model = document.add(Element { name: "model".to_owned(), span, attributes, children, text: None });
    Some((model, path))
}
