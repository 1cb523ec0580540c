//! Efforts, power and stored energy of the elements.

use std::ops::Range;

use gelenk_laws::Stance;
use gelenk_math::Real;
use gelenk_math::expression::Program;
use gelenk_math::spatial::{Vec3, Wrench};
use gelenk_system::{Effort, Fault, Param};

use super::attachment::{Attached, refused};
use super::contract::{Act, Look, Step};
use super::{Acting, modes};
use crate::blueprint::Rubbing;
use crate::data::Data;
use crate::mechanism::{ElementInfo, ElementRun, Mechanism};

/// Account of gravity in the ledger.
pub(crate) const GRAVITY: usize = 0;

/// Numbers of a displacement at most.
const LARGEST: usize = 6;

/// A compiled element of the registry.
#[derive(Clone, Debug)]
pub(crate) struct KindRun {
    pub(crate) kind: Acting,
    pub(crate) on: Attached,
    pub(crate) parameters: Vec<Param>,
    /// Entries of its lists.
    pub(crate) size: usize,
    /// Places of its parameters among those of the laws, of its inputs, and of its outputs in the table.
    pub(crate) p: Range<usize>,
    pub(crate) inputs: Vec<Program>,
    pub(crate) u: Range<usize>,
    pub(crate) y: Range<usize>,
}

/// Displacement and rate that an element sees.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sight {
    pub(crate) x: [f64; LARGEST],
    pub(crate) v: [f64; LARGEST],
}

impl KindRun {
    /// The states `z` after `h` (s) at what is seen, the parameters `p` and inputs `u` of all elements.
    pub(crate) fn advance(
        &self,
        sight: &Sight,
        [p, u]: [&[f64]; 2],
        z: &[f64],
        m: &[f64],
        h: f64,
        z1: &mut [f64],
    ) {
        let [nx, nv] = self.on.on.size();
        let (x, v) = (&sight.x[..nx], &sight.v[..nv]);
        let look = Look { x, v, p: &p[self.p.clone()], size: self.size, u: &u[self.u.clone()], z, m };
        z1.copy_from_slice(&self.kind.alone(&look, Step::Trial { h, effort: Effort::Mean }).states);
    }

    fn look<'a, T: Real>(
        &self,
        d: &'a Data<T>,
        element: &ElementInfo,
        m: &'a [f64],
        x: &'a [T],
        v: &'a [T],
    ) -> Look<'a, T> {
        let (p, u, z) = (&d.law[self.p.clone()], &d.given[self.u.clone()], &d.z[element.z.clone()]);
        Look { x, v, p, size: self.size, u, z, m }
    }
}

