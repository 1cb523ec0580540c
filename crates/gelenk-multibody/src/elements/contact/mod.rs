//! Contacts of a mechanism at work.
//!
//! | file | content |
//! |---|---|
//! | [`contract`] | what a kind of contact is and does |
//! | [`elements`] | elements of contacts between meshes, one by one |
//! | `horizon` | how long a step may be so that no contact is stepped over |
//! | [`start`] | contacts that a motion starts inside of |

pub mod contract;
pub mod elements;
pub(crate) mod horizon;
pub mod start;

use gelenk_math::Real;
use gelenk_math::spatial::{Pose, length};
use gelenk_mesh::contact::Pair;
use gelenk_system::{Channel, Effort, Fault};
use rayon::prelude::*;

pub use contract::Contact;
pub use elements::ContactElement;
pub use start::StartContact;

use super::{Acting, ContactWork};
use crate::data::Data;
use crate::elements::ElementInfo;
use crate::mechanism::Mechanism;
use contract::{About, Exerted, Seen};

/// Box tests, some tens of microseconds of work for every thread, below which waking others costs more than it spares.
const WORTH: usize = 30_000;

/// The contacts of a mechanism: the element of each, and the frames of its bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPlace {
    pub(crate) element: usize,
    pub(crate) between: [usize; 2],
}

impl Mechanism {
    /// The contacts with their elements.
    fn contacting(&self) -> impl Iterator<Item = (&ContactPlace, &ElementInfo)> {
        self.elements.contacts.iter().map(|place| (place, &self.elements[place.element]))
    }

    /// Workspaces of the contacts.
    pub(crate) fn contact_work<T: Real>(&self) -> Vec<ContactWork<T>> {
        self.elements.iter().filter_map(|element| element.kind.contact_work(self.contact_times)).collect()
    }

    /// The pairs of surfaces that can touch, with the names of their elements.
    pub fn contact_pairs(&self) -> impl Iterator<Item = (&str, &Pair)> {
        self.contacting().filter_map(|(_, element)| match &element.kind {
            Acting::MeshContact(contact) => Some((element.name.as_str(), &*contact.pair)),
            _ => None,
        })
    }

    /// Names of the contacts between simple bodies.
    pub fn simple_contacts(&self) -> impl Iterator<Item = &str> {
        self.contacting().filter_map(|(_, element)| match &element.kind {
            Acting::SimpleContact(_) => Some(element.name.as_str()),
            _ => None,
        })
    }

    /// Looks which bodies touch at the loaded instant, where that is a mode. Needs the kinematics; `found` says that
    /// [`Self::find_contacts`] has been here.
    pub(crate) fn probe_contacts(&self, d: &mut Data<f64>, found: bool) {
        for (index, place) in self.elements.contacts.iter().enumerate() {
            let seen = self.seen_from(d, place.between);
            d.elements.contacts[index].probe(&seen, found);
        }
    }

    /// Finds all contacts at the loaded instant. Pairs are independent of each other, so that their order and the number of
    /// threads change nothing.
    pub(crate) fn find_contacts<T: Real>(&self, d: &mut Data<T>) {
        if self.elements.contacts.is_empty() {
            return;
        }
        let mut contacts = std::mem::take(&mut d.elements.contacts);
        let lagged = d.elements.trial_effort == Effort::Once;
        let (mut busy, mut work) = (0, 0);
        for (place, contact) in self.elements.contacts.iter().zip(&mut contacts) {
            let expected = contact.place(&self.seen_from(d, place.between), lagged);
            busy += usize::from(expected > 0);
            work += expected;
        }
        // Whether others help changes no result.
        if busy > 1 && work > WORTH && rayon::current_num_threads() > 1 {
            contacts.par_iter_mut().for_each(ContactWork::find);
        } else {
            contacts.iter_mut().for_each(ContactWork::find);
        }
        d.elements.contacts = contacts;
    }

