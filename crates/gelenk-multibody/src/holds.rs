//! Coordinates that are held: by friction that sticks, and by limits that they rest on.
//!
//! A hold is a constraint `a_k = 0` that is switched on and off by the memory. With the acceleration `a_0` of the closed
//! loops without holds and the answers `A_j` of all accelerations to a unit effort on each held coordinate, the efforts
//! that hold follow from
//!
//! ```text
//! W f = -a_0[k]      W_ij = A_j[k_i]
//! ```
//!
//! `W` is the inverse mass, bordered by the loops, seen from the held coordinates. The answers come from the solver of
//! the free motion itself, whichever it is, so a hold costs two more solutions and nothing where none is on. Where
//! holds depend on each other through loops, they share the effort; one that its level does not hold lets go, and the
//! others take what is left.

use gelenk_math::Real;
use gelenk_math::dense::solve_shared;
use gelenk_system::{Fault, Param};

use crate::data::Data;
use crate::mechanism::Mechanism;

/// A coordinate that can be held.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    /// The element that holds it.
    pub(crate) element: usize,
    pub(crate) coordinate: usize,
    /// Where the memory says whether it holds.
    pub(crate) memory: usize,
    pub(crate) kind: HoldKind,
}

/// What holds.
#[derive(Clone, Debug)]
pub(crate) enum HoldKind {
    /// Friction, to both sides, while its stance is zero.
    Stick,
    /// A limit, while its flag is one: it pushes in the direction of the sign, 1 from a lower limit.
    Limit { sign: f64, limit: Param },
}

impl Hold {
    pub(crate) fn is_on(&self, m: &[f64]) -> bool {
        match self.kind {
            HoldKind::Stick => m[self.memory] == 0.0,
            HoldKind::Limit { .. } => m[self.memory] == 1.0,
        }
    }
}

/// Workspace of the holds.
#[derive(Clone, Debug)]
pub(crate) struct Held<T> {
    /// Effort of each hold on its coordinate; zero where it is off.
    pub(crate) force: Vec<T>,
    /// Holds that are looked at, the answers to them (one row of accelerations each), and `W`.
    pub(crate) active: Vec<usize>,
    pub(crate) answers: Vec<T>,
    pub(crate) matrix: Vec<T>,
    /// Accelerations and efforts without holds.
    pub(crate) base: Vec<T>,
    effort: Vec<T>,
    pub(crate) right: Vec<T>,
    pivots: Vec<usize>,
    factor: Vec<T>,
    rest: Vec<T>,
    found: Vec<T>,
}

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self {
            force: Vec::new(),
            active: Vec::new(),
            answers: Vec::new(),
            matrix: Vec::new(),
            base: Vec::new(),
            effort: Vec::new(),
            right: Vec::new(),
            pivots: Vec::new(),
            factor: Vec::new(),
            rest: Vec::new(),
            found: Vec::new(),
        }
    }
}

impl<T: Real> Held<T> {
    pub(crate) fn new(holds: usize, nv: usize) -> Self {
        let vector = |n: usize| vec![T::c(0.0); n];
        let nv = if holds > 0 { nv } else { 0 };
        Self {
            force: vector(holds),
            active: Vec::with_capacity(holds),
            answers: vector(holds * nv),
            matrix: vector(holds * holds),
            base: vector(nv),
            effort: vector(nv),
            right: vector(holds),
            pivots: vec![0; holds],
            factor: vector(holds * holds),
            rest: vector(holds),
            found: vector(holds),
        }
    }

    /// Solves `W x = right` among the active holds, in place.
    pub(crate) fn solve(&mut self) {
        let n = self.active.len();
        let Self { matrix, right, pivots, factor, rest, found, .. } = self;
        let (factor, found) = (&mut factor[..n * n], &mut found[..n]);
        solve_shared(&matrix[..n * n], &right[..n], factor, &mut pivots[..n], &mut rest[..n], found);
        right[..n].copy_from_slice(found);
    }
}