impl Mechanism {
    /// Adds the efforts of all elements to `d.effort` and to the links' applied wrenches, and writes the
    /// power of every account. With a step `h` the laws are trials over it, without they are rates.
    pub(crate) fn efforts<T: Real>(&self, d: &mut Data<T>, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        d.power[GRAVITY] = self.gravity_power(d);
        self.evaluate_contacts(d);
        for (index, element) in self.elements.iter().enumerate() {
            let effort = match &element.kind {
                ElementRun::Kind(run) => self.act(d, index, run, m, h)?,
                ElementRun::Friction { .. } if self.waits_for_contact(index) => continue,
                ElementRun::Friction { .. } => self.rub(d, index, m, h),
                // What it does is done by impulses and, at rest, by the hold.
                ElementRun::ImpulseStop { .. } => T::c(0.0),
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

    /// Evaluates the inputs of an element. Needs the signals.
    #[inline]
    pub(crate) fn take_inputs<T: Real>(&self, d: &mut Data<T>, run: &KindRun) {
        for (slot, program) in run.u.clone().zip(&run.inputs) {
            d.given[slot] = program.eval(&d.table, &mut d.scratch);
        }
    }

    /// Lets an element act, with a step `h` over it, and returns what is recorded of its effort. Needs its inputs.
    fn act<T: Real>(
        &self,
        d: &mut Data<T>,
        index: usize,
        run: &KindRun,
        m: &[f64],
        h: Option<f64>,
    ) -> Result<T, Fault> {
        match run.on.on.size() {
            [1, 1] => self.act_on::<T, 1, 1>(d, index, run, m, h, true),
            [3, 3] => self.act_on::<T, 3, 3>(d, index, run, m, h, true),
            [4, 3] => self.act_on::<T, 4, 3>(d, index, run, m, h, true),
            _ => self.act_on::<T, LARGEST, LARGEST>(d, index, run, m, h, true),
        }
    }

    /// Evaluates the outputs of an element, and the states after a step, without its efforts. Needs its inputs.
    pub(crate) fn observe<T: Real>(
        &self,
        d: &mut Data<T>,
        index: usize,
        m: &[f64],
        h: Option<f64>,
    ) -> Result<(), Fault> {
        let ElementRun::Kind(run) = &self.elements[index].kind else { return Ok(()) };
        let done = match run.on.on.size() {
            [1, 1] => self.act_on::<T, 1, 1>(d, index, run, m, h, false),
            [3, 3] => self.act_on::<T, 3, 3>(d, index, run, m, h, false),
            [4, 3] => self.act_on::<T, 4, 3>(d, index, run, m, h, false),
            _ => self.act_on::<T, LARGEST, LARGEST>(d, index, run, m, h, false),
        };
        done.map(|_| ())
    }

    #[inline]
    fn act_on<T: Real, const X: usize, const V: usize>(
        &self,
        d: &mut Data<T>,
        index: usize,
        run: &KindRun,
        m: &[f64],
        h: Option<f64>,
        apply: bool,
    ) -> Result<T, Fault> {
        let element = &self.elements[index];
        let (mut x, mut v) = ([T::c(0.0); X], [T::c(0.0); V]);
        run.on.read(self, d, &mut x, &mut v).map_err(|reason| refused(&element.name, reason))?;
        let step = match h {
            None => Step::Rate,
            Some(h) => Step::Trial { h, effort: d.trial_effort },
        };
        let mut effort = [T::c(0.0); V];
        let Data { law, given, z, z_out, power, table, .. } = d;
        let (p, u, z) = (&law[run.p.clone()], &given[run.u.clone()], &z[element.z.clone()]);
        let accounts = run.kind.spec().accounts.len();
        let power = &mut power[element.account..element.account + accounts];
        power.fill(T::c(0.0));
        let mut act = Act {
            look: Look { x: &x, v: &v, p, size: run.size, u, z, m: &m[element.m.clone()] },
            step,
            effort: &mut effort,
            power,
            z_out: &mut z_out[element.z.clone()],
            outputs: &mut table[run.y.clone()],
        };
        run.kind.act(&mut act);
        if let Some(k) = run.y.clone().find(|&k| !d.table[k].re().is_finite()) {
            let output = run.kind.spec().outputs[k - run.y.start].name;
            return Err(Fault::NotFinite {
                element: format!("{}.{output}", element.name),
                t: d.table[0].re(),
            });
        }
        Ok(if apply { run.on.apply(self, d, index, &effort) } else { T::c(0.0) })
    }

    /// Shows an element what it sees at the loaded instant; one whose attachment has no direction is not asked.
    fn look_at(
        &self,
        d: &Data<f64>,
        element: &ElementInfo,
        run: &KindRun,
        m: &[f64],
        f: impl FnOnce(&Look<'_, f64>),
    ) {
        let ([nx, nv], mut x, mut v) = (run.on.on.size(), [0.0; LARGEST], [0.0; LARGEST]);
        if run.on.read(self, d, &mut x[..nx], &mut v[..nv]).is_ok() {
            f(&run.look(d, element, m, &x[..nx], &v[..nv]));
        }
    }

    /// Energy that an element holds, by account.
    fn held_by<T: Real>(&self, d: &Data<T>, element: &ElementInfo, run: &KindRun, stored: &mut [T]) {
        let accounts = run.kind.spec().accounts;
        if !accounts.iter().any(|account| account.conservative) {
            return;
        }
        let ([nx, nv], mut x, mut v) = (run.on.on.size(), [T::c(0.0); LARGEST], [T::c(0.0); LARGEST]);
        if run.on.read(self, d, &mut x[..nx], &mut v[..nv]).is_ok() {
            let stored = &mut stored[element.account..element.account + accounts.len()];
            run.kind.stored(&run.look(d, element, &[], &x[..nx], &v[..nv]), stored);
        }
    }

    /// States of an element of the registry after `h` more at the loaded velocities, from `z` on.
    pub(crate) fn carry_element(
        &self,
        d: &mut Data<f64>,
        index: usize,
        m: &[f64],
        h: f64,
        z1: &mut [f64],
    ) -> Result<(), Fault> {
        if z1.is_empty() || !matches!(self.elements[index].kind, ElementRun::Kind(_)) {
            return Ok(());
        }
        self.observe(d, index, m, Some(h))?;
        z1.copy_from_slice(&d.z_out[self.elements[index].z.clone()]);
        Ok(())
    }

    /// States of the elements of the registry at the start. Needs the loaded instant and the signals.
    pub(crate) fn start_elements(&self, d: &Data<f64>, x: &mut [f64]) {
        let z0 = self.layout.z().start;
        for element in self.elements.iter().filter(|element| !element.z.is_empty()) {
            if let ElementRun::Kind(run) = &element.kind {
                let z = &mut x[z0 + element.z.start..z0 + element.z.end];
                self.look_at(d, element, run, &[], |look| run.kind.start(look, z));
            }
        }
    }

    /// The same after a long rest at the loaded instant.
    pub(crate) fn rest_elements(&self, d: &Data<f64>, x: &mut [f64]) {
        let z0 = self.layout.z().start;
        for element in self.elements.iter().filter(|element| !element.z.is_empty()) {
            if let ElementRun::Kind(run) = &element.kind {
                let z = &mut x[z0 + element.z.start..z0 + element.z.end];
                self.look_at(d, element, run, &[], |look| run.kind.rest(look, z));
            }
        }
    }

    /// What an element of the registry sees of the motion at the loaded instant: displacement and rate.
    pub(crate) fn sight(&self, d: &Data<f64>, element: &ElementInfo) -> Sight {
        let mut sight = Sight::default();
        if let ElementRun::Kind(run) = &element.kind {
            let [nx, nv] = run.on.on.size();
            // Without a direction it sees nothing; the instant itself is refused then.
            let _ = run.on.read(self, d, &mut sight.x[..nx], &mut sight.v[..nv]);
        }
        sight
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
            match &element.kind {
                ElementRun::Kind(run) => self.held_by(d, element, run, stored),
                ElementRun::Friction { .. } => {
                    stored[element.account] = self.held_by_friction(d, index) * d.pressed[index];
                }
                ElementRun::ImpulseStop { .. } => {}
                ElementRun::Contact(contact) => stored[element.account] = self.contact_energy(d, *contact),
                ElementRun::Touch(touch) => stored[element.account] = self.touch_energy(d, *touch),
            }
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
                    let v = self.certain_sliding(d, on);
                    law.switching(&d.law[p.clone()], &d.z[element.z.clone()], m, v, g);
                }
                ElementRun::Kind(run) => {
                    self.look_at(d, element, run, m, |look| run.kind.switching(look, g));
                }
                ElementRun::Touch(touch) => modes::switching(&[self.touch_depth(d, *touch)], m, g),
                ElementRun::Contact(contact) => modes::switching(&[self.touching(d, *contact)], m, g),
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
            ElementRun::Kind(run) => {
                let mut what = "";
                let z = &mut z[element.z.clone()];
                self.look_at(d, element, run, &[], |look| what = run.kind.switch(look, local, z, m));
                what
            }
            ElementRun::Contact(_) => modes::turn(local, 1, m),
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
                ElementRun::Kind(run) => self.look_at(d, element, run, &[], |look| run.kind.commit(look, m)),
                ElementRun::Touch(touch) => self.commit_touch(d, *touch, m),
                ElementRun::Contact(contact) => modes::settle(&[self.touching(d, *contact)], m),
                _ => {}
            }
        }
    }
}
