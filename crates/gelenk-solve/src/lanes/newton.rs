//! Implicit Euler in lockstep: Newton's method on the residual of a step, as [`crate::newton`] has it for one run.
//!
//! A lane that has its root waits for the others. One whose iteration fails, or would cross a falling branch, is left to a
//! single run, which cuts the step.

use gelenk_math::{Blend, Lockstep, Mask, Slope};
use gelenk_system::{Effort, InLanes, LaneTrial};

use super::{Answers, WIDTH, Wide};
use crate::newton::{HALVINGS, ITERATIONS, TOLERANCE};

/// Numbers with a derivative by one unknown.
type Varied = Slope<WIDTH>;

/// Unknowns and workspace of the iteration.
pub(super) struct Newton<S: InLanes> {
    plain: S::LaneData<Wide>,
    varied: S::LaneData<Varied>,
    p: Vec<Varied>,
    /// Velocities after the step, those that are tried, and the change that is wanted.
    y: Vec<Wide>,
    trial_y: Vec<Wide>,
    delta: Vec<Wide>,
    /// Residual and Jacobian at the point that was looked at last.
    r: Vec<Wide>,
    a: Vec<Wide>,
    /// The factor of the Jacobian.
    lu: Vec<Wide>,
    v: Vec<Varied>,
    out: Vec<Varied>,
    weight: Vec<Wide>,
}

impl<S: InLanes> Newton<S> {
    pub(super) fn new(system: &S) -> Self {
        let n = system.layout().nv;
        let (wide, varied) = (|n: usize| vec![Wide::of(0.0); n], |n: usize| vec![Varied::of(0.0); n]);
        Self {
            plain: system.lane_data(),
            varied: system.lane_data(),
            p: varied(system.parameters().len()),
            y: wide(n),
            trial_y: wide(n),
            delta: wide(n),
            r: wide(n),
            a: wide(n * n),
            lu: wide(n * n),
            v: varied(n),
            out: varied(n),
            weight: wide(n),
        }
    }

    pub(super) fn bind(&mut self, system: &S, p: &[Wide]) {
        system.bind_lanes(&mut self.plain, p);
        self.p.iter_mut().zip(p).for_each(|(own, &p)| *own = Varied::fixed(p));
        system.bind_lanes(&mut self.varied, &self.p);
    }

    /// Takes a step from the first to the second time (s) with the lanes that are `running`: writes states and memories after it,
    /// and returns the lanes that cannot take it.
    pub(super) fn step(
        &mut self,
        system: &S,
        [t, end]: [f64; 2],
        [x, m]: [&[Wide]; 2],
        [x1, m1]: [&mut [Wide]; 2],
        running: Answers,
    ) -> Answers {
        // The length as single runs find it.
        let h = (t + (end - t)) - t;
        let trial = LaneTrial { t, h, x, m, effort: Effort::Mean };
        let mut failed = self.solve(system, &trial, running);
        if system.accept_lanes(&mut self.plain, &trial, &self.y, x1, m1).is_err() {
            failed = Answers::of(true);
        }
        failed
    }

    /// Iterates to the end of the step; returns the lanes that have not come there.
    fn solve(&mut self, system: &S, trial: &LaneTrial<'_, Wide>, running: Answers) -> Answers {
        let (mut active, mut failed) = (running, !running);
        self.y.copy_from_slice(&trial.x[system.layout().v()]);
        self.trial_y.copy_from_slice(&self.y);
        if !self.linearise(system, trial) {
            return Answers::of(true);
        }
        self.weigh();
        for _ in 0..ITERATIONS {
            let positive = self.newton_step();
            let merit = self.merit();
            let lost = active & !(positive & merit.finite());
            (active, failed) = (active & !lost, failed | lost);
            // A change that is tiny is the last one: the residual cannot fall any more.
            self.try_share(active, Wide::of(1.0));
            let root = active & self.tiny();
            for (y, &trial) in self.y.iter_mut().zip(&self.trial_y) {
                *y = Wide::blend(root, trial, *y);
            }
            active = active & !root;
            if !active.any() {
                return failed;
            }
            let lost = self.search(system, trial, active, merit);
            (active, failed) = (active & !lost, failed | lost);
        }
        failed | active
    }

