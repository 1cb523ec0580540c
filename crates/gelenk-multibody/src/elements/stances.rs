//! Holds in stepped mode: which of them fit a solved step, and what a step leaves behind.
//!
//! With the effort `f` of a hold over the step and the velocity `v1` after it,
//!
//! ```text
//! friction, stuck          abs(f) <= F_S            else it slides against f
//! friction, sliding s      s v1 >= 0                else it is stuck, or slides the other way
//! limit, resting           it pushes                else it opens
//! limit, touched at rest   the gap does not close   else something rests on it
//! ```
//!
//! Here is what each of them can do; the solver finds the set that fits together.

use gelenk_laws::{Stance, Sticking};
use gelenk_record::Change;
use gelenk_system::{Effort, Fault, Grip, Solution, Trial, Way};

use crate::data::Data;
use crate::elements::contract::{Act, Look, Step};
use crate::elements::holds::HoldKind;
use crate::elements::impacts::{STILL, TOUCH};
use crate::mechanism::Mechanism;

impl Mechanism {
    /// What a hold can do at a solved step; `None` for one that is off and fits.
    pub(crate) fn hold_grip(
        &self,
        d: &Data<f64>,
        trial: &Trial,
        step: &Solution,
        modes: &[f64],
        index: usize,
    ) -> Option<Grip> {
        let hold = &self.elements.holds[index];
        let v = step.v1[hold.coordinate];
        let still = STILL * step.v1.iter().fold(1.0f64, |max, v| max.max(v.abs()));
        let range = match hold.kind {
            HoldKind::Stick => {
                let level = self.level(d, hold.element);
                match Stance::read(modes[hold.memory]) {
                    Stance::Stuck => match Stance::read(trial.m[hold.memory]) {
                        Stance::Stuck | Stance::Idle => [-level, level],
                        Stance::Sliding(sign) | Stance::Leaving(sign) => {
                            ordered(-self.slides_with(d, hold.element, sign, 0.0), sign * level)
                        }
                    },
                    Stance::Sliding(sign) | Stance::Leaving(sign) if sign * v < -still => {
                        let slides = -self.slides_with(d, hold.element, sign, v);
                        ordered(0.0, sign * level - slides)
                    }
                    _ => return None,
                }
            }
            HoldKind::Limit(side) => {
                let sign = side.sign();
                let closes = || sign * v < -still && self.rests_on(d, index, trial);
                if !(hold.is_on(modes) || closes()) {
                    return None;
                }
                ordered(0.0, sign * f64::INFINITY)
            }
        };
        Some(Grip { velocity: hold.coordinate, range })
    }

    /// Resistance of friction that slides in the direction of the sign, at a velocity.
    fn slides_with(&self, d: &Data<f64>, element: usize, sign: f64, v: f64) -> f64 {
        let info = &self.elements[element];
        let (mut effort, mut power) = ([0.0], [0.0]);
        let (m, load) = ([Stance::Sliding(sign).memory()], d.elements.loads[element]);
        let look = Look {
            m: &m,
            load,
            ..Look::new(&[0.0], std::slice::from_ref(&v), &d.elements.law[info.p.clone()])
        };
        info.kind.act(&mut Act {
            look,
            step: Step::Rate,
            effort: &mut effort,
            power: &mut power,
            z_out: &mut [],
            outputs: &mut [],
            spare: &mut [],
            // Accounts beyond the first one and outputs are of no interest here.
            beyond: None,
        });
        -effort[0]
    }

    /// Writes what becomes of a hold.
    pub(crate) fn turn_hold(&self, d: &Data<f64>, modes: &mut [f64], index: usize, way: Way) {
        let hold = &self.elements.holds[index];
        let sign = match way {
            Way::Held => 0.0,
            Way::Forward => 1.0,
            Way::Backward => -1.0,
        };
        modes[hold.memory] = match hold.kind {
            HoldKind::Limit(_) => f64::from(way == Way::Held),
            HoldKind::Stick if way == Way::Held => Stance::Stuck.memory(),
            HoldKind::Stick => match Stance::read(modes[hold.memory]) {
                // What slides on keeps to its place in the band.
                Stance::Sliding(old) | Stance::Leaving(old) if old == sign => modes[hold.memory],
                _ => self.slide(d, hold.element, sign),
            },
        };
    }

    /// Lets what was sliding and cannot be held slide the other way, and what stands at a dead point slide at all: there no
    /// effort holds it, and the loops move it as soon as they leave. A direction that is wrong is turned by the next look at
    /// the step. Returns whether there is such a thing.
    pub(crate) fn pass_dead_points(&self, d: &mut Data<f64>, trial: &Trial, modes: &mut [f64]) -> bool {
        let mut changed = false;
        for hold in self.elements.holds.iter().filter(|hold| matches!(hold.kind, HoldKind::Stick)) {
            let way = match (Stance::read(trial.m[hold.memory]), Stance::read(modes[hold.memory])) {
                (Stance::Sliding(sign) | Stance::Leaving(sign), Stance::Stuck) => -sign,
                (Stance::Stuck, Stance::Stuck) if self.at_dead_point(d, trial, hold.coordinate) => 1.0,
                _ => continue,
            };
            modes[hold.memory] = self.slide(d, hold.element, way);
            changed = true;
        }
        changed
    }

