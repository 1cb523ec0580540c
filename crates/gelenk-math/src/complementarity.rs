//! Linear complementarity: which of several contacts push.

use crate::dense::solve_shared;

/// Share of the largest right side that counts as zero.
const ZERO: f64 = 1e-13;

/// Solves `w = A x + b`, `w >= 0`, `x >= 0`, `x^T w = 0` for a symmetric positive semi-definite `A` (`n x n`, row by
/// row) by an active set (Lawson and Hanson, *Solving Least Squares Problems*, 23.3, on the normal equations). Rows that
/// depend on each other share. Returns `None` where it does not end, or where no `x` can make `w` non-negative.
pub fn complementary(a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let zero = ZERO * b.iter().fold(0.0f64, |max, b| max.max(b.abs()));
    let mut x = vec![0.0; n];
    let mut active: Vec<usize> = Vec::with_capacity(n);
    for _ in 0..4 * n + 4 {
        let w = |i: usize| b[i] + (0..n).map(|k| a[i * n + k] * x[k]).sum::<f64>();
        let worst =
            (0..n).filter(|i| !active.contains(i)).map(|i| (i, w(i))).min_by(|p, q| p.1.total_cmp(&q.1));
        match worst {
            Some((i, w)) if w < -zero => active.push(i),
            _ => return (0..n).all(|i| w(i) >= -1e3 * zero).then_some(x),
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

/// The `x` of the rows in `active` that makes their `w` vanish.
fn solve_among(a: &[f64], b: &[f64], active: &[usize]) -> Vec<f64> {
    let (n, k) = (b.len(), active.len());
    let matrix: Vec<f64> = active.iter().flat_map(|&i| active.iter().map(move |&j| a[i * n + j])).collect();
    let right: Vec<f64> = active.iter().map(|&i| -b[i]).collect();
    let (mut factor, mut order) = (vec![0.0; k * k], vec![0; k]);
    let (mut rest, mut x) = (vec![0.0; k], vec![0.0; k]);
    solve_shared(&matrix, &right, &mut factor, &mut order, &mut rest, &mut x);
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

    proptest! {
        /// The three conditions hold for Gram matrices of any rank.
        #[test]
        fn conditions(columns in proptest::collection::vec(proptest::collection::vec(-1.0..1.0f64, 3), 1..7),
                      push in proptest::collection::vec(-1.0..1.0f64, 3)) {
            let n = columns.len();
            let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(a, b)| a * b).sum::<f64>();
            let a: Vec<f64> = columns.iter().flat_map(|p| columns.iter().map(|q| dot(p, q)).collect::<Vec<_>>()).collect();
            // In the range of A, as velocities before an impact are.
            let b: Vec<f64> = columns.iter().map(|p| dot(p, &push)).collect();
            let x = complementary(&a, &b).unwrap();
            for i in 0..n {
                let w = b[i] + (0..n).map(|k| a[i * n + k] * x[k]).sum::<f64>();
                prop_assert!(x[i] >= 0.0 && w >= -1e-9, "x {} w {w}", x[i]);
                prop_assert!((x[i] * w).abs() <= 1e-7 * (1.0 + x[i]), "x {} w {w}", x[i]);
            }
        }
    }
}
