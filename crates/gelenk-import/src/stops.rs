//! Elastic stops in place of limits.
//!
//! Both formats know limits that cannot be passed, or only in the sense of a solver. A model file knows stops with
//! a stiffness. It is chosen so that the joint would settle at its limit within a time constant, critically damped, as
//! MuJoCo's limits do by default: `k = J/T^2` and `d = 2 J/T` with the inertia `J` of everything that the joint
//! carries, in the pose of the file. MJCF may give its own time constant and damping ratio for every joint, and the step
//! of its solver, which no time constant may be shorter than twice.

use crate::Limits;
use crate::Options;
use crate::robot::{Motion, Robot};
use gelenk_file::draft::number;
use gelenk_math::spatial::{Inertia, Pose, Vec3};

/// Time constant of the stops (s) where the file gives none, the default of MuJoCo's `solref`.
const TIME: f64 = 0.02;

/// How a joint settles at its limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Settling {
    /// Time constant (s).
    pub(crate) time: f64,
    /// Damping ratio; one is critical.
    pub(crate) ratio: f64,
}

/// A stop with the numbers that were chosen for it.
pub(crate) struct Stop {
    pub(crate) range: [f64; 2],
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    /// Penetration at which the damping is fully there, with its unit.
    pub(crate) depth: &'static str,
}

/// Gives a stop to every joint with a range.
pub(crate) fn add(robot: &mut Robot, options: &Options) {
    let inertias = carried(robot);
    let mut times: Vec<f64> = Vec::new();
    for (i, carried) in inertias.into_iter().enumerate() {
        let joint = &mut robot.links[i].joint;
        let Some(range) = joint.range else { continue };
        let name = joint.name.wanted().to_owned();
        let inertia = carried + joint.armature;
        let Settling { time, ratio } = joint.settling.unwrap_or(Settling { time: TIME, ratio: 1.0 });
        let (time, ratio) = options.stop_time.map_or((time, ratio), |time| (time, 1.0));
        let stiffness = rounded(inertia / (time * ratio) / (time * ratio));
        let damping = rounded(2.0 * inertia / time);
        let depth = if joint.motion == Motion::Prismatic { "1 mm" } else { "1 deg" };
        if options.limits == Limits::Omitted {
            robot.left_out.add("limits of joints", &name);
        } else if range[0] > range[1] || (range[0] == range[1] && options.limits == Limits::Stops) {
            robot.left_out.add("limits without a range", &name);
        } else if options.limits == Limits::Ranges {
            joint.stop = Some(Stop { range, stiffness: 0.0, damping: 0.0, depth });
            robot.changed.add("limits of joints: ranges without force", &name);
            into_range(robot, i, range);
        } else if !(stiffness > 0.0 && stiffness.is_finite() && damping.is_finite()) {
            robot.left_out.add("limits of joints without mass", &name);
        } else {
            joint.stop = Some(Stop { range, stiffness, damping, depth });
            times.push(time);
            let time = number(rounded(time * 1e3));
            robot.changed.add(&format!("limits of joints: elastic stops, {time} ms"), &name);
            into_range(robot, i, range);
        }
    }
    let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
    if shortest.is_finite() {
        let longest = times.iter().copied().fold(0.0, f64::max);
        let [shortest, longest] = [shortest, longest].map(|time| number(rounded(time * 1e3)));
        let range = if shortest == longest { shortest } else { format!("{shortest} to {longest}") };
        robot.remarks.push(format!(
            "Stops have the limits of the joints; their stiffness and damping are chosen for a time constant of {range} ms."
        ));
    }
}

/// A start outside the range moves to its nearer end.
fn into_range(robot: &mut Robot, link: usize, [lower, upper]: [f64; 2]) {
    let joint = &mut robot.links[link].joint;
    let start = joint.start_value.unwrap_or(joint.reference);
    let inside = start.max(lower).min(upper);
    if inside != start && joint.coupling.is_none() {
        joint.start_value = Some(inside);
        let name = joint.name.wanted();
        let moved = format!("{name} from {} to {}", number(start), number(inside));
        robot.changed.add("starts outside the limits: moved to the nearer limit", &moved);
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
        add(&mut robot, &Options::default());
        let stops: Vec<_> =
            robot.links.iter().map(|l| l.joint.stop.as_ref().map(|s| (s.stiffness, s.damping))).collect();
        assert_eq!(stops, [Some((5000.0, 200.0)), Some((1800.0, 72.0))]);
    }
}
