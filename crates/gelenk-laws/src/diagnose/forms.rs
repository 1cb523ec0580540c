//! Do the two forms of a law agree?

use super::Scales;
use crate::Driven;
use crate::contract::LawError;
use crate::friction::Friction;

/// A law that is moved by its continuous form: the midpoint rule in `parts` steps, with changes of mode between them.
#[derive(Clone, Debug)]
struct Integrated {
    law: Friction,
    p: Vec<f64>,
    z: Vec<f64>,
    dz: Vec<f64>,
    middle: Vec<f64>,
    m: Vec<f64>,
    g: Vec<f64>,
}

impl Integrated {
    fn new(law: Friction, p: &[f64], elements: usize) -> Self {
        let z = vec![0.0; law.states(elements)];
        let mut m = vec![0.0; law.memory(elements)];
        law.commit(p, &z, 0.0, &mut m);
        let g = vec![0.0; law.switches(elements)];
        Self { law, p: p.to_vec(), dz: z.clone(), middle: z.clone(), z, m, g }
    }

    fn step(&mut self, v: f64, h: f64, parts: usize) -> f64 {
        let h = h / parts as f64;
        for _ in 0..parts {
            self.switch(v);
            self.law.rate(&self.p, &self.z, &self.m, v, &mut self.dz);
            for ((middle, z), dz) in self.middle.iter_mut().zip(&self.z).zip(&self.dz) {
                *middle = z + 0.5 * h * dz;
            }
            self.law.rate(&self.p, &self.middle, &self.m, v, &mut self.dz);
            self.z.iter_mut().zip(&self.dz).for_each(|(z, dz)| *z += h * dz);
        }
        self.switch(v);
        self.law.rate(&self.p, &self.z, &self.m, v, &mut self.dz)
    }

    fn switch(&mut self, v: f64) {
        self.law.switching(&self.p, &self.z, &self.m, v, &mut self.g);
        for index in 0..self.g.len() {
            if self.g[index] < 0.0 {
                self.law.switch(&self.p, index, &mut self.z, &mut self.m);
            }
        }
    }
}

/// Largest difference between the efforts of the stepped form and of the integrated rate, as a share of the largest
/// effort, along `v = speed sin` over twice the presliding range with steps of `1/steps` of a period; `None` for a
/// law with one form only, or one that sticks: its stance belongs to whoever holds the coordinate.
///
/// It goes to zero with the step if both forms say the same (design: two ways to run one system).
///
/// # Errors
/// Parameters that the law refuses.
pub fn forms_differ(
    law: Friction,
    p: &[f64],
    elements: usize,
    steps: usize,
) -> Result<Option<f64>, LawError> {
    let modes = law.spec().modes;
    if !(modes.continuous && modes.stepped) || law.sticking(p).is_some() {
        return Ok(None);
    }
    let mut stepped = Driven::new(law, p, elements)?;
    let scales = Scales::of(&mut stepped);
    let mut integrated = Integrated::new(law, p, elements);
    // Amplitude 2 d at the speed: omega = speed/(2 d).
    let omega = scales.speed / (2.0 * scales.distance);
    let h = 2.0 * std::f64::consts::PI / (omega * steps as f64);
    let (mut worst, mut most) = (0.0f64, 0.0f64);
    for k in 0..3 * steps {
        let v = scales.speed * (omega * (k as f64 + 0.5) * h).sin();
        let (one, other) = (stepped.step(v, h), integrated.step(v, h, 20));
        worst = worst.max((one - other).abs());
        most = most.max(other.abs());
    }
    Ok(Some(if most > 0.0 { worst / most } else { worst }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Both forms of every law come to the same effort, and closer with smaller steps.
    #[test]
    fn both_forms_of_every_law_agree() {
        for &law in Friction::ALL {
            let (p, elements) = law.spec().typical();
            let Some(coarse) = forms_differ(law, &p, elements, 500).unwrap() else { continue };
            let fine = forms_differ(law, &p, elements, 4000).unwrap().unwrap();
            let name = law.spec().name;
            assert!(fine < 0.02, "{name}: {fine}");
            assert!(fine < 0.5 * coarse + 1e-6, "{name}: {coarse} {fine}");
        }
    }
}
