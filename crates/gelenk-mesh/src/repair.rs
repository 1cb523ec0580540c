//! Repair: one vertex at one place, neighbours that agree, no triangles without area.

use crate::adjacency::{NONE, edge_uses};
use crate::check::is_sliver;
use crate::parts::Parts;
use crate::vector::{norm, sub};
use crate::{MeshError, TriMesh};

/// What is repaired. H-R5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repair {
    /// Vertices not farther apart than this become one (m); zero takes only equal places.
    pub weld: f64,
    /// Whether triangles are turned until neighbours agree and closed parts, but for cavities, face outwards.
    pub orient: bool,
    /// Whether triangles of zero area go, and those that are there twice.
    pub degenerate: bool,
}

impl Default for Repair {
    fn default() -> Self {
        Self { weld: 0.0, orient: true, degenerate: true }
    }
}

/// What a repair did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Vertices that became one with another.
    pub welded: usize,
    /// Vertices that no triangle used.
    pub unused: usize,
    /// Triangles that went.
    pub dropped: usize,
    /// Triangles that were turned.
    pub turned: usize,
}

impl TriMesh {
    /// The repaired mesh, and what was done.
    ///
    /// # Errors
    /// Nothing is left.
    pub fn repaired(&self, repair: &Repair) -> Result<(Self, Repaired), MeshError> {
        let mut done = Repaired::default();
        let twin = self.duplicates(repair.weld.max(0.0));
        done.welded = twin.iter().enumerate().filter(|(vertex, twin)| **twin as usize != *vertex).count();
        let mut triangles: Vec<[u32; 3]> =
            self.triangles().iter().map(|corners| corners.map(|vertex| twin[vertex as usize])).collect();
        if repair.degenerate {
            let before = triangles.len();
            without_doubles(&mut triangles);
            triangles = self.without_slivers(triangles);
            done.dropped = before - triangles.len();
        }
        if repair.orient {
            done.turned = self.oriented(&mut triangles)?;
        }
        let (vertices, triangles) = compact(self.vertices(), &triangles);
        done.unused =
            self.vertices().len() - done.welded - vertices.len().min(self.vertices().len() - done.welded);
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        Ok((Self::new(vertices, triangles)?, done))
    }

    /// Removes triangles that repeat a corner, and flat ones by exchanging their longest edge with the neighbour's
    /// other diagonal, so that the surface stays closed.
    fn without_slivers(&self, mut triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
        let place = |vertex: u32| self.vertices()[vertex as usize];
        triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        // Every exchange takes away one flat triangle or moves it on; a few rounds end all that can end.
        for _ in 0..8 {
            let flat = |t: &[u32; 3]| is_sliver(t.map(place));
            let Some(_) = triangles.iter().position(flat) else { break };
            let uses = edge_uses(&triangles);
            let mut touched = vec![false; triangles.len()];
            let mut gone = vec![false; triangles.len()];
            for t in 0..triangles.len() {
                if touched[t] || !flat(&triangles[t]) {
                    continue;
                }
                let corners = triangles[t];
                let length = |k: usize| norm(sub(place(corners[k]), place(corners[(k + 1) % 3])));
                let k = (0..3).max_by(|&i, &k| length(i).total_cmp(&length(k))).unwrap_or(0);
                let (a, b, c) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
                let key = (a.min(b), a.max(b));
                let from = uses.partition_point(|edge| (edge.0, edge.1) < key);
                let other = uses[from..]
                    .iter()
                    .take_while(|edge| (edge.0, edge.1) == key)
                    .find(|edge| edge.2 as usize != t && !touched[edge.2 as usize]);
                touched[t] = true;
                let Some(&(_, _, s, i, _)) = other else {
                    gone[t] = true;
                    continue;
                };
                touched[s as usize] = true;
                let beyond = triangles[s as usize];
                let [p, q, d] = [0, 1, 2].map(|n| beyond[(i as usize + n) % 3]);
                // The neighbour p-q-d is split at c, which lies on its edge p-q.
                if d == c {
                    (gone[t], gone[s as usize]) = (true, true);
                } else {
                    triangles[s as usize] = [p, c, d];
                    triangles[t] = [c, q, d];
                }
            }
            let mut keep = gone.iter();
            triangles.retain(|_| !keep.next().copied().unwrap_or(false));
        }
        triangles.retain(|t| !is_sliver(t.map(place)));
        triangles
    }

