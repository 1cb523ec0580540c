//! A block on a spring with dry friction.

use gelenk_math::Real;
use gelenk_record::Change;
use gelenk_system::{
    Channel, Constrained, Fault, Grip, Hybrid, Layout, ParameterTable, Sampled, Solution, Stepped, System,
    Trial, Way,
};

use super::ode::{channels, table};

/// `x'' = -x - F sign(x')` from `(12, 6)`, with `F = 1`: half turns about `-F` and `F` in turn, until it sticks inside
/// `abs(x) <= F` (ruderman, RU-R2).
#[derive(Debug)]
pub struct FrictionOscillator {
    parameters: ParameterTable,
    channels: Vec<Channel>,
}

impl Default for FrictionOscillator {
    fn default() -> Self {
        Self { parameters: table(&[("friction", 1.0)]), channels: channels(&["x", "x.rate"]) }
    }
}

impl FrictionOscillator {
    /// Where it comes to rest: it turns first at `sqrt(13^2 + 6^2) - 1` and then each time `2 F` nearer, so that from the
    /// seventh turn, at `sqrt(205) - 13`, it goes to `15 - sqrt(205)`.
    pub const REST: f64 = 0.682_178_936_723_646_8;
}

impl System for FrictionOscillator {
    type Data<T: Real> = T;

    fn layout(&self) -> Layout {
        Layout { nq: 1, nv: 1, nm: 1, ng: 1, nh: 1, ..Layout::default() }
    }

    named!();

    fn data<T: Real>(&self) -> T {
        self.parameters.values().first().map_or(T::c(0.0), |level| T::c(*level))
    }

    fn bind<T: Real>(&self, friction: &mut T, p: &[T]) {
        *friction = p[0];
    }

    fn start(&self, _: &mut f64, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        x.copy_from_slice(&[12.0, 6.0]);
        m[0] = 1.0;
        Ok(())
    }

    /// The memory is the direction of sliding, zero while it sticks.
    fn rates<T: Real>(&self, friction: &mut T, _: T, x: &[T], m: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        let slides = m[0] != 0.0;
        let force = -x[0] - *friction * T::c(m[0]);
        dx.copy_from_slice(&[x[1], if slides { force } else { T::c(0.0) }]);
        Ok(())
    }
}

impl Hybrid for FrictionOscillator {
    fn switching(&self, friction: &mut f64, _: f64, x: &[f64], m: &[f64], g: &mut [f64]) {
        g[0] = if m[0] == 0.0 { *friction - x[0].abs() } else { m[0] * x[1] };
    }

    fn switch(
        &self,
        friction: &mut f64,
        _: f64,
        _: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<Change>, Fault> {
        x[1] = 0.0;
        m[0] = if x[0].abs() <= *friction { 0.0 } else { -x[0].signum() };
        Ok(Some(if m[0] == 0.0 { Change::Sticks } else { Change::Reverses }))
    }

    fn switch_name(&self, _: usize) -> &str {
        "friction"
    }

    fn switches_hold(&self, _: usize) -> bool {
        true
    }

    fn modes(&self) -> usize {
        1
    }

    fn change(&self, _: usize, before: &[f64], after: &[f64]) -> Option<(&str, Change)> {
        let what = if after[0] == 0.0 { Change::Sticks } else { Change::Reverses };
        (before[0] != after[0]).then_some(("friction", what))
    }
}

impl Constrained for FrictionOscillator {}
impl Sampled for FrictionOscillator {}

impl Stepped for FrictionOscillator {
    fn residual<T: Real>(
        &self,
        friction: &mut T,
        trial: &Trial,
        v1: &[T],
        _: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let (h, c) = (T::c(trial.h), T::c);
        let x1 = c(trial.x[0]) + h * v1[0];
        r[0] = v1[0] - c(trial.x[1]) + h * (x1 + *friction * c(trial.m[0]));
        Ok(())
    }

    fn accept(
        &self,
        friction: &mut f64,
        trial: &Trial,
        step: &Solution,
        x1: &mut [f64],
        m1: &mut [f64],
    ) -> Result<f64, Fault> {
        m1.copy_from_slice(trial.m);
        self.carry_on(friction, trial, step, trial.h, x1)?;
        Ok(0.0)
    }

    fn carry_on(
        &self,
        _: &mut f64,
        trial: &Trial,
        step: &Solution,
        h: f64,
        x: &mut [f64],
    ) -> Result<(), Fault> {
        let [x0, v0, v1] = [trial.x[0], trial.x[1], step.v1[0]];
        x.copy_from_slice(&[x0 + h * v1, v0 + (v1 - v0) * (h / trial.h)]);
        Ok(())
    }

    fn held(&self, m: &[f64], _: usize) -> Option<usize> {
        (m[0] == 0.0).then_some(0)
    }

    fn grip(&self, friction: &f64, _: &Trial, step: &Solution, modes: &[f64], _: usize) -> Option<Grip> {
        let level = *friction;
        let range = match modes[0] {
            0.0 => [-level, level],
            // Held instead of sliding on, friction may turn from one level to the other.
            sign if sign * step.v1[0] < 0.0 => [(2.0 * sign * level).min(0.0), (2.0 * sign * level).max(0.0)],
            _ => return None,
        };
        Some(Grip { velocity: 0, range })
    }

    fn turn(&self, _: &f64, modes: &mut [f64], _: usize, way: Way) {
        modes[0] = match way {
            Way::Held => 0.0,
            Way::Forward => 1.0,
            Way::Backward => -1.0,
        };
    }
}
