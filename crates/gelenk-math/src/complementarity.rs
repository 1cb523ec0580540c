//! Linear complementarity: which of several contacts push.

use crate::dense::{cholesky_pivoted_to, solve_pivoted};

/// Share of the terms that make up a `w` below which it counts as zero. Where the rows are nearly dependent the `x` are
/// large and cancel, so the right side alone is no measure.
const ZERO: f64 = 1e-13;

/// Share of a row below which it counts as dependent; refinement makes up for what rounding leaves above it.
const DEPENDENT: f64 = 1e-14;

/// Passes beyond two a row; each counts ten times more as zero.
const PATIENCE: usize = 7;

/// Solves `w = A x + b`, `w >= 0`, `x >= 0`, `x^T w = 0` for a symmetric positive semi-definite `A` (`n x n`, row by
/// row) by an active set (Lawson and Hanson, *Solving Least Squares Problems*, 23.3, on the normal equations). Of rows that
/// depend on each other some stay at zero. Returns `None` where it does not end, or where no `x` can make `w` non-negative.
pub fn complementary(a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let largest = b.iter().fold(0.0f64, |max, b| max.max(b.abs()));
    let mut x = vec![0.0; n];
    let mut active: Vec<usize> = Vec::with_capacity(n);
    let mut share = ZERO;
    for pass in 0..2 * n + PATIENCE {
        if pass > 2 * n {
            // Rows that are dependent but for rounding take turns: what moves between them is noise.
            share *= 10.0;
        }
        let w = |i: usize| b[i] + (0..n).map(|k| a[i * n + k] * x[k]).sum::<f64>();
        let zero = |i: usize| share * (largest + (0..n).map(|k| (a[i * n + k] * x[k]).abs()).sum::<f64>());
        let worst = (0..n)
            .filter(|i| !active.contains(i))
            .map(|i| (i, w(i)))
            .filter(|&(i, w)| w < -zero(i))
            .min_by(|p, q| p.1.total_cmp(&q.1));
        match worst {
            Some((i, _)) => active.push(i),
            None => return (0..n).all(|i| w(i) >= -10.0 * zero(i)).then_some(x),
        }
        while !active.is_empty() {
            let s = solve_among(a, b, &active);
            let negative = |&(i, s): &(&usize, &f64)| *s <= 0.0 && x[*i] >= 0.0;
            let blocked = active.iter().zip(&s).filter(negative);
            let share = blocked.map(|(&i, &s)| if x[i] > s { x[i] / (x[i] - s) } else { 0.0 });
            let Some(share) = share.min_by(f64::total_cmp) else {
                active.iter().zip(&s).for_each(|(&i, &s)| x[i] = s);
                break;
            };
            for (&i, &s) in active.iter().zip(&s) {
                x[i] += share * (s - x[i]);
            }
            let stays = |i: usize, s: f64| s > 0.0 || x[i] > ZERO * (x[i] - s);
            let kept = active.iter().zip(&s).filter(|(i, s)| stays(**i, **s)).map(|(&i, _)| i).collect();
            let left = std::mem::replace(&mut active, kept);
            left.iter().filter(|i| !active.contains(i)).for_each(|&i| x[i] = 0.0);
        }
    }
    None
}

