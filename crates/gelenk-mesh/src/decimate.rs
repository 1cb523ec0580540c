//! Coarser meshes: edges shrink to points, the least important first.

use crate::repair::compact;
use crate::vector::{V3, add, dot, doubled_area, norm, scale, sub, unit};
use crate::{MeshError, TriMesh};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Triangles of all meshes of a model that are drawn; beyond that, coarser copies are drawn.
pub const MOST_DRAWN: usize = 200_000;
/// Triangles of a mesh that are not reduced any further.
const SMALL: usize = 500;

/// How many triangles each of several meshes may keep, so that all together have at most [`MOST_DRAWN`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Triangles of all of them before.
    pub all: usize,
    /// Share that stays of what a mesh has beyond the triangles that every mesh may keep.
    share: f64,
}

impl Budget {
    /// For meshes with these numbers of triangles.
    pub fn of(counts: impl IntoIterator<Item = usize>) -> Self {
        let (mut all, mut small) = (0, 0);
        for count in counts {
            all += count;
            small += count.min(SMALL);
        }
        let share = MOST_DRAWN.saturating_sub(small) as f64 / (all - small).max(1) as f64;
        Self { all, share }
    }

    /// Whether meshes are reduced.
    pub fn is_exceeded(&self) -> bool {
        self.all > MOST_DRAWN
    }

    /// The triangles that a mesh of `count` may keep; `None` where it stays as it is.
    pub fn target(&self, count: usize) -> Option<usize> {
        let reduced = self.is_exceeded() && count > SMALL;
        reduced.then(|| SMALL + ((count - SMALL) as f64 * self.share) as usize)
    }
}

/// Sum of squared distances to planes `n . x + m = 0`: upper half of the symmetric matrix of `[n, m]`.
#[derive(Clone, Copy, Default)]
struct Quadric([f64; 10]);

impl Quadric {
    fn plane(normal: V3, at: V3, weight: f64) -> Self {
        let [a, b, c] = normal;
        let d = -dot(normal, at);
        Self([a * a, a * b, a * c, a * d, b * b, b * c, b * d, c * c, c * d, d * d].map(|x| x * weight))
    }

    fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    fn at(&self, [x, y, z]: V3) -> f64 {
        let q = &self.0;
        q[0] * x * x
            + 2.0 * (q[1] * x * y + q[2] * x * z + q[3] * x)
            + q[4] * y * y
            + 2.0 * (q[5] * y * z + q[6] * y)
            + q[7] * z * z
            + 2.0 * q[8] * z
            + q[9]
    }

    /// The place with the least sum, where it is one.
    fn lowest(&self) -> Option<V3> {
        let q = &self.0;
        let [r0, r1, r2] = [[q[0], q[1], q[2]], [q[1], q[4], q[5]], [q[2], q[5], q[7]]];
        let minors =
            [r1[1] * r2[2] - r1[2] * r2[1], r1[2] * r2[0] - r1[0] * r2[2], r1[0] * r2[1] - r1[1] * r2[0]];
        let det = dot(r0, minors);
        let size = q[0] + q[4] + q[7];
        if det.abs() < 1e-6 * size.powi(3) {
            return None;
        }
        let b = [-q[3], -q[6], -q[8]];
        let solve = |k: usize| {
            let mut rows = [r0, r1, r2];
            (0..3).for_each(|i| rows[i][k] = b[i]);
            dot(rows[0], crate::vector::cross(rows[1], rows[2])) / det
        };
        Some([solve(0), solve(1), solve(2)])
    }
}

/// A cost as a number that sorts: costs are not negative.
fn key(cost: f64) -> u64 {
    cost.max(0.0).to_bits()
}

impl TriMesh {
    /// A mesh of about `target` triangles that stays close to this one (quadric error metric of Garland and Heckbert
    /// 1997: every edge goes to the point that is nearest to the planes of the triangles it stands for). Borders stay,
    /// and no triangle is turned over. Fewer triangles than the shape needs are not reached.
    ///
    /// # Errors
    /// A mesh without triangles.
    pub fn decimated(&self, target: usize) -> Result<Self, MeshError> {
        let start = self.welded()?;
        if start.triangles().is_empty() {
            return Err(MeshError::Empty);
        }
        let mut work = Work::new(&start);
        let mut left = start.triangles().len();
        while left > target.max(4) {
            let Some(Reverse((_, a, b, stamp))) = work.queue.pop() else { break };
            let (a, b) = (a as usize, b as usize);
            // An entry is old as soon as one of its ends has moved.
            if work.gone[a] || work.gone[b] || stamp != work.stamp[a] + work.stamp[b] {
                continue;
            }
            left -= work.collapse(a, b);
        }
        let alive = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let triangles: Vec<[u32; 3]> = work.triangles.into_iter().filter(alive).collect();
        let (vertices, triangles) = compact(&work.places, &triangles);
        Self::new(vertices, triangles)
    }
}

struct Work {
    places: Vec<V3>,
    triangles: Vec<[u32; 3]>,
    around: Vec<BTreeSet<u32>>,
    quadrics: Vec<Quadric>,
    border: Vec<bool>,
    gone: Vec<bool>,
    stamp: Vec<u64>,
    queue: BinaryHeap<Reverse<(u64, u32, u32, u64)>>,
}

