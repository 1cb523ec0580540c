//! How loops are kept closed while a mechanism runs in continuous mode (stelzner 3.6).
//!
//! The equations of motion hold the loops at acceleration level, `C_q a = gamma`. Alone that lets positions and
//! velocities drift. Partitioning splits the velocities by a column-pivoted elimination of `C_q` into dependent and
//! independent ones. The split stands in the memory, so that an evaluation stays pure in state and memory; it is
//! looked at again after every accepted step.

use std::ops::Range;

use gelenk_math::Real;
use gelenk_math::dense::{cholesky_pivoted, solve_pivoted};
use gelenk_system::{Fault, System};

use crate::data::Data;
use crate::loops::projection::{CLOSED, ITERATIONS, ROUNDED, gram};
use crate::mechanism::Mechanism;

/// A pivot below this share of the largest one ends the elimination.
const RANK: f64 = 1e-9;
/// The split is made anew once its smallest pivot falls below this share of what a free choice would have. A new split
/// costs nothing but the look at it, while dependent coordinates near a singular pivot cost accuracy.
const WORN: f64 = 0.8;

/// How loops are kept closed. The initial state is closed in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Closing {
    /// Two-stage projection of every accepted step onto the nearest closed state.
    #[default]
    Project,
    /// Baumgarte's stabilisation: `C_q a = gamma - 2 alpha dC/dt - beta^2 C`, no projection. Gaps decay like a damped
    /// oscillator; with `alpha = beta` as fast as without overshoot.
    Baumgarte {
        /// Damping of the gaps (1/s).
        alpha: f64,
        /// Frequency of the gaps (rad/s).
        beta: f64,
    },
    /// Coordinate partitioning: every evaluation first solves the loops for the dependent coordinates, then for their
    /// velocities, with the independent ones held. What is integrated is an ODE in the independent coordinates.
    Partition,
    /// Nothing: the index-1 equations alone, whose loops drift open with the square of time.
    None,
}

impl Closing {
    /// Baumgarte's method with gaps that decay in 0.1 s.
    pub const BAUMGARTE: Self = Self::Baumgarte { alpha: 10.0, beta: 10.0 };

    /// Name in files and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Baumgarte { .. } => "baumgarte",
            Self::Partition => "partition",
            Self::None => "none",
        }
    }
}

impl Mechanism {
    /// How the loops are kept closed.
    pub fn closing(&self) -> Closing {
        self.loops.closing
    }

    /// Chooses how the loops are kept closed. It may change the size of the memory, so it comes before any run.
    pub fn set_closing(&mut self, closing: Closing) {
        self.layout.nm -= self.loops.split.len();
        self.loops.closing = closing;
        let flags = if closing == Closing::Partition && self.layout.nc > 0 { self.layout.nv } else { 0 };
        self.loops.split = self.layout.nm..self.layout.nm + flags;
        self.layout.nm += flags;
    }

    /// Names of the velocities that a partition made at the evaluated state leaves independent.
    pub(crate) fn independent(&self, d: &mut Data<f64>) -> Vec<String> {
        let mut flags = vec![0.0; self.layout.nv];
        d.loops.split_rows.resize(self.layout.nc * self.layout.nv, 0.0);
        self.eliminate(d, None, Some(&mut flags));
        let free = flags.iter().zip(&self.velocity_names).filter(|(flag, _)| **flag == 0.0);
        free.map(|(_, name)| name.clone()).collect()
    }

    /// Adds Baumgarte's terms to the right sides of the loops. Needs the loop rows.
    pub(crate) fn stabilise<T: Real>(&self, d: &mut Data<T>) {
        let Closing::Baumgarte { alpha, beta } = self.loops.closing else { return };
        let (damping, stiffness) = (T::c(2.0 * alpha), T::c(beta * beta));
        for row in 0..self.layout.nc {
            let pull = damping * d.loops.gap_rate[row] + stiffness * d.loops.gap[row];
            d.loops.gamma[row] -= pull;
        }
    }

    /// Refuses a method that the stepped mode has no use for.
    pub(crate) fn check_closing(&self, stepped: bool) -> Result<(), Fault> {
        let known = matches!(self.loops.closing, Closing::Project | Closing::None);
        if known || !stepped || self.layout.nc == 0 {
            return Ok(());
        }
        let reason = format!(
            "loops = \"{}\" is for continuous methods; the stepped method solves the velocities of the loops in \
             every step and accepts loops = \"project\" or \"none\"",
            self.loops.closing.name()
        );
        Err(Fault::Refused { element: "solver".into(), reason })
    }

