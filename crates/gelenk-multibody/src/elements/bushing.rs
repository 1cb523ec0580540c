//! Bushing: springs and dampers in all six directions between two frames.

use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::Real;
use gelenk_math::rotation::rotation_vector_rate_map_inverse;
use gelenk_math::spatial::Vec3;
use gelenk_math::units::Dimension;

use super::contract::{Act, ELASTIC_AND_DAMPING, Element, ElementSpec, Look, PlaceKind};

/// Springs and dampers along and about the axes of the first frame. The elastic torque is the gradient of a potential in the
/// rotation vector, so the element stores what it is given.
pub struct Bushing;

const STIFFNESS: usize = 0;
const TORSION: usize = 3;
const DAMPING: usize = 6;
const TORSION_DAMPING: usize = 9;

/// `-p_k x_k` for three parameters from `first` on.
fn each<T: Real>(p: &[T], first: usize, x: &[T]) -> Vec3<T> {
    Vec3::from_fn(|k, _| -p[first + k] * x[k])
}

impl Element for Bushing {
    const SPEC: ElementSpec = ElementSpec {
        name: "bushing",
        table: "bushings",
        title: "Springs and dampers along and about the axes of the first of two frames.",
        equation: "F = -K x - D dx/dt, M = -G^-T K_t phi - D_t w",
        source: "stelzner 3.10",
        place: PlaceKind::Pose,
        params: &[
            ParamSpec::positive(
                "stiffness",
                "K",
                Kind::Fixed(Dimension::STIFFNESS),
                "Stiffness along x, y and z.",
            )
            .or_zero()
            .triple(),
            ParamSpec::positive(
                "torsion",
                "K_t",
                Kind::Fixed(Dimension::ANGULAR_STIFFNESS),
                "Stiffness about x, y and z.",
            )
            .or_zero()
            .triple(),
            ParamSpec::positive("damping", "D", Kind::Fixed(Dimension::DAMPING), "Damping along x, y and z.")
                .or_zero()
                .triple()
                .or(0.0),
            ParamSpec::positive(
                "torsion_damping",
                "D_t",
                Kind::Fixed(Dimension::ANGULAR_DAMPING),
                "Damping about x, y and z.",
            )
            .or_zero()
            .triple()
            .or(0.0),
        ],
        inputs: &[],
        outputs: &[],
        accounts: ELASTIC_AND_DAMPING,
    };

    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        let Look { x, v, p, .. } = e.look;
        let rotation = Vec3::new(x[3], x[4], x[5]);
        let (spring, damper) = (each(p, STIFFNESS, x), each(p, DAMPING, v));
        // Torque as the gradient of the potential: the transposed inverse of w = G dphi/dt. At a full turn the map is
        // singular, where the plain torque is as good as any.
        let plain = each(p, TORSION, &x[3..]);
        let torsion = match rotation_vector_rate_map_inverse(&rotation) {
            Ok(inverse) => inverse.tr_mul(&plain),
            Err(_) => plain,
        };
        let turning = each(p, TORSION_DAMPING, &v[3..]);
        for k in 0..3 {
            e.push(0, k, spring[k]);
            e.push(1, k, damper[k]);
            e.push(0, 3 + k, torsion[k]);
            e.push(1, 3 + k, turning[k]);
        }
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let Look { x, p, .. } = *look;
        let terms =
            (0..6).map(|k| p[if k < 3 { STIFFNESS + k } else { TORSION + k - 3 }] * x[k] * x[k] * T::c(0.5));
        stored[0] = terms.fold(T::c(0.0), |sum, term| sum + term);
    }
}