impl Mechanism {
    /// Solves the equations of motion like [`Self::accelerate`], with everything held that the memory says.
    pub(crate) fn accelerate_held<T: Real>(&self, d: &mut Data<T>, m: &[f64]) -> Result<(), Fault> {
        d.held.force.fill(T::c(0.0));
        d.held.active.clear();
        d.held.active.extend((0..self.holds.len()).filter(|&i| self.holds[i].is_on(m)));
        if d.held.active.is_empty() {
            return self.accelerate(d);
        }
        let mut held = std::mem::take(&mut d.held);
        let answered = self.answer(d, &mut held);
        if answered.is_ok() {
            for (i, &hold) in held.active.iter().enumerate() {
                held.right[i] = -held.base[self.holds[hold].coordinate];
            }
            held.solve();
            d.effort.copy_from_slice(&held.effort);
            for (i, &index) in held.active.iter().enumerate() {
                let hold = &self.holds[index];
                held.force[index] = held.right[i];
                d.effort[hold.coordinate] += held.right[i];
                d.element_effort[hold.element] += held.right[i];
            }
        }
        d.held = held;
        answered?;
        self.accelerate(d)?;
        // What is left is rounding; taken away, a held coordinate does not creep.
        for &hold in &d.held.active {
            d.acceleration[self.holds[hold].coordinate] = T::c(0.0);
        }
        Ok(())
    }

    /// Writes the accelerations without holds, the answers to the active ones, and `W`. Needs [`Self::evaluate`].
    pub(crate) fn answer<T: Real>(&self, d: &mut Data<T>, held: &mut Held<T>) -> Result<(), Fault> {
        let (nv, n) = (self.layout.nv, held.active.len());
        held.effort.copy_from_slice(&d.effort);
        self.accelerate(d)?;
        held.base.copy_from_slice(&d.acceleration);
        let largest = held.base.iter().fold(0.0f64, |max, a| max.max(a.re().abs()));
        for (j, &index) in held.active.iter().enumerate() {
            let k = self.holds[index].coordinate;
            let mut unit = 1.0;
            // An effort whose answer would drown in the accelerations that are there already is taken larger.
            for _ in 0..2 {
                d.effort.copy_from_slice(&held.effort);
                d.effort[k] += T::c(unit);
                self.accelerate(d)?;
                let size = (d.acceleration[k] - held.base[k]).re().abs();
                if size >= 0.1 * largest || size <= 1e-9 * largest {
                    break;
                }
                unit *= largest / size;
            }
            let row = &mut held.answers[j * nv..(j + 1) * nv];
            for (answer, (&a, &base)) in row.iter_mut().zip(d.acceleration.iter().zip(&held.base)) {
                *answer = (a - base) / T::c(unit);
            }
        }
        for i in 0..n {
            let k = self.holds[held.active[i]].coordinate;
            for j in 0..n {
                held.matrix[i * n + j] = held.answers[j * nv + k];
            }
        }
        d.effort.copy_from_slice(&held.effort);
        Ok(())
    }

    /// Closes an accepted state like [`Self::close_state`], with held coordinates kept where they are.
    pub(crate) fn close_held(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<f64, Fault> {
        if !self.holding(m) {
            return self.close_state(d, t, x, m);
        }
        let mut held = std::mem::take(&mut d.held);
        for (right, hold) in held.right.iter_mut().zip(&self.holds) {
            *right = x[hold.coordinate];
        }
        let mut drift = 0.0f64;
        let mut closed = Ok(());
        // Projections onto the loops and onto what is held, in turns; both moves are small from the start.
        for _ in 0..4 {
            match self.close_state(d, t, x, m) {
                Ok(gap) => drift = drift.max(gap),
                Err(fault) => closed = Err(fault),
            }
            let mut moved = 0.0f64;
            for (&place, hold) in held.right.iter().zip(&self.holds).filter(|(_, hold)| hold.is_on(m)) {
                moved = moved.max((x[hold.coordinate] - place).abs());
                x[hold.coordinate] = place;
                x[self.layout.nq + hold.coordinate] = 0.0;
            }
            if closed.is_err() || moved <= 1e-14 {
                break;
            }
        }
        d.held = held;
        closed.map(|()| drift)
    }
}
