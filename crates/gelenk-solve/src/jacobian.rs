//! Derivatives of the state rate by state and parameters, exact by dual numbers.

use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_system::{Fault, Param, System};

/// A matrix by columns.
pub type Columns = Vec<Vec<f64>>;

/// `d(dx/dt)/dx` at `(t, x)` with memory `m` and the resolved parameters `p`, one column per state.
pub fn by_state<S: System>(system: &S, p: &[f64], t: f64, x: &[f64], m: &[f64]) -> Result<Columns, Fault> {
    let mut data = system.data::<Dual>();
    let p: Vec<Dual> = p.iter().map(|&value| Dual::c(value)).collect();
    system.bind(&mut data, &p);
    let mut dx = vec![Dual::c(0.0); x.len()];
    let mut columns = Vec::with_capacity(x.len());
    for first in (0..x.len()).step_by(LANES) {
        let seeded: Vec<Dual> = x
            .iter()
            .enumerate()
            .map(|(i, &value)| seed(value, i.checked_sub(first).unwrap_or(LANES)))
            .collect();
        system.rates(&mut data, Dual::c(t), &seeded, m, &mut dx)?;
        columns.extend((first..x.len().min(first + LANES)).map(|i| column(&dx, i - first)));
    }
    Ok(columns)
}

/// `d(dx/dt)/dp` for the free parameters `by`, one column each; derived parameters follow along.
pub fn by_parameters<S: System>(
    system: &S,
    p: &[f64],
    by: &[Param],
    t: f64,
    x: &[f64],
    m: &[f64],
) -> Result<Columns, Fault> {
    let mut data = system.data::<Dual>();
    let x: Vec<Dual> = x.iter().map(|&value| Dual::c(value)).collect();
    let mut dx = vec![Dual::c(0.0); x.len()];
    let mut columns = Vec::with_capacity(by.len());
    for chunk in by.chunks(LANES) {
        let mut seeded: Vec<Dual> = p.iter().map(|&value| Dual::c(value)).collect();
        for (lane, param) in chunk.iter().enumerate() {
            seeded[param.index()] = seed(p[param.index()], lane);
        }
        system.parameters().resolve(&mut seeded);
        system.bind(&mut data, &seeded);
        system.rates(&mut data, Dual::c(t), &x, m, &mut dx)?;
        columns.extend((0..chunk.len()).map(|lane| column(&dx, lane)));
    }
    Ok(columns)
}

fn column(dx: &[Dual], lane: usize) -> Vec<f64> {
    dx.iter().map(|&rate| partial(rate, lane)).collect()
}
