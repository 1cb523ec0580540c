//! Joints that follow others.

use crate::robot::{Joint, Robot};
use crate::stops::Settling;

/// Largest degree of a polynomial through several couplings.
const HIGHEST: usize = 16;

/// A joint whose displacement `s` from its reference is a polynomial of another's: `s = sum c_k u^k`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Coupling {
    /// Index of the link whose joint is followed; none for a constant.
    pub(crate) master: Option<usize>,
    /// From the constant on.
    pub(crate) coefficients: Vec<f64>,
}

/// Makes all couplings depend on free coordinates, and moves what acts on a coupled joint to its master.
pub(crate) fn resolve(robot: &mut Robot) {
    let count = robot.links.len();
    let mut done = vec![false; count];
    let mut open = vec![false; count];
    for i in 0..count {
        // The chain of joints that follow each other, up to a free or finished one.
        let mut chain: Vec<usize> = Vec::new();
        let mut next = Some(i);
        while let Some(link) = next.filter(|&link| !done[link]) {
            let joint = &mut robot.links[link].joint;
            if std::mem::replace(&mut open[link], true) {
                // The first of the ring stays free.
                joint.coupling = None;
                robot.left_out.add("cyclic couplings", joint.name.original.as_deref().unwrap_or_default());
                break;
            }
            chain.push(link);
            next = joint.coupling.as_ref().and_then(|coupling| coupling.master);
        }
        while let Some(link) = chain.pop() {
            done[link] = true;
            compose(robot, link);
        }
    }
    for i in 0..count {
        move_forces(robot, i);
    }
}

/// Replaces a master that follows another by that one.
fn compose(robot: &mut Robot, link: usize) {
    let Some(coupling) = robot.links[link].joint.coupling.clone() else { return };
    let Some(inner) = coupling.master.and_then(|master| robot.links[master].joint.coupling.clone()) else {
        return;
    };
    let composed = substitute(&coupling.coefficients, &inner.coefficients);
    let joint = &mut robot.links[link].joint;
    joint.coupling = composed.map(|coefficients| Coupling { master: inner.master, coefficients });
    if joint.coupling.is_none() {
        let name = joint.name.original.as_deref().unwrap_or_default();
        robot.left_out.add("couplings by polynomials of too high a degree", name);
    }
}

/// The coefficients of `outer(inner(u))`.
fn substitute(outer: &[f64], inner: &[f64]) -> Option<Vec<f64>> {
    let (outer, inner) = (trimmed(outer), trimmed(inner));
    let degree = outer.len().saturating_sub(1) * inner.len().saturating_sub(1);
    if degree > HIGHEST {
        return None;
    }
    let mut sum = vec![0.0; degree + 1];
    for &coefficient in outer.iter().rev() {
        let mut product = vec![0.0; degree + 1];
        for (i, a) in sum.iter().enumerate() {
            for (j, b) in inner.iter().enumerate().filter(|(j, _)| i + j <= degree) {
                product[i + j] += a * b;
            }
        }
        product[0] += coefficient;
        sum = product;
    }
    sum.iter().all(|x| x.is_finite()).then_some(sum)
}

/// Without zeros at the end.
fn trimmed(coefficients: &[f64]) -> &[f64] {
    let length = coefficients.iter().rposition(|c| *c != 0.0).map_or(0, |last| last + 1);
    &coefficients[..length]
}

/// Springs, dampers, friction and limits of a joint that follows linearly act on its master. Springs and dampers of one that
/// follows by a polynomial are written as efforts on the master; its friction and limits cannot be said.
fn move_forces(robot: &mut Robot, link: usize) {
    let Some(coupling) = robot.links[link].joint.coupling.clone() else { return };
    let joint = &mut robot.links[link].joint;
    let name = joint.name.wanted().to_owned();
    let dry = std::mem::take(&mut joint.dry_friction);
    let range = joint.range.take();
    let take = |joint: &mut Joint| (std::mem::take(&mut joint.damping), std::mem::take(&mut joint.stiffness));
    let Some(master) = coupling.master else {
        take(joint);
        return;
    };
    match *trimmed(&coupling.coefficients) {
        [] | [_] => {
            take(joint);
        }
        [offset, factor] => {
            let (damping, stiffness) = take(joint);
            // The spring is relaxed at this displacement from the reference.
            let (relaxed, reference, settling) =
                (joint.rest - joint.reference, joint.reference, joint.settling);
            let joint = &mut robot.links[master].joint;
            let rest = joint.reference + (relaxed - offset) / factor;
            joint.damping += damping * factor * factor;
            joint.dry_friction += dry * factor.abs();
            add_spring(joint, stiffness * factor * factor, rest);
            let Some(range) = range else { return };
            let mut range = range.map(|limit| joint.reference + (limit - reference - offset) / factor);
            range.sort_by(f64::total_cmp);
            narrow(robot, master, range, settling, &name);
        }
        _ => {
            for (there, kind) in [
                (dry != 0.0, "dry friction of joints that follow others by a polynomial"),
                (range.is_some(), "limits of joints that follow others by a polynomial"),
            ] {
                if there {
                    robot.left_out.add(kind, &name);
                }
            }
        }
    }
}

