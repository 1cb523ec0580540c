//! OBJ files: their vertices and faces, and the colours of their materials. Faces with more than three corners become
//! triangles. Normals, textures, groups, lines and points are passed over.

use crate::painted::{Aside, Painted, Patch, Rgba};
use crate::polygon::triangulate;
use crate::{MeshError, TriMesh};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl TriMesh {
    /// Reads an OBJ file.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn from_obj(text: &str) -> Result<Self, MeshError> {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (number, line) in lines(text) {
            let wrong = |reason: String| MeshError::Line { line: number, reason };
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => vertices.push(place(words).map_err(wrong)?),
                Some("f") => face(words, &vertices, &mut triangles).map_err(wrong)?,
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

/// Reads an OBJ file with the colours of its materials.
pub(crate) fn painted(text: &str, aside: Aside<'_>) -> Result<Painted, MeshError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut materials: BTreeMap<String, Material> = BTreeMap::new();
    let mut patches: Vec<Patch> = Vec::new();
    let (mut colour, mut textured) = (None, false);
    for (number, line) in lines(text) {
        let wrong = |reason: String| MeshError::Line { line: number, reason };
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(place(words).map_err(wrong)?),
            Some("f") => {
                let start = triangles.len();
                face(words, &vertices, &mut triangles).map_err(wrong)?;
                match patches.last_mut() {
                    Some(last) if last.colour == colour => last.triangles.end = triangles.len(),
                    _ => patches.push(Patch { triangles: start..triangles.len(), colour }),
                }
            }
            Some("usemtl") => {
                let name = line.trim_start().strip_prefix("usemtl").unwrap_or_default().trim();
                let material = materials.get(name).copied().unwrap_or_default();
                colour = material.colour;
                textured |= material.textured;
            }
            Some("mtllib") => {
                let name = line.trim_start().strip_prefix("mtllib").unwrap_or_default().trim();
                if let Some(bytes) = aside(name) {
                    read_materials(&String::from_utf8_lossy(&bytes), &mut materials);
                }
            }
            _ => {}
        }
    }
    patches.retain(|patch| !patch.triangles.is_empty());
    Ok(Painted { mesh: TriMesh::new(vertices, triangles)?, patches, textured })
}

/// What an MTL file says of a material.
#[derive(Clone, Copy, Default)]
struct Material {
    colour: Option<Rgba>,
    textured: bool,
}

/// Reads diffuse colours and opacities; what cannot be read leaves a material without a colour.
fn read_materials(text: &str, materials: &mut BTreeMap<String, Material>) {
    let mut name = String::new();
    for (_, line) in lines(text) {
        let mut words = line.split_whitespace();
        let key = words.next().unwrap_or_default();
        if key == "newmtl" {
            name = line.trim_start().strip_prefix("newmtl").unwrap_or_default().trim().to_owned();
            materials.insert(name.clone(), Material::default());
            continue;
        }
        let Some(material) = materials.get_mut(&name) else { continue };
        let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        let [r, g, b, opacity] = material.colour.unwrap_or([0.8, 0.8, 0.8, 1.0]);
        let share = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 1.0 };
        match (key, numbers.as_slice()) {
            ("Kd", &[r, g, b, ..]) => material.colour = Some([share(r), share(g), share(b), opacity]),
            ("d", &[x, ..]) => material.colour = Some([r, g, b, share(x)]),
            ("Tr", &[x, ..]) => material.colour = Some([r, g, b, 1.0 - share(x)]),
            ("map_Kd", _) => material.textured = true,
            _ => {}
        }
    }
}

/// Lines with their numbers, without comments; a backslash at the end of a line joins the next one to it.
fn lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (i, first) = lines.next()?;
        let mut whole = Cow::Borrowed(uncommented(first));
        while let Some(open) = whole.trim_end().strip_suffix('\\') {
            let mut joined = open.to_owned();
            let next = lines.next();
            joined.push(' ');
            joined.push_str(next.map_or("", |(_, line)| uncommented(line)));
            whole = Cow::Owned(joined);
            if next.is_none() {
                break;
            }
        }
        Some((i + 1, whole))
    })
}

fn uncommented(line: &str) -> &str {
    line.split('#').next().unwrap_or_default()
}

/// Adds the triangles of a face.
fn face<'a>(
    words: impl Iterator<Item = &'a str>,
    vertices: &[[f64; 3]],
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), String> {
    let corners: Vec<u32> = words.map(|word| corner(word, vertices.len())).collect::<Result<_, _>>()?;
    if corners.len() < 3 {
        return Err(format!("a face needs three corners, this one has {}", corners.len()));
    }
    let places: Vec<[f64; 3]> = corners.iter().map(|&vertex| vertices[vertex as usize]).collect();
    triangles.extend(triangulate(&places).into_iter().map(|t| t.map(|i| corners[i])));
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_continue_behind_a_backslash() {
        let text = "v 0 0 \\\n 0 # zero\nv 1 0 0\nv 0 1 0\nf 1 \\\n2 \\\n 3\n";
        assert_eq!(TriMesh::from_obj(text).unwrap().triangles(), [[0, 1, 2]]);
        // The number of a line is that of its first one.
        let text = "v 0 0 0\nf 1 \\\n2 3\n";
        assert!(matches!(TriMesh::from_obj(text), Err(MeshError::Line { line: 2, .. })));
        assert!(TriMesh::from_obj("f 1 \\").is_err());
    }

    #[test]
    fn materials_have_colours() {
        let obj = "mtllib a b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nusemtl glass\nf 1 3 2\nf 2 3 1\nusemtl none\nf 3 1 2";
        let mtl = "newmtl red\nKd 1 0 0.5\nnewmtl glass\nKd 0 1 0\nd 0.25\nmap_Kd a.png\nKs x\n";
        let mut asked = Vec::new();
        let mesh = painted(obj, &mut |name| {
            asked.push(name.to_owned());
            Some(mtl.into())
        })
        .unwrap();
        assert_eq!(asked, ["a b.mtl"]);
        assert!(mesh.textured);
        let colours: Vec<_> = mesh.patches.iter().map(|p| (p.triangles.clone(), p.colour)).collect();
        let expected =
            [(0..1, Some([1.0, 0.0, 0.5, 1.0])), (1..3, Some([0.0, 1.0, 0.0, 0.25])), (3..4, None)];
        assert_eq!(colours, expected);
        assert_eq!(mesh.by_colour().len(), 3);
        assert_eq!(mesh.by_colour()[1].1.triangles().len(), 2);
    }
}
