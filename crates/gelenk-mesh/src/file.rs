//! Mesh files by the ending of their name.

use crate::{MeshError, TriMesh};

/// Formats of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// STL, binary or text.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// PLY, binary or text.
    Ply,
}

impl Format {
    /// The format that the ending of a file name stands for, in small or capital letters.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }
}

impl TriMesh {
    /// Reads a file of the given format.
    ///
    /// # Errors
    /// What is wrong, with its line or byte.
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Result<Self, MeshError> {
        match format {
            Format::Stl => Self::from_stl(bytes),
            Format::Obj => Self::from_obj(&String::from_utf8_lossy(bytes)),
            Format::Ply => Self::from_ply(bytes),
        }
    }

    /// The mesh as a file of the given format.
    pub fn to_bytes(&self, format: Format) -> Vec<u8> {
        match format {
            Format::Stl => self.to_stl(),
            Format::Obj => self.to_obj().into_bytes(),
            Format::Ply => self.to_ply(),
        }
    }
}
