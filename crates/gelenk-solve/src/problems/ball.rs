//! A ball that bounces.

use gelenk_math::Real;
use gelenk_record::Change;
use gelenk_system::{Channel, Constrained, Fault, Hybrid, Layout, ParameterTable, Sampled, Stepped, System};

use super::ode::{channels, table};

/// Speed (m/s) below which a rebound is rest.
const SLOW: f64 = 1e-9;

/// `x'' = -g` above the ground, `v+ = -e v-` on it; from 1 m at rest, with `g = 9.81 m/s^2` and `e = 1/2`. It hits the ground
/// infinitely often and rests from `3 sqrt(2/g)` on.
#[derive(Debug)]
pub struct BouncingBall {
    parameters: ParameterTable,
    channels: Vec<Channel>,
}

impl Default for BouncingBall {
    fn default() -> Self {
        Self {
            parameters: table(&[("gravity", 9.81), ("restitution", 0.5)]),
            channels: channels(&["x", "x.rate"]),
        }
    }
}

impl BouncingBall {
    /// Height and velocity at `t` (s) before the accumulation point, by the flights one after the other.
    pub fn exact(t: f64) -> [f64; 2] {
        let (g, e) = (9.81f64, 0.5);
        let fall = (2.0 / g).sqrt();
        if t < fall {
            return [1.0 - 0.5 * g * t * t, -g * t];
        }
        let (mut begin, mut speed) = (fall, e * g * fall);
        while t >= begin + 2.0 * speed / g && speed > SLOW {
            (begin, speed) = (begin + 2.0 * speed / g, e * speed);
        }
        let t = t - begin;
        if speed > SLOW { [speed * t - 0.5 * g * t * t, speed - g * t] } else { [0.0, 0.0] }
    }
}

impl System for BouncingBall {
    type Data<T: Real> = [T; 2];

    fn layout(&self) -> Layout {
        Layout { nq: 1, nv: 1, nm: 1, ng: 1, ..Layout::default() }
    }

    named!();

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

    fn rates<T: Real>(&self, d: &mut [T; 2], _: T, x: &[T], m: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        let rests = m[0] != 0.0;
        dx.copy_from_slice(&[x[1], if rests { T::c(0.0) } else { -d[0] }]);
        Ok(())
    }
}

impl Hybrid for BouncingBall {
    fn switching(&self, _: &mut [f64; 2], _: f64, x: &[f64], m: &[f64], g: &mut [f64]) {
        g[0] = if m[0] == 0.0 { x[0] } else { 1.0 };
    }

    fn switch(
        &self,
        d: &mut [f64; 2],
        _: f64,
        _: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<Change>, Fault> {
        let rebound = -d[1] * x[1];
        m[0] = f64::from(rebound <= SLOW);
        x.copy_from_slice(&[0.0, if rebound > SLOW { rebound } else { 0.0 }]);
        Ok(Some(if rebound > SLOW { Change::Hits } else { Change::ComesToRest }))
    }

    fn switch_name(&self, _: usize) -> &str {
        "ground"
    }
}

impl Constrained for BouncingBall {}
impl Sampled for BouncingBall {}
impl Stepped for BouncingBall {}
