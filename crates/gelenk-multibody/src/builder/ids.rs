//! Ids of what a builder has made, one type for every kind of thing, so that a body cannot be taken for a frame.

use crate::blueprint::BodyRef;
use crate::elements::Attachment;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(super) usize);

        impl $name {
            /// Its place in the blueprint.
            pub fn index(self) -> usize {
                self.0
            }
        }
    )+};
}

ids! {
    /// A body.
    BodyId;
    /// A frame on a body, on the ground or on another frame.
    FrameId;
    /// A generalised coordinate.
    CoordinateId;
    /// A ball or free joint.
    JointId;
    /// A loop.
    LoopId;
    /// An element.
    ElementId;
    /// A signal.
    SignalId;
}

/// The ground, as a parent of joints and frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground;

impl From<Ground> for BodyRef {
    fn from(_: Ground) -> Self {
        Self::Ground
    }
}

impl From<BodyId> for BodyRef {
    fn from(body: BodyId) -> Self {
        Self::Body(body.0)
    }
}

impl From<FrameId> for BodyRef {
    fn from(frame: FrameId) -> Self {
        Self::Frame(frame.0)
    }
}

impl From<CoordinateId> for Attachment {
    fn from(coordinate: CoordinateId) -> Self {
        Self::Coordinate(coordinate.0)
    }
}

impl Attachment {
    /// The distance of two origins.
    pub fn distance(between: [FrameId; 2]) -> Self {
        Self::Distance(between.map(FrameId::index))
    }

    /// The second origin along an axis (0 to 2) of the first frame.
    pub fn along(between: [FrameId; 2], axis: usize) -> Self {
        Self::Along { between: between.map(FrameId::index), axis }
    }

    /// The angle of the second x axis about the first z axis.
    pub fn angle(between: [FrameId; 2]) -> Self {
        Self::Angle(between.map(FrameId::index))
    }

    /// The turn about an axis (0 to 2) of the first frame, which has a rate, but no displacement.
    pub fn about(between: [FrameId; 2], axis: usize) -> Self {
        Self::About { between: between.map(FrameId::index), axis }
    }

    /// The second origin on the plane of x and y of the first frame.
    pub fn plane(between: [FrameId; 2]) -> Self {
        Self::Plane(between.map(FrameId::index))
    }

    /// The bodies of two frames, wherever they touch.
    pub fn bodies(between: [FrameId; 2]) -> Self {
        Self::Bodies(between.map(FrameId::index))
    }

    /// All six displacements between two frames.
    pub fn pose(between: [FrameId; 2]) -> Self {
        Self::Pose(between.map(FrameId::index))
    }

    /// The origin of a frame, with components in the axes of another; `None` for ground axes.
    pub fn point(frame: FrameId, axes: Option<FrameId>) -> Self {
        Self::Point { frame: frame.0, axes: axes.map(FrameId::index) }
    }

    /// The turn of a frame's body, with components in the axes of another; `None` for ground axes.
    pub fn turn(frame: FrameId, axes: Option<FrameId>) -> Self {
        Self::Turn { frame: frame.0, axes: axes.map(FrameId::index) }
    }

    /// The rotation of a ball or free joint.
    pub fn ball(joint: JointId) -> Self {
        Self::Ball(joint.0)
    }
}
