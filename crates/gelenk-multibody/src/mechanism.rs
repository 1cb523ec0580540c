//! The compiled mechanism: flat, immutable, shared by all threads.

use std::ops::Range;

use gelenk_math::expression::Program;
use gelenk_system::{Account, Channel, Layout, Param, ParameterTable};

use crate::blueprint::{CoordinateKind, Exact};
use crate::elements::Elements;
use crate::loops::Loops;
use crate::signals::Signals;

/// A mechanism that is ready to run.
#[derive(Clone, Debug)]
pub struct Mechanism {
    pub(crate) parameters: ParameterTable,
    pub(crate) layout: Layout,
    pub(crate) loops: Loops,
    pub(crate) elements: Elements,
    pub(crate) signals: Signals,
    /// Number of tree velocities `u` (joint scalars, and six for a free joint).
    pub(crate) nu: usize,
    pub(crate) gravity: [Param; 3],
    pub(crate) coordinates: Vec<CoordinateInfo>,
    /// Quaternions of ball and free joints.
    pub(crate) spins: Vec<Spin>,
    /// Links in an order in which every parent stands before its children.
    pub(crate) links: Vec<Link>,
    /// Rows of `F`, one for every tree velocity, as ranges of `columns`.
    pub(crate) rows: Vec<Range<usize>>,
    /// Velocity index of every entry of `F`.
    pub(crate) columns: Vec<usize>,
    pub(crate) frames: Vec<FrameInfo>,
    /// Whether every velocity is one tree velocity, and every other tree velocity prescribed.
    pub(crate) direct: bool,
    /// Whether accelerations come from articulated bodies instead of the mass matrix.
    pub(crate) articulated: bool,
    pub(crate) table: TableLayout,
    pub(crate) outputs: Vec<Program>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) accounts: Vec<Account>,
    /// Names of velocities, for messages.
    pub(crate) velocity_names: Vec<String>,
    pub(crate) scratch: usize,
    /// Whether the wrenches through the joints are recorded.
    pub(crate) reactions: bool,
    /// Whether the poses of the bodies are recorded.
    pub(crate) poses: bool,
    /// Whether accelerations are recorded.
    pub(crate) accelerations: bool,
    /// Whether the times of the evaluation of contacts are recorded.
    pub(crate) contact_times: bool,
    /// Account of the work of time-driven joints, where there are any.
    pub(crate) rheonomic: Option<usize>,
    /// Angles that are counted over turns.
    pub(crate) counted: Vec<Counted>,
}

/// An angle between frames that is counted over turns.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) between: [usize; 2],
    /// Where counting begins (rad); zero where an element counts for itself.
    pub(crate) start: Option<Param>,
    /// Where the memory has its last value (rad).
    pub(crate) place: usize,
}

/// A coordinate.
#[derive(Clone, Debug)]
pub(crate) struct CoordinateInfo {
    pub(crate) name: String,
    pub(crate) kind: CoordinateKind,
    pub(crate) start: Param,
    pub(crate) rate: Param,
    pub(crate) exact: Exact,
    pub(crate) rotor: Option<Param>,
}

/// A link of the tree: a joint and the body that it carries.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) joint: String,
    pub(crate) body: String,
    /// Index of the parent link; `None` on the ground.
    pub(crate) parent: Option<usize>,
    /// Constant pose of the joint frame in the parent frame, as a product.
    pub(crate) placement: Vec<Shift>,
    pub(crate) kind: LinkKind,
    /// Tree velocities of the joint.
    pub(crate) dofs: Range<usize>,
    /// Mass properties; `None` for a link between the freedoms of one joint.
    pub(crate) inertia: Option<MassInfo>,
}

/// Mass properties of a body.
#[derive(Clone, Debug)]
pub(crate) struct MassInfo {
    pub(crate) mass: Param,
    pub(crate) centre: [Param; 3],
    pub(crate) inertia: [Param; 6],
}

