//! The mechanism as a [`System`] with all abilities.

use std::fmt;

use gelenk_laws::control::Stage;
use gelenk_laws::{Modes, Stance};
use gelenk_math::Real;
use gelenk_math::rotation::{cardan, difference, quaternion_rate, retract, to_quaternion};
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_record::Change;
use gelenk_system::{
    Account, Channel, Constrained, Effort, Fault, Grip, Hybrid, Layout, Nanos, Param, ParameterTable, Reach,
    Sampled, Solution, Stepped, System, Trial, Way,
};

use crate::blueprint::Course;
use crate::data::Data;
use crate::elements::ContactWork;
use crate::elements::ElementInfo;
use crate::elements::contract::Holding;
use crate::elements::factors::{NormalRun, Press};
use crate::elements::holds::HoldKind;
use crate::mechanism::{LinkKind, Mechanism, Spin};
use crate::signals::Sampler;

impl System for Mechanism {
    type Data<T: Real> = Data<T>;

    fn layout(&self) -> Layout {
        self.layout
    }

    fn parameters(&self) -> &ParameterTable {
        &self.parameters
    }

    fn describe(&self, into: &mut dyn fmt::Write) -> fmt::Result {
        write!(into, "{self:?}")
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    fn data<T: Real>(&self) -> Data<T> {
        Data::new(self)
    }

    fn bind<T: Real>(&self, data: &mut Data<T>, p: &[T]) {
        data.bind(self, p);
    }

    fn inputs(&self) -> &[Channel] {
        &self.signals.ports().channels
    }

    fn bind_input<T: Real>(&self, data: &mut Data<T>, index: usize, course: &Course) {
        data.signals.bind(index, course);
    }

    fn quickest(&self, d: &Data<f64>) -> Option<(&str, f64)> {
        self.quickest_lag(d)
    }

    fn check(&self, d: &Data<f64>, stepped: bool) -> Result<(), Fault> {
        let refuse = |element: &str, reason: String| Err(Fault::Refused { element: element.into(), reason });
        for (link, data) in self.links.iter().zip(&d.links) {
            let axis_needed = matches!(link.kind, LinkKind::Revolute { .. } | LinkKind::Prismatic { .. });
            if axis_needed && !data.axis.iter().all(|a| a.is_finite()) {
                return refuse(&format!("joint {}", link.joint), "its axis has no direction".into());
            }
            if data.inertia.mass.is_nan() || data.inertia.mass < 0.0 {
                let reason = format!("mass = {} must not be negative", data.inertia.mass);
                return refuse(&format!("body {}", link.body), reason);
            }
        }
        self.check_closing(stepped)?;
        for element in self.elements.iter() {
            if let Some(contact) = element.contact
                && let Err(reason) =
                    d.elements.contacts()[contact].check(&d.table[self.table.p..self.table.signals])
            {
                return refuse(&element.name, reason);
            }
            let Modes { continuous, stepped: steps } = element.kind.modes();
            if !(if stepped { steps } else { continuous }) {
                let (mode, other) =
                    if stepped { ("stepped", "continuous") } else { ("continuous", "stepped") };
                let name = element.kind.spec().name;
                return refuse(&element.name, format!("law {name} has no {mode} form; use a {other} solver"));
            }
            if let Err(reason) = element.kind.validate(d.elements.law(element.p.clone()), element.size) {
                return refuse(&element.name, reason);
            }
        }
        Ok(())
    }

    fn start(&self, d: &mut Data<f64>, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        m.fill(0.0);
        for counted in &self.counted {
            m[counted.place] = counted.start.map_or(0.0, |start| d.param(self, start));
        }
        for (k, port) in self.signals.ports().inputs.iter().enumerate() {
            let own = port.start.filter(|_| !d.signals.is_bound(k));
            m[port.level] = own.map_or_else(
                || d.signals.course(k).map_or(0.0, |course| course.at(0.0)),
                |start| d.param(self, start),
            );
        }
        self.hold_inputs(d, 0.0, m);
        self.given_start(d, x);
        if let Some(k) = x.iter().position(|x| !x.is_finite()) {
            return Err(Fault::NotFinite { element: format!("the start of {}", self.state_name(k)), t: 0.0 });
        }
        self.close_start(d, x)?;
        self.constraints(d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.check_alignment(d, 0.0)?;
        self.make_split(d, m);
        self.start_watch(d, m);
        d.load(self, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.signals(d, m, None)?;
        self.start_elements(d, x, m);
        self.start_switches(d, m)?;
        self.settle(d, 0.0, x, m);
        self.idle_where_locked(d, x, m);
        self.start_reactions(d, x, m)?;
        if self.layout.nc > 0 {
            // What fails here is reported by the first rate of a run.
            d.loops.forget_ranks();
            if self.rates_here(d, 0.0, x, m).is_ok() {
                self.know_ranks(d);
            }
        }
        self.check_limits(d, x)?;
        self.check_start_depths(d, x)
    }

    fn rates<T: Real>(&self, d: &mut Data<T>, t: T, x: &[T], m: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        let layout = self.layout;
        let (q, v) = (&x[layout.q()], &x[layout.v()]);
        d.load(self, t, q, v);
        d.elements.states_mut().copy_from_slice(&x[layout.z()]);
        if self.loops.is_split() {
            self.close_dependent(d, m)?;
        }
        self.evaluate(d, m, None)?;
        self.accelerate_held(d, m)?;
        self.follow_reactions(d, None);
        if let Some(account) = self.rheonomic {
            d.elements.power_mut()[account] = self.rheonomic_power(d);
        }
        let scalars = self.coordinates.len();
        // What the mechanics saw: a partition has closed the loops.
        let (q, v) = d.state.split_at(layout.nq);
        dx[..scalars].copy_from_slice(&v[..scalars]);
        for spin in &self.spins {
            let quaternion = read4(q, spin.q);
            dx[spin.q..spin.q + 4].copy_from_slice(&quaternion_rate(quaternion, &read3(v, spin.v)));
            if let Some((q0, v0)) = spin.origin {
                dx[q0..q0 + 3].copy_from_slice(&v[v0..v0 + 3]);
            }
        }
        dx[layout.v()].copy_from_slice(&d.acceleration);
        dx[layout.z()].copy_from_slice(d.elements.states_out());
        dx[layout.w()].copy_from_slice(d.elements.power());
        if let Some(k) = d.acceleration.iter().position(|a| !a.re().is_finite()) {
            return Err(Fault::NotFinite { element: self.velocity_names[k].clone(), t: t.re() });
        }
        Ok(())
    }

    fn scale(&self, d: &Data<f64>, scale: &mut [f64]) {
        let layout = self.layout;
        scale[layout.q()].fill(1.0);
        scale[layout.v()].fill(1.0);
        scale[layout.w()].fill(0.0);
        let z0 = layout.z().start;
        for element in self.elements.iter() {
            let scale = &mut scale[z0 + element.z.start..z0 + element.z.end];
            element.kind.scale(d.elements.law(element.p.clone()), scale);
        }
        for run in self.elements.normals() {
            if let Press::Lagged { z, .. } = run.force {
                scale[z0 + z] = d.param(self, run.nominal);
            }
        }
    }

    fn state_name(&self, index: usize) -> &str {
        let layout = self.layout;
        if layout.q().contains(&index) {
            let place = |spin: &Spin| {
                let shift = spin.origin.filter(|(q, _)| (*q..q + 3).contains(&index));
                let turn = (spin.q..spin.q + 4).contains(&index).then_some(spin.v);
                turn.or(shift.map(|(q, v)| v + index - q))
            };
            return self.velocity_name(self.spins.iter().find_map(place).unwrap_or(index));
        }
        if layout.v().contains(&index) {
            return self.balance_name(index - layout.v().start);
        }
        if layout.z().contains(&index) {
            let z = index - layout.z().start;
            let lagged = |run: &&NormalRun| matches!(run.force, Press::Lagged { z: own, .. } if own == z);
            let owner = self.elements.iter().find(|element| element.z.contains(&z));
            let owner =
                owner.or(self.elements.normals().iter().find(lagged).map(|run| &self.elements[run.element]));
            return owner.map(|element| element.name.as_str()).unwrap_or_default();
        }
        let account = self.accounts.get(index.wrapping_sub(layout.w().start));
        account.map(|account| account.name.as_str()).unwrap_or_default()
    }

    fn retract<T: Real>(&self, q: &[T], dv: &[T], q1: &mut [T]) {
        self.move_scalars(q, dv, q1);
        for spin in &self.spins {
            let quaternion = read4(q, spin.q);
            q1[spin.q..spin.q + 4].copy_from_slice(&retract(quaternion, &read3(dv, spin.v)));
            if let Some((q0, v0)) = spin.origin {
                let moved = read3(q, q0) + read3(dv, v0);
                q1[q0..q0 + 3].copy_from_slice(moved.as_slice());
            }
        }
    }

    fn difference(&self, q: &[f64], q1: &[f64], dv: &mut [f64]) {
        let scalars = self.coordinates.len();
        for a in 0..scalars {
            dv[a] = q1[a] - q[a];
        }
        for spin in &self.spins {
            let (from, to) = (read4(q, spin.q), read4(q1, spin.q));
            let turn = difference(from, to);
            dv[spin.v..spin.v + 3].copy_from_slice(turn.as_slice());
            if let Some((q0, v0)) = spin.origin {
                let shift = read3(q1, q0) - read3(q, q0);
                dv[v0..v0 + 3].copy_from_slice(shift.as_slice());
            }
        }
    }

    fn varying(&self) -> &[usize] {
        &self.signals.ports().varying
    }

    fn vary<T: Real>(&self, d: &mut Data<T>, by: &[T]) {
        d.signals.slopes_mut().clear();
        if !by.is_empty() {
            d.signals.slopes_mut().resize(self.layout.nm, T::c(0.0));
        }
        for (&place, &by) in self.signals.ports().varying.iter().zip(by) {
            d.signals.slopes_mut()[place] = by;
        }
    }

    fn outputs_on<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        x: &[T],
        m: &[f64],
        y: &mut [T],
    ) -> Result<(), Fault> {
        let mut dx = std::mem::take(&mut d.dx);
        let evaluated = self.rates(d, t, x, m, &mut dx);
        d.dx = dx;
        evaluated?;
        self.share_reactions(d);
        // What a contact records has no derivatives: counts, places of the deepest point.
        self.write_channels(d, y, |_, element, put| {
            let count = element.map_or(self.contact_time_channels(), |element| element.kind.records().len());
            (0..count).for_each(|_| put(T::c(f64::NAN)));
        });
        Ok(())
    }

    fn outputs(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &[f64], y: &mut [f64]) -> Result<(), Fault> {
        let mut dx = std::mem::take(&mut d.dx);
        let evaluated = self.rates_on_branch(d, t, x, m, &mut dx);
        d.dx = dx;
        evaluated?;
        self.check_contacts(d)?;
        self.share_reactions(d);
        self.write_channels(d, y, |d, element, put| match element {
            Some(element) => {
                element.contact.into_iter().for_each(|contact| self.write_contact(d, contact, put))
            }
            None => self.write_contact_times(d, put),
        });
        Ok(())
    }

    fn energies(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &[f64], stored: &mut [f64]) -> f64 {
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        d.elements.states_mut().copy_from_slice(&x[self.layout.z()]);
        self.kinematics(d);
        self.load_turns(d, m);
        self.follow_here(d, m);
        self.find_contacts(d);
        self.stored(d, stored)
    }
}

impl Constrained for Mechanism {
    fn continued_rates(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        dx: &mut [f64],
    ) -> Result<(), Fault> {
        self.rates_on_branch(d, t, x, m, dx)
    }

    fn passed(&self, m: &[f64]) -> Option<(&str, f64)> {
        self.passed_loop(m)
    }

    fn project(&self, d: &mut Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<f64, Fault> {
        let drift = self.close_held(d, t, x, m, false)?;
        self.count_turns(d, t, x, m)?;
        Ok(drift)
    }

    fn constraint_rows(&self, d: &mut Data<f64>, t: f64, q: &[f64], rows: &mut [f64]) {
        let mut v = std::mem::take(&mut d.dv);
        v.fill(0.0);
        self.constraints(d, t, q, &v).rows.write(rows);
        d.dv = v;
    }

    fn pattern(&self) -> Vec<Vec<usize>> {
        self.loops.pattern()
    }

    fn constraint_entries(&self, d: &mut Data<f64>, t: f64, q: &[f64], entries: &mut [f64]) {
        let mut v = std::mem::take(&mut d.dv);
        v.fill(0.0);
        let rows = self.constraints(d, t, q, &v).rows;
        let all = (0..self.layout.nc).flat_map(|equation| rows.row(equation));
        entries.iter_mut().zip(all).for_each(|(slot, (_, entry))| *slot = entry);
        d.dv = v;
    }

    fn gaps(&self, d: &mut Data<f64>, t: f64, x: &[f64], [gap, rate, gamma]: [&mut [f64]; 3]) {
        let found = self.constraints(d, t, &x[self.layout.q()], &x[self.layout.v()]);
        gap.copy_from_slice(found.gap);
        rate.copy_from_slice(found.rate);
        gamma.copy_from_slice(found.gamma);
    }

    fn balance<T: Real>(
        &self,
        d: &mut Data<T>,
        (t, x, m): (T, &[T], &[f64]),
        [a, lambda]: [&[T]; 2],
        r: &mut [T],
    ) -> Result<(), Fault> {
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        d.elements.states_mut().copy_from_slice(&x[self.layout.z()]);
        self.evaluate(d, m, None)?;
        d.acceleration.copy_from_slice(a);
        self.balance_here(d, lambda, r);
        Ok(())
    }

    fn needs_projection(&self) -> bool {
        let counts = !self.counted.is_empty() || !self.elements.bent().is_empty();
        self.layout.nc > 0 || self.layout.nq > self.coordinates.len() || counts
    }
}

impl Hybrid for Mechanism {
    fn settle(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &mut [f64]) {
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        d.elements.states_mut().copy_from_slice(&x[self.layout.z()]);
        self.kinematics(d);
        self.follow_here(d, m);
        self.probe_contacts(d, false);
        self.commit_elements(d, m);
    }

    fn rest(&self, d: &mut Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        self.settle(d, t, x, m);
        for hold in self.elements.holds().iter().filter(|hold| matches!(hold.kind, HoldKind::Stick)) {
            m[hold.memory] = Stance::Idle.memory();
        }
        self.signals(d, m, None)?;
        self.rest_elements(d, x, m);
        self.lead_from_start(d, x, m)?;
        self.start_reactions(d, x, m)
    }

    fn switching(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &[f64], g: &mut [f64]) {
        // The efforts of holds need the accelerations; a fault there is told by the next rate.
        if !self.holding(m) || self.rates_here(d, t, x, m).is_err() {
            d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
            d.elements.states_mut().copy_from_slice(&x[self.layout.z()]);
            self.follow_here(d, m);
        }
        if d.elements.contacts().iter().any(ContactWork::probes) {
            self.kinematics(d);
            self.probe_contacts(d, false);
        }
        let (elements, switches) = g.split_at_mut(self.elements.switch_owner().len());
        self.element_switching(d, m, elements);
        if self.has_switches() {
            self.prepare_switches(d, m);
            self.switch_switching(d, m, switches);
        }
    }

    fn switch(
        &self,
        d: &mut Data<f64>,
        t: f64,
        index: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<Change>, Fault> {
        match index.checked_sub(self.elements.switch_owner().len()) {
            None => self.element_switch(d, t, index, x, m),
            Some(switch) => Ok(Some(self.toggle(switch, m))),
        }
    }

    fn landed(&self, d: &Data<f64>, x: &[f64], m: &[f64]) -> Option<usize> {
        self.rests_at_limit(d, x, m)
    }

    fn switch_name(&self, index: usize) -> &str {
        match index.checked_sub(self.elements.switch_owner().len()) {
            None => &self.elements[self.elements.switch_owner()[index]].name,
            Some(switch) => self.turned_name(switch),
        }
    }

    fn switches_hold(&self, index: usize) -> bool {
        let owner = self.elements.switch_owner().get(index).copied();
        owner.is_some_and(|owner| self.elements.holds().iter().any(|hold| hold.element == owner))
    }

    fn modes(&self) -> usize {
        self.elements.holds().len() + self.signals.switches().len()
    }

    fn change(&self, index: usize, before: &[f64], after: &[f64]) -> Option<(&str, Change)> {
        match index.checked_sub(self.elements.holds().len()) {
            None => {
                let what = self.hold_change(index, before, after)?;
                Some((&self.elements[self.elements.holds()[index].element].name, what))
            }
            Some(switch) => Some((self.turned_name(switch), self.switch_change(switch, before, after)?)),
        }
    }

    fn ended(&self, m: &[f64]) -> Option<&str> {
        self.ending(m)
    }

    fn singular(&self, d: &mut Data<f64>, t: f64, x: &[f64]) -> Option<&str> {
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.singular_joint(d)
    }

    fn horizon(&self, d: &mut Data<f64>, t: f64, x: &[f64], wanted: f64) -> f64 {
        self.contact_free(d, t, x, wanted)
    }

    fn reach(&self, d: &mut Data<f64>, t: f64, x: &[f64], wanted: f64) -> Reach<'_> {
        self.contact_reach(d, t, x, wanted)
    }

    fn smooth_until(&self, d: &mut Data<f64>, m: &[f64], (t, t1): (f64, f64), tolerance: Option<f64>) -> f64 {
        self.inputs_until(d, m, (t, t1), tolerance)
    }
}

impl Sampled for Mechanism {
    fn controller(&self) -> Option<&str> {
        let acting = self.acting();
        let controls = |sampler: &&Sampler| {
            sampler.block.spec().stage != Stage::Sense || sampler.signals.iter().any(|&signal| acting[signal])
        };
        let found = self.signals.samplers().iter().find(controls)?;
        found.signals.first().map(|&signal| self.signals[signal].name.as_str())
    }

    fn next_sample(&self, d: &Data<f64>, now: Nanos) -> Option<Nanos> {
        self.next_due(d, now)
    }

    fn holds(&self, d: &Data<f64>, index: usize) -> bool {
        matches!(d.signals.course(index), Some(Course::Held(_)))
    }

    fn hold(&self, index: usize, value: f64, m: &mut [f64]) {
        if let Some(port) = self.signals.ports().inputs.get(index) {
            m[port.level] = value;
        }
    }

    fn sample<T: Real>(&self, d: &mut Data<T>, now: Nanos, x: &[T], m: &mut [f64]) -> Result<(), Fault> {
        d.load(self, T::c(now.seconds()), &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.run_samplers(d, now, m)
    }

    fn variation<T: Real>(&self, d: &Data<T>, by: &mut [T]) {
        for (by, &place) in by.iter_mut().zip(&self.signals.ports().varying) {
            *by = d.signals.slope(place);
        }
    }

    fn input_at(&self, d: &Data<f64>, index: usize, t: f64) -> f64 {
        d.signals.course(index).map_or(0.0, |course| course.at(t))
    }

    fn cycle(&self) -> Option<(Nanos, Nanos)> {
        self.sampling_cycle()
    }
}

impl Stepped for Mechanism {
    fn velocity_units(&self, d: &mut Data<f64>, units: &mut [f64]) {
        let layout = self.layout;
        let mut x = std::mem::take(&mut d.dx);
        x.fill(0.0);
        self.given_start(d, &mut x);
        d.load(self, 0.0, &x[layout.q()], &x[layout.v()]);
        d.dx = x;
        self.kinematics(d);
        let radius = self.gyration(d).sqrt();
        for (unit, channel) in units.iter_mut().zip(&self.channels[layout.nq..]) {
            *unit = if channel.unit == "m/s" { radius } else { 1.0 };
        }
    }

    fn residual<T: Real>(
        &self,
        d: &mut Data<T>,
        trial: &Trial,
        v1: &[T],
        lambda: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let Layout { nv, nc, .. } = self.layout;
        let h = T::c(trial.h);
        self.load_trial(d, trial, v1);
        self.evaluate(d, trial.m, Some(trial.h))?;
        let v0 = &trial.x[self.layout.v()];
        for (a, (&v1, &v0)) in d.acceleration.iter_mut().zip(v1.iter().zip(v0)) {
            *a = (v1 - T::c(v0)) / h;
        }
        let balance = &mut r[..nv];
        self.balance_here(d, lambda, balance);
        balance.iter_mut().for_each(|r| *r *= h);
        r[nv..nv + nc].copy_from_slice(d.loops.gaps()[1]);
        Ok(())
    }

    fn accept(
        &self,
        d: &mut Data<f64>,
        trial: &Trial,
        step: &Solution,
        x1: &mut [f64],
        m1: &mut [f64],
    ) -> Result<f64, Fault> {
        let layout = self.layout;
        let Solution { v1, lambda, .. } = *step;
        self.load_trial(d, trial, v1);
        self.evaluate(d, trial.m, Some(trial.h))?;
        let radian = if layout.nc > 0 { self.gyration(d) } else { 1.0 };
        self.step_rheonomic(d, trial, v1, lambda);
        self.step_reactions(d, trial, step, trial.h);
        x1[layout.q()].copy_from_slice(&d.q1);
        x1[layout.v()].copy_from_slice(v1);
        x1[layout.z()].copy_from_slice(d.elements.states_out());
        for (k, w) in layout.w().enumerate() {
            x1[w] = trial.x[w] + trial.h * d.elements.power()[k];
        }
        self.hold_works(trial, step, x1);
        d.elements.states_mut().copy_from_slice(&x1[layout.z()]);
        m1.copy_from_slice(trial.m);
        self.probe_contacts(d, true);
        self.commit_laws(d, m1);
        let t = trial.t + trial.h;
        // An implicit step leaves gaps of its order, so it matters how they are closed: alike in a machine of any size.
        d.loops.set_radian(radian);
        let closed = self.close_held(d, t, x1, m1, true);
        d.loops.set_radian(1.0);
        let drift = closed?;
        self.count_turns(d, t, x1, m1)?;
        // Steps of order 2 look for the ends of stances themselves.
        if trial.effort != Effort::End {
            self.settle_stances(d, t, x1, m1)?;
        }
        if self.has_switches() {
            d.load(self, t, &x1[layout.q()], &x1[layout.v()]);
            self.turn_switches(d, m1);
        }
        Ok(drift)
    }

    fn carry_on(
        &self,
        d: &mut Data<f64>,
        trial: &Trial,
        step: &Solution,
        h: f64,
        x: &mut [f64],
    ) -> Result<(), Fault> {
        let layout = self.layout;
        let Solution { v1, lambda, .. } = *step;
        self.load_trial(d, trial, v1);
        self.evaluate(d, trial.m, Some(trial.h))?;
        self.step_rheonomic(d, trial, v1, lambda);
        for (k, w) in layout.w().enumerate() {
            x[w] = trial.x[w] + h * d.elements.power()[k];
        }
        for (k, v) in layout.v().enumerate() {
            x[v] = trial.x[v] + (v1[k] - trial.x[v]) * (h / trial.h);
            d.dv[k] = h * v1[k];
        }
        self.retract(&trial.x[layout.q()], &d.dv, &mut x[layout.q()]);
        let z0 = layout.z().start;
        for (index, element) in self.elements.iter().enumerate() {
            let place = z0 + element.z.start..z0 + element.z.end;
            self.carry_element(d, index, trial.m, h, &mut x[place])?;
        }
        self.step_reactions(d, trial, step, h);
        for lag in self.lags() {
            x[z0 + lag] = d.elements.states_out()[lag];
        }
        Ok(())
    }

    fn resolves(&self, d: &mut Data<f64>, t: f64, q: &[f64], v: [&[f64]; 4]) -> bool {
        self.follows_reversals(d, t, q, v)
    }

    fn held(&self, m: &[f64], index: usize) -> Option<usize> {
        let hold = &self.elements.holds()[index];
        hold.is_on(m).then_some(hold.coordinate)
    }

    fn grip(
        &self,
        d: &Data<f64>,
        trial: &Trial,
        step: &Solution,
        modes: &[f64],
        index: usize,
    ) -> Option<Grip> {
        self.hold_grip(d, trial, step, modes, index)
    }

    fn turn(&self, d: &Data<f64>, modes: &mut [f64], index: usize, way: Way) {
        self.turn_hold(d, modes, index, way);
    }

    fn pass(&self, d: &mut Data<f64>, trial: &Trial, modes: &mut [f64]) -> bool {
        self.pass_dead_points(d, trial, modes)
    }

    fn gap(&self, d: &Data<f64>, index: usize, q: &[f64], v: &[f64]) -> Option<[f64; 2]> {
        self.limit_gap(d, index, q, v)
    }

    fn strike(
        &self,
        d: &mut Data<f64>,
        t: f64,
        hit: (usize, bool),
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<(&str, Change)>, Fault> {
        let what = self.strike_limit(d, t, hit, x, m)?;
        Ok(Some((&self.elements[self.elements.holds()[hit.0].element].name, what)))
    }

    fn has_friction(&self, index: usize) -> bool {
        self.friction_on(index).any(|(_, element)| element.kind.holding() == Holding::Nothing)
    }

    fn resistance(&self, d: &Data<f64>, index: usize, v: f64) -> f64 {
        let steady = |(k, element): (usize, &ElementInfo)| {
            let steady = element.kind.steady(d.elements.law(element.p.clone()), v);
            steady.map_or(0.0, |steady| (steady * d.elements.load(k)).abs())
        };
        self.friction_on(index).map(steady).fold(0.0, |sum, part| sum + part)
    }

    fn balance_name(&self, index: usize) -> &str {
        // Friction, and what has limits.
        let stops = |element: &ElementInfo| element.kind.spec().params.iter().any(|param| param.limits);
        let acts = |element: &&ElementInfo| {
            element.on.coordinate() == Some(index) && (element.kind.resists() || stops(element))
        };
        let element = self.elements.iter().find(acts).map(|element| element.name.as_str());
        element.or(self.velocity_names.get(index).map(String::as_str)).unwrap_or_default()
    }
}

impl Mechanism {
    /// Friction on a coordinate, with its numbers.
    fn friction_on(&self, coordinate: usize) -> impl Iterator<Item = (usize, &ElementInfo)> {
        let elements = self.elements.iter().enumerate();
        elements
            .filter(move |(_, element)| element.kind.resists() && element.on.coordinate() == Some(coordinate))
    }

    /// Writes the start values as they are given, loops open.
    pub(crate) fn given_start(&self, d: &Data<f64>, x: &mut [f64]) {
        x.fill(0.0);
        let nq = self.layout.nq;
        for (a, coordinate) in self.coordinates.iter().enumerate() {
            x[a] = d.param(self, coordinate.start);
            x[nq + a] = d.param(self, coordinate.rate);
        }
        for link in &self.links {
            if let LinkKind::Ball { spin, start } | LinkKind::Free { spin, start } = &link.kind {
                let values = |params: &[Param; 3]| params.map(|p| d.param(self, p));
                let rotation: Mat3<f64> = cardan(values(&start.orientation));
                x[spin.q..spin.q + 4].copy_from_slice(&to_quaternion(&rotation));
                x[nq + spin.v..nq + spin.v + 3].copy_from_slice(&values(&start.angular_velocity));
                if let (Some((q, v)), Some((position, velocity))) = (spin.origin, &start.origin) {
                    x[q..q + 3].copy_from_slice(&values(position));
                    x[nq + v..nq + v + 3].copy_from_slice(&values(velocity));
                }
            }
        }
        let (q, rest) = x.split_at_mut(nq);
        self.origin_to_state(d, q, rest);
    }

    /// Power of the drives behind time-driven scalars, with the accelerations of the step.
    fn step_rheonomic(&self, d: &mut Data<f64>, trial: &Trial, v1: &[f64], lambda: &[f64]) {
        if let Some(account) = self.rheonomic {
            let v0 = &trial.x[self.layout.v()];
            for k in 0..self.layout.nv {
                d.acceleration[k] = (v1[k] - v0[k]) / trial.h;
            }
            d.loops.lambda_mut().copy_from_slice(lambda);
            d.elements.power_mut()[account] = self.rheonomic_power(d);
        }
    }

    /// Loads the end of a trial step: `q1 = retract(q0, h v1)`, `v1`, and the committed states of the laws.
    fn load_trial<T: Real>(&self, d: &mut Data<T>, trial: &Trial, v1: &[T]) {
        let (h, layout) = (T::c(trial.h), self.layout);
        d.elements.set_trial_effort(trial.effort);
        let mut q_ref = std::mem::take(&mut d.q_ref);
        let mut dv = std::mem::take(&mut d.dv);
        let mut q1 = std::mem::take(&mut d.q1);
        for (slot, &q) in q_ref.iter_mut().zip(&trial.x[layout.q()]) {
            *slot = T::c(q);
        }
        for (slot, &v) in dv.iter_mut().zip(v1) {
            *slot = v * h;
        }
        self.retract(&q_ref, &dv, &mut q1);
        d.load(self, T::c(trial.t + trial.h), &q1, v1);
        (d.q_ref, d.dv, d.q1) = (q_ref, dv, q1);
        for (slot, &z) in d.elements.states_mut().iter_mut().zip(&trial.x[layout.z()]) {
            *slot = T::c(z);
        }
    }
}

impl Mechanism {
    /// The residual of the equations of motion with the accelerations `d.acceleration`, after [`Self::evaluate`]. Newton-Euler
    /// gives `M a`, the bias and `C^T lambda` in one sweep.
    fn balance_here<T: Real>(&self, d: &mut Data<T>, lambda: &[T], balance: &mut [T]) {
        d.loops.lambda_mut().copy_from_slice(lambda);
        self.joint_wrenches(d);
        for (r, &effort) in balance.iter_mut().zip(&d.effort) {
            *r = -effort;
        }
        self.pull_back(&d.f, &d.tree_effort, balance);
        for ((balance, &a), &rotor) in balance.iter_mut().zip(&d.acceleration).zip(&d.rotors) {
            *balance += rotor * a;
        }
        for (row, _) in self.loops.equations().iter().enumerate().filter(|(_, e)| e.frames().is_none()) {
            for (k, entry) in self.constraint_matrix(d).row(row) {
                balance[k] += entry * lambda[row];
            }
        }
    }
}

/// Three entries of a slice as a vector.
#[inline]
fn read3<T: Real>(x: &[T], i: usize) -> Vec3<T> {
    Vec3::new(x[i], x[i + 1], x[i + 2])
}

/// Four entries of a slice, a quaternion.
#[inline]
fn read4<T: Real>(x: &[T], i: usize) -> [T; 4] {
    [x[i], x[i + 1], x[i + 2], x[i + 3]]
}
