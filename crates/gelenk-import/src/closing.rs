//! Loops that the digits of a file leave open.
//!
//! Positions in a file are rounded. A planar loop can then contradict itself by that rounding: no motion of the joints
//! closes it. Here the joints are moved until what is open is least, and frames of loops that are open by no more than
//! the rounding of the file are moved there.

use std::convert::Infallible;

use crate::robot::{Motion, Robot, inverse};
use crate::xml::Document;
use gelenk_math::rotation::about_axis;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_solve::least_squares::{Failure, LeastSquares, Rows, SearchOptions, Shape, minimise};

/// Below this (m, rad) a run closes loops itself.
const CLOSED: f64 = 1e-11;
/// Rounding (m, rad) that is always accepted: that of single precision at the size of a robot.
const SINGLE: f64 = 1e-7;
/// Rounding (m, rad) that is accepted at most.
const COARSEST: f64 = 1e-6;
/// Relative tolerance of the search.
const EXACT: f64 = 1e-13;
/// Steps of the search.
const STEPS: usize = 50;
/// Products of poses that the search may need at most.
const WORK: usize = 20_000_000;
/// Step (m, rad) of numerical derivatives.
const DIFFERENCE: f64 = 1e-6;

/// What loops may be open by: ten units of the last decimal in the positions and orientations of a file.
pub(crate) fn rounding(document: &Document, root: usize) -> f64 {
    let places = ["pos", "quat", "euler", "xyz", "rpy", "anchor", "fromto"];
    let mut decimals = 0;
    for element in document.descendants(root) {
        for attribute in document.attributes(element).iter().filter(|a| places.contains(&a.name.as_str())) {
            for word in attribute.value.split_whitespace() {
                decimals = decimals.max(decimals_of(word));
            }
        }
    }
    10_f64.powi(1 - decimals).clamp(SINGLE, COARSEST)
}

