//! Which holds are on at an instant: what is at rest stays at rest while it can be held.
//!
//! At rest friction takes any effort up to its level `F_S`, and a limit any that pushes. With the accelerations `a_0` without
//! holds and the answers `W` to unit efforts (see [`holds`](crate::elements::holds)) the efforts `f` of everything at rest fulfil
//!
//! ```text
//! a = W f + a_0
//! friction   abs(f) < F_S: a = 0      f = -F_S: a >= 0      f = F_S: a <= 0
//! limit      f > 0: a = 0             f = 0: a >= 0
//! ```
//!
//! The accelerations of this problem are unique ([`Bounded`](gelenk_math::bounded::Bounded)), whatever the order of the
//! elements. What they leave at rest is held; what they move lets go, all of it at once. Then the friction of what slides
//! falls from `F_S` to that of sliding, so the rest is asked again, until nothing more lets go. What the fall of the others
//! would move against its direction is held after all.
//!
//! All methods follow this rule: at events in continuous mode and in `stepped2`, after impacts, and in the studies.

use gelenk_laws::Stance;
use gelenk_system::Fault;

use crate::data::Data;
use crate::elements::holds::HoldKind;
use crate::mechanism::Mechanism;

/// Share of a level at which it counts as reached, where one has been: what lies beyond is not more than rounding.
pub(crate) const REACHED: f64 = 1.0 - 1e-8;
/// How often what was let go in vain is taken back.
const SECOND_THOUGHTS: usize = 3;

impl Mechanism {
    /// Lets go of everything that cannot be held at a state, with levels that count as reached at a share of them.
    /// Returns whether something was let go.
    pub(crate) fn release(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        m: &mut [f64],
        share: f64,
    ) -> Result<bool, Fault> {
        let mut any = false;
        for _ in 0..SECOND_THOUGHTS {
            let mut more = false;
            while self.holding(m) && self.release_once(d, t, x, m, share)? {
                more = true;
            }
            any |= more;
            if !more || !self.take_back(d, t, x, m)? {
                break;
            }
        }
        Ok(any)
    }

    /// Lets go of what the efforts within their ranges leave moving. Returns whether there is such a thing.
    fn release_once(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        m: &mut [f64],
        share: f64,
    ) -> Result<bool, Fault> {
        let mut held = std::mem::take(&mut d.elements.held);
        held.active.clear();
        held.active.extend((0..self.elements.holds.len()).filter(|&i| self.elements.holds[i].is_on(m)));
        let answered = self.evaluate_here(d, t, x, m).and_then(|()| self.answer(d, &mut held));
        let mut released = false;
        if answered.is_ok() {
            self.ranges(d, &mut held, share);
            held.bound(|hold| self.elements.holds[hold].coordinate);
            for (i, &index) in held.active.iter().enumerate() {
                let Some(left) = held.limits.gives_way(i) else { continue };
                let hold = &self.elements.holds[index];
                m[hold.memory] = match hold.kind {
                    HoldKind::Stick => self.slide(d, hold.element, left.signum()),
                    HoldKind::Limit(_) => 0.0,
                };
                released = true;
            }
        }
        d.elements.held = held;
        answered.map(|()| released)
    }

    /// Holds again what was at rest, was let go and now would slide the other way. Returns whether there is such a thing.
    fn take_back(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &mut [f64]) -> Result<bool, Fault> {
        self.rates_here(d, t, x, m)?;
        let mut back = false;
        for hold in self.elements.holds.iter().filter(|hold| matches!(hold.kind, HoldKind::Stick)) {
            let (v, a) = (x[self.layout.nq + hold.coordinate], d.acceleration[hold.coordinate]);
            if let Stance::Sliding(sign) | Stance::Leaving(sign) = Stance::read(m[hold.memory])
                && v == 0.0
                && sign * a < 0.0
            {
                m[hold.memory] = Stance::Stuck.memory();
                back = true;
            }
        }
        Ok(back)
    }

    /// The memory of friction that begins to slide in the direction of the sign.
    pub(crate) fn slide(&self, d: &Data<f64>, element: usize, sign: f64) -> f64 {
        let band = self.sticking(d, element).map_or(0.0, |s| s.band);
        if band > 0.0 { Stance::Leaving(sign).memory() } else { Stance::Sliding(sign).memory() }
    }
}
