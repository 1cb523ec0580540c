//! How far two surfaces are apart at least.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::pair::Pair;
use super::tree::Node;
use super::{Placement, Surface};
use crate::vector::{V3, cross, dot, doubled_area, norm, scale, sub, unit};

/// Pairs of boxes that are looked at; more would make the bound better and dearer.
const LOOKS: usize = 200;

/// The same where the distance itself is wanted.
const NEAREST_LOOKS: usize = 10_000;

/// A pair of boxes with a bound of their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    gap: f64,
    nodes: [u32; 2],
    /// The shortest way from the first triangle to the second, where it is known.
    way: Option<V3>,
}

/// How far two surfaces are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Distance (m), or a lower bound where no direction is known.
    pub gap: f64,
    /// Direction from the first surface to the second where they are nearest, in the frame of the first.
    pub direction: Option<V3>,
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
            Candidate { gap, nodes, way: None }
        };
        queue.0.clear();
        queue.0.push(bound([0, 0]));
        for _ in 0..LOOKS {
            let Some(Candidate { gap, nodes: [a, b], .. }) = queue.0.pop() else { break };
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

    /// The distance of the two surfaces, of their triangles where the look comes so far; nothing where they may touch.
    pub fn nearest(&self, placement: &Placement, queue: &mut Queue) -> Nearest {
        let r = &placement.rotation;
        let columns: [V3; 3] = std::array::from_fn(|k| [r[0][k], r[1][k], r[2][k]]);
        let (size, sizes) = (r.map(|row| row.map(f64::abs)), columns.map(|column| column.map(f64::abs)));
        let bound = |nodes: [u32; 2]| {
            let ((one, reach), (two, far)) = (ball(&self.first, nodes[0]), ball(&self.second, nodes[1]));
            let way = sub(placement.point(two.middle), one.middle);
            // By the balls around the boxes, and along the axes of both boxes.
            let mut gap = norm(way) - reach - far;
            for k in 0..3 {
                gap = gap
                    .max(way[k].abs() - one.half[k] - dot(size[k], two.half))
                    .max(dot(columns[k], way).abs() - two.half[k] - dot(sizes[k], one.half));
            }
            Candidate { gap, nodes, way: None }
        };
        queue.0.clear();
        queue.0.push(bound([0, 0]));
        for _ in 0..NEAREST_LOOKS {
            let Some(Candidate { gap, nodes: [a, b], way }) = queue.0.pop() else { break };
            if let Some(way) = way {
                return Nearest { gap, direction: unit(way) };
            }
            let ((one, reach), (two, far)) = (ball(&self.first, a), ball(&self.second, b));
            match (one.triangle(), two.triangle()) {
                (Some(e), Some(f)) => {
                    let way = shortest(
                        self.first.corners(e),
                        self.second.corners(f).map(|corner| placement.point(corner)),
                    );
                    queue.0.push(Candidate { gap: norm(way), nodes: [a, b], way: Some(way) });
                }
                (None, triangle) if reach >= far || triangle.is_some() => {
                    queue.0.extend(one.children().map(|child| bound([child, b])));
                }
                _ => queue.0.extend(two.children().map(|child| bound([a, child]))),
            }
        }
        Nearest { gap: queue.0.peek().map_or(0.0, |nearest| nearest.gap.max(0.0)), direction: None }
    }
}

/// Whether an edge of one triangle goes through the other one.
fn cut(one: [V3; 3], two: [V3; 3]) -> bool {
    let pierced = |edges: [V3; 3], face: [V3; 3]| {
        let normal = doubled_area(face);
        let heights = edges.map(|corner| dot(sub(corner, face[0]), normal));
        (0..3).any(|k| {
            let (from, to) = (heights[k], heights[(k + 1) % 3]);
            if from * to >= 0.0 {
                return false;
            }
            let share = from / (from - to);
            let way = sub(edges[(k + 1) % 3], edges[k]);
            let place = [0, 1, 2].map(|i| edges[k][i] + share * way[i]);
            (0..3).all(|i| {
                let (a, b) = (face[i], face[(i + 1) % 3]);
                dot(cross(sub(b, a), sub(place, a)), normal) >= 0.0
            })
        })
    };
    pierced(one, two) || pierced(two, one)
}

