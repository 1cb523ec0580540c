//! Friction in a blueprint: what it follows, what presses it.

use gelenk_math::expression::Expression;
use gelenk_system::Param;

use super::{ElementId, JointId, LoopId};

/// A factor on parameters of an element that follows an expression while the system runs: temperature, normal
/// force, position or time.
#[derive(Clone, Debug)]
pub struct Factor {
    /// The element.
    pub element: ElementId,
    /// Places in the element's list of parameters; a factor on a list covers all its entries.
    pub parameters: std::ops::Range<usize>,
    /// The factor, a number without a unit.
    pub factor: Expression,
}

/// The force that presses the surfaces of a friction element together: the resistance grows with it.
#[derive(Clone, Debug)]
pub struct Normal {
    /// The friction element.
    pub element: ElementId,
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
    /// The normal force of a contact, by its element.
    Contact(ElementId),
    /// The force through a joint.
    Joint {
        /// The joint.
        joint: JointId,
        /// Time constant (s) with which friction follows the force, greater than zero: the force depends on the
        /// accelerations, and these on the friction.
        lag: Param,
    },
    /// The force of a loop between frames.
    Loop {
        /// The loop.
        closure: LoopId,
        /// Time constant (s), as with a joint.
        lag: Param,
    },
}
