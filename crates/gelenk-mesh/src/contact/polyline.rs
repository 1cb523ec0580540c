//! Segments joined to closed lines.

use super::detect::{End, Placement, Search, Segment};
use super::surface::Surface;
use crate::adjacency::NONE;
use crate::vector::{V3, add, dot, scale, sub};

/// A line along which two surfaces cut each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polyline {
    /// Its first segment; the others follow by [`Lines::next`].
    pub first: u32,
    /// Number of segments.
    pub segments: u32,
    /// Whether its end is its beginning. An open line ends at the border of a mesh.
    pub closed: bool,
}

/// Segments in order and the lines that they form.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Segments, ordered by their triangles, so that nothing depends on the order in which they were found.
    pub segments: Vec<Segment>,
    /// Where every segment begins, in the frame of the first surface (m).
    pub points: Vec<V3>,
    /// Where along the edge it begins, from its vertex with the lower number: 0 to 1.
    pub shares: Vec<f64>,
    /// The segment that follows; [`NONE`] at the end of an open line.
    pub next: Vec<u32>,
    /// The line of every segment.
    pub line: Vec<u32>,
    /// The lines.
    pub lines: Vec<Polyline>,
    followed: Vec<bool>,
}

impl Lines {
    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.segments.clear();
        self.points.clear();
        self.shares.clear();
        self.next.clear();
        self.line.clear();
        self.lines.clear();
    }

    /// Joins the segments of a search. H-R15, H-R16, H-R19.
    ///
    /// A segment ends where an edge of one surface pierces a triangle of the other; the next one lies in the triangle
    /// beyond that edge. Because the signs behind it are exact, it is always there, and no tolerance is needed; only the
    /// border of a mesh leaves a line open.
    pub fn join(&mut self, first: &Surface, second: &Surface, placement: &Placement, search: &mut Search) {
        self.segments.clear();
        self.segments.extend_from_slice(&search.segments);
        self.segments.sort_unstable_by_key(|segment| (segment.first, segment.second));
        let n = self.segments.len();
        self.points.clear();
        self.shares.clear();
        self.next.clear();
        self.line.clear();
        self.line.resize(n, NONE);
        self.lines.clear();
        self.followed.clear();
        self.followed.resize(n, false);
        for i in 0..n {
            let segment = self.segments[i];
            let (share, point) = place(first, second, placement, search, &segment, segment.start);
            self.points.push(point);
            self.shares.push(share);
            let key = beyond(first, second, &segment);
            let found = key.and_then(|key| {
                self.segments.binary_search_by_key(&key, |segment| (segment.first, segment.second)).ok()
            });
            self.next.push(found.map_or(NONE, |next| next as u32));
            if let Some(next) = found {
                self.followed[next] = true;
            }
        }
        // Open lines first, from their beginnings; what is left goes round.
        for open in [true, false] {
            for start in 0..n {
                if self.line[start] != NONE || (open && self.followed[start]) {
                    continue;
                }
                let own = self.lines.len() as u32;
                let (mut at, mut count) = (start as u32, 0);
                while at != NONE && self.line[at as usize] == NONE {
                    self.line[at as usize] = own;
                    count += 1;
                    at = self.next[at as usize];
                }
                self.lines.push(Polyline {
                    first: start as u32,
                    segments: count,
                    closed: at == start as u32,
                });
            }
        }
    }

    /// The points of a line in order, without the last one of an open line.
    pub fn points_of(&self, line: &Polyline) -> impl Iterator<Item = V3> {
        let start = line.first;
        std::iter::successors(Some(start), |&at| Some(self.next[at as usize]).filter(|next| *next != NONE))
            .take(line.segments as usize)
            .map(|at| self.points[at as usize])
    }
}

/// The pair of triangles beyond the end of a segment.
fn beyond(first: &Surface, second: &Surface, segment: &Segment) -> Option<(u32, u32)> {
    let End { second: of_second, edge } = segment.end;
    let key = if of_second {
        (segment.first, second.adjacency().across[segment.second as usize][edge as usize])
    } else {
        (first.adjacency().across[segment.first as usize][edge as usize], segment.second)
    };
    (key.0 != NONE && key.1 != NONE).then_some(key)
}

/// Where an edge of one surface pierces the plane of the triangle of the other: the share of its way from the vertex with
/// the lower number, and the place in the frame of the first surface.
pub(crate) fn place(
    first: &Surface,
    second: &Surface,
    placement: &Placement,
    search: &mut Search,
    segment: &Segment,
    end: End,
) -> (f64, V3) {
    let f = search.second_corners(second, placement, segment.second);
    let e = first.corners(segment.first);
    let k = end.edge as usize;
    let (corners, numbers, normal, on) = if end.second {
        let normal = first.normals()[segment.first as usize];
        (f, second.mesh().triangles()[segment.second as usize], normal, e[0])
    } else {
        let normal = placement.turn(second.normals()[segment.second as usize]);
        (e, first.mesh().triangles()[segment.first as usize], normal, f[0])
    };
    let (mut p, mut q) = (corners[k], corners[(k + 1) % 3]);
    // The same numbers in the same order from both sides of the edge.
    if numbers[k] > numbers[(k + 1) % 3] {
        std::mem::swap(&mut p, &mut q);
    }
    let (a, b) = (dot(normal, sub(p, on)), dot(normal, sub(q, on)));
    let share = a / (a - b);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
    (share, add(p, scale(sub(q, p), share)))
}