/// Digits behind the decimal point: 3 in `0.125` and 6 in `1.25e-4`.
fn decimals_of(word: &str) -> i32 {
    let (mantissa, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let digits = mantissa.split_once('.').map_or(0, |(_, behind)| behind.len().min(30)) as i32;
    let exponent: i32 = exponent.parse().unwrap_or(0);
    (digits - exponent.clamp(-30, 30)).max(0)
}

/// Moves frames of loops that stay open by less than `rounding`, and lists them with what they were open by.
pub(crate) fn close(robot: &mut Robot, rounding: f64) {
    let free: Vec<usize> = (0..robot.links.len())
        .filter(|&i| robot.links[i].joint.is_scalar() && robot.links[i].joint.coupling.is_none())
        .collect();
    let work = STEPS.saturating_mul(free.len() + 1).saturating_mul(robot.links.len());
    if robot.loops.is_empty() {
        return;
    }
    if work > WORK {
        robot.left_out.add("loops not examined for rounding: the robot is too large", "");
        return;
    }
    let u = displacements(robot);
    let settings = SearchOptions { max_iterations: STEPS, tolerance: EXACT, ..SearchOptions::default() };
    let mut open = Open { robot, free: &free };
    let Ok(found) = minimise(&mut open, u, &settings, &mut |_| {}) else { return };
    let u = found.point;
    let poses = poses(robot, &u);
    for item in 0..robot.loops.len() {
        let rigid = robot.loops[item].kind == "rigid";
        let [first, second] = robot.loops[item].between;
        let [a, b] = [first, second].map(|frame| world(robot, &poses, frame));
        let gap = gap(&a, &b, robot.loops[item].kind);
        let largest = gap.iter().fold(0.0_f64, |largest, gap| largest.max(gap.abs()));
        if !(CLOSED..=rounding).contains(&largest) {
            continue;
        }
        let target = if rigid { a } else { Pose::new(b.rotation, a.position) };
        let body = robot.frames[second].body.and_then(|body| poses.get(body).copied());
        robot.frames[second].pose = inverse(&body.unwrap_or_else(Pose::identity)) * target;
        let name = format!("{} by {largest:.1e}", robot.loops[item].name.wanted());
        robot.changed.add("loops that rounding in the file leaves open (m, rad): a frame moved", &name);
    }
}

/// How far every joint starts from the pose of the file.
fn displacements(robot: &Robot) -> Vec<f64> {
    let joints = robot.links.iter().map(|link| &link.joint);
    joints.map(|joint| joint.start_value.map_or(0.0, |value| value - joint.reference)).collect()
}

/// World poses of all links where the robot starts; loops are as open as the start leaves them.
pub(crate) fn start_poses(robot: &Robot) -> Vec<Pose<f64>> {
    poses(robot, &displacements(robot))
}

/// World poses of all links with their joints displaced from the pose of the file.
fn poses(robot: &Robot, u: &[f64]) -> Vec<Pose<f64>> {
    let mut poses: Vec<Pose<f64>> = Vec::with_capacity(robot.links.len());
    for (i, link) in robot.links.iter().enumerate() {
        let joint = &link.joint;
        let displacement = match &joint.coupling {
            Some(coupling) => {
                let u = coupling.master.map_or(0.0, |master| u[master]);
                coupling.coefficients.iter().rev().fold(0.0, |sum, c| sum * u + c)
            }
            None => u[i],
        };
        let motion = match joint.motion {
            Motion::Revolute => Pose::new(about_axis(&joint.axis, displacement), Vec3::zeros()),
            Motion::Prismatic => Pose::new(Pose::identity().rotation, joint.axis * displacement),
            _ => joint.start,
        };
        let parent = joint.parent.and_then(|parent| poses.get(parent).copied());
        poses.push(parent.unwrap_or_else(Pose::identity) * joint.placement * motion);
    }
    poses
}

/// A frame in the world.
fn world(robot: &Robot, poses: &[Pose<f64>], frame: usize) -> Pose<f64> {
    let frame = &robot.frames[frame];
    let body = frame.body.and_then(|body| poses.get(body).copied());
    body.unwrap_or_else(Pose::identity) * frame.pose
}

/// What two frames are apart, in the axes of the first.
fn gap(a: &Pose<f64>, b: &Pose<f64>, kind: &str) -> Vec<f64> {
    let apart = a.rotation.transpose() * (b.position - a.position);
    let turn = a.rotation.transpose() * b.rotation;
    let turned =
        Vec3::new(turn[(2, 1)] - turn[(1, 2)], turn[(0, 2)] - turn[(2, 0)], turn[(1, 0)] - turn[(0, 1)]);
    let mut gap: Vec<f64> = apart.iter().copied().collect();
    if kind != "point" {
        gap.extend(turned.iter().map(|x| x / 2.0));
    }
    gap
}

/// The gaps of all loops.
fn gaps(robot: &Robot, u: &[f64]) -> Vec<f64> {
    let poses = poses(robot, u);
    let gap = |item: &crate::robot::Loop| {
        let [a, b] = item.between.map(|frame| world(robot, &poses, frame));
        gap(&a, &b, item.kind)
    };
    robot.loops.iter().flat_map(gap).collect()
}

/// The gaps of all loops over the displacements of all links, of which some are free.
struct Open<'a> {
    robot: &'a Robot,
    free: &'a [usize],
}

impl LeastSquares for Open<'_> {
    type Point = Vec<f64>;
    type Error = Infallible;

    fn residuals(&mut self, u: &Vec<f64>, r: &mut Vec<f64>) -> Result<(), Failure<Infallible>> {
        *r = gaps(self.robot, u);
        Ok(())
    }

    fn jacobian(
        &mut self,
        u: &Vec<f64>,
        r: &mut Vec<f64>,
        rows: &mut Rows,
    ) -> Result<(), Failure<Infallible>> {
        let slopes = |&i: &usize| -> Vec<f64> {
            let ends = [-DIFFERENCE, DIFFERENCE].map(|by| {
                let mut moved = u.clone();
                moved[i] += by;
                gaps(self.robot, &moved)
            });
            ends[1].iter().zip(&ends[0]).map(|(a, b)| (a - b) / (2.0 * DIFFERENCE)).collect()
        };
        let columns: Vec<Vec<f64>> = self.free.iter().map(slopes).collect();
        rows.clear(Shape::dense(columns.len()));
        for i in 0..r.len() {
            let row: Vec<f64> = columns.iter().map(|column| column[i]).collect();
            rows.push(0, &row, &[]);
        }
        Ok(())
    }

    fn retract(&mut self, u: &Vec<f64>, step: &[f64]) -> Result<Vec<f64>, Failure<Infallible>> {
        let mut moved = u.clone();
        self.free.iter().zip(step).for_each(|(&i, step)| moved[i] += step);
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_counted() {
        let found = ["1", "0.125", "1.25e-4", "-3e-8", "2.5E3", "x"].map(decimals_of);
        assert_eq!(found, [0, 3, 6, 8, 0, 0]);
    }
}
