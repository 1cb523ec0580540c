//! A block on a spring that hardens.

use std::fmt;

use gelenk_math::{Lockstep, Real};
use gelenk_system::{
    Channel, Constrained, Fault, Hybrid, InLanes, LaneTrial, Layout, ParameterTable, Sampled, Solution,
    Stepped, System, Trial,
};

use super::ode::{channels, table};

/// `x'' = -k x - b x^3 - c x'`, released at rest from 1; in continuous and stepped form, and in lanes. With `b = 0` and
/// `c = 2 sqrt(k)` it comes to zero without passing it; a spring that softens (`b < -k`) lets it run away in a finite time.
#[derive(Debug)]
pub struct Slider {
    parameters: ParameterTable,
    channels: Vec<Channel>,
}

impl Default for Slider {
    fn default() -> Self {
        let parameters = table(&[("stiffness", 1.0), ("damping", 0.1), ("hardening", 0.0)]);
        Self { parameters, channels: channels(&["x", "x.rate"]) }
    }
}

/// The force on the block, negative.
fn resistance<T: Lockstep>([k, c, b]: [T; 3], x: T, v: T) -> T {
    k * x + b * x * x * x + c * v
}

impl System for Slider {
    type Data<T: Real> = [T; 3];

    fn layout(&self) -> Layout {
        Layout { nq: 1, nv: 1, ..Layout::default() }
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

    fn data<T: Real>(&self) -> [T; 3] {
        self.lane_data()
    }

    fn bind<T: Real>(&self, data: &mut [T; 3], p: &[T]) {
        data.copy_from_slice(p);
    }

    fn start(&self, _: &mut [f64; 3], x: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        x.copy_from_slice(&[1.0, 0.0]);
        Ok(())
    }

    fn rates<T: Real>(&self, p: &mut [T; 3], _: T, x: &[T], _: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        dx.copy_from_slice(&[x[1], -resistance(*p, x[0], x[1])]);
        match dx.iter().position(|rate| !rate.re().is_finite()) {
            None => Ok(()),
            Some(k) => Err(Fault::NotFinite { element: self.channels[k].name.clone(), t: 0.0 }),
        }
    }

    fn outputs(&self, _: &mut [f64; 3], _: f64, x: &[f64], _: &[f64], y: &mut [f64]) -> Result<(), Fault> {
        y.copy_from_slice(x);
        Ok(())
    }
}

impl Constrained for Slider {}
impl Hybrid for Slider {}
impl Sampled for Slider {}

impl Stepped for Slider {
    fn residual<T: Real>(
        &self,
        p: &mut [T; 3],
        trial: &Trial,
        v1: &[T],
        _: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let Trial { t, h, x, m, effort } = *trial;
        self.residual_lanes(p, &LaneTrial { t, h, x, m, effort }, v1, r)
    }

    fn accept(
        &self,
        _: &mut [f64; 3],
        trial: &Trial,
        step: &Solution,
        x1: &mut [f64],
        _: &mut [f64],
    ) -> Result<f64, Fault> {
        x1.copy_from_slice(&[trial.x[0] + trial.h * step.v1[0], step.v1[0]]);
        Ok(0.0)
    }
}

impl InLanes for Slider {
    type LaneData<T: Lockstep> = [T; 3];

    fn refuse_lanes(&self, _: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn lane_data<T: Lockstep>(&self) -> [T; 3] {
        [1.0, 0.1, 0.0].map(T::of)
    }

    fn bind_lanes<T: Lockstep>(&self, data: &mut [T; 3], p: &[T]) {
        data.copy_from_slice(p);
    }

    fn rates_lanes<T: Lockstep>(
        &self,
        p: &mut [T; 3],
        _: f64,
        x: &[T],
        _: &[T::Plain],
        dx: &mut [T],
    ) -> Result<(), Fault> {
        dx.copy_from_slice(&[x[1], -resistance(*p, x[0], x[1])]);
        Ok(())
    }

    fn residual_lanes<T: Lockstep>(
        &self,
        p: &mut [T; 3],
        trial: &LaneTrial<T::Plain>,
        v1: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let ([x0, v0], h) = ([trial.x[0], trial.x[1]].map(T::fixed), T::of(trial.h));
        r[0] = v1[0] - v0 + h * resistance(*p, x0 + h * v1[0], v1[0]);
        Ok(())
    }

    fn accept_lanes<T: Lockstep<Plain = T, One = f64>>(
        &self,
        _: &mut [T; 3],
        trial: &LaneTrial<T>,
        v1: &[T],
        x1: &mut [T],
        _: &mut [T],
    ) -> Result<(), Fault> {
        x1.copy_from_slice(&[trial.x[0] + T::of(trial.h) * v1[0], v1[0]]);
        Ok(())
    }
}
