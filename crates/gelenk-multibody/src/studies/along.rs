//! Memory along a known motion.
//!
//! A run turns switches, takes samples, moves the states of friction laws and notes how bodies meet, while it integrates.
//! Where the motion is given, the same happens between two instants of it: switches and contacts are looked at several
//! times, samples are taken when they are due, and the laws are advanced at the mean velocity of pieces that are divided
//! until two parts give what the whole gave. The parts are unequal, since some laws divide their steps themselves. A piece
//! in which the velocity changes its sign is divided in any case, so that a reversal is where it is.

use gelenk_system::{Fault, Nanos, System};

use crate::data::Data;
use crate::elements::ElementInfo;
use crate::elements::contract::Holding;
use crate::elements::{ContactWork, Sight};
use crate::mechanism::Mechanism;
use crate::studies::inverse::Memory;

/// Looks at switches, contacts and laws between two instants of a motion, at least.
const LOOKS: usize = 8;
/// Change of a state, as a share of its typical size, by which two parts of a piece may differ from the whole.
const TOLERANCE: f64 = 1e-7;
/// Where a piece is divided, and how often.
const CUT: f64 = 0.4;
const CUTS: usize = 20;

/// A known motion: writes positions and velocities, as callers see them, at a time (s).
pub type Path<'p> = dyn FnMut(&mut Data<f64>, f64, &mut [f64], &mut [f64]) -> Result<(), Fault> + 'p;

/// What the elements see at a time.
struct Glance {
    t: f64,
    /// Displacement and rate of each.
    sights: Vec<Sight>,
    /// Parameters of the laws and elements.
    law: Vec<f64>,
    /// Inputs of the elements.
    given: Vec<f64>,
}

/// Workspace of a way along a motion.
struct Way<'w, 'p> {
    path: &'w mut Path<'p>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Typical sizes of the states of the laws.
    scale: Vec<f64>,
}

impl Mechanism {
    /// Begins a motion: switches are as their conditions say at its first instant, and sampled signals show what they would
    /// have sampled in a long rest there.
    ///
    /// # Errors
    /// Signals that are not finite.
    pub fn begin(
        &self,
        d: &mut Data<f64>,
        t: f64,
        q: &[f64],
        v: &[f64],
        memory: &mut Memory,
    ) -> Result<(), Fault> {
        let m = &mut memory.m;
        self.hold_inputs(d, t, m);
        d.load_origin(self, t, q, v);
        self.kinematics(d);
        self.start_switches(d, m)?;
        let now = Nanos::from_seconds(t).unwrap_or(Nanos::ZERO);
        self.run_samplers(d, Nanos::ZERO, m)?;
        if now > Nanos::ZERO {
            self.run_samplers(d, now, m)?;
        }
        self.settle_switches(d, m);
        memory.now = now;
        Ok(())
    }

