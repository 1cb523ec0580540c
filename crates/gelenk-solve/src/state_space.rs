//! Linear equations of a system with its inputs and outputs, and the poles of sampled loops.
//!
//! About a state `(t, x, m)` small motions obey
//!
//! ```text
//! ds/dt = A s + B u,    y = C s + D u
//! ```
//!
//! with `s = (y, dy/dt, zeta)` as in [`Linearisation`], and deviations `u` of the inputs and `y` of channels. All
//! derivatives are those of dual numbers.
//!
//! A sampled loop changes what blocks hold at its instants, and holds it between them. From just after one sample to just after
//! another, held numbers `mu` included, small motions obey `(s, mu)' = M (s, mu)`: between the instants an exponential of
//! `[A, H; 0, 0]`, at them the derivatives of the blocks. The eigenvalues of `M` over one cycle are the discrete poles.

use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_system::{Course, Fault, Layout, Nanos, Simulated};
use nalgebra::{Complex, DMatrix};

use crate::linearise::Linearisation;
use crate::tangent::{eigenvalues, free_directions};

/// Share by which the maps of two cycles may differ: their instants are rounded to nanoseconds.
const SAME: f64 = 1e-5;

/// Held numbers of a sampled loop at most: `M` is a dense matrix.
const MOST_HELD: usize = 2000;

/// `ds/dt = A s + B u`, `y = C s + D u` about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// `A`, and the directions of the independent displacements.
    pub states: Linearisation,
    /// `B`: a column for every input.
    pub b: DMatrix<f64>,
    /// `C`: a row for every picked channel.
    pub c: DMatrix<f64>,
    /// `D`: a row for every picked channel, a column for every input.
    pub d: DMatrix<f64>,
}

/// What cannot be linearised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StateSpaceError {
    /// The system cannot be evaluated there.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A channel has no derivatives.
    #[error("{channel} has no derivatives: it counts or measures contacts; pick another column")]
    Channel {
        /// Its name.
        channel: String,
    },
    /// A rate or a channel has a corner at the state.
    #[error(
        "{what} has no derivative at this state, for example the magnitude of a zero vector; choose another state or column"
    )]
    Corner {
        /// What has none.
        what: String,
    },
    /// There is no cycle of samples.
    #[error(
        "the samplers have no common cycle, because they have jitter, lose samples or have periods without a common multiple; discrete poles need one"
    )]
    Cycle,
    /// A sampled loop holds too many numbers.
    #[error(
        "the sampled blocks hold {held} numbers, and discrete poles are computed for up to {MOST_HELD}; shorten their delays"
    )]
    Held {
        /// How many.
        held: usize,
    },
}

/// Derivatives of rates, channels and held numbers in all directions `(xi, eta, zeta, mu)`.
struct Seeds<'a, S: Simulated> {
    system: &'a S,
    data: S::Data<Dual>,
    /// The state as constants.
    x: Vec<Dual>,
    moved: Vec<Dual>,
    xi: Vec<Dual>,
    mu: Vec<Dual>,
}

impl<'a, S: Simulated> Seeds<'a, S> {
    fn new(system: &'a S, p: &[f64], x: &[f64]) -> Self {
        let mut data = system.data::<Dual>();
        let p: Vec<Dual> = p.iter().map(|&value| Dual::c(value)).collect();
        system.bind(&mut data, &p);
        let x: Vec<Dual> = x.iter().map(|&value| Dual::c(value)).collect();
        let xi = vec![Dual::c(0.0); system.layout().nv];
        let mu = vec![Dual::c(0.0); system.varying().len()];
        Self { system, data, moved: x.clone(), x, xi, mu }
    }

    fn columns(&self) -> usize {
        let Layout { nv, nz, .. } = self.system.layout();
        2 * nv + nz + self.mu.len()
    }

    /// Lets the directions from `first` on vary, as many as a dual has.
    fn aim(&mut self, first: usize) {
        let layout = self.system.layout();
        let (nv, nz) = (layout.nv, layout.nz);
        let lane = |column: usize, value: f64| seed(value, column.checked_sub(first).unwrap_or(LANES));
        for (k, xi) in self.xi.iter_mut().enumerate() {
            *xi = lane(k, 0.0);
        }
        self.system.retract(&self.x[layout.q()], &self.xi, &mut self.moved[layout.q()]);
        for (k, i) in layout.v().chain(layout.z()).enumerate() {
            self.moved[i] = lane(nv + k, self.x[i].re());
        }
        for (k, mu) in self.mu.iter_mut().enumerate() {
            *mu = lane(2 * nv + nz + k, 0.0);
        }
        self.system.vary(&mut self.data, &self.mu);
    }

