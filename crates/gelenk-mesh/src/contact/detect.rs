//! Which triangles of two surfaces cut each other, and along which segments.

use super::predicate::{Plane, edges};
use super::surface::Surface;
use super::tree::Node;
use crate::vector::{V3, add, dot, sub};

/// The pose of the second surface in the frame of the first: `p_E = position + rotation p_F`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Rotation `R_EF`, by rows.
    pub rotation: [V3; 3],
    /// Position of the second frame (m).
    pub position: V3,
}

impl Placement {
    /// Both frames coincide.
    pub const IDENTITY: Self =
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], position: [0.0; 3] };

    /// Whether both are the same to the last bit.
    pub fn is_same(&self, other: &Self) -> bool {
        let numbers = |p: &Self| {
            [p.rotation[0], p.rotation[1], p.rotation[2], p.position].map(|row| row.map(f64::to_bits))
        };
        numbers(self) == numbers(other)
    }

    /// A point of the second frame in the first.
    #[inline]
    pub fn point(&self, p: V3) -> V3 {
        add(self.position, self.turn(p))
    }

    /// A direction of the second frame in the first.
    #[inline]
    pub fn turn(&self, p: V3) -> V3 {
        let [x, y, z] = self.rotation;
        [dot(x, p), dot(y, p), dot(z, p)]
    }

    /// A direction of the first frame in the second.
    #[inline]
    pub fn turn_back(&self, p: V3) -> V3 {
        let [x, y, z] = self.rotation;
        [
            x[0] * p[0] + y[0] * p[1] + z[0] * p[2],
            x[1] * p[0] + y[1] * p[1] + z[1] * p[2],
            x[2] * p[0] + y[2] * p[1] + z[2] * p[2],
        ]
    }

    /// A point of the first frame in the second.
    #[inline]
    pub fn point_back(&self, p: V3) -> V3 {
        self.turn_back(sub(p, self.position))
    }
}

/// How boxes are built and compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detection {
    /// Balanced trees, boxes compared along the axes of both surfaces, the larger box opened first.
    #[default]
    Modern,
    /// The tree and the test of the thesis: the second box is replaced by the one around it along the axes of the first
    /// surface, and both boxes are opened at once.
    Thesis,
}

/// An edge of one of the two triangles of a segment, where the segment begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Whether it is an edge of the second surface.
    pub second: bool,
    /// Edge of its triangle.
    pub edge: u8,
}

/// The segment in which two triangles cut each other. Walking along it, the inside of the second surface is on the left
/// of the first, the inside of the first one on the right of the second (hippmann 4.10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Triangle of the first surface.
    pub first: u32,
    /// Triangle of the second surface.
    pub second: u32,
    /// Where it begins.
    pub start: End,
    /// Where it ends.
    pub end: End,
}

/// What a search looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of boxes.
    pub boxes: usize,
    /// Pairs of triangles.
    pub triangles: usize,
}

/// Memory of a search; grows at first use and is then reused.
#[derive(Clone, Debug, Default)]
pub struct Search {
    stack: Vec<(u32, u32)>,
    /// Vertices of the second surface in the frame of the first, where the round says so.
    placed: Vec<V3>,
    rounds: Vec<u64>,
    round: u64,
    /// Segments found.
    pub segments: Vec<Segment>,
    /// What was looked at.
    pub counts: Counts,
}

impl Search {
    /// A corner of a triangle of the second surface in the frame of the first.
    #[inline]
    fn placed(&mut self, second: &Surface, placement: &Placement, vertex: u32) -> V3 {
        let vertex = vertex as usize;
        if self.rounds[vertex] != self.round {
            self.rounds[vertex] = self.round;
            self.placed[vertex] = placement.point(second.mesh().vertices()[vertex]);
        }
        self.placed[vertex]
    }

