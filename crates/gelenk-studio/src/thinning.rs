//! Fewer rows of several columns, extremes kept.
//!
//! All columns keep the same rows, so that any of them can be drawn over any other. Of every run of neighbouring rows the
//! first and last one stay, and those with the smallest and largest value of each column, and where a column stops or
//! begins to be finite. Thinning a second time keeps the same extremes.

/// Rows out of pieces that come one after the other.
#[derive(Debug)]
pub struct Thinned {
    columns: Vec<Vec<f64>>,
    size: usize,
    /// Rows of a run that stay; kept to save allocations.
    kept: Vec<usize>,
}

impl Thinned {
    /// Takes about `runs` runs of `rows` rows of `columns` columns; with few rows, all of them.
    pub fn new(columns: usize, rows: usize, runs: usize) -> Self {
        let runs = runs.max(1);
        let size = if rows <= runs.saturating_mul(4) { 1 } else { rows.div_ceil(runs) };
        Self { columns: vec![Vec::new(); columns], size, kept: Vec::new() }
    }

    /// Takes the next rows, one slice a column, all equally long.
    pub fn push(&mut self, piece: &[&[f64]]) {
        let rows = piece.first().map_or(0, |values| values.len());
        let mut start = 0;
        while start < rows {
            let end = (start + self.size).min(rows);
            self.kept.clear();
            self.kept.extend([start, end - 1]);
            if end - start > 2 {
                for values in piece {
                    mark(values, start, end, &mut self.kept);
                }
            }
            self.kept.sort_unstable();
            self.kept.dedup();
            for (into, values) in self.columns.iter_mut().zip(piece) {
                into.extend(self.kept.iter().map(|&row| values[row]));
            }
            start = end;
        }
    }

    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The kept rows, by column.
    pub fn into_columns(self) -> Vec<Vec<f64>> {
        self.columns
    }

    /// The kept rows, at most about `most` of them: thinned again and again with longer runs until they fit.
    pub fn at_most(self, most: usize) -> Vec<Vec<f64>> {
        let mut columns = self.columns;
        let mut runs = columns.first().map_or(0, Vec::len) / 4;
        while columns.first().map_or(0, Vec::len) > most.max(2) && runs > 1 {
            runs /= 2;
            let mut again = Self::new(columns.len(), columns[0].len(), runs);
            let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            again.push(&slices);
            columns = again.columns;
        }
        columns
    }
}

/// Adds the rows of `start..end` at which the column is smallest and largest, and where it has gaps.
fn mark(values: &[f64], start: usize, end: usize, kept: &mut Vec<usize>) {
    let (mut low, mut high): (Option<usize>, Option<usize>) = (None, None);
    let mut before = true;
    for row in start..end {
        let value = values[row];
        if value.is_finite() != before {
            kept.push(row);
            before = !before;
        }
        if !value.is_finite() {
            continue;
        }
        if low.is_none_or(|at| value < values[at]) {
            low = Some(row);
        }
        if high.is_none_or(|at| value > values[at]) {
            high = Some(row);
        }
    }
    kept.extend(low.into_iter().chain(high));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    fn extremes(values: &[f64]) -> (f64, f64) {
        values.iter().filter(|v| v.is_finite()).fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)))
    }

    #[test]
    fn a_spike_in_any_column_survives_thinning_twice() {
        let time: Vec<f64> = (0..100_000).map(f64::from).collect();
        let (mut a, mut b) = (vec![0.0; time.len()], vec![0.0; time.len()]);
        (a[54_321], b[777]) = (7.0, -3.0);
        let mut thinned = Thinned::new(3, time.len(), 2000);
        thinned.push(&[&time[..30_000], &a[..30_000], &b[..30_000]]);
        thinned.push(&[&time[30_000..], &a[30_000..], &b[30_000..]]);
        assert!(thinned.rows() < 5000);
        let columns = thinned.at_most(300);
        assert!(columns[0].len() <= 300, "{}", columns[0].len());
        assert_eq!((extremes(&columns[1]), extremes(&columns[2])), ((0.0, 7.0), (-3.0, 0.0)));
        let spike = columns[1].iter().position(|&v| v == 7.0).unwrap();
        assert_eq!(columns[0][spike], 54_321.0);
    }

    #[test]
    fn few_rows_stay_whole_and_gaps_stay() {
        let mut thinned = Thinned::new(1, 5, 2);
        thinned.push(&[&[1.0, f64::NAN, 2.0, 3.0, 4.0]]);
        assert_eq!(thinned.rows(), 5);
        let mut values = vec![1.0; 1000];
        values[500] = f64::NAN;
        let mut thinned = Thinned::new(1, 1000, 10);
        thinned.push(&[&values]);
        assert!(thinned.into_columns()[0].iter().any(|v| v.is_nan()));
        assert!(Thinned::new(2, 0, 0).at_most(0).iter().all(Vec::is_empty));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(6), cases: 128, ..ProptestConfig::default() })]
        #[test]
        fn ends_extremes_and_order_are_kept(
            y in prop::collection::vec(-1e3..1e3_f64, 1..3000), runs in 0_usize..60, cut in 0_usize..3000,
        ) {
            let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
            let cut = cut.min(y.len());
            let mut thinned = Thinned::new(2, y.len(), runs);
            thinned.push(&[&x[..cut], &y[..cut]]);
            thinned.push(&[&x[cut..], &y[cut..]]);
            let columns = thinned.into_columns();
            prop_assert!(columns[0].windows(2).all(|w| w[0] < w[1]));
            prop_assert_eq!((columns[0][0], columns[0][columns[0].len() - 1]), (0.0, x[x.len() - 1]));
            prop_assert_eq!(extremes(&columns[1]), extremes(&y));
        }
    }
}
