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
//! holds depend on each other, on one coordinate or through loops, they share the effort; one that has reached its level
//! keeps it, and the others take what is left. Which of them let go where all together do not suffice is found in
//! [`settling`](crate::elements::settling).

use gelenk_math::bounded::Bounded;
use gelenk_math::dense::solve_shared;
use gelenk_math::{Lockstep, Real};
use gelenk_system::Fault;

use super::ElementInfo;
use super::contract::Holding;
use crate::data::Data;
use crate::elements::contract;
use crate::mechanism::Mechanism;

/// Share of the accelerations that cancel below which what is left of one is rounding.
pub(crate) const CANCELLED: f64 = 1e-10;
/// Efforts that are tried until an answer shows, the share of the accelerations below which one is rounding, and how much
/// larger the next effort is then.
const ROUNDS: usize = 4;
const DROWNED: f64 = 1e-9;
const LARGER: f64 = 1e9;

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

impl Hold {
    /// Those of the element with this number.
    pub(crate) fn all(index: usize, element: &ElementInfo) -> Vec<Self> {
        let Some(coordinate) = element.on.coordinate() else { return Vec::new() };
        let m = element.m.start;
        let hold = |memory, kind| Self { element: index, coordinate, memory, kind };
        match element.kind.holding() {
            Holding::Nothing => Vec::new(),
            Holding::Sticking => vec![hold(m, HoldKind::Stick)],
            Holding::Limits => {
                vec![hold(m, HoldKind::Limit(Side::Lower)), hold(m + 1, HoldKind::Limit(Side::Upper))]
            }
        }
    }
}

/// What holds.
#[derive(Clone, Debug)]
pub(crate) enum HoldKind {
    /// Friction, to both sides, while its stance is zero.
    Stick,
    /// A limit, while its flag is one.
    Limit(Side),
}

/// Which end of a range a limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Lower,
    Upper,
}

impl Side {
    /// The direction in which the limit pushes: 1 from a lower one.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::Lower { 1.0 } else { -1.0 }
    }
}

/// A limit of a coordinate at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The direction in which it pushes.
    pub(crate) sign: f64,
    /// Value of the coordinate there.
    pub(crate) place: f64,
    pub(crate) restitution: f64,
    /// Whether restitution is that of impulses.
    pub(crate) poisson: bool,
    /// Speed of a rebound that ends in rest.
    pub(crate) rest: f64,
}

impl Hold {
    pub(crate) fn is_on(&self, m: &[f64]) -> bool {
        match self.kind {
            HoldKind::Stick => m[self.memory] == 0.0,
            HoldKind::Limit(_) => m[self.memory] == 1.0,
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
    /// The state before it is closed.
    kept: Vec<T>,
    pivots: Vec<usize>,
    factor: Vec<T>,
    rest: Vec<T>,
    found: Vec<T>,
    shared: Vec<T>,
    pub(crate) limits: Limits,
}

/// Efforts within their ranges, as plain numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Lowest and highest effort of every active hold.
    pub(crate) range: Vec<[f64; 2]>,
    matrix: Vec<f64>,
    base: Vec<f64>,
    /// The efforts, and the accelerations that they leave.
    pub(crate) effort: Vec<f64>,
    pub(crate) left: Vec<f64>,
    problem: Bounded,
}

impl Limits {
    fn new(holds: usize) -> Self {
        Self {
            range: Vec::with_capacity(holds),
            matrix: vec![0.0; holds * holds],
            base: vec![0.0; holds],
            effort: vec![0.0; holds],
            left: vec![0.0; holds],
            problem: Bounded::new(holds),
        }
    }

    /// What the efforts leave to active hold `i`, where that is more than rounding.
    pub(crate) fn gives_way(&self, i: usize) -> Option<f64> {
        let n = self.range.len();
        let terms =
            (0..n).fold(self.base[i].abs(), |sum, k| sum + (self.matrix[i * n + k] * self.effort[k]).abs());
        (self.left[i].abs() > CANCELLED * terms).then_some(self.left[i])
    }
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
            kept: Vec::new(),
            pivots: Vec::new(),
            factor: Vec::new(),
            rest: Vec::new(),
            found: Vec::new(),
            shared: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl<T: Lockstep> Held<T> {
    pub(crate) fn new(holds: usize, nv: usize, kept: usize) -> Self {
        let vector = |n: usize| vec![T::of(0.0); n];
        let nv = if holds > 0 { nv } else { 0 };
        Self {
            force: vector(holds),
            active: Vec::with_capacity(holds),
            answers: vector(holds * nv),
            matrix: vector(holds * holds),
            base: vector(nv),
            effort: vector(nv),
            right: vector(holds),
            kept: Vec::with_capacity(kept),
            pivots: vec![0; holds],
            factor: vector(holds * holds),
            rest: vector(holds),
            found: vector(holds),
            shared: vector(holds),
            limits: Limits::new(holds),
        }
    }
}

impl<T: Real> Held<T> {
    /// Solves `W x = right` among the active holds, in place.
    pub(crate) fn solve(&mut self) {
        let n = self.active.len();
        let Self { matrix, right, pivots, factor, rest, found, .. } = self;
        let (factor, found) = (&mut factor[..n * n], &mut found[..n]);
        solve_shared(&matrix[..n * n], &right[..n], factor, &mut pivots[..n], &mut rest[..n], found);
        right[..n].copy_from_slice(found);
    }

