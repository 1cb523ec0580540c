//! MSH files of MuJoCo: four counts, then vertices, normals, texture coordinates and faces, all binary and little endian.

use crate::{MeshError, TriMesh};

/// Bytes of the counts.
const HEAD: u64 = 16;

impl TriMesh {
    /// Reads an MSH file of MuJoCo.
    ///
    /// # Errors
    /// What is wrong, with its byte. Memory is bounded by the length of `bytes`, whatever the header announces.
    pub fn from_msh(bytes: &[u8]) -> Result<Self, MeshError> {
        let wrong = |byte: usize, reason: String| MeshError::Byte { byte, reason };
        let words = bytes.as_chunks::<4>().0;
        let count = |k: usize| -> Result<u64, MeshError> {
            let word = words.get(k).ok_or_else(|| wrong(4 * k, "the file ends inside its header".into()))?;
            u64::try_from(i32::from_le_bytes(*word)).map_err(|_| wrong(4 * k, "a count is negative".into()))
        };
        let [vertices, normals, texture, faces] = [count(0)?, count(1)?, count(2)?, count(3)?];
        // Each below 2^31, so that nothing overflows.
        let expected = HEAD + 4 * (3 * vertices + 3 * normals + 2 * texture + 3 * faces);
        if expected != bytes.len() as u64 {
            let reason = format!(
                "the header declares {vertices} vertices and {faces} faces ({expected} bytes), but the file has {} bytes",
                bytes.len()
            );
            return Err(wrong(0, reason));
        }
        let start = 4 + 3 * (vertices + normals) + 2 * texture;
        // The length of the file says that all of these are there.
        let slice = |from: u64, length: u64| {
            let from = usize::try_from(from).unwrap_or(usize::MAX);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            words.get(from..from.saturating_add(length)).unwrap_or_default()
        };
        let mut places = Vec::with_capacity(words.len() / 3);
        for (i, three) in slice(4, 3 * vertices).as_chunks::<3>().0.iter().enumerate() {
            let place = three.map(|word| f64::from(f32::from_le_bytes(word)));
            if place.iter().any(|x| !x.is_finite()) {
                return Err(wrong(16 + 12 * i, "a coordinate is not a finite number".into()));
            }
            places.push(place);
        }
        let mut triangles = Vec::new();
        for (i, three) in slice(start, 3 * faces).as_chunks::<3>().0.iter().enumerate() {
            let corners = three.map(u32::from_le_bytes);
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= places.len()) {
                return Err(MeshError::Index { triangle: i, vertex, vertices: places.len() });
            }
            triangles.push(corners);
        }
        Self::new(places, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(counts: [i32; 4], floats: &[f32], corners: &[i32]) -> Vec<u8> {
        let mut bytes: Vec<u8> = counts.iter().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    /// The layout of MuJoCo's documentation (XML reference, asset/mesh/file): normals and texture are passed over.
    #[test]
    fn vertices_and_faces_are_found_behind_normals_and_texture() {
        let floats = [
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, /* normal */ 9.0, 9.0, 9.0, /* uv */ 8.0,
            8.0,
        ];
        let mesh = TriMesh::from_msh(&file([3, 1, 1, 1], &floats, &[0, 1, 2])).unwrap();
        assert_eq!(mesh.vertices()[2], [0.0, 2.0, 0.0]);
        assert_eq!(mesh.triangles(), [[0, 1, 2]]);
    }

    #[test]
    fn headers_that_lie_are_refused() {
        for counts in [[i32::MAX; 4], [-1, 0, 0, 0], [100_000_000, 0, 0, 100_000_000]] {
            assert!(TriMesh::from_msh(&file(counts, &[], &[])).is_err());
        }
        assert!(TriMesh::from_msh(&file([1, 0, 0, 1], &[0.0; 3], &[0, 0, 7])).is_err());
        assert!(TriMesh::from_msh(&file([1, 0, 0, 0], &[f32::NAN, 0.0, 0.0], &[])).is_err());
        assert!(TriMesh::from_msh(&[0; 7]).is_err());
    }
}
