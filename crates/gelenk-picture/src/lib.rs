//! Pictures of recordings: plots as SVG and PNG, scenes as images and videos, motions as animated glTF.
//!
//! Everything here is computed: no screen, no graphics card, no font of the machine. The same recording gives the same
//! bytes.
//!
//! | module | content |
//! |---|---|
//! | [`plot`](mod@plot) | columns over time or over each other |
//! | [`drawing`] | lines and texts in a plane, before they become a file |
//! | [`svg`] | a drawing as SVG |
//! | [`paint`] | a drawing as pixels |
//! | [`pixels`] | pixels, PNG and animated PNG |

pub mod drawing;
pub mod paint;
pub mod pixels;
pub mod plot;
pub mod svg;
