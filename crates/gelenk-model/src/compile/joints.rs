//! Joints as motions of the core.

use super::lower::{Lower, body_ref};
use crate::check::coordinates::{Coordinates, Role, role};
use crate::joints::{GeneralMotion, Joint, JointType, Sequence};
use crate::model_file::ModelFile;
use crate::quantity::Number;
use gelenk_file::read::Text;
use gelenk_math::expression::Expression;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::{self, BodyId, CoordinateId, CoordinateKind, JointId, JointMotion, Scalar};

impl Lower<'_, '_> {
    /// `moved` are the coordinates that the joint names.
    pub(super) fn joint(
        &mut self,
        model: &ModelFile,
        name: &Text,
        joint: &Joint,
        moved: &[CoordinateId],
        coordinates: &Coordinates,
    ) -> Option<JointId> {
        let child = BodyId::nth(model.bodies.position(&joint.child)?);
        let parent = body_ref(model, &joint.parent)?;
        let position = self.vector(&joint.position);
        let orientation = self.vector(&joint.orientation);
        let motion = match (joint.kind.value, moved) {
            (JointType::Fixed, _) => JointMotion::Fixed,
            (JointType::Revolute, _) => {
                JointMotion::Revolute { axis: self.vector(&joint.axis), value: self.value(joint, moved)? }
            }
            (JointType::Prismatic, _) => {
                JointMotion::Prismatic { axis: self.vector(&joint.axis), value: self.value(joint, moved)? }
            }
            (JointType::Free, _) => self.free(name, joint),
            (JointType::Ball, []) => self.ball(name, joint),
            (JointType::Ball, &[a, b, c]) => {
                let sequence = joint.sequence.map_or(Sequence::Xyz, |sequence| sequence.value);
                self.moving(joint, [None; 3], sequence.axes(), [Some(a), Some(b), Some(c)])
            }
            // Rotations that do not happen come first, where they are part of the placement.
            (JointType::Cylindrical, &[slide, turn]) => {
                self.moving(joint, [None, None, Some(slide)], [0, 1, 2], [None, None, Some(turn)])
            }
            (JointType::Universal, &[a, b]) => {
                self.moving(joint, [None; 3], [2, 0, 1], [None, Some(a), Some(b)])
            }
            (JointType::Planar, &[x, y, turn]) => {
                self.moving(joint, [Some(x), Some(y), None], [0, 1, 2], [None, None, Some(turn)])
            }
            (JointType::Screw, &[turn]) => {
                let number = model.joints.position(name)?;
                self.screw(number, joint, turn, coordinates)?
            }
            (JointType::General, _) => self.general(model, joint, joint.motion.as_ref()?, coordinates)?,
            _ => return None,
        };
        let name = name.text.clone();
        Some(self.builder.add(blueprint::Joint { name, parent, child, position, orientation, motion }))
    }

    fn value(&mut self, joint: &Joint, moved: &[CoordinateId]) -> Option<Scalar> {
        match &joint.value {
            Some(value) => Some(Scalar::Function(self.bind(value))),
            None => moved.first().map(|&coordinate| Scalar::Coordinate(coordinate)),
        }
    }

    fn free(&mut self, name: &Text, joint: &Joint) -> JointMotion {
        match &joint.start {
            Some(start) => JointMotion::Free {
                position: self.vector(&start.position),
                orientation: self.vector(&start.orientation),
                velocity: self.vector(&start.velocity),
                angular_velocity: self.vector(&start.angular_velocity),
            },
            None => {
                let path = |key: &str| format!("joints.{}.start.{key}", name.text);
                JointMotion::Free {
                    position: self.implied_vector(&path("position"), Dimension::LENGTH),
                    orientation: self.implied_vector(&path("orientation"), Dimension::ANGLE),
                    velocity: self.implied_vector(&path("velocity"), Dimension::VELOCITY),
                    angular_velocity: self
                        .implied_vector(&path("angular_velocity"), Dimension::ANGULAR_VELOCITY),
                }
            }
        }
    }

    fn ball(&mut self, name: &Text, joint: &Joint) -> JointMotion {
        match &joint.start {
            Some(start) => JointMotion::Ball {
                orientation: self.vector(&start.orientation),
                angular_velocity: self.vector(&start.angular_velocity),
            },
            None => {
                let path = |key: &str| format!("joints.{}.start.{key}", name.text);
                JointMotion::Ball {
                    orientation: self.implied_vector(&path("orientation"), Dimension::ANGLE),
                    angular_velocity: self
                        .implied_vector(&path("angular_velocity"), Dimension::ANGULAR_VELOCITY),
                }
            }
        }
    }

