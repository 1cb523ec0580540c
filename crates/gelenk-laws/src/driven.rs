//! A law driven by a given motion.

use crate::contract::LawError;
use crate::friction::Friction;

/// A friction law with its parameters, states and memory, driven by velocities: for plots, tests, measured signals
/// and observers. Memory is taken when it is made; steps allocate nothing.
///
/// ```
/// use gelenk_laws::{Driven, Friction};
/// let (p, elements) = Friction::LuGre.spec().typical();
/// let mut law = Driven::new(Friction::LuGre, &p, elements)?;
/// for _ in 0..1000 {
///     law.step(0.5, 1e-3);
/// }
/// assert!((law.effort() - Friction::LuGre.steady(&p, 0.5)).abs() < 1e-9);
/// # Ok::<(), gelenk_laws::LawError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Driven {
    law: Friction,
    p: Vec<f64>,
    z: Vec<f64>,
    z1: Vec<f64>,
    m: Vec<f64>,
    band: f64,
    velocity: f64,
    effort: f64,
    reversals: usize,
    direction: f64,
    travel: f64,
    work: f64,
}

impl Driven {
    /// A law at rest, without history.
    pub fn new(law: Friction, p: &[f64], elements: usize) -> Result<Self, LawError> {
        law.validate(p, elements)?;
        let z = vec![0.0; law.states(elements)];
        let mut driven = Self {
            law,
            p: p.to_vec(),
            z1: z.clone(),
            z,
            m: vec![0.0; law.memory(elements)],
            band: 0.0,
            velocity: 0.0,
            effort: 0.0,
            reversals: 0,
            direction: 0.0,
            travel: 0.0,
            work: 0.0,
        };
        driven.reset();
        Ok(driven)
    }

    /// A law with its typical parameters.
    pub fn typical(law: Friction) -> Result<Self, LawError> {
        let (p, elements) = law.spec().typical();
        Self::new(law, &p, elements)
    }

    /// The same with a dead band: speeds up to `band` (m/s or rad/s) count as rest, so that the noise of a measured
    /// velocity makes no reversals (RU-R12).
    pub fn with_band(mut self, band: f64) -> Self {
        self.band = band;
        self
    }

    /// Forgets the motion.
    pub fn reset(&mut self) {
        self.z.fill(0.0);
        self.m.fill(0.0);
        (self.velocity, self.effort, self.direction, self.travel, self.work) = (0.0, 0.0, 0.0, 0.0, 0.0);
        self.reversals = 0;
        self.law.commit(&self.p, &self.z, 0.0, &mut self.m);
    }

    /// Moves on by `h` (s) at the velocity `v` and returns the effort against the motion at the end.
    pub fn step(&mut self, v: f64, h: f64) -> f64 {
        let v = if v.abs() <= self.band { 0.0 } else { v };
        self.velocity = v;
        self.piece(v, h);
        self.effort
    }

    /// Makes `n` steps at the velocity `v` and returns the effort at their end.
    pub fn run(&mut self, v: f64, h: f64, n: usize) -> f64 {
        for _ in 0..n {
            self.step(v, h);
        }
        self.effort
    }

    /// Moves on by `h` (s) while the velocity runs linearly from the last one to `v`. A reversal inside is met where
    /// it happens: the step is cut there (RU-R12).
    pub fn ramp(&mut self, v: f64, h: f64) -> f64 {
        let v = if v.abs() <= self.band { 0.0 } else { v };
        let before = self.velocity;
        self.velocity = v;
        if before * v < 0.0 {
            let share = before / (before - v);
            self.piece(0.5 * before, share * h);
            self.piece(0.5 * v, (1.0 - share) * h);
        } else {
            self.piece(0.5 * (before + v), h);
        }
        // The state is that of the path; the effort is that of the velocity at its end.
        if self.law.spec().modes.continuous && v != 0.0 {
            self.law.commit(&self.p, &self.z, v, &mut self.m);
            self.effort = self.law.rate(&self.p, &self.z, &self.m, v, &mut self.z1);
        }
        self.effort
    }

