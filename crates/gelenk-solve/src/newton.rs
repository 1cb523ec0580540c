//! Newton's method on the residual of an implicit step.

use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_system::{Course, Effort, Fault, Solution, Stepped, Trial};

use crate::holding::Holding;
use crate::lu::Lu;
use crate::summary::Summary;

/// Iterations after which the step is given up.
pub(crate) const ITERATIONS: u32 = 30;
/// Halvings of a Newton step that does not reduce the residual.
pub(crate) const HALVINGS: usize = 10;
/// Change of the velocities, relative to their size, at which the iteration ends.
pub(crate) const TOLERANCE: f64 = 1e-11;
/// Angle (rad) that a change of the velocities may make in a step where nothing moves: a hundred roundings of a position.
const RESTING: f64 = 3e-14;
/// Share of the last change that an iteration with an old factor has to come down to, else a new one is made.
const CONTRACTION: f64 = 0.1;
/// Answer of a velocity to an impulse, as a share of what its own inertia would give, below which loops have locked it.
const LOCKED: f64 = 1e-12;
/// Efforts of friction in steady motion over a step that may stop what has turned: before the turn and after it.
const ABLE: f64 = 2.0;
/// Unknowns from which an old factor is worth an iteration more: below, a linearisation costs little more than a residual.
const REUSE: usize = 9;

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solved {
    /// At a root that is connected with the start.
    Root,
    /// Not at all, or only across a falling branch: the step has to be cut.
    Cut,
}

/// Unknowns and workspace of the iteration; the Jacobian comes from dual numbers and is exact, the laws'
/// algorithmic tangents included.
pub(crate) struct Newton<S: Stepped> {
    data: S::Data<Dual>,
    /// The parameters that it has.
    p: Vec<Dual>,
    /// Velocities after the step, then multipliers.
    pub(crate) y: Vec<f64>,
    trial_y: Vec<f64>,
    y_dual: Vec<Dual>,
    r_dual: Vec<Dual>,
    r: Vec<f64>,
    trial_r: Vec<f64>,
    weight: Vec<f64>,
    /// What counts as one of every velocity, and the workspace that finds it.
    units: Vec<f64>,
    measuring: S::Data<f64>,
    lu: Lu,
    /// What `lu` was made for, where another stage may begin with it.
    kept: Option<(f64, Effort)>,
    delta: Vec<f64>,
    holding: Holding,
    friction: Vec<bool>,
    nv: usize,
}

impl<S: Stepped> Newton<S> {
    pub(crate) fn new(system: &S, p: &[f64]) -> Self {
        let layout = system.layout();
        let n = layout.nv + layout.nc;
        let mut data = system.data();
        let seeded: Vec<Dual> = p.iter().map(|&value| Dual::c(value)).collect();
        system.bind(&mut data, &seeded);
        let mut newton = Self {
            data,
            measuring: system.data(),
            p: seeded,
            units: vec![1.0; layout.nv],
            y: vec![0.0; n],
            trial_y: vec![0.0; n],
            y_dual: vec![Dual::c(0.0); n],
            r_dual: vec![Dual::c(0.0); n],
            r: vec![0.0; n],
            trial_r: vec![0.0; n],
            weight: vec![1.0; n],
            lu: Lu::new(n),
            kept: None,
            delta: vec![0.0; n],
            holding: Holding::new(layout.nh, n, layout.nm),
            friction: (0..layout.nv).map(|k| system.has_friction(k)).collect(),
            nv: layout.nv,
        };
        newton.measure(system, p);
        newton
    }

    /// Finds the units of velocities for the parameters `p`.
    fn measure(&mut self, system: &S, p: &[f64]) {
        system.bind(&mut self.measuring, p);
        system.velocity_units(&mut self.measuring, &mut self.units);
    }

    /// Binds other parameters.
    pub(crate) fn bind(&mut self, system: &S, p: &[f64]) {
        for (own, &value) in self.p.iter_mut().zip(p) {
            *own = Dual::c(value);
        }
        system.bind(&mut self.data, &self.p);
        self.measure(system, p);
    }

    /// Takes another course of an input.
    pub(crate) fn bind_input(&mut self, system: &S, index: usize, course: &Course) {
        system.bind_input(&mut self.data, index, course);
    }

    /// Forgets the last multipliers, efforts and factor, from which the next iteration would start.
    pub(crate) fn forget(&mut self) {
        self.y.fill(0.0);
        self.holding.efforts.fill(0.0);
        self.kept = None;
    }

    /// Begins at the committed velocities of a trial, with the last multipliers.
    pub(crate) fn begin(&mut self, system: &S, trial: &Trial) {
        self.y[..self.nv].copy_from_slice(&trial.x[system.layout().v()]);
    }

