//! What an evaluation knows of the signals.

use std::ops::Range;

use gelenk_math::Lockstep;

use super::inputs::InputData;
use crate::blueprint::Course;
use crate::data::Data;
use crate::mechanism::Mechanism;

/// The workspace of the signals.
#[derive(Clone, Debug)]
pub(crate) struct SignalData<T> {
    pub(super) inputs: InputData,
    /// What the inputs of the mechanism are bound to, and the range of the values.
    pub(super) courses: Vec<Course>,
    pub(super) ranges: Vec<f64>,
    /// Whether an input was bound from outside.
    pub(super) bound: Vec<bool>,
    /// How the numbers in the memory vary that inputs and blocks hold; empty where they do not.
    pub(super) slopes: Vec<T>,
    /// Scratch: the memory of a block.
    pub(super) block_memory: Vec<T>,
}

impl<T: Lockstep> SignalData<T> {
    pub(crate) fn new(mechanism: &Mechanism) -> Self {
        let signals = &mechanism.signals;
        let (ports, blocks) = (&signals.ports.inputs, signals.samplers.iter());
        Self {
            inputs: InputData::new(mechanism),
            courses: ports.iter().map(|port| port.course.clone()).collect(),
            ranges: ports.iter().map(|port| port.course.range()).collect(),
            bound: vec![false; ports.len()],
            slopes: Vec::new(),
            block_memory: Vec::with_capacity(blocks.map(|block| block.memory.len()).max().unwrap_or(0)),
        }
    }

    /// Binds an input from outside, if there is one with this number.
    pub(crate) fn bind(&mut self, index: usize, course: &Course) {
        if index < self.courses.len() {
            self.courses[index].clone_from(course);
            (self.ranges[index], self.bound[index]) = (course.range(), true);
        }
    }

    /// Whether an input was bound from outside.
    pub(crate) fn is_bound(&self, index: usize) -> bool {
        self.bound[index]
    }

    /// What an input is bound to.
    pub(crate) fn course(&self, index: usize) -> Option<&Course> {
        self.courses.get(index)
    }

    /// How the numbers in the memory vary that inputs and blocks hold; empty where they do not.
    #[inline]
    pub(crate) fn slopes_mut(&mut self) -> &mut Vec<T> {
        &mut self.slopes
    }

    /// How one of them varies.
    #[inline]
    pub(crate) fn slope(&self, place: usize) -> T {
        self.slopes.get(place).copied().unwrap_or(T::of(0.0))
    }
}

impl<T: Lockstep> Data<T> {
    /// A number that an input or a block holds in the memory, with how it varies.
    #[inline]
    pub(crate) fn number(&self, m: &[T::Plain], place: usize) -> T {
        match self.signals.slopes.get(place) {
            Some(&slope) => T::fixed(m[place]) + slope,
            None => T::fixed(m[place]),
        }
    }

    /// Puts a number into the memory, and beside it how it varies.
    #[inline]
    pub(crate) fn hold(&mut self, m: &mut [T::Plain], place: usize, value: T) {
        m[place] = value.plain();
        if let Some(slope) = self.signals.slopes.get_mut(place) {
            *slope = value - T::fixed(value.plain());
        }
    }

    /// Puts a number in front of others in the memory; the last one falls off.
    pub(crate) fn push(&mut self, m: &mut [T::Plain], places: Range<usize>, value: T) {
        let (first, end) = (places.start, places.end);
        m.copy_within(first..end - 1, first + 1);
        let slopes = &mut self.signals.slopes;
        if !slopes.is_empty() {
            slopes.copy_within(first..end - 1, first + 1);
        }
        self.hold(m, first, value);
    }
}
