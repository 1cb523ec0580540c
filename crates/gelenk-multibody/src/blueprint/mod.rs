//! The description that a mechanism is compiled from.
//!
//! Plain data: names, topology by typed ids, and parameters by their place in the flat vector. A
//! [`Builder`](crate::Builder) fills one in, also for a model file.

use std::sync::Arc;

use gelenk_laws::control::Sampled;
use gelenk_math::expression::Expression;
use gelenk_signal::Waveform;
pub use gelenk_signal::{Course, LogTable};
use gelenk_system::{Param, Schedule};

use crate::elements::{Acting, Attachment};

mod friction;
mod ids;
mod references;

pub use friction::{Factor, Normal, NormalForce};
pub use ids::{BodyId, CoordinateId, ElementId, FrameId, Ground, JointId, LoopId, Part, SignalId};
pub(crate) use ids::{Reference, places};

/// A body, or the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRef {
    /// The inertial frame.
    Ground,
    /// A body.
    Body(BodyId),
    /// A frame fixed on either, or on another frame.
    Frame(FrameId),
}

/// What a coordinate measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    /// Radians.
    Angle,
    /// Metres.
    Length,
}

impl CoordinateKind {
    /// SI units of position, rate and effort.
    pub fn units(self) -> [&'static str; 3] {
        match self {
            Self::Angle => ["rad", "rad/s", "N m"],
            Self::Length => ["m", "m/s", "N"],
        }
    }
}

/// A generalised coordinate.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// Name in expressions and recordings.
    pub name: String,
    /// Unit.
    pub kind: CoordinateKind,
    /// Initial value.
    pub start: Param,
    /// Initial rate.
    pub rate: Param,
    /// What of the two closing the loops at the start must not change.
    pub exact: Exact,
    /// Inertia of what turns with the coordinate at its rate and belongs to no body, such as a geared rotor seen from
    /// its output (kg m^2, or kg on a length). It adds to the mass matrix at the place of the coordinate.
    pub rotor: Option<Param>,
}

/// What of the start of a coordinate is kept as it is given while loops are closed; the other coordinates follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// The initial value.
    pub start: bool,
    /// The initial rate.
    pub rate: bool,
}

/// A rigid body. Its frame is the frame of the joint that carries it.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Mass (kg).
    pub mass: Param,
    /// Centre of mass in the body frame (m).
    pub centre: [Param; 3],
    /// Inertia about the centre of mass in body axes (kg m^2): xx, yy, zz, xy, xz, yz.
    pub inertia: [Param; 6],
}

/// What a joint scalar is.
#[derive(Clone, Debug)]
pub enum Scalar {
    /// A constant (m or rad).
    Constant(Param),
    /// A coordinate.
    Coordinate(CoordinateId),
    /// Minus a coordinate; for translations, whose axes have no sign of their own.
    Reverse(CoordinateId),
    /// A function of coordinates and the time `t`, by their names.
    Function(Expression),
}

/// How a joint lets its child move.
#[derive(Clone, Debug)]
// A blueprint holds one for each joint and is gone after compiling; a box would only be in the way.
#[allow(clippy::large_enum_variant)]
pub enum JointMotion {
    /// Not at all.
    Fixed,
    /// Rotation about an axis of the joint frame.
    Revolute {
        /// Axis; normalised when bound.
        axis: [Param; 3],
        /// Angle (rad).
        value: Scalar,
    },
    /// Translation along an axis of the joint frame.
    Prismatic {
        /// Axis; normalised when bound.
        axis: [Param; 3],
        /// Displacement (m).
        value: Scalar,
    },
    /// Three translations along the axes of the joint frame, then three successive rotations, each about an axis of
    /// the frame that the rotations before it have made (the universal joint of stelzner 3.3).
    General {
        /// Translations along x, y and z (m).
        translation: [Scalar; 3],
        /// Rotation axes; normalised when bound.
        axes: [[Param; 3]; 3],
        /// Rotation angles (rad).
        rotation: [Scalar; 3],
    },
    /// About a point, with a quaternion; angular velocity in the body frame.
    Ball {
        /// Initial Cardan x-y-z angles (rad).
        orientation: [Param; 3],
        /// Initial angular velocity, body frame (rad/s).
        angular_velocity: [Param; 3],
    },
    /// Freely, with a quaternion; velocities in the body frame.
    Free {
        /// Initial position in the joint frame (m).
        position: [Param; 3],
        /// Initial Cardan x-y-z angles (rad).
        orientation: [Param; 3],
        /// Initial angular velocity, body frame (rad/s).
        angular_velocity: [Param; 3],
        /// Initial velocity of the origin, body frame (m/s).
        velocity: [Param; 3],
    },
}

