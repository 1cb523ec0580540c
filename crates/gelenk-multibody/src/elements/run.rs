//! The elements of a mechanism at work: efforts, power, stored energy, modes.

use gelenk_laws::Stance;
use gelenk_math::spatial::{Vec3, Wrench};
use gelenk_math::{Lockstep, Mask, Real};
use gelenk_record::Change;
use gelenk_system::{Effort, Fault};

use super::ElementData;
use super::attachment::refused;
use super::contract::{Act, Holding, Look, Step};
use crate::data::Data;
use crate::elements::ElementInfo;
use crate::mechanism::Mechanism;

/// Account of gravity in the ledger.
pub(crate) const GRAVITY: usize = 0;

/// Numbers of a displacement at most.
const LARGEST: usize = 6;

/// Displacement and rate that an element sees.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sight {
    pub(crate) x: [f64; LARGEST],
    pub(crate) v: [f64; LARGEST],
}

impl ElementInfo {
    /// What it sees of displacement and rate, of the parameters `p` and inputs `u` of all elements, from the states `z` on.
    pub(crate) fn seen<'a>(
        &self,
        sight: &'a Sight,
        [p, u]: [&'a [f64]; 2],
        z: &'a [f64],
        m: &'a [f64],
    ) -> Look<'a, f64> {
        let [nx, nv] = self.on.on.size();
        let (x, v) = (&sight.x[..nx], &sight.v[..nv]);
        let (p, u) = (&p[self.p.clone()], &u[self.u.clone()]);
        Look { size: self.size, u, z, m, ..Look::new(x, v, p) }
    }

    /// The states after `h` (s) at what is seen.
    pub(crate) fn advance(&self, look: &Look<'_, f64>, h: f64, z1: &mut [f64]) {
        z1.copy_from_slice(&self.kind.alone(look, Step::Trial { h, effort: Effort::Mean }).states);
    }
}

/// The loaded time (s), which is one for all lanes.
fn time<T: Lockstep>(d: &Data<T>) -> f64 {
    d.table[0].lane(0).re()
}

impl Mechanism {
    /// Adds the efforts of all elements to `d.effort` and to the links' applied wrenches, and writes the
    /// power of every account. With a step `h` the laws are trials over it, without they are rates.
    pub(crate) fn efforts<T: Real>(&self, d: &mut Data<T>, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        d.elements.power[GRAVITY] = self.gravity_power(d);
        self.find_contacts(d);
        for (index, element) in self.elements.iter().enumerate() {
            let effort = match element.contact {
                _ if element.late => continue,
                Some(contact) => self.exert_contact(d, contact, m, h.is_some()),
                None => self.act(d, index, m, h)?,
            };
            self.note_effort(d, index, effort)?;
        }
        self.act_under_contacts(d, m, h)
    }

    /// Keeps the effort of an element.
    #[inline]
    pub(crate) fn note_effort<T: Lockstep>(
        &self,
        d: &mut Data<T>,
        index: usize,
        effort: T,
    ) -> Result<(), Fault> {
        // In lanes a run that has become no number is told of at the end of the step.
        if T::WIDTH == 1 && !effort.finite().all() {
            let element = self.elements[index].name.clone();
            return Err(Fault::NotFinite { element, t: time(d) });
        }
        d.elements.effort[index] = effort;
        Ok(())
    }

    /// Evaluates the inputs of an element. Needs the signals.
    #[inline]
    pub(crate) fn take_inputs<T: Lockstep>(&self, d: &mut Data<T>, element: &ElementInfo) {
        for (slot, program) in element.u.clone().zip(&element.inputs) {
            d.elements.given[slot] = program.eval(&d.table, &mut d.scratch);
        }
    }

    /// Lets an element act, with a step `h` over it, and returns what is recorded of its effort. Needs its inputs.
    pub(crate) fn act<T: Lockstep>(
        &self,
        d: &mut Data<T>,
        index: usize,
        m: &[T::Plain],
        h: Option<f64>,
    ) -> Result<T, Fault> {
        self.act_sized(d, index, m, h, true)
    }

    /// Evaluates the outputs of an element, and the states after a step, without its efforts. Needs its inputs.
    pub(crate) fn observe<T: Lockstep>(
        &self,
        d: &mut Data<T>,
        index: usize,
        m: &[T::Plain],
        h: Option<f64>,
    ) -> Result<(), Fault> {
        self.act_sized(d, index, m, h, false).map(|_| ())
    }

    #[inline]
    fn act_sized<T: Lockstep>(
        &self,
        d: &mut Data<T>,
        index: usize,
        m: &[T::Plain],
        h: Option<f64>,
        apply: bool,
    ) -> Result<T, Fault> {
        match self.elements[index].on.on.size() {
            [1, 1] => self.act_on::<T, 1, 1>(d, index, m, h, apply),
            [2, 2] => self.act_on::<T, 2, 2>(d, index, m, h, apply),
            [3, 3] => self.act_on::<T, 3, 3>(d, index, m, h, apply),
            [4, 3] => self.act_on::<T, 4, 3>(d, index, m, h, apply),
            _ => self.act_on::<T, LARGEST, LARGEST>(d, index, m, h, apply),
        }
    }

