//! Changes of holds: sticking and slipping, impacts, rest and release (decision 10).
//!
//! An impact is a jump of all velocities through the inverse mass, bordered by the loops: `v+ = v- + sum A_j L_j` with
//! the answers `A_j` of [`holds`](crate::elements::holds). All limits that are touched take part. With their normal velocities `n`
//! and the restitutions `e`,
//!
//! ```text
//! Newton    n+ + e n- >= 0,  L >= 0,  complementary       (n- < 0; else n+ >= 0)
//! Poisson   compression: nc >= 0, Lc >= 0, complementary; then L = Lc + e Lc + Lr with n+ >= 0, Lr >= 0, complementary
//! ```
//!
//! Friction of bounded effort has no impulse, so what sticks takes part as if it were free. Restitutions that differ can
//! make energy out of nothing; then the smallest one is taken for all, with which the law is dissipative.

use gelenk_laws::{Stance, Sticking};
use gelenk_math::complementarity::complementary;
use gelenk_record::Change;
use gelenk_system::Fault;

use crate::data::Data;
use crate::elements::holds::{Held, Hold, HoldKind, Limit};
use crate::elements::settling::REACHED;
use crate::mechanism::Mechanism;

/// Distance (m, rad) at which limits are touched at the same time.
pub(crate) const TOUCH: f64 = 1e-12;
/// Speed (m/s, rad/s) that counts as rest once something sticks.
pub(crate) const STILL: f64 = 1e-12;
/// Share of a level by which a load exceeds it once that is more than rounding.
const EXCEEDED: f64 = 1e-12;
/// Share of the energy of an impact that rounding may add.
const GAIN: f64 = 1e-10;
/// Share of the largest change of velocity below which one is rounding.
const ROUNDING: f64 = 1e-13;
/// Share of it below which a velocity is rest, through loops whose answers are rounded.
const AT_REST: f64 = 1e-11;

/// Depth behind a limit up to which what has lifted off is not back: the rounding of the position, and next to nothing at zero.
fn unseen_depth(limit: f64) -> f64 {
    2.0 * f64::EPSILON * limit.abs() + 1e-22
}

impl Mechanism {
    /// Whether a coordinate is held.
    pub(crate) fn holding(&self, m: &[f64]) -> bool {
        self.elements.holds.iter().any(|hold| hold.is_on(m))
    }

    /// Refuses a start behind a limit.
    pub(crate) fn check_limits(&self, d: &Data<f64>, x: &[f64]) -> Result<(), Fault> {
        for hold in &self.elements.holds {
            let Some(Limit { sign, place: limit, .. }) = self.limit(d, hold) else { continue };
            let q = x[hold.coordinate];
            if sign * (q - limit) < -TOUCH * (1.0 + limit.abs()) {
                let name = &self.coordinates[hold.coordinate].name;
                let reason =
                    format!("{name} starts at {q}, beyond the limit {limit}; start it inside the range");
                return Err(Fault::Refused { element: self.elements[hold.element].name.clone(), reason });
            }
        }
        Ok(())
    }

    /// Switching functions of friction that sticks: the stance is valid while both are `>= 0`.
    pub(crate) fn stance_switching(&self, d: &Data<f64>, element: usize, m: f64, g: &mut [f64]) {
        let Some(coordinate) = self.elements[element].on.coordinate() else { return };
        let Some(Sticking { breakaway, band }) = self.sticking(d, element) else { return };
        let v = d.table[self.table.v + coordinate];
        // What has let go and is still kept by others through a loop rests up to rounding.
        let rates = &d.table[self.table.v..self.table.v + self.layout.nv];
        let still = 0.1 * STILL * rates.iter().fold(1.0f64, |max, v| max.max(v.abs()));
        g[1] = f64::INFINITY;
        g[0] = match Stance::read(m) {
            // A load that is exactly at the level is held: what lets go is to move away by more than rounding.
            Stance::Stuck => breakaway * (1.0 + EXCEEDED) - self.hold_force(d, element, 0).abs(),
            Stance::Sliding(sign) => sign * v - band + still,
            Stance::Idle => f64::INFINITY,
            Stance::Leaving(sign) => {
                g[1] = band - sign * v;
                sign * v + still
            }
        };
    }

