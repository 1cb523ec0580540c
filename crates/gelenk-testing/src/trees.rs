//! Random trees of all kinds of joints.
#![allow(clippy::unwrap_used)]

use gelenk_math::expression::Expression;
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;

use crate::draft::Draft;
use crate::random::Random;

/// What the joint scalars of a random tree may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalars {
    /// Coordinates, each used once.
    Plain,
    /// Also prescribed functions of time.
    Prescribed,
    /// Also functions of coordinates, and coordinates that several joints share.
    Shared,
    /// Also functions of coordinates and time.
    Moving,
}

/// All of these.
pub const ALL: [Scalars; 4] = [Scalars::Plain, Scalars::Prescribed, Scalars::Shared, Scalars::Moving];

/// A tree of `bodies` bodies in random order on random parents, with `loops` between frame 0 on the ground and frame 1
/// on the last body.
pub fn tree(random: &mut Random, bodies: usize, scalars: Scalars, loops: &[LoopKind]) -> Mechanism {
    let mut draft = draft(random, bodies, scalars);
    for (k, kind) in loops.iter().enumerate() {
        draft.add(Loop { name: format!("loop{k}"), kind: kind.clone() });
    }
    draft.build()
}

/// The same while it can be added to.
pub fn draft(random: &mut Random, bodies: usize, scalars: Scalars) -> Draft {
    let mut draft = Draft::new([0.4, -0.7, -9.81]);
    for k in 0..bodies {
        let inertia = random.numbers().map(|s: f64| 0.2 + s.abs());
        // Second moments of a mass that lies anywhere: every tensor so made belongs to a possible body.
        let [x, y, z] = inertia;
        let mass = 0.5 + random.number().abs();
        let body = draft.body(&format!("b{k}"), mass, random.numbers(), [y + z, x + z, x + y]);
        let products = draft.numbers(random.numbers::<3>().map(|p: f64| 0.1 * p));
        draft.blueprint.bodies[body].inertia[3..].copy_from_slice(&products);
    }
    // Bodies in another order than the tree's.
    let place = |k: usize| BodyId::nth((k * 3 + 1) % bodies);
    assert!(!bodies.is_multiple_of(3), "three times k must reach every body");
    for k in 0..bodies {
        // The first five joints are one of each kind.
        let kind = if k < 6 { k } else { random.below(6) };
        let motion = motion(&mut draft, random, kind, scalars);
        let parent = if k == 0 || random.below(5) == 0 {
            BodyRef::Ground
        } else {
            BodyRef::Body(place(random.below(k)))
        };
        draft.joint(&format!("j{k}"), parent, place(k), random.numbers(), motion);
        let angles = draft.numbers(random.numbers());
        draft.blueprint.joints.last_mut().unwrap().orientation = angles;
    }
    for (name, body) in [("ground", BodyRef::Ground), ("tip", BodyRef::Body(place(bodies - 1)))] {
        let (position, orientation) = (draft.numbers(random.numbers()), draft.numbers(random.numbers()));
        draft.add(Frame { name: name.into(), body, position, orientation });
    }
    draft
}

fn motion(draft: &mut Draft, random: &mut Random, kind: usize, scalars: Scalars) -> JointMotion {
    let axis = |draft: &mut Draft, random: &mut Random| match random.below(4) {
        3 => draft.numbers(random.numbers()),
        k => draft.numbers([0, 1, 2].map(|i| if i == k { 1.0 } else { 0.0 })),
    };
    match kind {
        0 => JointMotion::Revolute { axis: axis(draft, random), value: scalar(draft, random, scalars) },
        1 => JointMotion::Prismatic { axis: axis(draft, random), value: scalar(draft, random, scalars) },
        2 => JointMotion::Ball {
            orientation: draft.numbers([0.0; 3]),
            angular_velocity: draft.numbers([0.0; 3]),
        },
        3 => JointMotion::Fixed,
        4 => draft.free([0.0; 3], [0.0; 3]),
        _ => {
            let constant = Scalar::Constant(draft.number(0.3));
            // Two turns about the same axis would be one freedom.
            let tilted = draft.numbers([0.2, 1.0, -0.3]);
            JointMotion::General {
                translation: [
                    constant.clone(),
                    scalar(draft, random, scalars),
                    scalar(draft, random, scalars),
                ],
                axes: [draft.numbers([1.0, 0.0, 0.0]), tilted, axis(draft, random)],
                rotation: [scalar(draft, random, scalars), scalar(draft, random, scalars), constant],
            }
        }
    }
}

fn scalar(draft: &mut Draft, random: &mut Random, scalars: Scalars) -> Scalar {
    let old = draft.blueprint.coordinates.len();
    let function = |text: String| Scalar::Function(Expression::parse(&text).unwrap());
    match (random.below(4), scalars) {
        (0, Scalars::Prescribed) => function("0.4*sin(2*t) + 0.1".into()),
        (0, Scalars::Shared | Scalars::Moving) if old > 0 => {
            Scalar::Coordinate(CoordinateId::nth(random.below(old)))
        }
        (1, Scalars::Shared) if old > 1 => {
            let (a, b) = (random.below(old), random.below(old));
            function(format!("0.6*q{a}*q{b} + 0.3*sin(q{b})"))
        }
        (1, Scalars::Moving) if old > 0 => {
            function(format!("0.5*q{0}^2 + 0.3*sin(3*t)*q{0} + 0.2*t", random.below(old)))
        }
        _ => Scalar::Coordinate(draft.coordinate(&format!("q{old}"), 0.0, 0.0)),
    }
}
