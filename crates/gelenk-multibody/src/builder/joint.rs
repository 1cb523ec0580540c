//! A joint while it is built.

use gelenk_math::expression::Expression;

use super::{BodyId, Builder, CoordinateId, JointId};
use crate::blueprint::{BodyRef, Coordinate, CoordinateKind, Exact, Joint, JointMotion, Scalar};

/// A joint that waits for its kind: say where it is, then how it moves.
#[must_use = "the joint has no type; call for example `revolute`"]
pub struct JointBuilder<'b> {
    pub(super) builder: &'b mut Builder,
    pub(super) name: String,
    pub(super) parent: BodyRef,
    pub(super) child: BodyId,
    pub(super) position: [f64; 3],
    pub(super) orientation: [f64; 3],
}

const UNIT: &str = "1";

impl JointBuilder<'_> {
    /// Where the joint is in the frame of its parent (m); the origin where nothing is said.
    pub fn at(mut self, position: [f64; 3]) -> Self {
        self.position = position;
        self
    }

    /// Cardan x-y-z angles of the joint frame in the frame of its parent (rad); parallel where nothing is said.
    pub fn turned(mut self, angles: [f64; 3]) -> Self {
        self.orientation = angles;
        self
    }

    /// Not at all.
    pub fn fixed(self) {
        self.moving(JointMotion::Fixed);
    }

    /// By an angle about an axis of the joint frame.
    pub fn revolute(self, axis: [f64; 3], coordinate: &str) -> CoordinateId {
        let (name, path) = (coordinate.to_owned(), self.path());
        let (axis, id) = {
            let builder = &mut *self.builder;
            (
                builder.vector(&format!("{path}.axis"), axis, UNIT),
                builder.coordinate(&path, &name, CoordinateKind::Angle),
            )
        };
        self.moving(JointMotion::Revolute { axis, value: Scalar::Coordinate(id) });
        id
    }

    /// By a displacement along an axis of the joint frame.
    pub fn prismatic(self, axis: [f64; 3], coordinate: &str) -> CoordinateId {
        let (name, path) = (coordinate.to_owned(), self.path());
        let axis = self.builder.vector(&format!("{path}.axis"), axis, UNIT);
        let id = self.builder.coordinate(&path, &name, CoordinateKind::Length);
        self.moving(JointMotion::Prismatic { axis, value: Scalar::Coordinate(id) });
        id
    }

    /// By an angle (rad) about an axis that is a function of coordinates and of the time `t`.
    pub fn revolute_by(self, axis: [f64; 3], angle: &str) {
        let path = self.path();
        let axis = self.builder.vector(&format!("{path}.axis"), axis, UNIT);
        let value = Scalar::Function(self.builder.formula(&path, angle));
        self.moving(JointMotion::Revolute { axis, value });
    }

    /// By a displacement (m) along an axis that is a function of coordinates and of the time `t`.
    pub fn prismatic_by(self, axis: [f64; 3], displacement: &str) {
        let path = self.path();
        let axis = self.builder.vector(&format!("{path}.axis"), axis, UNIT);
        let value = Scalar::Function(self.builder.formula(&path, displacement));
        self.moving(JointMotion::Prismatic { axis, value });
    }

    /// About a point, with a quaternion; it starts with these Cardan x-y-z angles (rad) and angular velocity in the body frame
    /// (rad/s).
    pub fn ball(self, orientation: [f64; 3], angular_velocity: [f64; 3]) -> JointId {
        let path = self.path();
        let start = |builder: &mut Builder, key: &str, value, unit| {
            builder.vector(&format!("{path}.start.{key}"), value, unit)
        };
        let motion = JointMotion::Ball {
            orientation: start(self.builder, "orientation", orientation, "rad"),
            angular_velocity: start(self.builder, "angular_velocity", angular_velocity, "rad/s"),
        };
        self.moving(motion)
    }

    /// Freely, with a quaternion; it starts at the origin of the joint frame, parallel and at rest unless
    /// [`Builder::start_free`] says otherwise.
    pub fn free(self) -> JointId {
        let path = self.path();
        let start = |builder: &mut Builder, key: &str, unit| {
            builder.vector(&format!("{path}.start.{key}"), [0.0; 3], unit)
        };
        let motion = JointMotion::Free {
            position: start(self.builder, "position", "m"),
            orientation: start(self.builder, "orientation", "rad"),
            angular_velocity: start(self.builder, "angular_velocity", "rad/s"),
            velocity: start(self.builder, "velocity", "m/s"),
        };
        self.moving(motion)
    }

    /// In any other way that a [`JointMotion`] can say; its parameters and coordinates are declared before, see
    /// [`Builder::number`] and [`Builder::coordinate`].
    pub fn moving(self, motion: JointMotion) -> JointId {
        let path = self.path();
        let Self { builder, name, parent, child, position, orientation } = self;
        let position = builder.vector(&format!("{path}.position"), position, "m");
        let orientation = builder.vector(&format!("{path}.orientation"), orientation, "rad");
        builder.add(Joint { name, parent, child, position, orientation, motion })
    }

    fn path(&self) -> String {
        format!("joints.{}", self.name)
    }
}