    /// The matrix of derivatives of what `evaluate` writes, `rows` numbers.
    fn matrix(
        &mut self,
        rows: usize,
        mut evaluate: impl FnMut(&S, &mut S::Data<Dual>, &[Dual], &mut [Dual]) -> Result<(), Fault>,
    ) -> Result<DMatrix<f64>, Fault> {
        let columns = self.columns();
        let mut matrix = DMatrix::zeros(rows, columns);
        let mut values = vec![Dual::c(0.0); rows];
        for first in (0..columns).step_by(LANES) {
            self.aim(first);
            evaluate(self.system, &mut self.data, &self.moved, &mut values)?;
            for (row, &value) in values.iter().enumerate() {
                for column in first..columns.min(first + LANES) {
                    matrix[(row, column)] = partial(value, column - first);
                }
            }
        }
        Ok(matrix)
    }
}

/// Takes the columns `(xi, eta, zeta)` of a matrix to `(y, dy/dt, zeta)`, and leaves what follows.
fn reduce(full: &DMatrix<f64>, n: &DMatrix<f64>, nz: usize) -> DMatrix<f64> {
    let (nv, k) = n.shape();
    let rest = full.ncols() - 2 * nv - nz;
    let mut reduced = DMatrix::zeros(full.nrows(), 2 * k + nz + rest);
    reduced.columns_mut(0, k).copy_from(&(full.columns(0, nv) * n));
    reduced.columns_mut(k, k).copy_from(&(full.columns(nv, nv) * n));
    reduced.columns_mut(2 * k, nz + rest).copy_from(&full.columns(2 * nv, nz + rest));
    reduced
}

/// `[A, H]` over `(s, mu)`: the rates of `(y, dy/dt, zeta)`, and the directions `N`.
fn rates<S: Simulated>(
    seeds: &mut Seeds<'_, S>,
    p: &[f64],
    (t, x, m): (f64, &[f64], &[f64]),
) -> Result<(DMatrix<f64>, DMatrix<f64>), StateSpaceError> {
    let layout = seeds.system.layout();
    let (nv, nz) = (layout.nv, layout.nz);
    let mut dx = vec![Dual::c(0.0); layout.nx()];
    let full = seeds.matrix(nv + nz, |system, data, x, out| {
        system.rates(data, Dual::c(t), x, m, &mut dx)?;
        for (out, i) in out.iter_mut().zip(layout.v().chain(layout.z())) {
            *out = dx[i];
        }
        Ok(())
    })?;
    if let Some(row) = (0..nv + nz).find(|&row| full.row(row).iter().any(|slope| !slope.is_finite())) {
        let what = layout.v().chain(layout.z()).nth(row).map_or("", |index| seeds.system.state_name(index));
        return Err(StateSpaceError::Corner { what: format!("the rate of {what}") });
    }
    let n = free_directions(seeds.system, p, t, x, &[]);
    let k = n.ncols();
    let reduced = reduce(&full, &n, nz);
    let mut a = DMatrix::zeros(2 * k + nz, reduced.ncols());
    a.view_mut((0, k), (k, k)).fill_with_identity();
    a.rows_mut(k, k).copy_from(&(n.transpose() * reduced.rows(0, nv)));
    a.rows_mut(2 * k, nz).copy_from(&reduced.rows(nv, nz));
    Ok((a, n))
}

/// The linear equations about the state `x` at `t` with memory `m`, for all inputs and the channels `picked`. The motion of the
/// state itself is taken as frozen; [`crate::equilibrium()`] finds a state where it is.
pub fn state_space<S: Simulated>(
    system: &S,
    p: &[f64],
    (t, x, m): (f64, &[f64], &[f64]),
    picked: &[usize],
) -> Result<StateSpace, StateSpaceError> {
    let layout = system.layout();
    let nz = layout.nz;
    let mut seeds = Seeds::new(system, p, x);
    let mut m = m.to_vec();
    // An input varies about its value at this instant, whatever it is bound to.
    let mut data = system.data::<f64>();
    system.bind(&mut data, p);
    for index in 0..system.inputs().len() {
        if !system.holds(&data, index) {
            let value = system.input_at(&data, index, t);
            system.bind_input(&mut seeds.data, index, &Course::Held(value));
            system.hold(index, value, &mut m);
        }
    }
    let (all, n) = rates(&mut seeds, p, (t, x, &m))?;
    let k = n.ncols();
    let (states, inputs) = (2 * k + nz, system.inputs().len());
    let channels = system.channels();
    let outputs = if picked.is_empty() {
        DMatrix::zeros(0, seeds.columns())
    } else {
        let mut y = vec![Dual::c(0.0); channels.len()];
        let mut lost = None;
        let matrix = seeds.matrix(picked.len(), |system, data, x, out| {
            system.outputs_on(data, Dual::c(t), x, &m, &mut y)?;
            for (out, &k) in out.iter_mut().zip(picked) {
                *out = y.get(k).copied().unwrap_or(Dual::c(f64::NAN));
                if !out.re().is_finite() {
                    lost = Some(k);
                }
            }
            Ok(())
        })?;
        if let Some(k) = lost {
            let channel = channels.get(k).map(|channel| channel.name.clone()).unwrap_or_default();
            return Err(StateSpaceError::Channel { channel });
        }
        if let Some(row) =
            (0..picked.len()).find(|&row| matrix.row(row).iter().any(|slope| !slope.is_finite()))
        {
            let what = channels.get(picked[row]).map(|channel| channel.name.clone()).unwrap_or_default();
            return Err(StateSpaceError::Corner { what });
        }
        matrix
    };
    let outputs = reduce(&outputs, &n, nz);
    Ok(StateSpace {
        states: Linearisation { a: all.columns(0, states).into_owned(), directions: n },
        b: all.columns(states, inputs).into_owned(),
        c: outputs.columns(0, states).into_owned(),
        d: outputs.columns(states, inputs).into_owned(),
    })
}

