//! Whether the triangles enclose a body.

use crate::{MeshError, TriMesh};

impl TriMesh {
    /// Checks that the surface is closed and that neighbouring triangles agree about what is inside: every edge belongs
    /// to exactly two triangles, which run along it in opposite directions.
    ///
    /// Vertices must be shared; [`TriMesh::welded`] makes them so.
    ///
    /// # Errors
    /// No triangles; open and inconsistent edges, with the place of the first one.
    pub fn check_closed(&self) -> Result<(), MeshError> {
        if self.triangles().is_empty() {
            return Err(MeshError::Empty);
        }
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * self.triangles().len());
        for &[a, b, c] in self.triangles() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.push((from.min(to), from.max(to), from < to));
            }
        }
        edges.sort_unstable();
        let place = |vertex: u32| self.vertices()[vertex as usize];
        let (mut open, mut first) = (0, None);
        for group in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            match group {
                [(_, _, false), (_, _, true)] => {}
                [(from, to, _)] => {
                    open += 1;
                    first.get_or_insert((*from, *to));
                }
                [(from, to, _), ..] => {
                    return Err(MeshError::Inconsistent { from: place(*from), to: place(*to) });
                }
                [] => {}
            }
        }
        match first {
            Some((from, to)) => Err(MeshError::Open { count: open, from: place(from), to: place(to) }),
            None => Ok(()),
        }
    }
}
