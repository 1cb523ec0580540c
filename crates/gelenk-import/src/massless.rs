//! Joints that move no mass: they have no equation of motion, and are locked.

use crate::drives::Target;
use crate::names::shown;
use crate::robot::{Motion, Robot};
use gelenk_math::rotation::about_axis;
use gelenk_math::spatial::{Mat3, Pose};

/// Locks every joint with a coordinate that moves neither mass nor inertia nor a rotor, where it starts. Its links exert
/// no force on the rest, so that the rest moves as in the file. Free links and joints that loops or tendons hold stay.
pub(crate) fn lock(robot: &mut Robot, rotors: bool) {
    let moved = moved(robot, rotors);
    let count = robot.links.len();
    let locked: Vec<bool> = (0..count)
        .map(|i| {
            let joint = &robot.links[i].joint;
            // What follows is locked with what it follows.
            let leader = joint.coupling.as_ref().map_or(Some(i), |coupling| coupling.master);
            let turns = matches!(joint.motion, Motion::Revolute | Motion::Prismatic | Motion::Ball);
            turns && leader.is_some_and(|leader| !moved[leader])
        })
        .collect();
    // All values come from leaders that are not changed yet.
    let poses: Vec<Option<Pose<f64>>> = (0..count).map(|i| locked[i].then(|| start(robot, i))).collect();
    for (i, pose) in poses.into_iter().enumerate() {
        let Some(pose) = pose else { continue };
        let joint = &mut robot.links[i].joint;
        joint.motion = Motion::Fixed;
        joint.placement = joint.placement * pose;
        joint.start = Pose::identity();
        joint.coupling = None;
        (joint.range, joint.start_value, joint.effort_range) = (None, None, None);
        (joint.damping, joint.dry_friction, joint.stiffness, joint.start_rate) = (0.0, 0.0, 0.0, 0.0);
        robot.changed.add("joints that move no mass: locked where they start", joint.name.wanted());
    }
    for drive in std::mem::take(&mut robot.drives) {
        match drive.target {
            Target::Joint(link) if locked[link] => {
                robot.left_out.add("drives of fixed or locked joints", drive.name.wanted());
            }
            _ => robot.drives.push(drive),
        }
    }
}

/// For every link whether its joint moves anything that has inertia, or must stay for another reason.
fn moved(robot: &Robot, rotors: bool) -> Vec<bool> {
    let weighs = |inertia: &Mat3<f64>| inertia.iter().any(|x| *x != 0.0);
    let mut moved: Vec<bool> =
        robot.links.iter().map(|link| link.mass != 0.0 || weighs(&link.inertia)).collect();
    for frame in robot.loops.iter().flat_map(|item| item.between).filter_map(|i| robot.frames.get(i)) {
        if let Some(body) = frame.body {
            moved[body] = true;
        }
    }
    for &(link, _) in robot.tendons.iter().flat_map(|tendon| &tendon.joints) {
        moved[link] = true;
    }
    for (i, link) in robot.links.iter().enumerate().rev() {
        if let Some(parent) = link.joint.parent.filter(|_| moved[i]) {
            moved[parent] = true;
        }
    }
    for (i, link) in robot.links.iter().enumerate() {
        let joint = &link.joint;
        let rotor = rotors && joint.armature != 0.0 && joint.is_scalar();
        moved[i] |= rotor || joint.motion == Motion::Free;
    }
    // A leader moves what follows it.
    for (i, link) in robot.links.iter().enumerate() {
        let master = link.joint.coupling.as_ref().and_then(|coupling| coupling.master);
        if let Some(master) = master.filter(|_| moved[i]) {
            moved[master] = true;
        }
    }
    moved
}

/// Where a joint starts, in its frame.
fn start(robot: &Robot, link: usize) -> Pose<f64> {
    let joint = &robot.links[link].joint;
    let displacement = |link: usize| {
        let joint = &robot.links[link].joint;
        let [lower, upper] = joint.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        joint.start_value.unwrap_or(joint.reference).max(lower).min(upper) - joint.reference
    };
    let displacement = match &joint.coupling {
        Some(coupling) => {
            let u = coupling.master.map_or(0.0, displacement);
            coupling.coefficients.iter().rev().fold(0.0, |sum, c| sum * u + c)
        }
        None => displacement(link),
    };
    match joint.motion {
        Motion::Revolute => Pose::new(about_axis(&joint.axis, displacement), Pose::identity().position),
        Motion::Prismatic => Pose::new(Mat3::identity(), joint.axis * displacement),
        _ => joint.start,
    }
}

/// Raises the principal moments of inertia of all links with mass to the least one (kg m^2).
pub(crate) fn bound(robot: &mut Robot, least: f64) {
    for link in robot.links.iter_mut().filter(|link| link.mass > 0.0) {
        if !link.inertia.iter().all(|x| x.abs() < 1e100) {
            continue;
        }
        let eigen = link.inertia.symmetric_eigen();
        let principal = eigen.eigenvalues.map(|moment| moment.max(least));
        if principal == eigen.eigenvalues {
            continue;
        }
        link.inertia = eigen.eigenvectors * Mat3::from_diagonal(&principal) * eigen.eigenvectors.transpose();
        link.inertia_from_shape = false;
        let bound = gelenk_file::draft::number(least);
        link.remarks.push(format!("moments of inertia raised to at least {bound} kg m^2"));
        let kind = format!("moments of inertia: at least {bound} kg m^2");
        robot.changed.add(&kind, &shown(link.name.wanted()));
    }
}
