//! Error control: the norm of the estimate, and the step that follows from it.

use super::tableau::{Estimate, Tableau};

/// Tolerances and the step that they ask for.
pub(super) struct Control {
    pub(super) rtol: f64,
    pub(super) atol: f64,
    pub(super) max_step: f64,
    pub(super) scale: Vec<f64>,
    /// Step for the next attempt (s); zero where it is to be found anew.
    pub(super) step: f64,
    pub(super) last_error: f64,
}

impl Control {
    /// Error of a step `h` from `x` to `x1` with the rates `k`, in units of the tolerance: the root mean square over
    /// all states under control.
    pub(super) fn error(&self, tableau: &Tableau, k: &[Vec<f64>], x: &[f64], x1: &[f64], h: f64) -> f64 {
        match tableau.estimate {
            Estimate::None => 0.0,
            Estimate::Embedded(weights) => h * self.norm(weights, k, x, x1),
            Estimate::Pair { fifth, third } => {
                let (fifth, third) = (self.norm(fifth, k, x, x1), self.norm(third, k, x, x1));
                let both = (fifth * fifth + 0.01 * third * third).sqrt();
                if both > 0.0 { h * fifth * fifth / both } else { fifth }
            }
        }
    }

    /// The state whose share of the error is largest; one that is not finite before all others.
    pub(super) fn worst(&self, tableau: &Tableau, k: &[Vec<f64>], x: &[f64], x1: &[f64]) -> usize {
        let weights = match tableau.estimate {
            Estimate::None => &[],
            Estimate::Embedded(weights) | Estimate::Pair { fifth: weights, .. } => weights,
        };
        let share = |&i: &usize| match self.share(weights, k, x, x1, i).abs() {
            share if share.is_nan() => f64::INFINITY,
            share => share,
        };
        let controlled = (0..x.len()).filter(|&i| self.scale[i] > 0.0);
        controlled.max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(0)
    }

    /// Error of state `i` over a unit step, in units of its tolerance.
    fn share(&self, weights: &[f64], k: &[Vec<f64>], x: &[f64], x1: &[f64], i: usize) -> f64 {
        let tolerance = self.atol * self.scale[i] + self.rtol * x[i].abs().max(x1[i].abs());
        weights.iter().zip(k).map(|(weight, k)| weight * k[i]).sum::<f64>() / tolerance
    }

    fn norm(&self, weights: &[f64], k: &[Vec<f64>], x: &[f64], x1: &[f64]) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        for i in (0..x.len()).filter(|&i| self.scale[i] > 0.0) {
            sum += self.share(weights, k, x, x1, i).powi(2);
            count += 1;
        }
        (sum / count.max(1) as f64).sqrt()
    }

    /// First step by the size of state, rate and tolerance (Hairer, Norsett, Wanner I, II.4).
    pub(super) fn first_step(&self, x: &[f64], rate: &[f64]) -> f64 {
        let (mut size, mut speed) = (0.0, 0.0);
        for i in (0..x.len()).filter(|&i| self.scale[i] > 0.0) {
            let tolerance = self.atol * self.scale[i] + self.rtol * x[i].abs();
            size += (x[i] / tolerance).powi(2);
            speed += (rate[i] / tolerance).powi(2);
        }
        let guess = if size > 0.0 && speed > 0.0 { 0.01 * (size / speed).sqrt() } else { 1e-6 };
        guess.clamp(1e-9, 1e-3)
    }

    /// Factor for the next step from the error in units of the tolerance (PI controller of Hairer,
    /// Norsett, Wanner I, II.4 and IV.2), where the error falls with the `power` of the step.
    pub(super) fn factor(&self, error: f64, power: f64) -> f64 {
        if !error.is_finite() {
            return 0.2;
        }
        let memory = 0.2 / power;
        let raw = error.max(1e-10).powf(1.0 / power - 0.75 * memory) / self.last_error.powf(memory);
        let factor = 0.9 / raw;
        if error > 1.0 { factor.clamp(0.1, 0.9) } else { factor.clamp(0.2, 10.0) }
    }
}
