//! What of each surface lies inside the other, and which lines bound one overlap.

use super::detect::{End, Placement, Search};
use super::polyline::{Lines, place};
use super::surface::Surface;
use crate::adjacency::NONE;

/// A line crosses an edge of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    /// Vertices of the edge, the lower number first.
    edge: (u32, u32),
    /// How far along, from the first of them.
    share: f64,
    /// Whether that way leads inside the other surface.
    enters: bool,
    line: u32,
}

/// An active triangle: it lies at least partly inside the other surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Active {
    /// The triangle.
    pub triangle: u32,
    /// The region it belongs to; a triangle that two regions cut stands here twice.
    pub region: u32,
}

/// One of the two surfaces.
#[derive(Clone, Debug, Default)]
struct Side {
    crossings: Vec<Crossing>,
    /// Round in which a triangle was cut, and in which a vertex was found inside, with a line of its patch.
    cut: Vec<u64>,
    inside: Vec<u64>,
    label: Vec<u32>,
    /// Vertices inside.
    vertices: Vec<u32>,
    active: Vec<Active>,
}

/// Active triangles of both surfaces and the regions that they form.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    sides: [Side; 2],
    round: u64,
    stack: Vec<u32>,
    /// Region of every line.
    region: Vec<u32>,
    parents: Vec<u32>,
    count: usize,
}

impl Regions {
    /// Finds active triangles and regions by the neighbours of the triangles that the lines cut. H-R17, H-R18.
    ///
    /// Along an edge that lines cross, inside and outside alternate; vertices inside are known from there, and all that
    /// are joined to them by edges without crossings are inside, too. Lines that such a patch touches bound one region,
    /// on either surface.
    pub fn find(
        &mut self,
        first: &Surface,
        second: &Surface,
        placement: &Placement,
        search: &mut Search,
        lines: &Lines,
    ) {
        self.round += 1;
        self.parents.clear();
        self.parents.extend(0..lines.lines.len() as u32);
        self.cross(first, second, placement, search, lines);
        for (n, surface) in [first, second].into_iter().enumerate() {
            self.alternate(n);
            self.flood(n, surface);
            self.enclosed(n, surface, lines, placement);
        }
        // Regions are numbered by their first line.
        self.region.clear();
        self.count = 0;
        for line in 0..self.parents.len() as u32 {
            let root = find(&self.parents, line);
            if root == line {
                self.region.push(self.count as u32);
                self.count += 1;
            } else {
                let known = self.region[root as usize];
                self.region.push(known);
            }
        }
        for (n, surface) in [first, second].into_iter().enumerate() {
            self.activate(n, surface, lines);
        }
    }

    /// Forgets all regions.
    pub fn clear(&mut self) {
        self.region.clear();
        self.count = 0;
        for side in &mut self.sides {
            side.active.clear();
            side.vertices.clear();
        }
    }

    /// Number of regions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The region that a line bounds.
    pub fn region_of(&self, line: usize) -> usize {
        self.region[line] as usize
    }

    /// Active triangles of the first (0) or second (1) surface, in order.
    pub fn active(&self, side: usize) -> &[Active] {
        &self.sides[side].active
    }

    /// Vertices of a surface that lie inside the other one, in the order in which they were found.
    pub fn inside(&self, side: usize) -> &[u32] {
        &self.sides[side].vertices
    }

    /// Collects where lines cross edges.
    fn cross(
        &mut self,
        first: &Surface,
        second: &Surface,
        placement: &Placement,
        search: &mut Search,
        lines: &Lines,
    ) {
        let surfaces = [first, second];
        for (side, surface) in self.sides.iter_mut().zip(surfaces) {
            side.crossings.clear();
            side.vertices.clear();
            side.active.clear();
            side.cut.resize(surface.areas().len(), 0);
            side.inside.resize(surface.mesh().vertices().len(), 0);
            side.label.resize(surface.mesh().vertices().len(), NONE);
        }
        for (i, segment) in lines.segments.iter().enumerate() {
            let triangles = [segment.first, segment.second];
            for n in 0..2 {
                self.sides[n].cut[triangles[n] as usize] = self.round;
            }
            let add = |sides: &mut [Side; 2], end: End, share: f64, starts: bool| {
                let n = usize::from(end.second);
                let corners = surfaces[n].mesh().triangles()[triangles[n] as usize];
                let (a, b) = (corners[end.edge as usize], corners[(end.edge as usize + 1) % 3]);
                // A line begins in a triangle of the first surface where its edge goes outwards, of the second inwards;
                // at its end it is the other way round.
                let inwards = end.second == starts;
                let crossing = Crossing {
                    edge: (a.min(b), a.max(b)),
                    share,
                    enters: inwards == (a < b),
                    line: lines.line[i],
                };
                sides[n].crossings.push(crossing);
            };
            add(&mut self.sides, segment.start, lines.shares[i], true);
            if lines.next[i] == NONE {
                let (share, _) = place(first, second, placement, search, segment, segment.end);
                add(&mut self.sides, segment.end, share, false);
            }
        }
    }

