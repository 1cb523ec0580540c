//! Rods and balls for bodies that have no shape, and rods from shapes to what is fixed beside them.

use gelenk_math::spatial::{Pose, Vec3};

use crate::scene::{Form, Scene};
use crate::solid::Solid;

/// Share of the heaviest body's mass below which one is light.
const LIGHT: f64 = 0.01;

/// Points that matter on a body, besides its origin: joints on it, and frames that something acts on. Joints that carry
/// something small are not among them.
pub(crate) fn ties(scene: &Scene, body: usize) -> Vec<Vec3<f64>> {
    let mut ties: Vec<Vec3<f64>> = Vec::new();
    let mut add = |point: Vec3<f64>| {
        if point.norm() > 1e-9 && ties.iter().all(|tie| (tie - point).norm() > 1e-9) {
            ties.push(point);
        }
    };
    for joint in scene.joints.iter().filter(|joint| joint.parent == Some(body)) {
        if !joint.child.is_some_and(|child| is_small(scene, child)) {
            add(joint.pose.position);
        }
    }
    let pairs = scene.loops.iter().chain(&scene.links).flat_map(|(_, between)| between);
    let mut used: Vec<usize> = pairs.chain(&scene.loaded).copied().collect();
    used.sort_unstable();
    used.dedup();
    for frame in used.into_iter().filter_map(|k| scene.frames.get(k)).filter(|frame| frame.body == Some(body))
    {
        add(frame.pose.position);
    }
    ties
}

/// Whether a body is light beside the others and carries nothing, such as a kneecap.
fn is_small(scene: &Scene, body: usize) -> bool {
    let heaviest = scene.bodies.iter().map(|body| body.mass).fold(0.0, f64::max);
    let light = scene.bodies.get(body).is_some_and(|body| body.mass > 0.0 && body.mass < LIGHT * heaviest);
    light && scene.joints.iter().all(|joint| joint.parent != Some(body))
}

/// Thickness of rods: a share of the typical one's length, within shares of the size of the mechanism (m).
pub(crate) fn rod_radius(scene: &Scene, size: f64) -> f64 {
    let mut lengths: Vec<f64> = Vec::new();
    for (k, body) in scene.bodies.iter().enumerate() {
        let mut points = ties(scene, k);
        if points.is_empty() {
            points.push(body.centre);
        }
        lengths.extend(points.iter().map(|p| p.norm()).filter(|&length| length > 1e-9));
    }
    lengths.sort_by(f64::total_cmp);
    let typical = lengths.get(lengths.len() / 2).copied().unwrap_or(size);
    (0.06 * typical).clamp(0.004 * size, 0.018 * size)
}

/// Rods from the origin of a body to its ties; where it carries nothing and has no ties, or its mass is far from all of them,
/// its mass at the end of a rod.
pub(crate) fn skeleton(scene: &Scene, body: usize, radius: f64) -> Solid {
    let mut solid = Solid::default();
    let Some(info) = scene.bodies.get(body) else { return solid };
    let ties = ties(scene, body);
    let origin = Vec3::zeros();
    if let [a, b] = ties[..] {
        solid.add(Solid::rod(&a, &b, radius));
    }
    for tie in &ties {
        solid.add(Solid::rod(&origin, tie, radius));
    }
    let on: Vec<_> = scene.joints.iter().filter(|joint| joint.parent == Some(body)).collect();
    for joint in on.iter().filter(|joint| joint.child.is_some_and(|child| is_small(scene, child))) {
        // What is small is held from where it is nearest.
        let point = joint.pose.position;
        let by_distance =
            |a: &&Vec3<f64>, b: &&Vec3<f64>| (*a - point).norm().total_cmp(&(*b - point).norm());
        let from = ties.iter().chain([&origin]).min_by(by_distance).unwrap_or(&origin);
        if (point - from).norm() > 0.0 {
            solid.add(Solid::rod(from, &point, 0.5 * radius));
        }
    }
    let farthest = ties.iter().map(|tie| tie.norm()).fold(0.0, f64::max);
    let ball = if is_small(scene, body) { 0.5 } else { 1.0 };
    if on.is_empty() && info.centre.norm() > (1.3 * farthest).max(4.0 * radius) {
        solid.add(Solid::rod(&origin, &info.centre, radius));
        solid.add(Solid::ball(&info.centre, ball * 2.6 * radius));
    } else if ties.is_empty() && info.mass > 0.0 {
        solid.add(Solid::ball(&info.centre, ball * 3.0 * radius));
    }
    solid
}

