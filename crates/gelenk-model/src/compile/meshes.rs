//! Files of meshes, each read once.

use crate::bodies::MeshShape;
use gelenk_file::source::Sources;
use gelenk_mesh::{Format, Painted, Rgba, TriMesh};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest mesh file that is read.
const LARGEST: u64 = 1 << 28;

/// A colour and the surface that has it.
pub(super) type Part = (Option<Rgba>, Arc<TriMesh>);
/// Path, bits of the factors.
type Key = (PathBuf, [u64; 3]);

/// What was read already; meshes that several things use are shared.
#[derive(Default)]
pub(super) struct Meshes {
    painted: BTreeMap<Key, Result<Arc<Vec<Part>>, String>>,
}

impl Meshes {
    /// The surfaces of a file by their colours, in m; a mirrored part has them mirrored.
    pub(super) fn painted(&mut self, mesh: &MeshShape, sources: &Sources) -> Result<Arc<Vec<Part>>, String> {
        let path = sources.resolve(mesh.file.span.file, &mesh.file);
        let factors = mirrored(mesh);
        let key = (path, factors.map(f64::to_bits));
        if let Some(known) = self.painted.get(&key) {
            return known.clone();
        }
        let read = read_painted(&key.0).and_then(|painted| {
            let mirrors = factors.iter().product::<f64>() < 0.0;
            let moved = painted.moved(mirrors, |place| std::array::from_fn(|k| place[k] * factors[k]));
            let moved = moved.map_err(|error| error.to_string())?;
            Ok(Arc::new(
                moved.by_colour().into_iter().map(|(colour, mesh)| (colour, Arc::new(mesh))).collect(),
            ))
        });
        self.painted.insert(key, read.clone());
        read
    }
}

/// Factors of the coordinates to metres, in a mirrored part with the signs of the mirror.
fn mirrored(mesh: &MeshShape) -> [f64; 3] {
    let factors = mesh.factors();
    std::array::from_fn(|k| if mesh.reflection.polar(k) { -factors[k] } else { factors[k] })
}

/// A mesh in m, outside still outside where it is mirrored by its factors; the mirror of a part is not applied.
pub(super) fn read_scaled(mesh: &MeshShape, sources: &Sources) -> Result<TriMesh, String> {
    let path = sources.resolve(mesh.file.span.file, &mesh.file);
    let factors = mesh.factors();
    let read = read_painted(&path)?.mesh;
    let moved = read.moved(|place| std::array::from_fn(|k| place[k] * factors[k]));
    let moved = moved.map_err(|error| error.to_string())?;
    Ok(if factors.iter().product::<f64>() < 0.0 { moved.reversed() } else { moved })
}

/// Reads a mesh file by the end of its name, and files beside it that it names.
fn read_painted(path: &Path) -> Result<Painted, String> {
    let Some(format) = Format::of_name(&path.to_string_lossy()) else {
        return Err("the name of a mesh file ends in .stl, .obj, .ply, .dae, .gltf, .glb or .msh".to_owned());
    };
    let bytes = read_file(path)?;
    let mut aside = |name: &str| {
        // Only files in the same folder, whatever the file says.
        let name = Path::new(name).file_name()?;
        read_file(&path.parent()?.join(name)).ok()
    };
    Painted::from_bytes(format, &bytes, &mut aside).map_err(|error| error.to_string())
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let facts = std::fs::metadata(path).map_err(|_| "there is no such file".to_owned())?;
    if !facts.is_file() || facts.len() > LARGEST {
        return Err(format!("it is not a regular file of at most {} MiB", LARGEST >> 20));
    }
    std::fs::read(path).map_err(|error| error.to_string())
}
