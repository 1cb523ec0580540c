//! The loops of a model file: constraints between two frames, or between coordinates.

use crate::quantity::{Formula, Length, Quantity, Vec3};
use crate::sorts;
use gelenk_file::read::{Pair, Spanned, Text};
use gelenk_file::{choice, table};

choice! {
    /// What a loop demands of its two frames; axes are their z axes.
    pub enum LoopType {
        /// The origins coincide.
        Point = "point",
        /// The origins coincide; another word for "point".
        Ball = "ball",
        /// The z axes are parallel.
        Parallel = "parallel",
        /// The z axes are perpendicular.
        Perpendicular = "perpendicular",
        /// All axes are parallel.
        Orientation = "orientation",
        /// The origins keep a distance.
        Distance = "distance",
        /// The second origin lies in the plane through the first one across its z axis.
        Plane = "plane",
        /// The second origin lies on an ellipsoid around the first one, along the axes of the first frame.
        Ellipsoid = "ellipsoid",
        /// Both frames are welded together.
        Rigid = "rigid",
        /// A hinge about z.
        Revolute = "revolute",
        /// Rotation about and translation along z.
        Cylindrical = "cylindrical",
        /// Translation along z.
        Prismatic = "prismatic",
        /// The origins coincide, and the first x axis is perpendicular to the second y axis.
        Universal = "universal",
        /// An expression of coordinates and time vanishes.
        Coupling = "coupling",
    }
}

table! {
    /// A constraint that closes a loop.
    pub struct Loop {
        /// What it demands.
        kind as "type": required Spanned<LoopType>,
        /// The two frames; a body's own frame is named by the body. All types but "coupling".
        between: optional Spanned<Pair<Text>> => refers(sorts::PLACE),
        /// Distance between the origins, greater than 0. Type "distance" only.
        length: optional Spanned<Quantity<Length>>,
        /// Semi-axes along x, y and z of the first frame, greater than 0. Type "ellipsoid" only.
        radii: optional Spanned<Vec3<Length>>,
        /// An expression of coordinates, parameters and t that is kept at zero. Type "coupling" only.
        equation: optional Formula,
    }
}
