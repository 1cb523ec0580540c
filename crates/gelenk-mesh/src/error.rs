//! What is wrong with a mesh or a file.

use thiserror::Error;

/// A mesh that cannot be read, or that encloses no body.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// A text file with a mistake.
    #[error("line {line}: {reason}")]
    Line {
        /// Line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A binary file with a mistake.
    #[error("byte {byte}: {reason}")]
    Byte {
        /// Place in the file, counted from 0.
        byte: usize,
        /// What is wrong there.
        reason: String,
    },
    /// Neither of the two forms of STL.
    #[error(
        "this is not an STL file: it neither begins with \"solid\" nor has the length of a binary one ({found} bytes, {expected} for the {triangles} triangles that its header declares)"
    )]
    NoStl {
        /// Length of the file.
        found: usize,
        /// Length that its header announces.
        expected: u64,
        /// Triangles that its header announces.
        triangles: u32,
    },
    /// A triangle that names a vertex which does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are {vertices}")]
    Index {
        /// Triangle, counted from 0.
        triangle: usize,
        /// Vertex, counted from 0.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate that is no finite number.
    #[error("the position of vertex {vertex} is not finite")]
    NotFinite {
        /// Vertex, counted from 0.
        vertex: usize,
    },
    /// More vertices than their numbers can count.
    #[error("the mesh has more vertices than supported (2^32)")]
    TooLarge,
    /// Parts that are repeated until nothing can hold them.
    #[error("the file expands to more than {most} triangles because it repeats its parts")]
    Unfolds {
        /// Most triangles that are read.
        most: usize,
    },
    /// A file that is not of its format.
    #[error("{0}")]
    Format(String),
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// Too large or too small for volumes to be computed.
    #[error("a mesh of size {size:e} is too large or too small for computation; check the unit of the file")]
    Size {
        /// Diagonal of the bounding box.
        size: f64,
    },
    /// An edge with a triangle on one side only.
    #[error("the surface is open: {count} edges have a triangle on one side only, such as the one from {} to {}; close the holes in the program that made the mesh", place(.from), place(.to))]
    Open {
        /// Number of such edges.
        count: usize,
        /// One end of the first of them.
        from: [f64; 3],
        /// Its other end.
        to: [f64; 3],
    },
    /// An edge where neighbouring triangles disagree about the side that is outside, or where more than two meet.
    #[error("the triangles at the edge from {} to {} have inconsistent orientation; correct it in the program that made the mesh", place(.from), place(.to))]
    Inconsistent {
        /// One end of the edge.
        from: [f64; 3],
        /// Its other end.
        to: [f64; 3],
    },
    /// All triangles face inwards.
    #[error("the surface is inside out; reverse its triangles")]
    InsideOut,
    /// A closed surface around nothing.
    #[error("the surface encloses zero volume")]
    Flat,
}

fn place([x, y, z]: &[f64; 3]) -> String {
    format!("({x}, {y}, {z})")
}
