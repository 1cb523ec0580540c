//! What acts and what is measured between frames of a model file.

use crate::fields::Three;
use crate::quantity::{AngularDamping, AngularStiffness, Formula, LinearDamping, LinearStiffness, Vec3};
use crate::read::{Pair, Spanned, Text};
use crate::table::{choice, table};

table! {
    /// A force or a torque on one body; give one of "force" and "torque".
    pub struct Force {
        /// The frame on which it acts; a force at its origin.
        on: required Text,
        /// The frame in whose axes the components are given; by default the ground. The frame of "on" makes it follow.
        axes: optional Text,
        /// Components of a force.
        force: optional Spanned<Three<Formula>>,
        /// Components of a torque.
        torque: optional Spanned<Three<Formula>>,
    }
}

table! {
    /// A force along the line between the origins of two frames.
    pub struct Line {
        /// The two frames; a body's own frame is named by the body.
        between: required Pair<Text>,
        /// Tension: positive pulls the origins together.
        tension: required Formula,
    }
}

table! {
    /// A torque about the z axis of the first frame, positive on the second body and opposite on the first.
    pub struct Twist {
        /// The two frames; a body's own frame is named by the body.
        between: required Pair<Text>,
        /// Torque on the second body.
        torque: required Formula,
    }
}

table! {
    /// Springs and dampers along and about the axes of the first of two frames.
    pub struct Bushing {
        /// The two frames; a body's own frame is named by the body.
        between: required Pair<Text>,
        /// Stiffness along x, y and z.
        stiffness: required Vec3<LinearStiffness>,
        /// Stiffness about x, y and z.
        torsion: required Vec3<AngularStiffness>,
        /// Damping along x, y and z.
        damping: default Vec3<LinearDamping> = "[0, 0, 0]",
        /// Damping about x, y and z.
        torsion_damping: default Vec3<AngularDamping> = "[0, 0, 0]",
    }
}

choice! {
    /// What is measured between two frames.
    pub enum MeasureType {
        /// Distance of the origins.
        Distance = "distance",
        /// x of the second origin in the first frame.
        X = "x",
        /// y of the second origin in the first frame.
        Y = "y",
        /// z of the second origin in the first frame.
        Z = "z",
        /// Angle of the second x axis about the first z axis, from the first x axis, within half a turn.
        Angle = "angle",
    }
}

table! {
    /// A measure between two frames: the signals NAME and NAME.rate.
    pub struct FrameMeasure {
        /// What is measured.
        kind as "type": required MeasureType,
        /// The two frames; a body's own frame is named by the body.
        between: required Pair<Text>,
    }
    beside {
        /// Whether its sign is turned, in a mirrored part.
        reversed: bool,
    }
}
