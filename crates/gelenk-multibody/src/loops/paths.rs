//! Paths of the constraints through the tree: which velocities an equation depends on, and how equations depend on
//! each other.
//!
//! A constraint between two frames sees only the joints between each of them and the link that carries both: beyond
//! that link they move alike.

use std::collections::BTreeSet;
use std::ops::Range;

use gelenk_math::sparse::{Pattern, Slot};

use crate::loops::Equation;
use crate::mechanism::{FrameInfo, Link};

/// The matrix `C_q` by rows: where its entries stand and what they are summed from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// Entries of every row, as ranges of `columns`.
    pub(crate) rows: Vec<Range<usize>>,
    /// Velocity of every entry, rising in each row.
    pub(crate) columns: Vec<usize>,
    /// Freedoms that each equation between frames passes, as ranges of `steps`.
    pub(crate) walks: Vec<Range<usize>>,
    pub(crate) steps: Vec<Step>,
    /// Entries that a step adds to through `F`, or that the slopes of a coupling go to, in their order.
    pub(crate) entries: Vec<usize>,
    /// Entries of each coupling, as ranges of `entries`; empty for other equations.
    pub(crate) slopes: Vec<Range<usize>>,
    pub(crate) gram: Gram,
}

/// A freedom on the way from one of the two frames.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// First or second frame.
    pub(crate) side: usize,
    pub(crate) link: usize,
    pub(crate) dof: usize,
    /// Range of [`Paths::entries`], one for each entry of the freedom's row of `F`.
    pub(crate) entries: Range<usize>,
}

/// Pattern of `C_q C_q^T`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gram {
    pub(crate) pattern: Pattern,
    /// Products of each row with itself and with no longer ones, as ranges of `products`.
    pub(crate) partners: Vec<Range<usize>>,
    /// The other row, and the place of the product.
    pub(crate) products: Vec<(usize, Slot)>,
}

/// Joints of a tree, as far as paths need them.
pub(crate) struct Joints<'a> {
    pub(crate) links: &'a [Link],
    pub(crate) frames: &'a [FrameInfo],
    /// Rows of `F` and the velocity of each of its entries.
    pub(crate) rows: &'a [Range<usize>],
    pub(crate) columns: &'a [usize],
    /// Number of links up to the ground.
    depths: Vec<usize>,
}

impl<'a> Joints<'a> {
    pub(crate) fn new(
        links: &'a [Link],
        frames: &'a [FrameInfo],
        rows: &'a [Range<usize>],
        columns: &'a [usize],
    ) -> Self {
        let mut depths: Vec<usize> = Vec::with_capacity(links.len());
        for link in links {
            depths.push(link.parent.map_or(1, |parent| depths[parent] + 1));
        }
        Self { links, frames, rows, columns, depths }
    }

    /// The link that carries both, or the ground.
    pub(crate) fn common(&self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        let (mut a, mut b) = (a?, b?);
        while a != b {
            let deeper = if self.depths[a] >= self.depths[b] { &mut a } else { &mut b };
            *deeper = self.links[*deeper].parent?;
        }
        Some(a)
    }

    /// Links from `link` towards the ground, up to and without `end`.
    pub(crate) fn climb(&self, link: Option<usize>, end: Option<usize>) -> impl Iterator<Item = usize> {
        let next = move |&link: &usize| self.links[link].parent.filter(|&parent| Some(parent) != end);
        std::iter::successors(link.filter(|&link| Some(link) != end), next)
    }
}

impl Paths {
    pub(crate) fn new(joints: &Joints, equations: &[Equation], nv: usize) -> Self {
        let mut paths = Self::default();
        for equation in equations {
            let (walk, first) = (paths.steps.len(), paths.columns.len());
            let mut columns: BTreeSet<usize> = BTreeSet::new();
            match equation.frames() {
                Some(frames) => {
                    let ends = frames.map(|frame| joints.frames[frame].link);
                    let carrier = joints.common(ends[0], ends[1]);
                    for (side, end) in ends.into_iter().enumerate() {
                        for link in joints.climb(end, carrier) {
                            for dof in joints.links[link].dofs.clone() {
                                columns.extend(&joints.columns[joints.rows[dof].clone()]);
                                paths.steps.push(Step { side, link, dof, entries: 0..0 });
                            }
                        }
                    }
                }
                None => columns.extend(equation.coordinates()),
            }
            paths.columns.extend(&columns);
            // Every column asked for is one of the row's.
            let place = |column: usize| first + columns.range(..column).count();
            let start = paths.entries.len();
            paths.entries.extend(equation.coordinates().map(place));
            paths.slopes.push(start..paths.entries.len());
            for step in &mut paths.steps[walk..] {
                let start = paths.entries.len();
                paths.entries.extend(joints.columns[joints.rows[step.dof].clone()].iter().map(|&c| place(c)));
                step.entries = start..paths.entries.len();
            }
            paths.rows.push(first..paths.columns.len());
            paths.walks.push(walk..paths.steps.len());
        }
        paths.gram = Gram::new(&paths.rows, &paths.columns, nv);
        paths
    }
}

impl Gram {
    fn new(rows: &[Range<usize>], columns: &[usize], nv: usize) -> Self {
        let mut users = vec![Vec::new(); nv];
        for (row, range) in rows.iter().enumerate() {
            for &column in &columns[range.clone()] {
                users[column].push(row);
            }
        }
        let mut pairs = BTreeSet::new();
        for rows in &users {
            for (k, &b) in rows.iter().enumerate() {
                pairs.extend(rows[..=k].iter().map(|&a| (a, b)));
            }
        }
        let pattern = Pattern::new(rows.len(), pairs.iter().copied());
        // The longer row is spread out, the shorter one read against it.
        let mut products = vec![Vec::new(); rows.len()];
        for &(a, b) in &pairs {
            let (long, short) = if rows[a].len() > rows[b].len() { (a, b) } else { (b, a) };
            if let Some(slot) = pattern.slot(a, b) {
                products[long].push((short, slot));
            }
        }
        let mut gram = Self { pattern, ..Self::default() };
        for products in products {
            let start = gram.products.len();
            gram.products.extend(products);
            gram.partners.push(start..gram.products.len());
        }
        gram
    }
}
