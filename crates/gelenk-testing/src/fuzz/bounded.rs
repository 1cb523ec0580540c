//! A system that refuses to be evaluated without end.

use std::sync::atomic::{AtomicU64, Ordering};

use gelenk_math::Real;
use gelenk_record::Change;
use gelenk_system::{
    Account, Channel, Constrained, Course, Fault, Grip, Hybrid, Layout, Nanos, ParameterTable, Sampled,
    Solution, Stepped, System, Trial, Way,
};

/// Passes everything on to `inner`, and fails after a number of rates and residuals, so that the time of an
/// execution depends on the size of the model alone. Without it a step that Newton's method cuts again and again
/// takes a minute.
pub struct Bounded<'a, S> {
    inner: &'a S,
    left: AtomicU64,
}

impl<'a, S> Bounded<'a, S> {
    /// Allows `evaluations` of `inner`.
    pub fn new(inner: &'a S, evaluations: u64) -> Self {
        Self { inner, left: AtomicU64::new(evaluations) }
    }

    fn spend(&self) -> Result<(), Fault> {
        let spent = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let refuse =
            |_| Fault::Refused { element: "fuzzing".into(), reason: "no evaluations are left".into() };
        spent.map(drop).map_err(refuse)
    }
}

impl<S: System> System for Bounded<'_, S> {
    type Data<T: Real> = S::Data<T>;

    fn layout(&self) -> Layout {
        self.inner.layout()
    }

    fn parameters(&self) -> &ParameterTable {
        self.inner.parameters()
    }

    fn describe(&self, into: &mut dyn std::fmt::Write) -> std::fmt::Result {
        self.inner.describe(into)
    }

    fn channels(&self) -> &[Channel] {
        self.inner.channels()
    }

    fn accounts(&self) -> &[Account] {
        self.inner.accounts()
    }

    fn data<T: Real>(&self) -> S::Data<T> {
        self.inner.data()
    }

    fn bind<T: Real>(&self, data: &mut S::Data<T>, p: &[T]) {
        self.inner.bind(data, p);
    }

    fn inputs(&self) -> &[Channel] {
        self.inner.inputs()
    }

    fn bind_input<T: Real>(&self, data: &mut S::Data<T>, index: usize, course: &Course) {
        self.inner.bind_input(data, index, course);
    }

    fn check(&self, data: &S::Data<f64>, stepped: bool) -> Result<(), Fault> {
        self.inner.check(data, stepped)
    }

    fn start(&self, data: &mut S::Data<f64>, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        self.inner.start(data, x, m)
    }

    fn rates<T: Real>(
        &self,
        data: &mut S::Data<T>,
        t: T,
        x: &[T],
        m: &[f64],
        dx: &mut [T],
    ) -> Result<(), Fault> {
        self.spend()?;
        self.inner.rates(data, t, x, m, dx)
    }

    fn scale(&self, data: &S::Data<f64>, scale: &mut [f64]) {
        self.inner.scale(data, scale);
    }

    fn state_name(&self, index: usize) -> &str {
        self.inner.state_name(index)
    }

    fn retract<T: Real>(&self, q: &[T], dv: &[T], q1: &mut [T]) {
        self.inner.retract(q, dv, q1);
    }

    fn difference(&self, q: &[f64], q1: &[f64], dv: &mut [f64]) {
        self.inner.difference(q, q1, dv);
    }

    fn outputs(
        &self,
        data: &mut S::Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        y: &mut [f64],
    ) -> Result<(), Fault> {
        self.inner.outputs(data, t, x, m, y)
    }

    fn outputs_on<T: Real>(
        &self,
        data: &mut S::Data<T>,
        t: T,
        x: &[T],
        m: &[f64],
        y: &mut [T],
    ) -> Result<(), Fault> {
        self.inner.outputs_on(data, t, x, m, y)
    }

    fn varying(&self) -> &[usize] {
        self.inner.varying()
    }

    fn vary<T: Real>(&self, data: &mut S::Data<T>, by: &[T]) {
        self.inner.vary(data, by);
    }

    fn energies(&self, data: &mut S::Data<f64>, t: f64, x: &[f64], m: &[f64], stored: &mut [f64]) -> f64 {
        self.inner.energies(data, t, x, m, stored)
    }
}

impl<S: Constrained> Constrained for Bounded<'_, S> {
    fn project(&self, data: &mut S::Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<f64, Fault> {
        self.inner.project(data, t, x, m)
    }

    fn constraint_rows(&self, data: &mut S::Data<f64>, t: f64, q: &[f64], rows: &mut [f64]) {
        self.inner.constraint_rows(data, t, q, rows);
    }

    fn needs_projection(&self) -> bool {
        self.inner.needs_projection()
    }
}

