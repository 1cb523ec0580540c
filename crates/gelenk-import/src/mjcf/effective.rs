//! The inertia that a drive sees: `1/(J M^-1 J^T)` with the mass matrix in the pose of the file.

use crate::robot::{Motion, Robot};
use gelenk_math::spatial::{Mat3, Vec3};
use nalgebra::{DMatrix, DVector};

/// Freedoms of a robot for which the mass matrix is still made.
const LARGEST: usize = 600;

/// A freedom of a joint: its axis in the world, and whether it turns.
struct Freedom {
    link: usize,
    axis: Vec3<f64>,
    /// A point of the axis; none for a slide.
    about: Option<Vec3<f64>>,
    armature: f64,
}

/// The inertia along a sum of joint displacements with factors; none where it has no end, or the robot is too large.
pub(super) fn inertia(robot: &Robot, factors: &[(usize, f64)]) -> Option<f64> {
    let freedoms = freedoms(robot);
    let n = freedoms.len();
    if n > LARGEST {
        return None;
    }
    let mut row = DVector::zeros(n);
    for &(link, factor) in factors {
        let place = freedoms.iter().position(|freedom| freedom.link == link)?;
        row[place] += factor;
    }
    let solved = mass_matrix(robot, &freedoms).cholesky()?.solve(&row);
    let inertia = 1.0 / row.dot(&solved);
    inertia.is_finite().then_some(inertia)
}

fn freedoms(robot: &Robot) -> Vec<Freedom> {
    let poses = robot.poses();
    let mut list = Vec::new();
    for (link, (item, pose)) in robot.links.iter().zip(&poses).enumerate() {
        let joint = &item.joint;
        let axis = pose.rotation * joint.axis;
        let turn = |axis| Freedom { link, axis, about: Some(pose.position), armature: joint.armature };
        let slide = |axis| Freedom { link, axis, about: None, armature: joint.armature };
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        match joint.motion {
            Motion::Fixed => {}
            Motion::Revolute => list.push(turn(axis)),
            Motion::Prismatic => list.push(slide(axis)),
            Motion::Ball => list.extend(axes.map(turn)),
            Motion::Free => list.extend(axes.map(slide).into_iter().chain(axes.map(turn))),
        }
    }
    list
}

fn mass_matrix(robot: &Robot, freedoms: &[Freedom]) -> DMatrix<f64> {
    let poses = robot.poses();
    let mut mass = DMatrix::zeros(freedoms.len(), freedoms.len());
    for (i, freedom) in freedoms.iter().enumerate() {
        mass[(i, i)] = freedom.armature;
    }
    for (index, (link, pose)) in robot.links.iter().zip(&poses).enumerate() {
        let centre = pose.point(&link.centre);
        let tensor: Mat3<f64> = pose.rotation * link.inertia * pose.rotation.transpose();
        // The freedoms that move this link, with the velocities that they give it.
        let mut moving = Vec::new();
        let mut next = Some(index);
        while let Some(at) = next {
            let own = freedoms.iter().enumerate().filter(|(_, freedom)| freedom.link == at);
            moving.extend(own.map(|(i, freedom)| match freedom.about {
                Some(point) => (i, freedom.axis, freedom.axis.cross(&(centre - point))),
                None => (i, Vec3::zeros(), freedom.axis),
            }));
            next = robot.links.get(at).and_then(|link| link.joint.parent);
        }
        for (i, angular, linear) in &moving {
            for (j, other, other_linear) in &moving {
                mass[(*i, *j)] += link.mass * linear.dot(other_linear) + angular.dot(&(tensor * other));
            }
        }
    }
    mass
}
