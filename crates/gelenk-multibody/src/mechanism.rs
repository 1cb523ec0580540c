//! The compiled mechanism: flat, immutable, shared by all threads.

use std::ops::Range;
use std::sync::Arc;

use gelenk_laws::control::Sampled;
use gelenk_math::expression::Program;
use gelenk_signal::Waveform;
use gelenk_system::{Account, Channel, Layout, Param, ParameterTable, Schedule};

use crate::blueprint::{CoordinateKind, Course, Exact, Measure};
use crate::elements::Acting;
use crate::elements::attachment::Attached;
use crate::elements::contact::ContactPlace;
use crate::elements::factors::{FactorRun, NormalRun};
use crate::elements::holds::Hold;
use crate::loops::carry::Carry;
use crate::loops::closing::Closing;
use crate::loops::paths::Paths;
use crate::signals::inputs::Inputs;
use crate::signals::switches::SwitchRun;

/// A mechanism that is ready to run.
#[derive(Clone, Debug)]
pub struct Mechanism {
    pub(crate) parameters: ParameterTable,
    pub(crate) layout: Layout,
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
    pub(crate) loops: Vec<LoopInfo>,
    /// Equations of all loops, in order.
    pub(crate) equations: Vec<Equation>,
    /// Their ways through the tree.
    pub(crate) paths: Paths,
    /// Whether every velocity is one tree velocity, and every other tree velocity prescribed.
    pub(crate) direct: bool,
    /// Whether accelerations come from articulated bodies instead of the mass matrix.
    pub(crate) articulated: bool,
    /// What the articulated-body recursion carries, where it is used and there are loops.
    pub(crate) carry: Option<Carry>,
    pub(crate) elements: Vec<ElementInfo>,
    /// Factors on parameters of laws.
    pub(crate) factors: Vec<FactorRun>,
    /// Forces that press the surfaces of friction together.
    pub(crate) normals: Vec<NormalRun>,
    /// Whether modes of elements depend on frames or inputs, and so need the kinematics and signals.
    pub(crate) looks_around: bool,
    /// Number of inputs of elements.
    pub(crate) inputs_len: usize,
    /// Elements that are contacts.
    pub(crate) contacts: Vec<ContactPlace>,
    /// Coordinates that elements can hold.
    pub(crate) holds: Vec<Hold>,
    pub(crate) table: TableLayout,
    pub(crate) signals: Vec<SignalInfo>,
    pub(crate) ports: Ports,
    /// Signals, and elements whose outputs formulas name, in an order in which each stands after what it needs.
    pub(crate) signal_order: Vec<Node>,
    pub(crate) samplers: Vec<Sampler>,
    /// What is known ahead of what acts.
    pub(crate) inputs: Inputs,
    /// Signals that are turned by conditions.
    pub(crate) switches: Vec<SwitchRun>,
    pub(crate) outputs: Vec<Program>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) accounts: Vec<Account>,
    /// Element of every switching function; those of switches follow.
    pub(crate) switch_owner: Vec<usize>,
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
    pub(crate) closing: Closing,
    /// Where the memory watches the loops for singular positions.
    pub(crate) watch: Range<usize>,
    /// Which velocities are those of lengths.
    pub(crate) lengths: Vec<bool>,
    /// Angles that are counted over turns.
    pub(crate) counted: Vec<Counted>,
    /// Rotation vectors that elements act on.
    pub(crate) bent: Vec<Bent>,
    /// Joints that are loops and elements.
    pub(crate) replaced: Vec<Replaced>,
    /// Calls of curves in formulas.
    pub(crate) calls: Vec<crate::signals::curves::CurveCall>,
    /// Where the memory says which velocities are dependent, of a mechanism that is partitioned.
    pub(crate) split: Range<usize>,
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

/// A rotation vector between frames that an element acts on. It is unique within half a turn.
#[derive(Clone, Debug)]
pub(crate) struct Bent {
    pub(crate) between: [usize; 2],
    pub(crate) element: String,
    /// Where the memory has its last three components (rad).
    pub(crate) place: usize,
}

/// A joint that loops and elements have taken the place of.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    pub(crate) name: String,
    pub(crate) link: usize,
    pub(crate) loops: Vec<usize>,
    pub(crate) elements: Vec<usize>,
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

/// A loop with its equations.
#[derive(Clone, Debug)]
pub(crate) struct LoopInfo {
    pub(crate) name: String,
    pub(crate) rows: Range<usize>,
    /// Frame on the second body, where the reaction is told; `None` for a coupling of coordinates.
    pub(crate) frame: Option<usize>,
    /// Frames whose axes all have to point the same way. The equations also hold where they are half a turn apart.
    pub(crate) aligned: Option<[usize; 2]>,
    /// Unit of the effort of a coupling: J per unit of its expression.
    pub(crate) effort: String,
}

