//! Which triangles meet at edges and vertices.

use crate::TriMesh;

/// No triangle: the other side of a border.
pub const NONE: u32 = u32::MAX;

/// Neighbours across edges and triangles around vertices.
///
/// Edge `k` of a triangle runs from its corner `k` to its corner `k + 1`. Only an edge that exactly two triangles run
/// along, in opposite directions, joins them; all others are borders.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjacency {
    /// Triangle across every edge of every triangle; [`NONE`] at a border.
    pub across: Vec<[u32; 3]>,
    starts: Vec<u32>,
    around: Vec<u32>,
}

/// An edge as a triangle runs along it, for sorting: lower and higher vertex, triangle, its edge, whether upwards.
pub(crate) type EdgeUse = (u32, u32, u32, u8, bool);

/// Every use of every edge, those of one edge beside each other.
pub(crate) fn edge_uses(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut uses = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            uses.push((from.min(to), from.max(to), t as u32, k as u8, from < to));
        }
    }
    uses.sort_unstable();
    uses
}

impl Adjacency {
    /// The neighbours in a mesh.
    pub fn new(mesh: &TriMesh) -> Self {
        let triangles = mesh.triangles();
        let mut across = vec![[NONE; 3]; triangles.len()];
        for group in edge_uses(triangles).chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [(a, b, s, i, up), (_, _, t, k, other)] = group
                && up != other
                && a != b
            {
                across[*s as usize][*i as usize] = *t;
                across[*t as usize][*k as usize] = *s;
            }
        }
        let mut starts = vec![0; mesh.vertices().len() + 1];
        for &vertex in triangles.iter().flatten() {
            starts[vertex as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut around = vec![0; 3 * triangles.len()];
        for (t, corners) in triangles.iter().enumerate() {
            for &vertex in corners {
                around[next[vertex as usize] as usize] = t as u32;
                next[vertex as usize] += 1;
            }
        }
        let mut adjacency = Self { across, starts, around };
        for vertex in 0..mesh.vertices().len() {
            adjacency.sort_fan(triangles, vertex);
        }
        adjacency
    }

    /// The triangles at a vertex, against the clock seen from outside where they form one fan; a fan with borders
    /// begins at the border on its right.
    #[inline]
    pub fn fan(&self, vertex: usize) -> &[u32] {
        &self.around[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Orders the triangles of a vertex by walking from one to the next.
    fn sort_fan(&mut self, triangles: &[[u32; 3]], vertex: usize) {
        let span = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let own = vertex as u32;
        let place = |t: u32| triangles[t as usize].iter().position(|&corner| corner == own).unwrap_or(0);
        let list = &mut self.around[span];
        for i in 0..list.len() {
            if i > 0 {
                // Against the clock: over the edge that ends in the vertex.
                let last = list[i - 1];
                let next = self.across[last as usize][(place(last) + 2) % 3];
                if let Some(k) = list[i..].iter().position(|&t| t == next) {
                    list.swap(i, i + k);
                    continue;
                }
            }
            // A new fan begins: at a triangle with a border on its right, if there is one.
            let border = |&t: &u32| self.across[t as usize][place(t)] == NONE;
            if let Some(k) = list[i..].iter().position(border) {
                list.swap(i, i + k);
            }
        }
    }

    /// The component of every triangle, joined over edges, and their number.
    pub fn components(&self) -> (Vec<u32>, usize) {
        let mut component = vec![NONE; self.across.len()];
        let mut count = 0;
        let mut stack = Vec::new();
        for start in 0..self.across.len() {
            if component[start] != NONE {
                continue;
            }
            component[start] = count;
            stack.push(start);
            while let Some(t) = stack.pop() {
                for &next in &self.across[t] {
                    if next != NONE && component[next as usize] == NONE {
                        component[next as usize] = count;
                        stack.push(next as usize);
                    }
                }
            }
            count += 1;
        }
        (component, count as usize)
    }
}