/// The shortest way between two triangles, from the first to the second: between a corner and a face, or between two
/// edges; none where they cut each other.
fn shortest(one: [V3; 3], two: [V3; 3]) -> V3 {
    if cut(one, two) {
        return [0.0; 3];
    }
    let mut best = (f64::INFINITY, [0.0; 3]);
    let mut keep = |way: V3| {
        let square = dot(way, way);
        if square < best.0 {
            best = (square, way);
        }
    };
    for (corners, face, sign) in [(one, two, 1.0), (two, one, -1.0)] {
        let normal = doubled_area(face);
        for corner in corners {
            let above = (0..3).all(|k| {
                let (a, b) = (face[k], face[(k + 1) % 3]);
                dot(cross(sub(b, a), sub(corner, a)), normal) >= 0.0
            });
            if above {
                keep(scale(normal, sign * dot(sub(face[0], corner), normal) / dot(normal, normal)));
            }
        }
    }
    for i in 0..3 {
        for k in 0..3 {
            keep(between_edges([one[i], one[(i + 1) % 3]], [two[k], two[(k + 1) % 3]]));
        }
    }
    best.1
}

/// The shortest way from one edge to another (Ericson, *Real-Time Collision Detection*, 5.1.9).
fn between_edges([a, b]: [V3; 2], [c, d]: [V3; 2]) -> V3 {
    let (along, across, apart) = (sub(b, a), sub(d, c), sub(a, c));
    let (aa, cc, ac) = (dot(along, along), dot(across, across), dot(along, across));
    let (ar, cr) = (dot(along, apart), dot(across, apart));
    let parallel = aa * cc - ac * ac;
    let share = |top: f64, bottom: f64| if bottom > 0.0 { (top / bottom).clamp(0.0, 1.0) } else { 0.0 };
    let mut s = share(ac * cr - ar * cc, parallel);
    let t = share(ac * s + cr, cc);
    s = share(ac * t - ar, aa);
    let place = |from: V3, way: V3, s: f64| [0, 1, 2].map(|k| from[k] + s * way[k]);
    sub(place(c, across, t), place(a, along, s))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::contact::Settings;
    use crate::make;
    use std::sync::Arc;

    /// Distance of two triangles that do not cut each other: corners from faces, edges from edges.
    fn distance(one: [V3; 3], two: [V3; 3]) -> f64 {
        let mut least = f64::INFINITY;
        for (corners, other) in [(one, two), (two, one)] {
            let normal = doubled_area(other);
            for corner in corners {
                let inside = (0..3).all(|k| {
                    let (a, b) = (other[k], other[(k + 1) % 3]);
                    dot(cross(sub(b, a), sub(corner, a)), normal) >= 0.0
                });
                if inside {
                    least = least.min((dot(sub(corner, other[0]), normal) / norm(normal)).abs());
                }
            }
        }
        for i in 0..3 {
            for k in 0..3 {
                least = least.min(between([one[i], one[(i + 1) % 3]], [two[k], two[(k + 1) % 3]]));
            }
        }
        least
    }

    /// Distance of two edges: the least of alternate projections, which converge for two segments.
    fn between([a, b]: [V3; 2], [c, d]: [V3; 2]) -> f64 {
        let along = |from: V3, to: V3, s: f64| [0, 1, 2].map(|k| from[k] + s * (to[k] - from[k]));
        let nearest = |from: V3, to: V3, place: V3| {
            let way = sub(to, from);
            along(from, to, (dot(sub(place, from), way) / dot(way, way)).clamp(0.0, 1.0))
        };
        let mut on_second = along(c, d, 0.5);
        let mut gap = f64::INFINITY;
        for _ in 0..40 {
            let on_first = nearest(a, b, on_second);
            on_second = nearest(c, d, on_first);
            gap = norm(sub(on_first, on_second));
        }
        gap
    }

    /// The bound never exceeds the distance of all triangles from all triangles, and misses it by no more than the balls
    /// around the boxes of the triangles there, each of which reaches beyond its triangle by less than the longest edge.
    #[test]
    fn bound_is_below_the_distance_of_all_triangles() {
        let ball = Arc::new(Surface::new(&make::icosphere(0.1, 2)).unwrap());
        let ring = Arc::new(Surface::new(&make::torus(0.2, 0.05, 20, 10)).unwrap());
        let settings = Settings::default();
        let mut queue = Queue::default();
        let (s, c) = 0.7f64.sin_cos();
        let rotation = [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]];
        for (first, second) in [(&ball, &ball), (&ring, &ball), (&ring, &ring)] {
            let pair = Pair { first: first.clone(), second: second.clone(), settings };
            let longest = [first, second].map(|surface| {
                let edges = (0..surface.areas().len() as u32).flat_map(|t| {
                    let [a, b, c] = surface.corners(t);
                    [norm(sub(a, b)), norm(sub(b, c)), norm(sub(c, a))]
                });
                edges.fold(0.0, f64::max)
            });
            for far in [0.52, 0.9] {
                let placement = Placement { rotation, position: [0.1 * far, 0.6 * far, 0.79 * far] };
                let mut truth = f64::INFINITY;
                for e in 0..first.areas().len() as u32 {
                    for f in 0..second.areas().len() as u32 {
                        let (one, two) = (first.corners(e), second.corners(f).map(|p| placement.point(p)));
                        // Only what could be the nearest is worth the look.
                        if norm(sub(one[0], two[0])) - longest[0] - longest[1] < truth {
                            truth = truth.min(distance(one, two));
                        }
                    }
                }
                let nearest = pair.nearest(&placement, &mut queue);
                match nearest.direction {
                    Some(_) => assert!((nearest.gap - truth).abs() < 1e-12, "{far}: {nearest:?} {truth}"),
                    None => assert!(nearest.gap <= truth, "{far}: {nearest:?} {truth}"),
                }
                let gap = pair.gap(&placement, &mut queue);
                assert!(gap <= truth + 1e-12, "{far}: {gap} {truth}");
                assert!(gap > truth - longest[0] - longest[1], "{far}: {gap} {truth}");
            }
        }
    }

    /// Of two balls a little apart the distance is found, not only a bound; moved together by most of it along the
    /// direction they are still apart, by no more than what is left (closed form: they are convex).
    #[test]
    fn distance_of_what_is_near() {
        let ball = Arc::new(Surface::new(&make::icosphere(0.1, 3)).unwrap());
        assert!(ball.is_convex() && ball.swing() < 0.08 && (ball.thickness() - 0.2).abs() < 1e-3);
        let ring = Arc::new(Surface::new(&make::torus(0.2, 0.05, 20, 10)).unwrap());
        assert!(!ring.is_convex() && ring.thickness() < 0.06 && ring.thickness() > 0.04);
        let settings = Settings::default();
        let mut queue = Queue::default();
        for second in [&ball, &ring] {
            let pair = Pair { first: ball.clone(), second: second.clone(), settings };
            let far = if Arc::ptr_eq(second, &ball) { 0.21 } else { 0.16 };
            let placement =
                Placement { position: [0.1 * far, 0.28 * far, 0.955 * far], ..Placement::IDENTITY };
            let nearest = pair.nearest(&placement, &mut queue);
            let direction = nearest.direction.unwrap();
            assert!(nearest.gap > 0.0 && nearest.gap < 0.07, "{nearest:?}");
            let position = [0, 1, 2].map(|k| placement.position[k] - 0.9 * nearest.gap * direction[k]);
            let left = pair.nearest(&Placement { position, ..placement }, &mut queue);
            assert!(left.gap > 0.0 && left.gap <= 0.1 * nearest.gap + 1e-12, "{left:?} {nearest:?}");
        }
    }

    /// Bodies that cut each other have no distance. Triangles whose edges all lie apart but one through the other had one:
    /// a ball that is pressed into the middle of a large triangle.
    #[test]
    fn bound_of_what_touches_is_zero() {
        let ball = Arc::new(Surface::new(&make::icosphere(0.1, 3)).unwrap());
        let floor = Arc::new(Surface::new(&make::cuboid([10.0, 10.0, 0.2], 1)).unwrap());
        let settings = Settings::default();
        let pair = Pair { first: ball.clone(), second: ball.clone(), settings };
        let placement = Placement { position: [0.0, 0.6 * 0.19, 0.8 * 0.19], ..Placement::IDENTITY };
        assert_eq!(pair.gap(&placement, &mut Queue::default()), 0.0);
        assert_eq!(pair.nearest(&placement, &mut Queue::default()), Nearest { gap: 0.0, direction: None });
        let pair = Pair { first: ball, second: floor, settings };
        for depth in [0.001, 0.02, 0.07] {
            let placement = Placement { position: [1.0, 2.0, depth - 0.2], ..Placement::IDENTITY };
            let nearest = pair.nearest(&placement, &mut Queue::default());
            assert_eq!(nearest, Nearest { gap: 0.0, direction: None }, "{depth}");
        }
    }
}