    /// The corners of a triangle of the second surface in the frame of the first.
    #[inline]
    pub fn second_corners(&mut self, second: &Surface, placement: &Placement, triangle: u32) -> [V3; 3] {
        let [a, b, c] = second.mesh().triangles()[triangle as usize];
        [
            self.placed(second, placement, a),
            self.placed(second, placement, b),
            self.placed(second, placement, c),
        ]
    }

    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.segments.clear();
        self.counts = Counts::default();
    }

    fn begin(&mut self, second: &Surface) {
        let vertices = second.mesh().vertices().len();
        self.placed.resize(vertices, [0.0; 3]);
        self.rounds.resize(vertices, 0);
        self.round += 1;
        self.segments.clear();
        self.stack.clear();
        self.counts = Counts::default();
    }

    /// Finds all segments, or with `detect_only` ends at the first one. Returns whether the surfaces cut each other.
    pub fn run(
        &mut self,
        first: &Surface,
        second: &Surface,
        placement: &Placement,
        detection: Detection,
        detect_only: bool,
    ) -> bool {
        self.begin(second);
        match detection {
            Detection::Modern => self.modern(first, second, placement, detect_only),
            Detection::Thesis => self.thesis(first, second, placement, detect_only),
        }
        !self.segments.is_empty()
    }

    /// Compares all pairs of triangles.
    pub fn brute_force(&mut self, first: &Surface, second: &Surface, placement: &Placement) {
        self.begin(second);
        for e in 0..first.areas().len() as u32 {
            for f in 0..second.areas().len() as u32 {
                self.triangles(first, second, placement, e, f);
            }
        }
    }

    /// Compares two triangles and keeps their segment.
    fn triangles(&mut self, first: &Surface, second: &Surface, placement: &Placement, e: u32, f: u32) {
        self.counts.triangles += 1;
        let b = self.second_corners(second, placement, f);
        if let Some((start, end)) = cut(first.corners(e), b) {
            self.segments.push(Segment { first: e, second: f, start, end });
        }
    }

    fn modern(&mut self, first: &Surface, second: &Surface, placement: &Placement, detect_only: bool) {
        let (a, b) = (first.tree().nodes(), second.tree().nodes());
        let r = &placement.rotation;
        let columns: [V3; 3] = std::array::from_fn(|k| [r[0][k], r[1][k], r[2][k]]);
        let (size, sizes) = (r.map(|row| row.map(f64::abs)), columns.map(|column| column.map(f64::abs)));
        // Rounding of the pose must not lose pairs that touch.
        let far = placement.position.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
        let margin = 1e-13 * (far + reach(&a[0]) + reach(&b[0]));
        self.stack.push((0, 0));
        while let Some((i, k)) = self.stack.pop() {
            let (one, two) = (&a[i as usize], &b[k as usize]);
            self.counts.boxes += 1;
            let gap = sub(placement.point(two.middle), one.middle);
            // Along the axes of the first surface, then along those of the second.
            let apart = gap[0].abs() > one.half[0] + dot(size[0], two.half) + margin
                || gap[1].abs() > one.half[1] + dot(size[1], two.half) + margin
                || gap[2].abs() > one.half[2] + dot(size[2], two.half) + margin
                || dot(columns[0], gap).abs() > two.half[0] + dot(sizes[0], one.half) + margin
                || dot(columns[1], gap).abs() > two.half[1] + dot(sizes[1], one.half) + margin
                || dot(columns[2], gap).abs() > two.half[2] + dot(sizes[2], one.half) + margin;
            if apart || beside(first, second, placement, (one, two), gap, margin) {
                continue;
            }
            match (one.triangle(), two.triangle()) {
                (Some(e), Some(f)) => {
                    self.triangles(first, second, placement, e, f);
                    if detect_only && !self.segments.is_empty() {
                        return;
                    }
                }
                (None, leaf) if leaf.is_some() || bulk(&one.half) > bulk(&two.half) => {
                    let [c, d] = one.children();
                    self.stack.extend([(d, k), (c, k)]);
                }
                _ => {
                    let [c, d] = two.children();
                    self.stack.extend([(i, d), (i, c)]);
                }
            }
        }
    }

    /// H-R9, H-R10: the test and the descent of the thesis.
    fn thesis(&mut self, first: &Surface, second: &Surface, placement: &Placement, detect_only: bool) {
        let (a, b) = (first.thesis_tree().nodes(), second.thesis_tree().nodes());
        let margin = 1e-13 * (first.size() + second.size());
        // Which end of a box of the second surface gives the highest place along an axis of the first depends on the
        // signs of the rotation alone.
        let high = placement.rotation.map(|row| row.map(|entry| usize::from(entry >= 0.0)));
        let overlap = |counts: &mut Counts, i: u32, k: u32| {
            counts.boxes += 1;
            let (one, two) = (&a[i as usize].bounds, &b[k as usize].bounds);
            (0..3).all(|n| {
                let (row, pick) = (placement.rotation[n], high[n]);
                let (mut low_end, mut high_end) = (placement.position[n], placement.position[n]);
                for j in 0..3 {
                    high_end += row[j] * two[pick[j]][j];
                    low_end += row[j] * two[1 - pick[j]][j];
                }
                low_end <= one[1][n] + margin && high_end >= one[0][n] - margin
            })
        };
        if !overlap(&mut self.counts, 0, 0) {
            return;
        }
        self.stack.push((0, 0));
        while let Some((i, k)) = self.stack.pop() {
            let (one, two) = (&a[i as usize], &b[k as usize]);
            if let (Some(e), Some(f)) = (one.triangle(), two.triangle()) {
                self.triangles(first, second, placement, e, f);
                if detect_only && !self.segments.is_empty() {
                    return;
                }
                continue;
            }
            let open = |leaf: bool, own: u32, children: [u32; 2]| if leaf { [own; 2] } else { children };
            let ones = open(one.triangle().is_some(), i, one.children());
            let twos = open(two.triangle().is_some(), k, two.children());
            for &c in &ones[usize::from(ones[0] == ones[1])..] {
                for &d in &twos[usize::from(twos[0] == twos[1])..] {
                    if overlap(&mut self.counts, c, d) {
                        self.stack.push((c, d));
                    }
                }
            }
        }
    }
}

