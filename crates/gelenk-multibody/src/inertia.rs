//! Which inertias a body can have, which impossible ones do not matter, and the nearest possible ones.
//!
//! A tensor belongs to a distribution of mass if `tr(I)/2 E - I`, its second moments, is positive semidefinite: no
//! principal moment exceeds the sum of the others, and none is negative. Files written by people and programs break
//! this rule in ways that change nothing: by rounding, in bodies fixed to the ground, in small bodies fixed to others.

use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Inertia, Mat3, Pose, Vec3, skew};
use gelenk_system::Param;

use crate::blueprint::{Blueprint, BodyRef, JointMotion};

/// Part of the inertia that a joint moves below which an error does not show.
const NEGLIGIBLE: f64 = 1e-6;
/// Part of the largest moment by which it may exceed the sum of the others: three digits, rounded.
const ROUNDED: f64 = 5e-3;

/// A body with the joint that carries it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the body frame (m).
    pub centre: Vec3<f64>,
    /// About the centre of mass, in body axes (kg m^2).
    pub tensor: Mat3<f64>,
    /// The body that carries it; the ground where there is none.
    pub parent: Option<usize>,
    /// The joint frame in the frame of the parent.
    pub pose: Pose<f64>,
    /// Whether the joint lets nothing move.
    pub rigid: bool,
}

/// What an inertia means for the motion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A body can have it, but for rounding.
    Possible,
    /// No body has it, but this one never moves.
    OnGround,
    /// No body has it, but the bodies fixed to each other together can have theirs, and only that counts.
    Together,
    /// No body has it.
    Impossible,
}

/// Judges the inertias of the bodies of a tree. Numbers that are not finite are left to other checks.
pub fn judge(pieces: &[Piece]) -> Vec<Verdict> {
    let order = parents_first(pieces);
    let groups = Groups::collect(pieces, &order);
    pieces
        .iter()
        .enumerate()
        .map(|(i, piece)| {
            let Some(&(root, _)) = groups.place.get(i) else { return Verdict::Possible };
            let (whole, scale) = (&groups.whole[root], groups.scale[root]);
            if is_possible(&piece.tensor, scale) {
                Verdict::Possible
            } else if pieces[root].rigid {
                Verdict::OnGround
            } else if groups.size[root] > 1 && is_possible(&about_centre(whole), scale) {
                Verdict::Together
            } else {
                Verdict::Impossible
            }
        })
        .collect()
}

/// Whether a body can have this tensor, but for rounding and what is negligible beside `scale` (kg m^2).
fn is_possible(tensor: &Mat3<f64>, scale: f64) -> bool {
    if !tensor.iter().all(|x| x.is_finite()) {
        return true;
    }
    let (moments, _) = principal(tensor);
    let excess = 2.0 * moments.max() - moments.sum();
    let slack = NEGLIGIBLE * scale.max(moments.amax());
    // A negative moment is no matter of rounding: a hinge about that axis could not be simulated.
    moments.min() >= -slack && excess <= slack.max(ROUNDED * moments.max())
}

/// The tensor nearest to this one, by the sum of the squares of the differences, that a body can have.
pub fn nearest(tensor: &Mat3<f64>) -> Mat3<f64> {
    let (moments, axes) = principal(tensor);
    // Possible moments are sums of two second moments s >= 0 along the axes: I_i = s_j + s_k. The nearest ones have some
    // of the s at zero and are least squares in the others; of the eight cases the best admissible one is the answer.
    let sums = Mat3::from_fn(|i, k| if i == k { 0.0 } else { 1.0 });
    let mut best = (f64::INFINITY, Vec3::zeros());
    for kept in 0..8_u8 {
        let is_kept = |i: usize| kept >> i & 1 == 1;
        // Normal equations of the kept ones; the others have the identity and zero.
        let normal = sums.transpose() * sums;
        let right = sums.transpose() * moments;
        let matrix = Mat3::from_fn(|i, k| match (is_kept(i) && is_kept(k), i == k) {
            (true, _) => normal[(i, k)],
            (false, true) => 1.0,
            (false, false) => 0.0,
        });
        let right = Vec3::from_fn(|i, _| if is_kept(i) { right[i] } else { 0.0 });
        let Some(second) = matrix.lu().solve(&right) else { continue };
        let possible = sums * second;
        let distance = (possible - moments).norm();
        if second.min() >= -1e-12 * second.amax() && distance < best.0 {
            best = (distance, possible);
        }
    }
    let found = axes * Mat3::from_diagonal(&best.1) * axes.transpose();
    (found + found.transpose()) * 0.5
}

/// Whether a body can have this tensor up to rounding in the arithmetic.
pub fn is_exact(tensor: &Mat3<f64>) -> bool {
    let (moments, _) = principal(tensor);
    let slack = 1e-9 * moments.amax();
    2.0 * moments.max() - moments.sum() <= slack && moments.min() >= -slack
}

