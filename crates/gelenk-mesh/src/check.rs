//! What a mesh is like, and what is wrong with it.

use crate::adjacency::{Adjacency, EdgeUse, edge_uses};
use crate::parts::Parts;
use crate::vector::{V3, cross, dot, doubled_area, norm, sub};
use crate::{MeshError, TriMesh};

/// A triangle counts as degenerate where its height is below this part of its longest edge.
pub const SLIVER: f64 = 1e-9;

/// Vertices of borders count as meant to be one where they are nearer than this part of the shortest edge.
pub const CLOSE: f64 = 1e-3;

/// A kind of mistake, with how often it occurs and where first.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: Mistake,
    /// How often.
    pub count: usize,
    /// Where first.
    pub place: V3,
}

/// Kinds of mistakes, from those that break contact to those that only hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mistake {
    /// Neighbouring triangles that run along their edge in the same direction.
    Orientation,
    /// Edges with more than two triangles.
    NonManifold,
    /// Vertices at the place of an earlier one.
    Duplicates,
    /// Vertices of borders within [`CLOSE`] of another one: they look joined and are not.
    Near,
    /// Triangles without an area.
    Degenerate,
    /// Edges with a triangle on one side only.
    Holes,
    /// Closed components whose triangles face inwards and that are no cavities of others.
    Inward,
    /// Closed components inside others that face the same way: what they enclose counts twice.
    Nested,
    /// Closed components that cut others: what they have in common counts twice.
    Overlapping,
    /// Vertices that no triangle uses.
    Unused,
    /// Vertices at which several fans of triangles touch.
    Pinched,
}

impl Mistake {
    /// What it is, so many times: "3 edges with more than two triangles".
    pub fn describe(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Orientation => (
                "edge whose two triangles have opposite orientation",
                "edges whose two triangles have opposite orientation",
            ),
            Self::NonManifold => ("edge with more than two triangles", "edges with more than two triangles"),
            Self::Duplicates => {
                ("vertex at the position of another one", "vertices at the position of another one")
            }
            Self::Near => (
                "border vertex that almost coincides with another one",
                "border vertices that almost coincide with another one",
            ),
            Self::Degenerate => ("triangle of zero area", "triangles of zero area"),
            Self::Holes => {
                ("edge with a triangle on one side only", "edges with a triangle on one side only")
            }
            Self::Inward => ("closed component that faces inwards", "closed components that face inwards"),
            Self::Nested => (
                "closed component inside another one that faces the same way",
                "closed components inside others that face the same way",
            ),
            Self::Overlapping => (
                "closed component that intersects an earlier one",
                "closed components that intersect earlier ones",
            ),
            Self::Unused => ("vertex that no triangle uses", "vertices that no triangle uses"),
            Self::Pinched => {
                ("vertex where several components meet", "vertices where several components meet")
            }
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// What helps.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Orientation => {
                "`gelenk mesh repair` reverses triangles until all have the same orientation"
            }
            Self::NonManifold => {
                "`gelenk mesh repair` removes duplicate faces; remove inner walls in the program that made the mesh"
            }
            Self::Duplicates => "`gelenk mesh repair` merges them",
            Self::Near => {
                "`gelenk mesh repair --weld DISTANCE` merges them; a hundredth of the shortest edge is a good distance"
            }
            Self::Degenerate => "`gelenk mesh repair` removes them and keeps the surface closed",
            Self::Holes => "an open surface is allowed if nothing reaches its border; otherwise close it",
            Self::Inward => "`gelenk mesh repair` reverses them",
            Self::Nested => {
                "the volume that they enclose would count twice: remove them, or reverse the triangles of those that \
                 are cavities"
            }
            Self::Overlapping => {
                "the volume that they share counts twice: merge them in the program that made the mesh"
            }
            Self::Unused => "`gelenk mesh repair` removes them",
            Self::Pinched => "give each component its own vertex, or move them apart",
        }
    }

    /// Whether forces of contact cannot be trusted with it.
    pub fn is_serious(self) -> bool {
        matches!(self, Self::Orientation | Self::NonManifold | Self::Duplicates | Self::Inward | Self::Nested)
    }
}

