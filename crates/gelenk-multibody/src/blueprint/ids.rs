//! Ids: how the parts of a blueprint refer to each other, one type for every kind of part, so that a body cannot be
//! mistaken for a frame.

use std::fmt;
use std::ops::{Index, IndexMut};

use super::{Blueprint, Body, BodyRef, Coordinate, Element, Frame, Joint, Loop, Signal};
use crate::elements::Attachment;

/// A kind of part that a blueprint has several of, each with an id.
pub trait Part: Sized {
    /// The id of one of them.
    type Id: Copy;
    /// All of them.
    fn all(blueprint: &mut Blueprint) -> &mut Vec<Self>;
    /// The id at a place, made by this owner.
    #[doc(hidden)]
    fn id(index: usize, owner: u32) -> Self::Id;
}

/// An id of any kind, as it is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    /// The kind of part.
    pub(crate) what: &'static str,
    /// Its place.
    pub(crate) index: usize,
    /// The builder that made the id; zero for an id by place.
    pub(crate) owner: u32,
    /// How many parts of the kind there are.
    pub(crate) count: fn(&Blueprint) -> usize,
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident: $part:ident in $list:ident, $what:literal;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy)]
        pub struct $name {
            index: u32,
            owner: u32,
        }

        impl $name {
            /// The id of the part at a place, counted from 0; also of one that is added later. What does not exist is
            /// refused when the blueprint is compiled.
            pub const fn nth(index: usize) -> Self {
                let index = if index < u32::MAX as usize { index as u32 } else { u32::MAX };
                Self { index, owner: 0 }
            }

            /// Its place in the blueprint.
            pub const fn index(self) -> usize {
                self.index as usize
            }

            pub(crate) fn reference(self) -> Reference {
                let count = |blueprint: &Blueprint| blueprint.$list.len();
                Reference { what: $what, index: self.index(), owner: self.owner, count }
            }
        }

        impl PartialEq for $name {
            /// Two ids of one blueprint are equal if they name the same part.
            fn eq(&self, other: &Self) -> bool {
                self.index == other.index
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.index.cmp(&other.index)
            }
        }

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.index.hash(state);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.index)
            }
        }

        impl Part for $part {
            type Id = $name;

            fn all(blueprint: &mut Blueprint) -> &mut Vec<Self> {
                &mut blueprint.$list
            }

            fn id(index: usize, owner: u32) -> $name {
                $name { owner, ..$name::nth(index) }
            }
        }

        impl Index<$name> for Vec<$part> {
            type Output = $part;

            fn index(&self, id: $name) -> &$part {
                &self.as_slice()[id.index()]
            }
        }

        impl IndexMut<$name> for Vec<$part> {
            fn index_mut(&mut self, id: $name) -> &mut $part {
                &mut self.as_mut_slice()[id.index()]
            }
        }
    )+};
}

ids! {
    /// A body.
    BodyId: Body in bodies, "body";
    /// A frame on a body, on the ground or on another frame.
    FrameId: Frame in frames, "frame";
    /// A generalised coordinate.
    CoordinateId: Coordinate in coordinates, "coordinate";
    /// A joint.
    JointId: Joint in joints, "joint";
    /// A loop.
    LoopId: Loop in loops, "loop";
    /// An element.
    ElementId: Element in elements, "element";
    /// A signal.
    SignalId: Signal in signals, "signal";
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
        Self::Body(body)
    }
}

impl From<FrameId> for BodyRef {
    fn from(frame: FrameId) -> Self {
        Self::Frame(frame)
    }
}

impl From<CoordinateId> for Attachment {
    fn from(coordinate: CoordinateId) -> Self {
        Self::Coordinate(coordinate)
    }
}

/// Two frames by their places.
pub(crate) fn places([a, b]: [FrameId; 2]) -> [usize; 2] {
    [a.index(), b.index()]
}