    /// Takes the largest share of the change that reduces the residual, and linearises there; returns the lanes in which none
    /// does.
    fn search(&mut self, system: &S, trial: &LaneTrial<'_, Wide>, active: Answers, merit: Wide) -> Answers {
        let (mut pending, mut share) = (active, Wide::of(1.0));
        for _ in 0..HALVINGS {
            if !self.linearise(system, trial) {
                return pending;
            }
            let falls = self.merit().at_most(merit * (Wide::of(1.0) - Wide::of(1e-4) * share));
            pending = pending & !(falls | self.tiny());
            if !pending.any() {
                break;
            }
            share = Wide::blend(pending, share * Wide::of(0.5), share);
            self.try_share(pending, share);
        }
        for (y, &trial) in self.y.iter_mut().zip(&self.trial_y) {
            *y = Wide::blend(active, trial, *y);
        }
        pending
    }

    /// The velocities that are tried: `y` less a share of the change in those lanes.
    fn try_share(&mut self, which: Answers, share: Wide) {
        for ((trial, &y), &delta) in self.trial_y.iter_mut().zip(&self.y).zip(&self.delta) {
            let base = Wide::blend(which, y, *trial);
            *trial = Wide::blend(which, base - share * delta, *trial);
        }
    }

    /// Whether the whole change is below the tolerance.
    fn tiny(&self) -> Answers {
        let size = Wide::of(1.0) + largest(&self.trial_y);
        largest(&self.delta).at_most(Wide::of(TOLERANCE) * size)
    }

    /// Residual and Jacobian at the velocities that are tried, one column an evaluation.
    fn linearise(&mut self, system: &S, trial: &LaneTrial<'_, Wide>) -> bool {
        let n = self.y.len();
        for k in 0..n {
            for (i, (v, &y)) in self.v.iter_mut().zip(&self.trial_y).enumerate() {
                *v = if i == k { Varied::seed(y) } else { Varied::fixed(y) };
            }
            if system.residual_lanes(&mut self.varied, trial, &self.v, &mut self.out).is_err() {
                return false;
            }
            for i in 0..n {
                self.r[i] = self.out[i].re;
                self.a[i * n + k] = self.out[i].eps;
            }
        }
        true
    }

    /// Weights that turn residuals of the balance into velocities.
    fn weigh(&mut self) {
        let n = self.y.len();
        for (i, weight) in self.weight.iter_mut().enumerate() {
            let diagonal = self.a[i * n + i].abs();
            let one = Wide::of(1.0);
            *weight = Wide::blend(diagonal.above(Wide::of(0.0)), one / diagonal, one);
        }
    }

    /// Weighted squares of the residual.
    fn merit(&self) -> Wide {
        self.r.iter().zip(&self.weight).fold(Wide::of(0.0), |sum, (&r, &w)| sum + (r * w) * (r * w))
    }

    /// The whole change by Newton's method, and whether the determinant is positive: with the other sign an iterate has crossed
    /// a falling branch. Without pivots, since the matrix is the mass matrix and what a step adds to it.
    fn newton_step(&mut self) -> Answers {
        let n = self.y.len();
        let Self { lu, a, delta, r, .. } = self;
        lu.copy_from_slice(a);
        delta.copy_from_slice(r);
        let mut sign = Wide::of(1.0);
        for k in 0..n {
            let pivot = lu[k * n + k];
            sign *= pivot;
            for i in k + 1..n {
                let factor = lu[i * n + k] / pivot;
                for j in k + 1..n {
                    let part = factor * lu[k * n + j];
                    lu[i * n + j] -= part;
                }
                let part = factor * delta[k];
                delta[i] -= part;
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                let part = lu[i * n + j] * delta[j];
                delta[i] -= part;
            }
            delta[i] /= lu[i * n + i];
        }
        sign.above(Wide::of(0.0))
    }
}

/// The largest magnitude of a list, in every lane.
fn largest(values: &[Wide]) -> Wide {
    values.iter().fold(Wide::of(0.0), |max, x| {
        let size = x.abs();
        Wide::blend(size.above(max), size, max)
    })
}