    /// A general joint that moves by coordinates along and about axes of its frame.
    fn moving(
        &mut self,
        joint: &Joint,
        translation: [Option<CoordinateId>; 3],
        axes: [usize; 3],
        rotation: [Option<CoordinateId>; 3],
    ) -> JointMotion {
        let zero = self.zero();
        let mirror = joint.reflection;
        let slide = |k: usize| match translation[k] {
            None => Scalar::Constant(zero),
            Some(coordinate) if mirror.polar(k) => Scalar::Reverse(coordinate),
            Some(coordinate) => Scalar::Coordinate(coordinate),
        };
        let turn =
            |coordinate: Option<CoordinateId>| coordinate.map_or(Scalar::Constant(zero), Scalar::Coordinate);
        JointMotion::General {
            translation: [0, 1, 2].map(slide),
            axes: axes.map(|axis| self.unit_vector(axis, mirror.axial(axis))),
            rotation: rotation.map(turn),
        }
    }

    /// A turn about z that shifts by `lead` in each revolution; `number` tells screws apart.
    fn screw(
        &mut self,
        number: usize,
        joint: &Joint,
        turn: CoordinateId,
        coordinates: &Coordinates,
    ) -> Option<JointMotion> {
        let (lead, mirror) = (joint.lead.as_ref()?, joint.reflection);
        let lead = self.param(lead, CoordinateKind::Length);
        // Names of joints may have a minus, which expressions cannot; so the shift per angle has a path of its own.
        let path = format!("constants.pitch{number}");
        let program = Expression::parse("lead/(2*pi)").ok()?.compile(&|_| Some(lead.index())).ok()?;
        let declared = self.table().derived(&path, program, &Dimension::LENGTH.to_string());
        self.declared(declared, &path, gelenk_file::source::Span::default());
        let name = &coordinates.list.get(turn.index())?.name;
        let mut shift = Expression::parse(&format!("{path}*{}", name.text)).ok()?;
        if mirror.polar(2) {
            shift = shift.negated();
        }
        self.structural.push(path);
        let zero = Scalar::Constant(self.zero());
        Some(JointMotion::General {
            translation: [zero.clone(), zero.clone(), Scalar::Function(shift)],
            axes: [0, 1, 2].map(|axis| self.unit_vector(axis, mirror.axial(axis))),
            rotation: [zero.clone(), zero, Scalar::Coordinate(turn)],
        })
    }

    fn general(
        &mut self,
        model: &ModelFile,
        joint: &Joint,
        motion: &GeneralMotion,
        coordinates: &Coordinates,
    ) -> Option<JointMotion> {
        let mirror = joint.reflection;
        let mut scalar = |number: &Number, kind: CoordinateKind, reversed: bool| {
            let role = role(number, model);
            let mut number = number.clone();
            if reversed {
                number.formula.negate();
            }
            Some(match role {
                Role::Constant => Scalar::Constant(self.param(&number, kind)),
                Role::Coordinate(name) if reversed => Scalar::Reverse(coordinates.find(&name)?),
                Role::Coordinate(name) => Scalar::Coordinate(coordinates.find(&name)?),
                Role::Function => Scalar::Function(self.bind(&number.formula)),
            })
        };
        // The axes of the rotations are reflected, those of the translations are x, y and z of the joint frame.
        let [x, y, z] = motion.translation();
        let [x, y, z] = [(0, x), (1, y), (2, z)]
            .map(|(k, number)| scalar(number, CoordinateKind::Length, mirror.polar(k)));
        let translation = [x?, y?, z?];
        let [a, b, c] = motion.rotation().map(|number| scalar(number, CoordinateKind::Angle, false));
        let rotation = [a?, b?, c?];
        let axes = match &joint.axes {
            Some(axes) => {
                let [a, b, c] = &axes.vectors;
                [a, b, c].map(|axis| self.vector(axis))
            }
            None => [0, 1, 2].map(|axis| self.unit_vector(axis, mirror.axial(axis))),
        };
        Some(JointMotion::General { translation, axes, rotation })
    }
}
