//! A joint as constraint equations between a frame on its parent and a frame on its child.

use gelenk_math::rotation::about_axis;
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_system::Param;

use crate::blueprint::{CoordinateId, JointMotion, Scalar};

/// A loop type whose frames are still to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Rigid,
    Revolute,
    Prismatic,
    Cylindrical,
    Universal,
    Point,
    Plane,
    Orientation,
    Parallel,
    Perpendicular,
}

/// One loop: orientations of its frames in the joint frame and in the child.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    pub(super) kind: Kind,
    /// What is added to the joint's name, where it has several loops.
    pub(super) suffix: &'static str,
    pub(super) parent: Mat3<f64>,
    pub(super) child: Mat3<f64>,
}

/// What a coordinate has become.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) coordinate: CoordinateId,
    /// Along an axis of the frame (0 to 2), or about its z axis.
    pub(super) along: Option<usize>,
    pub(super) parent: Mat3<f64>,
    pub(super) child: Mat3<f64>,
}

/// A joint taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Where its frames stand in the joint frame (m).
    pub(super) origin: Vec3<f64>,
    pub(super) closures: Vec<Closure>,
    pub(super) measured: Vec<Measured>,
    /// Coordinates that no measure between frames gives back.
    pub(super) lost: Vec<CoordinateId>,
}

/// A rotation that takes the axis `from` (0 to 2) to the unit vector `to`.
fn aligned(from: usize, to: &Vec3<f64>) -> Mat3<f64> {
    let unit = Mat3::identity().column(from).into_owned();
    let axis = unit.cross(to);
    let (sin, cos) = (axis.norm(), unit.dot(to));
    if sin > 1e-12 {
        return about_axis(&(axis / sin), sin.atan2(cos));
    }
    if cos > 0.0 {
        return Mat3::identity();
    }
    // A half turn about any axis across it.
    about_axis(&Mat3::identity().column((from + 1) % 3).into_owned(), std::f64::consts::PI)
}

/// One of the successive rotations: constant, or about an axis by a coordinate.
enum Turn {
    Still(Mat3<f64>),
    Moving(Vec3<f64>, CoordinateId),
}

/// Takes a joint apart; the reason where that cannot be done.
pub(super) fn parts(motion: &JointMotion, p: &[f64]) -> Result<Parts, String> {
    let vector = |axis: &[Param; 3]| {
        let vector = Vec3::new(axis[0].of(p), axis[1].of(p), axis[2].of(p));
        vector / vector.norm()
    };
    let turn = |axis: &[Param; 3], value: &Scalar| {
        let axis = vector(axis);
        Ok::<_, String>(match value {
            Scalar::Constant(angle) => Turn::Still(about_axis(&axis, angle.of(p))),
            Scalar::Coordinate(a) => Turn::Moving(axis, *a),
            Scalar::Reverse(_) => return Err(mirrored()),
            Scalar::Function(_) => return Err(by_expression()),
        })
    };
    // `base`: from the joint frame to the axes of the translations.
    let mut base = Mat3::identity();
    let mut slides = [None; 3];
    let mut origin = Vec3::zeros();
    let mut turns = Vec::new();
    match motion {
        JointMotion::Fixed => {}
        JointMotion::Revolute { axis, value } => turns.push(turn(axis, value)?),
        JointMotion::Prismatic { axis, value } => {
            base = aligned(2, &vector(axis));
            match value {
                Scalar::Coordinate(a) => slides[2] = Some(*a),
                Scalar::Constant(length) => origin = vector(axis) * length.of(p),
                Scalar::Reverse(_) => return Err(mirrored()),
                Scalar::Function(_) => return Err(by_expression()),
            }
            turns.push(Turn::Still(base.transpose()));
        }
        JointMotion::General { translation, axes, rotation } => {
            for (k, value) in translation.iter().enumerate() {
                match value {
                    Scalar::Coordinate(a) => slides[k] = Some(*a),
                    Scalar::Constant(length) => origin[k] = length.of(p),
                    Scalar::Reverse(_) => return Err(mirrored()),
                    Scalar::Function(_) => return Err(by_expression()),
                }
            }
            for (axis, value) in axes.iter().zip(rotation) {
                turns.push(turn(axis, value)?);
            }
        }
        JointMotion::Ball { .. } => {
            let whole = Closure { kind: Kind::Point, suffix: "", parent: base, child: base };
            return Ok(Parts { closures: vec![whole], ..Parts::default() });
        }
        JointMotion::Free { .. } => return Ok(Parts::default()),
    }
    close(base, origin, slides, &turns)
}