/// A scalar constraint equation.
#[derive(Clone, Debug)]
pub(crate) enum Equation {
    /// Two axes are perpendicular.
    Perpendicular { between: [usize; 2], axes: [usize; 2] },
    /// The second origin lies in the plane through the first one across an axis of the first frame. Three of them make
    /// the origins coincide; in axes that move along, the equations do not depend on what carries both bodies.
    Along { between: [usize; 2], axis: usize },
    /// The origins keep a distance.
    Distance { between: [usize; 2], length: Param },
    /// The second origin lies on an ellipsoid of the first frame.
    Ellipsoid { between: [usize; 2], radii: [Param; 3] },
    /// A function of coordinates and time vanishes.
    Coupling(Box<Function>),
}

impl Equation {
    /// The two frames that it ties; `None` for a coupling of coordinates.
    pub(crate) fn frames(&self) -> Option<[usize; 2]> {
        match *self {
            Self::Perpendicular { between, .. }
            | Self::Along { between, .. }
            | Self::Distance { between, .. }
            | Self::Ellipsoid { between, .. } => Some(between),
            Self::Coupling(_) => None,
        }
    }

    /// The coordinates that a coupling ties.
    pub(crate) fn coordinates(&self) -> impl Iterator<Item = usize> {
        let slopes = match self {
            Self::Coupling(function) => function.first.as_slice(),
            _ => &[],
        };
        slopes.iter().map(|(coordinate, _)| *coordinate)
    }
}

/// An element with its places in the flat vectors.
#[derive(Clone, Debug)]
pub(crate) struct ElementInfo {
    pub(crate) name: String,
    pub(crate) kind: Acting,
    pub(crate) on: Attached,
    pub(crate) parameters: Vec<Param>,
    /// Entries of its lists.
    pub(crate) size: usize,
    pub(crate) inputs: Vec<Program>,
    /// Places of its parameters among those of the laws, of its inputs, and of its outputs in the table.
    pub(crate) p: Range<usize>,
    pub(crate) u: Range<usize>,
    pub(crate) y: Range<usize>,
    /// Accounts of the ledger.
    pub(crate) accounts: Range<usize>,
    /// States, memory and switching functions.
    pub(crate) z: Range<usize>,
    pub(crate) m: Range<usize>,
    pub(crate) g: Range<usize>,
    /// Its place among the contacts, if it is one.
    pub(crate) contact: Option<usize>,
    /// Whether its load is the force of a contact, which has to be evaluated first.
    pub(crate) late: bool,
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

/// What has a value that formulas can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A signal, by its number.
    Signal(usize),
    /// An element of the registry with outputs, by its number.
    Element(usize),
}

/// Inputs of the mechanism.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ports {
    /// Name and unit of each.
    pub(crate) channels: Vec<Channel>,
    /// The same with what else is known of them.
    pub(crate) inputs: Vec<PortInfo>,
    /// Places in the memory of the numbers that inputs, then blocks hold.
    pub(crate) varying: Vec<usize>,
}

/// An input: a signal that is bound when a run starts.
#[derive(Clone, Debug)]
pub(crate) struct PortInfo {
    pub(crate) signal: usize,
    /// What it is bound to where nobody binds it.
    pub(crate) course: Course,
    /// Its value at the start where it holds a number and nobody binds it.
    pub(crate) start: Option<Param>,
    /// Places in the memory: the level of one that jumps, and whether a shape is over.
    pub(crate) level: usize,
    pub(crate) over: usize,
}

/// A signal.
#[derive(Clone, Debug)]
pub(crate) struct SignalInfo {
    pub(crate) name: String,
    pub(crate) kind: SignalRun,
}

/// How a signal gets its value at an instant.
#[derive(Clone, Debug)]
pub(crate) enum SignalRun {
    /// An input, by its number.
    Input(usize),
    Value(Program),
    /// The last one is its end (s), and where the memory says that it is over.
    Excitation(Arc<Waveform>, Param, Option<Param>, Option<(f64, usize)>),
    /// An excitation that is constant between its breaks, and the place of its level in the memory.
    Levels {
        shape: Arc<Waveform>,
        level: usize,
        amplitude: Param,
        offset: Option<Param>,
    },
    Measure([usize; 2], Measure),
    Reversed([usize; 2], Measure),
    /// Sampled or switched: read from the memory.
    Held(usize),
}

/// A block that runs on the sampling clock and writes held signals.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    pub(crate) block: Sampled,
    /// The signals of its outputs.
    pub(crate) signals: Vec<usize>,
    pub(crate) schedule: Schedule,
    /// Places of the held outputs in the memory.
    pub(crate) held: Range<usize>,
    /// The memory of the block itself.
    pub(crate) memory: Range<usize>,
    /// Results on their way, the newest first; those of one output after those of the other.
    pub(crate) rings: Range<usize>,
    pub(crate) inputs: Vec<Program>,
    pub(crate) parameters: Vec<Param>,
    /// Places of the parameters among those of the laws.
    pub(crate) p: Range<usize>,
    /// What depends on its outputs at the same instant, in order.
    pub(crate) affected: Vec<Node>,
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
