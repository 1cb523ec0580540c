//! A law with its states and memory, moved by a given velocity.

use crate::Friction;
use crate::contract::Stance;

/// A law that is moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    law: Friction,
    p: Vec<f64>,
    z: Vec<f64>,
    next: Vec<f64>,
    m: Vec<f64>,
    g: Vec<f64>,
    position: f64,
    force: f64,
}

impl Driven {
    /// The law with the parameters `p` and `elements` elements, at rest, without a history.
    pub fn new(law: Friction, p: &[f64], elements: usize) -> Self {
        let states = law.states(elements);
        let mut driven = Self {
            law,
            p: p.to_vec(),
            z: vec![0.0; states],
            next: vec![0.0; states],
            m: vec![0.0; law.memory(elements)],
            g: vec![0.0; law.switches(elements)],
            position: 0.0,
            force: 0.0,
        };
        driven.reset();
        driven
    }

    /// Forgets the history: states zero, position zero, at rest.
    pub fn reset(&mut self) {
        self.z.fill(0.0);
        self.m.fill(0.0);
        self.law.commit(&self.p, &self.z, 0.0, &mut self.m);
        self.position = 0.0;
        self.force = 0.0;
    }

    /// The law.
    pub fn law(&self) -> Friction {
        self.law
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.p
    }

    /// Its states.
    pub fn states(&self) -> &[f64] {
        &self.z
    }

    /// Its memory.
    pub fn memory(&self) -> &[f64] {
        &self.m
    }

    /// Where it has been moved to (m, rad), from zero.
    pub fn position(&self) -> f64 {
        self.position
    }

    /// Its force at the end of the last step (N, N m), positive against motion in positive direction.
    pub fn force(&self) -> f64 {
        self.force
    }

    /// Energy that it claims to hold (J).
    pub fn stored(&self) -> f64 {
        self.law.stored(&self.p, &self.z)
    }

    /// The force after a step `h` (s) at velocity `v`, without taking the step.
    pub fn trial(&mut self, v: f64, h: f64) -> f64 {
        if self.law.spec().modes.stepped {
            self.law.advance(&self.p, &self.z, &self.m, v, h, &mut self.next)
        } else {
            // A law without a stepped form has no state of its own here: it slides in the direction of motion.
            self.next.copy_from_slice(&self.z);
            self.law.steady(&self.p, v)
        }
    }

    /// Moves for `h` (s) at velocity `v` and returns the force at the end.
    pub fn step(&mut self, v: f64, h: f64) -> f64 {
        self.force = self.trial(v, h);
        std::mem::swap(&mut self.z, &mut self.next);
        self.law.commit(&self.p, &self.z, v, &mut self.m);
        self.position += v * h;
        self.force
    }

    /// The same by the continuous form: `parts` steps of the midpoint rule with changes of mode between them.
    pub fn step_by_rate(&mut self, v: f64, h: f64, parts: usize) -> f64 {
        let h = h / parts.max(1) as f64;
        if self.law.sticking(&self.p).is_some()
            && let Some(stance) = self.m.first_mut()
        {
            *stance = Stance::at(v, 0.0).memory();
        }
        for _ in 0..parts.max(1) {
            self.switch(v);
            self.law.rate(&self.p, &self.z, &self.m, v, &mut self.next);
            let middle: Vec<f64> = self.z.iter().zip(&self.next).map(|(z, dz)| z + 0.5 * h * dz).collect();
            self.law.rate(&self.p, &middle, &self.m, v, &mut self.next);
            self.z.iter_mut().zip(&self.next).for_each(|(z, dz)| *z += h * dz);
        }
        self.switch(v);
        self.position += v * h * parts.max(1) as f64;
        self.force = self.law.rate(&self.p, &self.z, &self.m, v, &mut self.next);
        self.force
    }

    /// Changes every mode that has run out. Those of sticking laws belong to whoever holds the coordinate.
    fn switch(&mut self, v: f64) {
        if self.law.sticking(&self.p).is_some() {
            return;
        }
        self.law.switching(&self.p, &self.z, &self.m, v, &mut self.g);
        for index in 0..self.g.len() {
            if self.g[index] < 0.0 {
                self.law.switch(&self.p, index, &mut self.z, &mut self.m);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new law must come to the same force by both of its forms: steps of the stepped form against the integrated
    /// rate, along a motion with reversals. The step limits what can be expected.
    #[test]
    fn both_forms_of_every_law_agree() {
        for &law in Friction::ALL {
            let modes = law.spec().modes;
            if !(modes.continuous && modes.stepped) {
                continue;
            }
            let (p, elements) = super::super::scales::typical(law);
            let scales = super::super::Scales::of(law, &p, elements);
            let mut stepped = Driven::new(law, &p, elements);
            let mut rated = stepped.clone();
            let (steps, h) = (4000, 2.0 * scales.distance / scales.speed / 1000.0);
            let (mut worst, mut most) = (0.0f64, 0.0f64);
            for k in 0..steps {
                let v = scales.speed * (k as f64 * 0.004).sin();
                stepped.step(v, h);
                rated.step_by_rate(v, h, 40);
                worst = worst.max((stepped.force() - rated.force()).abs());
                most = most.max(rated.force().abs());
            }
            assert!(worst < 0.03 * most, "{}: {worst} of {most}", law.spec().name);
        }
    }
}
