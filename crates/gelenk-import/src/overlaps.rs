//! Links whose collision shapes overlap where the robot starts.
//!
//! Shapes of robots are often larger than the links, so that links overlap that are no neighbours, such as a shoulder and the
//! torso two joints before it. A contact that begins deep inside has no direction of separation. Such pairs do not collide
//! with each other, as motion planners (MoveIt) leave them out by default.

use std::collections::BTreeSet;

use crate::closing::start_poses;
use crate::collisions::are_joined;
use crate::robot::{Robot, inverse};
use crate::skins::triangles;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_mesh::contact::{Detection, Pair, Placement, Search, Settings, Surface};
use std::sync::Arc;

/// A collision shape in the world.
struct Solid {
    link: usize,
    surface: Arc<Surface>,
    pose: Pose<f64>,
    bounds: [Vec3<f64>; 2],
}

/// Excludes the pairs of links that overlap, and lists them.
pub(crate) fn exclude(robot: &mut Robot) {
    let solids = solids(robot);
    let (pieces, listed) = (robot.pieces(), robot.listed_pairs());
    let mut found: BTreeSet<[usize; 2]> = BTreeSet::new();
    let mut search = Search::default();
    for (i, a) in solids.iter().enumerate() {
        for b in &solids[..i] {
            let pair = [a.link.min(b.link), a.link.max(b.link)];
            let known = are_joined(pieces[a.link], pieces[b.link]) || listed.contains(&pair);
            if !known && !found.contains(&pair) && overlap(a, b, &mut search) {
                found.insert(pair);
            }
        }
    }
    robot.changed.nowhere();
    for &[a, b] in &found {
        let names = format!("{} with {}", robot.links[a].name.wanted(), robot.links[b].name.wanted());
        robot.changed.add("links that overlap at the start: they do not collide with each other", &names);
    }
    robot.excluded.extend(found);
}

fn solids(robot: &Robot) -> Vec<Solid> {
    let poses = start_poses(robot);
    let solid = |collider: &crate::skins::Collider| {
        let link = collider.body?;
        let surface = Surface::new(&triangles(&collider.form, &robot.assets)?).ok()?;
        let pose = *poses.get(link)? * collider.pose;
        let points = surface.mesh().vertices().iter().map(|p| pose.point(&Vec3::from(*p)));
        let bounds = points.fold(None, |found: Option<[Vec3<f64>; 2]>, p| {
            Some(found.map_or([p, p], |[low, high]| [low.inf(&p), high.sup(&p)]))
        })?;
        Some(Solid { link, surface: Arc::new(surface), pose, bounds })
    };
    robot.colliders.iter().filter_map(solid).collect()
}

fn overlap(a: &Solid, b: &Solid, search: &mut Search) -> bool {
    if (0..3).any(|k| a.bounds[0][k] > b.bounds[1][k] || b.bounds[0][k] > a.bounds[1][k]) {
        return false;
    }
    let pose = inverse(&a.pose) * b.pose;
    let rotation = [0, 1, 2].map(|row| [0, 1, 2].map(|column| pose.rotation[(row, column)]));
    let placement = Placement { rotation, position: pose.position.into() };
    let pair = Pair { first: a.surface.clone(), second: b.surface.clone(), settings: Settings::default() };
    search.run(&pair.first, &pair.second, &placement, Detection::Modern, true) || pair.contained(&placement)
}
