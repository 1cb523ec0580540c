//! The loops of a mechanism.

use std::ops::{Deref, Range};

use gelenk_system::Param;

use super::carry::Carry;
use super::closing::{Closing, NO_SPLIT};
use super::paths::Paths;
use crate::mechanism::Function;

/// The loops of a mechanism, in order: what they tie, and how they are kept closed.
#[derive(Clone, Debug)]
pub(crate) struct Loops {
    pub(super) list: Vec<LoopInfo>,
    /// Equations of all loops, in order.
    pub(super) equations: Vec<Equation>,
    /// Their ways through the tree.
    pub(super) paths: Paths,
    /// What the articulated-body recursion carries, where it is used and there are loops.
    pub(super) carry: Option<Carry>,
    pub(super) closing: Closing,
    /// Where the memory watches the loops for singular positions.
    pub(super) watch: Range<usize>,
    /// Where the memory says which velocities are dependent, of a mechanism that is partitioned.
    pub(super) split: Range<usize>,
    /// Joints that are loops and elements.
    pub(super) replaced: Vec<Replaced>,
    /// Which velocities are those of lengths.
    pub(super) lengths: Vec<bool>,
}

impl Loops {
    /// Loops with their equations and ways.
    pub(crate) fn new(
        list: Vec<LoopInfo>,
        equations: Vec<Equation>,
        paths: Paths,
        carry: Option<Carry>,
        lengths: Vec<bool>,
    ) -> Self {
        let (closing, replaced) = (Closing::default(), Vec::new());
        Self { list, equations, paths, carry, closing, watch: 0..0, split: NO_SPLIT, replaced, lengths }
    }

    /// The same with places in the memory to watch for singular positions, and with joints that are loops.
    pub(crate) fn with(self, watch: Range<usize>, replaced: Vec<Replaced>) -> Self {
        Self { watch, replaced, ..self }
    }

    /// Equations of all loops, in order.
    #[inline]
    pub(crate) fn equations(&self) -> &[Equation] {
        &self.equations
    }

    /// What the articulated-body recursion carries, where it is used and there are loops.
    #[inline]
    pub(crate) fn carry(&self) -> Option<&Carry> {
        self.carry.as_ref()
    }

    /// Velocities of each equation, rising.
    pub(crate) fn pattern(&self) -> Vec<Vec<usize>> {
        self.paths.rows.iter().map(|range| self.paths.columns[range.clone()].to_vec()).collect()
    }

    /// Joints that are loops and elements.
    pub(crate) fn replaced(&self) -> &[Replaced] {
        &self.replaced
    }

    /// Where the memory watches the loops for singular positions.
    #[inline]
    pub(crate) fn watch(&self) -> Range<usize> {
        self.watch.clone()
    }

    /// Whether the velocities are partitioned.
    #[inline]
    pub(crate) fn is_split(&self) -> bool {
        !self.split.is_empty()
    }

    /// Whether a velocity is that of a length.
    #[inline]
    pub(crate) fn is_length(&self, velocity: usize) -> bool {
        self.lengths[velocity]
    }
}

impl Deref for Loops {
    type Target = [LoopInfo];

    #[inline]
    fn deref(&self) -> &[LoopInfo] {
        &self.list
    }
}

/// A joint that loops and elements have taken the place of.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    pub(crate) name: String,
    pub(crate) link: usize,
    pub(crate) loops: Vec<usize>,
    pub(crate) elements: Vec<usize>,
}

/// A loop with its equations.
#[derive(Clone, Debug)]
pub(crate) struct LoopInfo {
    pub(crate) name: String,
    pub(crate) rows: Range<usize>,
    /// Frame on the second body, where the reaction is told; `None` for a coupling of coordinates.
    pub(crate) frame: Option<usize>,
    /// Frames whose axes all have to point the same way. The equations also hold where they are half a turn apart.
    pub(crate) aligned: Option<[usize; 2]>,
    /// Unit of the effort of a coupling: J per unit of its expression.
    pub(crate) effort: String,
}

/// A scalar constraint equation.
#[derive(Clone, Debug)]
pub(crate) enum Equation {
    /// Two axes are perpendicular.
    Perpendicular { between: [usize; 2], axes: [usize; 2] },
    /// The second origin lies in the plane through the first one across an axis of the first frame. Three of them make
    /// the origins coincide; in axes that move along, the equations do not depend on what carries both bodies.
    Along { between: [usize; 2], axis: usize },
    /// The origins keep a distance.
    Distance { between: [usize; 2], length: Param },
    /// The second origin lies on an ellipsoid of the first frame.
    Ellipsoid { between: [usize; 2], radii: [Param; 3] },
    /// A function of coordinates and time vanishes.
    Coupling(Box<Function>),
}

impl Equation {
    /// The two frames that it ties; `None` for a coupling of coordinates.
    pub(crate) fn frames(&self) -> Option<[usize; 2]> {
        match *self {
            Self::Perpendicular { between, .. }
            | Self::Along { between, .. }
            | Self::Distance { between, .. }
            | Self::Ellipsoid { between, .. } => Some(between),
            Self::Coupling(_) => None,
        }
    }

    /// The coordinates that a coupling ties.
    pub(crate) fn coordinates(&self) -> impl Iterator<Item = usize> {
        let slopes = match self {
            Self::Coupling(function) => function.first.as_slice(),
            _ => &[],
        };
        slopes.iter().map(|(coordinate, _)| *coordinate)
    }
}