    /// Finds the efforts within the ranges in `limits`, and what they leave; see [`Bounded`].
    pub(crate) fn bound(&mut self, coordinate: impl Fn(usize) -> usize) {
        let n = self.active.len();
        let Limits { range, matrix, base, effort, left, problem } = &mut self.limits;
        for (to, from) in matrix.iter_mut().zip(&self.matrix[..n * n]) {
            *to = from.re();
        }
        for (base, &hold) in base.iter_mut().zip(&self.active) {
            *base = self.base[coordinate(hold)].re();
        }
        // Where no efforts meet the conditions, the last ones are as near as it gets.
        problem.solve(&matrix[..n * n], &base[..n], |i| range[i], &mut effort[..n], &mut left[..n]);
    }

    /// Shares the efforts anew where some of them, in `right`, are out of their ranges: those at an end of theirs stay
    /// there. What all together do not hold comes on top, so that it can be seen.
    fn share_within(&mut self, coordinate: impl Fn(usize) -> usize) {
        let n = self.active.len();
        let inside = |i: usize, f: f64| (self.limits.range[i][0]..=self.limits.range[i][1]).contains(&f);
        if n < 2 || (0..n).all(|i| inside(i, self.right[i].re())) {
            return;
        }
        self.bound(&coordinate);
        let holds = (0..n).all(|i| self.limits.gives_way(i).is_none());
        let mut shared = std::mem::take(&mut self.shared);
        for i in 0..n {
            shared[i] = T::of(self.limits.effort[i]);
        }
        if !holds {
            for i in 0..n {
                let k = coordinate(self.active[i]);
                self.right[i] = (0..n).fold(-self.base[k], |sum, j| sum - self.matrix[i * n + j] * shared[j]);
            }
            self.solve();
            for i in 0..n {
                shared[i] += self.right[i];
            }
        }
        self.right[..n].copy_from_slice(&shared[..n]);
        self.shared = shared;
    }
}

impl Mechanism {
    /// Solves the equations of motion like [`Self::accelerate`], with everything held that the memory says.
    pub(crate) fn accelerate_held<T: Real>(&self, d: &mut Data<T>, m: &[f64]) -> Result<(), Fault> {
        d.elements.held.force.fill(T::c(0.0));
        d.elements.held.active.clear();
        d.elements
            .held
            .active
            .extend((0..self.elements.holds.len()).filter(|&i| self.elements.holds[i].is_on(m)));
        if d.elements.held.active.is_empty() {
            return self.accelerate(d);
        }
        let mut held = std::mem::take(&mut d.elements.held);
        let answered = self.answer(d, &mut held);
        if answered.is_ok() {
            for (i, &hold) in held.active.iter().enumerate() {
                held.right[i] = -held.base[self.elements.holds[hold].coordinate];
            }
            held.solve();
            self.ranges(d, &mut held, 1.0);
            held.share_within(|hold| self.elements.holds[hold].coordinate);
            d.effort.copy_from_slice(&held.effort);
            for (i, &index) in held.active.iter().enumerate() {
                let hold = &self.elements.holds[index];
                held.force[index] = held.right[i];
                d.effort[hold.coordinate] += held.right[i];
                d.elements.effort[hold.element] += held.right[i];
            }
        }
        d.elements.held = held;
        answered?;
        self.accelerate(d)?;
        // What is left is rounding; taken away, a held coordinate does not creep.
        for &hold in &d.elements.held.active {
            d.acceleration[self.elements.holds[hold].coordinate] = T::c(0.0);
        }
        Ok(())
    }

    /// Writes the range of efforts of every active hold: friction up to a share of the level at which it lets go, limits
    /// that push. Needs [`Self::evaluate`].
    pub(crate) fn ranges<T: Real>(&self, d: &Data<T>, held: &mut Held<T>, share: f64) {
        held.limits.range.clear();
        for &index in &held.active {
            let hold = &self.elements.holds[index];
            held.limits.range.push(match hold.kind {
                HoldKind::Stick => {
                    let level = share * self.level(d, hold.element);
                    [-level, level]
                }
                HoldKind::Limit(Side::Lower) => [0.0, f64::INFINITY],
                HoldKind::Limit(Side::Upper) => [f64::NEG_INFINITY, 0.0],
            });
        }
    }

    /// Effort up to which a friction element holds at the loaded instant.
    pub(crate) fn level<T: Real>(&self, d: &Data<T>, element: usize) -> f64 {
        let info = &self.elements[element];
        let sticking = info.kind.sticking(&d.elements.law[info.p.clone()]);
        sticking.map_or(0.0, |s| s.breakaway.re() * d.elements.loads[element].re())
    }

