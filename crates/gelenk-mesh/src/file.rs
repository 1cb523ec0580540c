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
    /// COLLADA.
    Dae,
    /// glTF 2.0, as text (.gltf) or binary (.glb).
    Gltf,
    /// MSH of MuJoCo.
    Msh,
}

impl Format {
    /// The format that the ending of a file name stands for, in small or capital letters.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "dae" => Some(Self::Dae),
            "gltf" | "glb" => Some(Self::Gltf),
            "msh" => Some(Self::Msh),
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
            Format::Msh => Self::from_msh(bytes),
            Format::Dae => crate::dae::read(bytes).map(|painted| painted.mesh),
            Format::Gltf => crate::gltf::read(bytes, &mut |_| None).map(|painted| painted.mesh),
        }
    }

    /// The mesh as a file of the given format.
    ///
    /// # Errors
    /// Formats that are only read: COLLADA, glTF and MSH.
    pub fn to_bytes(&self, format: Format) -> Result<Vec<u8>, MeshError> {
        match format {
            Format::Stl => Ok(self.to_stl()),
            Format::Obj => Ok(self.to_obj().into_bytes()),
            Format::Ply => Ok(self.to_ply()),
            Format::Dae | Format::Gltf | Format::Msh => Err(MeshError::Format(
                "meshes are not written in this format: choose .stl, .obj or .ply".into(),
            )),
        }
    }
}