/// Principal moments and axes (the columns) of a symmetric tensor, by Jacobi's rotations.
fn principal(tensor: &Mat3<f64>) -> (Vec3<f64>, Mat3<f64>) {
    let size = tensor.amax();
    if size == 0.0 || !size.is_finite() {
        return (Vec3::zeros(), Mat3::identity());
    }
    // Scaled, so that squares neither vanish nor overflow.
    let mut a = (tensor + tensor.transpose()) * (0.5 / size);
    let mut axes = Mat3::identity();
    // Convergence is quadratic; a few sweeps reach rounding.
    for _ in 0..16 {
        for (i, k) in [(0, 1), (0, 2), (1, 2)] {
            if a[(i, k)] == 0.0 {
                continue;
            }
            let theta = (a[(k, k)] - a[(i, i)]) / (2.0 * a[(i, k)]);
            let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let sine = tangent * cosine;
            let mut turn = Mat3::identity();
            (turn[(i, i)], turn[(k, k)], turn[(i, k)], turn[(k, i)]) = (cosine, cosine, sine, -sine);
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
    }
    (Vec3::new(a[(0, 0)], a[(1, 1)], a[(2, 2)]) * size, axes)
}

/// Bodies that are fixed to each other, by the body that carries the others.
struct Groups {
    /// For each body the one that carries its group, and its pose in the frame of that.
    place: Vec<(usize, Pose<f64>)>,
    /// For each carrier the number of bodies and the inertia of all, about its origin.
    size: Vec<usize>,
    whole: Vec<Inertia<f64>>,
    /// For each carrier half the trace of that inertia, with what its joints carry as points at those joints.
    scale: Vec<f64>,
}

impl Groups {
    fn collect(pieces: &[Piece], order: &[usize]) -> Self {
        let count = pieces.len();
        let mut groups = Self {
            place: (0..count).map(|i| (i, Pose::identity())).collect(),
            size: vec![0; count],
            whole: vec![Inertia::zero(); count],
            scale: vec![0.0; count],
        };
        let mut carried: Vec<f64> = pieces.iter().map(|piece| piece.mass).collect();
        for &i in order.iter().rev() {
            if let Some(parent) = pieces[i].parent {
                carried[parent] += carried[i];
            }
        }
        for &i in order {
            let piece = &pieces[i];
            let on = piece.parent.map(|parent| groups.place[parent]);
            if let (Some((root, pose)), true) = (on, piece.rigid) {
                groups.place[i] = (root, pose * piece.pose);
            }
            let (root, pose) = groups.place[i];
            groups.size[root] += 1;
            groups.whole[root] +=
                Inertia::about_centre(piece.mass, piece.centre, piece.tensor).seen_from(&pose);
            if let (Some((root, pose)), false) = (on, piece.rigid) {
                groups.scale[root] += carried[i] * (pose * piece.pose).position.norm_squared();
            }
        }
        for (scale, whole) in groups.scale.iter_mut().zip(&groups.whole) {
            *scale += whole.tensor.trace() / 2.0;
        }
        groups
    }
}

/// The tensor about the centre of mass.
fn about_centre(inertia: &Inertia<f64>) -> Mat3<f64> {
    if inertia.mass <= 0.0 {
        return inertia.tensor;
    }
    let cross = skew(&(inertia.moment / inertia.mass));
    inertia.tensor + cross * cross * inertia.mass
}

/// Bodies so that each stands after the one that carries it; those in a circle are left out.
fn parents_first(pieces: &[Piece]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
    let mut order = Vec::with_capacity(pieces.len());
    for (i, piece) in pieces.iter().enumerate() {
        match piece.parent {
            Some(parent) => {
                if let Some(list) = children.get_mut(parent) {
                    list.push(i);
                }
            }
            None => order.push(i),
        }
    }
    let mut next = 0;
    while let Some(&body) = order.get(next) {
        order.append(&mut children[body]);
        next += 1;
    }
    order
}

impl Blueprint {
    /// What the inertias of the bodies mean for the motion, with these values of the parameters.
    pub fn inertias(&self, values: &[f64]) -> Vec<Verdict> {
        let of = |param: &Param| values.get(param.index()).copied().unwrap_or(0.0);
        let vector = |params: &[Param; 3]| Vec3::from_fn(|i, _| of(&params[i]));
        let mut pieces: Vec<Piece> = self
            .bodies
            .iter()
            .map(|body| {
                let [xx, yy, zz, xy, xz, yz] = body.inertia.map(|param| of(&param));
                Piece {
                    mass: of(&body.mass),
                    centre: vector(&body.centre),
                    tensor: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
                    parent: None,
                    pose: Pose::identity(),
                    rigid: false,
                }
            })
            .collect();
        let pose = |position, orientation| Pose::new(cardan(vector(orientation).into()), vector(position));
        for joint in &self.joints {
            let mut place = pose(&joint.position, &joint.orientation);
            let mut on = joint.parent;
            // Frames on frames end at a body; a model that was not checked might not.
            for _ in 0..=self.frames.len() {
                let BodyRef::Frame(frame) = on else { break };
                let Some(frame) = self.frames.get(frame.index()) else { break };
                place = pose(&frame.position, &frame.orientation) * place;
                on = frame.body;
            }
            let Some(piece) = pieces.get_mut(joint.child.index()) else { continue };
            piece.parent = if let BodyRef::Body(body) = on { Some(body.index()) } else { None };
            piece.pose = place;
            piece.rigid = matches!(joint.motion, JointMotion::Fixed);
        }
        judge(&pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_math::rotation::cardan;

    fn diagonal(x: f64, y: f64, z: f64) -> Mat3<f64> {
        Mat3::from_diagonal(&Vec3::new(x, y, z))
    }

    fn piece(mass: f64, tensor: Mat3<f64>, parent: Option<usize>, rigid: bool) -> Piece {
        let pose = Pose::new(Mat3::identity(), Vec3::new(0.1, 0.0, 0.0));
        Piece { mass, centre: Vec3::new(0.0, 0.0, 0.1), tensor, parent, pose, rigid }
    }

    #[test]
    fn what_cannot_matter_is_told_apart_from_what_does() {
        let wrong = diagonal(1e-3, 1e-3, 1e-2);
        let heavy = diagonal(0.2, 0.2, 0.2);
        let verdict = |pieces: &[Piece]| judge(pieces).last().copied();
        assert_eq!(verdict(&[piece(1.0, wrong, None, false)]), Some(Verdict::Impossible));
        assert_eq!(verdict(&[piece(1.0, wrong, None, true)]), Some(Verdict::OnGround));
        let together = [piece(10.0, heavy, None, false), piece(1.0, wrong, Some(0), true)];
        assert_eq!(verdict(&together), Some(Verdict::Together));
        let apart = [piece(10.0, heavy, None, false), piece(1.0, wrong, Some(0), false)];
        assert_eq!(verdict(&apart), Some(Verdict::Impossible));
        // A disc of three digits, and noise beside the Steiner part of 1 kg at 0.1 m.
        let disc = diagonal(1.00e-3, 1.00e-3, 2.01e-3);
        assert_eq!(verdict(&[piece(1.0, disc, None, false)]), Some(Verdict::Possible));
        let noise = diagonal(-1e-20, 0.0, 1e-20);
        assert_eq!(verdict(&[piece(1.0, noise, None, false)]), Some(Verdict::Possible));
        // The same noise is all there is without a mass.
        assert_eq!(verdict(&[piece(0.0, noise, None, false)]), Some(Verdict::Impossible));
        let negative = diagonal(-1e-3, 1.0, 1.0);
        assert_eq!(verdict(&[piece(1.0, negative, None, false)]), Some(Verdict::Impossible));
    }

    /// Closed forms: what is possible stays; (1, 1, 3) becomes (4/3, 4/3, 8/3), the nearest point of the plane
    /// `I_z = I_x + I_y`; a long negative axis leaves the nearest rod.
    #[test]
    fn the_nearest_tensor_is_possible_and_nearest() {
        let turn = cardan([0.4, -0.7, 1.1]);
        let turned = |tensor: Mat3<f64>| turn * tensor * turn.transpose();
        let near = |found: Mat3<f64>, expected: Mat3<f64>| {
            assert!((found - expected).norm() < 1e-14, "{found} {expected}");
        };
        near(nearest(&turned(diagonal(1.0, 2.0, 2.5))), turned(diagonal(1.0, 2.0, 2.5)));
        let third = 1.0 / 3.0;
        near(
            nearest(&turned(diagonal(1.0, 1.0, 3.0))),
            turned(diagonal(4.0 * third, 4.0 * third, 8.0 * third)),
        );
        near(nearest(&diagonal(-1.0, 2.0, 2.0)), diagonal(0.0, 2.0, 2.0));
        near(nearest(&diagonal(-1.0, -2.0, -3.0)), Mat3::zeros());
    }

    /// No admissible tensor of a random sample lies nearer (the definition).
    #[test]
    fn nothing_possible_lies_nearer() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for _ in 0..200 {
            let a = Mat3::from_fn(|_, _| random());
            let tensor = a + a.transpose();
            let found = nearest(&tensor);
            assert!(is_exact(&found));
            for step in [1e-1, 1e-2, 1e-3] {
                let d = Mat3::from_fn(|_, _| step * random());
                let other = nearest(&(found + d + d.transpose()));
                assert!((other - tensor).norm() >= (found - tensor).norm() - 1e-12);
            }
        }
    }

    #[test]
    fn strange_numbers_do_no_harm() {
        for x in [0.0, 1e-320, 1e300, f64::INFINITY, f64::NAN] {
            let tensor = Mat3::from_element(x);
            let _ = judge(&[piece(x, tensor, None, false), piece(x, tensor, Some(0), true)]);
            let _ = nearest(&tensor);
        }
    }
}
