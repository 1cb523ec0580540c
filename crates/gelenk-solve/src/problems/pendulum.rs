//! A pendulum in Cartesian coordinates.

use gelenk_math::Real;
use gelenk_system::{
    Account, Channel, Constrained, Fault, Hybrid, Layout, ParameterTable, Sampled, Solution, Stepped, System,
    Trial,
};

use super::ode::{channels, table};

/// `x'' = -lambda x`, `y'' = -lambda y - g`, `(x^2 + y^2 - 1)/2 = 0`, released at rest from `(1, 0)`: a mass of 1 kg on a rod
/// of 1 m. In its Cartesian coordinates the equations have index 3; the multiplier comes from the second derivative of
/// the constraint, and projection keeps the first two.
#[derive(Debug)]
pub struct IndexThreePendulum {
    parameters: ParameterTable,
    channels: Vec<Channel>,
    accounts: [Account; 1],
}

impl Default for IndexThreePendulum {
    fn default() -> Self {
        Self {
            parameters: table(&[("gravity", 9.81)]),
            channels: channels(&["x", "y", "x.rate", "y.rate"]),
            accounts: [Account { name: "gravity".into(), conservative: true }],
        }
    }
}

impl IndexThreePendulum {
    /// A quarter of the period (s), after which it passes its lowest point with `sqrt(2 g)`: `K(1/2)/sqrt(g)`, with the
    /// complete elliptic integral `K(1/2) = 1.8540746773013719`.
    pub const QUARTER: f64 = 0.591_960_486_894_059_3;

    /// `lambda` from `q . a + v . v = 0`.
    fn multiplier<T: Real>(g: T, q: &[T], v: &[T]) -> T {
        (v[0] * v[0] + v[1] * v[1] - g * q[1]) / (q[0] * q[0] + q[1] * q[1])
    }
}

impl System for IndexThreePendulum {
    type Data<T: Real> = T;

    fn layout(&self) -> Layout {
        Layout { nq: 2, nv: 2, nw: 1, nc: 1, ..Layout::default() }
    }

    named!();

    fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    fn data<T: Real>(&self) -> T {
        self.parameters.values().first().map_or(T::c(0.0), |g| T::c(*g))
    }

    fn bind<T: Real>(&self, gravity: &mut T, p: &[T]) {
        *gravity = p[0];
    }

    fn start(&self, _: &mut f64, x: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        x.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 0.0]);
        Ok(())
    }

    fn rates<T: Real>(&self, g: &mut T, _: T, x: &[T], _: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        let (q, v) = (&x[..2], &x[2..4]);
        let lambda = Self::multiplier(*g, q, v);
        dx.copy_from_slice(&[v[0], v[1], -lambda * q[0], -lambda * q[1] - *g, -*g * v[1]]);
        Ok(())
    }

    fn outputs(&self, _: &mut f64, _: f64, x: &[f64], _: &[f64], y: &mut [f64]) -> Result<(), Fault> {
        y.copy_from_slice(&x[..4]);
        Ok(())
    }

    fn energies(&self, g: &mut f64, _: f64, x: &[f64], _: &[f64], stored: &mut [f64]) -> f64 {
        stored[0] = *g * x[1];
        0.5 * (x[2] * x[2] + x[3] * x[3])
    }
}

impl Constrained for IndexThreePendulum {
    fn project(&self, _: &mut f64, _: f64, x: &mut [f64], _: &mut [f64]) -> Result<f64, Fault> {
        let length = x[0].hypot(x[1]);
        let (a, b) = (x[0] / length, x[1] / length);
        let along = a * x[2] + b * x[3];
        let on = [a, b, x[2] - along * a, x[3] - along * b];
        x[..4].copy_from_slice(&on);
        Ok((length - 1.0).abs())
    }

    fn constraint_rows(&self, _: &mut f64, _: f64, q: &[f64], rows: &mut [f64]) {
        rows.copy_from_slice(q);
    }

    fn gaps(&self, _: &mut f64, _: f64, x: &[f64], [gap, rate, gamma]: [&mut [f64]; 3]) {
        gap[0] = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
        rate[0] = x[0] * x[2] + x[1] * x[3];
        gamma[0] = -(x[2] * x[2] + x[3] * x[3]);
    }

    fn balance<T: Real>(
        &self,
        g: &mut T,
        (_, x, _): (T, &[T], &[f64]),
        [a, lambda]: [&[T]; 2],
        r: &mut [T],
    ) -> Result<(), Fault> {
        r.copy_from_slice(&[a[0] + x[0] * lambda[0], a[1] + *g + x[1] * lambda[0]]);
        Ok(())
    }

    fn needs_projection(&self) -> bool {
        true
    }
}

impl Hybrid for IndexThreePendulum {}
impl Sampled for IndexThreePendulum {}

impl Stepped for IndexThreePendulum {
    fn residual<T: Real>(
        &self,
        g: &mut T,
        trial: &Trial,
        v1: &[T],
        lambda: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let (h, c) = (T::c(trial.h), T::c);
        let q1 = [c(trial.x[0]) + h * v1[0], c(trial.x[1]) + h * v1[1]];
        r[0] = v1[0] - c(trial.x[2]) + h * q1[0] * lambda[0];
        r[1] = v1[1] - c(trial.x[3]) + h * (*g + q1[1] * lambda[0]);
        r[2] = q1[0] * v1[0] + q1[1] * v1[1];
        Ok(())
    }

    fn accept(
        &self,
        g: &mut f64,
        trial: &Trial,
        step: &Solution,
        x1: &mut [f64],
        m1: &mut [f64],
    ) -> Result<f64, Fault> {
        self.carry_on(g, trial, step, trial.h, x1)?;
        x1[2..4].copy_from_slice(step.v1);
        self.project(g, trial.t + trial.h, x1, m1)
    }

    fn carry_on(
        &self,
        g: &mut f64,
        trial: &Trial,
        step: &Solution,
        h: f64,
        x: &mut [f64],
    ) -> Result<(), Fault> {
        for k in 0..2 {
            x[k] = trial.x[k] + h * step.v1[k];
            x[2 + k] = trial.x[2 + k] + (step.v1[k] - trial.x[2 + k]) * (h / trial.h);
        }
        x[4] = trial.x[4] - h * *g * step.v1[1];
        Ok(())
    }
}
