//! Following a branch of the loops: dependent coordinates as functions of one coordinate.
//!
//! Euler steps along the tangent `dU/da = -C_U^+ C_a`, Newton's method back onto the loops. A step is cut where the
//! iteration fails or ends far from where the tangent pointed, so that it cannot jump to another branch.

use gelenk_math::dense::{cholesky_pivoted, solve_pivoted};
use gelenk_system::{Fault, System};
use thiserror::Error;

use crate::data::Data;
use crate::loops::constraints::open_share;
use crate::mechanism::Mechanism;

/// Newton iterations of a step.
const ITERATIONS: usize = 15;
/// Largest gap of a followed point, as a share of its size.
const CLOSED: f64 = 1e-11;
/// Share of a step by which Newton's method may correct it.
const CORRECTION: f64 = 0.3;
/// Share of the whole range below which a step is given up.
const SMALLEST: f64 = 1e-7;
/// An entry of the loops' rows that counts as none.
const NOTHING: f64 = 1e-9;

/// Dependent coordinates over one coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Values of the coordinate that was moved.
    pub at: Vec<f64>,
    /// Values of each dependent coordinate there.
    pub values: Vec<Vec<f64>>,
    /// Slope of each dependent coordinate at both ends.
    pub slopes: Vec<[f64; 2]>,
    /// Names of the loops that the functions stand for.
    pub loops: Vec<String>,
}

/// Loops that do not make the coordinates functions of one.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SweepError {
    /// The mechanism cannot be assembled.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// No loop moves with a coordinate, or the loops leave it free.
    #[error(
        "the loops do not determine {coordinate} at {over} = {at}: determine it by a loop, or omit its joint"
    )]
    Undetermined {
        /// The dependent coordinates.
        coordinate: String,
        /// The coordinate that is moved.
        over: String,
        /// Its value (rad or m).
        at: f64,
    },
    /// A loop depends on more than one independent coordinate.
    #[error("loop {closure} also moves with {other}; name its joint, too, or fix it")]
    Another {
        /// The loop.
        closure: String,
        /// The other coordinate.
        other: String,
    },
    /// A loop moves with time.
    #[error("loop {closure} moves with time")]
    Rheonomic {
        /// The loop.
        closure: String,
    },
    /// The branch ends.
    #[error(
        "the loops cannot be followed beyond {over} = {at} (SI): they lock there or branch; sweep a shorter range"
    )]
    Lost {
        /// The coordinate that is moved.
        over: String,
        /// The last value (rad or m).
        at: f64,
    },
}

impl Mechanism {
    /// Follows the loops from the assembled start while coordinate `over` goes through the rising values `at`, solving
    /// them for the coordinates `dependent` (indices in the order of [`Self::coordinate_names`]); all others stay.
    ///
    /// # Errors
    /// Loops that leave a dependent coordinate free, that depend on further coordinates, or that cannot be followed.
    pub fn sweep(
        &self,
        d: &mut Data<f64>,
        over: usize,
        dependent: &[usize],
        at: &[f64],
    ) -> Result<Sweep, SweepError> {
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(d, &mut x, &mut m)?;
        x[self.layout.v()].fill(0.0);
        let (q, v) = x[..self.layout.nq + self.layout.nv].split_at(self.layout.nq);
        self.constraints(d, 0.0, q, v);
        let touched = |closure: &crate::loops::LoopInfo| {
            closure.rows.clone().any(|row| dependent.iter().any(|&k| self.entry(d, row, k).abs() > NOTHING))
        };
        let loops: Vec<_> = self.loops.iter().filter(|closure| touched(closure)).collect();
        let rows: Vec<usize> = loops.iter().flat_map(|closure| closure.rows.clone()).collect();
        let range = at.last().copied().unwrap_or(0.0) - at.first().copied().unwrap_or(0.0);
        let mut walk = Walk { mechanism: self, d, over, dependent, rows, range: range.abs(), v: v.to_vec() };
        let mut values = vec![vec![0.0; at.len()]; dependent.len()];
        let mut slopes = vec![[0.0; 2]; dependent.len()];
        let here = q[over];
        let first_above = at.partition_point(|&value| value < here);
        let upward: Vec<usize> = (first_above..at.len()).collect();
        let downward: Vec<usize> = (0..first_above).rev().collect();
        for indices in [upward, downward] {
            let mut q = q.to_vec();
            for index in indices {
                walk.go(&mut q, at[index])?;
                for (value, &k) in values.iter_mut().zip(dependent) {
                    value[index] = q[k];
                }
                for (end, place) in [0, at.len() - 1].into_iter().enumerate() {
                    if index == place {
                        let tangent = walk.tangent(&q)?;
                        slopes.iter_mut().zip(tangent).for_each(|(slope, t)| slope[end] = t);
                    }
                }
            }
        }
        let loops = loops.iter().map(|closure| closure.name.clone()).collect();
        Ok(Sweep { at: at.to_vec(), values, slopes, loops })
    }

    fn entry(&self, d: &Data<f64>, row: usize, column: usize) -> f64 {
        self.constraint_matrix(d).row(row).find(|(k, _)| *k == column).map_or(0.0, |(_, entry)| entry)
    }
}

