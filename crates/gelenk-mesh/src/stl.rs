//! STL files, binary and text.
//!
//! STL repeats the corners of every triangle; corners at the same place become one vertex. Normals are not read: the
//! order of the corners says what is outside.

use crate::mesh::Weld;
use crate::{MeshError, TriMesh};

/// Bytes before the first triangle of a binary file, and of each triangle.
const HEAD: usize = 84;
const RECORD: usize = 50;

impl TriMesh {
    /// Reads an STL file of either form.
    ///
    /// # Errors
    /// What is wrong, with its line or byte. Memory is bounded by the length of `bytes`, whatever a header announces.
    pub fn from_stl(bytes: &[u8]) -> Result<Self, MeshError> {
        let announced = bytes
            .get(80..HEAD)
            .and_then(|count| <[u8; 4]>::try_from(count).ok())
            .map_or(0, u32::from_le_bytes);
        let expected = HEAD as u64 + RECORD as u64 * u64::from(announced);
        // Binary files often begin with "solid", too; their length tells.
        if bytes.len() >= HEAD && expected == bytes.len() as u64 {
            return binary(bytes);
        }
        let text = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).map_or(&[][..], |i| &bytes[i..]);
        if text.starts_with(b"solid") {
            return text_form(bytes);
        }
        Err(MeshError::NoStl { found: bytes.len(), expected, triangles: announced })
    }

    /// The mesh as a binary STL file, with coordinates rounded to single precision.
    pub fn to_stl(&self) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((self.triangles().len() as u32).to_le_bytes());
        for corners in self.corners() {
            let normal = normal(corners);
            for vector in [normal].iter().chain(&corners) {
                vector.iter().for_each(|&x| bytes.extend((x as f32).to_le_bytes()));
            }
            bytes.extend([0; 2]);
        }
        bytes
    }
}

fn normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (u, v) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    if length > 0.0 { n.map(|x| x / length) } else { [0.0; 3] }
}

fn binary(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let mut weld = Weld::default();
    let mut triangles = Vec::with_capacity((bytes.len() - HEAD) / RECORD);
    for (i, record) in bytes[HEAD..].chunks_exact(RECORD).enumerate() {
        let mut corners = [[0.0; 3]; 3];
        for (k, number) in record[12..48].chunks_exact(4).enumerate() {
            let value = <[u8; 4]>::try_from(number).map_or(f32::NAN, f32::from_le_bytes);
            if !value.is_finite() {
                let byte = HEAD + RECORD * i + 12 + 4 * k;
                return Err(MeshError::Byte { byte, reason: "a coordinate is not a finite number".into() });
            }
            corners[k / 3][k % 3] = f64::from(value);
        }
        triangles.extend(weld.triangle(corners)?);
    }
    TriMesh::new(weld.vertices, triangles)
}

fn text_form(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut weld = Weld::default();
    let (mut triangles, mut corners) = (Vec::new(), Vec::with_capacity(3));
    let mut open = false;
    for (i, line) in text.lines().enumerate() {
        let wrong = |reason: String| MeshError::Line { line: i + 1, reason };
        let mut words = line.split_whitespace();
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("facet") if open => return Err(wrong("a facet begins before the previous one ends".into())),
            Some("facet") => open = true,
            Some("vertex") if !open => return Err(wrong("this vertex is outside a facet".into())),
            Some("vertex") => corners.push(crate::obj::place(words).map_err(wrong)?),
            Some("endfacet") => {
                let found = corners.len();
                let Ok(three) = <[[f64; 3]; 3]>::try_from(std::mem::take(&mut corners)) else {
                    return Err(wrong(format!("a facet has three vertices, this one {found}")));
                };
                triangles.extend(weld.triangle(three)?);
                open = false;
            }
            None | Some("solid" | "outer" | "endloop" | "endsolid") => {}
            Some(word) => return Err(wrong(format!("unknown keyword \"{}\"", word.escape_debug()))),
        }
    }
    if open {
        let reason = "the file ends inside a facet".into();
        return Err(MeshError::Line { line: text.lines().count(), reason });
    }
    TriMesh::new(weld.vertices, triangles)
}
