//! Small dense kernels on row-major slices: no allocation, any scalar.
//!
//! Where constraints are redundant, a pivot that vanishes relative to the largest one is dropped and its
//! unknown set to zero. For a consistent system that is a solution, and the rest of the mechanism does not
//! notice.

use crate::Real;

/// A pivot below this share of its diagonal entry counts as zero.
pub const RANK_TOLERANCE: f64 = 1e-11;
/// Share of the largest diagonal entry below which a whole row is nothing but rounding.
pub const ROUNDING: f64 = 1e-24;

/// Factors the symmetric `n x n` matrix `a` as `L L^T` in its lower triangle.
///
/// Returns the index of the first pivot that is not positive, where there is one.
pub fn cholesky<T: Real>(a: &mut [T], n: usize) -> Result<(), usize> {
    for j in 0..n {
        let mut pivot = a[j * n + j];
        for k in 0..j {
            pivot -= a[j * n + k] * a[j * n + k];
        }
        if pivot.re().is_nan() || pivot.re() <= 0.0 {
            return Err(j);
        }
        let root = pivot.sqrt();
        a[j * n + j] = root;
        for i in j + 1..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum / root;
        }
    }
    Ok(())
}

/// Solves `L y = b` in place.
pub fn forward<T: Real>(l: &[T], n: usize, b: &mut [T]) {
    for i in 0..n {
        let mut sum = b[i];
        for k in 0..i {
            sum -= l[i * n + k] * b[k];
        }
        b[i] = sum / l[i * n + i];
    }
}

/// Solves `L^T x = y` in place.
pub fn backward<T: Real>(l: &[T], n: usize, b: &mut [T]) {
    for i in (0..n).rev() {
        let mut sum = b[i];
        for k in i + 1..n {
            sum -= l[k * n + i] * b[k];
        }
        b[i] = sum / l[i * n + i];
    }
}

/// Factors a symmetric positive semi-definite matrix with diagonal pivoting; returns its rank.
///
/// `order` receives the pivot sequence; entries beyond the rank are the dropped (redundant) rows.
pub fn cholesky_pivoted<T: Real>(a: &mut [T], n: usize, order: &mut [usize]) -> usize {
    cholesky_pivoted_to(RANK_TOLERANCE, a, n, order)
}

/// What becomes of a pivot of a matrix whose rank is known: one within the rank is dropped only where nothing is left of
/// its row but rounding, one beyond it is kept only where it stands out.
const WITHIN: f64 = 1e-15;
const BEYOND: f64 = 1e-3;

/// [`cholesky_pivoted`] of a matrix that has the rank `known` but where it is singular, and some noise.
pub fn cholesky_known<T: Real>(known: Option<usize>, a: &mut [T], n: usize, order: &mut [usize]) -> usize {
    match known {
        None => cholesky_pivoted(a, n, order),
        Some(rank) => cholesky_by(|j| if j < rank { WITHIN } else { BEYOND }, a, n, order),
    }
}

/// [`cholesky_pivoted`] that drops rows of which less than the share `tolerance` is left.
pub fn cholesky_pivoted_to<T: Real>(tolerance: f64, a: &mut [T], n: usize, order: &mut [usize]) -> usize {
    cholesky_by(|_| tolerance, a, n, order)
}

/// The same with a tolerance for every pivot.
fn cholesky_by<T: Real>(
    tolerance: impl Fn(usize) -> f64,
    a: &mut [T],
    n: usize,
    order: &mut [usize],
) -> usize {
    for (i, slot) in order.iter_mut().enumerate().take(n) {
        *slot = i;
    }
    let rounding = (0..n).fold(0.0f64, |max, i| max.max(a[i * n + i].re())) * ROUNDING;
    for j in 0..n {
        // What is left of each diagonal entry, as a share of the whole, so that the scale of a row does not matter.
        let (mut best, mut share) = (j, 0.0);
        for (place, &i) in order.iter().enumerate().take(n).skip(j) {
            let left = a[i * n + i].re();
            let whole = order[..j].iter().fold(left, |sum, &k| sum + a[i * n + k].re().powi(2));
            if left > share * whole && whole > rounding {
                (best, share) = (place, left / whole);
            }
        }
        if share <= tolerance(j) {
            return j;
        }
        order.swap(j, best);
        let p = order[j];
        let root = a[p * n + p].sqrt();
        a[p * n + p] = root;
        // Column j of L is kept at a[i][p] for the rows i not yet chosen; the Schur complement follows.
        for &i in &order[j + 1..n] {
            a[i * n + p] /= root;
        }
        for x in j + 1..n {
            let i = order[x];
            for &k in &order[j + 1..=x] {
                let product = a[i * n + p] * a[k * n + p];
                a[i * n + k] -= product;
                if i != k {
                    a[k * n + i] = a[i * n + k];
                }
            }
        }
    }
    n
}

