//! What an evaluation knows of the elements.

use std::ops::Range;

use gelenk_math::spatial::Vec3;
use gelenk_math::{Lockstep, Real};
use gelenk_system::Effort;

use super::ContactWork;
use super::holds::Held;
use crate::mechanism::Mechanism;

/// The workspace of the elements.
#[derive(Clone, Debug)]
pub(crate) struct ElementData<T: Lockstep> {
    /// Workspaces of the contacts.
    pub(super) contacts: Vec<ContactWork<T>>,
    /// Parameters of the laws, gathered so that each law sees a slice; those of blocks follow.
    pub(super) law: Vec<T>,
    /// Normal force of each element as a share of its nominal one; one where none is given.
    pub(super) loads: Vec<T>,
    /// States of laws, and their rates (continuous) or values after the step (stepped).
    pub(super) z: Vec<T>,
    pub(super) z_out: Vec<T>,
    /// Rates of the states after a step, and which effort of a law a trial takes.
    pub(super) z_rate: Vec<T>,
    pub(super) trial_effort: Effort,
    pub(super) held: Held<T>,
    /// Inputs of the elements.
    pub(super) given: Vec<T>,
    /// Forces and torques of elements on single frames, ground axes; on a plane, in the axes of its frame.
    pub(super) vectors: Vec<Vec3<T>>,
    /// Effort of each element, positive in the direction of its coordinate or in tension.
    pub(super) effort: Vec<T>,
    /// Power of each account (W).
    pub(super) power: Vec<T>,
}

impl<T: Lockstep> ElementData<T> {
    /// A workspace with these workspaces of contacts.
    pub(crate) fn new(mechanism: &Mechanism, contacts: Vec<ContactWork<T>>) -> Self {
        let (layout, elements) = (mechanism.layout, &mechanism.elements);
        let vector = |n: usize| vec![T::of(0.0); n];
        let laws = elements.iter().map(|element| element.parameters.len()).sum::<usize>();
        let inputs = elements.iter().map(|element| element.inputs.len()).sum();
        let kept = layout.nq + layout.nv + mechanism.loops.watch().len();
        Self {
            contacts,
            law: vector(laws + mechanism.signals.parameter_count()),
            loads: vec![T::of(1.0); elements.len()],
            z: vector(layout.nz),
            z_out: vector(layout.nz),
            z_rate: vector(layout.nz),
            trial_effort: Effort::Mean,
            held: Held::new(elements.holds.len(), layout.nv, kept),
            given: vector(inputs),
            vectors: vec![Vec3::from_element(T::of(0.0)); elements.len()],
            effort: vector(elements.len()),
            power: vector(layout.nw),
        }
    }

    /// Takes over a resolved parameter vector, but for the contacts.
    pub(crate) fn bind(&mut self, mechanism: &Mechanism, p: &[T]) {
        for element in mechanism.elements.iter() {
            for (slot, param) in self.law[element.p.clone()].iter_mut().zip(&element.parameters) {
                *slot = param.of(p);
            }
        }
        for (place, parameters) in mechanism.signals.block_parameters() {
            for (slot, param) in self.law[place].iter_mut().zip(parameters) {
                *slot = param.of(p);
            }
        }
    }

    /// Workspaces of the contacts.
    pub(crate) fn contacts(&self) -> &[ContactWork<T>] {
        &self.contacts
    }

    /// Parameters of a law or block.
    #[inline]
    pub(crate) fn law(&self, place: Range<usize>) -> &[T] {
        &self.law[place]
    }

    /// Parameters of all laws, and inputs of all elements.
    pub(crate) fn given(&self) -> [&[T]; 2] {
        [&self.law, &self.given]
    }

    /// Normal force of an element as a share of its nominal one.
    pub(crate) fn load(&self, index: usize) -> T {
        self.loads[index]
    }

    /// States of laws.
    #[inline]
    pub(crate) fn states_mut(&mut self) -> &mut [T] {
        &mut self.z
    }

    /// Their rates (continuous) or values after the step (stepped).
    #[inline]
    pub(crate) fn states_out(&self) -> &[T] {
        &self.z_out
    }

    /// Chooses which effort of a law a trial takes.
    #[inline]
    pub(crate) fn set_trial_effort(&mut self, effort: Effort) {
        self.trial_effort = effort;
    }

    /// The workspace of what holds coordinates.
    pub(crate) fn held_mut(&mut self) -> &mut Held<T> {
        &mut self.held
    }

    /// Forces and torques of elements on single frames, ground axes; on a plane, in the axes of its frame.
    pub(crate) fn vectors(&self) -> &[Vec3<T>] {
        &self.vectors
    }

    /// Effort of each element, positive in the direction of its coordinate or in tension.
    #[inline]
    pub(crate) fn effort(&self) -> &[T] {
        &self.effort
    }

    /// The same to be changed.
    pub(crate) fn effort_mut(&mut self) -> &mut [T] {
        &mut self.effort
    }

    /// Power of each account (W).
    #[inline]
    pub(crate) fn power(&self) -> &[T] {
        &self.power
    }

    /// The same to be changed.
    #[inline]
    pub(crate) fn power_mut(&mut self) -> &mut Vec<T> {
        &mut self.power
    }
}

impl<T: Real> ElementData<T> {
    /// Takes over a resolved parameter vector of the contacts.
    pub(crate) fn bind_contacts(&mut self, p: &[T]) {
        self.contacts.iter_mut().for_each(|contact| contact.bind(p));
    }
}
