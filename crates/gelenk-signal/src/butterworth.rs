//! Butterworth filters of any order, as a chain of sections of second order.

use std::f64::consts::PI;

use crate::zero_phase::FilterError;

/// What a filter lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Frequencies below the cut-off.
    Low,
    /// Frequencies above the cut-off.
    High,
}

/// `y = b0 x + b1 x1 + b2 x2 - a1 y1 - a2 y2`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

/// A Butterworth filter (bilinear transform, the cut-off exactly where it should be): amplitude `1/sqrt(2)` there.
#[derive(Clone, Debug, PartialEq)]
pub struct Butterworth {
    sections: Vec<Section>,
    pass: Pass,
    /// Samples after which the filter has forgotten its start, about.
    memory: usize,
}

/// Largest order; beyond it the coefficients lose their digits.
const MOST: usize = 20;

impl Butterworth {
    /// A filter of the given order with its `cutoff` (Hz) for samples every `period` (s).
    ///
    /// # Errors
    /// A cut-off outside 0 to half of the sampling frequency, and an order outside 1 to 20.
    pub fn new(order: usize, pass: Pass, cutoff: f64, period: f64) -> Result<Self, FilterError> {
        let limit = 0.5 / period;
        if !(cutoff > 0.0 && cutoff < limit && limit.is_finite()) {
            return Err(FilterError::Nyquist { cutoff, limit });
        }
        if !(1..=MOST).contains(&order) {
            return Err(FilterError::Order { order, most: MOST });
        }
        let k = (PI * cutoff * period).tan();
        // The high-pass is the low-pass over 1/s: k changes places with 1, and the numerator its signs.
        let mut sections = Vec::new();
        for i in 0..order / 2 {
            let damping = 2.0 * (PI * (2.0 * i as f64 + 1.0) / (2.0 * order as f64)).sin();
            let norm = 1.0 + damping * k + k * k;
            let a = [2.0 * (k * k - 1.0) / norm, (1.0 - damping * k + k * k) / norm];
            let b = match pass {
                Pass::Low => [k * k / norm, 2.0 * k * k / norm, k * k / norm],
                Pass::High => [1.0 / norm, -2.0 / norm, 1.0 / norm],
            };
            sections.push(Section { b, a });
        }
        if order % 2 == 1 {
            let norm = 1.0 + k;
            let b = match pass {
                Pass::Low => [k / norm, k / norm, 0.0],
                Pass::High => [1.0 / norm, -1.0 / norm, 0.0],
            };
            sections.push(Section { b, a: [(k - 1.0) / norm, 0.0] });
        }
        let memory = (order as f64 * 3.0 / (cutoff * period)).min(1e7) as usize;
        Ok(Self { sections, pass, memory })
    }

    /// The samples filtered forward in time, as if the first had been there for ever. The delay is that of the filter.
    pub fn run(&self, values: &[f64]) -> Vec<f64> {
        let mut x = values.to_vec();
        self.sections.iter().for_each(|section| section.pass(&mut x, self.pass));
        x
    }

    /// The samples filtered forward and backward: no delay, twice the order, half of the power at the cut-off. The ends
    /// are continued as reflections through the end points.
    pub fn zero_phase(&self, values: &[f64]) -> Vec<f64> {
        let n = values.len();
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return Vec::new() };
        let pad = self.memory.min(n - 1);
        let before = (1..=pad).rev().map(|i| 2.0 * first - values[i]);
        let after = (1..=pad).map(|i| 2.0 * last - values[n - 1 - i]);
        let mut x: Vec<f64> = before.chain(values.iter().copied()).chain(after).collect();
        for _ in 0..2 {
            self.sections.iter().for_each(|section| section.pass(&mut x, self.pass));
            x.reverse();
        }
        x[pad..pad + n].to_vec()
    }

    /// Amplitude at the frequency `f` (Hz) of samples every `period` (s), from the coefficients.
    pub fn gain(&self, f: f64, period: f64) -> f64 {
        let w = 2.0 * PI * f * period;
        let magnitude = |c: [f64; 3]| {
            let re = c[0] + c[1] * w.cos() + c[2] * (2.0 * w).cos();
            let im = c[1] * w.sin() + c[2] * (2.0 * w).sin();
            re.hypot(im)
        };
        self.sections.iter().map(|s| magnitude(s.b) / magnitude([1.0, s.a[0], s.a[1]])).product()
    }
}