impl Builder {
    /// A coordinate that starts at zero and at rest. `path` is where its numbers are, such as `joints.knee`.
    pub fn coordinate(&mut self, path: &str, name: &str, kind: CoordinateKind) -> CoordinateId {
        let [unit, rate_unit, _] = kind.units();
        let start = self.number(&format!("{path}.coordinate.start"), 0.0, unit);
        let rate = self.number(&format!("{path}.coordinate.rate"), 0.0, rate_unit);
        let exact = Exact::default();
        self.add(Coordinate { name: name.into(), kind, start, rate, exact, rotor: None })
    }

    /// Where a coordinate starts (rad, m), and its rate there.
    pub fn start(&mut self, coordinate: CoordinateId, position: f64, rate: f64) {
        if !self.owns(coordinate.reference()) {
            return self.foreign("start", "a coordinate");
        }
        let known = &self.blueprint.coordinates[coordinate];
        let [start, speed] = [known.start, known.rate];
        self.set(start, position);
        self.set(speed, rate);
    }

    /// Inertia of a geared rotor seen from a coordinate (kg m^2, or kg on a length).
    pub fn rotor(&mut self, coordinate: CoordinateId, inertia: f64) {
        if !self.owns(coordinate.reference()) {
            return self.foreign("rotor", "a coordinate");
        }
        let known = &self.blueprint.coordinates[coordinate];
        let unit = if known.kind == CoordinateKind::Angle { "kg m^2" } else { "kg" };
        let path = format!("coordinates.{}.rotor_inertia", known.name);
        let rotor = self.at_least(&path, inertia, unit, 0.0);
        self.blueprint.coordinates[coordinate].rotor = Some(rotor);
    }

    /// Where the child of a free joint starts: position of its origin (m) and Cardan x-y-z angles (rad) in the joint frame,
    /// angular velocity (rad/s) and velocity of the origin (m/s) in the body frame.
    pub fn start_free(
        &mut self,
        joint: JointId,
        place: [f64; 3],
        angles: [f64; 3],
        turn: [f64; 3],
        speed: [f64; 3],
    ) {
        let motion = self.owns(joint.reference()).then(|| self.blueprint.joints[joint].motion.clone());
        let Some(JointMotion::Free { position, orientation, angular_velocity, velocity }) = motion else {
            return self.foreign("start", "a free joint");
        };
        for (params, values) in
            [(position, place), (orientation, angles), (angular_velocity, turn), (velocity, speed)]
        {
            params.into_iter().zip(values).for_each(|(param, value)| self.set(param, value));
        }
    }

    pub(super) fn formula(&mut self, place: &str, text: &str) -> Expression {
        match Expression::parse(text) {
            Ok(expression) => expression,
            Err(error) => {
                let text = text.to_owned();
                self.fail(super::BuilderError::Formula { place: place.into(), text, error });
                Expression::number(0.0, gelenk_math::units::Dimension::NONE)
            }
        }
    }
}
