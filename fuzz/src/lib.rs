//! What the fuzz targets share.
//!
//! | module | content |
//! |---|---|
//! | [`exercise`] | reading a text and using what it says |
//! | [`bounded`] | a system that refuses to be evaluated without end |
//! | [`mutator`] | changes that leave a text mostly well-formed |

pub mod bounded;
pub mod exercise;
mod meshes;
pub mod mutator;
mod simple;
