//! Parts of a mesh that do not hang together, and which of them lie inside others.

use crate::TriMesh;
use crate::adjacency::edge_uses;
use crate::contact::{Detection, Placement, Search, Surface};
use crate::vector::{V3, cross, dot, norm, sub};

/// Share of its size by which a part must reach into another one to cut it.
const TOUCH: f64 = 1e-6;

/// Parts that hang together over edges, whichever way their triangles run.
pub(crate) struct Parts {
    /// Part of every triangle.
    pub part: Vec<u32>,
    /// Signed volume of every part (m^3); it means something where the part is closed.
    pub volumes: Vec<f64>,
    /// Whether every edge of a part has two triangles that agree.
    pub closed: Vec<bool>,
    /// A corner of every part.
    pub first: Vec<V3>,
    bounds: Vec<[V3; 2]>,
}

impl Parts {
    /// The parts of a mesh.
    pub(crate) fn new(mesh: &TriMesh) -> Self {
        let triangles = mesh.triangles();
        let uses = edge_uses(triangles);
        let mut parent: Vec<u32> = (0..triangles.len() as u32).collect();
        for edge in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for pair in edge.windows(2) {
                let (s, t) = (root(&mut parent, pair[0].2), root(&mut parent, pair[1].2));
                parent[s.max(t) as usize] = s.min(t);
            }
        }
        // The lowest triangle of a part is its root, so parts are numbered in the order of the triangles.
        let mut number = vec![0; triangles.len()];
        let mut part = Vec::with_capacity(triangles.len());
        let (mut volumes, mut first, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
        for (t, corners) in mesh.corners().enumerate() {
            let top = root(&mut parent, t as u32) as usize;
            if top == t {
                number[t] = volumes.len() as u32;
                volumes.push(0.0);
                first.push(corners[0]);
                bounds.push([corners[0]; 2]);
            }
            let own = number[top];
            part.push(own);
            // About a corner of the part itself: less is lost where it lies far away.
            let [a, b, c] = corners.map(|corner| sub(corner, first[own as usize]));
            volumes[own as usize] += dot(a, cross(b, c)) / 6.0;
            let [low, high]: &mut [V3; 2] = &mut bounds[own as usize];
            for corner in corners {
                for k in 0..3 {
                    low[k] = low[k].min(corner[k]);
                    high[k] = high[k].max(corner[k]);
                }
            }
        }
        let mut closed = vec![true; volumes.len()];
        for edge in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let agree = matches!(edge, [(.., up), (.., other)] if up != other);
            if !agree {
                closed[part[edge[0].2 as usize] as usize] = false;
            }
        }
        Self { part, volumes, closed, first, bounds }
    }

    /// For every closed part the number of other closed parts that it lies in; `None` for open ones.
    pub(crate) fn nested(&self, mesh: &TriMesh) -> Vec<Option<usize>> {
        let depth = |part: usize| {
            if !self.closed[part] {
                return None;
            }
            let place = self.first[part];
            let around = |other: &usize| {
                let [low, high] = self.bounds[*other];
                *other != part
                    && self.closed[*other]
                    && (0..3).all(|k| low[k] <= place[k] && place[k] <= high[k])
                    && self.winding(mesh, *other, place).abs() > 0.5
            };
            Some((0..self.volumes.len()).filter(around).count())
        };
        (0..self.volumes.len()).map(depth).collect()
    }

    /// Closed parts that cut an earlier closed one.
    pub(crate) fn overlapping(&self, mesh: &TriMesh) -> Vec<usize> {
        let near = |a: usize, b: usize| {
            let ([low, high], [floor, top]) = (self.bounds[a], self.bounds[b]);
            // Parts that only touch have nothing in common.
            (0..3).all(|k| high[k].min(top[k]) - low[k].max(floor[k]) > TOUCH * (high[k] - low[k]))
        };
        let closed: Vec<usize> = (0..self.volumes.len()).filter(|&part| self.closed[part]).collect();
        let mut surfaces: Vec<Option<Option<Surface>>> = self.volumes.iter().map(|_| None).collect();
        let mut search = Search::default();
        let mut found = Vec::new();
        for (n, &part) in closed.iter().enumerate() {
            let cuts = closed[..n].iter().any(|&other| {
                if !near(part, other) || !near(other, part) {
                    return false;
                }
                for one in [part, other] {
                    surfaces[one].get_or_insert_with(|| Surface::new(&self.alone(mesh, one)?).ok());
                }
                let (Some(Some(one)), Some(Some(two))) = (&surfaces[part], &surfaces[other]) else {
                    return false;
                };
                search.run(one, two, &Placement::IDENTITY, Detection::Modern, true)
            });
            if cuts {
                found.push(part);
            }
        }
        found
    }

    /// A part as a mesh of its own.
    fn alone(&self, mesh: &TriMesh, part: usize) -> Option<TriMesh> {
        let own = mesh.triangles().iter().zip(&self.part).filter(|(_, own)| **own as usize == part);
        let mut corners: Vec<u32> = own.clone().flat_map(|(corners, _)| *corners).collect();
        corners.sort_unstable();
        corners.dedup();
        let number = |corner: &u32| corners.binary_search(corner).unwrap_or(0) as u32;
        let triangles = own.map(|(corners, _)| corners.each_ref().map(number)).collect();
        TriMesh::new(corners.iter().map(|&corner| mesh.vertices()[corner as usize]).collect(), triangles).ok()
    }

    /// How often a part winds around a place: the sum of its solid angles over `4 pi` (van Oosterom and Strackee 1983).
    fn winding(&self, mesh: &TriMesh, part: usize, place: V3) -> f64 {
        let mut sum = 0.0;
        for (corners, own) in mesh.corners().zip(&self.part) {
            if *own as usize == part {
                let [a, b, c] = corners.map(|corner| sub(corner, place));
                let [la, lb, lc] = [norm(a), norm(b), norm(c)];
                let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
                sum += dot(a, cross(b, c)).atan2(below);
            }
        }
        sum / (2.0 * std::f64::consts::PI)
    }
}

fn root(parent: &mut [u32], mut t: u32) -> u32 {
    while parent[t as usize] != t {
        parent[t as usize] = parent[parent[t as usize] as usize];
        t = parent[t as usize];
    }
    t
}
