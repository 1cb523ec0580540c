//! Closing loops: bordered solve and projection.
//!
//! Redundant rows, such as the out-of-plane row of a planar four-bar, are dropped by the pivoted factorisation of the
//! Schur complement.

use gelenk_math::Real;
use gelenk_math::dense::{RANK_TOLERANCE, backward, cholesky, cholesky_known, forward, solve_pivoted};
use gelenk_system::{Fault, System};

use crate::data::Data;
use crate::loops::constraints::open_share;
use crate::loops::paths::Paths;
use crate::mechanism::Mechanism;

/// Iterations after which an open loop is a fault.
pub(crate) const ITERATIONS: usize = 50;
/// Gap, as a share of the size of what cancels in it, below which a loop counts as closed.
pub(crate) const CLOSED: f64 = 1e-13;
/// Share that rounding may leave.
pub(crate) const ROUNDED: f64 = 1e-10;
/// Iterations after which a state that is close to a closed one is not.
const FEW: usize = 8;

/// When a loop counts as closed: below a gap, or below the rounded one once it no longer shrinks, both as shares of its
/// size; and how long that is tried.
#[derive(Clone, Copy)]
struct Closed {
    gap: f64,
    rounded: f64,
    iterations: usize,
}

impl Mechanism {
    /// Solves `M a + C^T lambda = effort`, `C a = gamma`; factors the mass matrix in place. Refuses a velocity that
    /// moves no mass.
    pub(crate) fn solve_bordered<T: Real>(&self, d: &mut Data<T>) -> Result<(), usize> {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        cholesky(&mut d.mass, nv)?;
        d.acceleration.copy_from_slice(&d.effort);
        forward(&d.mass, nv, &mut d.acceleration);
        if nc > 0 {
            // With M = L L^T, y = L^-1 Q and H = L^-1 C^T: (H^T H) lambda = H^T y - gamma.
            let mut half = std::mem::take(&mut d.loops.half);
            self.constraint_matrix(d).write(&mut half);
            d.loops.half = half;
            for row in 0..nc {
                forward(&d.mass, nv, &mut d.loops.half[row * nv..(row + 1) * nv]);
            }
            gram(&d.loops.half, nc, nv, &mut d.loops.schur);
            for row in 0..nc {
                let mut sum = -d.loops.gamma[row];
                for k in 0..nv {
                    sum += d.loops.half[row * nv + k] * d.acceleration[k];
                }
                d.loops.lambda[row] = sum;
            }
            let rank = cholesky_known(d.loops.known_rank, &mut d.loops.schur, nc, &mut d.loops.pivots);
            d.loops.rank = rank;
            solve_pivoted(&d.loops.schur, nc, &d.loops.pivots, rank, &mut d.loops.lambda);
            for row in 0..nc {
                for k in 0..nv {
                    let share = d.loops.half[row * nv + k] * d.loops.lambda[row];
                    d.acceleration[k] -= share;
                }
            }
        }
        backward(&d.mass, nv, &mut d.acceleration);
        Ok(())
    }

    /// Two-stage projection (stelzner 3.6): the nearest closed positions, then the nearest velocities.
    ///
    /// `x` holds positions and velocities; returns the largest gap found at the start (m, or the excess of
    /// a quaternion norm).
    pub(crate) fn project_state(&self, d: &mut Data<f64>, t: f64, x: &mut [f64]) -> Result<f64, Fault> {
        self.project_until(d, t, x, Closed { gap: CLOSED, rounded: ROUNDED, iterations: ITERATIONS })
    }

    /// [`Self::project_state`] from close by, until no gap shrinks any more.
    pub(crate) fn project_tightly(&self, d: &mut Data<f64>, t: f64, x: &mut [f64]) -> Result<f64, Fault> {
        self.project_until(d, t, x, Closed { gap: 0.0, rounded: ROUNDED, iterations: FEW })
    }

    /// [`Self::project_state`] that takes a gap up to `rounded`, a share of its size, for closed once it no longer shrinks.
    pub(crate) fn project_to(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        rounded: f64,
    ) -> Result<f64, Fault> {
        self.project_until(d, t, x, Closed { gap: CLOSED, rounded, iterations: ITERATIONS })
    }