    /// Brings the memory from `t0` to `t1` (s) along a known motion. States of friction laws are left alone where `laws`
    /// does not ask for them.
    ///
    /// # Errors
    /// Those of the path, and signals that are not finite.
    pub fn pass(
        &self,
        d: &mut Data<f64>,
        (t0, t1): (f64, f64),
        memory: &mut Memory,
        laws: bool,
        path: &mut Path<'_>,
    ) -> Result<(), Fault> {
        let looks = self.has_switches() || d.elements.contacts().iter().any(ContactWork::probes);
        let laws = laws && self.remembers();
        let sampled = self.next_due(d, memory.now).is_some();
        if !(looks || laws || sampled) {
            return Ok(());
        }
        let mut scale = vec![0.0; self.layout.nx()];
        self.scale(d, &mut scale);
        let mut way = Way {
            path,
            q: vec![0.0; self.layout.nq],
            v: vec![0.0; self.layout.nv],
            scale: scale[self.layout.z()].to_vec(),
        };
        let most = if looks || laws { (t1 - t0) / LOOKS as f64 } else { f64::INFINITY };
        let end = Nanos::from_seconds(t1);
        let mut t = t0;
        while t < t1 {
            let due = self.next_due(d, memory.now).filter(|due| end.is_some_and(|end| *due <= end));
            let target = due.map_or(t1, |due| due.seconds().clamp(t, t1));
            let pieces = ((target - t) / most).ceil().max(1.0) as usize;
            let from = t;
            for k in 1..=pieces {
                let next =
                    if k == pieces { target } else { from + (target - from) * k as f64 / pieces as f64 };
                if laws && next > t {
                    self.advance_laws(d, memory, (t, next), &mut way)?;
                }
                t = next;
                let due = due.filter(|_| k == pieces);
                if looks || due.is_some() {
                    self.arrive(d, t, due, memory, &mut way)?;
                }
            }
            if due.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Turns switches, notes contacts and takes samples at an instant of the motion.
    fn arrive(
        &self,
        d: &mut Data<f64>,
        t: f64,
        due: Option<Nanos>,
        memory: &mut Memory,
        way: &mut Way<'_, '_>,
    ) -> Result<(), Fault> {
        (way.path)(d, t, &mut way.q, &mut way.v)?;
        d.load_origin(self, t, &way.q, &way.v);
        d.elements.states_mut().copy_from_slice(&memory.z);
        self.kinematics(d);
        self.settle_switches(d, &mut memory.m);
        if let Some(now) = due {
            self.run_samplers(d, now, &mut memory.m)?;
            memory.now = now;
            self.settle_switches(d, &mut memory.m);
        }
        self.probe_contacts(d, false);
        for (place, contact) in self.elements.contacts().iter().zip(d.elements.contacts()) {
            contact.settle(&mut memory.m[self.elements[place.element].m.clone()]);
        }
        Ok(())
    }

    /// Turns switches until none of them has to turn; one that swings to and fro stays as it is then. Needs the instant to be
    /// loaded.
    pub(crate) fn settle_switches(&self, d: &mut Data<f64>, m: &mut [f64]) {
        for _ in 0..=self.signals.switches().len() {
            if !self.turn_switches(d, m) {
                break;
            }
        }
    }

    /// Whether an element has states, or friction that does not stick has memory, that its motion changes.
    fn remembers(&self) -> bool {
        self.elements.iter().any(moves_on)
    }

    fn advance_laws(
        &self,
        d: &mut Data<f64>,
        memory: &mut Memory,
        (t0, t1): (f64, f64),
        way: &mut Way<'_, '_>,
    ) -> Result<(), Fault> {
        let mut look = |t: f64| self.look(d, t, &memory.m, way);
        let (first, middle, last) = (look(t0)?, look(0.5 * (t0 + t1))?, look(t1)?);
        self.advance_piece(d, memory, [&first, &middle, &last], CUTS, way)
    }

    /// Advances the laws over a piece of which the ends and the middle are known.
    fn advance_piece(
        &self,
        d: &mut Data<f64>,
        memory: &mut Memory,
        [first, middle, last]: [&Glance; 3],
        cuts: usize,
        way: &mut Way<'_, '_>,
    ) -> Result<(), Fault> {
        let inside = |share: f64| first.t + share * (last.t - first.t);
        let early = self.look(d, inside(0.5 * CUT), &memory.m, way)?;
        let cut = self.look(d, inside(CUT), &memory.m, way)?;
        let late = self.look(d, inside(0.5 * (1.0 + CUT)), &memory.m, way)?;
        let mut whole = (memory.z.clone(), memory.m.clone());
        self.advance_over(&mut whole, [first, middle, last]);
        let mut parts = (memory.z.clone(), memory.m.clone());
        self.advance_over(&mut parts, [first, &early, &cut]);
        self.advance_over(&mut parts, [&cut, &late, last]);
        let differs = |k: usize| {
            let difference = (whole.0[k] - parts.0[k]).abs();
            difference > TOLERANCE * if way.scale[k] > 0.0 { way.scale[k] } else { parts.0[k].abs() }
        };
        let turns =
            self.elements.iter().enumerate().filter(|(_, element)| element.kind.resists()).any(|(k, _)| {
                let signs = [first, &early, &cut, middle, &late, last].map(|look| look.sights[k].v[0]);
                signs.iter().any(|v| *v > 0.0) && signs.iter().any(|v| *v < 0.0)
            });
        if cuts > 0 && (turns || (0..parts.0.len()).any(differs)) {
            self.advance_piece(d, memory, [first, &early, &cut], cuts - 1, way)?;
            return self.advance_piece(d, memory, [&cut, &late, last], cuts - 1, way);
        }
        (memory.z, memory.m) = parts;
        Ok(())
    }

    /// Advances the states and memory of all laws over one piece at its mean velocity (Simpson's rule).
    fn advance_over(&self, (z, m): &mut (Vec<f64>, Vec<f64>), [first, middle, last]: [&Glance; 3]) {
        let h = last.t - first.t;
        let before = z.clone();
        for (k, element) in self.elements.iter().enumerate().filter(|(_, element)| moves_on(element)) {
            let mut sight = last.sights[k];
            for (i, v) in sight.v.iter_mut().enumerate() {
                *v = (first.sights[k].v[i] + 4.0 * middle.sights[k].v[i] + last.sights[k].v[i]) / 6.0;
            }
            let (z0, z1) = (&before[element.z.clone()], &mut z[element.z.clone()]);
            let m = &mut m[element.m.clone()];
            let numbers = [middle.law.as_slice(), &middle.given];
            element.advance(&element.seen(&sight, numbers, z0, m), h, z1);
            if element.kind.resists() {
                element.kind.commit(&element.seen(&sight, numbers, z1, &[]), m);
            }
        }
    }

    /// What the elements see at a time of the motion.
    fn look(&self, d: &mut Data<f64>, t: f64, m: &[f64], way: &mut Way<'_, '_>) -> Result<Glance, Fault> {
        (way.path)(d, t, &mut way.q, &mut way.v)?;
        d.load_origin(self, t, &way.q, &way.v);
        self.kinematics(d);
        if !self.elements.factors().is_empty() || !d.elements.given()[1].is_empty() {
            self.signals(d, m, None)?;
        }
        let sights = self.elements.iter().map(|element| self.sight(d, element)).collect();
        let [law, given] = d.elements.given().map(<[f64]>::to_vec);
        Ok(Glance { t, sights, law, given })
    }
}

/// Whether the motion changes the states of an element, or the memory of friction that does not stick.
fn moves_on(element: &ElementInfo) -> bool {
    let friction = element.kind.resists() && element.kind.holding() == Holding::Nothing;
    !element.z.is_empty() || (friction && !element.m.is_empty())
}