    /// Velocities, multipliers and efforts of the holds.
    pub(crate) fn solution(&self) -> Solution<'_> {
        let (v1, lambda) = self.y.split_at(self.nv);
        Solution { v1, lambda, efforts: &self.holding.efforts }
    }

    /// Changes the modes where the holds do not fit the solution of `trial`, which has the committed memory; returns whether
    /// they were changed.
    pub(crate) fn fit(&mut self, system: &S, data: &S::Data<f64>, trial: &Trial, modes: &mut [f64]) -> bool {
        let Self { holding, lu, y, trial_y, nv, .. } = self;
        holding.fit(system, data, (trial, y, *nv), (lu, trial_y), modes)
    }

    /// Whether a hold needs an effort far out of its range, see [`Holding::overloaded`].
    pub(crate) fn overloaded(&self, system: &S, data: &S::Data<f64>, trial: &Trial, modes: &[f64]) -> bool {
        self.holding.overloaded(system, data, trial, &self.solution(), modes)
    }

    /// Iterates from `y` to the end of the step.
    ///
    /// With a vanishing step the Jacobian is the bordered mass matrix, whose determinant has the sign of `(-1)^nc`. An
    /// iterate with the other sign has crossed a falling branch: from there another root may be found, which is not
    /// the continuation of the motion.
    pub(crate) fn solve(
        &mut self,
        system: &S,
        data: &mut S::Data<f64>,
        trial: &Trial,
        summary: &mut Summary,
    ) -> Result<Solved, Fault> {
        let (n, nv) = (self.y.len(), self.nv);
        self.holding.take(system, trial.m);
        let mut last = f64::INFINITY;
        let mut old = self.serves(system, data, trial, summary);
        let mut weighed = old;
        for _ in 0..ITERATIONS {
            summary.iterations += 1;
            if !old {
                self.kept = None;
                self.linearise(system, trial, summary)?;
                if !weighed {
                    self.weigh();
                    weighed = true;
                }
                self.lu.factor(nv, n > nv);
                if self.lu.positive().is_some_and(|positive| positive != (n - nv).is_multiple_of(2)) {
                    return Ok(Solved::Cut);
                }
                self.kept = Some((trial.h, trial.effort));
            }
            let merit = self.merit(&self.r, &self.y, &self.holding.efforts, trial.h);
            if !merit.is_finite() {
                return Ok(Solved::Cut);
            }
            self.newton_step(trial.h);
            let Some(share) = self.search(system, data, trial, merit, summary) else {
                // An old factor may be the reason; a new one has the last word.
                if old {
                    old = false;
                    continue;
                }
                return Ok(self.as_good_as_done());
            };
            let change = self.size(&self.delta);
            if share == 1.0 && change <= self.enough(&self.y, trial.h) {
                return Ok(Solved::Root);
            }
            old = n >= REUSE && share == 1.0 && change <= CONTRACTION * last;
            last = change;
        }
        Ok(self.as_good_as_done())
    }

    /// The largest of some velocities in their units.
    fn size(&self, v: &[f64]) -> f64 {
        v.iter().zip(&self.units).fold(0.0f64, |max, (v, unit)| max.max((v / unit).abs()))
    }

    /// The change, in units of velocities, at which an iteration over a step `h` ends near `v`.
    fn enough(&self, v: &[f64], h: f64) -> f64 {
        TOLERANCE * self.size(v) + TOLERANCE.min(RESTING / h)
    }

    /// What becomes of an iteration that gets no nearer: it is done where only rounding is left, which loads that cancel may make
    /// larger than what ends it by itself.
    fn as_good_as_done(&self) -> Solved {
        let rounding = TOLERANCE * (1.0 + largest(&self.y[..self.nv]));
        if largest(&self.delta[..self.nv]) <= rounding { Solved::Root } else { Solved::Cut }
    }

    /// Whether the factor of the last stage may begin this one, which has to be as long; then the residual at `y` is there.
    /// Where the changes then fall by a factor of ten, the factor is near that of here, so the sign of the determinant is its
    /// own; where they do not, a new one is made.
    fn serves(&mut self, system: &S, data: &mut S::Data<f64>, trial: &Trial, summary: &mut Summary) -> bool {
        if self.y.len() < REUSE || self.kept != Some((trial.h, trial.effort)) {
            return false;
        }
        let (v1, lambda) = self.y.split_at(self.nv);
        summary.evaluations += 1;
        system.residual(data, trial, v1, lambda, &mut self.r).is_ok()
    }

    /// One Newton step from `y` without looking at what comes out: one linearisation, one factor.
    pub(crate) fn once(
        &mut self,
        system: &S,
        data: &S::Data<f64>,
        trial: &Trial,
        summary: &mut Summary,
    ) -> Result<Solved, Fault> {
        summary.iterations += 1;
        self.holding.take(system, trial.m);
        self.linearise(system, trial, summary)?;
        self.weigh();
        self.lu.factor(self.nv, self.y.len() > self.nv);
        self.newton_step(trial.h);
        for (y, delta) in self.y.iter_mut().zip(&self.delta) {
            *y -= delta;
        }
        self.holding.share(1.0);
        self.holding.keep();
        self.rest(system, data, trial);
        Ok(if self.y.iter().all(|y| y.is_finite()) { Solved::Root } else { Solved::Cut })
    }

    /// Lets velocities with friction come to rest where the linear step would turn them: past the turn friction pulls
    /// the other way, which the linearisation before it does not know. The impulse acts on that velocity alone. What loops
    /// have locked turns by rounding only, and no impulse moves it.
    ///
    /// Friction can stop only what its own effort over the step has turned. What everything else turns goes on: stopped there, a
    /// velocity that the projection of the loops leaves on the other side of zero would be stopped in every step.
    fn rest(&mut self, system: &S, data: &S::Data<f64>, trial: &Trial) {
        let v0 = &trial.x[system.layout().v()];
        for k in 0..self.nv {
            if self.friction[k] && self.y[k] * v0[k] < 0.0 {
                self.trial_r.fill(0.0);
                self.trial_r[k] = 1.0;
                self.lu.solve(&self.trial_r, &mut self.delta);
                let able = [v0[k], self.y[k]].map(|v| system.resistance(data, k, v));
                let able = ABLE * trial.h * able[0].max(able[1]);
                let impulse = self.y[k] / self.delta[k];
                if self.delta[k] > LOCKED * self.weight[k] && impulse.abs() <= able {
                    for (y, delta) in self.y.iter_mut().zip(&self.delta) {
                        *y -= impulse * delta;
                    }
                }
            }
        }
    }

    /// The full Newton step from `y`, holds included, into `delta`.
    fn newton_step(&mut self, h: f64) {
        self.lu.solve(&self.r, &mut self.delta);
        if !self.holding.is_empty() {
            self.holding.bind(&mut self.lu, &self.y, h, &mut self.trial_y, &mut self.delta);
        }
    }

    /// The velocity whose balance is off most.
    pub(crate) fn worst(&self) -> usize {
        let off = |k: usize| (self.r[k] * self.weight[k]).abs();
        (0..self.nv).fold(0, |worst, k| if off(k) > off(worst) || off(k).is_nan() { k } else { worst })
    }

    /// Residual and Jacobian at `y`, eight columns a time.
    fn linearise(&mut self, system: &S, trial: &Trial, summary: &mut Summary) -> Result<(), Fault> {
        let n = self.y.len();
        for first in (0..n).step_by(LANES) {
            for k in 0..n {
                let lane = k.checked_sub(first).unwrap_or(LANES);
                self.y_dual[k] = seed(self.y[k], lane);
            }
            let (v1, lambda) = self.y_dual.split_at(self.nv);
            system.residual(&mut self.data, trial, v1, lambda, &mut self.r_dual)?;
            summary.evaluations += 1;
            for i in 0..n {
                self.r[i] = self.r_dual[i].re();
                for k in first..n.min(first + LANES) {
                    self.lu.a[i * n + k] = partial(self.r_dual[i], k - first);
                }
            }
        }
        Ok(())
    }

    /// Weights that turn residuals of the balance into velocities.
    fn weigh(&mut self) {
        let n = self.y.len();
        for i in 0..n {
            let diagonal = self.lu.a[i * n + i].abs();
            self.weight[i] = if i < self.nv && diagonal > 0.0 { 1.0 / diagonal } else { 1.0 };
        }
    }

    fn merit(&self, r: &[f64], y: &[f64], efforts: &[f64], h: f64) -> f64 {
        self.holding.merit(r, y, efforts, h, &self.weight)
    }

    /// Whether the trial at a share of the Newton step has a smaller residual.
    fn falls(&self, merit: f64, share: f64, h: f64) -> bool {
        self.merit(&self.trial_r, &self.trial_y, &self.holding.trial, h) <= merit * (1.0 - 1e-4 * share)
    }

    /// Takes the largest share of the Newton step that reduces the residual; `None` where none does.
    fn search(
        &mut self,
        system: &S,
        data: &mut S::Data<f64>,
        trial: &Trial,
        merit: f64,
        summary: &mut Summary,
    ) -> Option<f64> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            for k in 0..self.y.len() {
                self.trial_y[k] = self.y[k] - share * self.delta[k];
            }
            self.holding.share(share);
            let (v1, lambda) = self.trial_y.split_at(self.nv);
            let evaluated = system.residual(data, trial, v1, lambda, &mut self.trial_r);
            summary.evaluations += 1;
            // At rounding level the residual cannot fall any more, and the step is as good as done.
            let tiny = self.size(&self.delta) <= self.enough(v1, trial.h);
            if evaluated.is_ok() && (tiny || self.falls(merit, share, trial.h)) {
                self.holding.keep();
                std::mem::swap(&mut self.y, &mut self.trial_y);
                std::mem::swap(&mut self.r, &mut self.trial_r);
                return Some(share);
            }
            share *= 0.5;
        }
        None
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0f64, |max, v| max.max(v.abs()))
}
