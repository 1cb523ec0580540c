//! What an element sees and does.

use gelenk_math::Lockstep;
use gelenk_system::Effort;

/// How states go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// By their rates at an instant.
    Rate,
    /// Over a step from the committed states, with the rate `v` held.
    Trial {
        /// Length (s), greater than zero.
        h: f64,
        /// Which effort is wanted: the mean over the step or that at its end.
        effort: Effort,
    },
}

/// What an element sees.
///
/// ```
/// use gelenk_multibody::elements::Look;
///
/// let seen = Look { u: &[6.0], ..Look::new(&[0.1], &[0.0], &[2.0]) };
/// assert_eq!(seen.load, 1.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Look<'a, T: Lockstep> {
    /// Displacement (m, rad): one number, three or six. Over a step, that at its end.
    pub x: &'a [T],
    /// Its rate.
    pub v: &'a [T],
    /// Parameters in the order of the specification, triples and lists flattened.
    pub p: &'a [T],
    /// Entries of its lists.
    pub size: usize,
    /// Inputs, vectors flattened.
    pub u: &'a [T],
    /// States; over a step, the committed ones.
    pub z: &'a [T],
    /// Memory.
    pub m: &'a [T::Plain],
    /// The force that presses its surfaces together, as a share of the one at which its parameters hold; one where none is
    /// given, see [`Element::pressed`](super::Element::pressed).
    pub load: T,
}

impl<'a, T: Lockstep> Look<'a, T> {
    /// Displacement, rate and parameters, and nothing else.
    pub fn new(x: &'a [T], v: &'a [T], p: &'a [T]) -> Self {
        Self { x, v, p, size: 0, u: &[], z: &[], m: &[], load: T::of(1.0) }
    }
}

/// Something that an element uses and that its specification does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its function `act` uses {what} {index}, but there are {count}, counted from 0")]
pub struct Beyond {
    /// A displacement, an account, an output or a state.
    pub what: &'static str,
    /// Its number.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

/// What an element sees and does at an instant or over a step. Numbers of displacements, accounts, outputs and states that the
/// element does not have are refused by its name ([`Beyond`]) when it has acted.
#[derive(Debug)]
pub struct Act<'a, T: Lockstep> {
    /// What it sees.
    pub look: Look<'a, T>,
    /// At an instant, or over a step.
    pub step: Step,
    pub(crate) effort: &'a mut [T],
    pub(crate) power: &'a mut [T],
    pub(crate) z_out: &'a mut [T],
    pub(crate) outputs: &'a mut [T],
    /// Room for as many numbers as there are states.
    pub(crate) spare: &'a mut [T],
    /// The first thing that was used and is not there.
    pub(crate) beyond: Option<Beyond>,
}

impl<T: Lockstep> Act<'_, T> {
    /// Adds an effort along displacement `k` to what the element exerts, and its power to an account.
    #[inline]
    pub fn push(&mut self, account: usize, k: usize, effort: T) {
        self.exert(k, effort);
        if let Some(&v) = self.look.v.get(k) {
            self.power(account, effort * v);
        }
    }

    /// Adds an effort along displacement `k` whose power is written with [`Self::power`].
    #[inline]
    pub fn exert(&mut self, k: usize, effort: T) {
        match self.effort.get_mut(k) {
            Some(sum) => *sum += effort,
            None => self.lacks("displacement", k, self.effort.len()),
        }
    }

    /// Adds a power (W) to an account. All accounts together have the power of the efforts; an element that takes energy
    /// from elsewhere (a motor from its supply) tells here where it comes from and where it goes.
    #[inline]
    pub fn power(&mut self, account: usize, power: T) {
        match self.power.get_mut(account) {
            Some(sum) => *sum += power,
            None => self.lacks("account", account, self.power.len()),
        }
    }

    /// Writes an output, by its place in the specification.
    #[inline]
    pub fn output(&mut self, index: usize, value: T) {
        match self.outputs.get_mut(index) {
            Some(output) => *output = value,
            None => self.lacks("output", index, self.outputs.len()),
        }
    }

    /// State `k` as committed, and where it goes on; `None` where there is no such state.
    #[inline]
    fn state(&mut self, k: usize) -> Option<(T, &mut T)> {
        match (self.look.z.get(k), self.z_out.get_mut(k)) {
            (Some(&z), Some(out)) => Some((z, out)),
            _ => {
                self.beyond.get_or_insert(Beyond { what: "state", index: k, count: self.look.z.len() });
                None
            }
        }
    }

    #[cold]
    fn lacks(&mut self, what: &'static str, index: usize, count: usize) {
        self.beyond.get_or_insert(Beyond { what, index, count });
    }

    /// State `k` with `dz/dt = (target - z)/tau`, with `target` and `tau` (s) held over a step: exact there, and bounded for
    /// any step. Returns the state that efforts of this instant or step are made of, and its rate: over a step their means,
    /// or the values at its end, as the step wants.
    #[inline]
    pub fn relax(&mut self, k: usize, target: T, tau: T) -> [T; 2] {
        let step = self.step;
        let Some((z, out)) = self.state(k) else { return [T::of(f64::NAN); 2] };
        match step {
            Step::Rate => {
                let rate = (target - z) / tau;
                *out = rate;
                [z, rate]
            }
            Step::Trial { h, effort } => {
                let h = T::of(h);
                let share = (h / tau).decayed();
                let end = z + (target - z) * share;
                *out = end;
                match effort {
                    Effort::End => [end, (target - end) / tau],
                    Effort::Mean | Effort::Once => [target - (target - z) * share * tau / h, (end - z) / h],
                }
            }
        }
    }

    /// State `k` with a rate that does not depend on it. Returns the state that efforts are made of, as [`Self::relax`].
    #[inline]
    pub fn integrate(&mut self, k: usize, rate: T) -> T {
        let step = self.step;
        let Some((z, out)) = self.state(k) else { return T::of(f64::NAN) };
        match step {
            Step::Rate => {
                *out = rate;
                z
            }
            Step::Trial { h, effort } => {
                let end = z + rate * T::of(h);
                *out = end;
                if effort == Effort::End { end } else { z + rate * T::of(0.5 * h) }
            }
        }
    }
}