impl Section {
    fn pass(&self, x: &mut [f64], pass: Pass) {
        let Some(&first) = x.first() else { return };
        // A constant passes a low-pass as it is and does not pass a high-pass.
        let rest = if pass == Pass::Low { first } else { 0.0 };
        let (mut x1, mut x2, mut y1, mut y2) = (first, first, rest, rest);
        for value in x {
            let y = self.b[0] * *value + self.b[1] * x1 + self.b[2] * x2 - self.a[0] * y1 - self.a[1] * y2;
            (x2, x1, y2, y1) = (x1, *value, y1, y);
            *value = y;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// RU-R27, closed form: `1/sqrt(1 + (w/w_c)^(2n))` on the frequency axis of the bilinear transform, and its mirror
    /// image for the high-pass; measured on a filtered sine as well.
    #[test]
    fn gain_is_butterworths() {
        let period = 1e-3;
        let warp = |f: f64| (PI * f * period).tan();
        for order in 1..=8usize {
            for (f, cutoff) in [(5.0, 30.0), (30.0, 30.0), (90.0, 30.0), (200.0, 150.0)] {
                let ratio = (warp(f) / warp(cutoff)).powi(2 * i32::try_from(order).unwrap());
                let low = Butterworth::new(order, Pass::Low, cutoff, period).unwrap();
                let high = Butterworth::new(order, Pass::High, cutoff, period).unwrap();
                assert!((low.gain(f, period) - 1.0 / (1.0 + ratio).sqrt()).abs() < 1e-9, "{order} {f}");
                assert!((high.gain(f, period) - (ratio / (1.0 + ratio)).sqrt()).abs() < 1e-9, "{order} {f}");
                let wave: Vec<f64> = (0..4000).map(|k| (2.0 * PI * f * period * k as f64).sin()).collect();
                let most = |x: &[f64]| x[2000..3000].iter().fold(0.0f64, |m, v| m.max(v.abs()));
                assert!((most(&low.run(&wave)) - low.gain(f, period)).abs() < 2e-2, "{order} {f}");
                assert!((most(&low.zero_phase(&wave)) - low.gain(f, period).powi(2)).abs() < 2e-2);
            }
        }
    }

    /// RU-R27: a constant passes a low-pass from the first sample and never a high-pass; forward and backward nothing
    /// is delayed.
    #[test]
    fn constants_and_delays() {
        let low = Butterworth::new(3, Pass::Low, 10.0, 1e-3).unwrap();
        assert!(low.run(&[2.0; 50]).iter().all(|v| (v - 2.0).abs() < 1e-12));
        let high = Butterworth::new(3, Pass::High, 10.0, 1e-3).unwrap();
        assert!(high.run(&[2.0; 50]).iter().all(|v| v.abs() < 1e-12));
        let wave: Vec<f64> = (0..4000).map(|k| (2.0 * PI * 3.0 * 1e-3 * k as f64).sin()).collect();
        let lag = |x: &[f64]| crate::metrics::delay(&wave[500..3500], &x[500..3500], 200);
        assert!(lag(&low.zero_phase(&wave)).abs() <= 1);
        assert!(lag(&low.run(&wave)) > 20);
    }

    #[test]
    fn what_cannot_be_filtered_is_refused() {
        assert!(matches!(Butterworth::new(2, Pass::Low, 600.0, 1e-3), Err(FilterError::Nyquist { .. })));
        assert!(matches!(Butterworth::new(0, Pass::Low, 60.0, 1e-3), Err(FilterError::Order { .. })));
        assert!(matches!(Butterworth::new(2, Pass::Low, f64::NAN, 1e-3), Err(FilterError::Nyquist { .. })));
        let filter = Butterworth::new(2, Pass::Low, 60.0, 1e-3).unwrap();
        assert!(filter.zero_phase(&[]).is_empty() && filter.zero_phase(&[1.0]).len() == 1);
    }
}
