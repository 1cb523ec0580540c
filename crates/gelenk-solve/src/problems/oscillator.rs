//! A block on a spring with dry friction.

use std::fmt;

use gelenk_math::Real;
use gelenk_record::Change;
use gelenk_system::{Channel, Constrained, Fault, Hybrid, Layout, ParameterTable, Sampled, Stepped, System};

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
        Layout { nq: 1, nv: 1, nm: 1, ng: 1, ..Layout::default() }
    }

    fn parameters(&self) -> &ParameterTable {
        &self.parameters
    }

    fn describe(&self, into: &mut dyn fmt::Write) -> fmt::Result {
        write!(into, "{self:?}")
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }

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

    fn outputs(&self, _: &mut f64, _: f64, x: &[f64], _: &[f64], y: &mut [f64]) -> Result<(), Fault> {
        y.copy_from_slice(x);
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
}

impl Constrained for FrictionOscillator {}
impl Sampled for FrictionOscillator {}
impl Stepped for FrictionOscillator {}