    fn project_until(&self, d: &mut Data<f64>, t: f64, x: &mut [f64], closed: Closed) -> Result<f64, Fault> {
        let mut drift = self.normalise(x);
        if self.layout.nc == 0 {
            return Ok(drift);
        }
        let (nq, nv, nc) = (self.layout.nq, self.layout.nv, self.layout.nc);
        let (q, rest) = x.split_at_mut(nq);
        let v = &mut rest[..nv];
        d.q_ref.copy_from_slice(q);
        let radian = d.loops.radian;
        let mut last = f64::INFINITY;
        for iteration in 0.. {
            d.load(self, t, q, v);
            self.kinematics(d);
            self.loop_rows(d);
            let gap = d.loops.gap.iter().fold(0.0f64, |max, g| max.max(g.abs()));
            if iteration == 0 {
                drift = drift.max(gap);
            }
            // A gap that no longer shrinks is at the rounding of the lengths involved, and as closed as it gets.
            let share = self.open_share(d);
            if share <= closed.gap || (share <= closed.rounded && share > 0.5 * last) {
                break;
            }
            last = share;
            if iteration == closed.iterations || !share.is_finite() {
                let worst = self.worst_loop(d);
                return Err(Fault::OpenLoop { element: worst, gap, iterations: iteration, t });
            }
            // dq = e - C^+ (C + C_q e) with e = q_N - q keeps to the point nearest to the start.
            let mut dv = std::mem::take(&mut d.dv);
            self.difference(q, &d.q_ref, &mut dv);
            for row in 0..nc {
                let moved: f64 = self.constraint_matrix(d).row(row).map(|(k, entry)| entry * dv[k]).sum();
                d.loops.lambda[row] = d.loops.gap[row] + moved;
            }
            self.least_norm_in(d, &mut dv, radian);
            self.retract(q, &dv, &mut d.q1);
            d.dv = dv;
            q.copy_from_slice(&d.q1);
        }
        d.loops.lambda.copy_from_slice(&d.loops.gap_rate);
        self.least_norm_in(d, v, radian);
        if radian != 1.0 || !d.loops.fixed.is_empty() {
            self.factor_gram(d);
        }
        Ok(drift)
    }

    /// `x -= C^T (C C^T)^-1 lambda`: the least correction that takes `lambda` out of the rows.
    pub(crate) fn least_norm(&self, d: &mut Data<f64>, x: &mut [f64]) {
        self.least_norm_in(d, x, 1.0);
    }

    /// The same where the square of a length (m^2) counts as much as a square radian.
    fn least_norm_in(&self, d: &mut Data<f64>, x: &mut [f64], radian: f64) {
        self.factor_gram_in(d, radian);
        let pattern = &self.loops.paths.gram.pattern;
        d.loops.gram.solve(pattern, &mut d.loops.lambda);
        for (row, &lambda) in d.loops.lambda.iter().enumerate() {
            for (k, entry) in self.constraint_matrix(d).row(row) {
                x[k] -= self.weight(d, k, radian) * entry * lambda;
            }
        }
    }

    /// How far a coordinate gives way where loops are closed: a square length `radian` (m^2) as much as a square radian, and
    /// nothing where it is fixed.
    fn weight<T: Real>(&self, d: &Data<T>, column: usize, radian: f64) -> f64 {
        match (d.loops.fixed.get(column), self.loops.lengths[column]) {
            (Some(true), _) => 0.0,
            (_, true) => radian,
            (_, false) => 1.0,
        }
    }

    /// Factors `C C^T`, without the row `d.loops.without` and rows of which less than the share `d.loops.floor` is left.
    pub(crate) fn factor_gram<T: Real>(&self, d: &mut Data<T>) {
        let fixed = std::mem::take(&mut d.loops.fixed);
        self.factor_gram_in(d, 1.0);
        d.loops.fixed = fixed;
    }

    /// The same where the square of a length (m^2) counts as much as a square radian.
    fn factor_gram_in<T: Real>(&self, d: &mut Data<T>, radian: f64) {
        let weighted = radian != 1.0 || !d.loops.fixed.is_empty();
        if !weighted || d.loops.floor == 0.0 {
            return self.factor_gram_without(d, radian, |d, row| match d.loops.without == Some(row) {
                true => f64::INFINITY,
                false => d.loops.floor * d.loops.row_size[row],
            });
        }
        // Near a singular position rows are dropped by their size, which is that of lengths as they are.
        self.factor_gram(d);
        d.loops.dropped.fill(true);
        for (row, _) in d.loops.gram.pivots(&self.loops.paths.gram.pattern) {
            d.loops.dropped[row] = false;
        }
        self.factor_gram_without(d, radian, |d, row| if d.loops.dropped[row] { f64::INFINITY } else { 0.0 });
    }

