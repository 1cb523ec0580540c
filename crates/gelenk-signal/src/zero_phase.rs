//! A low-pass filter that shifts nothing in time.
//!
//! A Butterworth filter of second order (bilinear transform) runs forward and backward over the samples, so that delays
//! cancel and the order doubles. The usual choice for marker data and joint angles (Winter, *Biomechanics and Motor
//! Control of Human Movement*, chapter 3).

use thiserror::Error;

/// Samples that cannot be filtered.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FilterError {
    /// Too few samples.
    #[error("a filter needs at least {needed} samples, there are {found}")]
    TooFew {
        /// Samples given.
        found: usize,
        /// Samples needed.
        needed: usize,
    },
    /// Times that do not rise evenly.
    #[error(
        "a filter needs evenly spaced samples; the step at t = {t} s is {step} s, the mean step {mean} s: resample first"
    )]
    Uneven {
        /// Time of the sample (s).
        t: f64,
        /// The step to it (s).
        step: f64,
        /// The mean step (s).
        mean: f64,
    },
    /// A cut-off that the samples cannot carry.
    #[error("the cut-off {cutoff} Hz must be above 0 and below {limit} Hz, 0.4 of the sampling frequency")]
    Cutoff {
        /// The cut-off (Hz).
        cutoff: f64,
        /// Largest cut-off (Hz).
        limit: f64,
    },
    /// A cut-off above half of the sampling frequency.
    #[error("the cut-off {cutoff} Hz must be above 0 and below {limit} Hz, half of the sampling frequency")]
    Nyquist {
        /// The cut-off (Hz).
        cutoff: f64,
        /// Half of the sampling frequency (Hz).
        limit: f64,
    },
    /// An order that is not on offer.
    #[error("the order {order} of a filter must be between 1 and {most}")]
    Order {
        /// The order.
        order: usize,
        /// The largest.
        most: usize,
    },
}

/// Fewest samples that a filter takes.
const FEWEST: usize = 6;

/// The samples `values` at times `time` (s) without what lies above the frequency `cutoff` (Hz), where the amplitude is
/// reduced by 3 dB.
///
/// At both ends the signal is continued as its reflection through the end point, for three periods of the cut-off, so
/// that the ends keep value and slope.
///
/// # Errors
/// Too few or unevenly spaced samples, and a cut-off above 0.4 of the sampling frequency.
pub fn low_pass(time: &[f64], values: &[f64], cutoff: f64) -> Result<Vec<f64>, FilterError> {
    let n = time.len().min(values.len());
    if n < FEWEST {
        return Err(FilterError::TooFew { found: n, needed: FEWEST });
    }
    let mean = (time[n - 1] - time[0]) / (n - 1) as f64;
    for k in 1..n {
        let step = time[k] - time[k - 1];
        if step.is_nan() || (step - mean).abs() > 1e-3 * mean {
            return Err(FilterError::Uneven { t: time[k], step, mean });
        }
    }
    let limit = 0.4 / mean;
    if !(cutoff > 0.0 && cutoff < limit) {
        return Err(FilterError::Cutoff { cutoff, limit });
    }
    // Two passes reduce the amplitude twice; a higher cut-off of each makes up for it.
    let each = (2f64.sqrt() - 1.0).powf(0.25);
    // Near the limit of the sampling the correction has to stop short of it.
    let k = (std::f64::consts::PI * (cutoff / each).min(0.499 / mean) * mean).tan();
    let norm = 1.0 + 2f64.sqrt() * k + k * k;
    let b = [k * k / norm, 2.0 * k * k / norm, k * k / norm];
    let a = [2.0 * (k * k - 1.0) / norm, (1.0 - 2f64.sqrt() * k + k * k) / norm];
    let pad = ((3.0 / (cutoff * mean)).ceil() as usize).min(n - 1);
    let (first, last) = (values[0], values[n - 1]);
    let before = (1..=pad).rev().map(|i| 2.0 * first - values[i]);
    let after = (1..=pad).map(|i| 2.0 * last - values[n - 1 - i]);
    let mut x: Vec<f64> = before.chain(values[..n].iter().copied()).chain(after).collect();
    for _ in 0..2 {
        pass(&mut x, b, a);
        x.reverse();
    }
    Ok(x[pad..pad + n].to_vec())
}

/// One pass, started as if the first sample had been there for ever.
fn pass(x: &mut [f64], b: [f64; 3], a: [f64; 2]) {
    let Some(&first) = x.first() else { return };
    let (mut x1, mut x2, mut y1, mut y2) = (first, first, first, first);
    for value in x {
        let y = b[0] * *value + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
        (x2, x1, y2, y1) = (x1, *value, y1, y);
        *value = y;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn amplitude(frequency: f64, cutoff: f64) -> f64 {
        let time: Vec<f64> = (0..4000).map(|k| k as f64 * 0.005).collect();
        let wave = |t: &f64| (2.0 * std::f64::consts::PI * frequency * t).sin();
        let values: Vec<f64> = time.iter().map(wave).collect();
        let filtered = low_pass(&time, &values, cutoff).unwrap();
        // In the middle, where the ends are forgotten: projection on the wave itself shows gain and no delay.
        let (mut own, mut square) = (0.0, 0.0);
        for k in 1000..3000 {
            own += filtered[k] * values[k];
            square += values[k] * values[k];
        }
        own / square
    }

    /// Closed form: gain of the squared Butterworth filter, `1/(1 + (w/w_c)^4)` with the cut-off of each pass, on the
    /// frequency axis of the bilinear transform; 1/sqrt(2) at the cut-off to the precision of that correction.
    #[test]
    fn gain_is_that_of_the_squared_filter_without_delay() {
        for (frequency, cutoff) in [(1.0, 6.0), (6.0, 6.0), (12.0, 6.0), (20.0, 6.0), (10.0, 20.0)] {
            let warp = |f: f64| (std::f64::consts::PI * f * 0.005).tan();
            let each = (2f64.sqrt() - 1.0).powf(0.25);
            let gain = 1.0 / (1.0 + (warp(frequency) / warp(cutoff / each)).powi(4));
            assert!((amplitude(frequency, cutoff) - gain).abs() < 1e-4, "{frequency} {cutoff}");
        }
        assert!((amplitude(6.0, 6.0) - 0.5f64.sqrt()).abs() < 5e-3);
    }

    /// A straight line passes unchanged, ends included.
    #[test]
    fn lines_are_kept() {
        let time: Vec<f64> = (0..50).map(|k| 1.0 + k as f64 * 0.01).collect();
        let values: Vec<f64> = time.iter().map(|t| 3.0 - 2.0 * t).collect();
        let filtered = low_pass(&time, &values, 10.0).unwrap();
        for (a, b) in filtered.iter().zip(&values) {
            assert!((a - b).abs() < 5e-3, "{a} {b}");
        }
    }

    #[test]
    fn what_cannot_be_filtered_is_refused() {
        let time: Vec<f64> = (0..50).map(|k| k as f64 * 0.01).collect();
        assert!(matches!(low_pass(&time, &time, 60.0), Err(FilterError::Cutoff { .. })));
        assert!(matches!(low_pass(&time, &time, f64::NAN), Err(FilterError::Cutoff { .. })));
        assert!(matches!(low_pass(&time[..3], &time, 6.0), Err(FilterError::TooFew { .. })));
        let mut uneven = time.clone();
        uneven[20] += 0.002;
        assert!(low_pass(&uneven, &time, 6.0).unwrap_err().to_string().contains("resample"));
    }
}
