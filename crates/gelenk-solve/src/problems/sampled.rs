//! A double integrator under a sampled controller.

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

/// Workspace: the gains, and how the held force varies.
#[derive(Debug)]
pub struct ClosedLoop<T> {
    gains: [T; 2],
    varies: T,
}

impl System for SampledIntegrator {
    type Data<T: Real> = ClosedLoop<T>;

    fn layout(&self) -> Layout {
        Layout { nq: 1, nv: 1, nm: 1, ..Layout::default() }
    }

    named!();

    fn data<T: Real>(&self) -> ClosedLoop<T> {
        let mut gains = [T::c(0.0); 2];
        for (own, value) in gains.iter_mut().zip(self.parameters.values()) {
            *own = T::c(value);
        }
        ClosedLoop { gains, varies: T::c(0.0) }
    }

    fn bind<T: Real>(&self, data: &mut ClosedLoop<T>, p: &[T]) {
        data.gains.copy_from_slice(p);
    }

    fn start(&self, _: &mut ClosedLoop<f64>, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        x.copy_from_slice(&[1.0, 0.0]);
        m[0] = 0.0;
        Ok(())
    }

    fn rates<T: Real>(
        &self,
        d: &mut ClosedLoop<T>,
        _: T,
        x: &[T],
        m: &[f64],
        dx: &mut [T],
    ) -> Result<(), Fault> {
        dx.copy_from_slice(&[x[1], T::c(m[0]) + d.varies]);
        Ok(())
    }

    fn varying(&self) -> &[usize] {
        &[0]
    }

    fn vary<T: Real>(&self, d: &mut ClosedLoop<T>, by: &[T]) {
        d.varies = by.first().copied().unwrap_or(T::c(0.0));
    }
}

impl Sampled for SampledIntegrator {
    fn next_sample(&self, _: &ClosedLoop<f64>, now: Nanos) -> Option<Nanos> {
        now.next_multiple(Self::PERIOD)
    }

    fn sample<T: Real>(
        &self,
        d: &mut ClosedLoop<T>,
        now: Nanos,
        x: &[T],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        if now.is_multiple(Self::PERIOD) {
            let force = -d.gains[0] * x[0] - d.gains[1] * x[1];
            m[0] = force.re();
            d.varies = force - T::c(force.re());
        }
        Ok(())
    }

    fn variation<T: Real>(&self, d: &ClosedLoop<T>, by: &mut [T]) {
        by[0] = d.varies;
    }

    fn cycle(&self) -> Option<(Nanos, Nanos)> {
        Some((Self::PERIOD, Self::PERIOD))
    }
}

impl Constrained for SampledIntegrator {}
impl Hybrid for SampledIntegrator {}
impl Stepped for SampledIntegrator {}
