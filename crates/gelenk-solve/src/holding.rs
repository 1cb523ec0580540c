//! Holds in an implicit step: velocities that are kept at zero by efforts of their own.
//!
//! With the Newton step `d` of the equations without holds, and the answers `A_j` of all unknowns to a unit effort on
//! the held velocity `k_j` over the step, the efforts follow from
//!
//! ```text
//! W f = d[k] - y[k]      W_ij = A_j[k_i]
//! ```
//!
//! and the Newton step becomes `d - sum A_j f_j`. So the factor is that of the free system, whatever is held. Holds that
//! depend on each other through loops share the effort.
//!
//! Which of them are on is part of the solution. Where an effort is out of its range, or what slides has turned, all that
//! can hold is looked at together: with the same answers, the velocities and efforts that fit all ranges are unique
//! ([`Bounded`]), so the set does not depend on the order of the holds.

use gelenk_math::bounded::Bounded;
use gelenk_system::{Grip, Solution, Stepped, Trial, Way};

use crate::lu::Lu;

/// Share of the diagonal of `W` that is added, so that dependent holds share; refined away below.
const SHARED: f64 = 1e-8;
/// Solutions for what the raised diagonal leaves open.
const REFINEMENTS: usize = 3;
/// Velocity (m/s, rad/s), relative to the largest one, that a hold leaves by rounding.
const STILL: f64 = 1e-12;
/// Share of a range by which rounding may exceed it.
const LEVEL: f64 = 1e-9;
/// Multiple of its range that no hold needs which the switching functions at the end of a step let pass.
const GROSS: f64 = 2.0;
/// Share of the velocities that cancel below which what is left of one is rounding.
const CANCELLED: f64 = 1e-10;

/// Efforts and workspace of the holds.
pub(crate) struct Holding {
    /// Effort of every hold on its velocity, and what the last linear solution says.
    pub(crate) efforts: Vec<f64>,
    found: Vec<f64>,
    /// Efforts at a share of the way, while it is searched.
    pub(crate) trial: Vec<f64>,
    /// Holds that are on, with the velocities that they hold.
    active: Vec<(usize, usize)>,
    answers: Vec<f64>,
    matrix: Vec<f64>,
    lu: Lu,
    right: Vec<f64>,
    rest: Vec<f64>,
    more: Vec<f64>,
    /// Holds that can be on, with what they can do.
    able: Vec<(usize, Grip)>,
    problem: Bounded,
    /// The modes before they are changed.
    before: Vec<f64>,
}

impl Holding {
    pub(crate) fn new(holds: usize, unknowns: usize, memory: usize) -> Self {
        let vector = |n: usize| vec![0.0; n];
        Self {
            efforts: vector(holds),
            found: vector(holds),
            trial: vector(holds),
            active: Vec::with_capacity(holds),
            answers: vector(holds * unknowns),
            matrix: vector(holds * holds),
            lu: Lu::new(holds),
            right: vector(holds),
            rest: vector(holds),
            more: vector(holds),
            able: Vec::with_capacity(holds),
            problem: Bounded::new(holds),
            before: vector(if holds > 0 { memory } else { 0 }),
        }
    }

