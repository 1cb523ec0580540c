//! Friction in a blueprint: where it acts, what it follows, what presses it.

use gelenk_laws::friction::planar::Planar;
use gelenk_math::expression::Expression;
use gelenk_system::Param;

/// Where friction acts. Between frames the velocity is that of the origin of the second frame as the body of the first
/// one sees it; the force acts on the second body there, and opposite on the first at the same point. Axes are those of
/// the first frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rubbing {
    /// On a coordinate, by its index.
    Coordinate(usize),
    /// Against sliding along an axis (0 to 2).
    Along {
        /// Indices into [`Blueprint::frames`](super::Blueprint::frames).
        between: [usize; 2],
        /// The axis.
        axis: usize,
    },
    /// Against turning about an axis (0 to 2).
    About {
        /// Indices into [`Blueprint::frames`](super::Blueprint::frames).
        between: [usize; 2],
        /// The axis.
        axis: usize,
    },
    /// Against sliding on the plane of x and y, by a vector.
    Plane {
        /// Indices into [`Blueprint::frames`](super::Blueprint::frames).
        between: [usize; 2],
        /// The law's form on a plane.
        law: Planar,
    },
}

impl Rubbing {
    /// The frames that it acts between; `None` on a coordinate.
    pub fn between(&self) -> Option<[usize; 2]> {
        match *self {
            Self::Coordinate(_) => None,
            Self::Along { between, .. } | Self::About { between, .. } | Self::Plane { between, .. } => {
                Some(between)
            }
        }
    }

    /// The coordinate that it acts on; `None` between frames.
    pub fn coordinate(&self) -> Option<usize> {
        if let Self::Coordinate(coordinate) = *self { Some(coordinate) } else { None }
    }
}

/// A factor on parameters of a friction element that follows an expression while the system runs: temperature, normal
/// force, position or time.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Index of the friction element.
    pub element: usize,
    /// Places in the element's list of parameters; a factor on a list covers all its entries.
    pub parameters: std::ops::Range<usize>,
    /// The factor, a number without a unit.
    pub factor: Expression,
}

/// The force that presses the surfaces of a friction element together: the resistance grows with it.
#[derive(Clone, Debug)]
pub struct Normal {
    /// Index of the friction element.
    pub element: usize,
    /// The force (N).
    pub force: NormalForce,
    /// The force at which the parameters of the law hold (N).
    pub nominal: Param,
}

/// Where a normal force comes from.
#[derive(Clone, Debug)]
pub enum NormalForce {
    /// An expression over signals.
    Given(Expression),
    /// The normal force of a contact, by the index of its element.
    Contact(usize),
    /// The force through a joint.
    Joint {
        /// Index into [`Blueprint::joints`](super::Blueprint::joints).
        joint: usize,
        /// Time constant (s) with which friction follows the force, greater than zero: the force depends on the
        /// accelerations, and these on the friction.
        lag: Param,
    },
    /// The force of a loop between frames.
    Loop {
        /// Index into [`Blueprint::loops`](super::Blueprint::loops).
        closure: usize,
        /// Time constant (s), as with a joint.
        lag: Param,
    },
}
