//! Every parametrisation against closed forms, duals, differences and compositions.

use std::f64::consts::{FRAC_PI_2, PI};

use proptest::prelude::*;

use super::*;
use crate::spatial::{Mat3, Vec3, skew};
use crate::{Dual, Real, partial, seed};

mod sequence;
mod vectors;

const ANGLES: [[f64; 3]; 5] =
    [[0.3, -0.7, 1.1], [3.0, 0.2, -2.9], [0.0; 3], [-1.2, 1.5, 0.4], [3.1, -3.1, 3.1]];

fn angles() -> impl Strategy<Value = [f64; 3]> {
    proptest::array::uniform3(-3.1f64..3.1)
}

fn vector(size: f64) -> impl Strategy<Value = Vec3<f64>> {
    proptest::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Values of a matrix of duals, and its derivative in direction 0.
fn split(m: &Mat3<Dual>) -> (Mat3<f64>, Mat3<f64>) {
    (m.map(|x| x.re()), m.map(|x| partial(x, 0)))
}

/// Angular velocity of a moving matrix by its duals: `R' R^T = skew(w)` with a check that it is skew.
fn spin(m: &Mat3<Dual>) -> Vec3<f64> {
    let (r, rate) = split(m);
    let w = angular_velocity(&r, &rate);
    assert!((rate * r.transpose() - skew(&w)).norm() < 1e-11 * (1.0 + w.norm()));
    w
}

/// Parameters moving at these rates, as duals in direction 0.
fn moving<const N: usize>(at: [f64; N], rate: [f64; N]) -> [Dual; N] {
    std::array::from_fn(|i| Dual::c(at[i]) + seed(0.0, 0) * Dual::c(rate[i]))
}

/// Central difference of a matrix function along the rates.
fn slope(f: impl Fn(f64) -> Mat3<f64>) -> Mat3<f64> {
    let h = 1e-5;
    (f(h) - f(-h)) / (2.0 * h)
}

/// ST-R1: matrix to quaternion and back, in all branches.
#[test]
fn quaternion_round_trip() {
    for angles in ANGLES {
        let r = cardan(angles);
        assert!((from_quaternion(to_quaternion(&r)) - r).norm() < 1e-14, "{angles:?}");
    }
}

#[test]
fn retract_and_difference_are_inverse() {
    let q = to_quaternion(&cardan(ANGLES[3]));
    for phi in [Vec3::new(0.3, -1.2, 0.7), Vec3::new(1e-9, 2e-9, 0.0), Vec3::new(1e-3, 0.015, -0.01)] {
        let back: Vec3<f64> = difference(q, retract(q, &phi));
        assert!((back - phi).norm() < 1e-14 * (1.0 + phi.norm()), "{phi:?}");
    }
}

/// The rate is the derivative of the retraction: `A' = A skew(w_B)`; and back from rate to velocity.
#[test]
fn rate_is_the_slope_of_the_retraction() {
    let (q, w, h) = (to_quaternion(&cardan(ANGLES[0])), Vec3::new(0.4, -0.9, 1.3), 1e-6);
    let (plus, minus) = (retract(q, &(w * h)), retract(q, &(w * -h)));
    let rate = quaternion_rate(q, &w);
    for i in 0..4 {
        assert!((rate[i] - (plus[i] - minus[i]) / (2.0 * h)).abs() < 1e-9);
    }
    // A factor on the quaternion changes nothing.
    let found = quaternion_angular_velocity(q.map(|x| 3.0 * x), rate.map(|x| 3.0 * x));
    assert!((found - w).norm() < 1e-15);
    let r = from_quaternion(moving(q, rate));
    assert!((spin(&r) - cardan(ANGLES[0]) * w).norm() < 1e-14);
}

/// ST-R1: a matrix that is not a number is not taken for a regular rotation, and nothing panics.
#[test]
fn not_a_number_is_singular() {
    let broken = Mat3::from_element(f64::NAN);
    for sequence in Sequence::ALL {
        assert!(sequence.angles(&broken).is_singular());
        assert!(sequence.rate_map_inverse([0.0, f64::NAN, 0.0]).is_err());
    }
    assert!(to_rodrigues(&broken).is_err());
    assert!(to_axis_angle(&broken).is_singular() && to_rotation_vector(&broken).is_singular());
    assert!(rotation_vector_rate_map_inverse(&Vec3::from_element(f64::NAN)).is_err());
    assert!(nearest_rotation(&broken).unwrap_err().determinant.is_nan() && !is_rotation(&broken, 1.0));
}

/// The nearest rotation by its definition for a known stretch: `R U` with `U` symmetric and positive.
#[test]
fn nearest_rotation_of_a_stretch() {
    let r = cardan(ANGLES[1]);
    let stretch = Mat3::new(1.2, 0.1, -0.05, 0.1, 0.8, 0.02, -0.05, 0.02, 1.5);
    for scale in [1.0, 1e-200, 1e200] {
        assert!((nearest_rotation(&(r * stretch * scale)).unwrap() - r).norm() < 1e-14, "{scale}");
    }
    let flat = r * Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 1e-6));
    assert!((nearest_rotation(&flat).unwrap() - r).norm() < 1e-9);
    let mirror = r * Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0));
    assert!(nearest_rotation(&mirror).unwrap_err().determinant < 0.0 && !is_rotation(&mirror, 1e-9));
    assert_eq!(nearest_rotation(&Mat3::<f64>::zeros()).unwrap_err().determinant, 0.0);
    assert!(nearest_rotation(&Mat3::new(1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, 0.0)).is_err());
}

