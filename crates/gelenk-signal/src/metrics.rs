//! How far two signals are apart, in one number.
//!
//! Signals are slices of samples at the same times; where one is longer its end does not count. Nothing to compare
//! gives zero.

/// Differences `a - b`.
fn differences<'a>(a: &'a [f64], b: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    a.iter().zip(b).map(|(a, b)| a - b)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Integral of the squared error as a sum over samples: `ISE = sum e^2` (ruderman 3.19).
pub fn squared(a: &[f64], b: &[f64]) -> f64 {
    differences(a, b).map(|e| e * e).sum()
}

/// Mean of the error's magnitude: `MAE` (ruderman 3.19).
pub fn mean_absolute(a: &[f64], b: &[f64]) -> f64 {
    mean(differences(a, b).map(f64::abs))
}

/// Largest magnitude of the error: `MAX` (ruderman 3.19).
pub fn largest(a: &[f64], b: &[f64]) -> f64 {
    differences(a, b).map(f64::abs).fold(0.0, f64::max)
}

/// Standard deviation of the error about its mean: `STD` (ruderman 3.19).
pub fn deviation(a: &[f64], b: &[f64]) -> f64 {
    let middle = mean(differences(a, b));
    mean(differences(a, b).map(|e| (e - middle).powi(2))).sqrt()
}

/// Root of the mean squared error.
pub fn rms(a: &[f64], b: &[f64]) -> f64 {
    mean(differences(a, b).map(|e| e * e)).sqrt()
}

/// [`rms`] as a share of the range of `measured`; infinite where that is constant and missed.
pub fn normalised_rms(measured: &[f64], model: &[f64]) -> f64 {
    let low = measured.iter().copied().fold(f64::INFINITY, f64::min);
    let high = measured.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let error = rms(measured, model);
    if error == 0.0 { 0.0 } else { error / (high - low) }
}

/// Fit in percent: `100 (1 - |measured - model|/|measured - mean|)`, the usual measure of system identification
/// (Ljung, *System Identification*). 100 is exact, 0 is no better than the mean.
pub fn fit_percent(measured: &[f64], model: &[f64]) -> f64 {
    let middle = mean(measured.iter().copied());
    let error = squared(measured, model).sqrt();
    let spread = measured.iter().map(|m| (m - middle).powi(2)).sum::<f64>().sqrt();
    if error == 0.0 { 100.0 } else { 100.0 * (1.0 - error / spread) }
}

/// Samples by which `late` comes after `early`, at most `most`: where their cross-correlation (about their means) is
/// largest. Negative where it comes before.
pub fn delay(early: &[f64], late: &[f64], most: usize) -> i64 {
    let n = early.len().min(late.len());
    let (a, b) = (mean(early[..n].iter().copied()), mean(late[..n].iter().copied()));
    let correlation = |shift: i64| -> f64 {
        let ahead = usize::try_from(shift.max(0)).unwrap_or(0);
        let behind = usize::try_from((-shift).max(0)).unwrap_or(0);
        let count = n.saturating_sub(ahead + behind);
        let sum: f64 = (0..count).map(|k| (early[k + behind] - a) * (late[k + ahead] - b)).sum();
        if count > 0 { sum / count as f64 } else { f64::NEG_INFINITY }
    };
    let most = i64::try_from(most.min(n.saturating_sub(1))).unwrap_or(0);
    let mut best = (0, correlation(0));
    for shift in (1..=most).flat_map(|s| [s, -s]) {
        let value = correlation(shift);
        if value > best.1 {
            best = (shift, value);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RU-R34, in part (the metrics, not the tables over controllers and trajectories): the four metrics on numbers that are worked out by hand: errors 1, -1, 3.
    #[test]
    fn metrics_of_three_errors() {
        let (a, b) = ([2.0, 1.0, 7.0], [1.0, 2.0, 4.0]);
        assert_eq!(squared(&a, &b), 11.0);
        assert_eq!(mean_absolute(&a, &b), 5.0 / 3.0);
        assert_eq!(largest(&a, &b), 3.0);
        assert!((deviation(&a, &b) - (8.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((rms(&a, &b) - (11.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((normalised_rms(&a, &b) - (11.0f64 / 3.0).sqrt() / 6.0).abs() < 1e-15);
    }

    #[test]
    fn fit_is_full_for_the_same_and_none_for_the_mean() {
        let y = [1.0, 4.0, 2.0, 5.0];
        assert_eq!(fit_percent(&y, &y), 100.0);
        assert!(fit_percent(&y, &[3.0; 4]).abs() < 1e-12);
        assert_eq!((rms(&[], &[]), deviation(&[], &[])), (0.0, 0.0));
    }

    #[test]
    fn delays_of_both_signs_are_found() {
        let wave = |k: i64| (0.05 * k as f64).sin() + 0.3 * (0.13 * k as f64).cos();
        let early: Vec<f64> = (0..2000).map(wave).collect();
        for shift in [-17i64, 0, 3, 40] {
            let late: Vec<f64> = (0..2000).map(|k| wave(k - shift)).collect();
            assert_eq!(delay(&early, &late, 60), shift);
        }
        assert_eq!(delay(&[], &[], 5), 0);
    }
}
