//! What an evaluation knows of the loops.

use gelenk_math::Lockstep;
use gelenk_math::sparse::Factor;
use gelenk_math::spatial::Wrench;

use super::carry::Carried;
use super::singular::Beside;
use crate::mechanism::Mechanism;

/// The workspace of the loops.
#[derive(Clone, Debug)]
pub(crate) struct LoopData<T: Lockstep> {
    /// Unit wrenches of each constraint equation on its two bodies, about the ground origin.
    pub(super) row_wrench: Vec<[Wrench<T>; 2]>,
    /// The same, also of equations across which nothing moves.
    pub(super) row_whole: Vec<[Wrench<T>; 2]>,
    /// Entries of the constraint rows over `v`, at the places of the mechanism's `paths`.
    pub(super) rows: Vec<T>,
    /// Right sides of the loop accelerations, loop velocities and loop gaps.
    pub(super) gamma: Vec<T>,
    /// What a solution leaves open of `gamma`, and its multipliers, while it is refined.
    pub(super) open: Vec<T>,
    pub(super) known: Vec<T>,
    pub(super) gap_rate: Vec<T>,
    /// Explicit rates of the constraints by the time.
    pub(super) gap_explicit: Vec<T>,
    pub(super) gap: Vec<T>,
    pub(super) lambda: Vec<T>,
    /// Scratch of the bordered solve: `L^-1 C^T` by rows of `C`, and the Schur complement. Empty like the mass matrix.
    pub(super) half: Vec<T>,
    pub(super) schur: Vec<T>,
    pub(super) pivots: Vec<usize>,
    /// Constraint equations in the articulated-body recursion.
    pub(super) carried: Carried<T>,
    /// Factor of `C C^T`, and a row of `C` spread out.
    pub(super) gram: Factor,
    pub(super) spread: Vec<f64>,
    /// Size of each row of `C` by its lever arms, however its joints stand; and the share of it below which the pivot of
    /// a row is dropped.
    pub(super) row_size: Vec<f64>,
    /// Size of what cancels in each gap of the loops, in the unit of the gap.
    pub(super) gap_size: Vec<f64>,
    pub(super) floor: f64,
    /// Coordinates that do not give way where loops are closed; empty where all do.
    pub(super) fixed: Vec<bool>,
    /// Rows that are dropped.
    pub(super) dropped: Vec<bool>,
    pub(super) without: Option<usize>,
    /// Square of the length (m^2) that counts as much as a radian where loops are closed.
    pub(super) radian: f64,
    /// Rank of the last bordered solve, and the one that it has but at singular positions, once that is known.
    pub(super) rank: usize,
    pub(super) known_rank: Option<usize>,
    pub(super) beside: Beside,
    /// Scratch of a partition: rows of `C` and their products. Empty where there is none.
    pub(super) split_rows: Vec<T>,
    pub(super) split_gram: Vec<T>,
}

impl<T: Lockstep> LoopData<T> {
    pub(crate) fn new(mechanism: &Mechanism) -> Self {
        let (layout, loops) = (mechanism.layout, &mechanism.loops);
        let (nv, nc) = (layout.nv, layout.nc);
        let vector = |n: usize| vec![T::of(0.0); n];
        let dense = |n: usize| vector(if mechanism.articulated { 0 } else { n });
        let split = |n: usize| vector(if loops.is_split() { n } else { 0 });
        Self {
            row_wrench: vec![[Wrench::zero(); 2]; nc],
            row_whole: vec![[Wrench::zero(); 2]; nc],
            rows: vector(loops.paths.columns.len()),
            gamma: vector(nc),
            open: vector(nc),
            known: vector(nc),
            gap_rate: vector(nc),
            gap_explicit: vector(nc),
            gap: vector(nc),
            lambda: vector(nc),
            half: dense(nc * nv),
            schur: dense(nc * nc),
            pivots: vec![0; nc],
            carried: Carried::new(loops.carry()),
            gram: Factor::new(&loops.paths.gram.pattern),
            spread: vec![0.0; if nc > 0 { nv } else { 0 }],
            row_size: vec![0.0; nc],
            gap_size: vec![0.0; nc],
            floor: 0.0,
            fixed: Vec::with_capacity(nv),
            dropped: vec![false; nc],
            without: None,
            radian: 1.0,
            rank: 0,
            known_rank: None,
            beside: Beside::new(&layout),
            split_rows: split(nc * nv),
            split_gram: split(nc * nc),
        }
    }

    /// Right sides of the loop accelerations.
    #[inline]
    pub(crate) fn gamma(&self) -> &[T] {
        &self.gamma
    }

    /// Gaps of the equations, and their rates.
    pub(crate) fn gaps(&self) -> [&[T]; 2] {
        [&self.gap, &self.gap_rate]
    }

    /// Explicit rates of the constraints by the time.
    #[inline]
    pub(crate) fn explicit_rates(&self) -> &[T] {
        &self.gap_explicit
    }

    /// Multipliers of the equations.
    #[inline]
    pub(crate) fn lambda(&self) -> &[T] {
        &self.lambda
    }

    /// The same to be changed.
    #[inline]
    pub(crate) fn lambda_mut(&mut self) -> &mut [T] {
        &mut self.lambda
    }

    /// Unit wrenches of an equation on its two bodies, about the ground origin.
    #[inline]
    pub(crate) fn wrenches(&self, row: usize) -> &[Wrench<T>; 2] {
        &self.row_wrench[row]
    }

    /// Forgets the ranks that were found.
    pub(crate) fn forget_ranks(&mut self) {
        self.carried.forget_ranks();
        self.known_rank = None;
    }

    /// Coordinates that do not give way where loops are closed; empty where all do.
    pub(crate) fn fixed_mut(&mut self) -> &mut Vec<bool> {
        &mut self.fixed
    }

    /// Square of the length (m^2) that counts as much as a radian where loops are closed.
    #[inline]
    pub(crate) fn radian(&self) -> f64 {
        self.radian
    }

    /// Sets it.
    pub(crate) fn set_radian(&mut self, radian: f64) {
        self.radian = radian;
    }
}
