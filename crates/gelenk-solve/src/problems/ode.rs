//! Plain ordinary differential equations as systems.

use std::fmt;

use gelenk_math::Real;
use gelenk_system::{Channel, Constrained, Fault, Hybrid, Layout, ParameterTable, Sampled, Stepped, System};

/// `dx/dt = f(t, x; p)` with names.
pub trait Ode: fmt::Debug + Send + Sync {
    /// Names of the states.
    const STATES: &'static [&'static str];
    /// Names and values of the parameters.
    const PARAMETERS: &'static [(&'static str, f64)];

    /// The state at the start.
    fn start(&self) -> Vec<f64>;

    /// Writes `f`.
    fn rates<T: Real>(&self, p: &[T], t: T, x: &[T], dx: &mut [T]);
}

/// An [`Ode`] as a system: its states are states of laws, without mechanics.
#[derive(Debug)]
pub struct Problem<O> {
    ode: O,
    parameters: ParameterTable,
    channels: Vec<Channel>,
}

impl<O: Ode> Problem<O> {
    /// The system of an equation.
    pub fn new(ode: O) -> Self {
        Self { ode, parameters: table(O::PARAMETERS), channels: channels(O::STATES) }
    }
}

/// Parameters by name; names that are used twice stay out.
pub(super) fn table(parameters: &[(&str, f64)]) -> ParameterTable {
    let mut table = ParameterTable::new();
    for (name, value) in parameters {
        let _ = table.free(name, *value, "1");
    }
    table
}

/// Channels by name, without units.
pub(super) fn channels(names: &[&str]) -> Vec<Channel> {
    let channel = |name: &&str| Channel { name: (*name).into(), unit: "1".into(), meaning: "state".into() };
    names.iter().map(channel).collect()
}

impl<O: Ode> System for Problem<O> {
    type Data<T: Real> = Vec<T>;

    fn layout(&self) -> Layout {
        Layout { nz: O::STATES.len(), ..Layout::default() }
    }

    named!();

    fn data<T: Real>(&self) -> Vec<T> {
        self.parameters.values().into_iter().map(T::c).collect()
    }

    fn bind<T: Real>(&self, data: &mut Vec<T>, p: &[T]) {
        data.copy_from_slice(p);
    }

    fn start(&self, _: &mut Vec<f64>, x: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        x.copy_from_slice(&self.ode.start());
        Ok(())
    }

    fn rates<T: Real>(&self, p: &mut Vec<T>, t: T, x: &[T], _: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        self.ode.rates(p, t, x, dx);
        match dx.iter().position(|rate| !rate.re().is_finite()) {
            Some(k) => Err(Fault::NotFinite { element: O::STATES[k].into(), t: t.re() }),
            None => Ok(()),
        }
    }
}

impl<O: Ode> Constrained for Problem<O> {}
impl<O: Ode> Hybrid for Problem<O> {}
impl<O: Ode> Sampled for Problem<O> {}
impl<O: Ode> Stepped for Problem<O> {}