/// Whether a box lies on one side of the plane of a triangle, where one of two nodes is a leaf. Large flat triangles are
/// met by many boxes that touch their own box only.
#[inline]
fn beside(
    first: &Surface,
    second: &Surface,
    placement: &Placement,
    (one, two): (&Node, &Node),
    gap: V3,
    margin: f64,
) -> bool {
    // The plane goes through the middle of its triangle's box only by chance; its centroid is on it.
    let off = |height: f64, normal: V3, half: V3| {
        height.abs()
            > normal[0].abs() * half[0] + normal[1].abs() * half[1] + normal[2].abs() * half[2] + margin
    };
    if let Some(e) = one.triangle() {
        let normal = first.normals()[e as usize];
        let middle = sub(add(one.middle, gap), first.centroids()[e as usize]);
        if off(dot(normal, middle), placement.turn_back(normal), two.half) {
            return true;
        }
    }
    if let Some(f) = two.triangle() {
        let normal = second.normals()[f as usize];
        let arm = sub(two.middle, second.centroids()[f as usize]);
        let turned = placement.turn(normal);
        return off(dot(normal, arm) - dot(turned, gap), turned, one.half);
    }
    false
}

fn bulk(half: &V3) -> f64 {
    half[0].max(half[1]).max(half[2])
}

fn reach(node: &Node) -> f64 {
    (0..3).map(|k| node.middle[k].abs() + node.half[k]).fold(0.0, f64::max)
}

/// The segment in which two triangles cut each other, as the edges at its ends (after Möller 1997, with exact signs).
///
/// Every triangle has one edge through which the line of intersection enters it and one through which it leaves. Places
/// along the line are compared by the tetrahedra of these edges (Guigue and Devillers 2003).
pub fn cut(e: [V3; 3], f: [V3; 3]) -> Option<(End, End)> {
    let plane = Plane::new(e);
    let f_out = [plane.second_outside(f[0]), plane.second_outside(f[1]), plane.second_outside(f[2])];
    if f_out[0] == f_out[1] && f_out[1] == f_out[2] {
        return None;
    }
    let plane = Plane::new(f);
    let e_out = [plane.first_outside(e[0]), plane.first_outside(e[1]), plane.first_outside(e[2])];
    if e_out[0] == e_out[1] && e_out[1] == e_out[2] {
        return None;
    }
    // On the first surface the inside of the second one is on the left: the line leaves where an edge goes inwards. On
    // the second surface it is the other way round.
    let edge = |out: [bool; 3], from: bool| {
        (0..3).find(|&k| out[k] == from && out[(k + 1) % 3] != from).unwrap_or(0)
    };
    let (e_leave, e_enter) = (edge(e_out, true), edge(e_out, false));
    let (f_leave, f_enter) = (edge(f_out, false), edge(f_out, true));
    // Whether the place of the second edge comes behind that of the first one along the line.
    let behind = |i: usize, k: usize| {
        let sign = edges([e[i], e[(i + 1) % 3]], [f[k], f[(k + 1) % 3]]);
        sign == ((i == e_leave) == (k == f_leave))
    };
    if behind(e_leave, f_enter) || !behind(e_enter, f_leave) {
        return None;
    }
    let end = |second: bool, edge: usize| End { second, edge: edge as u8 };
    let start = if behind(e_enter, f_enter) { end(true, f_enter) } else { end(false, e_enter) };
    let stop = if behind(e_leave, f_leave) { end(false, e_leave) } else { end(true, f_leave) };
    Some((start, stop))
}