fn mirrored() -> String {
    "its mirrored slide has no counterpart between frames".into()
}

fn by_expression() -> String {
    "it moves by an expression, which has no counterpart between frames".into()
}

fn close(
    base: Mat3<f64>,
    origin: Vec3<f64>,
    slides: [Option<CoordinateId>; 3],
    turns: &[Turn],
) -> Result<Parts, String> {
    // Constant rotations between the moving ones: before the first, between, after the last.
    let (mut still, mut moving) = (vec![Mat3::identity()], Vec::new());
    for turn in turns {
        match turn {
            Turn::Still(rotation) => {
                if let Some(last) = still.last_mut() {
                    *last *= rotation;
                }
            }
            Turn::Moving(axis, a) => {
                moving.push((*axis, *a));
                still.push(Mat3::identity());
            }
        }
    }
    let before = base * still[0];
    let after = still[still.len() - 1].transpose();
    let all = if moving.is_empty() { before } else { Mat3::identity() };
    let free: Vec<usize> = (0..3).filter(|&k| slides[k].is_some()).collect();
    let unit = |k: usize| Mat3::<f64>::identity().column(k).into_owned();
    let mut closures = Vec::new();
    let mut add = |kind, suffix, parent, child| closures.push(Closure { kind, suffix, parent, child });
    // A rotation about one axis: both frames have it as z, with their x axes together at zero.
    let hinge = moving.first().map(|(axis, _)| {
        let z = aligned(2, axis);
        (before * z, after * z)
    });
    let slide = free.first().map(|&k| base * aligned(2, &unit(k)));
    // Across the plane of two freedoms, and along and across the line of one.
    match (free.as_slice(), moving.as_slice(), hinge, slide) {
        ([], [], ..) => add(Kind::Rigid, "", all, Mat3::identity()),
        ([], [_], Some((parent, child)), _) => add(Kind::Revolute, "", parent, child),
        ([], [(first, _), (second, _)], ..) => {
            perpendicular(first, &(still[1] * second))?;
            add(Kind::Universal, "", before * aligned(0, first), after * aligned(1, second));
        }
        ([_], [], _, Some(axis)) => add(Kind::Prismatic, "", axis, all.transpose() * axis),
        ([_], [_], Some((parent, child)), Some(axis))
            if parent.column(2).cross(&axis.column(2)).norm() < 1e-12 =>
        {
            add(Kind::Cylindrical, "", parent, child);
        }
        (free, moving, hinge, _) => {
            let names = [".across", ".offset"];
            let held = (0..3).filter(|k| !free.contains(k));
            match free.len() {
                0 => add(Kind::Point, "", base, Mat3::identity()),
                _ => held.zip(names).for_each(|(k, name)| {
                    add(Kind::Plane, name, base * aligned(2, &unit(k)), Mat3::identity());
                }),
            }
            match (moving, hinge) {
                ([], _) => add(Kind::Orientation, ".turn", all, Mat3::identity()),
                ([_], Some((parent, child))) => add(Kind::Parallel, ".turn", parent, child),
                ([(first, _), (second, _)], _) => {
                    perpendicular(first, &(still[1] * second))?;
                    let (parent, child) = (before * aligned(2, first), after * aligned(2, second));
                    add(Kind::Perpendicular, ".turn", parent, child);
                }
                _ => {}
            }
        }
    }
    let mut parts = Parts { origin, closures, ..Parts::default() };
    for &k in &free {
        if let Some(coordinate) = slides[k] {
            let (parent, child) = (base, Mat3::identity());
            parts.measured.push(Measured { coordinate, along: Some(k), parent, child });
        }
    }
    match (moving.as_slice(), hinge) {
        ([(_, coordinate)], Some((parent, child))) => {
            let coordinate = *coordinate;
            parts.measured.push(Measured { coordinate, along: None, parent, child });
        }
        (several, _) => parts.lost.extend(several.iter().map(|(_, a)| *a)),
    }
    Ok(parts)
}

fn perpendicular(first: &Vec3<f64>, second: &Vec3<f64>) -> Result<(), String> {
    if first.dot(second).abs() < 1e-12 {
        return Ok(());
    }
    Err("its two rotation axes are not perpendicular; the available constraints cannot keep any other angle"
        .into())
}
