//! Contact between meshes of any shape: the polygonal contact model (hippmann, chapter 4).
//!
//! From the relative pose and velocity of two surfaces to the wrench between them, without memory:
//!
//! | module | content |
//! |---|---|
//! | [`surface`] | a mesh prepared for contact |
//! | [`tree`] | its tree of boxes |
//! | [`thesis`] | the tree of boxes of the thesis |
//! | [`coplanar`] | how two triangles meet, those in one plane included |
//! | [`detect`] | triangles that cut each other |
//! | `predicate` | exact signs behind it |
//! | [`polyline`] | segments joined to closed lines |
//! | [`region`] | what lies inside, and how many regions there are |
//! | [`element`] | contact elements of master and slave |
//! | [`pair`] | forces of the elements, and their sum |
//! | [`advice`] | which surface should be the master |
//! | [`outval`] | the thirty numbers of the thesis |

pub mod advice;
pub mod coplanar;
pub mod detect;
pub mod element;
pub mod gap;
pub mod outval;
pub mod pair;
pub mod polyline;
mod predicate;
pub mod region;
pub mod surface;
pub mod thesis;
pub mod tree;

pub use advice::Advice;
pub use coplanar::{Meeting, meeting};
pub use detect::{Counts, Detection, Placement, Search, Segment};
pub use element::{PairElement, Undercut};
pub use gap::{Nearest, Queue};
pub use outval::OUTVAL;
pub use pair::{ElementState, Master, Outcome, Pair, PairLaw, Scratch, Settings};
pub use polyline::{Lines, Polyline};
pub use region::{Active, Regions};
pub use surface::Surface;