/// Narrows the range of a joint to what those that follow it admit.
fn narrow(robot: &mut Robot, master: usize, range: [f64; 2], settling: Option<Settling>, follower: &str) {
    let joint = &mut robot.links[master].joint;
    let [lower, upper] = joint.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let both = [lower.max(range[0]), upper.min(range[1])];
    // Limits that say the same up to the digits of a file stay as they are.
    let digits = 1e-6 * (1.0 + both[0].abs().max(both[1].abs()));
    if joint.range.is_some() && (both[0] - lower).abs() <= digits && (both[1] - upper).abs() <= digits {
        return;
    }
    if both[0] < both[1] {
        joint.range = Some(both);
        joint.settling = joint.settling.or(settling);
        robot
            .changed
            .add("limits of joints that follow others: limits of the joint that they follow", follower);
    } else {
        robot
            .left_out
            .add("limits of joints that follow others, which contradict those of the other joint", follower);
    }
}

/// Two springs on one coordinate are one.
fn add_spring(joint: &mut Joint, stiffness: f64, rest: f64) {
    let sum = joint.stiffness + stiffness;
    if stiffness != 0.0 && sum != 0.0 {
        joint.rest = (joint.stiffness * joint.rest + stiffness * rest) / sum;
        joint.stiffness = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Name;
    use crate::robot::{Link, Motion};
    use gelenk_math::spatial::Pose;

    fn robot(couplings: &[Option<(usize, &[f64])>]) -> Robot {
        let mut robot = Robot::new(None);
        for coupling in couplings {
            let name = Name::new(Some("j"), "");
            let mut joint = Joint::new(name.clone(), Motion::Revolute, None, Pose::identity());
            joint.coupling =
                coupling.map(|(master, c)| Coupling { master: Some(master), coefficients: c.to_vec() });
            robot.links.push(Link::new(name, joint));
        }
        robot
    }

    /// Closed form: with `y = 1 + 2 x + 3 x^2` and `x = 4 - z`, `y = 57 - 26 z + 3 z^2`.
    #[test]
    fn chains_are_composed() {
        let mut robot = robot(&[Some((1, &[1.0, 2.0, 3.0])), Some((2, &[4.0, -1.0])), None]);
        resolve(&mut robot);
        let coupling = robot.links[0].joint.coupling.as_ref().unwrap();
        assert_eq!((coupling.master, coupling.coefficients.as_slice()), (Some(2), &[57.0, -26.0, 3.0][..]));
    }

    #[test]
    fn rings_are_cut_and_listed() {
        let mut robot = robot(&[Some((1, &[0.0, 1.0])), Some((2, &[0.0, 2.0])), Some((0, &[0.0, 3.0]))]);
        resolve(&mut robot);
        let masters: Vec<_> =
            robot.links.iter().map(|link| link.joint.coupling.as_ref().and_then(|c| c.master)).collect();
        assert_eq!(masters, [None, Some(0), Some(0)]);
        assert_eq!(robot.left_out.iter().next().unwrap().count, 1);
    }

    /// The energy of the two springs `k1/2 (x - r1)^2 + k2/2 (y - r2)^2` with `y = o + f x` has the slope
    /// `k1 (x - r1) + k2 f (o + f x - r2)`.
    #[test]
    fn springs_and_dampers_move_to_the_master() {
        let mut robot = robot(&[None, Some((0, &[0.5, -2.0]))]);
        (robot.links[0].joint.stiffness, robot.links[0].joint.rest) = (3.0, 0.1);
        let follower = &mut robot.links[1].joint;
        (follower.stiffness, follower.rest, follower.damping) = (5.0, 0.7, 0.25);
        resolve(&mut robot);
        let joint = &robot.links[0].joint;
        for x in [-1.0, 0.0, 2.0] {
            let expected = 3.0 * (x - 0.1) + 5.0 * -2.0 * (0.5 - 2.0 * x - 0.7);
            assert!((joint.stiffness * (x - joint.rest) - expected).abs() < 1e-12);
        }
        assert_eq!(joint.damping, 1.0);
    }
}