/// Size, shape and mistakes of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of edges.
    pub edges: usize,
    /// Parts that hang together over edges, whichever way their triangles run.
    pub components: usize,
    /// Lowest and highest coordinates.
    pub bounds: [V3; 2],
    /// Area (m^2).
    pub area: f64,
    /// Volume (m^3) by the divergence theorem; its sign tells the orientation. Only a closed surface has one.
    pub volume: f64,
    /// Shortest and longest edge (m).
    pub edge_lengths: [f64; 2],
    /// Whether every edge has two triangles that agree.
    pub closed: bool,
    /// Rims of holes: chains of edges with a triangle on one side only.
    pub holes: usize,
    /// Mistakes, the worst first.
    pub findings: Vec<Finding>,
}

impl TriMesh {
    /// Looks at everything that contact and mass properties need. H-R4.
    ///
    /// # Errors
    /// A mesh without triangles.
    pub fn survey(&self) -> Result<Survey, MeshError> {
        let Some(bounds) = self.bounding_box().filter(|_| !self.triangles().is_empty()) else {
            return Err(MeshError::Empty);
        };
        let mut log = Log::default();
        let place = |vertex: u32| self.vertices()[vertex as usize];
        let uses = edge_uses(self.triangles());
        let mut edges = 0;
        let mut lengths = [f64::INFINITY, 0.0];
        let mut closed = true;
        for group in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (a, b, ..) = group[0];
            let length = norm(sub(place(a), place(b)));
            lengths = [lengths[0].min(length), lengths[1].max(length)];
            edges += 1;
            match group {
                [_] => log.note(Mistake::Holes, place(a)),
                [(.., up), (.., other)] if up != other => continue,
                [_, _] => log.note(Mistake::Orientation, place(a)),
                _ => log.note(Mistake::NonManifold, place(a)),
            }
            closed = false;
        }
        let adjacency = Adjacency::new(self);
        let parts = Parts::new(self);
        let (mut area, mut volume) = (0.0, 0.0);
        for corners in self.corners() {
            let doubled = doubled_area(corners);
            area += norm(doubled) / 2.0;
            if is_sliver(corners) {
                log.note(Mistake::Degenerate, corners[0]);
            }
            let [a, b, c] = corners.map(|corner| sub(corner, bounds[0]));
            volume += dot(a, cross(b, c)) / 6.0;
        }
        let overlapping = parts.overlapping(self);
        for (part, inside) in parts.nested(self).into_iter().enumerate() {
            // A cavity faces away from the body around it.
            match inside.map(|depth| (depth % 2, parts.volumes[part] < 0.0)) {
                Some((0, true)) => log.note(Mistake::Inward, parts.first[part]),
                Some((1, false)) if !overlapping.contains(&part) => {
                    log.note(Mistake::Nested, parts.first[part]);
                }
                _ => {}
            }
        }
        for part in overlapping {
            log.note(Mistake::Overlapping, parts.first[part]);
        }
        for vertex in 0..self.vertices().len() {
            let fan = adjacency.fan(vertex);
            if fan.is_empty() {
                log.note(Mistake::Unused, self.vertices()[vertex]);
            } else if self.fans(&adjacency, vertex) > 1 {
                log.note(Mistake::Pinched, self.vertices()[vertex]);
            }
        }
        for (vertex, &twin) in self.duplicates(0.0).iter().enumerate() {
            if twin as usize != vertex {
                log.note(Mistake::Duplicates, self.vertices()[vertex]);
            }
        }
        if log.findings.iter().any(|finding| finding.kind == Mistake::Holes) {
            for vertex in self.near(&uses, CLOSE * lengths[0]) {
                log.note(Mistake::Near, place(vertex));
            }
        }
        // Where neighbours are not joined, every fan falls apart; that is said already.
        if log.findings.iter().any(|f| matches!(f.kind, Mistake::Orientation | Mistake::NonManifold)) {
            log.findings.retain(|finding| finding.kind != Mistake::Pinched);
        }
        log.findings.sort_by_key(|finding| finding.kind);
        Ok(Survey {
            vertices: self.vertices().len(),
            triangles: self.triangles().len(),
            edges,
            components: parts.volumes.len(),
            bounds,
            area,
            volume,
            edge_lengths: lengths,
            closed,
            holes: self.rims(&adjacency, &uses),
            findings: log.findings,
        })
    }

    /// Fans of triangles at a vertex that do not hang together.
    fn fans(&self, adjacency: &Adjacency, vertex: usize) -> usize {
        let fan = adjacency.fan(vertex);
        let joined = |pair: &[u32]| adjacency.across[pair[0] as usize].contains(&pair[1]);
        1 + fan.windows(2).filter(|pair| !joined(pair)).count()
    }

    /// Vertices of borders that are nearer to another vertex than a distance, and not at its place.
    fn near(&self, uses: &[EdgeUse], distance: f64) -> Vec<u32> {
        let mut border = vec![false; self.vertices().len()];
        for edge in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [(a, b, ..)] = edge {
                (border[*a as usize], border[*b as usize]) = (true, true);
            }
        }
        let twins = self.duplicates(distance).into_iter().zip(self.duplicates(0.0));
        let close = |(vertex, (near, same)): (usize, (u32, u32))| {
            (near != same && border[vertex]).then_some(vertex as u32)
        };
        twins.enumerate().filter_map(close).collect()
    }

    /// Rims of holes: chains of border edges, closed where the surface is a manifold.
    fn rims(&self, adjacency: &Adjacency, uses: &[EdgeUse]) -> usize {
        // Edges that triangles disagree about, or that have too many, are no borders.
        let mut seen = vec![[true; 3]; self.triangles().len()];
        for edge in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [(.., t, k, _)] = edge {
                seen[*t as usize][*k as usize] = false;
            }
        }
        // Border edges by the vertex where they begin, in the order of its fan, and how many of them are done with: each is
        // looked at once, however many meet in a vertex.
        let mut free: Vec<Vec<(u32, usize)>> = vec![Vec::new(); self.vertices().len()];
        for (vertex, begin) in free.iter_mut().enumerate() {
            let edges = adjacency.fan(vertex).iter().filter_map(|&t| {
                let corners = self.triangles()[t as usize];
                Some((t, corners.iter().position(|&corner| corner as usize == vertex)?))
            });
            begin.extend(edges.filter(|&(t, k)| !seen[t as usize][k]));
            // The next one is taken from the end.
            begin.reverse();
        }
        let mut rims = 0;
        for start in (0..self.triangles().len()).flat_map(|t| (0..3).map(move |k| (t, k))) {
            if seen[start.0][start.1] {
                continue;
            }
            rims += 1;
            let (mut t, mut k) = start;
            while !seen[t][k] {
                seen[t][k] = true;
                let end = self.triangles()[t][(k + 1) % 3] as usize;
                // The next border edge that begins where this one ends.
                while let Some((s, i)) = free[end].pop() {
                    if !seen[s as usize][i] {
                        (t, k) = (s as usize, i);
                        break;
                    }
                }
            }
        }
        rims
    }
}

/// Whether a triangle has no area to speak of.
pub(crate) fn is_sliver(corners: [V3; 3]) -> bool {
    let [a, b, c] = corners;
    let longest = norm(sub(b, a)).max(norm(sub(c, b))).max(norm(sub(a, c)));
    let doubled = norm(doubled_area(corners));
    doubled.is_nan() || doubled <= SLIVER * longest * longest
}

#[derive(Default)]
struct Log {
    findings: Vec<Finding>,
}

impl Log {
    fn note(&mut self, kind: Mistake, place: V3) {
        match self.findings.iter_mut().find(|finding| finding.kind == kind) {
            Some(finding) => finding.count += 1,
            None => self.findings.push(Finding { kind, count: 1, place }),
        }
    }
}