    #[inline]
    fn act_on<T: Lockstep, const X: usize, const V: usize>(
        &self,
        d: &mut Data<T>,
        index: usize,
        m: &[T::Plain],
        h: Option<f64>,
        apply: bool,
    ) -> Result<T, Fault> {
        let element = &self.elements[index];
        let (mut x, mut v) = ([T::of(0.0); X], [T::of(0.0); V]);
        element.on.read(self, d, &mut x, &mut v).map_err(|reason| refused(&element.name, reason))?;
        let step = match h {
            None => Step::Rate,
            Some(h) => Step::Trial { h, effort: d.elements.trial_effort },
        };
        let mut effort = [T::of(0.0); V];
        let Data { elements: ElementData { law, given, z, z_out, z_rate, power, loads, .. }, table, .. } = d;
        let (p, u, z) = (&law[element.p.clone()], &given[element.u.clone()], &z[element.z.clone()]);
        let power = &mut power[element.accounts.clone()];
        power.fill(T::of(0.0));
        let m = &m[element.m.clone()];
        let mut act = Act {
            look: Look { x: &x, v: &v, p, size: element.size, u, z, m, load: loads[index] },
            step,
            effort: &mut effort,
            power,
            z_out: &mut z_out[element.z.clone()],
            outputs: &mut table[element.y.clone()],
            spare: &mut z_rate[element.z.clone()],
            beyond: None,
        };
        element.kind.act_lanes(&mut act);
        if let Some(beyond) = act.beyond {
            return Err(refused(&element.name, &beyond.to_string()));
        }
        if T::WIDTH == 1
            && let Some(k) = element.y.clone().find(|&k| !d.table[k].finite().all())
        {
            let output = element.kind.spec().outputs[k - element.y.start].name;
            return Err(Fault::NotFinite { element: format!("{}.{output}", element.name), t: time(d) });
        }
        Ok(if apply { element.on.apply(self, d, index, &effort) } else { T::of(0.0) })
    }

    /// Shows an element what it sees at the loaded instant; one whose attachment has no direction is not asked.
    pub(crate) fn look_at<T: Lockstep>(
        &self,
        d: &Data<T>,
        index: usize,
        m: &[T::Plain],
        f: impl FnOnce(&Look<'_, T>),
    ) {
        let element = &self.elements[index];
        let ([nx, nv], mut x, mut v) = (element.on.on.size(), [T::of(0.0); LARGEST], [T::of(0.0); LARGEST]);
        if element.on.read(self, d, &mut x[..nx], &mut v[..nv]).is_ok() {
            f(&Look {
                x: &x[..nx],
                v: &v[..nv],
                p: &d.elements.law[element.p.clone()],
                size: element.size,
                u: &d.elements.given[element.u.clone()],
                z: &d.elements.z[element.z.clone()],
                m,
                load: d.elements.loads[index],
            });
        }
    }

    /// States of an element after `h` more at the loaded velocities, from `d.elements.z` on.
    pub(crate) fn carry_element(
        &self,
        d: &mut Data<f64>,
        index: usize,
        m: &[f64],
        h: f64,
        z1: &mut [f64],
    ) -> Result<(), Fault> {
        if z1.is_empty() {
            return Ok(());
        }
        self.observe(d, index, m, Some(h))?;
        z1.copy_from_slice(&d.elements.z_out[self.elements[index].z.clone()]);
        Ok(())
    }

    /// Elements with states, their numbers, and the places of their states in `x`.
    fn with_states(&self) -> impl Iterator<Item = (usize, &ElementInfo, std::ops::Range<usize>)> {
        let z0 = self.layout.z().start;
        let elements = self.elements.iter().enumerate().filter(|(_, element)| !element.z.is_empty());
        elements.map(move |(index, element)| (index, element, z0 + element.z.start..z0 + element.z.end))
    }

    /// States of the elements at the start. Needs the loaded instant and the signals.
    pub(crate) fn start_elements(&self, d: &Data<f64>, x: &mut [f64], m: &[f64]) {
        for (index, element, place) in self.with_states() {
            let z = &mut x[place];
            self.look_at(d, index, &m[element.m.clone()], |look| element.kind.start(look, z));
        }
    }

    /// The same after a long rest at the loaded instant.
    pub(crate) fn rest_elements(&self, d: &Data<f64>, x: &mut [f64], m: &[f64]) {
        for (index, element, place) in self.with_states() {
            let z = &mut x[place];
            self.look_at(d, index, &m[element.m.clone()], |look| element.kind.rest(look, z));
        }
    }

    /// What an element sees of the motion at the loaded instant: displacement and rate.
    pub(crate) fn sight(&self, d: &Data<f64>, element: &ElementInfo) -> Sight {
        let mut sight = Sight::default();
        let [nx, nv] = element.on.on.size();
        // Without a direction it sees nothing; the instant itself is refused then.
        let _ = element.on.read(self, d, &mut sight.x[..nx], &mut sight.v[..nv]);
        sight
    }

    /// Value and rate of a coordinate.
    #[inline]
    pub(crate) fn coordinate<T: Lockstep>(&self, d: &Data<T>, a: usize) -> (T, T) {
        (d.table[self.table.q + a], d.table[self.table.v + a])
    }

    /// Applies a force (ground frame) at a frame's origin.
    pub(crate) fn pull<T: Lockstep>(&self, d: &mut Data<T>, frame: usize, force: &Vec3<T>) {
        if let Some(link) = self.frames[frame].link {
            let local = d.links[link].world.rotation.tr_mul(force);
            d.links[link].applied += Wrench::new(d.frames[frame].position.cross(&local), local);
        }
    }

    /// Applies a force (ground frame) on the second body at the second origin, and the opposite one on the first body
    /// there.
    pub(crate) fn pull_at_second<T: Lockstep>(&self, d: &mut Data<T>, [a, b]: [usize; 2], force: &Vec3<T>) {
        let arm = self.point(d, b) - self.point(d, a);
        self.pull(d, b, force);
        self.pull(d, a, &-force);
        self.torque(d, a, &-arm.cross(force));
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
            let stored = &mut stored[element.accounts.clone()];
            match element.contact {
                Some(contact) => stored[0] = d.elements.contacts[contact].energy(),
                None if element.kind.stores() => {
                    self.look_at(d, index, &[], |look| element.kind.stored(look, stored));
                }
                None => {}
            }
        }
        kinetic
    }

