//! A prescribed motion closed over the loops.
//!
//! Some coordinates are given over time; those that are not follow the loops. Positions are closed by Newton's method,
//! velocities and accelerations by one linear correction each, all of least norm over the coordinates that may move
//! (stelzner 3.6 with the rest held).

use gelenk_math::dense::{cholesky_pivoted, solve_pivoted};
use gelenk_system::Fault;

use crate::data::Data;
use crate::loops::projection::{CLOSED, ROUNDED};
use crate::mechanism::{LinkKind, Mechanism};

/// Iterations after which an open loop is a fault.
const ITERATIONS: usize = 50;
/// Relative size of a rate that the moving coordinates cannot take out of a loop.
pub(crate) const CONTRADICTION: f64 = 1e-8;

impl Mechanism {
    /// Number of loops; each has one or more equations.
    pub fn loop_count(&self) -> usize {
        self.loops.len()
    }

    /// The velocity components that belong to a position component: one of a coordinate or of the place of a free joint,
    /// three of a quaternion.
    pub fn velocities_at(&self, position: usize) -> std::ops::Range<usize> {
        for link in &self.links {
            if let LinkKind::Ball { spin, .. } | LinkKind::Free { spin, .. } = &link.kind {
                if (spin.q..spin.q + 4).contains(&position) {
                    return spin.v..spin.v + 3;
                }
                if let Some((q, v)) = spin.origin.filter(|(q, _)| (*q..q + 3).contains(&position)) {
                    return v + position - q..v + position - q + 1;
                }
            }
        }
        position..position + 1
    }

    /// Closes the loops at time `t` (s): moves positions `q`, velocities `v` and accelerations `a` by the least
    /// correction of the velocity components with `moves[k]`. Writes the largest gap of each loop before (m, or
    /// dimensionless for axes and ellipsoids) to `gaps`.
    ///
    /// # Errors
    /// Slices of the wrong length, and loops that cannot be closed so.
    #[allow(clippy::too_many_arguments)]
    pub fn follow(
        &self,
        d: &mut Data<f64>,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        a: &mut [f64],
        moves: &[bool],
        gaps: &mut [f64],
    ) -> Result<(), Fault> {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        self.lengths(&[
            ("q", q.len(), self.layout.nq),
            ("v", v.len(), nv),
            ("a", a.len(), nv),
            ("moves", moves.len(), nv),
            ("gaps", gaps.len(), self.loops.len()),
        ])?;
        self.normalise(q);
        if nc == 0 {
            return Ok(());
        }
        self.close(d, t, q, moves, Some(gaps))?;
        self.check_alignment(d, t)?;
        // Two passes each: the second one takes out what rounding left.
        for _ in 0..2 {
            self.evaluate_loops(d, t, q, v);
            let residual = d.loops.gap_rate.clone();
            self.take_out(d, moves, residual, v);
        }
        self.evaluate_loops(d, t, q, v);
        let scale = 1.0 + largest(v);
        self.contradiction(&d.loops.gap_rate, scale, "velocity", t)?;
        let mut residual = vec![0.0; nc];
        for pass in 0..3 {
            for (row, slot) in residual.iter_mut().enumerate() {
                *slot = self.along_row(d, row, a) - d.loops.gamma[row];
            }
            if pass < 2 {
                self.take_out(d, moves, residual.clone(), a);
            }
        }
        let scale = 1.0 + largest(a) + largest(&d.loops.gamma);
        self.contradiction(&residual, scale, "acceleration", t)
    }

