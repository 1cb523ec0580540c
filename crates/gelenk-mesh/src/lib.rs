//! Triangle meshes: files, checks, repair, generators, mass properties, contact.
//!
//! ```
//! use gelenk_mesh::TriMesh;
//! let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
//! let corner = TriMesh::from_obj(text)?;
//! let solid = corner.solid()?;
//! assert!((solid.volume - 1.0 / 6.0).abs() < 1e-15);
//! # Ok::<(), gelenk_mesh::MeshError>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`mesh`] | vertices and triangles |
//! | [`file`](mod@file) | files by the ending of their name |
//! | [`stl`] | STL files, binary and text |
//! | [`obj`] | OBJ files |
//! | [`ply`] | PLY files, binary and text |
//! | [`msh`] | MSH files of MuJoCo |
//! | `dae` | COLLADA files |
//! | `gltf` | glTF files |
//! | [`painted`] | surfaces with colours |
//! | [`hull`] | convex hulls |
//! | [`polygon`] | polygons as triangles |
//! | [`make`] | meshes of simple bodies |
//! | [`adjacency`] | which triangles meet at edges and vertices |
//! | `parts` | parts that do not hang together, and which lie inside others |
//! | [`surface`] | whether the triangles enclose a body |
//! | [`check`] | what a mesh is like, and what is wrong with it |
//! | `twins` | vertices that are one |
//! | [`repair`] | welding, turning, dropping |
//! | [`refine`] | every triangle in four |
//! | [`decimate`] | coarser meshes |
//! | [`solid`] | volume, centre and inertia of the body inside |
//! | [`contact`] | contact between surfaces |
//! | [`simple`] | contact between spheres, capsules, boxes, points and planes |
//! | [`vector`] | vectors of three numbers |
//! | [`error`] | what is wrong with a mesh or a file |

// Loops over indices mirror the equations they stand for.
#![allow(clippy::needless_range_loop)]

pub mod adjacency;
pub mod check;
pub mod contact;
mod dae;
pub mod decimate;
pub mod error;
pub mod file;
mod gltf;
pub mod hull;
pub mod make;
pub mod mesh;
pub mod msh;
pub mod obj;
pub mod painted;
mod parts;
pub mod ply;
pub mod polygon;
pub mod refine;
pub mod repair;
pub mod simple;
pub mod solid;
pub mod stl;
pub mod surface;
mod twins;
pub mod vector;

pub use adjacency::Adjacency;
pub use check::{Finding, Mistake, Survey};
pub use error::MeshError;
pub use file::Format;
pub use mesh::TriMesh;
pub use painted::{Painted, Rgba};
pub use repair::{Repair, Repaired};
pub use solid::Solid;