    /// The limit that a hold is, and what the element of it says; `None` for friction.
    pub(crate) fn limit(&self, d: &Data<f64>, hold: &Hold) -> Option<Limit> {
        let HoldKind::Limit(side) = hold.kind else { return None };
        let element = &self.elements[hold.element];
        let contract::Limits { range: [lower, upper], restitution, poisson, rest } =
            element.kind.limits(&d.elements.law[element.p.clone()])?;
        let place = if side == Side::Lower { lower } else { upper };
        Some(Limit { sign: side.sign(), place, restitution, poisson, rest })
    }

    /// Writes the accelerations without holds, the answers to the active ones, and `W`. Needs [`Self::evaluate`].
    pub(crate) fn answer<T: Real>(&self, d: &mut Data<T>, held: &mut Held<T>) -> Result<(), Fault> {
        let (nv, n) = (self.layout.nv, held.active.len());
        held.effort.copy_from_slice(&d.effort);
        self.accelerate(d)?;
        held.base.copy_from_slice(&d.acceleration);
        let largest = held.base.iter().fold(0.0f64, |max, a| max.max(a.re().abs()));
        for (j, &index) in held.active.iter().enumerate() {
            let k = self.elements.holds[index].coordinate;
            let mut unit = 1.0;
            // An effort whose answer would drown in the accelerations that are there already is taken larger: how heavy
            // what it moves is, is not known. What loops lock does not answer to the largest one.
            for round in 0..ROUNDS {
                d.effort.copy_from_slice(&held.effort);
                d.effort[k] += T::c(unit);
                self.accelerate(d)?;
                let size = (d.acceleration[k] - held.base[k]).re().abs();
                if size >= 0.1 * largest || round + 1 == ROUNDS {
                    break;
                }
                unit *= if size > DROWNED * largest { largest / size } else { LARGER };
            }
            let row = &mut held.answers[j * nv..(j + 1) * nv];
            for (answer, (&a, &base)) in row.iter_mut().zip(d.acceleration.iter().zip(&held.base)) {
                *answer = (a - base) / T::c(unit);
            }
        }
        for i in 0..n {
            let k = self.elements.holds[held.active[i]].coordinate;
            for j in 0..n {
                held.matrix[i * n + j] = held.answers[j * nv + k];
            }
        }
        d.effort.copy_from_slice(&held.effort);
        Ok(())
    }

    /// Closes an accepted state like [`Self::close_state`], with held coordinates kept where they are: exactly where the
    /// others close the loops alone, if `alone`, else as near as both can be met.
    pub(crate) fn close_held(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
        alone: bool,
    ) -> Result<f64, Fault> {
        if !self.holding(m) {
            return self.close_state(d, t, x, m);
        }
        let mut held = std::mem::take(&mut d.elements.held);
        for (right, hold) in held.right.iter_mut().zip(&self.elements.holds) {
            *right = x[hold.coordinate];
        }
        if alone && let Some(drift) = self.close_alone(d, &mut held, t, x, m) {
            d.elements.held = held;
            return Ok(drift);
        }
        // Projections onto the loops and onto what is held follow in turns; both moves are small from the start.
        let mut drift = 0.0f64;
        let mut closed = Ok(());
        for _ in 0..4 {
            match self.close_state(d, t, x, m) {
                Ok(gap) => drift = drift.max(gap),
                Err(fault) => closed = Err(fault),
            }
            let mut moved = 0.0f64;
            for (&place, hold) in
                held.right.iter().zip(&self.elements.holds).filter(|(_, hold)| hold.is_on(m))
            {
                let unit = if self.loops.is_length(hold.coordinate) { d.loops.radian().sqrt() } else { 1.0 };
                moved = moved.max((x[hold.coordinate] - place).abs() / unit);
                x[hold.coordinate] = place;
                x[self.layout.nq + hold.coordinate] = 0.0;
            }
            if closed.is_err() || moved <= 1e-14 {
                break;
            }
        }
        d.elements.held = held;
        closed.map(|()| drift)
    }

    /// Closes a state by the coordinates that are not held, the places of the held ones in `right`. Where they cannot, because
    /// a loop has no other freedom, the state is as it was.
    fn close_alone(
        &self,
        d: &mut Data<f64>,
        held: &mut Held<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Option<f64> {
        let n = self.layout.nq + self.layout.nv;
        held.kept.clear();
        held.kept.extend_from_slice(&x[..n]);
        held.kept.extend_from_slice(&m[self.loops.watch()]);
        d.loops.fixed_mut().resize(self.layout.nv, false);
        for hold in self.elements.holds.iter().filter(|hold| hold.is_on(m)) {
            d.loops.fixed_mut()[hold.coordinate] = true;
            x[self.layout.nq + hold.coordinate] = 0.0;
        }
        let closed = self.close_state(d, t, x, m).ok();
        d.loops.fixed_mut().clear();
        let mut on = held.right.iter().zip(&self.elements.holds).filter(|(_, hold)| hold.is_on(m));
        let stayed = on.all(|(&place, hold)| x[hold.coordinate] == place);
        if !stayed || closed.is_none() {
            let (state, watch) = held.kept.split_at(n);
            x[..n].copy_from_slice(state);
            m[self.loops.watch()].copy_from_slice(watch);
        }
        closed.filter(|_| stayed)
    }
}