/// The `x` of the rows in `active` that makes their `w` vanish. A row that depends on others never comes in, since theirs
/// brings its `w` to zero, too; one that nearly does is solved for as it stands, with what rounding left open again and again.
fn solve_among(a: &[f64], b: &[f64], active: &[usize]) -> Vec<f64> {
    let (n, k) = (b.len(), active.len());
    let matrix: Vec<f64> = active.iter().flat_map(|&i| active.iter().map(move |&j| a[i * n + j])).collect();
    let (mut factor, mut order) = (matrix.clone(), vec![0; k]);
    let rank = cholesky_pivoted_to(DEPENDENT, &mut factor, k, &mut order);
    let mut x = vec![0.0; k];
    for _ in 0..4 {
        let left = |i: usize| (0..k).fold(-b[active[i]], |sum, j| sum - matrix[i * k + j] * x[j]);
        let mut rest: Vec<f64> = (0..k).map(left).collect();
        solve_pivoted(&factor, k, &order, rank, &mut rest);
        x.iter_mut().zip(rest).for_each(|(x, more)| *x += more);
    }
    x
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// Two masses at one wall each, coupled: the one that would be pulled off does not push (by hand).
    #[test]
    fn one_of_two_pushes() {
        // x1 = 1 alone makes w2 = -1 + 2 = 1 > 0.
        let x = complementary(&[1.0, 2.0, 2.0, 5.0], &[-1.0, -1.0]).unwrap();
        let w: Vec<f64> = (0..2)
            .map(|i| -1.0 + [[1.0, 2.0], [2.0, 5.0]][i][0] * x[0] + [[1.0, 2.0], [2.0, 5.0]][i][1] * x[1])
            .collect();
        assert_eq!((x[1], x[0]), (0.0, 1.0));
        assert!((w[0], w[1]) == (0.0, 1.0));
    }

    /// Checks the three conditions for the Gram matrix of `columns` and velocities before an impact, which lie in its
    /// range.
    fn holds(columns: &[[f64; 3]], push: [f64; 3]) -> Result<(), TestCaseError> {
        let n = columns.len();
        let dot = |p: &[f64; 3], q: &[f64; 3]| p.iter().zip(q).map(|(a, b)| a * b).sum::<f64>();
        let a: Vec<f64> = columns.iter().flat_map(|p| columns.iter().map(|q| dot(p, q))).collect();
        let b: Vec<f64> = columns.iter().map(|p| dot(p, &push)).collect();
        let Some(x) = complementary(&a, &b) else {
            return Err(TestCaseError::fail("no answer"));
        };
        for i in 0..n {
            let terms: Vec<f64> = (0..n).map(|k| a[i * n + k] * x[k]).collect();
            let w = b[i] + terms.iter().sum::<f64>();
            // Of the terms that cancel: nearly dependent rows share large `x`.
            let zero = 1e-9 * (1.0 + terms.iter().map(|t| t.abs()).sum::<f64>());
            prop_assert!(x[i] >= 0.0 && w >= -zero, "x {} w {w}", x[i]);
            prop_assert!((x[i] * w).abs() <= 100.0 * zero * (1.0 + x[i]), "x {} w {w}", x[i]);
        }
        Ok(())
    }

    /// Rows that nearly depend on each other, up to eigenvalues of 1e-9 of the largest; random search found them.
    #[test]
    fn nearly_dependent_rows() {
        let found: [(&[[f64; 3]], [f64; 3]); 4] = [
            (
                &[
                    [-0.05785410834987627, -0.19576820928127364, -0.06806845807723728],
                    [-0.6115730618434243, 0.0, 0.0],
                    [0.16789464861186362, 0.28700470204248407, 0.8195228036604973],
                    [-0.022309315946194747, 0.19888138494008, -0.8526878072567652],
                ],
                [-0.842854281485389, 0.47325291743672576, 0.0],
            ),
            (
                &[
                    [0.08430524315922601, -0.07739998042040812, 0.759384080703764],
                    [-0.9942413258090385, -0.7734087150229988, -0.07157443399802949],
                    [0.45028096183894145, 0.35443491861710624, 0.010226005535444362],
                ],
                [0.0, 0.0, 0.3710472763285554],
            ),
            (
                &[
                    [0.8308854278481469, -0.2555557446104781, 0.9483821727998935],
                    [0.0625002734966579, -0.6152363132534174, -0.757533531718471],
                    [-0.3823021885366957, 0.5874996877571687, 0.21467238490579352],
                    [-0.3953928760103309, -0.4755418150160112, 0.5556865685569415],
                ],
                [-0.9752520055619586, -0.0037925542229395514, 0.5447265535736185],
            ),
            (
                &[
                    [-0.7997852958652775, 0.9611664047465922, 0.3410219924535458],
                    [0.7272711197011117, 0.1507396580969329, -0.6723460933228383],
                    [0.3348891002000968, -0.8828426951888353, 0.027017063239041104],
                ],
                [0.0, 0.0, -0.7929195543362724],
            ),
        ];
        for (columns, push) in found {
            holds(columns, push).unwrap();
        }
    }

    proptest! {
        /// The three conditions hold for Gram matrices of any rank.
        #[test]
        fn conditions(columns in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 1..7),
                      push in proptest::array::uniform3(-1.0..1.0f64)) {
            holds(&columns, push)?;
        }
    }
}
