//! Vertices that are one.

use std::collections::HashMap;

use crate::TriMesh;
use crate::vector::{V3, norm, sub};

impl TriMesh {
    /// For every vertex the first one of those that it hangs together with over gaps of at most `distance`; itself where
    /// there is none before it. The time grows with the number of vertices, not with its square, however many share a
    /// place, a plane or a line.
    pub(crate) fn duplicates(&self, distance: f64) -> Vec<u32> {
        let places = self.vertices();
        let mut twins = Twins((0..places.len() as u32).collect());
        // One vertex for every place; cells of the size of the distance hold few of these.
        let mut at: HashMap<[u64; 3], u32> = HashMap::with_capacity(places.len());
        let mut cells: HashMap<[u64; 3], Vec<u32>> = HashMap::new();
        for (vertex, &place) in (0..).zip(places) {
            // Both zeros are one place.
            let first = *at.entry(place.map(|x| (x + 0.0).to_bits())).or_insert(vertex);
            if first != vertex {
                twins.join(first, vertex);
                continue;
            }
            if distance > 0.0 {
                for cell in cells_around(place, distance) {
                    for &other in cells.get(&cell).map(Vec::as_slice).unwrap_or_default() {
                        if norm(sub(places[other as usize], place)) <= distance {
                            twins.join(other, vertex);
                        }
                    }
                }
                cells.entry(cell_of(place, distance)).or_default().push(vertex);
            }
        }
        (0..places.len() as u32).map(|vertex| twins.root(vertex)).collect()
    }
}

/// The cell of a grid that a place lies in. Where numbers are too large for their neighbours to differ, a cell is one
/// place.
fn cell_of(place: V3, size: f64) -> [u64; 3] {
    place.map(|x| ((x / size).floor() + 0.0).to_bits())
}

/// The cell of a place and those beside it, each once.
fn cells_around(place: V3, size: f64) -> impl Iterator<Item = [u64; 3]> {
    let beside = place.map(|x| {
        let cell = (x / size).floor();
        let mut found = [cell - 1.0, cell, cell + 1.0].map(|cell| (cell + 0.0).to_bits()).to_vec();
        found.dedup();
        found
    });
    let [x, y, z] = beside;
    let pairs: Vec<[u64; 2]> = x.iter().flat_map(|&x| y.iter().map(move |&y| [x, y])).collect();
    pairs.into_iter().flat_map(move |[x, y]| z.clone().into_iter().map(move |z| [x, y, z]))
}

/// Sets of vertices; the lowest stands for all.
struct Twins(Vec<u32>);

impl Twins {
    fn root(&mut self, mut vertex: u32) -> u32 {
        while self.0[vertex as usize] != vertex {
            let above = self.0[self.0[vertex as usize] as usize];
            self.0[vertex as usize] = above;
            vertex = above;
        }
        vertex
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(vertices: Vec<V3>) -> TriMesh {
        TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap()
    }

    /// Against all pairs, on a grid of places with many at one, in one line and just within reach.
    #[test]
    fn the_same_as_by_all_pairs() {
        let mut places = Vec::new();
        for k in 0..200_u32 {
            let x = |n: u32| f64::from((k * n) % 17) * 0.1;
            places.push([x(5), -x(7), if k % 3 == 0 { 0.0 } else { 1e30 }]);
        }
        let n = places.len();
        for distance in [0.0, 0.0999, 0.1000001, 0.3, 1e31] {
            let mut by_pairs: Vec<usize> = (0..n).collect();
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for a in 0..n {
                    for b in 0..n {
                        if norm(sub(places[a], places[b])) <= distance {
                            let low = by_pairs[a].min(by_pairs[b]);
                            changed |= by_pairs[a] != by_pairs[b];
                            (by_pairs[a], by_pairs[b]) = (low, low);
                        }
                    }
                }
            }
            let found: Vec<usize> =
                mesh(places.clone()).duplicates(distance).into_iter().map(|v| v as usize).collect();
            assert_eq!(found, by_pairs, "{distance}");
        }
    }

    /// Corners of 50,000 triangles in a plane, each with its own: a second for what took half a minute by pairs.
    #[test]
    fn many_at_one_place_and_in_one_plane_take_linear_time() {
        let corner = |k: u32| [0.0, (1e-4 * f64::from(k)).cos(), (1e-4 * f64::from(k)).sin()];
        let places: Vec<V3> = (0..50_000).flat_map(|k| [[0.0; 3], corner(k), corner(k + 1)]).collect();
        let begun = std::time::Instant::now();
        for distance in [0.0, 1e-7] {
            let twins = mesh(places.clone()).duplicates(distance);
            let single = (0..).zip(&twins).filter(|(vertex, twin)| vertex == *twin).count();
            assert_eq!(single, 50_002);
        }
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }
}
