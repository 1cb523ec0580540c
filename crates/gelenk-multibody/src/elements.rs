//! Efforts, power and stored energy of the elements.

use gelenk_laws::Stance;
use gelenk_laws::stop::Stop;
use gelenk_math::Real;
use gelenk_math::spatial::{Vec3, Wrench};
use gelenk_system::Fault;

use crate::ball_stop;
use crate::blueprint::{Measure, Rubbing};
use crate::data::Data;
use crate::mechanism::{ElementInfo, ElementRun, Mechanism};

/// Account of gravity in the ledger.
pub(crate) const GRAVITY: usize = 0;

impl Mechanism {
    /// Adds the efforts of all elements to `d.effort` and to the links' applied wrenches, and writes the
    /// power of every account. With a step `h` the laws are trials over it, without they are rates.
    pub(crate) fn efforts<T: Real>(&self, d: &mut Data<T>, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        d.power[GRAVITY] = self.gravity_power(d);
        self.evaluate_contacts(d);
        for (index, element) in self.elements.iter().enumerate() {
            let effort = match &element.kind {
                ElementRun::Spring { coordinate, stiffness, damping, rest } => {
                    let (q, v) = self.coordinate(d, *coordinate);
                    let elastic = -d.param(self, *stiffness) * (q - d.param(self, *rest));
                    let damping = -d.param(self, *damping) * v;
                    self.elastic_power(d, element, elastic * v, damping * v);
                    d.effort[*coordinate] += elastic + damping;
                    elastic + damping
                }
                ElementRun::PowerSpring { coordinate, .. } => {
                    let (_, v) = self.coordinate(d, *coordinate);
                    let (law, stretch) = self.power_spring(d, element);
                    // Beyond the rest value and before it the law is that of a stop without a clamp.
                    let side = T::c(if stretch.re() < 0.0 { -1.0 } else { 1.0 });
                    let [elastic, damping] =
                        law.in_contact(stretch * side, v * side).map(|effort| -effort * side);
                    self.elastic_power(d, element, elastic * v, damping * v);
                    d.effort[*coordinate] += elastic + damping;
                    elastic + damping
                }
                ElementRun::Effort { coordinate, effort } => {
                    let (_, v) = self.coordinate(d, *coordinate);
                    let effort = effort.eval(&d.table, &mut d.scratch);
                    d.effort[*coordinate] += effort;
                    d.power[element.account] = effort * v;
                    effort
                }
                ElementRun::BallStop(run) => {
                    let [elastic, damping, moment] =
                        self.ball_stop(d, run, &m[element.m.clone()], h.is_some());
                    self.elastic_power(d, element, elastic, damping);
                    moment
                }
                ElementRun::Friction { .. } if self.waits_for_contact(index) => continue,
                ElementRun::Friction { .. } => self.rub(d, index, m, h),
                ElementRun::Stop { coordinate, .. } => {
                    let (_, v) = self.coordinate(d, *coordinate);
                    let (stop, depths) = self.stop(d, element);
                    let (mut elastic, mut total) = (T::c(0.0), T::c(0.0));
                    for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
                        // In continuous mode the memory says which contact is on, so that no step meets a kink.
                        let modes = h.is_none().then(|| (m[element.m.start + k], m[element.m.start + 2 + k]));
                        if modes.map_or(depths[k].re() <= 0.0, |(closed, _)| closed == 0.0) {
                            continue;
                        }
                        let [spring, damping] = stop.in_contact(depths[k], v * T::c(-sign));
                        let pulls = modes.map_or((spring + damping).re() < 0.0, |(_, pulls)| pulls != 0.0);
                        elastic += spring * T::c(sign);
                        if !(stop.clamp && pulls) {
                            total += (spring + damping) * T::c(sign);
                        }
                    }
                    self.elastic_power(d, element, elastic * v, (total - elastic) * v);
                    d.effort[*coordinate] += total;
                    total
                }
                // What it does is done by impulses and, at rest, by the hold.
                ElementRun::ImpulseStop { .. } => T::c(0.0),
                ElementRun::Drive { coordinate, signal } => {
                    let (_, v) = self.coordinate(d, *coordinate);
                    let effort = d.table[self.table.signals + signal];
                    d.effort[*coordinate] += effort;
                    d.power[element.account] = effort * v;
                    effort
                }
                ElementRun::PointSpring { between: [a, b], stiffness, damping, length } => {
                    let line = self.point(d, *b) - self.point(d, *a);
                    let distance = line.norm();
                    if distance.re() == 0.0 {
                        return Err(no_direction(element));
                    }
                    let along = line / distance;
                    let rate = along.dot(&(self.point_velocity(d, *b) - self.point_velocity(d, *a)));
                    let elastic = d.param(self, *stiffness) * (distance - d.param(self, *length));
                    let damping = d.param(self, *damping) * rate;
                    // Tension positive: it pulls the ends together.
                    let tension = elastic + damping;
                    self.pull(d, *a, &(along * tension));
                    self.pull(d, *b, &(along * -tension));
                    self.elastic_power(d, element, -elastic * rate, -damping * rate);
                    tension
                }
                ElementRun::Force { frame, axes, components } => {
                    let force = self.given_vector(d, *axes, components);
                    self.pull(d, *frame, &force);
                    d.power[element.account] = force.dot(&self.point_velocity(d, *frame));
                    force.norm()
                }
                ElementRun::Torque { frame, axes, components } => {
                    let torque = self.given_vector(d, *axes, components);
                    self.twist(d, *frame, &torque);
                    d.power[element.account] = torque.dot(&self.turn(d, *frame));
                    torque.norm()
                }
                ElementRun::Line { between: [a, b], tension } => {
                    let line = self.point(d, *b) - self.point(d, *a);
                    let distance = line.norm();
                    if distance.re() == 0.0 {
                        return Err(no_direction(element));
                    }
                    let along = line / distance;
                    let tension = tension.eval(&d.table, &mut d.scratch);
                    let rate = along.dot(&(self.point_velocity(d, *b) - self.point_velocity(d, *a)));
                    self.pull(d, *a, &(along * tension));
                    self.pull(d, *b, &(along * -tension));
                    d.power[element.account] = -tension * rate;
                    tension
                }
                ElementRun::Twist { between: [a, b], torque } => {
                    let axis = self.axis(d, *a, 2);
                    let torque = torque.eval(&d.table, &mut d.scratch);
                    self.twist(d, *a, &(axis * -torque));
                    self.twist(d, *b, &(axis * torque));
                    d.power[element.account] = torque * axis.dot(&(self.turn(d, *b) - self.turn(d, *a)));
                    torque
                }
                ElementRun::FrameEffort { between, along, effort } => {
                    let effort = effort.eval(&d.table, &mut d.scratch);
                    self.act_between(d, *between, *along, effort);
                    let rate = match along {
                        Some(axis) => Measure::PositionRate(*axis),
                        None => Measure::AngleRate,
                    };
                    d.power[element.account] = effort * self.measure(d, *between, rate);
                    effort
                }
                ElementRun::FrameSpring { between, along, .. } => {
                    let ([elastic, damping], _, rate) = self.frame_spring(d, element);
                    self.act_between(d, *between, *along, elastic + damping);
                    self.elastic_power(d, element, elastic * rate, damping * rate);
                    elastic + damping
                }
                ElementRun::Bushing { between, stiffness, damping } => {
                    let (elastic, damping, effort) = self.bushing(d, *between, stiffness, damping);
                    self.elastic_power(d, element, elastic, damping);
                    effort
                }
                ElementRun::Contact(contact) => {
                    let [elastic, loss, force] = self.contact(d, *contact);
                    self.elastic_power(d, element, elastic, loss);
                    force
                }
                ElementRun::Touch(touch) => {
                    let [elastic, loss, force] = self.touch(d, *touch, &m[element.m.clone()], h.is_some());
                    self.elastic_power(d, element, elastic, loss);
                    force
                }
            };
            if !effort.re().is_finite() {
                return Err(Fault::NotFinite { element: element.name.clone(), t: d.table[0].re() });
            }
            d.element_effort[index] = effort;
        }
        self.rub_under_contacts(d, m, h)
    }

    /// Value and rate of a coordinate.
    #[inline]
    pub(crate) fn coordinate<T: Real>(&self, d: &Data<T>, a: usize) -> (T, T) {
        (d.table[self.table.q + a], d.table[self.table.v + a])
    }

    #[inline]
    fn elastic_power<T: Real>(&self, d: &mut Data<T>, element: &ElementInfo, elastic: T, damping: T) {
        d.power[element.account] = elastic;
        d.power[element.account + 1] = damping;
    }

    /// The law of a spring with an exponent, and its stretch.
    fn power_spring<T: Real>(&self, d: &Data<T>, element: &ElementInfo) -> (Stop<T>, T) {
        let none = T::c(0.0);
        let ElementRun::PowerSpring { coordinate, stiffness, exponent, damping, depth, rest } = &element.kind
        else {
            return (
                Stop { stiffness: none, exponent: none, damping: none, depth: none, clamp: false },
                none,
            );
        };
        let law = Stop {
            stiffness: d.param(self, *stiffness),
            exponent: d.param(self, *exponent),
            damping: d.param(self, *damping),
            depth: d.param(self, *depth),
            clamp: false,
        };
        (law, self.coordinate(d, *coordinate).0 - d.param(self, *rest))
    }

    /// A stop's law and its penetrations below the lower and above the upper limit.
    fn stop<T: Real>(&self, d: &Data<T>, element: &ElementInfo) -> (Stop<T>, [T; 2]) {
        let ElementRun::Stop { coordinate, range, stiffness, exponent, damping, depth, clamp } =
            &element.kind
        else {
            // Not a stop: never in contact.
            let none = T::c(0.0);
            let stop = Stop { stiffness: none, exponent: none, damping: none, depth: none, clamp: true };
            return (stop, [-T::c(1.0); 2]);
        };
        let (q, _) = self.coordinate(d, *coordinate);
        let stop = Stop {
            stiffness: d.param(self, *stiffness),
            exponent: d.param(self, *exponent),
            damping: d.param(self, *damping),
            depth: d.param(self, *depth),
            clamp: *clamp,
        };
        (stop, [d.param(self, range[0]) - q, q - d.param(self, range[1])])
    }

    /// What a stop's modes depend on: the penetrations at both ends, and the pull that the clamp takes away there.
    /// Each mode is on while its value is positive.
    fn stop_signs(&self, d: &Data<f64>, element: &ElementInfo) -> [f64; 4] {
        let (stop, [below, above]) = self.stop(d, element);
        let ElementRun::Stop { coordinate, .. } = element.kind else { return [0.0; 4] };
        let (_, v) = self.coordinate(d, coordinate);
        let pull = |penetration: f64, rate: f64| {
            let [elastic, damping] = stop.in_contact(penetration, rate);
            if stop.clamp && penetration > 0.0 { -elastic - damping } else { 0.0 }
        };
        [below, above, pull(below, -v), pull(above, v)]
    }

    /// Applies a force (ground frame) at a frame's origin.
    pub(crate) fn pull<T: Real>(&self, d: &mut Data<T>, frame: usize, force: &Vec3<T>) {
        if let Some(link) = self.frames[frame].link {
            let local = d.links[link].world.rotation.tr_mul(force);
            d.links[link].applied += Wrench::new(d.frames[frame].position.cross(&local), local);
        }
    }

    /// Power of gravity: force at the centre times its velocity, summed over the bodies.
    fn gravity_power<T: Real>(&self, d: &Data<T>) -> T {
        d.links.iter().fold(T::c(0.0), |sum, link| {
            let momentum = link.inertia.momentum(&link.velocity).lin;
            sum + (link.world.rotation * momentum).dot(&d.gravity)
        })
    }

    /// Kinetic energy as the return value, and the energy that each account holds. Needs
    /// [`Self::kinematics`], the contacts and the states of the laws.
    pub(crate) fn stored<T: Real>(&self, d: &Data<T>, stored: &mut [T]) -> T {
        stored.fill(T::c(0.0));
        let (mut kinetic, mut potential) = (T::c(0.0), T::c(0.0));
        for link in &d.links {
            kinetic += link.velocity.dot(&link.inertia.momentum(&link.velocity)) * T::c(0.5);
            let moment = link.world.position * link.inertia.mass + link.world.rotation * link.inertia.moment;
            potential -= d.gravity.dot(&moment);
        }
        for (a, &rotor) in d.rotors.iter().enumerate() {
            let rate = self.coordinate(d, a).1;
            kinetic += rotor * rate * rate * T::c(0.5);
        }
        stored[GRAVITY] = potential;
        for (index, element) in self.elements.iter().enumerate() {
            stored[element.account] = match &element.kind {
                ElementRun::Spring { coordinate, stiffness, rest, .. } => {
                    let stretch = self.coordinate(d, *coordinate).0 - d.param(self, *rest);
                    d.param(self, *stiffness) * stretch * stretch * T::c(0.5)
                }
                ElementRun::PowerSpring { .. } => {
                    let (law, stretch) = self.power_spring(d, element);
                    law.stored(if stretch.re() < 0.0 { -stretch } else { stretch })
                }
                ElementRun::FrameSpring { .. } => self.frame_spring(d, element).1,
                ElementRun::BallStop(run) => self.ball_stop_energy(d, run),
                ElementRun::Friction { .. } => self.held_by_friction(d, index) * d.pressed[index],
                ElementRun::Stop { .. } => {
                    let (stop, [below, above]) = self.stop(d, element);
                    stop.stored(below) + stop.stored(above)
                }
                ElementRun::Bushing { between, stiffness, .. } => self.bushing_energy(d, *between, stiffness),
                ElementRun::Contact(contact) => self.contact_energy(d, *contact),
                ElementRun::Touch(touch) => self.touch_energy(d, *touch),
                ElementRun::Drive { .. }
                | ElementRun::Effort { .. }
                | ElementRun::ImpulseStop { .. }
                | ElementRun::Force { .. }
                | ElementRun::Torque { .. }
                | ElementRun::Line { .. }
                | ElementRun::FrameEffort { .. }
                | ElementRun::Twist { .. } => T::c(0.0),
                ElementRun::PointSpring { between: [a, b], stiffness, length, .. } => {
                    let stretch = (self.point(d, *b) - self.point(d, *a)).norm() - d.param(self, *length);
                    d.param(self, *stiffness) * stretch * stretch * T::c(0.5)
                }
            };
        }
        kinetic
    }

    /// Switching functions of all elements.
    pub(crate) fn element_switching(&self, d: &Data<f64>, m: &[f64], g: &mut [f64]) {
        for (index, element) in self.elements.iter().enumerate() {
            let g = &mut g[element.g.clone()];
            let all = m;
            let m = &m[element.m.clone()];
            match &element.kind {
                ElementRun::Friction { law, .. } if law.sticking::<f64>(&[]).is_some() => {
                    self.stance_switching(d, index, m[0], g);
                }
                ElementRun::ImpulseStop { .. } => self.limit_switching(d, index, all, g),
                ElementRun::Friction { on: Rubbing::Plane { .. }, .. } => {}
                ElementRun::Friction { on, law, p, .. } => {
                    let v = self.sliding(d, on);
                    law.switching(&d.law[p.clone()], &d.z[element.z.clone()], m, v, g);
                }
                ElementRun::Stop { .. } => ball_stop::switching(&self.stop_signs(d, element), m, g),
                ElementRun::BallStop(run) => ball_stop::switching(&self.ball_stop_signs(d, run), m, g),
                ElementRun::Touch(touch) => ball_stop::switching(&[self.touch_depth(d, *touch)], m, g),
                ElementRun::Contact(contact) => ball_stop::switching(&[self.touching(d, *contact)], m, g),
                _ => {}
            }
        }
    }

    /// Changes the mode behind switching function `index`.
    pub(crate) fn element_switch(
        &self,
        d: &mut Data<f64>,
        t: f64,
        index: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<&'static str, Fault> {
        let owner = self.switch_owner[index];
        let element = &self.elements[owner];
        let local = index - element.g.start;
        match &element.kind {
            ElementRun::Friction { law, .. } if law.sticking::<f64>(&[]).is_some() => {
                return self.change_stance(d, t, (owner, local), x, m);
            }
            ElementRun::ImpulseStop { .. } => return self.change_limit(d, t, (owner, local), x, m),
            ElementRun::Touch(touch) => {
                return Ok(self.switch_touch(d, t, *touch, x, &mut m[element.m.clone()]));
            }
            _ => {}
        }
        let z = &mut x[self.layout.z()];
        let m = &mut m[element.m.clone()];
        Ok(match &element.kind {
            ElementRun::Friction { law, p, .. } => {
                law.switch(&d.law[p.clone()], local, &mut z[element.z.clone()], m)
            }
            ElementRun::Stop { .. } | ElementRun::BallStop(_) => {
                m[local] = if m[local] == 0.0 { 1.0 } else { 0.0 };
                ball_stop::told(local, m.len() / 2, m[local] == 1.0)
            }
            ElementRun::Contact(_) => {
                m[local] = if m[local] == 0.0 { 1.0 } else { 0.0 };
                ball_stop::told(0, 1, m[local] == 1.0)
            }
            _ => "",
        })
    }

    /// Settles the memory of all elements on the loaded state; `d.z` holds the states of the laws.
    pub(crate) fn commit_elements(&self, d: &Data<f64>, m: &mut [f64]) {
        self.commit_laws(d, m);
        for element in &self.elements {
            match &element.kind {
                // What loops lock stays idle.
                ElementRun::Friction { on, law, p, .. }
                    if law.sticking::<f64>(&[]).is_some()
                        && Stance::read(m[element.m.start]) != Stance::Idle =>
                {
                    let v = self.sliding(d, on);
                    law.commit(&d.law[p.clone()], &d.z[element.z.clone()], v, &mut m[element.m.clone()]);
                }
                _ => {}
            }
        }
    }

    /// The same without the stances of friction that sticks.
    pub(crate) fn commit_laws(&self, d: &Data<f64>, m: &mut [f64]) {
        for element in &self.elements {
            let m = &mut m[element.m.clone()];
            match &element.kind {
                ElementRun::Friction { on: Rubbing::Plane { .. }, .. } => {}
                ElementRun::Friction { law, .. } if law.sticking::<f64>(&[]).is_some() => {}
                ElementRun::Friction { on, law, p, .. } => {
                    let v = self.sliding(d, on);
                    law.commit(&d.law[p.clone()], &d.z[element.z.clone()], v, m);
                }
                _ => {}
            }
        }
        self.commit_contacts(d, m);
    }

    /// Settles stops and contacts on where the bodies are.
    pub(crate) fn commit_contacts(&self, d: &Data<f64>, m: &mut [f64]) {
        for element in &self.elements {
            let m = &mut m[element.m.clone()];
            match &element.kind {
                ElementRun::Stop { .. } => ball_stop::settle(&self.stop_signs(d, element), m),
                ElementRun::BallStop(run) => ball_stop::settle(&self.ball_stop_signs(d, run), m),
                ElementRun::Touch(touch) => self.commit_touch(d, *touch, m),
                ElementRun::Contact(contact) => ball_stop::settle(&[self.touching(d, *contact)], m),
                _ => {}
            }
        }
    }
}

fn no_direction(element: &ElementInfo) -> Fault {
    let reason = "its ends coincide, so its direction is undefined".into();
    Fault::Refused { element: element.name.clone(), reason }
}
