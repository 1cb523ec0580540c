//! Vertices and triangles.

use crate::MeshError;
use std::collections::HashMap;

/// A surface of triangles. Seen from outside, the vertices of a triangle run against the clock.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TriMesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// A mesh from its vertices (m, or the unit of the file) and triangles, which number them from 0.
    ///
    /// # Errors
    /// A triangle names a vertex that does not exist, or a vertex is at no finite place.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if let Some(vertex) = vertices.iter().position(|vertex| vertex.iter().any(|x| !x.is_finite())) {
            return Err(MeshError::NotFinite { vertex });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices.len()) {
                return Err(MeshError::Index { triangle, vertex, vertices: vertices.len() });
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// The vertices.
    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }

    /// The triangles, as numbers of vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The places of the corners of every triangle.
    pub fn corners(&self) -> impl Iterator<Item = [[f64; 3]; 3]> {
        self.triangles.iter().map(|corners| corners.map(|vertex| self.vertices[vertex as usize]))
    }

    /// Lowest and highest coordinates; `None` without vertices.
    pub fn bounding_box(&self) -> Option<[[f64; 3]; 2]> {
        let first = *self.vertices.first()?;
        let start = [first, first];
        Some(self.vertices.iter().fold(start, |[low, high], vertex| {
            [std::array::from_fn(|k| low[k].min(vertex[k])), std::array::from_fn(|k| high[k].max(vertex[k]))]
        }))
    }

    /// The mesh with every vertex moved. A map that mirrors needs [`TriMesh::reversed`] as well.
    ///
    /// # Errors
    /// A vertex is moved to no finite place.
    pub fn moved(&self, place: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Self, MeshError> {
        Self::new(self.vertices.iter().map(|&vertex| place(vertex)).collect(), self.triangles.clone())
    }

    /// The mesh with inside and outside exchanged.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let triangles = self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        Self { vertices: self.vertices.clone(), triangles }
    }

    /// The mesh with vertices at the same place made one, and without triangles that thereby lose a corner.
    ///
    /// # Errors
    /// More vertices than their numbers can count.
    pub fn welded(&self) -> Result<Self, MeshError> {
        let mut weld = Weld::default();
        let mut triangles = Vec::with_capacity(self.triangles.len());
        for corners in self.corners() {
            triangles.extend(weld.triangle(corners)?);
        }
        Ok(Self { vertices: weld.vertices, triangles })
    }
}

/// Gives equal places one number.
#[derive(Default)]
pub(crate) struct Weld {
    pub(crate) vertices: Vec<[f64; 3]>,
    /// Only looked up, never iterated, so its order has no influence.
    known: HashMap<[u64; 3], u32>,
}

impl Weld {
    fn vertex(&mut self, place: [f64; 3]) -> Result<u32, MeshError> {
        // Both zeros are one place.
        let place = place.map(|x| x + 0.0);
        let next = u32::try_from(self.vertices.len()).map_err(|_| MeshError::TooLarge)?;
        let number = *self.known.entry(place.map(f64::to_bits)).or_insert(next);
        if number == next {
            self.vertices.push(place);
        }
        Ok(number)
    }

    /// The triangle with these corners; `None` where two of them are one.
    pub(crate) fn triangle(&mut self, corners: [[f64; 3]; 3]) -> Result<Option<[u32; 3]>, MeshError> {
        let [a, b, c] = corners;
        let [a, b, c] = [self.vertex(a)?, self.vertex(b)?, self.vertex(c)?];
        Ok((a != b && b != c && c != a).then_some([a, b, c]))
    }
}
