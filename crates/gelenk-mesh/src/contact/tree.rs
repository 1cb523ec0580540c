//! A tree of boxes along the axes of a surface, balanced by the areas of the boxes.

use crate::TriMesh;
use crate::vector::{V3, dot};

/// A box by its middle and half its edges, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Middle (m).
    pub middle: V3,
    /// Half the edges (m), a little generous so that rounding leaves nothing outside.
    pub half: V3,
    /// The first child, behind which the second one stands; of a leaf its triangle.
    link: u32,
    leaf: bool,
}

impl Node {
    /// The triangle of a leaf.
    #[inline]
    pub fn triangle(&self) -> Option<u32> {
        self.leaf.then_some(self.link)
    }

    /// The children of a node that is no leaf.
    #[inline]
    pub fn children(&self) -> [u32; 2] {
        [self.link, self.link + 1]
    }
}

/// The tree; its root is node 0, and every leaf holds one triangle.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

type Bounds = [V3; 2];

pub(crate) fn bounds_of(corners: [V3; 3]) -> Bounds {
    let [a, b, c] = corners;
    [std::array::from_fn(|k| a[k].min(b[k]).min(c[k])), std::array::from_fn(|k| a[k].max(b[k]).max(c[k]))]
}

pub(crate) fn union(a: Bounds, b: Bounds) -> Bounds {
    [std::array::from_fn(|k| a[0][k].min(b[0][k])), std::array::from_fn(|k| a[1][k].max(b[1][k]))]
}

fn half_area(b: Bounds) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|k| b[1][k] - b[0][k]);
    x * y + y * z + z * x
}

/// Bins of the search for the best cut.
const BINS: usize = 12;

impl Tree {
    /// The tree of a mesh with these centroids of its triangles.
    ///
    /// A node is cut across one axis where the areas of the two boxes, weighted with their triangles, are least
    /// (surface area heuristic in bins, Wald 2007).
    pub fn new(mesh: &TriMesh, centroids: &[V3]) -> Self {
        let boxes: Vec<Bounds> = mesh.corners().map(bounds_of).collect();
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len());
        let empty = Node { middle: [0.0; 3], half: [0.0; 3], link: 0, leaf: true };
        nodes.push(empty);
        let mut work = vec![(0usize, 0..order.len())];
        while let Some((node, span)) = work.pop() {
            let part = &mut order[span.clone()];
            let Some(bounds) = part.iter().map(|&t| boxes[t as usize]).reduce(union) else { continue };
            let middle: V3 = std::array::from_fn(|k| 0.5 * (bounds[0][k] + bounds[1][k]));
            let half: V3 = std::array::from_fn(|k| {
                let reach = (bounds[1][k] - middle[k]).max(middle[k] - bounds[0][k]);
                reach + 4.0 * f64::EPSILON * (reach + middle[k].abs())
            });
            if let [triangle] = part {
                nodes[node] = Node { middle, half, link: *triangle, leaf: true };
                continue;
            }
            let cut = split(part, centroids, &boxes);
            let link = nodes.len() as u32;
            nodes[node] = Node { middle, half, link, leaf: false };
            nodes.extend([empty; 2]);
            work.push((link as usize, span.start..span.start + cut));
            work.push((link as usize + 1, span.start + cut..span.end));
        }
        Self { nodes }
    }

    /// All nodes.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Visits triangles whose boxes the ray from `origin` along `direction` meets before `reach`; the visitor returns
    /// how far it is still of interest.
    pub fn along_line(&self, origin: V3, direction: V3, mut reach: f64, visit: &mut impl FnMut(u32) -> f64) {
        let inverse = direction.map(|d| 1.0 / d);
        // Twice the depth of a tree over all triangles that can be counted is enough for any but a hostile mesh.
        let mut stack = [0u32; 128];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = &self.nodes[stack[count] as usize];
            let (mut near, mut far) = (0.0, reach);
            for k in 0..3 {
                let gap = node.middle[k] - origin[k];
                if direction[k] == 0.0 {
                    if gap.abs() > node.half[k] {
                        far = -1.0;
                    }
                    continue;
                }
                let (a, b) = ((gap - node.half[k]) * inverse[k], (gap + node.half[k]) * inverse[k]);
                // A box of no thickness and rounding: a little generous.
                let slack = 1e-12 * (a.abs() + b.abs());
                near = f64::max(near, a.min(b) - slack);
                far = f64::min(far, a.max(b) + slack);
            }
            if near > far {
                continue;
            }
            match node.triangle() {
                Some(triangle) => reach = reach.min(visit(triangle)),
                None if count + 2 <= stack.len() => {
                    // The nearer one first, so that what it finds spares the other one.
                    let [a, b] = node.children();
                    let [one, two] = [a, b].map(|child| dot(self.nodes[child as usize].middle, direction));
                    [stack[count], stack[count + 1]] = if one <= two { [b, a] } else { [a, b] };
                    count += 2;
                }
                None => {}
            }
        }
    }
}

/// Orders triangles so that the first ones go into the first child; returns how many.
fn split(part: &mut [u32], centroids: &[V3], boxes: &[Bounds]) -> usize {
    let centre = |t: u32| centroids[t as usize];
    let spread = part
        .iter()
        .fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |b, &t| union(b, [centre(t), centre(t)]));
    let axis = (0..3)
        .max_by(|&i, &k| (spread[1][i] - spread[0][i]).total_cmp(&(spread[1][k] - spread[0][k])))
        .unwrap_or(0);
    let (low, width) = (spread[0][axis], spread[1][axis] - spread[0][axis]);
    let middle = part.len() / 2;
    let by_place = |&a: &u32, &b: &u32| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.cmp(&b));
    if part.len() > 4 && width > 0.0 {
        let bin = |t: u32| (((centre(t)[axis] - low) / width * BINS as f64) as usize).min(BINS - 1);
        let mut bins: [(usize, Option<Bounds>); BINS] = [(0, None); BINS];
        for &t in part.iter() {
            let slot = &mut bins[bin(t)];
            slot.0 += 1;
            slot.1 = Some(slot.1.map_or(boxes[t as usize], |b| union(b, boxes[t as usize])));
        }
        let cost = |bins: &[(usize, Option<Bounds>)]| {
            let count: usize = bins.iter().map(|bin| bin.0).sum();
            let bounds = bins.iter().filter_map(|bin| bin.1).reduce(union);
            (count, bounds.map_or(0.0, half_area) * count as f64)
        };
        let mut best = (f64::INFINITY, 0);
        for cut in 1..BINS {
            let ((left, a), (right, b)) = (cost(&bins[..cut]), cost(&bins[cut..]));
            if left > 0 && right > 0 && a + b < best.0 {
                best = (a + b, cut);
            }
        }
        // Very uneven cuts make deep trees.
        let (_, cut) = best;
        let left = part.iter().filter(|&&t| bin(t) < cut).count();
        if left >= part.len() / 16 && left > 0 && left <= part.len() - part.len() / 16 && left < part.len() {
            part.sort_unstable_by_key(|&t| (bin(t) >= cut, t));
            return left;
        }
    }
    part.select_nth_unstable_by(middle, by_place);
    middle
}