/// A factor of a constant pose.
#[derive(Clone, Debug)]
pub(crate) enum Shift {
    /// Translation (m).
    Position([Param; 3]),
    /// Cardan x-y-z angles (rad).
    Cardan([Param; 3]),
    /// Translation along a coordinate axis (m).
    Along(usize, Param),
    /// Rotation about an axis (rad).
    Turn([Param; 3], Param),
}

/// Axis of a joint.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// x, y or z of the joint frame.
    Unit(usize),
    /// Against x, y or z.
    Minus(usize),
    /// Given by parameters; normalised when bound.
    Given([Param; 3]),
}

/// Where the quaternion of a ball or free joint stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spin {
    /// First component of the quaternion in `q`.
    pub(crate) q: usize,
    /// First component of the angular velocity in `v`.
    pub(crate) v: usize,
    /// First components of the position in `q` and of the velocity in `v`, of a free joint.
    pub(crate) origin: Option<(usize, usize)>,
    /// The link of the joint.
    pub(crate) link: usize,
}

/// Freedom of a joint after lowering: a closed set with static dispatch.
#[derive(Clone, Debug)]
pub(crate) enum LinkKind {
    Fixed,
    Revolute { axis: Axis, source: Source },
    Prismatic { axis: Axis, source: Source },
    Ball { spin: Spin, start: SpinStart },
    Free { spin: Spin, start: SpinStart },
}

/// Initial values of a ball or free joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpinStart {
    pub(crate) orientation: [Param; 3],
    pub(crate) angular_velocity: [Param; 3],
    /// Position and velocity of a free joint.
    pub(crate) origin: Option<([Param; 3], [Param; 3])>,
}

/// Where a joint scalar comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Coordinate(usize),
    Function(Box<Function>),
}

/// A joint scalar `s = f(q, t)` with the derivatives that velocities and accelerations need.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) value: Program,
    /// `(a, df/dq_a)`.
    pub(crate) first: Vec<(usize, Program)>,
    /// `(a, b, factor, d2f/dq_a dq_b)` for `a <= b`; the factor counts mixed terms twice.
    pub(crate) second: Vec<(usize, usize, f64, Program)>,
    /// Derivatives by the time, where the function depends on it.
    pub(crate) time: Option<TimeDerivatives>,
}

/// Derivatives of a joint scalar by the time.
#[derive(Clone, Debug)]
pub(crate) struct TimeDerivatives {
    /// `df/dt`.
    pub(crate) first: Program,
    /// `d2f/dt2`.
    pub(crate) second: Program,
    /// `(a, d2f/dq_a dt)`.
    pub(crate) mixed: Vec<(usize, Program)>,
}

/// A frame on a link.
#[derive(Clone, Debug)]
pub(crate) struct FrameInfo {
    pub(crate) name: String,
    pub(crate) link: Option<usize>,
    /// Constant pose on the link, as a product.
    pub(crate) placement: Vec<Shift>,
}

/// Where things stand in the table that expressions read: `[t, q, v, p, signals, outputs of elements]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableLayout {
    pub(crate) q: usize,
    pub(crate) v: usize,
    pub(crate) p: usize,
    pub(crate) signals: usize,
    pub(crate) outputs: usize,
    pub(crate) len: usize,
}

impl Mechanism {
    /// The parameters with the values that the mechanism was built with.
    pub fn parameters(&self) -> &ParameterTable {
        &self.parameters
    }

    /// Names of the coordinates, in their order in `q` and `v`.
    pub fn coordinate_names(&self) -> impl Iterator<Item = &str> {
        self.coordinates.iter().map(|c| c.name.as_str())
    }

    /// Name of velocity `k` in messages: its coordinate, or the component of a ball or free joint.
    pub fn velocity_name(&self, k: usize) -> &str {
        self.velocity_names.get(k).map(String::as_str).unwrap_or_default()
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.links.iter().filter(|link| link.inertia.is_some()).count()
    }

    /// Degrees of freedom before loops are closed.
    pub fn velocity_count(&self) -> usize {
        self.layout.nv
    }

    /// Number of loop equations, redundant ones included.
    pub fn constraint_count(&self) -> usize {
        self.layout.nc
    }
}
