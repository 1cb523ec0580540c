//! Which equations each link carries.

use std::collections::BTreeMap;

use super::{Carry, Group};
use crate::loops::Equation;
use crate::loops::paths::{Joints, Paths};

impl Carry {
    /// For a tree in which every velocity moves one freedom.
    pub(crate) fn new(joints: &Joints, equations: &[Equation], paths: &Paths) -> Self {
        let links = joints.links;
        let ground = links.len();
        let node = |link: Option<usize>| link.unwrap_or(ground);
        let mut owner = vec![None; joints.columns.iter().max().map_or(0, |max| max + 1)];
        for (i, link) in links.iter().enumerate() {
            for dof in link.dofs.clone() {
                joints.rows[dof].clone().for_each(|k| owner[joints.columns[k]] = Some(i));
            }
        }
        // Equations that pass each link, and those that are complete there.
        let (mut passing, mut complete) = (vec![Vec::new(); ground], vec![Vec::new(); ground + 1]);
        let (mut begins, mut slopes) = (vec![Vec::new(); ground + 1], vec![Vec::new(); ground]);
        for (row, equation) in equations.iter().enumerate() {
            let mut pass = |from: Option<usize>, end: Option<usize>| {
                for link in joints.climb(from, end) {
                    if passing[link].last() != Some(&row) {
                        passing[link].push(row);
                    }
                }
            };
            let carrier = match equation.frames() {
                Some(frames) => {
                    let ends = frames.map(|frame| joints.frames[frame].link);
                    let carrier = joints.common(ends[0], ends[1]);
                    for (side, end) in ends.into_iter().enumerate() {
                        pass(end, carrier);
                        begins[node(end)].push((row, side));
                    }
                    carrier
                }
                None => {
                    // A coupling acts on joints, so it passes the links behind them.
                    let owners: Vec<usize> = equation.coordinates().filter_map(|a| owner[a]).collect();
                    let below = owners.iter().map(|&link| links[link].parent);
                    let carrier = below.reduce(|a, b| joints.common(a, b)).flatten();
                    for (&link, entry) in owners.iter().zip(paths.slopes[row].clone()) {
                        pass(Some(link), carrier);
                        slopes[link].push((row, paths.entries[entry]));
                    }
                    carrier
                }
            };
            complete[node(carrier)].push(row);
        }
        let mut carry = Self {
            nodes: Vec::with_capacity(ground + 1),
            groups: Vec::new(),
            equations: Vec::new(),
            lifts: Vec::new(),
            wrenches: Vec::new(),
            slopes: Vec::new(),
            squares: 0,
            factors: 0,
        };
        let mut children = vec![Vec::new(); ground + 1];
        for (i, link) in links.iter().enumerate() {
            children[node(link.parent)].push(i);
        }
        // Place and group of every equation at every node that sees it.
        let mut places = BTreeMap::new();
        for at in 0..=ground {
            let going: &[usize] = passing.get(at).map_or(&[], Vec::as_slice);
            let bonds = children[at].iter().map(|&child| passing[child].as_slice());
            let first = carry.groups.len();
            for (rows, going) in components(going, &complete[at], bonds) {
                let group = carry.groups.len();
                places.extend(
                    rows.iter().zip(carry.equations.len()..).map(|(&row, k)| ((at, row), (k, group))),
                );
                carry.push(rows, going);
            }
            carry.nodes.push(first..carry.groups.len());
        }
        for (at, begins) in begins[..ground].iter().enumerate() {
            let found =
                begins.iter().filter_map(|&(row, side)| Some((places.get(&(at, row))?.0, at, row, side)));
            carry.wrenches.extend(found);
        }
        for (at, slopes) in slopes.iter().enumerate() {
            for &(row, entry) in slopes {
                if let Some(&(place, _)) = places.get(&(at, row)) {
                    carry.slopes[place] = Some(entry);
                }
            }
        }
        for (i, link) in links.iter().enumerate() {
            for group in &mut carry.groups[carry.nodes[i].clone()] {
                for place in group.going() {
                    // What goes on is seen by the parent.
                    if let Some(&(lift, above)) = places.get(&(node(link.parent), carry.equations[place])) {
                        (carry.lifts[place], group.above) = (lift, above);
                    }
                }
            }
        }
        carry
    }

    fn push(&mut self, rows: Vec<usize>, going: usize) {
        let places = self.equations.len()..self.equations.len() + rows.len();
        let complete = rows.len() - going;
        let (square, factor) = (self.squares, self.factors);
        self.groups.push(Group { going, square, factor, above: 0, places: places.clone() });
        self.squares += rows.len() * rows.len();
        self.factors += complete * complete;
        self.equations.extend(rows);
        self.lifts.extend(places.clone());
        self.slopes.extend(places.map(|_| None));
    }
}

/// Splits the equations at a node into groups that share no carried link: each with the number of those that go on,
/// which stand first and all in one group, since the joint of the link ties them.
fn components<'a>(
    going: &[usize],
    complete: &[usize],
    bonds: impl Iterator<Item = &'a [usize]>,
) -> Vec<(Vec<usize>, usize)> {
    let rows: Vec<usize> = going.iter().chain(complete).copied().collect();
    let index: BTreeMap<usize, usize> = rows.iter().enumerate().map(|(k, &row)| (row, k)).collect();
    // A forest whose trees are the groups.
    let mut parent: Vec<usize> = (0..rows.len()).collect();
    let root = |parent: &[usize], mut k: usize| {
        while parent[k] != k {
            k = parent[k];
        }
        k
    };
    let mut tie = |tied: &[usize]| {
        let mut members = tied.iter().filter_map(|row| index.get(row).copied());
        let Some(first) = members.next() else { return };
        for member in members {
            let (a, b) = (root(&parent, first), root(&parent, member));
            // The smaller one stays the root, so that the group of what goes on comes first.
            parent[a.max(b)] = a.min(b);
        }
    };
    tie(going);
    bonds.for_each(&mut tie);
    let mut found: BTreeMap<usize, (Vec<usize>, usize)> = BTreeMap::new();
    for (k, &row) in rows.iter().enumerate() {
        let group = found.entry(root(&parent, k)).or_default();
        group.0.push(row);
        group.1 += usize::from(k < going.len());
    }
    found.into_values().collect()
}