    /// The positions nearest to `q` that close all loops, moving only where `moves` says.
    pub(crate) fn close(
        &self,
        d: &mut Data<f64>,
        t: f64,
        q: &mut [f64],
        moves: &[bool],
        mut gaps: Option<&mut [f64]>,
    ) -> Result<(), Fault> {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        let start = q.to_vec();
        let (still, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        let mut moved = q.to_vec();
        let mut last = f64::INFINITY;
        for iteration in 0.. {
            self.evaluate_loops(d, t, q, &still);
            if let Some(gaps) = gaps.take() {
                for (slot, closure) in gaps.iter_mut().zip(self.loops.iter()) {
                    *slot = largest(&d.loops.gap[closure.rows.clone()]);
                }
            }
            let (gap, share) = (largest(&d.loops.gap), self.open_share(d));
            if share <= CLOSED || (share <= ROUNDED && share > 0.5 * last) {
                break;
            }
            last = share;
            if iteration == ITERATIONS || !share.is_finite() {
                let element = self.worst_loop(d);
                if moves.iter().all(|&m| m) {
                    return Err(Fault::OpenLoop { element, gap, iterations: iteration, t });
                }
                let reason = format!(
                    "the given coordinates leave the loop open by {gap:.3e} m at t = {t} s; give fewer of them, so that \
                     others can follow, or all, so that the nearest closed motion is used"
                );
                return Err(Fault::Refused { element: format!("loop {element}"), reason });
            }
            // dq = e - C^+ (C + C_q e) with e = q_N - q keeps to the point nearest to the start.
            self.difference_origin(q, &start, &mut dv);
            for (step, &moves) in dv.iter_mut().zip(moves) {
                *step = if moves { *step } else { 0.0 };
            }
            let residual = (0..nc).map(|row| d.loops.gap[row] + self.along_row(d, row, &dv)).collect();
            self.take_out(d, moves, residual, &mut dv);
            self.retract_origin(q, &dv, &mut moved);
            q.copy_from_slice(&moved);
        }
        Ok(())
    }

    /// Refuses loops that are closed with their frames half a turn apart. Needs the kinematics.
    pub(crate) fn check_alignment(&self, d: &Data<f64>, t: f64) -> Result<(), Fault> {
        for closure in self.loops.iter() {
            let Some([a, b]) = closure.aligned else { continue };
            let Some(axis) = (0..3).find(|&k| self.axis(d, a, k).dot(&self.axis(d, b, k)) < 0.0) else {
                continue;
            };
            let reason = format!(
                "its frames are closed half a revolution apart at t = {t} s: their {} axes point in opposite \
                 directions; start within a quarter of a revolution of where they coincide, or rotate one of the frames",
                ["x", "y", "z"][axis]
            );
            return Err(Fault::Refused { element: format!("loop {}", closure.name), reason });
        }
        Ok(())
    }

    pub(crate) fn evaluate_loops(&self, d: &mut Data<f64>, t: f64, q: &[f64], v: &[f64]) {
        d.load_origin(self, t, q, v);
        self.kinematics(d);
        self.loop_rows(d);
    }

    /// A row of `C` times a vector.
    fn along_row(&self, d: &Data<f64>, row: usize, x: &[f64]) -> f64 {
        self.constraint_matrix(d).row(row).map(|(k, entry)| entry * x[k]).sum()
    }

    /// `x -= C^+ residual` over the components that may move: of least norm where they are at least as many as the
    /// equations, by least squares where they are fewer.
    pub(crate) fn take_out(&self, d: &Data<f64>, moves: &[bool], mut residual: Vec<f64>, x: &mut [f64]) {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        let rows = self.constraint_matrix(d).dense();
        let moving: Vec<usize> = (0..nv).filter(|&k| moves[k]).collect();
        if moving.len() < nc {
            let along = |k: usize, value: &dyn Fn(usize) -> f64| {
                (0..nc).map(|row| rows[row * nv + k] * value(row)).sum::<f64>()
            };
            let n = moving.len();
            let (mut gram, mut pivots) = (vec![0.0; n * n], vec![0; n]);
            for (i, &a) in moving.iter().enumerate() {
                for (j, &b) in moving.iter().enumerate() {
                    gram[i * n + j] = along(a, &|row| rows[row * nv + b]);
                }
            }
            let mut step: Vec<f64> = moving.iter().map(|&k| along(k, &|row| residual[row])).collect();
            let rank = cholesky_pivoted(&mut gram, n, &mut pivots);
            solve_pivoted(&gram, n, &pivots, rank, &mut step);
            moving.iter().zip(step).for_each(|(&k, step)| x[k] -= step);
            return;
        }
        let (mut gram, mut pivots) = (vec![0.0; nc * nc], vec![0; nc]);
        for a in 0..nc {
            for b in 0..nc {
                gram[a * nc + b] = moving.iter().map(|&k| rows[a * nv + k] * rows[b * nv + k]).sum();
            }
        }
        let rank = cholesky_pivoted(&mut gram, nc, &mut pivots);
        solve_pivoted(&gram, nc, &pivots, rank, &mut residual);
        for (row, &multiplier) in residual.iter().enumerate() {
            for &k in &moving {
                x[k] -= rows[row * nv + k] * multiplier;
            }
        }
    }

    fn contradiction(&self, residual: &[f64], scale: f64, what: &str, t: f64) -> Result<(), Fault> {
        let size = |rows: &std::ops::Range<usize>| largest(&residual[rows.clone()]);
        let worst = self.loops.iter().max_by(|a, b| size(&a.rows).total_cmp(&size(&b.rows)));
        match worst.filter(|closure| size(&closure.rows) > CONTRADICTION * scale) {
            None => Ok(()),
            Some(closure) => Err(Fault::Refused {
                element: format!("loop {}", closure.name),
                reason: format!(
                    "the given motion contradicts it by a {what} of {:.3e} (SI) at t = {t} s; give fewer coordinates",
                    size(&closure.rows)
                ),
            }),
        }
    }
}

/// Largest magnitude.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |max, x| if x.is_nan() { f64::NAN } else { f64::max(max, x.abs()) })
}
