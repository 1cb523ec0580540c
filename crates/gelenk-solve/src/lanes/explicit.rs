//! Explicit methods with a fixed step in lockstep.

use gelenk_math::Lockstep;
use gelenk_math::Mask;
use gelenk_system::{InLanes, Nanos};

use super::{Answers, Wide};
use crate::explicit::{Stage, Tableau, fixed_tableau};
use crate::options::Method;

/// A method with its workspace.
pub(super) struct Explicit<S: InLanes> {
    tableau: &'static Tableau,
    step: Option<Nanos>,
    semi_implicit: bool,
    data: S::LaneData<Wide>,
    /// Rates of the stages.
    k: Vec<Vec<Wide>>,
    stage: Vec<Wide>,
}

impl<S: InLanes> Explicit<S> {
    pub(super) fn new(system: &S, method: Method) -> Self {
        let n = system.layout().nx();
        let tableau = fixed_tableau(method);
        Self {
            tableau,
            step: method.step(),
            semi_implicit: matches!(method, Method::SemiImplicitEuler { .. }),
            data: system.lane_data(),
            k: vec![vec![Wide::of(0.0); n]; tableau.stages.len()],
            stage: vec![Wide::of(0.0); n],
        }
    }

    pub(super) fn bind(&mut self, system: &S, p: &[Wide]) {
        system.bind_lanes(&mut self.data, p);
    }

    /// Takes the steps from one time of the clock to another, from `x` with room for the next state; returns the runs that
    /// cannot go on.
    pub(super) fn advance(
        &mut self,
        system: &S,
        (single, own_m): (&mut S::Data<f64>, &[f64]),
        (now, stop): (Nanos, Nanos),
        [x, x1]: [&mut Vec<Wide>; 2],
        m: &[Wide],
    ) -> Answers {
        let mut t = now.seconds();
        while t < stop.seconds() {
            let wanted = self.target(t, now, stop);
            let smooth = system.smooth_until(single, own_m, (t, wanted), None);
            let t1 = if smooth < wanted && smooth > t { smooth } else { wanted };
            if !self.attempt(system, (t, t1 - t), x, x1, m) {
                return Answers::of(true);
            }
            std::mem::swap(x, x1);
            t = t1;
        }
        Answers::of(false)
    }

    /// End of the step of the grid from `t`.
    fn target(&self, t: f64, now: Nanos, stop: Nanos) -> f64 {
        let Some(step) = self.step else { return stop.seconds() };
        // The next multiple of the step after t, also where a corner of an input stopped between two.
        let here = Nanos::from_seconds(t).unwrap_or(now).max(now);
        let mut grid = here.next_multiple(step).unwrap_or(stop);
        if here.is_multiple(step) && here.seconds() > t {
            grid = here;
        }
        grid.min(stop).seconds()
    }

    /// Computes the states after `h` into `x1`; `false` where no run can do it.
    fn attempt(&mut self, system: &S, (t, h): (f64, f64), x: &[Wide], x1: &mut [Wide], m: &[Wide]) -> bool {
        let layout = system.layout();
        // Works are not kept.
        let n = layout.w().start;
        let Self { tableau, data, k, stage, .. } = self;
        stage.copy_from_slice(x);
        for (s, &Stage { c, a }) in tableau.stages.iter().enumerate() {
            let (done, rest) = k.split_at_mut(s);
            if s > 0 {
                moved(&mut stage[..n], x, h, a, done);
            }
            if system.rates_lanes(data, t + c * h, stage, m, &mut rest[0]).is_err() {
                return false;
            }
        }
        x1.copy_from_slice(x);
        moved(&mut x1[..n], x, h, tableau.b, k);
        if self.semi_implicit {
            let (q, v) = (layout.q().start, layout.v());
            for (place, rate) in v.enumerate() {
                x1[q + place] = x[q + place] + Wide::of(h) * x1[rate];
            }
        }
        true
    }
}

/// `x + h sum w_s k_s`.
fn moved(out: &mut [Wide], x: &[Wide], h: f64, weights: &[f64], k: &[Vec<Wide>]) {
    for (i, out) in out.iter_mut().enumerate() {
        let mut sum = Wide::of(0.0);
        for (&weight, k) in weights.iter().zip(k) {
            sum += Wide::of(weight) * k[i];
        }
        *out = x[i] + Wide::of(h) * sum;
    }
}
