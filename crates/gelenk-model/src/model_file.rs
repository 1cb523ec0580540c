//! The tables of `model.toml`, schema 1.

use crate::blocks::{Controller, Sensor};
pub use crate::bodies::{Body, BoxShape, MeshShape, RoundShape, Shape, ShapeTable, SphereShape};
use crate::contacts::{Contact, Material, Pairing, Surface};
use crate::curve::Curve;
use crate::elements::Elements;
use crate::excitations::{
    Binary, Chirp, Decaying, Multisine, Points, Ramp, Sine, Staircase, TrajectoryTable, Zigzag,
};
use crate::friction::{FrictionElement, FrictionLaw};
use crate::joints::Joint;
use crate::keyed::{Keyed, SpringKey, StopKey};
use crate::loops::Loop;
use crate::measures::FrameMeasure;
use crate::parts::Part;
use crate::quantity::{
    Acceleration, Angle, AngularVelocity, Anything, Condition, Displacement, Fixed, Formula, Length,
    Quantity, Rate, Ratio, RotorInertia, Time, Vec3,
};
use crate::solver::Solver;
use crate::sorts;
use crate::visuals::Visual;
use gelenk_file::fields::{UnitText, Version};
use gelenk_file::read::{Named, Spanned, Text};
use gelenk_file::{choice, table};

table! {
    /// A mechanism: bodies, joints, elements and signals.
    pub struct ModelFile {
        /// Version of the file format.
        schema: vital Version,
        /// Title of the model.
        title: optional Text,
        /// Files whose tables are merged into this one; paths are relative to this file.
        include: optional Vec<Text>,
        /// Gravity in the ground frame, m/s^2.
        gravity: vital Vec3<Acceleration>,
        /// The axis that points up in pictures; gravity does not follow from it.
        up: default Up = "\"z\"",
        /// Other models that are parts of this one.
        parts: default Named<Part> = "{}",
        /// Named quantities that others may use in expressions.
        parameters: default Named<Quantity<Anything>> = "{}" => names(sorts::PARAMETER),
        /// Functions of one variable through points, which expressions call by name.
        curves: default Named<Curve> = "{}" => names(sorts::CURVE),
        /// Rigid bodies; "ground" is always there.
        bodies: default Named<Body> = "{}" => names(sorts::BODY),
        /// Joints; every body is the child of exactly one.
        joints: default Named<Joint> = "{}" => names(sorts::JOINT),
        /// Further settings of coordinates, or coordinates that only expressions of joints use.
        coordinates: default Named<Coordinate> = "{}" => names(sorts::COORDINATE),
        /// Frames fixed on bodies.
        frames: default Named<Frame> = "{}" => names(sorts::FRAME),
        /// Constraints that close loops.
        loops: default Named<Loop> = "{}" => names(sorts::LOOP),
        /// Materials of surfaces.
        materials: default Named<Material> = "{}" => names(sorts::MATERIAL),
        /// Behaviour of pairs of materials.
        pairings: default Named<Pairing> = "{}" => names(sorts::PAIRING),
        /// Shapes for display only.
        visuals: default Named<Visual> = "{}" => names(sorts::VISUAL),
        /// Surfaces of bodies that can be in contact.
        surfaces: default Named<Surface> = "{}" => names(sorts::SURFACE),
        /// Contacts between surfaces.
        contacts: default Named<Contact> = "{}" => names(sorts::CONTACT),
        /// Measures between frames, which expressions use like signals.
        measures: default Named<FrameMeasure> = "{}" => names(sorts::MEASURE),
        /// Further friction elements on coordinates.
        friction: default Named<FrictionElement> = "{}" => names(sorts::FRICTION),
        /// Signals from logs and expressions.
        signals: default Named<Signal> = "{}" => names(sorts::SIGNAL),
        /// Signals that conditions turn on and off.
        switches: default Named<Switch> = "{}" => names(sorts::SWITCH),
        /// Sampled, quantised measurements.
        sensors: default Named<Sensor> = "{}" => names(sorts::SENSOR),
        /// Sampled controllers.
        controllers: default Named<Controller> = "{}" => names(sorts::CONTROLLER),
        /// Expressions that are recorded.
        outputs: default Named<Formula> = "{}" => names(sorts::OUTPUT),
        /// Default settings of a run.
        simulate: optional Simulate,
    }
    spread {
        /// Tables of the registry of elements: drives, forces, springs, lines, bushings, ...
        elements: Elements
    }
}