    /// The same without rows whose pivot is not above `floor`.
    fn factor_gram_without<T: Real>(
        &self,
        d: &mut Data<T>,
        radian: f64,
        floor: impl Fn(&Data<T>, usize) -> f64,
    ) {
        let Paths { rows, columns, gram, .. } = &self.loops.paths;
        let mut factor = std::mem::take(&mut d.loops.gram);
        let mut spread = std::mem::take(&mut d.loops.spread);
        let entries = &d.loops.rows;
        factor.clear();
        for (row, partners) in rows.iter().zip(&gram.partners) {
            let spread_out = columns[row.clone()].iter().zip(&entries[row.clone()]);
            spread_out
                .for_each(|(&column, entry)| spread[column] = self.weight(d, column, radian) * entry.re());
            for &(other, slot) in &gram.products[partners.clone()] {
                let other = rows[other].clone();
                let products = columns[other.clone()].iter().zip(&entries[other]);
                factor.put(slot, products.map(|(&column, entry)| spread[column] * entry.re()).sum());
            }
            columns[row.clone()].iter().for_each(|&column| spread[column] = 0.0);
        }
        factor.factor_above(&gram.pattern, |row| floor(d, row));
        (d.loops.gram, d.loops.spread) = (factor, spread);
    }

    /// Gives every quaternion its unit norm; returns the largest excess.
    pub(crate) fn normalise(&self, x: &mut [f64]) -> f64 {
        let mut worst = 0.0f64;
        for spin in &self.spins {
            let quaternion = &mut x[spin.q..spin.q + 4];
            let norm = quaternion.iter().map(|c| c * c).sum::<f64>().sqrt();
            worst = worst.max((norm - 1.0).abs());
            if norm > 0.0 {
                for c in quaternion {
                    *c /= norm;
                }
            }
        }
        worst
    }

    /// Names of the equations that depend on earlier ones where the workspace stands: a loop and the number of its row.
    ///
    /// Rows are looked at themselves as long as there is room for them: the product `C C^T` squares what separates a row
    /// that depends on others from one that nearly does, and rounding can hide it. The largest systems rely on it.
    pub(crate) fn redundant(&self, d: &mut Data<f64>) -> Vec<String> {
        let (nc, nv) = (self.layout.nc, self.layout.nv);
        let dropped = if nc * nv <= ROOM {
            dependent(&self.constraint_matrix(d).dense(), nc, nv)
        } else {
            self.factor_gram(d);
            d.loops.gram.dropped(&self.loops.paths.gram.pattern)
        };
        let owner = |row: usize| self.loops.iter().find(|l| l.rows.contains(&row));
        let name = |row: usize| {
            owner(row)
                .map(|l| format!("{} (equation {} of {})", l.name, row - l.rows.start + 1, l.rows.len()))
        };
        dropped.into_iter().filter_map(name).collect()
    }

    /// The loop that is most open for its size.
    pub(crate) fn worst_loop<T: Real>(&self, d: &Data<T>) -> String {
        let gap = |rows: &std::ops::Range<usize>| {
            open_share(rows.clone().map(|row| (d.loops.gap[row].re(), d.loops.gap_size[row])))
        };
        let worst = self.loops.iter().max_by(|a, b| gap(&a.rows).total_cmp(&gap(&b.rows)));
        worst.map(|closure| closure.name.clone()).unwrap_or_default()
    }
}

/// Entries of the rows that are compared with each other at most.
const ROOM: usize = 1 << 20;

/// Rows of an `nc x nv` matrix that depend on those before them, by orthogonalisation.
fn dependent(rows: &[f64], nc: usize, nv: usize) -> Vec<usize> {
    let mut basis = Basis::new(nv);
    (0..nc).filter(|row| !basis.take(&mut rows[row * nv..(row + 1) * nv].to_vec())).collect()
}

/// Orthogonal directions of rows of a given width; what stands behind it goes along.
pub(crate) struct Basis {
    width: usize,
    kept: Vec<Vec<f64>>,
}

impl Basis {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, kept: Vec::new() }
    }

    /// Takes all kept directions out of a row and keeps what is left of it; returns whether there is anything.
    pub(crate) fn take(&mut self, row: &mut [f64]) -> bool {
        let norm = |row: &[f64]| row[..self.width].iter().map(|x| x * x).sum::<f64>().sqrt();
        let whole = norm(row);
        // Twice is enough for orthogonality to rounding (Parlett, *The Symmetric Eigenvalue Problem*, 6.9).
        for other in self.kept.iter().chain(&self.kept) {
            let share: f64 = other[..self.width].iter().zip(&*row).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(x, a)| *x -= share * a);
        }
        let left = norm(row);
        let own = left > RANK_TOLERANCE.sqrt() * whole;
        if own {
            self.kept.push(row.iter().map(|x| x / left).collect());
        }
        own
    }
}

/// `rows rows^T` of an `nc x nv` matrix.
pub(crate) fn gram<T: Real>(rows: &[T], nc: usize, nv: usize, out: &mut [T]) {
    for a in 0..nc {
        for b in 0..=a {
            let mut sum = T::c(0.0);
            for k in 0..nv {
                sum += rows[a * nv + k] * rows[b * nv + k];
            }
            out[a * nc + b] = sum;
            out[b * nc + a] = sum;
        }
    }
}
