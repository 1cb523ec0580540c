//! Linear equations of small motions about a state at rest.

use gelenk_system::{Fault, Simulated};
use nalgebra::{Complex, DMatrix, DVector};

use crate::tangent::{derivatives, eigenvalues, free_directions};

/// `d/dt (y, dy/dt, zeta) = A (y, dy/dt, zeta)` about a state at rest, with `xi = N y` for the displacements of the
/// coordinates: `N` spans what the constraints admit.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearisation {
    /// System matrix.
    pub a: DMatrix<f64>,
    /// Directions of the independent displacements, one column each.
    pub directions: DMatrix<f64>,
}

/// A mode of small motions.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Eigenvalue (1/s).
    pub eigenvalue: Complex<f64>,
    /// Displacements of all coordinates, scaled so that the largest one is 1.
    pub shape: Vec<Complex<f64>>,
}

impl Mode {
    /// Natural frequency `|lambda|/(2 pi)` (Hz).
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.norm() / std::f64::consts::TAU
    }

    /// Damping ratio `-Re(lambda)/|lambda|`; zero for a vanishing eigenvalue.
    pub fn damping(&self) -> f64 {
        let norm = self.eigenvalue.norm();
        if norm > 0.0 { -self.eigenvalue.re / norm } else { 0.0 }
    }
}

/// Linearises the system about the state `x`, whose velocities are taken as zero.
pub fn linearise<S: Simulated>(
    system: &S,
    p: &[f64],
    t: f64,
    x: &[f64],
    m: &[f64],
) -> Result<Linearisation, Fault> {
    let mut x = x.to_vec();
    x[system.layout().v()].fill(0.0);
    matrix_at(system, p, t, &x, m)
}

/// The same about any state, whose own motion is taken as frozen.
pub(crate) fn matrix_at<S: Simulated>(
    system: &S,
    p: &[f64],
    t: f64,
    x: &[f64],
    m: &[f64],
) -> Result<Linearisation, Fault> {
    let layout = system.layout();
    let (nv, nz) = (layout.nv, layout.nz);
    let full = derivatives(system, p, t, x, m)?;
    let n = free_directions(system, p, t, x, &[]);
    let k = n.ncols();
    let (top, bottom) = (full.rows(0, nv), full.rows(nv, nz));
    let mut a = DMatrix::zeros(2 * k + nz, 2 * k + nz);
    a.view_mut((0, k), (k, k)).fill_with_identity();
    a.view_mut((k, 0), (k, k)).copy_from(&(n.transpose() * top.columns(0, nv) * &n));
    a.view_mut((k, k), (k, k)).copy_from(&(n.transpose() * top.columns(nv, nv) * &n));
    a.view_mut((k, 2 * k), (k, nz)).copy_from(&(n.transpose() * top.columns(2 * nv, nz)));
    a.view_mut((2 * k, 0), (nz, k)).copy_from(&(bottom.columns(0, nv) * &n));
    a.view_mut((2 * k, k), (nz, k)).copy_from(&(bottom.columns(nv, nv) * &n));
    a.view_mut((2 * k, 2 * k), (nz, nz)).copy_from(&bottom.columns(2 * nv, nz));
    Ok(Linearisation { a, directions: n })
}

impl Linearisation {
    /// All modes, sorted by frequency; of a conjugate pair only the one with positive imaginary part.
    pub fn modes(&self) -> Vec<Mode> {
        let mut values: Vec<Complex<f64>> =
            eigenvalues(&self.a).into_iter().filter(|v| v.im >= 0.0).collect();
        values.sort_by(|a, b| a.norm().total_cmp(&b.norm()).then(a.re.total_cmp(&b.re)));
        values.into_iter().map(|eigenvalue| Mode { eigenvalue, shape: self.shape(eigenvalue) }).collect()
    }

    /// Shape of the mode by inverse iteration.
    fn shape(&self, eigenvalue: Complex<f64>) -> Vec<Complex<f64>> {
        let n = self.a.nrows();
        // Slightly off the eigenvalue the matrix is regular, and the mode grows by the inverse of the distance.
        let shift = eigenvalue + Complex::new(1e-7 * (1.0 + eigenvalue.norm()), 0.0);
        let matrix = self.a.map(|v| Complex::new(v, 0.0)) - DMatrix::from_diagonal_element(n, n, shift);
        let lu = matrix.lu();
        let mut vector = DVector::from_fn(n, |i, _| Complex::new(1.0, 0.1 * i as f64));
        for _ in 0..4 {
            if let Some(next) = lu.solve(&vector) {
                let norm = next.norm();
                vector = next / Complex::new(norm, 0.0);
            }
        }
        let k = self.directions.ncols();
        // Where the states of laws alone make the mode, nothing moves: what is left of the coordinates is rounding.
        let mut still = vector.clone();
        still.rows_mut(0, (2 * k).min(n)).fill(Complex::new(0.0, 0.0));
        let off = self.a.map(|v| Complex::new(v, 0.0)) * &still - &still * eigenvalue;
        let size = self.a.amax().max(eigenvalue.norm()) * still.norm();
        if still.norm() > 0.0 && off.norm() <= 1e-10 * size {
            return vec![Complex::new(0.0, 0.0); self.directions.nrows()];
        }
        let shape: DVector<Complex<f64>> = self.directions.map(|v| Complex::new(v, 0.0)) * vector.rows(0, k);
        let largest = shape
            .iter()
            .copied()
            .fold(Complex::new(0.0, 0.0), |max, v| if v.norm() > max.norm() { v } else { max });
        shape.iter().map(|v| if largest.norm() > 0.0 { v / largest } else { *v }).collect()
    }
}