choice! {
    /// The axis that points up in pictures.
    pub enum Up {
        /// The z axis.
        Z = "z",
        /// The y axis.
        Y = "y",
    }
}

choice! {
    /// What a coordinate measures.
    pub enum CoordinateWord {
        /// An angle in rad.
        Angle = "angle",
        /// A length in m.
        Length = "length",
    }
}

choice! {
    /// What of the start of a coordinate keeps its given value when loops are closed.
    pub enum ExactWord {
        /// The start value.
        Start = "start",
        /// The start rate.
        Rate = "rate",
        /// Both.
        Both = "both",
    }
}

table! {
    /// Settings of a coordinate.
    pub struct Coordinate {
        /// What it measures; by default what the joint that uses it needs.
        kind: optional Spanned<CoordinateWord>,
        /// Initial value.
        start: optional Quantity<Displacement>,
        /// Initial rate.
        rate: optional Quantity<Rate>,
        /// Which of the two keeps its given value when loops are closed at the start.
        exact: optional Spanned<ExactWord>,
        /// Inertia that moves with the coordinate and belongs to no body, such as that of a rotor, reduced to the
        /// coordinate.
        rotor_inertia: optional Quantity<RotorInertia>,
        /// Spring on the coordinate.
        spring: optional Keyed<SpringKey>,
        /// Stop of the coordinate.
        stop: optional Keyed<StopKey>,
        /// Friction on the coordinate.
        friction: optional FrictionLaw,
    }
}

table! {
    /// A frame fixed on a body.
    pub struct Frame {
        /// The body, or "ground".
        body: required Text => refers(sorts::CARRIER),
        /// Origin in the body frame.
        position: default Vec3<Length> = "[0, 0, 0]" => polar,
        /// Cardan x-y-z angles in the body frame.
        orientation: default Vec3<Angle> = "[0, 0, 0]" => axial,
    }
}

table! {
    /// A signal: an input, a log, an expression, or an excitation.
    pub struct Signal {
        /// Held at this value from the start of a run, unless a study, a library call or another program gives it.
        input: optional Quantity<Anything>,
        /// A column of a measured table.
        log: optional Log,
        /// An expression, evaluated at every instant.
        value: optional Formula,
        /// A sine.
        sine: optional Sine,
        /// A sine whose frequency changes from one to another.
        chirp: optional Chirp,
        /// A sum of sines.
        multisine: optional Multisine,
        /// A straight line.
        ramp: optional Ramp,
        /// Levels that are held one after the other.
        staircase: optional Staircase,
        /// Straight lines between reversals, all at one rate.
        zigzag: optional Zigzag,
        /// Straight lines through points.
        points: optional Points,
        /// Plus or minus the amplitude at random.
        binary: optional Binary,
        /// A sine with sweeping frequency and falling amplitude.
        decaying: optional Decaying,
        /// A trajectory on which controllers are compared.
        trajectory: optional TrajectoryTable,
    }
}

choice! {
    /// Interpolation between the samples of a log.
    pub enum Interpolation {
        /// A straight line.
        Linear = "linear",
        /// The last sample.
        Hold = "hold",
    }
}

table! {
    /// A column of a measured table.
    pub struct Log {
        /// The CSV file; its path is relative to the file that names it.
        file: required Text,
        /// Column of the times.
        time: required Text,
        /// Column of the values.
        column: required Text,
        /// Unit of the values.
        unit: required UnitText,
        /// Unit of the times.
        time_unit: default UnitText = "\"s\"",
        /// Interpolation between samples.
        interpolation: default Interpolation = "\"linear\"",
    }
}

