//! Elastic stops in place of limits.
//!
//! Both formats know limits that cannot be passed, or only in the sense of a solver. A model file knows stops with
//! a stiffness. It is chosen so that the joint would settle at its limit within [`TIME`], critically damped, as
//! MuJoCo's limits do by default: `k = J/T^2` and `d = 2 J/T` with the inertia `J` of everything that the joint
//! carries, in the pose of the file.

use crate::robot::{Motion, Robot};
use gelenk_math::spatial::{Inertia, Pose, Vec3};

/// Time constant of the stops (s), the default of MuJoCo's `solref`.
const TIME: f64 = 0.02;

/// A stop with the numbers that were chosen for it.
pub(crate) struct Stop {
    pub(crate) range: [f64; 2],
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    /// Penetration at which the damping is fully there, with its unit.
    pub(crate) depth: &'static str,
}

/// Gives a stop to every joint with a range.
pub(crate) fn add(robot: &mut Robot, wanted: bool) {
    let inertias = carried(robot);
    let mut any = false;
    for (link, inertia) in robot.links.iter_mut().zip(inertias) {
        let joint = &mut link.joint;
        let Some(range) = joint.range else { continue };
        let name = joint.name.original.as_deref().unwrap_or(&joint.name.fallback);
        let inertia = inertia + joint.armature;
        let (stiffness, damping) = (rounded(inertia / TIME / TIME), rounded(2.0 * inertia / TIME));
        if !wanted {
            robot.left_out.add("limits of joints", name);
        } else if range[0] >= range[1] {
            robot.left_out.add("limits without a range", name);
        } else if !(stiffness > 0.0 && stiffness.is_finite()) {
            robot.left_out.add("limits of joints that carry no mass", name);
        } else {
            let depth = if joint.motion == Motion::Prismatic { "1 mm" } else { "1 deg" };
            joint.stop = Some(Stop { range, stiffness, damping, depth });
            any = true;
        }
    }
    if any {
        robot.remarks.push(format!(
            "Stops have the limits of the joints; their stiffness and damping are chosen for a time constant of {} ms.",
            TIME * 1e3
        ));
    }
}

/// For every joint the inertia that it carries about or along its axis; zero for joints without one.
fn carried(robot: &Robot) -> Vec<f64> {
    let poses = robot.poses();
    let mut composite: Vec<Inertia<f64>> = robot
        .links
        .iter()
        .zip(&poses)
        .map(|(link, pose)| Inertia::about_centre(link.mass, link.centre, link.inertia).seen_from(pose))
        .collect();
    for i in (0..composite.len()).rev() {
        let own = composite[i];
        if let Some(parent) = robot.links[i].joint.parent.and_then(|parent| composite.get_mut(parent)) {
            *parent += own;
        }
    }
    let about = |inertia: &Inertia<f64>, point: &Vec3<f64>, axis: &Vec3<f64>| {
        let moved = inertia.seen_from(&Pose::new(Pose::identity().rotation, -point));
        axis.dot(&(moved.tensor * axis))
    };
    let joints = robot.links.iter().zip(&poses).zip(&composite);
    joints
        .map(|((link, pose), inertia)| match link.joint.motion {
            Motion::Revolute => about(inertia, &pose.position, &(pose.rotation * link.joint.axis)),
            Motion::Prismatic => inertia.mass,
            _ => 0.0,
        })
        .collect()
}

/// Two digits are enough for a choice.
fn rounded(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Name;
    use crate::robot::{Joint, Link};

    /// A point mass of 2 kg at 0.6 m, carried by a hinge and by a slide under it: 0.72 kg m^2 and 2 kg.
    #[test]
    fn stops_fit_the_inertia_that_a_joint_carries() {
        let mut robot = Robot::new(None);
        let place = Pose::new(Pose::identity().rotation, Vec3::new(3.0, 0.0, 0.0));
        for (motion, parent) in [(Motion::Prismatic, None), (Motion::Revolute, Some(0))] {
            let mut joint = Joint::new(Name::new(None, "j"), motion, parent, place);
            joint.range = Some([-1.0, 1.0]);
            robot.links.push(Link::new(Name::new(None, "b"), joint));
        }
        (robot.links[1].mass, robot.links[1].centre) = (2.0, Vec3::new(0.0, 0.6, 9.0));
        add(&mut robot, true);
        let stops: Vec<_> =
            robot.links.iter().map(|l| l.joint.stop.as_ref().map(|s| (s.stiffness, s.damping))).collect();
        assert_eq!(stops, [Some((5000.0, 200.0)), Some((1800.0, 72.0))]);
    }
}
