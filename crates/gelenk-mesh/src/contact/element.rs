//! Contact elements: a triangle of the master, and the triangle of the slave behind it.

use super::region::Active;
use super::surface::Surface;
use crate::vector::{V3, cross, dot, sub};

/// Up to this many triangles all are tried, by the balls around them; above, the tree is asked.
const FEW: usize = 160;
/// How far beyond its edges a triangle is still hit, as part of the square of an edge. On regular grids the normals of
/// centroids run exactly through edges (hippmann 3.8).
const EDGE: f64 = 1e-9;
/// A triangle in several regions.
const SEVERAL: u32 = u32::MAX;

/// An element: its triangles. Depth, force and place follow from the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Whether the second surface is the master.
    pub second_is_master: bool,
    /// Triangle of the master; with the side a name of the element that stays from one instant to the next (H-R26).
    pub master: u32,
    /// Triangle of the slave.
    pub slave: u32,
}

/// Memory of the search for elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    round: u64,
    rounds: Vec<u64>,
    regions: Vec<u32>,
    balls: Vec<Ball>,
}

/// An active triangle of the slave and the ball about its centroid, a little generous.
#[derive(Clone, Copy, Debug)]
struct Ball {
    middle: V3,
    square: f64,
    triangle: u32,
}

impl Marks {
    fn set(&mut self, slave: &Surface, active: &[Active]) {
        self.round += 1;
        let n = slave.areas().len();
        if self.rounds.len() < n {
            self.rounds.resize(n, 0);
            self.regions.resize(n, 0);
        }
        self.balls.clear();
        for entry in active {
            let slot = entry.triangle as usize;
            if active.len() <= FEW && self.rounds[slot] != self.round {
                let (middle, square) = (slave.centroids()[slot], slave.balls()[slot]);
                self.balls.push(Ball { middle, square, triangle: entry.triangle });
            }
            let known = self.rounds[slot] == self.round && self.regions[slot] != entry.region;
            self.rounds[slot] = self.round;
            self.regions[slot] = if known { SEVERAL } else { entry.region };
        }
    }

    fn fits(&self, triangle: u32, region: u32) -> bool {
        let slot = triangle as usize;
        self.rounds[slot] == self.round && (self.regions[slot] == region || self.regions[slot] == SEVERAL)
    }
}

/// Adds the elements of all active triangles of a master. H-R21, H-R23.
///
/// The line through a centroid against the outward normal meets the slave's surface at the depth `u`; where it meets it
/// several times (undercut), the smallest depth counts. Only faces that look at the master count, and only where the
/// cosine between the normals is above `steep`: the depth along the normal grows as its inverse.
#[allow(clippy::too_many_arguments)]
pub(crate) fn search(
    master: &Surface,
    slave: &Surface,
    masters: &[Active],
    slaves: &[Active],
    marks: &mut Marks,
    second_is_master: bool,
    steep: f64,
    to_slave: impl Fn(V3, V3) -> (V3, V3),
    elements: &mut Vec<Element>,
) {
    marks.set(slave, slaves);
    let marks = &*marks;
    let few = slaves.len() <= FEW;
    let bounds = if few { None } else { Some(around(slave, slaves)) };
    for group in masters.chunk_by(|a, b| a.triangle == b.triangle) {
        let triangle = group[0].triangle;
        let (centroid, normal) = (master.centroids()[triangle as usize], master.normals()[triangle as usize]);
        let (origin, direction) = to_slave(centroid, [-normal[0], -normal[1], -normal[2]]);
        let reach = bounds.map_or(f64::INFINITY, |bounds| leaves(bounds, origin, direction));
        if reach < 0.0 {
            continue;
        }
        let mut best = (f64::INFINITY, None);
        for entry in group {
            let mut visit = |candidate: u32| {
                if marks.fits(candidate, entry.region)
                    && let Some(depth) = depth(slave, candidate, origin, direction, steep)
                    && (depth < best.0 || (depth == best.0 && Some(candidate) < best.1))
                {
                    best = (depth, Some(candidate));
                }
                best.0
            };
            if few {
                for ball in &marks.balls {
                    let arm = sub(ball.middle, origin);
                    let (along, square) = (dot(arm, direction), dot(arm, arm));
                    // The line misses the ball, in spite of rounding.
                    if square - along * along <= ball.square + 1e-14 * square {
                        visit(ball.triangle);
                    }
                }
            } else {
                slave.tree().along_line(origin, direction, reach, &mut visit);
            }
        }
        if let (_, Some(slave)) = best {
            elements.push(Element { second_is_master, master: triangle, slave });
        }
    }
}

/// The box around triangles, a little generous.
fn around(surface: &Surface, active: &[Active]) -> [V3; 2] {
    let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for entry in active {
        for corner in surface.corners(entry.triangle) {
            for k in 0..3 {
                low[k] = low[k].min(corner[k]);
                high[k] = high[k].max(corner[k]);
            }
        }
    }
    let more = 1e-6 * surface.size();
    [low.map(|x| x - more), high.map(|x| x + more)]
}

/// How far a line goes until it has left a box for good; negative where the box lies behind it or beside it.
#[inline]
fn leaves([low, high]: [V3; 2], origin: V3, direction: V3) -> f64 {
    let mut reach = f64::INFINITY;
    for k in 0..3 {
        let ahead = if direction[k] >= 0.0 { high[k] - origin[k] } else { origin[k] - low[k] };
        let speed = direction[k].abs();
        // Beyond the far side already, or going there.
        reach = reach.min(if speed > 0.0 {
            ahead / speed
        } else if ahead < 0.0 {
            -1.0
        } else {
            f64::INFINITY
        });
    }
    reach
}

/// Depth at which a line meets a triangle from behind; `None` where it misses it.
#[inline]
fn depth(slave: &Surface, triangle: u32, origin: V3, direction: V3, steep: f64) -> Option<f64> {
    let normal = slave.normals()[triangle as usize];
    let cosine = dot(direction, normal);
    if cosine <= steep {
        return None;
    }
    let [a, b, c] = slave.corners(triangle);
    let corners = [sub(a, origin), sub(b, origin), sub(c, origin)];
    let height = dot(corners[0], normal);
    if height <= 0.0 {
        return None;
    }
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let edge = sub(b, a);
        if dot(direction, cross(a, b)) < -EDGE * dot(edge, edge) {
            return None;
        }
    }
    Some(height / cosine)
}