    /// Takes the holds that the modes switch on; the others have no effort.
    pub(crate) fn take<S: Stepped>(&mut self, system: &S, modes: &[f64]) {
        self.active.clear();
        for index in 0..self.efforts.len() {
            match system.held(modes, index) {
                Some(velocity) => self.active.push((index, velocity)),
                None => (self.efforts[index], self.found[index]) = (0.0, 0.0),
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Turns the Newton step `delta` of the free equations at `y` into that of the held ones, over a step `h`; `unit` is
    /// scratch as long as `y`.
    pub(crate) fn bind(&mut self, factor: &mut Lu, y: &[f64], h: f64, unit: &mut [f64], delta: &mut [f64]) {
        let (n, count) = (y.len(), self.active.len());
        for (answer, &(_, velocity)) in self.answers.chunks_exact_mut(n).zip(&self.active) {
            unit.fill(0.0);
            unit[velocity] = h;
            factor.solve(unit, answer);
        }
        for (i, &(_, velocity)) in self.active.iter().enumerate() {
            self.right[i] = delta[velocity] - y[velocity];
            for j in 0..count {
                self.matrix[i * count + j] = self.answers[j * n + velocity];
            }
        }
        self.solve(count);
        self.found.fill(0.0);
        let size = 1.0 + y.iter().zip(&*delta).fold(0.0f64, |max, (y, d)| max.max((y - d).abs()));
        for (i, &(hold, _)) in self.active.iter().enumerate() {
            self.found[hold] = self.more[i];
            for (delta, answer) in delta.iter_mut().zip(&self.answers[i * n..(i + 1) * n]) {
                *delta -= answer * self.more[i];
            }
        }
        // What is left is rounding; taken away, a held velocity does not creep.
        for &(_, velocity) in &self.active {
            if (y[velocity] - delta[velocity]).abs() <= STILL * size {
                delta[velocity] = y[velocity];
            }
        }
    }

    /// Changes the modes where the holds do not fit the solved step at `y` over `h`; returns whether they were changed.
    /// `trial` has the committed memory, `unit` is scratch as long as `y`. Where the holds fit but for how they share efforts that
    /// depend on each other, `y` and the efforts become those within all ranges.
    pub(crate) fn fit<S: Stepped>(
        &mut self,
        system: &S,
        data: &S::Data<f64>,
        (trial, y, nv): (&Trial, &mut [f64], usize),
        (factor, unit): (&mut Lu, &mut [f64]),
        modes: &mut [f64],
    ) -> bool {
        self.able.clear();
        let (v1, lambda) = y.split_at(nv);
        let step = Solution { v1, lambda, efforts: &self.efforts };
        let grips =
            (0..self.efforts.len()).map(|index| (index, system.grip(data, trial, &step, modes, index)));
        self.able.extend(grips.filter_map(|(index, grip)| Some((index, grip?))));
        if self
            .able
            .iter()
            .all(|&(hold, grip)| system.held(modes, hold).is_some() && self.fits(hold, grip, v1))
        {
            return false;
        }
        let (n, count) = (y.len(), self.able.len());
        for (answer, (_, grip)) in self.answers.chunks_exact_mut(n).zip(&self.able) {
            unit.fill(0.0);
            unit[grip.velocity] = trial.h;
            factor.solve(unit, answer);
        }
        for i in 0..count {
            let velocity = self.able[i].1.velocity;
            self.right[i] = y[velocity];
            for (j, &(hold, _)) in self.able.iter().enumerate() {
                self.matrix[i * count + j] = self.answers[j * n + velocity];
                // What is off has no effort yet.
                if system.held(modes, hold).is_some() {
                    self.right[i] -= self.matrix[i * count + j] * self.efforts[hold];
                }
            }
        }
        let Self { matrix, right, more, rest, able, problem, before, .. } = self;
        let (matrix, right) = (&matrix[..count * count], &right[..count]);
        // Where the conditions cannot be met, what comes nearest is tried, and the step is cut if that does not fit.
        problem.solve(matrix, right, |i| able[i].1.range, &mut more[..count], &mut rest[..count]);
        before.copy_from_slice(modes);
        let mut rests = true;
        for (i, &(hold, _)) in able.iter().enumerate() {
            rests &= system.held(modes, hold).is_some();
            let terms =
                (0..count).fold(right[i].abs(), |sum, j| sum + (matrix[i * count + j] * more[j]).abs());
            let way = match rest[i] {
                left if left > CANCELLED * terms => Way::Forward,
                left if left < -CANCELLED * terms => Way::Backward,
                _ => Way::Held,
            };
            rests &= way == Way::Held;
            system.turn(data, modes, hold, way);
        }
        let changed = before.as_slice() != modes;
        if rests && !changed {
            self.reshare(y);
        }
        changed
    }

    /// Takes the efforts of the last look at all that can hold; nothing moves by that, but multipliers of loops follow.
    fn reshare(&mut self, y: &mut [f64]) {
        let Self { able, answers, more, efforts, .. } = self;
        for ((&(hold, _), &effort), answer) in able.iter().zip(&*more).zip(answers.chunks_exact(y.len())) {
            let change = effort - efforts[hold];
            y.iter_mut().zip(answer).for_each(|(y, answer)| *y += answer * change);
            efforts[hold] = effort;
        }
        for &(_, Grip { velocity, .. }) in &*able {
            y[velocity] = 0.0;
        }
    }

    /// Whether a hold that is on needs an effort far out of its range at the solved step: at a dead point of a loop nothing else
    /// keeps the motion from leaving, and at rest there the effort cannot be seen.
    pub(crate) fn overloaded<S: Stepped>(
        &self,
        system: &S,
        data: &S::Data<f64>,
        trial: &Trial,
        step: &Solution,
        modes: &[f64],
    ) -> bool {
        self.active.iter().any(|&(hold, _)| {
            system.grip(data, trial, step, modes, hold).is_some_and(|Grip { range: [low, high], .. }| {
                !(GROSS * low..=GROSS * high).contains(&self.efforts[hold])
            })
        })
    }

    /// Whether the effort of a hold that is on keeps to its range, and keeps its velocity at zero.
    fn fits(&self, hold: usize, grip: Grip, v1: &[f64]) -> bool {
        let (effort, [low, high]) = (self.efforts[hold], grip.range);
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, |max, v| max.max(v.abs()));
        // A range without an end on one side has no size; there the efforts have.
        let size = match low.abs().max(high.abs()) {
            size if size.is_finite() => size,
            _ => largest(&mut self.efforts.iter().copied()),
        };
        let still = STILL * (1.0 + largest(&mut v1.iter().copied()));
        effort >= low - LEVEL * size && effort <= high + LEVEL * size && v1[grip.velocity].abs() <= still
    }

    /// Solves `W f = right` into `more`, dependent rows shared.
    fn solve(&mut self, count: usize) {
        let Self { matrix, lu, right, rest, more, .. } = self;
        let (rest, more) = (&mut rest[..count], &mut more[..count]);
        lu.resize(count);
        lu.a[..count * count].copy_from_slice(&matrix[..count * count]);
        for i in 0..count {
            lu.a[i * count + i] *= 1.0 + SHARED;
        }
        lu.factor(count, true);
        more.fill(0.0);
        for _ in 0..REFINEMENTS {
            for i in 0..count {
                rest[i] = (0..count).fold(right[i], |sum, k| sum - matrix[i * count + k] * more[k]);
            }
            lu.solve(rest, &mut self.trial[..count]);
            more.iter_mut().zip(&self.trial).for_each(|(x, more)| *x += more);
        }
    }

    /// Efforts at a share of the way to the last linear solution.
    pub(crate) fn share(&mut self, share: f64) {
        for (trial, (&from, &to)) in self.trial.iter_mut().zip(self.efforts.iter().zip(&self.found)) {
            *trial = from + share * (to - from);
        }
    }

    /// Keeps the efforts of the last share.
    pub(crate) fn keep(&mut self) {
        std::mem::swap(&mut self.efforts, &mut self.trial);
    }

    /// Weighted squares of the residual `r` with the given efforts on it, and of the velocities that should be held.
    pub(crate) fn merit(&self, r: &[f64], y: &[f64], efforts: &[f64], h: f64, weight: &[f64]) -> f64 {
        let mut merit: f64 = r.iter().zip(weight).map(|(r, w)| (r * w).powi(2)).sum();
        for (i, &(_, velocity)) in self.active.iter().enumerate() {
            let first = self.active[..i].iter().all(|&(_, other)| other != velocity);
            if first {
                // Several holds may act on one velocity.
                let on = self.active.iter().filter(|&&(_, other)| other == velocity);
                let push: f64 = on.map(|&(hold, _)| h * efforts[hold]).sum();
                let (r, w) = (r[velocity], weight[velocity]);
                merit += ((r - push) * w).powi(2) - (r * w).powi(2) + y[velocity].powi(2);
            }
        }
        merit
    }
}
