//! Volume, centre and inertia of the body that a closed surface encloses.

use crate::{MeshError, TriMesh};

/// A body of density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Volume (m^3).
    pub volume: f64,
    /// Centre of the volume (m).
    pub centre: [f64; 3],
    /// Inertia about the centre for density 1 (m^5): xx, yy, zz and the entries xy, xz, yz of the tensor, which are
    /// minus the integrals of x y, x z and y z.
    pub inertia: [f64; 6],
}

impl TriMesh {
    /// The body inside the surface, exact for the polyhedron.
    ///
    /// Every triangle spans a tetrahedron with a point in the middle of the mesh. With its corners `a, b, c` seen from
    /// there, `D = a . (b x c)` and `s = a + b + c` it adds `D/6` to the volume, `D s/24` to the first moments and
    /// `D (a a^T + b b^T + c c^T + s s^T)/120` to the second ones; the signs of `D` cancel what lies outside
    /// (after Mirtich 1996 and Eberly 2002, who integrate the same polynomials over the faces).
    ///
    /// # Errors
    /// A surface that is open, inconsistent, inside out or flat. Vertices at one place count as one.
    pub fn solid(&self) -> Result<Solid, MeshError> {
        let mesh = self.welded()?;
        mesh.check_closed()?;
        let Some([low, high]) = mesh.bounding_box() else { return Err(MeshError::Empty) };
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
        let (mut six_volumes, mut first, mut second) = (0.0, [0.0; 3], [0.0; 6]);
        for corners in mesh.corners() {
            let [a, b, c] = corners.map(|corner| [0, 1, 2].map(|k| corner[k] - middle[k]));
            let d = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            let s = [0, 1, 2].map(|k| a[k] + b[k] + c[k]);
            six_volumes += d;
            for k in 0..3 {
                first[k] += d * s[k];
            }
            for (sum, (i, k)) in second.iter_mut().zip(PAIRS) {
                *sum += d * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + s[i] * s[k]);
            }
        }
        let volume = six_volumes / 6.0;
        let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        // Rounding leaves this much of a volume that is zero.
        if volume.abs() <= 1e-12 * extent.powi(3) || !volume.is_finite() {
            return Err(MeshError::Flat);
        }
        if volume < 0.0 {
            return Err(MeshError::InsideOut);
        }
        let shift = first.map(|moment| moment / 24.0 / volume);
        // Second moments about the centre.
        let mut about = [0.0; 6];
        for ((entry, sum), (i, k)) in about.iter_mut().zip(second).zip(PAIRS) {
            *entry = sum / 120.0 - volume * shift[i] * shift[k];
        }
        let [xx, yy, zz, xy, xz, yz] = about;
        Ok(Solid {
            volume,
            centre: std::array::from_fn(|k| middle[k] + shift[k]),
            inertia: [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz],
        })
    }
}

const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
