//! The tree of boxes of the thesis (hippmann 3.4, after Zachmann): a greedy rule of volumes.

use super::tree::{bounds_of, union};
use crate::TriMesh;
use crate::vector::V3;

/// A box along the axes of the surface, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThesisNode {
    /// Lowest and highest coordinates (m).
    pub bounds: [V3; 2],
    /// Children, or twice the triangle of a leaf.
    links: [u32; 2],
    leaf: bool,
}

impl ThesisNode {
    /// The triangle of a leaf.
    #[inline]
    pub fn triangle(&self) -> Option<u32> {
        self.leaf.then_some(self.links[0])
    }

    /// The children of a node that is no leaf.
    #[inline]
    pub fn children(&self) -> [u32; 2] {
        self.links
    }
}

/// The tree: `2 N - 1` nodes for `N` triangles, the root first.
#[derive(Clone, Debug, PartialEq)]
pub struct ThesisTree {
    nodes: Vec<ThesisNode>,
}

fn volume(bounds: [V3; 2]) -> f64 {
    (0..3).map(|k| bounds[1][k] - bounds[0][k]).product()
}

impl ThesisTree {
    /// Builds the tree from above. H-R8.
    ///
    /// The triangles of a node are ordered by their centroids along the axis of their largest spread. The first and the
    /// last one found the two children; the others, taken alternately from the low and the high end, go where the volume
    /// of the box grows less, on a tie where fewer are.
    pub fn new(mesh: &TriMesh, centroids: &[V3]) -> Self {
        let boxes: Vec<[V3; 2]> = mesh.corners().map(bounds_of).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len());
        let all: Vec<u32> = (0..boxes.len() as u32).collect();
        // A list of triangles and where its node is entered.
        let mut work = vec![(all, None)];
        while let Some((mut part, parent)) = work.pop() {
            let Some(bounds) = part.iter().map(|&t| boxes[t as usize]).reduce(union) else { continue };
            let own = nodes.len() as u32;
            if let Some((parent, side)) = parent {
                let node: &mut ThesisNode = &mut nodes[parent as usize];
                node.links[side as usize] = own;
            }
            if let [triangle] = part[..] {
                nodes.push(ThesisNode { bounds, links: [triangle; 2], leaf: true });
                continue;
            }
            nodes.push(ThesisNode { bounds, links: [0; 2], leaf: false });
            let centre = |t: u32| centroids[t as usize];
            let width = |k: usize| {
                let places = || part.iter().map(|&t| centre(t)[k]);
                places().fold(f64::NEG_INFINITY, f64::max) - places().fold(f64::INFINITY, f64::min)
            };
            let widths = [width(0), width(1), width(2)];
            // The first axis among equal ones.
            let axis = (0..3).fold(0, |best, k| if widths[k] > widths[best] { k } else { best });
            part.sort_by(|&a, &b| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.cmp(&b)));
            let (left, right) = deal(&part, &boxes);
            work.push((right, Some((own, 1u8))));
            work.push((left, Some((own, 0u8))));
        }
        Self { nodes }
    }

    /// All nodes, the root first.
    #[inline]
    pub fn nodes(&self) -> &[ThesisNode] {
        &self.nodes
    }
}

/// Deals ordered triangles out to two children.
fn deal(part: &[u32], boxes: &[[V3; 2]]) -> (Vec<u32>, Vec<u32>) {
    let (mut low, mut high) = (0, part.len() - 1);
    let (mut left, mut right) = (vec![part[low]], vec![part[high]]);
    let (mut box_left, mut box_right) = (boxes[part[low] as usize], boxes[part[high] as usize]);
    let mut from_low = true;
    while low + 1 < high {
        let triangle = if from_low {
            low += 1;
            part[low]
        } else {
            high -= 1;
            part[high]
        };
        from_low = !from_low;
        let own = boxes[triangle as usize];
        let (grown_left, grown_right) = (union(box_left, own), union(box_right, own));
        let (more_left, more_right) =
            (volume(grown_left) - volume(box_left), volume(grown_right) - volume(box_right));
        let to_left =
            if more_left == more_right { left.len() <= right.len() } else { more_left < more_right };
        if to_left {
            left.push(triangle);
            box_left = grown_left;
        } else {
            right.push(triangle);
            box_right = grown_right;
        }
    }
    (left, right)
}
