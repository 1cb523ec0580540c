//! Pseudo-inverses and basic solutions of small dense systems.

use gelenk_system::Fault;
use nalgebra::{DMatrix, DVector};

/// Singular values below this share of the largest count as zero.
const RANK: f64 = 1e-10;

/// Moore-Penrose pseudo-inverse.
///
/// # Errors
/// Numbers that are not finite.
pub(crate) fn pseudo_inverse(a: &DMatrix<f64>) -> Result<DMatrix<f64>, Fault> {
    inverse(a, 0.0, 0.0)
}

/// The same of a part or product of a matrix of norm `size`: what is small beside that counts as zero, too.
///
/// # Errors
/// Numbers that are not finite.
pub(crate) fn pseudo_inverse_beside(a: &DMatrix<f64>, size: f64) -> Result<DMatrix<f64>, Fault> {
    inverse(a, 0.0, size)
}

/// `A^T (A A^T + damping^2 I)^-1`; with no damping the pseudo-inverse.
///
/// # Errors
/// Numbers that are not finite.
pub(crate) fn damped_inverse(a: &DMatrix<f64>, damping: f64) -> Result<DMatrix<f64>, Fault> {
    inverse(a, damping, 0.0)
}

fn inverse(a: &DMatrix<f64>, damping: f64, size: f64) -> Result<DMatrix<f64>, Fault> {
    let (rows, columns) = a.shape();
    if rows == 0 || columns == 0 {
        return Ok(DMatrix::zeros(columns, rows));
    }
    let (u, singular, v_t) = decompose(a)?;
    let largest = singular.iter().fold(size, |max, &s| max.max(s));
    let factors = singular.map(|s| if s > RANK * largest { s / (s * s + damping * damping) } else { 0.0 });
    Ok(v_t.transpose() * DMatrix::from_diagonal(&factors) * u.transpose())
}

/// An orthonormal basis of the directions that `a`, a part of a matrix of norm `size`, sends to zero, as columns.
///
/// # Errors
/// Numbers that are not finite.
pub(crate) fn null_space(a: &DMatrix<f64>, size: f64) -> Result<DMatrix<f64>, Fault> {
    let (rows, columns) = a.shape();
    if rows == 0 || columns == 0 {
        return Ok(DMatrix::identity(columns, columns));
    }
    // Rows of zeros make the decomposition give all right singular vectors.
    let mut square = DMatrix::zeros(rows.max(columns), columns);
    square.rows_mut(0, rows).copy_from(a);
    let (_, singular, v_t) = decompose(&square)?;
    let largest = singular.iter().fold(size, |max, &s| max.max(s));
    let empty: Vec<usize> = (0..columns).filter(|&k| singular[k] <= RANK * largest).collect();
    Ok(DMatrix::from_fn(columns, empty.len(), |i, k| v_t[(empty[k], i)]))
}

type Parts = (DMatrix<f64>, DVector<f64>, DMatrix<f64>);

fn decompose(a: &DMatrix<f64>) -> Result<Parts, Fault> {
    let refused = || Fault::Refused {
        element: "linear system".into(),
        reason: "it holds numbers that are not finite; check the model and the motion".into(),
    };
    if a.iter().any(|x| !x.is_finite()) {
        return Err(refused());
    }
    let svd = a.clone().try_svd(true, true, f64::EPSILON, 10_000).ok_or_else(refused)?;
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) => Ok((u, svd.singular_values, v_t)),
        _ => Err(refused()),
    }
}

/// A basic solution of `a x = b` in the sense of least squares: at most `rank(a)` components differ from zero. They are
/// chosen by QR with column pivoting: each time the column that is longest across those chosen before.
///
/// # Errors
/// Numbers that are not finite.
pub(crate) fn basic_solution(a: &DMatrix<f64>, b: &DVector<f64>) -> Result<DVector<f64>, Fault> {
    let (rows, columns) = a.shape();
    let mut rest = a.clone();
    let mut chosen: Vec<usize> = Vec::new();
    let mut first = 0.0;
    for _ in 0..rows.min(columns) {
        let lengths = (0..columns).filter(|k| !chosen.contains(k)).map(|k| (k, rest.column(k).norm()));
        let Some((pivot, length)) = lengths.fold(None, |best: Option<(usize, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        }) else {
            break;
        };
        if chosen.is_empty() {
            first = length;
        }
        if length <= RANK * first || length == 0.0 {
            break;
        }
        let direction = rest.column(pivot) / length;
        chosen.push(pivot);
        for k in (0..columns).filter(|k| !chosen.contains(k)) {
            // Twice, so that rounding leaves nothing along the direction.
            for _ in 0..2 {
                let part = direction.dot(&rest.column(k));
                rest.column_mut(k).axpy(-part, &direction, 1.0);
            }
        }
    }
    let reduced = DMatrix::from_fn(rows, chosen.len(), |i, k| a[(i, chosen[k])]);
    let part = pseudo_inverse(&reduced)? * b;
    let mut x = DVector::zeros(columns);
    for (k, &column) in chosen.iter().enumerate() {
        x[column] = part[k];
    }
    Ok(x)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Penrose's conditions on a matrix of rank two, and a basis of what it sends to zero.
    #[test]
    fn inverse_of_a_deficient_matrix() {
        let a = DMatrix::from_row_slice(3, 4, &[1.0, 2.0, 0.0, 1.0, 2.0, 4.0, 0.0, 2.0, 0.0, 1.0, -1.0, 3.0]);
        let inverse = pseudo_inverse(&a).unwrap();
        assert!((&a * &inverse * &a - &a).norm() < 1e-13);
        assert!((&inverse * &a * &inverse - &inverse).norm() < 1e-13);
        let basis = null_space(&a, 0.0).unwrap();
        assert_eq!(basis.ncols(), 2);
        assert!((&a * &basis).norm() < 1e-13);
        let b = &a * DVector::from_vec(vec![0.3, -1.0, 2.0, 0.7]);
        let x = basic_solution(&a, &b).unwrap();
        assert!((&a * &x - b).norm() < 1e-13);
        assert_eq!(x.iter().filter(|x| **x != 0.0).count(), 2);
        assert!(pseudo_inverse(&(a * f64::NAN)).is_err());
    }
}