/// Rods from the shapes of a body to the joints, loops and springs that lie outside of them, so that what is connected is
/// seen to be.
pub(crate) fn links(scene: &Scene, body: usize, radius: f64) -> Solid {
    let mut solid = Solid::default();
    let Some(info) = scene.bodies.get(body) else { return solid };
    let mut shapes: Vec<(&Form, Pose<f64>)> = info.shapes.iter().map(|s| (&s.form, s.pose)).collect();
    if shapes.is_empty() {
        let own = scene.surfaces.iter().filter_map(|(k, form)| Some((form, scene.frames.get(*k)?)));
        shapes.extend(
            own.filter(|(_, frame)| frame.body == Some(body)).map(|(form, frame)| (form, frame.pose)),
        );
    }
    for point in joined(scene, body) {
        // Distance to the nearest box around a shape, and its middle.
        let near = |(form, pose): &(&Form, Pose<f64>)| {
            let [low, high] = bounds(form)?;
            let local = pose.rotation.tr_mul(&(point - pose.position));
            let distance = (local - local.sup(&low).inf(&high)).norm();
            Some((distance, pose.point(&((low + high) * 0.5))))
        };
        let nearest = shapes.iter().filter_map(near).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, middle)) = nearest.filter(|(distance, _)| *distance > 1.5 * radius) {
            solid.add(Solid::rod(&point, &middle, 0.8 * radius));
        }
    }
    solid
}

/// Where a body is connected to others: its own joint, joints on it, ends of loops and springs.
fn joined(scene: &Scene, body: usize) -> Vec<Vec3<f64>> {
    let mut points = Vec::new();
    for joint in &scene.joints {
        // What moves freely over the ground is not connected to it.
        let free = joint.kind == "free" || (joint.kind == "general" && joint.parent.is_none());
        if joint.child == Some(body) && !free && joint.kind != "prismatic" {
            points.push(Vec3::zeros());
        }
        if joint.parent == Some(body) && joint.kind != "free" {
            points.push(joint.pose.position);
        }
    }
    let springs = scene.links.iter().filter(|(kind, _)| matches!(kind.as_str(), "spring" | "line"));
    let frames = scene.loops.iter().chain(springs).flat_map(|(_, between)| between);
    let frames = frames.filter_map(|&k| scene.frames.get(k)).filter(|frame| frame.body == Some(body));
    points.extend(frames.map(|frame| frame.pose.position));
    points
}

/// The box around a form in its own axes; nothing for a mesh without vertices.
fn bounds(form: &Form) -> Option<[Vec3<f64>; 2]> {
    let about = |x: f64, y: f64, z: f64| Some([-Vec3::new(x, y, z), Vec3::new(x, y, z)]);
    match form {
        Form::Box(size) => about(0.5 * size.x, 0.5 * size.y, 0.5 * size.z),
        Form::Sphere(r) => about(*r, *r, *r),
        Form::Cylinder(r, length) => about(*r, *r, 0.5 * length),
        Form::Capsule(r, length) => about(*r, *r, r + 0.5 * length),
        Form::Ellipsoid(half) => about(half.x, half.y, half.z),
        Form::Mesh(vertices, _) => {
            let points = vertices.iter().map(|&v| Vec3::from(v));
            points.fold(None, |found, p| {
                Some(found.map_or([p, p], |[low, high]: [Vec3<f64>; 2]| [low.inf(&p), high.sup(&p)]))
            })
        }
    }
}
