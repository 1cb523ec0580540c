//! Random mechanisms with loops of all kinds, closed at their start.
#![allow(dead_code, clippy::unwrap_used)]

use gelenk_math::expression::Expression;
use gelenk_math::rotation::{Sequence, cardan};
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::absolute::BodyState;
use gelenk_multibody::blueprint::*;
use gelenk_system::System;

use gelenk_testing::draft::Draft;
use gelenk_testing::random::Random;

/// Numbers up to `size`.
fn sized<const N: usize>(random: &mut Random, size: f64) -> [f64; N] {
    random.numbers().map(|number: f64| size * number)
}

/// What joint scalars may be beside coordinates of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalars {
    /// Nothing else.
    Own,
    /// Functions of coordinates that other joints use, too.
    Shared,
    /// Functions of time as well.
    Driven,
}

fn coordinate(draft: &mut Draft, random: &mut Random, kind: CoordinateKind) -> CoordinateId {
    let name = format!("c{}", draft.blueprint.coordinates.len());
    let a = draft.coordinate(&name, 0.6 * random.number(), random.number());
    draft.blueprint.coordinates[a].kind = kind;
    a
}

fn scalar(draft: &mut Draft, random: &mut Random, kind: CoordinateKind, scalars: Scalars) -> Scalar {
    let count = draft.blueprint.coordinates.len();
    if scalars != Scalars::Own && count > 0 && random.below(3) == 0 {
        let name = format!("c{}", random.below(count));
        let text = match (scalars, random.below(3)) {
            (Scalars::Driven, 0) => format!("0.3*sin(2*t) + 0.2*{name}*cos(t)"),
            (Scalars::Driven, 1) => "0.2*t^2 + 0.4*t".into(),
            _ => format!("0.4*{name} + 0.2*{name}^2"),
        };
        return Scalar::Function(Expression::parse(&text).unwrap());
    }
    Scalar::Coordinate(coordinate(draft, random, kind))
}

fn motion(draft: &mut Draft, random: &mut Random, scalars: Scalars) -> JointMotion {
    let (length, angle) = (CoordinateKind::Length, CoordinateKind::Angle);
    // Free along x, y, z, and which of the three rotations.
    let mask = match random.below(9) {
        0 => return JointMotion::Fixed,
        1 => {
            let axis = draft.numbers(sized(random, 1.0));
            return JointMotion::Revolute { axis, value: scalar(draft, random, angle, scalars) };
        }
        2 => {
            let axis = draft.numbers(sized(random, 1.0));
            return JointMotion::Prismatic { axis, value: scalar(draft, random, length, scalars) };
        }
        3 => {
            let orientation = draft.numbers(sized(random, 1.0));
            return JointMotion::Ball { orientation, angular_velocity: draft.numbers(sized(random, 1.0)) };
        }
        // Cylindrical, universal, planar, three angles, a slide with a turn across it.
        4 => [false, false, true, false, false, true],
        5 => [false, false, false, true, true, false],
        6 => [true, true, false, false, false, true],
        7 => [false, false, false, true, true, true],
        _ => [true, false, false, false, true, false],
    };
    let mut pick = |k: usize, kind, draft: &mut Draft| {
        if mask[k] {
            scalar(draft, random, kind, scalars)
        } else {
            Scalar::Constant(draft.number(0.4 * random.number()))
        }
    };
    let translation = [0, 1, 2].map(|k| pick(k, length, draft));
    let rotation = [3, 4, 5].map(|k| pick(k, angle, draft));
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| draft.numbers(axis));
    JointMotion::General { translation, axes, rotation }
}

/// A tree of `bodies` bodies, without loops.
pub(crate) fn tree(random: &mut Random, bodies: usize, scalars: Scalars) -> Draft {
    let mut draft = Draft::new(sized(random, 9.0));
    for b in 0..bodies {
        let mass = 1.0 + 0.5 * random.number();
        let inertia = [0, 1, 2].map(|_| 0.2 + 0.05 * random.number());
        let body = draft.body(&format!("b{b}"), mass, sized(random, 0.3), inertia);
        let parent = match random.below(b + 2) {
            0 => BodyRef::Ground,
            k => BodyId::nth((k - 1).min(b.saturating_sub(1))).into(),
        };
        let parent = if b == 0 { BodyRef::Ground } else { parent };
        let motion = motion(&mut draft, random, scalars);
        draft.joint(&format!("j{b}"), parent, body, sized(random, 0.5), motion);
        let orientation = draft.numbers(sized(random, 1.0));
        if let Some(joint) = draft.blueprint.joints.last_mut() {
            joint.orientation = orientation;
        }
    }
    draft
}

/// The bodies at the start.
pub(crate) fn start(mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
    let layout = mechanism.layout();
    let mut d = mechanism.data();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    (x, m)
}

