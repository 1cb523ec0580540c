//! A double integrator under a sampled controller.

use std::fmt;

use gelenk_math::Real;
use gelenk_system::{
    Channel, Constrained, Fault, Hybrid, Layout, Nanos, ParameterTable, Sampled, Stepped, System,
};

use super::ode::{channels, table};

/// `x'' = u` from `(1, 0)`, where `u = -k x - d x'` is taken every 0.1 s and held, with `k = 4`, `d = 2`.
#[derive(Debug)]
pub struct SampledIntegrator {
    parameters: ParameterTable,
    channels: Vec<Channel>,
}

impl Default for SampledIntegrator {
    fn default() -> Self {
        Self { parameters: table(&[("k", 4.0), ("d", 2.0)]), channels: channels(&["x", "x.rate"]) }
    }
}

impl SampledIntegrator {
    /// Period of the controller.
    pub const PERIOD: Nanos = Nanos(100_000_000);

    /// Position and velocity after a number of periods: the powers of the discrete loop.
    pub fn exact(periods: usize) -> [f64; 2] {
        let (h, mut x, mut v) = (Self::PERIOD.seconds(), 1.0, 0.0);
        for _ in 0..periods {
            let u = -4.0 * x - 2.0 * v;
            (x, v) = (x + h * v + 0.5 * h * h * u, v + h * u);
        }
        [x, v]
    }
}

impl System for SampledIntegrator {
    type Data<T: Real> = [T; 2];

    fn layout(&self) -> Layout {
        Layout { nq: 1, nv: 1, nm: 1, ..Layout::default() }
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

    fn data<T: Real>(&self) -> [T; 2] {
        let mut data = [T::c(0.0); 2];
        for (own, value) in data.iter_mut().zip(self.parameters.values()) {
            *own = T::c(value);
        }
        data
    }

    fn bind<T: Real>(&self, data: &mut [T; 2], p: &[T]) {
        data.copy_from_slice(p);
    }

    fn start(&self, _: &mut [f64; 2], x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        x.copy_from_slice(&[1.0, 0.0]);
        m[0] = 0.0;
        Ok(())
    }

    fn rates<T: Real>(&self, _: &mut [T; 2], _: T, x: &[T], m: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        dx.copy_from_slice(&[x[1], T::c(m[0])]);
        Ok(())
    }

    fn outputs(&self, _: &mut [f64; 2], _: f64, x: &[f64], _: &[f64], y: &mut [f64]) -> Result<(), Fault> {
        y.copy_from_slice(x);
        Ok(())
    }
}

impl Sampled for SampledIntegrator {
    fn next_sample(&self, _: &[f64; 2], now: Nanos) -> Option<Nanos> {
        now.next_multiple(Self::PERIOD)
    }

    fn sample(&self, d: &mut [f64; 2], now: Nanos, x: &[f64], m: &mut [f64]) -> Result<(), Fault> {
        if now.is_multiple(Self::PERIOD) {
            m[0] = -d[0] * x[0] - d[1] * x[1];
        }
        Ok(())
    }
}

impl Constrained for SampledIntegrator {}
impl Hybrid for SampledIntegrator {}
impl Stepped for SampledIntegrator {}