    /// Applies a contact that was found, over a step or at an instant; returns the magnitude of its force.
    pub(crate) fn exert_contact<T: Real>(
        &self,
        d: &mut Data<T>,
        index: usize,
        m: &[f64],
        stepped: bool,
    ) -> T {
        let ContactPlace { element, between: [a, b] } = self.elements.contacts[index];
        let ElementInfo { accounts, m: memory, .. } = &self.elements[element];
        let none = T::c(0.0);
        let Some(exerted) = d.elements.contacts[index].exert(&m[memory.clone()], stepped) else {
            d.elements.power[accounts.clone()].fill(none);
            return none;
        };
        let Exerted { wrench, about, elastic, loss } = exerted;
        let axes = self.orientation(d, a);
        let (force, moment) = (axes * wrench.lin, axes * wrench.ang);
        let arm = self.point(d, b) - self.point(d, a);
        let [first, second] = match about {
            About::First => [moment, arm.cross(&force) - moment],
            About::Second => [moment + arm.cross(&force), -moment],
        };
        self.pull(d, a, &force);
        self.torque(d, a, &first);
        self.pull(d, b, &-force);
        self.torque(d, b, &second);
        d.elements.power[accounts.start] = elastic;
        d.elements.power[accounts.start + 1] = loss;
        length(&force)
    }

    /// Writes what is recorded of a contact beside the magnitude of its force.
    pub(crate) fn write_contact(&self, d: &Data<f64>, index: usize, put: &mut dyn FnMut(f64)) {
        let axes = self.orientation(d, self.elements.contacts[index].between[0]);
        d.elements.contacts[index].record(&axes, put);
    }

    /// Records the times that every contact takes to evaluate, too. They differ from run to run, so they are not recorded
    /// unless asked for. H-R53.
    pub fn record_contact_times(&mut self) {
        if std::mem::replace(&mut self.contact_times, true) {
            return;
        }
        let times = self.contacting().flat_map(|(_, element)| {
            element.kind.times().into_iter().map(|(name, unit, meaning)| Channel {
                name: format!("{}.{name}", element.name),
                unit: unit.into(),
                meaning: meaning.into(),
            })
        });
        let times: Vec<Channel> = times.collect();
        // Accelerations, reactions and poses are written after them.
        let accelerations = if self.accelerations { self.layout.nv } else { 0 };
        let reactions = if self.reactions { 6 * self.body_count() } else { 0 };
        let place = self.channels.len() - accelerations - reactions - self.pose_channels();
        self.channels.splice(place..place, times);
    }

    /// Number of channels with times.
    pub(crate) fn contact_time_channels(&self) -> usize {
        let times = self.contacting().map(|(_, element)| element.kind.times().len());
        if self.contact_times { times.sum() } else { 0 }
    }

    /// Writes the times, where they are recorded.
    pub(crate) fn write_contact_times(&self, d: &Data<f64>, put: &mut dyn FnMut(f64)) {
        if self.contact_times {
            d.elements.contacts.iter().for_each(|contact| contact.record_times(put));
        }
    }

    /// Refuses to go on where a contact cannot.
    pub(crate) fn check_contacts(&self, d: &Data<f64>) -> Result<(), Fault> {
        for ((_, element), contact) in self.contacting().zip(&d.elements.contacts) {
            if let Some(reason) = contact.refuse() {
                let reason = format!("at t = {} s {reason}", d.table[0]);
                return Err(Fault::Refused { element: element.name.clone(), reason });
            }
        }
        Ok(())
    }

    /// The second frame as seen from the first.
    pub(crate) fn seen_from<T: Real>(&self, d: &Data<T>, [a, b]: [usize; 2]) -> Seen<T> {
        let axes = self.orientation(d, a);
        let (position, velocity) = self.relative(d, [a, b]);
        let rotation = axes.tr_mul(&self.orientation(d, b));
        let turn = axes.tr_mul(&(self.turn(d, b) - self.turn(d, a)));
        Seen {
            pose: Pose::new(rotation, position),
            motion: gelenk_math::spatial::Motion::new(turn, velocity),
        }
    }
}
