//! Models as parts of models.
//!
//! A part is a whole model of its own file. It is read and checked like any other, then everything in it gets a prefix, its
//! ground becomes a frame of the model that uses it, and it is perhaps reflected in a plane of that frame.
//!
//! | file | content |
//! |---|---|
//! | `reflection` | what a mirror does to vectors |
//! | `rename` | prefixes of names, paths and formulas |
//! | `mirror` | the reflected model |
//! | `join` | parts put into the model |

mod join;
mod mirror;
mod reflection;
mod rename;

pub(crate) use join::{join, size};
pub use reflection::Reflection;

use crate::quantity::{Angle, Anything, Length, Quantity, Vec3};
use gelenk_file::read::{ByPath, Text};
use gelenk_file::{choice, table};

table! {
    /// Another model as a part of this one. Its ground is a frame that has the name of the part.
    pub struct Part {
        /// The model file; its path is relative to the file that names it.
        file: required Text,
        /// Prefix of the names of the part; by default the name of the part and "_".
        prefix: optional Text,
        /// The body or frame that carries the ground of the part, or "ground".
        on: default Text = "\"ground\"",
        /// Origin of the part's ground on it.
        position: default Vec3<Length> = "[0, 0, 0]",
        /// Cardan x-y-z angles of the part's ground on it.
        orientation: default Vec3<Angle> = "[0, 0, 0]",
        /// Plane of the part's ground in which the part is reflected.
        mirror: optional Plane,
        /// New values for numbers of the part, by their paths in its own file.
        set: default ByPath<Quantity<Anything>> = "{}",
    }
}

choice! {
    /// A plane through the origin, by its axes.
    pub enum Plane {
        /// z is reversed.
        Xy = "xy",
        /// y is reversed.
        Xz = "xz",
        /// x is reversed.
        Yz = "yz",
    }
}