impl<S: Hybrid> Hybrid for Bounded<'_, S> {
    fn settle(&self, data: &mut S::Data<f64>, t: f64, x: &[f64], m: &mut [f64]) {
        self.inner.settle(data, t, x, m);
    }

    fn rest(&self, data: &mut Self::Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        self.inner.rest(data, t, x, m)
    }

    fn switching(&self, data: &mut S::Data<f64>, t: f64, x: &[f64], m: &[f64], g: &mut [f64]) {
        self.inner.switching(data, t, x, m, g);
    }

    fn switch(
        &self,
        data: &mut S::Data<f64>,
        t: f64,
        index: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<Change>, Fault> {
        self.inner.switch(data, t, index, x, m)
    }

    fn switch_name(&self, index: usize) -> &str {
        self.inner.switch_name(index)
    }

    fn switches_hold(&self, index: usize) -> bool {
        self.inner.switches_hold(index)
    }

    fn modes(&self) -> usize {
        self.inner.modes()
    }

    fn change(&self, index: usize, before: &[f64], after: &[f64]) -> Option<(&str, Change)> {
        self.inner.change(index, before, after)
    }

    fn ended(&self, m: &[f64]) -> Option<&str> {
        self.inner.ended(m)
    }
}

impl<S: Sampled> Sampled for Bounded<'_, S> {
    fn controller(&self) -> Option<&str> {
        self.inner.controller()
    }

    fn next_sample(&self, data: &S::Data<f64>, now: Nanos) -> Option<Nanos> {
        self.inner.next_sample(data, now)
    }

    fn holds(&self, data: &S::Data<f64>, index: usize) -> bool {
        self.inner.holds(data, index)
    }

    fn hold(&self, index: usize, value: f64, m: &mut [f64]) {
        self.inner.hold(index, value, m);
    }

    fn sample<T: Real>(
        &self,
        data: &mut S::Data<T>,
        now: Nanos,
        x: &[T],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        self.inner.sample(data, now, x, m)
    }

    fn variation<T: Real>(&self, data: &S::Data<T>, by: &mut [T]) {
        self.inner.variation(data, by);
    }

    fn input_at(&self, data: &S::Data<f64>, index: usize, t: f64) -> f64 {
        self.inner.input_at(data, index, t)
    }

    fn cycle(&self) -> Option<(Nanos, Nanos)> {
        self.inner.cycle()
    }
}

impl<S: Stepped> Stepped for Bounded<'_, S> {
    fn residual<T: Real>(
        &self,
        data: &mut S::Data<T>,
        trial: &Trial,
        v1: &[T],
        lambda: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        self.spend()?;
        self.inner.residual(data, trial, v1, lambda, r)
    }

    fn accept(
        &self,
        data: &mut S::Data<f64>,
        trial: &Trial,
        step: &Solution,
        x1: &mut [f64],
        m1: &mut [f64],
    ) -> Result<f64, Fault> {
        self.inner.accept(data, trial, step, x1, m1)
    }

    fn carry_on(
        &self,
        data: &mut S::Data<f64>,
        trial: &Trial,
        step: &Solution,
        h: f64,
        x: &mut [f64],
    ) -> Result<(), Fault> {
        self.inner.carry_on(data, trial, step, h, x)
    }

    fn resolves(&self, data: &mut S::Data<f64>, t: f64, q: &[f64], v: [&[f64]; 4]) -> bool {
        self.inner.resolves(data, t, q, v)
    }

    fn held(&self, m: &[f64], index: usize) -> Option<usize> {
        self.inner.held(m, index)
    }

    fn grip(
        &self,
        data: &Self::Data<f64>,
        trial: &Trial,
        step: &Solution,
        modes: &[f64],
        index: usize,
    ) -> Option<Grip> {
        self.inner.grip(data, trial, step, modes, index)
    }

    fn turn(&self, data: &Self::Data<f64>, modes: &mut [f64], index: usize, way: Way) {
        self.inner.turn(data, modes, index, way);
    }

    fn pass(&self, data: &mut Self::Data<f64>, trial: &Trial, modes: &mut [f64]) -> bool {
        self.inner.pass(data, trial, modes)
    }

    fn gap(&self, data: &S::Data<f64>, index: usize, q: &[f64], v: &[f64]) -> Option<[f64; 2]> {
        self.inner.gap(data, index, q, v)
    }

    fn strike(
        &self,
        data: &mut S::Data<f64>,
        t: f64,
        hold: (usize, bool),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<(&str, Change)>, Fault> {
        self.spend()?;
        self.inner.strike(data, t, hold, x, m)
    }

    fn has_friction(&self, index: usize) -> bool {
        self.inner.has_friction(index)
    }

    fn resistance(&self, data: &Self::Data<f64>, index: usize, v: f64) -> f64 {
        self.inner.resistance(data, index, v)
    }

    fn balance_name(&self, index: usize) -> &str {
        self.inner.balance_name(index)
    }
}
