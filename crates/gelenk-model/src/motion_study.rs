//! Tables of studies about motions: kinematics, inverse dynamics, inverse kinematics.

use crate::quantity::{Fixed, Formula, Frequency, Ratio};
use gelenk_file::document::{Node, Value};
use gelenk_file::fields::{Three, UnitText};
use gelenk_file::read::{ByPath, Definitions, Read, Reader, Spanned, Text};
use gelenk_file::{choice, table};
use serde_json::{Value as Json, json};

table! {
    /// A motion over time: columns of a table or a recording, expressions, or both.
    pub struct MotionTable {
        /// A CSV table or a recording; its path is relative to the file that names it.
        file: optional Text,
        /// Column of the times of a table.
        time: default Text = "\"t\"",
        /// Unit of the times of a table.
        time_unit: default UnitText = "\"s\"",
        /// Which columns are which coordinates; a recording needs only those that have another name.
        columns: default Vec<MotionColumn> = "[]",
        /// Expressions of t, by the name of the coordinate.
        values: default ByPath<Formula> = "{}",
        /// Instead of a file: the simulated motion of the model, with "until", "output" and "solver".
        simulate: default Spanned<bool> = "false",
        /// Cut-off frequency of a zero-phase low-pass filter over the columns.
        smooth: optional Fixed<Frequency>,
        /// Where velocities and accelerations come from.
        derivatives: default Derivatives = "\"recorded\"",
    }
}

table! {
    /// A column and the coordinate that it contains.
    pub struct MotionColumn {
        /// Coordinate, or position number of a ball or free joint, such as "hip.qw".
        of: required Text,
        /// The column; by default of the same name.
        column: optional Text,
        /// Unit of the column; by default SI.
        unit: optional UnitText,
    }
}

choice! {
    /// Where velocities and accelerations come from.
    pub enum Derivatives {
        /// From the columns of a recording that holds them, else from the spline.
        Recorded = "recorded",
        /// From the spline through the positions.
        Spline = "spline",
    }
}

choice! {
    /// What inverse dynamics does with the drives of the model.
    pub enum DriveUse {
        /// They are unknown, and computed.
        Solve = "solve",
        /// They act as in the model; the computed drives are added.
        Apply = "apply",
    }
}

choice! {
    /// What a task of inverse kinematics specifies.
    pub enum TaskType {
        /// Position and orientation of a frame.
        Frame = "frame",
        /// Position of the origin of a frame.
        Position = "position",
        /// Orientation of a frame.
        Orientation = "orientation",
        /// Value of a coordinate.
        Coordinate = "coordinate",
    }
}

table! {
    /// A task of inverse kinematics; targets are numbers or expressions of t.
    pub struct TaskTable {
        /// Name in messages and columns; by default that of its frame, body or coordinate.
        name: optional Text,
        /// What it specifies.
        kind as "type": required Spanned<TaskType>,
        /// The frame, body or coordinate.
        of: required Text,
        /// Target of the origin in the ground frame.
        position: optional Spanned<Three<Formula>>,
        /// Target of the axes: Cardan x-y-z angles in the ground frame.
        orientation: optional Spanned<Three<Formula>>,
        /// Target of a coordinate.
        value: optional Formula,
        /// Instead of a target: keep the value at the start.
        hold: default bool = "false",
        /// Factor of its squared residual among tasks that cannot all be met.
        weight: default Fixed<Ratio> = "1",
    }
}

choice! {
    /// Methods of inverse kinematics.
    pub enum IkMethod {
        /// Bounded least squares.
        Minimize = "minimize",
        /// Pseudo-inverse, then back towards the start as far as the tasks allow.
        NearStart = "near-start",
        /// Pseudo-inverse: all joints move a little.
        LeastStep = "least-step",
        /// Basic solution: few joints move.
        FewJoints = "few-joints",
        /// The thesis's name of near-start.
        Solve1 = "solve1",
        /// The thesis's name of least-step.
        Solve2 = "solve2",
        /// The thesis's name of few-joints.
        Solve3 = "solve3",
    }
}

/// One method, or several to compare.
#[derive(Clone, PartialEq, Debug)]
pub struct IkMethods(pub Vec<IkMethod>);

impl Read for IkMethods {
    const EXPECTED: &'static str = "a method, or a list of methods";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Array(_) => Vec::read(node, reader).map(Self),
            _ => IkMethod::read(node, reader).map(|method| Self(vec![method])),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [IkMethod::schema(definitions), Vec::<IkMethod>::schema(definitions)] })
    }
}

choice! {
    /// Ranges of the coordinates in inverse kinematics.
    pub enum IkBounds {
        /// None.
        None = "none",
        /// The ranges of the stops.
        Stops = "stops",
    }
}

table! {
    /// Settings of inverse kinematics.
    pub struct IkTable {
        /// The method, or a list of methods to compare.
        method: default IkMethods = "\"minimize\"",
        /// Largest residual (m, rad) of a task that is met.
        tolerance: default Fixed<Ratio> = "1e-10",
        /// Maximum number of iterations.
        iterations: default Fixed<Ratio> = "200",
        /// Damping of the pseudo-inverse.
        damping: default Fixed<Ratio> = "0",
        /// Largest change of a coordinate in one step (rad, m).
        step: optional Fixed<Ratio>,
        /// Ranges of the coordinates.
        bounds: default IkBounds = "\"none\"",
    }
}

table! {
    /// Settings of inverse dynamics.
    pub struct InverseTable {
        /// Coordinates, and ball or free joints, on which drives may act; by default all.
        driven: optional Vec<Text>,
        /// Axes of the joint wrenches: "child", "parent", "ground", or the name of a frame or body.
        frame: default Text = "\"child\"",
        /// What happens to the drives of the model.
        drives: default DriveUse = "\"solve\"",
        /// Largest effort that may be missing on a coordinate without drive, as a share of the largest effort.
        tolerance: default Fixed<Ratio> = "1e-6",
    }
}