/// Derivatives of the nearest rotation: a stretch `I + t K` of a turning matrix does not change how it turns.
#[test]
fn nearest_rotation_of_duals() {
    let (at, rate) = (ANGLES[0], [0.7, -0.2, 1.9]);
    let r = cardan(moving(at, rate));
    let k = Mat3::new(0.3, 0.1, 0.2, 0.1, -0.4, 0.0, 0.2, 0.0, 0.1);
    let stretch = (Mat3::identity() * 1.1 + k * 0.5).map(Dual::c) + k.map(Dual::c) * seed(0.0, 0);
    let (value, slope) = split(&(nearest_rotation(&(r * stretch)).unwrap() - r));
    assert!(value.norm() < 1e-14 && slope.norm() < 1e-13, "{value} {slope}");
}

/// The polar angle has its value and its derivatives on every side, on the axes too.
#[test]
fn polar_angle_on_the_axes() {
    for k in -7..=8 {
        let phi = f64::from(k) * PI / 8.0;
        // Exact zeros on the axes, where the quotient of duals would fail.
        let round = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
        let (x, y) = (round(phi.cos()), round(phi.sin()));
        let angle = polar_angle(seed(y, 0), seed(x, 1));
        assert!((angle.re() - phi).abs() < 1e-15);
        assert!((partial(angle, 0) - x).abs() < 1e-15 && (partial(angle, 1) + y).abs() < 1e-15, "{k}");
    }
}

proptest! {
    /// ST-R1: all parametrisations of one rotation agree, and matrices compose as quaternions do.
    #[test]
    fn conversions_agree(given in angles(), other in angles()) {
        let (r, s) = (cardan(given), Sequence::Yzy.matrix(other));
        let both = r * s;
        let q = product(to_quaternion(&r), to_quaternion(&s));
        prop_assert!((from_quaternion(q) - both).norm() < 1e-14);
        let found = to_axis_angle(&both).parameters;
        let vector = to_rotation_vector(&both).parameters;
        prop_assert!((found.matrix() - both).norm() < 1e-14);
        prop_assert!((vector - found.axis * found.angle).norm() < 1e-14);
        if let Ok(rodrigues) = to_rodrigues(&both) {
            let expected = found.axis * (found.angle / 2.0).tan();
            prop_assert!((rodrigues.parameters - expected).norm() < 1e-14 / rodrigues.margin.value.powi(2));
        }
        for sequence in Sequence::ALL {
            prop_assert!((sequence.matrix(sequence.angles(&both).parameters) - both).norm() < 1e-14);
        }
    }

    /// The nearest rotation leaves a symmetric positive stretch, and no rotation nearby is nearer.
    #[test]
    fn nearest_rotation_is_nearest(given in angles(), noise in proptest::array::uniform9(-0.3f64..0.3), aside in vector(0.3)) {
        let m = cardan(given) + Mat3::from_column_slice(&noise);
        let r = nearest_rotation(&m).unwrap();
        prop_assert!(is_rotation(&r, 1e-14));
        let stretch = r.transpose() * m;
        prop_assert!((stretch - stretch.transpose()).norm() < 1e-14);
        prop_assert!(stretch.determinant() > 0.0 && stretch.trace() > 0.0);
        let nearby = from_rotation_vector(&aside) * r;
        prop_assert!((m - r).norm() <= (m - nearby).norm() + 1e-15);
    }
}
