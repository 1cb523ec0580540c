//! Coordinates that loops lock.
//!
//! A coordinate that no motion of the closed loops moves has a velocity of zero, but for rounding. Set-valued friction on it
//! has nothing to do: the loops carry every load already, and whether it sticks or slides would be decided by rounding. So it
//! is told to be idle at the start, in the memory, and stays so in every method.
//!
//! A coordinate `k` is locked where its unit vector is a combination of the rows of `C`: nothing is left of
//! `P e_k = e_k - C^+ C e_k`. At a dead point nothing is left of it either, at that instant; so a position beside the start is
//! asked, too. What follows time is not locked.

use gelenk_laws::Stance;
use gelenk_system::{System, Trial};

use crate::blueprint::CoordinateKind;
use crate::data::Data;
use crate::elements::holds::HoldKind;
use crate::loops::Equation;
use crate::mechanism::Mechanism;

/// Part of a unit velocity that counts as none: ratios between metres and radians of machines from a micrometre to a
/// thousand kilometres are larger, rounding is smaller.
const NOTHING: f64 = 1e-10;
/// Projections one after the other; each takes out what rounding left of the last one.
const PASSES: usize = 3;
/// Displacement to the position beside the start (rad, or share of the extent), and how often it is halved where the loops
/// cannot be closed there.
const BESIDE: f64 = 0.05;
const HALVINGS: usize = 6;

impl Mechanism {
    /// Makes friction that sticks idle on coordinates that loops lock, at a closed state at the start.
    pub(crate) fn idle_where_locked(&self, d: &mut Data<f64>, x: &[f64], m: &mut [f64]) {
        let sticks = || self.elements.holds().iter().filter(|hold| matches!(hold.kind, HoldKind::Stick));
        if self.layout.nc == 0 || sticks().next().is_none() {
            return;
        }
        let mut locked = vec![false; self.layout.nv];
        sticks().for_each(|hold| locked[hold.coordinate] = true);
        let mut x = x.to_vec();
        x[self.layout.v()].fill(0.0);
        self.keep_locked(d, &x, &mut locked);
        if !locked.contains(&true) || !self.move_beside(d, &mut x) {
            return;
        }
        self.keep_locked(d, &x, &mut locked);
        for hold in sticks().filter(|hold| locked[hold.coordinate]) {
            m[hold.memory] = Stance::Idle.memory();
        }
    }

    /// Whether the loops do not let a velocity move at the start of a step.
    pub(crate) fn at_dead_point(&self, d: &mut Data<f64>, trial: &Trial, velocity: usize) -> bool {
        if self.layout.nc == 0 {
            return false;
        }
        self.constraints(d, trial.t, &trial.x[self.layout.q()], &trial.x[self.layout.v()]);
        let mut unit = std::mem::take(&mut d.dv);
        unit.fill(0.0);
        unit[velocity] = 1.0;
        self.admit(d, &mut unit);
        let still = unit.iter().all(|part| part.abs() <= NOTHING);
        d.dv = unit;
        still
    }

    /// Leaves those flags which belong to velocities that are locked at a state.
    fn keep_locked(&self, d: &mut Data<f64>, x: &[f64], locked: &mut [bool]) {
        self.constraints(d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        let mut unit = vec![0.0; self.layout.nv];
        for (k, flag) in locked.iter_mut().enumerate().filter(|(_, flag)| **flag) {
            unit.fill(0.0);
            unit[k] = 1.0;
            let follows_time = self.admit(d, &mut unit);
            *flag = !follows_time && unit.iter().all(|part| part.abs() <= NOTHING);
        }
    }

    /// Takes out of velocities what the loops do not admit at the evaluated state; returns whether an equation that moves
    /// with time was needed for it.
    fn admit(&self, d: &mut Data<f64>, v: &mut [f64]) -> bool {
        let mut follows_time = false;
        for _ in 0..PASSES {
            for row in 0..self.layout.nc {
                d.loops.lambda[row] = self.constraint_matrix(d).row(row).map(|(k, entry)| entry * v[k]).sum();
            }
            self.least_norm(d, v);
            let moving =
                |(equation, lambda): (&Equation, &f64)| *lambda != 0.0 && self.follows_time(equation);
            follows_time |= self.loops.equations.iter().zip(&d.loops.lambda).any(moving);
        }
        follows_time
    }

    /// Whether an equation may move with time: a coupling that does, or one between frames where some joint does.
    fn follows_time(&self, equation: &Equation) -> bool {
        match equation {
            Equation::Coupling(function) => function.time.is_some(),
            _ => self.rheonomic.is_some(),
        }
    }

    /// Moves a closed state at the start aside along the loops; whether there is such a state, or nothing that moves.
    fn move_beside(&self, d: &mut Data<f64>, x: &mut [f64]) -> bool {
        let layout = self.layout;
        let mut way: Vec<f64> = (0..layout.nv).map(|k| (1.0 + k as f64).sin()).collect();
        self.admit(d, &mut way);
        if way.iter().all(|way| way.abs() <= NOTHING) {
            return true;
        }
        let extent = self.extent(d);
        let length = |k: usize| match self.coordinates.get(k) {
            Some(coordinate) => coordinate.kind == CoordinateKind::Length,
            None => self.spins.iter().any(|s| s.origin.is_some_and(|(_, v)| (v..v + 3).contains(&k))),
        };
        let largest = way
            .iter()
            .enumerate()
            .fold(0.0f64, |max, (k, way)| max.max(way.abs() / if length(k) { extent } else { 1.0 }));
        way.iter_mut().for_each(|way| *way *= BESIDE / largest);
        let start = x.to_vec();
        for _ in 0..HALVINGS {
            self.retract(&start[layout.q()], &way, &mut x[layout.q()]);
            if self.project_state(d, 0.0, x).is_ok() {
                return true;
            }
            x.copy_from_slice(&start);
            way.iter_mut().for_each(|way| *way *= 0.5);
        }
        false
    }
}
