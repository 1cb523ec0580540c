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
pub struct PairElement {
    /// Whether the second surface is the master.
    pub second_is_master: bool,
    /// Triangle of the master; with the side a name of the element that stays from one instant to the next (H-R26).
    pub master: u32,
    /// Triangle of the slave.
    pub slave: u32,
}

/// What counts where the line from a centroid meets the slave several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undercut {
    /// The nearest face decides: a centroid outside the slave gives no element.
    #[default]
    Nearest,
    /// The nearest face that looks at the master, whatever lies before it (hippmann 4.3.1).
    Thesis,
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

    fn active(&self, triangle: u32) -> bool {
        self.rounds[triangle as usize] == self.round
    }

    /// Whether an active triangle belongs to a region.
    fn fits(&self, triangle: u32, region: u32) -> bool {
        let own = self.regions[triangle as usize];
        own == region || own == SEVERAL
    }
}

/// Adds the elements of all active triangles of a master. H-R21, H-R23.
///
/// The line through a centroid against the outward normal meets the slave's surface at the depth `u`; where it meets it
/// several times, the nearest face decides. Only where the line leaves the slave there is the centroid inside it, and only
/// where the cosine between the normals is above `steep` there is an element: the depth along the normal grows as its
/// inverse. The rule of the thesis passes over the other faces instead, so that a centroid outside counts with the depth
/// to the far side of what is behind it.
#[allow(clippy::too_many_arguments)]
pub(crate) fn search(
    master: &Surface,
    slave: &Surface,
    masters: &[Active],
    slaves: &[Active],
    marks: &mut Marks,
    second_is_master: bool,
    (steep, undercut): (f64, Undercut),
    to_slave: impl Fn(V3, V3) -> (V3, V3),
    elements: &mut Vec<PairElement>,
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
        let mut best: (f64, Option<(u32, bool)>) = (f64::INFINITY, None);
        for entry in group {
            let mut visit = |candidate: u32| {
                if marks.active(candidate)
                    && let Some((depth, cosine)) = crossing(slave, candidate, origin, direction)
                {
                    let counts = cosine > steep;
                    // What is entered ends the way whatever region it belongs to.
                    let seen = match undercut {
                        Undercut::Nearest => cosine < 0.0 || marks.fits(candidate, entry.region),
                        Undercut::Thesis => counts && marks.fits(candidate, entry.region),
                    };
                    let found = (candidate, counts);
                    // On an edge between two faces the one that counts does, whatever their order.
                    let nearer = depth < best.0
                        || (depth == best.0
                            && best.1.is_none_or(|(other, known)| (!counts, candidate) < (!known, other)));
                    if seen && nearer {
                        best = (depth, Some(found));
                    }
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
        if let (_, Some((slave, true))) = best {
            elements.push(PairElement { second_is_master, master: triangle, slave });
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

/// Depth at which a line meets a triangle, and the cosine between the line and its normal: positive where the line leaves
/// the body there. `None` where it misses the triangle or runs along it.
#[inline]
fn crossing(slave: &Surface, triangle: u32, origin: V3, direction: V3) -> Option<(f64, f64)> {
    let normal = slave.normals()[triangle as usize];
    let cosine = dot(direction, normal);
    let [a, b, c] = slave.corners(triangle);
    let corners = [sub(a, origin), sub(b, origin), sub(c, origin)];
    let height = dot(corners[0], normal);
    // Ahead, and not along the face; the sign of both tells from which side.
    let ahead = height * cosine > 0.0;
    if !ahead {
        return None;
    }
    // Beside a face that would be entered the line only touches the body.
    let (side, slack) = if cosine > 0.0 { (1.0, EDGE) } else { (-1.0, 0.0) };
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let edge = sub(b, a);
        if side * dot(direction, cross(a, b)) < -slack * dot(edge, edge) {
            return None;
        }
    }
    Some((height / cosine, cosine))
}
