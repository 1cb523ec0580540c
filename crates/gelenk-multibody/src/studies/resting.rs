//! Friction and limits along a known motion.
//!
//! Friction that slides has the direction of the velocity at the instant itself. At rest the efforts that hold are not
//! unique: whatever friction and limits take, a drive need not. They take as much as they can: of all efforts `f` within
//! their ranges those with which the drives `tau = r - f + C^T lambda` are least. With the answers `W` of the drives to unit
//! efforts,
//!
//! ```text
//! friction   abs(f) < F_S: tau = 0      f = F_S: tau >= 0      f = -F_S: tau <= 0
//! limit      f > 0: tau = 0             f = 0: tau <= 0 (from below)
//! ```
//!
//! What is at rest and accelerates slides off in the direction of the acceleration.
//!
//! Forces that press friction surfaces together follow the accelerations with a time constant `T`. Between two instants
//! they change along a straight line, so with `s = (F1 - F0)/h` what friction sees after it is
//! `F1 - T s + (z0 - F0 + T s) exp(-h/T)`.

use gelenk_laws::Stance;
use gelenk_math::bounded::Bounded;

use crate::data::Data;
use crate::elements::factors::Press;
use crate::elements::holds::{Hold, HoldKind};
use crate::mechanism::Mechanism;
use crate::studies::inverse::{Instant, Memory, Shares};

/// Distance (m, rad) at which something rests on a limit.
const BESIDE: f64 = 1e-9;

impl Mechanism {
    /// Settles the memory of all elements on an instant of a motion, and writes which holds are on there.
    pub(crate) fn settle_here(&self, d: &mut Data<f64>, at: Instant<'_>, memory: &mut Memory) {
        d.load_origin(self, at.t, at.q, at.v);
        d.elements.states_mut().copy_from_slice(&memory.z);
        self.kinematics(d);
        self.follow_here(d, &memory.m);
        self.probe_contacts(d, false);
        match memory.last {
            None => self.commit_laws(d, &mut memory.m),
            // What laws remember goes along with their states.
            Some(_) => self.commit_contacts(d, &mut memory.m),
        }
        // Friction on what loops lock has nothing to do.
        let idle = |hold: &Hold, m: &[f64]| {
            matches!(hold.kind, HoldKind::Stick) && Stance::read(m[hold.memory]) == Stance::Idle
        };
        for hold in self.elements.holds() {
            if idle(hold, &memory.m) {
                continue;
            }
            let (v, a) = (at.v[hold.coordinate], at.a[hold.coordinate]);
            let [slow, steady] = memory.rest[hold.coordinate];
            let rests = v.abs() <= slow && a.abs() <= steady;
            memory.m[hold.memory] = match hold.kind {
                HoldKind::Stick if rests => Stance::Stuck.memory(),
                HoldKind::Stick if v.abs() <= slow => self.slide(d, hold.element, a.signum()),
                HoldKind::Stick => {
                    let band = self.sticking(d, hold.element).map_or(0.0, |law| law.band);
                    Stance::at(v, band).memory()
                }
                HoldKind::Limit(_) => {
                    let beside = self.limit(d, hold).is_some_and(|limit| {
                        let gap = limit.sign * (at.q[hold.coordinate] - limit.place);
                        gap <= BESIDE * (1.0 + limit.place.abs())
                    });
                    f64::from(rests && beside)
                }
            };
        }
    }

    /// Takes what friction and limits hold at rest out of what the motion needs.
    pub(crate) fn hold_at_rest(&self, d: &mut Data<f64>, m: &[f64], shares: &Shares, residual: &mut [f64]) {
        // What a missing drive cannot do comes first; it does not depend on what the drives do.
        for driven in [false, true] {
            let mut held = std::mem::take(d.elements.held_mut());
            held.active.clear();
            let on = |i: &usize| {
                self.elements.holds()[*i].is_on(m)
                    && shares.driven[self.elements.holds()[*i].coordinate] == driven
            };
            held.active.extend((0..self.elements.holds().len()).filter(on));
            self.ranges(d, &mut held, 1.0);
            let n = held.active.len();
            if n == 0 {
                *d.elements.held_mut() = held;
                continue;
            }
            let coordinate = |i: usize| self.elements.holds()[held.active[i]].coordinate;
            let mut needs = residual.to_vec();
            shares.balance(&mut needs);
            let base: Vec<f64> = (0..n).map(|i| -needs[coordinate(i)]).collect();
            let mut matrix = vec![0.0; n * n];
            for j in 0..n {
                let mut answer = vec![0.0; residual.len()];
                answer[coordinate(j)] = 1.0;
                shares.balance(&mut answer);
                (0..n).for_each(|i| matrix[i * n + j] = answer[coordinate(i)]);
            }
            let (mut effort, mut left) = (vec![0.0; n], vec![0.0; n]);
            // Where no efforts meet the conditions, the last ones are as near as it gets.
            Bounded::new(n).solve(&matrix, &base, |i| held.limits.range[i], &mut effort, &mut left);
            for i in 0..n {
                residual[coordinate(i)] -= effort[i];
                d.elements.effort_mut()[self.elements.holds()[held.active[i]].element] += effort[i];
            }
            *d.elements.held_mut() = held;
        }
    }

    /// The forces that friction follows with a time constant. Needs the joint wrenches.
    pub(crate) fn loads(&self, d: &Data<f64>) -> Vec<f64> {
        let sources = self.elements.normals().iter().filter_map(|run| match run.force {
            Press::Lagged { source, .. } => Some(source),
            _ => None,
        });
        sources.map(|source| self.through(d, source)).collect()
    }

    /// A first guess of them.
    pub(crate) fn expected_loads(&self, memory: &Memory) -> Vec<f64> {
        match &memory.last {
            Some((_, loads)) => loads.clone(),
            None => self.lags().map(|z| memory.z[z]).collect(),
        }
    }

    /// Writes into the states of the laws what friction sees of forces that have become `loads` at `t` (s).
    pub(crate) fn follow_loads(
        &self,
        d: &Data<f64>,
        t: f64,
        memory: &mut Memory,
        before: &[f64],
        loads: &[f64],
    ) {
        let lags = self.elements.normals().iter().filter_map(|run| match run.force {
            Press::Lagged { lag, z, .. } => Some((lag, z)),
            _ => None,
        });
        for (k, (lag, z)) in lags.enumerate() {
            memory.z[z] = match &memory.last {
                Some((last, old)) if t > *last => {
                    let (h, lag) = (t - last, d.param(self, lag));
                    let behind = lag * (loads[k] - old[k]) / h;
                    loads[k] - behind + (before[k] - old[k] + behind) * (-h / lag).exp()
                }
                _ => loads[k],
            };
        }
    }
}
