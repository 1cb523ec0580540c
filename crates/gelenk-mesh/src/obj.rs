//! OBJ files: their vertices and faces. Faces with more than three corners become triangles. Normals, textures,
//! materials, groups, lines and points say nothing about the surface and are passed over.

use crate::polygon::triangulate;
use crate::{MeshError, TriMesh};
use std::fmt::Write as _;

impl TriMesh {
    /// Reads an OBJ file.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn from_obj(text: &str) -> Result<Self, MeshError> {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (i, line) in text.lines().enumerate() {
            let wrong = |reason: String| MeshError::Line { line: i + 1, reason };
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => vertices.push(place(words).map_err(wrong)?),
                Some("f") => {
                    if line.trim_end().ends_with('\\') {
                        return Err(wrong("faces continued on the next line are not supported".into()));
                    }
                    let corners: Result<Vec<u32>, String> =
                        words.map(|word| corner(word, vertices.len())).collect();
                    let corners = corners.map_err(wrong)?;
                    if corners.len() < 3 {
                        return Err(wrong(format!(
                            "a face needs three corners, this one has {}",
                            corners.len()
                        )));
                    }
                    let places: Vec<[f64; 3]> =
                        corners.iter().map(|&vertex| vertices[vertex as usize]).collect();
                    triangles.extend(triangulate(&places).into_iter().map(|t| t.map(|i| corners[i])));
                }
                _ => {}
            }
        }
        Self::new(vertices, triangles)
    }

    /// The mesh as an OBJ file; every number reads back as the same one.
    pub fn to_obj(&self) -> String {
        let mut text = String::new();
        for [x, y, z] in self.vertices() {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for triangle in self.triangles() {
            let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        text
    }
}

/// Three coordinates; what follows (a weight, a colour) is passed over.
pub(crate) fn place<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<[f64; 3], String> {
    let mut next = || {
        let word = words.next().ok_or("a vertex needs three coordinates")?;
        let value: f64 = word.parse().map_err(|_| format!("\"{}\" is not a number", word.escape_debug()))?;
        if value.is_finite() { Ok(value) } else { Err("a coordinate is not a finite number".to_owned()) }
    };
    Ok([next()?, next()?, next()?])
}

/// The vertex of a corner such as `7`, `7/2/3` or `-1`, which counts back from the last one.
fn corner(word: &str, vertices: usize) -> Result<u32, String> {
    let number = word.split('/').next().unwrap_or_default();
    let number: i64 = number.parse().map_err(|_| format!("\"{}\" is not a vertex", word.escape_debug()))?;
    let count = i64::try_from(vertices).unwrap_or(i64::MAX);
    let index = if number < 0 { count.checked_add(number) } else { number.checked_sub(1) };
    match index.filter(|index| (0..count).contains(index)).map(u32::try_from) {
        Some(Ok(index)) => Ok(index),
        _ => Err(format!("there is no vertex {number}; {vertices} are defined before this line")),
    }
}