    fn piece(&mut self, v: f64, h: f64) {
        if h <= 0.0 {
            return;
        }
        if v * self.direction < 0.0 {
            self.reversals += 1;
        }
        if v != 0.0 {
            self.direction = v.signum();
        }
        // A law that sticks takes its direction from its memory.
        if self.law.sticking(&self.p).is_some() {
            self.law.commit(&self.p, &self.z, v, &mut self.m);
            self.effort = self.law.rate(&self.p, &self.z, &self.m, v, &mut self.z1);
            self.work += self.effort * v * h;
        } else {
            let before = self.effort;
            self.effort = self.law.advance(&self.p, &self.z, &self.m, v, h, &mut self.z1);
            std::mem::swap(&mut self.z, &mut self.z1);
            self.law.commit(&self.p, &self.z, v, &mut self.m);
            self.work += 0.5 * (before + self.effort) * v * h;
        }
        self.travel += v * h;
    }

    /// The effort after a step `h` (s) at the velocity `v`, which is not taken.
    pub fn trial(&mut self, v: f64, h: f64) -> f64 {
        if self.law.sticking(&self.p).is_some() {
            return self.law.steady(&self.p, v);
        }
        self.law.advance(&self.p, &self.z, &self.m, v, h, &mut self.z1)
    }

    /// Which law it is.
    pub fn law(&self) -> Friction {
        self.law
    }

    /// The parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.p
    }

    /// Effort against the motion after the last step (N, N m).
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// Distance from the start (m, rad).
    pub fn travel(&self) -> f64 {
        self.travel
    }

    /// Work that the motion has done on the law (J), by the trapezoidal rule over the steps.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Reversals so far, those inside steps included.
    pub fn reversals(&self) -> usize {
        self.reversals
    }

    /// Energy that the law claims to hold (J).
    pub fn stored(&self) -> f64 {
        self.law.stored(&self.p, &self.z)
    }

    /// States and memory, to be kept.
    pub fn state(&self) -> (&[f64], &[f64]) {
        (&self.z, &self.m)
    }

    /// Takes kept states and memory of the same law; slices of another length are refused with `false`.
    pub fn set_state(&mut self, z: &[f64], m: &[f64]) -> bool {
        if z.len() != self.z.len() || m.len() != self.m.len() {
            return false;
        }
        self.z.copy_from_slice(z);
        self.m.copy_from_slice(m);
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// RU-R12: over a linear velocity through zero the path is out by `v h / 4` and back (closed form): a Maxwell
    /// element goes up and down by as much, where a step with the end velocity would only come back.
    #[test]
    fn reversal_inside_a_step_is_met() {
        let mut law = Driven::new(Friction::MaxwellSlip, &[1.0, 0.1], 1).unwrap();
        law.ramp(1.0, 1e-9);
        law.ramp(-1.0, 2.0);
        assert_eq!(law.reversals(), 1);
        // Out by 0.5 to the level 0.1, back by 0.5 to the level -0.1.
        assert!((law.effort() + 0.1).abs() < 1e-12);
        let mut fine = Driven::new(Friction::MaxwellSlip, &[1.0, 0.4], 1).unwrap();
        fine.ramp(1.0, 1e-9);
        fine.ramp(-0.5, 1.5);
        // Out by 0.5 to the level 0.4, back by 0.125.
        assert!((fine.effort() - 0.275).abs() < 1e-8);
    }

    /// RU-R12: noise below the band makes no reversal and leaves the state alone.
    #[test]
    fn noise_in_the_band_counts_as_rest() {
        let mut law = Driven::typical(Friction::LuGre).unwrap().with_band(1e-3);
        law.step(0.1, 0.01);
        let held = law.state().0.to_vec();
        for k in 0..100 {
            law.step(if k % 2 == 0 { 9e-4 } else { -9e-4 }, 0.01);
        }
        assert_eq!((law.reversals(), law.state().0), (0, &held[..]));
        law.step(-2e-3, 0.01);
        assert_eq!(law.reversals(), 1);
    }

    /// RU-R10: exported states continue the motion exactly.
    #[test]
    fn state_out_and_in() {
        let mut law = Driven::typical(Friction::MaxwellSlip).unwrap();
        law.step(0.3, 0.1);
        let (z, m) = law.state();
        let mut other = Driven::typical(Friction::MaxwellSlip).unwrap();
        assert!(other.set_state(z, m));
        assert_eq!(law.step(-0.1, 0.1), other.step(-0.1, 0.1));
        assert!(!other.set_state(&[], &[]));
        law.reset();
        assert_eq!(law.state().0, [0.0; 5]);
    }
}
