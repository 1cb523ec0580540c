//! The head injury criterion (hippmann 5.16).

/// Head injury criterion and the interval that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Injury {
    /// `(t2 - t1) (mean of a/g from t1 to t2)^2.5`, in s; 1000 is the usual limit.
    pub hic: f64,
    /// Start of the interval (s).
    pub from: f64,
    /// Its end (s).
    pub to: f64,
}

/// The head injury criterion: the largest value of
///
/// ```text
/// (t2 - t1) ( 1/(t2 - t1) integral of a/g dt from t1 to t2 )^2.5
/// ```
///
/// over all pairs of samples, with the magnitude `acceleration` of the head's centre (m/s^2) at rising `times` (s) and the
/// trapezoidal rule. `window` limits `t2 - t1` (s), as later standards do to 15 or 36 ms; the thesis has no limit. `None`
/// without an interval. The work grows with the square of the samples; [`sampling`](crate::sampling) resamples.
pub fn head_injury(times: &[f64], acceleration: &[f64], window: Option<f64>) -> Option<Injury> {
    const G: f64 = 9.806_65;
    let n = times.len().min(acceleration.len());
    let mut sums = Vec::with_capacity(n);
    let mut sum = 0.0;
    for i in 0..n {
        if i > 0 {
            sum += (times[i] - times[i - 1]) * 0.5 * (acceleration[i] + acceleration[i - 1]) / G;
        }
        sums.push(sum);
    }
    let mut best: Option<Injury> = None;
    for i in 0..n {
        for k in i + 1..n {
            let span = times[k] - times[i];
            if window.is_some_and(|window| span > window * (1.0 + 1e-12)) {
                break;
            }
            let mean = (sums[k] - sums[i]) / span;
            let hic = span * mean.max(0.0).powf(2.5);
            if span > 0.0 && hic.is_finite() && best.is_none_or(|best| hic > best.hic) {
                best = Some(Injury { hic, from: times[i], to: times[k] });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H-R55: constant 50 g for 10 ms give `0.01 * 50^2.5 = 176.8` (specification H-4), in that interval.
    #[test]
    fn a_rectangle_has_its_closed_form() {
        let times: Vec<f64> = (0..=500).map(|i| f64::from(i) / 5000.0).collect();
        let pulse = |t: f64| if (0.0399..0.0501).contains(&t) { 50.0 * 9.806_65 } else { 0.0 };
        let acceleration: Vec<f64> = times.iter().map(|&t| pulse(t)).collect();
        let found =
            head_injury(&times, &acceleration, None).unwrap_or(Injury { hic: 0.0, from: 0.0, to: 0.0 });
        assert!((found.hic - 176.78).abs() < 0.1, "{found:?}");
        assert!((found.from - 0.04).abs() < 1e-9 && (found.to - 0.05).abs() < 1e-9, "{found:?}");
        // Half the window gives half the criterion of a constant.
        let short = head_injury(&times, &acceleration, Some(0.005)).map_or(0.0, |found| found.hic);
        assert!((short - 88.39).abs() < 0.1, "{short}");
        assert_eq!(head_injury(&[0.0], &[1.0], None), None);
    }
}