/// Adds a loop between two bodies that the start closes; `None` where all freedoms are used up.
pub(crate) fn close(draft: &mut Draft, random: &mut Random, index: usize) -> Option<()> {
    let mechanism = draft.clone().build();
    let layout = mechanism.layout();
    let (x, _) = start(&mechanism);
    let mut d = mechanism.data();
    let states = mechanism.body_states(&mut d, 0.0, &x[layout.q()], &x[layout.v()]);
    let bodies = draft.blueprint.bodies.len();
    let second = random.below(bodies);
    let first = random.below(bodies + 1);
    if first == second || layout.nv < layout.nc + 2 {
        return None;
    }
    let pose = |body: usize| states.iter().find(|s| s.name == format!("b{body}")).map(|s| s.pose).unwrap();
    let first = if first == bodies {
        (BodyRef::Ground, Pose::identity())
    } else {
        (BodyId::nth(first).into(), pose(first))
    };
    let on_first = Pose::new(cardan(sized(random, 1.0)), Vec3::from(sized::<3>(random, 0.4)));
    let (mut turned, mut shift) = (Mat3::identity(), Vec3::zeros());
    let between = [0, 1].map(|end| FrameId::nth(draft.blueprint.frames.len() + end));
    let room = layout.nv - layout.nc;
    let kind = match random.below(11) {
        0 if room > 3 => LoopKind::Point(between),
        1 if room > 2 => LoopKind::Parallel(between),
        2 => {
            turned = cardan([std::f64::consts::FRAC_PI_2, 0.3, 0.0]);
            LoopKind::Perpendicular(between)
        }
        3 if room > 3 => LoopKind::Orientation(between),
        4 if room > 6 => LoopKind::Rigid(between),
        5 if room > 5 => LoopKind::Revolute(between),
        6 if room > 4 => LoopKind::Cylindrical(between),
        7 if room > 5 => LoopKind::Prismatic(between),
        8 if room > 4 => LoopKind::Universal(between),
        9 => {
            shift = Vec3::new(0.6, 0.0, 0.0);
            LoopKind::Ellipsoid(between, draft.numbers([0.6, 0.4, 0.9]))
        }
        10 => {
            shift = Vec3::new(0.3, 0.4, 0.0);
            LoopKind::Distance(between, draft.number(0.5))
        }
        _ => LoopKind::Plane(between),
    };
    // Where the second frame is in the ground, and so on its body.
    let place = first.1 * on_first * Pose::new(turned, shift);
    let body = pose(second);
    let on_second = Pose::new(
        body.rotation.tr_mul(&place.rotation),
        body.rotation.tr_mul(&(place.position - body.position)),
    );
    for (end, (body, pose)) in
        [(first.0, on_first), (BodyId::nth(second).into(), on_second)].into_iter().enumerate()
    {
        let position = draft.numbers(pose.position.into());
        let orientation = draft.numbers(Sequence::Xyz.angles(&pose.rotation).parameters);
        let name = format!("f{index}{end}");
        draft.add(Frame { name, body, position, orientation });
    }
    draft.add(Loop { name: format!("l{index}"), kind });
    Some(())
}

/// A random mechanism with up to `loops` loops.
pub(crate) fn looped(seed: u64, scalars: Scalars, loops: usize) -> Draft {
    let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let bodies = 2 + random.below(5);
    let mut draft = tree(&mut random, bodies, scalars);
    for index in 0..loops {
        close(&mut draft, &mut random, index);
    }
    draft
}

/// Bodies with their velocities and, as the derivative of lane 0, their accelerations: body-frame components.
pub(crate) fn moving(mechanism: &Mechanism, x: &[f64], m: &[f64]) -> Vec<BodyState<Dual>> {
    let layout = mechanism.layout();
    let (mut d, mut dx) = (mechanism.data(), vec![0.0; layout.nx()]);
    mechanism.rates(&mut d, 0.0, x, m, &mut dx).unwrap();
    let along: Vec<Dual> =
        x.iter().zip(&dx).map(|(&x, &dx)| Dual::c(x) + seed(0.0, 0) * Dual::c(dx)).collect();
    let mut d = mechanism.data::<Dual>();
    mechanism.body_states(&mut d, seed(0.0, 0), &along[layout.q()], &along[layout.v()])
}

/// Accelerations of a body: angular and of the origin, body-frame components of the rates of the velocity.
pub(crate) fn accelerations(state: &BodyState<Dual>) -> [f64; 6] {
    let (ang, lin) = (state.velocity.ang, state.velocity.lin);
    [ang[0], ang[1], ang[2], lin[0], lin[1], lin[2]].map(|v| partial(v, 0))
}