/// Solves with the factor of [`cholesky_pivoted`]; dropped unknowns become zero.
pub fn solve_pivoted<T: Real>(a: &[T], n: usize, order: &[usize], rank: usize, b: &mut [T]) {
    for j in 0..rank {
        let i = order[j];
        let mut sum = b[i];
        for &k in &order[..j] {
            sum -= a[i * n + k] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
    for j in (0..rank).rev() {
        let i = order[j];
        let mut sum = b[i];
        for &k in &order[j + 1..rank] {
            sum -= a[k * n + i] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
    for &i in &order[rank..n] {
        b[i] = T::c(0.0);
    }
}

/// Share of the diagonal that is added where unknowns may depend on each other.
const SHARED: f64 = 1e-8;

/// Solves `a x = b` for a symmetric positive semi-definite `a` and a `b` in its range: where unknowns depend on each other
/// they share the load, nearly as the solution of least norm does. `factor`, `order` and `rest` are scratch of lengths
/// `n * n`, `n` and `n`.
///
/// The diagonal is raised a little and what that leaves open is solved for again, so that rounding in `a` cannot become
/// a large load of unknowns on each other.
pub fn solve_shared<T: Real>(
    a: &[T],
    b: &[T],
    factor: &mut [T],
    order: &mut [usize],
    rest: &mut [T],
    x: &mut [T],
) {
    let n = b.len();
    factor.copy_from_slice(a);
    for i in 0..n {
        factor[i * n + i] *= T::c(1.0 + SHARED);
    }
    let rank = cholesky_pivoted(factor, n, order);
    x.fill(T::c(0.0));
    for _ in 0..3 {
        for i in 0..n {
            rest[i] = (0..n).fold(b[i], |sum, k| sum - a[i * n + k] * x[k]);
        }
        solve_pivoted(factor, n, order, rank, rest);
        x.iter_mut().zip(rest.iter()).for_each(|(x, &more)| *x += more);
    }
}

/// Solves `a x = b` in place by Gaussian elimination with full pivoting; returns the rank.
///
/// `columns` is scratch of length `n`. Unknowns beyond the rank become zero.
pub fn solve_general(a: &mut [f64], n: usize, b: &mut [f64], columns: &mut [usize], x: &mut [f64]) -> usize {
    for (i, column) in columns.iter_mut().enumerate().take(n) {
        *column = i;
    }
    let mut rank = n;
    let mut largest = 0.0f64;
    for j in 0..n {
        let (mut row, mut column, mut value) = (j, j, 0.0f64);
        for i in j..n {
            for k in j..n {
                let magnitude = a[i * n + k].abs();
                if magnitude > value {
                    (row, column, value) = (i, k, magnitude);
                }
            }
        }
        largest = largest.max(value);
        if value <= RANK_TOLERANCE * 1e-3 * largest {
            rank = j;
            break;
        }
        if row != j {
            for k in 0..n {
                a.swap(j * n + k, row * n + k);
            }
            b.swap(j, row);
        }
        if column != j {
            for i in 0..n {
                a.swap(i * n + j, i * n + column);
            }
            columns.swap(j, column);
        }
        let pivot = a[j * n + j];
        for i in j + 1..n {
            let factor = a[i * n + j] / pivot;
            if factor != 0.0 {
                for k in j..n {
                    a[i * n + k] -= factor * a[j * n + k];
                }
                b[i] -= factor * b[j];
            }
        }
    }
    for j in (0..rank).rev() {
        let mut sum = b[j];
        for k in j + 1..rank {
            sum -= a[j * n + k] * x[columns[k]];
        }
        x[columns[j]] = sum / a[j * n + j];
        // x is written through the permutation from the last pivot up, so every entry read above is set.
    }
    for &column in &columns[rank..n] {
        x[column] = 0.0;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spd(n: usize) -> Vec<f64> {
        let b: Vec<f64> = (0..n * n).map(|i| ((i * 37 + 11) % 17) as f64 / 17.0 - 0.4).collect();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
            }
            a[i * n + i] += 0.5;
        }
        a
    }

    fn times(a: &[f64], n: usize, x: &[f64]) -> Vec<f64> {
        (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect()
    }

    #[test]
    fn cholesky_solves() {
        let n = 6;
        let a = spd(n);
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
        let (mut l, mut b) = (a.clone(), times(&a, n, &x));
        cholesky(&mut l, n).unwrap();
        forward(&l, n, &mut b);
        backward(&l, n, &mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12));
        assert_eq!(cholesky(&mut [1.0, 2.0, 2.0, 1.0], 2), Err(1));
    }

    #[test]
    fn pivoted_cholesky_drops_a_redundant_row() {
        // Gram matrix of four vectors in three dimensions, the last one the sum of the first two.
        let rows = [[1.0, 0.2, 0.0], [0.1, 2.0, 0.3], [0.0, 0.4, 0.5], [1.1, 2.2, 0.3]];
        let n = 4;
        let mut a = vec![0.0; 16];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = (0..3).map(|k| rows[i][k] * rows[j][k]).sum();
            }
        }
        let b = times(&a, n, &[1.0, -2.0, 0.5, 0.0]);
        let (mut l, mut order, mut x) = (a.clone(), [0; 4], b.clone());
        let rank = cholesky_pivoted(&mut l, n, &mut order);
        assert_eq!(rank, 3);
        solve_pivoted(&l, n, &order, rank, &mut x);
        let back = times(&a, n, &x);
        assert!(back.iter().zip(&b).all(|(p, q)| (p - q).abs() < 1e-12), "{back:?} {b:?}");
    }

    #[test]
    fn general_solve_matches_and_drops() {
        let n = 3;
        let a = [0.0, 2.0, 1.0, 1.0, -1.0, 0.5, 3.0, 0.0, 1.0];
        let b = times(&a, n, &[1.0, 2.0, 3.0]);
        let (mut m, mut r, mut columns, mut x) = (a, b, [0; 3], [0.0; 3]);
        assert_eq!(solve_general(&mut m, n, &mut r, &mut columns, &mut x), 3);
        assert!((x[0] - 1.0).abs() + (x[1] - 2.0).abs() + (x[2] - 3.0).abs() < 1e-13);
        let mut singular = [1.0, 2.0, 2.0, 4.0];
        assert_eq!(solve_general(&mut singular, 2, &mut [3.0, 6.0], &mut [0; 2], &mut x[..2]), 1);
        assert!((x[0] + 2.0 * x[1] - 3.0).abs() < 1e-13);
    }
}