/// The map of small motions of a sampled loop over one cycle of its samplers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// `M` over the states of a [`StateSpace`] and what the blocks hold.
    pub map: DMatrix<f64>,
    /// Length of the cycle.
    pub period: Nanos,
}

impl Cycle {
    /// Discrete poles, the largest first; of a conjugate pair the one with positive imaginary part comes first. What a block
    /// holds only until the next sample has poles at zero.
    pub fn poles(&self) -> Vec<Complex<f64>> {
        let mut kept: Vec<usize> = (0..self.map.nrows()).collect();
        // What acts on nothing, and what becomes nothing, has a pole at zero, exactly; together such poles would be far off by
        // rounding.
        while let Some(at) = kept.iter().position(|&k| {
            kept.iter().all(|&i| self.map[(i, k)] == 0.0) || kept.iter().all(|&i| self.map[(k, i)] == 0.0)
        }) {
            kept.remove(at);
        }
        let mut poles = eigenvalues(&self.map.select_rows(&kept).select_columns(&kept));
        poles.resize(self.map.nrows(), Complex::new(0.0, 0.0));
        poles.sort_by(|a, b| b.norm().total_cmp(&a.norm()).then(b.im.total_cmp(&a.im)));
        poles
    }
}

/// The map of small motions of a sampled loop about the state `x` with memory `m`, from just after one sample to just after the
/// one that is a cycle later. Numbers that inputs hold do not vary.
pub fn cycle<S: Simulated>(
    system: &S,
    p: &[f64],
    (x, m): (&[f64], &[f64]),
) -> Result<Cycle, StateSpaceError> {
    let (settled, period) =
        system.cycle().filter(|(_, period)| *period > Nanos::ZERO).ok_or(StateSpaceError::Cycle)?;
    let late = settled.0.checked_add(period.0).map(Nanos).ok_or(StateSpaceError::Cycle)?;
    let end = late.0.checked_add(period.0).map(Nanos).ok_or(StateSpaceError::Cycle)?;
    let inputs = system.inputs().len();
    let held = system.varying().len();
    if held > MOST_HELD {
        return Err(StateSpaceError::Held { held });
    }
    let nz = system.layout().nz;
    let mut seeds = Seeds::new(system, p, x);
    let (all, n) = rates(&mut seeds, p, (0.0, x, m))?;
    let states = all.nrows();
    let size = states + held;
    let mut flow = DMatrix::zeros(size, size);
    flow.rows_mut(0, states).copy_from(&all);
    let mut data = system.data::<f64>();
    system.bind(&mut data, p);
    let mut over = |mut now: Nanos, end: Nanos| -> Result<DMatrix<f64>, StateSpaceError> {
        let mut map = DMatrix::identity(size, size);
        while now < end {
            let next = system.next_sample(&data, now).filter(|next| *next < end).unwrap_or(end);
            map = (&flow * (next.seconds() - now.seconds())).exp() * map;
            now = next;
            let sampled = seeds.matrix(held, |system, data, x, out| {
                let mut m = m.to_vec();
                system.sample(data, now, x, &mut m)?;
                system.variation(data, out);
                Ok(())
            })?;
            let mut jump = DMatrix::identity(size, size);
            jump.rows_mut(states, held).copy_from(&reduce(&sampled, &n, nz));
            map = jump * map;
        }
        Ok(map)
    };
    let map = over(settled, late)?;
    // What does something else in the next cycle, such as a sensor that loses samples, has no poles.
    if (over(late, end)? - &map).amax() > SAME * map.amax() {
        return Err(StateSpaceError::Cycle);
    }
    // What inputs hold is given from outside.
    let given = states..states + inputs;
    let kept: Vec<usize> = (0..size).filter(|k| !given.contains(k)).collect();
    Ok(Cycle { map: map.select_rows(&kept).select_columns(&kept), period })
}