impl Work {
    fn new(mesh: &TriMesh) -> Self {
        let n = mesh.vertices().len();
        let mut work = Self {
            places: mesh.vertices().to_vec(),
            triangles: mesh.triangles().to_vec(),
            around: vec![BTreeSet::new(); n],
            quadrics: vec![Quadric::default(); n],
            border: vec![false; n],
            gone: vec![false; n],
            stamp: vec![0; n],
            queue: BinaryHeap::new(),
        };
        for (t, corners) in mesh.corners().enumerate() {
            let doubled = doubled_area(corners);
            let plane = unit(doubled).map(|normal| Quadric::plane(normal, corners[0], norm(doubled)));
            for &vertex in &mesh.triangles()[t] {
                let slot = &mut work.quadrics[vertex as usize];
                *slot = slot.plus(plane.unwrap_or_default());
                work.around[vertex as usize].insert(t as u32);
            }
        }
        let uses = crate::adjacency::edge_uses(mesh.triangles());
        for group in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (a, b, ..) = group[0];
            if group.len() != 2 {
                work.border[a as usize] = true;
                work.border[b as usize] = true;
            }
        }
        for group in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            work.offer(group[0].0 as usize, group[0].1 as usize);
        }
        work
    }

    /// Where an edge would go, and at what cost.
    fn goal(&self, a: usize, b: usize) -> (f64, V3) {
        let sum = self.quadrics[a].plus(self.quadrics[b]);
        let (p, q) = (self.places[a], self.places[b]);
        let length = norm(sub(q, p));
        let middle = scale(add(p, q), 0.5);
        let near = |place: &V3| norm(sub(*place, middle)) <= 2.0 * length;
        let mut best = (f64::INFINITY, middle);
        for place in [sum.lowest().filter(near), Some(middle), Some(p), Some(q)].into_iter().flatten() {
            let cost = sum.at(place).max(0.0);
            if cost < best.0 {
                best = (cost, place);
            }
        }
        // Flat regions cost nothing anywhere; short edges go first there.
        (best.0 + 1e-9 * length * length * length * length, best.1)
    }

    fn offer(&mut self, a: usize, b: usize) {
        if !self.border[a] && !self.border[b] {
            let (cost, _) = self.goal(a, b);
            let (low, high) = (a.min(b), a.max(b));
            self.queue.push(Reverse((key(cost), low as u32, high as u32, self.stamp[a] + self.stamp[b])));
        }
    }

    fn neighbours(&self, vertex: usize) -> BTreeSet<u32> {
        let corners = self.around[vertex].iter().flat_map(|&t| self.triangles[t as usize]);
        corners.filter(|&corner| corner as usize != vertex).collect()
    }

    /// Shrinks an edge to a point if the surface stays a manifold and no triangle turns over; returns the triangles
    /// that went.
    fn collapse(&mut self, a: usize, b: usize) -> usize {
        let (near_a, near_b) = (self.neighbours(a), self.neighbours(b));
        let shared: Vec<u32> = self.around[a].intersection(&self.around[b]).copied().collect();
        if shared.len() != 2 || near_a.intersection(&near_b).count() != 2 {
            return 0;
        }
        let (_, place) = self.goal(a, b);
        for &vertex in &[a, b] {
            for &t in self.around[vertex].iter().filter(|t| !shared.contains(t)) {
                let before = self.triangles[t as usize].map(|corner| self.places[corner as usize]);
                let after = self.triangles[t as usize].map(|corner| {
                    if corner as usize == vertex { place } else { self.places[corner as usize] }
                });
                let (old, new) = (doubled_area(before), doubled_area(after));
                if dot(old, new) <= 0.2 * norm(old) * norm(new) || crate::check::is_sliver(after) {
                    return 0;
                }
            }
        }
        self.places[a] = place;
        self.quadrics[a] = self.quadrics[a].plus(self.quadrics[b]);
        self.gone[b] = true;
        self.stamp[a] += self.stamp[b] + 1;
        let moved: Vec<u32> = self.around[b].iter().copied().collect();
        for t in moved {
            for corner in &mut self.triangles[t as usize] {
                if *corner as usize == b {
                    *corner = a as u32;
                }
            }
            self.around[a].insert(t);
        }
        for &t in &shared {
            let corners = self.triangles[t as usize];
            corners.iter().for_each(|&corner| {
                self.around[corner as usize].remove(&t);
            });
            self.triangles[t as usize] = [0; 3];
        }
        for neighbour in self.neighbours(a) {
            self.offer(a, neighbour as usize);
        }
        shared.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 150,000 and 250,000 with one of 100: the small one stays, the others keep 199,900 together.
    #[test]
    fn meshes_share_a_budget() {
        let counts = [150_000, 250_000, 100];
        let budget = Budget::of(counts);
        assert!(budget.is_exceeded() && budget.all == 400_100);
        let kept = counts.map(|count| budget.target(count).unwrap_or(count));
        assert!((MOST_DRAWN - 2..=MOST_DRAWN).contains(&kept.iter().sum()), "{kept:?}");
        assert_eq!((kept[2], Budget::of([MOST_DRAWN]).target(MOST_DRAWN)), (100, None));
    }
}