/// A joint that carries a body.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// The body or frame that the joint stands on.
    pub parent: BodyRef,
    /// The body that it carries.
    pub child: BodyId,
    /// Origin of the joint frame in the frame of the parent (m).
    pub position: [Param; 3],
    /// Cardan x-y-z angles of the joint frame in the parent frame (rad).
    pub orientation: [Param; 3],
    /// Freedom.
    pub motion: JointMotion,
}

/// A point and axes fixed on a body.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Name.
    pub name: String,
    /// The body or frame it is fixed on.
    pub body: BodyRef,
    /// Origin in the frame of that (m).
    pub position: [Param; 3],
    /// Cardan x-y-z angles in the body frame (rad).
    pub orientation: [Param; 3],
}

/// A loop, or any other constraint.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Name.
    pub name: String,
    /// What it demands.
    pub kind: LoopKind,
}

/// Kinds of constraints between two frames. The joints are those of table 1.1 of
/// the thesis; their axes are the z axes of the frames.
#[derive(Clone, Debug)]
pub enum LoopKind {
    /// The origins coincide (3 equations); also a ball joint.
    Point([FrameId; 2]),
    /// The z axes are parallel (2).
    Parallel([FrameId; 2]),
    /// The z axes are perpendicular (1).
    Perpendicular([FrameId; 2]),
    /// All axes are parallel (3).
    Orientation([FrameId; 2]),
    /// The origins keep a distance (1).
    Distance([FrameId; 2], Param),
    /// The second origin lies in the plane through the first one across the first z axis (1).
    Plane([FrameId; 2]),
    /// The second origin lies on the ellipsoid with these half axes along the axes of the first frame (1).
    Ellipsoid([FrameId; 2], [Param; 3]),
    /// Welded (6).
    Rigid([FrameId; 2]),
    /// Hinge about z (5).
    Revolute([FrameId; 2]),
    /// Turn about and slide along z (4).
    Cylindrical([FrameId; 2]),
    /// Slide along z (5).
    Prismatic([FrameId; 2]),
    /// Origins coincide, the first x axis is perpendicular to the second y axis (4).
    Universal([FrameId; 2]),
    /// An expression of coordinates and time vanishes (1): gears, racks, couplings.
    Coupling(Expression),
}

/// An element that does work on the mechanism: its kind, what it acts on, and its numbers and expressions in the order of its
/// specification.
#[derive(Clone, Debug)]
pub struct Element {
    /// Name; also the account in the energy ledger.
    pub name: String,
    /// The kind.
    pub kind: Acting,
    /// What it acts on.
    pub on: Attachment,
    /// Parameters, triples and lists flattened.
    pub parameters: Vec<Param>,
    /// Entries of its lists; zero for a kind without.
    pub size: usize,
    /// Inputs, vectors flattened.
    pub inputs: Vec<Expression>,
}

impl Element {
    /// An element without lists and inputs.
    pub fn new(
        name: impl Into<String>,
        kind: impl Into<Acting>,
        on: Attachment,
        parameters: &[Param],
    ) -> Self {
        let (name, kind, parameters) = (name.into(), kind.into(), parameters.to_vec());
        Self { name, kind, on, parameters, size: 0, inputs: Vec::new() }
    }

    /// The same with inputs.
    pub fn with_inputs(mut self, inputs: &[Expression]) -> Self {
        self.inputs = inputs.to_vec();
        self
    }

    /// The same with lists of this many entries.
    pub fn with_lists(mut self, size: usize) -> Self {
        self.size = size;
        self
    }
}

/// What is measured between two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Distance of the origins (m).
    Distance,
    /// Rate of the distance (m/s).
    DistanceRate,
    /// Component of the second origin in the first frame (m).
    Position(usize),
    /// Rate of that component (m/s).
    PositionRate(usize),
    /// Angle of the second x axis about the first z axis, from the first x axis (rad), within half a turn.
    Angle,
    /// The same angle, counted over turns from this start (rad) on.
    Counted(Param),
    /// Relative angular velocity about the first z axis (rad/s).
    AngleRate,
}

/// A named scalar port.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Name in expressions and recordings.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Where its value comes from.
    pub kind: SignalKind,
}

