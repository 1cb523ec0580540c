//! Finer meshes: every triangle in four.

use crate::TriMesh;
use crate::adjacency::edge_uses;
use crate::vector::{add, scale};

impl TriMesh {
    /// The same surface with every triangle split in four at the middles of its edges.
    #[must_use]
    pub fn subdivided(&self) -> Self {
        let mut vertices = self.vertices().to_vec();
        let mut middles = vec![[0u32; 3]; self.triangles().len()];
        for group in edge_uses(self.triangles()).chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (a, b, ..) = group[0];
            let middle = scale(add(self.vertices()[a as usize], self.vertices()[b as usize]), 0.5);
            for &(_, _, t, k, _) in group {
                middles[t as usize][k as usize] = vertices.len() as u32;
            }
            vertices.push(middle);
        }
        let triangles = self.triangles().iter().zip(&middles);
        let triangles = triangles
            .flat_map(|(&[a, b, c], &[ab, bc, ca])| [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])
            .collect();
        // The middle of two finite places can only be infinite beyond all sizes that anything else survives.
        Self::new(vertices, triangles).unwrap_or_default()
    }
}
