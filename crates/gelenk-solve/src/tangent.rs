//! Derivatives of the state rate in tangent coordinates.
//!
//! A small displacement of a state is `(xi, eta, zeta)`: positions move by `retract(q, xi)`, velocities and states of
//! laws by addition. So a quaternion has three directions, not four.

use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_system::{Constrained, Fault, System};
use nalgebra::{Complex, DMatrix};

/// `d(dv/dt, dz/dt)/d(xi, eta, zeta)` at `(t, x)` with memory `m`, one row for every velocity and state of a law.
pub(crate) fn derivatives<S: System>(
    system: &S,
    p: &[f64],
    t: f64,
    x: &[f64],
    m: &[f64],
) -> Result<DMatrix<f64>, Fault> {
    let layout = system.layout();
    let (nv, nz) = (layout.nv, layout.nz);
    let columns = 2 * nv + nz;
    let mut data = system.data::<Dual>();
    let p: Vec<Dual> = p.iter().map(|&value| Dual::c(value)).collect();
    system.bind(&mut data, &p);
    let constant: Vec<Dual> = x.iter().map(|&value| Dual::c(value)).collect();
    let mut matrix = DMatrix::zeros(nv + nz, columns);
    let (mut moved, mut dx) = (constant.clone(), constant.clone());
    for first in (0..columns).step_by(LANES) {
        let lane = |column: usize, value: f64| seed(value, column.checked_sub(first).unwrap_or(LANES));
        let xi: Vec<Dual> = (0..nv).map(|k| lane(k, 0.0)).collect();
        system.retract(&constant[layout.q()], &xi, &mut moved[layout.q()]);
        for (k, i) in layout.v().chain(layout.z()).enumerate() {
            moved[i] = lane(nv + k, x[i]);
        }
        system.rates(&mut data, Dual::c(t), &moved, m, &mut dx)?;
        for (row, i) in layout.v().chain(layout.z()).enumerate() {
            for column in first..columns.min(first + LANES) {
                matrix[(row, column)] = partial(dx[i], column - first);
            }
        }
    }
    Ok(matrix)
}

/// An orthonormal basis of the velocities that the constraints admit at `(t, x)`, with the velocities `held` at zero, by
/// columns.
pub(crate) fn free_directions<S: Constrained>(
    system: &S,
    p: &[f64],
    t: f64,
    x: &[f64],
    held: &[usize],
) -> DMatrix<f64> {
    let layout = system.layout();
    let (nv, nc) = (layout.nv, layout.nc);
    if nc == 0 && held.is_empty() {
        return DMatrix::identity(nv, nv);
    }
    let mut data = system.data();
    system.bind(&mut data, p);
    let mut rows = vec![0.0; nc * nv];
    system.constraint_rows(&mut data, t, &x[layout.q()], &mut rows);
    let size = rows.iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    for &k in held {
        rows.extend((0..nv).map(|i| if i == k { size } else { 0.0 }));
    }
    // The Gram matrix has the rows' null space; its eigenvectors are orthonormal.
    let c = DMatrix::from_row_slice(nc + held.len(), nv, &rows);
    let eigen = (c.transpose() * c).symmetric_eigen();
    let largest = eigen.eigenvalues.iter().fold(0.0f64, |max, v| max.max(v.abs()));
    let free: Vec<usize> = (0..nv).filter(|&k| eigen.eigenvalues[k].abs() <= 1e-12 * largest).collect();
    DMatrix::from_fn(nv, free.len(), |i, k| eigen.eigenvectors[(i, free[k])])
}

/// Eigenvalues of a square matrix; of an empty one none, which the decomposition itself does not admit.
pub(crate) fn eigenvalues(a: &DMatrix<f64>) -> Vec<Complex<f64>> {
    if a.is_empty() { Vec::new() } else { a.complex_eigenvalues().iter().copied().collect() }
}