/// Kinds of signals.
#[derive(Clone, Debug)]
pub enum SignalKind {
    /// An input, which is bound when a run starts.
    Input {
        /// What it does where nobody binds it to something else: a measured log, for instance.
        course: Course,
        /// Its value at the start as a parameter, where the course is a held number.
        start: Option<Param>,
    },
    /// An expression, evaluated at every instant.
    Value(Expression),
    /// An excitation: `offset + amplitude shape(t)`.
    Excitation {
        /// Its shape over time.
        shape: Arc<Waveform>,
        /// What the shape is multiplied by.
        amplitude: Param,
        /// What is added.
        offset: Option<Param>,
    },
    /// A measure between two frames.
    Measure([FrameId; 2], Measure),
    /// Minus a measure between two frames: that of a mirrored pair.
    Reversed([FrameId; 2], Measure),
    /// A sampled block: its first output, held until the next one arrives.
    Block {
        /// The block.
        block: Sampled,
        /// Its inputs in the order of its specification.
        inputs: Vec<Expression>,
        /// Its parameters in the order of its specification.
        parameters: Vec<Param>,
        /// When it samples, and when the result arrives.
        schedule: Schedule,
    },
    /// A further output of a block, held as the first one.
    BlockOutput {
        /// The signal that is the block.
        signal: SignalId,
        /// Number of the output in the specification, from 1.
        output: usize,
    },
    /// A switch: 1 while it is on, else 0. Its conditions are positive where they hold, see [`Expression::parse_condition`].
    Switch {
        /// What turns it on.
        on: Expression,
        /// What turns it off.
        off: Release,
        /// What it is at the start; by default what `on` says there.
        start: Option<bool>,
        /// Whether the run ends when it is on.
        stop: bool,
    },
}

/// What turns a switch off.
#[derive(Clone, Debug)]
pub enum Release {
    /// That the condition to turn it on holds no more.
    Otherwise,
    /// A condition of its own.
    When(Expression),
    /// Nothing.
    Never,
}

/// A recorded expression.
#[derive(Clone, Debug)]
pub struct Output {
    /// Name.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Its value.
    pub value: Expression,
}

/// The description of a mechanism.
///
/// Expressions may name: the time `t`; a coordinate `phi` and its rate `phi.rate`; of a free joint `j`
/// the position `j.x`, `j.y`, `j.z`, the quaternion `j.qw` to `j.qz`, the body-frame velocities `j.wx`
/// to `j.wz` and `j.vx` to `j.vz` (of a ball joint the quaternion and the angular velocity); a signal; a drive by its
/// element's short name (the last part of a dotted name); an output of an element by its short name, a dot and the output's
/// name; and a parameter by its path or, for those under `parameters.`, by its last part.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// Gravity in the ground frame (m/s^2).
    pub gravity: [Param; 3],
    /// Coordinates.
    pub coordinates: Vec<Coordinate>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Joints, one for each body, in any order.
    pub joints: Vec<Joint>,
    /// Frames.
    pub frames: Vec<Frame>,
    /// Loops.
    pub loops: Vec<Loop>,
    /// Elements.
    pub elements: Vec<Element>,
    /// Factors on parameters of friction elements.
    pub factors: Vec<Factor>,
    /// Forces that press the surfaces of friction elements together.
    pub normals: Vec<Normal>,
    /// Signals.
    pub signals: Vec<Signal>,
    /// Recorded expressions.
    pub outputs: Vec<Output>,
    /// Joints that loops and elements between frames have taken the place of.
    pub replaced: Vec<Replaced>,
}

impl Blueprint {
    /// Nothing but gravity.
    pub fn new(gravity: [Param; 3]) -> Self {
        Self {
            gravity,
            coordinates: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            frames: Vec::new(),
            loops: Vec::new(),
            elements: Vec::new(),
            factors: Vec::new(),
            normals: Vec::new(),
            signals: Vec::new(),
            outputs: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// Adds a part and returns its id.
    pub fn add<P: Part>(&mut self, part: P) -> P::Id {
        let all = P::all(self);
        all.push(part);
        P::id(all.len() - 1, 0)
    }
}

/// A joint of another formulation: what it exerts on its child is the sum of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Name of the joint.
    pub name: String,
    /// Its child.
    pub body: BodyId,
    /// Loops, which end at the origin of the child.
    pub loops: Vec<LoopId>,
    /// Elements along its freedoms, which end there, too.
    pub elements: Vec<ElementId>,
}
