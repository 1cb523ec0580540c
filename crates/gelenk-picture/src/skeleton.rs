//! Rods and balls for bodies that have no shape.

use gelenk_math::spatial::Vec3;

use crate::scene::Scene;
use crate::solid::Solid;

/// Points that matter on a body, besides its origin: joints on it, and frames that something acts on.
pub(crate) fn ties(scene: &Scene, body: usize) -> Vec<Vec3<f64>> {
    let mut ties: Vec<Vec3<f64>> = Vec::new();
    let mut add = |point: Vec3<f64>| {
        if point.norm() > 1e-9 && ties.iter().all(|tie| (tie - point).norm() > 1e-9) {
            ties.push(point);
        }
    };
    for joint in scene.joints.iter().filter(|joint| joint.parent == Some(body)) {
        add(joint.pose.position);
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

/// Rods from the origin of a body to its ties; where it has none, or its mass is far from all of them, its mass at the end of
/// a rod.
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
    let farthest = ties.iter().map(|tie| tie.norm()).fold(0.0, f64::max);
    if info.centre.norm() > (1.3 * farthest).max(4.0 * radius) {
        solid.add(Solid::rod(&origin, &info.centre, radius));
        solid.add(Solid::ball(&info.centre, 2.6 * radius));
    } else if ties.is_empty() && info.mass > 0.0 {
        solid.add(Solid::ball(&info.centre, 3.0 * radius));
    }
    solid
}
