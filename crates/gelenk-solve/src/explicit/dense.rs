//! Dense output: the state inside a step.

use super::tableau::Tableau;

/// The interpolating polynomial of a step, `x(theta) = r_0 + theta (r_1 + (1 - theta)(r_2 + theta (r_3 + ...)))`
/// (Hairer, Norsett, Wanner I, II.6). Four terms are Hermite's cubic between both ends; the method adds others.
pub(super) struct Interpolant {
    terms: Vec<Vec<f64>>,
}

impl Interpolant {
    pub(super) fn new(tableau: &Tableau, n: usize) -> Self {
        Self { terms: vec![vec![0.0; n]; 4 + tableau.dense.len()] }
    }

    /// Prepares the interpolation between `x` and `x1` over the step `h` from the rates `k`.
    pub(super) fn prepare(&mut self, tableau: &Tableau, k: &[Vec<f64>], x: &[f64], x1: &[f64], h: f64) {
        let last = tableau.stages.len();
        for i in 0..x.len() {
            let rise = x1[i] - x[i];
            let bend = h * k[0][i] - rise;
            self.terms[0][i] = x[i];
            self.terms[1][i] = rise;
            self.terms[2][i] = bend;
            self.terms[3][i] = rise - h * k[last][i] - bend;
            for (row, term) in tableau.dense.iter().zip(&mut self.terms[4..]) {
                term[i] = h * row.iter().zip(k).map(|(weight, k)| weight * k[i]).sum::<f64>();
            }
        }
    }

    /// Writes the state at the share `theta` of the step.
    pub(super) fn at(&self, theta: f64, x: &mut [f64]) {
        for i in 0..x.len() {
            x[i] = self.terms[0][i] + nested(self.terms[1..].iter().map(|term| term[i]), theta);
        }
    }
}

/// `theta (r_1 + (1 - theta)(r_2 + theta (r_3 + ...)))`.
pub(super) fn nested(terms: impl DoubleEndedIterator<Item = f64> + ExactSizeIterator, theta: f64) -> f64 {
    let mut factors = [1.0 - theta, theta].into_iter().cycle().skip(terms.len() % 2);
    terms.rev().zip(&mut factors).fold(0.0, |inner, (term, factor)| factor * (term + inner))
}