    /// Orders the crossings of every edge and finds out which vertices are inside.
    fn alternate(&mut self, n: usize) {
        let round = self.round;
        let Side { crossings, inside, label, vertices, .. } = &mut self.sides[n];
        crossings.sort_unstable_by(|a, b| {
            a.edge.cmp(&b.edge).then(a.share.total_cmp(&b.share)).then(a.line.cmp(&b.line))
        });
        let mut mark = |vertex: u32, line: u32, parents: &mut [u32]| {
            let slot = vertex as usize;
            if inside[slot] == round {
                join(parents, label[slot], line);
            } else {
                inside[slot] = round;
                label[slot] = line;
                vertices.push(vertex);
            }
        };
        for group in crossings.chunk_by_mut(|a, b| a.edge == b.edge) {
            let (low, high) = group[0].edge;
            let entering = group.iter().filter(|crossing| crossing.enters).count();
            let leaving = group.len() - entering;
            let from_inside = if entering == leaving { !group[0].enters } else { leaving > entering };
            // Crossings closer than rounding may stand the wrong way round.
            let mut within = from_inside;
            for i in 0..group.len() {
                if group[i].enters == within
                    && let Some(k) = (i + 1..group.len()).find(|&k| group[k].enters != within)
                {
                    group.swap(i, k);
                }
                within = group[i].enters;
                if within && i + 1 < group.len() {
                    join(&mut self.parents, group[i].line, group[i + 1].line);
                }
            }
            if from_inside {
                mark(low, group[0].line, &mut self.parents);
            }
            if within && let Some(last) = group.last() {
                mark(high, last.line, &mut self.parents);
            }
        }
    }

    /// Follows edges without crossings from vertices inside.
    fn flood(&mut self, n: usize, surface: &Surface) {
        let round = self.round;
        let Side { crossings, cut, inside, label, vertices, .. } = &mut self.sides[n];
        self.stack.clear();
        self.stack.extend_from_slice(vertices);
        while let Some(vertex) = self.stack.pop() {
            let own = label[vertex as usize];
            for &triangle in surface.adjacency().fan(vertex as usize) {
                for &other in &surface.mesh().triangles()[triangle as usize] {
                    if other == vertex {
                        continue;
                    }
                    let edge = (vertex.min(other), vertex.max(other));
                    // Only edges of triangles that are cut can be crossed.
                    if cut[triangle as usize] == round
                        && crossings.binary_search_by(|crossing| crossing.edge.cmp(&edge)).is_ok()
                    {
                        continue;
                    }
                    if inside[other as usize] == round {
                        join(&mut self.parents, label[other as usize], own);
                    } else {
                        inside[other as usize] = round;
                        label[other as usize] = own;
                        vertices.push(other);
                        self.stack.push(other);
                    }
                }
            }
        }
    }

    /// Lines that go round within one triangle and leave a hole in the patch there bound the region of the nearest
    /// other line in that triangle, or of its nearest corner inside.
    fn enclosed(&mut self, n: usize, surface: &Surface, lines: &Lines, placement: &Placement) {
        let triangle_of = |segment: &super::Segment| if n == 0 { segment.first } else { segment.second };
        for (own, line) in lines.lines.iter().enumerate() {
            let start = line.first as usize;
            let triangle = triangle_of(&lines.segments[start]);
            if !line.closed {
                continue;
            }
            let mut at = start;
            let mut within = true;
            for _ in 0..line.segments {
                within &= triangle_of(&lines.segments[at]) == triangle;
                at = lines.next[at] as usize;
            }
            if !within {
                continue;
            }
            let normal = surface.normals()[triangle as usize];
            let normal = if n == 0 { normal } else { placement.turn(normal) };
            if turns_left(lines, line, normal) == (n == 0) {
                continue;
            }
            // The point of the triangle's other lines that is nearest to this one.
            let from = lines.points[start];
            let mut best = (f64::INFINITY, None);
            for (i, segment) in lines.segments.iter().enumerate() {
                if triangle_of(segment) == triangle && lines.line[i] as usize != own {
                    let gap = crate::vector::sub(lines.points[i], from);
                    let distance = crate::vector::dot(gap, gap);
                    if distance < best.0 {
                        best = (distance, Some(lines.line[i]));
                    }
                }
            }
            let corners = surface.mesh().triangles()[triangle as usize];
            let side = &self.sides[n];
            let corner = corners.iter().find(|&&v| side.inside[v as usize] == self.round);
            if let Some(other) = best.1.or(corner.map(|&v| side.label[v as usize])) {
                join(&mut self.parents, own as u32, other);
            }
        }
    }

    /// Lists the triangles that are cut or have a corner inside.
    fn activate(&mut self, n: usize, surface: &Surface, lines: &Lines) {
        let side = &mut self.sides[n];
        for (i, segment) in lines.segments.iter().enumerate() {
            let triangle = if n == 0 { segment.first } else { segment.second };
            side.active.push(Active { triangle, region: self.region[lines.line[i] as usize] });
        }
        for &vertex in &side.vertices {
            let region = self.region[find(&self.parents, side.label[vertex as usize]) as usize];
            for &triangle in surface.adjacency().fan(vertex as usize) {
                side.active.push(Active { triangle, region });
            }
        }
        side.active.sort_unstable();
        side.active.dedup();
    }
}

/// Whether a closed line turns left, seen against the normal.
fn turns_left(lines: &Lines, line: &super::Polyline, normal: crate::vector::V3) -> bool {
    use crate::vector::{add, cross, dot, sub};
    let origin = lines.points[line.first as usize];
    let mut at = line.first as usize;
    let mut area = [0.0; 3];
    for _ in 0..line.segments {
        let next = lines.next[at] as usize;
        area = add(area, cross(sub(lines.points[at], origin), sub(lines.points[next], origin)));
        at = next;
    }
    dot(area, normal) > 0.0
}

fn find(parents: &[u32], mut line: u32) -> u32 {
    while parents[line as usize] != line {
        line = parents[line as usize];
    }
    line
}

/// Joins two lines; the lower number stays the root.
fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}
