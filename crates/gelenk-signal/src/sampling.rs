//! Derivatives of samples, and samples at other times.

/// First derivative at every sample by parabolas through neighbours: exact for parabolas, also on uneven times. One
/// sample or none gives zeros; values beyond the shorter slice do not count.
pub fn differentiate(time: &[f64], values: &[f64]) -> Vec<f64> {
    let n = time.len().min(values.len());
    if n < 2 {
        return vec![0.0; n];
    }
    let slope = |k: usize| (values[k + 1] - values[k]) / (time[k + 1] - time[k]);
    if n == 2 {
        return vec![slope(0); 2];
    }
    let mut out = vec![0.0; n];
    for (k, out) in out.iter_mut().enumerate() {
        let middle = k.clamp(1, n - 2);
        let (before, after) = (slope(middle - 1), slope(middle));
        let curvature = (after - before) / (time[middle + 1] - time[middle - 1]);
        // The parabola through the three points around the middle, at the sample.
        *out = before + curvature * (2.0 * time[k] - time[middle - 1] - time[middle]);
    }
    out
}

/// The samples at other times, linear between them and constant beyond the ends; empty where there is none.
pub fn resample(time: &[f64], values: &[f64], at: &[f64]) -> Vec<f64> {
    let n = time.len().min(values.len());
    let (time, values) = (&time[..n], &values[..n]);
    let value = |&t: &f64| {
        let next = time.partition_point(|&x| x <= t);
        match (next.checked_sub(1), values.get(next)) {
            (None, first) => first.copied(),
            (Some(last), None) => values.get(last).copied(),
            (Some(last), Some(&to)) => {
                let share = (t - time[last]) / (time[next] - time[last]);
                Some(values[last] + share * (to - values[last]))
            }
        }
    };
    at.iter().filter_map(value).collect()
}

/// Times from `from` to `to` (s) every `period` (s), both ends counted where they fall on it.
pub fn even_times(from: f64, to: f64, period: f64) -> Vec<f64> {
    let count = ((to - from) / period * (1.0 + 1e-12)).floor();
    if !(0.0..1e9).contains(&count) {
        return Vec::new();
    }
    (0..=count as usize).map(|k| from + k as f64 * period).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RU-R27: exact for parabolas on uneven times, ends included.
    #[test]
    fn derivative_of_a_parabola_is_exact() {
        let time = [0.0, 0.1, 0.25, 0.3, 0.7];
        let values = time.map(|t| 2.0 - t + 3.0 * t * t);
        for (t, slope) in time.iter().zip(differentiate(&time, &values)) {
            assert!((slope - (6.0 * t - 1.0)).abs() < 1e-12, "{t}");
        }
        assert_eq!(differentiate(&[1.0], &[2.0]), [0.0]);
    }

    #[test]
    fn resampling_is_linear_and_holds_the_ends() {
        let at = resample(&[0.0, 1.0, 3.0], &[1.0, 2.0, 0.0], &[-1.0, 0.5, 1.0, 2.0, 9.0]);
        assert_eq!(at, [1.0, 1.5, 2.0, 1.0, 0.0]);
        assert!(resample(&[], &[], &[1.0]).is_empty());
        assert_eq!(even_times(0.0, 1.0, 0.25), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert!(even_times(0.0, 1.0, 0.0).is_empty());
    }
}