    /// Turns triangles until neighbours agree, to the side of most of them; closed parts face outwards, unless they are
    /// cavities.
    fn oriented(&self, triangles: &mut [[u32; 3]]) -> Result<usize, MeshError> {
        let before = triangles.to_vec();
        let uses = edge_uses(triangles);
        // Neighbours over edges of exactly two triangles, and whether they agree.
        let mut across = vec![[(NONE, true); 3]; triangles.len()];
        for group in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [(_, _, s, i, up), (_, _, t, k, other)] = group {
                across[*s as usize][*i as usize] = (*t, up != other);
                across[*t as usize][*k as usize] = (*s, up != other);
            }
        }
        let mut turn: Vec<Option<bool>> = vec![None; triangles.len()];
        for start in 0..triangles.len() {
            if turn[start].is_some() {
                continue;
            }
            turn[start] = Some(false);
            let mut part = vec![start];
            let mut next = 0;
            while let Some(&t) = part.get(next) {
                next += 1;
                let own = turn[t].unwrap_or(false);
                for &(s, agrees) in &across[t] {
                    if s != NONE && turn[s as usize].is_none() {
                        turn[s as usize] = Some(own == agrees);
                        part.push(s as usize);
                    }
                }
            }
            let wrong = part.iter().filter(|&&t| turn[t] == Some(true)).count();
            let reverse = 2 * wrong > part.len();
            for &t in &part {
                if turn[t] == Some(!reverse) {
                    triangles[t].swap(1, 2);
                }
            }
        }
        let agreed = Self::new(self.vertices().to_vec(), triangles.to_vec())?;
        let parts = Parts::new(&agreed);
        let inward: Vec<bool> = parts
            .nested(&agreed)
            .iter()
            .zip(&parts.volumes)
            .map(|(depth, volume)| *volume < 0.0 && depth.is_some_and(|depth| depth % 2 == 0))
            .collect();
        for (corners, part) in triangles.iter_mut().zip(&parts.part) {
            if inward[*part as usize] {
                corners.swap(1, 2);
            }
        }
        Ok(triangles.iter().zip(&before).filter(|(now, before)| now != before).count())
    }
}

/// Drops triangles that are there already, with the same corners in the same sense.
fn without_doubles(triangles: &mut Vec<[u32; 3]>) {
    // Begun at the lowest corner.
    let key =
        |&[a, b, c]: &[u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or([a, b, c]);
    let mut order: Vec<([u32; 3], usize)> = triangles.iter().map(key).zip(0..).collect();
    order.sort_unstable();
    let mut keep = vec![true; triangles.len()];
    for pair in order.windows(2) {
        keep[pair[1].1] = pair[0].0 != pair[1].0;
    }
    let mut keep = keep.into_iter();
    triangles.retain(|_| keep.next().unwrap_or(true));
}

/// Only the vertices that triangles use, in their order.
pub(crate) fn compact(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let mut number = vec![0; vertices.len()];
    let mut kept = Vec::new();
    for (vertex, place) in vertices.iter().enumerate() {
        if used[vertex] {
            number[vertex] = kept.len() as u32;
            kept.push(*place);
        }
    }
    (kept, triangles.iter().map(|corners| corners.map(|vertex| number[vertex as usize])).collect())
}

#[cfg(test)]
mod tests {
    use crate::{Adjacency, make};

    /// H-R3: in a closed mesh every fan goes round its vertex, each triangle next to the one before.
    #[test]
    fn fans_go_round() {
        let mesh = make::torus(1.0, 0.3, 12, 8);
        let adjacency = Adjacency::new(&mesh);
        for vertex in 0..mesh.vertices().len() {
            let fan = adjacency.fan(vertex);
            for i in 0..fan.len() {
                let next = fan[(i + 1) % fan.len()];
                let place = mesh.triangles()[fan[i] as usize].iter().position(|&v| v as usize == vertex);
                assert_eq!(adjacency.across[fan[i] as usize][(place.unwrap_or(9) + 2) % 3], next);
            }
        }
    }
}
