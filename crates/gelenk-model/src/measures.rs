//! What is measured between frames of a model file.

use crate::sorts;
use gelenk_file::read::{Pair, Text};
use gelenk_file::role::Role;
use gelenk_file::{choice, table};

choice! {
    /// What is measured between two frames.
    pub enum MeasureType {
        /// Distance between the origins.
        Distance = "distance",
        /// x of the second origin in the first frame.
        X = "x",
        /// y of the second origin in the first frame.
        Y = "y",
        /// z of the second origin in the first frame.
        Z = "z",
        /// Angle of the second x axis about the first z axis, from the first x axis, within half a revolution.
        Angle = "angle",
    }
}

table! {
    /// A measure between two frames: the signals NAME and NAME.rate.
    pub struct FrameMeasure {
        /// What is measured.
        kind as "type": required MeasureType,
        /// The two frames; a body's own frame is named by the body.
        between: required Pair<Text> => refers(sorts::PLACE),
    }
    beside {
        /// Whether its sign is turned, in a mirrored part.
        reversed: bool => by(FrameMeasure::sign),
    }
}

impl FrameMeasure {
    /// What its sign changes with.
    fn sign(&self) -> Role {
        match self.kind {
            MeasureType::Distance => Role::Plain,
            MeasureType::X => Role::Polar.component(0),
            MeasureType::Y => Role::Polar.component(1),
            MeasureType::Z => Role::Polar.component(2),
            MeasureType::Angle => Role::Axial.component(2),
        }
    }
}