    /// Switching functions of all elements.
    pub(crate) fn element_switching(&self, d: &Data<f64>, m: &[f64], g: &mut [f64]) {
        for (index, element) in self.elements.iter().enumerate().filter(|(_, e)| !e.g.is_empty()) {
            let g = &mut g[element.g.clone()];
            let own = &m[element.m.clone()];
            match (element.contact, element.kind.holding()) {
                (Some(contact), _) => d.elements.contacts[contact].boundaries(own, g),
                (None, Holding::Sticking) => self.stance_switching(d, index, own[0], g),
                (None, Holding::Limits) => self.limit_switching(d, index, m, g),
                (None, Holding::Nothing) => {
                    self.look_at(d, index, own, |look| match look.v {
                        &[v] if element.kind.resists() => {
                            let v = [self.certain_sliding(d, &element.on.on, v)];
                            element.kind.switching(&Look { v: &v, ..*look }, g);
                        }
                        _ => element.kind.switching(look, g),
                    });
                }
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
    ) -> Result<Option<Change>, Fault> {
        let owner = self.elements.switch_owner[index];
        let element = &self.elements[owner];
        let local = index - element.g.start;
        match (element.contact, element.kind.holding()) {
            (Some(contact), _) => {
                d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
                self.kinematics(d);
                self.probe_contacts(d, false);
                Ok(Some(d.elements.contacts[contact].turn(&mut m[element.m.clone()])))
            }
            (None, Holding::Sticking) => self.change_stance(d, t, (owner, local), x, m),
            (None, Holding::Limits) => self.change_limit(d, t, (owner, local), x, m).map(Some),
            (None, Holding::Nothing) => {
                let z = &mut x[self.layout.z()][element.z.clone()];
                let m = &mut m[element.m.clone()];
                let mut what = None;
                self.look_at(d, owner, &[], |look| what = element.kind.switch(look, local, z, m));
                Ok(what)
            }
        }
    }

    /// Settles the memory of all elements on the loaded state; `d.elements.z` holds the states of the laws.
    pub(crate) fn commit_elements(&self, d: &Data<f64>, m: &mut [f64]) {
        // What loops lock stays idle.
        self.commit_where(d, m, |element, m| {
            element.kind.holding() != Holding::Sticking || Stance::read(m[0]) != Stance::Idle
        });
    }

    /// The same without the stances of friction that sticks.
    pub(crate) fn commit_laws(&self, d: &Data<f64>, m: &mut [f64]) {
        self.commit_where(d, m, |element, _| element.kind.holding() != Holding::Sticking);
    }

    /// The same without friction: stops and contacts are settled on where the bodies are.
    pub(crate) fn commit_contacts(&self, d: &Data<f64>, m: &mut [f64]) {
        self.commit_where(d, m, |element, _| !element.kind.resists());
    }

    /// Settles the memory of those elements which a condition picks by themselves and their memory.
    fn commit_where(&self, d: &Data<f64>, m: &mut [f64], picks: impl Fn(&ElementInfo, &[f64]) -> bool) {
        for (index, element) in self.elements.iter().enumerate().filter(|(_, e)| !e.m.is_empty()) {
            let m = &mut m[element.m.clone()];
            if !picks(element, m) {
                continue;
            }
            match element.contact {
                Some(contact) => d.elements.contacts[contact].settle(m),
                None => self.look_at(d, index, &[], |look| element.kind.commit(look, m)),
            }
        }
    }
}
