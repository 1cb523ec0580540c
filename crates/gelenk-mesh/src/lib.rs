//! Triangle meshes: files, checks, mass properties.
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
//! | [`stl`] | STL files, binary and text |
//! | [`obj`] | OBJ files |
//! | [`surface`] | whether the triangles enclose a body |
//! | [`solid`] | volume, centre and inertia of that body |
//! | [`error`] | what is wrong with a mesh or a file |

pub mod error;
pub mod mesh;
pub mod obj;
pub mod solid;
pub mod stl;
pub mod surface;

pub use error::MeshError;
pub use mesh::TriMesh;
pub use solid::Solid;