table! {
    /// A signal that is 1 while it is on, and 0 otherwise.
    pub struct Switch {
        /// What turns it on.
        on: required Condition,
        /// What turns it off; by default when "on" no longer holds.
        off: optional Condition,
        /// Whether it stays on permanently.
        latched: default Spanned<bool> = "false",
        /// Whether it is on at the start; by default if "on" holds then.
        start: optional bool,
        /// Whether the run ends when it is on.
        stop: default bool = "false",
    }
}

table! {
    /// How a model is run.
    pub struct Simulate {
        /// End of the run.
        until: optional Fixed<Time>,
        /// Sampling period of the recording.
        output: optional Fixed<Time>,
        /// Method and its settings.
        solver: optional Solver,
        /// Coordinates in which the equations of motion are formed; by default "minimal".
        formulation: optional Spanned<Formulation>,
        /// How much energy the integration may gain or lose.
        energy: optional EnergyTable,
    }
}

table! {
    /// Shares of the energy exchanged that the integration may gain or lose.
    pub struct EnergyTable {
        /// Above this share the run gets a warning.
        warn: default Fixed<Ratio> = "0.01",
        /// Above this share the run fails.
        fail: default Fixed<Ratio> = "0.1",
    }
}

choice! {
    /// Coordinates in which the equations of motion are formed.
    pub enum Formulation {
        /// Those of the joints; only loops are constraints.
        Minimal = "minimal",
        /// Those of free bodies; every joint is a constraint, too.
        Absolute = "absolute",
    }
}

choice! {
    /// Methods of time integration.
    pub enum Method {
        /// Chosen for the model; the summary says which and why.
        Auto = "auto",
        /// Bogacki and Shampine of order 3, with error control, or with a fixed step where one is given.
        Bs23 = "bs23",
        /// Dormand and Prince of order 5, with error control.
        Dopri5 = "dopri5",
        /// Dormand and Prince of order 8, with error control.
        Dop853 = "dop853",
        /// Explicit Euler of order 1, with a fixed step.
        Euler = "euler",
        /// Semi-implicit Euler of order 1, with a fixed step: velocities first.
        SemiImplicitEuler = "semi-implicit-euler",
        /// Heun's method of order 2, with a fixed step.
        Heun = "heun",
        /// Classical Runge-Kutta of order 4, with a fixed step.
        Rk4 = "rk4",
        /// Implicit, of order 1, with a fixed step and Newton iterations.
        Stepped = "stepped",
        /// The same with two stages, order 2.
        Stepped2 = "stepped2",
        /// The same linearised once a step, so that every step costs the same.
        RealTime = "real-time",
    }
}

table! {
    /// A method of time integration and its settings.
    pub struct SolverTable {
        /// Method.
        method: required Spanned<Method>,
        /// Step of a method with fixed step.
        step: optional Fixed<Time>,
        /// Relative tolerance of a method with error control.
        rtol: optional Fixed<Ratio>,
        /// Absolute tolerance of a method with error control.
        atol: optional Fixed<Ratio>,
        /// Largest step of a method with error control.
        max_step: optional Fixed<Time>,
        /// How loops are kept closed; by default "project".
        loops: optional Spanned<LoopClosing>,
        /// Damping of the gaps. Loops "baumgarte" only; by default 10/s.
        alpha: optional Fixed<AngularVelocity>,
        /// Frequency of the gaps. Loops "baumgarte" only; by default "alpha".
        beta: optional Fixed<AngularVelocity>,
    }
}

choice! {
    /// How loops are kept closed.
    pub enum LoopClosing {
        /// Every step is projected onto the nearest closed state.
        Project = "project",
        /// Gaps decay by Baumgarte's terms.
        Baumgarte = "baumgarte",
        /// Dependent coordinates are solved from the independent ones at every evaluation.
        Partition = "partition",
        /// The equations of motion alone; gaps grow.
        None = "none",
        /// The loops are ignored: the tree moves freely.
        Open = "open",
    }
}