    /// Whether a limit is touched at the start of a step, by something that rests there or nearly does.
    fn rests_on(&self, d: &Data<f64>, index: usize, trial: &Trial) -> bool {
        let hold = &self.elements.holds[index];
        let Some(limit) = self.limit(d, hold) else { return false };
        let (q, v) = (&trial.x[self.layout.q()], &trial.x[self.layout.v()]);
        let rest = limit.rest.max(STILL);
        let still = |[gap, rate]: [f64; 2]| gap <= TOUCH * (1.0 + rate.abs()) && rate.abs() <= rest;
        hold.is_on(trial.m) || self.limit_gap(d, index, q, v).is_some_and(still)
    }

    /// Distance from the limit of a hold, and its rate; `None` for friction.
    pub(crate) fn limit_gap(&self, d: &Data<f64>, index: usize, q: &[f64], v: &[f64]) -> Option<[f64; 2]> {
        let hold = &self.elements.holds[index];
        let limit = self.limit(d, hold)?;
        let gap = limit.sign * (q[hold.coordinate] - limit.place);
        gap.is_finite().then_some([gap, limit.sign * v[hold.coordinate]])
    }

    /// The impact at the limit of hold `index`, and what it was.
    pub(crate) fn strike_limit(
        &self,
        d: &mut Data<f64>,
        t: f64,
        (index, plastic): (usize, bool),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Change, Fault> {
        let hold = &self.elements.holds[index];
        if let Some(limit) = self.limit(d, hold) {
            // On the limit, not off by what the search has left.
            x[hold.coordinate] = limit.place;
        }
        self.strike(d, t, x, m, plastic)?;
        Ok(if hold.is_on(m) { Change::ComesToRest } else { Change::Hits })
    }

    /// Adds the work of the holds over an accepted step to the accounts in `x1`.
    pub(crate) fn hold_works(&self, trial: &Trial, step: &Solution, x1: &mut [f64]) {
        let (v0, w0) = (self.layout.nq, self.layout.w().start);
        for (hold, effort) in self.elements.holds.iter().zip(step.efforts) {
            let after = step.v1[hold.coordinate];
            // The kinetic energy that a hold takes goes with the mean of the velocities before and after; stages of
            // higher order begin at velocities that nothing ever had.
            let mean = if trial.effort == Effort::End {
                after
            } else {
                0.5 * (trial.x[v0 + hold.coordinate] + after)
            };
            x1[w0 + self.elements[hold.element].accounts.start] += trial.h * effort * mean;
        }
    }

    /// Settles the stances on an accepted state: held velocities are zero, and Karnopp's band stops what is slow in it.
    pub(crate) fn settle_stances(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        // Through a loop others hold a velocity up to rounding.
        let held = self.elements.holds.iter().any(|hold| hold.is_on(m));
        let largest = x[self.layout.v()].iter().fold(1.0f64, |max, v| max.max(v.abs()));
        let rest = if held { STILL * largest } else { 0.0 };
        for index in 0..self.elements.holds.len() {
            let hold = &self.elements.holds[index];
            let Some(Sticking { band, .. }) = self.sticking(d, hold.element) else { continue };
            let speed = x[self.layout.nq + hold.coordinate];
            match Stance::read(m[hold.memory]) {
                Stance::Leaving(sign) if sign * speed > band => {
                    m[hold.memory] = Stance::Sliding(sign).memory();
                }
                Stance::Sliding(sign) if band > 0.0 && sign * speed < band => {
                    self.change_stance(d, t, (hold.element, 0), x, m)?;
                }
                // Others hold it, through a loop or on the same coordinate.
                Stance::Sliding(_) | Stance::Leaving(_) if speed.abs() <= rest => {
                    m[hold.memory] = Stance::Stuck.memory();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What has become of a hold, where that is to be told.
    pub(crate) fn hold_change(&self, index: usize, before: &[f64], after: &[f64]) -> Option<Change> {
        let hold = &self.elements.holds[index];
        let (before, after) = (before[hold.memory], after[hold.memory]);
        match hold.kind {
            HoldKind::Limit(_) if before == after => None,
            HoldKind::Limit(_) => Some(if after == 0.0 { Change::ContactOpens } else { Change::ComesToRest }),
            HoldKind::Stick => match (before.signum() * before.abs().min(1.0), Stance::read(after)) {
                (0.0, Stance::Stuck) => None,
                (0.0, Stance::Sliding(s) | Stance::Leaving(s)) => {
                    Some(if s > 0.0 { Change::SlipsForward } else { Change::SlipsBackward })
                }
                (_, Stance::Idle) => None,
                (_, Stance::Stuck) => Some(Change::Sticks),
                (old, Stance::Sliding(s) | Stance::Leaving(s)) => (old != s).then_some(Change::Reverses),
            },
        }
    }
}

/// Two numbers, the smaller one first.
fn ordered(a: f64, b: f64) -> [f64; 2] {
    [a.min(b), a.max(b)]
}
