//! The curves of a model file: functions of one variable through points.

use crate::quantity::Literal;
use gelenk_file::fields::UnitText;
use gelenk_file::read::{Pair, Spanned, Text};
use gelenk_file::{choice, table};

table! {
    /// A function of one variable through points, which expressions call by its name: "knee_x(phi)".
    pub struct Curve {
        /// Arguments, increasing; strings with units, or plain numbers in "x_unit".
        x: optional Spanned<Vec<Literal>>,
        /// Values, one for each argument; strings with units, or plain numbers in "y_unit".
        y: optional Spanned<Vec<Literal>>,
        /// Unit of the plain numbers of "x"; without one they have no dimension.
        x_unit: optional UnitText,
        /// Unit of the plain numbers of "y"; without one they have no dimension.
        y_unit: optional UnitText,
        /// Instead of "x" and "y": two columns of a table.
        file: optional CurveFile,
        /// Interpolation between the points.
        kind: default CurveKind = "\"cubic\"",
        /// End condition of a cubic curve; by default "not-a-knot".
        end: optional Spanned<CurveEnd>,
        /// Slopes at both ends of a clamped curve; plain numbers in "y_unit" over "x_unit".
        slopes: optional Spanned<Pair<Literal>>,
    }
}

table! {
    /// Two columns of a table.
    pub struct CurveFile {
        /// The CSV file; its path is relative to the file that names it.
        file: required Text,
        /// Column of the arguments, increasing.
        x: required Text,
        /// Column of the values.
        y: required Text,
        /// Unit of the arguments.
        x_unit: default UnitText = "\"1\"",
        /// Unit of the values.
        y_unit: default UnitText = "\"1\"",
    }
}

choice! {
    /// Interpolation between the points of a curve.
    pub enum CurveKind {
        /// A cubic spline: continuous up to the second derivative.
        Cubic = "cubic",
        /// Straight lines.
        Linear = "linear",
    }
}

choice! {
    /// End condition of a cubic curve.
    pub enum CurveEnd {
        /// The two outer pieces at each end are one cubic.
        NotAKnot = "not-a-knot",
        /// No curvature.
        Natural = "natural",
        /// Given slopes.
        Clamped = "clamped",
    }
}