    /// Switching functions of a stop by impulses: distance from each limit, or the effort while it rests there.
    pub(crate) fn limit_switching(&self, d: &Data<f64>, element: usize, m: &[f64], g: &mut [f64]) {
        for (hold, force) in
            self.elements.holds.iter().zip(&d.elements.held.force).filter(|(hold, _)| hold.element == element)
        {
            let Some(Limit { sign, place: limit, .. }) = self.limit(d, hold) else { continue };
            let place = usize::from(sign < 0.0);
            g[place] = if hold.is_on(m) {
                sign * force
            } else {
                // What has just lifted off falls back by less than rounding where its load was not yet quite gone.
                sign * (d.table[self.table.q + hold.coordinate] - limit) + unseen_depth(limit)
            };
        }
    }

    /// Lets all friction stick that is at rest but for rounding. Returns whether some of it was sliding.
    fn stick_at_rest(&self, x: &[f64], m: &mut [f64]) -> bool {
        let mut any = false;
        for hold in self.elements.holds.iter().filter(|hold| matches!(hold.kind, HoldKind::Stick)) {
            let still = x[self.layout.nq + hold.coordinate].abs() <= STILL;
            if let Stance::Sliding(_) | Stance::Leaving(_) = Stance::read(m[hold.memory])
                && still
            {
                m[hold.memory] = Stance::Stuck.memory();
                any = true;
            }
        }
        any
    }

