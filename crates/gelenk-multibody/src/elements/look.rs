//! What an element sees and does.

use gelenk_math::Real;
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
pub struct Look<'a, T> {
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
    pub m: &'a [f64],
    /// The force that presses its surfaces together, as a share of the one at which its parameters hold; one where none is
    /// given, see [`Element::pressed`](super::Element::pressed).
    pub load: T,
}

impl<'a, T: Real> Look<'a, T> {
    /// Displacement, rate and parameters, and nothing else.
    pub fn new(x: &'a [T], v: &'a [T], p: &'a [T]) -> Self {
        Self { x, v, p, size: 0, u: &[], z: &[], m: &[], load: T::c(1.0) }
    }
}

/// What an element sees and does at an instant or over a step.
#[derive(Debug)]
pub struct Act<'a, T> {
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
}

impl<T: Real> Act<'_, T> {
    /// Adds an effort along displacement `k` to what the element exerts, and its power to an account.
    #[inline]
    pub fn push(&mut self, account: usize, k: usize, effort: T) {
        self.effort[k] += effort;
        self.power[account] += effort * self.look.v[k];
    }

    /// Adds an effort along displacement `k` whose power is written with [`Self::power`].
    #[inline]
    pub fn exert(&mut self, k: usize, effort: T) {
        self.effort[k] += effort;
    }

    /// Adds a power (W) to an account. All accounts together have the power of the efforts; an element that takes energy
    /// from elsewhere (a motor from its supply) tells here where it comes from and where it goes.
    #[inline]
    pub fn power(&mut self, account: usize, power: T) {
        self.power[account] += power;
    }

    /// Writes an output, by its place in the specification.
    #[inline]
    pub fn output(&mut self, index: usize, value: T) {
        self.outputs[index] = value;
    }

    /// State `k` with `dz/dt = (target - z)/tau`, with `target` and `tau` (s) held over a step: exact there, and bounded for
    /// any step. Returns the state that efforts of this instant or step are made of, and its rate: over a step their means,
    /// or the values at its end, as the step wants.
    #[inline]
    pub fn relax(&mut self, k: usize, target: T, tau: T) -> [T; 2] {
        let z = self.look.z[k];
        match self.step {
            Step::Rate => {
                let rate = (target - z) / tau;
                self.z_out[k] = rate;
                [z, rate]
            }
            Step::Trial { h, effort } => {
                let h = T::c(h);
                let share = (h / tau).decayed();
                let end = z + (target - z) * share;
                self.z_out[k] = end;
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
        let z = self.look.z[k];
        match self.step {
            Step::Rate => {
                self.z_out[k] = rate;
                z
            }
            Step::Trial { h, effort } => {
                let end = z + rate * T::c(h);
                self.z_out[k] = end;
                if effort == Effort::End { end } else { z + rate * T::c(0.5 * h) }
            }
        }
    }
}