struct Walk<'a> {
    mechanism: &'a Mechanism,
    d: &'a mut Data<f64>,
    over: usize,
    dependent: &'a [usize],
    rows: Vec<usize>,
    range: f64,
    /// Zero velocities.
    v: Vec<f64>,
}

impl Walk<'_> {
    fn name(&self) -> String {
        self.mechanism.velocity_name(self.over).to_owned()
    }

    /// Evaluates the loops; the largest gap of those that count, as a share of its size.
    fn evaluate(&mut self, q: &[f64]) -> f64 {
        self.mechanism.constraints(self.d, 0.0, q, &self.v);
        open_share(self.rows.iter().map(|&row| (self.d.loops.gap[row], self.d.loops.gap_size[row])))
    }

    /// Least-squares solution of `C_U u = right` at the evaluated point; `None` where it is not unique.
    fn solve(&mut self, right: impl Fn(&Data<f64>, usize) -> f64) -> Option<Vec<f64>> {
        let n = self.dependent.len();
        let (mut gram, mut u, mut order) = (vec![0.0; n * n], vec![0.0; n], vec![0; n]);
        for &row in &self.rows {
            let entry = |k: usize| self.mechanism.entry(self.d, row, self.dependent[k]);
            for i in 0..n {
                u[i] += entry(i) * right(self.d, row);
                for k in 0..n {
                    gram[i * n + k] += entry(i) * entry(k);
                }
            }
        }
        let rank = cholesky_pivoted(&mut gram, n, &mut order);
        solve_pivoted(&gram, n, &order, rank, &mut u);
        (rank == n).then_some(u)
    }

    /// `dU/da`, after a look at what else the loops depend on.
    fn tangent(&mut self, q: &[f64]) -> Result<Vec<f64>, SweepError> {
        self.evaluate(q);
        let mechanism = self.mechanism;
        for closure in mechanism.loops.iter() {
            for row in closure.rows.clone().filter(|row| self.rows.contains(row)) {
                let other = |k: &usize| *k != self.over && !self.dependent.contains(k);
                let moved = (0..self.v.len())
                    .filter(other)
                    .find(|&k| mechanism.entry(self.d, row, k).abs() > NOTHING);
                if let Some(k) = moved {
                    let other = mechanism.velocity_name(k).to_owned();
                    return Err(SweepError::Another { closure: closure.name.clone(), other });
                }
                if self.d.loops.gap_explicit[row] != 0.0 {
                    return Err(SweepError::Rheonomic { closure: closure.name.clone() });
                }
            }
        }
        let over = self.over;
        let slope = self.solve(|d, row| -mechanism.entry(d, row, over));
        slope.ok_or_else(|| SweepError::Undetermined {
            coordinate: self
                .dependent
                .iter()
                .map(|&k| mechanism.velocity_name(k))
                .collect::<Vec<_>>()
                .join(", "),
            over: self.name(),
            at: q[over],
        })
    }

    /// Moves `q` along the branch until the coordinate has the value `goal`.
    fn go(&mut self, q: &mut Vec<f64>, goal: f64) -> Result<(), SweepError> {
        let mut step = goal - q[self.over];
        loop {
            let tangent = self.tangent(q)?;
            let mut trial = q.clone();
            trial[self.over] =
                if (goal - q[self.over]).abs() <= step.abs() { goal } else { q[self.over] + step };
            let h = trial[self.over] - q[self.over];
            for (&k, slope) in self.dependent.iter().zip(&tangent) {
                trial[k] += h * slope;
            }
            let predicted = trial.clone();
            let largest = tangent.iter().fold(0.0f64, |max, slope| max.max((h * slope).abs()));
            let admitted = CORRECTION * largest + 0.05 * h.abs() + 1e-9;
            // The first point may lie on the start itself, off by what the start was rounded to.
            let admitted = if h == 0.0 { f64::INFINITY } else { admitted };
            let (over, dependent) = (self.over, self.dependent);
            let closed = self.correct(&mut trial, dependent);
            let offset = dependent.iter().map(|&k| (trial[k] - predicted[k]).abs()).fold(0.0, f64::max);
            if closed && offset <= admitted {
                *q = trial;
                if q[over] == goal {
                    return Ok(());
                }
                step = 2.0 * h;
            } else {
                step = 0.5 * h;
                if step.abs() < SMALLEST * self.range.max(1e-9) {
                    return Err(SweepError::Lost { over: self.name(), at: q[over] });
                }
            }
        }
    }

    /// Newton's method on the dependent coordinates; whether the loops are closed then.
    fn correct(&mut self, q: &mut [f64], dependent: &[usize]) -> bool {
        for _ in 0..ITERATIONS {
            let gap = self.evaluate(q);
            let Some(u) = self.solve(|d, row| -d.loops.gap[row]) else { return false };
            let mut change = 0.0f64;
            for (&k, u) in dependent.iter().zip(&u) {
                q[k] += u;
                change = change.max(u.abs() / (1.0 + q[k].abs()));
            }
            if !gap.is_finite() {
                return false;
            }
            if change < 1e-15 {
                break;
            }
        }
        self.evaluate(q) < CLOSED
    }
}