    /// Changes the stance of friction that sticks.
    pub(crate) fn change_stance(
        &self,
        d: &mut Data<f64>,
        t: f64,
        (element, local): (usize, usize),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<Change>, Fault> {
        let place = self.elements[element].m.start;
        let stance = Stance::read(m[place]);
        let old = match stance {
            Stance::Leaving(sign) if local == 1 => {
                m[place] = Stance::Sliding(sign).memory();
                return Ok(Some(Change::LeavesBand));
            }
            Stance::Leaving(sign) | Stance::Sliding(sign) => sign,
            Stance::Stuck => 0.0,
            Stance::Idle => return Ok(None),
        };
        if old == 0.0 {
            if !self.release(d, t, x, m, REACHED)? {
                self.rates_here(d, t, x, m)?;
                self.let_go(d, element, m);
            }
            return Ok(match Stance::read(m[place]) {
                // Others have let go in its stead.
                Stance::Stuck => None,
                Stance::Sliding(sign) | Stance::Leaving(sign) if sign > 0.0 => Some(Change::SlipsForward),
                _ => Some(Change::SlipsBackward),
            });
        }
        m[place] = Stance::Stuck.memory();
        // Karnopp's band stops what is slow, whatever holds it then. At rest the stop comes last: a coordinate that
        // passes its dead point cannot be held, and an impulse would stop the whole mechanism.
        if self.sticking(d, element).is_some_and(|law| law.band > 0.0) {
            self.arrest(d, t, x, m)?;
        }
        // All that has come to rest with it, through loops, sticks as well; then what cannot be held lets go. What is left to the
        // search for the instant is taken away by the stop; only after it the others are at rest, too.
        self.stick_at_rest(x, m);
        self.release(d, t, x, m, 1.0)?;
        if self.holding(m) {
            self.arrest(d, t, x, m)?;
            if self.stick_at_rest(x, m) {
                self.release(d, t, x, m, 1.0)?;
                if self.holding(m) {
                    self.arrest(d, t, x, m)?;
                }
            }
        }
        // What slides on is at rest but for rounding, which must not take it through zero again.
        if let (Stance::Leaving(sign) | Stance::Sliding(sign), Some(coordinate)) =
            (Stance::read(m[place]), self.elements[element].on.coordinate())
        {
            let v = &mut x[self.layout.nq + coordinate];
            if *v * sign < 0.0 && v.abs() <= STILL {
                *v = 0.0;
            }
        }
        Ok(Some(match Stance::read(m[place]) {
            Stance::Stuck => Change::Sticks,
            Stance::Leaving(sign) | Stance::Sliding(sign) if sign == old => Change::ContinuesSliding,
            _ => Change::Reverses,
        }))
    }

    /// Friction that holds no longer, though rounding does not tell of what: it is against the effort that held it.
    fn let_go(&self, d: &Data<f64>, element: usize, m: &mut [f64]) {
        let sign = -self.hold_force(d, element, 0).signum();
        m[self.elements[element].m.start] = self.slide(d, element, sign);
    }

    /// A limit is hit, or lets go.
    pub(crate) fn change_limit(
        &self,
        d: &mut Data<f64>,
        t: f64,
        (element, local): (usize, usize),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Change, Fault> {
        let flag = self.elements[element].m.start + local;
        if m[flag] == 1.0 {
            m[flag] = 0.0;
            return Ok(Change::ContactOpens);
        }
        self.strike(d, t, x, m, false)?;
        Ok(if m[flag] == 1.0 { Change::ComesToRest } else { Change::Hits })
    }

    /// The impact of everything that touches a limit, then what comes to rest there. A `plastic` one has no rebound.
    pub(crate) fn strike(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
        plastic: bool,
    ) -> Result<(), Fault> {
        let layout = self.layout;
        // With everything that holds: what stands on something that rests does not fall freely.
        self.rates_here(d, t, x, m)?;
        let falling = d.acceleration.clone();
        let mut held = std::mem::take(&mut d.elements.held);
        held.active.clear();
        held.active.extend((0..self.elements.holds.len()).filter(|&i| self.at_limit(d, i, x)));
        let mut answered = self.evaluate_here(d, t, x, m).and_then(|()| self.answer(d, &mut held));
        if answered.is_ok() {
            let before: Vec<f64> = x[layout.v()].to_vec();
            let impulses = self.impulses(d, &held, &before, plastic);
            self.jump(&held, &impulses, x);
            answered = self.stopped(d, t, &held, (&before, &x[layout.v()]));
            for (i, &index) in held.active.iter().enumerate() {
                let hold = &self.elements.holds[index];
                let Some(Limit { sign, place: limit, .. }) = self.limit(d, hold) else { continue };
                if impulses[i] != 0.0 || m[hold.memory] == 1.0 || sign * (x[hold.coordinate] - limit) < 0.0 {
                    // On the limit, not behind it by what locating the event has left.
                    x[hold.coordinate] = limit;
                }
            }
            self.stances_after(d, &before, x, m);
            self.rest(d, (&held, &falling), x, m);
        }
        d.elements.held = held;
        answered?;
        self.settle_rest(d, t, x, m)
    }

    /// Refuses a limit that did not stop what runs into it: a loop that moves with time does not give way to impulses.
    fn stopped(
        &self,
        d: &Data<f64>,
        t: f64,
        held: &Held<f64>,
        (before, after): (&[f64], &[f64]),
    ) -> Result<(), Fault> {
        for &index in &held.active {
            let hold = &self.elements.holds[index];
            let Some(Limit { sign, .. }) = self.limit(d, hold) else { continue };
            let [before, after] = [before, after].map(|v| sign * v[hold.coordinate]);
            if before < -STILL && after < 0.5 * before {
                let reason = format!(
                    "a loop or a prescribed motion drives {} through this limit at t = {t:.6} s with a speed of \
                     {:.3e} (SI), and no impulse stops it; change the motion or the range",
                    self.velocity_names[hold.coordinate], -after
                );
                return Err(Fault::Refused { element: self.elements[hold.element].name.clone(), reason });
            }
        }
        Ok(())
    }

    /// Whether a limit is touched.
    fn at_limit(&self, d: &Data<f64>, index: usize, x: &[f64]) -> bool {
        let hold = &self.elements.holds[index];
        let Some(Limit { sign, place, .. }) = self.limit(d, hold) else { return false };
        let v = x[self.layout.nq + hold.coordinate];
        sign * (x[hold.coordinate] - place) <= TOUCH * (1.0 + v.abs())
    }

    /// The switching function of the first limit that is touched at rest by something it does not hold.
    pub(crate) fn rests_at_limit(&self, d: &Data<f64>, x: &[f64], m: &[f64]) -> Option<usize> {
        let rests = |index: &usize| {
            let hold = &self.elements.holds[*index];
            let Some(Limit { rest, .. }) = self.limit(d, hold) else { return false };
            let v = x[self.layout.nq + hold.coordinate];
            !hold.is_on(m) && v.abs() <= rest.max(STILL) && self.at_limit(d, *index, x)
        };
        let hold = &self.elements.holds[(0..self.elements.holds.len()).find(rests)?];
        let side = self.limit(d, hold).map_or(0, |limit| usize::from(limit.sign < 0.0));
        Some(self.elements[hold.element].g.start + side)
    }

    /// Impulses along the coordinates of the active limits, signs included.
    fn impulses(&self, d: &Data<f64>, held: &Held<f64>, v: &[f64], plastic: bool) -> Vec<f64> {
        let n = held.active.len();
        // Only limits are active here.
        let limits: Vec<Limit> =
            held.active.iter().filter_map(|&i| self.limit(d, &self.elements.holds[i])).collect();
        let sign = |i: usize| limits[i].sign;
        let w: Vec<f64> = (0..n * n).map(|ij| sign(ij / n) * sign(ij % n) * held.matrix[ij]).collect();
        let normal: Vec<f64> =
            (0..n).map(|i| sign(i) * v[self.elements.holds[held.active[i]].coordinate]).collect();
        let poisson = limits.iter().any(|limit| limit.poisson);
        let given: Vec<f64> =
            limits.iter().map(|limit| if plastic { 0.0 } else { limit.restitution }).collect();
        let least =
            given.iter().zip(&normal).filter(|(_, v)| **v < 0.0).fold(1.0f64, |min, (&e, _)| min.min(e));
        let energy = |l: &[f64]| -> (f64, f64) {
            let (mut change, mut size) = (0.0, 0.0f64);
            for i in 0..n {
                let after = normal[i] + (0..n).map(|k| w[i * n + k] * l[k]).sum::<f64>();
                change += 0.5 * l[i] * (normal[i] + after);
                size += (l[i] * normal[i]).abs();
            }
            (change, size)
        };
        for e in [given, vec![least; n], vec![0.0; n]] {
            let Some(l) = impact(&w, &normal, &e, poisson) else { continue };
            let (change, size) = energy(&l);
            if change <= GAIN * size {
                return l.iter().enumerate().map(|(i, l)| sign(i) * l).collect();
            }
        }
        vec![0.0; n]
    }

    /// Adds the jump of the impulses to the velocities, and its work to the accounts.
    fn jump(&self, held: &Held<f64>, impulses: &[f64], x: &mut [f64]) {
        let layout = self.layout;
        let v0 = layout.nq;
        let answers = || held.answers.chunks_exact(layout.nv.max(1)).zip(impulses);
        for (answers, impulse) in answers() {
            for (v, answer) in x[layout.v()].iter_mut().zip(answers) {
                *v += answer * impulse;
            }
        }
        for (&index, impulse) in held.active.iter().zip(impulses) {
            let hold = &self.elements.holds[index];
            let change: f64 = answers().map(|(answers, impulse)| answers[hold.coordinate] * impulse).sum();
            // The work of an impulse goes with the mean of the velocities before and after it.
            let mean = x[v0 + hold.coordinate] - 0.5 * change;
            x[layout.w().start + self.elements[hold.element].accounts.start] += impulse * mean;
        }
    }

    /// Friction that a jump has set in motion slides; what it has not moved keeps its stance.
    fn stances_after(&self, d: &Data<f64>, before: &[f64], x: &mut [f64], m: &mut [f64]) {
        let v = self.layout.v();
        let largest = before.iter().zip(&x[v.clone()]).fold(0.0f64, |max, (a, b)| max.max((b - a).abs()));
        let sticks = |hold: &&Hold| matches!(hold.kind, HoldKind::Stick);
        for hold in self.elements.holds.iter().filter(sticks) {
            if Stance::read(m[hold.memory]) == Stance::Idle {
                continue;
            }
            let Some(Sticking { band, .. }) = self.sticking(d, hold.element) else { continue };
            let rate = &mut x[v.start + hold.coordinate];
            if (*rate - before[hold.coordinate]).abs() > ROUNDING * largest {
                // What a loop has brought to rest rests but for rounding, which must not tell which way it slides.
                let rests = rate.abs() <= AT_REST * largest;
                m[hold.memory] = if rests { Stance::Stuck } else { Stance::at(*rate, band) }.memory();
            } else {
                *rate = before[hold.coordinate];
            }
        }
    }

    /// Marks what rebounds too slowly to be followed as resting, and everything else that was touched as free.
    fn rest(&self, d: &Data<f64>, (held, falling): (&Held<f64>, &[f64]), x: &[f64], m: &mut [f64]) {
        for &index in &held.active {
            let hold = &self.elements.holds[index];
            let Some(Limit { sign, place, rest, .. }) = self.limit(d, hold) else { continue };
            let rebound = sign * x[self.layout.nq + hold.coordinate];
            // A rebound lower than the rounding of the position cannot be seen to end.
            let height = 16.0 * unseen_depth(place);
            let a = held.base[hold.coordinate].abs().max(falling[hold.coordinate].abs());
            let unseen = (2.0 * a * height).sqrt();
            m[hold.memory] = if rebound <= rest.max(unseen) { 1.0 } else { 0.0 };
        }
    }

    /// Friction on what rests on a limit sticks. Lets go of what cannot be held, then stops what rests.
    fn settle_rest(&self, d: &mut Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        for hold in self.elements.holds.iter().filter(|hold| matches!(hold.kind, HoldKind::Stick)) {
            let rests = |other: &Hold| {
                matches!(other.kind, HoldKind::Limit(_))
                    && other.coordinate == hold.coordinate
                    && other.is_on(m)
            };
            if Stance::read(m[hold.memory]) != Stance::Idle && self.elements.holds.iter().any(rests) {
                m[hold.memory] = Stance::Stuck.memory();
            }
        }
        self.release(d, t, x, m, 1.0)?;
        if !self.holding(m) {
            return Ok(());
        }
        self.arrest(d, t, x, m)
    }

    /// Stops all held coordinates by impulses, so that loops and everything else go along.
    fn arrest(&self, d: &mut Data<f64>, t: f64, x: &mut [f64], m: &[f64]) -> Result<(), Fault> {
        let mut held = std::mem::take(&mut d.elements.held);
        held.active.clear();
        held.active.extend((0..self.elements.holds.len()).filter(|&i| self.elements.holds[i].is_on(m)));
        let answered = self.evaluate_here(d, t, x, m).and_then(|()| self.answer(d, &mut held));
        if answered.is_ok() {
            let v0 = self.layout.nq;
            for (i, &hold) in held.active.iter().enumerate() {
                held.right[i] = -x[v0 + self.elements.holds[hold].coordinate];
            }
            held.solve();
            let impulses = std::mem::take(&mut held.right);
            self.jump(&held, &impulses[..held.active.len()], x);
            held.right = impulses;
            for &hold in &held.active {
                x[v0 + self.elements.holds[hold].coordinate] = 0.0;
            }
        }
        d.elements.held = held;
        answered
    }

    /// How a friction element sticks; `None` for one that does not.
    pub(crate) fn sticking(&self, d: &Data<f64>, element: usize) -> Option<Sticking<f64>> {
        let info = &self.elements[element];
        let sticking = info.kind.sticking(&d.elements.law[info.p.clone()])?;
        Some(Sticking { breakaway: sticking.breakaway * d.elements.loads[element], ..sticking })
    }

    /// Effort of the `n`-th hold of an element.
    fn hold_force(&self, d: &Data<f64>, element: usize, n: usize) -> f64 {
        let mut own = self
            .elements
            .holds
            .iter()
            .zip(&d.elements.held.force)
            .filter(|(hold, _)| hold.element == element);
        own.nth(n).map_or(0.0, |(_, &force)| force)
    }

    /// Everything but the accelerations at a state.
    pub(crate) fn evaluate_here(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &[f64]) -> Result<(), Fault> {
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        d.elements.z.copy_from_slice(&x[self.layout.z()]);
        self.evaluate(d, m, None)
    }

    /// Accelerations and the efforts of holds at a state.
    pub(crate) fn rates_here(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &[f64]) -> Result<(), Fault> {
        let mut dx = std::mem::take(&mut d.dx);
        let evaluated = self.rates_on_branch(d, t, x, m, &mut dx);
        d.dx = dx;
        evaluated
    }
}

/// Impulses of an impact with the Delassus matrix `w` and the normal velocities before it.
fn impact(w: &[f64], normal: &[f64], e: &[f64], poisson: bool) -> Option<Vec<f64>> {
    let n = normal.len();
    if !poisson {
        let b: Vec<f64> =
            normal.iter().zip(e).map(|(v, e)| if *v < 0.0 { v * (1.0 + e) } else { *v }).collect();
        return complementary(w, &b);
    }
    let after = |l: &[f64]| -> Vec<f64> {
        (0..n).map(|i| normal[i] + (0..n).map(|k| w[i * n + k] * l[k]).sum::<f64>()).collect()
    };
    let compression = complementary(w, normal)?;
    let mut total: Vec<f64> = compression.iter().zip(e).map(|(l, e)| l * (1.0 + e)).collect();
    let more = complementary(w, &after(&total))?;
    total.iter_mut().zip(more).for_each(|(l, more)| *l += more);
    Some(total)
}
