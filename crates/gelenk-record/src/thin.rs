//! Fewer points for a plot, extremes kept.

/// Indices of the samples of the line `(x, y)` that a plot needs, in rising order.
///
/// The samples are cut into `buckets` runs of equal count. Of each run the first and last sample stay, and those
/// with the smallest and largest `x` and `y`; so a spike of one sample survives, and a phase plot keeps its
/// outline. The first and last non-finite sample of a run stay too, because they break the line. At most eight
/// indices come out of a run; nothing is left out when that would save nothing.
///
/// Samples beyond the shorter of the two slices are ignored; zero buckets count as one.
pub fn thin(x: &[f64], y: &[f64], buckets: usize) -> Vec<usize> {
    let n = x.len().min(y.len());
    let buckets = buckets.max(1);
    if n <= buckets.saturating_mul(4) {
        return (0..n).collect();
    }
    let size = n.div_ceil(buckets);
    let mut kept = Vec::with_capacity(buckets * 4);
    let mut start = 0;
    while start < n {
        let end = (start + size).min(n);
        keep_run(x, y, start, end, &mut kept);
        start = end;
    }
    kept
}

/// Appends the samples of `start..end` that are worth keeping; the range is not empty and inside both slices.
fn keep_run(x: &[f64], y: &[f64], start: usize, end: usize, kept: &mut Vec<usize>) {
    let mut chosen = [start; 8];
    let mut seen_finite = false;
    let mut seen_gap = false;
    chosen[1] = end - 1;
    for i in start..end {
        if !(x[i].is_finite() && y[i].is_finite()) {
            if !seen_gap {
                chosen[6] = i;
                seen_gap = true;
            }
            chosen[7] = i;
            continue;
        }
        if !seen_finite {
            chosen[2..6].fill(i);
            seen_finite = true;
        }
        if y[i] < y[chosen[2]] {
            chosen[2] = i;
        }
        if y[i] > y[chosen[3]] {
            chosen[3] = i;
        }
        if x[i] < x[chosen[4]] {
            chosen[4] = i;
        }
        if x[i] > x[chosen[5]] {
            chosen[5] = i;
        }
    }
    chosen.sort_unstable();
    for (k, &i) in chosen.iter().enumerate() {
        if k == 0 || chosen[k - 1] != i {
            kept.push(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_spike_of_one_sample_survives() {
        let x: Vec<f64> = (0..100_000).map(f64::from).collect();
        let mut y = vec![0.0; x.len()];
        y[54_321] = 7.0;
        let kept = thin(&x, &y, 200);
        assert!(kept.len() <= 200 * 3, "{}", kept.len());
        assert!(kept.contains(&54_321));
        assert_eq!((kept[0], kept[kept.len() - 1]), (0, 99_999));
    }

    #[test]
    fn a_short_line_stays_whole() {
        assert_eq!(thin(&[0.0, 1.0], &[1.0, 2.0], 1), [0, 1]);
        assert!(thin(&[], &[], 10).is_empty());
    }

    #[test]
    fn a_gap_stays() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        let mut y = vec![1.0; 1000];
        y[500] = f64::NAN;
        assert!(thin(&x, &y, 10).contains(&500));
    }

    proptest! {
        #[test]
        fn extremes_ends_and_order_are_kept(y in prop::collection::vec(-1e3..1e3_f64, 1..2000), buckets in 0_usize..50) {
            let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
            let kept = thin(&x, &y, buckets);
            prop_assert!(kept.windows(2).all(|w| w[0] < w[1]));
            let all = y.iter().copied().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            let thinned = kept.iter().map(|&i| y[i]).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            prop_assert_eq!(all, thinned);
            prop_assert_eq!(kept[0], 0);
            prop_assert_eq!(kept[kept.len() - 1], y.len() - 1);
        }
    }
}
