//! Derivatives by parameters are what a fit lives from: dual numbers against differences, for every law.

use gelenk_laws::Friction;
use gelenk_math::{Dual, partial, seed};

/// States and memory after a motion to and fro that ends in sliding slowly.
fn moved(law: Friction, p: &[f64], elements: usize) -> (Vec<f64>, Vec<f64>) {
    let mut z = vec![0.0; law.states(elements)];
    let mut m = vec![0.0; law.memory(elements)];
    law.commit(p, &z, 0.0, &mut m);
    for k in 0..40 {
        let v = 3e-4 * (1.0 + f64::from(k) / 20.0).sin() - 1e-4;
        let mut next = z.clone();
        law.advance(p, &z, &m, v, 5e-3, &mut next);
        law.commit(p, &next, v, &mut m);
        z = next;
    }
    (z, m)
}

fn effort(law: Friction, p: &[f64], z: &[f64], m: &[f64], v: f64) -> f64 {
    let mut next = z.to_vec();
    law.advance(p, z, m, v, 5e-3, &mut next)
}

/// K-R5, in part, and the law contract: `dy/dp` of a trial step by dual numbers equals the difference, for every parameter of every
/// law at its typical value. Parameters at zero or infinity stand at the edge of their range and have none.
#[test]
fn every_parameter_has_its_derivative() {
    let mut compared = 0;
    for &law in Friction::ALL {
        let (p, elements) = law.spec().typical();
        let (z, m) = moved(law, &p, elements);
        for v in [1.2e-4, -1.7e-4] {
            for i in (0..p.len()).filter(|&i| p[i] != 0.0 && p[i].is_finite()) {
                let dual = |k: usize| if k == i { seed(p[k], 0) } else { Dual::from_re(p[k]) };
                let seeded: Vec<Dual> = (0..p.len()).map(dual).collect();
                let constant: Vec<Dual> = z.iter().map(|&z| Dual::from_re(z)).collect();
                let mut next = constant.clone();
                let y = law.advance(&seeded, &constant, &m, Dual::from_re(v), 5e-3, &mut next);
                let step = 1e-6 * p[i].abs();
                let at = |shift: f64| {
                    let mut p = p.clone();
                    p[i] += shift;
                    effort(law, &p, &z, &m, v)
                };
                let difference = (at(step) - at(-step)) / (2.0 * step);
                let scale = 1e-6 * (1.0 + y.re.abs() / p[i].abs() + difference.abs());
                let name = law.spec().name;
                assert!(
                    (partial(y, 0) - difference).abs() < scale,
                    "{name}, parameter {i}: {} and {difference}",
                    partial(y, 0)
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 5 * Friction::ALL.len());
}