    /// Closes an accepted state as the method says; returns how far it was off.
    pub(crate) fn close_state(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<f64, Fault> {
        match self.loops.closing {
            Closing::Project => self.project_on_branch(d, t, x, m),
            Closing::Baumgarte { .. } | Closing::None => {
                let drift = self.normalise(x);
                let gaps = self.constraints(d, t, &x[self.layout.q()], &x[self.layout.v()]).gap;
                let drift = gaps.iter().fold(drift, |max, gap| max.max(gap.abs()));
                self.watch_state(d, t, x, m)?;
                Ok(drift)
            }
            Closing::Partition => {
                let drift = self.normalise(x);
                if self.layout.nc == 0 {
                    return Ok(drift);
                }
                let layout = self.layout;
                self.constraints(d, t, &x[layout.q()], &x[layout.v()]);
                if let Some(gap) = self.watch_state(d, t, x, m)? {
                    self.resplit(d, m);
                    return Ok(drift.max(gap));
                }
                let gap = self.close_dependent(d, m)?;
                let (q, v) = d.state.split_at(layout.nq);
                x[layout.q()].copy_from_slice(q);
                x[layout.v()].copy_from_slice(v);
                self.resplit(d, m);
                Ok(drift.max(gap))
            }
        }
    }

    /// Splits the velocities at the loaded state; needs its loop rows.
    pub(crate) fn make_split(&self, d: &mut Data<f64>, m: &mut [f64]) {
        if let Some(flags) = m.get_mut(self.loops.split.clone()).filter(|flags| !flags.is_empty()) {
            self.eliminate(d, None, Some(flags));
        }
    }

    /// Splits anew where the present split has become worse than it needs to be.
    fn resplit(&self, d: &mut Data<f64>, m: &mut [f64]) {
        let (free_rank, free) = self.eliminate(d, None, None);
        let (rank, pivot) = self.eliminate(d, Some(&m[self.loops.split.clone()]), None);
        if rank != free_rank || pivot < WORN * free {
            self.make_split(d, m);
        }
    }

    /// Gaussian elimination of the loop rows with complete pivoting, among the columns flagged in `among` or among all;
    /// flags the columns of the pivots. Returns rank and smallest pivot.
    fn eliminate(
        &self,
        d: &mut Data<f64>,
        among: Option<&[f64]>,
        mut flags: Option<&mut [f64]>,
    ) -> (usize, f64) {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        if let Some(flags) = flags.as_deref_mut() {
            flags.fill(0.0);
        }
        let mut half = std::mem::take(&mut d.loops.split_rows);
        self.constraint_matrix(d).write(&mut half);
        let pivots = &mut d.loops.pivots;
        let (mut rank, mut largest, mut smallest) = (0, 0.0f64, f64::INFINITY);
        // The first `rank` entries of `pivots` are the rows used so far; used columns are cleared by the elimination.
        for (i, slot) in pivots.iter_mut().enumerate() {
            *slot = i;
        }
        while rank < nc.min(nv) {
            let (mut place, mut column, mut value) = (rank, 0, 0.0f64);
            for i in rank..nc {
                for k in 0..nv {
                    let entry = half[pivots[i] * nv + k].abs();
                    if entry > value && among.is_none_or(|among| among[k] != 0.0) {
                        (place, column, value) = (i, k, entry);
                    }
                }
            }
            if value <= RANK * largest || value == 0.0 {
                break;
            }
            largest = largest.max(value);
            smallest = smallest.min(value);
            pivots.swap(rank, place);
            let pivot = pivots[rank];
            for &row in &pivots[rank + 1..nc] {
                let factor = half[row * nv + column] / half[pivot * nv + column];
                for k in 0..nv {
                    half[row * nv + k] -= factor * half[pivot * nv + k];
                }
                half[row * nv + column] = 0.0;
            }
            if let Some(flags) = flags.as_deref_mut() {
                flags[column] = 1.0;
            }
            rank += 1;
        }
        d.loops.split_rows = half;
        (rank, smallest)
    }

    /// Solves the loops for the dependent coordinates and velocities of the loaded state, in place; returns the gap at the
    /// start.
    ///
    /// Newton's method runs in the scalar `T`, and takes one step more once the values have converged: that step gives
    /// the derivatives of the implicit function.
    pub(crate) fn close_dependent<T: Real>(&self, d: &mut Data<T>, m: &[f64]) -> Result<f64, Fault> {
        let (nq, nv) = (self.layout.nq, self.layout.nv);
        let t = d.table[0];
        let (mut first, mut closed, mut last) = (0.0, false, f64::INFINITY);
        for iteration in 0.. {
            self.kinematics(d);
            self.loop_rows(d);
            if closed {
                break;
            }
            let gap = d.loops.gap.iter().fold(0.0f64, |max, gap| max.max(gap.re().abs()));
            if iteration == 0 {
                first = gap;
            }
            let share = self.open_share(d);
            closed = share <= CLOSED || (share <= ROUNDED && share > 0.5 * last);
            last = share;
            if !closed && (iteration == ITERATIONS || !share.is_finite()) {
                let element = self.worst_loop(d);
                return Err(Fault::OpenLoop { element, gap, iterations: iteration, t: t.re() });
            }
            d.loops.lambda.copy_from_slice(&d.loops.gap);
            self.dependent_step(d, m);
            self.retract(&d.state[..nq], &d.dv, &mut d.q1);
            d.state[..nq].copy_from_slice(&d.q1);
            d.load_again(self);
        }
        d.loops.lambda.copy_from_slice(&d.loops.gap_rate);
        self.dependent_step(d, m);
        for k in 0..nv {
            d.state[nq + k] += d.dv[k];
        }
        d.load_again(self);
        Ok(first)
    }

    /// `C_q dv = -lambda` with the independent velocities held, into `d.dv`.
    fn dependent_step<T: Real>(&self, d: &mut Data<T>, m: &[f64]) {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        let flags = &m[self.loops.split.clone()];
        let mut rows = std::mem::take(&mut d.loops.split_rows);
        self.constraint_matrix(d).write(&mut rows);
        for (entry, flag) in rows.iter_mut().zip(flags.iter().cycle()) {
            if *flag == 0.0 {
                *entry = T::c(0.0);
            }
        }
        gram(&rows, nc, nv, &mut d.loops.split_gram);
        let rank = cholesky_pivoted(&mut d.loops.split_gram, nc, &mut d.loops.pivots);
        solve_pivoted(&d.loops.split_gram, nc, &d.loops.pivots, rank, &mut d.loops.lambda);
        for k in 0..nv {
            let mut sum = T::c(0.0);
            for row in 0..nc {
                sum -= rows[row * nv + k] * d.loops.lambda[row];
            }
            d.dv[k] = sum;
        }
        d.loops.split_rows = rows;
    }
}

/// Place of the split in the memory of a mechanism that is not partitioned.
pub(crate) const NO_SPLIT: Range<usize> = 0..0;
