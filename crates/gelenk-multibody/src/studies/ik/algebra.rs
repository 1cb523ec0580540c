//! Pseudo-inverses and basic solutions of small dense systems.

use gelenk_system::Fault;
use nalgebra::{DMatrix, DVector};

/// Singular values below this share of the largest count as zero.
const RANK: f64 = 1e-10;
/// What rounding may leave open of a decomposition.
const ROUNDING: f64 = 1e-12;
/// Rounds of rotations; six to ten are usual.
const SWEEPS: usize = 60;

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
        reason: "it contains numbers that are not finite; check the model and the motion".into(),
    };
    if a.iter().any(|x| !x.is_finite()) {
        return Err(refused());
    }
    let svd = a.clone().try_svd(true, true, f64::EPSILON, 10_000).ok_or_else(refused)?;
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) if is_decomposition(a, &u, &svd.singular_values, &v_t) => {
            Ok((u, svd.singular_values, v_t))
        }
        _ => Ok(by_rotations(a)),
    }
}

/// Whether the parts make up the matrix again, and the right vectors are orthonormal. For deficient matrices with rows of zeros
/// the decomposition of nalgebra is sometimes neither.
fn is_decomposition(a: &DMatrix<f64>, u: &DMatrix<f64>, singular: &DVector<f64>, v_t: &DMatrix<f64>) -> bool {
    let off = (u * DMatrix::from_diagonal(singular) * v_t - a).norm();
    let tilted = (v_t * v_t.transpose() - DMatrix::identity(v_t.nrows(), v_t.nrows())).norm();
    off <= ROUNDING * a.norm() && tilted <= ROUNDING * v_t.nrows() as f64
}

/// Singular values by plane rotations of the columns until they are perpendicular (Hestenes, *J. SIAM* 6, 1958). Slower
/// than by bidiagonalisation, and right for any matrix. Left vectors of singular values of zero are zero.
fn by_rotations(a: &DMatrix<f64>) -> Parts {
    if a.nrows() < a.ncols() {
        let (u, singular, v_t) = by_rotations(&a.transpose());
        return (v_t.transpose(), singular, u.transpose());
    }
    let n = a.ncols();
    let (mut w, mut v) = (a.clone(), DMatrix::<f64>::identity(n, n));
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (alpha, beta) = (w.column(p).norm_squared(), w.column(q).norm_squared());
                let gamma = w.column(p).dot(&w.column(q));
                if gamma.abs() <= f64::EPSILON * (alpha * beta).sqrt() {
                    continue;
                }
                turned = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                for matrix in [&mut w, &mut v] {
                    for i in 0..matrix.nrows() {
                        let (x, y) = (matrix[(i, p)], matrix[(i, q)]);
                        matrix[(i, p)] = cosine * x - sine * y;
                        matrix[(i, q)] = sine * x + cosine * y;
                    }
                }
            }
        }
        if !turned {
            break;
        }
    }
    let singular = DVector::from_fn(n, |k, _| w.column(k).norm());
    for k in (0..n).filter(|&k| singular[k] > 0.0) {
        w.column_mut(k).unscale_mut(singular[k]);
    }
    (w, singular, v.transpose())
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

    /// Parts by rotations make up random, wide, tall and deficient matrices again, with orthonormal right vectors.
    #[test]
    fn rotations_decompose() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for round in 0..200 {
            let (rows, columns) = (1 + round % 7, 1 + round % 5);
            let mut a = DMatrix::from_fn(rows, columns, |_, _| number());
            if round % 3 == 0 {
                a.row_mut(0).fill(0.0);
            }
            if round % 2 == 0 && columns > 1 {
                let double = a.column(0) * 2.0;
                a.column_mut(1).copy_from(&double);
            }
            let (u, singular, v_t) = by_rotations(&a);
            assert!(is_decomposition(&a, &u, &singular, &v_t) || rows < columns, "{a}");
            assert!((&u * DMatrix::from_diagonal(&singular) * &v_t - &a).norm() < 1e-12, "{a}");
        }
    }

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
