//! How far two surfaces are apart at least.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::pair::Pair;
use super::tree::Node;
use super::{Placement, Surface};
use crate::vector::{norm, sub};

/// Pairs of boxes that are looked at; more would make the bound better and dearer.
const LOOKS: usize = 200;

/// A pair of boxes with a bound of their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    gap: f64,
    nodes: [u32; 2],
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// The nearest pair first; equal ones by their numbers, so that the order is always the same.
    fn cmp(&self, other: &Self) -> Ordering {
        other.gap.total_cmp(&self.gap).then_with(|| other.nodes.cmp(&self.nodes))
    }
}

/// Memory of the look; grows at first use and is then reused.
#[derive(Clone, Debug, Default)]
pub struct Queue(BinaryHeap<Candidate>);

fn ball(surface: &Surface, node: u32) -> (Node, f64) {
    let node = surface.tree().nodes()[node as usize];
    (node, norm(node.half))
}

impl Pair {
    /// A lower bound of the distance of the two surfaces (m), by the balls around the boxes of their trees, nearest first;
    /// zero where they may touch.
    pub fn gap(&self, placement: &Placement, queue: &mut Queue) -> f64 {
        let bound = |nodes: [u32; 2]| {
            let ((one, reach), (two, far)) = (ball(&self.first, nodes[0]), ball(&self.second, nodes[1]));
            let gap = norm(sub(placement.point(two.middle), one.middle)) - reach - far;
            Candidate { gap, nodes }
        };
        queue.0.clear();
        queue.0.push(bound([0, 0]));
        for _ in 0..LOOKS {
            let Some(Candidate { gap, nodes: [a, b] }) = queue.0.pop() else { break };
            let ((one, reach), (two, far)) = (ball(&self.first, a), ball(&self.second, b));
            let (split_first, split_second) = (one.triangle().is_none(), two.triangle().is_none());
            if !split_first && !split_second {
                // Nothing is nearer, and nothing tells more about these two.
                return gap.max(0.0);
            }
            if split_first && (reach >= far || !split_second) {
                queue.0.extend(one.children().map(|child| bound([child, b])));
            } else {
                queue.0.extend(two.children().map(|child| bound([a, child])));
            }
        }
        queue.0.peek().map_or(0.0, |nearest| nearest.gap.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::contact::{Detection, Master, Settings};
    use crate::make;
    use std::sync::Arc;

    /// Two spheres: the bound lies below their distance and comes near to it.
    #[test]
    fn bound_of_two_spheres() {
        let sphere = Arc::new(Surface::new(&make::icosphere(0.1, 3)).unwrap());
        let settings = Settings { master: Master::Both, detection: Detection::Modern, steep: 0.1 };
        let pair = Pair { first: sphere.clone(), second: sphere, settings };
        let mut queue = Queue::default();
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for distance in [0.19, 0.25, 0.5, 3.0] {
            let placement = Placement { rotation: unit, position: [0.0, 0.6 * distance, 0.8 * distance] };
            let gap = pair.gap(&placement, &mut queue);
            let truth = (distance - 0.2f64).max(0.0);
            // A facet lies inside its sphere by up to 0.4 mm.
            assert!(gap <= truth + 1e-3 && gap >= truth - 0.08, "{distance}: {gap} {truth}");
        }
    }
}
